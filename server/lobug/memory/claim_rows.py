"""Rows of ``claims``: what entries claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Integer, and_, bindparam, delete, exists, or_, select, update

from lobug.language.claims import STATEMENT, Claim, Path
from lobug.memory.model import Reason, Source, Status
from lobug.storage.connection import Connection
from lobug.storage.statements import Row, among, run, run_many
from lobug.storage.tables import claims, conversation_log, memories

Reader = Literal["rules", "model", "owner"]
"""Who read a claim: the rules, from the user's words; the rules, from a sentence of the chat model;
the rules, from an entry that somebody wrote."""

CONFIDENCE: dict[Reader, float] = {"rules": 0.9, "owner": 1.0, "model": 0.6}
DOUBTED = 0.3
"""Confidence in what the user has called wrong without saying what is right."""


PLANNED = "planned"
"""Kind of a claim of what will be so, beside which something else holds now."""


def path_of(subject: str) -> Path:
    """The path in the column ``subject``."""
    return tuple(subject.split("/"))


def text_of(subject: Path) -> str:
    """A path as the column ``subject`` has it."""
    return "/".join(part.replace("/", " ") for part in subject)


@dataclass(frozen=True, slots=True)
class KnownClaim:
    """A claim of an entry, with what memory knows of the entry."""

    entry_id: int
    subject: Path
    relation: str
    kind: str
    value: str
    holds: bool
    status: Status
    reason: Reason | None
    source: Source
    reader: Reader
    content: str
    said_at: float
    valid_until: float | None
    expired_at: float | None
    message_id: int | None
    confidence: float = 1.0

    @property
    def doubted(self) -> bool:
        """Whether the user has called it wrong, and not said what is right."""
        return self.confidence <= DOUBTED

    @property
    def claim(self) -> Claim:
        """What it claims, as if it were said."""
        over, planned = self.status == "past", self.kind == PLANNED
        return Claim(
            self.subject,
            self.relation,
            self.value,
            "" if planned else self.kind,
            holds=self.holds and not over,
            ended=over and self.holds,
            planned=planned,
        )


INSERT = sa.insert(claims)
NEXT_PLACE = select(sa.func.max(claims.c.place) + 1).where(
    claims.c.memory_id == bindparam("entry_id")
)


def insert(
    connection: Connection,
    entry_id: int,
    user: str,
    said: Sequence[Claim],
    reader: Reader,
    *,
    new: bool = False,
) -> None:
    """Note what an entry claims, after what it claims already. ``new``: the entry has no
    claims yet."""
    first = 0 if new else run(connection, NEXT_PLACE, entry_id=entry_id).scalar() or 0
    run_many(
        connection,
        INSERT,
        (
            {
                "memory_id": entry_id,
                "place": place,
                "user": user,
                "subject": text_of(claim.subject),
                "relation": claim.relation,
                "kind": claim.kind,
                "value": claim.value,
                "holds": claim.holds,
                "reader": reader,
                "confidence": CONFIDENCE[reader],
            }
            for place, claim in enumerate(said, first)
        ),
    )


_claim, _entry = claims.c, memories.c
KNOWN = (
    select(
        _entry.id.label("entry_id"),
        _claim.subject,
        _claim.relation,
        _claim.kind,
        _claim.value,
        _claim.holds,
        _entry.status,
        _entry.reason,
        _entry.source,
        _claim.reader,
        _entry.content,
        _entry.said_at,
        _entry.valid_until,
        _entry.expired_at,
        _entry.source_message_id.label("message_id"),
        _claim.confidence,
    )
    .join(memories, _entry.id == _claim.memory_id)
    .where(
        _claim.user == bindparam("user"),
        _entry.scope == "user",
        _entry.category == "knowledge",
        or_(
            _entry.status != "inactive",
            _entry.reason.in_(("corrected", "removed")),
        ),
    )
    .order_by(_entry.said_at, _entry.id)
)
"""Claims that hold, held once, or were put right."""

OF_RELATION = KNOWN.where(_claim.relation == bindparam("relation"))
OF_SUBJECT = OF_RELATION.where(_claim.subject == bindparam("subject"))
UNDER = KNOWN.where(
    or_(
        _claim.subject == bindparam("subject"),
        and_(_claim.subject > bindparam("after"), _claim.subject < bindparam("before")),
    )
)


def _known(rows: Iterable[Row]) -> list[KnownClaim]:
    return [
        KnownClaim(**{**row._asdict(), "subject": path_of(row.subject), "holds": bool(row.holds)})
        for row in rows
    ]


def statements_of(connection: Connection, user: str, message_id: int) -> list[str]:
    """The statements of no relation that were kept of a message, as they are stored."""
    made = of_entries(connection, user, made_by(connection, user, message_id))
    return [one.content for one in made if one.relation == STATEMENT]


def everything(connection: Connection, user: str) -> list[KnownClaim]:
    """All of a user's claims, oldest first."""
    return _known(run(connection, KNOWN, user=user))


