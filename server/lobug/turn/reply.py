"""From what the model writes to what may be shown and spoken. Pure: text in, text out.

A model's raw text can hold a thinking part, an action prefix as in the first Lo-Bug (``[IGNORE]``,
``[REACT]``), its own name as a speaker label, markup and tool JSON. ``ReplyParser`` takes the raw
pieces as they come and gives whole clean sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lobug.turn.events import Action
from lobug.turn.speakable import SentenceSplitter, speakable

_THINK_OPEN = re.compile(r"<\s*(think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"<\s*/\s*(think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_LONGEST_TAG = 16
"""Characters; a ``<`` that far from the end of the text is no tag in the making."""

_WRAPPING = " \t\r\n*_~`\"'“”‘’«»#>-"
"""What models put around a prefix: white space, markdown, quotes."""

_PREFIX = re.compile(
    r"^\[\s*[*_`\"']*\s*(ignore|react)(?:\s*[:\-][^\]]*)?\s*[*_`\"']*\s*\]", re.IGNORECASE
)
_BARE_PREFIX = re.compile(r"^(IGNORE|REACT)(?![A-Za-z])")
"""Without its brackets, as small models write it; only in capitals, else it is a word."""

_LABEL = re.compile(r"^(?:lo-?bug|assistant|robot)\s*:\s*", re.IGNORECASE)
_HEADS = ("assistant: ", "lo-bug: ", "lobug: ", "robot: ", "ignore", "react.")
_LONGEST_HEAD = 48
"""Characters; an opening bracket that is not closed by then is ordinary text."""


class ThinkingStripper:
    """Removes thinking parts from a stream of text; a part that is never closed is removed too."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False

    def feed(self, text: str) -> str:
        """Take a piece; return what is certainly outside of any thinking part."""
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
        """How many characters at the end may be the beginning of a tag."""
        start = self._held.rfind("<")
        if start < 0 or ">" in self._held[start:] or len(self._held) - start > _LONGEST_TAG:
            return 0
        return len(self._held) - start


class ReplyParser:
    """Takes a reply piece by piece; gives its action and its clean sentences.

    ``action`` is final once ``decided`` is true. After ``[IGNORE]`` no sentence follows.
    """

    def __init__(self) -> None:
        self.action = Action.RESPOND
        self.decided = False
        self._thinking = ThinkingStripper()
        self._sentences = SentenceSplitter()
        self._head = ""
        self._in_prefix = True

    def feed(self, text: str) -> Iterator[str]:
        """Take a piece of the raw reply; yield the clean sentences that it completes."""
        yield from self._pass_on(self._thinking.feed(text), last=False)

    def flush(self, *, truncated: bool = False) -> Iterator[str]:
        """End of the reply: yield what is left.

        Args:
            truncated: the model was cut off by its token limit, so the rest is half a sentence,
                which is dropped.
        """
        yield from self._pass_on(self._thinking.flush(), last=True)
        rest = self._sentences.flush()
        if not truncated:
            yield from self._clean(rest)

    def _pass_on(self, text: str, *, last: bool) -> Iterator[str]:
        if self._in_prefix:
            self._head += text
            decision = self._strip_head(last=last)
            if decision is None:
                return
            self._in_prefix = False
            self.decided = True
            text = decision
        if self.action is not Action.IGNORE:
            yield from self._clean(self._sentences.feed(text))

    def _strip_head(self, *, last: bool) -> str | None:
        """What follows prefix and speaker label; None while it cannot be told yet."""
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

    @staticmethod
    def _clean(sentences: list[str]) -> Iterator[str]:
        for sentence in sentences:
            text = speakable(sentence)
            if text:
                yield text
