"""The relations of ``relations.toml``, and which of them a predicate, a noun or a question names.

English. Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from lobug.language.claims import RelationRules
from lobug.language.en.claims.clause_parser import DATE, MONTH, POINT
from lobug.language.protocol import FactType

Kind = Literal["person", "pet", "thing", "named"]
"""What a subject is; ``named``: it has a name, and nobody has said of whom or what."""


def _alternatives(section: Mapping[str, str]) -> dict[str, str]:
    """Each word of a table, and the word that it stands for."""
    return {
        word: canonical
        for canonical, others in section.items()
        for word in [canonical, *others.split(",")]
        if word
    }


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation."""

    id: str
    of: frozenset[str]
    one: bool
    fixed: bool
    fact_type: FactType
    says: tuple[re.Pattern[str], ...]
    nouns: tuple[re.Pattern[str], ...]
    ends: tuple[re.Pattern[str], ...]
    asks: tuple[re.Pattern[str], ...]
    fact: str
    was: str
    denied: str
    topic: str

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


class RelationBook:
    """All relations, in their order."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.kin = _alternatives(data["kin"])
        self.pets = _alternatives(data["pets"])
        values = {
            **data["values"],
            "kin": rf"(?:{_any(self.kin)})s?",
            "pet": rf"(?:{_any(self.pets)})s?",
            "date": DATE,
            "when": WHEN,
        }

        def compiled(pattern: str) -> re.Pattern[str]:
            captured = "(?P<v>" in pattern

            def macro(match: re.Match[str]) -> str:
                name = match[1].removeprefix("v:")
                if name == "a":
                    return "(?:an? |the )?"
                if name == "old":
                    return "(?P<old>.+?)"
                value = ".+" if name == "v" else values[name]
                return f"(?:{value})" if captured else f"(?P<v>{value})"

            return re.compile(re.sub(r"\{((?:v:)?[a-z_]+)\}", macro, pattern), re.IGNORECASE)

        def several(entry: Mapping[str, Any], name: str) -> tuple[re.Pattern[str], ...]:
            return tuple(map(compiled, entry.get(name, ())))

        self.relations = tuple(
            Relation(
                id=name,
                of=frozenset(entry.get("of", "person").split()),
                one=entry.get("one", False),
                fixed=entry.get("fixed", False),
                fact_type=entry.get("fact_type", "personal"),
                says=several(entry, "says"),
                nouns=several(entry, "nouns"),
                ends=several(entry, "ends"),
                asks=several(entry, "asks"),
                fact=entry["fact"],
                was=entry["was"],
                denied=entry.get("denied", ""),
                topic=entry["topic"],
            )
            for name, entry in data["relation"].items()
        )
        self.by_id = {relation.id: relation for relation in self.relations}

    def rules(self, relation: str) -> RelationRules | None:
        """What code must know of a relation."""
        found = self.by_id.get(relation)
        if found is None:
            return None
        rank = self.relations.index(found)
        return RelationRules(found.id, rank, found.one, found.fixed, found.fact_type)

    def said(self, predicate: str, kind: Kind, *, ends: bool = False) -> Reading | None:
        """The relation that a predicate states; ``ends``: that it ends."""
        return self._first(predicate, kind, lambda r: r.ends if ends else r.says)

    def noun(self, noun: str, kind: Kind) -> Reading | None:
        """The relation that a noun names: "birthday"; without a value."""
        return self._first(noun, kind, lambda relation: relation.nouns)

    def asked(self, question: str, kind: Kind) -> Reading | None:
        """The relation that a question asks for, without auxiliary and subject: "where live"."""
        return self._first(question, kind, lambda relation: relation.asks)

    def _first(
        self, text: str, kind: Kind, patterns: Callable[[Relation], tuple[re.Pattern[str], ...]]
    ) -> Reading | None:
        for relation in self.relations:
            if relation.is_of(kind):
                for pattern in patterns(relation):
                    match = pattern.fullmatch(text)
                    if match is not None:
                        return _reading(relation, match)
        return None

    def kind_of(self, path: Sequence[str]) -> Kind:
        """What the last of a path of owners is."""
        last = path[-1]
        head = last.split()[-1] if last else ""
        if last in {"user", "he", "she", "they"} or head in self.kin or head.rstrip("s") in self.kin:
            return "person"
        if head in self.pets or head.rstrip("s") in self.pets:
            return "pet"
        return "named" if len(path) == 1 and last not in {"it", "that"} else "thing"


def _reading(relation: Relation, match: re.Match[str]) -> Reading:
    found = match.groupdict()
    return Reading(
        relation,
        (found.get("v") or "").strip(),
        found.get("old"),
        found.get("kind"),
        found.get("thing"),
    )


def _any(words: Mapping[str, str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


CLOCK = r"(?:\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?| o'?clock)?|(?:half |quarter )?(?:past |to )?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: thirty| fifteen| forty-five)?(?: o'?clock)?|noon|midnight|midday)"
WHEN = (
    rf"(?:(?:on|in|at|by|around|from|next|this|until|before|after) )*(?:the )?(?:{POINT}|{DATE}|{CLOCK}|{MONTH})"
    rf"(?:(?:,)? (?:at|on|in|from|the|around|until|to|and|morning|afternoon|evening|night|{CLOCK}|{POINT}|{DATE}))*"
)


@lru_cache
def relation_book() -> RelationBook:
    """The English relations, read once."""
    source = files("lobug.language") / "en" / "claims" / "relations.toml"
    return RelationBook(tomllib.loads(source.read_text(encoding="utf-8")))
