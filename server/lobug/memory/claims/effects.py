"""What follows from a claim: a dog that died is no pet any more, a sold car has no colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

from lobug.language.claims import STATEMENT, Claim, ClaimReader, Path, RelationRules
from lobug.memory import claim_rows
from lobug.memory.claim_rows import KnownClaim
from lobug.memory.claims.claim_writer import ClaimWriter, Origin
from lobug.memory.claims.decision import Retirement
from lobug.memory.claims.held_claims import HeldClaims
from lobug.memory.claims.relations import (
    DEAD,
    DEPARTED,
    HOLDERS,
    KIND,
    LENT,
    NAME,
    PARTNER,
    PET,
    RELATIVE,
)
from lobug.memory.claims.subjects import plain
from lobug.memory.index import entry_index
from lobug.storage.connection import Connection

MOST_OVERTAKEN = 300
"""Entries with a word of a statement, the latest, of which one may be what it says is over."""


class Effects:
    """Carries out what follows from the claims of one origin."""

    def __init__(
        self,
        connection: Connection,
        reader: ClaimReader,
        origin: Origin,
        held: HeldClaims,
        writer: ClaimWriter,
    ) -> None:
        self._connection = connection
        self._reader = reader
        self._origin = origin
        self._held = held
        self._writer = writer

    def follow(self, claim: Claim) -> list[Claim]:
        """Retire what is over by a claim. Returns what it claims besides."""
        if claim.past or claim.planned:
            return []
        over = claim.ended or not claim.holds or claim.moves
        stated = claim.relation == STATEMENT
        if stated or over or claim.corrects:
            self.overtake(claim)
        if stated:
            return []
        besides: list[Claim] = []
        if claim.relation == KIND and claim.corrects and claim.instead_of is not None:
            besides += self._put_pet_right(claim, claim.instead_of)
        rules = self._reader.rules(claim.relation)
        if rules is not None and claim.holds:
            self._exclude(claim, rules)
        if claim.relation in DEPARTED and claim.holds:
            besides += self._depart(claim)
        if claim.relation == LENT and claim.ended:
            self._bring_back(claim)
        if claim.relation in HOLDERS and (claim.ended or not claim.holds):
            parts = self._parts(claim)
            for part in parts:
                self._end(self._held.under(part))
            if claim.relation == PARTNER and (parts or not claim.value):
                self._end_partners(claim)
        return besides

    def _end(
        self,
        known: Iterable[KnownClaim],
        reason: Literal["corrected", "superseded"] = "superseded",
        *,
        where: Callable[[KnownClaim], bool] | None = None,
    ) -> list[KnownClaim]:
        """Retire what is believed and was said no later than the claim; returns it."""
        ended = [
            one
            for one in known
            if one.status == "active"
            and one.said_at <= self._origin.said_at
            and (where is None or where(one))
        ]
        for one in ended:
            self._writer.retire(Retirement(one, reason))
        return ended

    def overtake(self, claim: Claim) -> None:
        """Make past what is no longer so by the words of a claim, where one of the two is of no
        relation."""
        said = claim.value if claim.relation == STATEMENT else claim.text
        wanted = self._reader.asked_words(said)
        ids = entry_index.with_any_of(self._connection, self._origin.user, wanted)
        known = claim_rows.of_entries(self._connection, self._origin.user, ids[-MOST_OVERTAKEN:])
        outcome = self._writer.outcome
        made = {*outcome.stored, *outcome.same}
        overtakes = self._reader.overtaking(claim)

        def is_overtaken(one: KnownClaim) -> bool:
            # What relations say of each other is decided by their values.
            free = STATEMENT in {claim.relation, one.relation}
            if claim.relation == STATEMENT and claim.kind:
                free = one.relation == STATEMENT  # its relation is decided already
            older = one.holds and one.entry_id not in made
            return older and free and overtakes(one.content)

        reason: Literal["corrected", "superseded"] = "corrected" if claim.corrects else "superseded"
        for one in self._end(reversed(known), reason, where=is_overtaken):
            for new in outcome.stored[-1:]:
                self._writer.replace(one.entry_id, new)

    def _bring_back(self, claim: Claim) -> None:
        """What was lent is no longer where it was lent to."""
        self._end(self._held.slot(claim.subject, "location", ""))

    def _depart(self, claim: Claim) -> list[Claim]:
        """Who has died or gone is nobody's any more. Returns what is left of those counted."""
        if claim.relation == DEAD:
            self._end_life(claim.subject)
        return self._end_holding(claim.subject) if len(claim.subject) > 1 else []

    def _put_pet_right(self, claim: Claim, wrong: str) -> list[Claim]:
        """Whose Toby is a basset has no beagle. Returns the pet as it is."""
        pets = self._held.slot(claim.subject[:-1], PET, "")
        right = [
            replace(one.claim, value=claim.value, corrects=True, instead_of=wrong, text=claim.text)
            for one in pets
            if one.status == "active" and one.value.lower() == wrong.lower()
        ]
        if plain(claim.subject)[-1] == wrong.lower():
            moved = (*claim.subject[:-1], claim.value.lower())
            self._writer.move(claim.subject, moved)
            self._writer.rename(replace(claim, subject=moved), [wrong])
        return right

    def _end_partners(self, claim: Claim) -> None:
        """Whoever is single has no boyfriend, of whom was told as a relative."""
        rules = self._reader.rules(PARTNER)
        nouns = rules.entities if rules is not None else frozenset()
        self._end(
            self._held.slot(claim.subject, RELATIVE, ""),
            where=lambda one: one.holds and _last_word(one.value) in nouns,
        )

    def _exclude(self, claim: Claim, rules: RelationRules) -> None:
        """Whoever hates olives does not like them, and whoever has a partner is single no more."""
        partner = self._reader.rules(PARTNER)
        if claim.relation == RELATIVE and partner is not None:
            if claim.value.lower() not in partner.entities:
                return
            rules = partner
            for known in self._held.slot(claim.subject, PARTNER, ""):
                if known.status == "active" and not known.holds:
                    self._writer.retire(Retirement(known, "superseded"))
        if rules.opposite:
            self._end_opposite(claim, rules.opposite)
        for relation, value in rules.undoes:
            for known in self._held.slot(claim.subject, relation, ""):
                older = known.said_at < self._origin.said_at
                if known.status == "active" and known.holds and known.value == value and older:
                    self._writer.retire(Retirement(known, "superseded"))

    def _end_opposite(self, claim: Claim, relation: str) -> None:
        """Whoever hates olives does not like them any more."""
        self._end(
            self._held.slot(claim.subject, relation, claim.kind),
            "corrected" if claim.corrects else "superseded",
            where=lambda one: (
                one.holds and self._reader.same_value(relation, one.value, claim.value)
            ),
        )

    def _end_life(self, subject: Path) -> None:
        """When somebody has died, keep only what never changes about them."""
        own = [one for one in self._held.under(subject) if one.subject == subject]
        for known in own:
            if known.relation == NAME and known.status == "active":
                self._writer.reword(
                    known, known.claim, self._held.sentence(replace(known.claim, past=True))
                )
        self._end(own, where=lambda one: not self._lasts(one.relation))

    def _lasts(self, relation: str) -> bool:
        """Whether a relation still holds after somebody's death: a birthplace, not a job."""
        rules = self._reader.rules(relation)
        return relation in {DEAD, NAME, KIND} or (rules is not None and rules.fixed)

    def _end_holding(self, subject: Path) -> list[Claim]:
        """End that an animal is its owner's. Returns what is left: "two cats" of "three cats"."""
        noun = plain(subject)[-1]
        ended = self._end(
            self._held.slot(subject[:-1], PET, ""),
            where=lambda one: one.holds and self._reader.same_value(PET, one.value, noun),
        )
        left = [(one, self._reader.one_less(one.value)) for one in ended]
        return [
            replace(one.claim, value=value, holds=True, ended=False)
            for one, value in left
            if value is not None
        ]

    def _parts(self, claim: Claim) -> list[Path]:
        """The subjects that a value stands for: of the partner Mia the girlfriend of that name."""
        rules = self._reader.rules(claim.relation)
        nouns = {claim.relation, *(rules.entities if rules else ())}
        if claim.value:
            nouns.add(_last_word(claim.value))
        length = len(claim.subject) + 1
        return [
            one
            for one in self._held.known_subjects()
            if len(one) == length
            and one[:-1] == claim.subject
            and plain(one)[-1] in nouns
            and self._is_meant(one, claim.value)
        ]

    def _is_meant(self, subject: Path, value: str) -> bool:
        """Whether a value names a subject, by its noun, name or kind."""
        if not value or plain(subject)[-1] in value.lower().split():
            return True
        return any(
            one.subject == subject
            and one.relation in {NAME, KIND}
            and one.status == "active"
            and self._reader.same_value(NAME, one.value, value)
            for one in self._held.under(subject)
        )


def _last_word(value: str) -> str:
    return "".join(value.lower().split()[-1:])
