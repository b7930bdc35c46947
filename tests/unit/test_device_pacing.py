"""When audio is sent, and what was played of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices.codec import Encoder, make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.devices.speaker import Pacer, Speaker
from lobug.turn.events import Piece, SpeechAudio

T = TypeVar("T")

FRAME = 0.06
LEAD = 0.72


def send_all(pacer: Pacer, now: float) -> float:
    """Send what waits, each frame when it may be; returns when the last one was sent."""
    while pacer.waiting_frames:
        now += pacer.delay(now)
        pacer.sent(now)
    return now


def played_s(pacer: Pacer, now: float) -> float:
    """Seconds of audio played by now."""
    return pacer.position(now) * FRAME


def test_the_lead_is_sent_at_once_and_the_rest_in_real_time() -> None:
    pacer = Pacer(LEAD, FRAME)
    pacer.hand_over(100)
    at = []
    now = 5.0
    while pacer.waiting_frames:
        now += pacer.delay(now)
        pacer.sent(now)
        at.append(now)
    assert at[:12] == [5.0] * 12
    steps = [after - before for before, after in pairwise(at[11:])]
    assert steps == pytest.approx([FRAME] * 88)
    assert pacer.finished_at(now) == pytest.approx(5.0 + 100 * FRAME)


def test_after_a_gap_playing_starts_anew_and_the_lead_is_built_again() -> None:
    pacer = Pacer(LEAD, FRAME)
    pacer.hand_over(10)
    send_all(pacer, 0.0)
    assert played_s(pacer, 0.3) == pytest.approx(0.3)
    assert played_s(pacer, 2.0) == pytest.approx(0.6), "the device has run dry"
    assert pacer.playing(2.0) is None
    pacer.hand_over(20)
    assert pacer.delay(2.0) == 0.0
    assert pacer.finished_at(2.0) == pytest.approx(2.0 + 20 * FRAME)
    for _ in range(12):
        assert pacer.delay(2.0) == 0.0
        pacer.sent(2.0)
    assert pacer.delay(2.0) == pytest.approx(FRAME)
    assert pacer.playing(2.0) == 10
    assert played_s(pacer, 2.3) == pytest.approx(0.9)


def test_what_is_handed_over_in_time_plays_without_a_gap() -> None:
    pacer = Pacer(LEAD, FRAME)
    pacer.hand_over(10)
    send_all(pacer, 0.0)
    pacer.hand_over(10)
    send_all(pacer, 0.5)
    assert pacer.finished_at(0.6) == pytest.approx(20 * FRAME)


def test_it_says_how_much_of_each_piece_was_heard() -> None:
    pacer = Pacer(10.0, 0.1)
    pacer.hand_over(40)
    pacer.mark_piece(0, 0, 12.5)
    pacer.mark_piece(1, 12.5, 12.5)  # nothing in it can be spoken
    pacer.mark_piece(2, 12.5, 40)
    assert pacer.played(0.0) == []
    send_all(pacer, 0.0)
    assert pacer.played(0.0) == []
    assert dict(pacer.played(0.5)) == pytest.approx({0: 0.4})
    assert dict(pacer.played(1.25)) == pytest.approx({0: 1.0, 1: 1.0})
    assert dict(pacer.played(2.0)) == pytest.approx({0: 1.0, 1: 1.0, 2: 7.5 / 27.5})
    assert pacer.played(9.0) == [(0, 1.0), (1, 1.0), (2, 1.0)]


def test_a_piece_in_parts_counts_as_one_and_is_not_over_before_its_last_part() -> None:
    pacer = Pacer(LEAD, FRAME)
    pacer.hand_over(10)
    pacer.mark_piece(0, 0.0, 10.0, expected_end=40.0)
    now = send_all(pacer, 0.0)
    all_played = now + 10 * FRAME
    ((index, fraction),) = pacer.played(all_played)
    assert index == 0
    assert fraction == pytest.approx(10 / 40)
    pacer.hand_over(10)
    pacer.mark_piece(0, 10.0, 20.0, expected_end=15.0)  # longer than was guessed
    all_played = send_all(pacer, all_played) + 20 * FRAME
    ((index, fraction),) = pacer.played(all_played)
    assert index == 0
    assert 0.9 < fraction < 1.0
    pacer.mark_piece(0, 20.0, 20.0)
    assert pacer.played(all_played) == [(0, 1.0)]
    pacer.mark_piece(1, 20.0, 30.0)
    assert [index for index, _ in pacer.played(all_played)] == [0]


def test_after_a_stop_nothing_is_played_or_sent() -> None:
    pacer = Pacer(LEAD, FRAME)
    pacer.hand_over(30)
    pacer.mark_piece(0, 0, 30)
    for _ in range(12):
        pacer.sent(1.0)
    pacer.stop(1.3)
    pacer.stop(1.6)
    assert played_s(pacer, 60.0) == pytest.approx(0.3)
    assert dict(pacer.played(60.0)) == pytest.approx({0: 5 / 30})
    assert pacer.playing(1.4) is None
    assert pacer.delay(1.4) == math.inf
    assert pacer.finished_at(1.4) == 1.3


def test_before_anything_was_sent_nothing_is_played() -> None:
    pacer = Pacer(LEAD, FRAME)
    assert pacer.playing(3.0) is None
    assert played_s(pacer, 3.0) == 0.0
    assert pacer.delay(3.0) == 0.0
    assert pacer.finished_at(3.0) == 3.0
    with pytest.raises(ValueError, match="waiting"):
        pacer.sent(3.0)


def test_a_lead_shorter_than_a_frame_is_one_frame() -> None:
    pacer = Pacer(0.0, FRAME)
    pacer.hand_over(3)
    assert send_all(pacer, 0.0) == pytest.approx(2 * FRAME)


def test_a_timer_that_fires_a_little_early_makes_no_gap() -> None:
    pacer = Pacer(FRAME, FRAME)
    pacer.hand_over(2)
    pacer.sent(0.0)
    assert pacer.delay(FRAME - 1e-12) == 0.0
    pacer.sent(FRAME - 1e-12)
    assert pacer.finished_at(FRAME) == pytest.approx(2 * FRAME)


HANDING = st.lists(
    st.tuples(st.floats(0, 3), st.integers(0, 40)), min_size=1, max_size=12
)  # seconds until so many frames are ready


@given(HANDING, st.floats(0.01, 2.4), st.sampled_from([0.02, 0.06]), st.floats(0, 0.05))
def test_a_device_never_holds_more_than_the_lead(
    handing: list[tuple[float, int]], lead: float, frame: float, late: float
) -> None:
    """Against a device that plays by itself: one buffer and a clock."""
    pacer = Pacer(lead, frame)
    now = 0.0
    device_ends = 0.0
    """When the device will have played all that it holds."""
    silence = 0.0
    position = 0.0
    sent_at = []
    for wait, frames in handing:
        ready = now + wait
        pacer.hand_over(frames)
        now = ready
        while pacer.waiting_frames:
            delay = pacer.delay(now)
            now += delay + (late if delay else 0.0)
            position_now = pacer.position(now)
            assert position_now >= position - 1e-6, "what was played stays played"
            position = position_now
            if now > device_ends:
                silence += now - device_ends
                device_ends = now
            device_ends += frame
            pacer.sent(now)
            sent_at.append(now)
            assert device_ends - now <= max(lead, frame) + 1e-6
    total = sum(frames for _, frames in handing)
    assert len(sent_at) == total
    assert sent_at == sorted(sent_at)
    if total:
        assert pacer.finished_at(now) == pytest.approx(device_ends)
        assert device_ends == pytest.approx(total * frame + silence)
        assert pacer.position(device_ends + 1e-6) == pytest.approx(total)
        assert pacer.playing(device_ends + 1e-6) is None


@given(HANDING, st.lists(st.floats(0, 20), min_size=2))
def test_what_was_played_only_grows_and_adds_up(
    handing: list[tuple[float, int]], looks: list[float]
) -> None:
    pacer = Pacer(LEAD, FRAME)
    now = 0.0
    first = 0
    for index, (wait, frames) in enumerate(handing):
        now += wait
        pacer.hand_over(frames)
        pacer.mark_piece(index, first, first + frames)
        first += frames
        now = send_all(pacer, now)
    seen: dict[int, float] = {}
    for look in sorted(now + look for look in looks):
        heard = dict(pacer.played(look))
        assert all(heard.get(index, 0.0) >= fraction for index, fraction in seen.items())
        seen = heard
        whole = sum(fraction * handing[index][1] for index, fraction in heard.items())
        assert whole == pytest.approx(pacer.position(look))
    ended = dict(pacer.played(pacer.finished_at(now) + 1e-6))
    assert ended == dict.fromkeys(range(len(handing)), 1.0)


class CutWire:
    """A connection that is closed after so many frames."""

    session_id = "it"
    frame_s = FRAME

    def __init__(self, frames: int) -> None:
        self._left = frames

    async def send(self, message: str) -> None:
        pass

    async def send_audio(self, packet: bytes) -> bool:
        self._left -= 1
        return self._left >= 0

    def encoder(self, source_rate: int) -> Encoder:
        return make_encoder(AudioFormat(AudioCodec.PCM, source_rate, FRAME * 1000), source_rate)

    async def compute(self, work: Callable[[], T]) -> T:
        return work()


async def test_what_a_closed_connection_did_not_send_counts_as_not_heard() -> None:
    now = 5.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    speaker = Speaker(CutWire(3), LEAD, lambda: now, sleep)
    speaker.announce(Piece(0, "It is noon."))
    speaker.play(SpeechAudio(0, np.zeros(int(10 * FRAME * 16_000), np.float32), 16_000))
    speaker.all_said()
    await speaker.finished()
    assert speaker.interrupted
    now += 60
    assert speaker.played_s() <= 3 * FRAME
