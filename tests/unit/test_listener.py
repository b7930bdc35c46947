"""The listener with a gate that goes by loudness and speech-to-text that answers when told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from lobug.engines.base import STT_SAMPLE_RATE, VOICE_FRAME, Samples, Transcript
from lobug.errors import EngineError, EngineTimeoutError
from lobug.settings import Settings
from lobug.turn.events import (
    InterimTranscript,
    ListeningEvent,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
)
from lobug.turn.listener import Listener
from support.scripted_speech import ScriptedGate, ScriptedSpeechToText

LISTENING = {
    "pause_s": 0.16, "end_silence_s": 0.64, "unfinished_silence_s": 1.28,
    "finished_silence_s": 0.32, "interim_every_s": 0, "no_speech_timeout_s": 3.2,
    "max_utterance_s": 9.6, "max_backlog_s": 4.0,
}  # fmt: skip
"""In frames: 5 pause, 20 end, 40 end what is unfinished, 10 a command; 100 nothing, 300 at most."""


def at(frames: int) -> float:
    """Seconds of stream."""
    return frames * VOICE_FRAME / STT_SAMPLE_RATE


def sound(frames: str) -> Samples:
    """``#`` is a frame of voice, ``.`` one of silence."""
    levels = np.array([0.5 if frame == "#" else 0.0 for frame in frames], np.float32)
    return np.repeat(levels, VOICE_FRAME)


@dataclass
class Call:
    """One transcription."""

    audio: Samples
    language: str | None
    answer: asyncio.Future[str | Exception]
    cancelled: bool = False

    @property
    def frames(self) -> float:
        return len(self.audio) / VOICE_FRAME

    def says(self, answer: str | Exception) -> None:
        self.answer.set_result(answer)


@dataclass
class ManualSpeechToText(ScriptedSpeechToText):
    """Each call is answered by the test, or at once with ``immediate``."""

    calls: list[Call] = field(default_factory=list)
    immediate: str | None = None
    called: asyncio.Event = field(default_factory=asyncio.Event)
    logprob: float = -0.2

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        call = Call(audio, language, asyncio.get_running_loop().create_future())
        self.calls.append(call)
        self.called.set()
        try:
            answer = self.immediate if self.immediate is not None else await call.answer
        except asyncio.CancelledError:
            call.cancelled = True
            raise
        if isinstance(answer, Exception):
            raise answer
        return Transcript(answer, language or "fr", 0.02, self.logprob, 1.0)

    async def call(self, number: int) -> Call:
        """The call of this number, from 1, once it is there."""
        while len(self.calls) < number:
            self.called.clear()
            await self.called.wait()
        return self.calls[number - 1]


class Ears:
    """A listener whose events are collected."""

    def __init__(self, listener: Listener, stt: ManualSpeechToText, gate: ScriptedGate) -> None:
        self.listener = listener
        self.stt = stt
        self.gate = gate
        self.events: asyncio.Queue[ListeningEvent] = asyncio.Queue()

    def hear(self, frames: str) -> None:
        self.listener.push(sound(frames))

    async def listened(self) -> None:
        """Return once all that was pushed has been listened to."""
        while self.listener.waiting:  # noqa: ASYNC110 - the listener has no event for it
            await asyncio.sleep(0)
        for _ in range(5):  # until what it brought about has begun
            await asyncio.sleep(0)

    async def next(self) -> ListeningEvent:
        return await self.events.get()

    async def names(self, count: int) -> list[str]:
        return [type(await self.next()).__name__ for _ in range(count)]

    async def collect(self) -> None:
        async with aclosing(self.listener.events()) as events:
            async for event in events:
                self.events.put_nowait(event)


Opened = Callable[..., Awaitable[Ears]]


@asynccontextmanager
async def ears(
    *,
    mode: Any = "auto",
    busy: Callable[[], bool] = lambda: False,
    stt: Any = None,
    **listening: Any,
) -> AsyncIterator[Ears]:
    """A listener at work; at its end no task of it may be left."""
    settings = Settings(_env_file=None, listening={**LISTENING, **listening}, stt=stt or {})
    gate, engine = ScriptedGate(), ManualSpeechToText()
    before = asyncio.all_tasks()
    listener = Listener(gate, engine, lambda: settings, mode=mode, busy=busy)
    opened = Ears(listener, engine, gate)
    collecting = asyncio.create_task(opened.collect())
    try:
        yield opened
    finally:
        opened.listener.close()
        await collecting
        assert asyncio.all_tasks() == before


