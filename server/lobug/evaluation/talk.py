"""Openings of small talk, and what is wrong with a reply to one.

An *opening* is the first thing that somebody unknown says: a question of knowledge, small talk, a
statement, a fragment of a sentence, or noise that speech recognition took for a word. A reply is
judged by fixed rules, so that two personas can be compared. The *tuned* half of the openings may be
looked at while a persona is chosen; the *held* half was written before and may not.

Pure but for ``load_openings`` and ``load_rules``.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from lobug.evaluation.truth import Patterns
from lobug.evaluation.truth_judge import Reply
from lobug.language.en.speech_acts import sentences
from lobug.language.en.words import is_english, stems, words

Half = Literal["tuned", "held"]
HALVES: Final[tuple[Half, ...]] = get_args(Half)

OpeningKind = Literal["question", "chat", "statement", "fragment", "noise"]
KINDS: Final[tuple[OpeningKind, ...]] = get_args(OpeningKind)

Rule = Literal[
    "failed",
    "length",
    "answer",
    "parroting",
    "echo",
    "untold",
    "memory",
    "third_person",
    "language",
    "placeholder",
    "canned",
]
"""What can be wrong. failed: the turn ended with an error. answer: the question was not answered.
parroting: words of the persona's examples. echo: the user's own words about themselves, said as if
they were Lo-Bug's, or nothing but the user's words. untold: "you haven't told me" where nothing of
the kind was asked. memory: what nobody said."""
RULES: Final[tuple[Rule, ...]] = get_args(Rule)

MOST_SENTENCES = 3
MOST_WORDS = 50
"""Of a spoken reply; 50 take about 20 s to say."""

EXAMPLE_WORDS = 5
"""So many words in a row that are an example's have been copied from it."""
SENTENCE_WORDS = 3
"""A sentence that is an example's as a whole counts from so many words on."""
ECHO_WORDS = 4
"""So many words in a row of an opening about oneself have been copied from it."""
ENGLISH_FROM_WORDS = 6
"""Shorter replies may well have no common word."""

_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_FIRST_PERSON = frozenset({"i", "my", "we", "our", "me"})
_FOREIGN = re.compile(r"[^\W\d_\u0000-\u024f]")
"""A letter that is not Latin."""


class Opening(BaseModel):
    """What somebody says first, and what the reply may be."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    say: str = Field(min_length=1, max_length=300)
    kind: OpeningKind
    answer: Patterns = ()
    """Each must be found in the reply."""
    of_user: bool = False
    """Whether it asks about the person, of whom nothing is known: the reply has to admit that."""
    near: bool = False
    """Whether it asks what one of the persona's examples asks, so that its words may come back."""


