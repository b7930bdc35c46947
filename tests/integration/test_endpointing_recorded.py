"""Endpointing on every recording there is, 24 minutes of speech, judged by the real gate."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence

import pytest

from lobug.settings import ListeningSettings
from lobug.turn.endpointing import Endpointer, Signal, State
from support import speech, speech_engines

pytestmark = pytest.mark.speech

BEEPS = {"confbridge-join", "confbridge-leave"}
"""The two prompts in which nobody speaks."""
LONGEST_S = 12.0
"""Longer prompts are several utterances."""

Judged = Sequence[tuple[speech.Clip, Sequence[float]]]


@functools.cache
def judged() -> Judged:
    """Each recording with its voice probabilities, in silence."""

    async def judge() -> Judged:
        found = []
        for clip in (*speech.all_prompts(), *speech.pocketsphinx()):
            if clip.seconds <= LONGEST_S:
                audio = clip.padded(0.5, 2.0).samples
                found.append((clip, await speech_engines.gate().open_stream().feed(audio)))
        return found

    speech_engines.gate()
    return asyncio.run(judge())


@pytest.fixture(scope="module")
def recordings() -> Judged:
    return judged()


def signals(probabilities: Sequence[float], settings: ListeningSettings) -> list[Signal]:
    ends, found = Endpointer(settings), []
    for probability in probabilities:
        signal = ends.feed(probability)
        if signal is not None:
            found.append(signal)
        if ends.state is State.OVER:
            ends.restart()
    return found


@pytest.mark.parametrize("silence", [0.4, 0.6, 0.8])
def test_no_utterance_is_cut_in_two_or_missed(silence: float, recordings: Judged) -> None:
    settings = ListeningSettings(end_silence_s=silence)
    assert len(recordings) > 500
    for clip, probabilities in recordings:
        ended = signals(probabilities, settings).count(Signal.ENDED)
        assert ended == (clip.name not in BEEPS), (clip.name, clip.text)


def test_a_short_utterance_is_seldom_transcribed_in_vain(recordings: Judged) -> None:
    short = [p for clip, p in recordings if clip.seconds < 3]
    vain = sum(signals(p, ListeningSettings()).count(Signal.RESUMED) for p in short)
    assert vain <= len(short) * 0.04
