"""Looks up what a question asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lobug.language.claims import STATEMENT, Asked, Claim, ClaimReader, Path
from lobug.memory import claim_rows
from lobug.memory.claim_rows import PLANNED, KnownClaim, Referent
from lobug.memory.claims import subjects, tombstones
from lobug.memory.claims.held_claims import known_subjects, recent
from lobug.memory.claims.relations import DEPARTED, HOLDERS, NAME, PARTNER
from lobug.memory.claims.subjects import Ambiguous, Subjects, plain
from lobug.storage.connection import Connection

ANYONE: Path = ("anyone",)
"""The subject of "who plays the cello?"; ("anyone", "clock") of "which clock is in the hall?"."""


@dataclass(frozen=True, slots=True)
class Found:
    """What memory holds of what was asked."""

    asked: Asked
    """With the subject that was meant, as ``plain``."""
    subject: Path
    """The same as memory names it."""
    active: tuple[KnownClaim, ...]
    past: tuple[KnownClaim, ...]
    implied: Mapping[Claim, Sequence[KnownClaim]]
    """What follows from other claims: who has named a dog has one, until it has died. Each with
    the claims that it follows from."""
    names: Mapping[Path, str]
    related: tuple[KnownClaim, ...] = ()
    """What else holds of the subject: "I hate olives" answers "do I like olives?"."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What holds or is denied, with subjects as ``plain``."""
        told = (*self.active, *self.related)
        said = (replace(one.claim, subject=plain(one.subject)) for one in told)
        return (*said, *(one for one in self.implied if not one.ended))

    @property
    def over(self) -> tuple[tuple[Claim, float | None], ...]:
        """What was so, each with when it ended, seconds since the epoch."""
        told = (
            (replace(one.claim, subject=plain(one.subject)), one.valid_until) for one in self.past
        )
        return (*told, *((one, None) for one in self.implied if one.ended))

    @property
    def entries(self) -> tuple[int, ...]:
        """The entries that it rests on."""
        grounds = (one for claims in self.implied.values() for one in claims)
        told = (*grounds, *self.active, *self.past)
        return tuple(dict.fromkeys(one.entry_id for one in told))


def find(
    connection: Connection,
    reader: ClaimReader,
    user: str,
    asked: Asked,
    referents: Sequence[Referent],
) -> Found | Ambiguous | None:
    """What memory holds of a question's subject and relation. None: it knows no such subject, so
    that the question may be of the world."""
    named = claim_rows.of_relation(connection, user, NAME)
    names = {one.subject: one.value for one in named if one.status == "active" and one.holds}
    known = known_subjects(connection, user)
    if asked.subject not in known:
        subject = next((one for one in asked.otherwise if one in known), asked.subject)
        asked = replace(asked, subject=subject)
    if asked.subject[:1] == ANYONE:
        return _of_anyone(connection, reader, user, asked, names)
    meant = _knowing(connection, user, asked, names) or subjects.resolve(
        asked.subject, Subjects(names, known, recent(referents)), reader.refers
    )
    if isinstance(meant, Ambiguous):
        return meant
    meant = _own_thing(asked.subject, meant, known, reader)
    if meant is None or (meant[0] != "user" and meant not in known):
        return None
    before = None if meant in known else reader.former(meant[-1])
    if before is not None and (*meant[:-1], before) in known:  # "my old boss"
        meant, asked = (*meant[:-1], before), replace(asked, past=True)
    return _held(connection, reader, user, replace(asked, subject=meant), names, known)


def _of_anyone(
    connection: Connection,
    reader: ClaimReader,
    user: str,
    asked: Asked,
    names: Mapping[Path, str],
) -> Found | None:
    """Of whom a value holds: "who plays the cello?". None: of nobody who is known."""
    same = tuple(
        one
        for one in claim_rows.of_relation(connection, user, asked.relation or "")
        if one.status == "active"
        and one.holds
        and one.kind == asked.kind
        and (asked.subject == ANYONE or plain(one.subject)[-1].split()[-1] == asked.subject[1])
        and (not asked.value or reader.same_value(one.relation, one.value, asked.value))
    )
    if not same:
        return None
    shown = {plain(path): name for path, name in names.items()}
    return Found(replace(asked, subject=ANYONE), ANYONE, same, (), {}, shown)


