"""The relations of ``relations.toml``, and which of them a predicate, a noun or a question names.

English. Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from lobug.language.claims import Path, RelationRules
from lobug.language.en.claims.time_phrases import DATE, WHEN
from lobug.language.protocol import FactType

Kind = Literal["person", "pet", "thing", "named"]
"""What a subject is; ``named``: it has a name, and nobody has said of whom or what."""

_MACRO = re.compile(r"\{((?:v:)?[a-z_]+)\}")
_CONSTANT = re.compile(r"\{=([^}]*)\}")
_QUALIFIERS = {
    "elder": "older", "big": "older", "eldest": "oldest", "little": "younger", "baby": "younger",
    "kid": "younger", "ex": "former", "previous": "former",
}  # fmt: skip
_UNSAID = frozenset(
    "new dear late own only beloved lovely sweet poor current real whole beautiful"
    " wonderful two three four five six seven eight nine ten".split()
)
"""Adjectives and numbers that tell nobody apart."""


def _alternatives(section: Mapping[str, str]) -> dict[str, str]:
    """Each word of a table, and the word that it stands for."""
    return {
        word: canonical
        for canonical, others in section.items()
        for word in [canonical, *others.split(",")]
        if word
    }


@dataclass(frozen=True, slots=True)
class Phrase:
    """A pattern for a whole predicate, noun or question."""

    pattern: re.Pattern[str]
    constant: str | None
    """The value that it states, if no words of it are the value: "retired"."""
    heads: frozenset[str] | None
    """Words with which what it fits begins; None: not known."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation."""

    id: str
    of: frozenset[str]
    one: bool
    fixed: bool
    fact_type: FactType
    entities: frozenset[str]
    """Nouns of what its value is, as of ``RelationRules``."""
    opposite: str
    else_asked: tuple[str, ...]
    akin: tuple[str, ...]
    undoes: tuple[tuple[str, str], ...]
    partial: bool
    """Whether a part of the value names it: "the Volvo" is "a blue Volvo"."""
    whole: bool
    """Whether a value with "and" in it is one value."""
    timed: bool
    """Whether its value is a phrase of time."""
    also: bool
    """Whether it is read beside another relation: who retires has no employer and is retired."""
    occasional: bool
    """Whether the past tells of one occasion without a lasting result: "I drank a coffee"."""
    states: str
    """The relation that its claims have, about the thing it names: "I put my keys in the drawer"
    is a location of the keys."""
    generic: frozenset[str]
    """Values that, denied, mean any: who has no car has no Volvo."""
    noun_value: re.Pattern[str] | None
    """What a value after "my <noun> is" must look like: "my car is broken" names no car."""
    says: tuple[Phrase, ...]
    nouns: tuple[Phrase, ...]
    ends: tuple[Phrase, ...]
    denies: tuple[Phrase, ...]

    def is_of(self, kind: Kind) -> bool:
        """Whether a subject of this kind can have it."""
        return "any" in self.of or kind in self.of or (kind == "named" and "person" in self.of)


@dataclass(frozen=True, slots=True)
class Reading:
    """A relation in a predicate."""

    relation: Relation
    value: str
    old: str | None = None
    kind: str | None = None
    """Of a favourite: "colour"."""
    thing: str | None = None
    """What the claim is about, if not the clause's subject: "my passport"."""


PhrasesOf = Callable[[Relation], tuple[Phrase, ...]]
"""Some of the phrases of a relation."""


