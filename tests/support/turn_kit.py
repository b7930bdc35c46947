"""A turn index on a real file, without a server, for its tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lobug.memory import log, sessions
from lobug.memory.index import turn_vectors, turn_words
from lobug.memory.model import ConversationKey, Hit, MemoryScope, Role
from lobug.memory.recall.candidates import QueryVectors
from lobug.memory.recall.turn_search import (
    PreparedQuery,
    prepare,
    search_turns,
    speakers,
    unit,
)
from lobug.storage import connection as storage
from lobug.storage import migrations
from lobug.storage.database import no_checkpoint
from lobug.storage.driver import Connection, connect
from support.scripted import ScriptedEmbedder

NOW = 1_700_000_000.0
IDLE_S = 600.0


def open_file(path: Path) -> Connection:
    """A migrated database as the writer's thread has it."""
    connection = connect(str(path), timeout_s=5.0)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    migrations.migrate(
        connection,
        path,
        legacy_user="owner",
        backups_keep=0,
        now=NOW,
        checkpoint=no_checkpoint,
    )
    return connection


def say(
    connection: storage.Connection,
    content: str,
    *,
    user: str = "ada",
    role: Role = "user",
    at: float = NOW,
    speaker: str | None = None,
    device: str = "desk",
) -> int:
    """Log one message. Returns its id."""
    owner = ConversationKey(user, f"{user}/device:{device}")
    session_id = sessions.continue_or_begin(connection, owner, at, IDLE_S)
    return log.append(connection, owner, role, content, at, session_id=session_id, speaker=speaker)


def embed_all(connection: Connection, embedder: ScriptedEmbedder, batch: int = 7) -> None:
    """Do what the background does until nothing is left."""
    while waiting := turn_words.pending(connection, batch):
        turn_words.analyse(connection, [row.message_id for row in waiting])
    present = turn_vectors.make_set(connection, embedder.model_id, embedder.dimension)
    while windows := turn_vectors.unembedded(connection, present, batch):
        found = asyncio.run(embedder.embed([window.text for window in windows]))
        turn_vectors.store(connection, present, list(zip(windows, found, strict=True)))
    while words := turn_vectors.unembedded_words(connection, present, batch):
        found = asyncio.run(embedder.embed([word.text for word in words]))
        turn_vectors.store_words(connection, present, words, found)
    turn_vectors.drop_empty_sets(connection, present)


def vectors_of(prepared: PreparedQuery, embedder: ScriptedEmbedder) -> QueryVectors | None:
    """The vectors of a question."""
    texts = [*prepared.texts, *prepared.terms.words]
    found = asyncio.run(embedder.embed(texts))
    whole = unit(found[: len(prepared.texts)].sum(axis=0))
    if whole is None:
        return None
    words = dict(zip(prepared.terms.words, found[len(prepared.texts) :], strict=True))
    return QueryVectors(embedder.model_id, np.asarray(whole, np.float32), words)


def ask(
    connection: Connection,
    question: str,
    embedder: ScriptedEmbedder | None = None,
    *,
    user: str = "ada",
    limit: int = 10,
    since: float | None = None,
    until: float | None = None,
    exclude: int | None = None,
) -> list[Hit]:
    """Search as a turn does; without an embedder by words only."""
    access = MemoryScope(user, None)
    prepared = prepare(question, speakers(connection, access))
    vectors = None if embedder is None else vectors_of(prepared, embedder)
    return search_turns(
        connection,
        access,
        prepared,
        vectors,
        limit=limit,
        since=since,
        until=until,
        exclude_message_id=exclude,
    )


def state(connection: Connection) -> Sequence[object]:
    """What the index holds, without the numbers that depend on how it came about."""
    turns = connection.execute(
        "SELECT t.message_id, o.user, t.session_id, row_number() OVER"
        " (PARTITION BY t.session_id ORDER BY t.place), t.asking, t.timed,"
        " (SELECT json_group_array(w.word) FROM json_each(t.words) j"
        "  CROSS JOIN turn_words w ON w.id = j.value), s.model_id, hex(v.vector)"
        " FROM turn_index t JOIN turn_owners o ON o.id = t.owner"
        " LEFT JOIN turn_vectors v ON v.message_id = t.message_id AND v.set_id = t.vector_set"
        " LEFT JOIN turn_vector_sets s ON s.id = v.set_id ORDER BY t.message_id"
    ).fetchall()
    words = connection.execute(
        "SELECT w.word, w.stem, w.uses, hex(v.vector) FROM turn_words w"
        " LEFT JOIN turn_word_vectors v ON v.word_id = w.id ORDER BY w.word"
    ).fetchall()
    terms = connection.execute(
        "SELECT o.user, substr(term, instr(term, 'x') + 1) AS stem, doc, cnt FROM turn_terms"
        " JOIN turn_owners o ON o.id = CAST(term AS INTEGER) ORDER BY 1, 2"
    ).fetchall()
    loose = connection.execute(
        "SELECT (SELECT count(*) FROM turn_vectors), (SELECT count(*) FROM turn_word_vectors),"
        " (SELECT count(*) FROM turn_terms), (SELECT group_concat(user || turns || ':' || words)"
        "  FROM (SELECT * FROM turn_owners WHERE turns > 0 ORDER BY user))"
    ).fetchall()
    return turns, words, terms, loose, codes(connection)


def codes(connection: Connection) -> list[tuple[int, str]]:
    """The sign bits of each turn that has any, as hexadecimal digits."""
    found = []
    for message_id, slot, size, blob in connection.execute(
        "SELECT v.message_id, v.slot, (s.dimension + 63) / 64 * 8, c.codes FROM turn_vectors v"
        " JOIN turn_vector_sets s ON s.id = v.set_id JOIN turn_codes c ON c.set_id = v.set_id"
        " AND c.owner = v.owner AND c.block = v.slot / 512 ORDER BY v.message_id"
    ):
        start = slot % turn_vectors.BLOCK * size
        found.append((message_id, blob[start : start + size].hex()))
    return found


def set_bits(connection: Connection) -> int:
    """Places in the bits' table that are not zero."""
    total = 0
    for size, blob in connection.execute(
        "SELECT (s.dimension + 63) / 64 * 8, c.codes FROM turn_codes c"
        " JOIN turn_vector_sets s ON s.id = c.set_id"
    ):
        total += sum(any(blob[at : at + size]) for at in range(0, len(blob), size))
    return total