def _departed(connection: Connection, user: str) -> set[Path]:
    """Who has died, or is nobody's any more."""
    return {
        one.subject
        for relation in sorted(DEPARTED)
        for one in claim_rows.of_relation(connection, user, relation)
        if one.status == "active" and one.holds
    }


def _own_thing(
    said: Path, meant: Path | None, known: frozenset[Path], reader: ClaimReader
) -> Path | None:
    """A subject that is the user's, though nobody said so: "the twins"."""
    own, one = ("user", *said), ("user", reader.one_of(said[-1]))
    unknown = meant is None or (meant[0] != "user" and meant not in known)
    return own if unknown and len(said) == 1 and known & {own, one} else meant


def _knowing(
    connection: Connection, user: str, asked: Asked, names: Mapping[Path, str]
) -> Path | Ambiguous | None:
    """Of several subjects of the name that was said the one of which it is known what was asked:
    "where does Tom live?". None: of none of them, or one only has the name."""
    several = subjects.called(asked.subject[0], names) if len(asked.subject) == 1 else []
    if len(several) < 2 or asked.relation is None:
        return None
    told = [
        one
        for one in several
        if claim_rows.of_slot(connection, user, one, asked.relation, asked.kind)
    ]
    if len(told) > 1:
        return Ambiguous(asked.subject[0], tuple(told))
    return told[0] if told else None


def _held(
    connection: Connection,
    reader: ClaimReader,
    user: str,
    asked: Asked,
    names: Mapping[Path, str],
    known: frozenset[Path],
) -> Found:
    meant = asked.subject
    if asked.relation is None:
        held = claim_rows.under(connection, user, meant)
    else:
        held = claim_rows.of_slot(connection, user, meant, asked.relation, asked.kind)
        if asked.kind == PLANNED and not any(one.status == "active" for one in held):
            return _held(connection, reader, user, replace(asked, kind=""), names, known)
        if not asked.kind:
            held += claim_rows.of_slot(connection, user, meant, asked.relation, PLANNED)
        rules = reader.rules(asked.relation)
        for other in () if held or rules is None else rules.else_asked:
            held = claim_rows.of_slot(connection, user, meant, other, asked.kind)
            if held:
                asked = replace(asked, relation=other)
                break
    if not held and asked.relation is not None:  # what was forgotten had been told
        slot = tombstones.slot(meant, asked.relation, asked.kind)
        forgotten = tombstones.covers(connection, user, [slot], 0.0)
        asked = replace(asked, surely=asked.surely or forgotten)
    implied: Mapping[Claim, Sequence[KnownClaim]] = {}
    if not any(
        one.status == "active"
        and one.holds
        and (not asked.value or reader.same_value(one.relation, one.value, asked.value))
        for one in held
    ):
        implied = _implied(connection, reader, user, asked, known)
    if asked.past:
        implied = {**implied, **_given_up(reader, held)}
    shown = {plain(path): name for path, name in names.items() if meant[: len(path)] == path}
    departed = _departed(connection, user)
    shown |= {
        plain(path): name
        for path, name in names.items()
        if path[: len(meant)] == meant and plain(path) not in shown and path not in departed
    }
    return Found(
        replace(asked, subject=plain(meant)),
        meant,
        tuple(one for one in held if one.status == "active"),
        tuple(one for one in held if one.status == "past" and one.holds),
        implied,
        shown,
        tuple(
            one
            for one in claim_rows.under(connection, user, meant)
            if one.subject == meant and one.status == "active" and one not in held
        ),
    )


def _given_up(
    reader: ClaimReader, held: Sequence[KnownClaim]
) -> Mapping[Claim, Sequence[KnownClaim]]:
    """What was so, from claims that it is so no more: who no longer smokes did."""
    return {
        replace(told, subject=plain(one.subject)): (one,)
        for one in held
        if one.status == "active" and not one.holds
        for told in reader.read_fact(one.content)
        if told.ended and told.relation == one.relation
    }


