"""A question, made ready for a search over former turns. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lobug.memory.recall import analysis
from lobug.memory.recall.analysis import Asked


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


def prepare(query: str, speakers: Iterable[str] = ()) -> PreparedQuery:
    """Analyse a question. ``speakers``: names of people in the user's log (``speakers``)."""
    return PreparedQuery(query, analysis.asked(query, speakers))
