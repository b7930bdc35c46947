"""What the server asks of a human language, and the types of the answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol, get_args

from lobug.language.house import ForHouse, HouseNames
from lobug.language.skills import SkillSentences

FactType = Literal["personal", "preference", "knowledge", "event"]
FACT_TYPES: tuple[FactType, ...] = get_args(FactType)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that the chat model proposes; nothing about it has been checked."""

    fact: str
    fact_type: str


@dataclass(frozen=True, slots=True)
class NewFact:
    """An accepted fact: a standalone sentence about the user, in the third person."""

    content: str
    fact_type: FactType


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
    sure: bool = True
    """Whether memory is meant for certain. False: "forget Hanna", if memory knows of a Hanna."""
    asks: bool = False
    """It asks for nothing yet: "I shouldn't have told you about Hanna"."""


@dataclass(frozen=True, slots=True)
class ForgetLast:
    """ "Forget what I just said"."""

    sure: bool = True
    """Whether the last words are meant for certain: "forget that" may mean an answer, or no more
    than "never mind"."""
    asks: bool = False
    """It may mean neither: "delete it" an alarm. Lo-Bug asks, if anything of memory is meant."""
    here: bool = False
    """What was said in the same breath is meant, and nothing before: "I earn forty thousand,
    forget I said that"."""


@dataclass(frozen=True, slots=True)
class ForgetUnsaid:
    """ "Forget.": it does not say what."""


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
class TalkedAbout:
    """ "What did we talk about on Friday?"."""

    period: str
    """As said; empty: lately."""


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
    | ForgetUnsaid
    | ForgetEverything
    | Recite
    | ReciteTopic
    | TalkedAbout
    | Wrong
    | Correct
    | Why
)
"""What a command to memory means."""


SentenceKind = Literal["question", "order", "statement"]


class Completeness(StrEnum):
    """Whether an utterance is over, judged by its words alone."""

    UNFINISHED = "unfinished"
    """More must follow: "my sister's name is"."""
    FINISHED = "finished"
    """A short command or answer that hardly anybody continues: "stop", "what time is it?"."""
    OPEN = "open"
    """Either may be true."""


class CommandBook(Protocol):
    """Recognises what people ask of Lo-Bug's memory."""

    def understand(self, text: str) -> Meaning | Ordinary | None:
        """What a text asks of memory. None: no template fits; ``Ordinary``: it is no command."""

    def agrees(self, text: str) -> bool | None:
        """Whether a text answers a question with yes (True) or no (False); None: with neither."""

    def possible_command(self, text: str) -> SentenceKind | None:
        """The kind of a text that fits no template and may still be meant for memory; None: it is
        not."""


class Language(Protocol):
    """One human language."""

    @property
    def code(self) -> str:
        """ISO 639-1."""

    @property
    def commands(self) -> CommandBook | None:
        """The commands to memory; None: there are no templates."""

    @property
    def skills(self) -> SkillSentences | None:
        """The sentences that lead to skills; None: there are none."""

    def for_house(self, text: str, names: HouseNames) -> ForHouse | None:
        """Whether a text is meant for the house that has these names; None: it is not."""

    def completeness(self, text: str) -> Completeness:
        """Whether a transcript is the beginning of a sentence or a whole short command."""

    def spoken_form(self, text: str) -> str:
        """A piece of a reply, without markup, as a person would read it aloud, on one line; never
        empty when it holds a letter."""
