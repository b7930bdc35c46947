"""The reply stage: lets the chat model write, and yields what may be shown and spoken.

A model's raw text can hold a thinking part, an action prefix as in the first Lo-Bug (``[IGNORE]``,
``[REACT]``), its own name as a speaker label, markup and tool JSON. ``ReplyParser`` takes the raw
tokens and gives clean sentences, or clauses where they are to be spoken early.
"""

from __future__ import annotations

import math
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from lobug.conversation.prompt import Persona
from lobug.conversation.registry import Conversation
from lobug.engines.base import ChatMessage, ChatModel, ChatOptions
from lobug.errors import ContextOverflowError, EngineInterruptedError
from lobug.language.en.claimed_deeds import ClaimKind
from lobug.language.en.perspective import is_unchanged, reply_to_the_user
from lobug.language.en.replies import NO_WORDS
from lobug.language.en.segmentation import SentenceSplitter, clause_end
from lobug.language.en.speakable import speakable
from lobug.memory.model import Recalled
from lobug.settings import ChatSettings
from lobug.turn.events import Action, Ignored, Piece, ReplyDelta, TurnEvent
from lobug.turn.reply_guard import Part, ReplyGuard
from lobug.turn.timeline import Timeline
from lobug.turn.tool_use import ToolUse, write_with_tools

