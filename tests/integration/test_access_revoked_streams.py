"""A token that is revoked while an answer to it is being sent over HTTP, over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from lobug.access.service import Access
from lobug.engines.base import BACKGROUND_LANE
from lobug.server import LobugServer
from support.app_server import ScriptedEngines, running, settings_for
from support.patience import PATIENCE_S
from support.scripted import ChatCall, ScriptedChatModel

DOORS: dict[str, tuple[str, dict[str, Any], str]] = {
    "events": ("/chat/text", {"text": "Tell me a story", "voice": True}, "text/event-stream"),
    "wav": ("/chat/text", {"text": "Tell me a story"}, "audio/wav"),
    "openai": (
        "/v1/chat/completions",
        {
            "model": "lobug",
            "messages": [{"role": "user", "content": "Tell me a story"}],
            "stream": True,
        },
        "*/*",
    ),
}


class EndlessStory(ScriptedEngines):
    """After its first sentence the model is never done."""

    def __init__(self) -> None:
        never = asyncio.Event()
        super().__init__(
            chat=ScriptedChatModel(
                lambda _, options: (
                    "[]"
                    if options.lane == BACKGROUND_LANE
                    else ["Once there was a dragon. It ", never, "slept."]
                )
            )
        )


@asynccontextmanager
async def telling(
    http: httpx.AsyncClient, door: str
) -> AsyncIterator[tuple[str, httpx.Response, AsyncIterator[bytes]]]:
    """A story under way: the token's id, the answer and its body."""
    made = (await http.post("/tokens", json={"name": "laptop"})).json()
    path, body, kind = DOORS[door]
    headers = {"Authorization": f"Bearer {made['token']}", "Accept": kind}
    async with http.stream("POST", path, json=body, headers=headers) as answer:
        yield made["id"], answer, answer.aiter_bytes()


def of_turns(scripted: ScriptedEngines) -> list[ChatCall]:
    return [call for call in scripted.chat.calls if call.options.lane != BACKGROUND_LANE]


async def until(happened: Callable[[], object]) -> None:
    """Return once something has happened that nobody tells of."""
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.005)


async def stopped(server: LobugServer, scripted: ScriptedEngines) -> None:
    await until(lambda: not server.priority.turns)
    assert [call.cancelled for call in of_turns(scripted)] == [True]


@pytest.mark.parametrize("door", DOORS)
async def test_the_answer_to_a_revoked_token_ends_at_once(tmp_path: Path, door: str) -> None:
    scripted = EndlessStory()
    async with (
        running(settings_for(tmp_path), scripted) as (http, server),
        telling(http, door) as (token_id, answer, body),
    ):
        assert answer.status_code == 200
        assert await anext(body), "it has begun"
        await until(lambda: of_turns(scripted))  # the first event comes before the model's words
        other = await http.post("/tokens", json={"name": "other"})
        await http.delete(f"/tokens/{other.json()['id']}")
        assert server.priority.turns == 1, "somebody else's token is no matter"
        await http.delete(f"/tokens/{token_id}")
        async with asyncio.timeout(PATIENCE_S):
            rest = b"".join([part async for part in body])
        if door != "wav":
            last = rest.decode().strip().rpartition("data: ")[2]
            assert json.loads(last)["error"]["code"] == "token_invalid"
        await stopped(server, scripted)


@pytest.mark.parametrize("door", DOORS)
async def test_a_token_that_was_revoked_while_the_body_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    """Nobody could tell the answer, which was not there yet."""
    monkeypatch.setattr(Access, "still_valid", lambda *_: False)
    scripted = EndlessStory()
    async with (
        running(settings_for(tmp_path), scripted) as (http, server),
        telling(http, door) as (_, answer, body),
    ):
        async with asyncio.timeout(PATIENCE_S):
            whole = b"".join([part async for part in body])
        assert answer.status_code == (200 if door == "events" else 401)
        assert b'"token_invalid"' in whole
        assert server.priority.turns == 0
        assert of_turns(scripted) == []