async def test_words_are_transcribed_at_the_pause_and_taken_at_the_end() -> None:
    async with ears() as e:
        e.hear("." * 20 + "#" * 10 + "." * 6)
        assert await e.next() == SpeechBegan(at(20))
        call = await e.stt.call(1)
        assert call.language == "en"
        call.says(" I am here. ")
        pause = await e.next()
        assert isinstance(pause, PauseTranscript)
        assert pause.speech_end_s == at(30)
        e.hear("." * 30)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.transcript is pause.transcript
        assert ended.speech_seconds == pytest.approx(at(10))
        assert (ended.speech_end_s, ended.decided_s) == (at(30), at(50))
        assert (ended.pause_s, ended.reason) == (at(30), None)
        assert len(e.stt.calls) == 1


async def test_what_is_transcribed_is_the_speech_with_a_little_around_it() -> None:
    async with ears() as e:
        e.hear("." * 90)
        e.hear("#" * 10 + "." * 5)
        call = await e.stt.call(1)
        before = np.flatnonzero(call.audio)[0] / STT_SAMPLE_RATE
        assert before == pytest.approx(0.3)
        assert call.frames == pytest.approx(0.3 / at(1) + 15, abs=0.01)
        call.says("Hello.")


async def test_speech_that_resumes_abandons_what_is_under_way() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 6)
        first = await e.stt.call(1)
        e.hear("#" * 10)
        assert await e.names(2) == ["SpeechBegan", "SpeechResumed"]
        await e.listened()
        assert first.cancelled
        e.hear("." * 6)
        second = await e.stt.call(2)
        assert second.frames > first.frames + 10
        second.says("I am here.")
        e.hear("." * 20)
        assert await e.names(2) == ["PauseTranscript", "SpeechEnded"]


async def test_a_pause_transcript_is_void_when_speech_resumes() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 6)
        (await e.stt.call(1)).says("I am")
        assert await e.names(2) == ["SpeechBegan", "PauseTranscript"]
        e.hear("#" * 10 + "." * 6)
        assert isinstance(await e.next(), SpeechResumed)
        (await e.stt.call(2)).says("I am here.")
        assert await e.names(1) == ["PauseTranscript"]
        e.hear("." * 30)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.transcript is not None
        assert ended.transcript.text == "I am here."
        assert ended.pause_s == ended.speech_end_s == at(26)


@pytest.mark.parametrize(("text", "frames"), [("Stop.", 10), ("I am here.", 20), ("I am a", 40)])
async def test_the_words_decide_how_much_silence_it_takes(text: str, frames: int) -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 6)
        (await e.stt.call(1)).says(text)
        assert await e.names(2) == ["SpeechBegan", "PauseTranscript"]
        e.hear("." * 60)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.decided_s == at(10 + frames)


async def test_the_end_waits_for_a_transcript_that_is_late() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 30)
        assert isinstance(await e.next(), SpeechBegan)
        (await e.stt.call(1)).says("I am here.")
        assert await e.names(2) == ["PauseTranscript", "SpeechEnded"]
        assert len(e.stt.calls) == 1


async def test_silence_beyond_every_bound_ends_it_before_the_transcript_is_there() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 60)
        call = await e.stt.call(1)
        e.hear("#" * 10 + "." * 6)  # of the next utterance
        call.says("I am here.")
        assert isinstance(await e.next(), SpeechBegan)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert (ended.decided_s, ended.pause_s) == (at(50), None)
        assert await e.next() == SpeechBegan(at(70))
        (await e.stt.call(2)).says("And here.")


async def test_interim_transcripts_come_while_speech_goes_on() -> None:
    async with ears(interim_every_s=0.32) as e:
        e.hear("#" * 12)
        first = await e.stt.call(1)
        assert 9 <= first.frames <= 13
        e.hear("#" * 12)  # no second one beside the first
        first.says("I am")
        assert await e.next() == SpeechBegan(at(0))
        assert await e.next() == InterimTranscript("I am")
        e.hear("#" * 90)
        second = await e.stt.call(2)
        assert len(e.stt.calls) == 2
        second.says("I am here and there")
        assert await e.next() == InterimTranscript("I am here and there")


