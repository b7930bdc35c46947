"""Speech-to-text and text-to-speech on other machines: Wyoming and OpenAI servers on real sockets,
good ones, hostile ones, and ones that go and come back.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.info import Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.cli.doctor.engines import OllamaState, try_audio
from lobug.cli.doctor.models import examine_model_files
from lobug.cli.serve import _require_models
from lobug.cli.terminal import CommandError
from lobug.engines import wyoming_wire
from lobug.engines.base import (
    Engine,
    Engines,
    KnowsNames,
    PacedVoice,
    Samples,
    SpeechToText,
)
from lobug.engines.openai_audio import OpenAIRecognizer, OpenAISynthesizer
from lobug.engines.remote_speech import (
    VOICE_RATE,
    PacedRemoteVoice,
    RemoteSpeechToText,
    RemoteVoice,
    longest_speech_s,
)
from lobug.engines.selection import choose_stt, choose_tts
from lobug.engines.wyoming import WyomingRecognizer, WyomingSynthesizer
from lobug.errors import (
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)
from lobug.models.catalog import needed_models
from lobug.server import LobugServer
from lobug.settings import Settings, SttSettings, TtsSettings
from support.app_server import ScriptedEngines, client_of, settings_for
from support.faults import until
from support.scripted_http import Answer, Chunk, Received, ScriptedServer, as_json, serving
from support.scripted_speech import ScriptedGate, ScriptedSpeechToText, ScriptedTextToSpeech
from support.scripted_wyoming import ScriptedWyoming, Step, speech, wyoming
from support.wav import pcm16, tone

SAID: Samples = (0.2 * np.sin(np.arange(16_000) * 0.1)).astype(np.float32)
NO_WAIT = {"answer_timeout_s": 0.05}
PATIENT = {"answer_timeout_s": 30.0}


class ScriptedAudio(ScriptedServer):
    """OpenAI's `/v1/audio`. Multipart bodies are kept as bytes in ``bodies``."""

    def __init__(self) -> None:
        super().__init__()
        self.transcription: Answer | None = None
        self.knows_verbose = True
        self.speech = Answer(wav_of(0.5), content_type="audio/wav")
        self.bodies: list[bytes] = []

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            method, path, _ = first.split(" ")
            is_json = headers.get("content-type", "").startswith("application/json")
            request = Received(method, path, json.loads(body) if is_json else {}, headers)
            self.received.append(request)
            self.bodies.append(body)
            async with self._changed:
                self._changed.notify_all()
            await self._send(self.answer(request), request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._connections.discard(writer)
            writer.close()

    def answer(self, request: Received) -> Answer:
        match request.path:
            case "/v1/models":
                return as_json({"object": "list", "data": []})
            case "/v1/audio/transcriptions":
                verbose = b"verbose_json" in self.bodies[-1]
                if verbose and not self.knows_verbose:
                    return as_json({"error": {"message": "response_format"}}, status=400)
                if self.transcription is not None:
                    return self.transcription
                segment = {"avg_logprob": -0.25, "no_speech_prob": 0.1}
                more = {"language": "english", "segments": [segment]} if verbose else {}
                return as_json({"text": " Hello. ", **more})
            case "/v1/audio/speech":
                return self.speech
        return super().answer(request)


def wav_of(seconds: float, rate: int = 22_050) -> list[Chunk]:
    """A WAV of unknown length in chunks, as servers stream it."""
    samples = (
        0.3 * np.sin(np.arange(int(seconds * rate)) * 2 * np.pi * 440 / rate) * 32767
    ).astype("<i2")
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 0xFFFFFFFF, b"WAVE", b"fmt ", 16, 1, 1, rate, rate * 2, 2, 16),
        *(b"data", 0xFFFFFFFF),
    )
    data = samples.tobytes()
    return [header, *(data[at : at + 2_047] for at in range(0, len(data), 2_047))]


Remote = ScriptedWyoming | ScriptedAudio


@asynccontextmanager
async def remote(kind: str) -> AsyncIterator[Remote]:
    if kind == "wyoming":
        async with wyoming(ScriptedWyoming()) as server:
            yield server
    else:
        async with serving(ScriptedAudio()) as audio:
            yield audio


