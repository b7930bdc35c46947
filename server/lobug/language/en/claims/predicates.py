"""What is said of a subject: the relations that a verb and its complement state or end. English.

Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lobug.language.claims import Claim, Path
from lobug.language.en.claims.changes import stopped
from lobug.language.en.claims.lexicon import tokens
from lobug.language.en.claims.relation_book import Kind, Reading
from lobug.language.en.claims.statement import (
    MOST_CLAIMS,
    NAME,
    PROFESSIONS,
    Statement,
    is_name,
    name_claim,
    one_of,
    resolved,
    valued,
)
from lobug.language.en.claims.subjects import noun_phrase
from lobug.language.en.claims.time_phrases import IS_WHEN
from lobug.language.en.claims.values import several, tidy_value, without_quantity

_CALLED = re.compile(
    r"^(?P<what>.+?),? (?:(?:who|which|that)(?:['\u2019]s| is| are) )?"
    rf"(?:called|named|by the name of"
    rf"|whose name is) (?P<name>{NAME}(?:(?:, {NAME})*,? and {NAME})?)$"
)
_APPOSED = re.compile(
    rf"^(?P<what>(?:an?|one|two|three|four|five"
    rf"|my) [a-z][\w -]*?),? (?P<name>{NAME}(?:(?:, {NAME})*,? and {NAME})?)$"
)
_ITEM = re.compile(
    r"(?:,\s*(?:and\s+)?|\s+and\s+)(?=(?:an?|one|two|three|four|five|six|some|my|\d+)\s)", re.I
)
_OF_PROFESSION = re.compile(rf"\b({'|'.join(sorted(PROFESSIONS))})['\u2019]s (?=\w)")
_SOMEBODY = frozenset({"he", "she"})
_APART = re.compile(r"\band\b", re.IGNORECASE)
_LISTED = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_ONLY = re.compile(r",? (?:only|just) (?P<rest>.+)$", re.IGNORECASE)
_WITH_CHILDREN = re.compile(r" (?:with|and have) (?P<what>(?:\w+ )?(?:kids|children|child|kid))$")
_EVENT_WITH = re.compile(r"^(?P<event>.+?) (?:with|at) (?:the|my|our|a) (?P<who>[a-z]+)(?:'s)?$")
_INNER_ARTICLE = re.compile(r"(?<= )(with|at|to|for|in) (?:the|my|our|an?) ")
_ONCE = frozenset({"go", "get", "have", "meet", "see", "visit", "travel", "fly", "drive"})
"""Verbs that in the past tell of one occasion: "we went to Spain"."""
_MOVED = re.compile(r"(?:change|switch|move|get)\b", re.IGNORECASE)
_INTO = re.compile(r"^(?:in)?to (?=\S)", re.IGNORECASE)


def predicate_claims(statement: Statement, complement: str) -> list[Claim]:
    """The claims that the verb makes with a complement."""
    only = _ONLY.search(complement)
    if only is not None and statement.negated:
        # "I don't drink coffee any more, only tea"
        first = predicate_claims(statement, re.sub(r" ?any ?more$", "", complement[: only.start()]))
        if "more" in complement[: only.start()]:
            first = [replace(claim, ended=True) for claim in first]
        statement.negated = False
        statement.clause = replace(statement.clause, no_more=False)
        return [*first, *predicate_claims(statement, only["rest"])]
    children = _WITH_CHILDREN.search(complement)
    if children is not None and statement.verb == "be":
        base = statement.claim()
        relation = statement.book.by_id["children_count"]
        reading = Reading(relation, children["what"])
        return [
            *predicate_claims(statement, complement[: children.start()]),
            *valued(base, reading),
        ]
    parts = _items(statement, complement)
    if len(parts) > 1:
        read = [_one(statement, part) for part in parts]
        if all(read):
            if len(parts) == 2 and _APART.search(complement) is None and _is_one(statement, read):
                return read[1]  # "a new car, a Honda"
            found = [claim for claims in read for claim in claims]
            return _as_one(statement, found) or found
    return _one(statement, complement) or _distributed(statement, complement)


def _distributed(statement: Statement, complement: str) -> list[Claim]:
    """ "The piano and the violin", where the whole says nothing."""
    parts = [part for part in _LISTED.split(complement) if part][:MOST_CLAIMS]
    read = [_one(statement, part) for part in parts] if len(parts) > 1 else []
    return [claim for claims in read for claim in claims] if all(read) else []


def _is_one(statement: Statement, read: list[list[Claim]]) -> bool:
    """Whether all claims are of one relation that has one value."""
    relations = {claim.relation for claims in read for claim in claims}
    return len(relations) == 1 and statement.book.by_id[relations.pop()].one


def _as_one(statement: Statement, found: list[Claim]) -> list[Claim]:
    """ "A Volvo and a Tesla": two values of a relation that has one."""
    first = found[0]
    if any(claim.relation != first.relation for claim in found):
        return []
    if not statement.book.by_id[first.relation].one:
        return []
    return [replace(first, value=" and ".join(claim.value for claim in found))]


def _items(statement: Statement, complement: str) -> list[str]:
    """ "A dog and two cats"."""
    if statement.verb not in {"have", "own", "get", "buy", "adopt", "sell", "keep", "be", "lose"}:
        return [complement]
    whole = statement.book.said(f"{statement.verb} {complement}", statement.kind())
    if whole is not None and whole.relation.id == "children_count":
        return [complement]  # "three kids, two boys and a girl"
    return _ITEM.split(complement)[:MOST_CLAIMS]


def _one(statement: Statement, complement: str) -> list[Claim]:
    """The claims of a predicate that states one thing."""
    named = None
    if statement.verb in {"have", "get", "adopt", "buy", "own", "date", "see", "live"}:
        named = _CALLED.match(complement) or _apposed(statement, complement)
    what = complement
    if named is not None:
        what = named["name"] if statement.verb in {"date", "see"} else named["what"]
    found = _read(statement, what)
    if named is not None and statement.verb not in {"date", "see"} and found:
        found += _names_of(statement, named["what"], named["name"])
    return found


def _apposed(statement: Statement, complement: str) -> re.Match[str] | None:
    """ "Two brothers, Max and Leo"; "a red Toyota" names nobody."""
    match = _APPOSED.match(complement)
    if match is None or not statement.is_person_or_pet(("user", match["what"].lower())):
        return None
    return match


def _names_of(statement: Statement, what: str, names: str) -> list[Claim]:
    if statement.negated or statement.clause.no_more:
        return []
    noun = re.sub(r"^.*\bwith (?:my )?", "", without_quantity(what.lower()))
    path = statement.book.tidy((*statement.path, without_quantity(noun)))
    if statement.book.kind_of(path) not in {"person", "pet"}:
        return []
    path = one_of(path)
    past = statement.claim().past
    return [
        replace(name_claim(path, name, statement.clause.text), past=past) for name in several(names)
    ]


def _read(statement: Statement, complement: str) -> list[Claim]:
    predicate = f"{statement.verb} {complement}".strip()
    base, kind = statement.claim(), statement.kind()
    timed = f"{predicate} {' '.join(statement.clause.time)}".strip()
    reading = statement.book.timed(timed, kind)
    if reading is not None and statement.verb == "be" and complement.isdigit():
        reading = None  # "my locker number is 12" is no hour
    found: list[Claim] = []
    if reading is not None:
        found = _of_reading(statement, replace(base, time=()), reading)
        if not reading.relation.also:
            return found
    if base.holds and statement.clause.tense != "habit":
        ended = _ended(statement, base, predicate, kind)
        if ended:
            return [*found, *ended]
    elif statement.book.ended(predicate, kind) and statement.book.said(predicate, kind) is None:
        return []  # "I haven't quit", "I used to give up": nothing follows
    timed_relation = reading.relation if reading is not None else None
    reading = statement.book.said(predicate, kind)
    breed = complement.rsplit(" ", maxsplit=1)[-1].lower() in statement.book.breeds
    if reading is None and (
        statement.path == ("it",) or (breed and statement.path[0] in _SOMEBODY)
    ):
        reading = statement.book.said(predicate, "pet")
    if reading is not None and reading.relation.id == "age" and kind == "thing":
        reading = reading if "old" in complement else None
    if reading is None or reading.relation is timed_relation:
        return found or _unlisted(statement, base, kind, complement)
    found += _of_reading(statement, base, reading)
    for beside in statement.book.beside(predicate, kind):
        if beside.relation not in {reading.relation, timed_relation}:
            found += _of_reading(statement, base, beside)
    return found


def _ended(statement: Statement, base: Claim, predicate: str, kind: Kind) -> list[Claim]:
    if base.past:
        return []
    found: list[Claim] = []
    over = replace(base, holds=False, ended=True)
    done = stopped(predicate, kind)
    if done is not None:
        return _of_reading(statement, over, done)
    denied = statement.book.denied(predicate, kind)
    if denied is not None:
        found += _of_reading(
            statement, replace(base, holds=False, ended="now" in base.time), denied
        )
    for reading in statement.book.ended(predicate, kind):
        found += _of_reading(statement, over, reading)
    if found:
        for beside in statement.book.beside(predicate, kind):
            found += _of_reading(statement, base, beside)
    return found


def _of_reading(statement: Statement, base: Claim, reading: Reading) -> list[Claim]:
    if reading.relation.id == "appointment":
        base = replace(base, moves=statement.verb != "have")
    if reading.relation.id == "takes_place" and _MOVED.match(f"{statement.verb} {reading.value}"):
        base = replace(base, moves=True)
    if reading.thing is not None:
        subject = _thing(statement, reading.thing)
        if subject is None:
            return []
        base = replace(base, subject=subject)
        if not reading.value and reading.relation.states != reading.relation.id and base.holds:
            return []
        if reading.relation.states == "location":
            if IS_WHEN.fullmatch(reading.value):
                return []  # "I left the house at nine"
            reading = replace(reading, value=_INTO.sub("in ", reading.value))
    if reading.relation.fixed or reading.relation.id == "gone":
        base = replace(base, past=False)
    once = statement.clause.tense in {"past", "perfect"} and statement.verb in _ONCE
    if reading.relation.occasional and once and base.holds:
        return []
    found = valued(base, reading)
    if reading.old and base.holds:
        old = replace(base, relation=reading.relation.id, value=tidy_value(reading.old))
        found.insert(0, replace(old, holds=False, ended=True, past=False))
    return found


def _thing(statement: Statement, text: str) -> Path | None:
    """The path of a thing that the clause speaks of: "my passport", "it"."""
    if text.lower() in {"it", "them"}:
        return ("it",)
    event = _EVENT_WITH.match(text.lower())
    if event is not None and event["who"] in PROFESSIONS:
        text = f"my {event['who']} {without_quantity(event['event'])}"
    text = _OF_PROFESSION.sub(r"\1 ", text.removesuffix(" back"))
    found = noun_phrase(tokens(text))
    if found is not None and found[1] == len(tokens(text)):
        if len(found[0].path) > 1:
            return resolved(found[0])
        if found[0].name is not None:
            return found[0].path  # "we had to put Biscuit down"
    noun = tidy_value(without_quantity(text.lower()).removesuffix(" back"))
    noun = _INNER_ARTICLE.sub(r"\1 ", noun)  # as the subject of a clause has it
    owner = ("user",) if statement.path == ("they",) else statement.path
    return statement.book.tidy((*owner, noun)) if noun else None


def _unlisted(statement: Statement, base: Claim, kind: Kind, complement: str) -> list[Claim]:
    """The name in "I'm Sarah", and what "my locker number is 12" says of a thing."""
    if statement.verb != "be" or not complement or base.past:
        return []
    if statement.path == ("user",):
        name = re.fullmatch(rf"(?P<name>{NAME})(?: from (?P<place>{NAME}))?", complement)
        if name is None or not base.holds or statement.clause.time or not is_name(name["name"]):
            return []
        found = [replace(base, relation="name", value=name["name"])]
        if name["place"]:
            found.append(replace(base, relation="origin", value=name["place"]))
        return found
    owned = statement.path[0] == "user" and len(statement.path) == 2
    if kind == "thing" and owned and re.search(r"\d|[A-Z]", complement) and len(complement) < 40:
        return [replace(base, relation="attribute", value=tidy_value(complement))]
    return []
