"""The ordinary turn: recalls memories, builds the prompt, lets the chat model reply.

A caller that keeps the conversation itself (OpenAI clients) hands over its history and wishes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import datetime

from lobug.conversation.prompt import Persona, estimate_tokens, needs_time, prefix, user_message
from lobug.conversation.registry import (
    IGNORED_REPLY,
    INTERRUPTED,
    Conversation,
    Exchange,
    WorkingMemory,
    load_working_memory,
)
from lobug.engines.base import ABSENT_TOOLS, ChatMessage, ChatModel, ToolBox
from lobug.errors import StorageError, TextTooLongError
from lobug.language.claims import Heard as Claims
from lobug.language.en import citing
from lobug.language.en.citing import Source, citation, without_request
from lobug.language.en.questions import analyse
from lobug.memory.model import MemoryContext, Recalled, scope_of
from lobug.memory.service import Memory
from lobug.settings import ChatSettings, ConversationSettings, Settings
from lobug.settings.time_zones import time_in_zone
from lobug.skills.mcp_servers import JoinedTools
from lobug.turn.commitment import LiveOptions
from lobug.turn.events import Action, Heard, Piece, ReplyDelta, TurnEvent
from lobug.turn.memory_tool import MemoryTool
from lobug.turn.prefetch import waking_notice
from lobug.turn.reply import Prompt, Reply, write_reply
from lobug.turn.timeline import Timeline
from lobug.turn.tool_use import OwnTool, ToolUse, include_tools_if_needed


@dataclass(frozen=True, slots=True)
class CallerContext:
    """A caller's history and wishes for one turn. Nothing of them is stored."""

    history: Sequence[Exchange] = ()
    """The earlier exchanges as the caller sent them; empty: it sent none."""
    instruction: str = ""
    """How to answer; it follows the personality in the prompt."""
    max_tokens: int | None = None
    """Longest reply, tokens, at most that of the settings; None: that of the settings."""
    temperature: float | None = None
    """None: that of the settings."""
    cite: bool = False
    """Whether the reply is to end with where it is known from."""

    def conversation(self, real: Conversation, settings: ConversationSettings) -> Conversation:
        """The conversation that this turn's prompt is made of: the real one if its history ends
        like the caller's, else a temporary copy with the caller's history."""
        if not self.history or is_end_of(self.history, real.memory.exchanges()):
            return real
        memory = WorkingMemory(settings.max_messages, settings.trim_block)
        memory.load(self.history)
        return replace(real, memory=memory, earlier="")

    def persona(self, real: Persona) -> Persona:
        """The personality followed by the instruction."""
        if not self.instruction:
            return real
        return replace(real, text=f"{real.text}\n\n[Instruction]\n{self.instruction}")

    def settings(self, real: ChatSettings) -> ChatSettings:
        """The settings with the caller's limit and temperature."""
        tokens = real.max_tokens if self.max_tokens is None else self.max_tokens
        temperature = real.temperature if self.temperature is None else self.temperature
        changed = {"max_tokens": min(tokens, real.max_tokens), "temperature": temperature}
        return real.model_copy(update=changed)


def is_end_of(sent: Sequence[Exchange], held: Sequence[Exchange]) -> bool:
    """Whether both histories end alike, as far back as both go. Pure.

    The held one has notes before the user's words; white space does not count. A sent history and
    an empty held one are not alike.
    """
    if not held:
        return not sent
    pairs = zip(reversed(sent), reversed(held), strict=False)
    return all(
        _words(theirs.assistant.content) == _words(ours.assistant.content)
        and _same_user(theirs.user.content, ours.user.content)
        for theirs, ours in pairs
    )


def _same_user(sent: str, held: str) -> bool:
    sent = sent.strip()
    # The caller has a recording of spoken words, not their text.
    return not sent or _words(sent) == _words(held) or held.endswith(f"\n\n{sent}")