def section(server: Remote, **more: Any) -> dict[str, Any]:
    """What names the server in the settings."""
    kind = "wyoming" if isinstance(server, ScriptedWyoming) else "openai"
    where = {"wyoming_url": server.url} if kind == "wyoming" else {}
    if kind == "openai":
        where = {"openai_base_url": f"{server.url}/v1", "openai_api_key": "sesame"}
    return {"engine": kind, "check_every_s": 1.0, **PATIENT, **where, **more}


def ears_of(server: Remote, spare: SpeechToText | None = None, **more: Any) -> RemoteSpeechToText:
    stt = SttSettings(**section(server, **more))
    asked = (
        WyomingRecognizer(Settings(_env_file=None, stt=stt))
        if stt.engine == "wyoming"
        else OpenAIRecognizer(stt)
    )
    return RemoteSpeechToText(asked, spare, stt)


def voice_of(server: Remote, spare: ScriptedTextToSpeech | None = None, **more: Any) -> RemoteVoice:
    tts = TtsSettings(**section(server, **more))
    if tts.engine == "openai":
        return PacedRemoteVoice(OpenAISynthesizer(tts), spare, tts)
    return RemoteVoice(WyomingSynthesizer(Settings(_env_file=None, tts=tts)), spare, tts)


@asynccontextmanager
async def started(engine: Engine) -> AsyncIterator[None]:
    try:
        with contextlib.suppress(EngineError):
            await engine.start()
        yield
    finally:
        await engine.close()


BOTH = pytest.mark.parametrize("kind", ["wyoming", "openai"])


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
        ears = ears_of(server, spare)
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
            async with asyncio.timeout(20):
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
        ears = ears_of(server, ScriptedSpeechToText(), **limits)
        voice = voice_of(server, ScriptedTextToSpeech(sample_rate=VOICE_RATE), **limits)
        async with started(ears), started(voice):
            before = len(server.requests)
            await asyncio.gather(*(ears.transcribe(SAID, "en") for _ in range(4)))
            assert len(server.requests) == before + 1
            await asyncio.gather(*(voice.synthesize("Hello.") for _ in range(4)))
            assert len(server.requests) == before + 2


# Servers that fail


HEADER_2_GB = b'{"type": "transcript", "data_length": 2147483648}\n'
PAYLOAD_2_GB = b'{"type": "audio-chunk", "payload_length": 2147483648}\n'
SOUND = {"rate": 24_000, "width": 2, "channels": 1}


