"""Reads claims from what a person says: plain statements, corrections, endings. English. Pure.

A reader of rules, not of meaning: what it is not sure of it leaves to the chat model. It takes well
under 5 ms for an utterance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lobug.language.claims import (
    STATEMENT,
    USER,
    Claim,
    Fragment,
    Heard,
    Path,
    Refutes,
)
from lobug.language.en import speech_acts
from lobug.language.en.claims import (
    bare_values,
    case_restoration,
    contrasts,
    correction_marks,
    facts,
    free_statements,
    sentences,
    values,
)
from lobug.language.en.claims.openings import unopened
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_parts import begins_clause
from lobug.language.en.claims.statement_claims import claims_in

_IT_IS = re.compile(r"(?:it|that)(?:['\u2019]?s| is)\b", re.IGNORECASE)
_TWO_STATEMENTS = re.compile(
    r"^(?P<one>[^,;]{1,80},? not [^,;]{1,40}?),? (?:and|but) (?P<two>(?:i|my|we|our|he|she|his"
    r"|her)\b.+)$",
    re.IGNORECASE,
)
_THEIRS_AND_MINE = re.compile(
    r"^(?P<one>[^,;.]{3,80}?)(?:[,;] (?:and |but )?| and | but | )"
    r"(?P<two>mine(?:['\u2019]s| is) .+)$",
    re.IGNORECASE,
)
_NAME_AND_MORE = re.compile(
    r"^(?P<one>(?:(?i:i['\u2019]?m|i am)) (?-i:[A-Z][a-z'\u2019-]+)), "
    r"(?P<two>(?:just|on|off|back|from|here|calling|at|in|aged)\b.+)$"
)
""" "I'm Gareth, just got in from work"."""
_USER_THINKS = re.compile(r"^The user thinks\b")
_USER = re.compile(r"\b[Tt]he user(?P<owner>['\u2019]s)?(?=\W|$)")
_SAID = re.compile(r"[\w'\u2019-]+")
TIMED = "timed"
"""Kind of a statement that is kept only because of a time in it; the rest of it is in claims."""
_POINTING: tuple[Path, ...] = (("it",), ("that",))
_BESIDE = re.compile(r"\b(?:too|also|as well|both|another|other|else)\b", re.IGNORECASE)
"""Words which say that something holds in addition to what was said before."""


def read(text: str) -> Heard:
    """The claims of an utterance in the first person."""
    text = case_restoration.restore_apostrophes(text)
    reading = _Reading(text)
    for sentence in sentences.cut(reading.restored):
        reading.take(sentence)
    return reading.heard()


class _Reading:
    """What has been read of an utterance so far."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.restored = case_restoration.restore(text)
        self.claims: list[Claim] = []
        self.changes: list[Claim] = []
        """Changes whose relation memory finds."""
        self.fragments: list[Fragment] = []
        self.unread: list[str] = []
        self.corrects = False
        self.refuted = False
        """They said in plain words that something was wrong."""
        self.refuting: Refutes = "not"
        """Whether they said that what was said last was wrong."""
        self.pending = False
        """The words before only said that something was wrong: "That's wrong. I'm 35."""
        self.wrong: str | None = None
        """What the words before said was not so: "Not Rome. Milan."""
        self.joking = False

    def heard(self) -> Heard:
        if self.joking:
            return Heard(corrects=self.corrects)
        if self.wrong is not None:  # nothing is said to be right
            self.fragments.append(Fragment("", self.wrong, self.original))
        return Heard(
            (*self.changes, *_once(self.claims)),
            tuple(self.fragments),
            self.corrects,
            self.refuted,
            tuple(self.unread),
        )

    def take(self, sentence: str) -> None:
        """Read one sentence."""
        sentence = self._unmarked(correction_marks.unaddressed(sentence))
        if sentences.JOKED.fullmatch(sentence) and not self.claims:
            self.pending, self.refuting = True, "surely"  # what was said before
            return
        if sentences.JOKING.search(sentence):
            self.joking = True
            return
        spelled = correction_marks.unspelled(sentence)
        closed = correction_marks.without_trailing(spelled)
        opening = correction_marks.opening_of(closed)
        rest = correction_marks.unexcused(opening.rest, marked=opening.marked)
        excused = rest != opening.rest
        self.corrects = self.corrects or opening.sure
        self.refuted = self.refuted or opening.sure
        spells = correction_marks.spells(rest)
        if not rest.strip(" .,!?") or spells or correction_marks.is_excuse(rest):
            self.pending = self.pending or opening.marked or spells
            self._refute(opening.refutes)
            return
        # "It's Julia with a J" answers a wrong name; "my name is Erik with a K" need not.
        put_right = spelled != sentence and (
            _IT_IS.match(opening.rest) is not None or not begins_clause(opening.rest)
        )
        stated = sentences.stated(rest)
        if not stated or sentences.NOT_SO.search(stated):
            self.pending, self.wrong, self.refuting = False, None, "not"
            return
        mine = self.corrects and bare_values.MINE.match(stated) is not None
        marked = opening.marked or mine or closed != spelled or excused or self.pending or put_right
        self._refute(opening.refutes)
        self._take_statement(sentence, stated, corrects=marked)
        self.refuting = "not"

    def _unmarked(self, sentence: str) -> str:
        """A sentence without signs that it puts right which are no words at its beginning."""
        if not self.claims:
            sentence = correction_marks.unjoked(sentence)
        again = correction_marks.repeated(sentence)
        if sentence.startswith("*"):  # how what was mistyped is put right
            again = sentence[1:].strip()
        self.pending = self.pending or again is not None
        return sentence if again is None else again

    def _refute(self, refutes: Refutes) -> None:
        if self.refuting != "surely" and refutes != "not":
            self.refuting = refutes

    def _take_statement(self, sentence: str, stated: str, *, corrects: bool) -> None:
        theirs = _THEIRS_AND_MINE.match(stated) if corrects else None
        both = theirs or _TWO_STATEMENTS.match(stated) or _NAME_AND_MORE.match(unopened(stated))
        if both is not None:  # "My name is Morten, not Marten, and I'm 34"
            self._take_statement(both["one"], both["one"], corrects=corrects)
            self._take_statement(both["two"], both["two"], corrects=theirs is not None)
            return
        alone = contrasts.only_wrong(stated, marked=corrects)
        if alone is not None:  # "Not Rome. Milan."
            self.pending, self.wrong = True, alone
            self.corrects = True
            return
        contrast, beside = contrasts.detached(stated)
        if beside:  # "It's on Wednesday, not Tuesday, the vet says"
            self._take_statement(contrast, contrast, corrects=corrects)
            self._take_statement(beside, beside, corrects=False)
            return
        denied = contrasts.DENIED.match(stated)
        body = stated[denied.end() :] if denied else stated
        right, wrong = contrasts.contrast(body)
        sure = corrects or self.wrong is not None
        wrong = wrong or self.wrong
        self.pending, self.wrong = False, None
        not_of = None if wrong is None else bare_values.person_meant(wrong)
        of = bare_values.whom(right) if corrects or not_of is not None else None
        if of is not None and (not_of is None or wrong is not None):
            self._put_right_whom(right, sentence, of, not_of)
            return
        sure = sure or denied is not None
        self._read_right(
            right, wrong, not_of, sentence, corrects=corrects, sure=sure, denied=denied is not None
        )

    def _read_right(
        self,
        right: str,
        wrong: str | None,
        not_of: Path | None,
        sentence: str,
        *,
        corrects: bool,
        sure: bool,
        denied: bool,
    ) -> None:
        """Read what a statement says is so; ``wrong`` and ``not_of`` are what it says is not so.
        ``sure``: all of it puts something right, not only its last clause; ``denied``: it says that
        it is not so."""
        mine = corrects and bare_values.MINE.match(right) is not None
        read = None if mine else claims_in(right, self.original, self.claims, self._as_said)
        claims, whole = ([], False) if read is None else (read.claims, read.whole)
        self.changes += [] if read is None else read.changes
        if denied:
            claims = [replace(claim, holds=False) for claim in claims if claim.holds]
        not_of = None if any(map(_is_kind, claims)) else not_of
        corrects = corrects or wrong is not None or denied
        if wrong is not None and not sure and _may_all_be_both(claims, wrong):
            # "I like tea, not coffee" puts nothing right.
            claims += [replace(claim, value=wrong, holds=False) for claim in claims[:1]]
            corrects, wrong = False, None
        claims = self._marked(claims, right, wrong, not_of, corrects=corrects, every=sure)
        bare = unopened(right) if corrects else right
        value = None if claims or denied else bare_values.fragment(bare, marked=corrects)
        self._keep(claims, value, wrong, right, sentence)
        if claims or value is not None:
            self.corrects = self.corrects or corrects
        if (claims and not whole) or not (claims or value or speech_acts.is_small_talk(right)):
            self._leave(sentence)
        if claims and whole:
            self._keep_time(right, claims, corrects=corrects)
        elif claims and read is not None:
            self.claims += [self._as_stated(text, corrects=corrects) for text in read.kept]
        elif value is None and not denied:
            self._read_tail(right, wrong, sentence, corrects=corrects)

    def _put_right_whom(self, right: str, sentence: str, of: Path, not_of: Path | None) -> None:
        """ "Not my sister, my cousin": who the last statement is true of."""
        points, said = bare_values.points_at(right), self._as_said(sentence)
        self.fragments.append(Fragment("", None, said, of, not_of, points=points))
        self.corrects = True

    def _read_tail(self, right: str, wrong: str | None, sentence: str, *, corrects: bool) -> None:
        """A statement of which nothing was read: the value at its end, where it puts something
        right, or all of it as it was said."""
        found = bare_values.at_end(right, corrects=corrects, contrasted=wrong is not None)
        if found is not None:
            value, pronoun = found
            said, sure = self._as_said(sentence), self.refuting == "surely"
            kept = self._kept(right)
            whole = () if kept is None else (self._as_stated(kept, corrects=True),)
            own = bare_values.MINE.match(right) is not None
            points = bare_values.points_at(right)
            self.fragments.append(
                Fragment(
                    value,
                    wrong,
                    said,
                    sure=sure,
                    pronoun=pronoun,
                    points=points,
                    own=own,
                    otherwise=whole,
                )
            )
            self.corrects = True
        else:
            self._keep_as_said(right, sentence, corrects=corrects)

    def _keep_time(self, stated: str, claims: list[Claim], *, corrects: bool) -> None:
        """Keep a statement whose claims have lost a time of it."""
        if any(claim.past or claim.ended or not claim.holds for claim in claims):
            return
        told = " ".join(facts.fact(claim, {}) for claim in claims if not claim.planned)
        text = free_statements.timed(self._as_said(stated), told)
        if text is not None:
            self.claims.append(Claim(USER, STATEMENT, text, TIMED, corrects=corrects, text=text))

    def _keep_as_said(self, stated: str, sentence: str, *, corrects: bool) -> None:
        """Keep a statement of which no relation was read."""
        if speech_acts.is_question(sentence):
            return
        for part in free_statements.parts(self._as_said(stated)):
            text = self._kept(part)
            if text is not None:
                self.claims.append(self._as_stated(text, corrects=corrects))
                self.corrects = self.corrects or corrects

    def _kept(self, stated: str) -> str | None:
        """What is worth keeping of a statement, if all its words were said."""
        text = free_statements.kept(self._as_said(stated))
        said = {word.lower() for word in _SAID.findall(self.original)}
        if text is None or not {word.lower() for word in _SAID.findall(text)} <= said:
            return None
        return text

    def _as_stated(self, text: str, *, corrects: bool) -> Claim:
        return Claim(USER, STATEMENT, text, corrects=corrects, refutes=self.refuting, text=text)

    def _marked(
        self,
        claims: list[Claim],
        right: str,
        wrong: str | None,
        not_of: Path | None,
        *,
        corrects: bool,
        every: bool,
    ) -> list[Claim]:
        """Claims with what they put right; ``every``: all of them do, not only the last clause."""
        last = claims[-1].text if claims else ""
        beside = _BESIDE.search(right) is not None
        sure = wrong is not None or self.refuting == "surely"
        return [
            replace(
                claim,
                corrects=corrects and (every or claim.text == last) and (sure or not beside),
                instead_of=wrong if not_of is None and claim.text == last else None,
                instead_of_subject=not_of,
                refutes="not" if beside else self.refuting,
            )
            for claim in claims
        ]

    def _keep(
        self, claims: list[Claim], value: str | None, wrong: str | None, right: str, sentence: str
    ) -> None:
        """Note the claims of a statement, or the value that it consists of."""
        otherwise: tuple[Claim, ...] = ()
        pointing = claims and all(one.subject in _POINTING and one.holds for one in claims)
        if pointing and claims[0].corrects:
            value = bare_values.fragment(right, marked=True)
            # "No, it's a Saab": a value of what was said before, or of a thing.
            otherwise = tuple(claims) if value is not None else ()
        if value is not None:
            said, sure = self._as_said(sentence), self.refuting == "surely"
            of, points = bare_values.pronoun_of(right), bare_values.points_at(right)
            self.fragments.append(
                Fragment(
                    value, wrong, said, sure=sure, pronoun=of, points=points, otherwise=otherwise
                )
            )
        else:
            self.claims += claims

    def _leave(self, sentence: str) -> None:
        said = self._as_said(sentence)
        if len(said.split()) > 2:
            self.unread.append(said)

    def _as_said(self, text: str) -> str:
        """A part of the restored text, as it was before."""
        at = self.restored.find(text)
        return self.original[at : at + len(text)] if at >= 0 else text


