"""Whatever is said, typed, answered or fails: at info no log line quotes a word of it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lobug.engines.base import ChatMessage, ChatOptions, Transcript
from lobug.errors import EngineError, EngineInterruptedError, StorageFullError
from lobug.server import LobugServer
from lobug.telemetry.logs import QUIET_LIBRARIES, log_handler
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import DeviceClient, device
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.wav import pcm16, tone

HEARD = "zanzibar"
REPLIED = "quetzalcoatl"
LEARNED = "xylophone"
MARKED = (HEARD, REPLIED, LEARNED)


class Logged:
    """Everything that a server with these settings writes to its log, in both formats."""

    def __init__(self) -> None:
        self.streams = {"text": io.StringIO(), "json": io.StringIO()}
        self.handlers: list[logging.Handler] = []
        for log_format, stream in self.streams.items():
            handler = log_handler("json" if log_format == "json" else "text", content=False)
            handler.setStream(stream)
            handler.setLevel(logging.INFO)
            self.handlers.append(handler)

    def lines(self, log_format: str) -> list[str]:
        return self.streams[log_format].getvalue().splitlines()

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines("json")]

    def messages(self) -> str:
        return "\n".join(record["message"] for record in self.records())

    def check(self) -> None:
        for stream in self.streams.values():
            text = stream.getvalue().lower()
            assert text
            assert [word for word in MARKED if word in text] == []


@pytest.fixture
def logged() -> Iterator[Logged]:
    """The log at info, as ``lobug serve`` sets it up; checked at the end."""
    kept = Logged()
    root, uvicorn = logging.getLogger(), logging.getLogger("uvicorn")
    levels = {logging.getLogger(name): logging.WARNING for name in QUIET_LIBRARIES}
    levels |= {root: logging.INFO, uvicorn: logging.INFO}
    before = {logger: logger.level for logger in levels}
    for logger, level in levels.items():
        logger.setLevel(level)
    for handler in kept.handlers:
        root.addHandler(handler)
        uvicorn.addHandler(handler)  # the test's server does not let it pass on
    try:
        yield kept
    finally:
        for handler in kept.handlers:
            root.removeHandler(handler)
            uvicorn.removeHandler(handler)
        for logger, level in before.items():
            logger.setLevel(level)
    kept.check()


def model(messages: list[ChatMessage], options: ChatOptions) -> str:
    """Answers with marked words, and learns things that nobody can read."""
    if options.json_schema is not None:
        return f'{{"facts": [{{"{LEARNED}": "not what the schema says'
    return f"I know all about {REPLIED}. Really, {REPLIED}!"


def scripted() -> ScriptedEngines:
    engines = ScriptedEngines(chat=ScriptedChatModel(model))  # type: ignore[arg-type]  # any sequence
    engines.stt.texts = (f"Tell me of {HEARD}.",)
    return engines


RECORDING = {"audio": (f"{HEARD}.wav", pcm16(tone(0.5)))}


async def over(server: LobugServer, turns: int) -> None:
    """Return once so many turns have ended."""
    async with asyncio.timeout(PATIENCE_S):
        while len(server.telemetry.turns.newest(100)) < turns:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)


async def say_everything(http: httpx.AsyncClient) -> list[int]:
    """One turn through each HTTP door. Returns the statuses."""
    words = {"text": f"Tell me of {HEARD}."}
    events, wav = {"Accept": "text/event-stream"}, {"Accept": "audio/wav"}
    answers = [
        await http.post("/chat/text", json=words),
        await http.post("/chat/text", json=words, headers=events),
        await http.post("/chat/text", json=words, headers=wav),
        await http.post("/chat/audio", files=RECORDING),
        await http.post("/chat/audio", files=RECORDING, headers=events),
        await http.post("/chat/audio", files=RECORDING, headers=wav),
    ]
    return [answer.status_code for answer in answers]


async def test_turns_through_every_http_door(tmp_path: Path, logged: Logged) -> None:
    engines = scripted()
    async with running(settings_for(tmp_path), engines) as (http, server):
        assert await say_everything(http) == [200] * 6
        found = await http.post("/chat/audio", files=RECORDING)
        assert REPLIED in found.json()["response"]  # the marked words did come through
        assert HEARD in found.json()["transcription"]
        engines.stt.transcript = Transcript(HEARD, "en", 0.99, -2.0, 9.0)  # noise
        await http.post("/chat/audio", files=RECORDING)
        ids = [turn.timeline.id for turn in server.telemetry.turns.newest(100)]
    ended = [line for line in logged.records() if line["message"].startswith("turn over")]
    assert [line["turn"] for line in ended] == ids[::-1]
    assert all(f"[{turn_id}] turn over" in "\n".join(logged.lines("text")) for turn_id in ids)


async def test_turns_through_the_streaming_door(tmp_path: Path, logged: Logged) -> None:
    async with running(settings_for(tmp_path), scripted()) as (http, server):
        async with device(str(http.base_url)) as client:
            await client.say(type="listen", state="detect", text=f"Hi {HEARD}")
            await client.listen()
            await client.speak()
            await client.until_said("tts", state="sentence_start")
            await client.say(type="abort", reason=HEARD)
            await client.until_said("tts", state="stop")
            await over(server, 1)
            await client.say(type=HEARD, state=HEARD, text=HEARD)
            await client.socket.send(f'{{"type": "listen", {HEARD}')
            await client.listen()
            await client.speak()
            await client.until_said("stt", count=2)
        await over(server, 2)
        assert any(HEARD in message["text"] for message in client.messages("stt"))
    assert "door=device" in logged.messages()


async def test_an_erasure_is_one_line_of_numbers(tmp_path: Path, logged: Logged) -> None:
    """Neither the words nor the name of the person, here a marked word too, nor a key."""
    async with running(settings_for(tmp_path), scripted()) as (http, _):
        whose = {"user": HEARD}
        entry = {"content": f"The user likes the {REPLIED}", "key": f"likes_{LEARNED}"}
        for _ in range(2):
            stored = await http.post("/memory/entries", params=whose, json=entry)
            assert stored.status_code == 200
            await http.delete(f"/memory/keys/likes_{LEARNED}", params=whose)
        await http.post("/memory/entries", params=whose, json=entry)
        forgotten = {"text": f"likes the {REPLIED}", "confirm": True}
        assert (await http.post("/memory/forget", params=whose, json=forgotten)).json()["keys"]
        await http.post("/memory/forget", params=whose, json={**forgotten, "dry_run": True})
        await http.post("/memory/entries", params=whose, json=entry)
        purge = {"user": True, "confirm": True}
        assert (await http.post("/memory/purge", params=whose, json=purge)).json()["keys"]
    lines = [m for m in logged.messages().splitlines() if m.startswith("memory erased")]
    one = "memories=1 messages=0 derived=0 searches=0"
    assert lines == [
        *[f"memory erased: cause=forget {one}"] * 3,
        f"memory erased: cause=purge_user {one}",
    ]


FAULTS = [
    EngineInterruptedError("chat", "the script says so"),
    ValueError(f"cannot parse {HEARD} {REPLIED}"),
    StorageFullError("the script says so"),
]


FAILS = {
    "chat": [True, True],
    "stt": [False, True],
    "gate": [False, True],
    "tts": [False, False],
    "embedder": [False, False],
    "memory": [True, True],
}
"""By what fails: whether a typed turn does, and a spoken one."""


def ended(client: DeviceClient) -> bool:
    """Whether the device knows that its turn is over."""
    spoken = any(message.get("state") == "stop" for message in client.messages("tts"))
    return spoken or bool(client.messages("alert"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("engine", ["chat", "stt", "gate", "tts", "embedder", "memory"])
async def test_failing_turns(
    tmp_path: Path,
    logged: Logged,
    engine: str,
    fault: Exception,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engines = scripted()
    async with running(settings_for(tmp_path), engines) as (http, server):
        if engine == "memory":

            async def fail(*_: object, **__: object) -> int:
                raise fault

            monkeypatch.setattr(server.memory, "log_user_message", fail)
        elif engine == "chat":
            engines.chat._replies = [[f"About {REPLIED}: ", fault]]
        else:
            getattr(engines, engine).fail = fault
        typed = await http.post("/chat/text", json={"text": f"Tell me of {HEARD}."})
        spoken = await http.post("/chat/audio", files=RECORDING)
        assert all(answer.json()["response"] for answer in (typed, spoken)), "a device can say it"
        if isinstance(fault, EngineError):  # what an engine may raise; else it is a fault of ours
            failed = [answer.status_code >= 500 for answer in (typed, spoken)]
            assert failed == FAILS[engine]
        if engine in {"stt", "gate"} and not isinstance(fault, EngineError):
            return  # the listener takes engines at their word: they raise nothing else
        async with device(str(http.base_url)) as client:
            await client.listen()
            await client.speak()
            await client.until(lambda: ended(client))
    assert logged.messages()


async def test_what_memory_is_told_and_asked(tmp_path: Path, logged: Logged) -> None:
    async with running(settings_for(tmp_path), scripted()) as (http, _):
        for words in (
            f"Remember that my boat is called {HEARD}.",
            f"Forget that my boat is called {HEARD}.",
            "What do you know about me?",
            f"That's wrong, it is {HEARD}.",
            "Which memories did you use?",
        ):
            assert (await http.post("/chat/text", json={"text": words})).status_code == 200
        await http.get("/memory/search", params={"q": HEARD, "query": HEARD})
        await http.get(f"/memory/keys/{HEARD}")
        await http.post("/memory", json={"content": HEARD, HEARD: HEARD})
        await http.post("/memory/import", json={HEARD: HEARD})


async def test_requests_that_are_refused(tmp_path: Path, logged: Logged) -> None:
    async with running(settings_for(tmp_path), scripted()) as (http, _):
        answers = [
            await http.post("/chat/text", content=f'{{"text": "{HEARD}'),
            await http.post("/chat/text", json={"text": f"{HEARD} " * 20_000}),
            await http.post("/chat/text", json={"text": [HEARD]}),
            await http.post("/chat/audio", files={"audio": ("a.wav", HEARD.encode())}),
            await http.post("/chat/audio", json={"audio": HEARD}),
            await http.post("/context/sensors", json={"orientation": [HEARD]}),
            await http.get(f"/{HEARD}"),
            await http.get("/health", headers={"Device-Id": f"{HEARD} {REPLIED}"}),
        ]
        assert all(answer.status_code >= 400 for answer in answers[:-1])
        await http.post("/chat/text", json={"text": "Hello."})  # the log is not empty


async def test_tools_of_mcp_whatever_is_wrong_with_them(
    tmp_path: Path, logged: Logged, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    async with running(settings_for(tmp_path), scripted()) as (http, server):

        async def call(name: str, arguments: object, **more: object) -> httpx.Response:
            params = {"name": name, "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params, **more}
            return await http.post("/mcp", json=message, headers=headers)

        stored = await call("memory_store", {"key": "place", "content": f"She likes {HEARD}."})
        assert HEARD in stored.text  # the marked words did come through
        assert HEARD in (await call("memory_recall", {"query": HEARD})).text
        await call("memory_recall", {"query": HEARD, HEARD: HEARD})
        await call("memory_recall", [HEARD])
        await call(HEARD, {"query": HEARD})
        await call("memory_recall", {"query": HEARD}, jsonrpc=HEARD)
        await http.post("/mcp", content=f'{{"{HEARD}'.encode(), headers=headers)
        monkeypatch.setattr(server.memory, "search", _broken)
        broken = await call("memory_recall", {"query": HEARD})
        assert broken.json()["result"]["structuredContent"]["error"]["code"] == "internal_error"
        assert HEARD not in broken.text
    assert "the tool memory_recall failed" in logged.messages()


async def _broken(*_: object, **__: object) -> None:
    raise ValueError(f"a library quotes {HEARD}")