def _implied(
    connection: Connection,
    reader: ClaimReader,
    user: str,
    asked: Asked,
    known: frozenset[Path],
) -> Mapping[Claim, Sequence[KnownClaim]]:
    """What follows from claims of other subjects or relations, with those claims."""
    subject, relation = asked.subject, asked.relation
    if relation == NAME and len(subject) > 1 and subject not in known:
        one = (*subject[:-1], reader.one_of(subject[-1]))
        called = [
            claim
            for path in sorted(known - _departed(connection, user))
            if plain(path) == one
            for claim in claim_rows.of_slot(connection, user, path, NAME, "")
            if claim.status == "active" and claim.holds
        ]
        if called:
            listed = reader.listed([claim.value for claim in called])
            return {Claim(plain(subject), NAME, listed): called}
    if relation == NAME and len(subject) > 1:
        return _of_partner(connection, reader, user, subject)
    if relation == "kind" and len(subject) == 2:
        return _of_possession(connection, user, subject)
    rules = None if relation is None else reader.rules(relation)
    if relation is not None and rules is not None and rules.opposite and asked.value:
        return _opposite(connection, reader, user, asked, rules.opposite)
    if relation in HOLDERS and relation is not None:
        nouns = rules.entities if rules is not None else frozenset()
        found: dict[Claim, Sequence[KnownClaim]] = {}
        for one in sorted(known):
            noun = plain(one)[-1]
            if len(one) != len(subject) + 1 or one[:-1] != subject:
                continue
            wanted = (
                noun in nouns if not asked.value else reader.same_value(relation, noun, asked.value)
            )
            own = [
                claim
                for claim in claim_rows.under(connection, user, one)
                if claim.status == "active" and claim.holds
            ]
            if relation == PARTNER:
                names = [claim.value for claim in own if claim.relation == NAME]
                noun = names[-1] if names else noun
            if wanted and not own:
                found[Claim(plain(subject), relation, noun, holds=False, ended=True)] = ()
            elif wanted:
                dead = any(claim.relation in DEPARTED for claim in own)
                # The death tells that it is over, the name that there is one.
                telling = [
                    claim for claim in own if claim.relation in (DEPARTED if dead else {NAME})
                ]
                said = Claim(plain(subject), relation, noun, holds=not dead, ended=dead)
                found[said] = telling or own[:1]
        return found
    return {}


def _of_possession(
    connection: Connection, user: str, subject: Path
) -> Mapping[Claim, Sequence[KnownClaim]]:
    """What phone somebody has, from "I have a Samsung phone": the one told last."""
    noun = plain(subject)[-1]
    held = [
        one
        for one in claim_rows.of_slot(connection, user, subject[:-1], "owns", "")
        if one.status == "active" and one.holds and one.value.lower().endswith(noun)
    ]
    last = max(held, key=lambda one: one.said_at, default=None)
    if last is None or last.value.lower() == noun:
        return {}
    return {Claim(plain(subject), "kind", last.value): [last]}


def _of_partner(
    connection: Connection, reader: ClaimReader, user: str, subject: Path
) -> Mapping[Claim, Sequence[KnownClaim]]:
    """The name of a girlfriend, from "I'm dating Mia"."""
    rules = reader.rules(PARTNER)
    if rules is None or plain(subject)[-1] not in rules.entities:
        return {}
    held = claim_rows.of_slot(connection, user, subject[:-1], PARTNER, "")
    return {
        Claim(plain(subject), NAME, one.value): (one,)
        for one in held
        if one.status == "active" and one.holds and one.value[:1].isupper()
    }


def _opposite(
    connection: Connection, reader: ClaimReader, user: str, asked: Asked, relation: str
) -> Mapping[Claim, Sequence[KnownClaim]]:
    """Of "do I like olives?" what follows from hating them."""
    held = claim_rows.of_slot(connection, user, asked.subject, relation, asked.kind)
    value = asked.value or ""
    return {
        Claim(plain(asked.subject), asked.relation or "", one.value, holds=not one.holds): (one,)
        for one in held
        if one.status == "active" and reader.same_value(relation, one.value, value)
    }


@dataclass(frozen=True, slots=True)
class About:
    """What is to be forgotten."""

    entries: tuple[int, ...] = ()
    marks: tuple[str, ...] = ()
    """For tombstones."""
    left: tuple[Claim, ...] = ()
    """What the entries claim that is not to be forgotten."""