@pytest.mark.parametrize(
    ("steps", "said", "kind"),
    [
        ([b"HTTP/1.1 400 Bad Request\r\n\r\n"], "no JSON", EngineInterruptedError),
        ([HEADER_2_GB], "announces a data_length of more", EngineInterruptedError),
        ([b"x" * 300_000], "a line of more than 65536 bytes", EngineInterruptedError),
        ([None], "broke the connection off", EngineInterruptedError),
        ([asyncio.Event()], "sends no", EngineTimeoutError),
        ([Error("a voice that is secret")], "reports an error", EngineError),
        ([b'{"type": "transcript"}\n'], "without text", EngineInterruptedError),
        ([b'{"type": "transcript", "data": {"text": 5}}\n'], "without", EngineInterruptedError),
        ([Transcript("word " * 1_000)], "more words than were said", EngineInterruptedError),
        ([b'{"type": "pong"}\n'] * 30, "events without end", EngineInterruptedError),
    ],
)
async def test_a_wyoming_recognizer_that_misbehaves(
    steps: Sequence[Step], said: str, kind: type[EngineError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wyoming_wire, "MAX_EVENTS", 20)
    waits = any(isinstance(step, asyncio.Event) for step in steps)
    async with wyoming(ScriptedWyoming(transcript=steps)) as server:
        spare = ScriptedSpeechToText(texts=["Spare."])
        more: dict[str, Any] = NO_WAIT if waits else {}
        alone, replaced = ears_of(server, **more), ears_of(server, spare, **more)
        async with started(alone), started(replaced):
            with pytest.raises(kind, match=said) as caught:
                await alone.transcribe(SAID, "en")
            assert type(caught.value) is kind
            assert "secret" not in str(caught.value)
            assert (await replaced.transcribe(SAID, "en")).text == "Spare."
            assert replaced.status().ready
            assert replaced.status().degraded


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([PAYLOAD_2_GB], "announces a payload_length of more"),
        ([AudioStart(0, 2, 1)], "at 0 Hz"),
        ([AudioStart(24_000, 5, 1)], "5 bytes"),
        ([b'{"type": "audio-start"}\n'], "at 0 Hz"),
        ([AudioStart(**SOUND), AudioChunk(8_000, 2, 1, b"\0\0")], "changes the format"),
        ([AudioStart(**SOUND), asyncio.Event()], "nothing for"),
        ([AudioStart(**SOUND), AudioStop()], "sends no audio"),
        ([AudioChunk(**SOUND, audio=b"\x10\x10" * 24_000)] * 9, "audio without end"),
        ([AudioStart(**SOUND), AudioChunk(**SOUND, audio=b"\x10\x10" * 999), None], "connection"),
    ],
)
async def test_a_wyoming_voice_that_misbehaves(steps: Sequence[Step], said: str) -> None:
    waits = any(isinstance(step, asyncio.Event) for step in steps)
    async with wyoming(ScriptedWyoming(speech=steps)) as server:
        spare = ScriptedTextToSpeech()
        more: dict[str, Any] = NO_WAIT if waits else {}
        alone, replaced = voice_of(server, **more), voice_of(server, spare, **more)
        async with started(alone), started(replaced):
            with pytest.raises(EngineError, match=said):
                await alone.synthesize("Hello.")
            whole = await replaced.synthesize("Hello.")
            np.testing.assert_array_equal(whole, await spare.synthesize("Hello."))


async def test_a_drip_ends_with_the_time_for_the_whole_sentence() -> None:
    class Dripping(ScriptedWyoming):
        async def _play(self, steps: Sequence[Step], *streams: Any) -> None:
            if len(steps) > 1:
                while True:
                    await super()._play([AudioChunk(**SOUND, audio=b"\1\1")], *streams)
                    await asyncio.sleep(0.01)
            await super()._play(steps, *streams)

    async with wyoming(Dripping()) as server:
        voice = voice_of(server, timeout_s=0.3)
        async with started(voice):
            with pytest.raises(EngineTimeoutError, match=r"no whole answer within 0.3 s"):
                await voice.synthesize("Hello.")


@pytest.mark.parametrize(
    ("answer", "said", "kind"),
    [
        (as_json({"error": "no"}, status=401), "refuses the API key", EngineUnavailableError),
        (as_json({"error": "no"}, status=404), "does not have", ModelMissingError),
        (as_json({"error": "no"}, status=503), "not ready", EngineUnavailableError),
        (as_json({"error": "no"}, status=413), "status 413", EngineError),
        (Answer([b"<html>"], content_type="text/html"), "OpenAI protocol", EngineInterruptedError),
        (as_json({"words": "Hello."}), "OpenAI protocol", EngineInterruptedError),
        (as_json({"text": ["Hello."]}), "OpenAI protocol", EngineInterruptedError),
        (as_json({"text": "word " * 1_000}), "more words", EngineInterruptedError),
        (Answer([b" " * 65_536] * 20), "more than 1 MB", EngineInterruptedError),
        (Answer([b" " * 65_536] * 20, status=500), "more than 1 MB", EngineInterruptedError),
        (Answer([b'{"text', None]), "broke the connection off", EngineInterruptedError),
        (Answer([asyncio.Event()]), "sends no transcript", EngineTimeoutError),
    ],
)
async def test_an_openai_recognizer_that_misbehaves(
    answer: Answer, said: str, kind: type[EngineError]
) -> None:
    waits = any(isinstance(chunk, asyncio.Event) for chunk in answer.chunks)
    async with serving(ScriptedAudio()) as server:
        server.transcription = answer
        spare = ScriptedSpeechToText(texts=["Spare."])
        more: dict[str, Any] = {"answer_timeout_s": 0.3} if waits else {}
        alone, replaced = ears_of(server, **more), ears_of(server, spare, **more)
        async with started(alone), started(replaced):
            with pytest.raises(kind, match=said) as caught:
                await alone.transcribe(SAID, "en")
            assert type(caught.value) is kind
            assert (await replaced.transcribe(SAID, "en")).text == "Spare."


