"""Rows for the tests of forgetting and exchange, written straight into a memory's file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lobug.memory import entries, log, sessions
from lobug.memory.entries import NewVersion
from lobug.memory.index import entry_index
from lobug.memory.model import ConversationKey, Layer, MemoryScope, Source
from lobug.storage.driver import Connection

T = TypeVar("T")

ADA = MemoryScope("ada", "ada/device:desk")
BOB = MemoryScope("bob", "bob/device:desk")
ADA_DESK = ConversationKey("ada", "ada/device:desk")
BOB_DESK = ConversationKey("bob", "bob/device:desk")
NOW = 1_700_000_000.0
MODEL = "test-model"
DIMENSION = 16


def say(
    connection: Connection,
    said: str,
    reply: str = "Noted.",
    *,
    conversation_key: ConversationKey = ADA_DESK,
    at: float = NOW,
) -> int:
    """One exchange. Returns the id of the user's message; the reply's is the next."""
    session_id = sessions.continue_or_begin(connection, conversation_key, at, 600.0)
    message_id = log.append(connection, conversation_key, "user", said, at, session_id=session_id)
    log.append(
        connection,
        conversation_key,
        "assistant",
        reply,
        at,
        session_id=session_id,
        reply_to=message_id,
    )
    return message_id


def know(
    connection: Connection,
    content: str,
    *,
    key: str,
    user: str = "ada",
    told_by: str = "ada",
    message: int | None = None,
    layer: Layer = "knowledge",
    source: Source = "system",
    embedded: bool = True,
    **more: Any,
) -> int:
    """An entry, with a vector. Returns its id."""
    entry_id = entries.insert(
        connection,
        NewVersion(
            user=user,
            told_by=told_by,
            content=content,
            key=key,
            source=source,
            said_at=more.pop("at", NOW),
            now=NOW,
            layer=layer,
            section="User Profile" if layer == "identity" else None,
            source_message_id=message,
            compared=True,
            **more,
        ),
    )
    if embedded and layer != "identity":
        embed(connection, entry_id)
    return entry_id


def embed(connection: Connection, entry_id: int) -> None:
    """Give an entry a vector of its own."""
    index = entry_index.make_current(connection, MODEL, DIMENSION, NOW)
    random = np.random.default_rng(entry_id)
    entry_index.add(connection, index, entry_id, random.standard_normal(DIMENSION).astype("f4"))


def sum_up(connection: Connection, content: str, first: int, last: int, **more: Any) -> int:
    """A timeline entry over messages. Returns its id."""
    connection.execute(
        "UPDATE conversation_log SET summarized = 1 WHERE id BETWEEN ? AND ?", (first, last)
    )
    return know(
        connection,
        content,
        key=more.pop("key", f"ctx_{first}"),
        layer="archive",
        category="timeline",
        conversation="ada/device:desk",
        from_message_id=first,
        to_message_id=last,
        **more,
    )


def distilled(connection: Connection, content: str, key: str, *sources: int) -> int:
    """A line of layer identity that consolidation wrote. Returns its id."""
    entry_id = know(connection, content, key=key, layer="identity")
    connection.executemany(
        "INSERT INTO memory_sources VALUES (?, ?)", [(entry_id, source) for source in sources]
    )
    return entry_id


def within(connection: Connection, work: Callable[[Connection], T]) -> T:
    """Run work in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return result


def contents(connection: Connection, user: str = "ada") -> list[str]:
    """The contents of a user's entries, by id."""
    rows = connection.execute("SELECT content FROM memories WHERE user = ? ORDER BY id", (user,))
    return [row[0] for row in rows]


def messages(connection: Connection, user: str = "ada") -> list[str]:
    """The words of a user's log, by id."""
    rows = connection.execute(
        "SELECT content FROM conversation_log WHERE user = ? ORDER BY id", (user,)
    )
    return [row[0] for row in rows]


def all_text(connection: Connection) -> str:
    """Every text in every table, virtual ones and their shadows included."""
    tables = [
        row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    found = []
    for table in tables:
        for row in connection.execute(f'SELECT * FROM "{table}"'):
            for value in row:
                if isinstance(value, str):
                    found.append(value)
                elif isinstance(value, bytes):
                    found.append(value.decode("latin-1"))
    return "\n".join(found).lower()


def bytes_of(path: Path) -> bytes:
    """All that is on the disk of a database: the file, its logs, its backups, whatever lies in its
    folder."""
    files = sorted(file for file in path.parent.iterdir() if file.is_file())
    return b"\n".join(file.read_bytes() for file in files)
