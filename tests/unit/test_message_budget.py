"""How many messages a device may send: its audio always, a flood never."""

from __future__ import annotations

import pytest

from lobug.devices.connection import MessageBudget
from lobug.devices.frames import FRAME_DURATIONS_MS
from lobug.settings import Settings

SETTINGS = Settings(
    _env_file=None, streaming={"max_messages_per_s": 50}, listening={"max_backlog_s": 6.0}
)


def sent(budget: MessageBudget, now: float, most: int = 1_000_000) -> int:
    """Messages that it lets pass at a moment."""
    for count in range(most):
        if not budget.spend(now):
            return count
    return most


@pytest.mark.parametrize("frame_ms", FRAME_DURATIONS_MS)
def test_audio_in_real_time_is_never_too_much(frame_ms: float) -> None:
    budget = MessageBudget(SETTINGS, frame_ms / 1000, 0.0)
    assert all(budget.spend(n * frame_ms / 1000) for n in range(round(60_000 / frame_ms)))


@pytest.mark.parametrize("frame_ms", FRAME_DURATIONS_MS)
def test_what_a_network_held_back_may_come_at_once(frame_ms: float) -> None:
    budget = MessageBudget(SETTINGS, frame_ms / 1000, 0.0)
    backlog = round(6_000 / frame_ms)
    assert sent(budget, 6.0, backlog) == backlog


@pytest.mark.parametrize("frame_ms", FRAME_DURATIONS_MS)
def test_longer_packets_than_agreed_are_no_more_audio(frame_ms: float) -> None:
    budget = MessageBudget(SETTINGS, frame_ms / 1000, 0.0)
    for n in range(500):  # a minute of 120 ms, in real time
        assert budget.spend(n * 0.12)
        budget.charge(0.12)


def test_a_flood_of_longer_packets_than_agreed_is_too_much() -> None:
    """Of short frames many are allowed; as many long ones would keep the decoder busy."""
    budget = MessageBudget(SETTINGS, 0.0025, 0.0)
    passed = 0
    while budget.spend(10.0):
        budget.charge(0.12)
        passed += 1
    assert 0.12 * passed == pytest.approx(6.0 + 2.0, abs=0.12)  # waiting audio and two seconds


def test_a_flood_is_too_much() -> None:
    budget = MessageBudget(SETTINGS, 0.06, 0.0)
    assert sent(budget, 0.0) == 150  # 6 s of audio, and a second of messages
    assert sent(budget, 1.0) == 50
    assert sent(budget, 1.5) == 25
    assert sent(budget, 100.0) == 150
