"""Reads what a topic names, after "forget" and "what do you know about". English. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lobug.language.claims import USER, Asked, Path
from lobug.language.en.claims.clause_parser import BE, DO, HAVE, Token, tokens
from lobug.language.en.claims.question_parser import (
    CODE_FOR,
    MORE_ASKED,
    UNSPLIT,
    inverted,
    stated,
    wh_of,
    whole,
    without_trailing,
)
from lobug.language.en.claims.question_phrases import DETERMINERS, OBJECTS
from lobug.language.en.claims.questions import (
    LONGEST,
    POINTING,
    first_read,
    in_its_time,
    of_household,
    of_noun,
)
from lobug.language.en.claims.relation_book import relation_book

OPENING = re.compile(
    r"^(?:please\s+|(?:everything|all|anything|the things?|the part|what(?:ever)?)\s+(?:that\s+)?"
    r"(?:i(?:'ve| have)? (?:ever |just )?(?:told|said|mentioned)(?: to)?(?: you)?"
    r"|you (?:know|remember|have|stored|learned))\s+(?:about\s+|of\s+)?"
    r"|(?:everything|all|anything|something|things) (?:about|of|on)\s+|about\s+"
    r"|the (?:fact|thing|part|story) (?:that|about|where)\s+|that\s+|if\s+|whether\s+)",
    re.IGNORECASE,
)
DENIAL = re.compile(
    r"\s*\b(?:no longer|don't|do not|doesn't|does not|never|(?<='m )not|(?<=is )not|(?<=am )not)"
    r"\s+",
    re.IGNORECASE,
)
SOMEBODY = frozenset({"him", "her", "them"})
STATES_HAVING = re.compile(r"(?:i|we)(?:'ve)? (?:have|own|got)\b", re.IGNORECASE)
CALLED = re.compile(r"\s+(?:called|named) (?-i:[A-Z])[\w'-]*$", re.IGNORECASE)


def read_topic(text: str) -> Asked | None:
    """What a topic or a statement after "forget" names; None: no subject of claims."""
    body = " ".join(text.split()).strip(" ?!.,").replace("\u2019", "'")
    while (match := OPENING.match(body)) is not None:
        body = body[match.end() :]
    body, _ = without_trailing(body)
    if not body or len(body) > LONGEST or MORE_ASKED.search(body):
        return None
    if body.lower() in {"me", "myself", "us"}:
        return Asked(USER, None)
    if body.lower() in SOMEBODY:
        return Asked((OBJECTS[body.lower()],), None)
    body = CODE_FOR.sub(r"my \g<thing> \g<what>", body)
    body = DENIAL.sub(" ", UNSPLIT.sub(r"\1 is", body))
    found = tokens(body)
    wh, at = wh_of(found)
    if wh:
        readings = stated(found, at, body)
        if at < len(found) and found[at].low in BE | HAVE | DO:
            readings += inverted(found, at, body)
        definite = at < len(found) and found[at].low in DETERMINERS
        readings = [replace(reading, definite=definite) for reading in readings]
        asked = first_read(readings, wh, told=True)
        return asked and in_its_time(asked)
    noun = whole(found, 0)
    if noun is not None:
        return _of_noun(noun, found)
    body = CALLED.sub("", body) if STATES_HAVING.match(body) else body
    asked = first_read(stated(tokens(body), 0, body), "", told=True)
    return asked and in_its_time(asked)


def _of_noun(path: Path, found: Sequence[Token]) -> Asked | None:
    if len(path) == 1:
        if found[0].low in DETERMINERS:  # "the wifi password" is the user's
            shared = of_household(path)
            if shared is not None:
                return shared
            somebody = relation_book().kind_of(("user", *path)) in {"person", "pet"}
            return Asked(path, None) if somebody and found[0].low == "the" else None
        return None if path[0] in POINTING else Asked(path, None)
    if relation_book().kind_of(path) in {"person", "pet"} and path[-1] not in {"pet", "pets"}:
        return Asked(path, None)
    return of_noun(path, "what", sure=True) or Asked(path, None)
