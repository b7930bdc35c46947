"""What a turn writes: the messages of the conversation log and the background tasks they cause.

Both functions run inside a transaction of their caller, so that a crash between a message and its
tasks loses neither.
"""

from __future__ import annotations

from dataclasses import dataclass

from lobug.memory import jobs, log, recall_log, sessions
from lobug.memory.model import ConversationKey
from lobug.memory.recall_log import NewRecall
from lobug.memory.schedule import Scheduler
from lobug.storage.driver import Connection

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


def log_user_message(
    connection: Connection,
    scheduler: Scheduler,
    conversation_key: ConversationKey,
    content: str,
    *,
    said_at: float,
    speaker: str | None,
    now: float,
) -> Logged:
    """Append a user's message and the extraction of its facts, which waits for the reply."""
    user = conversation_key.user
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
    if not scheduler.settings.enabled:
        log.mark_not_meant(connection, user, [message_id])
        return Logged(message_id, 1, 0)
    tasks = scheduler.message_logged(connection, conversation_key, session_id, now)
    if scheduler.settings.enable_user_memories:
        jobs.wait_for_reply(connection, user, message_id, now, now + REPLY_DEADLINE_S)
        tasks += 1
    return Logged(message_id, 1, tasks)


def log_reply(
    connection: Connection,
    scheduler: Scheduler,
    conversation_key: ConversationKey,
    user_message_id: int,
    content: str,
    *,
    extract: bool,
    recall: NewRecall | None,
    now: float,
) -> Logged:
    """Append the reply to a message and release the tasks of the exchange.

    A second reply to a message changes nothing and returns the id of the first. The reply to a
    message that was forgotten meanwhile is stored empty: it may repeat the forgotten words.
    ``extract`` False: the words were not meant for Lo-Bug and enter neither facts nor timeline.
    ``recall`` is the search to be noted in the retrieval log."""
    enabled = scheduler.settings.enabled
    if recall is not None:
        recall_log.insert(connection, recall)
    log.require(connection, conversation_key, user_message_id)
    reply_id = log.reply_to(connection, user_message_id)
    new = reply_id is None
    session_id, said_at = log.session_of(connection, user_message_id)
    # A message that was said long ago and is imported now has its reply at that time, too.
    at = now if abs(now - said_at) <= scheduler.idle_s else said_at
    if session_id is None:
        session_id = sessions.continue_or_begin(connection, conversation_key, at, scheduler.idle_s)
    if reply_id is None:
        forgotten = log.is_forgotten(connection, user_message_id)
        sessions.note_activity(connection, session_id, at)
        reply_id = log.append(
            connection,
            conversation_key,
            "assistant",
            "" if forgotten else content,
            at,
            session_id=session_id,
            reply_to=user_message_id,
        )
        if forgotten:
            log.mark_forgotten(connection, reply_id)
    tasks = 0
    if extract and enabled:
        jobs.release(connection, user_message_id, now)
    else:
        tasks -= jobs.drop_extraction(connection, user_message_id)
        # What a television said must not become what a summary says of the user; nor must what was
        # said while memory was switched off, once it is on again.
        log.mark_not_meant(connection, conversation_key.user, [user_message_id, reply_id])
    if enabled:
        tasks += scheduler.message_logged(connection, conversation_key, session_id, now)
        tasks += scheduler.reply_logged(connection, conversation_key, session_id, now)
    return Logged(reply_id, int(new), tasks)
