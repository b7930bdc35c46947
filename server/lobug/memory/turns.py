"""What a turn writes: the messages of the conversation log and the background tasks they cause.

Both functions run inside a transaction of their caller, so that a crash between a message and its
tasks loses neither.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from lobug.language.claims import Heard
from lobug.language.en.claims.english import CLAIMS
from lobug.memory import jobs, log, recall_log, sessions
from lobug.memory.claim_rows import Referent
from lobug.memory.claims import assertion
from lobug.memory.claims.claim_writer import ClaimChanges
from lobug.memory.model import ConversationKey
from lobug.memory.recall_log import NewRecall
from lobug.memory.schedule import Scheduler
from lobug.storage.connection import Connection

logger = logging.getLogger(__name__)

REPLY_DEADLINE_S = 180.0
"""The facts of a message are extracted after this time even if its turn has logged no reply,
seconds: three times the longest reply."""


@dataclass(frozen=True, slots=True)
class Logged:
    """What one call has added."""

    message_id: int
    messages: int
    """New rows of the conversation log."""
    tasks: int
    """Background tasks that were added, less those that were dropped."""
    claimed: ClaimChanges = field(default_factory=ClaimChanges)
    """What the words changed in memory at once."""


def log_user_message(
    connection: Connection,
    scheduler: Scheduler,
    conversation_key: ConversationKey,
    content: str,
    *,
    said_at: float | None,
    speaker: str | None,
    now: float,
    referents: Sequence[Referent] = (),
    heard: Heard | None = None,
) -> Logged:
    """Append a user's message, let what it claims change memory, and note the extraction of its
    facts, which waits for the reply.

    ``said_at``: None is now. ``referents``: what was talked about, latest first. Where ``speaker``
    says that somebody else speaks, "I" is not the user, and only the extraction reads the words."""
    user = conversation_key.user
    if said_at is None:
        said_at = log.time_of_next(connection, user, now)
    session_id = sessions.continue_or_begin(connection, conversation_key, said_at, scheduler.idle_s)
    message_id = log.append(
        connection,
        conversation_key,
        "user",
        content,
        said_at,
        session_id=session_id,
        speaker=speaker,
    )
    settings = scheduler.settings
    if not settings.enabled:
        log.mark_not_meant(connection, user, [message_id])
        return Logged(message_id, 1, 0)
    claimed = ClaimChanges()
    tasks = scheduler.message_logged(connection, conversation_key, session_id, now)
    if not settings.enable_user_memories:
        return Logged(message_id, 1, tasks)
    if speaker is None:
        claimed = _believe(
            connection,
            conversation_key,
            read(content) if heard is None else heard,
            message_id=message_id,
            session_id=session_id,
            said_at=said_at,
            now=now,
            referents=referents,
        )
    jobs.wait_for_reply(connection, user, message_id, now, now + REPLY_DEADLINE_S)
    return Logged(message_id, 1, tasks + 1, claimed)


FAULTS = (LookupError, ValueError, TypeError, AttributeError, RecursionError)
"""Errors of the code that decides what claims do; those of the database are the caller's."""


def _believe(
    connection: Connection,
    conversation_key: ConversationKey,
    heard: Heard,
    *,
    message_id: int,
    session_id: int,
    said_at: float,
    now: float,
    referents: Sequence[Referent],
) -> ClaimChanges:
    """Let claims change memory. A fault must not cost the words that were said: nothing but the log
    has them then, where they are found."""
    if heard.is_empty:
        return ClaimChanges(referents=list(referents))
    connection.execute("SAVEPOINT claims")
    try:
        claimed = assertion.hear(
            connection,
            CLAIMS,
            conversation_key,
            heard,
            message_id=message_id,
            session_id=session_id,
            said_at=said_at,
            now=now,
            referents=referents,
        )
    except FAULTS:
        logger.exception("claims of message %d could not be stored", message_id)
        connection.execute("ROLLBACK TO claims")
        claimed = ClaimChanges(referents=list(referents))
    connection.execute("RELEASE claims")
    return claimed


def read(text: str) -> Heard:
    """What the rules read in an utterance. A fault of theirs must not cost the words: nothing is
    read then, and the chat model reads them in the background."""
    try:
        return CLAIMS.read(text)
    except Exception:  # whatever it is
        logger.exception("the reader of claims failed")
        return Heard()


def log_reply(
    connection: Connection,
    scheduler: Scheduler,
    conversation_key: ConversationKey,
    user_message_id: int,
    content: str,
    *,
    extract: bool,
    retract: bool = False,
    recall: NewRecall | None,
    now: float,
) -> Logged:
    """Append the reply to a message and release the tasks of the exchange.

    A second reply to a message changes nothing and returns the id of the first. The reply to a
    message that was forgotten meanwhile is stored empty: it may repeat the forgotten words.
    ``extract`` False: the words enter neither extracted facts nor the timeline. ``retract``: they
    were not meant for Lo-Bug, and what they claimed is taken back.
    ``recall`` is the search to be noted in the retrieval log."""
    enabled = scheduler.settings.enabled
    if recall is not None:
        recall_log.insert(connection, recall)
    asked = log.answered(connection, conversation_key, user_message_id)
    reply_id, session_id, said_at = asked.reply_id, asked.session_id, asked.said_at
    new = reply_id is None
    # A message that was said long ago and is imported now has its reply at that time, too.
    at = max(now, said_at) if abs(now - said_at) <= scheduler.idle_s else said_at
    if session_id is None:
        session_id = sessions.continue_or_begin(connection, conversation_key, at, scheduler.idle_s)
    if reply_id is None:
        sessions.note_activity(connection, session_id, at)
        reply_id = log.append(
            connection,
            conversation_key,
            "assistant",
            "" if asked.forgotten else content,
            at,
            session_id=session_id,
            reply_to=user_message_id,
        )
        if asked.forgotten:
            log.mark_forgotten(connection, reply_id)
    tasks = 0
    if extract and enabled:
        jobs.release(connection, user_message_id, now)
    else:
        tasks -= jobs.drop_extraction(connection, user_message_id)
        # What a television said must not become what a summary says of the user; nor must what was
        # said while memory was switched off, once it is on again.
        if retract:
            assertion.undo(connection, conversation_key.user, user_message_id)
        log.mark_not_meant(connection, conversation_key.user, [user_message_id, reply_id])
    if enabled:
        tasks += scheduler.message_logged(connection, conversation_key, session_id, now)
        tasks += scheduler.reply_logged(connection, conversation_key, session_id, now)
    return Logged(reply_id, int(new), tasks)


def log_unasked(
    connection: Connection,
    scheduler: Scheduler,
    conversation_key: ConversationKey,
    content: str,
    *,
    now: float,
) -> Logged:
    """Append words of Lo-Bug's that answer nothing; no summary covers them."""
    session_id = sessions.continue_or_begin(connection, conversation_key, now, scheduler.idle_s)
    message_id = log.append(
        connection, conversation_key, "assistant", content, now, session_id=session_id
    )
    log.mark_not_meant(connection, conversation_key.user, [message_id])
    return Logged(message_id, 1, 0)
