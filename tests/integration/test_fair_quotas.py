"""A guest with many requests, over real sockets: others still get their answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import openai
import pytest
from fastapi import FastAPI

from lobug.app import create_app
from lobug.errors import TooManyRequestsError
from lobug.server import LobugServer
from lobug.turn.slots import AudioJobs
from support.app_server import ScriptedEngines, client_of, scripted_assembler, settings_for
from support.device_client import HELLO, DeviceClient, device
from support.faults import assert_problem, until
from support.paired_firmware import Firmware
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.simulated_address import remote_headers, with_simulated_addresses
from support.wav import pcm16, tone

RECORDING = pcm16(tone(1.0))
SHARE = 8
"""Turns of one person that may wait, by default."""


@dataclass
class House:
    """A server with an owner, one paired device, and guests; its model answers when ``gate`` is
    set, and at once to words that begin with "quick"."""

    http: httpx.AsyncClient
    app: FastAPI
    server: LobugServer
    scripted: ScriptedEngines
    gate: asyncio.Event

    async def token(self, user: str) -> dict[str, str]:
        """Headers of a guest's request from another computer."""
        _, token = await self.server.access.tokens.create(f"for {user}", user=user)
        return remote_headers(Authorization=f"Bearer {token}")

    def ask(self, text: str, headers: Mapping[str, str]) -> asyncio.Task[httpx.Response]:
        """`POST /chat/text`."""
        return asyncio.create_task(
            self.http.post("/chat/text", json={"text": text}, headers=dict(headers))
        )

    async def paired(self) -> dict[str, str]:
        """Headers of the paired device's requests."""
        firmware = Firmware(self.http)
        await firmware.check_version()
        assert firmware.activation is not None
        code = {"code": firmware.activation["code"]}
        assert (await self.http.post("/devices/approve", json=code)).status_code == 200
        await firmware.check_version()
        return firmware.opening()


@asynccontextmanager
async def house(folder: Path, **limits: object) -> AsyncIterator[House]:
    gate = asyncio.Event()
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(
            lambda _, options: "[]" if options.json_schema else ["Okay", gate, "."]
        )
    )
    app = with_simulated_addresses(
        create_app(settings_for(folder, limits=limits), assembler=scripted_assembler(scripted))
    )
    async with client_of(app) as client:
        base = str(client.base_url)
        # A connection is not used again about the time when the server gives it up.
        many = httpx.Limits(max_connections=500, keepalive_expiry=1)
        async with httpx.AsyncClient(
            base_url=base, timeout=PATIENCE_S, trust_env=False, limits=many
        ) as http:
            yield House(http, app, app.state.lobug, scripted, gate)
            assert app.state.lobug.turns.waiting == 0
            assert app.state.lobug.priority.turns == 0


async def settled(house: House, tasks: list[asyncio.Task[httpx.Response]]) -> None:
    """Return once each request has been refused, runs, or waits."""

    async def so() -> bool:
        under_way = house.server.priority.turns
        return sum(task.done() for task in tasks) + under_way >= len(tasks)

    await until(so)


def answered(house: House) -> list[str]:
    """The words that the model was asked to answer, in that order."""
    calls = [call for call in house.scripted.chat.calls if call.options.json_schema is None]
    return [call.messages[-1].content for call in calls]