@pytest.mark.parametrize(
    ("chunks", "said"),
    [
        ([b"<html>" * 20], "no WAV"),
        ([*wav_of(30.0)], "audio without end"),
        ([*wav_of(0.3)[:3], None], "broke the connection off"),
        ([wav_of(0.3)[0]], "sends no audio"),
        ([], "sends no audio"),
    ],
)
async def test_an_openai_voice_that_misbehaves(chunks: list[Chunk], said: str) -> None:
    async with serving(ScriptedAudio()) as server:
        server.speech = Answer(chunks, content_type="audio/wav")
        spare = ScriptedTextToSpeech()
        alone, replaced = voice_of(server), voice_of(server, spare)
        async with started(alone), started(replaced):
            with pytest.raises(EngineError, match=said):
                await alone.synthesize("Hello.")
            whole = await replaced.synthesize("Hello.")
            np.testing.assert_array_equal(whole, await spare.synthesize("Hello."))


async def test_an_answer_that_is_packed_or_text_is_no_sound() -> None:
    class Packing(ScriptedAudio):
        async def _send(self, answer: Answer, *rest: Any) -> None:
            writer = rest[-1]
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: audio/wav\r\nContent-Encoding: gzip\r\n"
                b"Content-Length: 3\r\n\r\n\x1f\x8b\x08"
            )
            await writer.drain()

    async with serving(Packing()) as server:
        voice = voice_of(server)
        async with started(voice):
            with pytest.raises(EngineInterruptedError, match="packs its answers"):
                await voice.synthesize("Hello.")
    async with serving(ScriptedAudio()) as plain:
        plain.speech = as_json({"detail": "no such voice"})
        voice = voice_of(plain, openai_format="pcm")
        async with started(voice):
            with pytest.raises(EngineInterruptedError, match="sends no audio"):
                await voice.synthesize("Hello.")


async def test_a_voice_that_breaks_off_is_replaced_and_the_whole_sentence_is_heard() -> None:
    async with wyoming(ScriptedWyoming(speech=[*speech(0.5)[:6], None])) as server:
        spare = ScriptedTextToSpeech()
        voice = voice_of(server, spare)
        async with started(voice):
            parts = [part async for part in voice.stream("Hello there.", 1.0)]
            np.testing.assert_array_equal(parts[-1], await spare.synthesize("Hello there."))
            assert len(parts) > 1
            assert voice.status().details["in_use"] == "embedded"


def test_the_longest_speech_grows_with_the_words_up_to_the_setting() -> None:
    assert longest_speech_s("Hi.", 60.0) == 6.5
    assert longest_speech_s("x" * 40, 60.0) == 25.0
    assert longest_speech_s("x" * 400, 60.0) == 60.0


# What a server says of itself


@pytest.mark.parametrize(
    ("describes", "said"),
    [
        ([Info()], "offers no speech-to-text"),
        ([b'{"type": "info", "data": {"asr": 5}}\n'], "offers no speech-to-text"),
        ([b'{"type": "info", "data": {"asr": [5, null]}}\n'], "offers no speech-to-text"),
        ([b"junk\n"], "no JSON"),
        ([None], "broke the connection off"),
        ([asyncio.Event()], "sends nothing for"),
    ],
)
async def test_a_look_that_is_not_answered_well(describes: Sequence[Step], said: str) -> None:
    async with wyoming(ScriptedWyoming(describes=describes)) as server:
        ears = ears_of(server, answer_timeout_s=0.3)
        try:
            with pytest.raises(EngineError, match=said):
                await ears.start()
            assert not ears.status().ready
        finally:
            await ears.close()


async def test_a_model_or_voice_that_the_server_lacks_is_said() -> None:
    async with wyoming(ScriptedWyoming()) as server:
        for engine in (ears_of(server, wyoming_model="huge"), voice_of(server, wyoming_voice="x")):
            with pytest.raises(ModelMissingError, match="does not have"):
                await engine.start()
            await engine.close()


