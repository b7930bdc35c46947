"""Speech-to-text and text-to-speech on other machines: Wyoming and OpenAI servers on real sockets
that do what they should. Others are in ``test_remote_speech_faults.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import numpy as np
import pytest
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop

from lobug.engines.base import KnowsNames, PacedVoice
from lobug.engines.remote_speech import RemoteSpeechToText
from lobug.engines.speech_server import VOICE_RATE
from support.faults import until
from support.patience import PATIENCE_S
from support.remote_speech_kit import (
    BOTH,
    SAID,
    ScriptedAudio,
    ears_of,
    remote,
    started,
    voice_of,
    wav_of,
)
from support.scripted_http import Answer, serving
from support.scripted_speech import ScriptedSpeechToText, ScriptedTextToSpeech
from support.scripted_wyoming import ScriptedWyoming, Step, speech, wyoming


@BOTH
async def test_words_come_back(kind: str) -> None:
    async with remote(kind) as server:
        ears = ears_of(server)
        async with started(ears):
            heard = await ears.transcribe(SAID, "en")
            assert (heard.text, heard.language) == ("Hello.", "en")
            status = ears.status()
            assert (status.name, status.ready, status.degraded) == (kind, True, False)
            assert status.details["in_use"] == "server"
        if isinstance(server, ScriptedAudio):
            assert (heard.avg_logprob, heard.no_speech_prob) == (-0.25, 0.1)


async def test_wyoming_gets_model_language_and_all_of_the_audio() -> None:
    async with wyoming(ScriptedWyoming()) as server:
        ears = ears_of(server, wyoming_model="base")
        async with started(ears):
            await ears.transcribe(SAID, "de")
            await ears.transcribe(SAID, None)
        first, *rest = server.requests[0]
        asked = Transcribe.from_event(first)
        assert (asked.name, asked.language) == ("base", "de")
        start = AudioStart.from_event(rest[0])
        assert (start.rate, start.width, start.channels) == (16_000, 2, 1)
        chunks = [AudioChunk.from_event(event).audio for event in rest[1:-1]]
        assert np.frombuffer(b"".join(chunks), "<i2").size == SAID.size
        assert AudioStop.is_type(rest[-1].type)
        assert Transcribe.from_event(server.requests[1][0]).language is None


async def test_names_that_are_likely_are_told_to_the_server_and_to_what_replaces_it() -> None:
    class Knowing(ScriptedSpeechToText):
        names: Sequence[str] = ()

        def expect_names(self, names: Sequence[str]) -> None:
            self.names = names

    async with wyoming(ScriptedWyoming()) as server, serving(ScriptedAudio()) as audio:
        spare = Knowing()
        ears = ears_of(server, spare=spare)
        assert isinstance(ears, KnowsNames)
        async with started(ears):
            await ears.transcribe(SAID, "en")
            ears.expect_names(["Ada's lamp", *map(str, range(500))])
            await ears.transcribe(SAID, "en")
        before, after = (Transcribe.from_event(events[0]) for events in server.requests)
        assert before.transcript_names is None
        assert after.transcript_names is not None
        assert after.transcript_names[0] == "Ada's lamp"
        assert len(after.transcript_names) == 100
        assert spare.names[0] == "Ada's lamp"
        plain = ears_of(audio)
        async with started(plain):
            plain.expect_names(["Ada's lamp"])
            await plain.transcribe(SAID, "en")
        assert b"Ada" not in audio.bodies[-1]


async def test_openai_gets_key_model_language_and_a_wav() -> None:
    async with serving(ScriptedAudio()) as server:
        ears = ears_of(server, openai_model="large")
        async with started(ears):
            await ears.transcribe(SAID, "de")
            await ears.transcribe(SAID, None)
        (request, again) = server.requests_to("/v1/audio/transcriptions")
        assert request.headers["authorization"] == "Bearer sesame"
        body = server.bodies[server.received.index(request)]
        assert b"large" in body
        assert b'name="language"\r\n\r\nde' in body
        assert b"RIFF" in body
        assert b'name="language"' not in server.bodies[server.received.index(again)]


async def test_a_server_that_tells_no_confidence_is_asked_plainly_from_then_on() -> None:
    async with serving(ScriptedAudio()) as server:
        server.knows_verbose = False
        ears = ears_of(server)
        async with started(ears):
            for _ in range(2):
                heard = await ears.transcribe(SAID, "en")
                assert (heard.text, heard.avg_logprob) == ("Hello.", 0.0)
        assert len(server.requests_to("/v1/audio/transcriptions")) == 3


@BOTH
async def test_a_sentence_is_spoken_at_our_rate(kind: str) -> None:
    async with remote(kind) as server:
        voice = voice_of(server)
        async with started(voice):
            spoken = await voice.synthesize("Hello there.")
        assert spoken.size == pytest.approx(VOICE_RATE / 2, abs=50)
        spectrum = np.abs(np.fft.rfft(spoken))
        assert spectrum.argmax() * VOICE_RATE / spoken.size == pytest.approx(440, abs=5)


@BOTH
async def test_speech_is_passed_on_as_it_comes(kind: str) -> None:
    gate = asyncio.Event()
    async with remote(kind) as server:
        if isinstance(server, ScriptedWyoming):
            steps: list[Step] = speech(0.5)
            server.speech = [*steps[:8], gate, *steps[8:]]
        else:
            chunks = wav_of(0.5)
            server.speech.chunks = [*chunks[:5], gate, *chunks[5:]]
        voice = voice_of(server)
        async with started(voice), aclosing(voice.stream("Hello there.", 1.0)) as parts:
            first = await anext(parts)
            assert 0 < first.size < VOICE_RATE / 4
            gate.set()
            rest = np.concatenate([part async for part in parts])
            assert first.size + rest.size == pytest.approx(VOICE_RATE / 2, abs=50)


async def test_wyoming_gets_text_in_pieces_only_where_the_server_takes_them() -> None:
    async with wyoming(ScriptedWyoming(speech=[*speech(0.1), *speech(0.2)])) as server:
        for streams in (False, True):
            server.streams = streams
            voice = voice_of(server, wyoming_voice="joe")
            async with started(voice):
                spoken = await voice.synthesize("Hello. Bye.")
                # Without pieces the first stop is the end; with them each sentence has one.
                assert spoken.size / VOICE_RATE == pytest.approx(0.3 if streams else 0.1, abs=0.01)
        (plain,), pieces = server.requests
        asked = Synthesize.from_event(plain)
        assert (asked.text, asked.voice and asked.voice.name) == ("Hello. Bye.", "joe")
        start, chunk, stop = pieces
        assert SynthesizeStart.from_event(start).voice is not None
        assert SynthesizeChunk.from_event(chunk).text == "Hello. Bye."
        assert SynthesizeStop.is_type(stop.type)


async def test_without_a_voices_name_wyoming_is_told_the_language() -> None:
    async with wyoming(ScriptedWyoming()) as server:
        voice = voice_of(server)
        async with started(voice):
            await voice.synthesize("Hello.")
        asked = Synthesize.from_event(server.requests[0][0])
        assert asked.voice is not None
        assert (asked.voice.name, asked.voice.language) == (None, "en")


async def test_openai_gets_voice_and_speed_and_headerless_sound_is_24_khz() -> None:
    async with serving(ScriptedAudio()) as server:
        server.speech = Answer([b"\x00\x10" * 24_000], content_type="audio/pcm")
        voice = voice_of(server, openai_format="pcm", openai_voice="ash", speed=1.5)
        assert isinstance(voice, PacedVoice)
        async with started(voice):
            assert (await voice.synthesize("Hi.")).size == VOICE_RATE
            await voice.synthesize_at("Hi.", 1.2)
            voice.set_speed(1.0)
            await voice.synthesize("Hi.")
        asked = [request.body for request in server.requests_to("/v1/audio/speech")]
        assert [body.get("speed") for body in asked] == [1.5, pytest.approx(1.8), None]
        assert (asked[0]["voice"], asked[0]["response_format"]) == ("ash", "pcm")


async def test_what_cannot_be_spoken_or_heard_asks_nobody() -> None:
    async with wyoming(ScriptedWyoming()) as server:
        voice, ears = voice_of(server), ears_of(server)
        async with started(voice), started(ears):
            assert not (await voice.synthesize("... !")).size
            assert [part async for part in voice.stream("…", 1.0)] == []
            assert (await ears.transcribe(np.zeros(0, np.float32), "en")).text == ""
        assert server.requests == []


@BOTH
@pytest.mark.parametrize("job", ["stt", "tts"])
async def test_who_stops_waiting_closes_the_connection(kind: str, job: str) -> None:
    async with remote(kind) as server:
        never = asyncio.Event()
        if isinstance(server, ScriptedWyoming):
            server.transcript, server.speech = [never], [*speech(0.3)[:3], never]
        else:
            server.transcription = Answer([never])
            server.speech.chunks = [*wav_of(0.3)[:3], never]
        engine = ears_of(server) if job == "stt" else voice_of(server)
        async with started(engine):
            task: asyncio.Future[object]
            if isinstance(engine, RemoteSpeechToText):
                task = asyncio.ensure_future(engine.transcribe(SAID, "en"))
            else:
                task = asyncio.ensure_future(engine.synthesize("Hello."))
            path = "/v1/audio/" + ("transcriptions" if job == "stt" else "speech")
            if isinstance(server, ScriptedAudio):
                await server.wait_for_requests(path, 1)
                gone = server.requests_to(path)[0].gone
            else:
                await until(lambda: _true(bool(server.requests)))
                gone = server.gone
            await asyncio.sleep(0.05)  # the request is on its way; either way it must end
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with asyncio.timeout(PATIENCE_S):
                await gone.wait()
            assert engine.status().degraded is False, (
                "whose wait is over says nothing of the server"
            )


async def _true(value: bool) -> bool:
    return value


async def test_only_so_many_requests_are_under_way() -> None:
    gate = asyncio.Event()
    async with wyoming(ScriptedWyoming(transcript=[gate, Transcript("Hello.")])) as server:
        ears = ears_of(server, max_requests=2)
        async with started(ears):
            tasks = [asyncio.ensure_future(ears.transcribe(SAID, "en")) for _ in range(5)]
            await until(lambda: _true(len(server.requests) == 2))
            gate.set()
            assert [heard.text for heard in await asyncio.gather(*tasks)] == ["Hello."] * 5
        assert server.most_open == 2


async def test_who_waits_behind_a_server_that_hangs_is_heard_by_the_spare_at_once() -> None:
    steps = [asyncio.Event()]
    async with wyoming(ScriptedWyoming(transcript=steps, speech=steps)) as server:
        limits = {"max_requests": 1, "answer_timeout_s": 0.3}
        ears = ears_of(server, spare=ScriptedSpeechToText(), **limits)
        voice = voice_of(server, spare=ScriptedTextToSpeech(sample_rate=VOICE_RATE), **limits)
        async with started(ears), started(voice):
            before = len(server.requests)
            await asyncio.gather(*(ears.transcribe(SAID, "en") for _ in range(4)))
            assert len(server.requests) == before + 1
            await asyncio.gather(*(voice.synthesize("Hello.") for _ in range(4)))
            assert len(server.requests) == before + 2
