"""Chooses the turns that are scored for a question: of those with its words and those near its
meaning the best by both, and the neighbours of the first of these. To read a turn costs far more
than to weigh it roughly. Every query names the user's number in the index."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Integer, bindparam, select

from lobug.memory.index import turn_vectors, turn_words
from lobug.memory.index.turn_vectors import VectorSet
from lobug.memory.index.turn_words import Occurrences, TurnTotals
from lobug.memory.index.vector_cache import VectorCache, signs_of, vectors_of_words
from lobug.memory.recall import scoring
from lobug.memory.recall.scoring import NOTHING, Floats, Ints, Terms, Weighed
from lobug.storage.connection import Connection
from lobug.storage.index_tables import turn_index
from lobug.storage.statements import HandWritten, run, run_for_bytes
from lobug.storage.tables import conversation_log


@dataclass(frozen=True, slots=True)
class Pool:
    """How many turns are scored."""

    best: int
    """Those that are best by a rough weight."""
    lead: int
    """The first of these: their neighbours are scored, too."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many turns are looked at."""

    lexical: int = 600
    """Turns by words that are weighed roughly."""
    dense: int = 1_000
    """Turns by meaning that are weighed roughly."""
    scored: Pool = Pool(best=200, lead=30)
    by_words: Pool = Pool(best=300, lead=60)
    """Where there is nothing to go by but words."""
    span: int = 2
    """Neighbours before and after each turn of the lead."""
    matches: int = 20_000
    """The text index is asked for the rarest words first, until this many turns hold them."""


PLAN = Plan()

MEASURED = 2
"""The length is looked up of this multiple of the wanted turns by words, to order them by it."""


@dataclass(frozen=True, slots=True)
class Among:
    """Limits the turns that may be found."""

    user: str
    since: float | None = None
    until: float | None = None
    """When it was said, seconds since the epoch: ``since`` is included, ``until`` is not."""
    exclude_message_id: int | None = None

    @property
    def bounded(self) -> bool:
        """Whether a time limit is set."""
        return self.since is not None or self.until is not None

    @property
    def times(self) -> tuple[float, float]:
        """The limits as numbers; infinite where there is none."""
        return (
            float("-inf") if self.since is None else self.since,
            float("inf") if self.until is None else self.until,
        )


class Candidate(NamedTuple):
    """A turn that will be scored."""

    message_id: int
    session_id: int
    place: int
    role: str
    speaker: str | None
    asking: float
    timed: int
    words: str
    """JSON array of ids of words; never empty."""
    vector: bytes | None


def gather(
    connection: Connection,
    totals: TurnTotals,
    among: Among,
    found: Occurrences,
    present: VectorSet | None,
    whole: Vector | None,
    cache: VectorCache | None,
    at_least: int,
    plan: Plan = PLAN,
) -> list[Candidate]:
    """The turns that will be scored, by session and place. ``found``: those that hold words of the
    question; ``whole``: the vector of the question, from the model of ``present``; ``at_least``:
    how many are scored where the plan has fewer."""
    by_words = _by_words(connection, totals, among, found, plan)
    near, complete = NOTHING, False
    if present is not None and whole is not None:
        allowed = _slots(connection, present, totals.owner, among) if among.bounded else None
        signs = signs_of(connection, present, totals, cache)
        ids, cosine = turn_vectors.nearest(
            connection, present, totals.owner, signs, whole, plan.dense, allowed
        )
        complete = len(ids) < plan.dense
        others = ids != among.exclude_message_id
        near = Weighed(ids[others], cosine[others])
    pool = plan.scored if len(near.ids) else plan.by_words
    best = scoring.roughly_best(by_words, near, complete=complete)[: max(pool.best, at_least)]
    beside = _neighbours(connection, best[: pool.lead].tolist(), plan.span)
    wanted = {*best.tolist(), *beside} - {among.exclude_message_id}
    return _fetch(connection, totals, among, wanted, present)


