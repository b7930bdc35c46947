"""Rows of ``conversation_log``: what was said, one message a row.

Functions on a connection, called on the database's own threads. Each names the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Integer, Text, and_, bindparam, exists, false, func, or_, select

from lobug.errors import StorageError
from lobug.memory.index import turn_words
from lobug.memory.model import HOUSEHOLD, ConversationKey, LoggedMessage, Role
from lobug.storage.connection import Connection
from lobug.storage.statements import Statement, among, byte_length, columns_of, run
from lobug.storage.tables import background_tasks, conversation_log, memories, tombstones

_log = conversation_log.c
MESSAGE = select(*columns_of(conversation_log, LoggedMessage))

BY_ID = _log.id == bindparam("message_id")
OF_USER = _log.user == bindparam("user")
OF_CONVERSATION = and_(OF_USER, _log.conversation == bindparam("conversation"))
OF_SESSION = _log.session_id == bindparam("session_id")
UNSUMMARIZED = _log.summarized == false()
"""No entry of the timeline covers the message."""
LIMIT = bindparam("limit", type_=Integer)


def mark_once(
    connection: Connection,
    count: Statement,
    change: Statement,
    user: str,
    ids: Sequence[int],
) -> bool:
    """Run ``change`` on the user's rows ``ids``. False, and nothing is changed, when ``count``
    counts other than all of them: some were changed already or are not the user's."""
    if run(connection, count, user=user, ids=ids).scalar() != len(ids):
        return False
    return run(connection, change, user=user, ids=ids).rowcount == len(ids)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages of one session that wait to be summarized, oldest first."""

    conversation: str
    session_id: int | None
    messages: Sequence[LoggedMessage]


INSERT = sa.insert(conversation_log).returning(_log.id)


def append(
    connection: Connection,
    conversation_key: ConversationKey,
    role: Role,
    content: str,
    now: float,
    *,
    session_id: int,
    reply_to: int | None = None,
    speaker: str | None = None,
) -> int:
    """Insert a message; it can be found by its words at once. Returns its id."""
    message_id = run(
        connection,
        INSERT,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
        role=role,
        content=content,
        created_at=now,
        session_id=session_id,
        reply_to=reply_to,
        speaker=speaker,
    ).scalar()
    turn_words.analyse(connection, [message_id])
    return int(message_id)


CLOCKS_DIFFER_S = 60.0
"""Times that are later than now by no more than this are another server's now, seconds."""

LATEST = select(
    select(func.max(_log.created_at)).where(OF_USER).scalar_subquery().label("message"),
    select(func.max(tombstones.c.forgotten_at))
    .where(tombstones.c.user == bindparam("of_user"))
    .scalar_subquery()
    .label("forgetting"),
)


def time_of_next(connection: Connection, user: str, now: float) -> float:
    """When a message is said that comes now: never before the last one, or before the last thing
    was forgotten, since what is said later counts. Another server's clock may be a little ahead,
    or this one's was set back."""
    row = run(connection, LATEST, user=user, of_user=user).one()
    latest = max(row.message or 0.0, row.forgetting or 0.0)
    return max(now, latest) if latest - now <= CLOCKS_DIFFER_S else now


@dataclass(frozen=True, slots=True)
class Answered:
    """A message that is being answered."""

    reply_id: int | None
    """The reply that it has already."""
    session_id: int | None
    said_at: float
    """Seconds since the epoch."""
    forgotten: bool
    """Its words were erased."""


_reply = conversation_log.alias("reply")
ANSWERED = select(
    select(_reply.c.id)
    .where(_reply.c.reply_to == bindparam("message_id"))
    .limit(1)
    .scalar_subquery()
    .label("reply_id"),
    _log.session_id,
    _log.created_at.label("said_at"),
    _log.forgotten,
).where(BY_ID, OF_CONVERSATION, _log.role == "user")


def answered(
    connection: Connection, conversation_key: ConversationKey, message_id: int
) -> Answered:
    """A message that is being answered. Raises StorageError unless it is the user's own and of this
    conversation."""
    row = run(
        connection,
        ANSWERED,
        message_id=message_id,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
    ).first()
    if row is None:
        raise StorageError(f"message {message_id} is not in this conversation")
    return Answered(**row._asdict())


CITED = select(
    exists().where(
        memories.c.source_message_id == bindparam("message_id"),
        memories.c.user == bindparam("user"),
    )
)


def is_cited(connection: Connection, user: str, message_id: int) -> bool:
    """Whether an entry, of whatever status, came from a message."""
    return bool(run(connection, CITED, user=user, message_id=message_id).scalar())


