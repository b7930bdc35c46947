"""Which former turns go to a turn's prompt, and in which order they compete with entries. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lobug.memory.base import Recalled
from lobug.memory.language import speech_acts
from lobug.memory.recall.questions import Question
from lobug.memory.recall.scoring import WEIGHTS
from lobug.memory.recall.search import QUESTION_FLOOR, TURN_FLOOR, TurnHit

ENTRIES_PER_TURN = 2
"""Entries that come before each former turn: they are shorter, and checked."""


TOLD_FLOOR = 0.6
"""Confidence that the best turn must have where the words are not known for a question: questions
that were misheard, and those of other languages without their mark."""

ONLY_ASKS = 0.9
"""Share of a turn that are questions from which on it answers nothing."""


def fitting_turns(
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
    needed = QUESTION_FLOOR if question.asks else TOLD_FLOOR
    if max((hit.confidence for hit in hits), default=0.0) < needed:
        return []
    fitting = [
        hit
        for hit in hits
        if hit.confidence >= TURN_FLOOR
        and hit.message_id not in known
        and (hit.role == "user" or question.about_lobug)
        and hit.parts.get("asking", 0.0) > ONLY_ASKS * WEIGHTS.asking
        and not (hit.role == "user" and speech_acts.only_orders(hit.content))
    ]
    chosen: list[TurnHit] = []
    repeats = 1 if question.asks else 0
    words = set[str]()
    for hit in fitting:
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


def shown(chosen: Sequence[Recalled]) -> list[Recalled]:
    """What has a place, in the order in which it is shown: facts before former turns."""
    return sorted(chosen, key=lambda memory: memory.kind == "turn")
