"""A clause said of one subject: what all readings of it share. English. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from lobug.language.claims import Claim, Path
from lobug.language.en.claims.clause_parser import Clause, NounPhrase
from lobug.language.en.claims.lexicon import NEGATIONS, tokens
from lobug.language.en.claims.relation_book import Kind, Reading, Relation, relation_book
from lobug.language.en.claims.time_phrases import FORMER
from lobug.language.en.claims.values import is_number, name_of, several, tidy_value

CHANGES = frozenset(
    """
    adopt become begin born borrow break bring buy call cancel change convert crash cut die
    divorce donate drop dump dye elope enrol enroll exchange finish get give go graduate hang
    heal hide inherit join lay leave lend lose marry move name park pass place plant postpone
    push put quit rehome relocate replace reschedule resign retire return scrap sell separate
    settle split sprain start stop store subscribe swap switch take tear throw total trade
    transfer turn twist wreck
    """.split()
)
"""Verbs of which the past has a lasting result: "I moved to Rome"."""
_OFF_OR_BACK = re.compile(r"come (?:off|back)\b", re.IGNORECASE)
_STATES = frozenset({"live", "work", "have", "be", "study", "drive", "reside", "own"})
"""Verbs whose perfect says what was, unless it says since when: "I've lived in Rome"."""
_LASTING = re.compile(r"^(?:since|for)\b|\bnow$", re.IGNORECASE)
_ALWAYS = re.compile(r"\balways\b", re.IGNORECASE)
NAME = (
    r"(?:(?:Dr|Mrs?|Ms|Prof|St)\.? )?[A-Z][\w'\u2019-]*(?: (?:(?:van|von|de|der|da|di|la"
    r"|bin) )*[A-Z][\w'\u2019-]*){0,3}"
)
_NO = re.compile(r"^(?:no|not (?:an?|any|the|in|at|from|called|named)?)\s*\b", re.IGNORECASE)
_ANYTHING = re.compile(r"^(?:any|anything|anyone|any of .+)$", re.IGNORECASE)
_WORKPLACE = re.compile(
    rf"^(?P<job>.+?) (?:at|for|with) (?P<place>(?:the |a )?(?:{NAME}|\w+ (?:hospital|school"
    rf"|university|company|bank|hotel|restaurant|clinic)))$"
)
PROFESSIONS = frozenset("doctor dentist therapist hairdresser lawyer vet physio".split())
_EVENTS = frozenset("appointment meeting checkup check-up".split())
_PARENTS = frozenset(
    "mum mom dad mummy mommy daddy mama papa grandma grandpa granny nana grandad granddad".split()
)
_DEGREE = re.compile(
    r"\s+(?:(?:very|so|too) much|a (?:whole )?lot|a little(?: bit)?|a bit|quite a lot|loads"
    r"|the most"
    r"|very well|well|more than anything)$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"(?:born|moved|postponed|rescheduled|cancell?ed|called off|fired|laid off"
    r"|made redundant|sacked|diagnosed|prescribed|put|named|booked|pushed|brought|promoted|set)\b",
    re.IGNORECASE,
)
"""What was done once and is so now: "the meeting has been moved"."""
PLACES = frozenset({"home", "employer", "origin", "grew_up", "school"})
TAIL = re.compile(r",? (?:and|but) (?!raised)(?=[a-z]).*$")
"""Words that no name of a place or company contains; they open a second clause."""
_MARKS = re.compile(r"[;(){}<>\[\]]")
MOST_CLAIMS = 8
"""Most claims that one list of values becomes."""
_NOT_A_NAME = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december god ok okay sorry happy hungry tired
    """.split()
)
_NOUN_ENDING = re.compile(r"[a-z]{2,}(?:istry|ology|onomy|ography|matics|hysics|nomics)")
"""Endings that names do not have."""
_SAYS_NOTHING = re.compile(
    r"(?:(?:very|really|so|too|pretty|quite|a bit|getting|always|still|kind of) )*(?:good|great|bad"
    r"|boring|stressful|fun|hard|tough|easy|nice|ok|okay|fine|terrible|awful|important|expensive"
    r"|broken|old|dirty|clean|small|big|huge|tiny|full|empty|ready|late|early|over|soon|coming up"
    r"|changing|different|the same|similar|long|short|secret|private|unknown|beautiful|ugly|fast"
    r"|slow|loud|quiet|happy|sad|sick|ill|tired|amazing|perfect|wonderful|gone|lost|missing|wrong"
    r"|about|killing|driving|making|to|not|what|that|how|why|none|me|you|it|up|down|dead)\b.*",
    re.IGNORECASE,
)
_SAYS_NO_TASTE = re.compile(
    r"(?:the )?worst|a lot|to (?:be|see|say|think|know|admit|hear)\b.*", re.IGNORECASE
)
_WITH_SOMEBODY = re.compile(r" with (?:my|our|his|her|their) .+$", re.IGNORECASE)
_POINTS = re.compile(
    r"(?:it|that|this|these|those|them|him|her|you|your|me|us|so|what|how|when|where|why|who"
    r"|the way|the idea|being here|talking to you|everything|nothing|something"
    r"|there|here)\b.*|one",
    re.IGNORECASE,
)