async def test_nobody_there_is_said_without_a_wait() -> None:
    server = ScriptedWyoming()
    await server.start()
    await server.stop()
    ears = ears_of(server)
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        await ears.start()
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        await ears.transcribe(SAID, "en")
    await ears.close()
    await ears.close()


# Falling back, and back again, as people see it


@asynccontextmanager
async def lobug_with(
    folder: Path, stt: Remote, tts: Remote, scripted: ScriptedEngines
) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    settings = settings_for(folder, stt=section(stt), tts=section(tts))

    async def assemble(settings: Settings) -> LobugServer:
        engines = Engines(
            scripted.chat,
            scripted.embedder,
            ears_of(stt, scripted.stt),
            scripted.gate,
            voice_of(tts, scripted.tts),
        )
        return with_memory(settings, engines)

    app = create_app(settings, assembler=assemble)
    async with client_of(app) as client:
        yield client, app.state.lobug


AUDIO = {"audio": ("recording.wav", pcm16(tone(1.0)), "audio/wav")}


async def said_and_heard(client: httpx.AsyncClient) -> tuple[str, int]:
    """What was understood of a recording, and the bytes of the spoken reply."""
    answer = await client.post("/chat/audio", files=AUDIO)
    assert answer.status_code == 200, answer.text
    return answer.json()["transcription"], len(answer.json()["audio_b64"])


@BOTH
async def test_a_server_that_goes_is_replaced_and_used_again_when_it_is_back(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(texts=["Embedded."]))
    async with (
        remote(kind) as server,
        lobug_with(tmp_path, server, server, scripted) as (client, _),
    ):
        assert (await said_and_heard(client))[0] == "Hello."
        assert scripted.tts.spoken == []
        with caplog.at_level(logging.INFO):
            await server.stop()
            for _ in range(3):
                words, sound = await said_and_heard(client)
                assert (words, sound > 0) == ("Embedded.", True)
            report = (await client.get("/health")).json()
            assert report["status"] == "ok", "it can hold a conversation"
            lines = [line for line in report["degraded"] if line.startswith(("stt", "tts"))]
            assert len(lines) == 2
            assert all("embedded engine is used until it answers again" in line for line in lines)
            assert report["engines"]["stt"]["details"]["in_use"] == "embedded"
            await server.restart()

            async def back() -> bool:
                return not (await client.get("/health")).json()["degraded"]

            await until(back)
        spoken_by_spare = len(scripted.tts.spoken)
        assert (await said_and_heard(client))[0] == "Hello."
        assert len(scripted.tts.spoken) == spoken_by_spare
        ours = [r.getMessage() for r in caplog.records if "availability" in r.name]
        assert len([line for line in ours if "answers again" in line]) == 2
        assert len([line for line in ours if "answers again" not in line]) == 2
        assert not any("Hello" in line or "Embedded" in line for line in caplog.messages)


async def test_a_server_that_is_down_at_the_start_is_used_once_it_is_there(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(texts=["Embedded."]))
    server = ScriptedWyoming()
    await server.start()
    await server.stop()
    async with lobug_with(tmp_path, server, server, scripted) as (client, _):
        assert (await said_and_heard(client))[0] == "Embedded."
        await server.restart()
        try:

            async def back() -> bool:
                return (await said_and_heard(client))[0] == "Hello."

            await until(back)
        finally:
            await server.stop()


async def test_an_embedded_engine_that_cannot_replace_the_server_is_said() -> None:
    async with wyoming(ScriptedWyoming()) as server:
        spare = ScriptedSpeechToText(fail=ModelMissingError("stt", "run `lobug models pull`"))
        ears = ears_of(server, spare)
        await ears.start()
        assert (await ears.transcribe(SAID, "en")).text == "Hello."
        status = ears.status()
        assert status.ready
        assert "Nothing could replace the Wyoming server" in str(status.reason)
        assert "models pull" in str(status.reason)
        await server.stop()
        with pytest.raises(ModelMissingError):
            await ears.transcribe(SAID, "en")
        assert not ears.status().ready
        await ears.close()


