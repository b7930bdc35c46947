"""The reply stage: lets the chat model write, and yields what may be shown and spoken."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from lobug.conversation.prompt import Persona, prefix
from lobug.conversation.registry import Conversation
from lobug.engines.base import ChatMessage, ChatModel, ChatOptions
from lobug.errors import ContextOverflowError, EngineInterruptedError
from lobug.language.en.replies import NO_WORDS
from lobug.memory.model import Recalled
from lobug.settings import ChatSettings
from lobug.turn.events import Action, Ignored, Piece, ReplyDelta, TurnEvent
from lobug.turn.reply.parser import Part, ReplyParser
from lobug.turn.reply.tool_use import ToolUse, write_with_tools
from lobug.turn.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt of one turn."""

    persona: Persona
    messages: list[ChatMessage]
    """The whole prompt."""
    user: ChatMessage
    """Its last message: the user's words and this turn's notes."""
    recalled: tuple[Recalled, ...]
    """The memories in the notes."""
    lane: str
    """``Conversation.lane`` as it was before memory was read for the prompt."""


@dataclass(slots=True)
class Reply:
    """The reply as far as it has been written."""

    action: Action = Action.RESPOND
    pieces: list[str] = field(default_factory=list)
    """Sentences, or clauses of them."""
    sentences: int = 0
    """Number of whole sentences."""
    truncated: bool = False
    """The model was cut off by its token limit."""

    @property
    def text(self) -> str:
        """The whole reply so far."""
        return " ".join(self.pieces)


async def write_reply(
    chat: ChatModel,
    conversation: Conversation,
    prompt: Prompt,
    reply: Reply,
    *,
    settings: ChatSettings,
    timeline: Timeline,
    must_answer: bool,
    clause_first: bool = False,
    tools: ToolUse | None = None,
) -> AsyncGenerator[TurnEvent]:
    """Let the model write; yield the reply's events and fill ``reply``.

    Args:
        chat: the model.
        conversation: whose turn it is.
        prompt: the turn's prompt.
        reply: takes the reply as it is written.
        settings: of the chat model.
        timeline: takes the stage times.
        must_answer: the model may not ignore the words.
        clause_first: a piece may be a clause, which can be heard sooner; False: whole sentences.
        tools: what the model may do with the device's tools; None: nothing.

    Raises EngineError, ContextOverflowError.
    """
    options = ChatOptions(
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        lane=prompt.lane,
        timeout_s=settings.timeout_s,
    )
    parser = ReplyParser(clause_first=clause_first)
    tokens = 0

    def events(parts: Iterable[Part]) -> Iterator[TurnEvent]:
        ready = list(parts)  # the parser decides on the action while it is consumed
        reply.action = parser.action
        return _events(reply, ready, settings.max_sentences)

    def write(turn: Sequence[ChatMessage], schema: Mapping[str, Any] | None) -> AsyncGenerator[str]:
        chosen = options if schema is None else replace(options, json_schema=schema, temperature=0)
        return _write(chat, conversation, prompt, turn, chosen)

    async with aclosing(write_with_tools(write, prompt.user, tools)) as stream:
        async for token in stream:
            timeline.mark("first_token")
            tokens += 1
            for event in events(parser.feed(token)):
                yield event
            if reply.sentences >= settings.max_sentences or parser.action is Action.IGNORE:
                break
    if reply.sentences < settings.max_sentences:
        # One piece is one token: this many mean that the limit cut the reply off.
        reply.truncated = tokens >= settings.max_tokens
        for event in events(parser.flush(truncated=reply.truncated and reply.sentences > 0)):
            yield event
    timeline.mark("reply")
    if must_answer and not reply.pieces and reply.action is not Action.RESPOND:
        reply.action = Action.RESPOND
        for event in _events(reply, [Part(NO_WORDS, ends=True)], settings.max_sentences):
            yield event
    elif reply.action is Action.IGNORE:
        yield Ignored("model")
    elif reply.action is Action.RESPOND and not reply.pieces:
        raise EngineInterruptedError("chat", "the model wrote nothing that can be shown")


async def _write(
    chat: ChatModel,
    conversation: Conversation,
    prompt: Prompt,
    turn: Sequence[ChatMessage],
    options: ChatOptions,
) -> AsyncGenerator[str]:
    """Stream what the model writes after the prompt's history and ``turn``, this turn's messages.

    When the prompt does not fit the window after all, because its tokens were estimated too low,
    the oldest history is dropped. Raises ContextOverflowError for words that do not fit without any
    history; the history is then kept.
    """
    messages = [*prompt.messages[:-1], *turn]
    history = conversation.memory.exchanges()
    written = False
    while True:
        try:
            async with aclosing(chat.stream(messages, options)) as stream:
                async for piece in stream:
                    written = True
                    yield piece
        except ContextOverflowError:
            if written or not len(conversation.memory):
                conversation.memory.load(history)
                raise
            conversation.memory.drop_block()
            conversation.prefix_changed = True
            kept = conversation.memory.messages()
            before = prefix(
                prompt.persona,
                conversation.base_memory,
                kept,
                earlier=conversation.earlier,
                tools=conversation.tools.messages,
            )
            messages = [*before, *turn]
        else:
            return


def _events(reply: Reply, parts: Iterable[Part], max_sentences: int) -> Iterator[TurnEvent]:
    for part in parts:
        if reply.sentences >= max_sentences:
            return
        index = len(reply.pieces)
        reply.pieces.append(part.text)
        reply.sentences += part.ends
        yield ReplyDelta(part.text if index == 0 else f" {part.text}")
        if reply.action is Action.RESPOND:  # a reaction is shown, not spoken
            yield Piece(index, part.text)
