"""Searches entries by meaning and by words, else by substring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sqlalchemy import Integer, bindparam, func, or_, select

from lobug.language.en import words
from lobug.language.en.questions import analyse
from lobug.memory import entries
from lobug.memory.index import entry_index
from lobug.memory.index.entry_index import EmbeddedQuery
from lobug.memory.model import Entry, Filter, Hit, MemoryScope
from lobug.memory.recall.readings import Readings, content_stems
from lobug.storage.connection import Connection
from lobug.storage.statements import among, holds
from lobug.storage.tables import memories

CANDIDATES = 200
"""Entries that each way of searching adds before they are ranked."""

READ_AT_ONCE = 64
"""Ranked entries that are read together."""

NEWEST = entries.ENTRY.order_by(memories.c.said_at.desc(), memories.c.id.desc()).limit(
    bindparam("limit", type_=Integer)
)
ALLOWED = select(memories.c.id).where(among(memories.c.id, "ids"))
SAYING = (
    entries.ENTRY.where(
        or_(
            holds(func.lower(memories.c.content), "wanted"),
            holds(memories.c.key, "wanted"),
        )
    )
    .order_by(memories.c.said_at.desc(), memories.c.id.desc())
    .limit(CANDIDATES)
)


def with_past(where: Filter, query: str) -> Filter:
    """The filter; for a query about the past it lets past entries through."""
    if where.status == "active" and analyse(query).past:
        return replace(where, status="believed")
    return where


def search(
    connection: Connection,
    scope: MemoryScope,
    query: str,
    embedded: EmbeddedQuery | None,
    where: Filter,
    *,
    limit: int,
    readings: Readings,
    enough: Callable[[Sequence[Entry]], bool] = lambda _read: False,
) -> list[Hit]:
    """Entries that fit a query, best first. For a query without words: all entries that pass the
    filter, newest first. ``enough``: asked now and then whether those that were read so far will
    do; without it all that were found are read."""
    if not query.strip():
        return [_hit(entry, 0.0, 0.0, {}) for entry in _newest(connection, scope, where, limit)]
    ranks = _by_words(connection, scope, query, where)
    similar = _by_meaning(connection, scope, embedded)
    best = max(ranks.values(), default=0.0) or 1.0
    parts = {
        found: {"words": ranks.get(found, 0.0) / best, "meaning": similar.get(found, 0.0)}
        for found in {*ranks, *similar}
    }
    scores = {found: sum(summands.values()) for found, summands in parts.items()}
    if scores:
        known = _read(connection, scope, where, _promising(scores, similar), enough)
    else:
        known = _by_substring(connection, scope, query, where)
    wanted = content_stems(query)
    hits = []
    for entry in known:
        # A key may name the subject: "home_address" holds "address", the content may not.
        said = f"{entry.key.replace('_', ' ')} {entry.content}"
        confidence = _confidence(_share(wanted, readings.stems(said)), similar.get(entry.id))
        summands = parts.get(entry.id, {"words": 0.0, "meaning": 0.0})
        hits.append(_hit(entry, sum(summands.values()), confidence, summands))
    hits.sort(key=lambda hit: (-hit.score, -hit.said_at, hit.id))
    return hits[: max(limit, 0)]


def _promising(scores: Mapping[int, float], similar: Mapping[int, float]) -> list[int]:
    """All ids of the scores, in turns the next by score and the next by meaning alone: what names a
    thing otherwise than the question does stands behind all that share a common word with it."""
    by_score = sorted(scores, key=lambda found: (-scores[found], -found))
    by_meaning = sorted(similar, key=lambda found: (-similar[found], -found))
    in_turns = chain.from_iterable(zip(by_score, by_meaning, strict=False))
    return list(dict.fromkeys((*in_turns, *by_score)))


def _read(
    connection: Connection,
    scope: MemoryScope,
    where: Filter,
    ids: Sequence[int],
    enough: Callable[[Sequence[Entry]], bool],
) -> list[Entry]:
    """The entries of these ids that pass the filter, as far as they are needed."""
    found = list[Entry]()
    for first in range(0, len(ids), READ_AT_ONCE):
        if enough(found):
            break
        some = ids[first : first + READ_AT_ONCE]
        found += entries.by_ids(connection, scope, some, where).values()
    return found


def _hit(entry: Entry, score: float, confidence: float, parts: dict[str, float]) -> Hit:
    return Hit(
        kind="memory",
        id=entry.id,
        content=entry.content,
        said_at=entry.said_at,
        score=score,
        confidence=min(max(confidence, 0.0), 1.0),
        entry=entry,
        parts=parts,
    )


def _confidence(share: float, similarity: float | None) -> float:
    """How well an entry fits, 0 to 1. Without a vector: the share of the query's content words
    that it holds. With one: its cosine similarity or, if that is higher, the square of the
    share."""
    return share if similarity is None else max(similarity, share * share)


def _share(wanted: frozenset[str], known: frozenset[str]) -> float:
    """The share of some stems that are known, 0 to 1."""
    return len(wanted & known) / len(wanted) if wanted else 0.0


def _newest(connection: Connection, scope: MemoryScope, where: Filter, limit: int) -> list[Entry]:
    rows = entries.matching(connection, NEWEST, scope, where, limit=max(limit, 0))
    return [entries.entry_of(row) for row in rows]


def _by_words(
    connection: Connection, scope: MemoryScope, query: str, where: Filter
) -> dict[int, float]:
    """Entries that share words with the query, with their BM25, higher is better."""
    scores = entry_index.word_scores(
        connection, scope.owners, words.content_words(query) or words.words(query)
    )
    allowed = entries.matching(connection, ALLOWED, scope, where, ids=scores).scalars()
    best = sorted(allowed, key=lambda found: (-scores[found], -found))
    return {found: scores[found] for found in best[:CANDIDATES]}


def _by_meaning(
    connection: Connection, scope: MemoryScope, embedded: EmbeddedQuery | None
) -> dict[int, float]:
    """Entries near the query's vector, with their cosine similarity."""
    if embedded is None:
        return {}
    index = entry_index.find(connection, embedded.model_id, len(embedded.vector))
    if index is None:
        return {}
    return {
        near.fact_id: 1.0 - near.distance
        for user in scope.owners
        for near in entry_index.nearest(connection, index, user, embedded.vector, CANDIDATES)
    }


def _by_substring(
    connection: Connection, scope: MemoryScope, query: str, where: Filter
) -> list[Entry]:
    rows = entries.matching(connection, SAYING, scope, where, wanted=query.strip().lower())
    return [entries.entry_of(row) for row in rows]
