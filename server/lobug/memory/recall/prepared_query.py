"""Prepares a question for a search over turns and entries: its words and its vectors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lobug.engines.base import Vectors
from lobug.memory.embedding.fact_embedder import FactEmbedder
from lobug.memory.facts import EmbeddedQuery
from lobug.memory.index.turn_analysis import MAX_QUESTION_CHARS, QuestionTerms, analyse_question


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


Vector = NDArray[np.float32]
"""Shape (dimension,)."""

WORDS_KEPT = 2_048
"""Cached vectors of words: 4 MB at 512 dimensions."""


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """Vectors of a question, from one model."""

    model_id: str
    whole: Vector
    """Sum of the vectors of the question and of the question without names, at length 1."""
    words: Mapping[str, Vector]
    """Vectors of its single words; may be empty."""


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
        beside = [entries_text] if entries_text.strip() else []
        batch = [*texts, *new, *beside]
        found = await self._embedding.queries(batch) if batch else None
        if found is None:
            return EmbeddedQuestion()
        query = EmbeddedQuery(found.model_id, found.vectors[-1]) if beside else None
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
