"""Imports a ``sessions.json`` snapshot: sessions with their messages, as another program has them.

Accepted is any of ``{"sessions": [...]}``, ``{"sessions": {ID: {...}}}``, a list of sessions, or an
object of sessions by their ids. Of a session are read:

- ``id`` or ``session_id``; without one it is known again by what is in it;
- ``user_id``, ``channel_type`` (else ``channel``), ``channel_id``;
- ``created_at`` (else ``started_at``), ``last_active`` (else ``last_active_at``, ``updated_at``),
  ``summary``: a text, or an object that has a text of that name;
- ``messages`` (else ``history``), in their order or in that of ``seq_order``.

Of a message: ``message_type`` (else ``role``, ``type``): ``user`` and ``assistant`` are imported,
all others (``system``, ``tool``) are counted as skipped; ``content``: a text, or a list of parts of
which those with a ``text`` count; ``created_at`` (else ``timestamp``). Times are RFC 3339, or
numbers of seconds or milliseconds since the epoch. All other fields are ignored.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from lobug.errors import ImportInvalidError, LobugError
from lobug.memory import sessions
from lobug.memory.model import ConversationKey, Imported, Role
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, Database
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log
from lobug.storage.tables import sessions as sessions_table

logger = logging.getLogger(__name__)

SNAPSHOT = "sessions.json"
ROLES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
}
MAX_SESSIONS = 100_000
MAX_MESSAGES = 2_000_000
MAX_CHARS = 1_000_000
"""Longest message, characters."""
MAX_NAME = 500

USER_NAME = re.compile(r"(?!\s).{0,199}[^:\s]", re.DOTALL)
"""As the settings have it: what ends with a colon is Lo-Bug's own."""

MILLISECONDS = 1e11
"""Numbers from here on are milliseconds: as seconds they would lie in the year 5138."""
LAST_S = 253_402_300_799.0
"""The end of the year 9999, seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class SnapshotMessage:
    """A message of the user or the assistant."""

    role: Role
    content: str
    created_at: float | None
    """Seconds since the epoch; None: not known."""


@dataclass(frozen=True, slots=True)
class SnapshotSession:
    """A session that can be imported."""

    external_id: str
    user_id: str | None
    channel: str
    conversation: str
    """Channel type and id."""
    started_at: float | None
    last_active_at: float | None
    summary: str
    messages: tuple[SnapshotMessage, ...]
    skipped: int
    """Number of messages that are neither the user's nor the assistant's, or have no words."""


@dataclass(frozen=True, slots=True)
class SnapshotSource:
    """Where a snapshot is looked for at the start, and whose sessions it holds."""

    path: Path
    users: Mapping[str, str] = field(default_factory=dict)
    """The setting ``conversation.users``: users by caller."""
    legacy_user: str = "owner"
    """The user of sessions that name none."""

    @property
    def imported(self) -> Path:
        """Path of the snapshot after its import."""
        return self.path.with_name(f"{self.path.name}.migrated")

    def user_of(self, user_id: str | None) -> str:
        """The user of a ``user_id``: by the settings, else itself if it can be a user's name."""
        if user_id is None:
            return self.legacy_user
        named = {caller.lower(): user for caller, user in self.users.items()}
        user = named.get(user_id.lower(), user_id)
        return user if USER_NAME.fullmatch(user) else self.legacy_user


def is_snapshot(document: object) -> bool:
    """Whether a document is meant to be a snapshot, valid or not, rather than an export."""
    if isinstance(document, list):
        return True
    if not isinstance(document, dict) or "format" in document:
        return False
    return "sessions" in document or any(
        isinstance(value, dict) and ("messages" in value or "history" in value)
        for value in document.values()
    )


def parse(document: object) -> list[SnapshotSession]:
    """The sessions of a snapshot. Raises ImportInvalidError, which names places and not values."""
    raw = document.get("sessions", document) if isinstance(document, dict) else document
    if isinstance(raw, dict):
        raw = [
            {"id": name, **value} if isinstance(value, dict) else value
            for name, value in raw.items()
        ]
    if not isinstance(raw, list):
        raise ImportInvalidError("sessions is not a list")
    if len(raw) > MAX_SESSIONS:
        raise ImportInvalidError(f"more than {MAX_SESSIONS} sessions")
    found = [_session(value, f"sessions.{place}") for place, value in enumerate(raw)]
    if sum(len(session.messages) for session in found) > MAX_MESSAGES:
        raise ImportInvalidError(f"more than {MAX_MESSAGES} messages")
    return found


