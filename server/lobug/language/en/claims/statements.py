"""The claims of one clause: which relation it states, denies or ends. English. Pure.

A clause that the rules do not wholly understand gives no claim: none is better than a wrong one.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lobug.language.claims import Claim, Path
from lobug.language.en.claims.clause_parser import Clause, NounPhrase
from lobug.language.en.claims.lexicon import NEGATIONS, tokens
from lobug.language.en.claims.relation_book import Kind, Reading, Relation, relation_book
from lobug.language.en.claims.subjects import noun_phrase
from lobug.language.en.claims.time_phrases import FORMER
from lobug.language.en.claims.values import several, tidy_value, without_quantity

LONGEST = 120
"""Characters of a complement; nobody states a longer value."""

CHANGES = frozenset(
    """
    adopt become begin born borrow break buy call cancel change convert crash cut die divorce
    donate drop dump dye elope enrol enroll finish get give go graduate hang hide inherit join
    lay leave lend lose marry move name park pass place plant postpone put quit rehome relocate
    replace reschedule resign retire return scrap sell separate settle split sprain start stop
    store subscribe swap switch take tear throw total trade transfer turn twist wreck
    """.split()
)
"""Verbs whose past says what is so now: "I moved to Rome"."""
_STATES = frozenset({"live", "work", "have", "be", "study", "drive", "reside", "own"})
"""Verbs whose perfect says what was, unless it says since when: "I've lived in Rome"."""
_LASTING = re.compile(r"^(?:since|for)\b|\bnow$", re.IGNORECASE)
_ALWAYS = re.compile(r"\balways\b", re.IGNORECASE)
_DEFINITE = frozenset(
    "location takes_place name wifi_password code dead licence_plate address_of".split()
)
"""Relations of what is called "the ...", which need not be the speaker's."""
_NAME = (
    r"(?:(?:Dr|Mrs?|Ms|Prof|St)\.? )?[A-Z][\w'\u2019-]*(?: (?:(?:van|von|de|der|da|di|la"
    r"|bin) )*[A-Z][\w'\u2019-]*){0,3}"
)
_NAME_ONLY = re.compile(_NAME)
_NAMES = re.compile(rf"{_NAME}(?:, {_NAME})*,? and {_NAME}")
_CALLED = re.compile(
    r"^(?P<what>.+?),? (?:(?:who|which|that)(?:['\u2019]s| is| are) )?"
    rf"(?:called|named|by the name of"
    rf"|whose name is) (?P<name>{_NAME}(?:(?:, {_NAME})*,? and {_NAME})?)$"
)
_APPOSED = re.compile(
    rf"^(?P<what>(?:an?|one|two|three|four|five"
    rf"|my) [a-z][\w -]*?),? (?P<name>{_NAME}(?:(?:, {_NAME})*,? and {_NAME})?)$"
)
_MENTION = re.compile(rf"\b[Mm]y (?P<noun>(?:[a-z-]+ )?[a-z-]+) (?P<name>{_NAME})(?![\w'])")
_NO = re.compile(r"^(?:no|not (?:an?|any|the|in|at|from|called|named)?)\s*\b", re.IGNORECASE)
_ITEM = re.compile(
    r"(?:,\s*(?:and\s+)?|\s+and\s+)(?=(?:an?|one|two|three|four|five|six|some|my|\d+)\s)", re.I
)
_LISTED = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_ONLY = re.compile(r",? (?:only|just) (?P<rest>.+)$", re.IGNORECASE)
_WITH_CHILDREN = re.compile(r" (?:with|and have) (?P<what>(?:\w+ )?(?:kids|children|child|kid))$")
_ANYTHING = re.compile(r"^(?:any|anything|anyone|any of .+)$", re.IGNORECASE)
_TOGETHER = {
    "break up": "break up with", "split up": "split up with", "split": "split up with",
    "divorce": "divorce", "get divorced": "get divorced from", "separate": "separate from",
    "be divorced": "get divorced from", "get married": "get married to", "marry": "marry",
    "be married": "be married to", "be engaged": "be engaged to", "get engaged": "get engaged to",
    "date": "date", "be dating": "date", "be together": "be together with",
    "be separated": "separate from", "elope": "marry",
    "be a couple": "be together with", "be back together": "be together with",
}  # fmt: skip
"""What two people do with one another: "Mia and I broke up" is "I broke up with Mia"."""
_LEAVES_ME = frozenset({"break up with me", "split up with me", "leave me", "dump me"})
_WORKPLACE = re.compile(
    rf"^(?P<job>.+?) (?:at|for|with) (?P<place>(?:the |a )?(?:{_NAME}|\w+ (?:hospital|school"
    rf"|university|company|bank|hotel|restaurant|clinic)))$"
)
_EVENT_WITH = re.compile(r"^(?P<event>.+?) (?:with|at) (?:the|my|our|a) (?P<who>[a-z]+)(?:'s)?$")
_PROFESSIONS = frozenset("doctor dentist therapist hairdresser lawyer vet physio".split())
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
    r"(?:born|moved|postponed|rescheduled|cancell?ed|fired|laid off|made redundant|sacked|diagnosed"
    r"|prescribed|put|named|booked|pushed|brought|promoted|set)\b",
    re.IGNORECASE,
)
"""What was done once and is so now: "the meeting has been moved"."""
_DOING = re.compile(r"\b(?:is|are|was|were) (\w+ing\b.*)$", re.IGNORECASE)
PLACES = frozenset({"home", "employer", "origin", "grew_up", "school"})
TAIL = re.compile(r",? (?:and|but) (?!raised)(?=[a-z]).*$")
"""What no name of a place or company has: a second clause that the grammar does not know."""
_INTO = re.compile(r"^(?:in)?to (?=\S)", re.IGNORECASE)
_MOST_CLAIMS = 8
"""Of one list of values."""


