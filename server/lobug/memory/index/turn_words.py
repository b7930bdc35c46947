"""The text index of turns: which of a user's turns hold which words.

A row of ``turn_index`` is made, and everything derived from a turn's words is deleted, by triggers
of ``conversation_log`` (migration 3): a row without words waits to be analysed. Only this module
reads and writes the FTS5 table ``turn_text``. Functions on a connection, called on the database's
own threads, within a write transaction where they write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Integer, bindparam, select, update
from sqlalchemy.dialects.sqlite import insert

from lobug.memory.index import turn_analysis
from lobug.storage.columns import among
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log, turn_index, turn_owners, turn_words

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Log:
    """The number of a user's analysed turns, and of the words in them."""

    owner: int
    """The user's number in the index."""
    turns: int
    words: int
    """In all of them."""


LOG = select(turn_owners.c.id.label("owner"), turn_owners.c.turns, turn_owners.c.words).where(
    turn_owners.c.user == bindparam("user")
)


def log_of(connection: Connection, user: str) -> Log | None:
    """The user's turns; None: there are none."""
    row = run(connection, LOG, user=user).first()
    return None if row is None else Log(**row._asdict())


def token(owner: int, stem: str) -> str:
    """What the text index holds for a word; no other user's search has the same token."""
    return f"{owner}x{stem}"


def holding(connection: Connection, log: Log, stems: Sequence[str]) -> dict[str, int]:
    """How many of the user's turns hold each of the stems."""
    tokens = {token(log.owner, stem): stem for stem in stems}
    rows = run(
        connection,
        "SELECT term, doc FROM turn_terms WHERE term IN (SELECT value FROM json_each(:tokens))",
        tokens=json.dumps(list(tokens)),
    )
    return dict.fromkeys(stems, 0) | {tokens[row.term]: row.doc for row in rows}


def matching(connection: Connection, log: Log, stem: str) -> Ints:
    """Ids of the messages of all the user's turns that hold a stem, ascending."""
    # A stem is letters and digits, and it is quoted: nothing in it is an operator.
    rows = connection.execute(
        "SELECT rowid FROM turn_text WHERE turn_text MATCH ?", (f'"{token(log.owner, stem)}"',)
    )
    return np.fromiter((row[0] for row in rows), np.int64)


PENDING = (
    select(turn_index.c.message_id)
    .where(turn_index.c.words.is_(None))
    .order_by(turn_index.c.message_id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def pending(connection: Connection, limit: int) -> list[int]:
    """Ids of messages that wait to be analysed, newest first: they are asked for most."""
    return run(connection, PENDING, limit=limit).scalars()


TO_ANALYSE = (
    select(
        turn_index.c.message_id,
        turn_index.c.owner,
        conversation_log.c.content,
        conversation_log.c.created_at,
    )
    .join(conversation_log, conversation_log.c.id == turn_index.c.message_id)
    .where(among(turn_index.c.message_id, "message_ids"), turn_index.c.words.is_(None))
)


def analyse(connection: Connection, message_ids: Iterable[int]) -> None:
    """Analyse turns that wait for it; a search then finds them by their words."""
    for row in run(connection, TO_ANALYSE, message_ids=message_ids).all():
        offered = turn_analysis.analyse_turn(row.content, _local(row.created_at))
        _analyse(connection, row.message_id, row.owner, offered)


STORE_WORDS = update(turn_index).where(turn_index.c.message_id == bindparam("of_message"))
COUNT_TURN = (
    update(turn_owners)
    .values(turns=turn_owners.c.turns + 1, words=turn_owners.c.words + bindparam("added"))
    .where(turn_owners.c.id == bindparam("owner"))
)


def _analyse(
    connection: Connection, message_id: int, owner: int, offered: turn_analysis.TurnTerms
) -> None:
    ids = _word_ids(connection, offered.words)
    run(
        connection,
        STORE_WORDS,
        of_message=message_id,
        asking=offered.asking,
        timed=int(offered.timed),
        words=json.dumps([ids[word] for word in offered.words], separators=(",", ":")),
    )
    run(connection, COUNT_TURN, owner=owner, added=len(offered.words))
    run(
        connection,
        "INSERT INTO turn_text (rowid, tokens) VALUES (:message_id, :tokens)",
        message_id=message_id,
        tokens=" ".join(token(owner, turn_analysis.stem(word)) for word in offered.words),
    )


_word = insert(turn_words)
COUNT_WORD = _word.on_conflict_do_update(
    index_elements=[turn_words.c.word], set_={"uses": turn_words.c.uses + _word.excluded.uses}
).returning(turn_words.c.id)


def _word_ids(connection: Connection, found: Sequence[str]) -> dict[str, int]:
    """Ids of words; their uses are counted."""
    return {
        word: run(
            connection, COUNT_WORD, word=word, stem=turn_analysis.stem(word), uses=uses
        ).scalar()
        for word, uses in Counter(found).items()
    }


def _local(at: float) -> datetime:
    """Local time; the epoch for what no calendar has."""
    try:
        return datetime.fromtimestamp(at, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0.0, UTC)
