"""The listener with the real gate and Whisper on recorded speech, in the packets of a device."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import numpy as np
import pytest

from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.settings import Settings
from lobug.turn.endpointing import ListeningMode
from lobug.turn.events import (
    ListeningEvent,
    NothingSaid,
    SpeechBegan,
    SpeechEnded,
)
from lobug.turn.listener import Listener
from support import noise, speech, speech_engines

pytestmark = [pytest.mark.models, pytest.mark.speech]

PACKET = STT_SAMPLE_RATE * 60 // 1000


async def listen(audio: Samples, mode: ListeningMode = "auto") -> list[ListeningEvent]:
    """Everything that is noticed in a stream that is stopped at its end."""
    settings = Settings(_env_file=None, listening={"max_backlog_s": 120})
    listener = Listener(
        speech_engines.gate(), speech_engines.whisper(), lambda: settings, mode=mode
    )
    found: list[ListeningEvent] = []
    stopped = len(audio) / STT_SAMPLE_RATE
    for start in range(0, len(audio), PACKET):
        listener.push(audio[start : start + PACKET])
    listener.stop()
    async with aclosing(listener.events()) as events:
        async for event in events:
            found.append(event)
            last = isinstance(event, NothingSaid)
            if isinstance(event, SpeechEnded):
                last = event.decided_s > stopped - 0.1
            if last:
                listener.close()
    return found


def ended(events: Sequence[ListeningEvent]) -> list[SpeechEnded]:
    return [event for event in events if isinstance(event, SpeechEnded)]


@pytest.fixture(scope="module", autouse=True)
def engines() -> None:
    speech_engines.gate()
    speech_engines.whisper()


@pytest.mark.parametrize("index", [3, 7, 8, 10])
async def test_an_utterance_is_heard_whole_and_its_end_is_found(index: int) -> None:
    clip = speech.pocketsphinx()[index]
    events = await listen(clip.padded(0.7, 2.5).samples)
    assert isinstance(events[0], SpeechBegan)
    assert events[0].at_s == pytest.approx(0.9, abs=0.5)
    said = ended(events)
    assert len(said) == 1
    assert said[0].transcript is not None
    errors, count = speech.word_errors(clip.text, said[0].transcript.text)
    assert errors <= max(1, count / 4), said[0].transcript.text
    assert said[0].speech_end_s == pytest.approx(0.7 + clip.seconds, abs=0.6)
    assert said[0].decided_s - said[0].speech_end_s <= 1.3


async def test_push_to_talk_takes_all_phrases_as_one() -> None:
    clips = [speech.pocketsphinx()[i] for i in (7, 10)]
    audio = np.concatenate([clip.padded(0.3, 1.5).samples for clip in clips])
    said = ended(await listen(audio, "manual"))
    assert len(said) == 1
    assert said[0].transcript is not None
    text = " ".join(clip.text for clip in clips)
    errors, count = speech.word_errors(text, said[0].transcript.text)
    assert errors <= count / 4, said[0].transcript.text


@pytest.mark.parametrize("name", ["vm-no", "hello", "digits/6"])
async def test_one_word_is_an_utterance(name: str) -> None:
    said = ended(await listen(speech.prompt(name).padded(0.5, 1.5).samples))
    assert [one.reason for one in said] == [None]


async def test_sounds_that_are_no_speech_are_none() -> None:
    for name, audio in noise.sounds().items():
        for one in ended(await listen(np.pad(audio, (8000, 16000)))):
            assert one.transcript is None, (name, one.transcript)


async def test_many_streams_at_once_are_heard_as_each_alone() -> None:
    clips = [speech.prompt(name) for name in ("hello", "vm-no", "goodbye", "digits/6")]
    heard = await asyncio.gather(*(listen(clip.padded(0.4, 1.5).samples) for clip in clips))
    for clip, events in zip(clips, heard, strict=True):
        said = ended(events)
        assert len(said) == 1, clip.name
        assert said[0].transcript is not None, clip.name