async def test_a_guest_with_two_tokens_cannot_fill_the_queue(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        tokens = [await h.token("guest"), await h.token("guest")]
        paired = await h.paired()
        flood = [h.ask(f"guest {n}", tokens[n % 2]) for n in range(80)]
        await settled(h, flood)
        owner = h.ask("owner", {})
        desk = h.ask("device", paired)
        other = h.ask("another guest", await h.token("other"))
        await settled(h, [*flood, owner, desk, other])
        h.gate.set()
        for turn in (owner, desk, other):
            assert (await asyncio.wait_for(turn, PATIENCE_S)).json() == {"response": "Okay."}
        answers = await asyncio.gather(*flood)
        served = [answer for answer in answers if answer.status_code == 200]
        for answer in answers:
            if answer not in served:
                assert_problem(answer, 429, "too_many_requests")
                assert int(answer.headers["Retry-After"]) > 0
        assert len(served) == 2 + SHARE
        assert set(answered(h)[2:4]) == {"owner", "device"}, "they come before the guest's next"


async def test_a_crowd_of_guests_leaves_the_reserved_places(tmp_path: Path) -> None:
    async with house(tmp_path, max_waiting_turns=16) as h:
        tokens = [await h.token(f"guest {n}") for n in range(10)]
        flood = [h.ask(f"guest {n}", tokens[n % 10]) for n in range(40)]
        await settled(h, flood)
        assert h.server.turns.waiting == 12
        owner = h.ask("owner", {})
        desk = h.ask("device", await h.paired())
        await settled(h, [*flood, owner, desk])
        h.gate.set()
        assert (await owner).status_code == (await desk).status_code == 200
        refused = [answer for answer in await asyncio.gather(*flood) if answer.status_code != 200]
        assert len(refused) == 40 - 12 - 2
        for answer in refused:
            assert_problem(answer, 503, "busy")


async def test_guests_take_turns_for_transcriptions(tmp_path: Path) -> None:
    """Hearing without a turn has no conversation that would keep a person's requests apart."""
    async with house(tmp_path, max_concurrent_turns=1) as h:
        gate = asyncio.Event()
        heard: list[str] = []
        transcribe = h.scripted.stt.transcribe

        async def transcribe_later(audio, language):  # type: ignore[no-untyped-def]  # as it is
            heard.append(str(language))
            await gate.wait()
            return await transcribe(audio, language)

        h.scripted.stt.transcribe = transcribe_later  # type: ignore[method-assign]  # for the gate

        def hear(language: str, headers: Mapping[str, str]) -> asyncio.Task[httpx.Response]:
            return asyncio.create_task(
                h.http.post(
                    "/v1/audio/transcriptions",
                    files={"file": ("a.wav", RECORDING, "audio/wav")},
                    data={"model": "whisper-1", "language": language},
                    headers=dict(headers),
                )
            )

        async def waiting(count: int) -> None:
            jobs: AudioJobs = h.app.state.audio_jobs

            async def so() -> bool:
                return jobs.waiting == count

            await until(so)

        guest, other = await h.token("guest"), await h.token("other")
        flood = [hear("aa", guest) for _ in range(30)]

        async def refused() -> bool:
            return sum(task.done() for task in flood) == 30 - 1 - SHARE

        await until(refused)
        late = hear("bb", other)
        await waiting(SHARE + 1)
        owner = hear("cc", {})
        await waiting(SHARE + 2)
        gate.set()
        assert (await late).status_code == (await owner).status_code == 200
        answers = await asyncio.gather(*flood)
        for answer in answers:
            if answer.status_code != 200:
                body = answer.json()
                assert (answer.status_code, body["error"]["code"]) == (429, "too_many_requests")
                assert body["error"]["type"] == "rate_limit_error"
        assert heard[:4] == ["aa", "cc", "aa", "bb"], "the owner, then one of each guest"


async def test_the_openai_door_says_it_in_its_own_form(tmp_path: Path) -> None:
    async with house(tmp_path, max_concurrent_turns=1, max_waiting_per_person=1) as h:
        headers = await h.token("guest")
        flood = [h.ask(f"guest {n}", headers) for n in range(2)]
        await settled(h, flood)
        asked = {"model": "lobug", "messages": [{"role": "user", "content": "Hello"}]}
        plain = await h.http.post("/v1/chat/completions", json=asked, headers=headers)
        assert plain.status_code == 429
        assert plain.json()["error"]["type"] == "rate_limit_error"
        assert plain.json()["error"]["code"] == "too_many_requests"
        assert int(plain.headers["Retry-After"]) > 0
        client = openai.AsyncOpenAI(
            base_url=f"{str(h.http.base_url).rstrip('/')}/v1",
            api_key=headers["Authorization"].removeprefix("Bearer "),
            max_retries=0,
        )
        with pytest.raises(openai.RateLimitError) as caught:
            await client.chat.completions.create(
                model="lobug", messages=[{"role": "user", "content": "Hello"}]
            )
        assert caught.value.code == "too_many_requests"
        await client.close()
        events = await h.http.post(
            "/chat/text",
            json={"text": "Hello"},
            headers={**headers, "Accept": "text/event-stream"},
        )
        assert "event: error" in events.text
        assert '"code":"too_many_requests"' in events.text
        h.gate.set()
        assert [(await turn).status_code for turn in flood] == [200, 200]


async def test_a_device_that_is_refused_hears_why(tmp_path: Path) -> None:
    async with house(tmp_path, max_concurrent_turns=1, max_waiting_per_person=1) as h:
        paired = await h.paired()
        first = h.ask("one", paired)
        second = h.ask("two", paired)
        await settled(h, [first, second])
        async with talking(h, paired) as client:
            await client.listen()
            await client.speak()
            alert = await client.until_said("alert")
            assert alert["message"] == TooManyRequestsError.spoken
        h.gate.set()
        assert (await first).status_code == (await second).status_code == 200


@asynccontextmanager
async def talking(h: House, headers: Mapping[str, str]) -> AsyncIterator[DeviceClient]:
    base = str(h.http.base_url)
    async with device(base, Firmware.device_id, hello=HELLO, headers=headers) as client:
        yield client
