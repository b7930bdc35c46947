"""Servers for hearing and speaking that follow a script, and the engines that ask them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from lobug.engines.base import Engine, Samples, SpeechToText
from lobug.engines.openai_audio import OpenAIRecognizer, OpenAISynthesizer
from lobug.engines.remote_speech import PacedRemoteVoice, RemoteSpeechToText, RemoteVoice
from lobug.engines.wyoming import WyomingRecognizer, WyomingSynthesizer
from lobug.errors import EngineError
from lobug.settings import Settings, SttSettings, TtsSettings
from support.patience import PATIENCE_S
from support.scripted_http import Answer, Chunk, Received, ScriptedServer, as_json, serving
from support.scripted_speech import ScriptedTextToSpeech
from support.scripted_wyoming import ScriptedWyoming, wyoming

SAID: Samples = (0.2 * np.sin(np.arange(16_000) * 0.1)).astype(np.float32)
NO_WAIT = {"answer_timeout_s": 0.05}
PATIENT = {"connect_timeout_s": PATIENCE_S, "answer_timeout_s": PATIENCE_S}


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


def ears_of(*servers: Remote, spare: SpeechToText | None = None, **more: Any) -> RemoteSpeechToText:
    asked = {}
    for server in servers:
        stt = SttSettings(**section(server, **more))
        asked[server.url] = (
            WyomingRecognizer(Settings(_env_file=None, stt=stt))
            if stt.engine == "wyoming"
            else OpenAIRecognizer(stt)
        )
    return RemoteSpeechToText(asked, spare, stt)


def voice_of(
    *servers: Remote, spare: ScriptedTextToSpeech | None = None, **more: Any
) -> RemoteVoice:
    sections = {one.url: TtsSettings(**section(one, **more)) for one in servers}
    tts = sections[servers[0].url]
    if tts.engine == "openai":
        openai = {url: OpenAISynthesizer(one) for url, one in sections.items()}
        return PacedRemoteVoice(openai, spare, tts)
    wyoming = {
        url: WyomingSynthesizer(Settings(_env_file=None, tts=one)) for url, one in sections.items()
    }
    return RemoteVoice(wyoming, spare, tts)


@asynccontextmanager
async def started(engine: Engine) -> AsyncIterator[None]:
    try:
        with contextlib.suppress(EngineError):
            await engine.start()
        yield
    finally:
        await engine.close()


BOTH = pytest.mark.parametrize("kind", ["wyoming", "openai"])
