"""A device that asks for them is told words while they are still being spoken."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import HELLO, DeviceClient, device, silence, tone
from support.scripted_speech import ScriptedSpeechToText

ASKS: Mapping[str, Any] = {**HELLO, "features": {"interim": True}}


def words(client: DeviceClient) -> list[tuple[str, bool]]:
    return [(m["text"], m.get("interim", False)) for m in client.messages("stt")]


async def test_words_come_before_the_utterance_is_certain(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(("What is", "What is the time?")))
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.3})
    async with (
        running(settings, scripted) as (http, _),
        device(str(http.base_url), hello=ASKS) as client,
    ):
        await client.listen(mode="manual")
        await client.send_audio(tone(1.0))
        await client.until_said("stt", text="What is", interim=True)
        await client.send_audio(tone(0.5))
        await client.listen("stop", mode="manual")
        await client.until(lambda: ("What is the time?", False) in words(client))
        assert all(interim for _, interim in words(client)[:-1])


async def test_words_that_were_none_are_withdrawn(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(("Thank you.", "")))
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.3})
    async with (
        running(settings, scripted) as (http, _),
        device(str(http.base_url), hello=ASKS) as client,
    ):
        await client.listen(mode="manual")
        await client.send_audio(tone(1.0))
        await client.until_said("stt", text="Thank you.", interim=True)
        await client.send_audio(tone(0.5))
        await client.listen("stop", mode="manual")
        await client.until_said("stt", text="", interim=True)
        await client.until_said("llm", emotion="confused")


async def test_other_devices_are_told_only_what_is_certain(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.3})
    async with (
        running(settings, ScriptedEngines()) as (http, _),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.send_audio(tone(1.5) + silence(1.5))
        await client.until_said("tts", state="stop")
        assert words(client) == [("Hello.", False)]