def claims_of(clause: Clause) -> list[Claim]:
    """The claims of one clause; none: the rules do not know what it says."""
    if clause.tense == "unreal" or len(clause.complement) > LONGEST:
        return []
    found: list[Claim] = []
    for said in _together(_left(clause)):
        for phrase in said.subjects:
            found += _Statement(said, phrase).claims()
    if clause.unsure:
        found = [claim for claim in found if claim.relation == "opinion"]
    return list(dict.fromkeys(found))


def _together(clause: Clause) -> list[Clause]:
    """ "Mia and I got married" as "I got married to Mia"."""
    if len(clause.subjects) != 2:
        return [clause]
    predicate = f"{clause.verb} {clause.complement}".strip().lower()
    joined = _TOGETHER.get(predicate)
    if joined is None:
        return [clause]
    verb, _, rest = joined.partition(" ")
    one, other = clause.subjects
    pairs = [(one, other), (other, one)]
    return [
        replace(clause, subjects=(who,), verb=verb, complement=f"{rest} {_said(whom)}".strip())
        for who, whom in pairs
        if who.path == ("user",) or ("user",) not in (one.path, other.path)
    ]


def _left(clause: Clause) -> Clause:
    """ "My girlfriend broke up with me" as "I broke up with my girlfriend"."""
    predicate = f"{clause.verb} {clause.complement}".strip().lower()
    if predicate not in _LEAVES_ME or clause.subjects[0].path == ("user",):
        return clause
    who = _said(clause.subjects[0])
    user = NounPhrase(("user",))
    return replace(clause, subjects=(user,), verb="break", complement=f"up with {who}")


def _said(phrase: NounPhrase) -> str:
    return phrase.name or " ".join(phrase.path[1:] or phrase.path)


