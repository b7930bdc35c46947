"""What an English clause says is done: verb, tense and negation of "haven't been living". Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from lobug.language.en import verbs
from lobug.language.en.claims.lexicon import (
    BE,
    CONTRACTED,
    DETERMINERS,
    DO,
    HAVE,
    NEGATED,
    PARTICIPLES,
    UNREAL,
    WILL,
    Token,
    is_past,
    lemma,
)

Tense = Literal["present", "past", "perfect", "habit", "future", "unreal"]
"""``habit``: "used to"; ``unreal``: "would", "might", "should"."""

PLANNED = frozenset(
    """
    adopt begin buy change fly get go join leave marry move quit relocate retire sell start switch
    travel turn visit drive have divorce get separate graduate
    """.split()
)
"""Verbs whose progressive form speaks of the future: "I'm moving to Paris"."""
_NOT_PROGRESSIVE = frozenset("interesting boring amazing willing missing annoying loving".split())
_UNSURE = frozenset(
    "probably possibly maybe perhaps hardly barely rarely seldom almost nearly".split()
)
_KEPT = frozenset({"much", "very", "so", "too"})
"""Adverbs that stand before an adjective, not before a verb."""


@dataclass(slots=True)
class VerbGroup:
    """A verb with its auxiliaries."""

    verb: str = ""
    """Base form: "live"; "can" stands for "cannot", whose verb is the first of the complement."""
    tense: Tense = "present"
    negated: bool = False
    no_more: bool = False
    """ "No longer"."""
    unsure: bool = False
    """ "Probably", "hardly"."""
    adverbs: list[str] = field(default_factory=list)

    def as_(self, verb: str, tense: Tense) -> VerbGroup:
        self.verb, self.tense = verb, tense
        return self


def verb_group(found: Sequence[Token], at: int) -> tuple[VerbGroup, int] | None:
    """The verb group at an index, and the index after it; None: there is none."""
    return _GroupReader(found).read(at)


class _GroupReader:
    def __init__(self, found: Sequence[Token]) -> None:
        self.found = found
        self.group = VerbGroup()

    def read(self, at: int) -> tuple[VerbGroup, int] | None:
        at = self._skip(at)
        if at >= len(self.found):
            return None
        low = self._auxiliary(at)
        after = self._skip(at + 1)
        following = self._low(after)
        if low == "used" and self._low(at + 1) == "to":
            return self._base(self._skip(at + 2), "habit")
        if low in UNREAL:
            return self._unreal(low, after)
        does = low in DO and following and (after > at + 1 or lemma(following) == following)
        if low in WILL | HAVE | BE or does:
            return self._after_auxiliary(low, after)
        base = lemma(low)
        if base is None or base == "born" or (low.endswith("ing") and low != base):
            return None
        past = is_past(low) or low in {"quit", "split", "put"}
        return self.group.as_(base, "past" if past else "present"), self._skip_weak(at + 1)

    def _after_auxiliary(self, low: str, after: int) -> tuple[VerbGroup, int] | None:
        if low in WILL:
            return self._base(after, "future")
        if low in HAVE:
            return self._have(low, after)
        return self._be(low, after) if low in BE else self._do(low, after)

    def _low(self, at: int) -> str:
        return self.found[at].low if at < len(self.found) else ""

    def _auxiliary(self, at: int) -> str:
        low = self._low(at)
        if low == "wo":
            return "will"
        if low == "ca":
            return "can"
        if low == "'s":
            following = self._low(self._skip(at + 1))
            done = following in PARTICIPLES and following not in {"born", "gone", "died", "married"}
            return "has" if done or following in {"been", "got", "had"} else "is"
        return CONTRACTED.get(low, low)

    def _skip(self, at: int) -> int:
        """The index after adverbs and negations, which are noted."""
        while at < len(self.found):
            low = self._low(at)
            if low in NEGATED:
                self.group.negated = True
            elif low == "no" and self._low(at + 1) in {"longer", "more"}:
                self.group.no_more = True
                at += 1
            elif low in _UNSURE:
                self.group.unsure = True
            elif (low in verbs.ADVERBS and low not in _KEPT) or low in {
                "all",
                "both",
                "even",
                "once",
            }:
                self.group.adverbs.append(low)
            else:
                break
            at += 1
        return at

    def _skip_weak(self, at: int) -> int:
        """ "I live currently in Rome"."""
        return at + 1 if self._low(at) in {"currently", "now", "still", "actually"} else at

    def _unreal(self, low: str, after: int) -> tuple[VerbGroup, int] | None:
        following = self._low(after)
        if low == "can" and self.group.negated:
            return self.group.as_("can", "present"), after
        if low == "can" and following in {"speak", "play"}:
            return self._base(after, "present")
        if low == "would" and following in {"like", "love"} and self._low(after + 1) == "to":
            return self.group.as_("want", "present"), after + 1
        if low == "must" and following in {"take", "wear"}:
            return self._base(after, "present")
        return self._base(after, "unreal")

    def _do(self, low: str, after: int) -> tuple[VerbGroup, int] | None:
        if self._low(after) in {"used", "use"} and self._low(after + 1) == "to":
            return self._base(after + 2, "habit")
        return self._base(after, "past" if low == "did" else "present")

    def _have(self, low: str, after: int) -> tuple[VerbGroup, int] | None:
        following = self._low(after)
        if following == "got" and low != "had":
            return self.group.as_("have", "present"), self._skip(after + 1)
        if following == "to":
            if low == "had":
                return self._base(after + 1, "past")
            if self._low(after + 1) in {"take", "wear", "be"}:
                return self._base(after + 1, "present")
            return self.group.as_("must", "present"), after + 1
        participle = PARTICIPLES.get(following) or lemma(following)
        done = following in PARTICIPLES or verbs.is_past(following) or following.endswith("ed")
        if participle and done and following not in DETERMINERS:
            if following == "been":
                return self._been(after)
            return self.group.as_(participle, "perfect"), self._skip(after + 1)
        return self.group.as_("have", "past" if low == "had" else "present"), after

    def _been(self, after: int) -> tuple[VerbGroup, int]:
        after = self._skip(after + 1)
        following = self._low(after)
        progressive = lemma(following) if following.endswith("ing") else None
        if progressive:
            return self.group.as_(progressive, "present"), after + 1
        return self.group.as_("be", "perfect"), after

    def _be(self, low: str, after: int) -> tuple[VerbGroup, int] | None:
        following = self._low(after)
        tense: Tense = "past" if low in {"was", "were"} else "present"
        if following in {"going", "gonna"}:
            infinitive = after + (1 if following == "gonna" else 2)
            base = lemma(self._low(infinitive))
            to = following == "gonna" or self._low(after + 1) == "to"
            if to and (base == self._low(infinitive) or self._low(infinitive) == "be"):
                return self._base(infinitive, "future" if tense == "present" else "unreal")
        progressive = lemma(following) if following.endswith("ing") else None
        if progressive and following not in _NOT_PROGRESSIVE:
            going_out = progressive == "go" and self._low(after + 1) == "out"
            if progressive in PLANNED and tense == "present" and not going_out:
                tense = "future"
            return self.group.as_(progressive, tense), after + 1
        return self.group.as_("be", tense), after

    def _base(self, at: int, tense: Tense) -> tuple[VerbGroup, int] | None:
        low = self._low(at)
        base = "be" if low == "be" else lemma(low)
        if base is None:
            return None
        if base == "be" and self._low(at + 1).endswith("ing"):
            progressive = lemma(self._low(at + 1))
            if progressive:
                return self.group.as_(progressive, tense), at + 2
        return self.group.as_(base, tense), self._skip_weak(at + 1)