class RelationBook:
    """All relations, in their order."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.kin = _alternatives(data["kin"])
        self.pets = _alternatives(data["pets"])
        self.breeds = _alternatives(data["breeds"])
        """Kinds of pets that are known by their own names: a beagle is a dog."""
        self.constants: set[str] = set()
        self._values: Mapping[str, str] = {
            **data["values"],
            "kin": rf"(?:{_any(self.kin)})s?",
            "pet": rf"(?:{_any(self.pets | self.breeds)})s?",
            "breed": rf"(?:\w+ )?(?:{_any(self.breeds)})",
            "date": DATE,
            "when": WHEN,
        }

        def several(entry: Mapping[str, Any], name: str) -> tuple[Phrase, ...]:
            return tuple(map(self._phrase, entry.get(name, ())))

        self.relations = tuple(
            Relation(
                id=name,
                of=frozenset(entry.get("of", "person").split()),
                one=entry.get("one", False),
                fixed=entry.get("fixed", False),
                fact_type=entry.get("fact_type", "personal"),
                entities=self._nouns(entry.get("entities", "")),
                opposite=entry.get("opposite", ""),
                else_asked=tuple(entry.get("else_asked", "").split()),
                akin=tuple(entry.get("akin", "").split()),
                undoes=tuple(_relation_and_value(text) for text in entry.get("undoes", ())),
                partial=entry.get("partial", False),
                whole=entry.get("whole", False),
                timed=entry.get("timed", False),
                also=entry.get("also", False),
                occasional=entry.get("occasional", False),
                states=entry.get("as", name),
                generic=frozenset(entry.get("generic", "").split()),
                noun_value=self._value_pattern(entry.get("noun_value")),
                says=several(entry, "says"),
                nouns=several(entry, "nouns"),
                ends=several(entry, "ends"),
                denies=several(entry, "denies"),
            )
            for name, entry in data["relation"].items()
        )
        self.by_id = {relation.id: relation for relation in self.relations}
        self.ranks = {relation.id: rank for rank, relation in enumerate(self.relations)}
        self._indexes: dict[tuple[Kind, PhrasesOf], _PhraseIndex] = {}

    def _phrase(self, text: str) -> Phrase:
        constant = _CONSTANT.search(text)
        if constant is not None:
            self.constants.add(constant[1])
        text = _CONSTANT.sub("", text)
        captured = "(?P<v>" in text
        marked = "{v" in text

        def macro(match: re.Match[str]) -> str:
            name = match[1].removeprefix("v:")
            if name == "a":
                return "(?:an? |the )?"
            if name == "old":
                return "(?P<old>.+?)"
            value = ".+" if name == "v" else self._values[name]
            aside = captured or (marked and not match[1].startswith("v"))
            return f"(?:{value})" if aside else f"(?P<v>{value})"

        pattern = re.compile(_MACRO.sub(macro, text), re.IGNORECASE)
        return Phrase(pattern, constant[1] if constant else None, _heads(text))

    def _value_pattern(self, name: str | None) -> re.Pattern[str] | None:
        return re.compile(self._values[name], re.IGNORECASE) if name else None

    def _nouns(self, names: str) -> frozenset[str]:
        """The nouns of a list; "pets" and "kin" stand for all of them."""
        every = {"pets": self.pets.values(), "kin": self.kin.values()}
        return frozenset(noun for name in names.split() for noun in every.get(name, (name,)))

    def rules(self, relation: str) -> RelationRules | None:
        """What code must know of a relation; None: there is none of this id."""
        found = self.by_id.get(relation)
        if found is None:
            return None
        rank = self.ranks[found.id]
        return RelationRules(
            found.id,
            rank,
            found.one,
            found.fixed,
            found.fact_type,
            found.entities,
            found.opposite,
            found.else_asked,
            found.akin,
            found.undoes,
        )

    def said(self, predicate: str, kind: Kind, *, ends: bool = False) -> Reading | None:
        """The relation that a predicate states; ``ends``: that it ends."""
        if ends:
            return self._first(predicate, kind, _ends)
        return self._first(predicate, kind, _mainly) or self._first(predicate, kind, _says)

    def timed(self, predicate: str, kind: Kind) -> Reading | None:
        """The relation with a time for its value that a predicate states."""
        return self._first(predicate, kind, _timed)

    def beside(self, predicate: str, kind: Kind) -> list[Reading]:
        """What a predicate states beside the relation that it is mainly of."""
        return list(self._readings(predicate, kind, _beside))

    def ended(self, predicate: str, kind: Kind) -> list[Reading]:
        """All relations that a predicate ends: who quits a job has no employer and no profession.
        Of those that it names the value of, only the first."""
        found: list[Reading] = []
        named = False
        for reading in self._readings(predicate, kind, _ends):
            if not (named and (reading.value or reading.thing)):
                found.append(reading)
                named = named or bool(reading.value)
        return found

    def denied(self, predicate: str, kind: Kind) -> Reading | None:
        """The relation that a predicate denies without a negation: "be single"."""
        return self._first(predicate, kind, _denies)

    def noun(self, noun: str, kind: Kind) -> Reading | None:
        """The relation that a noun names: "birthday"; without a value."""
        return self._first(noun, kind, _nouns)

    def _first(self, text: str, kind: Kind, phrases: PhrasesOf) -> Reading | None:
        return next(self._readings(text, kind, phrases), None)

    def _readings(self, text: str, kind: Kind, phrases: PhrasesOf) -> Iterator[Reading]:
        """The reading of each relation that a text has one of, in the book's order."""
        index = self._indexes.get((kind, phrases))
        if index is None:
            fitting = [relation for relation in self.relations if relation.is_of(kind)]
            index = self._indexes[kind, phrases] = _PhraseIndex(fitting, phrases)
        last = None
        for relation, phrase in index.beginning_like(text):
            if relation is not last and (match := phrase.pattern.fullmatch(text)) is not None:
                last = relation
                yield _reading(relation, phrase, match)

    def kind_of(self, path: Sequence[str]) -> Kind:
        """What the last of a path of owners is."""
        last = path[-1]
        head = last.split()[-1] if last else ""
        if last in {"user", "he", "she", "they"} or self.is_kin(head) or self.is_kin(last):
            return "person"
        known = self.pets.keys() | self.breeds.keys()
        if known & {head, head.removesuffix("s"), last}:
            return "pet"
        return "named" if len(path) == 1 and last not in {"it", "that"} else "thing"

    def is_kin(self, word: str) -> bool:
        """Whether a word says what people are to somebody."""
        return word in self.kin or word.removesuffix("s") in self.kin

    def value(self, name: str) -> str:
        """The pattern of a kind of value: "illness"."""
        return self._values[name]

    def is_value(self, name: str, text: str) -> bool:
        """Whether a text fits a pattern of the values: an "illness"."""
        return re.fullmatch(self._values[name], text, re.IGNORECASE) is not None

    def is_first_name(self, word: str) -> bool:
        return re.fullmatch(self._values["first_name"], word) is not None

    def tidy(self, path: Sequence[str]) -> Path:
        """A path with the stored word for all kin and pets: "mum" is "mother"."""
        if len(path) == 1:
            return tuple(path)
        return (path[0], *map(self._tidied, path[1:]))

    def _tidied(self, noun: str) -> str:
        stored = self.kin.get(noun) or self.pets.get(noun) or self.breeds.get(noun)
        if stored:
            return stored
        words = noun.split()
        kept = [_QUALIFIERS.get(word, word) for word in words[:-1] if word not in _UNSAID]
        last = words[-1]
        if last in self.breeds and len(words) == 2:
            return self.breeds[last]  # "border collie"
        one = last.removesuffix("s")
        if last in self.kin or one in self.kin:
            head = self.kin.get(last) or f"{self.kin[one]}s"
        elif last in self.pets or one in self.pets:
            head = self.pets.get(last) or f"{self.pets[one]}s"
            kept = []
        else:
            return " ".join([word for word in words[:-1] if word not in _UNSAID] + [last])
        return " ".join([*kept, "children" if head == "childs" else head])


