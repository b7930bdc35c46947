"""The order of entries that fit a turn: relevance, then whose word it is and how old. Pure.

Entries and former turns in one list. Pure.

Which former turns go to a turn's prompt, and in which order they compete with entries. Pure.

How much of what fits may go to the prompt: as much as the chat model can read in time. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from lobug.language.en import speech_acts
from lobug.language.en.questions import Question
from lobug.memory.model import Entry, Hit, Recalled, Source
from lobug.memory.recall.scoring import WEIGHTS
from lobug.memory.recall.turn_search import QUESTION_FLOOR, TURN_FLOOR, TurnHit

TRUST: dict[Source, float] = {
    "correction": 0.06,
    "user": 0.04,
    "agent": 0.02,
    "import": 0.01,
    "system": 0.0,
}
"""Added to a relevance of 0 to 1: enough to decide between two that fit alike."""

RECENCY = 0.03
"""Added to what was said now; half of it after ``HALF_LIFE_S``: mild, since a companion of years
must not forget."""
HALF_LIFE_S = 180.0 * 86_400.0

IMPORTANCE = 0.04
"""Added to what matters most, taken off what matters least, halved."""

STRONG_MATCH = 0.6
"""Confidence from which the archive is recalled without being asked for."""


def ranked(hits: Iterable[Hit], now: float) -> list[Hit]:
    """Hits over entries, best first, with what each part adds to their score."""
    found = []
    for hit in hits:
        entry = hit.entry
        if entry is None:
            continue
        parts = {
            "relevance": _relevance(hit),
            "trust": TRUST[entry.source],
            "recency": RECENCY * 0.5 ** (max(now - entry.said_at, 0.0) / HALF_LIFE_S),
            "importance": IMPORTANCE * (entry.importance - 0.5),
        }
        found.append(replace(hit, score=sum(parts.values()), parts={**hit.parts, **parts}))
    return sorted(found, key=lambda hit: (-hit.score, -hit.said_at, hit.id))


def _relevance(hit: Hit) -> float:
    """0 to 1. Of "where do I work?" both "works as a nurse" and "locker code at work" have every
    word, and only their meaning tells which of them answers. It is not known without a vector."""
    meaning = hit.parts.get("meaning", 0.0)
    return (hit.confidence + meaning) / 2.0 if meaning > 0.0 else hit.confidence


def is_eligible(entry: Entry, confidence: float, question: Question) -> bool:
    """Whether an entry may answer: what is past where the past is asked about, the archive on
    demand or on a strong match, layer identity never, since the prompt has it."""
    if entry.status == "inactive" or entry.layer == "identity":
        return False
    if entry.status == "past" and not question.past:
        return False
    if entry.layer == "archive":
        return question.history or confidence >= STRONG_MATCH
    return True


def select_entries(
    hits: Sequence[Hit], question: Question, *, floor: float, limit: int, now: float
) -> list[Hit]:
    """The entries that go to a turn: above the floor, best first, at most ``limit``."""
    if question.small_talk:
        return []
    allowed = [
        hit
        for hit in hits
        if hit.entry is not None
        and hit.confidence >= floor
        and is_eligible(hit.entry, hit.confidence, question)
    ]
    best = ranked(allowed, now)
    # Facts before what sums up: the archive fills what is left.
    best.sort(key=lambda hit: hit.entry is not None and hit.entry.layer == "archive")
    return best[: max(limit, 0)]


def merge_hits(
    entries: Sequence[Hit], turns: Sequence[Hit], limit: int, *, by_time: bool
) -> list[Hit]:
    """Two lists of hits, each best first, as one. Each keeps its order, which rests on more than a
    number; whose best one fits better goes first, or with ``by_time`` whose is newer, and an entry
    before a turn. Scores are one divided by the rank, so that they compare across kinds."""
    left, right, found = list(entries), list(turns), list[Hit]()
    while (left or right) and len(found) < limit:
        if not right or (
            left and _weight(left[0], by_time=by_time) >= _weight(right[0], by_time=by_time)
        ):
            found.append(left.pop(0))
        else:
            found.append(right.pop(0))
    return [replace(hit, score=1.0 / rank) for rank, hit in enumerate(found, start=1)]


def _weight(hit: Hit, *, by_time: bool) -> float:
    """How well a hit fits, 0 to 1: the share of the question's words or the cosine, the better."""
    if by_time:
        return hit.said_at
    if hit.kind == "memory":
        return hit.confidence
    return max(hit.parts.get("matched", 0.0), hit.parts.get("cosine", 0.0))


