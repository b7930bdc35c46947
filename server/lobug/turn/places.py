"""Whose turn it is: how many turns run at once, and that those of one conversation follow one
another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from lobug.conversation.registry import Conversation, Conversations
from lobug.errors import BusyError
from lobug.memory.base import Owner
from lobug.priority import TurnPriority
from lobug.settings import LimitSettings
from lobug.turn.live import Commitment


@dataclass(frozen=True, slots=True)
class Place:
    """A turn's place."""

    conversation: Conversation
    leave_engines: Callable[[], Awaitable[None]]
    """Let other conversations' turns have the engines; this conversation's go on waiting. For the
    time in which a reply is only played. Safe to call twice."""


class Places:
    """Gives turns their places."""

    def __init__(
        self, limits: LimitSettings, conversations: Conversations, priority: TurnPriority
    ) -> None:
        self._limits = limits
        self._conversations = conversations
        self._priority = priority
        self._engines = asyncio.Semaphore(limits.max_concurrent_turns)
        self.waiting = 0
        """Turns that wait for a place."""

    @asynccontextmanager
    async def take(
        self, owner: Owner, commitment: Commitment | None = None
    ) -> AsyncIterator[Place]:
        """Wait for a turn's place. Raises BusyError when too many wait already.

        Turns of the same conversation that do not count yet are withdrawn: what was prepared at a
        pause may wait for ever, as while a button is held, and nobody else would get a word in.
        ``commitment``: by which this one may be withdrawn; None: it counts.
        """
        conversation = self._conversations.get(owner)
        must_wait = self._engines.locked() or conversation.turns > 0
        if must_wait and self.waiting >= self._limits.max_waiting_turns:
            raise BusyError(f"{self.waiting} turns are waiting")
        for withdraw in conversation.drafts:
            withdraw()
        conversation.drafts.clear()
        if commitment is not None:
            conversation.drafts.append(commitment.withdraw)
        conversation.turns += 1
        self.waiting += 1
        waiting = True
        try:
            async with AsyncExitStack() as engines:
                await engines.enter_async_context(self._priority.turn())
                # Before the engines: two turns of one device must not hold two places.
                async with conversation.lock:
                    await engines.enter_async_context(self._engines)
                    self.waiting -= 1
                    waiting = False
                    yield Place(conversation, engines.aclose)
        finally:
            conversation.turns -= 1
            if commitment is not None and commitment.withdraw in conversation.drafts:
                conversation.drafts.remove(commitment.withdraw)
            if waiting:
                self.waiting -= 1
