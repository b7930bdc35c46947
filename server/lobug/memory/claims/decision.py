"""Decides what a claim does to what memory knows of its subject and relation. Pure.

Claims are ordered by when they were said, not by when they were read: older words never override
younger ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.language.claims import Claim, RelationRules
from lobug.memory.claim_rows import KnownClaim

SameValue = Callable[[str, str], bool]
"""Whether two values of the relation are the same."""
Recounts = Callable[[str, str], bool]
"""Whether two values give another number of the same: "two cats", "three cats"."""


def never(_one: str, _other: str) -> bool:
    """Nothing is counted."""
    return False


@dataclass(frozen=True, slots=True)
class Retirement:
    """An entry that stops being believed: it is past (it was so) or it was wrong."""

    known: KnownClaim
    reason: Literal["superseded", "corrected"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a claim does."""

    retired: tuple[Retirement, ...] = ()
    insert: Literal["active", "past"] | None = None
    """What the claim becomes; None: nothing, because it is known, or was taken back since."""
    same: KnownClaim | None = None
    """The entry that says it already."""


def decide(
    claim: Claim,
    said_at: float,
    known: Sequence[KnownClaim],
    rules: RelationRules,
    same_value: SameValue,
    recounts: Recounts = never,
) -> Decision:
    """What a claim does to ``known``, the claims of the same subject, relation and kind."""

    def alike(one: KnownClaim) -> bool:
        return one.value == claim.value or bool(
            one.value and claim.value and same_value(one.value, claim.value)
        )

    if _taken_back(claim, said_at, known, alike):
        return Decision()
    if claim.past:
        told = next((one for one in known if one.holds and alike(one)), None)
        return Decision(insert=None if told else "past", same=told)
    if not claim.holds:
        return _denied(claim, said_at, known, rules, alike)
    return _stated(claim, said_at, known, rules, same_value, recounts, alike)


def _taken_back(
    claim: Claim, said_at: float, known: Sequence[KnownClaim], alike: Callable[[KnownClaim], bool]
) -> bool:
    """Whether the very claim was put right or removed after it was said."""
    return any(
        one.status == "inactive"
        and one.holds == claim.holds
        and alike(one)
        and (one.expired_at or 0.0) > said_at
        for one in known
    )


def _denied(
    claim: Claim,
    said_at: float,
    known: Sequence[KnownClaim],
    rules: RelationRules,
    alike: Callable[[KnownClaim], bool],
) -> Decision:
    meant = [one for one in known if one.holds and (not claim.value or alike(one))]
    active = [one for one in meant if one.status == "active"]
    if any(one.said_at > said_at for one in active):
        return Decision()  # it has become so since
    wrong = claim.corrects and not claim.ended
    retired = tuple(Retirement(one, "corrected" if wrong else "superseded") for one in active)
    past = next((one for one in meant if one.status == "past"), None)
    if claim.ended and (active or past):
        return Decision(retired, same=past)  # what is past tells that it is over
    if claim.ended and claim.value:
        return Decision(insert="past")
    told = next(
        (one for one in known if one.status == "active" and not one.holds and alike(one)), None
    )
    if told is not None or (rules.one and claim.value and _has_other(known)):
        return Decision(retired, same=told)  # "not London" adds nothing to "Oxford"
    return Decision(retired, insert="active")


def _has_other(known: Sequence[KnownClaim]) -> bool:
    return any(one.status == "active" and one.holds for one in known)


def _stated(
    claim: Claim,
    said_at: float,
    known: Sequence[KnownClaim],
    rules: RelationRules,
    same_value: SameValue,
    recounts: Recounts,
    alike: Callable[[KnownClaim], bool],
) -> Decision:
    active = [one for one in known if one.status == "active"]
    denials = [one for one in active if not one.holds and (not one.value or alike(one))]
    over = [one for one in known if one.status == "past" and one.holds and alike(one)]
    if any((one.valid_until or 0.0) > said_at for one in over):
        return Decision(same=over[-1])  # said before it ended
    if any(one.said_at > said_at for one in denials):
        return Decision(insert="past")
    no_more = tuple(Retirement(one, "superseded") for one in denials)
    told = next((one for one in active if one.holds and alike(one)), None)
    exactly = next(
        (one for one in active if one.holds and one.value.lower() == claim.value.lower()), None
    )
    counted = told is not None and recounts(told.value, claim.value)
    if (claim.corrects or counted) and told is not None and told.said_at <= said_at:
        told = exactly  # "he's a head teacher" puts "a teacher" right, "three cats" "two cats"
    instead = claim.instead_of
    others = [
        one
        for one in active
        if one.holds
        and one is not told
        and (
            rules.one
            or (instead is not None and same_value(one.value, instead))
            or (claim.corrects and alike(one))
            or recounts(one.value, claim.value)
        )
    ]
    newer = [one for one in others if one.said_at > said_at]
    if newer and told is None:
        final = rules.fixed or any(one.source == "correction" for one in newer)
        return Decision(insert=None if final else "past")
    wrong = claim.corrects or instead is not None or rules.fixed
    retired = tuple(
        Retirement(one, "corrected" if wrong else "superseded")
        for one in others
        if one.said_at <= said_at
    )
    if told is not None:
        return Decision(no_more + retired, same=told)
    return Decision(no_more + retired, insert="active")