LATEST = (
    KNOWN.where(_entry.status == "active")
    .order_by(None)
    .order_by(_entry.said_at.desc(), _entry.id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def latest(connection: Connection, user: str, limit: int) -> list[KnownClaim]:
    """What a user holds to be so, the latest first."""
    return _known(run(connection, LATEST, user=user, limit=limit))


OVER = (
    select(_entry.id, _entry.replaced_by)
    .where(
        _entry.user == bindparam("user"),
        _entry.status == "past",
        among(_entry.id, "ids"),
        exists().where(
            _claim.memory_id == _entry.id,
            or_(_entry.replaced_by.is_not(None), _claim.relation == STATEMENT),
        ),
    )
    .order_by(_entry.id.desc())
)


def replaced(
    connection: Connection, user: str, ids: Sequence[int]
) -> list[tuple[KnownClaim, KnownClaim | None]]:
    """Which of these entries tell what was so, the latest first, each with what is so since, where
    that is known."""
    pairs = [(row.id, row.replaced_by) for row in run(connection, OVER, user=user, ids=ids)]
    known = {
        one.entry_id: one
        for one in of_entries(connection, user, [one for pair in pairs for one in pair if one])
    }
    since = {entry: one for entry, one in known.items() if one.status == "active"}
    return [(known[was], since.get(now)) for was, now in pairs if was in known]


def of_relation(connection: Connection, user: str, relation: str) -> list[KnownClaim]:
    """A user's claims of one relation, of whomever, oldest first."""
    return _known(run(connection, OF_RELATION, user=user, relation=relation))


def of_subject(connection: Connection, user: str, subject: Path, relation: str) -> list[KnownClaim]:
    """A user's claims of one subject and relation, of all kinds, oldest first."""
    return _known(
        run(connection, OF_SUBJECT, user=user, subject=text_of(subject), relation=relation)
    )


def of_slot(
    connection: Connection, user: str, subject: Path, relation: str, kind: str
) -> list[KnownClaim]:
    """A user's claims of one subject, relation and kind, oldest first."""
    return [one for one in of_subject(connection, user, subject, relation) if one.kind == kind]


def under(connection: Connection, user: str, subject: Path) -> list[KnownClaim]:
    """A user's claims of a subject and of what belongs to it, oldest first."""
    text = text_of(subject)
    # "0" follows "/" among the characters: everything that begins with "user/dog/".
    rows = run(connection, UNDER, user=user, subject=text, after=f"{text}/", before=f"{text}0")
    return _known(rows)


MADE_BY = (
    select(_entry.id)
    .where(
        _entry.source_message_id == bindparam("message_id"),
        _entry.user == bindparam("user"),
        exists().where(_claim.memory_id == _entry.id, _claim.reader == "rules"),
    )
    .order_by(_entry.id)
)
TELLING = select(_entry.id).where(
    _entry.source_message_id == bindparam("message_id"),
    _entry.user == bindparam("user"),
    _entry.content == bindparam("content"),
    _entry.status == "active",
)
ENDED_BY = (
    select(_claim.memory_id)
    .where(_claim.ended_by == bindparam("message_id"), _claim.user == bindparam("user"))
    .distinct()
    .order_by(_claim.memory_id)
)


def made_by(connection: Connection, user: str, message_id: int) -> list[int]:
    """The entries that the rules read in a message."""
    return run(connection, MADE_BY, user=user, message_id=message_id).scalars()


TOLD_IN = KNOWN.where(_entry.source_message_id == bindparam("message_id"))
MESSAGES_OF = (
    select(_entry.source_message_id)
    .where(
        _entry.user == bindparam("user"),
        among(_entry.id, "ids"),
        _entry.status == "active",
        _entry.source_message_id.is_not(None),
    )
    .distinct()
)


def told_in(connection: Connection, user: str, message_id: int) -> list[KnownClaim]:
    """What was read in a message, by whichever reader."""
    return _known(run(connection, TOLD_IN, user=user, message_id=message_id))


def messages_of(connection: Connection, user: str, ids: Sequence[int]) -> list[int]:
    """The messages in which those of these entries were told that hold."""
    return run(connection, MESSAGES_OF, user=user, ids=ids).scalars()


def telling(connection: Connection, user: str, message_id: int, content: str) -> int | None:
    """The active entry that has this content from a message: there is one at most."""
    row = run(connection, TELLING, user=user, message_id=message_id, content=content).first()
    return None if row is None else int(row.id)


def ended_by(connection: Connection, user: str, message_id: int) -> list[int]:
    """The entries that a message ended or put right."""
    return run(connection, ENDED_BY, user=user, message_id=message_id).scalars()


NOTE_END = update(claims).where(_claim.memory_id == bindparam("entry_id"))


def note_end(connection: Connection, entry_id: int, message_id: int | None) -> None:
    """Note which message ended an entry; None: none did after all."""
    run(connection, NOTE_END, entry_id=entry_id, ended_by=message_id)


def set_confidence(connection: Connection, entry_id: int, confidence: float) -> None:
    """Note how sure the claims of an entry are."""
    run(connection, NOTE_END, entry_id=entry_id, confidence=confidence)


RENAME = update(claims).where(
    _claim.user == bindparam("of_user"), _claim.subject == bindparam("old")
)
SUBJECTS = select(_claim.subject).where(_claim.user == bindparam("user")).distinct()


def rename(connection: Connection, user: str, old: Path, new: Path) -> None:
    """Give a subject, with all that belongs to it, another path."""
    before, after = text_of(old), text_of(new)
    for subject in run(connection, SUBJECTS, user=user).scalars():
        if subject == before or subject.startswith(f"{before}/"):
            run(
                connection,
                RENAME,
                of_user=user,
                old=subject,
                subject=after + subject[len(before) :],
            )


_log = conversation_log.c
RECENT = (
    select(_claim.subject, _claim.relation, _claim.kind, _claim.value)
    .join(memories, _entry.id == _claim.memory_id)
    .join(conversation_log, _log.id == _entry.source_message_id)
    .where(
        _claim.user == bindparam("user"),
        _log.conversation == bindparam("conversation"),
        _log.id > bindparam("after_id"),
    )
    .order_by(_log.id.desc(), _entry.id.desc())
    .limit(bindparam("limit", type_=Integer))
)
LAST = select(sa.func.max(_log.id)).where(
    _log.user == bindparam("user"), _log.conversation == bindparam("conversation")
)
SAID_BEFORE = LAST.where(_log.role == "user", _log.id < bindparam("message_id"))


def told_before(connection: Connection, user: str, conversation: str, message_id: int) -> list[int]:
    """The entries that the rules read in the words that the user said before a message."""
    before = run(
        connection, SAID_BEFORE, user=user, conversation=conversation, message_id=message_id
    ).scalar()
    return [] if before is None else made_by(connection, user, before)


@dataclass(frozen=True, slots=True)
class Referent:
    """What was last talked about."""

    subject: Path
    relation: str
    kind: str = ""
    value: str = ""


def recent(
    connection: Connection, user: str, conversation: str, *, messages: int, limit: int
) -> list[Referent]:
    """What the last messages of a conversation claimed, latest first."""
    last = run(connection, LAST, user=user, conversation=conversation).scalar() or 0
    rows = run(
        connection,
        RECENT,
        user=user,
        conversation=conversation,
        after_id=last - messages,
        limit=limit,
    )
    return [Referent(path_of(row.subject), row.relation, row.kind, row.value) for row in rows]


WITH_CLAIMS = select(_claim.memory_id).where(among(_claim.memory_id, "ids")).distinct()
WITH_RELATIONS = WITH_CLAIMS.where(_claim.relation != STATEMENT)


def having(connection: Connection, ids: Sequence[int]) -> frozenset[int]:
    """Which of these entries claim something, be it only a statement of no relation."""
    return frozenset(run(connection, WITH_CLAIMS, ids=ids).scalars())


def of_relations(connection: Connection, ids: Sequence[int]) -> frozenset[int]:
    """Which of these entries claim something of which the rules could read the relation."""
    return frozenset(run(connection, WITH_RELATIONS, ids=ids).scalars())


OF_ENTRIES = KNOWN.where(among(_entry.id, "ids"))


def of_entries(connection: Connection, user: str, ids: Sequence[int]) -> list[KnownClaim]:
    """The claims of these entries."""
    return _known(run(connection, OF_ENTRIES, user=user, ids=ids))


CORRECTION_IMPORTANCE = 1.0
STATED_IMPORTANCE = 0.9
"""Importance of what the user asked to be remembered."""

TRUST = update(memories).where(among(_entry.id, "ids"), _entry.source == "system")


def trust(connection: Connection, user: str, message_id: int) -> list[str]:
    """Mark the entries that the rules read in a message as asked to be remembered. Returns their
    sentences."""
    made = made_by(connection, user, message_id)
    run(connection, TRUST, ids=made, source="user", importance=STATED_IMPORTANCE)
    return list(dict.fromkeys(one.content for one in of_entries(connection, user, made)))


DELETE = delete(claims).where(_claim.memory_id == bindparam("entry_id"))


def remove(connection: Connection, entry_id: int) -> None:
    """Delete the claims of an entry."""
    run(connection, DELETE, entry_id=entry_id)
