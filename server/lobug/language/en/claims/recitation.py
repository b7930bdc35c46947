"""Tells what is known of somebody, and of everybody, in the second person. English. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lobug.language.claims import STATEMENT, USER, Claim, Path
from lobug.language.en.claims.facts import (
    fact_times,
    is_common,
    mode_of,
    statements,
    without_contradictions,
)
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_forms import (
    Subject,
    is_plural,
    kin_of,
    listed,
    plural,
    sentence,
    subject_of,
    with_article,
)
from lobug.language.en.claims.wording import wording_book
from lobug.language.en.data import RECITATION as SAY

DETAIL = (STATEMENT, "timed")
"""Kind of statements that are kept only because of a time in them; the rest is in other claims."""
IDENTITY = frozenset({"name", "nickname", "surname", "home"})
"""Relations of the user that are told first."""
FAMILY = frozenset({"marital_status", "partner", "children_count", "siblings_count", "relative"})
"""Relations of the user that are told with the names of the family, after that."""
MOST_ABOUT = 3
"""The most sentences in an answer about one person."""


def recite(claims: Sequence[Claim], names: Mapping[Path, str]) -> tuple[str, ...]:
    """Many claims, the oldest first, as sentences in the second person: first the user, name, home
    and family before all else, then one subject after the other. Values of one relation are
    merged; of claims that contradict each other the later one is told."""
    kept = without_contradictions(claims)
    family = [claim for claim in kept if claim.relation == "name" and _is_family(claim.subject)]
    called_so = {claim.subject[-1] for claim in family}
    user = [c for c in kept if c.subject == USER and not (c.planned or c.past)]
    identity = [claim for claim in user if claim.relation in IDENTITY]
    related = [claim for claim in user if claim.relation in FAMILY]
    unnamed = [c for c in related if not (c.holds and bare_kin(c.value) in called_so)]
    told = _of_subject(USER, identity, kept, names)
    told += _names_of_family(family, names)
    told += _of_subject(USER, unnamed, kept, names)
    told_before = [*identity, *related, *family]
    for path in sorted(dict.fromkeys(claim.subject for claim in kept), key=_nearness):
        rest = [claim for claim in kept if claim.subject == path and claim not in told_before]
        told += _of_subject(path, rest, kept, names)
    return tuple(dict.fromkeys(told))


def _is_family(path: Path) -> bool:
    """Whether a subject is a close relative of the user."""
    return len(path) == 2 and path[0] == "user" and kin_of(path) in wording_book().family


def _names_of_family(family: Sequence[Claim], names: Mapping[Path, str]) -> list[str]:
    """ "Your husband is called Gunnar and your daughters are called Petra and Ida."."""
    order = wording_book().family
    said = []
    for path in sorted(dict.fromkeys(c.subject for c in family), key=lambda p: order[kin_of(p)]):
        called_so = [claim for claim in family if claim.subject == path]
        said.append(statements(called_so, subject_of_names(path, called_so, names)))
    return [f"{sentence(listed(said))}."] if said else []


def about(
    path: Path, active: Sequence[Claim], past: Sequence[Claim], names: Mapping[Path, str]
) -> str:
    """Two or three sentences of what is known of somebody: "Hanna is your sister. She lives in
    Rome."."""
    found = without_contradictions(active) or without_contradictions(
        replace(claim, holds=True, ended=False, past=True) for claim in past
    )
    path = max([path, *(claim.subject for claim in found)], key=len)
    if len(path) == 1:
        same = (
            other for other, name in names.items() if name.lower() == path[0] and len(other) > 1
        )
        path = next(same, path)
    sentences = list(_of_subject(path, found, found, names, introduced=False))
    if path in names and len(path) > 1:
        sentences.insert(0, f"{is_somebody(path, names[path])}.")
    if sentences:
        return " ".join(sentences[:MOST_ABOUT])
    if path == USER:
        return SAY["nothing_about_you"]
    if len(path) > 1:
        return SAY["nothing_about"].format(who=subject_of(path, names, spoken=True).text)
    name = subject_of(path, names, spoken=True).text
    return SAY["nobody"].format(name=with_article(name, of_names=True))


def _nearness(path: Path) -> tuple[int, int]:
    """The user before relatives, these before pets, the rest last."""
    if path == USER:
        return 0, 0
    kind = relation_book().kind_of(path)
    return {"person": 1, "pet": 2}.get(kind, 3) if path[0] == "user" else 4, len(path)


