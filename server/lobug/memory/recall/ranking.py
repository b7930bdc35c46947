"""Ranks entries and turns and chooses those that go to a prompt. Pure.

Entries are ranked by relevance, source and age; the number of chosen ones is limited by what the
chat model can read in time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from lobug.language.en import fact_comparison, speech_acts
from lobug.language.en.questions import Question
from lobug.memory import timeline
from lobug.memory.model import Entry, Hit, Recalled, Source
from lobug.memory.recall.scoring import WEIGHTS
from lobug.memory.recall.turn_search import QUESTION_FLOOR, TURN_FLOOR

TRUST: dict[Source, float] = {
    "correction": 0.06,
    "user": 0.04,
    "agent": 0.02,
    "import": 0.01,
    "system": 0.0,
}
"""Added to a relevance of 0 to 1: decides between two that fit equally well."""

RECENCY = 0.03
"""Added to what was said now; half of it after ``HALF_LIFE_S``: mild, since a companion of years
must not forget."""
HALF_LIFE_S = 180.0 * 86_400.0

IMPORTANCE = 0.04
"""Times the entry's importance less 0.5."""

STRONG_MATCH = 0.6
"""Confidence from which the archive is recalled without being asked for."""


def ranked(hits: Iterable[Hit], now: float) -> list[Hit]:
    """Entry hits, best first, with the parts of their scores."""
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
    """0 to 1: the mean of confidence and cosine; without a vector the confidence. For "where do
    I work?" both "works as a nurse" and "locker code at work" have every word, and only meaning
    tells which one answers."""
    meaning = hit.parts.get("meaning", 0.0)
    return (hit.confidence + meaning) / 2.0 if meaning > 0.0 else hit.confidence


def is_eligible(entry: Entry, confidence: float, question: Question) -> bool:
    """Whether an entry may answer: past entries if the question is about the past, the archive
    if asked for or on a strong match, layer identity never, since the prompt has it."""
    if entry.status == "inactive" or entry.layer == "identity":
        return False
    if entry.status == "past" and not question.past:
        return False
    if entry.layer == "archive":
        return question.history or confidence >= STRONG_MATCH
    return True


def select_entries(
    hits: Sequence[Hit],
    question: Question,
    *,
    floor: float,
    limit: int,
    now: float,
    is_of_others: Callable[[str], bool] = lambda _content: False,
) -> list[Hit]:
    """The entries for a turn: above the floor, best first, at most ``limit``. ``is_of_others``:
    whether a content is left out; it is asked for as few as needed."""
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
    # Facts before summaries: the archive fills the rest.
    best.sort(key=lambda hit: hit.entry is not None and hit.entry.layer == "archive")
    return [*islice((hit for hit in best if not is_of_others(hit.content)), max(limit, 0))]


def merge_hits(
    entries: Sequence[Hit], turns: Sequence[Hit], limit: int, *, by_time: bool
) -> list[Hit]:
    """Two lists of hits, each best first, as one list; each keeps its own order. The list whose
    next hit fits better comes first, or with ``by_time`` the one whose next hit is newer; on a
    tie the entry. The scores of the result are 1 / rank, comparable across kinds."""
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
    """How well a hit fits, 0 to 1: the share of words or the cosine, whichever is higher."""
    if by_time:
        return hit.said_at
    if hit.kind == "memory":
        return hit.confidence
    return max(hit.parts.get("matched", 0.0), hit.parts.get("cosine", 0.0))


ENTRIES_PER_TURN = 2
"""Entries before each former turn: they are shorter, and checked."""


STATEMENT_FLOOR = 0.6
"""Confidence that the best turn must have where the words are not known for a question: questions
that were misheard, and those of other languages without their mark."""

QUESTION_SHARE = 0.9
"""A turn with this share of questions or more answers nothing."""