def insert_sessions(
    connection: Connection, user: str, found: Sequence[SnapshotSession], now: float
) -> Imported:
    """Insert unknown sessions for one user. Call it in one transaction."""
    done = Imported()
    for session in found:
        done += _insert(connection, user, session, now)
    return done


async def import_file(
    database: Database,
    source: SnapshotSource,
    *,
    clock: Callable[[], float],
    checkpoint: Checkpoint,
) -> Imported | None:
    """Import the snapshot and rename it to ``sessions.json.migrated``. Returns None if there is
    none, or if it could not be imported and stays. Raises only CancelledError.

    Each session is one transaction, so that turns can go on in between. A crash imports nothing
    twice, since a session is recognized by its id.
    """
    path = source.path
    try:
        if not await asyncio.to_thread(path.is_file):
            return None
        found = await asyncio.to_thread(_read, path)
        done = Imported()
        for session in found:
            insert = partial(
                _insert, user=source.user_of(session.user_id), session=session, now=clock()
            )
            done += await database.write("snapshot", insert)
        checkpoint("snapshot.imported")
        await asyncio.to_thread(path.replace, source.imported)
    except (LobugError, OSError) as error:
        code = error.code if isinstance(error, LobugError) else type(error).__name__
        logger.warning("memory: %s was not imported and stays: %s", path, code)
        return None
    except Exception as error:
        # Its text may hold private words.
        logger.debug("memory: snapshot", exc_info=True)
        logger.warning("memory: %s was not imported: a fault, %s", path, type(error).__name__)
        return None
    logger.info(
        "memory: %d sessions and %d messages imported from %s, %d left out",
        done.sessions,
        done.messages,
        path,
        done.skipped,
    )
    return done


def _read(path: Path) -> list[SnapshotSession]:
    try:
        document: object = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise ImportInvalidError("the file is not JSON in UTF-8") from None
    return parse(document)


KNOWN = select(sessions_table.c.id).where(
    sessions_table.c.user == bindparam("user"),
    sessions_table.c.external_id == bindparam("external_id"),
)
END_SESSION = update(sessions_table).where(sessions_table.c.id == bindparam("session_id"))
INSERT_MESSAGE = insert(conversation_log).returning(conversation_log.c.id)


def _insert(connection: Connection, user: str, session: SnapshotSession, now: float) -> Imported:
    total = len(session.messages) + session.skipped
    known = run(connection, KNOWN, user=user, external_id=session.external_id)
    if known.first() is not None:
        return Imported(skipped=1 + total)
    times = _times(session, now)
    first = session.started_at if session.started_at is not None else (times or [now])[0]
    owner = ConversationKey(user, f"{user}/import:{session.conversation}")
    session_id = sessions.insert(
        connection, owner, session.channel, first, external_id=session.external_id
    )
    last = max([first, session.last_active_at or first, *times])
    run(
        connection,
        END_SESSION,
        session_id=session_id,
        last_active_at=last,
        ended_at=last,
        summary=session.summary,
    )
    asked: int | None = None
    for message, at in zip(session.messages, times, strict=True):
        answers = asked if message.role == "assistant" else None
        message_id = run(
            connection,
            INSERT_MESSAGE,
            user=user,
            conversation=owner.conversation,
            role=message.role,
            content=message.content,
            created_at=at,
            session_id=session_id,
            reply_to=answers,
        ).scalar()
        asked = message_id if message.role == "user" else None
    return Imported(sessions=1, messages=len(session.messages), skipped=session.skipped)


def _times(session: SnapshotSession, now: float) -> list[float]:
    """The times of messages; an unknown one is that of the message before."""
    at = session.started_at
    if at is None:
        known = (message.created_at for message in session.messages)
        at = next((time for time in known if time is not None), now)
    times = []
    for message in session.messages:
        at = at if message.created_at is None else message.created_at
        times.append(at)
    return times


