"""The recorded speech that other tests stand on."""

from __future__ import annotations

import pytest

from support import speech


@pytest.mark.parametrize(
    ("said", "heard", "errors", "count"),
    [
        ("Go forward, ten metres.", "go forward 10 meters", 0, 4),
        ("one two three", "1 2 3.", 0, 3),
        ("one two three", "123", 0, 3),
        ("yes", "", 1, 1),
        ("stop", "stop it now", 2, 1),
        ("a b c d", "a x d", 2, 4),
    ],
)
def test_word_errors(said: str, heard: str, errors: int, count: int) -> None:
    assert speech.word_errors(said, heard) == (errors, count)


def test_wer_is_over_all_words() -> None:
    assert speech.wer([("a b c", "a b c"), ("d", "e")]) == pytest.approx(0.25)


@pytest.mark.speech
def test_every_recording_has_sound_and_words() -> None:
    clips = [*speech.all_prompts(), *speech.pocketsphinx(), speech.front_center()]
    assert len(clips) > 400
    for clip in clips:
        assert clip.seconds > 0.1
        assert speech.words(clip.text)
        assert 0.02 < float(abs(clip.samples).max()) <= 1.0
