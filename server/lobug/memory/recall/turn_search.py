"""Searches former turns that fit a question.

names = await database.read(lambda connection: speakers(connection, scope))
prepared = prepare(query, names)
vectors = await query_embedder.vectors(prepared)      # None: the embedder is down
hits = await database.read(
    lambda connection: search_turns(connection, scope, prepared, vectors, limit=10)
)
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import Integer, and_, bindparam, exists, or_, select

from lobug.engines.base import Vectors
from lobug.memory.embedding import FactEmbedder
from lobug.memory.index import turn_vectors, turn_words
from lobug.memory.index.entry_index import EmbeddedQuery
from lobug.memory.index.turn_words import (
    MAX_QUESTION_CHARS,
    QuestionTerms,
    TurnTotals,
    analyse_question,
)
from lobug.memory.index.vector_cache import VectorCache
from lobug.memory.model import Hit, MemoryScope
from lobug.memory.recall import candidates, scoring
from lobug.memory.recall.candidates import Among, Candidate, QueryVectors, Vector
from lobug.storage.connection import Connection
from lobug.storage.statements import HandWritten, among, run
from lobug.storage.tables import memories

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


SPEAKERS = """
WITH RECURSIVE known (name) AS (
    SELECT min(speaker) FROM conversation_log WHERE "user" = :user AND speaker IS NOT NULL
    UNION ALL
    SELECT (SELECT min(speaker) FROM conversation_log
            WHERE "user" = :user AND speaker IS NOT NULL AND speaker > known.name)
    FROM known WHERE name IS NOT NULL)
SELECT name FROM known WHERE name IS NOT NULL LIMIT :limit
"""
"""Hand-written: one look at the index for each name, however long the log is."""


def speakers(connection: Connection, scope: MemoryScope) -> list[str]:
    """Names of those who speak in the user's log; empty for most people."""
    return run(
        connection,
        SPEAKERS,
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
    cache: VectorCache | None = None,
) -> list[Hit]:
    """The user's turns, of all conversations, that fit a question, best first.

    ``vectors`` None: by words only. ``since`` (included) and ``until`` (not): when it was said,
    seconds since the epoch; without words in the question, what was said then, newest first.
    ``exclude_message_id``: the message that is being answered."""
    among = Among(scope.user, since, until, exclude_message_id)
    if limit <= 0:
        return []
    if not prepared.terms.plain.strip():
        ids = candidates.newest(connection, among, limit) if among.bounded else []
        return _hits(connection, scope, [_Ranked(found) for found in ids])
    totals = turn_words.totals_of(connection, scope.user)
    if totals is None:
        return []
    ranked = _ranked(connection, totals, among, prepared, vectors, cache, limit)
    return _hits(connection, scope, ranked)


@dataclass(frozen=True, slots=True)
class _Ranked:
    message_id: int
    score: float = 0.0
    """Log-odds, to compare turns of one question; the order of the hits is not strictly by it,
    since turns of one session make way for others."""
    confidence: float = 0.0
    """0 to 1, comparable between questions; ``QUESTION_FLOOR`` and ``TURN_FLOOR`` are for it."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """The summands of the score, by name; confidence is made from "matched" and "cosine"."""


def _ranked(
    connection: Connection,
    totals: TurnTotals,
    among: Among,
    prepared: PreparedQuery,
    vectors: QueryVectors | None,
    cache: VectorCache | None,
    limit: int,
) -> list[_Ranked]:
    asked, present, whole = prepared.terms, None, None
    if vectors is not None:
        present = turn_vectors.find_set(connection, vectors.model_id, len(vectors.whole))
        whole = None if present is None else vectors.whole
    held = turn_words.occurrences(connection, totals, asked.stems, candidates.PLAN.matches)
    found = candidates.gather(connection, totals, among, held, present, whole, cache, limit)
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
    holding = np.array([held.counts[stem] for stem in asked.stems], np.int64)
    terms = candidates.terms(
        connection,
        scoring.idf(totals.turns, holding),
        asked.words,
        asked.stems,
        vocabulary,
        present,
        vectors,
        cache,
    )
    scores = scoring.score(turns, terms, totals.words / totals.turns)
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


_HITS = "SELECT l.id, l.role, l.speaker, l.content, l.created_at AS said_at FROM json_each(:ids) j"
HITS = HandWritten(
    sqlite=f'{_HITS} CROSS JOIN conversation_log l WHERE l.id = j.value AND l."user" = :user',
    postgres=f"{_HITS} CROSS JOIN LATERAL (SELECT * FROM conversation_log"
    ' WHERE id = j.value OFFSET 0) l WHERE l."user" = :user',
)
"""CROSS JOIN, and OFFSET 0, look the ids up; a join would go through all of the user's log."""


