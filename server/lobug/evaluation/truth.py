"""The truth scenarios: short conversations, and what Lo-Bug must say, believe and have forgotten.

A *scenario* is a list of steps: somebody says something (``Say``), background work catches up
(``Settle``), or what memory holds is looked at (``Check``). Expectations are regular expressions,
searched without regard to case. ``{name}`` in a pattern stands for a named one of
``data/truth-patterns.toml`` or of the file's own table ``patterns``.

Reading is pure but for ``read``, ``load_scenarios`` and ``load_sets``. Whatever is no such file
raises TruthError.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationError,
    ValidationInfo,
    model_validator,
)

TruthKind = Literal["tell", "change", "correct", "forget", "ask", "recite", "summary"]
KINDS: Final[tuple[TruthKind, ...]] = get_args(TruthKind)

TruthSet = Literal["ours", "other"]
FOLDERS: Final[Mapping[TruthSet, str]] = {"ours": "truth", "other": "truth-other-hands"}
"""Lo-Bug's own sets of scenarios, each a folder in ``data``. The other was written by people who
had not seen what reads the words, and nothing is ever tuned on it."""

Pace = Literal["settled", "burst"]
"""settled: background work catches up after everything that is said. burst: only where a step says
so."""

MAX_BYTES = 5_000_000
"""Largest file that is read; a thousand scenarios have about 500 kB."""

LONGEST_PATTERN = 500
"""Characters of a pattern in a file."""

SHORTEST_SECRET = 5
"""Characters: shorter words occur by chance among the random bytes of vectors."""

NAMED = re.compile(r"\{([a-z][a-z_]*)\}")
"""A named pattern within a pattern; a repetition such as ``{2,3}`` has digits."""

UNITS: Final[Mapping[str, float]] = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3_600.0,
    "day": 86_400.0,
}
DURATION = re.compile(r"(\d{1,4}) (second|minute|hour|day)s?")


class TruthError(ValueError):
    """A file holds no scenarios. The text is one sentence."""


def _duration(text: str) -> str:
    if not DURATION.fullmatch(text):
        raise ValueError(f"{text!r} is not a duration such as '2 days' or '20 minutes'")
    return text


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression that is searched in a text."""

    source: str
    """As the file has it, which reads better than the whole expression."""
    regex: re.Pattern[str]
    """With its named patterns filled in; case makes no difference."""


