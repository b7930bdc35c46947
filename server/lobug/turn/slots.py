"""Decides when a turn may run: a bounded number at once, those of one conversation in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from lobug.conversation.registry import Conversation, Conversations
from lobug.memory.model import ConversationKey
from lobug.priority import TurnPriority
from lobug.quota import (
    Claimant,
    Quota,
    QuotaLedger,
    Rotation,
)
from lobug.settings import LimitSettings
from lobug.storage.people import ALL_PEOPLE, People
from lobug.turn.commitment import Commitment


def waiting_quota(limits: LimitSettings) -> Quota:
    """The quota of turns that wait for a slot."""
    return Quota(limits.max_waiting_turns, limits.max_waiting_per_person, limits.reserved_part)


class EngineSlots:
    """The slots at the engines, given out in the order of ``Rotation``."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiters: Rotation[asyncio.Future[None]] = Rotation()

    def locked(self) -> bool:
        """Whether no slot is free. Nobody waits while one is."""
        return self._free == 0

    @asynccontextmanager
    async def slot(self, claimant: Claimant) -> AsyncIterator[None]:
        """Wait for a slot and hold it."""
        await self._acquire(claimant)
        try:
            yield
        finally:
            self._release()

    async def _acquire(self, claimant: Claimant) -> None:
        if self._free:
            self._free -= 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.join(claimant, waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self._waiters.leave(claimant, waiter)
            else:  # it got its slot at the moment of the cancellation
                self._release()
            raise

    def _release(self) -> None:
        waiter = self._waiters.pop(lambda waiter: not waiter.done())
        if waiter is None:
            self._free += 1
        else:
            waiter.set_result(None)


class AudioJobs:
    """The slots for speech-to-text and text-to-speech outside of turns, which take precedence over
    background work."""

    def __init__(self, limits: LimitSettings) -> None:
        self._places = EngineSlots(limits.max_concurrent_turns)
        self._waiting = QuotaLedger(waiting_quota(limits), "requests waiting")

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a slot."""
        return self._waiting.held

    @asynccontextmanager
    async def slot(self, claimant: Claimant) -> AsyncIterator[None]:
        """Hold a slot; waits until one is free. Raises TooManyRequestsError when too many requests
        of this person wait already, BusyError when too many of all do."""
        refusal = self._waiting.refusal(claimant) if self._places.locked() else None
        if refusal is not None:
            raise refusal
        async with AsyncExitStack() as place:
            self._waiting.take(claimant)
            try:
                await place.enter_async_context(self._places.slot(claimant))
            finally:
                self._waiting.give_back(claimant)
            yield


@dataclass(frozen=True, slots=True)
class CallerAudioJobs:
    """The slots of an app, for one caller."""

    jobs: AudioJobs
    claimant: Claimant

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Hold a slot: ``AudioJobs.slot`` for this caller."""
        return self.jobs.slot(self.claimant)


@dataclass(frozen=True, slots=True)
class TurnSlot:
    """The slot that a turn holds."""

    conversation: Conversation
    leave_engines: Callable[[], Awaitable[None]]
    """Give the engines to other conversations' turns while a reply is only played; turns of this
    conversation still wait. Safe to call twice."""


class TurnSlots:
    """Gives turns their slots. One for each server."""

    def __init__(
        self,
        limits: LimitSettings,
        conversations: Conversations,
        priority: TurnPriority,
        people: People = ALL_PEOPLE,
    ) -> None:
        self._people = people
        self._conversations = conversations
        self._priority = priority
        self._engines = EngineSlots(limits.max_concurrent_turns)
        self._waiting = QuotaLedger(waiting_quota(limits), "turns waiting")

    @property
    def waiting(self) -> int:
        """Number of turns that wait for a slot."""
        return self._waiting.held

    @asynccontextmanager
    async def take(
        self,
        conversation_key: ConversationKey,
        commitment: Commitment | None = None,
        *,
        privileged: bool = False,
    ) -> AsyncIterator[TurnSlot]:
        """Wait for a turn's slot and hold it.

        Turns of the same conversation that do not count yet are withdrawn: a draft may wait for its
        commitment for long, as while a button is held, and would block all others.

        Args:
            conversation_key: whose turn it is.
            commitment: by which the turn may be withdrawn; None: it counts.
            privileged: whether the caller is the owner or a paired device.

        Raises TooManyRequestsError when too many turns of this person wait already, BusyError when
        too many of all do, PersonElsewhereError when another server does not give this person up.
        """
        conversation = self._conversations.get(conversation_key)
        must_wait = self._engines.locked() or conversation.turns > 0
        claimant = Claimant(conversation_key.user, privileged)
        refusal = self._waiting.refusal(claimant) if must_wait else None
        if refusal is not None:
            raise refusal
        for withdraw in conversation.drafts:
            withdraw()
        conversation.drafts.clear()
        if commitment is not None:
            conversation.drafts.append(commitment.withdraw)
        conversation.turns += 1
        self._waiting.take(claimant)
        waiting = True
        try:
            async with self._people.hold(conversation_key.user), AsyncExitStack() as engines:
                await engines.enter_async_context(self._priority.turn())
                # Before the engines: two turns of one device must not hold two slots.
                async with conversation.lock:
                    await engines.enter_async_context(self._engines.slot(claimant))
                    self._waiting.give_back(claimant)
                    waiting = False
                    yield TurnSlot(conversation, engines.aclose)
        finally:
            conversation.turns -= 1
            if commitment is not None and commitment.withdraw in conversation.drafts:
                conversation.drafts.remove(commitment.withdraw)
            if waiting:
                self._waiting.give_back(claimant)
