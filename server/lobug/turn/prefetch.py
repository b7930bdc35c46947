"""Lets the chat model read prompts before they are needed, while nobody talks."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from lobug.conversation.prompt import Persona, prefix, user_message
from lobug.conversation.registry import Conversation, Conversations, reload
from lobug.conversation.tool_prompt import ToolPrompt
from lobug.engines.base import SHARED_PREFIX_LANE, ChatMessage, ChatModel
from lobug.errors import EngineError, StorageError
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.priority import PreemptedError, TurnPriority, at_once
from lobug.settings import Settings

log = logging.getLogger(__name__)

UNSTEADY_WORDS = 2
"""At the end of an interim transcript: they often turn out to be others."""


class ReadAhead:
    """Keeps the model's prompt caches warm. A turn that arrives stops it until the turn is over."""

    def __init__(
        self,
        settings: Settings,
        chat: ChatModel,
        memory: Memory,
        conversations: Conversations,
        priority: TurnPriority,
        persona: Persona,
        clock: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._chat = chat
        self._memory = memory
        self._conversations = conversations
        self._priority = priority
        self._persona = persona
        self._clock = clock

    async def after_start(self) -> None:
        """Read the conversations that will most likely go on, then the personality for new ones, so
        that the first turn need not wait for it."""
        places = self._settings.chat.conversation_slots - 1  # one is left for a new conversation
        try:
            for conversation_key in await self._memory.latest_conversations(places):
                await self._load(conversation_key)
                await self._read_again(self._conversations.get(conversation_key))
        except StorageError as error:
            log.info("no conversation could be read ahead: %s", error)
        messages = prefix(self._persona, "")
        await self._while_nobody_talks(lambda: self._chat.prefill(messages, SHARED_PREFIX_LANE))

    async def after_turn(self, conversation_key: ConversationKey) -> None:
        """Read the conversation's prompt again if it changed at its beginning, and what is offered
        to it of tools."""
        conversation = self._conversations.get(conversation_key)
        await self._read_again(conversation)
        if conversation.tools_unread and not conversation.reading_tools:
            conversation.reading_tools = True
            try:
                await self._while_nobody_talks(
                    lambda: self._read_tools(conversation), lambda: self._quiet_s(conversation)
                )
            finally:
                conversation.reading_tools = False

    async def _read_again(self, conversation: Conversation) -> None:
        if conversation.reading_ahead:
            return
        conversation.reading_ahead = True
        try:
            if not conversation.loaded:  # something was erased: the log is another one now
                await self._load(conversation.conversation_key)
            await self._while_nobody_talks(lambda: self._read_prompt(conversation))
        except StorageError as error:
            log.info("a conversation could not be read ahead: %s", error)
        finally:
            conversation.reading_ahead = False

    def _quiet_s(self, conversation: Conversation) -> float:
        # Tools come before what was said, so all of it has to be read again with them, and twice
        # more when somebody speaks meanwhile: not between two turns of a lively conversation.
        return self._settings.chat.tool_quiet_s if len(conversation.memory) else 0.0

    async def _read_prompt(self, conversation: Conversation) -> None:
        # Looked at only now: reading a prompt that has grown since would throw the newer part of
        # the model's cache away.
        about_to_change = conversation.tools_unread and not len(conversation.memory)
        if conversation.prefix_changed and not about_to_change:
            await self._read(conversation, conversation.tools)

    async def _read_tools(self, conversation: Conversation) -> None:
        while conversation.tools_unread:  # others may be offered meanwhile
            await self._read(conversation, conversation.offered)

    async def _read(self, conversation: Conversation, tools: ToolPrompt) -> None:
        erasures = conversation.erasures
        lane, messages = conversation.lane, self._prompt(conversation, tools)
        try:
            await self._chat.prefill(messages, lane)
        finally:
            if lane != conversation.lane:  # something was erased meanwhile, and was read again
                self._chat.forget(lane.__eq__)
        conversation.tools = tools
        # What was erased meanwhile is to leave the model's cache too.
        conversation.prefix_changed = conversation.erasures != erasures

    async def while_speaking(self, conversation_key: ConversationKey, words: str) -> None:
        """Read what is known of the next prompt while somebody still speaks: all but the end of
        ``words``, which may change. What then comes before the words, such as a memory, makes that
        void; it costs nobody any time. Cancel it when the turn begins."""
        conversation = self._conversations.get(conversation_key)
        if conversation.lock.locked() or not conversation.loaded or conversation.prefix_changed:
            return  # its turn is under way, or there is too much to read
        steady = " ".join(words.split()[:-UNSTEADY_WORDS])
        sensors = conversation.sensors.summary(self._clock())
        before = self._prompt(conversation, conversation.tools)
        messages = [*before, user_message(steady, (), sensors)]
        try:
            await self._chat.prefill(messages, conversation.lane)
        except EngineError as error:
            log.info("could not read along: %s", error)

    def _prompt(self, conversation: Conversation, tools: ToolPrompt) -> list[ChatMessage]:
        return prefix(
            self._persona,
            conversation.base_memory,
            conversation.memory.messages(),
            earlier=conversation.earlier,
            tools=tools.messages,
        )

    async def _load(self, conversation_key: ConversationKey) -> None:
        conversation = self._conversations.get(conversation_key)
        async with conversation.lock:
            await self._memory.refresh()
            await reload(conversation, self._memory, self._settings.conversation.max_messages)
            conversation.base_memory = await self._memory.base_memory(conversation_key.user)

    async def _while_nobody_talks(
        self, read: Callable[[], Awaitable[None]], quiet_s: Callable[[], float] = at_once
    ) -> None:
        """Begin again after each turn that comes in between, once it has been quiet for so long."""
        while True:
            try:
                await self._priority.background(read, quiet_s)
            except PreemptedError:
                continue
            except EngineError as error:
                log.info("could not read a prompt ahead: %s", error)
            return