async def test_the_longer_an_interim_transcript_takes_the_fewer_there_are() -> None:
    async with ears(interim_every_s=0.32) as e:
        e.hear("#" * 12)
        first = await e.stt.call(1)
        e.hear("#" * 20)
        await e.listened()
        first.says("I")  # after twenty frames: for sixty there is no other
        assert await e.names(2) == ["SpeechBegan", "InterimTranscript"]
        for _ in range(6):
            e.hear("#" * 9)
            await e.listened()
        assert len(e.stt.calls) == 1
        e.hear("#" * 12)
        await e.stt.call(2)


async def test_interim_transcripts_give_way() -> None:
    async with ears(interim_every_s=0.32, busy=lambda: True) as e:
        e.hear("#" * 60 + "." * 6)
        call = await e.stt.call(1)
        assert call.frames > 60
        call.says("I am here.")
        assert await e.names(2) == ["SpeechBegan", "PauseTranscript"]


async def test_an_interim_transcript_that_knows_all_words_is_that_of_the_pause() -> None:
    async with ears(interim_every_s=0.32) as e:
        e.hear("#" * 9 + "..")
        call = await e.stt.call(1)
        call.says("I am here.")
        assert await e.names(2) == ["SpeechBegan", "InterimTranscript"]
        e.hear("....")
        assert isinstance(await e.next(), PauseTranscript)
        assert len(e.stt.calls) == 1


@pytest.mark.parametrize("mode", ["auto", "realtime"])
@pytest.mark.parametrize("frames", ["#" * 20, "#" * 20 + "." * 6])
async def test_a_stream_that_stalls_in_mid_utterance_is_silent(
    mode: str, frames: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing: list[float] = []

    def push(samples: Samples) -> None:
        missing.append(len(samples) / STT_SAMPLE_RATE)
        Listener.push(e.listener, samples)

    stalled: dict[str, Any] = {
        "end_silence_s": 0.25,
        "unfinished_silence_s": 0.5,
        "stalled_s": 0.05,
    }
    async with ears(mode=mode, **stalled) as e:
        e.stt.immediate = "What time is it?"
        e.hear(frames)
        monkeypatch.setattr(e.listener, "push", push)
        assert (await e.names(2))[0] == "SpeechBegan"
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.transcript is not None
        assert ended.speech_end_s == at(20)
        assert missing[0] == pytest.approx(0.3)
        # Who speaks again is heard.
        e.hear("#" * 20 + "." * 8)
        assert await e.names(3) == ["SpeechBegan", "PauseTranscript", "SpeechEnded"]


async def test_stop_ends_it_at_once() -> None:
    async with ears(mode="manual") as e:
        e.hear("#" * 10)
        e.listener.stop()
        (await e.stt.call(1)).says("I am here.")
        assert isinstance(await e.next(), SpeechBegan)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert (ended.decided_s, ended.pause_s) == (at(10), None)


async def test_stop_behind_a_pause_takes_its_transcript() -> None:
    async with ears(mode="manual") as e:
        e.hear("#" * 10 + "." * 100)  # silence ends nothing here
        (await e.stt.call(1)).says("I am here.")
        assert await e.names(2) == ["SpeechBegan", "PauseTranscript"]
        e.listener.stop()
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.pause_s == ended.speech_end_s
        assert len(e.stt.calls) == 1


async def test_stop_in_words_behind_a_pause_needs_another_transcript() -> None:
    async with ears(mode="manual") as e:
        e.hear("#" * 10 + "." * 6)
        (await e.stt.call(1)).says("I am here.")
        e.hear("#" * 10)
        assert await e.names(3) == ["SpeechBegan", "PauseTranscript", "SpeechResumed"]
        e.listener.stop()
        (await e.stt.call(2)).says("I am here and there.")
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.transcript is not None
        assert (ended.transcript.text, ended.pause_s) == ("I am here and there.", None)


async def test_stop_comes_behind_what_was_pushed_before_it_and_before_the_rest() -> None:
    async with ears(mode="manual") as e:
        e.hear("#" * 10)
        e.listener.stop()
        e.hear("#" * 10)
        e.listener.stop()
        e.stt.immediate = "Here."
        (await e.stt.call(1)).says("Here.")
        names = await e.names(4)
        assert names == ["SpeechBegan", "SpeechEnded", "SpeechBegan", "SpeechEnded"]


async def test_stop_without_a_word() -> None:
    async with ears(mode="manual") as e:
        e.hear("." * 10)
        e.listener.stop()
        assert isinstance(await e.next(), NothingSaid)


async def test_nobody_speaks() -> None:
    async with ears() as e:
        e.hear("." * 100)
        assert isinstance(await e.next(), NothingSaid)
        assert not e.stt.calls


async def test_too_little_speech_is_not_transcribed() -> None:
    async with ears() as e:
        e.hear("####" + "." * 30)
        assert isinstance(await e.next(), SpeechBegan)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert (ended.transcript, ended.reason) == (None, "no_speech")
        assert not e.stt.calls


async def test_noise_prepares_no_reply() -> None:
    async with ears() as e:
        e.stt.immediate, e.stt.logprob = "you", -2.0
        e.hear("#" * 10 + "." * 10)
        e.hear("." * 20)
        assert isinstance(await e.next(), SpeechBegan)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert (ended.transcript, ended.reason) == (None, "noise")


async def test_the_longest_utterance_is_cut_and_bounds_the_memory() -> None:
    async with ears() as e:
        e.stt.immediate = "On and on."
        for _ in range(31):
            await e.listened()
            e.hear("#" * 10)
        assert isinstance(await e.next(), SpeechBegan)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.decided_s == at(300)


async def test_a_transcription_that_fails_loses_the_utterance_only() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 6)
        error = EngineTimeoutError("stt", "too slow")
        (await e.stt.call(1)).says(error)
        e.hear("." * 30)
        assert isinstance(await e.next(), SpeechBegan)
        assert await e.next() == ListeningFailed(error)
        e.hear("#" * 10 + "." * 6)
        (await e.stt.call(2)).says("I am here.")
        e.hear("." * 30)
        assert await e.names(3) == ["SpeechBegan", "PauseTranscript", "SpeechEnded"]


