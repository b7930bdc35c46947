"""Rows of the turn index: what is known of each turn so that it can be found by its words.

A row comes to be, and everything derived from its words goes, by triggers of ``conversation_log``
(migration 3): a row without words waits to be analysed. Functions on a connection, called on the
database's own threads, within a write transaction where they write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from lobug.memory.index import turn_analysis
from lobug.storage.driver import Connection


@dataclass(frozen=True, slots=True)
class Log:
    """All of a user's turns that are analysed, by counts."""

    owner: int
    """The user's number in the index."""
    turns: int
    words: int
    """In all of them."""


def log_of(connection: Connection, user: str) -> Log | None:
    """The user's turns; None: there are none."""
    row = connection.execute(
        "SELECT id, turns, words FROM turn_owners WHERE user = ?", (user,)
    ).fetchone()
    return None if row is None else Log(*row)


def token(owner: int, stem: str) -> str:
    """What the text index holds for a word: nobody else's search has the same one."""
    return f"{owner}x{stem}"


def pending(connection: Connection, limit: int) -> list[int]:
    """Ids of messages that wait to be analysed, newest first: they are asked for most."""
    rows = connection.execute(
        "SELECT message_id FROM turn_index WHERE words IS NULL ORDER BY message_id DESC LIMIT ?",
        (limit,),
    )
    return [row[0] for row in rows]


def analyse(connection: Connection, message_ids: Iterable[int]) -> None:
    """Analyse turns that wait for it: from then on they are found by their words."""
    rows = connection.execute(
        "SELECT t.message_id, t.owner, l.content, l.created_at"
        " FROM json_each(?) j CROSS JOIN turn_index t ON t.message_id = j.value"
        " JOIN conversation_log l ON l.id = t.message_id WHERE t.words IS NULL",
        (json.dumps(list(message_ids)),),
    ).fetchall()
    for message_id, owner, content, created_at in rows:
        _analyse(
            connection, message_id, owner, turn_analysis.analyse_turn(content, _local(created_at))
        )


def _analyse(
    connection: Connection, message_id: int, owner: int, offered: turn_analysis.TurnTerms
) -> None:
    ids = _word_ids(connection, offered.words)
    connection.execute(
        "UPDATE turn_index SET asking = ?, timed = ?, words = ? WHERE message_id = ?",
        (
            offered.asking,
            int(offered.timed),
            json.dumps([ids[word] for word in offered.words], separators=(",", ":")),
            message_id,
        ),
    )
    connection.execute(
        "UPDATE turn_owners SET turns = turns + 1, words = words + ? WHERE id = ?",
        (len(offered.words), owner),
    )
    connection.execute(
        "INSERT INTO turn_text (rowid, tokens) VALUES (?, ?)",
        (message_id, " ".join(token(owner, turn_analysis.stem(word)) for word in offered.words)),
    )


def _word_ids(connection: Connection, found: Sequence[str]) -> dict[str, int]:
    """Ids of words; they are used once more for each time that they occur."""
    return {
        word: connection.execute(
            "INSERT INTO turn_words (word, stem, uses) VALUES (?, ?, ?)"
            " ON CONFLICT (word) DO UPDATE SET uses = uses + excluded.uses RETURNING id",
            (word, turn_analysis.stem(word), uses),
        ).fetchone()[0]
        for word, uses in Counter(found).items()
    }


def _local(at: float) -> datetime:
    """Local time; the epoch for what no calendar has."""
    try:
        return datetime.fromtimestamp(at, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0.0, UTC)