async def test_a_refusal_is_said_and_three_in_a_row_are_a_failure() -> None:
    async with serving(ScriptedAudio()) as server:
        server.transcription = as_json({"error": {"message": "no"}}, status=500)
        ears = ears_of(server, ScriptedSpeechToText(texts=["Spare."]), check_every_s=600.0)
        async with started(ears):
            for count in range(3):
                assert (await ears.transcribe(SAID, "en")).text == "Spare."
                assert ears.status().degraded
                asked = ears.status().details["in_use"]
                assert asked == ("server" if count < 2 else "embedded")
            requests = len(server.requests_to("/v1/audio/transcriptions"))
            await ears.transcribe(SAID, "en")
            assert len(server.requests_to("/v1/audio/transcriptions")) == requests


# Settings


@pytest.mark.parametrize("engine", ["wyoming", "openai"])
def test_without_a_replacement_nothing_is_downloaded_or_loaded(engine: str) -> None:
    alone = Settings(
        _env_file=None,
        stt=SttSettings(engine=engine, fallback=False),
        tts=TtsSettings(engine=engine, fallback=False),
    )
    assert "whisper-base" not in needed_models(alone)
    for chosen in (choose_stt(alone)[0], choose_tts(alone)[0]):
        assert isinstance(chosen, RemoteSpeechToText | RemoteVoice)
        assert chosen._spare is None
    replaced = Settings(_env_file=None, stt=SttSettings(engine=engine))
    assert "whisper-base" in needed_models(replaced)
    ears, why = choose_stt(replaced)
    assert isinstance(ears, RemoteSpeechToText)
    assert ears.catalog_model == "whisper-base"
    assert engine in why


@pytest.mark.parametrize(("engine", "level"), [("embedded", "fail"), ("wyoming", "warn")])
def test_a_missing_model_that_is_only_in_reserve_stops_nothing(
    engine: str, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_for(tmp_path, chat={"engine": "openai"}, stt={"engine": engine})
    findings = examine_model_files(settings, OllamaState(answers=False))
    (found,) = [finding for finding in findings if finding.name == "model whisper-base"]
    assert found.level.value == level
    if engine == "embedded":
        with pytest.raises(CommandError):
            _require_models(settings)
    else:
        _require_models(settings)
        assert "nothing can replace it" in " ".join(capsys.readouterr().err.split())


async def test_doctor_says_that_the_server_is_down_and_what_is_used_instead() -> None:
    server = ScriptedWyoming()
    await server.start()
    await server.stop()
    findings = await try_audio(
        ScriptedTextToSpeech(), ScriptedGate(), ears_of(server, ScriptedSpeechToText())
    )
    by_name = {finding.name: finding for finding in findings}
    assert by_name["speech-to-text"].level.value == "warn"
    assert "embedded engine is used until it answers again" in by_name["speech-to-text"].message
    assert by_name["hearing itself"].level.value == "ok", "by the embedded engine"


@pytest.mark.parametrize("url", ["http://x:1", "tcp://x", "tcp://u:p@x:1", "stdio://", "unix:x"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="wyoming_url"):
        SttSettings(wyoming_url=url)


# Lo-Bug's own door as the server


async def test_lobugs_own_door_serves_another_lobug(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(texts=["From the big machine."]))
    settings = settings_for(tmp_path)

    async def assemble(settings: Settings) -> LobugServer:
        return with_memory(settings, scripted.engines())

    app = create_app(settings, assembler=assemble)
    async with client_of(app) as client:
        base = f"{str(client.base_url).rstrip('/')}/v1"
        stt = SttSettings(engine="openai", openai_base_url=base, fallback=False)
        tts = TtsSettings(engine="openai", openai_base_url=base, fallback=False)
        small = Settings(_env_file=None, stt=stt, tts=tts)
        ears, _ = choose_stt(small)
        voice, _ = choose_tts(small)
        async with started(ears), started(voice):
            heard = await ears.transcribe(SAID, "en")
            assert (heard.text, heard.language) == ("From the big machine.", "en")
            spoken = await voice.synthesize("Hello.")
            expected = await scripted.tts.synthesize("Hello.")
            assert abs(spoken.size - expected.size) <= 100
            assert not voice.status().degraded
            assert not ears.status().degraded