def _of_subject(
    path: Path,
    claims: Sequence[Claim],
    every: Sequence[Claim],
    names: Mapping[Path, str],
    *,
    introduced: bool = True,
) -> list[str]:
    """The sentences about one subject, in the order of the relations; ``introduced``: the first
    one says who it is ("your sister Hanna"), else another sentence has."""
    order = {name: rank for rank, name in enumerate(wording_book().wordings)}
    told = [
        claim
        for claim in claims
        if not _is_told_otherwise(claim, claims) and (claim.relation, claim.kind) != DETAIL
    ]
    ranked = sorted(told, key=lambda claim: (claim.past, claim.planned, order[claim.relation]))
    if path != USER and path in names and len({c.value for c in told if c.relation == "name"}) < 2:
        others = [claim for claim in ranked if claim.relation != "name"]
        if others or not introduced or len(path) == 1 or _told_with_owner(path, every):
            ranked = others
    slots: dict[tuple[str, str, str], list[Claim]] = {}
    for claim in ranked:
        kind = claim.value if claim.relation == STATEMENT else claim.kind
        slots.setdefault((claim.relation, kind, mode_of(claim)), []).append(claim)
    sentences: list[str] = []
    for group in slots.values():
        subject = _subject(path, group, names, first=introduced and not sentences)
        shown = [with_name(claim, names) for claim in group]
        said = statements(shown, subject)
        times = list(dict.fromkeys(time for claim in group for time in fact_times(claim)))
        if len(group) == 1 and mode_of(group[0]) != "now":
            said = " ".join([said, *times])
        sentences.append(f"{sentence(said)}.")
    return sentences


def _is_told_otherwise(claim: Claim, claims: Sequence[Claim]) -> bool:
    """Whether a claim that something ended or is denied need not be told beside what is so now:
    who is retired has no job any more."""
    if claim.holds:
        return False
    also = wording_book().wordings[claim.relation].also if not claim.value else frozenset()
    return any(
        other.holds
        and (
            (claim.ended and (other.relation, other.kind) == (claim.relation, claim.kind))
            or other.relation in also
        )
        for other in claims
    )


def _subject(
    path: Path, claims: Sequence[Claim], names: Mapping[Path, str], *, first: bool
) -> Subject:
    """The words for a subject: in full where it is told of first, then the pronoun, if it is sure,
    or the name."""
    if claims[0].relation == "name":
        return subject_of_names(path, claims, names)
    full = subject_of(path, names, spoken=True, common=is_common(claims[0]))
    if first or path == USER:
        return full
    book, kin = wording_book(), kin_of(path)
    for pronoun, those in (("she", book.she), ("he", book.he)):
        if kin in those:
            return Subject(pronoun, {"she": "her", "he": "his"}[pronoun], "one", spoken=True)
    if path in names:
        return subject_of(
            (names[path].lower(),), {(names[path].lower(),): names[path]}, spoken=True
        )
    return full


def subject_of_names(path: Path, claims: Sequence[Claim], names: Mapping[Path, str]) -> Subject:
    """Who is called so: "your sister", and "your sisters" if several are."""
    whose = path
    if len({claim.value for claim in claims}) > 1 and len(path) > 1 and not is_plural(path[-1]):
        whose = (*path[:-1], plural(path[-1]))
    return subject_of(whose, names, spoken=True, named=False)


def _told_with_owner(path: Path, every: Sequence[Claim]) -> bool:
    """Whether "you have a dog called Rex" tells the name already."""
    return any(
        claim.subject == path[:-1]
        and claim.relation in {"pet", "relative"}
        and claim.holds
        and bare_kin(claim.value) == bare_kin(path[-1])
        for claim in every
    )


def with_name(claim: Claim, names: Mapping[Path, str]) -> Claim:
    """ "A dog" as "a dog called Rex", if it has a name."""
    name = names.get((*claim.subject, bare_kin(claim.value)))
    if claim.relation not in {"pet", "relative"} or not claim.holds or not name:
        return claim
    return claim if name in claim.value else replace(claim, value=called(claim.value, name))


def is_somebody(path: Path, name: str) -> str:
    """ "Hanna is your sister"."""
    who = subject_of(path, {}, spoken=True).text
    return SAY["is_somebody"].format(name=name, who=who)


def called(what: str, name: str) -> str:
    return SAY["called"].format(what=what, name=name)


def bare_kin(value: str) -> str:
    """What a pet or a relative is, as paths have it: "sister" of "an older sister"."""
    last = value.lower().split()[-1] if value.split() else ""
    return kin_of((last,)) or last
