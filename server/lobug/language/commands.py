"""Every command to Lo-Bug's memory that can be spoken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remember:
    """ "Remember that my sister is called Anna"."""

    statements: tuple[str, ...]
    """What to remember, in the user's words; each becomes an entry."""


@dataclass(frozen=True, slots=True)
class ForgetStatement:
    """ "Forget that I live in Portland"."""

    statement: str


@dataclass(frozen=True, slots=True)
class ForgetTopic:
    """ "Forget what I said about my job", "forget my address"."""

    topic: str


@dataclass(frozen=True, slots=True)
class ForgetLast:
    """ "Forget what I just said"."""


@dataclass(frozen=True, slots=True)
class ForgetEverything:
    """ "Forget everything about me"."""


@dataclass(frozen=True, slots=True)
class Recite:
    """ "What do you know about me?"."""


@dataclass(frozen=True, slots=True)
class ReciteTopic:
    """ "What do you remember about my sister?"."""

    topic: str
    sure: bool
    """Whether memory is asked for certain: "what do you know about Mars?" may mean anything."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """ "That's wrong", without what is right."""


@dataclass(frozen=True, slots=True)
class Correct:
    """ "That's wrong, my sister is called Hannah", "actually my name is Alex, not Alan"."""

    statement: str
    """What is right."""
    instead_of: str | None = None
    """What is wrong, if it was said: "Alan"."""
    sure: bool = True
    """Whether the user said that something is wrong. False: only "actually ..., not ..."."""


@dataclass(frozen=True, slots=True)
class Why:
    """ "Which memories did you use?", "how do you know that?"."""

    sure: bool
    """Whether memory is asked for certain."""
    topic: str | None = None
    """"How do you know my name?": what is meant; None: the last reply."""


@dataclass(frozen=True, slots=True)
class Ordinary:
    """An ordinary turn that uses the words of memory: "I can't remember the song"."""


Meaning = (
    Remember
    | ForgetStatement
    | ForgetTopic
    | ForgetLast
    | ForgetEverything
    | Recite
    | ReciteTopic
    | Wrong
    | Correct
    | Why
)
"""What a command to memory means."""