NEWEST = (
    select(conversation_log.c.id)
    .join(turn_index, turn_index.c.message_id == conversation_log.c.id)
    .where(
        conversation_log.c.user == bindparam("user"),
        conversation_log.c.created_at >= bindparam("since"),
        conversation_log.c.created_at < bindparam("until"),
        conversation_log.c.id.is_distinct_from(bindparam("exclude")),
    )
    .order_by(conversation_log.c.created_at.desc(), conversation_log.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def newest(connection: Connection, among: Among, limit: int) -> list[int]:
    """Ids of the messages that were said last, newest first."""
    since, until = among.times
    return run(
        connection,
        NEWEST,
        user=among.user,
        since=since,
        until=until,
        exclude=among.exclude_message_id,
        limit=limit,
    ).scalars()


def word_ids(found: Sequence[Candidate]) -> tuple[Ints, Ints]:
    """The word ids of all candidates in a row, and the position where each candidate's begin.
    Those of a turn without a vector are negative: whether its words have vectors may depend on
    what other users said, until the turn has its own (``TurnEmbedder`` embeds words before
    turns)."""
    flat = np.array(json.loads(f"[{','.join(one.words[1:-1] for one in found)}]"), np.int64)
    lengths = np.array([one.words.count(",") + 1 for one in found], np.int64)
    waiting = np.array([one.vector is None for one in found], np.bool_)
    flat[np.repeat(waiting, lengths)] *= -1
    return flat, np.concatenate([[0], np.cumsum(lengths)[:-1]])


def cosines(found: Sequence[Candidate], whole: Vector | None) -> Floats:
    """Cosine of the question and each candidate. A turn that has no vector yet, because it was
    said just now, gets the median: it is neither preferred nor put last."""
    with_vector = [at for at, one in enumerate(found) if one.vector is not None]
    result = np.zeros(len(found), np.float32)
    if whole is None or not with_vector:
        return result
    stored = [vector for one in found if (vector := one.vector) is not None]
    known = turn_vectors.decode(stored, len(whole)) @ whole
    result[:] = np.median(known)
    result[with_vector] = known
    return result


WITH_STEMS = HandWritten(
    sqlite="SELECT id, stem FROM turn_words WHERE stem IN (SELECT value FROM json_each(:stems))",
    # As an array, which PostgreSQL looks up in the index, however many it expects to find.
    postgres="SELECT id, stem FROM turn_words"
    " WHERE stem = ANY(ARRAY(SELECT value FROM json_texts(:stems)))",
)


def terms(
    connection: Connection,
    idf: Floats,
    words: Sequence[str],
    stems: Sequence[str],
    vocabulary: Ints,
    present: VectorSet | None,
    vectors: QueryVectors | None,
    cache: VectorCache | None,
) -> Terms:
    """The question's words against the words of the candidates. ``vocabulary`` is ``word_ids``,
    each once, ascending; negative ones are compared by their stems alone."""
    same = np.zeros((len(stems), len(vocabulary)), np.bool_)
    number = {stem: at for at, stem in enumerate(stems)}
    ids = np.abs(vocabulary)
    for row in run(connection, WITH_STEMS, stems=json.dumps(list(stems))):
        same[number[row.stem]] |= ids == row.id
    similar = np.zeros((len(stems), len(vocabulary)), np.float32)
    if present is not None and vectors is not None and vectors.words:
        embedded = vocabulary[vocabulary > 0].tolist()
        stored = vectors_of_words(connection, present, embedded, cache)
        places = np.searchsorted(vocabulary, np.fromiter(stored, np.int64, len(stored)))
        asked = {
            row: vectors.words[word] for row, word in enumerate(words) if word in vectors.words
        }
        if asked and stored:
            known = turn_vectors.decode(list(stored.values()), present.dimension)
            rows = np.array(list(asked), np.int64)
            similar[rows[:, np.newaxis], places] = np.stack(list(asked.values())) @ known.T
    return Terms(idf, same, similar)


SAID_WITHIN = select(conversation_log.c.id).where(
    conversation_log.c.user == bindparam("user"),
    conversation_log.c.created_at >= bindparam("since"),
    conversation_log.c.created_at < bindparam("until"),
)


def _by_words(
    connection: Connection,
    totals: TurnTotals,
    among: Among,
    occurrences: Occurrences,
    plan: Plan,
) -> Weighed:
    """Turns with their BM25, as far as it is known without their words."""
    if not occurrences.turns:
        return NOTHING
    # SQLite's own rank would count the turns of all users: the order, and so what is left
    # out, would depend on what others said.
    holders = list(occurrences.turns.values())
    counts = [occurrences.counts[stem] for stem in occurrences.turns]
    weight = scoring.idf(totals.turns, np.array(counts, np.int64))
    ids, first, place = np.unique(np.concatenate(holders), return_index=True, return_inverse=True)
    found = np.bincount(place, np.repeat(weight, [len(held) for held in holders]), len(ids))
    if among.bounded:
        since, until = among.times
        said_then = run(
            connection, SAID_WITHIN, user=among.user, since=since, until=until
        ).scalars()
        within = np.isin(ids, said_then)
        ids, first, found = ids[within], first[within], found[within]
    # The question itself has all of its words: beside it nothing else would fit.
    others = ids != among.exclude_message_id
    ids, first, found = ids[others], first[others], found[others]
    best = np.lexsort((ids, -found))[: MEASURED * plan.lexical]
    ids, first, found = ids[best], first[best], found[best]
    if occurrences.lengths is None:
        lengths = turn_words.lengths_of(connection, ids)
    else:
        lengths = np.concatenate([*occurrences.lengths.values()])[first]
    damped = np.asarray(found / scoring.damping(lengths, totals.words / totals.turns), np.float32)
    best = np.lexsort((ids, -damped))[: plan.lexical]
    return Weighed(ids[best], damped[best])


def _slots(connection: Connection, present: VectorSet, owner: int, among: Among) -> Ints:
    since, until = among.times
    rows = run(
        connection,
        "SELECT v.slot FROM conversation_log l JOIN turn_vectors v ON v.message_id = l.id"
        ' WHERE l."user" = :user AND l.created_at >= :since AND l.created_at < :until'
        " AND v.set_id = :set_id AND v.owner = :owner",
        user=among.user,
        since=since,
        until=until,
        set_id=present.id,
        owner=owner,
    )
    return np.array(rows.scalars(), np.int64)


# Hand-written: the numbers come first, and each is looked up. A join would go through all turns of
# the user, or in PostgreSQL, which expects a hundred times as many neighbours, of everybody.
NEIGHBOURS = HandWritten(
    sqlite="SELECT n.message_id FROM json_each(:ids) j"
    " CROSS JOIN turn_index t CROSS JOIN json_each(:away) d CROSS JOIN turn_index n"
    " WHERE t.message_id = j.value AND n.session_id = t.session_id"
    " AND n.place = t.place + d.value",
    postgres="SELECT n.message_id FROM json_each(:ids) j"
    " CROSS JOIN LATERAL (SELECT session_id, place FROM turn_index"
    " WHERE message_id = j.value OFFSET 0) t"
    " CROSS JOIN json_each(:away) d"
    " CROSS JOIN LATERAL (SELECT message_id FROM turn_index"
    " WHERE session_id = t.session_id AND place = t.place + d.value OFFSET 0) n",
)


# Each is looked up by its number, which stands alone in the innermost query (OFFSET 0): with the
# user there, PostgreSQL would take the index by user, and read all rows of who has many.
FETCH = HandWritten(
    sqlite="SELECT t.message_id, t.session_id, t.place, l.role, l.speaker, t.asking, t.timed,"
    " t.words, v.vector FROM json_each(:ids) j CROSS JOIN turn_index t"
    " CROSS JOIN conversation_log l"
    " LEFT JOIN turn_vectors v ON v.message_id = t.message_id AND v.set_id = :set_id"
    " WHERE t.message_id = j.value AND t.owner = :owner AND t.words IS NOT NULL"
    ' AND l.id = t.message_id AND l."user" = :user'
    " AND l.created_at >= :since AND l.created_at < :until"
    " ORDER BY t.session_id, t.place",
    postgres="SELECT t.message_id, t.session_id, t.place, l.role, l.speaker, t.asking, t.timed,"
    " t.words, v.vector FROM json_each(:ids) j"
    " CROSS JOIN LATERAL (SELECT message_id, owner, session_id, place, asking, timed, words"
    " FROM turn_index WHERE message_id = j.value OFFSET 0) t"
    ' CROSS JOIN LATERAL (SELECT "user", role, speaker, created_at'
    " FROM conversation_log WHERE id = j.value OFFSET 0) l"
    " LEFT JOIN LATERAL (SELECT set_id, vector"
    " FROM turn_vectors WHERE message_id = j.value OFFSET 0) v ON v.set_id = :set_id"
    " WHERE t.owner = :owner AND t.words IS NOT NULL"
    ' AND l."user" = :user AND l.created_at >= :since AND l.created_at < :until'
    " ORDER BY t.session_id, t.place",
)
NO_SET = -1


def _neighbours(connection: Connection, ids: Sequence[int], span: int) -> list[int]:
    away = json.dumps([distance for distance in range(-span, span + 1) if distance])
    return run(connection, NEIGHBOURS, ids=json.dumps(ids), away=away).scalars()


def _fetch(
    connection: Connection,
    totals: TurnTotals,
    among: Among,
    wanted: Collection[int],
    present: VectorSet | None,
) -> list[Candidate]:
    since, until = among.times
    rows = run_for_bytes(
        connection,
        FETCH,
        ids=json.dumps(sorted(wanted)),
        user=among.user,
        since=since,
        until=until,
        owner=totals.owner,
        set_id=NO_SET if present is None else present.id,
    )
    return [*map(Candidate._make, rows.tuples())]


Vector = NDArray[np.float32]
"""Shape (dimension,)."""


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """Vectors of a question, from one model."""

    model_id: str
    whole: Vector
    """Sum of the vectors of the question and of the question without names, at length 1."""
    words: Mapping[str, Vector]
    """Vectors of its single words; may be empty."""