class Statement:
    """A clause said of one of its subjects."""

    def __init__(self, clause: Clause, phrase: NounPhrase) -> None:
        self.book = relation_book()
        self.clause = clause
        self.phrase = phrase
        self.path = resolved(phrase)
        self.complement = _DEGREE.sub("", clause.complement.strip(" ,"))
        self.negated = clause.negated
        self.verb = clause.verb
        if clause.verb == "can":
            self.verb, self.negated = "cannot", False

    def is_understood(self) -> bool:
        """Whether all negations of the clause are known; "no dog" is turned into "not a dog"."""
        match = _NO.match(self.complement)
        if match is not None and match.end() < len(self.complement):
            self.complement = self.complement[match.end() :]
            if self.negated:
                return False
            self.negated = True
        words = {token.low for token in tokens(self.complement)}
        return not words & NEGATIONS

    def claim(self) -> Claim:
        """A claim of the subject without relation and value: whether it holds, and when."""
        clause = self.clause
        over = clause.no_more or clause.tense == "habit"
        former = any(map(FORMER.match, clause.time)) and self.verb not in {"born", "die"}
        changed = self.verb in CHANGES or _OFF_OR_BACK.match(f"{self.verb} {self.complement}")
        past = clause.tense == "past" and not changed
        if clause.tense == "perfect" and self.verb in _STATES:
            lasting = any(map(_LASTING.search, clause.time)) or _ALWAYS.search(clause.text)
            past = past or not (lasting or self.negated)
        first = len(self.path) > 1 and self.path[-1].startswith("first ")
        if self.verb == "be" and (_DONE.match(self.complement) or first):
            past = former = False  # "my first car was a Mini" is so for ever
        return Claim(
            self.path,
            "",
            "",
            holds=not (self.negated or over),
            ended=over,
            past=(past or former) and not over,
            planned=clause.tense == "future",
            time=clause.time,
            text=clause.text,
        )

    def is_person_or_pet(self, path: Path) -> bool:
        return self.book.kind_of(path) in {"person", "pet"}

    def kind(self) -> Kind:
        kind = self.book.kind_of(self.path)
        if self.path == ("it",):
            return "thing"
        if kind == "named" and self.phrase.name is None:
            return "thing"
        return kind


def resolved(phrase: NounPhrase) -> Path:
    """The path of a phrase, with the stored words for kin and pets."""
    book = relation_book()
    path = phrase.path
    if len(path) == 1 and path[0] in _PARENTS:
        return book.tidy(("user", path[0]))
    if len(path) > 1 and path[0] in _PARENTS:
        path = ("user", *path)
    if len(path) == 3 and path[1] in PROFESSIONS and path[2] in _EVENTS:
        path = (path[0], f"{path[1]} {path[2]}")
    return book.tidy(path)