class _Statement:
    """A clause said of one of its subjects."""

    def __init__(self, clause: Clause, phrase: NounPhrase) -> None:
        self.book = relation_book()
        self.clause = clause
        self.phrase = phrase
        self.path = _resolved(phrase)
        self.complement = _DEGREE.sub("", clause.complement.strip(" ,"))
        self.negated = clause.negated
        self.verb = clause.verb
        if clause.verb == "can":
            self.verb, _, self.complement = "cannot", "", self.complement
            self.negated = False

    def claims(self) -> list[Claim]:
        if self.verb == "call" and self.complement.startswith("me "):
            return self._called_by_others()
        if self.path[0] in {"lobug", "that", "this", "people"}:
            return []
        found = self._named_beside()
        if not self._is_understood():
            return found
        said = self._identity() or self._predicate(self.complement)
        said = [
            c
            for c in said
            if c.relation != "opinion" or c.subject[0] != "user" or len(c.subject) > 1
        ]
        if self.phrase.definite and self.path[0] == "user":
            said = [claim for claim in said if claim.relation in _DEFINITE]
        if said or not self.clause.complement:
            found += self._mentioned()
        return [*found, *said]

    # ---- what the clause is like ----------------------------------------------------------

    def _is_understood(self) -> bool:
        """Whether all negations of the clause are known; "no dog" is turned into "not a dog"."""
        match = _NO.match(self.complement)
        if match is not None and match.end() < len(self.complement):
            self.complement = self.complement[match.end() :]
            if self.negated:
                return False
            self.negated = True
        words = {token.low for token in tokens(self.complement)}
        return not words & NEGATIONS

    def _base(self) -> Claim:
        clause = self.clause
        over = clause.no_more or clause.tense == "habit"
        former = any(map(FORMER.match, clause.time)) and self.verb not in {"born", "die"}
        past = clause.tense == "past" and self.verb not in CHANGES
        if clause.tense == "perfect" and self.verb in _STATES:
            lasting = any(map(_LASTING.search, clause.time)) or _ALWAYS.search(clause.text)
            past = past or not (lasting or self.negated)
        if self.verb == "be" and _DONE.match(self.complement):
            past = former = False
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

    # ---- names ----------------------------------------------------------------------------

    def _is_person_or_pet(self, path: Path) -> bool:
        return self.book.kind_of(path) in {"person", "pet"}

    def _called_by_others(self) -> list[Claim]:
        """ "You can call me Al", "everyone calls me Pete"."""
        match = re.fullmatch(rf"me (?P<name>{_NAME})", self.complement)
        if match is None or self.negated or self.clause.no_more or self.path == ("user",):
            return []
        base = self._base()
        return [
            replace(base, subject=("user",), relation="nickname", value=match["name"], past=False)
        ]

    def _named_beside(self) -> list[Claim]:
        """The name in "my sister Hanna", and the death in "my late father"."""
        found: list[Claim] = []
        text = self.clause.text
        noun = self.phrase.path[-1]
        owned = len(self.phrase.path) > 1 and not self.phrase.definite
        if self.phrase.name and owned and self._is_person_or_pet(self.path):
            names = [part.strip() for part in re.split(r",| and ", self.phrase.name)]
            path = _one_of(self.path) if self.phrase.plural else self.path
            found += [_name(path, name, text) for name in names]
        if noun.startswith("late ") and self.book.kind_of(self.path) == "person":
            found.append(Claim(self.path, "dead", "", text=text))
        return found

    def _mentioned(self) -> list[Claim]:
        """The names in "I live with my girlfriend Anna"."""
        found: list[Claim] = []
        for match in _MENTION.finditer(self.clause.complement):
            path = self.book.tidy(("user", match["noun"].lower()))
            if self.book.kind_of(path) in {"person", "pet"}:
                found.append(_name(path, match["name"], self.clause.text))
        return found

    def _identity(self) -> list[Claim]:
        """ "My sister's name is Hanna", "Hanna is my sister", "My sister is Hanna"."""
        if self.verb != "be":
            # "My hobby is gardening": a noun, though it looks like a verb.
            doing = _DOING.search(self.clause.text)
            if doing is None or len(self.path) < 2:
                return []
            noun = self.book.noun(self.path[-1], self.book.kind_of(self.path[:-1]))
            if noun is None or noun.relation.one:
                return []
            return _valued(
                replace(self._base(), subject=self.path[:-1], planned=False),
                replace(noun, value=doing[1]),
            )
        if not (self.complement or self.clause.time):
            return []
        return self._by_noun() or self._by_owner() or self._by_name()

    def _by_noun(self) -> list[Claim]:
        path = self.path
        if len(path) < 2:
            return []
        noun = self.book.noun(path[-1], self.book.kind_of(path[:-1]))
        if noun is None or self.phrase.name:
            return []
        base = replace(self._base(), subject=path[:-1])
        value = self.complement
        if noun.relation.timed:
            value, base = self._timed(base)
        elif not value:
            value, base = " ".join(self.clause.time), replace(base, time=())
        value = re.sub(r"^(?:called|named) ", "", value)
        if noun.relation.id == "home":
            value = re.sub(r"^(?:in|at|on) ", "", value)
        if noun.relation.id == "name" and not _is_name(value):
            return []
        if not _suits(value, noun.relation):
            return []
        return _valued(base, replace(noun, value=value))

    def _timed(self, base: Claim) -> tuple[str, Claim]:
        """The whole time of a claim whose value is one."""
        value = f"{self.complement} {' '.join(self.clause.time)}".strip()
        value = re.sub(r"^on (?=the |\d|[A-Za-z]+ \d)", "", value)
        return value, replace(base, time=())

    def _by_owner(self) -> list[Claim]:
        """ "Hanna is my sister", "Pizza is my favourite food"."""
        other = noun_phrase(tokens(self.complement))
        if other is None or other[1] < len(tokens(self.complement)) or other[0].name:
            return []
        if len(other[0].path) < 2 or other[0].definite or other[0].path[0] == "lobug":
            return []
        whole = self.book.tidy(other[0].path)
        base = self._base()
        names = [phrase.name for phrase in self.clause.subjects if phrase.name]
        noun = self.book.noun(whole[-1], self.book.kind_of(whole[:-1]))
        if noun is not None and len(self.path) == 1 and self.path != ("user",):
            value = self.phrase.name or " ".join(self.path)
            return _valued(replace(base, subject=whole[:-1]), replace(noun, value=value))
        if not names or len(self.path) > 1 or self.book.kind_of(whole) not in {"person", "pet"}:
            return []
        name = self.phrase.name or ""
        found = [
            replace(base, subject=_one_of(whole), relation="name", value=name, appositive=True)
        ]
        if whole[-1] in {"ex", "former wife", "former husband"} and base.holds:
            over = replace(base, subject=whole[:-1], relation="partner", value=name)
            found.insert(0, replace(over, holds=False, ended=True))
        return found

    def _by_name(self) -> list[Claim]:
        """ "My sister is Hanna", "My kids are Ben and Lena"."""
        if len(self.path) < 2 or self.book.kind_of(self.path) not in {"person", "pet"}:
            return []
        value = re.sub(r"^(?:called|named) ", "", self.complement)
        if _NAMES.fullmatch(value):
            path = _one_of(self.path)
            base = replace(self._base(), subject=path, relation="name", appositive=True)
            return [replace(base, value=name) for name in several(value)]
        if not _NAME_ONLY.fullmatch(value) or not _is_name(value):
            return []
        if self.book.said(f"be {value}", "person") is not None and value == self.complement:
            return []
        return [replace(self._base(), relation="name", value=value)]

    # ---- predicates -----------------------------------------------------------------------

    def _predicate(self, complement: str) -> list[Claim]:
        only = _ONLY.search(complement)
        if only is not None and self.negated:
            # "I don't drink coffee any more, only tea"
            first = self._predicate(re.sub(r" ?any ?more$", "", complement[: only.start()]))
            if "more" in complement[: only.start()]:
                first = [replace(claim, ended=True) for claim in first]
            self.negated = False
            self.clause = replace(self.clause, no_more=False)
            return [*first, *self._predicate(only["rest"])]
        children = _WITH_CHILDREN.search(complement)
        if children is not None and self.verb == "be":
            base = self._base()
            relation = self.book.by_id["children_count"]
            reading = Reading(relation, children["what"])
            return [*self._predicate(complement[: children.start()]), *_valued(base, reading)]
        parts = self._items(complement)
        if len(parts) > 1:
            read = [self._one(part) for part in parts]
            if all(read):
                found = [claim for claims in read for claim in claims]
                return self._as_one(found) or found
        return self._one(complement) or self._distributed(complement)

    def _distributed(self, complement: str) -> list[Claim]:
        """ "The piano and the violin", where the whole says nothing."""
        parts = [part for part in _LISTED.split(complement) if part][:_MOST_CLAIMS]
        read = [self._one(part) for part in parts] if len(parts) > 1 else []
        return [claim for claims in read for claim in claims] if all(read) else []

    def _as_one(self, found: list[Claim]) -> list[Claim]:
        """ "A Volvo and a Tesla": two values of a relation that has one."""
        first = found[0]
        if any(claim.relation != first.relation for claim in found):
            return []
        if not self.book.by_id[first.relation].one:
            return []
        return [replace(first, value=" and ".join(claim.value for claim in found))]

    def _items(self, complement: str) -> list[str]:
        """ "A dog and two cats"."""
        if self.verb not in {"have", "own", "get", "buy", "adopt", "sell", "keep", "be", "lose"}:
            return [complement]
        return _ITEM.split(complement)[:_MOST_CLAIMS]

    def _one(self, complement: str) -> list[Claim]:
        """The claims of a predicate that states one thing."""
        named = None
        if self.verb in {"have", "get", "adopt", "buy", "own", "date", "see", "live"}:
            named = _CALLED.match(complement) or self._apposed(complement)
        what = complement
        if named is not None:
            what = named["name"] if self.verb in {"date", "see"} else named["what"]
        found = self._read(what)
        if named is not None and self.verb not in {"date", "see"} and found:
            found += self._names_of(named["what"], named["name"])
        return found

    def _apposed(self, complement: str) -> re.Match[str] | None:
        """ "Two brothers, Max and Leo"; "a red Toyota" names nobody."""
        match = _APPOSED.match(complement)
        if match is None or not self._is_person_or_pet(("user", match["what"].lower())):
            return None
        return match

    def _names_of(self, what: str, names: str) -> list[Claim]:
        if self.negated or self.clause.no_more:
            return []
        noun = re.sub(r"^.*\bwith (?:my )?", "", without_quantity(what.lower()))
        path = self.book.tidy((*self.path, without_quantity(noun)))
        if self.book.kind_of(path) not in {"person", "pet"}:
            return []
        path = _one_of(path)
        past = self._base().past
        return [replace(_name(path, name, self.clause.text), past=past) for name in several(names)]

    def _kind(self) -> Kind:
        kind = self.book.kind_of(self.path)
        if self.path == ("it",):
            return "thing"
        if kind == "named" and self.phrase.name is None:
            return "thing"
        return kind

    def _read(self, complement: str) -> list[Claim]:
        predicate = f"{self.verb} {complement}".strip()
        base, kind = self._base(), self._kind()
        timed = f"{predicate} {' '.join(self.clause.time)}".strip()
        reading = self.book.timed(timed, kind)
        if reading is not None and self.verb == "be" and complement.isdigit():
            reading = None  # "my locker number is 12" is no hour
        found: list[Claim] = []
        if reading is not None:
            found = self._of_reading(replace(base, time=()), reading)
            if not reading.relation.also:
                return found
        if base.holds and self.clause.tense != "habit":
            ended = self._ended(base, predicate, kind)
            if ended:
                return [*found, *ended]
        elif self.book.ended(predicate, kind):
            return []  # "I haven't quit", "I used to give up": nothing follows
        timed_relation = reading.relation if reading is not None else None
        reading = self.book.said(predicate, kind)
        if reading is None and self.path == ("it",):
            reading = self.book.said(predicate, "pet")
        if reading is not None and reading.relation.id == "age" and kind == "thing":
            reading = reading if "old" in complement else None
        if reading is None or reading.relation is timed_relation:
            return found or self._unlisted(base, kind, complement)
        found += self._of_reading(base, reading)
        for beside in self.book.beside(predicate, kind):
            if beside.relation not in {reading.relation, timed_relation}:
                found += self._of_reading(base, beside)
        return found

    def _ended(self, base: Claim, predicate: str, kind: Kind) -> list[Claim]:
        if base.past:
            return []
        found: list[Claim] = []
        for reading in self.book.ended(predicate, kind):
            over = replace(base, holds=False, ended=True)
            found += self._of_reading(over, reading)
        if found:
            for beside in self.book.beside(predicate, kind):
                found += self._of_reading(base, beside)
        return found

    def _of_reading(self, base: Claim, reading: Reading) -> list[Claim]:
        if reading.thing is not None:
            subject = self._thing(reading.thing)
            if subject is None:
                return []
            base = replace(base, subject=subject)
            if not reading.value and reading.relation.states != reading.relation.id and base.holds:
                return []
            if reading.relation.states == "location":
                reading = replace(reading, value=_INTO.sub("in ", reading.value))
        if reading.relation.fixed or reading.relation.id == "gone":
            base = replace(base, past=False)
        found = _valued(base, reading)
        if reading.old and base.holds:
            old = replace(base, relation=reading.relation.id, value=tidy_value(reading.old))
            found.insert(0, replace(old, holds=False, ended=True, past=False))
        return found

    def _thing(self, text: str) -> Path | None:
        """The path of a thing that the clause speaks of: "my passport"."""
        event = _EVENT_WITH.match(text.lower())
        if event is not None and event["who"] in _PROFESSIONS:
            text = f"my {event['who']} {without_quantity(event['event'])}"
        text = text.removesuffix(" back")
        found = noun_phrase(tokens(text))
        if found is not None and len(found[0].path) > 1 and found[1] == len(tokens(text)):
            return _resolved(found[0])
        noun = tidy_value(without_quantity(text.lower()).removesuffix(" back"))
        return self.book.tidy((*self.path, noun)) if noun else None

    def _unlisted(self, base: Claim, kind: Kind, complement: str) -> list[Claim]:
        """The name in "I'm Sarah", and what "my locker number is 12" says of a thing."""
        if self.verb != "be" or not complement or base.past:
            return []
        if self.path == ("user",):
            name = re.fullmatch(rf"(?P<name>{_NAME})(?: from (?P<place>{_NAME}))?", complement)
            if name is None or not base.holds or self.clause.time or not _is_name(name["name"]):
                return []
            found = [replace(base, relation="name", value=name["name"])]
            if name["place"]:
                found.append(replace(base, relation="origin", value=name["place"]))
            return found
        owned = self.path[0] == "user" and len(self.path) == 2
        if (
            kind == "thing"
            and owned
            and re.search(r"\d|[A-Z]", complement)
            and len(complement) < 40
        ):
            return [replace(base, relation="attribute", value=tidy_value(complement))]
        return []


