"""Finds former utterances that a later one may put right, where the rules saw nothing of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Integer, bindparam, false, select, true

from lobug.language.claims import Heard
from lobug.language.en import speech_acts
from lobug.language.en.claims import revisions
from lobug.language.en.claims.english import CLAIMS
from lobug.memory import claim_rows, log
from lobug.memory.index import entry_index
from lobug.memory.model import LoggedMessage
from lobug.storage.connection import Connection
from lobug.storage.statements import among, run
from lobug.storage.tables import conversation_log

MOST_BEFORE = 2
"""Utterances just before one, which it may put right without naming them."""
MOST_ALIKE = 2
"""Utterances with words of one, which it may put right at any time."""
MOST_ENTRIES = 40
"""Entries with a word of an utterance, the latest, among which those are looked for."""

MOST_WAITING = 5
"""Utterances, the latest, that wait to be read and may put right what is asked for."""

_log = conversation_log.c
MEANT = (
    _log.role == "user",
    _log.speaker.is_(None),
    _log.meant == true(),
    _log.forgotten == false(),
)
SAID_BEFORE = (
    select(_log.id, _log.content)
    .where(
        _log.user == bindparam("user"),
        _log.id < bindparam("message_id"),
        *MEANT,
    )
    .order_by(_log.id.desc())
)
"""What the user said before a message, the latest first."""
SAID_BEFORE_NEARBY = SAID_BEFORE.where(
    _log.conversation == bindparam("conversation"),
    _log.created_at >= bindparam("since"),
).limit(bindparam("limit", type_=Integer))
SAID_IN = SAID_BEFORE.where(among(_log.id, "ids"))

RECENT_S = 1800.0
"""Age of an utterance that a later one may put right without naming anything of it, seconds."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """An utterance that may have been put right."""

    message_id: int
    text: str


def earlier_than(
    connection: Connection, user: str, message: LoggedMessage, heard: Heard
) -> list[Earlier]:
    """The utterances that a message may put right: first those that have words of it, then, if it
    speaks of a mistake, those said just before. Empty: the rules have seen already what it does.
    ``heard``: what they read in it."""
    if message.speaker is not None:
        return []  # where somebody else speaks, "I" is not the user
    if not revisions.may_revise(message.content, heard):
        return []
    if heard.claims and not heard.unread:
        return []  # the rules have read all of it
    if claim_rows.ended_by(connection, user, message.id):
        return []
    about = {"user": user, "message_id": message.id}
    wanted = CLAIMS.asked_words(message.content[: revisions.LONGEST])
    ids = entry_index.with_any_of(connection, user, wanted)[-MOST_ENTRIES:]
    told_in = claim_rows.messages_of(connection, user, ids)
    alike = run(connection, SAID_IN, **about, ids=told_in).all()[:MOST_ALIKE]
    before = (
        run(
            connection,
            SAID_BEFORE_NEARBY,
            **about,
            conversation=log.conversation_of(connection, message.id),
            since=message.created_at - RECENT_S,
            limit=MOST_BEFORE,
        ).all()
        if revisions.speaks_of_mistake(message.content, heard)
        else ()
    )
    found = {row.id: row.content for row in (*alike, *before)}
    return [
        Earlier(message_id, text)
        for message_id, text in found.items()
        if len(text) <= revisions.LONGEST and speech_acts.statements(text)
    ]


def may_be_wrong(connection: Connection, user: str, entry_ids: Sequence[int]) -> bool:
    """Whether words that the chat model has not read yet may put one of these entries right."""
    if not entry_ids:
        return False
    told_in = set(claim_rows.messages_of(connection, user, entry_ids))
    return any(
        one.message_id in told_in
        for waiting in log.not_extracted(connection, user, MOST_WAITING)
        for one in earlier_than(connection, user, waiting, CLAIMS.read(waiting.content))
    )
