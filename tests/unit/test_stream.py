"""Where a stream's samples wait and where an utterance's are kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lobug.engines.base import Samples
from lobug.turn.stream import ListeningInbox, Stop, UtteranceAudio

lengths = st.lists(st.integers(0, 50), max_size=30)


def numbered(lengths: list[int]) -> list[Samples]:
    """Pieces of a stream whose samples are their own places."""
    places = np.arange(sum(lengths), dtype=np.float32)
    return np.split(places, np.cumsum(lengths)[:-1]) if lengths else []


@given(lengths, st.integers(0, 1600), st.integers(0, 1600), st.integers(0, 1600))
def test_audio_is_found_at_its_place(
    lengths: list[int], forgotten: int, start: int, end: int
) -> None:
    audio = UtteranceAudio(origin=100)
    for piece in numbered(lengths):
        audio.append(piece)
        audio.forget_before(forgotten)
    total = 100 + sum(lengths)
    found = audio.between(start, end)
    if start >= max(100, forgotten):
        expected = np.arange(start - 100, max(start, min(end, total)) - 100, dtype=np.float32)
        assert np.array_equal(found, expected)
    assert len(audio) <= max(0, total - forgotten) + max(lengths, default=0)


@given(st.lists(st.one_of(st.integers(0, 50), st.none()), max_size=40), st.integers(1, 120))
def test_what_is_taken_is_what_was_pushed_in_order(items: list[int | None], most: int) -> None:
    inbox = ListeningInbox(10_000)
    places = iter(range(10_000))
    for item in items:
        if item is None:
            inbox.push_stop()
        else:
            inbox.push(np.array([next(places) for _ in range(item)], np.float32))
    taken: list[float | None] = []
    while (piece := inbox.take(most)) is not None:
        if isinstance(piece, Stop):
            taken.append(None)
        else:
            assert 0 < len(piece) < most + 50
            taken += piece.tolist()
    pushed: list[float | None] = []
    places = iter(range(10_000))
    for item in items:
        pushed += [None] if item is None else [float(next(places)) for _ in range(item)]
    assert taken == pushed
    assert inbox.waiting == 0
    assert inbox.pushed == sum(item or 0 for item in items)


@given(lengths, st.integers(1, 200))
def test_it_never_holds_more_than_its_bound(lengths: list[int], bound: int) -> None:
    inbox = ListeningInbox(bound)
    for piece in numbered(lengths):
        fits = inbox.waiting + len(piece) <= bound
        inbox.push(piece)
        assert inbox.waiting <= bound
        assert fits or (inbox.overrun and not inbox.waiting)
    assert inbox.pushed == sum(lengths)


def test_an_overrun_drops_what_came_before_and_keeps_what_comes_after() -> None:
    inbox = ListeningInbox(10)
    inbox.push(np.ones(8, np.float32))
    inbox.push(np.ones(8, np.float32))
    inbox.push(np.zeros(3, np.float32))
    taken = inbox.take(100)
    assert isinstance(taken, np.ndarray)
    assert taken.tolist() == [0, 0, 0]
    assert inbox.overrun
    inbox.clear()
    assert not inbox.overrun
