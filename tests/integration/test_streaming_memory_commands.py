"""What is asked of memory by voice on a streaming device is done; the reply is logged as far as it
was heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobug.server import LobugServer
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import DeviceClient, device, until
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText

FACT = "my favourite place is the old lighthouse beyond the harbour where one can fish for mackerel"
ASKED = f"Remember that {FACT}."
WHOLE = f"Okay, I'll remember that {FACT.replace('my', 'your')}."


def scripted() -> ScriptedEngines:
    return ScriptedEngines(
        chat=ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Sure."),
        stt=ScriptedSpeechToText((ASKED, "How high is the sun?")),
    )


async def logged(server: LobugServer) -> list[str]:
    owners = await server.memory.latest_conversations(10)
    return [m.content for o in owners for m in await server.memory.recent_messages(o, 50)]


async def turn_over(server: LobugServer, turns: int = 1) -> None:
    await until(lambda: len(server.telemetry.turns.newest(10)) >= turns)


async def ask(client: DeviceClient) -> None:
    await client.listen()
    await client.speak()
    await client.until(lambda: client.audio() != b"")


async def test_a_reply_that_was_heard_is_logged_whole(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), scripted()) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await ask(client)
        await client.until_said("tts", state="stop")
        await turn_over(server)
        assert await logged(server) == [ASKED, WHOLE]


@pytest.mark.parametrize("how", ["abort", "gone"])
async def test_an_interrupted_reply_is_logged_as_far_as_it_was_heard(
    tmp_path: Path, how: str
) -> None:
    engines = scripted()
    async with running(settings_for(tmp_path), engines) as (http, server):
        async with device(str(http.base_url)) as client:
            await ask(client)
            # More than what is sent ahead: something was heard by now.
            await client.until(lambda: len(client.audio()) > 28_000)
            if how == "abort":
                await client.say(type="abort")
                await client.until_said("tts", state="stop")
        await turn_over(server)
        said, answered = await logged(server)
        assert said == ASKED
        assert answered.endswith("[interrupted]")
        heard = answered.removesuffix("[interrupted]").strip()
        assert WHOLE.startswith(heard)
        assert 0 < len(heard) < len(WHOLE)
        (turn,) = server.telemetry.turns.newest(1)
        assert turn.timeline.counts.interrupted
        async with device(str(http.base_url)) as client:
            await ask(client)
            await client.until_said("tts", state="stop")
        await turn_over(server, 2)
        calls = [call.messages for call in engines.chat.calls]
        asked = [messages for messages in calls if "How high is the sun?" in messages[-1].content]
        prompt = "\n".join(message.content for message in asked[-1])
        assert answered in prompt
        assert WHOLE not in prompt, "the model knows what was heard, no more"
        user = {"user": "device:aa:bb:cc:dd:ee:01"}
        entries = await http.get("/memory/entries", params=user)
        assert "lighthouse" in entries.text, "it was done all the same"
