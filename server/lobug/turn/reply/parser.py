"""Cleans what the model writes for display and speech. Pure: text in, text out.

A model's raw text can hold a thinking part, an action prefix as in the first Lo-Bug (``[IGNORE]``,
``[REACT]``), its own name as a speaker label, markup and tool JSON. ``ReplyParser`` takes the raw
tokens and gives clean sentences, or clauses where they are to be spoken early.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lobug.language.en.perspective import is_unchanged, reply_to_the_user
from lobug.language.en.segmentation import SentenceSplitter, clause_end
from lobug.language.en.speakable import speakable
from lobug.turn.events import Action

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


@dataclass(frozen=True, slots=True)
class Part:
    """A clean part of a reply. All parts joined by spaces are its text."""

    text: str
    """Never empty."""
    ends: bool
    """Whether its sentence ends with it; False: more of the sentence follows."""


class ReplyParser:
    """Takes a reply token by token; gives its action and its clean text.

    ``action`` is final once ``decided`` is true. After ``[IGNORE]`` no text follows.

    Args:
        clause_first: give the beginning of a sentence as soon as a speaker would pause after it,
            so that it is spoken while the model writes the rest; False: whole sentences only. The
            text is the same either way.
    """

    def __init__(self, *, clause_first: bool = False) -> None:
        self.action = Action.RESPOND
        self.decided = False
        self._thinking = ThinkingStripper()
        self._sentences = SentenceSplitter()
        self._clause_first = clause_first
        self._head = ""
        self._in_prefix = True
        self._given = 0
        """Characters of the unfinished sentence that were given already."""
        self._total = 0
        """Characters of all parts so far."""

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
        clean = _clean(sentence)
        if self._given:
            given = sentence[: self._given]
            # Hostile text can remove its own beginning ("... </tool_call>") after it was given.
            is_rest = clean.startswith(given)
            clean = clean[self._given :] if is_rest else _clean(sentence[self._given :])
        self._given = 0
        clean = clean.strip()
        if clean:
            yield self._part(clean, ends=True)

    def _clauses(self, sentence: str, *, final: bool) -> Iterator[Part]:
        """The clauses of a sentence, or of its beginning, that can be given now."""
        if not self._clause_first or self.action is not Action.RESPOND:
            return
        while True:
            start = self._given + (self._given > 0)
            end = clause_end(sentence, start, _shortest(self._total), final=final)
            if end is None or not _is_fixed(sentence[:end]):
                return
            self._given = end
            yield self._part(sentence[start:end], ends=False)

    def _part(self, text: str, *, ends: bool) -> Part:
        self._total += len(text)
        return Part(text, ends)


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
