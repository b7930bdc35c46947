"""A device that drops by itself what it holds is told once that it was interrupted, others as the
usual firmware needs it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import HELLO, DeviceClient, device, until
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText

DROPS: Mapping[str, Any] = {**HELLO, "features": {"drops_on_abort": True}}
LONG = f"This is the first sentence. {'x' * 600}."


def scripted() -> ScriptedEngines:
    return ScriptedEngines(
        chat=ScriptedChatModel([LONG, "Okay."]),
        stt=ScriptedSpeechToText(("Tell me a long story.", "Please stop.")),
    )


async def interrupt(client: DeviceClient, how: str) -> None:
    match how:
        case "abort":
            await client.say(type="abort")
        case "listen":
            await client.listen()
        case "detect":
            await client.say(type="listen", state="detect", text="Hi Lo-Bug")
        case "speech":
            await client.speak()


def states(client: DeviceClient) -> list[str]:
    """Of the reply, without its captions."""
    found = [m["state"] for m in client.messages("tts")]
    return [state for state in found if state != "sentence_start"]


@pytest.mark.parametrize("how", ["abort", "listen", "detect"])
@pytest.mark.parametrize(
    ("hello", "told"),
    [(DROPS, ["start", "stop"]), (HELLO, ["start", "stop", "start", "stop"])],
    ids=["drops", "usual"],
)
async def test_who_interrupts_is_told_as_it_needs_it(
    tmp_path: Path, how: str, hello: Mapping[str, Any], told: list[str]
) -> None:
    async with (
        running(settings_for(tmp_path), scripted()) as (http, server),
        device(str(http.base_url), hello=hello) as client,
    ):
        await client.listen()
        await client.speak()
        await client.until(lambda: len(client.audio()) > 16_000)
        await interrupt(client, how)
        await until(lambda: bool(server.telemetry.turns.newest(1)))
        await client.until_said("tts", count=told.count("stop"), state="stop")
        # Proves that all has come which was sent before.
        await http.post("/devices/aa:bb:cc:dd:ee:01/alert", json={"message": "That is all."})
        await client.until_said("alert")
        assert states(client) == told


async def test_an_interruption_that_the_server_noticed_needs_the_flush(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted()) as (http, server),
        device(str(http.base_url), hello=DROPS) as client,
    ):
        await client.listen(mode="realtime")
        await client.speak()
        await client.until(lambda: len(client.audio()) > 16_000)
        await interrupt(client, "speech")
        await until(lambda: bool(server.telemetry.turns.newest(1)))
        await client.until_said("tts", count=2, state="stop")
        assert states(client)[:4] == ["start", "stop", "start", "stop"]
