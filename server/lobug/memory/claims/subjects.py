"""Finds whom a claim or a question speaks of: pronouns, names, one of several sisters. Pure.

A second sister, cat or friend is a subject of its own, told from the first by a name after a colon:
``("user", "sister:johanna")``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lobug.language.claims import PRONOUNS, USER, Claim, Path
from lobug.memory.claims.relations import NAME

Refers = Callable[[str, Path], bool]
"""Whether a pronoun can stand for a subject."""


@dataclass(frozen=True, slots=True)
class Subjects:
    """Whom memory knows, and who was talked about."""

    names: Mapping[Path, str]
    """The names of subjects that have one."""
    known: frozenset[Path]
    """All subjects of claims."""
    recent: Sequence[Path] = ()
    """Who was talked about, latest first; never the user alone."""


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A name that several subjects have."""

    name: str
    subjects: tuple[Path, ...]


def plain(path: Path) -> Path:
    """A path without what tells one sister from another."""
    return tuple(part.split(":", 1)[0] for part in path)


def resolve(path: Path, subjects: Subjects, refers: Refers) -> Path | Ambiguous | None:
    """The subject that a path speaks of; None: a pronoun that stands for nobody."""
    head, rest = path[0], path[1:]
    if head in PRONOUNS:
        found = next((one for one in subjects.recent if refers(head, one)), None)
        return None if found is None else _within(found, rest, subjects)
    if head != USER[0]:
        return _named(head, rest, subjects)
    return _within(USER, rest, subjects)


def called(head: str, names: Mapping[Path, str]) -> list[Path]:
    """The subjects that have a name."""
    return [
        path
        for path, name in names.items()
        if head in {name.lower(), name.lower().split()[0]} and path[-1] != head
    ]


def _named(head: str, rest: Path, subjects: Subjects) -> Path | Ambiguous:
    meant = called(head, subjects.names)
    if len(meant) > 1:
        spoken_of = [path for path in subjects.recent if path in meant]
        if not spoken_of:
            return Ambiguous(head, tuple(meant))
        meant = spoken_of[:1]
    return _within(meant[0] if meant else (head,), rest, subjects)


def _within(start: Path, rest: Path, subjects: Subjects) -> Path:
    """Follow a path from its owner, at each step to the one of several that was talked about."""
    at = start
    for part in rest:
        wanted = (*at, part)
        several = [one for one in subjects.known if len(one) == len(wanted) and _is(one, wanted)]
        several = several or [one for one in subjects.known if _is_a(one, wanted)]
        recent = next((one for one in subjects.recent if one in several), None)
        if recent is not None:
            at = recent
        elif wanted in several or not several or len({plain(one) for one in several}) > 1:
            at = wanted
        else:
            at = sorted(several)[0]
    return at


def _is(one: Path, wanted: Path) -> bool:
    return one[:-1] == wanted[:-1] and one[-1].split(":", 1)[0] == wanted[-1]


def _is_a(one: Path, wanted: Path) -> bool:
    """Whether a subject is a more exact one: "spare key" of "key", "train to Rome" of "train"."""
    if len(one) != len(wanted) or one[:-1] != wanted[:-1]:
        return False
    exact, said = plain(one)[-1], wanted[-1]
    return exact.endswith(f" {said}") or exact.startswith((f"{said} to ", f"{said} of "))


def introduced(claims: Sequence[Claim], subjects: Subjects) -> dict[Path, Path]:
    """Of subjects that the claims give a name beside the noun ("my sister Johanna is ..."): which
    subject each of them is. One of another name is a new one."""
    found: dict[Path, Path] = {}
    for claim in claims:
        if claim.relation != NAME or not claim.appositive or claim.subject[0] != USER[0]:
            continue
        if not claim.holds or claim.corrects:
            continue
        base = claim.subject
        same_noun = [
            one for one in {*subjects.known, base} if len(one) == len(base) and _is(one, base)
        ]
        wanted = claim.value.lower()
        called = next(
            (one for one in same_noun if subjects.names.get(one, "").lower() == wanted), None
        )
        nameless = next((one for one in same_noun if one not in subjects.names), None)
        found[base] = called or nameless or (*base[:-1], f"{base[-1]}:{wanted}")
    return found


def moved(path: Path, moves: Mapping[Path, Path]) -> Path | None:
    """A path whose beginning is known to be another one; None: it is not."""
    for old, new in moves.items():
        if path[: len(old)] == old:
            return (*new, *path[len(old) :])
    return None
