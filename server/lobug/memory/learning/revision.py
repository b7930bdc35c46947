"""Puts right what an utterance revises and the rules did not see: "nah it's an iPhone".

The chat model says which words of an earlier utterance a later one replaces; the language decides
whether that is so, and claims decide what it does to memory.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Integer, bindparam, false, select, true

from lobug.engines.base import ChatModel
from lobug.language.en.claims import revisions
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.claims.revisions import Revision
from lobug.language.en.prompts import REVISION_SCHEMA, revision_messages
from lobug.memory import claim_rows, facts, log
from lobug.memory.claims.assertion import Assertion
from lobug.memory.claims.claim_writer import Origin
from lobug.memory.index import entry_index
from lobug.memory.learning.model_requests import GarbledAnswerError, ask
from lobug.memory.model import LoggedMessage
from lobug.storage.driver import Connection
from lobug.storage.statements import among, run
from lobug.storage.tables import conversation_log, memories

MAX_TOKENS = 80
MOST_BEFORE = 2
"""Utterances just before one, which it may put right without naming them."""
MOST_ALIKE = 2
"""Utterances with words of one, which it may put right at any time."""
MOST_ENTRIES = 40
"""Entries with a word of an utterance, the latest, among which those are looked for."""


@dataclass(frozen=True, slots=True)
class Revised:
    """What an utterance puts right."""

    earlier_id: int
    """The message with the words that were wrong."""
    revision: Revision


_log, _entry = conversation_log.c, memories.c
MEANT = (_log.role == "user", _log.meant == true(), _log.forgotten == false())
TOLD = (
    select(_log.id, _log.content)
    .where(
        _log.user == bindparam("user"),
        _log.id < bindparam("message_id"),
        *MEANT,
        _log.id.in_(
            select(_entry.source_message_id).where(
                _entry.user == bindparam("user"), _entry.status == "active"
            )
        ),
    )
    .order_by(_log.id.desc())
)
"""Messages before one that tell something which holds, the latest first."""
TOLD_BEFORE = TOLD.where(
    _log.conversation == bindparam("conversation"),
    _log.created_at >= bindparam("since"),
).limit(bindparam("limit", type_=Integer))
TOLD_IN = TOLD.where(among(_log.id, "ids"))

RECENT_S = 1800.0
"""Age of an utterance that a later one may put right without naming anything of it, seconds."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """An utterance that may have been put right."""

    message_id: int
    text: str


def earlier_than(connection: Connection, user: str, message: LoggedMessage) -> list[Earlier]:
    """The utterances that a message may put right: first those that have words of it, then those
    said just before. Empty: the rules have seen already what the message does."""
    if claim_rows.ended_by(connection, user, message.id) or not revisions.may_revise(
        message.content
    ):
        return []
    about = {"user": user, "message_id": message.id}
    wanted = CLAIMS.asked_words(message.content[: revisions.LONGEST])
    ids = entry_index.with_any_of(connection, user, wanted)[-MOST_ENTRIES:]
    told_in = claim_rows.messages_of(connection, user, ids)
    alike = run(connection, TOLD_IN, **about, ids=told_in).all()[:MOST_ALIKE]
    before = run(
        connection,
        TOLD_BEFORE,
        **about,
        conversation=log.conversation_of(connection, message.id),
        since=message.created_at - RECENT_S,
        limit=MOST_BEFORE,
    ).all()
    found = {row.id: row.content for row in (*alike, *before)}
    return [
        Earlier(message_id, text)
        for message_id, text in found.items()
        if len(text) <= revisions.LONGEST
    ]


async def revised_by(
    chat: ChatModel, message: LoggedMessage, earlier: Sequence[Earlier], *, attempts: int
) -> Revised | None:
    """What a message puts right of earlier ones. Raises GarbledAnswerError, EngineError."""
    for one in earlier:
        answer = await ask(
            chat,
            revision_messages(one.text, message.content),
            max_tokens=MAX_TOKENS,
            attempts=attempts,
            json_schema=REVISION_SCHEMA,
        )
        try:
            found = json.loads(answer)
            wrong, right = str(found["wrong"]), str(found["right"])
        except (ValueError, TypeError, LookupError) as error:
            raise GarbledAnswerError("the answer names no words") from error
        revision = revisions.accepted(wrong, right, one.text, message.content)
        if found.get("corrects") and revision is not None:
            return Revised(one.message_id, revision)
    return None


def revise(
    connection: Connection, user: str, message: LoggedMessage, revised: Revised, now: float
) -> None:
    """Put right what memory holds of the earlier utterance."""
    conversation = log.conversation_of(connection, message.id)
    origin = Origin(user, conversation, message.created_at, now, message.id, reader="model")
    Assertion(connection, CLAIMS, origin).revise(
        claim_rows.told_in(connection, user, revised.earlier_id),
        revised.revision.wrong,
        revised.revision.right,
        changed=revised.revision.changed,
        leans=revised.revision.leans,
    )
    facts.put_right(connection, revised.earlier_id, revised.revision, origin)
