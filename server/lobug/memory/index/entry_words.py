"""Scores of entries by the words they share with a query: BM25 over what the asker owns.

SQLite's ``bm25()`` counts the entries of everybody in the file, so that the score of an own entry
tells which words other people's entries hold. Here the text index only finds entries; how rare a
word is and how long an entry is on average are counted over the given users alone.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import func, select

from lobug.language.en import words
from lobug.storage.columns import among
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import memory_owners

MAX_QUERY_WORDS = 64
"""Words of a query that are looked for: a long text has enough with its first ones."""

IN_KEY = 2.0
"""What a word in the key counts, against 1 in content and tags: a key says what an entry is about.
Repetitions within either do not count: entries are short."""

K1 = 1.2
"""BM25: how much a word counts more that key and content both hold."""
B = 0.75
"""BM25: how much long entries are discounted, 0 to 1."""


TOTALS = select(
    func.coalesce(func.sum(memory_owners.c.entries), 0).label("entries"),
    func.coalesce(func.sum(memory_owners.c.words), 0).label("words"),
).where(among(memory_owners.c.user, "users"))


def fts_string(word: str) -> str:
    """A word as a string of FTS5, so that it is no operator."""
    return '"' + word.replace('"', '""') + '"'


def scores(
    connection: Connection, users: Sequence[str], query_words: Sequence[str]
) -> dict[int, float]:
    """BM25 of every entry of these users that holds one of the words, by its id: above 0, higher is
    better. All versions are among them, whatever their status; the caller filters."""
    owners = json.dumps(list(users))
    total = run(connection, TOTALS, users=users).one()
    if not total.entries:
        return {}
    mean = max(total.words / total.entries, 1.0)
    by_stem: dict[str, str] = {}
    for word in query_words[:MAX_QUERY_WORDS]:
        by_stem.setdefault(words.stem(word), word)
    found: defaultdict[int, float] = defaultdict(float)
    for word in by_stem.values():
        counts: dict[int, tuple[float, int]] = {}
        for columns, count in (("key", IN_KEY), ("{content tags}", 1.0)):
            # The order of the loops is fixed: SQLite would else go through all of a user's entries.
            for row in run(
                connection,
                "SELECT l.memory_id, l.words FROM memories_text t"
                " CROSS JOIN memory_lengths l ON l.memory_id = t.rowid"
                " WHERE memories_text MATCH :match AND l.owner IN (SELECT id FROM memory_owners"
                " WHERE user IN (SELECT value FROM json_each(:owners)))",
                match=f"{columns} : {fts_string(word)}",
                owners=owners,
            ):
                before, _ = counts.get(row.memory_id, (0.0, 0))
                counts[row.memory_id] = (before + count, row.words)
        idf = math.log1p((total.entries - len(counts) + 0.5) / (len(counts) + 0.5))
        for entry_id, (count, size) in counts.items():
            found[entry_id] += idf * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * size / mean))
    return dict(found)
