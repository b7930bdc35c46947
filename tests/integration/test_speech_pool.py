"""Speech-to-text and text-to-speech on several servers, each on a real socket, and the embedded
engines that replace them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from wyoming.asr import Transcript

from lobug.cli.doctor.engines import try_audio
from lobug.engines.base import SERVERS, WAITING, Engine, PacedVoice, StreamingVoice
from lobug.engines.remote_speech import RemoteSpeechToText, RemoteVoice
from lobug.engines.selection import choose_stt, choose_tts
from lobug.errors import EngineBusyError, EngineError, EngineUnavailableError
from lobug.settings import Settings, SttSettings, TtsSettings
from support.faults import until
from support.patience import PATIENCE_S
from support.remote_speech_kit import (
    BOTH,
    PATIENT,
    SAID,
    Remote,
    ears_of,
    remote,
    started,
    voice_of,
)
from support.scripted_http import as_json
from support.scripted_speech import ScriptedGate, ScriptedSpeechToText, ScriptedTextToSpeech
from support.scripted_wyoming import ScriptedWyoming, speech


@dataclass
class Speech:
    """Two servers for both jobs, and the pools that ask them."""

    servers: list[Remote]
    ears: RemoteSpeechToText
    voice: RemoteVoice
    spare_ears: ScriptedSpeechToText | None
    spare_voice: ScriptedTextToSpeech | None

    def hears(self, place: int, words: str, *before: asyncio.Event | None) -> None:
        """Let a server write these words, once ``before`` has happened; None: it breaks off."""
        server = self.servers[place]
        if isinstance(server, ScriptedWyoming):
            server.transcript = [*before, Transcript(words, language="en")]
        else:
            server.transcription = as_json({"text": words})
            server.transcription.chunks = [*before, *server.transcription.chunks]

    def speaks(self, place: int, *before: asyncio.Event | None, parts: int = 0) -> None:
        """Let a server break off, or wait, after some parts of its speech."""
        server = self.servers[place]
        if isinstance(server, ScriptedWyoming):
            whole = speech(0.5)
            server.speech = [*whole[: parts + (parts > 0)], *before, *whole]
        else:
            chunks = list(server.speech.chunks)
            server.speech.chunks = [*chunks[: parts + (parts > 0)], *before, *chunks]

    async def heard(self) -> str:
        return (await self.ears.transcribe(SAID, "en")).text


@asynccontextmanager
async def two(kind: str, *, spare: bool = True, **more: Any) -> AsyncIterator[Speech]:
    """The servers hear their number. The pools look at them often."""
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(remote(kind)) for _ in range(2)]
        spare_ears = ScriptedSpeechToText(texts=["Embedded."]) if spare else None
        spare_voice = ScriptedTextToSpeech() if spare else None
        ears = ears_of(*servers, spare=spare_ears, **more)
        voice = voice_of(*servers, spare=spare_voice, **more)
        found = Speech(servers, ears, voice, spare_ears, spare_voice)
        for number in range(2):
            found.hears(number, f"{number}.")
        for engine in (ears, voice):
            await stack.enter_async_context(started(engine))
        yield found


def ready(engine: Engine) -> list[bool]:
    return [one["ready"] for one in engine.status().details[SERVERS]]


@BOTH
async def test_one_server_that_goes_is_replaced_by_the_other_and_both_by_the_embedded_engine(
    kind: str,
) -> None:
    async with two(kind) as house:
        assert await house.heard() == "0."
        assert (await house.voice.synthesize("Hello.")).size
        assert house.ears.status().reason is None
        await house.servers[0].stop()
        assert await house.heard() == "1."
        assert (await house.voice.synthesize("Hello.")).size
        for engine in (house.ears, house.voice):
            status = engine.status()
            assert (status.ready, status.degraded) == (True, True)
            assert str(status.reason).startswith("1 of 2 servers can be used. ")
            assert status.details["in_use"] == "server"
            assert ready(engine) == [False, True]
        assert house.spare_voice is not None
        assert house.spare_voice.spoken == []
        await house.servers[1].stop()
        assert await house.heard() == "Embedded."
        assert (await house.voice.synthesize("Hello.")).size
        assert house.spare_voice.spoken == ["Hello."]
        for engine in (house.ears, house.voice):
            status = engine.status()
            assert status.ready
            assert "embedded engine is used until one of them answers" in str(status.reason)
            assert status.details["in_use"] == "embedded"
        await house.servers[1].restart()

        async def back() -> bool:
            return await house.heard() == "1."

        await until(back)


@BOTH
async def test_without_a_replacement_the_error_says_that_nobody_answers(kind: str) -> None:
    async with two(kind, spare=False) as house:
        house.hears(0, "", None)
        assert await house.heard() == "1.", "one breaks off, the other hears"
        for server in house.servers:
            await server.stop()
        with pytest.raises(EngineError):
            await house.heard()
        with pytest.raises(EngineError):
            await house.voice.synthesize("Hello.")
        assert not house.voice.status().ready
        with pytest.raises(EngineUnavailableError):
            await house.voice.start()


@BOTH
@pytest.mark.parametrize("spare", [True, False])
async def test_a_sentence_that_breaks_off_is_never_continued_by_another_server(
    kind: str, *, spare: bool
) -> None:
    async with two(kind, spare=spare) as house:
        house.speaks(0, None, parts=3)
        assert isinstance(house.voice, StreamingVoice)
        parts = []
        failed = False
        try:
            async for part in house.voice.stream("Hello.", 1.0):
                parts.append(part)  # noqa: PERF401 - what came before the error counts
        except EngineError:
            failed = True
        assert parts
        if house.spare_voice is None:
            assert failed
        else:
            assert house.spare_voice.spoken == ["Hello."], "from its beginning"
        assert ready(house.voice) == [False, True]


@BOTH
async def test_a_late_server_is_hedged(kind: str) -> None:
    async with two(kind, hedge_s=0.01) as house:
        never = asyncio.Event()
        house.hears(0, "0.", never)
        house.speaks(0, never)
        assert await house.heard() == "1."
        assert (await house.voice.synthesize("Hello.")).size
        assert ready(house.ears) == ready(house.voice) == [True, True]
        first = house.servers[0]
        async with asyncio.timeout(PATIENCE_S):
            if isinstance(first, ScriptedWyoming):
                await first.gone.wait()
            else:
                for one in first.received:
                    if "audio" in one.path:
                        await one.gone.wait()


@pytest.mark.parametrize("spare", [True, False])
async def test_who_finds_all_servers_busy_is_answered_by_the_embedded_engine_or_refused(
    *, spare: bool
) -> None:
    async with two("wyoming", spare=spare, max_requests=1, max_waiting=0) as house:
        gate = asyncio.Event()
        for place in (0, 1):
            house.hears(place, f"{place}.", gate)
        held = [asyncio.ensure_future(house.heard()) for _ in range(2)]

        async def both_asked() -> bool:
            return all(server.requests for server in house.servers)  # type: ignore[union-attr]

        await until(both_asked)
        if spare:
            assert await house.heard() == "Embedded."
        else:
            with pytest.raises(EngineBusyError):
                await house.heard()
        gate.set()
        assert sorted(await asyncio.gather(*held)) == ["0.", "1."]


async def test_who_waits_when_all_servers_fail_is_answered_by_the_embedded_engine() -> None:
    """Nobody waits for a time-out of their own at a server that has just failed others."""
    async with two("wyoming", max_requests=1) as house:
        gate = asyncio.Event()
        for place in (0, 1):
            house.hears(place, "", gate, None)
        asked = [asyncio.ensure_future(house.heard()) for _ in range(6)]

        async def both_asked() -> bool:
            waiting = house.ears.status().details[WAITING]
            return waiting == 4 and all(one.requests for one in house.servers)  # type: ignore[union-attr]

        await until(both_asked)
        gate.set()
        assert await asyncio.gather(*asked) == ["Embedded."] * 6
        requests = [len(server.requests) for server in house.servers]  # type: ignore[union-attr]
        assert sum(requests) <= 4, "each of the first two went to the other one, at most"


@BOTH
async def test_a_server_that_is_not_well_is_not_tried_before_the_embedded_engine(kind: str) -> None:
    async with two(kind, check_every_s=600.0) as house:
        house.hears(1, "", None)
        await house.servers[0].stop()
        assert await house.heard() == "Embedded."
        house.hears(1, "1.")
        assert ready(house.ears) == [False, False]
        assert await house.heard() == "Embedded."


async def test_what_is_changed_is_changed_for_all() -> None:
    async with two("openai") as house:
        assert isinstance(house.voice, PacedVoice)
        house.voice.set_voice("ash")
        house.voice.set_speed(2.0)
        assert (await house.voice.synthesize_at("Hello.", 0.9)).size
        await house.servers[0].stop()
        assert (await house.voice.synthesize("Hello.")).size
        bodies = [
            one.body
            for server in house.servers
            for one in server.received  # type: ignore[union-attr]
            if one.path == "/v1/audio/speech"
        ]
        assert [body["voice"] for body in bodies] == ["ash", "ash"]
        assert [body["speed"] for body in bodies] == [1.8, 2.0]


async def test_only_voices_that_all_have_are_offered() -> None:
    async with two("wyoming") as house:
        assert list(house.voice.voices) == ["joe", "ann"]
        other = house.servers[1]
        assert isinstance(other, ScriptedWyoming)
        info = other.info()
        info.tts[0].voices = info.tts[0].voices[1:]
        other.describes = [info]
        await house.voice.start()
        assert list(house.voice.voices) == ["ann"]
        house.ears.expect_names(["Zaphod"])
        assert await house.heard() == "0."


async def test_doctor_shows_each_server() -> None:
    async with two("wyoming") as house:
        await house.servers[1].stop()
        found = await try_audio(house.voice, ScriptedGate(), house.ears)
        shown = [one for one in found if one.name == "speech-to-text"]
        assert [one.level.value for one in shown] == ["warn", "ok", "warn"]
        assert "1 of 2 servers" in shown[0].message
        assert house.servers[0].url in shown[1].message
        assert house.servers[1].url in shown[2].message


@pytest.mark.parametrize("engine", ["wyoming", "openai"])
@pytest.mark.parametrize("count", [1, 2])
def test_each_address_is_a_server(engine: str, count: int) -> None:
    where = {
        "wyoming_url": " ".join(["tcp://a:1", "tcp://b:1"][:count]),
        "openai_base_url": " ".join(["http://a/v1", "http://b/v1"][:count]),
    }
    settings = Settings(
        _env_file=None,
        stt=SttSettings(engine=engine, fallback=False, **where, **PATIENT),
        tts=TtsSettings(engine=engine, fallback=False, **where, **PATIENT),
    )
    ears, voice = choose_stt(settings)[0], choose_tts(settings)[0]
    assert isinstance(ears, RemoteSpeechToText)
    assert isinstance(voice, RemoteVoice)
    assert len(ears._pool.engines) == len(voice._pool.engines) == count
    assert isinstance(voice, PacedVoice) == (engine == "openai")
