"""Who somebody is: "my sister's name is Hanna", "Hanna is my sister", "my late father". English.

Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lobug.language.claims import Claim
from lobug.language.en.claims.lexicon import TITLES, tokens
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.statement import (
    NAME,
    Statement,
    is_name,
    name_claim,
    one_of,
    suits,
    valued,
)
from lobug.language.en.claims.subjects import noun_phrase
from lobug.language.en.claims.values import several

_NAME_ONLY = re.compile(NAME)
_NAMES = re.compile(rf"{NAME}(?:, {NAME})*,? and {NAME}")
_MENTION = re.compile(rf"\b[Mm]y (?P<noun>(?:[a-z-]+ )?[a-z-]+) (?P<name>{NAME})(?![\w'])")
_INTRODUCED = re.compile(
    r"[Mm]y (?P<noun>(?:[a-z-]+ )?[a-z-]+),? (?P<name>[A-Z][a-z'\u2019-]+),? (?=[a-z])"
)
_PLACED = re.compile(r" (?:at|from|in) (?:the |my )?[A-Z][\w' -]{2,40}$")
"""Where somebody is found, after a name: "Dr Patel at the Mill Lane surgery"."""
_CALLED = re.compile(r"^(?:called|named) ")
_COUNTED = re.compile(
    r"(?:two|three|four|five|six|seven|eight|nine|ten|\d+) (?P<noun>children|kids|siblings)"
)
_DOING = re.compile(r"\b(?:is|are|was|were) (\w+ing\b.*)$", re.IGNORECASE)

_PARTNERS = frozenset(
    {"husband", "wife", "boyfriend", "girlfriend", "partner", "fiancé", "fiancée", "ex"}
)


def called_by_others(statement: Statement) -> list[Claim]:
    """ "You can call me Al", "everyone calls me Pete"."""
    match = re.fullmatch(rf"me (?P<name>{NAME})", statement.complement)
    if (
        match is None
        or statement.negated
        or statement.clause.no_more
        or statement.path == ("user",)
    ):
        return []
    base = statement.claim()
    return [replace(base, subject=("user",), relation="nickname", value=match["name"], past=False)]


def named_beside(statement: Statement) -> list[Claim]:
    """The name in "my sister Hanna", and the death in "my late father"."""
    text = statement.clause.text
    noun = statement.phrase.path[-1]
    owners = ((statement.book.tidy(path), name) for path, name in statement.phrase.owners)
    found = [
        name_claim(path, name, text)
        for path, name in owners
        if statement.is_person_or_pet(path) and path[0] == "user"
    ]
    owned = len(statement.phrase.path) > 1 and not statement.phrase.definite
    counted = _COUNTED.fullmatch(noun)
    if counted is not None and len(statement.phrase.path) == 2:
        relation = "siblings_count" if counted["noun"] == "siblings" else "children_count"
        found.append(Claim(statement.path[:1], relation, noun, text=text))
    if statement.phrase.name and owned and statement.is_person_or_pet(statement.path):
        names = [part.strip() for part in re.split(r",| and ", statement.phrase.name)]
        path = one_of(statement.path) if statement.phrase.plural else statement.path
        found += [name_claim(path, name, text) for name in names]
    if noun.startswith("late ") and statement.book.kind_of(statement.path) == "person":
        found.append(Claim(statement.path, "dead", "", text=text))
    return found


def introduced(text: str) -> list[Claim]:
    """The name at the beginning of a clause that the grammar cannot read: "my neighbour Gladys
    waters the plants"."""
    match = _INTRODUCED.match(text)
    if match is None or not is_name(match["name"]):
        return []
    path = relation_book().tidy(("user", match["noun"]))
    if relation_book().kind_of(path) not in {"person", "pet"}:
        return []
    return [name_claim(path, match["name"], text)]


def mentioned(statement: Statement) -> list[Claim]:
    """The names in "I live with my girlfriend Anna"."""
    found: list[Claim] = []
    for match in _MENTION.finditer(statement.clause.complement):
        path = statement.book.tidy(("user", match["noun"].lower()))
        if statement.book.kind_of(path) in {"person", "pet"}:
            found.append(name_claim(path, match["name"], statement.clause.text))
    return found


