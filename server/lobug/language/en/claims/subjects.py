"""Whom an English clause speaks of: "I", "my sister's dog", "the name of my boss". Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lobug.language.en.claims.lexicon import (
    ADVERBS,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    DO,
    HAVE,
    NEGATED,
    OWNERS,
    PREPOSITIONS,
    PRONOUNS,
    TITLES,
    WILL,
    Token,
    lemma,
    plain,
    starts_verb,
)
from lobug.language.en.claims.time_phrases import CLOCK, DATE, POINT

MOST_WORDS = 6
"""Most words of a noun phrase."""
MOST_OWNERS = 4
LONGEST = 120
"""Most characters of a phrase with its owners: what is longer is a key or an address, and nobody
asks for what is known of it. An index of subjects takes no long ones either."""
_IS_TIME = re.compile(rf"(?:the )?(?:{POINT}|{DATE}|{CLOCK})", re.IGNORECASE)
_ARTICLES = frozenset({"the", "a", "an", "this", "that", "these", "those", "both"})
_NO_NAMES = frozenset(
    """
    a all also any anyone anything because bread cars children coffee dinner each every everybody
    everyone everything few food friday games good great happiness he health help here home how
    i if it life love lunch many maybe men monday money more most much music never news no nobody
    none nothing now one other others pain people perhaps pizza politics saturday school several
    she sleep so some somebody someone something sport sports summer sunday tea that the there they
    thing things this those thursday time today tomorrow traffic tuesday water weather wednesday
    what when where who why winter women work yes yesterday yoga you wow gonna sounds looks feels
    seems makes turns means reminds hey hi hello thanks sorry awesome cool yeah yup yep nope
    """.split()
)
"""Words that begin a sentence with a capital and are nobody's name."""
_ADJECTIVES = frozenset("new old other next last first second own current own".split())
_AFTER_IS = (
    DETERMINERS
    | NEGATED
    | ADVERBS
    | PREPOSITIONS
    | frozenset(
        "called named been got my allergic born dead gone very so too really his her".split()
    )
)
"""Words before which "'s" is "is" or "has", not the mark of an owner."""
_SAID_AFTER_OWNER = frozenset("name names birthday age job email number address".split())


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Whom or what a clause speaks of."""

    path: tuple[str, ...]
    """From its owner to itself, in lower case: ("user", "sister", "dog") is "my sister's dog"."""
    name: str | None = None
    """The name as written: Hanna in "my sister Hanna", and in "Hanna"."""
    plural: bool = False
    definite: bool = False
    """Said with "the", without an owner: "the meeting"."""
    owners: tuple[tuple[tuple[str, ...], str], ...] = ()
    """The owners who were named beside the noun: "my brother Malachy's birthday"."""


def subject_of(found: Sequence[Token]) -> tuple[NounPhrase, int] | None:
    """The subject at the beginning, and the index after it; None: there is none that a verb may
    follow."""
    phrase = noun_phrase(found)
    return phrase if phrase is not None and phrase[1] < len(found) else None


def noun_phrase(found: Sequence[Token]) -> tuple[NounPhrase, int] | None:
    """The person or thing named at the beginning, and the index after it."""
    read = _noun_phrase(found)
    return None if read is None or sum(map(len, read[0].path)) > LONGEST else read


def _noun_phrase(found: Sequence[Token]) -> tuple[NounPhrase, int] | None:
    if not found:
        return None
    first = found[0].low
    if first in PRONOUNS and not _points_at_noun(found):
        return NounPhrase((PRONOUNS[first],), plural=first in {"we", "they"}), 1
    if first == "me" and (len(found) == 1 or found[1].low == "and"):
        return NounPhrase(("user",)), 1
    if first in {"everyone", "everybody", "people"}:
        return NounPhrase(("people",), plural=True), 1
    if first == "its" and len(found) > 1 and found[1].low in _AFTER_IS:
        return None
    if first == "the":
        inner = _noun_of_owner(found)
        if inner is not None:
            return inner
    return _Reader(found).read()


def _points_at_noun(found: Sequence[Token]) -> bool:
    """Whether "that" or "this" stands before a noun: "that meeting is ..."."""
    if found[0].low not in {"that", "this"} or len(found) < 2:
        return False
    return found[1].low != "'s" and not starts_verb(found, 1)


def _noun_of_owner(found: Sequence[Token]) -> tuple[NounPhrase, int] | None:
    """ "The name of my sister", "the code for the garage"."""
    for at, token in enumerate(found[:5]):
        if at > 1 and token.low in {"of", "for", "to"} and at + 1 < len(found):
            noun = " ".join(word.low for word in found[1:at])
            if token.low in {"for", "to"}:
                if not noun.endswith(("code", "password", "pin", "combination")):
                    return None
                inner = _Reader(found[at + 1 :]).read()
                if inner is None:
                    return None
                thing = inner[0].path[-1]
                return NounPhrase(("user", f"{thing} {noun}"), definite=True), at + 1 + inner[1]
            inner = noun_phrase(found[at + 1 :])
            if inner is None:
                return None
            phrase = inner[0]
            return NounPhrase((*phrase.path, noun)), at + 1 + inner[1]
    return None


class _Reader:
    """Reads one noun phrase from left to right."""

    def __init__(self, found: Sequence[Token]) -> None:
        self.found = found
        self.at = 0
        self.path: tuple[str, ...] = ()
        self.definite = False
        self.head: list[str] = []
        self.name: list[Token] = []
        self.owners: list[tuple[tuple[str, ...], str]] = []

    def read(self) -> tuple[NounPhrase, int] | None:
        first = self.found[0].low
        if first in OWNERS:
            self.path, self.at = (OWNERS[first],), 1
            if len(self.found) > 1 and self.found[1].low == "own":
                self.at = 2
        elif first in _ARTICLES:
            self.definite, self.at = True, 1
        while self.at < len(self.found):
            going = self._next()
            if going is None:
                return None
            if not going:
                break
        return self._phrase()

    def _next(self) -> bool | None:
        """Whether the phrase goes on after the token at hand; None: it is no phrase."""
        token = self.found[self.at]
        low = token.low
        begun = bool(self.head or self.name)
        if low in {"'s", "'"}:
            return self._owner(low) if begun else None
        if low == ",":
            return (self._apposed_name() if self.head and self.path else False) if begun else None
        if not token.is_word:
            return False if begun else None
        if begun and self._is_over(low):
            return False
        if not begun and (low in CONJUNCTIONS | PREPOSITIONS | NEGATED or low in PRONOUNS):
            return None
        if self._is_part_of_name(token):
            self.name.append(token)
        elif self.name:
            return False
        elif len(self.head) >= MOST_WORDS or (low.isdigit() and not begun):
            return None
        else:
            self.head.append(low)
        self.at += 1
        return True

    def _is_over(self, low: str) -> bool:
        if low in CONJUNCTIONS or low in PRONOUNS or low in OWNERS:
            return True
        if low in PREPOSITIONS:
            return not self._takes_place_with()
        if low in ADVERBS or low in NEGATED:
            return True
        return starts_verb(self.found, self.at) and not self._is_noun_before_verb()

    def _is_noun_before_verb(self) -> bool:
        """Whether a word that could be a verb is a noun: "run" in "my morning run is at six"."""
        low = self.found[self.at].low
        if low in BE | HAVE | DO | WILL or self.name or lemma(low) != low:
            return False
        after = self.found[self.at + 1].low if self.at + 1 < len(self.found) else ""
        return after in BE | HAVE | WILL or after == "'s"

    def _takes_place_with(self) -> bool:
        """ "My flight to Rome leaves": what follows the noun belongs to it if a verb follows."""
        if not self.head or self.name or not (self.path or self.definite):
            return False
        for end in range(self.at + 2, min(self.at + 6, len(self.found))):
            words = self.found[self.at + 1 : end]
            if not all(w.is_word or w.low in {"'s", "."} for w in words):
                return False
            if any(w.low in CONJUNCTIONS | PRONOUNS.keys() for w in words):
                return False
            if starts_verb(self.found, end) and self.found[end].low != "'s":
                inside = [w.low for w in words if w.low not in {"the", "my", "a", "our", "."}]
                if self.found[self.at].low not in {"on", "at"} or not _IS_TIME.fullmatch(
                    plain(words)
                ):
                    self.head += [self.found[self.at].low, *inside]
                self.at = end
                return False
        return False

    def _owner(self, mark: str) -> bool | None:
        if len(self.path) > MOST_OWNERS:
            return None
        if mark == "'s" and not is_possessive(self.found, self.at):
            return False
        owner = " ".join(self.head) if self.head else plain(self.name).lower()
        if self.definite and not self.path and self.head:
            self.path = ("user",)
        self.path = (*self.path, owner)
        if self.head and self.name:
            self.owners.append((self.path, plain(self.name)))
        self.head, self.name = [], []
        self.at += 1
        return True

    def _apposed_name(self) -> bool:
        """ "My dog, Rex, is a labrador"."""
        for end in range(self.at + 2, min(self.at + 5, len(self.found))):
            if self.found[end].low == ",":
                words = self.found[self.at + 1 : end]
                if all(word.is_name for word in words):
                    self.name = list(words)
                    self.at = end + 1
                break
        return False

    def _is_part_of_name(self, token: Token) -> bool:
        if token.low in OWNERS or (self.path and not self.head):
            return False
        if self.path and all(word in _ADJECTIVES for word in self.head):
            return False  # "my new PIN"
        if token.low in TITLES and self.at + 1 < len(self.found):
            return self.found[self.at + 1].is_name
        if self.name and token.low in {"van", "von", "de", "der", "da", "di", "la"}:
            return self.at + 1 < len(self.found) and self.found[self.at + 1].is_name
        if self.definite and not self.path:
            return False
        begins = token.low not in _NO_NAMES and token.low not in ADVERBS
        if self.at == 0 and token.low.endswith("ing") and lemma(token.low) is not None:
            begins = False  # "Volunteering is a great way to meet people"
        return token.is_name and (bool(self.head or self.name) or begins)

    def _phrase(self) -> tuple[NounPhrase, int] | None:
        name = plain(self.name) or None
        if not self.head:
            if name is None or self.name[0].low in _NO_NAMES:
                return None
            path = (*self.path, name.lower())
            return NounPhrase(path, name, owners=tuple(self.owners)), self.at
        head = _without_owner(self.head)
        path = (*self.path, *head)
        if self.definite and not self.path:
            path = ("user", *path)
        elif not self.path and name is None:
            return None
        owners = tuple(self.owners)
        phrase = NounPhrase(path, name, _is_plural(head[-1]), self.definite, owners)
        if self.definite and name is not None:
            phrase = replace(phrase, name=None) if len(self.name) > 3 else phrase
        return phrase, self.at


def _without_owner(head: Sequence[str]) -> tuple[str, ...]:
    """ "My sisters name", written without the apostrophe, has an owner."""
    if len(head) == 2 and head[1] in _SAID_AFTER_OWNER and head[0].endswith("s"):
        return head[0][:-1], head[1]
    if len(head) > 2 and head[1] in {"favourite", "favorite"} and head[0].endswith("s"):
        return head[0][:-1], " ".join(head[1:])
    return (" ".join(head),)


def _is_plural(noun: str) -> bool:
    last = noun.rsplit(maxsplit=1)[-1]
    return (last.endswith("s") and not last.endswith(("ss", "us"))) or last in {
        "children",
        "people",
        "parents",
    }


def is_possessive(found: Sequence[Token], at: int) -> bool:
    """Whether the "'s" at an index makes an owner and is neither "is" nor "has"."""
    after = found[at + 1] if at + 1 < len(found) else None
    if after is None or not after.is_word or after.low in _AFTER_IS or after.low.endswith("ing"):
        return False
    if after.low in _SAID_AFTER_OWNER:
        return True
    # An owner has its verb further on: "my sister's dog is ...".
    for index in range(at + 2, min(at + 7, len(found))):
        token = found[index]
        if token.low == "'s" or starts_verb(found, index):
            return True
        if not token.is_word or token.low in CONJUNCTIONS | PREPOSITIONS or token.low in PRONOUNS:
            return False
    return False
