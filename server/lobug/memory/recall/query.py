"""What a question asks for and what a turn offers, as words. Pure.

All rules about language end here: the word rules of ``lobug.language.words`` (stop words,
stems with irregular forms, numbers as digits) and the sentence rules of its neighbour
``speech_acts``. In other languages than English, words are compared as they are and questions are
known by their mark.

A question, made ready for a search over former turns. Pure.

Vectors of a question, made before the search: the reader's thread never waits for a model."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from lobug.engines.base import Vectors
from lobug.language import words
from lobug.language.en import speech_acts, time_words
from lobug.language.en.lists import MONTHS
from lobug.language.en.questions import ONESELF
from lobug.memory.facts import EmbeddedQuery
from lobug.memory.index.fact_embedding import FactEmbedder

MAX_TURN_CHARS = 16_000
"""What is looked at of a turn: a message may hold a book, and one that does is no answer."""

MAX_QUESTION_CHARS = 2_000

MAX_QUESTION_WORDS = 64

MAX_WORD_CHARS = 48
"""Longer ones (addresses, keys) are cut: the text index has its own limit far above."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as retrieval sees it."""

    words: tuple[str, ...]
    """Content words in their order, one for each stem, without names of speakers."""
    stems: tuple[str, ...]
    """Their stems, indexed like ``words``; each once."""
    speakers: frozenset[str]
    """Speakers it names, lower case; empty where speakers have no names."""
    oneself: bool
    """Whether who asks is named: "What did I say about my sister?"."""
    plain: str
    """The question without the names of speakers."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What is stored of a turn so that it can be found."""

    words: tuple[str, ...]
    """Content words in their order, with repetitions; then year, month and day it was said."""
    asking: float
    """Share of the text that are questions, 0 to 1."""
    timed: bool
    """Whether it has a word of time."""


def asked(question: str, speakers: Iterable[str] = ()) -> Asked:
    """Analyse a question. ``speakers``: names that occur in this user's log, if any."""
    question = question[:MAX_QUESTION_CHARS]
    said = words.words(question)
    named, parts = set[str](), set[str]()
    plain = question
    for name in speakers:
        name_words = words.words(name)
        if name_words and _contains(said, name_words):
            named.add(name.lower())
            parts.update(name_words)
            pattern = rf"\b{re.escape(name)}\b(?:['\u2019]s)?"
            plain = re.sub(pattern, " ", plain, flags=re.IGNORECASE)
    by_stem: dict[str, str] = {}
    for word in words.content_words(question):
        if word not in parts and len(by_stem) < MAX_QUESTION_WORDS:
            by_stem.setdefault(stem(word), word[:MAX_WORD_CHARS])
    return Asked(
        words=tuple(by_stem.values()),
        stems=tuple(by_stem),
        speakers=frozenset(named),
        oneself=not ONESELF.isdisjoint(said),
        plain=" ".join(plain.split()) or question,
    )


def offered(text: str, when: datetime) -> Offered:
    """Analyse a turn that was said at ``when``, local time."""
    text = text[:MAX_TURN_CHARS]
    sentences = speech_acts.sentences(text)
    total = sum(map(len, sentences))
    questions = sum(len(part) for part in sentences if speech_acts.is_question(part))
    content = (word[:MAX_WORD_CHARS] for word in words.words(text) if word not in words.STOP_WORDS)
    return Offered(
        words=(*content, str(when.year), MONTHS[when.month - 1].lower(), str(when.day)),
        asking=questions / total if total else 0.0,
        timed=time_words.has_time(text),
    )


def stem(word: str) -> str:
    """The stem of a word, as it is indexed."""
    return words.stem(word)[:MAX_WORD_CHARS]


def _contains(said: list[str], name: list[str]) -> bool:
    return any(said[at : at + len(name)] == name for at in range(len(said) - len(name) + 1))


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
        question = self.text[:MAX_QUESTION_CHARS]
        return tuple(dict.fromkeys((question, self.asked.plain)))


def prepare(query: str, speakers: Iterable[str] = ()) -> PreparedQuery:
    """Analyse a question. ``speakers``: names of people in the user's log (``speakers``)."""
    return PreparedQuery(query, asked(query, speakers))


Vector = NDArray[np.float32]
"""Shape (dimension,)."""

WORDS_KEPT = 2_048
"""Vectors of words kept for the next questions: 4 MB of 512 dimensions."""


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """What a question means, to one model."""

    model_id: str
    whole: Vector
    """Of the question and of the question without names, summed; of length 1."""
    words: Mapping[str, Vector]
    """Of each of its words by itself; may be empty."""


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question's vectors for both searches; None: by words only."""

    turns: QueryVectors | None = None
    entries: EmbeddedQuery | None = None


class QueryEmbedder:
    """Embeds questions; keeps the vectors of the words that were asked for last."""

    def __init__(self, embedding: FactEmbedder) -> None:
        self._embedding = embedding
        self._model_id = ""
        self._words: OrderedDict[str, Vector] = OrderedDict()

    async def vectors(self, prepared: PreparedQuery) -> QueryVectors | None:
        """The vectors of a question, all in one batch; None when the embedder fails or is slow, or
        there is nothing to embed. Never raises for the embedder."""
        return (await self.both(prepared, "")).turns

    async def both(self, prepared: PreparedQuery, entries_text: str) -> EmbeddedQuestion:
        """What a search over turns and one over entries need, in one batch: a second one would cost
        as much again. ``entries_text`` is the question as entries are searched by it."""
        texts = prepared.texts
        wanted = prepared.asked.words if texts else ()
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
        """The vectors of a question from those of its texts and of its new words, in this order."""
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
    """A vector at length 1; None for one that has no direction."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        return None
    return np.asarray(vector / length, np.float32)
