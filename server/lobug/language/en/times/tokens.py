"""A sentence as tokens: words in small letters, runs of digits and signs. English. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lobug.language.en.times.vocabulary import ALARM_WORDS, OTHER_SCALES

_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+(?:'[^\W\d_]+)*|[½¼¾]|[^\w\s]")
_PADDING = ("",) * 12
"""Readers look no further ahead than this."""


@dataclass(slots=True)
class Tokens:
    """The tokens of a text. Indexing beyond the end gives "". A hyphen between letters is none."""

    text: str
    bare: bool = False
    """Whether numbers are times without any other sign."""
    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    glued: list[bool] = field(default_factory=list)
    """Whether nothing stands between a token and the one before."""
    about_alarms: bool = False
    other_scale: bool = False
    """Whether the sentence is about alarms, or about degrees and the like."""

    def __post_init__(self) -> None:
        end = -1
        for match in _TOKEN.finditer(self.text.replace("\u2019", "'")):
            self.words.append(match[0].lower())
            self.starts.append(match.start())
            self.ends.append(match.end())
            self.glued.append(match.start() == end)
            end = match.end()
        self._drop_hyphens()
        seen = set(self.words)
        self.about_alarms = not seen.isdisjoint(ALARM_WORDS)
        # "Remind me at five to check the oven" means an hour all the same.
        self.other_scale = not self.about_alarms and not seen.isdisjoint(OTHER_SCALES)
        self.words.extend(_PADDING)
        self.glued.extend(False for _ in _PADDING)

    def _drop_hyphens(self) -> None:
        words, glued = self.words, self.glued
        if "-" not in words:
            return
        last = len(words) - 1
        kept = [
            at
            for at, word in enumerate(words)
            if not (
                word == "-"
                and 0 < at < last
                and glued[at]
                and glued[at + 1]
                and (words[at + 1][0].isalpha() and words[at - 1][-1].isalnum())
            )
        ]
        self.words = [words[at] for at in kept]
        self.starts = [self.starts[at] for at in kept]
        self.ends = [self.ends[at] for at in kept]
        self.glued = [glued[at] for at in kept]

    def __getitem__(self, at: int) -> str:
        return self.words[at]

    def __len__(self) -> int:
        return len(self.starts)

    def before(self, at: int) -> str:
        """The token before one; "" at the beginning."""
        return self.words[at - 1] if at > 0 else ""

    def phrase(self, at: int, words: tuple[str, ...]) -> bool:
        """Whether these words stand there."""
        return self.words[at] == words[0] and tuple(self.words[at : at + len(words)]) == words

    def ends_at(self, at: int) -> bool:
        """Whether nothing or a sign follows."""
        return not self.words[at] or not self.words[at][0].isalnum()
