"""What counts as somebody's words; the recordings behind it are in test_hearing_recorded.py."""

from __future__ import annotations

import pytest

from lobug.engines.base import Transcript
from lobug.settings import SttSettings
from lobug.turn.utterance import judge

SETTINGS = SttSettings()


def heard(text: str, no_speech: float, logprob: float, ratio: float = 0.8) -> Transcript:
    return Transcript(text, "en", no_speech, logprob, ratio)


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.149])
def test_too_little_speech_is_no_speech_whatever_whisper_says(seconds: float) -> None:
    assert judge(None, seconds, SETTINGS).reason == "no_speech"
    assert judge(heard("Hello there.", 0.0, -0.1), seconds, SETTINGS).reason == "no_speech"


def test_enough_speech_goes_on_to_whisper() -> None:
    assert judge(None, 0.15, SETTINGS).accepted


def test_no_minimum_still_wants_some_speech() -> None:
    settings = SttSettings(min_speech_s=0)
    assert judge(None, 0.0, settings).reason == "no_speech"
    assert judge(None, 0.01, settings).accepted


@pytest.mark.parametrize(
    ("text", "no_speech", "logprob"),
    [
        # As Whisper heard recordings: text, no-speech probability, mean log probability.
        ("Yes.", 0.05, -0.4),
        ("No.", 0.1, -0.6),
        ("stop", 0.02, -0.3),
        ("2", 0.24, -0.82),
        ("At.", 0.14, -0.97),
        ("N.", 0.72, -0.88),
        ("Yang Ji", 0.05, -1.11),
        ("Thank you.", 0.05, -0.2),
        ("You", 0.01, -0.66),
    ],
)
def test_real_words_pass_however_few(text: str, no_speech: float, logprob: float) -> None:
    assert judge(heard(text, no_speech, logprob), 0.4, SETTINGS).accepted


@pytest.mark.parametrize(
    ("text", "no_speech", "logprob"),
    [
        ("you", 0.74, -1.06),
        ("Thank you.", 0.79, -1.22),
        ("I'm sorry.", 0.79, -1.57),
        ("Thanks for watching.", 0.69, -1.46),
        ("Ah!", 0.44, -1.87),
        (". . . . . .", 0.79, -0.94),
        ("", 1.0, 0.0),
        ("  ", 0.1, -0.1),
        ("♪♪", 0.1, -0.2),
    ],
)
def test_what_whisper_says_to_noise_is_noise(text: str, no_speech: float, logprob: float) -> None:
    assert judge(heard(text, no_speech, logprob), 1.0, SETTINGS).reason == "noise"


def test_a_loop_is_noise_and_a_person_repeating_is_not() -> None:
    loop = heard("and then " * 30, 0.1, -0.2, ratio=15.0)
    assert judge(loop, 2.0, SETTINGS).reason == "noise"
    assert judge(heard("no " * 12, 0.1, -0.2, ratio=3.0), 4.0, SETTINGS).accepted


def test_one_word_again_and_again_is_noise_where_whisper_doubts_it() -> None:
    bangs = "BANG BANG BANG BANG BANG BANG BANG"
    assert judge(heard(bangs, 0.46, -1.05, ratio=2.1), 1.0, SETTINGS).reason == "noise"
    assert judge(heard("No, no, no. No! No, no.", 0.05, -1.2), 2.0, SETTINGS).reason == "noise"
    breath = heard("Zzzzzzzzzz", 0.46, -1.47, ratio=0.9)
    assert judge(breath, 1.0, SETTINGS).reason == "noise"
    assert judge(heard("Zzzzzzzzzz", 0.05, -0.4), 1.0, SETTINGS).accepted
    assert judge(heard("000000", 0.05, -1.2), 1.0, SETTINGS).accepted
    assert judge(heard("Zz, Anna", 0.05, -1.2), 1.0, SETTINGS).accepted
    assert judge(heard("No, no, no. No! No, no.", 0.05, -0.6), 2.0, SETTINGS).accepted
    assert judge(heard("no no no no", 0.05, -1.2), 1.0, SETTINGS).accepted
    assert judge(heard("bang bang bang on the door", 0.05, -1.2), 1.0, SETTINGS).accepted


def test_thresholds_are_settings() -> None:
    doubtful = heard("you", 0.5, -1.2)
    assert judge(doubtful, 1.0, SETTINGS).accepted
    strict = SttSettings(no_speech_threshold=0.4, log_prob_threshold=-1.0)
    assert judge(doubtful, 1.0, strict).reason == "noise"
    assert judge(doubtful, 1.0, SttSettings(min_log_prob=-1.1)).reason == "noise"