_THINK_OPEN = re.compile(r"<\s*(think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"<\s*/\s*(think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_LONGEST_TAG = 16
"""Characters; a ``<`` farther than that from the end of the text begins no tag."""

_WRAPPING = " \t\r\n*_~`\"'“”‘’«»#>-"
"""Characters that models put around a prefix: white space, markdown, quotes."""

_PREFIX = re.compile(
    r"^\[\s*(?:[*_`\"']+\s*)?(ignore|react)(?:\s*[:\-][^\]]*|\s*(?:[*_`\"']+\s*)?)\]", re.IGNORECASE
)
_BARE_PREFIX = re.compile(r"^(IGNORE|REACT)(?![A-Za-z])")
"""A prefix without brackets, as small models write it. Only in capitals: else it is a word."""

_LABEL = re.compile(r"^(?:lo-?bug|assistant|robot)\s*:\s*", re.IGNORECASE)
_HEADS = ("assistant: ", "lo-bug: ", "lobug: ", "robot: ", "ignore", "react.")
_LONGEST_HEAD = 48
"""Characters; a bracket that is not closed within them is ordinary text."""

_INTERRUPTED = re.compile(
    r"(?:(?<!\s)\s+)?(?:(?:…|\.\.\.)\s*)?(?:\[\s*interrupted\b[^\]\n]{0,40}(?:\]|\Z)|\(\s*interrupted\s*\))",
    re.IGNORECASE,
)
"""The mark of an interrupted reply in the prompt's history, which models imitate."""

_SHORTEST: tuple[tuple[float, int], ...] = ((1, 9), (40, 24), (120, 60), (math.inf, 120))
"""Fewest characters of a clause (second), up to a number of characters given before it (first). A
voice speaks about 15 characters a second; the model writes at least twice as fast on two cores."""

_PLAIN = re.compile(r"(?:[^\W_]|(?<=[^\W_])['\u2019](?=[^\W_])|[,;:.…—–$€£%°-]| (?! ))*")
"""Text in which no markup, quotation or bracket is open."""


class ThinkingStripper:
    """Removes thinking parts from a stream of text, also one that is never closed."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False

    def feed(self, text: str) -> str:
        """Take a token; return the text that is certainly outside of any thinking part."""
        self._held += text
        out: list[str] = []
        while True:
            pattern = _THINK_CLOSE if self._thinking else _THINK_OPEN
            match = pattern.search(self._held)
            if match is None:
                break
            if not self._thinking:
                out.append(self._held[: match.start()])
            self._held = self._held[match.end() :]
            self._thinking = not self._thinking
        tail = self._possible_tag()
        if not self._thinking:
            out.append(self._held[: len(self._held) - tail])
        self._held = self._held[len(self._held) - tail :]
        return "".join(out)

    def flush(self) -> str:
        """End of the stream: return what was held back."""
        held, self._held = self._held, ""
        return "" if self._thinking else held

    def _possible_tag(self) -> int:
        """Number of characters at the end that may begin a tag."""
        start = self._held.rfind("<")
        if start < 0 or ">" in self._held[start:] or len(self._held) - start > _LONGEST_TAG:
            return 0
        return len(self._held) - start


class ReplyParser:
    """Takes a reply token by token; gives its action and its clean text.

    ``action`` is final once ``decided`` is true. After ``[IGNORE]`` no text follows.

    Args:
        clause_first: give the beginning of a sentence as soon as a speaker would pause after it,
            so that it is spoken while the model writes the rest; False: whole sentences only. The
            text is the same either way.
        holds: whether nothing of a sentence may be given yet that begins so.
    """

    def __init__(
        self, *, clause_first: bool = False, holds: Callable[[str], bool] = lambda _: False
    ) -> None:
        self.action = Action.RESPOND
        self.decided = False
        self._thinking = ThinkingStripper()
        self._sentences = SentenceSplitter()
        self._clause_first = clause_first
        self._head = ""
        self._in_prefix = True
        self._holds = holds
        self._given = 0
        """Characters of the unfinished sentence that were given already."""
        self._total = 0
        """Characters of all parts so far."""

    @property
    def unfinished(self) -> str:
        """The beginning of the sentence that is being written."""
        return self._sentences.unfinished

    def feed(self, text: str) -> Iterator[Part]:
        """Take a token of the raw reply; yield the clean parts that it completes."""
        yield from self._pass_on(self._thinking.feed(text), last=False)

    def flush(self, *, truncated: bool = False) -> Iterator[Part]:
        """End the reply: yield what is left.

        Args:
            truncated: the model was cut off by its token limit; the rest, half a sentence, is
                dropped.
        """
        yield from self._pass_on(self._thinking.flush(), last=True)
        rest = self._sentences.flush()
        if not truncated:
            for sentence in rest:
                yield from self._whole(sentence)

    def _pass_on(self, text: str, *, last: bool) -> Iterator[Part]:
        if self._in_prefix:
            self._head += text
            decision = self._strip_head(last=last)
            if decision is None:
                return
            self._in_prefix = False
            self.decided = True
            text = decision
        if self.action is Action.IGNORE:
            return
        for sentence in self._sentences.feed(text):
            yield from self._whole(sentence)
        yield from self._clauses(self._sentences.unfinished, final=False)

    def _strip_head(self, *, last: bool) -> str | None:
        """The text after prefix and speaker label; None: more text is needed to tell."""
        bare = self._head.lstrip(_WRAPPING)
        if not bare and not last:
            return None
        match = _PREFIX.match(bare)
        if match is None and (last or len(bare) > len("IGNORE")):
            match = _BARE_PREFIX.match(bare)
        if match:
            self.action = Action(match[1].lower())
            return bare[match.end() :].lstrip(_WRAPPING + ":")
        undecided = bare.startswith("[") and "]" not in bare and len(bare) < _LONGEST_HEAD
        if undecided and not last:
            return None
        if not last and any(head.startswith(bare.lower()) for head in _HEADS):
            return None
        label = _LABEL.match(bare)
        return bare[label.end() :] if label else self._head.lstrip()

    def _whole(self, sentence: str) -> Iterator[Part]:
        """The part of a whole sentence that was not given yet."""
        yield from self._clauses(sentence, final=True)
        clean = whole = _clean(sentence)
        if self._given:
            given = sentence[: self._given]
            # Hostile text can remove its own beginning ("... </tool_call>") after it was given.
            is_rest = clean.startswith(given)
            clean = clean[self._given :] if is_rest else _clean(sentence[self._given :])
        self._given = 0
        clean = clean.strip()
        if clean:
            yield self._part(clean, whole.strip(), ends=True)

    def _clauses(self, sentence: str, *, final: bool) -> Iterator[Part]:
        """The clauses of a sentence, or of its beginning, that can be given now."""
        if not self._clause_first or self.action is not Action.RESPOND:
            return
        while True:
            start = self._given + (self._given > 0)
            end = clause_end(sentence, start, _shortest(self._total), final=final)
            if end is None or not _is_fixed(sentence[:end]) or self._holds(sentence):
                return
            self._given = end
            yield self._part(sentence[start:end], sentence[:end], ends=False)

    def _part(self, text: str, sentence: str, *, ends: bool) -> Part:
        self._total += len(text)
        return Part(text, ends, sentence)


def _clean(sentence: str) -> str:
    return reply_to_the_user(speakable(_INTERRUPTED.sub("", sentence)))


def _is_fixed(beginning: str) -> bool:
    """Whether these words stay the same in the clean sentence, however it continues."""
    return (
        _PLAIN.fullmatch(beginning) is not None
        and speakable(beginning) == beginning
        and is_unchanged(beginning)
    )


def _shortest(given: int) -> int:
    """Fewest characters of the next clause, after ``given`` characters of the reply. The first is
    short because the user waits for it; later ones only have to be ready in time for the voice."""
    return next(shortest for limit, shortest in _SHORTEST if given < limit)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt of one turn."""

    persona: Persona
    messages: list[ChatMessage]
    """The whole prompt."""
    user: ChatMessage
    """The user's words and this turn's notes: the last message, or its end where memory stands
    before the first words."""
    recalled: tuple[Recalled, ...]
    """The memories in the notes."""
    lane: str
    """``Conversation.lane`` as it was before memory was read for the prompt."""

    def with_turn(self, turn: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The prompt with other messages in place of its last one, of which the first is the
        user's. Memory that stands before the last one stands before them."""
        opening = self.messages[-1].content.removesuffix(self.user.content)
        first = ChatMessage(turn[0].role, opening + turn[0].content)
        return [*self.messages[:-1], first, *turn[1:]]


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
    replaced: ClaimKind | None = None
    """What an honest sentence stands for at its end; None: nothing."""
    dropped: ClaimKind | None = None
    """What was left out or replaced; None: nothing."""

    @property
    def text(self) -> str:
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
    said: str = "",
    ordered: bool = False,
    learned: bool = False,
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
        said: the user's words alone.
        ordered: they are known to order a deed.
        learned: they tell what memory keeps.

    Raises EngineError, ContextOverflowError.
    """
    options = ChatOptions(
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        lane=prompt.lane,
        timeout_s=settings.timeout_s,
    )
    writing = _Writing(
        reply,
        settings,
        _guard(said, tools, ordered=ordered, learned=learned),
        clause_first=clause_first,
    )

    def write(turn: Sequence[ChatMessage], schema: Mapping[str, Any] | None) -> AsyncGenerator[str]:
        chosen = options if schema is None else replace(options, json_schema=schema, temperature=0)
        return _write(chat, conversation, prompt, turn, chosen)

    async with aclosing(write_with_tools(write, prompt.user, tools)) as stream:
        async for token in stream:
            timeline.mark("first_token")
            for event in writing.take(token):
                yield event
            if writing.is_over:
                break
    for event in writing.end():
        yield event
    timeline.counts.replaced = reply.dropped or ""
    timeline.mark("reply")
    if must_answer and not reply.pieces and reply.action is not Action.RESPOND:
        reply.action = Action.RESPOND
        for event in _events(reply, [Part(NO_WORDS, True, NO_WORDS)], settings.max_sentences):
            yield event
    elif reply.action is Action.IGNORE:
        yield Ignored("model")
    elif reply.action is Action.RESPOND and not reply.pieces:
        raise EngineInterruptedError("chat", "the model wrote nothing that can be shown")


class _Writing:
    """Makes events of what the model writes, and fills a reply with it."""

    def __init__(
        self, reply: Reply, settings: ChatSettings, guard: ReplyGuard, *, clause_first: bool
    ) -> None:
        self._reply = reply
        self._settings = settings
        self._guard = guard
        self._parser = ReplyParser(clause_first=clause_first, holds=guard.holds)
        self._tokens = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing that the model still writes is wanted."""
        return self._has_enough or self._parser.action is Action.IGNORE

    @property
    def _has_enough(self) -> bool:
        reply = self._reply
        return reply.sentences >= self._settings.max_sentences or reply.replaced is not None

    def take(self, token: str) -> Iterator[TurnEvent]:
        """Yield the events that a token of the raw reply completes."""
        self._tokens += 1
        yield from self._events(self._parser.feed(token))
        if self._guard.releases(self._parser.unfinished):
            yield from _events(self._reply, self._guard.rest(), self._settings.max_sentences)

    def end(self) -> Iterator[TurnEvent]:
        """Yield the events of what is left when the model has ended."""
        if self._has_enough:
            return
        # One piece is one token: this many mean that the limit cut the reply off.
        truncated = self._tokens >= self._settings.max_tokens
        self._reply.truncated = truncated
        dropped = truncated and self._reply.sentences > 0
        yield from self._events(self._parser.flush(truncated=dropped))
        yield from _events(self._reply, self._guard.end(), self._settings.max_sentences)

    def _events(self, parts: Iterable[Part]) -> Iterator[TurnEvent]:
        ready = list(parts)  # the parser decides on the action while it is consumed
        self._reply.action = self._parser.action
        if self._reply.action is Action.RESPOND:
            ready = list(self._guard.check(ready))
            self._reply.replaced = self._guard.replaced
            self._reply.dropped = self._guard.dropped
        return _events(self._reply, ready, self._settings.max_sentences)


def _guard(said: str, tools: ToolUse | None, *, ordered: bool, learned: bool) -> ReplyGuard:
    """The guard of a reply to the user's words."""
    if tools is None:
        return ReplyGuard(said, ordered=ordered, learned=learned)
    return ReplyGuard(
        said,
        may_do=tools.prompt.may_concern(said),
        has_done=lambda: tools.has_done,
        ordered=ordered,
        learned=learned,
    )


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
    messages = prompt.with_turn(turn)
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
            messages = conversation.prefix(prompt.persona, turn=turn)
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
