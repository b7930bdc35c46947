"""Fills the chat model's prompt caches ahead of turns, while nobody talks."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from lobug.conversation.prompt import Persona, prefix, user_message
from lobug.conversation.registry import Conversation, Conversations, load_working_memory
from lobug.conversation.tool_prompt import ToolPrompt
from lobug.engines.base import (
    SHARED_PREFIX_LANE,
    ChatMessage,
    ChatModel,
    KeepsConstants,
    SharesPrefix,
)
from lobug.errors import EngineError, StorageError
from lobug.language.en.replies import WAKING_UP
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.priority import PreemptedError, TurnPriority, at_once
from lobug.settings import Settings
from lobug.turn.events import Notice

log = logging.getLogger(__name__)

UNSTEADY_WORDS = 2
"""Words at the end of an interim transcript that are left out, because they often change."""

READINGS = 4
"""How often a constant beginning is begun at most: on a slow computer reading it takes longer than
one request may, and the next one goes on where it ended."""

LONG_WAIT_S = 2.0
"""A longer wait for the reply's first word, seconds, is explained to the person."""


def waking_notice(chat: ChatModel, lane: str) -> Notice | None:
    """What to say to the person of a turn that has to wait because the model is reading its
    personality for the first time; None: it need not wait for that, or not for long."""
    left_s = chat.first_reading_s(lane) if isinstance(chat, SharesPrefix) else 0.0
    return Notice(WAKING_UP) if left_s > LONG_WAIT_S else None


class PromptPrefetcher:
    """Lets the model read prompts before they are needed. A turn interrupts it until its end."""

    def __init__(
        self,
        settings: Settings,
        chat: ChatModel,
        memory: Memory,
        conversations: Conversations,
        priority: TurnPriority,
        persona: Persona,
        clock: Callable[[], float],
        constants: Callable[[], Sequence[Sequence[ChatMessage]]] = tuple,
    ) -> None:
        """``constants``: the constant beginnings of what the model is asked within turns."""
        self._constants = constants
        self._settings = settings
        self._chat = chat
        self._memory = memory
        self._conversations = conversations
        self._priority = priority
        self._persona = persona
        self._clock = clock

    def before_start(self) -> None:
        """Say which beginning all prompts share, so that the engine looks for its state on disk."""
        if isinstance(self._chat, SharesPrefix):
            self._chat.share_prefix(prefix(self._persona, ""))

    def use(self, persona: Persona) -> None:
        """Read prompts with this personality from now on; ``after_start`` reads it again."""
        self._persona = persona
        self.before_start()

    async def after_start(self) -> None:
        """Read the most recent conversations, then the personality for new ones, so that the first
        turn need not wait for it."""
        places = self._settings.chat.conversation_slots - 1  # one is left for a new conversation
        try:
            for conversation_key in await self._memory.latest_conversations(places):
                await self._load(conversation_key)
                await self._read_again(self._conversations.get(conversation_key))
        except StorageError as error:
            log.info("no conversation could be read ahead: %s", error)
        messages = prefix(self._persona, "")
        await self._in_background(lambda: self._chat.prefill(messages, SHARED_PREFIX_LANE))
        if isinstance(self._chat, KeepsConstants):
            for beginning in filter(None, self._constants()):
                for _ in range(READINGS):
                    await self._in_background(partial(self._chat.read_constant, beginning))
                    if self._chat.constant_reading_s(beginning) == 0:
                        break

    async def after_turn(self, conversation_key: ConversationKey) -> None:
        """Read the conversation's prompt again if its beginning changed, and the tools that were
        offered to it."""
        conversation = self._conversations.get(conversation_key)
        await self._read_again(conversation)
        if conversation.tools_unread and not conversation.prefetching_tools:
            conversation.prefetching_tools = True
            try:
                await self._in_background(
                    lambda: self._read_tools(conversation), lambda: self._quiet_s(conversation)
                )
            finally:
                conversation.prefetching_tools = False

    async def _read_again(self, conversation: Conversation) -> None:
        if conversation.prefetching:
            return
        conversation.prefetching = True
        try:
            if not conversation.loaded:  # something was erased, so the log has changed
                await self._load(conversation.conversation_key)
            await self._in_background(lambda: self._read_prompt(conversation))
        except StorageError as error:
            log.info("a conversation could not be read ahead: %s", error)
        finally:
            conversation.prefetching = False

    def _quiet_s(self, conversation: Conversation) -> float:
        # Tools stand before the history, so all of it has to be read again with them, and twice
        # more when somebody speaks meanwhile: that must not happen between two quick turns.
        return self._settings.chat.tool_quiet_s if len(conversation.memory) else 0.0

    async def _read_prompt(self, conversation: Conversation) -> None:
        # Checked only now: reading an older, shorter prompt would drop the newer part of the
        # model's cache.
        about_to_change = conversation.tools_unread and not len(conversation.memory)
        if conversation.prefix_changed and not about_to_change:
            await self._read(conversation, conversation.tools)

    async def _read_tools(self, conversation: Conversation) -> None:
        while conversation.tools_unread:  # other tools may be offered meanwhile
            await self._read(conversation, conversation.offered)

    async def _read(self, conversation: Conversation, tools: ToolPrompt) -> None:
        erasures = conversation.erasures
        lane, messages = conversation.lane, conversation.prefix(self._persona, tools)
        try:
            await self._chat.prefill(messages, lane)
        finally:
            if lane != conversation.lane:  # something was erased meanwhile, after the model read it
                self._chat.forget(lane.__eq__)
        conversation.tools = tools
        # After an erasure the prompt has to be read again without the erased words.
        conversation.prefix_changed = conversation.erasures != erasures

    async def while_speaking(self, conversation_key: ConversationKey, words: str) -> None:
        """Read the next prompt while somebody still speaks: all but the last of ``words``, which
        may change. It is wasted, at no cost, when the final prompt has a memory before the words.
        Cancel it when the turn begins."""
        conversation = self._conversations.get(conversation_key)
        if conversation.lock.locked() or not conversation.loaded or conversation.prefix_changed:
            return  # a turn is running, or there is too much to read
        steady = " ".join(words.split()[:-UNSTEADY_WORDS])
        sensors = conversation.sensors.summary(self._clock())
        turn = [user_message(steady, (), sensors)]
        messages = conversation.prefix(self._persona, turn=turn)
        try:
            await self._chat.prefill(messages, conversation.lane)
        except EngineError as error:
            log.info("could not read along: %s", error)

    async def _load(self, conversation_key: ConversationKey) -> None:
        conversation = self._conversations.get(conversation_key)
        async with conversation.lock:
            await self._memory.refresh()
            await load_working_memory(
                conversation, self._memory, self._settings.conversation.max_messages
            )
            conversation.base_memory = await self._memory.base_memory(conversation_key.user)
            conversation.task = await self._memory.task_in_prompt(conversation_key)

    async def _in_background(
        self, read: Callable[[], Awaitable[None]], quiet_s: Callable[[], float] = at_once
    ) -> None:
        """Run ``read`` in the background, and again after each turn that interrupts it, once it has
        been quiet for ``quiet_s`` seconds."""
        while True:
            try:
                await self._priority.background(read, quiet_s)
            except PreemptedError:
                continue
            except EngineError as error:
                log.info("could not read a prompt ahead: %s", error)
            return
