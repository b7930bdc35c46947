"""Puts clauses about what somebody has lost, or got over, into the words of the relations. English.

Pure. "My bike got stolen" says of the bike what "I lost my bike" says of me.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lobug.language.claims import Path
from lobug.language.en.claims.clause_parser import Clause, NounPhrase
from lobug.language.en.claims.relation_book import relation_book

_LOST = re.compile(
    r"(?:get|be) (?:stolen|nicked|pinched|sold|thrown (?:away|out)|given away|wrecked|totall?ed"
    r"|written off|scrapped)(?: .+)?",
    re.IGNORECASE,
)
_HEALED = re.compile(
    r"(?:be |go |have )?(?:now |all |completely |fully |finally )*(?:gone(?: away)?|over|away"
    r"|healed|cured|better|cleared up|passed|heal(?: up)?|clear(?: up)?|go away|pass|get better|go)"
    r"(?: now| completely| again)?",
    re.IGNORECASE,
)
_BODY = re.compile(
    r"(?:\w+ )?(?:arm|leg|wrist|ankle|foot|toe|finger|rib|nose|hand|shoulder|knee|hip|elbow"
    r"|collarbone|back|neck|thumb|jaw)"
)
_LEAVES_ME = frozenset({"break up with me", "split up with me", "leave me", "dump me"})
_EVENT = re.compile(
    r"(?:my|our|the) (?:\w+ ){0,3}(?:appointment|meeting|operation|surgery|scan|interview|test|exam"
    r"|lesson|class|check-?up|flight)\b",
    re.IGNORECASE,
)
_MOVED = re.compile(r"move (?P<where>in(?: with (?:me|us))?|out(?: of .+)?)", re.IGNORECASE)
_TO_SCHOOL = re.compile(
    r"(?:(?:start|begin|go) (?:at|to)) (?P<where>[A-Z][\w'.-]*(?: [A-Z][\w'-]*)*)"
)
_PUPILS = frozenset(
    "son daughter child children sons daughters twins grandson granddaughter".split()
)
_REASON = re.compile(r",? (?:because of|due to|thanks to|on account of) .+$", re.IGNORECASE)
_TREATED = re.compile(r"(?:take|put) me (?P<on>off|on) (?:the |my |some )?(?P<what>.+)", re.I)
_RAISED = re.compile(
    r"(?:(?:go|be) (?:now )?(?:up|down|raised|increased|reduced)|rise|increase|drop|fall)"
    r" to (?P<to>.*\d.*|.+ (?:pounds|euros|dollars|quid))",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"(?:be |get )?changed? to (?P<to>\S+)", re.IGNORECASE)
_SECRETS = ("code", "pin", "password", "combination", "number")
_HAD_AS = re.compile(
    r"(?P<name>(?:(?:Dr|Mrs?|Ms|Miss|Prof)\.? )?[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*)?)"
    r" (?:as|for) (?:my|our|his|her|their|a) (?:new )?(?P<noun>[a-z]+(?: [a-z]+)?)"
)
_BORN = re.compile(
    r"(?P<what>an? (?:(?:healthy|little|beautiful|tiny|lovely|new) )*(?:baby(?: boy| girl)?"
    r"|(?:little|baby) (?:boy|girl))|twins|triplets)(?: .*)?",
    re.IGNORECASE,
)


def reworded(clause: Clause) -> Clause:
    """A clause in the words that the relations know."""
    clause = replace(clause, complement=_REASON.sub("", clause.complement))
    for reword in (
        _left,
        _moved_in,
        _at_school,
        _arranged,
        _treated,
        _born,
        _lost_or_healed,
        _raised,
        _had_as,
    ):
        found = reword(clause)
        if found is not None:
            return found
    return clause


def said(phrase: NounPhrase) -> str:
    """A noun phrase as the object of a verb."""
    return phrase.name or " ".join(phrase.path[1:] or phrase.path)


def _left(clause: Clause) -> Clause | None:
    """ "My girlfriend broke up with me" as "I broke up with my girlfriend"."""
    predicate = f"{clause.verb} {clause.complement}".strip().lower()
    if predicate not in _LEAVES_ME or clause.subjects[0].path == ("user",):
        return None
    return _of(("user",), clause, "break", f"up with {said(clause.subjects[0])}")


def _moved_in(clause: Clause) -> Clause | None:
    """ "Deepa moved out" and "Marnie has moved in": with whom I live."""
    path, told = clause.subjects[0].path, f"{clause.verb} {clause.complement}".strip()
    moved = _MOVED.fullmatch(told)
    near = path[0] == "user" and path[-1] not in {"neighbour", "neighbours", "tenant", "tenants"}
    if (
        moved is None
        or clause.negated
        or path == ("user",)
        or not (near or clause.subjects[0].name)
    ):
        return None
    if clause.tense not in {"past", "perfect"}:
        return None
    living = _of(("user",), clause, "live", f"with {said(clause.subjects[0])}")
    return replace(living, tense="present", no_more=moved["where"].startswith("out"))


def _at_school(clause: Clause) -> Clause | None:
    """ "Tobias goes to Ravenscourt now", "the twins have started at St Bede's": their school."""
    match = _TO_SCHOOL.fullmatch(f"{clause.verb} {clause.complement}")
    pupil = clause.subjects[0].path[-1] in _PUPILS
    starts = clause.verb in {"start", "begin"} and pupil
    always = clause.time == ("now",) or (pupil and not clause.time)
    goes = clause.verb == "go" and clause.tense == "present" and always
    if match is None or clause.negated or not (starts or goes):
        return None
    return replace(clause, verb="study", complement=f"at {match['where']}", tense="present")


def _arranged(clause: Clause) -> Clause | None:
    """ "The hospital moved my appointment to Friday" as "I moved my appointment"."""
    moves = clause.verb in {"move", "postpone", "reschedule", "cancel"} and not clause.negated
    mine = _EVENT.match(clause.complement)
    if not (moves and mine and clause.subjects[0].definite):
        return None
    return replace(clause, subjects=(NounPhrase(("user",)),))


def _treated(clause: Clause) -> Clause | None:
    """ "The doctor took me off statins", "they put me on insulin"."""
    match = _TREATED.fullmatch(f"{clause.verb} {clause.complement}")
    if match is None or clause.negated or clause.subjects[0].path == ("user",):
        return None
    verb = "come" if match["on"] == "off" else "be"
    treated = _of(("user",), clause, verb, f"{match['on']} {match['what']}")
    return treated if verb == "come" else replace(treated, tense="present")


def _raised(clause: Clause) -> Clause | None:
    """ "My rent went up to 750 pounds": it is 750 pounds."""
    match = _RAISED.fullmatch(f"{clause.verb} {clause.complement}")
    if match is None and clause.subjects[0].path[-1].endswith(_SECRETS):
        match = _CHANGED.fullmatch(f"{clause.verb} {clause.complement}")
    past = clause.tense in {"past", "perfect"} or clause.verb == "be"
    if match is None or clause.negated or not past or len(clause.subjects[0].path) != 2:
        return None
    return replace(clause, verb="be", complement=match["to"], tense="present")


def _had_as(clause: Clause) -> Clause | None:
    """ "We have Mr Khan as our teacher now": our teacher is Mr Khan."""
    match = _HAD_AS.fullmatch(clause.complement)
    if clause.verb not in {"have", "get"} or match is None or clause.negated:
        return None
    if not relation_book().is_kin(match["noun"].split()[-1]):
        return None
    who = NounPhrase((*clause.subjects[0].path, match["noun"]))
    return replace(clause, subjects=(who,), verb="be", complement=match["name"], tense="present")


def _born(clause: Clause) -> Clause | None:
    """ "We had a baby last night" tells of a child that there is now."""
    match = _BORN.fullmatch(clause.complement)
    if clause.verb not in {"have", "get"} or match is None or clause.tense != "past":
        return None
    what = match["what"]
    born = what if what in {"twins", "triplets"} else "a baby"
    return replace(clause, verb="have", complement=born, tense="present", time=())


def _lost_or_healed(clause: Clause) -> Clause | None:
    """ "My bike got stolen", "my cold is gone", "my leg has healed"."""
    path = clause.subjects[0].path
    if len(path) != 2 or len(clause.subjects) > 1 or clause.negated or clause.subjects[0].name:
        return None
    if clause.tense not in {"present", "past", "perfect"}:
        return None
    book = relation_book()
    owner, noun = path[:1], path[1]
    predicate = f"{clause.verb} {clause.complement}".strip()
    may_be_lost = book.is_value("possession", noun) or book.is_value("car", noun)
    if _LOST.fullmatch(predicate) and may_be_lost:
        return _of(owner, clause, "lose", f"my {noun}")
    if not _HEALED.fullmatch(predicate):
        return None
    if book.is_value("illness", noun):
        return _of(owner, clause, "get", f"over {noun}")
    if _BODY.fullmatch(noun) and predicate not in {"be gone", "go", "be over", "pass"}:
        return _of(owner, clause, "heal", f"my {noun}")
    return None


def _of(path: Path, clause: Clause, verb: str, complement: str) -> Clause:
    name = None if path[0] == "user" else path[0].capitalize()
    return replace(
        clause, subjects=(NounPhrase(path, name),), verb=verb, complement=complement, tense="past"
    )