def _resolved(phrase: NounPhrase) -> Path:
    """The path of a phrase, with the stored words for kin and pets."""
    book = relation_book()
    path = phrase.path
    if len(path) == 1 and path[0] in _PARENTS:
        return book.tidy(("user", path[0]))
    if len(path) > 1 and path[0] in _PARENTS:
        path = ("user", *path)
    if len(path) == 3 and path[1] in _PROFESSIONS and path[2] in _EVENTS:
        path = (path[0], f"{path[1]} {path[2]}")
    return book.tidy(path)


def _one_of(path: Path) -> Path:
    """The path of one of several: a child of the children."""
    last = path[-1]
    one = {"children": "child", "parents": "parents", "siblings": "sibling"}.get(last)
    if one is None:
        one = last[:-1] if last.endswith("s") and last not in {"boss"} else last
    return (*path[:-1], one)


def _name(path: Path, name: str, text: str) -> Claim:
    return Claim(path, "name", name.strip(" ."), appositive=True, text=text)


_NOT_A_NAME = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december god ok okay sorry happy hungry tired
    """.split()
)


def _is_name(value: str) -> bool:
    first = value.split(maxsplit=1)[0].lower() if value else ""
    return bool(value) and first not in _NOT_A_NAME and len(value.split()) <= 6


_SAYS_NOTHING = re.compile(
    r"(?:(?:very|really|so|too|pretty|quite|a bit|getting|always|still|kind of) )*(?:good|great|bad"
    r"|boring|stressful|fun|hard|tough|easy|nice|ok|okay|fine|terrible|awful|important|expensive"
    r"|broken|old|dirty|clean|small|big|huge|tiny|full|empty|ready|late|early|over|soon|coming up"
    r"|changing|different|the same|similar|long|short|secret|private|unknown|beautiful|ugly|fast"
    r"|slow|loud|quiet|happy|sad|sick|ill|tired|amazing|perfect|wonderful|gone|lost|missing|wrong"
    r"|about|killing|driving|making|to|not|what|that|how|why|none|me|you|it|up|down|dead)\b.*",
    re.IGNORECASE,
)


def _suits(value: str, relation: Relation) -> bool:
    """Whether what follows "my <noun> is" is a value of the relation."""
    if not value or (_SAYS_NOTHING.match(value) and relation.id not in {"hair", "name", "dream"}):
        return False
    return relation.noun_value is None or relation.noun_value.fullmatch(value) is not None


_WITH_SOMEBODY = re.compile(r" with (?:my|our|his|her|their) .+$", re.IGNORECASE)
_POINTS = re.compile(
    r"(?:it|that|this|these|those|them|him|her|you|your|me|us|so|what|how|when|where|why|who"
    r"|the way|the idea|being here|talking to you|everything|nothing|something|to (?:be|see) you"
    r"|there|here)\b.*|one",
    re.IGNORECASE,
)


def _valued(base: Claim, reading: Reading) -> list[Claim]:
    """A reading as claims: one, or one for each value in a list."""
    relation = reading.relation
    if (base.past and relation.occasional) or _POINTS.fullmatch(reading.value):
        return []
    value = reading.value
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
    return [replace(claim, value=part) for part in several(value)[:_MOST_CLAIMS]]