CONVERSATION = select(_log.conversation).where(BY_ID)


def conversation_of(connection: Connection, message_id: int) -> str:
    """The conversation of a message."""
    return str(run(connection, CONVERSATION, message_id=message_id).scalar())


RECENT = (
    MESSAGE.where(OF_CONVERSATION, _log.forgotten == false()).order_by(_log.id.desc()).limit(LIMIT)
)


def recent(
    connection: Connection, conversation_key: ConversationKey, limit: int
) -> list[LoggedMessage]:
    """The last messages of a conversation, oldest first."""
    rows = run(
        connection,
        RECENT,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
        limit=limit,
    ).all()
    return [LoggedMessage(**row._asdict()) for row in reversed(rows)]


NOT_EXTRACTED = (
    MESSAGE.select_from(background_tasks)
    .join(conversation_log, _log.id == background_tasks.c.message_id)
    .where(
        background_tasks.c.kind == "extract",
        background_tasks.c.user == bindparam("user"),
    )
    .order_by(_log.id.desc())
    .limit(LIMIT)
)


def not_extracted(connection: Connection, user: str, limit: int) -> list[LoggedMessage]:
    """The user's last words that still wait for their facts to be extracted, newest first."""
    rows = run(connection, NOT_EXTRACTED, user=user, limit=limit)
    return [LoggedMessage(**row._asdict()) for row in rows]


MARK_FORGOTTEN = (
    sa.update(conversation_log)
    .values(forgotten=True, summarized=True)
    .where(BY_ID, _log.content == "")
)


def mark_forgotten(connection: Connection, message_id: int) -> None:
    """Mark a message without words as one whose words were erased."""
    run(connection, MARK_FORGOTTEN, message_id=message_id)


LATEST_CONVERSATIONS = (
    select(_log.user, _log.conversation)
    .group_by(_log.user, _log.conversation)
    .order_by(func.max(_log.id).desc())
    .limit(LIMIT)
)


def latest_conversations(connection: Connection, limit: int) -> list[ConversationKey]:
    """The conversations that were last active, latest first."""
    rows = run(connection, LATEST_CONVERSATIONS, limit=limit)
    return [ConversationKey(row.user, row.conversation) for row in rows]


OF_ONE = MESSAGE.where(BY_ID, OF_USER)


def message(connection: Connection, user: str, message_id: int) -> LoggedMessage | None:
    """One message of a user."""
    row = run(connection, OF_ONE, message_id=message_id, user=user).first()
    return None if row is None else LoggedMessage(**row._asdict())


COUNT_UNSUMMARIZED = select(func.count()).where(OF_USER, UNSUMMARIZED)


def count_unsummarized(connection: Connection, user: str) -> int:
    """Unsummarized messages of a user."""
    return int(run(connection, COUNT_UNSUMMARIZED, user=user).scalar())


_tokens = byte_length(_log.content).op("/")(3).op("+")(8)
UNSUMMARIZED_IN = select(
    func.count().label("messages"), func.coalesce(func.sum(_tokens), 0).label("tokens")
).where(OF_CONVERSATION, UNSUMMARIZED)


def unsummarized_in(connection: Connection, conversation_key: ConversationKey) -> tuple[int, int]:
    """Unsummarized messages of a conversation, and their tokens, estimated as for prompts: a third
    of the bytes, and 8 for each message."""
    row = run(
        connection,
        UNSUMMARIZED_IN,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
    ).one()
    return row.messages, row.tokens


COUNT_UNSUMMARIZED_OF = select(func.count()).where(OF_SESSION, UNSUMMARIZED)


def count_unsummarized_of(connection: Connection, session_id: int) -> int:
    """Unsummarized messages of a session."""
    return int(run(connection, COUNT_UNSUMMARIZED_OF, session_id=session_id).scalar())


LAST_OF = select(func.coalesce(func.max(_log.id), 0)).where(OF_SESSION)


def last_of(connection: Connection, session_id: int) -> int:
    """The id of a session's last message; 0: it has none."""
    return int(run(connection, LAST_OF, session_id=session_id).scalar())


IN_CONVERSATION = or_(
    bindparam("conversation", type_=Text).is_(None), _log.conversation == bindparam("conversation")
)
LAST_TO_SUMMARIZE = (
    select(_log.id)
    .where(OF_USER, UNSUMMARIZED, IN_CONVERSATION)
    .order_by(_log.id.desc())
    .limit(1)
    .offset(bindparam("keep", type_=Integer))
)