class _TalkFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    half: Half
    opening: tuple[Opening, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The patterns of ``data/talk-rules.toml``."""

    not_known: re.Pattern[str]
    forbidden: Mapping[Rule, Sequence[re.Pattern[str]]]
    about_the_person: Sequence[re.Pattern[str]]
    """Group "what" is a word that the person must have said."""
    supposing: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a reply."""

    rule: Rule
    words: str
    """The words that are wrong, or the pattern that is missing."""


@dataclass(frozen=True, slots=True)
class Played:
    """An opening with its reply."""

    half: Half
    kind: OpeningKind
    said: str
    reply: Reply
    faults: tuple[Fault, ...]

    @property
    def passed(self) -> bool:
        return not self.faults


def _data(*path: str) -> str:
    return files("lobug.evaluation").joinpath("data", *path).read_text(encoding="utf-8")


@cache
def load_openings(half: Half) -> tuple[Opening, ...]:
    """The openings of a half."""
    return _TalkFile.model_validate(tomllib.loads(_data("talk", f"{half}.toml"))).opening


@cache
def load_rules() -> Rules:
    """The rules for English replies."""
    table = tomllib.loads(_data("talk-rules.toml"))
    person = table["about_the_person"]
    return Rules(
        not_known=_regex(table["not_known"]),
        forbidden={
            rule: [_regex(pattern) for pattern in table["rules"][rule]]
            for rule in RULES
            if rule in table["rules"]
        },
        about_the_person=[_regex(pattern) for pattern in person["statement"]],
        supposing=_regex(person["supposing"]),
    )


def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def judge(
    opening: Opening, reply: Reply, rules: Rules, examples: Sequence[str]
) -> tuple[Fault, ...]:
    """All that is wrong with a reply. ``examples``: the replies in the persona's examples."""
    if reply.error is not None:
        return (Fault("failed", reply.error),)
    text = " ".join(reply.text.translate(_STRAIGHT).split())
    parts = sentences(text)
    return (
        *_length(text, parts),
        *_unanswered(opening, text, rules),
        *_copied(opening, parts, examples),
        *_forbidden(opening, parts, rules),
        *_invented(opening, parts, rules),
        *_foreign(text),
    )


def _length(text: str, parts: Sequence[str]) -> Iterator[Fault]:
    count = len(text.split())
    if not words(text) or len(parts) > MOST_SENTENCES or count > MOST_WORDS:
        yield Fault("length", f"{len(parts)} sentences, {count} words")


def _unanswered(opening: Opening, text: str, rules: Rules) -> Iterator[Fault]:
    for pattern in opening.answer:
        if not pattern.regex.search(text):
            yield Fault("answer", pattern.source)
    if opening.of_user and not rules.not_known.search(text):
        yield Fault("answer", "does not admit that it is not known")


def _copied(opening: Opening, parts: Sequence[str], examples: Sequence[str]) -> Iterator[Fault]:
    """Words of the examples or of the opening."""
    said = _plain_words(opening.say)
    own = said if _FIRST_PERSON & set(said) else []
    copies = [] if opening.near or opening.of_user else [_plain_words(one) for one in examples]
    whole = {
        tuple(found)
        for one in examples
        for part in sentences(one)
        if len(found := _plain_words(part)) >= SENTENCE_WORDS and copies
    }
    for part in parts:
        found = _plain_words(part)
        if tuple(found) in whole or any(_share(found, one, EXAMPLE_WORDS) for one in copies):
            yield Fault("parroting", part)
        if _share(found, own, ECHO_WORDS, _FIRST_PERSON):
            yield Fault("echo", part)
    spoken = [word for part in parts for word in _plain_words(part)]
    if opening.kind in {"statement", "fragment"} and spoken and set(spoken) <= set(said):
        yield Fault("echo", " ".join(parts))


def _forbidden(opening: Opening, parts: Iterable[str], rules: Rules) -> Iterator[Fault]:
    for part in parts:
        for rule, patterns in rules.forbidden.items():
            if rule == "untold" and opening.of_user:
                continue
            if any(pattern.search(part) for pattern in patterns):
                yield Fault(rule, part)


def _invented(opening: Opening, parts: Iterable[str], rules: Rules) -> Iterator[Fault]:
    known = stems(words(opening.say))
    for part in parts:
        if rules.supposing.search(part):
            continue
        stated = (match for one in rules.about_the_person for match in one.finditer(part))
        if any(not stems(words(match["what"])) <= known for match in stated):
            yield Fault("memory", part)


def _foreign(text: str) -> Iterator[Fault]:
    letters = _FOREIGN.findall(text)
    if letters or (len(words(text)) >= ENGLISH_FROM_WORDS and not is_english(text)):
        yield Fault("language", "".join(letters) or text)


def _plain_words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.translate(_STRAIGHT).lower())


def _share(
    one: Sequence[str], other: Sequence[str], length: int, with_any: Iterable[str] = ()
) -> bool:
    """Whether two texts share ``length`` words in a row, with one of ``with_any`` among them."""
    needed = frozenset(with_any)
    runs = {tuple(other[at : at + length]) for at in range(len(other) - length + 1)}
    return any(
        run in runs and (not needed or needed & set(run))
        for run in (tuple(one[at : at + length]) for at in range(len(one) - length + 1))
    )


def figures(played: Sequence[Played]) -> dict[str, Any]:
    """How many openings were answered without a fault, and how many have each fault."""
    passed = sum(one.passed for one in played)
    counted = Counter(rule for one in played for rule in {fault.rule for fault in one.faults})
    return {
        "openings": len(played),
        "passed": passed,
        "share": round(passed / len(played), 4) if played else None,
        "faults": {rule: counted[rule] for rule in RULES if counted[rule]},
    }


def report(played: Sequence[Played]) -> dict[str, Any]:
    """``figures`` over all, by half and by kind, and each opening with its reply."""
    by_half = {half: [one for one in played if one.half == half] for half in HALVES}
    by_kind = {kind: [one for one in played if one.kind == kind] for kind in KINDS}
    return {
        **figures(played),
        "by_half": {half: figures(some) for half, some in by_half.items() if some},
        "by_kind": {kind: figures(some) for kind, some in by_kind.items() if some},
        "results": [{"passed": one.passed, **asdict(one)} for one in played],
    }
