"""What engines decide without a server: lanes, vectors, time-outs, addresses, back-off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.concurrency import Periodic
from lobug.engines.base import BACKGROUND_LANE, SHARED_PREFIX_LANE, ChatMessage, batches, unit_rows
from lobug.engines.lanes import LaneMap, shared_beginning
from lobug.engines.llama_process import BACKOFF
from lobug.engines.model_server import is_loopback, paced, without_password
from lobug.errors import EngineError, EngineTimeoutError
from support.patience import PATIENCE_S


def test_a_lane_keeps_its_slot_and_background_has_the_last_one() -> None:
    lanes = LaneMap(2)
    assert lanes.total == 3
    first = lanes.slot_for("kitchen")
    assert lanes.slot_for(BACKGROUND_LANE) == 2
    assert lanes.slot_for("desk") != first
    assert lanes.slot_for("kitchen") == first


def test_the_least_recently_used_lane_gives_way() -> None:
    lanes = LaneMap(2)
    a, b = lanes.slot_for("a"), lanes.slot_for("b")
    lanes.slot_for("a")
    assert lanes.slot_for("c") == b
    assert lanes.slot_for("b") == a


def test_an_idle_slot_is_taken_before_a_busy_one() -> None:
    lanes = LaneMap(2)
    a, b = lanes.slot_for("a"), lanes.slot_for("b")
    assert lanes.slot_for("c", busy={a}) == b


def test_new_conversations_take_over_the_shared_prefix() -> None:
    lanes = LaneMap(3)
    assert lanes.unclaimed() == [0, 1, 2]
    assert lanes.slot_for(SHARED_PREFIX_LANE) in lanes.unclaimed()
    taken = {lanes.slot_for("a"), lanes.slot_for("b")}
    assert len(taken) == 2
    assert set(lanes.unclaimed()) == {0, 1, 2} - taken


@given(st.integers(1, 4), st.lists(st.sampled_from(["a", "b", "c", "d", "e", BACKGROUND_LANE])))
def test_no_conversation_ever_gets_the_background_slot(slots: int, asked: list[str]) -> None:
    lanes = LaneMap(slots)
    for lane in asked:
        slot = lanes.slot_for(lane)
        assert (slot == slots) == (lane == BACKGROUND_LANE)
        assert 0 <= slot < lanes.total
        assert lanes.slot_for(lane) == slot


def test_a_released_slot_is_the_next_that_is_taken() -> None:
    lanes = LaneMap(2)
    a, b = lanes.slot_for("ada/desk"), lanes.slot_for("bob/desk")
    assert lanes.slots_of(lambda lane: lane.startswith("ada/")) == [a]
    assert lanes.slots_of(lambda _: True) == sorted([a, b])
    lanes.release(a)
    lanes.release(lanes.background_slot)
    assert lanes.unclaimed() == [a]
    assert lanes.slots_of(lambda _: True) == [b], "what all share belongs to nobody"
    assert lanes.slot_for("ada/desk#1") == a


def test_how_much_of_a_prompt_holds_nobodys_words() -> None:
    persona, example = ChatMessage("system", "You are Lo-Bug."), ChatMessage("user", "Hi")
    shared = (persona, example)
    remembering = ChatMessage("system", "You are Lo-Bug.\n\n[Long-term memory]\nAda hikes.")
    said = ChatMessage("user", "Hello")
    assert shared_beginning(shared, [persona, example, said]) == shared
    assert shared_beginning(shared, [remembering, example, said]) == (persona,)
    assert shared_beginning(shared, [persona]) == (persona,)
    assert shared_beginning(shared, [ChatMessage("system", "Extract facts."), said]) == ()
    assert shared_beginning((), [persona]) == ()
    assert shared_beginning(shared, []) == ()


def test_rows_get_length_one_and_float32() -> None:
    rows = unit_rows([[3.0, 4.0], [0.0, -2.0]], count=2, dimension=None)
    assert rows.dtype == np.float32
    assert np.allclose(rows, [[0.6, 0.8], [0.0, -1.0]])


@pytest.mark.parametrize(
    ("rows", "count", "dimension"),
    [
        ([[1.0, 2.0]], 2, None),  # one vector for two texts
        ([[1.0, 2.0]], 1, 3),  # another dimension
        ([[0.0, 0.0]], 1, None),  # no direction
        ([[1.0, float("nan")]], 1, None),
        ([[1.0, float("inf")]], 1, None),
        ([[1.0], [1.0, 2.0]], 2, None),  # ragged
        ([["a"]], 1, None),
        ([[]], 1, None),
        ([1.0], 1, None),
        (None, 1, None),
    ],
)
def test_wrong_vectors_are_refused(rows: object, count: int, dimension: int | None) -> None:
    with pytest.raises(EngineError):
        unit_rows(rows, count=count, dimension=dimension)  # type: ignore[arg-type]  # on purpose


def test_batches_hold_everything_once() -> None:
    assert list(batches("abcde", 2)) == ["ab", "cd", "e"]
    assert list(batches([], 2)) == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:11434", True),
        ("localhost:11434", True),
        ("127.0.0.1", True),
        ("http://[::1]:1", True),
        ("http://192.168.1.4:11434", False),
        ("https://api.example.com/v1", False),
        ("", False),
    ],
)
def test_loopback_addresses_are_told_from_others(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected


def test_backoff_grows_to_a_minute_and_no_further() -> None:
    delays = [BACKOFF.pause_s(n) for n in range(1, 40)]
    assert delays[0] < 0.5
    assert delays == sorted(delays)
    assert delays[-1] == 60.0


class Source:
    """Yields, then hangs; knows whether it was closed."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces
        self.closed = False

    async def run(self) -> AsyncGenerator[str]:
        try:
            for piece in self.pieces:
                yield piece
            await asyncio.Event().wait()
        finally:
            self.closed = True


async def test_a_stall_is_a_timeout_and_closes_the_source() -> None:
    source = Source("a", "b")
    pieces = paced(source.run(), engine="chat", between_s=0.02, whole_s=60)
    assert [await anext(pieces), await anext(pieces)] == ["a", "b"]
    with pytest.raises(EngineTimeoutError, match=r"nothing for 0\.02 s"):
        await anext(pieces)
    assert source.closed


async def test_the_whole_time_is_bounded_too() -> None:
    source = Source()
    with pytest.raises(EngineTimeoutError, match="no whole answer"):
        await anext(paced(source.run(), engine="chat", between_s=60, whole_s=0.02))
    assert source.closed


async def test_closing_early_closes_the_source() -> None:
    source = Source("a", "b")
    pieces = paced(source.run(), engine="chat", between_s=60, whole_s=60)
    assert await anext(pieces) == "a"
    await pieces.aclose()
    assert source.closed


async def test_a_shared_period_runs_until_its_last_user_closes_it() -> None:
    ran = asyncio.Event()

    async def work() -> None:
        ran.set()

    period = Periodic(work, 0.001)
    period.start()
    period.start()
    await period.close()
    ran.clear()
    await asyncio.wait_for(ran.wait(), PATIENCE_S)
    await period.close()
    ran.clear()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not others
    await period.close()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("https://ada:secret@box.lan:8000/v1", "https://box.lan:8000/v1"),
        ("http://se@cret@[::1]:1/", "http://[::1]:1/"),
        ("ada:secret@box", "box"),
        ("box:11434", "box:11434"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown
