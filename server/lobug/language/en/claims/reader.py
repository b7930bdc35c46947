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
    RelationRules,
)
from lobug.language.en import speech_acts
from lobug.language.en.claims import (
    case_restoration,
    clause_parser,
    corrections,
    facts,
    free_statements,
    values,
)
from lobug.language.en.claims.changes import succeeded
from lobug.language.en.claims.clause_claims import changes_of, claims_of
from lobug.language.en.claims.clause_parser import Clause
from lobug.language.en.claims.identities import introduced
from lobug.language.en.claims.openings import OPENING_WORDS
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_parts import begins_clause
from lobug.language.en.claims.statement import PLACES, TAIL

_SENTENCE_END = re.compile(
    r"(?<!\b[Dd]r\.)(?<!\b[Mm]r\.)(?<!\b[Mm]rs\.)(?<!\b[Mm]s\.)(?<!\b[Pp]rof\.)(?<!\bSt\.)(?<!\b[ap]\.m\.)"
    r""
    r"(?<!\.\.)(?<=[.!?\u2026\u3002\uff01\uff1f])[\"'\u201d\u2019)]*\s+"
    r"|(?<=[a-z])(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bSt)\.(?=[A-Z][a-z' ])|\s*\n+\s*"
)
_TOLD_TO_REMEMBER = re.compile(
    r"^(?:(?:please|also|and|oh|ok|okay|hey|so|lo[- ]?bug)\b[\s,]*)*"
    r"(?:(?:can|could|will|would) you (?:please )?)?"
    r"(?:remember|note|keep in mind|don['\u2019]?t forget|never forget|make a note|take note"
    r"|write down|memori[sz]e|save|store|bear in mind)(?: for me)?"
    r"(?:\s+(?:that|this|the following)\b)?\s*[:,]?\s+(?!to\b|when\b|how\b|what\b|me\b|it\b"
    r"|the time\b)",
    re.IGNORECASE,
)
_DID_YOU_KNOW = re.compile(
    r"^(?:(?:hey|so|and|oh)\b[\s,]*)*(?:did you know|do you know|did i (?:ever )?(?:tell you"
    r"|mention)"
    r"|have i (?:ever )?(?:told you|mentioned))(?: that)?\s+(?=(?:i|my|we|our)\b)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"^(?:(?:oh|hey|so|and|well|also|ok|okay)\b[\s,]*)*(?:guess what|listen|look"
    r"|i(?: want| need| would like|['\u2019]d like) you to (?:know|remember)"
    r"|i(?:['\u2019]ve| have)? (?:already )?told you (?:\w+ ){0,4}(?=that\b)"
    r"|i (?:almost |nearly )?forgot to (?:tell you|mention|say))\b(?: that\b)?[\s,!:.]*",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",?\s+(?:right|correct|eh|huh|don['\u2019]?t i|am i not|aren['\u2019]?t i"
    r"|isn['\u2019]?t (?:it|she|he)"
    r"|doesn['\u2019]?t (?:she|he|it)|didn['\u2019]?t i|haven['\u2019]?t i)\s*\?+$",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"^\W*(?:(?:and|but|so|well|oh|what|even|only|okay|ok|hey|lo-?bug)\b[\s,]*)*"
    r"(?:if|suppos(?:e|ing)|imagine|pretend|unless|assuming|say i|let['\u2019]?s (?:say|pretend"
    r"|imagine)"
    r"|hypothetically|in (?:a|my|this|the|his|her) (?:\w+ )?(?:dream|nightmare|novel|book|game"
    r"|story|movie|film"
    r"|play|song|show)|once upon a time|whether|when(?:ever)? (?!i was))\b"
    r"|\b(?:i|we)(?:['\u2019]d| had| would)? (?:only )?wish(?:ed)?\b|\bif only\b|\bas (?:if"
    r"|though)\b|\bwhat if\b"
    r"|\b(?:dream(?:ed|t)|pretend(?:ed|ing)?|imagin(?:ed|ing)) (?:that )?(?:i|my|we|he|she|to)\b"
    r"|\b(?:says?|said|asked|replied|told (?:me|us|him|her|them)|goes)\s*:"
    r"|\b(?:quiz|riddle|role[- ]?play|the character|my character)\b"
    r"|\bif (?:i|we|my|you|he|she|they|it|only)\b|\bi (?:thought|wondered|doubted|denied|lied)\b"
    r"|\bit(?:['\u2019]s| is) (?:unlikely|possible) that\b"
    r"|\b(?:nobody|no one|none|neither) (?:of|in|else|says|said|thinks|knows)\b"
    r"|\bfailed to\b|\brefuse[sd]? to\b|\bforgot to\b|\btried to\b|\bnot only\b",
    re.IGNORECASE,
)
"""Signs that a sentence does not say that something is so."""
_JOKING = re.compile(
    r"\b(?:just|only|i['\u2019]?m|was) (?:kidding|joking)\b|\bnot really\b[.! ]*$|\b(?:haha )?jk\b"
    r"|\bthat was a joke\b|\bapril fool",
    re.IGNORECASE,
)
_JOKED = re.compile(r"i was (?:just |only )?(?:joking|kidding)[.! ]*", re.IGNORECASE)
_QUOTED = re.compile(
    r"(?P<says>\b(?:says?|said|told (?:me|us|him|her)|asked|replied|wrote|goes|went|like|sings?"
    r"|reads"
    r"|is|was"
    r"|quote)\s*[:,]?\s*)?[\"\u201c\u201e\u00ab](?P<said>[^\"\u201c\u201d\u201e\u00ab\u00bb]{1,200})"
    r""
    r"[\"\u201d\u201c\u00bb]",
    re.IGNORECASE,
)
_SPEAKS = re.compile(r"\b(?:i|i['\u2019]\w+|we|my|you|he|she|they)\b", re.IGNORECASE)
_NOW_LOCATED = re.compile(
    r"^(?:i|we)(?:['\u2019]m|['\u2019]re| am| are"
    r"|m) in (?P<place>[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*)*),? now$",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"^(?P<value>[^,.;]{1,40}?) (?:is|are) (?P<noun>(?:my"
    r"|our) (?:all-time )?favou?rite [\w ]{1,30})\W*$",
    re.IGNORECASE,
)
_RENEWED = re.compile(
    r"^(?:(?:we|i)(?:['\u2019]?ve)?(?: have)? (?:just |now )?(?:got|get|have|changed to|changed)"
    r" (?:an? |my |our )?(?:new )?|there['\u2019]?s a new |(?:my|our|the) )"
    r"(?P<noun>(?:[\w-]+ ){0,2}"
    r"(?:pin|code|number|password|address|email|postcode|licen[cs]e plate))"
    r"(?: (?:has |have |is |['\u2019]s |got |was )?changed)?"
    r"(?:,| -| and| so)? (?:now )?(?:it(?:['\u2019]?s| is)|the new one is|which is)(?: now)?"
    r" (?P<value>[^,;]+?)(?: now)?\W*$",
    re.IGNORECASE,
)
""" "I've got a new PIN, it's 7788", "our wifi password has changed, it's ..."."""
_RENAMED = re.compile(
    r"^(?:i|we)(?:['\u2019]?ve| have)? (?:just )?(?:changed|reset|updated) (?:my|our)"
    r" (?P<noun>(?!mind\b)(?:(?!from\b|to\b)[\w-]+ ){0,2}(?!from\b|to\b)[\w-]+) to"
    r" (?P<value>[^,;.]{1,40})[.!]*$",
    re.IGNORECASE,
)
""" "I changed my gamertag to moonfox"."""
_ONE_LOST = re.compile(
    r"^(?:one of (?:my|our|the) (?P<noun>[a-z]+s) (?:has |have )?(?:just )?(?:died|passed"
    r" away|ran away|escaped|(?:got|was|been) (?:killed|eaten|run over|stolen)|flew away"
    r"|disappeared)\b[^,;]*$)",
    re.IGNORECASE,
)
""" "One of our hens died"."""
_TAKEN = re.compile(
    r"^(?:[\w' -]{1,40}?) (?:got|took|killed|ate|sold|lost|rehomed|gave(?: away)?) one of"
    r" (?:my|our|the) (?P<noun>[a-z]+s)\b[^,;]*$",
    re.IGNORECASE,
)
""" "The fox got one of the hens"."""
_LOST_ONE = r"I lost my one \g<noun>"
_THATS_NOW = re.compile(
    r",? (?:so |and )?(?:that['\u2019]?s|that makes|which makes)(?: it)? (?P<count>\w+ [a-z]+s)"
    r"(?: now)?[.!]*$",
    re.IGNORECASE,
)
_ME_AND = re.compile(
    r"^me (?:and|n|&) (?P<who>(?:my|our) [a-z-]+|(?!my\b|our\b|the\b|you\b)[a-z][\w-]+)(?= [a-z])",
    re.IGNORECASE,
)
_APPOSED_KIN = re.compile(r"^(?P<name>[A-Z][\w'\u2019-]*), (?P<kin>my [a-z -]{2,25}), (?=[a-z])")
_CALL_INSTEAD = re.compile(
    r"^(?i:(?:please )?(?:do not"
    r"|don['\u2019]?t) call me) (?P<wrong>[\w'-]+)[,.;]?(?: but)?(?: please)?"
    r"(?: just)? (?:call me |i['\u2019]?m |it['\u2019]?s )(?P<right>[A-Z][\w'-]+)\W*$"
)
_DENIES = re.compile(
    r"^(?:\w+, )?(?:it|that|(?:my|our|his|her|their|the) (?:[\w'-]+ ){0,2}name)(?:['\u2019]s| is)"
    r"(?: not|n['\u2019]?t) (?:\S+ ){0,3}[^\s?]+$",
    re.IGNORECASE,
)
_NAMES_RIGHT = re.compile(r"it(?:['\u2019]s| is| are) (?!not\b)", re.IGNORECASE)
_IT_IS = re.compile(r"(?:it|that)(?:['\u2019]?s| is)\b", re.IGNORECASE)
_TWO_STATEMENTS = re.compile(
    r"^(?P<one>[^,;]{1,80},? not [^,;]{1,40}?),? (?:and|but) (?P<two>(?:i|my|we|our|he|she|his"
    r"|her)\b.+)$",
    re.IGNORECASE,
)
_THEIRS_AND_MINE = re.compile(
    r"^(?P<one>[^,;.]{3,80}?)(?:[,;] (?:and |but )?| and | but )"
    r"(?P<two>mine(?:['\u2019]s| is) .+)$",
    re.IGNORECASE,
)
_USER_THINKS = re.compile(r"^The user thinks\b")
_USER = re.compile(r"\b[Tt]he user(?P<owner>['\u2019]s)?(?=\W|$)")


def read(text: str) -> Heard:
    """The claims of an utterance in the first person."""
    text = case_restoration.restore_apostrophes(text)
    reading = _Reading(text)
    restored = case_restoration.restore(text)
    for sentence in _contrasts_joined(sentences(restored)):
        reading.take(sentence)
    return reading.heard()


def _contrasts_joined(found: list[str]) -> list[str]:
    """ "It's Hanna. Not Anna." and "It isn't Anna. It's Hanna." as one sentence, if nothing follows
    it."""
    if len(found) < 2:
        return found
    if _DENIES.search(found[-2]) and _NAMES_RIGHT.match(found[-1]):
        return [*found[:-2], f"{found[-2].rstrip(' .!')}, {found[-1]}"]
    if corrections.only_wrong(found[-1]) is None:
        return found
    before = found[-2].rstrip(" .!")
    if not corrections.opening_of(before).rest.strip(" .,!?") or found[-2].endswith("?"):
        return found
    return [*found[:-2], f"{before}, {found[-1][:1].lower()}{found[-1][1:]}"]


def sentences(text: str) -> list[str]:
    """A text cut after each sentence; "Dr. Miller" stays whole."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


class _Reading:
    """What has been read of an utterance so far."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.restored = case_restoration.restore(text)
        self.claims: list[Claim] = []
        self.changes: list[Claim] = []
        """Changes whose relation memory finds."""
        self.open: list[str] = []
        """Clauses of a statement that are kept as they were said, beside those that were read."""
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
        sentence = self._unmarked(sentence)
        if _JOKED.fullmatch(sentence) and not self.claims:
            self.pending, self.refuting = True, "surely"  # what was said before
            return
        if _JOKING.search(sentence):
            self.joking = True
            return
        spelled = corrections.unspelled(sentence)
        closed = corrections.without_trailing(spelled)
        opening = corrections.opening_of(closed)
        self.corrects = self.corrects or opening.sure
        self.refuted = self.refuted or opening.sure
        if not opening.rest.strip(" .,!?") or corrections.spells(opening.rest):
            self.pending = self.pending or opening.marked or bool(opening.rest.strip(" .,!?"))
            self._refute(opening.refutes)
            return
        # "It's Julia with a J" answers a wrong name; "my name is Erik with a K" need not.
        put_right = spelled != sentence and (
            _IT_IS.match(opening.rest) is not None or not begins_clause(opening.rest)
        )
        stated = _stated(opening.rest)
        if not stated or _NOT_SO.search(stated):
            self.pending, self.wrong, self.refuting = False, None, "not"
            return
        mine = self.corrects and _MINE.match(stated) is not None
        marked = opening.marked or mine or closed != spelled or self.pending or put_right
        self._refute(opening.refutes)
        self._take_statement(sentence, stated, corrects=marked)
        self.refuting = "not"

    def _unmarked(self, sentence: str) -> str:
        """A sentence without signs that it puts right which are no words at its beginning."""
        if not self.claims:
            sentence = corrections.unjoked(sentence)
        again = corrections.repeated(sentence)
        if sentence.startswith("*"):  # how what was mistyped is put right
            again = sentence[1:].strip()
        self.pending = self.pending or again is not None
        return sentence if again is None else again

    def _refute(self, refutes: Refutes) -> None:
        if self.refuting != "surely" and refutes != "not":
            self.refuting = refutes

    def _take_statement(self, sentence: str, stated: str, *, corrects: bool) -> None:
        theirs = _THEIRS_AND_MINE.match(stated) if corrects else None
        both = theirs or _TWO_STATEMENTS.match(stated)
        if both is not None:  # "My name is Morten, not Marten, and I'm 34"
            self._take_statement(both["one"], both["one"], corrects=corrects)
            self._take_statement(both["two"], both["two"], corrects=theirs is not None)
            return
        alone = corrections.only_wrong(stated, marked=corrects)
        if alone is not None:  # "Not Rome. Milan."
            self.pending, self.wrong = True, alone
            self.corrects = True
            return
        denied = corrections.DENIED.match(stated)
        body = stated[denied.end() :] if denied else stated
        right, wrong = corrections.contrast(body)
        if wrong is None:
            unopened, named_wrong = corrections.contrast(_unopened(body))
            if named_wrong is not None:  # "By the way, her name isn't Anna, it's Hanna"
                right, wrong = unopened, named_wrong
        sure = corrects or self.wrong is not None
        wrong = wrong or self.wrong
        self.pending, self.wrong = False, None
        not_of = None if wrong is None else _person_meant(wrong)
        of = _whom(right) if corrects or not_of is not None else None
        if of is not None and (not_of is None or wrong is not None):
            self._put_right_whom(right, sentence, of, not_of)
            return
        mine = corrects and _MINE.match(right) is not None
        self.open = []
        claims, whole = ([], False) if mine else self._claims(right)
        corrects = corrects or wrong is not None or denied is not None
        if denied is not None:
            claims = [replace(claim, holds=False) for claim in claims if claim.holds]
        not_of = None if any(map(_is_kind, claims)) else not_of
        contrasted = [claim for claim in claims if _may_be_both(claim)]
        named = wrong is not None and not values.is_number(wrong)
        if wrong is not None and named and contrasted and not sure and claims == contrasted:
            # "I like tea, not coffee" puts nothing right.
            claims += [replace(claim, value=wrong, holds=False) for claim in contrasted[:1]]
            corrects, wrong = False, None
        every = sure or denied is not None
        claims = self._marked(claims, right, wrong, not_of, corrects=corrects, every=every)
        bare = _unopened(right) if corrects else right
        value = None if claims or denied else corrections.fragment(bare, marked=corrects)
        self._keep(claims, value, wrong, right, sentence)
        if claims or value is not None:
            self.corrects = self.corrects or corrects
        if (claims and not whole) or not (claims or value or speech_acts.is_small_talk(stated)):
            self._leave(sentence)
        if claims:
            self._keep_rest(right, claims, whole=whole, corrects=corrects)
        elif value is None and denied is None:
            self._read_tail(right, wrong, sentence, corrects=corrects)

    def _put_right_whom(self, right: str, sentence: str, of: Path, not_of: Path | None) -> None:
        """ "Not my sister, my cousin": of whom it is so what was said."""
        points, said = corrections.points_at(right), self._as_said(sentence)
        self.fragments.append(Fragment("", None, said, of, not_of, points=points))
        self.corrects = True

    def _keep_rest(self, right: str, claims: list[Claim], *, whole: bool, corrects: bool) -> None:
        """Keep what a statement says beside its claims."""
        if whole:
            self._keep_time(right, claims, corrects=corrects)
        else:
            self.claims += [self._as_stated(text, corrects=corrects) for text in self.open]

    def _read_tail(self, right: str, wrong: str | None, sentence: str, *, corrects: bool) -> None:
        """A statement of which nothing was read: the value at its end, where it puts something
        right, or all of it as it was said."""
        tail = None
        if corrects:
            tail = _IS_ONE.match(right) or _VALUE_AT_END.search(right)
            if tail is not None and free_statements.is_mood(tail["value"]):
                tail = None  # "sorry, I'm late"
        if tail is None and wrong is not None:
            tail = _IS_AT_END.search(right)
        value = None if tail is None else corrections.fragment(tail["value"], marked=True)
        if value is None and corrects:
            value = corrections.explained(right)
        if value is None and corrects and wrong is None:
            value = corrections.retold(right)
        if value is not None:
            said, sure = self._as_said(sentence), self.refuting == "surely"
            kept = self._kept(right)
            whole = () if kept is None else (self._as_stated(kept, corrects=True),)
            own = _MINE.match(right) is not None
            points = corrections.points_at(right)
            self.fragments.append(
                Fragment(
                    value,
                    wrong,
                    said,
                    sure=sure,
                    pronoun=_pronoun(tail.group().lstrip(",; ")) if tail else "",
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
            value = corrections.fragment(right, marked=True)
            # "No, it's a Saab": a value of what was said before, or of a thing.
            otherwise = tuple(claims) if value is not None else ()
        if value is not None:
            said, sure = self._as_said(sentence), self.refuting == "surely"
            of, points = _pronoun(right), corrections.points_at(right)
            self.fragments.append(
                Fragment(
                    value, wrong, said, sure=sure, pronoun=of, points=points, otherwise=otherwise
                )
            )
        else:
            self.claims += claims

    def _claims(self, text: str) -> tuple[list[Claim], bool]:
        """The claims of a statement, and whether all of it was read."""
        parsed = clause_parser.parse(text)
        found: list[Claim] = []
        whole = parsed.whole
        for clause in parsed.clauses:
            claims = (
                succeeded(clause, found or self.claims)
                or claims_of(clause)
                or self._moved(clause.text)
            )
            if not claims and found and clause.verb in {"quit", "stop"} and not clause.complement:
                continue  # "I used to smoke but I quit"
            if any(claim.relation in PLACES for claim in claims) and TAIL.search(clause.complement):
                whole = False
            if not claims and not speech_acts.is_small_talk(clause.text):
                whole = False
            found += [replace(claim, text=self._as_said(claim.text)) for claim in claims]
            if _tells_no_more_than_name(clause, claims):
                whole = False
                self._left_open(clause)
        if not found:
            found = [replace(claim, text=self._as_said(claim.text)) for claim in introduced(text)]
            whole = False
        return found, whole

    def _left_open(self, clause: Clause) -> None:
        """Note what a clause changes, or says, of which no relation was read."""
        self.changes += [
            replace(claim, text=self._as_said(claim.text)) for claim in changes_of(clause)
        ]
        text = free_statements.kept(self._as_said(clause.text))
        # Other words are told again by the log alone, so that they are forgotten with it.
        if text is not None and (clause.subjects[0].name or free_statements.CHANGE.search(text)):
            self.open.append(text)

    def _moved(self, text: str) -> list[Claim]:
        """ "I'm in Oxford now" tells of a home after "I'm not living in London any more"."""
        match = _NOW_LOCATED.match(text)
        left = any(c.relation == "home" and c.subject == ("user",) for c in self.claims)
        if match is None or not (left or re.search(r"\b(?:liv|mov|left)", self.original, re.I)):
            return []
        return [Claim(("user",), "home", match["place"], time=("now",), text=text)]

    def _leave(self, sentence: str) -> None:
        said = self._as_said(sentence)
        if len(said.split()) > 2:
            self.unread.append(said)

    def _as_said(self, text: str) -> str:
        """A part of the restored text, as it was before."""
        at = self.restored.find(text)
        return self.original[at : at + len(text)] if at >= 0 else text


_VALUE_AT_END = re.compile(
    r"(?:,|;| and| so| but| because)\s+"
    r"(?P<value>(?:it|that|he|she|its|hes|shes|thats)(?:['\u2019]s| is)?"
    r" (?!not\b)[^,;]{1,40})$",
    re.IGNORECASE,
)
""" "I switched, it's Monzo now"."""
_IS_ONE = re.compile(
    r"^(?:(?:i|he|she|it|we|they|that)(?:['\u2019](?:m|s|re)| am| is| are)|im|hes|shes|its"
    r"|mine is|mine['\u2019]s|my (?:own|favou?rite|real one|current one|new one)"
    r"(?:['\u2019]s| is)) (?P<value>(?!not\b)[^,;]{1,40})$",
    re.IGNORECASE,
)
""" "I'm a dinner lady", of which no relation was read."""
_MINE = re.compile(r"mine\b", re.IGNORECASE)
_IS_AT_END = re.compile(r" (?:is|are|was|were) (?P<value>[^,;]{1,40})$", re.IGNORECASE)
""" "Karen's meeting is Thursday", where what is wrong was said."""
_PRONOUN = re.compile(
    r"^(?P<who>i|he|she|it|we)(?:['\u2019]|m\b|s\b| )|^(?P<mine>mine)\b", re.IGNORECASE
)


def _pronoun(text: str) -> str:
    """Of whom a bare value was said: "she" of "she's forty"; empty: nobody said."""
    match = _PRONOUN.match(text)
    if match is None or match["mine"]:
        return ""
    return {"we": "i"}.get(match["who"].lower(), match["who"].lower())


_SAID = re.compile(r"[\w'\u2019-]+")
TIMED = "timed"
"""Kind of a statement that is kept for a time in it: all else of it is in claims."""
_POINTING: tuple[Path, ...] = (("it",), ("that",))
_BESIDE = re.compile(r"\b(?:too|also|as well|both|another|other|else)\b", re.IGNORECASE)
"""What is said holds beside what was said before."""


def _is_kind(claim: Claim) -> bool:
    """Whether a claim has a kind of pet for its value: "Toby is a basset, not a beagle" speaks of
    no other pet."""
    return claim.relation == "kind"


def _tells_no_more_than_name(clause: Clause, claims: Sequence[Claim]) -> bool:
    """Whether nothing was read of what a clause says: "my husband Ernest is in hospital"."""
    subject = clause.subjects[0]
    beside = subject.name is not None and len(subject.path) > 1 and bool(clause.complement)
    return not claims or (beside and all(one.relation == "name" for one in claims))


def _person_meant(text: str) -> Path | None:
    """Whom a wrong word names: "my sister", and "sister" alone."""
    return corrections.person_in(text) or corrections.person_in(f"my {text}")


def _whom(right: str) -> Path | None:
    """Whom a correction names, if nothing else: "my cousin", "younger sister"."""
    found = corrections.person_in(right)
    if found is None and " " in right.strip():
        found = corrections.person_in(f"my {right.lower()}")
        found = found if found is not None and found[-1].endswith(_KIN) else None
    return found


_KIN = ("sister", "brother", "son", "daughter", "cousin", "aunt", "uncle")


def _unopened(sentence: str) -> str:
    """A statement without "by the way" and the like."""
    match = OPENING_WORDS.match(sentence)
    while match is not None and match.end() < len(sentence):
        sentence = sentence[match.end() :]
        match = OPENING_WORDS.match(sentence)
    return sentence


def _may_be_both(claim: Claim) -> bool:
    """Whether a second value may hold beside the one of a claim."""
    found = rules(claim.relation)
    return found is not None and not found.one and claim.holds


def _once(claims: list[Claim]) -> list[Claim]:
    """The claims without the names that are said again: "my sister Hanna" in two clauses."""
    found: dict[tuple[object, ...], Claim] = {}
    for claim in claims:
        text = "" if claim.relation == "name" and claim.appositive else claim.text
        key = (claim.subject, claim.relation, claim.value, claim.kind, claim.holds, text)
        found.setdefault(key, claim)
    return list(found.values())


def _stated(sentence: str) -> str:
    """What a sentence states; empty: it asks, orders, quotes or tells a tale."""
    if _TAG.search(sentence):
        return ""
    sentence = _ANNOUNCED.sub("", sentence)
    opening = _DID_YOU_KNOW.match(sentence) or _TOLD_TO_REMEMBER.match(sentence)
    if opening is not None:
        sentence = sentence[opening.end() :].rstrip("? ")
    sentence = _CALL_INSTEAD.sub(r"My name is \g<right>, not \g<wrong>", sentence)
    sentence = _APPOSED_KIN.sub(_kin_first, sentence)
    sentence = _ONE_LOST.sub(_LOST_ONE, sentence)
    sentence = _TAKEN.sub(_LOST_ONE, sentence)
    sentence = _THATS_NOW.sub(r", I have \g<count>", sentence)
    sentence = _ME_AND.sub(_and_i, sentence)
    sentence = _RENAMED.sub(r"My \g<noun> is \g<value> now", sentence)
    sentence = _RENEWED.sub(r"My \g<noun> is \g<value>", sentence)
    sentence = _FAVOURITE.sub(r"\g<noun> is \g<value>", _unquoted(sentence))
    if not sentence:
        return ""
    if speech_acts.is_question(sentence):
        return speech_acts._before_the_question(sentence)
    if speech_acts.CALL_ME.match(sentence):
        return re.sub(r"^(?:please )?(?:you can )?call", "You call", sentence, flags=re.I)
    return "" if speech_acts.is_command(sentence) else sentence


def _and_i(match: re.Match[str]) -> str:
    """ "Me and liam split up" as "Liam and I split up"."""
    who = match["who"]
    return f"{who if ' ' in who else who.capitalize()} and I"


def _kin_first(match: re.Match[str]) -> str:
    """ "Julia, my sister, lives ..." as "My sister Julia lives ..."."""
    return f"{match['kin'].capitalize()} {match['name']} "


def _unquoted(sentence: str) -> str:
    """A sentence without what it quotes; a name or title in quotes stays, without the quotes."""
    match = _QUOTED.search(sentence)
    while match is not None:
        said = match["said"]
        if _SPEAKS.search(said) or (match["says"] or "").strip(" ,:").lower() in {"said", "says"}:
            return ""
        sentence = sentence[: match.start("said") - 1] + said + sentence[match.end() :]
        match = _QUOTED.search(sentence)
    return sentence


def read_fact(sentence: str) -> tuple[Claim, ...]:
    """The claims of a stored sentence in the third person; empty unless all of it was read."""
    spoken = _USER_THINKS.sub("I think", sentence.strip())
    spoken = _USER.sub(lambda match: "my" if match["owner"] else "I", spoken)
    heard = read(spoken)
    if heard.unread or heard.fragments or heard.corrects:
        return ()
    return tuple(replace(claim, text=sentence) for claim in heard.claims)


def rules(relation: str) -> RelationRules | None:
    """What code must know of a relation; None: there is none of this id."""
    return relation_book().rules(relation)


same_value = values.same_value