def _pattern(source: object, info: ValidationInfo) -> Pattern:
    if not isinstance(source, str) or not 0 < len(source) <= LONGEST_PATTERN:
        raise ValueError(f"a pattern is a text of at most {LONGEST_PATTERN} characters")
    names: Mapping[str, str] = (info.context or {}).get("patterns", {})

    def named(found: re.Match[str]) -> str:
        if found[1] not in names:
            raise ValueError(f"there is no pattern called {found[1]}")
        return names[found[1]]

    try:
        regex = re.compile(NAMED.sub(named, source), re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{source!r} is not a regular expression: {error}") from error
    if regex.search(""):
        raise ValueError(f"{source!r} matches the empty text")
    return Pattern(source, regex)


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)]
Duration = Annotated[str, AfterValidator(_duration)]
Patterns = Annotated[tuple[Annotated[Pattern, PlainValidator(_pattern)], ...], Field(max_length=20)]
Secret = Annotated[str, Field(min_length=SHORTEST_SECRET, max_length=100)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Step(_Strict):
    after: Duration | None = None
    """How much time passes before the step; None: hardly any."""

    @property
    def after_s(self) -> float:
        """Seconds that pass before the step."""
        if self.after is None:
            return 0.0
        number, unit = self.after.rstrip("s").split()
        return int(number) * UNITS[unit]


class Say(_Step):
    """Somebody says something, and Lo-Bug replies."""

    say: str = Field(min_length=1, max_length=5_000)
    who: Name | None = None
    """None: the scenario's person."""
    device: Name = "desk"
    if_asked: bool = False
    """Whether it is said only if the last reply to this person was a question, as the answer."""
    reply: Patterns = ()
    """Each must be found in the reply."""
    never: Patterns = ()
    """None may be found in the reply."""


class Settle(_Step):
    """Background work catches up."""

    settle: Literal[True]


class Check(_Step):
    """What memory holds of a person who has said something."""

    who: Name | None = None
    believes: Patterns = ()
    """For each there is an active entry."""
    disbelieves: Patterns = ()
    """For none there is an active entry."""
    past: Patterns = ()
    """For each there is an entry of what was so once."""
    never_past: Patterns = ()
    """For none there is one."""
    summary: Patterns = ()
    """For each there is a summary."""
    never_summary: Patterns = ()
    """For none there is a summary."""
    nothing_of: Patterns = ()
    """For none there is any text in the person's export."""
    no_bytes: tuple[Secret, ...] = ()
    """Words that occur in no file of the data folder, once background work has caught up."""

    @model_validator(mode="after")
    def _checks_something(self) -> Self:
        if not any(
            getattr(self, name) for name in type(self).model_fields if name not in {"after", "who"}
        ):
            raise ValueError("a check that checks nothing")
        return self


Step = Say | Settle | Check


def _step_kind(values: object) -> str | None:
    """Which step a table is, so that an error is about that one; None: it is no table."""
    if not isinstance(values, Mapping):
        return None
    return next((name for name in ("say", "settle") if name in values), "check")


_TaggedStep = Annotated[
    Annotated[Say, Tag("say")] | Annotated[Settle, Tag("settle")] | Annotated[Check, Tag("check")],
    Discriminator(_step_kind),
]


class Scenario(_Strict):
    """One conversation with its expectations."""

    id: Name
    kind: TruthKind
    who: Name = "ada"
    pace: Pace = "settled"
    model: bool = False
    """Whether the outcome depends on what the chat model writes."""
    steps: tuple[_TaggedStep, ...] = Field(min_length=1, max_length=200)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        spoken = set()
        for step in self.steps:
            if isinstance(step, Say):
                spoken.add(step.who or self.who)
            elif isinstance(step, Check) and (step.who or self.who) not in spoken:
                raise ValueError(f"{step.who or self.who} is checked and has said nothing")
        if not any(isinstance(s, Check) or (isinstance(s, Say) and (s.reply or s.never))
                   for s in self.steps):  # fmt: skip
            raise ValueError("it checks nothing")
        return self


class _TruthFile(_Strict):
    kind: TruthKind | None = None
    """Of scenarios that name none."""
    patterns: Mapping[Annotated[str, Field(pattern=r"^[a-z][a-z_]*$")], str] = Field(
        default_factory=dict
    )
    scenario: tuple[Mapping[str, object], ...] = Field(min_length=1)


@cache
def _own_patterns() -> Mapping[str, str]:
    text = files("lobug.evaluation").joinpath("data", "truth-patterns.toml").read_text("utf-8")
    return {name: str(pattern) for name, pattern in tomllib.loads(text).items()}


def parse_scenarios(text: str) -> list[Scenario]:
    """The scenarios of one file. Raises TruthError."""
    try:
        parsed = _TruthFile.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TruthError(f"it is not TOML: {error}") from error
    except ValidationError as error:
        raise TruthError(_first(error)) from error
    context = {"patterns": {**_own_patterns(), **parsed.patterns}}
    scenarios = []
    for number, table in enumerate(parsed.scenario, start=1):
        values = {"kind": parsed.kind, **table} if parsed.kind is not None else table
        try:
            scenarios.append(Scenario.model_validate(values, context=context))
        except ValidationError as error:
            name = table.get("id", f"scenario {number}")
            raise TruthError(f"{str(name)[:60]!r}: {_first(error)}") from error
    _require_distinct(scenarios)
    return scenarios


def read(path: Path) -> list[Scenario]:
    """The scenarios of a file. Raises TruthError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise TruthError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TruthError(f"{path} is not UTF-8") from error
    if len(content) > MAX_BYTES:
        raise TruthError(f"{path} is too large for a file of scenarios")
    try:
        return parse_scenarios(text)
    except TruthError as error:
        raise TruthError(f"{path} holds no scenarios: {error}") from error


def _texts(folder: str) -> Iterator[str]:
    paths = files("lobug.evaluation").joinpath("data", folder).iterdir()
    for path in sorted(paths, key=lambda path: path.name):
        if path.name.endswith(".toml"):
            yield path.read_text(encoding="utf-8")


def load_scenarios(which: TruthSet = "ours") -> list[Scenario]:
    """One of Lo-Bug's own sets of scenarios, in the order of the files. Raises TruthError."""
    texts = _texts(FOLDERS[which])
    scenarios = [scenario for text in texts for scenario in parse_scenarios(text)]
    _require_distinct(scenarios)
    return scenarios


def load_sets() -> dict[TruthSet, list[Scenario]]:
    """All of Lo-Bug's own sets; no two of their scenarios have the same id. Raises TruthError."""
    sets = {which: load_scenarios(which) for which in FOLDERS}
    _require_distinct([scenario for scenarios in sets.values() for scenario in scenarios])
    return sets


def _require_distinct(scenarios: Sequence[Scenario]) -> None:
    counted = Counter(scenario.id for scenario in scenarios)
    twice = [name for name, times in counted.items() if times > 1]
    if twice:
        raise TruthError(f"two scenarios are called {', '.join(twice)}")


def _first(error: ValidationError) -> str:
    """The first of the errors with its place; a misspelt name before what it leaves missing."""
    errors = error.errors(include_url=False, include_input=False)
    first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def sample(sets: Sequence[Sequence[Scenario]], limit: int | None) -> list[Scenario]:
    """At most ``limit`` scenarios: as many of each set and kind, spread evenly over each."""
    scenarios = [one for some in sets for one in some]
    if limit is None or limit >= len(scenarios):
        return scenarios
    groups = [[one for one in some if one.kind == kind] for kind in KINDS for some in sets]
    shares = [0] * len(groups)
    while sum(shares) < limit:
        not_used_up = (index for index, some in enumerate(groups) if shares[index] < len(some))
        shares[min(not_used_up, key=lambda index: shares[index])] += 1
    chosen = {
        some[index * len(some) // share].id
        for some, share in zip(groups, shares, strict=True)
        for index in range(share)
    }
    return [one for one in scenarios if one.id in chosen]