def about(
    connection: Connection,
    reader: ClaimReader,
    user: str,
    asked: Asked,
    referents: Sequence[Referent],
) -> About:
    """All entries, past and corrected ones too, that claim what a topic names."""
    named = claim_rows.of_relation(connection, user, NAME)
    names = {one.subject: one.value for one in named if one.status == "active" and one.holds}
    known = known_subjects(connection, user)
    meant = subjects.resolve(
        asked.subject, Subjects(names, known, recent(referents)), reader.refers
    )
    if isinstance(meant, Ambiguous):
        return About()
    meant = _own_thing(asked.subject, meant, known, reader)
    if meant is None:
        return About()
    whom = [meant, *_members(reader, meant, known)]
    if asked.relation is None:
        return _of_subjects(connection, reader, user, whom)
    held = [
        one
        for path in whom
        for one in claim_rows.of_slot(connection, user, path, asked.relation, asked.kind)
    ]
    if asked.past:  # "where I used to live": where they live now stays
        over = [one for one in held if one.status == "past" or not one.holds]
        slots = {one.entry_id: tombstones.slot(one.subject, one.relation, one.kind) for one in over}
        marks = [f"{slots[one.entry_id]} {_sorted_words(one.value)}" for one in over]
        return About(tuple(slots), tuple(dict.fromkeys(marks)))
    shared = [
        (one, left)
        for one in claim_rows.of_slot(connection, user, meant, NAME, "")
        if (left := reader.without(one.claim, asked.relation)) is not None
    ]
    held += [one for one, _ in shared]
    if asked.value:
        value = asked.value
        held = [
            one
            for one in held
            if not one.value or reader.same_value(one.relation, one.value, value)
        ]
    said = f" {_sorted_words(asked.value)}" if asked.value else ""
    marks = [f"{tombstones.slot(path, asked.relation, asked.kind)}{said}" for path in whom]
    ids = [one.entry_id for one in (*held, *_beside(connection, user, held))]
    if asked.relation in HOLDERS:
        parts = [
            one
            for one in known
            if len(one) == len(meant) + 1
            and one[:-1] == meant
            and _stands_for(reader, asked, plain(one)[-1])
        ]
        more = _of_subjects(connection, reader, user, parts)
        ids += more.entries
        marks += more.marks
    holds = tuple(left for one, left in shared if one.status == "active")
    return About(tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(marks)), holds)


def _beside(connection: Connection, user: str, held: Sequence[KnownClaim]) -> list[KnownClaim]:
    """The statements that were kept beside claims, for the times in them."""
    told_in = dict.fromkeys(one.message_id for one in held if one.message_id is not None)
    return [
        one
        for message_id in told_in
        for one in claim_rows.told_in(connection, user, message_id)
        if one.relation == STATEMENT and one.kind
    ]


def _sorted_words(value: str) -> str:
    return " ".join(sorted(value.lower().split()))


def _members(reader: ClaimReader, meant: Path, known: frozenset[Path]) -> list[Path]:
    """Those who are known of the several that a subject names: "my children"."""
    nouns = reader.members(meant[-1])
    return sorted(
        one
        for one in known
        if nouns and one[:-1] == meant[:-1] and plain(one)[-1].split()[-1] in nouns
    )


def _stands_for(reader: ClaimReader, asked: Asked, noun: str) -> bool:
    relation = asked.relation or ""
    if asked.value:
        return reader.same_value(relation, noun, asked.value)
    rules = reader.rules(relation)
    return rules is not None and noun in rules.entities


def _of_subjects(
    connection: Connection, reader: ClaimReader, user: str, found: Sequence[Path]
) -> About:
    """What is claimed of subjects and of what belongs to them, and that there are such."""
    ids: list[int] = []
    for subject in found:
        ids += [one.entry_id for one in claim_rows.under(connection, user, subject)]
        if len(subject) < 2:
            continue
        noun = plain(subject)[-1]
        for relation in sorted(HOLDERS):
            ids += [
                one.entry_id
                for one in claim_rows.of_slot(connection, user, subject[:-1], relation, "")
                if one.value and reader.same_value(relation, one.value, noun)
            ]
    marks = [f"subject {claim_rows.text_of(subject)}" for subject in found]
    return About(tuple(dict.fromkeys(ids)), tuple(marks))