def last_to_summarize(
    connection: Connection, user: str, keep: int, *, conversation: str | None = None
) -> int | None:
    """The id of the newest unsummarized message but ``keep``, of the user or of one conversation;
    None: there are no more than that."""
    found: int | None = run(
        connection, LAST_TO_SUMMARIZE, user=user, conversation=conversation, keep=keep
    ).scalar()
    return found


STRETCH_MESSAGES = 400
"""Messages that are looked at for one summary: more than fit into any prompt."""


@dataclass(frozen=True, slots=True)
class Within:
    """Limits the messages of a stretch: up to an id, of one conversation or session."""

    up_to_id: int
    conversation: str | None = None
    session_id: int | None = None


CHOSEN = and_(
    OF_USER,
    UNSUMMARIZED,
    _log.id <= bindparam("up_to_id"),
    IN_CONVERSATION,
    or_(
        bindparam("session_id", type_=Integer).is_(None), _log.session_id == bindparam("session_id")
    ),
)
FIRST_OF_STRETCH = (
    select(_log.conversation, _log.session_id).where(CHOSEN).order_by(_log.id).limit(1)
)
STRETCH = (
    MESSAGE.where(
        CHOSEN,
        _log.conversation == bindparam("of_conversation"),
        _log.session_id.is_not_distinct_from(bindparam("of_session")),
    )
    .order_by(_log.id)
    .limit(STRETCH_MESSAGES)
)


def next_stretch(connection: Connection, user: str, within: Within) -> Stretch | None:
    """The unsummarized messages of the session that has the oldest of them."""
    chosen = {
        "user": user,
        "up_to_id": within.up_to_id,
        "conversation": within.conversation,
        "session_id": within.session_id,
    }
    first = run(connection, FIRST_OF_STRETCH, **chosen).first()
    if first is None:
        return None
    rows = run(
        connection,
        STRETCH,
        **chosen,
        of_conversation=first.conversation,
        of_session=first.session_id,
    )
    messages = [LoggedMessage(**row._asdict()) for row in rows]
    return Stretch(first.conversation, first.session_id, messages)


CONTENTS = select(_log.id, _log.content).where(OF_USER, among(_log.id, "ids"))


def unchanged(connection: Connection, user: str, messages: Sequence[LoggedMessage]) -> bool:
    """Whether messages still say what they said when they were read: nothing was forgotten."""
    rows = run(connection, CONTENTS, user=user, ids=[message.id for message in messages])
    return {row.id: row.content for row in rows} == {
        message.id: message.content for message in messages
    }


THESE = and_(OF_USER, among(_log.id, "ids"))
COUNT_TO_MARK = select(func.count()).where(THESE, UNSUMMARIZED)
MARK_SUMMARIZED = sa.update(conversation_log).values(summarized=True).where(THESE, UNSUMMARIZED)


def mark_summarized(connection: Connection, user: str, ids: Sequence[int]) -> bool:
    """Mark messages as covered by a summary. False, and nothing is marked, when some were already:
    then nothing must be stored."""
    return mark_once(connection, COUNT_TO_MARK, MARK_SUMMARIZED, user, ids)


MARK_NOT_MEANT = sa.update(conversation_log).values(summarized=True, meant=False).where(THESE)


def mark_not_meant(connection: Connection, user: str, ids: Sequence[int]) -> None:
    """Mark messages as not said to Lo-Bug, so that no summary ever covers them."""
    run(connection, MARK_NOT_MEANT, user=user, ids=ids)


USERS_OVER = (
    select(_log.user)
    .where(UNSUMMARIZED)
    .group_by(_log.user)
    .having(func.count() >= bindparam("threshold"))
)


def users_over(connection: Connection, threshold: int) -> list[str]:
    """Users with at least ``threshold`` unsummarized messages."""
    return run(connection, USERS_OVER, threshold=threshold).scalars()


COUNT = select(func.count()).select_from(conversation_log)


def count(connection: Connection) -> int:
    """All messages."""
    return int(run(connection, COUNT).scalar())


# Hand-written: one look at the index for each user, however long the log is.
USERS = """
WITH RECURSIVE known (name) AS (
    SELECT min("user") FROM conversation_log
    UNION ALL
    SELECT (SELECT min("user") FROM conversation_log WHERE "user" > known.name)
    FROM known WHERE name IS NOT NULL)
SELECT name AS "user" FROM known WHERE name IS NOT NULL
UNION SELECT "user" FROM memory_owners WHERE "user" <> :household
"""


def users(connection: Connection) -> set[str]:
    """Users who have messages or entries."""
    return set(run(connection, USERS, household=HOUSEHOLD).scalars())