async def test_an_engine_that_is_closed_in_mid_transcription_is_a_failure() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 30)
        (await e.stt.call(1)).answer.cancel()
        assert isinstance(await e.next(), SpeechBegan)
        failed = await e.next()
        assert isinstance(failed, ListeningFailed)
        assert failed.error.code == "engine_unavailable"


async def test_a_failure_at_a_pause_is_forgotten_when_speech_resumes() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 6)
        (await e.stt.call(1)).says(EngineTimeoutError("stt", "too slow"))
        e.hear("#" * 10 + "." * 6)
        (await e.stt.call(2)).says("I am here.")
        e.hear("." * 30)
        names = await e.names(4)
        assert names == ["SpeechBegan", "SpeechResumed", "PauseTranscript", "SpeechEnded"]


async def test_a_gate_that_fails_is_told_once_until_it_works_again() -> None:
    async with ears() as e:
        e.hear("#" * 10)
        assert isinstance(await e.next(), SpeechBegan)
        e.gate.fail = error = EngineError("gate", "gone")
        for _ in range(5):
            e.hear("#")
            await e.listened()
        assert await e.next() == ListeningFailed(error)
        assert e.events.empty()
        e.gate.fail = None
        e.hear("..###")
        assert await e.next() == SpeechBegan(at(17))
        e.gate.fail = error
        e.hear("#")
        assert await e.next() == ListeningFailed(error)


async def test_reset_throws_the_utterance_away() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 6)
        call = await e.stt.call(1)
        e.hear("." * 40)
        e.listener.reset()
        e.hear("##########")
        assert await e.next() == SpeechBegan(at(0))
        assert await e.next() == SpeechBegan(at(56))
        assert call.cancelled


