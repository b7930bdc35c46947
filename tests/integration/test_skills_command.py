"""``GET /skills``, ``lobug skills`` and the small skills at the HTTP door, on a real socket."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner, Result

from lobug.app import create_app
from lobug.cli.app import app as commands
from support.app_server import (
    ScriptedEngines,
    in_thread,
    running,
    scripted_assembler,
    settings_for,
)
from support.scripted import ScriptedChatModel


def lobug_skills(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["skills", *arguments])


def test_the_command_shows_what_can_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")
    settings = settings_for(tmp_path / "server", skills={"off": ["sums"]})
    app = create_app(settings, assembler=scripted_assembler(ScriptedEngines()))
    server, thread, port = in_thread(app)
    url = f"http://127.0.0.1:{port}"
    try:
        shown = lobug_skills("--server", url)
        listed = lobug_skills("--server", url, "--json")
    finally:
        server.should_exit = True
        thread.join(30)
    assert (shown.exit_code, listed.exit_code) == (0, 0), shown.output
    lines = {line.split()[0]: line for line in shown.stdout.splitlines() if line.strip()}
    assert "on" in lines["clock"].split()
    assert "What time is it?" in lines["clock"]
    assert "off" in lines["sums"].split()
    assert "I have no weather source. My owner can set one." in lines["weather"]
    skills = {row["name"]: row for row in json.loads(listed.stdout)["skills"]}
    assert skills["weather"]["state"] == "unavailable"
    assert skills["sums"]["state"] == "off"
    assert all(row["about"] and row["examples"] for row in skills.values())


def test_without_a_server_the_command_says_so() -> None:
    refused = lobug_skills("--server", "http://127.0.0.1:9")
    assert refused.exit_code == 3
    assert "Traceback" not in refused.output


@pytest.mark.parametrize("answer", [b"[]", b"{}", b'{"skills": [3], "mcp_servers": []}', b"<html>"])
def test_another_server_is_no_lobug(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def get(url: str, **_options: object) -> httpx.Response:
        return httpx.Response(200, content=answer, request=httpx.Request("GET", url))

    monkeypatch.setattr(httpx, "get", get)
    refused = lobug_skills("--server", "http://127.0.0.1:9")
    assert refused.exit_code == 1
    assert "does not tell its skills" in refused.output


async def test_small_skills_answer_without_the_chat_model(tmp_path: Path) -> None:
    chat = ScriptedChatModel("I am a model.")
    engines = ScriptedEngines(chat=chat)
    async with running(settings_for(tmp_path), engines) as (client, _server):
        said = {}
        for text in (
            "What is 17 times 23?",
            "Say that again.",
            "Will it rain tomorrow?",
            "louder",
            "what time is it in Atlantis",
            "What can you do?",
        ):
            answer = await client.post("/chat/text", json={"text": text})
            said[text] = answer.json()["response"]
    assert said["What is 17 times 23?"] == "17 times 23 is 391."
    assert said["Say that again."] == "17 times 23 is 391."
    assert said["Will it rain tomorrow?"] == "I have no weather source. My owner can set one."
    assert said["louder"].startswith("I can't change the volume here.")
    assert said["what time is it in Atlantis"].startswith("I don't know what time it is in Atlant")
    assert said["What can you do?"].startswith("You can say: Set a timer")
    assert chat.calls == []


async def test_speech_is_as_fast_as_was_asked_for(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (client, server):
        answer = await client.post("/chat/text", json={"text": "speak slower"})
        # The scripted voice has one speed.
        assert answer.json()["response"] == "My voice has only one speed."
        assert server.agenda.speeds._by_user == {}
