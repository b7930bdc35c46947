"""When a server on another machine is asked, left alone, and asked again."""

from __future__ import annotations

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.engines.availability import (
    FIRST_PAUSE_S,
    LONGEST_LEAVE,
    REFUSALS,
    Availability,
    ServerWatch,
)
from lobug.errors import EngineError, EngineTimeoutError, EngineUnavailableError
from support.patience import PATIENCE_S

EVERY = 30.0
WHERE = "the server at x"
DOWN = EngineUnavailableError("stt", "the server at x does not answer")
REFUSED = EngineError("stt", "the server at x answers with status 400")
WORKS = Availability(EVERY)


def test_one_failure_is_enough_to_leave_it_alone() -> None:
    state = WORKS.failed(DOWN, 100.0)
    assert (state.error, state.probe_at) == (DOWN, 100.0 + FIRST_PAUSE_S)


def test_a_server_that_stays_down_is_probed_ever_more_rarely_up_to_the_interval() -> None:
    state, pauses = WORKS.failed(DOWN, 0.0), []
    for _ in range(8):
        state = state.probe_failed(DOWN, 0.0)
        pauses.append(state.probe_at)
    assert pauses == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0, 30.0]


def test_one_probe_that_takes_too_long_is_no_failure_and_two_are() -> None:
    slow = EngineTimeoutError("stt", "the server at x does not answer within 5 s")
    once = WORKS.probe_failed(slow, 0.0)
    assert (once.error, once.probe_at) == (None, FIRST_PAUSE_S)
    assert once.probe_failed(slow, 2.0).error is slow
    assert once.probed(2.0).probe_failed(slow, 32.0).error is None, "only those in a row count"
    down = WORKS.failed(DOWN, 0.0).probe_failed(slow, 2.0)
    assert down.error is slow, "it brings nothing back either"


def test_a_probe_that_is_answered_brings_it_back() -> None:
    state = WORKS.failed(DOWN, 0.0).probe_failed(DOWN, 2.0).probed(5.0)
    assert (state.error, state.probe_at) == (None, 5.0 + EVERY)


def test_a_server_that_answers_probes_and_fails_requests_is_left_alone_ever_longer() -> None:
    state, pauses = WORKS, []
    for _ in range(12):
        state = state.failed(DOWN, 0.0)
        pauses.append(state.probe_at)
        state = state.probed(0.0)
    assert pauses[:4] == [2.0, 4.0, 8.0, 16.0]
    assert max(pauses) == LONGEST_LEAVE * EVERY
    assert state.answered(0.0).failed(DOWN, 0.0).probe_at == FIRST_PAUSE_S, "a success ends it"


def test_a_refusal_may_be_the_requests_own_fault_but_not_always() -> None:
    state = WORKS
    for _ in range(REFUSALS - 1):
        state = state.refused(REFUSED, 0.0)
        assert (state.error, state.refusal) == (None, REFUSED)
    assert state.answered(0.0).refused(REFUSED, 0.0).error is None, "only those in a row count"
    assert state.refused(REFUSED, 0.0).error is REFUSED


@given(st.lists(st.sampled_from(["answered", "refused", "failed", "probed", "probe_failed"])))
def test_the_next_probe_is_always_ahead_and_never_far(fates: list[str]) -> None:
    state, now = WORKS, 1000.0
    for fate in fates:
        now += 1.0
        known = getattr(state, fate)
        state = known(now) if fate in {"answered", "probed"} else known(REFUSED, now)
        assert state.probe_at <= now + LONGEST_LEAVE * EVERY
        if fate in {"answered", "probed"}:
            assert state.error is None
        if fate in {"failed", "probe_failed"}:
            assert state.error is not None, "it was no time-out"
            assert state.probe_at >= now + min(FIRST_PAUSE_S, EVERY)


async def test_a_change_is_logged_once_and_never_what_was_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    down: list[EngineError] = []
    probed = asyncio.Event()

    async def probe() -> None:
        probed.set()
        if down:
            raise down[0]

    now = 0.0
    watch = ServerWatch("stt", probe, where=WHERE, check_every_s=EVERY, clock=lambda: now)
    with caplog.at_level(logging.INFO, "lobug.engines.availability"):
        assert await watch.start() is None
        watch.failed(EngineTimeoutError("stt", "the server at x is slow"))
        watch.failed(DOWN)
        watch.failed(DOWN)
        assert [r.getMessage() for r in caplog.records] == ["stt: the server at x is slow"]
        probed.clear()
        now = 1_000.0
        watch.failed(DOWN)  # wakes the watch, which finds that a probe is due later only
        now = 2_000.0
        watch.failed(REFUSED)
        now = 9_000.0
        watch.answered()
        watch.answered()
    assert [r.getMessage() for r in caplog.records][1:] == ["stt: the server at x answers again"]
    await watch.close()
    await watch.close()


async def test_it_probes_when_a_probe_is_due_and_not_before() -> None:
    probes = asyncio.Queue[float]()
    now = 0.0

    async def probe() -> None:
        probes.put_nowait(now)

    watch = ServerWatch("tts", probe, where=WHERE, check_every_s=EVERY, clock=lambda: now)
    await watch.start()
    assert probes.get_nowait() == 0.0
    watch.failed(DOWN)
    for _ in range(20):
        await asyncio.sleep(0)
    assert probes.empty()
    now = FIRST_PAUSE_S + 1.0
    watch._changed.set()  # time has passed, as far as the watch can see
    async with asyncio.timeout(PATIENCE_S):
        assert await probes.get() == now
        while watch.state.error is not None:  # noqa: ASYNC110 - it is set right after the probe
            await asyncio.sleep(0)
    await watch.close()


async def test_while_a_request_is_under_way_it_does_not_probe() -> None:
    probes, busy, now = 0, True, 0.0

    async def probe() -> None:
        nonlocal probes
        probes += 1

    watch = ServerWatch(
        "tts", probe, where=WHERE, check_every_s=EVERY, busy=lambda: busy, clock=lambda: now
    )
    await watch.start()
    for busy, expected in ((True, 1), (False, 2)):  # noqa: B007 - the watch reads it
        now += EVERY + 1.0
        watch._changed.set()  # time has passed, as far as the watch can see
        for _ in range(20):
            await asyncio.sleep(0)
        assert probes == expected
    await watch.close()


async def test_before_the_start_nothing_is_asked_and_a_failed_probe_is_returned() -> None:
    async def probe() -> None:
        raise DOWN

    watch = ServerWatch("tts", probe, where=WHERE, check_every_s=EVERY)
    assert watch.state.error is not None
    assert await watch.start() is DOWN
    await watch.close()
