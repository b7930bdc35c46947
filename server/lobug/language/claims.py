"""Claims: what an utterance says of somebody or something, and what a question asks of them.

A claim is subject, relation and value ("my sister", "home", "Rome"). Relations are data of a human
language (for English ``en/claims/relations.toml``); what a claim does to memory is decided by
``lobug.memory.claims``, which knows no language.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Path = tuple[str, ...]
"""Whom something is said of, from its owner to itself, in lower case: ``("user",)``,
``("user", "sister", "dog")``; ``("hanna",)`` is somebody called by name; the pronouns ``("he",)``,
``("she",)``, ``("they",)``, ``("it",)`` and ``("that",)`` stand for somebody or something named
before. Kin and pets by their canonical word, qualified where that was said: "older sister"."""

USER: Path = ("user",)

PRONOUNS = frozenset({"he", "she", "they", "it", "that"})

STATEMENT = "statement"
"""Relation of what no other relation holds: its value is what the user said of themselves and
theirs, word for word ("I owe Sandra twenty pounds")."""

ANY_RELATION = ""
"""Relation of a change that names only a value: "I've switched from law to history". It is the one
in which memory holds the value."""

COUPLE: Path = ("couple",)
"""The user and their partner, where it is said of one of the two, and not of which, that something
is over: "our daughter was born"."""


Refutes = Literal["not", "unless_asked", "surely"]
"""Whether words say that what was said last was wrong. "No, ..." does, unless it answers a
question."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What an utterance says of a subject."""

    subject: Path
    relation: str
    """Id of a relation of the language's book: "home"."""
    value: str
    """As said, without an article; empty where the relation is all that is said ("I smoke")."""
    kind: str = ""
    """Part of the relation: the "colour" of "my favourite colour"; else empty."""
    holds: bool = True
    """False: it is denied, or it is over."""
    ended: bool = False
    """It was so and is so no more: "I sold the Volvo", "I don't smoke any more"."""
    past: bool = False
    """It tells of a former time, from which nothing follows for now: "I lived in Paris once"."""
    planned: bool = False
    """It will be so: "I'm moving to Paris in June"."""
    corrects: bool = False
    """It puts right what was said or believed before: "no, ...", "actually", "not X but Y"."""
    instead_of: str | None = None
    """The wrong value, where it was said: Anna in "Hanna, not Anna"."""
    instead_of_subject: Path | None = None
    """Of whom it is not so, where that was said: "not my sister, my cousin lives in Rome"."""
    refutes: Refutes = "not"
    """Whether it says that what was said last was wrong: "that's wrong, ..."."""
    moves: bool = False
    """It says that an event which was told of before takes place at another time, or not at all."""
    appositive: bool = False
    """Of a name: it stood beside the noun ("my sister Hanna is ..."), so that there may be another
    sister; False: "my sister is called Hanna"."""
    time: tuple[str, ...] = ()
    """Phrases of time, as said: "since 2019", "last week"."""
    text: str = ""
    """The clause that it was read from, as said."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A value without a statement: "no, Johanna", "in 1933", "not Anna, Hanna". What it is a value
    of was said before."""

    value: str
    instead_of: str | None
    text: str
    subject: Path | None = None
    """Whom what was said before is about: "not my sister, my cousin". Then there is no value."""
    instead_of_subject: Path | None = None
    """Whom it is not about."""
    sure: bool = False
    """It surely puts right what was said last: "I meant Bosch"."""
    pronoun: str = ""
    """Of whom it was said, where that was: "she" of "no, she's forty"; "i" is the user."""
    points: bool = False
    """It says what that was which was said before: "that's my cousin", "that's Milo"."""
    own: bool = False
    """It is a value of the user or of what they have: "mine is called Nugget"."""
    otherwise: tuple[Claim, ...] = ()
    """What it claims where it is no value of what was said before: "it's a Saab" of a thing."""


@dataclass(frozen=True, slots=True)
class Heard:
    """All that was read in one utterance, in the order in which it was said."""

    claims: tuple[Claim, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    corrects: bool = False
    """It says that something before was wrong, whether or not it says what is right."""
    refutes: bool = False
    """It says so in plain words, which mean nothing else: "that's wrong"; "no" may."""
    unread: tuple[str, ...] = ()
    """Its statements, as said, of which at least one clause was not read: for the chat model."""
    over: tuple[str, ...] = ()
    """What it says, beside what was read, is over: "so no more nights for me"."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read that may change what is known."""
        return not (self.claims or self.fragments or self.refutes or self.over)

    @property
    def is_kept(self) -> bool:
        """Whether each of its statements was read, or is kept as it was said."""
        kept = [claim.text for claim in self.claims if claim.relation == STATEMENT]
        return bool(self.claims) and all(
            any(text in unread for text in kept) for unread in self.unread
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question, or a topic such as "where I live" and "my sister's name", asks for."""

    subject: Path
    relation: str | None
    """None: all that is known of the subject ("who is Hanna?", "my sister")."""
    kind: str = ""
    value: str | None = None
    """None: it asks for the value; a text: it asks whether that is so ("do I have a dog?"); the
    empty text: whether the relation holds at all ("do I smoke?", "do I have any pets?")."""
    past: bool = False
    """It asks for what was: "where did I live before?"."""
    surely: bool = field(default=False, compare=False)
    """Only the user could have told it: "where did I put my glasses?"."""
    of_talk: bool = field(default=False, compare=False)
    """It may ask about what was said just before: "what do I do?"."""
    otherwise: tuple[Path, ...] = field(default=(), compare=False)
    """Other subjects under which it may be known: "my doctor appointment" of "when do I see the
    doctor?"."""


@dataclass(frozen=True, slots=True)
class RelationRules:
    """What code must know of a relation."""

    id: str
    rank: int
    """Its place in the book; what identifies a person comes first. Recitation follows it."""
    one: bool
    """A subject has one value at a time: a later one takes the place of the one before."""
    fixed: bool
    """Its value never changes in the world (a birthplace): another value is a correction."""
    fact_type: Literal["personal", "preference", "knowledge", "event"]
    entities: frozenset[str] = frozenset()
    """Nouns of what the value is: "girlfriend" and "wife" of a partner, "car" of a car."""
    opposite: str = ""
    """The relation that holds of a value where this one does not: "dislike" of "like"."""
    else_asked: tuple[str, ...] = ()
    """Relations that answer its question too where it has no claim: the year of a birthday."""
    akin: tuple[str, ...] = ()
    """Relations in which memory may hold what a claim of it ends: who sells a Zafira may have told
    of it as a car."""
    undoes: tuple[tuple[str, str], ...] = ()
    """Relations and values that are over where it holds: who has a partner is single no more."""


class ClaimReader(Protocol):
    """Reads claims and questions of one human language, and puts claims into words. Pure; an
    utterance takes well under 5 ms, the first use a third of a second more."""

    def load(self) -> None:
        """Load what the first use would load."""

    def read(self, text: str) -> Heard:
        """The claims of an utterance in the first person."""

    def read_fact(self, sentence: str) -> tuple[Claim, ...]:
        """The claims of a stored sentence in the third person: "The user's sister lives in Rome".
        Empty unless all of the sentence was read."""

    def read_question(self, text: str) -> Asked | None:
        """What an utterance asks; None: nothing that a relation holds, or it is no question."""

    def read_topic(self, text: str) -> Asked | None:
        """What a topic or a statement after "forget" names: "where I live", "my job", "that I have
        a dog", "my sister", "Hanna"; None: no subject of claims."""

    def rules(self, relation: str) -> RelationRules | None:
        """What code must know of a relation; None: there is none of this id."""

    def same_value(self, relation: str, one: str, other: str) -> bool:
        """Whether two values are the same: "a Volvo" and "the blue Volvo", "34" and "thirty-four",
        "Mom" and "mother"."""

    def one_more(self, value: str) -> str | None:
        """The noun of a value that speaks of one more of a kind: "rabbit" of "second rabbit";
        None: it does not."""

    def put_right(self, value: str, wrong: str | None, right: str) -> str | None:
        """A value with what was wrong of it put right: "four brothers" of "three brothers" and
        "four"; "Ukraine, from Lutsk" of "Ukraine, from Lviv", "Lviv" and "Lutsk". None: nothing of
        it was wrong."""

    def one_of(self, noun: str) -> str:
        """A noun in the singular: "rabbit" of "rabbits", "child" of "children"."""

    def same_sort(self, value: str, right: str, said: str = "") -> bool:
        """Whether a bare value may stand for one: a time for a time, a number for a number, a name
        for a name. ``said``: the words in which the bare value was said."""

    def one_less(self, value: str) -> str | None:
        """A counted value with one less of it: "two cats" of "three cats"; None: it counts none, or
        one."""

    def listed(self, values: Sequence[str]) -> str:
        """Several values as one: "Clover and Daisy"."""

    def refers(self, pronoun: str, subject: Path) -> bool:
        """Whether a pronoun ("she") can stand for a subject ("my sister")."""

    def overtaking(self, later: Claim) -> Callable[[str], bool]:
        """A test of whether the words of a claim say that a stored sentence is no longer so."""

    def recounts(self, one: str, other: str) -> bool:
        """Whether two values give another number of the same: "two cats" and "three cats"."""

    def asked_words(self, question: str) -> Sequence[str]:
        """The words of a question that what answers it must have; empty: it asks for nothing in
        particular."""

    def answering(self, question: str) -> Callable[[str], bool]:
        """A test of whether the value of a claim of STATEMENT tells what a question asks."""

    def unknown(self, question: str, names: Collection[str] = ()) -> str:
        """What to say to a question that memory cannot answer, where nothing else could: "You
        haven't told me how much you owe Patrick."; empty: it may be a question of the world.
        ``names``: of people and animals that the user has spoken of, in small letters."""

    def named(self, question: str) -> tuple[str, bool]:
        """The name of whom or what a question is about, in small letters, and whether people have
        that name: "helen" of "how old is Helen?", and not "leeds". Empty: it names nobody."""

    def may_tell(self, question: str, sentence: str) -> bool:
        """Whether a sentence may answer a question in a way that the rules cannot read."""

    def lacks(self, question: str, sentence: str) -> bool:
        """Whether a question asks for a time or a number that a sentence does not have."""

    def former(self, noun: str) -> str | None:
        """The noun of "old boss"; None: it speaks of no former one."""

    def members(self, noun: str) -> frozenset[str]:
        """The nouns of those for whom a noun of several stands: "son" and "daughter" of "children";
        empty: it stands for nobody else."""

    def without(self, claim: Claim, relation: str) -> Claim | None:
        """What is left of a claim that also tells another relation, when that is forgotten: the
        name "Gary" of "Gary Hill" without the surname. None: it does not tell that relation."""

    def telling(self, topic: str) -> Callable[[str], bool]:
        """A test of whether a stored sentence tells what a topic names, be it in other words: "The
        user dislikes the user's job at Tesco" of "where I work"."""

    def fact(self, claim: Claim, names: Mapping[Path, str]) -> str:
        """A claim as a standalone sentence in the third person, past or denied where it is so,
        without a full stop: "The user's sister Hanna lives in Rome". ``names`` are those of the
        subjects that have one."""

    def answer(
        self,
        asked: Asked,
        active: Sequence[Claim],
        past: Sequence[tuple[Claim, str]],
        names: Mapping[Path, str],
    ) -> str:
        """The answer to a question in the second person: from the claims of its subject and
        relation that hold or are denied, and those that are over, each with a phrase of when it
        ended ("in May"; empty: not known). "You live in Oxford.", "Not any more: you lived in
        London until May.", "No, you live in Oxford.", and with neither "You haven't told me where
        you live."."""

    def recite(self, claims: Sequence[Claim], names: Mapping[Path, str]) -> tuple[str, ...]:
        """Many claims, the oldest first, as sentences in the second person: name, home and family
        of the user first, then one subject after the other. Values of one relation are merged: "You
        like jazz, hiking and Italian food."; of claims that contradict each other the later one is
        told."""
