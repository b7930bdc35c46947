"""Scores of turns for a question: words, meaning, surroundings. Pure; numpy only.

A score is a log-odds: the weights were fitted by a softmax over all turns of long conversations
between two people, so that exp(difference) says how many times likelier one turn is to hold the
answer than another.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weights:
    """Fitted, then rounded; an error of a third in any of them costs nothing."""

    words: float = 1.1
    """For the best BM25 of all candidates; in proportion for the others."""
    near: float = 1.0
    """Times the BM25 share of the turns around, halved with every turn of distance."""
    session: float = 3.8
    """For the session with the best soft match; in proportion for the others."""
    soft: float = 1.7
    """For the best soft match."""
    meaning: float = 8.8
    """Times the cosine of question and window (the turn before and this one)."""
    speaker: float = 2.8
    """Said by the one speaker that the question names."""
    asking: float = -2.6
    """Times the share of the turn that only asks."""
    timed: float = 0.6
    """Has a word of time: events are told with one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Constants of the measures."""

    k1: float = 0.8
    """BM25: how soon repetitions stop counting. 0.4 to 2 are alike: turns are short."""
    b: float = 0.5
    """BM25: how much long turns are discounted, 0 to 1."""
    similar: float = 0.45
    """Cosine of two words from which on they match a little; 0.35 to 0.5 are alike."""
    reach: int = 4
    """Turns before and after that lend their BM25."""
    fade: float = 0.5
    """What is left of it with each turn of distance; 0.4 to 0.6 are alike."""
    crowd: float = 0.15
    """Taken off for every turn of the same session that was chosen already."""


NEWNESS = 1.0
"""Added to the newest of the best turns. Set by hand: the conversations that the weights were
fitted on contain hardly any retractions."""
FITS = 0.5
"""Share of the question's words that a turn must match for it."""
BEST = 10
"""A newer turn may come before an older one among this many; the set does not change."""

WEIGHTS = Weights()
NAMES = tuple(field.name for field in fields(Weights))
SHAPE = Shape()


@dataclass(frozen=True, slots=True)
class Turns:
    """The candidates: arrays of n, in the order of ``order``."""

    order: Ints
    """Place in the log: neighbours within a session differ by one. Ascending, each once."""
    session: Ints
    """Turns that belong together: one conversation without a long pause."""
    words: Ints
    """Word ids of all turns, one after the other (not n)."""
    starts: Ints
    """Where each turn's words begin in ``words``. Every turn has one word at least."""
    spoken: NDArray[np.bool_]
    """Said by the speaker that the question names; all false where it names none or several."""
    asking: Floats
    """Share of the turn that are questions, 0 to 1."""
    timed: NDArray[np.bool_]
    """Has a word of time."""
    meaning: Floats
    """Cosine of question and window."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The question's words against the vocabulary; m terms, v words."""

    idf: Floats
    """(m,) of the user's turns; see ``idf``."""
    same: NDArray[np.bool_]
    """(m, v) the word has the term's stem."""
    similar: Floats
    """(m, v) cosine of term and word."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of n candidates."""

    total: Floats
    """Log-odds, to compare turns of one question."""
    matched: Floats
    """Share of the question's words that the turn matches, by idf, 0 to 1: comparable between
    questions."""
    parts: Floats
    """(n, 8): what each of ``NAMES`` adds to the total."""


def idf(turns: int, holding: NDArray[np.int64]) -> Floats:
    """Weight of terms that ``holding`` of ``turns`` turns hold, as in BM25; never negative."""
    return np.asarray(np.log1p((turns - holding + 0.5) / (holding + 0.5)), np.float32)


def damping(lengths: Ints, mean_length: float, shape: Shape = SHAPE) -> Floats:
    """BM25's divisor for a turn that holds no word of the question twice."""
    share = lengths / max(mean_length, 1.0)
    return np.asarray(1.0 + shape.k1 * (1.0 - shape.b + shape.b * share), np.float32)


def bm25(turns: Turns, terms: Terms, mean_length: float, shape: Shape = SHAPE) -> Floats:
    """Okapi BM25 of each candidate. ``mean_length``: words in a turn of this user, on average."""
    lengths = np.diff(turns.starts, append=len(turns.words))
    damp = shape.k1 * (1.0 - shape.b + shape.b * lengths / max(mean_length, 1.0))
    total = np.zeros(len(turns.order), np.float32)
    for weight, same in zip(terms.idf, terms.same, strict=True):
        count = np.add.reduceat(same[turns.words].astype(np.float32), turns.starts)
        total += weight * count * (shape.k1 + 1.0) / (count + damp)
    return total


def soft_match(turns: Turns, terms: Terms, shape: Shape = SHAPE) -> Floats:
    """Sum over the question's words: idf times the best match among the turn's words.

    A word of the same stem matches fully, a similar one in proportion: "pets" finds "puppy". The
    late interaction of ColBERT (Khattab and Zaharia, 2020), with one vector for each word.
    """
    total = np.zeros(len(turns.order), np.float32)
    for weight, same, similar in zip(terms.idf, terms.same, terms.similar, strict=True):
        part = np.clip((similar - shape.similar) / (1.0 - shape.similar), 0.0, 1.0)
        match = np.where(same, np.float32(1.0), part.astype(np.float32))
        total += weight * np.maximum.reduceat(match[turns.words], turns.starts)
    return total