def _says(relation: Relation) -> tuple[Phrase, ...]:
    return relation.says


def _mainly(relation: Relation) -> tuple[Phrase, ...]:
    return () if relation.also else relation.says


def _beside(relation: Relation) -> tuple[Phrase, ...]:
    return relation.says if relation.also else ()


def _timed(relation: Relation) -> tuple[Phrase, ...]:
    return relation.says if relation.timed else ()


def _ends(relation: Relation) -> tuple[Phrase, ...]:
    return relation.ends


def _denies(relation: Relation) -> tuple[Phrase, ...]:
    return relation.denies


def _nouns(relation: Relation) -> tuple[Phrase, ...]:
    return relation.nouns


class _PhraseIndex:
    """Phrases of some relations by the words that they can begin with: trying all of them was a
    third of the time that reading a sentence took."""

    def __init__(self, relations: Sequence[Relation], phrases: PhrasesOf) -> None:
        every = [(relation, phrase) for relation in relations for phrase in phrases(relation)]
        heads = {head for _, phrase in every for head in phrase.heads or ()}
        self._with_any_head = tuple(one for one in every if one[1].heads is None)
        self._by_head = {
            head: tuple(one for one in every if one[1].heads is None or head in one[1].heads)
            for head in heads
        }

    def beginning_like(self, text: str) -> Sequence[tuple[Relation, Phrase]]:
        """Those that a text may be, as its first word has it, in the order of the relations."""
        return self._by_head.get(text.split(" ", 1)[0].lower(), self._with_any_head)


def _reading(relation: Relation, phrase: Phrase, match: re.Match[str]) -> Reading:
    found = match.groupdict()
    value = found.get("v") or ""
    return Reading(
        relation,
        value.strip() if phrase.constant is None else phrase.constant,
        found.get("old"),
        _kind(found.get("kind")),
        found.get("thing"),
    )


def _relation_and_value(text: str) -> tuple[str, str]:
    relation, _, value = text.partition(" ")
    return relation, value


def _kind(text: str | None) -> str | None:
    """A part of a relation as it is stored: "favourite colours" and "favourite colour" are one."""
    if text is None:
        return None
    low = text.lower()
    plural = low.endswith("s") and not low.endswith(("ss", "us", "series", "news", "sports", "ies"))
    return low[:-1] if plural else low


def _heads(text: str) -> frozenset[str] | None:
    """The first words of all texts that a pattern may fit, where these are plain words."""
    word = re.match(r"[a-z]+(?=[ ]|$)", text)
    if word is not None:
        return frozenset({word.group()})
    group = re.match(r"\(\?:([a-z |]+)\) ", text)
    if group is not None:
        return frozenset(option.split(" ")[0] for option in group[1].split("|"))
    return None


def _any(words: Mapping[str, str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


@lru_cache
def relation_book() -> RelationBook:
    """The English relations, read once."""
    source = files("lobug.language") / "en" / "claims" / "relations.toml"
    return RelationBook(tomllib.loads(source.read_text(encoding="utf-8")))
