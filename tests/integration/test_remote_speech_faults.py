"""Servers for hearing and speaking that are hostile, broken, or not there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.info import Info

from lobug.engines import wyoming_wire
from lobug.engines.speech_server import longest_speech_s
from lobug.errors import (
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)
from support.remote_speech_kit import (
    NO_WAIT,
    SAID,
    ScriptedAudio,
    ears_of,
    started,
    voice_of,
    wav_of,
)
from support.scripted_http import Answer, Chunk, as_json, serving
from support.scripted_speech import ScriptedSpeechToText, ScriptedTextToSpeech
from support.scripted_wyoming import ScriptedWyoming, Step, speech, wyoming

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
        alone, replaced = ears_of(server, **more), ears_of(server, spare=spare, **more)
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
        alone, replaced = voice_of(server, **more), voice_of(server, spare=spare, **more)
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
        alone, replaced = ears_of(server, **more), ears_of(server, spare=spare, **more)
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
        alone, replaced = voice_of(server), voice_of(server, spare=spare)
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
        voice = voice_of(server, spare=spare)
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
async def test_a_probe_that_is_not_answered_well(describes: Sequence[Step], said: str) -> None:
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