def select_turns(
    hits: Sequence[Hit],
    question: Question,
    *,
    known: Collection[int],
    held: Collection[int] = (),
    limit: int,
) -> list[Hit]:
    """The former turns that may answer a question, best first.

    For a statement a former turn must fit very well; if none reaches that, none is given. Lo-Bug's
    own words are left out unless the question is about them: they may have been wrong. Former
    questions and orders are left out.

    ``known`` are messages that a chosen entry cites, or that are outdated. Of the messages ``held``
    in the prompt anyway only the best is repeated, and only for a question: a small model answers
    from what stands beside it, but each repetition costs time. The same words are given once.
    """
    if question.small_talk:
        return []
    needed = QUESTION_FLOOR if question.asks else STATEMENT_FLOOR
    if max((hit.confidence for hit in hits), default=0.0) < needed:
        return []
    eligible = [
        hit
        for hit in hits
        if hit.confidence >= TURN_FLOOR
        and hit.id not in known
        and (hit.role == "user" or question.about_lobug)
        and hit.parts.get("asking", 0.0) > QUESTION_SHARE * WEIGHTS.asking
        and not (hit.role == "user" and speech_acts.only_orders(hit.content))
    ]
    chosen: list[Hit] = []
    repeats = 1 if question.asks else 0
    words = set[str]()
    for hit in eligible:
        if hit.content.casefold() in words or (hit.id in held and not repeats):
            continue
        repeats -= hit.id in held
        words.add(hit.content.casefold())
        chosen.append(hit)
    return chosen[: max(limit, 0)]


def interleaved(entries: Sequence[Recalled], turns: Sequence[Recalled]) -> Iterator[Recalled]:
    """Entries and turns in the order of their claim on the budget: a turn after every second
    entry."""
    left = list(turns)
    for number, entry in enumerate(entries, start=1):
        yield entry
        if number % ENTRIES_PER_TURN == 0 and left:
            yield left.pop(0)
    yield from left


def in_prompt_order(chosen: Sequence[Recalled]) -> list[Recalled]:
    """The chosen ones in the order of the prompt: facts before former turns."""
    return sorted(chosen, key=lambda memory: memory.kind == "turn")


ASCII_CHARS_PER_TOKEN = 4.0
OTHER_CHARS_PER_TOKEN = 1.5
LINE_TOKENS = 8
"""Tokens of a memory besides its words: the list mark and its date."""


def tokens_of(text: str) -> int:
    """Estimate of a text's tokens: four characters each in English, fewer in other scripts."""
    plain = sum(character.isascii() for character in text)
    return round(plain / ASCII_CHARS_PER_TOKEN + (len(text) - plain) / OTHER_CHARS_PER_TOKEN + 0.5)


def budget_tokens(most: int, added_ms: float, ms_per_token: float | None) -> int:
    """Tokens that memory may add to a prompt: at most ``most``, and no more than the chat model
    reads in ``added_ms`` milliseconds. Without a measured speed (None) only ``most`` counts."""
    if ms_per_token is None or ms_per_token <= 0.0:
        return most
    return min(most, int(added_ms / ms_per_token))


def within_budget(
    memories: Sequence[Recalled],
    tokens: int,
    most: int,
    cost: Callable[[Recalled], int] = lambda memory: tokens_of(memory.content) + LINE_TOKENS,
) -> list[Recalled]:
    """The first memories that fit into the budget, at most ``most``; a long one is skipped for
    shorter ones after it. The first one is always taken."""
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


def repeats_a_fact(hit: Hit, best: Iterable[Hit]) -> bool:
    """Whether a hit is a summary that was found for a sentence which a fact among the best says,
    too: it would cost the prompt up to 150 tokens more."""
    if hit.entry is None or hit.entry.category != "timeline":
        return False
    told = speech_acts.sentences(timeline.unstamped(hit.content))
    return any(
        other.entry is not None
        and other.entry.category == "knowledge"
        and any(fact_comparison.is_subsumed(other.content, sentence) for sentence in told)
        for other in best
    )