def _session(value: Any, place: str) -> SnapshotSession:
    if not isinstance(value, dict):
        raise ImportInvalidError(f"{place} is not a session")
    raw = _first(value, "messages", "history")
    if raw is None:
        raw = []
    if not isinstance(raw, list):
        raise ImportInvalidError(f"{place}.messages is not a list")
    if all(isinstance(row, dict) and type(row.get("seq_order")) is int for row in raw):
        raw = sorted(raw, key=lambda row: row["seq_order"])
    kept = []
    for number, row in enumerate(raw):
        message = _message(row, f"{place}.messages.{number}")
        if message is not None:
            kept.append(message)
    channel = _name(_first(value, "channel_type", "channel"), f"{place}.channel_type") or "import"
    channel_id = _name(value.get("channel_id"), f"{place}.channel_id")
    session_id = _name(_first(value, "id", "session_id"), f"{place}.id")
    summary = value.get("summary")
    if isinstance(summary, dict):
        summary = summary.get("summary")
    return SnapshotSession(
        external_id=session_id or _digest(channel, channel_id, kept),
        user_id=_name(value.get("user_id"), f"{place}.user_id"),
        channel=channel,
        conversation=f"{channel}:{channel_id or session_id or 'unknown'}",
        started_at=_time(_first(value, "created_at", "started_at"), f"{place}.created_at"),
        last_active_at=_time(
            _first(value, "last_active", "last_active_at", "updated_at"), f"{place}.last_active"
        ),
        summary=_checked(summary, f"{place}.summary") if isinstance(summary, str) else "",
        messages=tuple(kept),
        skipped=len(raw) - len(kept),
    )


def _message(value: Any, place: str) -> SnapshotMessage | None:
    """None: it is neither the user's nor the assistant's, or has no words."""
    if not isinstance(value, dict):
        raise ImportInvalidError(f"{place} is not a message")
    kind = _first(value, "message_type", "role", "type")
    if not isinstance(kind, str):
        raise ImportInvalidError(f"{place} has no message_type")
    role = ROLES.get(kind.lower())
    if role is None:
        return None
    content = _checked(_content(value.get("content"), place), f"{place}.content")
    if not content.strip():
        return None
    at = _time(_first(value, "created_at", "timestamp"), f"{place}.created_at")
    return SnapshotMessage(role, content, at)


def _content(value: Any, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise ImportInvalidError(f"{place}.content is not text")
    parts = []
    for part in value:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            parts.append(text)
    return "\n".join(parts)


def _checked(text: str, place: str) -> str:
    if len(text) > MAX_CHARS:
        raise ImportInvalidError(f"{place} has more than {MAX_CHARS} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ImportInvalidError(f"{place} holds half a surrogate pair") from None
    return text


def _name(value: Any, place: str) -> str | None:
    if value is None or value == "":
        return None
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str) or len(value) > MAX_NAME:
        raise ImportInvalidError(f"{place} is not a name of at most {MAX_NAME} characters")
    return _checked(value, place)


def _time(value: Any, place: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, str):
        if re.fullmatch(r"\d+(\.\d+)?", value):
            value = float(value)
        else:
            try:
                read = datetime.fromisoformat(value)
            except ValueError:
                raise ImportInvalidError(f"{place} is not a time") from None
            value = (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ImportInvalidError(f"{place} is not a time")
    seconds = float(value) / 1_000.0 if value >= MILLISECONDS else float(value)
    if seconds > LAST_S:
        raise ImportInvalidError(f"{place} is not a time")
    return seconds


def _digest(channel: str, channel_id: str | None, messages: Sequence[SnapshotMessage]) -> str:
    """An id for a session without one, made from its content."""
    said = [[message.role, message.content, message.created_at] for message in messages]
    content = json.dumps([channel, channel_id, said], ensure_ascii=False)
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()[:32]}"


def _first(value: Mapping[str, Any], *names: str) -> Any:
    """The value of the first of several fields that exists."""
    return next((value[name] for name in names if value.get(name) is not None), None)
