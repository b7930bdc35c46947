"""A device whose Lo-Bug hears and speaks by servers on other machines, over real sockets."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import numpy as np
from fastapi import FastAPI
from wyoming.asr import Transcript
from wyoming.audio import AudioStop

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.engines.base import Engines
from lobug.engines.remote_speech import RemoteSpeechToText, RemoteVoice
from lobug.engines.wyoming import WyomingRecognizer, WyomingSynthesizer
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines, client_of, settings_for
from support.device_client import DeviceClient, device, silence, tone, until
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_wyoming import ScriptedWyoming, speech, wyoming


def remote_lobug(folder: Path, server: ScriptedWyoming, scripted: ScriptedEngines) -> FastAPI:
    """The application; its ears and its voice are the Wyoming server, which nothing replaces."""
    section = {
        "engine": "wyoming",
        "wyoming_url": server.url,
        "fallback": False,
        "connect_timeout_s": PATIENCE_S,
    }
    settings = settings_for(
        folder, stt=section, tts=section, listening={"interim_every_s": 0.1, "end_silence_s": 0.4}
    )

    async def assemble(settings: Settings) -> LobugServer:
        ears = RemoteSpeechToText({server.url: WyomingRecognizer(settings)}, None, settings.stt)
        voice = RemoteVoice({server.url: WyomingSynthesizer(settings)}, None, settings.tts)
        return with_memory(
            settings, Engines(scripted.chat, scripted.embedder, ears, scripted.gate, voice)
        )

    return create_app(settings, assembler=assemble)


def heard_s(client: DeviceClient) -> float:
    """Sound that has reached the device, seconds."""
    return float(np.count_nonzero(np.frombuffer(client.audio(), "<i2"))) / 16_000


def heard_at_least(client: DeviceClient, seconds: float) -> bool:
    return heard_s(client) >= seconds


async def test_a_sentence_is_heard_before_its_end_was_made_and_an_interruption_counts_that(
    tmp_path: Path,
) -> None:
    """The server says the beginning of a long sentence and waits; the device plays that."""
    words = "Once upon a time there was a lighthouse with a very blue door and a very old keeper."
    never = asyncio.Event()
    server = ScriptedWyoming(speech=[*speech(3.0)[:-1], never])
    scripted = ScriptedEngines(chat=ScriptedChatModel([words]))
    async with wyoming(server):
        app = remote_lobug(tmp_path, server, scripted)
        async with client_of(app) as http:
            async with device(str(http.base_url)) as client:
                await client.listen()
                await client.speak()
                await client.until_said("tts", state="sentence_start")
                await client.until(lambda: heard_s(client) > 2.3)
                starts = [m for m in client.messages("tts") if m.get("text")]
                assert len(starts) == 1, "one caption for all parts"
                await client.say(type="abort")
                await client.until_said("tts", state="stop")
                async with asyncio.timeout(PATIENCE_S):
                    await server.gone.wait()
            lobug: LobugServer = app.state.lobug
            await until(lambda: len(lobug.telemetry.turns.newest(9)) == 1)
            (owner,) = await lobug.memory.latest_conversations(10)
            log = [m.content for m in await lobug.memory.recent_messages(owner, 9)]
            assert log[0] == "Hello."
            assert log[1].endswith("[interrupted]")
            assert log[1].startswith("Once upon")
            assert "keeper" not in log[1], "the end of the sentence was never made"


async def test_parts_of_a_sentence_are_played_without_silence_between_them(tmp_path: Path) -> None:
    gates = [asyncio.Event() for _ in range(3)]
    sounds = speech(0.9, rate=24_000, chunk=2_205)
    steps = [*sounds[:3], gates[0], *sounds[3:5], gates[1], *sounds[5:7], gates[2], *sounds[7:]]
    server = ScriptedWyoming(speech=steps)
    scripted = ScriptedEngines(chat=ScriptedChatModel(["It is noon."]))
    async with wyoming(server):
        app = remote_lobug(tmp_path, server, scripted)
        async with client_of(app) as http, device(str(http.base_url)) as client:
            await client.listen()
            await client.speak()
            for gate, seconds in zip(gates, (0.05, 0.2, 0.3), strict=True):
                await client.until(partial(heard_at_least, client, seconds))
                gate.set()
            await client.until_said("tts", state="stop")
            sound = np.frombuffer(client.audio(), "<i2")
            loud = np.flatnonzero(np.abs(sound) > 500)
            within = np.abs(sound[loud[0] : loud[-1]])
            quiet = np.convolve(within < 50, np.ones(160), "valid").max()
            assert quiet < 160, "10 ms of silence in the middle of a word"


async def test_a_slow_recognizer_is_asked_for_one_thing_at_a_time(tmp_path: Path) -> None:
    """Interim transcripts wait for the one that runs; the end of speech takes precedence."""
    gate = asyncio.Event()
    server = ScriptedWyoming(transcript=[gate, Transcript("How high is the sun?")])
    scripted = ScriptedEngines(chat=ScriptedChatModel(["Quite high."]))
    async with wyoming(server):
        app = remote_lobug(tmp_path, server, scripted)
        async with client_of(app) as http, device(str(http.base_url)) as client:
            await client.listen()
            for _ in range(6):
                await client.send_audio(tone(0.3))
            await until(lambda: len(server.requests) == 1)
            await client.send_audio(tone(0.3) + silence(1.5))
            await until(lambda: any(AudioStop.is_type(r[-1].type) for r in server.requests[1:]))
            assert server.most_open <= 2
            gate.set()
            await client.until_said("stt", text="How high is the sun?")
            await client.until_said("tts", state="stop")
