"""Baselines for recall: the searches of the first designs.

Plain KNN: every turn a vector in a vec0 table, the five nearest. Plain full text: FTS5 with its
default tokenizer, every word of the question quoted, joined by OR. Each in a database of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lobug.storage.driver import Connection, connect

Vectors = NDArray[np.float32]


def _open(path: Path) -> Connection:
    connection = connect(str(path), timeout_s=5.0)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")  # how fast they store is not compared
    return connection


class PlainKnn:
    """The first Lo-Bug's ``memory_facts``."""

    K = 5

    def __init__(self, folder: Path, dimension: int) -> None:
        self._connection = _open(folder / "knn.db")
        self._connection.execute(
            "CREATE VIRTUAL TABLE memory_facts USING vec0 (id INTEGER PRIMARY KEY,"
            f" embedding float[{dimension}] distance_metric=cosine,"
            " +content TEXT, +source TEXT, +fact_type TEXT, +created_at FLOAT)"
        )

    def add(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Store texts; ``vectors`` has shape (texts, dimension)."""
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "INSERT INTO memory_facts (embedding, content, source, fact_type, created_at)"
            " VALUES (?, ?, 'user', 'knowledge', 0.0)",
            [(vector.tobytes(), text) for vector, text in zip(vectors, texts, strict=True)],
        )
        self._connection.execute("COMMIT")

    def search(self, vector: Vectors) -> list[str]:
        """The nearest texts to a vector of shape (dimension,)."""
        rows = self._connection.execute(
            "SELECT content, distance FROM memory_facts WHERE embedding MATCH ? AND k = ?"
            " ORDER BY distance",
            (vector.astype(np.float32).tobytes(), self.K),
        )
        return [row[0] for row in rows]

    def close(self) -> None:
        self._connection.close()


class PlainFullText:
    """The text search of the other designs."""

    LIMIT = 5

    def __init__(self, folder: Path) -> None:
        self._connection = _open(folder / "text.db")
        self._connection.executescript(
            "CREATE TABLE memories (key TEXT, content TEXT NOT NULL, category TEXT NOT NULL);"
            "CREATE VIRTUAL TABLE memory_fts USING fts5"
            " (key, content, content=memories, content_rowid=rowid);"
            "CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN"
            " INSERT INTO memory_fts (rowid, key, content)"
            " VALUES (new.rowid, new.key, new.content); END;"
        )

    def add(self, texts: Sequence[str]) -> None:
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "INSERT INTO memories (key, content, category) VALUES ('', ?, 'knowledge')",
            [(text,) for text in texts],
        )
        self._connection.execute("COMMIT")

    def search(self, question: str) -> list[str]:
        """The best texts by BM25."""
        quoted = ('"' + word.replace('"', "") + '"' for word in question.split())
        rows = self._connection.execute(
            "SELECT m.content FROM memory_fts f JOIN memories m ON f.rowid = m.rowid"
            " WHERE memory_fts MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(quoted), self.LIMIT),
        )
        return [row[0] for row in rows]

    def close(self) -> None:
        self._connection.close()