async def test_after_reset_nothing_of_the_utterance_is_told_even_at_once() -> None:
    gate, stt = ScriptedGate(), ManualSpeechToText(immediate="I am here.")
    listener = Listener(gate, stt, lambda: Settings(_env_file=None, listening=LISTENING))
    listener.push(sound("#" * 10 + "." * 30))  # pause and end come at once
    told = []
    async with aclosing(listener.events()) as events:
        async for event in events:
            told.append(type(event))
            if isinstance(event, PauseTranscript):
                listener.reset()
                listener.push(sound("." * 100))
            if isinstance(event, NothingSaid):
                break
    assert told == [SpeechBegan, PauseTranscript, NothingSaid]


async def test_an_overrun_behind_a_reset_is_told() -> None:
    async with ears() as e:
        e.listener.reset()
        e.hear("#" * 130)
        assert isinstance(await e.next(), ListeningFailed)


async def test_reset_while_the_last_words_are_transcribed() -> None:
    async with ears(mode="manual") as e:
        e.hear("#" * 10)
        e.listener.stop()
        call = await e.stt.call(1)
        e.listener.reset()
        e.hear("#" * 10)
        assert await e.names(2) == ["SpeechBegan", "SpeechBegan"]
        assert call.cancelled


async def test_more_than_can_wait_loses_the_utterance() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 60)
        call = await e.stt.call(1)
        assert isinstance(await e.next(), SpeechBegan)
        for _ in range(20):  # 4 s may wait: 125 frames
            e.hear("#" * 10)
        failed = await e.next()
        assert isinstance(failed, ListeningFailed)
        assert failed.error.code == "listener_overrun"
        assert await e.next() == SpeechBegan(at(200))
        assert call.cancelled


async def test_the_language_of_the_settings_is_told_to_the_engine() -> None:
    async with ears(stt={"language": "auto"}) as e:
        e.hear("#" * 10 + "." * 6)
        call = await e.stt.call(1)
        assert call.language is None
        call.says("Bonjour.")


async def test_closing_in_mid_transcription_leaves_nothing() -> None:
    async with ears() as e:
        e.hear("#" * 10 + "." * 6)
        call = await e.stt.call(1)
    assert call.cancelled
    e.hear("#" * 10)  # nobody listens, and nothing is kept
    assert e.listener.waiting == 0


async def test_cancelling_the_reader_leaves_nothing() -> None:
    gate, stt = ScriptedGate(), ManualSpeechToText()
    e = Ears(Listener(gate, stt, lambda: Settings(_env_file=None, listening=LISTENING)), stt, gate)
    before = asyncio.all_tasks()
    reading = asyncio.create_task(e.collect())
    e.hear("#" * 10 + "." * 6)
    call = await stt.call(1)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert call.cancelled
    assert asyncio.all_tasks() == before


async def test_events_are_read_once() -> None:
    async with ears() as e:
        e.hear("." * 100)
        await e.next()
        with pytest.raises(RuntimeError, match="once"):
            await anext(e.listener.events())


@pytest.mark.parametrize(
    ("setting", "words", "before", "after"),
    [
        ("end_silence_s", "I like bees", 0.5, 0.3),
        ("unfinished_silence_s", "I like bees and", 1.2, 0.8),
        ("finished_silence_s", "Stop.", 0.4, 0.2),
    ],
)
async def test_the_next_utterance_ends_by_the_settings_of_now(
    setting: str, words: str, before: float, after: float
) -> None:
    """They change while the stream stays open; an utterance that has begun keeps its own."""
    durations = {"end_silence_s": 0.5, "unfinished_silence_s": 1.2, "finished_silence_s": 0.4}
    current = Settings(_env_file=None, listening=durations)
    gate, stt = ScriptedGate(), ManualSpeechToText()
    e = Ears(Listener(gate, stt, lambda: current), stt, gate)
    collecting = asyncio.create_task(e.collect())
    for number, silence_s in enumerate((before, after), 1):
        e.hear("." * 10 + "#" * 10)
        await e.listened()
        current = Settings(_env_file=None, listening={**durations, setting: after})
        e.hear("." * 8)
        (await e.stt.call(number)).says(words)
        assert isinstance(await e.next(), SpeechBegan)
        assert isinstance(await e.next(), PauseTranscript)
        e.hear("." * 60)
        ended = await e.next()
        assert isinstance(ended, SpeechEnded)
        assert ended.decided_s - ended.speech_end_s == pytest.approx(silence_s, abs=0.07)
        await e.listened()
    e.listener.close()
    await collecting