def around(values: Floats, turns: Turns, shape: Shape = SHAPE) -> Floats:
    """BM25 lent by the turns before and after in the session: the neighbours' values, times
    ``fade`` for each further turn of distance."""
    total = np.zeros_like(values)
    for distance in range(1, shape.reach + 1):
        place = np.searchsorted(turns.order, turns.order + distance)
        place = np.minimum(place, len(values) - 1)
        here = np.flatnonzero(
            (turns.order[place] == turns.order + distance) & (turns.session[place] == turns.session)
        )
        there = place[here]
        share = shape.fade ** (distance - 1)
        total[here] += share * values[there]
        total[there] += share * values[here]
    return total


def best_of_session(values: Floats, session: Ints) -> Floats:
    """For each candidate the best value of its session."""
    _, group = np.unique(session, return_inverse=True)
    best = np.zeros(group.max(initial=-1) + 1, np.float32)
    np.maximum.at(best, group, values)
    return best[group]


def _share_of_best(values: Floats) -> Floats:
    return np.asarray(values / max(float(values.max(initial=0.0)), 1e-6), np.float32)


def features(
    turns: Turns, terms: Terms, mean_length: float, shape: Shape = SHAPE
) -> tuple[Floats, Floats]:
    """The inputs of the weights, (n, 8) in their order, and the soft match, (n,)."""
    exact = _share_of_best(bm25(turns, terms, mean_length, shape))
    soft = soft_match(turns, terms, shape)
    shared = _share_of_best(soft)
    columns = (
        exact,
        around(exact, turns, shape),
        best_of_session(shared, turns.session),
        shared,
        turns.meaning,
        turns.spoken,
        turns.asking,
        turns.timed,
    )
    return np.stack(columns, axis=1).astype(np.float32), soft


def score(
    turns: Turns,
    terms: Terms,
    mean_length: float,
    weights: Weights = WEIGHTS,
    shape: Shape = SHAPE,
) -> Scores:
    """Score the candidates of one question."""
    columns, soft = features(turns, terms, mean_length, shape)
    parts = columns * np.array(astuple(weights), np.float32)
    return Scores(parts.sum(axis=1), soft / max(float(terms.idf.sum()), 1e-6), parts)


class Weighed(NamedTuple):
    """Turns that one way of searching has found."""

    ids: Ints
    """Their messages, each once."""
    weights: Floats
    """How well each of them fits; comparable within these."""


NOTHING = Weighed(np.zeros(0, np.int64), np.zeros(0, np.float32))


def roughly_best(
    by_words: Weighed, near: Weighed, *, complete: bool, weights: Weights = WEIGHTS
) -> Ints:
    """The ids of all these turns, best first, by what is known of them before they are read.

    ``by_words``: turns with their BM25. ``near``: turns with their cosine; ``complete``: there are
    no others that have one. A turn whose cosine is not known counts as the farthest of those, or,
    if it has none at all, as their median, as in ``candidates.cosines``.
    """
    ids = np.union1d(by_words.ids, near.ids)
    words = np.zeros(len(ids), np.float32)
    words[np.searchsorted(ids, by_words.ids)] = by_words.weights
    # BM25 stands for the soft match too.
    score = (weights.words + weights.soft) * _share_of_best(words)
    if len(near.ids):
        unknown = np.median(near.weights) if complete else near.weights.min()
        meaning = np.full(len(ids), unknown, np.float32)
        meaning[np.searchsorted(ids, near.ids)] = near.weights
        score = score + weights.meaning * meaning
    return ids[np.lexsort((ids, -score))]


def choose(total: Floats, session: Ints, k: int, crowd: float = SHAPE.crowd) -> Ints:
    """The best ``k``, best first. Each chosen turn lowers the rest of its session a little:
    where there are several pieces of evidence, they are mostly from several days."""
    left = total.astype(np.float64)
    chosen: list[int] = []
    for _ in range(min(k, len(total))):
        best = int(np.argmax(left))
        chosen.append(best)
        left[session == session[best]] -= crowd
        left[best] = -np.inf
    return np.array(chosen, np.int64)


def newer_first(chosen: Ints, scores: Scores, place: Ints) -> Ints:
    """The chosen turns, with the newer before the older among the best that fit equally well: of
    two turns that say different things about the same subject, the later one holds. ``place`` is
    the order in time of all candidates."""
    best = chosen[:BEST]
    if len(best) < 2:
        return chosen
    when = np.argsort(np.argsort(place[best])) / (len(best) - 1)
    total = scores.total[best] + NEWNESS * when * (scores.matched[best] > FITS)
    # What was chosen first stays first among equals.
    return np.concatenate([best[np.argsort(-total, kind="stable")], chosen[BEST:]])
