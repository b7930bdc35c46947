"""Finds in which relations a change belongs: karate, held as a hobby, may be given up as a sport.

Reads memory and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lobug.language.claims import ANY_RELATION, COUPLE, STATEMENT, USER, Claim, ClaimReader, Path
from lobug.memory.claims.completion import alike, is_plausible
from lobug.memory.claims.held_claims import HeldClaims
from lobug.memory.claims.relations import LASTING, PARTNER
from lobug.memory.claims.subjects import Subjects, plain


class Placement:
    """Places the claims of one utterance."""

    def __init__(self, held: HeldClaims, reader: ClaimReader) -> None:
        self._held = held
        self._reader = reader
        self._moved: dict[str, str] = {}
        """Relations of endings, with that in which memory held what has ended."""

    def place(self, claim: Claim) -> list[Claim]:
        """A change in the relations in which memory holds what has changed: who did karate as a
        hobby has given it up as a sport too."""
        if claim.relation == ANY_RELATION:
            return self._of_any(claim)
        if claim.holds and claim.relation in self._moved and claim.value[:1].isupper():
            return [replace(claim, relation=self._moved[claim.relation])]
        if not (claim.ended and claim.value):
            return [claim]
        left = self._one_less(claim)
        if left is not None:
            return [replace(claim, value=left, holds=True, ended=False)]
        rules = self._reader.rules(claim.relation)
        akin = rules.akin if rules is not None else ()
        held = [
            one
            for one in self._held.valued_alike(claim.subject, claim.value)
            if one.relation in akin
        ]
        if not held:
            return [claim]
        found = [replace(claim, relation=one.relation, kind=one.kind) for one in held]
        if self._held.is_held(claim.subject, claim.relation, claim.kind, claim.value):
            return [claim, *found]
        self._moved[claim.relation] = held[-1].relation
        return found

    def _one_less(self, claim: Claim) -> str | None:
        """What is left of those that were counted: "three hens", of which one died."""
        for one in self._held.slot(claim.subject, claim.relation, claim.kind):
            counted = one.status == "active" and one.holds
            if counted and self._reader.recounts(one.value, claim.value):
                return self._reader.one_less(one.value)
        return None

    def _of_any(self, claim: Claim) -> list[Claim]:
        """A change of an unnamed relation: "I've switched from law to history"."""
        wrong = claim.instead_of if claim.holds else claim.value
        found = self._restated(claim) if claim.holds else []
        for one in self._held.valued_alike(claim.subject, wrong or "", of_things=claim.holds):
            rules = self._reader.rules(one.relation)
            if rules is None or rules.fixed or rules.opposite:
                continue
            if one.relation in LASTING and not claim.holds:
                continue
            said = replace(claim, subject=one.subject, relation=one.relation, kind=one.kind)
            if claim.holds:
                right = self._reader.put_right(one.value, wrong, claim.value) or claim.value
                said = replace(said, value=right, instead_of=None)
            if claim.holds and not (
                is_plausible(self._reader, said) or alike(one.value, claim.value)
            ):
                continue
            if not (claim.holds and rules.one):
                found.append(replace(said, value=one.value, holds=False, ended=True))
            if claim.holds:
                found.append(said)
        return found

    def _restated(self, claim: Claim) -> list[Claim]:
        """Statements of no relation with the new value: "I code in Rust" of "I code in Python"."""
        found: list[Claim] = []
        for one in self._held.of_relation(STATEMENT):
            if one.status != "active" or not claim.instead_of or one.kind:
                continue
            text = self._reader.put_right(one.value, claim.instead_of, claim.value)
            if text is not None and text != one.value and claim.subject == USER:
                found.append(replace(one.claim, holds=False, ended=True))
                found.append(replace(one.claim, value=text, text=text))
        return found

    def of_couple(self, claims: Sequence[Claim]) -> list[Claim]:
        """The claims, those of the couple said of the one of the two of whom they are true."""
        found: list[Claim] = []
        for claim in claims:
            if claim.subject != COUPLE:
                found.append(claim)
                continue
            rules = self._reader.rules(PARTNER)
            nouns = rules.entities if rules is not None else frozenset()
            held = self._held.of_relation(claim.relation)
            found += [
                replace(claim, subject=plain(one.subject))
                for one in held
                if one.status == "active"
                and (one.subject == USER or (len(one.subject) == 2 and one.subject[1] in nouns))
            ]
        return found

    def event(self, subject: Path, known: Subjects) -> Path:
        """The one event that a short word for it means: of "the appointment", the only one."""
        if subject in known.known:
            return subject
        last = f" {subject[-1]}"
        longer = [one for one in known.known if one[0] == USER[0] and one[-1].endswith(last)]
        return longer[0] if len(longer) == 1 else subject