def _words(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class ModelStages:
    """What all model turns of a server share."""

    settings: Settings
    chat: ChatModel
    memory: Memory
    persona: Persona
    clock: Callable[[], float]
    """Seconds; sensor readings expire by it."""
    tools: ToolBox
    """The tools of the servers that the owner configured."""
    wall: Callable[[], float]
    """Seconds since the epoch, for date and time in the prompt."""

    def now(self) -> datetime:
        """Date and time where the user is."""
        return time_in_zone(self.wall(), self.settings.conversation.time_zone)


class ModelTurn:
    """Runs one reply of the chat model. ``CommandTurn`` has the same stages."""

    def __init__(
        self,
        shared: ModelStages,
        conversation: Conversation,
        heard: Heard,
        timeline: Timeline,
        caller: CallerContext,
        live: LiveOptions | None,
        *,
        must_answer: bool,
        clause_first: bool,
        claimed: Claims | None = None,
        ordered: bool = False,
    ) -> None:
        """``must_answer``, ``clause_first`` and ``ordered`` as of ``write_reply``; ``claimed``:
        what the rules read in the words, if that is known."""
        self.reply = Reply()
        self._shared = shared
        self._memory = shared.memory
        self._conversation = conversation
        self._prompted = conversation
        """What the prompt is made of: the conversation, or the history that the caller sent."""
        self._heard = heard
        self._claimed = claimed
        self._words, asked = without_request(heard.text)
        """The words without the request to cite: a model that reads it invents sources."""
        self._cites = asked or caller.cite
        self._citation = ""
        """What was added to the reply."""
        self._timeline = timeline
        self._caller = caller
        self._live = live
        self._must_answer = must_answer
        self._clause_first = clause_first
        self._ordered = ordered
        self._learned = claimed is not None and bool(claimed.claims)
        self._settings = caller.settings(shared.settings.chat)
        self._message_id: int | None = None
        """Of the logged words; None until they are logged."""
        self._logging = asyncio.Lock()
        """The commitment and the model's own tool may log the words at the same time."""
        self._context: MemoryContext | None = None
        self._prompt: Prompt | None = None
        self._prepared = asyncio.Event()
        """Set when ``prepare`` has ended, also by an error."""

    @property
    def message_id(self) -> int | None:
        """Id of the logged words; None: they are not logged yet."""
        return self._message_id

    async def prepare(self) -> None:
        """Recall memories and build the prompt. The words are logged first if the turn counts.

        Raises StorageError, EngineError, and TextTooLongError for words that fit no window.
        """
        try:
            await self._recall()
        finally:
            self._prepared.set()
        self._timeline.mark("recall")

    async def commit(self) -> None:
        """The turn counts: log the words, after ``prepare``, before anybody hears of a reply."""
        await self._prepared.wait()
        if self._message_id is None:
            message_id = await self.log_words()
            if self._context is not None:
                self._memory.note_search(message_id, self._context)

    async def events(self) -> AsyncGenerator[TurnEvent]:
        """Yield the reply's events as the model writes. Raises EngineError,
        ContextOverflowError."""
        assert self._prompt is not None  # noqa: S101 - for the type checker
        notice = waking_notice(self._shared.chat, self._prompt.lane)
        if notice is not None:
            yield notice
        written = write_reply(
            self._shared.chat,
            self._prompted,
            self._prompt,
            self.reply,
            settings=self._settings,
            timeline=self._timeline,
            must_answer=self._must_answer,
            clause_first=self._clause_first,
            tools=self._tools(),
            said=self._heard.text,
            ordered=self._ordered,
            learned=self._learned,
        )
        async with aclosing(written):
            async for event in written:
                yield event
        if self._cites and self._context is not None and self.reply.action is Action.RESPOND:
            for event in self._cite(self._context):
                yield event

    def _cite(self, context: MemoryContext) -> Iterator[TurnEvent]:
        """Add the sentence that says where the reply is known from, if memory has part in it."""
        known = [source_of(recalled) for recalled in context.recalled]
        known += [
            Source("identity", line)
            for line in context.base_memory.splitlines()
            if not line.startswith("#")
        ]
        sentence = citation(self.reply.text, self._words, known, context.read_at)
        if sentence:
            index = len(self.reply.pieces)
            self.reply.pieces.append(sentence)
            self._citation = sentence
            yield ReplyDelta(f" {sentence}")
            yield Piece(index, sentence)

    def release(self) -> None:
        """Drop the model's cache of this prompt if something was erased since it was made: the
        prompt may hold erased words, and the model has read it after the erasure."""
        if self._prompt is not None and self._prompt.lane != self._conversation.lane:
            self._shared.chat.forget(self._prompt.lane.__eq__)

    async def store(self, heard: str) -> None:
        """Write the reply to the log and to working memory. ``heard``: what the user got of it."""
        if self._prompt is None or self._message_id is None:
            return
        if self._citation:
            # In the prompts that follow the model would imitate it. The retrieval log knows it.
            heard = heard.replace(f" {self._citation}", "")
        conversation = self._conversation
        ignored = self.reply.action is Action.IGNORE
        # The same words in both: after a restart the model sees the conversation as it was.
        said = IGNORED_REPLY if ignored else heard
        if self.reply.action is Action.REACT:
            said = f"[REACT] {heard}".rstrip()
        await self._memory.log_reply(
            conversation.conversation_key,
            self._message_id,
            said,
            extract=not ignored,
            retract=ignored,
        )
        if ignored or said == INTERRUPTED:  # a model that reads the mark alone answers with it
            return
        exchange = Exchange(
            self._prompt.user,
            ChatMessage("assistant", said),
            frozenset(recalled.reference for recalled in self._prompt.recalled),
        )
        if conversation.memory.add(exchange):
            conversation.prefix_changed = True
            with suppress(StorageError):  # the turn is over, and in the log
                conversation.earlier = await self._memory.session_summary(
                    conversation.conversation_key
                )

    async def _recall(self) -> None:
        conversation, settings = self._conversation, self._shared.settings
        text = self._words
        if self._live is None or self._live.commitment.made:
            await self.log_words()
        await self._memory.refresh()
        lane = conversation.lane  # taken first: what is erased from here on may be in the prompt
        await load_working_memory(conversation, self._memory, settings.conversation.max_messages)
        self._context = await self._memory.retrieve_context(
            conversation.conversation_key, text, message_id=self._message_id
        )
        include_tools_if_needed(conversation, text)
        self._prompted = self._caller.conversation(conversation, settings.conversation)
        self._prompt = await build_prompt(
            self._prompted,
            text,
            self._context,
            persona=self._caller.persona(self._shared.persona),
            memory=self._memory,
            chat=self._shared.chat,
            settings=self._settings,
            now=self._shared.clock(),
            today=self._shared.now(),
            lane=lane,
        )

    async def log_words(self) -> int:
        """Log the words, unless that is done. Returns the message's id."""
        async with self._logging:
            if self._message_id is None:
                self._message_id = await self._memory.log_user_message(
                    self._conversation.conversation_key, self._heard.text, heard=self._claimed
                )
            return self._message_id

    def _tools(self) -> ToolUse | None:
        """What the turn may do with tools; None: its prompt tells of none."""
        prompt = self._conversation.tools
        own: dict[str, OwnTool] = {}
        if self._shared.settings.memory.lets_model_store:
            household = self._shared.settings.memory.household
            scope = scope_of(self._conversation.conversation_key, household)
            own[MemoryTool.name] = MemoryTool(self._memory, scope, self._words, self.log_words).call
        if not prompt.messages and not own:
            return None
        rounds = self._shared.settings.chat.max_tool_rounds
        if self._live is None:  # the prompt tells of the tools, so the model may call them
            return ToolUse(self._shared.tools, prompt, self._heard.text, _at_once, rounds, own=own)
        box = JoinedTools(self._live.tools or ABSENT_TOOLS, self._shared.tools)
        allowed = self._live.commitment.wait
        return ToolUse(box, prompt, self._heard.text, allowed, rounds, own=own)


def source_of(recalled: Recalled) -> Source:
    """Where a memory in the prompt is from. Pure."""
    kind: citing.Kind = "told"
    if recalled.role == "assistant":
        kind = "said"
    elif recalled.category == "timeline":
        kind = "notes"
    elif recalled.source == "import":
        kind = "import"
    elif recalled.source == "agent":
        kind = "agent"
    return Source(kind, recalled.content, recalled.said_at)


async def _at_once() -> None:
    """The turn counts already."""


def needs_background(conversation: Conversation, text: str) -> bool:
    """Whether a turn's prompt holds base memory and task. Pure.

    A greeting at the beginning of a conversation is answered without them unless the model has read
    them already: they would cost it one to four seconds. The model reads them after the reply.
    """
    unread = conversation.prefix_changed and not len(conversation.memory)
    return not (unread and analyse(text).small_talk)


async def build_prompt(
    conversation: Conversation,
    text: str,
    context: MemoryContext,
    *,
    persona: Persona,
    memory: Memory,
    chat: ChatModel,
    settings: ChatSettings,
    now: float,
    today: datetime | None = None,
    lane: str,
) -> Prompt:
    """What the model is asked in one turn, within its window.

    The oldest history is dropped, block by block, until the rest fits. Raises TextTooLongError for
    words that do not fit without any history.

    Args:
        conversation: whose turn it is; takes base memory and task, and loses the dropped history.
        text: the user's words.
        context: what memory recalled for them.
        persona: the beginning of the prompt.
        memory: sums up the history that was dropped.
        chat: the model; its window counts.
        settings: of the chat model; the longest reply has to fit too.
        now: seconds of the turns' clock.
        today: date and time for the model, which is told them where it ``needs_time``; None: it is
            never told.
        lane: the model's cache that the prompt belongs to.
    """
    conversation.base_memory, conversation.task = context.base_memory, context.task
    remembering = needs_background(conversation, text)
    sensors = conversation.sensors.summary(now)
    if today is not None and not needs_time(text, conversation.memory.messages(), today):
        today = None
    budget = chat.context_tokens - settings.max_tokens
    alone = prefix(
        persona,
        context.base_memory,
        task=context.task,
        tools=conversation.tools.messages,
        turn=[user_message(text, context.recalled, sensors, today)],
    )
    if estimate_tokens(alone) > budget:
        raise TextTooLongError("the text does not fit the chat model's context window")
    while True:
        # Memories that the history carries are repeated only when the user asks for them.
        carried = frozenset[str]() if context.asked_for else conversation.memory.visible()
        recalled = tuple(m for m in context.recalled if m.reference not in carried)
        user = user_message(text, recalled, sensors, today)
        messages = conversation.prefix(persona, turn=[user], remembering=remembering)
        if estimate_tokens(messages) <= budget:
            return Prompt(persona, messages, user, recalled, lane)
        if len(conversation.memory):
            conversation.memory.drop_block()
            conversation.earlier = await memory.session_summary(conversation.conversation_key)
        else:
            conversation.earlier = ""  # the prompt fits without it, as checked above
        conversation.prefix_changed = True