ENTRIES_PER_TURN = 2
"""Entries that come before each former turn: they are shorter, and checked."""


STATEMENT_FLOOR = 0.6
"""Confidence that the best turn must have where the words are not known for a question: questions
that were misheard, and those of other languages without their mark."""

QUESTION_SHARE = 0.9
"""Share of a turn that are questions from which on it answers nothing."""


def select_turns(
    hits: Sequence[TurnHit],
    question: Question,
    *,
    known: Collection[int],
    held: Collection[int] = (),
    limit: int,
) -> list[TurnHit]:
    """The former turns that may answer a question, best first.

    For what only tells, a former turn must fit very well, and none is given when not one of them
    fits well. What Lo-Bug said itself is left out unless it is asked about: it may have been wrong.
    Former questions and orders answer nothing.
    ``known`` are messages that an entry beside them cites, or that go nowhere. Of those that the
    prompt holds anyway, ``held``, the best alone is repeated, and only for a question: a small
    model answers from what stands beside it, but each repetition takes its time. What was said in
    the same words more than once is given once.
    """
    if question.small_talk:
        return []
    needed = QUESTION_FLOOR if question.asks else STATEMENT_FLOOR
    if max((hit.confidence for hit in hits), default=0.0) < needed:
        return []
    select_entries = [
        hit
        for hit in hits
        if hit.confidence >= TURN_FLOOR
        and hit.message_id not in known
        and (hit.role == "user" or question.about_lobug)
        and hit.parts.get("asking", 0.0) > QUESTION_SHARE * WEIGHTS.asking
        and not (hit.role == "user" and speech_acts.only_orders(hit.content))
    ]
    chosen: list[TurnHit] = []
    repeats = 1 if question.asks else 0
    words = set[str]()
    for hit in select_entries:
        if hit.content.casefold() in words or (hit.message_id in held and not repeats):
            continue
        repeats -= hit.message_id in held
        words.add(hit.content.casefold())
        chosen.append(hit)
    return chosen[: max(limit, 0)]


def interleaved(entries: Sequence[Recalled], turns: Sequence[Recalled]) -> Iterator[Recalled]:
    """Entries and turns in the order in which they get a place: a turn after every second entry."""
    left = list(turns)
    for number, entry in enumerate(entries, start=1):
        yield entry
        if number % ENTRIES_PER_TURN == 0 and left:
            yield left.pop(0)
    yield from left


def in_prompt_order(chosen: Sequence[Recalled]) -> list[Recalled]:
    """What has a place, in the order in which it is shown: facts before former turns."""
    return sorted(chosen, key=lambda memory: memory.kind == "turn")


ASCII_CHARS_PER_TOKEN = 4.0
OTHER_CHARS_PER_TOKEN = 1.5
LINE_TOKENS = 8
"""What a memory costs beside its words: the list mark and when it was told."""


def tokens_of(text: str) -> int:
    """Estimate of a text's tokens: four characters each in English, fewer in other scripts."""
    plain = sum(character.isascii() for character in text)
    return round(plain / ASCII_CHARS_PER_TOKEN + (len(text) - plain) / OTHER_CHARS_PER_TOKEN + 0.5)


def budget_tokens(most: int, added_ms: float, ms_per_token: float | None) -> int:
    """Tokens that memory may add to a prompt: at most ``most``, and no more than the chat model
    reads in ``added_ms`` milliseconds; its speed None: not measured, so only ``most`` counts."""
    if ms_per_token is None or ms_per_token <= 0.0:
        return most
    return min(most, int(added_ms / ms_per_token))


def within_budget(
    memories: Sequence[Recalled],
    tokens: int,
    most: int,
    cost: Callable[[Recalled], int] = lambda memory: tokens_of(memory.content) + LINE_TOKENS,
) -> list[Recalled]:
    """The first memories that fit, at most ``most``; a long one is left out for shorter ones after
    it. The very first is taken in any case: one memory that fits is worth its time."""
    taken: list[Recalled] = []
    left = tokens
    for memory in memories:
        if len(taken) >= most:
            break
        price = cost(memory)
        if price <= left or not taken:
            taken.append(memory)
            left -= price
    return taken
