"""How relations are asked for and put into words: the tables of ``wording.toml``. English. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lobug.language.en.claims.relation_book import relation_book


@dataclass(frozen=True, slots=True)
class Form:
    """Sentences for the values that fit a pattern."""

    fits: re.Pattern[str]
    """Fits the whole value."""
    fact: str
    over: str
    """What past, ended and denied claims are made from."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that fits a relation, or a topic."""

    relation: str
    value: str | None = None
    kind: str = ""
    thing: str | None = None
    """What it asks about, if it is not the subject of the verb: "my keys" in "where did I put my
    keys?"."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of one relation; ``wording.toml`` says what each field means."""

    id: str
    of: frozenset[str]
    one: bool
    asks: tuple[re.Pattern[str], ...]
    about: tuple[re.Pattern[str], ...]
    fact: str
    own: str
    """The sentence about the user."""
    bare: str
    over: str
    was: str
    will: str
    ended: str
    denied: str
    denied_bare: str
    ended_bare: str
    many: str
    topic: str
    opposite: str
    lasting: bool
    whether: bool
    also: frozenset[str]
    alike: frozenset[str]
    against: str
    plan: bool
    own_topic: str
    forms: tuple[Form, ...]

    def form(self, value: str, *, over: bool = False, of_user: bool = False) -> str:
        """The template of a value; ``over``: that for past, ended and denied claims."""
        if not value and self.bare:
            return self.bare
        for form in self.forms:
            if form.fits.fullmatch(value):
                return form.over if over else form.fact
        if over and self.over:
            return self.over
        return self.own if of_user else self.fact


@dataclass(frozen=True, slots=True)
class WordingBook:
    """The words of all relations."""

    wordings: Mapping[str, Wording]
    irregular: Mapping[str, str]
    """Past forms by base form."""
    participles: Mapping[str, str]
    """Those that are not like the past."""
    plural: frozenset[str]
    singular: frozenset[str]
    mass: frozenset[str]
    she: frozenset[str]
    he: frozenset[str]
    family: Mapping[str, int]
    """Close relatives, each with its place in a recitation."""
    places: re.Pattern[str]
    """Places that are not names."""
    on: re.Pattern[str]
    """Places that one lives "on"."""

    def asked(self, question: str, subject: str) -> Question | None:
        """What a question asks, without auxiliary and subject: "where live"; ``subject``: its kind,
        as ``RelationBook.kind_of`` has it."""
        return self._first(question, subject, topics=False)

    def topic(self, topic: str, subject: str) -> Question | None:
        """The relation that a topic names beside its nouns: "eating habits", "what do"."""
        return self._first(topic, subject, topics=True)

    def _first(self, text: str, subject: str, *, topics: bool) -> Question | None:
        for wording in self.wordings.values():
            if not is_of(wording.of, subject):
                continue
            for pattern in wording.about if topics else wording.asks:
                match = pattern.fullmatch(text)
                if match is not None:
                    found = match.groupdict()
                    return Question(
                        wording.id,
                        found.get("v"),
                        (found.get("kind") or "").lower(),
                        found.get("thing") or found.get("whom"),
                    )
        return None


def is_of(owners: frozenset[str], subject: str) -> bool:
    """Whether a subject of a kind can have a relation."""
    return "any" in owners or subject in owners or (subject == "named" and "person" in owners)


@lru_cache
def wording_book() -> WordingBook:
    """The English wordings, read once."""
    room = files("lobug.language") / "en" / "claims"
    data = tomllib.loads((room / "wording.toml").read_text(encoding="utf-8"))
    words: Mapping[str, Mapping[str, Any]] = data["relation"]
    if missing := {relation.id for relation in relation_book().relations} - set(words):
        raise ValueError(f"wording.toml has no words for {', '.join(sorted(missing))}")
    return WordingBook(
        wordings={
            relation.id: _wording(relation.id, relation.of, relation.one, words[relation.id])
            for relation in relation_book().relations
        },
        irregular=data["irregular"],
        participles=data["participles"],
        plural=frozenset(data["nouns"]["plural"].split()),
        singular=frozenset(data["nouns"]["singular"].split()),
        mass=frozenset(data["nouns"]["mass"].split()),
        she=frozenset(data["pronouns"]["she"].split()),
        he=frozenset(data["pronouns"]["he"].split()),
        family={kin: place for place, kin in enumerate(data["family"]["nearest"].split())},
        places=re.compile(rf"\b(?:{data['nouns']['places']})\b", re.IGNORECASE),
        on=re.compile(rf"\b(?:{data['nouns']['on']})\b", re.IGNORECASE),
    )


def _wording(name: str, of: frozenset[str], one: bool, entry: Mapping[str, Any]) -> Wording:  # noqa: FBT001 - a field
    fact = entry["fact"]
    return Wording(
        id=name,
        of=of,
        one=one,
        asks=_patterns(entry.get("asks", ())),
        about=_patterns(entry.get("about", ())),
        fact=fact,
        own=entry.get("self", fact),
        bare=entry.get("bare", ""),
        over=entry.get("over", ""),
        was=entry.get("was", ""),
        will=entry.get("will", ""),
        ended=entry.get("ended", ""),
        denied=entry.get("denied", ""),
        denied_bare=entry.get("denied_bare", ""),
        ended_bare=entry.get("ended_bare", ""),
        many=entry.get("many", ""),
        topic=entry["topic"],
        opposite=entry.get("opposite", ""),
        lasting=entry.get("lasting", False),
        whether=entry.get("whether", True),
        also=frozenset(entry.get("also", "").split()),
        alike=frozenset(entry.get("alike", "").split()),
        against=entry.get("against", ""),
        plan=entry.get("plan", False),
        own_topic=entry.get("self_topic", entry["topic"]),
        forms=tuple(
            Form(re.compile(form["v"], re.IGNORECASE), form["fact"], form.get("over", form["fact"]))
            for form in entry.get("forms", ())
        ),
    )


def _patterns(sources: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    book = relation_book()
    kin = "|".join(sorted(map(re.escape, book.kin), key=len, reverse=True))
    pets = "|".join(sorted(map(re.escape, book.pets), key=len, reverse=True))
    macros = {
        "{kin}": f"(?:{kin})s?",
        "{pet}": f"(?:{pets})s?",
        "{illness}": book.value("illness"),
    }

    def filled(source: str) -> str:
        for macro, pattern in macros.items():
            source = source.replace(macro, pattern)
        return source

    return tuple(re.compile(filled(source), re.IGNORECASE) for source in sources)
