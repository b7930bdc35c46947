"""Compares statements that no relation holds by their words. English. Pure.

What counts is whom they are about, what they have in common, and whether the later one tells of a
change. Nothing of a user's words is kept between two calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lobug.language.claims import USER, Path
from lobug.language.en import words
from lobug.language.en.claims import clause_parser
from lobug.language.en.claims.clause_parser import Clause
from lobug.language.en.claims.values import NUMBER
from lobug.language.en.data import word_set

NOT_ASKED_FOR = words.stems(word_set("free_statements", "not_asked_for"))
"""Stems of words that an answer need not have: "kind", "many", "name"."""
TO_LOBUG = re.compile(r"\b(?:you|your|yours|yourself|lo[- ]?bug)\b", re.IGNORECASE)
SPEAKER = re.compile(
    r"\b(?:i|i['\u2019](?:m|ve|d|ll)|im|ive|we|we['\u2019](?:re|ve|d|ll)|weve|my|our|me|us|mine)\b",
    re.IGNORECASE,
)
EVENT = re.compile(
    r"(?!(?:to|yester)?day|tomorrow|tonight|it|that|this|there|what|who|when|where|how|why|you|he|she"
    r"|they|christmas|easter|all|every|no)(?P<what>(?:[a-z][\w'\u2019-]*\s){1,4}?)(?:is|are|has|starts?|begins?"
    r"|closes?|opens?|ends?|finish(?:es)?|leaves?|moved|changed)"
    r"(?:\s(?:now|always|been|changed|moved|to|on|at|every|each|in|from|only))*\s",
    re.IGNORECASE,
)
""" "Bin day is on ...": an event of the household, and the words before its time."""
_OWNED = re.compile(
    r"(?:(?:my|our|the|his|her|their) (?P<noun>[\w' -]{1,40}?)|(?P<name>[A-Z][\w-]+))"
    r"(?:['\u2019]s)?"
    r" (?:is|are|was|were|has|have|had|does|do|did|got|gets?|goes|go|went|will|can|isn|aren|wasn"
    r"|doesn|don|hasn|never|no|now|only|just|always|usually|\w+ed|comes?|came|broke|left|lost)\b"
)
CHANGE = re.compile(
    r"(?:n['\u2019]t\b|\b(?:not|never|no longer|no more|any ?more|any longer|now|from now on"
    r"|these days|instead|only|new|back|over|off|gone|cancel\w*|call(?:ed)? off|stop(?:ped)?"
    r"|quit|gave up|given up|drop(?:ped)?|finish(?:ed)?|end(?:ed)?|broke(?:n)?|die[ds]?|dead|sold"
    r"|lost|threw|thrown|moved?|chang(?:e|ed|ing)|switch(?:ed)?|swap(?:ped)?|replac\w+"
    r"|reschedul\w+|postpon\w+|put|healed|cured|better|recovered|shaved|cut|lasered|retired"
    r"|left|without|rid of|became|become|turned|bought|paid|repaid|returned|settled|born|found"
    r"|rehomed|c[ao]me (?:home|back|out)|shaved|outgrown|outgrew|ditched|scrapped"
    r"|fixed|mended|repaired|flogged|binned|chucked|offloaded|junked|dropped out"
    r"|f[ae]ll(?:en)? (?:out|off|through|apart)|taken (?:out|off|away)|removed|closed|shut"
    r"|took (?:\w+ ){1,4}(?:out|away|off|down)|used up|run out|ran out|renewed|extended"
    r"|dont|doesnt|isnt|arent|cant|havent|hasnt"
    r"|didnt|wont))\b",
    re.IGNORECASE,
)
"""Words that tell of a change."""
_ADDING = frozenset({"new", "bought", "now"})
_ADDED = re.compile(
    r"\b(?:an?|another|some)\s+(?:\w+\s+){0,2}?new\b|\bbought\s+(?:\w+\s+)?(?:an?|another|some)\b",
    re.IGNORECASE,
)
"""A gain: "a new mirror", "bought a car"; not "the new one" or "is new"."""
OVER = re.compile(
    r"\b(?:any ?more|any longer|no longer|no more|stop(?:ped)?|quit|g[ai]ven? up|finish(?:ed)?"
    r"|cancel+ed|called off|is off|is over|dropped|dropped out|done with|packed in|got rid of"
    r"|sold)\b",
    re.IGNORECASE,
)
_NOTED = re.compile(r"\b[Tt]he user(?P<owner>['\u2019]s)?(?=\W|$)")
NOT_YET = re.compile(
    r"\b(?:must|should|ought to|ha(?:ve|s) (?:got )?to|got to|gotta|needs? to|wants? to|wanna"
    r"|can['\u2019]?t|cannot|could|would|['\u2019]d|might|may|going to|gonna|trying to"
    r"|hop(?:e|ing) to|about to|supposed to|thinking (?:of|about)|if)\b",
    re.IGNORECASE,
)
"""Words by which a change is wished, planned or cannot be made: nothing is over yet."""
NO_MORE = re.compile(
    r"\b(?:any ?more|any longer|no longer|no more|now|these days)\b", re.IGNORECASE
)
_OVER = re.compile(r"\b(?:no (?:longer|more)|(?:any ?more|any longer)\W*$)", re.IGNORECASE)
_PARTS = re.compile(r"[,;:.!]+(?=\s|$)|\b(?:so|and|but|because|cos)\b", re.IGNORECASE)
TIME = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter|christmas|easter"
    r"|mornings?|evenings?|afternoons?|nights?|noon|midnight|midday|weekends?|week|month|year|days?"
    r"|years|months|weeks|hours?|minutes?|tomorrow|half|quarter|o['\u2019]?clock|every|daily|weekly"
    r"|monthly|yearly|since|until|till|ago|am|pm|from now on|now)\b|\d{1,2}[:.]\d\d"
    r"|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)


def content(text: str) -> frozenset[str]:
    """The stems of what a statement or a question is about."""
    return frozenset(words.stems(words.content_words(_spoken(text))) - NOT_ASKED_FOR)


def about(text: str) -> frozenset[str]:
    """The stems of whom or what a statement is about; empty: of the speaker."""
    return _about(text, clause_parser.parse(_spoken(text)).clauses)


def about_and_owners(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of whom or what a statement is about, and of those to whom that belongs, other
    than the speaker."""
    clauses = clause_parser.parse(_spoken(text)).clauses
    path = clauses[0].subjects[0].path if clauses else ()
    return _about(text, clauses), _of_path(path[:-1])


