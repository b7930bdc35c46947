"""Puts right what an utterance revises and the rules did not see: "nah it's an iPhone".

The chat model says which words of an earlier utterance a later one replaces; the language decides
whether that is so, and claims decide what it does to memory.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.engines.base import ChatModel
from lobug.language.claims import STATEMENT, USER, Claim
from lobug.language.en.claims import revisions
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.claims.revisions import Revision
from lobug.language.en.prompts import REVISION_SCHEMA, revision_messages
from lobug.memory import claim_rows, facts, log
from lobug.memory.claims.assertion import Assertion
from lobug.memory.claims.claim_writer import Origin
from lobug.memory.claims.revisable import Earlier
from lobug.memory.learning.model_requests import ask
from lobug.memory.model import LoggedMessage
from lobug.storage.connection import Connection

MAX_TOKENS = 80


@dataclass(frozen=True, slots=True)
class Revised:
    """What an utterance puts right."""

    earlier: Earlier
    """The words of which some were wrong."""
    revision: Revision


async def revised_by(
    chat: ChatModel, message: LoggedMessage, earlier: Sequence[Earlier], *, attempts: int
) -> Revised | None:
    """What a message puts right of earlier ones. An answer that is no alignment puts nothing right.
    Raises EngineError."""
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
            if not found:
                continue  # a model without schemas says so by "[]"
            wrong, right = str(found["wrong"]), str(found["right"])
        except (ValueError, TypeError, LookupError):
            continue  # no reason to lose the facts of the message
        revision = revisions.accepted(wrong, right, one.text, message.content)
        if found.get("corrects") and revision is not None:
            return Revised(one, revision)
    return None


def revise(
    connection: Connection, user: str, message: LoggedMessage, revised: Revised, now: float
) -> None:
    """Put right what memory holds of the earlier utterance; of one of which it never kept anything,
    the sentence is kept with the right words. Nothing, if either has changed since it was read."""
    for message_id, text in (
        (message.id, message.content),
        (revised.earlier.message_id, revised.earlier.text),
    ):
        logged = log.message(connection, user, message_id)
        if logged is None or logged.content != text:
            return
    conversation = log.conversation_of(connection, message.id)
    origin = Origin(user, conversation, message.created_at, now, message.id, reader="model")
    earlier, revision = revised.earlier, revised.revision
    assertion = Assertion(connection, CLAIMS, origin)
    assertion.revise(
        claim_rows.told_in(connection, user, earlier.message_id),
        revision.wrong,
        revision.right,
        changed=revision.changed,
        leans=revision.leans,
    )
    found = facts.put_right(connection, earlier.message_id, revision, origin)
    nothing_kept = not (found or log.is_cited(connection, user, earlier.message_id))
    if revision.leans and nothing_kept:
        right = revisions.put_right(earlier.text, revision)
        if right is not None:
            assertion.state([Claim(USER, STATEMENT, right, corrects=True, text=right)])
