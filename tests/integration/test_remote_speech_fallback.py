"""Servers for hearing and speaking that go and come back: what people notice, and what is said of
it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.cli.doctor.engines import OllamaState, try_audio
from lobug.cli.doctor.models import examine_model_files
from lobug.cli.serve import _require_models
from lobug.cli.terminal import CommandError
from lobug.engines.base import Engines
from lobug.engines.remote_speech import RemoteSpeechToText, RemoteVoice
from lobug.engines.selection import choose_stt, choose_tts
from lobug.errors import ModelMissingError
from lobug.models.catalog import needed_models
from lobug.server import LobugServer
from lobug.settings import Settings, SttSettings, TtsSettings
from support.app_server import ScriptedEngines, client_of, settings_for
from support.faults import until
from support.remote_speech_kit import (
    BOTH,
    SAID,
    Remote,
    ScriptedAudio,
    ears_of,
    remote,
    section,
    started,
    voice_of,
)
from support.scripted_http import as_json, serving
from support.scripted_speech import ScriptedGate, ScriptedSpeechToText, ScriptedTextToSpeech
from support.scripted_wyoming import ScriptedWyoming, wyoming
from support.wav import pcm16, tone


@asynccontextmanager
async def lobug_with(
    folder: Path, stt: Remote, tts: Remote, scripted: ScriptedEngines
) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    settings = settings_for(folder, stt=section(stt), tts=section(tts))

    async def assemble(settings: Settings) -> LobugServer:
        engines = Engines(
            scripted.chat,
            scripted.embedder,
            ears_of(stt, spare=scripted.stt),
            scripted.gate,
            voice_of(tts, spare=scripted.tts),
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


@pytest.mark.parametrize(("status", "code"), [(503, "engine_busy"), (429, "too_many_requests")])
async def test_a_server_without_a_free_place_is_asked_again_with_the_next_request(
    status: int, code: str
) -> None:
    async with serving(ScriptedAudio()) as server, serving(ScriptedAudio()) as other:
        full = as_json({"error": {"message": "full", "code": code}}, status=status)
        spare = ScriptedSpeechToText(texts=["Spare."])
        spare_voice = ScriptedTextToSpeech()
        ears, both = ears_of(server, spare=spare), ears_of(server, other)
        voice = voice_of(server, spare=spare_voice)
        async with started(ears), started(both), started(voice):
            server.transcription = server.speech = full
            assert (await both.transcribe(SAID, "en")).text == "Hello.", "the other one has a place"
            for _ in range(4):
                assert (await ears.transcribe(SAID, "en")).text == "Spare."
                assert (await voice.synthesize("Hello.")).size
            assert spare_voice.spoken == ["Hello."] * 4
            assert not ears.status().degraded
            assert not voice.status().degraded
            server.transcription = None
            assert (await ears.transcribe(SAID, "en")).text == "Hello."


async def test_a_503_that_does_not_say_busy_is_a_server_that_is_away() -> None:
    async with serving(ScriptedAudio()) as server:
        ears = ears_of(server, spare=ScriptedSpeechToText(texts=["Spare."]))
        async with started(ears):
            server.transcription = as_json({"error": {"message": "closed"}}, status=503)
            assert (await ears.transcribe(SAID, "en")).text == "Spare."
            assert ears.status().degraded


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
        ears = ears_of(server, spare=spare)
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
        ears = ears_of(server, spare=ScriptedSpeechToText(texts=["Spare."]), check_every_s=600.0)
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
        ScriptedTextToSpeech(), ScriptedGate(), ears_of(server, spare=ScriptedSpeechToText())
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
