"""The deeds corpus: orders and other sentences, and what must be true after each.

A sentence is ``within`` the skills, ``beyond`` them, or ``talk``, which asks for no deed. Reading
is pure but for ``read`` and ``load_sets``. Whatever is no such file raises DeedsError.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

DeedsSet = Literal["ours", "other", "strangers"]
FILES: Final[Mapping[DeedsSet, str]] = {
    "ours": "ours.toml",
    "other": "other-hands.toml",
    "strangers": "strangers.toml",
}
"""In ``data/deeds``. The other two sets were written by people who had seen none of the sentences
that lead to skills, and nothing is ever tuned on them."""

DeedsScope = Literal["within", "beyond", "talk"]

MAX_BYTES = 2_000_000
"""Largest file that is read."""


class DeedsError(Exception):
    """A file is no deeds corpus."""


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from None
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExpectedAlert(_Part):
    """An alert that must be pending afterwards."""

    kind: Literal["timer", "alarm", "reminder"] | None = None
    in_s: float | None = Field(None, description="Seconds from now.")
    at: str | None = Field(None, pattern=r"^\d\d:\d\d$", description="Wall time.")
    day: str | None = Field(None, description="today, tomorrow, next, a weekday, or a date.")
    repeats: str | None = Field(None, description="daily, weekdays, weekly, or days: MO,TH.")
    label: Pattern | None = Field(None, description="Must be found in its name.")


class ExpectedList(_Part):
    """What a list must hold afterwards."""

    name: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


class Expected(_Part):
    """What must be true after an order within the skills."""

    alert: ExpectedAlert | None = None
    alerts: int | None = Field(None, description="Number of pending alerts.")
    list: ExpectedList | None = None
    note: Pattern | None = Field(None, description="Must be found in a note.")
    says: Pattern | None = Field(None, description="Must be found in the reply.")


class Sentence(_Part):
    """One sentence of the corpus."""

    id: str
    text: str
    scope: DeedsScope
    skill: str | None = None
    before: tuple[str, ...] = Field((), description="What is said before it.")
    expect: Expected = Field(default_factory=Expected)


class _Corpus(_Part):
    sentence: tuple[Sentence, ...]


def read(path: Path) -> list[Sentence]:
    """The sentences of a file. Raises DeedsError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DeedsError(f"{path} is larger than {MAX_BYTES} bytes")
        return parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise DeedsError(f"{path} cannot be read: {error}") from error


def parse(text: str, name: str) -> list[Sentence]:
    """The sentences of a file's text. Raises DeedsError."""
    try:
        found = list(_Corpus.model_validate(tomllib.loads(text)).sentence)
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise DeedsError(f"{name}: {error}") from error
    if len({sentence.id for sentence in found}) < len(found):
        raise DeedsError(f"{name}: an id stands there twice")
    return found


@cache
def load_sets() -> Mapping[DeedsSet, Sequence[Sentence]]:
    """Lo-Bug's own corpus. Raises DeedsError."""
    folder = files("lobug.evaluation") / "data" / "deeds"
    return {
        which: parse((folder / name).read_text(encoding="utf-8"), name)
        for which, name in FILES.items()
    }


def sample(sentences: Sequence[Sentence], limit: int | None) -> list[Sentence]:
    """At most ``limit`` sentences, spread evenly over their order."""
    if limit is None or limit >= len(sentences):
        return list(sentences)
    return [sentences[place * len(sentences) // limit] for place in range(limit)]
