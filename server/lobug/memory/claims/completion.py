"""Completes bare values and subjects by what was said before: "in 1933", "that's my cousin".

Reads memory and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lobug.language.claims import STATEMENT, USER, Claim, ClaimReader, Fragment, Heard, Path
from lobug.memory.claim_rows import Referent
from lobug.memory.claims import subjects
from lobug.memory.claims.held_claims import HeldClaims
from lobug.memory.claims.relations import JOB, NAME
from lobug.memory.claims.subjects import Ambiguous, Subjects, plain


class Completion:
    """Completes the fragments of one user's utterances."""

    def __init__(self, held: HeldClaims, reader: ClaimReader) -> None:
        self._held = held
        self._reader = reader

    def complete(self, fragment: Fragment, referents: Sequence[Referent]) -> tuple[Claim, ...]:
        """The claims that a bare value or subject makes of what was talked about; empty: it fits
        nothing."""
        if fragment.own:
            referents = _own(referents)
        if fragment.subject is not None:
            return self._of_another(fragment, fragment.subject, referents)
        claim = self._only_wrong(fragment, referents)
        if claim is None and fragment.value:
            claim = self._named_wrong(fragment, referents) or self._valued(fragment, referents)
        if claim is None and fragment.value:
            return self._of_another_name(fragment, referents)
        return () if claim is None else (claim, *self._beside(claim))

    def _named_wrong(self, fragment: Fragment, referents: Sequence[Referent]) -> Claim | None:
        """ "Not warfarin, it's apixaban": memory holds the wrong value, so the right one is of the
        same relation, though the reader may not know it."""
        instead = fragment.instead_of
        for one in referents if instead else ():
            if one.relation == STATEMENT or not alike(fragment.value, instead or ""):
                continue
            for held in self._held.slot(one.subject, one.relation, one.kind):
                is_held = held.status == "active" and held.holds
                if is_held and held.value.lower() == (instead or "").lower():
                    return replace(
                        held.claim,
                        value=fragment.value,
                        corrects=True,
                        instead_of=held.value,
                        text=fragment.text,
                    )
        return None

    def _of_another_name(
        self, fragment: Fragment, referents: Sequence[Referent]
    ) -> tuple[Claim, ...]:
        """ "Bella has a vet appointment", "Not Bella, Bruno"."""
        known = self._held.subjects(referents)
        wrong = (fragment.instead_of or "").lower()
        meant = subjects.resolve((fragment.value.lower(),), known, self._reader.refers)
        if not wrong or meant is None or isinstance(meant, Ambiguous):
            return ()
        of_wrong = [
            one
            for one in referents
            if one.relation != NAME
            and wrong in {plain(one.subject)[-1], known.names.get(one.subject, "").lower()}
        ]
        return self._of_another(fragment, meant, of_wrong[:1])

    def _beside(self, claim: Claim) -> list[Claim]:
        """The statement kept beside a claim for a time in it, with the right value: "I drive to
        Antwerp on Mondays"."""
        found: list[Claim] = []
        if claim.relation == STATEMENT or not claim.holds:
            return found
        kept = self._held.of_relation(STATEMENT)
        for wrong in self._held.slot(claim.subject, claim.relation, claim.kind):
            if wrong.status != "active" or not wrong.value or wrong.message_id is None:
                continue
            if claim.instead_of not in {None, wrong.value}:
                continue
            for one in kept:
                if one.status != "active" or one.message_id != wrong.message_id or not one.kind:
                    continue
                right = self._reader.put_right(one.value, wrong.value, claim.value)
                if right is not None:
                    said = replace(one.claim, value=right, corrects=True, instead_of=one.value)
                    found.append(replace(said, text=claim.text))
        return found

    def _only_wrong(self, fragment: Fragment, referents: Sequence[Referent]) -> Claim | None:
        """ "No, not milk": what was said last of it is denied."""
        if not fragment.instead_of:
            return None
        wrong = f"{fragment.instead_of} {fragment.value}"  # "not peanut butter"
        for one in referents:
            for held in self._held.slot(one.subject, one.relation, one.kind):
                if held.status != "active" or not held.holds or one.relation == STATEMENT:
                    continue
                named = held.value.lower() == wrong.lower()
                if not fragment.value:
                    named = self._reader.same_value(one.relation, held.value, fragment.instead_of)
                if named:
                    return replace(held.claim, holds=False, corrects=True, text=fragment.text)
        return None

    def _of_another(
        self, fragment: Fragment, subject: Path, referents: Sequence[Referent]
    ) -> tuple[Claim, ...]:
        """ "Not my sister, my cousin": what was said last of the sister is said of the cousin."""
        wrong = fragment.instead_of_subject
        for one in referents:
            person = not self._reader.refers("it", (*USER, one.value.lower()))
            if one.subject == USER and wrong is None and (person or not fragment.points):
                continue  # "I live with my mother. No, my aunt."
            if wrong is not None and plain(one.subject) != wrong:
                continue
            if subject in {one.subject, plain(one.subject)}:
                continue
            if not self._held.is_held(one.subject, one.relation, one.kind, one.value):
                continue
            return (
                Claim(
                    subject,
                    one.relation,
                    one.value,
                    one.kind,
                    corrects=True,
                    instead_of_subject=one.subject,
                    text=fragment.text,
                ),
            )
        return ()

    def _valued(self, fragment: Fragment, referents: Sequence[Referent]) -> Claim | None:
        for one in referents:
            claim = self._with_value(one, fragment) if self._may_be_of(fragment, one) else None
            if claim is None:
                continue
            if one.relation == STATEMENT:
                if claim.value != fragment.value:
                    return claim
                continue
            if is_plausible(self._reader, claim):
                return self._better(claim, one, fragment, referents)
            if fragment.sure and one is referents[0] and alike(claim.value, one.value):
                return claim  # a medicine that the reader does not know
        return None

    def _with_value(self, one: Referent, fragment: Fragment) -> Claim | None:
        """What was talked about with a bare value put into it; None: it has no such wrong value."""
        rules = self._reader.rules(one.relation)
        if rules is None:
            return None
        instead = wrong = fragment.instead_of
        value: str | None = fragment.value
        known = self._held.slot(one.subject, one.relation, one.kind)
        denied = [k.value for k in known if k.status == "active" and not k.holds]
        if one.value and one.value in denied:  # "I don't like coffee", "I meant tea"
            if not fragment.sure:
                return None  # "I don't have a dog", "no, a cat"
            return Claim(
                one.subject,
                one.relation,
                fragment.value,
                one.kind,
                holds=False,
                corrects=True,
                instead_of=one.value,
                text=fragment.text,
            )

        def put_right(value: str) -> str | None:
            return self._reader.put_right(value, instead, fragment.value)

        if instead is None:
            value = put_right(one.value)
        else:
            held = [k.value for k in known if k.status == "active" and k.holds]
            same = [k for k in held if self._reader.same_value(one.relation, k, instead)]
            if same and same[0].lower() != instead.lower():
                value = put_right(same[0]) or value  # "Professor Lindgren" of "Lindgren"
            if not same:
                wrong = next((k for k in held if put_right(k) is not None), None)
                value = None if wrong is None else put_right(wrong)
        if value is None:
            return None
        if wrong is None and (one.relation == STATEMENT or not rules.one):
            wrong = one.value
        return Claim(
            one.subject,
            one.relation,
            value,
            one.kind,
            corrects=True,
            instead_of=wrong,
            text=fragment.text,
        )

    def _better(
        self, claim: Claim, of: Referent, fragment: Fragment, referents: Sequence[Referent]
    ) -> Claim:
        """Of what was said of one subject in one breath that which the value looks like: "it's
        biochemistry" is no school after "I study biology at Leeds"."""
        value = fragment.value
        if fragment.instead_of or not value[:1].isalpha() or not of.value[:1].isalpha():
            return claim
        after = referents[referents.index(of) + 1 :][:2]
        if value[0].isupper() == of.value[0].isupper():
            return claim
        for one in after:
            alike = one.value[:1].isalpha() and value[0].isupper() == one.value[0].isupper()
            if one.subject == of.subject and one.relation != STATEMENT and alike:
                rules = self._reader.rules(one.relation)
                instead = None if rules is None or rules.one else one.value
                other = replace(
                    claim, relation=one.relation, kind=one.kind, value=value, instead_of=instead
                )
                return other if is_plausible(self._reader, other) else claim
        return claim

    def _may_be_of(self, fragment: Fragment, one: Referent) -> bool:
        """Whether a bare value may be one of what was talked about."""
        said = fragment.pronoun
        if said == "i" and one.subject != USER:
            return False
        if said in {"he", "she"} and not self._reader.refers(said, one.subject):
            return False
        if said == "it" and one.relation == JOB:
            return False
        words = "" if one.relation == STATEMENT else fragment.text
        return self._reader.same_sort(one.value, fragment.value, words)

    def of_others(self, heard: Heard, referents: Sequence[Referent]) -> list[Claim]:
        """What was said last as a claim of those whom "that's my cousin" and "that's Milo" name, if
        the same words tell it of its subject anew."""
        last = referents[0] if referents else None
        if last is None or not self._tells_anew(heard, last, self._held.subjects(referents)):
            return []
        found: list[Claim] = []
        for one in heard.fragments:
            named = one.subject is not None or " " not in one.value  # not "last year's number"
            if one.points and named:
                subject = one.subject or (one.value.lower(),)
                found += self._of_another(replace(one, subject=subject), subject, [last])
        return found

    def goes_on(self, heard: Heard, fragment: Fragment, referents: Sequence[Referent]) -> bool:
        """Whether an utterance goes on to speak of who was named before, who has that name then:
        "No, that's Milo. Luna is three."."""
        names = self._held.subjects(referents).names
        name = names.get(referents[0].subject, "").lower() if referents else ""
        said = [*heard.unread, *(one.text for one in heard.claims)]
        others = " ".join(text for text in said if text != fragment.text).lower()
        spoken_of = re.split(r"[^\w-]+", others)  # also in "Robert's is in May"
        return bool(name) and name in spoken_of and name != fragment.value.lower()

    def _tells_anew(self, heard: Heard, last: Referent, known: Subjects) -> bool:
        """Whether an utterance has another value of what was said last."""
        slot = (last.subject, last.relation, last.kind)
        return any(one.own for one in heard.fragments) or any(
            (subjects.resolve(one.subject, known, self._reader.refers), one.relation, one.kind)
            == slot
            and not self._reader.same_value(one.relation, one.value, last.value)
            for one in heard.claims
        )


def is_plausible(reader: ClaimReader, claim: Claim) -> bool:
    """Whether the value can be one of the relation: its sentence reads as the same claim."""
    sentence = reader.fact(replace(claim, subject=plain(claim.subject)), {})
    return any(
        one.relation == claim.relation and reader.same_value(claim.relation, one.value, claim.value)
        for one in reader.read_fact(sentence)
    )


def alike(value: str, other: str) -> bool:
    """Whether two values look alike: as many words, both names or neither, and no number."""
    return (
        len(value.split()) == len(other.split())
        and value[:1].isupper() == other[:1].isupper()
        and (value + other).replace(" ", "").isalpha()
    )


def _own(referents: Sequence[Referent]) -> list[Referent]:
    """Those of the user and of what they have: "mine" is not my brother's."""
    return [one for one in referents if one.subject[:1] == USER and len(one.subject) <= 2]
