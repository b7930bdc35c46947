"""What a clause says has become otherwise, where the relation is not in its words: "I've switched
from law to history", "our daughter was born last night". English. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lobug.language.claims import ANY_RELATION, COUPLE, Claim
from lobug.language.en.claims.clause_parser import Clause, lemma
from lobug.language.en.claims.relation_book import Kind, Reading, relation_book
from lobug.language.en.claims.statement import PLACES, Statement, suits
from lobug.language.en.claims.values import tidy_value

_SWITCHED = re.compile(
    r"(?:switch|change|swap|trade|replace|exchange|(?:go|transfer|convert|move)(?=.* from ))"
    r"(?: (?:over|sides|jobs?|schools?|courses?|subjects?|teams?|clubs?|majors?|in|out))*"
    r"(?: from)? (?:my |our |the |his |her )?(?P<old>(?:(?!to |for |with )\S+ ){1,5})"
    r"(?:to|for|with|by) (?P<new>\S+(?: \S+){0,5})",
    re.IGNORECASE,
)
_GIVEN_UP = re.compile(
    r"(?:give up|quit|pack in|jack in|chuck in|be done with|be through with|be finished with"
    r"|finish with|lose interest in) "
    r"(?:(?:my|our|the|his|her) )?(?P<what>\S+(?: \S+){0,4}?)(?: (?:lessons?|classes))?",
    re.IGNORECASE,
)
_PUT_OFF = re.compile(
    r"(?:give|pack|throw|chuck|jack|kick) (?:(?:my|our|the|his|her) )?(?P<what>\S+(?: \S+){0,3}?)"
    r" (?:up|in|away|out)",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"(?:stop|quit|give up|finish|be done|be finished) (?:with )?(?P<doing>[a-z]+ing)\b"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"(?:be born|arrive|come)(?: (?:early|safely|at last|finally|a .+|in .+|at .+|by .+))?", re.I
)
_CHILDREN = frozenset({"son", "daughter", "baby", "child", "twins", "children"})
_IS_AT = re.compile(r"(?:in|at|on|with|for) (?P<place>.+)", re.IGNORECASE)


def changed(statement: Statement) -> list[Claim]:
    """The change in a clause that names only a value; the relation is that which holds it."""
    base = replace(statement.claim(), relation=ANY_RELATION, past=False)
    clause = statement.clause
    if clause.tense not in {"past", "perfect", "present"} or clause.negated or not base.holds:
        return []
    predicate = f"{statement.verb} {statement.complement}".strip()
    match = _SWITCHED.fullmatch(predicate)
    if match is not None and clause.tense != "present":
        old, new = tidy_value(match["old"].strip().removesuffix(" in")), tidy_value(match["new"])
        return [replace(base, value=new, instead_of=old)]
    match = _GIVEN_UP.fullmatch(predicate) or _PUT_OFF.fullmatch(predicate)
    if match is None:
        return []
    return [replace(base, value=tidy_value(match["what"]), holds=False, ended=True)]


def stopped(predicate: str, kind: Kind) -> Reading | None:
    """The relation that ends when somebody stops doing something: "stop studying law"."""
    match = _STOPPED.fullmatch(predicate)
    verb = None if match is None else lemma(match["doing"].lower())
    if match is None or verb is None:
        return None
    reading = relation_book().said(f"{verb}{match['rest']}", kind)
    return None if reading is None or reading.thing is not None else reading


def born(clause: Clause) -> list[Claim]:
    """ "Our daughter was born last night": there is a daughter, and nobody is pregnant any more."""
    path = clause.subjects[0].path
    told = f"{clause.verb} {clause.complement}".strip()
    if path[0] != "user" or path[-1] not in _CHILDREN or len(clause.subjects) > 1:
        return []
    if clause.negated or clause.tense not in {"past", "perfect"} or not _BORN.fullmatch(told):
        return []
    relative = Claim(path[:-1], "relative", path[-1], text=clause.text)
    mother = path[:-1] if len(path) > 2 else COUPLE
    over = Claim(mother, "pregnant", "", holds=False, ended=True, text=clause.text)
    return [over, relative]


def succeeded(clause: Clause, before: Sequence[Claim]) -> list[Claim]:
    """ "Now it's ramen" after "my favourite food isn't lasagne any more", "I'm on the surgical ward
    now" after "I don't work in A and E any more"."""
    if not before or clause.verb != "be" or clause.negated or not clause.complement:
        return []
    last, path = before[-1], clause.subjects[0].path
    if not (last.ended and last.value and len(clause.subjects) == 1 and clause.tense == "present"):
        return []
    if "now" not in clause.time:
        return []
    now = replace(last, holds=True, ended=False, time=clause.time, text=clause.text)
    if path == ("it",):
        if not suits(clause.complement, relation_book().by_id[last.relation]):
            return []  # "it's hard now"
        return [replace(now, value=tidy_value(clause.complement))]
    place = _IS_AT.fullmatch(clause.complement)
    if path == last.subject and last.relation in PLACES and place is not None:
        return [replace(now, value=tidy_value(place["place"]))]
    return []