def _hits(connection: Connection, scope: MemoryScope, ranked: Sequence[_Ranked]) -> list[Hit]:
    rows = run(
        connection,
        HITS,
        ids=json.dumps([one.message_id for one in ranked]),
        user=scope.user,
    )
    said = {row.id: row for row in rows}
    return [
        Hit(
            kind="turn",
            score=one.score,
            confidence=one.confidence,
            parts=one.parts,
            **said[one.message_id]._asdict(),
        )
        for one in ranked
        if one.message_id in said
    ]


_newer, _first, _same = memories.alias(), memories.alias(), memories.alias()


NO_LONGER_BELIEVED = (
    select(memories.c.source_message_id)
    .distinct()
    .select_from(memories.outerjoin(_newer, _newer.c.id == memories.c.replaced_by))
    .where(
        memories.c.user == bindparam("user"),
        among(memories.c.source_message_id, "message_ids"),
        or_(
            memories.c.reason.in_(("corrected", "edited", "removed")),
            and_(
                bindparam("past", type_=Integer) == 0,
                or_(
                    memories.c.reason == "superseded",
                    and_(
                        memories.c.reason == "duplicate",
                        _newer.c.source_message_id > memories.c.source_message_id,
                    ),
                ),
            ),
        ),
        # What the words themselves said is its first version; restored, it is believed again.
        ~exists(
            select(1).where(
                _first.c.replaced_by == memories.c.id,
                _first.c.source_message_id == memories.c.source_message_id,
            )
        ),
        ~exists(
            select(1).where(
                _same.c.user == memories.c.user,
                _same.c.status == "active",
                _same.c.source_message_id == memories.c.source_message_id,
                _same.c.content == memories.c.content,
            )
        ),
    )
)


def no_longer_believed(
    connection: Connection, user: str, message_ids: Iterable[int], *, past: bool
) -> set[int]:
    """Which of these messages stated a fact that was corrected, removed or restated since, or that
    is no longer true (with ``past`` those may answer)."""
    rows = run(connection, NO_LONGER_BELIEVED, user=user, message_ids=message_ids, past=int(past))
    return set(rows.scalars())


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A question with its words."""

    text: str
    terms: QuestionTerms

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts to embed for the question as a whole, one or two."""
        if not self.terms.plain.strip():
            return ()
        question = self.text[:MAX_QUESTION_CHARS]
        return tuple(dict.fromkeys((question, self.terms.plain)))


def prepare(query: str, speakers: Iterable[str] = ()) -> PreparedQuery:
    """Analyse a question. ``speakers``: names of people in the user's log
    (``turn_search.speakers``)."""
    return PreparedQuery(query, analyse_question(query, speakers))


WORDS_KEPT = 2_048
"""Cached vectors of words: 4 MB at 512 dimensions."""


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question's vectors for both searches; None: search by words only."""

    turns: QueryVectors | None = None
    entries: EmbeddedQuery | None = None


class QueryEmbedder:
    """Embeds questions; caches the vectors of the last words."""

    def __init__(self, embedding: FactEmbedder) -> None:
        self._embedding = embedding
        self._model_id = ""
        self._words: OrderedDict[str, Vector] = OrderedDict()

    async def vectors(self, prepared: PreparedQuery) -> QueryVectors | None:
        """The vectors of a question, made in one batch; None if the embedder fails or is slow,
        or there is nothing to embed."""
        return (await self.both(prepared, "")).turns

    async def both(self, prepared: PreparedQuery, entries_text: str) -> EmbeddedQuestion:
        """The vectors for a search over turns and one over entries, made in one batch, since a
        second batch would cost as much again. ``entries_text`` is the question for the search
        over entries."""
        texts = prepared.texts
        wanted = prepared.terms.words if texts else ()
        new = [word for word in wanted if word not in self._words]
        for_entries = [entries_text] if entries_text.strip() else []
        batch = [*texts, *new, *for_entries]
        found = await self._embedding.queries(batch) if batch else None
        if found is None:
            return EmbeddedQuestion()
        query = EmbeddedQuery(found.model_id, found.vectors[-1]) if for_entries else None
        vectors = found.vectors[: len(texts) + len(new)]
        return EmbeddedQuestion(self._kept(found.model_id, texts, new, wanted, vectors), query)

    def _kept(
        self,
        model_id: str,
        texts: Sequence[str],
        new: Sequence[str],
        wanted: Sequence[str],
        vectors: Vectors,
    ) -> QueryVectors | None:
        """The vectors of a question from those of its texts and its new words, in this order."""
        if not texts:
            return None
        if model_id != self._model_id:
            self._words.clear()
            self._model_id = model_id
        for word, vector in zip(new, vectors[len(texts) :], strict=True):
            self._words[word] = vector
        kept = {word: self._words[word] for word in wanted if word in self._words}
        for word in kept:
            self._words.move_to_end(word)
        while len(self._words) > WORDS_KEPT:
            self._words.popitem(last=False)
        whole = unit(vectors[: len(texts)].sum(axis=0))
        return None if whole is None else QueryVectors(model_id, whole, kept)


def unit(vector: Vector) -> Vector | None:
    """The vector at length 1; None if its length is 0 or not finite."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        return None
    return np.asarray(vector / length, np.float32)