def _is_kind(claim: Claim) -> bool:
    """Whether a claim has a kind of pet for its value: "Toby is a basset, not a beagle" speaks of
    no other pet."""
    return claim.relation == "kind"


def _may_all_be_both(claims: Sequence[Claim], wrong: str) -> bool:
    """Whether a second value may hold beside each value of some claims, and the wrong one is no
    number."""
    return bool(claims) and not values.is_number(wrong) and all(map(_may_be_both, claims))


def _may_be_both(claim: Claim) -> bool:
    found = relation_book().rules(claim.relation)
    return found is not None and not found.one and claim.holds


def _once(claims: list[Claim]) -> list[Claim]:
    """The claims without the names that are said again: "my sister Hanna" in two clauses."""
    found: dict[tuple[object, ...], Claim] = {}
    for claim in claims:
        text = "" if claim.relation == "name" and claim.appositive else claim.text
        key = (claim.subject, claim.relation, claim.value, claim.kind, claim.holds, text)
        found.setdefault(key, claim)
    return list(found.values())


def read_fact(sentence: str) -> tuple[Claim, ...]:
    """The claims of a stored sentence in the third person; empty unless all of it was read."""
    spoken = _USER_THINKS.sub("I think", sentence.strip())
    spoken = _USER.sub(lambda match: "my" if match["owner"] else "I", spoken)
    heard = read(spoken)
    if heard.unread or heard.fragments or heard.corrects:
        return ()
    return tuple(replace(claim, text=sentence) for claim in heard.claims)
