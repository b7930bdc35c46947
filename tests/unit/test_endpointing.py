"""Endpointing: every transition of the table, and what holds for any probabilities."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.settings import ListeningSettings
from lobug.turn.endpointing import (
    FRAME_S,
    Endpointer,
    ListeningMode,
    Signal,
    State,
)

SETTINGS = ListeningSettings(
    begin_speech_s=0.1,
    pause_s=0.16,
    end_silence_s=0.64,
    unfinished_silence_s=1.28,
    finished_silence_s=0.32,
    no_speech_timeout_s=3.2,
    max_utterance_s=9.6,
)
"""In frames: 3 begin, 5 pause, 20 end, 40 end what is unfinished, 10 a command; 100, 300."""

LETTERS = {
    Signal.BEGAN: "B", Signal.PAUSED: "P", Signal.RESUMED: "R", Signal.ENDED: "E",
    Signal.TOO_LONG: "L", Signal.NOTHING_SAID: "N",
}  # fmt: skip


def feed(ends: Endpointer, frames: str) -> list[tuple[Signal, int]]:
    """Feed frames: ``#`` voice, ``.`` silence, ``-`` in between. The signals, each with the number
    of the frame that brought it about, from 1."""
    found = []
    for frame in frames:
        signal = ends.feed({"#": 0.9, ".": 0.05, "-": 0.4}[frame])
        if signal is not None:
            found.append((signal, ends.frames))
    return found


def endpointer(mode: ListeningMode = "auto", frames: str = "") -> Endpointer:
    ends = Endpointer(SETTINGS, mode)
    feed(ends, frames)
    return ends


def test_speech_begins_at_the_first_of_enough_voiced_frames() -> None:
    ends = endpointer()
    assert feed(ends, "....###") == [(Signal.BEGAN, 7)]
    assert (ends.state, ends.start, ends.end, ends.voiced) == (State.SPEAKING, 4, 7, 3)


def test_a_soft_gap_in_the_first_syllables_does_no_harm() -> None:
    ends = endpointer()
    assert feed(ends, "..##...#") == [(Signal.BEGAN, 8)]
    assert (ends.start, ends.voiced) == (2, 3)


@pytest.mark.parametrize("click", ["#", "##", "#.#"])
def test_a_click_is_no_speech(click: str) -> None:
    ends = endpointer()
    assert feed(ends, f"...{click}......" * 8) == []
    assert ends.state is State.WAITING


def test_a_click_before_the_words_is_not_their_beginning() -> None:
    ends = endpointer()
    assert feed(ends, "#......###") == [(Signal.BEGAN, 10)]
    assert ends.start == 7


def test_speech_goes_on_at_a_lower_probability_than_begins_it() -> None:
    ends = endpointer(frames="---...---")
    assert ends.state is State.WAITING
    feed(ends, "###---")
    assert (ends.voiced, ends.end) == (6, ends.frames)
    feed(ends, ".---")
    assert ends.end == ends.frames - 4


def test_nothing_said() -> None:
    ends = endpointer()
    assert feed(ends, "." * 200) == [(Signal.NOTHING_SAID, 100)]
    assert ends.state is State.OVER
    ends.restart()
    assert feed(ends, "." * 100) == [(Signal.NOTHING_SAID, 300)]


def test_a_pause_and_the_end() -> None:
    ends = endpointer(frames="####")
    assert feed(ends, "." * 25) == [(Signal.PAUSED, 9), (Signal.ENDED, 24)]
    assert ends.end == 4


def test_speech_resumes_after_a_pause() -> None:
    ends = endpointer(frames="####")
    assert feed(ends, "........####") == [(Signal.PAUSED, 9), (Signal.RESUMED, 14)]
    assert (ends.start, ends.end, ends.voiced) == (0, 16, 8)


def test_a_click_in_a_pause_changes_nothing() -> None:
    ends = endpointer(frames="####")
    assert feed(ends, "........#................") == [(Signal.PAUSED, 9), (Signal.ENDED, 24)]
    assert (ends.end, ends.voiced) == (4, 4)


def test_it_does_not_end_on_a_voiced_frame() -> None:
    ends = endpointer(frames="####")
    assert feed(ends, "." * 19 + "###") == [(Signal.PAUSED, 9), (Signal.RESUMED, 25)]


@pytest.mark.parametrize(
    ("text", "silence"), [("I think", 40), ("I think so.", 20), ("Stop.", 10), ("", 20)]
)
def test_the_words_decide_how_much_silence_it_takes(text: str, silence: int) -> None:
    ends = endpointer(frames="####......")
    assert ends.note_transcript(text) is None
    assert feed(ends, "." * 50) == [(Signal.ENDED, 4 + silence)]


def test_words_that_come_late_end_it_at_once() -> None:
    ends = endpointer(frames="####" + "." * 15)
    assert ends.note_transcript("Stop.") is Signal.ENDED


def test_words_that_come_as_speech_resumes_do_not_end_it() -> None:
    ends = endpointer(frames="####" + "." * 15 + "#")
    assert ends.note_transcript("Stop.") is None
    assert feed(ends, "#") == [(Signal.RESUMED, 21)]


def test_words_of_a_language_without_rules_change_nothing() -> None:
    ends = endpointer(frames="####......")
    ends.note_transcript("stop", "de")
    assert ends.silence_needed() == SETTINGS.end_silence_s


def test_while_the_words_are_awaited_they_may_be_unfinished() -> None:
    ends = endpointer(frames="####.....")
    ends.transcript_awaited = True
    assert feed(ends, "." * 20) == []
    assert ends.note_transcript("I think so.") is Signal.ENDED
    ends = endpointer(frames="####.....")
    ends.transcript_awaited = True
    assert feed(ends, "." * 50) == [(Signal.ENDED, 44)]


def test_words_that_were_followed_by_others_say_nothing_of_the_end() -> None:
    ends = endpointer(frames="####......")
    ends.note_transcript("Stop.")
    feed(ends, "####")
    assert ends.note_transcript("Stop.") is None
    assert feed(ends, "." * 25) == [(Signal.PAUSED, 19), (Signal.ENDED, 34)]


def test_an_end_that_is_shorter_than_a_pause_needs_none() -> None:
    settings = SETTINGS.model_copy(update={"pause_s": 1.0})
    ends = Endpointer(settings)
    assert feed(ends, "####" + "." * 30) == [(Signal.BEGAN, 3), (Signal.ENDED, 24)]


def test_too_long() -> None:
    ends = endpointer(frames="...")
    assert feed(ends, "#" * 400) == [(Signal.BEGAN, 6), (Signal.TOO_LONG, 303)]


@pytest.mark.parametrize(
    ("frames", "signal"),
    [
        ("", Signal.NOTHING_SAID),
        ("....", Signal.NOTHING_SAID),
        ("..##", Signal.ENDED),  # the judge of hearing has the last word on so little
        ("..##......", Signal.NOTHING_SAID),
        ("####", Signal.ENDED),
        ("####......", Signal.ENDED),
    ],
)
@pytest.mark.parametrize("mode", ["auto", "manual", "realtime"])
def test_stop_ends_it(mode: ListeningMode, frames: str, signal: Signal) -> None:
    ends = endpointer(mode, frames)
    assert ends.stop() is signal
    assert ends.stop() is None
    assert feed(ends, "####" + "." * 60) == []


@pytest.mark.parametrize(
    ("mode", "frames", "waits"),
    [
        ("auto", "", False), ("auto", "##", False), ("auto", "####", True),
        ("auto", "####........", True), ("realtime", "####", True),
        ("auto", "####" + "." * 30, False), ("manual", "####........", False),
    ],
)  # fmt: skip
def test_frames_are_missed_only_in_mid_utterance(
    mode: ListeningMode, frames: str, waits: bool
) -> None:
    patience = SETTINGS.end_silence_s + SETTINGS.stalled_s
    assert endpointer(mode, frames).patience() == (patience if waits else None)


def test_push_to_talk_waits_for_the_button_and_still_tells_pauses() -> None:
    ends = endpointer("manual")
    assert feed(ends, "." * 150) == []
    assert [s for s, _ in feed(ends, "####" + "." * 100 + "####")] == [
        Signal.BEGAN, Signal.PAUSED, Signal.RESUMED,
    ]  # fmt: skip
    feed(ends, ".....")
    assert ends.note_transcript("Stop.") is None
    assert feed(ends, "." * 60) == []
    assert ends.stop() is Signal.ENDED


probabilities = st.lists(
    st.tuples(st.sampled_from([0.0, 0.34, 0.36, 0.49, 0.51, 1.0]), st.integers(1, 45)), max_size=60
).map(lambda runs: [p for p, count in runs for _ in range(count)])
modes: st.SearchStrategy[ListeningMode] = st.sampled_from(["auto", "manual", "realtime"])
words = st.sampled_from(["stop", "and then", "I see it.", ""])


@given(probabilities, modes, st.lists(words, max_size=8))
def test_whatever_is_heard_the_signals_come_in_their_order(
    heard: list[float], mode: ListeningMode, texts: list[str]
) -> None:
    ends = Endpointer(SETTINGS, mode)
    told = ""
    for probability in heard:
        signal = ends.feed(probability)
        if signal is Signal.PAUSED and texts:
            told += "P"
            signal = ends.note_transcript(texts.pop())
        assert 0 <= ends.start <= ends.end <= ends.frames
        assert ends.voiced <= ends.end - ends.start
        assert ends.frames - ends.start <= 300 or ends.state in (State.WAITING, State.STARTING)
        if signal is None:
            continue
        told += LETTERS[signal]
        if signal is Signal.ENDED:
            assert (ends.frames - ends.end) * FRAME_S >= ends.silence_needed() - FRAME_S / 2
        if ends.state is State.OVER:
            ends.restart()
    assert re.fullmatch(r"(N|B(PR)*P?(E|L))*(B(PR)*P?)?", told), told
    if mode == "manual":
        assert "E" not in told
        assert "N" not in told


@given(probabilities)
def test_silence_ends_whatever_was_said(heard: list[float]) -> None:
    ends = Endpointer(SETTINGS)
    for probability in heard:
        ends.feed(probability)
        if ends.state is State.OVER:
            ends.restart()
    feed(ends, "." * 100)
    assert ends.state is State.OVER


@given(st.lists(st.tuples(st.integers(1, 2), st.integers(6, 30)), max_size=40))
def test_clicks_never_begin_anything(clicks: list[tuple[int, int]]) -> None:
    ends = Endpointer(SETTINGS)
    for voiced, silent in clicks:
        signals = {signal for signal, _ in feed(ends, "#" * voiced + "." * silent)}
        assert signals <= {Signal.NOTHING_SAID}
        if ends.state is State.OVER:
            ends.restart()
