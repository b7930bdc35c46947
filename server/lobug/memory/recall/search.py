"""Former turns that fit a question, best first. The way in for everything outside this package.

names = await database.read(lambda connection: speakers(connection, access))
prepared = prepare(query, names)
vectors = await query_embedder.vectors(prepared)      # None: the embedder is down
hits = await database.read(
    lambda connection: search_turns(connection, access, prepared, vectors, limit=10)
)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lobug.memory.access import Access
from lobug.memory.base import Role
from lobug.memory.driver import Connection
from lobug.memory.recall import analysis
from lobug.memory.recall.analysis import Asked
from lobug.memory.recall.query_vectors import QueryVectors

QUESTION_FLOOR = 0.325
"""If no turn that was found has this confidence, the log most likely cannot answer: of questions
that it can answer 95 % have one, of strangers' questions 63 % have none."""

TURN_FLOOR = 0.2
"""Turns below this confidence are not worth a place in the prompt: 97 % of the evidence is above,
half of what strangers' questions find is below."""


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A question, analysed."""

    text: str
    asked: Asked

    @property
    def texts(self) -> tuple[str, ...]:
        """What is embedded of it as a whole, one or two texts."""
        if not self.asked.plain.strip():
            return ()
        question = self.text[: analysis.MAX_QUESTION_CHARS]
        return tuple(dict.fromkeys((question, self.asked.plain)))


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A former turn that a search found."""

    message_id: int
    session_id: int | None
    conversation: str
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
    """What the score adds up from, by name, and "matched" and "cosine", by which confidence goes."""


def prepare(query: str, speakers: Iterable[str] = ()) -> PreparedQuery:
    """Analyse a question. ``speakers``: names of people in the user's log (``speakers``)."""
    return PreparedQuery(query, analysis.asked(query, speakers))


def speakers(connection: Connection, access: Access) -> list[str]:
    """Names of those who speak in the user's log; empty for most people."""
    raise NotImplementedError


def search_turns(
    connection: Connection,
    access: Access,
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
    raise NotImplementedError
