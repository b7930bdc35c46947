"""What still holds of logged messages: their claims that were corrected or ended since, and what
memory believes of them.

Whoever tells again what was said, in a summary or because the user asks for it, would otherwise
repeat what the user has put right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import and_, bindparam, or_, select

from lobug.language.en import summaries
from lobug.language.en.utterances import Utterance, Wrong
from lobug.memory.model import LoggedMessage
from lobug.storage.connection import Connection
from lobug.storage.statements import Row, among, run
from lobug.storage.tables import claims, conversation_log, memories

_entry, _claim, _log = memories.c, claims.c, conversation_log.c
_newer = memories.alias()
PUT_RIGHT = ("corrected", "removed", "edited")
"""Reasons for which an entry was never true. What was superseded was true until then."""

LEARNED_FROM = (
    select(
        _entry.id,
        _entry.source_message_id,
        _entry.content,
        _entry.status,
        _entry.reason,
        _entry.source,
        _newer.c.content.label("instead"),
        _claim.value,
        _claim.ended_by,
    )
    .select_from(
        memories.outerjoin(claims, _claim.memory_id == _entry.id).outerjoin(
            _newer,
            and_(
                _newer.c.user == _entry.user,
                _newer.c.key == _entry.key,
                _newer.c.scope == "user",
                _newer.c.status == "active",
            ),
        )
    )
    .where(
        _entry.user == bindparam("user"),
        _entry.category == "knowledge",
        _entry.layer != "identity",
        or_(
            among(_entry.source_message_id, "ids"),
            _entry.id.in_(select(_claim.memory_id).where(among(_claim.ended_by, "ids"))),
        ),
    )
    .order_by(_entry.id, _claim.place)
)
"""The entries that came from messages, or that these ended, with what is believed instead."""

TELLERS = (
    select(_log.id, _log.conversation, _log.role, _log.content, _log.created_at, _log.speaker)
    .where(
        _log.user == bindparam("user"),
        _log.role == "user",
        _log.id.in_(
            select(_entry.source_message_id).where(
                _entry.user == bindparam("user"),
                _entry.content == bindparam("content"),
                _entry.status != "active",
                _entry.source_message_id.is_not(None),
            )
        ),
    )
    .order_by(_log.id)
)
"""The messages that told what memory does not believe any more."""


@dataclass(frozen=True, slots=True)
class Teller:
    """A message that told what is wrong by now."""

    id: int
    conversation: str
    tellings: frozenset[str]
    """How a summary may tell it."""


def tellers(connection: Connection, user: str, wrong: str) -> list[Teller]:
    """The messages that told a fact which is not believed any more."""
    rows = run(connection, TELLERS, user=user, content=wrong).all()
    messages = [
        LoggedMessage(row.id, row.role, row.content, row.created_at, row.speaker) for row in rows
    ]
    known = settled_words(connection, user, messages)
    found = []
    for row, one in zip(rows, known, strict=True):
        told = replace(one, wrong=tuple(part for part in one.wrong if part.content == wrong))
        found.append(Teller(row.id, row.conversation, frozenset(summaries.tellings(told))))
    return found


@dataclass(slots=True)
class _Told:
    """An entry, with the values that it claims."""

    row: Row
    values: list[str] = field(default_factory=list)
    ended_by: set[int] = field(default_factory=set)

    @property
    def is_wrong(self) -> bool:
        """Whether what it says was put right or ended after it was said."""
        row = self.row
        if row.status == "active" or row.reason not in {*PUT_RIGHT, "superseded"}:
            return False
        return row.reason in PUT_RIGHT or bool(self.ended_by - {row.source_message_id})


def _told(connection: Connection, user: str, ids: Sequence[int]) -> list[_Told]:
    found: dict[int, _Told] = {}
    for row in run(connection, LEARNED_FROM, user=user, ids=ids).all():
        told = found.setdefault(row.id, _Told(row))
        if row.value:
            told.values.append(row.value)
        if row.ended_by is not None:
            told.ended_by.add(row.ended_by)
    return list(found.values())


def settled_words(
    connection: Connection, user: str, messages: Iterable[LoggedMessage]
) -> list[Utterance]:
    """Messages as the language room takes them, with what memory knows of them."""
    logged = list(messages)
    ids = {one.id for one in logged if one.role == "user"}
    wrong: dict[int, list[Wrong]] = defaultdict(list)
    believed: dict[int, list[str]] = defaultdict(list)
    correcting: set[int] = set()
    for told in _told(connection, user, sorted(ids)) if ids else ():
        row, message_id = told.row, told.row.source_message_id
        correcting |= told.ended_by
        if message_id not in ids:
            continue
        if row.status == "active":
            believed[message_id].append(row.content)
        elif told.is_wrong:
            # The words that put it right are told, too, unless they are not among these messages.
            elsewhere = not told.ended_by & ids
            put_right = row.reason in PUT_RIGHT
            wrong[message_id].append(
                Wrong(
                    row.content,
                    tuple(told.values),
                    instead=(row.instead or "") if elsewhere and put_right else "",
                    was_true=elsewhere and not put_right,
                )
            )
    return [
        Utterance(
            one.role,
            one.content,
            one.speaker,
            wrong=tuple(wrong[one.id]),
            believed=tuple(dict.fromkeys(believed[one.id])),
            corrects=one.id in correcting,
        )
        for one in logged
    ]
