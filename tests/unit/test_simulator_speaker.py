"""The loudspeaker of a device in software: what it plays, what it misses, when it is silent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.simulator.device_audio import (
    BUFFER_FRAMES,
    DECODED_FRAMES,
    OUTPUT_S,
    Speaker,
)

FRAME_S = 0.06


def test_audio_in_time_plays_without_a_gap() -> None:
    speaker = Speaker()
    speaker.begin_reply(9.0)
    for number in range(20):
        assert speaker.take(10.0 + FRAME_S * number, FRAME_S)
    account = speaker.account()
    assert account.first_at == 10.0
    assert account.silent_at == pytest.approx(11.2)
    assert (account.frames, account.starvations, account.overflowed) == (20, 0, 0)
    assert not speaker.is_silent(11.1)
    assert speaker.is_silent(11.2)


def test_a_late_packet_in_the_middle_of_a_piece_is_a_starvation_between_pieces_a_pause() -> None:
    speaker = Speaker()
    speaker.begin_reply(0.0)
    speaker.begin_piece()
    speaker.take(1.0, FRAME_S)
    speaker.take(1.10, FRAME_S)
    account = speaker.account()
    assert (account.starvations, account.pauses) == (1, 0)
    assert account.starved_s == pytest.approx(0.04)
    speaker.begin_piece()
    speaker.take(1.36, FRAME_S)
    account = speaker.account()
    assert (account.starvations, account.pauses) == (1, 1)
    assert account.paused_s == pytest.approx(0.2)


def test_the_buffer_is_bounded() -> None:
    speaker = Speaker()
    speaker.begin_reply(0.0)
    taken = [speaker.take(1.0, FRAME_S) for _ in range(60)]
    # Two are in the output at once: one plays, the next is within its 60 ms.
    room = BUFFER_FRAMES + DECODED_FRAMES + 2
    assert taken == [True] * room + [False] * (60 - room)
    assert speaker.account().overflowed == 60 - room
    assert speaker.take(1.0 + FRAME_S, FRAME_S), "one packet has been taken over by the output"


def test_stopping_throws_away_what_the_output_has_not_got() -> None:
    speaker = Speaker()
    speaker.begin_reply(0.0)
    for _ in range(10):
        speaker.take(1.0, FRAME_S)
    assert speaker.stop(1.0) == 8
    account = speaker.account()
    assert (account.frames, account.discarded) == (2, 8)
    assert account.silent_at == pytest.approx(1.12)
    assert speaker.silent_at == pytest.approx(1.12)
    assert speaker.stop(1.0) == 0


def test_a_new_reply_has_an_account_of_its_own() -> None:
    speaker = Speaker()
    speaker.begin_reply(0.0)
    for _ in range(10):
        speaker.take(1.0, FRAME_S)
    speaker.begin_reply(1.01)
    assert speaker.account().frames == 0
    speaker.take(5.0, FRAME_S)
    account = speaker.account()
    assert (account.frames, account.first_at, account.starvations) == (1, 5.0, 0)


@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 0.5),
            st.sampled_from(["take", "take", "take", "piece", "stop"]),
            st.sampled_from([0.02, 0.06]),
        ),
        max_size=80,
    ),
    st.integers(1, 50),
)
def test_nothing_is_unaccounted_for(
    steps: list[tuple[float, str, float]], buffer_frames: int
) -> None:
    speaker = Speaker(buffer_frames)
    speaker.begin_reply(0.0)
    at, offered, offered_s, thrown = 0.0, 0, 0.0, 0
    for pause_s, step, seconds in steps:
        at += pause_s
        if step == "take":
            offered += 1
            if speaker.take(at, seconds):
                offered_s += seconds
        elif step == "piece":
            speaker.begin_piece()
        else:
            before = speaker.silent_at
            thrown += speaker.stop(at)
            assert speaker.silent_at <= max(before, at + OUTPUT_S + 0.12)
    account = speaker.account()
    assert account.frames + account.overflowed + account.discarded == offered
    assert account.discarded == thrown
    assert account.seconds <= offered_s + 1e-6
    if account.first_at is not None and account.silent_at is not None:
        # Sound and silence fill the time from the first sample to the last.
        filled_s = account.seconds + account.starved_s + account.paused_s
        assert filled_s >= account.silent_at - account.first_at - 1e-6
        if not thrown:
            assert filled_s == pytest.approx(account.silent_at - account.first_at, abs=1e-6)