def one_of(path: Path) -> Path:
    """The path of one of several: a child of the children."""
    last = path[-1]
    one = {"children": "child", "parents": "parents", "siblings": "sibling"}.get(last)
    if one is None:
        one = last[:-1] if last.endswith("s") and last not in {"boss"} else last
    return (*path[:-1], one)


def name_claim(path: Path, name: str, text: str) -> Claim:
    return Claim(path, "name", name.strip(" ."), appositive=True, text=text)


def is_name(value: str) -> bool:
    first = value.split(maxsplit=1)[0].lower() if value else ""
    return bool(value) and first not in _NOT_A_NAME and len(value.split()) <= 6


def _is_common(value: str) -> bool:
    """Whether a value can be nobody's name, though a capital begins it: "Chemistry", "Fifteen"."""
    return is_number(value) or _NOUN_ENDING.fullmatch(value.lower()) is not None


def suits(value: str, relation: Relation) -> bool:
    """Whether what follows "my <noun> is" is a value of the relation."""
    if not value or (_SAYS_NOTHING.match(value) and relation.id not in {"hair", "name", "dream"}):
        return False
    return relation.noun_value is None or relation.noun_value.fullmatch(value) is not None


_COUNTED = re.compile(r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten)(?: [a-z]+)?$")
_CLOCK = re.compile(
    r"(?:about |around )?(?:half|quarter|noon|midnight|\d{1,2}(?::\d\d)?|one|two|three|four|five"
    r"|six"
    r"|seven|eight|nine|ten|eleven|twelve)(?: (?:past|to|thirty|fifteen|o'clock|in the|[ap]\.?m)\b"
    r".*)?"
)


def _is_no_value(relation: Relation, value: str) -> bool:
    """ "I start work at half past six" names no employer, and nobody likes "four brothers": what a
    bare number is of was said before."""
    if _POINTS.fullmatch(value) or value.lower().startswith(("is ", "are ", "was ")):
        return True
    if relation.fact_type == "preference" and _SAYS_NO_TASTE.fullmatch(value):
        return True
    if relation.id in PLACES:
        return _CLOCK.fullmatch(value.lower()) is not None
    return relation.id in {"like", "dislike"} and _COUNTED.match(value) is not None


def valued(base: Claim, reading: Reading) -> list[Claim]:
    """A reading as claims: one, or one for each value in a list."""
    relation = reading.relation
    if (base.past and relation.occasional) or _is_no_value(relation, reading.value):
        return []
    value = reading.value
    if relation.id == "name":
        somebody = relation_book().kind_of(base.subject) in {"person", "pet"}
        if not value[:1].isupper() or (somebody and _is_common(value)):
            return []
        value = _MARKS.split(value)[0].rstrip(" ,'\"")
    if relation.id in PLACES:
        value = TAIL.sub("", value)
    if relation.occasional:
        value = _WITH_SOMEBODY.sub("", value)
    if not base.holds:
        any_value = tidy_value(value).lower() in relation.generic or _ANYTHING.match(value)
        value = "" if any_value else value
    claim = replace(base, relation=relation.states, kind=(reading.kind or "").lower())
    if relation.id == "job":
        place = _WORKPLACE.match(value)
        if place is not None:
            job = replace(claim, value=tidy_value(place["job"]))
            learns = job.value.endswith(("student", "pupil"))
            at = "school" if learns else "employer"
            where = replace(claim, relation=at, value=tidy_value(place["place"]))
            return [job, where]
    if relation.one or relation.whole or not value:
        keeps = relation.timed or relation.states == "location"
        return [replace(claim, value=value if keeps else tidy_value(value))]
    parts = several(value)[:MOST_CLAIMS]
    if relation.id in {"like", "dislike"}:
        parts = list(map(name_of, parts))
    return [replace(claim, value=part) for part in parts]