def _about(text: str, clauses: Sequence[Clause]) -> frozenset[str]:
    if clauses:
        phrase = clauses[0].subjects[0]
        if any(one.path == USER for one in clauses[0].subjects):
            return frozenset()
        return _of_path(phrase.path) or content(phrase.name or "")
    match = _OWNED.match(_spoken(text))
    if match is not None:
        return content(match["noun"] or match["name"])
    event = EVENT.match(text)
    return frozenset() if event is None else content(event["what"])


def _names_of_subject(text: str) -> frozenset[str]:
    """The stems of the name of whom a statement is about: "my neighbour Tom"."""
    clauses = clause_parser.parse(_spoken(text)).clauses
    return content(clauses[0].subjects[0].name or "") if clauses else frozenset()


def _of_path(path: Path) -> frozenset[str]:
    return content(" ".join(part.split(":")[0] for part in path if part != "user"))


def _spoken(text: str) -> str:
    """A note about the user in the first person, near enough to see what it is about."""
    return _NOTED.sub(lambda match: "my" if match["owner"] else "I", text)


def _lasting(text: str) -> frozenset[str]:
    """The stems of a statement without numbers and times, which change."""
    bare = NUMBER.sub(" ", TIME.sub(" ", text))
    return content(" ".join(bare.split())) or content(text)


def _changes(text: str) -> frozenset[str]:
    """The stems of the words of a statement that tell of a change."""
    return content(" ".join(match.group() for match in CHANGE.finditer(text)))


def _adds(text: str) -> bool:
    """Whether the only change in a statement is a gain: "my neighbour has a new mirror"."""
    changes = {match[0].lower() for match in CHANGE.finditer(text)}
    return changes <= _ADDING and _ADDED.search(text) is not None


def over(sentences: Sequence[str], kept: Sequence[str]) -> tuple[str, ...]:
    """The parts of sentences that say that something is over, without those of ``kept`` ones."""
    parts = [part.strip() for one in sentences for part in _PARTS.split(one)]
    return tuple(
        part
        for part in parts
        if _OVER.search(part) is not None and not any(part in one for one in kept)
    )


def overtaking(later: str, *, corrects: bool = False) -> Callable[[str], bool]:
    """A test of whether a statement says that an earlier one, of the first or the third person, is
    no longer so. ``corrects``: it says that something was wrong."""
    planned = NOT_YET.search(later) is not None and NO_MORE.search(later) is None
    if not corrects and (planned or CHANGE.search(later) is None):
        return lambda _: False
    said = content(later)
    beside_change = said - _changes(later)
    ends_only = _OVER.search(later) is not None
    adds = not corrects and _adds(later)
    subject = about(later)
    whom = subject | _names_of_subject(later) if adds else subject

    def overtakes(earlier: str) -> bool:
        if not said & content(earlier):
            return False
        # "No more nights for me" speaks of a time alone.
        before = content(earlier) if ends_only else _lasting(earlier)
        shared = said & before
        only = beside_change <= before  # "the Fiat's gone, too"
        if not shared or not (only or len(shared) >= len(before) // 2):
            return False
        # A neighbour with a new mirror may still have the new camera.
        if adds and not (shared & beside_change) - whom:
            return False
        former = about(earlier)
        # "The party is off" is about the party of "we have a party", not of "my sister has a
        # party".
        return subject == former or (subject <= content(earlier) and former <= said)

    return overtakes
