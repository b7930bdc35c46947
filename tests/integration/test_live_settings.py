"""Settings that change while the server runs: each takes effect at once, over a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from wyoming.tts import Synthesize

from lobug.engines.base import Samples, Transcript
from lobug.errors import SettingFixedError
from lobug.language.en.prompts import IGNORE_AND_REACT
from lobug.memory.model import ConversationKey
from lobug.settings.live import changeable_settings
from support.app_server import ScriptedEngines, running, settings_for
from support.memory_kit import Clock
from support.remote_speech_kit import BOTH, Remote, ScriptedAudio, remote, voice_of
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText, ScriptedTextToSpeech
from support.unasked_kit import DESK, House, house

ADA = ConversationKey("ada", f"ada/device:{DESK}")
DAY_S = 86_400.0


@dataclass
class Ears(ScriptedSpeechToText):
    """Notes the languages that it was asked to transcribe."""

    languages: list[str | None] = field(default_factory=list)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        self.languages.append(language)
        return await super().transcribe(audio, language)


@dataclass
class Voice(ScriptedTextToSpeech):
    """A voice whose speed may change."""

    speed: float = 1.0

    def set_speed(self, speed: float) -> None:
        self.speed = speed


@dataclass
class Home:
    """A running Lo-Bug and its engines."""

    house: House
    chat: ScriptedChatModel
    ears: Ears
    voice: Voice
    strangers: int = 0
    """Devices that have asked to talk."""

    async def change(self, **values: object) -> None:
        """Change settings; two underscores stand for the dot."""
        body = {name.replace("__", ".", 1): value for name, value in values.items()}
        answer = await self.house.client.patch("/settings", json=body)
        assert answer.status_code == 200, answer.text

    async def prompt(self) -> str:
        await self.house.say("Tell me a story about bees.")
        return self.chat.calls[-1].prompt

    async def options(self) -> Any:
        await self.prompt()
        return self.chat.calls[-1].options

    async def spoken_turn(self) -> dict[str, Any]:
        """The record of a turn that was spoken on a device."""
        kept = self.house.server.telemetry.turns
        before = len(kept.newest(100))
        async with self.house.connect() as client:
            await client.listen()
            await client.speak()
            await client.until_said("tts", state="stop")
        while len(kept.newest(100)) == before:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.02)
        turns = (await self.house.client.get("/turns?limit=1")).json()["turns"]
        return dict(turns[0])

    async def recalled(self) -> list[str]:
        context = await self.house.server.memory.retrieve_context(ADA, "What do bees like?")
        return sorted({memory.kind for memory in context.recalled})


async def reply(home: Home) -> str:
    return await home.house.say("Tell me a story about bees.")


async def max_tokens(home: Home) -> object:
    return (await home.options()).max_tokens


async def temperature(home: Home) -> object:
    return (await home.options()).temperature


async def is_pirate(home: Home) -> object:
    return "You are a pirate." in await home.prompt()


async def may_ignore(home: Home) -> object:
    return IGNORE_AND_REACT.strip() in await home.prompt()


async def reads_zone(home: Home) -> object:
    made = await home.house.client.post(
        "/alerts", json={"kind": "alarm", "at": "2099-07-01T06:40", "label": "up"}
    )
    await home.house.client.delete(f"/alerts/{made.json()['id']}")
    return made.json()["zone"] == "Asia/Kathmandu"


async def language(home: Home) -> object:
    await home.spoken_turn()
    return home.ears.languages[-1]


async def speed(home: Home) -> object:
    return home.voice.speed


async def speculates(home: Home) -> object:
    return (await home.spoken_turn())["counts"]["speculations_started"] > 0


async def needs_code(home: Home) -> object:
    home.strangers += 1
    new = {"Device-Id": f"aa:bb:cc:00:00:{home.strangers:02}", "Client-Id": "a-new-device"}
    answer = await home.house.client.post("/xiaozhi/ota/", json={}, headers=new)
    return "activation" in answer.json()


async def time_told(home: Home) -> object:
    return "switched that off" in await home.house.say("What time is it?")


async def reminder_hour(home: Home) -> object:
    await home.house.say("Remind me tomorrow to feed the bees.")
    (alert,) = await home.house.alerts()
    await home.house.server.agenda.alerts.cancel("ada", [alert.id])
    return home.house.server.now("ada").fromtimestamp(alert.due_at).astimezone().hour


async def announced(home: Home) -> object:
    async with home.house.connect():
        answer = await home.house.client.post(
            "/announce", json={"text": "Dinner.", "all": True, "wait": False}
        )
    return answer.status_code


async def weather(home: Home) -> object:
    return await home.house.say("What's the weather like?")


async def facts(home: Home) -> object:
    return "memory" in await home.recalled()


async def turns(home: Home) -> object:
    return "turn" in await home.recalled()


async def anything(home: Home) -> object:
    return bool(await home.recalled())


Look = Callable[[Home], Awaitable[object]]
EFFECTS: dict[str, tuple[object, Look, object, object]] = {
    "chat.max_tokens": (50, max_tokens, 90, 50),
    "chat.max_sentences": (1, reply, "One. Two. Three.", "One."),
    "chat.temperature": (1.5, temperature, 0.4, 1.5),
    "conversation.persona": ("You are a pirate.", is_pirate, False, True),
    "conversation.ignore_and_react": (False, may_ignore, True, False),
    "conversation.time_zone": ("Asia/Kathmandu", reads_zone, False, True),
    "stt.language": ("de", language, "en", "de"),
    "tts.speed": (1.5, speed, 1.0, 1.5),
    "listening.speculate": (False, speculates, True, False),
    "access.pairing": (False, needs_code, True, False),
    "skills.off": (["clock"], time_told, False, True),
    "skills.reminder_hour": (7, reminder_hour, 9, 7),
    "skills.quiet_hours": ("00:00-23:59", announced, 200, 409),
    "memory.retrieval_top_k": (0, facts, True, False),
    "memory.recall_turns": (0, turns, True, False),
    "memory.enabled": (False, anything, True, False),
    "memory.enable_user_memories": (False, facts, True, False),
}
"""New value, what to look at, and what is seen before and after."""

SEEN_ELSEWHERE = {
    "skills.ring_seconds": "test_a_ring_lasts_as_long_as_it_says_now",
    "skills.weather_url": "test_the_weather_comes_from_the_source_of_now",
    "skills.weather_place": "test_the_weather_comes_from_the_source_of_now",
    "skills.weather_units": "test_the_weather_comes_from_the_source_of_now",
    "memory.enable_summarization": "test_what_was_left_is_summed_up_once_that_is_on",
    "memory.timeline_retention_days": "unit: test_retention_by_the_settings_of_now",
    "memory.recall_log_days": "unit: test_retention_by_the_settings_of_now",
    "memory.log_retention_days": "unit: test_retention_by_the_settings_of_now",
    "tts.wyoming_voice": "test_the_next_sentence_has_the_voice_of_now",
    "tts.openai_voice": "test_the_next_sentence_has_the_voice_of_now",
    "listening.end_silence_s": "unit: test_the_next_utterance_ends_by_the_settings_of_now",
    "listening.unfinished_silence_s": "unit: test_the_next_utterance_ends_by_the_settings_of_now",
    "listening.finished_silence_s": "unit: test_the_next_utterance_ends_by_the_settings_of_now",
}


def engines() -> ScriptedEngines:
    chat = ScriptedChatModel(lambda _, options: "{}" if options.json_schema else "One. Two. Three.")
    return ScriptedEngines(chat=chat, stt=Ears(), tts=Voice())


def home_of(here: House, scripted: ScriptedEngines) -> Home:
    assert isinstance(scripted.stt, Ears)
    assert isinstance(scripted.tts, Voice)
    return Home(here, scripted.chat, scripted.stt, scripted.tts)


def test_the_effect_of_every_changeable_setting_is_tested() -> None:
    assert EFFECTS.keys() | SEEN_ELSEWHERE.keys() == changeable_settings().keys()


@pytest.mark.parametrize("name", EFFECTS)
async def test_a_change_takes_effect_at_once_and_is_taken_back(name: str, tmp_path: Path) -> None:
    value, look, before, after = EFFECTS[name]
    scripted = engines()
    async with house(tmp_path, scripted) as here:
        home = home_of(here, scripted)
        if name.startswith("memory."):
            await here.say("Remember that my bees like clover.", DESK)
            await here.say("We talked about what bees like all day.", DESK)
        assert await look(home) == before
        key = name.replace(".", "__")
        await home.change(**{key: value})
        assert await look(home) == after
        await home.change(**{key: None})
        assert await look(home) == before


async def test_a_ring_lasts_as_long_as_it_says_now(tmp_path: Path) -> None:
    scripted = engines()
    async with house(tmp_path, scripted) as here, here.connect() as client:
        await here.set("timer", "pasta")
        here.pass_s(60)
        await client.until_said("tts", state="stop")
        await home_of(here, scripted).change(skills__ring_seconds=600)
        here.skip_s(120)
        await client.until_said("tts", count=3, state="stop")
        assert len(await here.alerts()) == 1
        await home_of(here, scripted).change(skills__ring_seconds=1)
        while await here.alerts():  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.02)


def voices_asked_for(server: Remote) -> list[str]:
    """The voices that a speech server was asked for, in their order."""
    if isinstance(server, ScriptedAudio):
        return [str(one.body["voice"]) for one in server.requests_to("/v1/audio/speech")]
    asked = [Synthesize.from_event(events[0]).voice for events in server.requests]
    return [(voice and voice.name) or "" for voice in asked]


@BOTH
async def test_the_next_sentence_has_the_voice_of_now(kind: str, tmp_path: Path) -> None:
    name, default = f"tts__{kind}_voice", {"wyoming": "", "openai": "alloy"}[kind]
    async with remote(kind) as server:
        scripted = engines()
        scripted.tts = voice_of(server)  # type: ignore[assignment]  # a real engine
        tts = {"engine": kind}
        async with house(tmp_path, scripted, tts=tts) as here:

            async def speak() -> None:
                body = {"text": "Tell me a story about bees.", "voice": True}
                answer = await here.client.post("/chat/text", json=body)
                assert answer.status_code == 200

            async def change(**values: object) -> httpx.Response:
                body = {key.replace("__", ".", 1): value for key, value in values.items()}
                return await here.client.patch("/settings", json=body)

            await speak()
            before = len(voices_asked_for(server))
            assert set(voices_asked_for(server)) == {default}
            answer = await change(**{name: "ann"})
            assert answer.status_code == 200
            await speak()
            after = (voices_asked_for(server))[before:]
            assert set(after) == {"ann"}
            row = next(
                one for one in answer.json()["settings"] if one["name"] == name.replace("__", ".")
            )
            assert (row["value"], row["default"], row["kind"]) == ("ann", default, "text")
            # Wyoming servers tell their voices; OpenAI's protocol has no list of them.
            assert row["choices"] == (["joe", "ann"] if kind == "wyoming" else [])
            if kind == "wyoming":
                assert (await change(**{name: "nobody"})).status_code == 422
                assert here.server.settings.tts.server_voice == "ann"
                await change(**{name: None})
            else:
                assert (await change(**{name: ""})).status_code == 200
                assert here.server.settings.tts.server_voice == default
            await speak()
            assert (voices_asked_for(server))[-1] == default


async def test_the_weather_comes_from_the_source_of_now(tmp_path: Path) -> None:
    scripted = engines()
    async with house(tmp_path, scripted) as here:
        home = home_of(here, scripted)
        without = await weather(home)
        await home.change(skills__weather_url="http://127.0.0.1:9/v1/forecast")
        nowhere = await weather(home)
        leeds = {"name": "Leeds", "latitude": 53.8, "longitude": -1.55}
        await home.change(skills__weather_place=leeds, skills__weather_units="us")
        silent = await weather(home)
        assert len({without, nowhere, silent}) == 3
        row = next(
            one
            for one in (await here.client.get("/settings")).json()["settings"]
            if one["name"] == "skills.weather_place"
        )
        assert (row["value"], row["source"], row["kind"]) == (leeds, "page", "place")


async def test_what_was_left_is_summed_up_once_that_is_on(tmp_path: Path) -> None:
    scripted = engines()

    def jobs(here: House) -> int:
        return here.server.memory.stats().pending_tasks

    async with house(tmp_path, scripted) as here:
        home = home_of(here, scripted)
        await home.change(memory__enable_summarization=False)
        for number in range(20):
            await here.say(f"Tell me story number {number} about bees.", DESK)
        before = jobs(here)
        await home.change(memory__enable_summarization=True)
        while jobs(here) <= before:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.02)


async def test_a_personality_is_read_ahead_of_the_next_turn(tmp_path: Path) -> None:
    scripted = engines()
    async with running(settings_for(tmp_path), scripted) as (client, _):
        answer = await client.patch("/settings", json={"conversation.persona": "You are a pirate."})
        assert answer.status_code == 200
        while not any(  # noqa: ASYNC110 - nobody tells of it
            "pirate" in messages[0].content for messages, _ in scripted.chat.prefills
        ):
            await asyncio.sleep(0.02)


async def test_changes_survive_a_restart(tmp_path: Path) -> None:
    scripted, wall = engines(), Clock()
    async with house(tmp_path, scripted, wall=wall) as here:
        await home_of(here, scripted).change(chat__temperature=1.5, skills__off=["weather"])
    async with house(tmp_path, scripted, wall=wall) as here:
        assert await temperature(home_of(here, scripted)) == 1.5
        states = {
            s["name"]: s["state"] for s in (await here.client.get("/skills")).json()["skills"]
        }
        assert states["weather"] == "off"


async def test_a_subscriber_hears_of_changes_that_are_in_effect(tmp_path: Path) -> None:
    scripted = engines()
    async with house(tmp_path, scripted) as here:
        heard: list[tuple[frozenset[str], float]] = []
        settings = here.live
        settings.subscribe(lambda names: heard.append((names, here.server.settings.tts.speed)))
        home = home_of(here, scripted)
        await home.change(tts__speed=1.5)
        await home.change(tts__speed=1.5)  # changes nothing
        assert heard == [(frozenset({"tts.speed"}), 1.5)]
        with pytest.raises(SettingFixedError):
            await settings.change({"port": 80})
        assert len(heard) == 1