def identity(statement: Statement) -> list[Claim]:
    """ "My sister's name is Hanna", "Hanna is my sister", "My sister is Hanna"."""
    if statement.verb != "be":
        # "My hobby is gardening": a noun, though it looks like a verb.
        doing = _DOING.search(statement.clause.text)
        if doing is None or len(statement.path) < 2:
            return []
        noun = statement.book.noun(statement.path[-1], statement.book.kind_of(statement.path[:-1]))
        if noun is None or noun.relation.one:
            return []
        return valued(
            replace(statement.claim(), subject=statement.path[:-1], planned=False),
            replace(noun, value=doing[1]),
        )
    if not (statement.complement or statement.clause.time):
        return []
    return _by_noun(statement) or _by_owner(statement) or _by_name(statement)


def _by_noun(statement: Statement) -> list[Claim]:
    path = statement.path
    if len(path) < 2:
        return []
    noun = statement.book.noun(path[-1], statement.book.kind_of(path[:-1]))
    if noun is None or statement.phrase.name:
        return []
    base = replace(statement.claim(), subject=path[:-1])
    value = statement.complement
    if noun.relation.timed:
        value, base = _timed(statement, base)
    elif not value:
        value, base = " ".join(statement.clause.time), replace(base, time=())
    if noun.relation.id == "pet" and _CALLED.match(value):
        return [replace(statement.claim(), relation="name", value=_CALLED.sub("", value))]
    value = _CALLED.sub("", value)
    if noun.relation.id in {"home", "degree"}:
        value = re.sub(r"^(?:in|at|on) ", "", value)
    if noun.relation.id == "name" and not (is_name(value) or _NAME_ONLY.fullmatch(value)):
        return []
    if not suits(value, noun.relation):
        return []
    return valued(base, replace(noun, value=value))


def _timed(statement: Statement, base: Claim) -> tuple[str, Claim]:
    """The whole time of a claim whose value is one."""
    value = f"{statement.complement} {' '.join(statement.clause.time)}".strip()
    value = re.sub(r"^on (?=the |\d|[A-Za-z]+ \d)", "", value)
    return value, replace(base, time=())


def _by_owner(statement: Statement) -> list[Claim]:
    """ "Hanna is my sister", "Pizza is my favourite food"."""
    said = tokens(statement.complement)
    # With a verb after it, "my brother's hamster" is read as the hamster of an owner.
    other = noun_phrase([*said, *tokens("is")])
    if other is None or other[1] < len(said) or other[0].name:
        return []
    if len(other[0].path) < 2 or other[0].definite or other[0].path[0] == "lobug":
        return []
    whole = statement.book.tidy(other[0].path)
    base = statement.claim()
    if whole[-1] in _PARTNERS and len(statement.path) == 1 and base.subject != whole[:-1]:
        apart = base.ended or whole[-1] == "ex"
        if apart and not statement.phrase.name:
            over = replace(base, subject=whole[:-1], relation="partner", value="")
            return [replace(over, holds=False, ended=True)]
    names = [phrase.name for phrase in statement.clause.subjects if phrase.name]
    noun = statement.book.noun(whole[-1], statement.book.kind_of(whole[:-1]))
    if noun is not None and len(statement.path) == 1 and statement.path != ("user",):
        value = statement.phrase.name or " ".join(statement.path)
        return valued(replace(base, subject=whole[:-1]), replace(noun, value=value))
    if (
        not names
        or len(statement.path) > 1
        or statement.book.kind_of(whole) not in {"person", "pet"}
    ):
        return []
    name = statement.phrase.name or ""
    found = [replace(base, subject=one_of(whole), relation="name", value=name, appositive=True)]
    if whole[-1] in {"ex", "former wife", "former husband"} and base.holds:
        over = replace(base, subject=whole[:-1], relation="partner", value=name)
        found.insert(0, replace(over, holds=False, ended=True))
    return found


def _by_name(statement: Statement) -> list[Claim]:
    """ "My sister is Hanna", "My kids are Ben and Lena"."""
    if len(statement.path) < 2 or statement.book.kind_of(statement.path) not in {"person", "pet"}:
        return []
    value = re.sub(r"^(?:called|named) ", "", statement.complement)
    if _NAMES.fullmatch(value):
        path = one_of(statement.path)
        base = replace(statement.claim(), subject=path, relation="name", appositive=True)
        return [replace(base, value=name) for name in several(value)]
    value = _PLACED.sub("", value)
    if not _NAME_ONLY.fullmatch(value) or not is_name(value):
        return []
    titled = value.split()[0].lower().rstrip(".") in TITLES
    said = None if titled else statement.book.said(f"be {value}", "person")
    if said is not None and value == statement.complement:
        return []
    return [replace(statement.claim(), relation="name", value=value)]
