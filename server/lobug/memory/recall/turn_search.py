"""Searches former turns that fit a question. The entry point of this package for turns.

names = await database.read(lambda connection: speakers(connection, scope))
prepared = prepare(query, names)
vectors = await query_embedder.vectors(prepared)      # None: the embedder is down
hits = await database.read(
    lambda connection: search_turns(connection, scope, prepared, vectors, limit=10)
)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lobug.memory.index import turn_vectors, turn_words
from lobug.memory.index.turn_analysis import QuestionTerms
from lobug.memory.index.turn_words import Log
from lobug.memory.model import MemoryScope, Role
from lobug.memory.recall import candidates, scoring
from lobug.memory.recall.candidates import Among, Candidate
from lobug.memory.recall.prepared_query import PreparedQuery, QueryVectors
from lobug.storage.driver import Connection
from lobug.storage.statements import run

QUESTION_FLOOR = 0.325
"""If no turn that was found has this confidence, the log most likely cannot answer: of questions
that it can answer 95 % have one, of strangers' questions 63 % have none."""

TURN_FLOOR = 0.2
"""Turns below this confidence are not worth a place in the prompt: 97 % of the evidence is above,
half of what strangers' questions find is below."""


COSINE_OF_MATCH = 0.5
"""Replaces the cosine while there is none, times the share of matching words: about the value of
turns that hold an answer."""

MAX_SPEAKERS = 256
"""Most names that a question is compared with."""

SESSION_SPAN = 1 << 32
"""More than the number of turns in any session."""


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A former turn that a search found."""

    message_id: int
    role: Role
    speaker: str | None
    content: str
    said_at: float
    """Seconds since the epoch."""
    score: float
    """Log-odds, to compare turns of one question; the order of the hits is not strictly by it,
    since turns of one session make way for others."""
    confidence: float
    """0 to 1, comparable between questions; ``QUESTION_FLOOR`` and ``TURN_FLOOR`` are for it."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """The summands of the score, by name; confidence is made from "matched" and "cosine"."""


def speakers(connection: Connection, scope: MemoryScope) -> list[str]:
    """Names of those who speak in the user's log; empty for most people."""
    # One look at the index for each name, however long the log is.
    return run(
        connection,
        "WITH RECURSIVE known (name) AS ("
        " SELECT min(speaker) FROM conversation_log WHERE user = :user AND speaker IS NOT NULL"
        " UNION ALL SELECT (SELECT min(speaker) FROM conversation_log"
        "                   WHERE user = :user AND speaker IS NOT NULL AND speaker > known.name)"
        " FROM known WHERE name IS NOT NULL)"
        " SELECT name FROM known WHERE name IS NOT NULL LIMIT :limit",
        user=scope.user,
        limit=MAX_SPEAKERS,
    ).scalars()


def search_turns(
    connection: Connection,
    scope: MemoryScope,
    prepared: PreparedQuery,
    vectors: QueryVectors | None,
    *,
    limit: int,
    since: float | None = None,
    until: float | None = None,
    exclude_message_id: int | None = None,
) -> list[TurnHit]:
    """The user's turns, of all conversations, that fit a question, best first.

    ``vectors`` None: by words only. ``since`` (included) and ``until`` (not): when it was said,
    seconds since the epoch; without words in the question, what was said then, newest first.
    ``exclude_message_id``: the message that is being answered."""
    among = Among(scope.user, since, until, exclude_message_id)
    if limit <= 0:
        return []
    if not prepared.terms.plain.strip():
        ids = candidates.newest(connection, among, limit) if among.bounded else []
        return _hits(connection, scope, [_Ranked(found, 0.0, 0.0, {}) for found in ids])
    log = turn_words.log_of(connection, scope.user)
    if log is None:
        return []
    return _hits(connection, scope, _ranked(connection, log, among, prepared, vectors, limit))


@dataclass(frozen=True, slots=True)
class _Ranked:
    message_id: int
    score: float
    confidence: float
    parts: Mapping[str, float]


def _ranked(
    connection: Connection,
    log: Log,
    among: Among,
    prepared: PreparedQuery,
    vectors: QueryVectors | None,
    limit: int,
) -> list[_Ranked]:
    asked, present, whole = prepared.terms, None, None
    if vectors is not None:
        present = turn_vectors.find_set(connection, vectors.model_id, len(vectors.whole))
        whole = None if present is None else vectors.whole
    held = turn_words.holding(connection, log, asked.stems)
    found = candidates.gather(connection, log, among, asked.stems, held, present, whole)
    if not found:
        return []
    flat, starts = candidates.word_ids(found)
    vocabulary, numbers = np.unique(flat, return_inverse=True)
    meaning = candidates.cosines(found, whole)
    turns = scoring.Turns(
        order=np.array([one.session_id * SESSION_SPAN + one.place for one in found], np.int64),
        session=np.array([one.session_id for one in found], np.int64),
        words=numbers,
        starts=starts,
        spoken=_spoken(found, asked),
        asking=np.array([one.asking for one in found], np.float32),
        timed=np.array([one.timed for one in found], np.bool_),
        meaning=meaning,
    )
    holding = np.array([held[stem] for stem in asked.stems], np.int64)
    terms = candidates.terms(
        connection,
        scoring.idf(log.turns, holding),
        asked.words,
        asked.stems,
        vocabulary,
        present,
        vectors,
    )
    scores = scoring.score(turns, terms, log.words / log.turns)
    place = np.array([one.message_id for one in found], np.int64)
    chosen = scoring.choose(scores.total, turns.session, max(limit, scoring.BEST))
    chosen = scoring.newer_first(chosen, scores, place)[:limit]
    cosine = meaning if whole is not None else COSINE_OF_MATCH * scores.matched
    confidence = np.clip((scores.matched + cosine) / 2.0, 0.0, 1.0)
    return [
        _Ranked(
            found[at].message_id,
            float(scores.total[at]),
            float(confidence[at]),
            dict(zip(scoring.NAMES, scores.parts[at].tolist(), strict=True))
            | {"matched": float(scores.matched[at]), "cosine": float(meaning[at])},
        )
        for at in chosen.tolist()
    ]


def _spoken(
    found: Sequence[Candidate], asked: QuestionTerms
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each turn was said by the speaker that the question names: by name, or by "I" in a
    log without names."""
    named = next(iter(asked.speakers)) if len(asked.speakers) == 1 else None
    oneself = asked.oneself and not asked.speakers
    return np.array(
        [
            one.speaker.lower() == named
            if one.speaker is not None
            else oneself and one.role == "user"
            for one in found
        ],
        np.bool_,
    )


HITS = (
    "SELECT l.id AS message_id, l.role, l.speaker, l.content, l.created_at AS said_at"
    " FROM json_each(:ids) j CROSS JOIN conversation_log l ON l.id = j.value WHERE l.user = :user"
)
"""Hand-written: CROSS JOIN looks the ids up; a join would go through all of the user's log."""


def _hits(connection: Connection, scope: MemoryScope, ranked: Sequence[_Ranked]) -> list[TurnHit]:
    rows = run(
        connection,
        HITS,
        ids=json.dumps([one.message_id for one in ranked]),
        user=scope.user,
    )
    scored = {one.message_id: one for one in ranked}
    known = {
        row.message_id: TurnHit(
            score=scored[row.message_id].score,
            confidence=scored[row.message_id].confidence,
            parts=scored[row.message_id].parts,
            **row._asdict(),
        )
        for row in rows
    }
    return [known[one.message_id] for one in ranked if one.message_id in known]
