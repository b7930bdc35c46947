"""The recall cases: stories that people tell Lo-Bug over weeks, and questions about them.

A *case* is a handful of dated steps (somebody says something, a memory is stored, corrected or
forgotten) that happen within a *world*, forty and more ordinary turns of the same people, and
questions that say which of the steps are the evidence. ``data/cases`` holds a file for each
category, ``data/worlds`` one for each world. All of it was written for Lo-Bug.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lobug.memory.model import EntryScope, HouseholdGrant

CaseCategory = Literal[
    "update",
    "contradiction",
    "correction",
    "deletion",
    "when",
    "two_people",
    "speech_errors",
    "second_language",
    "unknown",
    "hostile",
    "multi_hop",
    "distractors",
]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Step(_Strict):
    at: datetime
    """Local time."""
    id: Name | None = None
    """Name of the step for questions; unique in the case."""
    who: Name | None = None
    """Who acts; None: the case's person."""
    device: Name = "desk"


class Say(_Step):
    """Somebody says something, and Lo-Bug replies."""

    say: str = Field(min_length=1)
    reply: str | None = None
    """None: one of the world's stock replies."""
    repeat: int = Field(1, ge=1)
    """How often the words are repeated in one breath: for very long turns."""


class Store(_Step):
    """A memory is stored, as by extraction or by the command "remember that"."""

    store: str = Field(min_length=1)
    key: str | None = None
    scope: EntryScope = "user"
    cites: Name | None = Field(None, alias="from")
    """The turn from which the memory was taken."""


class Correct(_Step):
    """The user corrects a stored memory."""

    correct: Name
    to: str = Field(min_length=1)


class Forget(_Step):
    """The user forgets a stored memory."""

    forget: Name


class ForgetText(_Step):
    """The user forgets all memories that say this."""

    forget_text: str = Field(min_length=1)


Step = Say | Store | Correct | Forget | ForgetText


class Question(_Strict):
    """A question after the story, and what must and must not be recalled."""

    ask: str = Field(min_length=1)
    who: Name | None = None
    device: Name = "desk"
    at: datetime | None = None
    """When it is asked; None: a day after everything else."""
    expect: tuple[Name, ...] = ()
    """Steps that hold the evidence. All of them must be found."""
    before: tuple[Name, ...] = ()
    """Outdated steps: they may be found, but only below the first evidence."""
    never: tuple[Name, ...] = ()
    """Steps that must not be found at all."""
    never_words: tuple[str, ...] = ()
    """Words that must not occur in anything that is found, nor in the person's export."""
    nothing: bool = False
    """Nothing in memory fits: nothing may go into the prompt."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if self.nothing and self.expect:
            raise ValueError(f"{self.ask!r} expects something and nothing")
        if not (self.nothing or self.expect or self.never or self.never_words):
            raise ValueError(f"{self.ask!r} checks nothing")
        if self.before and not self.expect:
            raise ValueError(f"{self.ask!r}: before what?")
        return self


class World(_Strict):
    """Ordinary turns that compete with a case's evidence."""

    name: Name
    language: str
    who: Name
    people: tuple[Name, ...] = ()
    """Empty: one person, ``who``."""
    replies: tuple[str, ...] = Field(min_length=1)
    turns: tuple[Say, ...]

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        _require_order(self.name, self.turns)
        return self


class Case(_Strict):
    """One story with its questions."""

    id: Name
    category: CaseCategory
    world: Name
    who: Name | None = None
    """None: the world's person."""
    household: Mapping[Name, HouseholdGrant] = Field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    questions: tuple[Question, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _require_order(self.id, self.steps)
        named: dict[str, Step] = {}
        for step in self.steps:
            _require_known(self.id, step, named)
            if step.id is not None:
                if step.id in named:
                    raise ValueError(f"{self.id}: two steps are called {step.id}")
                named[step.id] = step
        for question in self.questions:
            for name in (*question.expect, *question.before, *question.never):
                if name not in named:
                    raise ValueError(f"{self.id}: {question.ask!r} names no step with {name}")
        return self


class _CaseFile(_Strict):
    category: CaseCategory
    case: tuple[Mapping[str, object], ...]


def _require_order(name: str, steps: Sequence[_Step]) -> None:
    times = [step.at for step in steps]
    if times != sorted(times):
        raise ValueError(f"{name}: steps are not in the order of their times")


def _require_known(case: str, step: Step, named: Mapping[str, Step]) -> None:
    """Raise ValueError unless the step that ``step`` refers to exists and has the right kind."""
    if isinstance(step, Store) and step.cites is not None:
        if not isinstance(named.get(step.cites), Say):
            raise ValueError(f"{case}: {step.cites} is not a turn before {step.store!r}")
    elif isinstance(step, Correct | Forget):
        name = step.correct if isinstance(step, Correct) else step.forget
        if not isinstance(named.get(name), Store | Correct):
            raise ValueError(f"{case}: {name} is not a memory that was stored before")


def parse_cases(text: str) -> list[Case]:
    """The cases of one file. Raises ValueError (pydantic's, or that of the TOML reader)."""
    parsed = _CaseFile.model_validate(tomllib.loads(text))
    return [Case.model_validate({"category": parsed.category, **case}) for case in parsed.case]


def parse_world(text: str) -> World:
    """A world's file. Raises ValueError."""
    return World.model_validate(tomllib.loads(text))


def _texts(folder: str) -> Iterator[str]:
    paths = files("lobug.evaluation").joinpath("data", folder).iterdir()
    for path in sorted(paths, key=lambda path: path.name):
        if path.name.endswith(".toml"):
            yield path.read_text(encoding="utf-8")


def load_worlds() -> dict[str, World]:
    return {world.name: world for world in map(parse_world, _texts("worlds"))}


def load_cases(category: CaseCategory | None = None) -> list[Case]:
    """All cases, or those of one category, in the order of the files. Raises ValueError."""
    cases = [case for text in _texts("cases") for case in parse_cases(text)]
    twice = [name for name, times in Counter(case.id for case in cases).items() if times > 1]
    if twice:
        raise ValueError(f"two cases are called {', '.join(twice)}")
    worlds = load_worlds()
    for case in cases:
        if case.world not in worlds:
            raise ValueError(f"{case.id}: there is no world {case.world}")
    return [case for case in cases if category in {None, case.category}]
