"""What could not be said when it was due: said once, at the next contact, whatever door."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.app_server import ScriptedEngines
from support.device_client import until
from support.memory_kit import Clock
from support.programs import run as program
from support.scripted import ScriptedChatModel
from support.unasked_kit import DESK, KITCHEN, House, house, said, until_over

CALL = "Your reminder to call your mum fell due at 10:14 at night."


async def missed(here: House) -> None:
    """Let a reminder fall due where nobody can hear it."""
    await here.set("reminder", "to call my mum")
    here.pass_s(60)
    await until(lambda: bool(here.server.schedule._rings))
    await until(lambda: all(ring.noted for ring in here.server.schedule._rings.values()))


async def by_text(client: httpx.AsyncClient) -> str:
    answer = await client.post("/chat/text", json={"text": "Hello."}, headers=PHONE)
    return str(answer.json()["response"])


async def by_events(client: httpx.AsyncClient) -> str:
    headers = {**PHONE, "Accept": "text/event-stream"}
    answer = await client.post("/chat/text", json={"text": "Hello."}, headers=headers)
    events = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    deltas = "".join(
        json.loads(event)["text"] for event in events if json.loads(event).keys() == {"text"}
    )
    assert json.loads(events[-1])["response"] == deltas
    return deltas


async def by_openai(client: httpx.AsyncClient) -> str:
    body = {"model": "lobug", "messages": [{"role": "user", "content": "Hello."}]}
    answer = await client.post("/v1/chat/completions", json=body, headers=PHONE)
    return str(answer.json()["choices"][0]["message"]["content"])


PHONE = {"Device-Id": "phone"}


@pytest.mark.parametrize("door", [by_text, by_events, by_openai])
async def test_it_is_the_first_thing_said_at_the_next_contact_and_once(
    tmp_path: Path, door: Any
) -> None:
    async with house(tmp_path) as here:
        await missed(here)
        assert await door(here.client) == f"{CALL} Okay."
        assert await door(here.client) == "Okay."
        assert await here.alerts() == []
        assert await here.logged("phone") == ["Hello.", "Okay.", CALL, "Hello.", "Okay."]
        async with here.connect() as client:
            await asyncio.sleep(0.6)
            assert said(client) == []


async def test_two_turns_at_once_say_it_once(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        await missed(here)
        replies = await asyncio.gather(*(here.say("Hello.", place) for place in ("phone", DESK)))
        assert sorted(replies) == ["Okay.", f"{CALL} Okay."]


async def test_a_failed_turn_says_it_at_the_next_one(tmp_path: Path) -> None:
    scripted = ScriptedEngines()
    async with house(tmp_path, scripted) as here:
        await missed(here)
        scripted.chat.fail = RuntimeError("out of order")
        answer = await here.client.post("/chat/text", json={"text": "Hello."}, headers=PHONE)
        assert answer.status_code == 500
        scripted.chat.fail = None
        assert await here.say("Hello.") == f"{CALL} Okay."


async def test_nobody_else_hears_it(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        await missed(here)
        assert await here.say("Hello.", "somebody") == "Okay."
        assert await here.say("Hello.") == f"{CALL} Okay."


async def test_what_was_interrupted_before_it_was_heard_is_said_again(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=ScriptedChatModel(["Okay."]))
    async with house(tmp_path, scripted) as here, here.connect() as client:
        await here.set("reminder", "to call my mum")
        here.pass_s(60)
        await client.until_said("tts", count=2, state="stop")
        await until_over(here)  # said twice, nobody answered
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="sentence_start", text=CALL)
        await client.say(type="abort")
        await client.until_said("tts", count=3, state="stop")
        await until(lambda: here.server.priority.turns == 0)
        await client.listen()
        await client.speak()
        await client.until_said("tts", count=2, state="sentence_start", text=CALL)
        await client.until_said("tts", state="sentence_start", text="Okay.")
        await until(lambda: here.server.priority.turns == 0)
        assert await here.say("Hello.") == "Okay."


async def test_in_quiet_hours_reminders_wait_and_timers_ring(tmp_path: Path) -> None:
    wall = Clock()
    hour = time.localtime(wall()).tm_hour
    quiet = f"{hour:02}:00-{(hour + 1) % 24:02}:00"
    async with (
        house(tmp_path, wall=wall, skills={"quiet_hours": quiet}) as here,
        here.connect() as client,
    ):
        await here.set("reminder", "to call my mum")
        await here.set("timer", "pasta", in_s=120.0)
        here.pass_s(120)
        await client.until_said("tts", state="stop")
        assert said(client) == ["Your pasta timer is done."]
        await client.say(type="abort")
        (reminder,) = [one for one in await here.alerts() if one.kind == "reminder"]
        assert (reminder.state, time.localtime(reminder.due_at).tm_min) == ("pending", 0)
        refused = await here.client.post("/announce", json={"text": "Dinner!", "wait": False})
        assert refused.json()["error"]["code"] == "quiet_hours"
        waits = await here.client.post("/announce", json={"text": "Dinner!"})
        assert waits.json() == {"status": "waits", "said_on": [], "waits_for": ["ada"]}
        here.pass_s(reminder.due_at - wall())
        await client.until_said("tts", state="sentence_start", text="Dinner!")
        await client.until_said("tts", state="sentence_start", text="Reminder: call your mum.")


async def announce(here: House, **body: Any) -> Mapping[str, Any]:
    answer = await here.client.post("/announce", json={"text": "Dinner is ready.", **body})
    return {"code": answer.status_code, **answer.json()}


async def test_announcements(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        async with here.connect() as desk, here.connect(KITCHEN) as kitchen:
            both = await announce(here)
            assert both == {
                "code": 200,
                "status": "said",
                "said_on": [DESK, KITCHEN],
                "waits_for": [],
            }
            assert said(desk) == said(kitchen) == ["Dinner is ready."]
            one = await announce(here, device=KITCHEN, chime=False)
            assert one["said_on"] == [KITCHEN]
            assert len(said(desk)) == 1
        await until(lambda: not here.server.connections.sessions())
        for body, code in (
            ({"device": "nowhere"}, "device_unknown"),
            ({"user": "ada", "wait": False}, "device_offline"),
            ({"text": " "}, "text_empty"),
            ({"text": "x" * 501}, "text_too_long"),
            ({"user": "ada", "all": True}, "invalid_request"),
            ({"expires_s": 0}, "invalid_request"),
        ):
            assert (await announce(here, **body))["error"]["code"] == code, body
        waits = await announce(here, user="ada", expires_s=60)
        assert (waits["status"], waits["waits_for"]) == ("waits", ["ada"])
        await announce(here, user="ada", text="The post is here.")
        here.pass_s(61)
        assert await here.say("Hello.") == "The post is here. Okay."
        for _ in range(20):
            await announce(here, user="ada")
        assert (await announce(here, user="ada"))["error"]["code"] == "too_many_requests"


async def test_what_fell_due_while_it_was_off_is_told_once(tmp_path: Path) -> None:
    wall = Clock()
    async with house(tmp_path, wall=wall) as here:
        await here.set("timer", "pasta")
        await here.set("reminder", "to call my mum", in_s=120)
        await here.set("alarm", "", in_s=900)
    wall.advance(600)
    told = (
        "While I was off, your pasta timer ran out at 10:14 at night and your reminder to"
        " call your mum fell due at 10:15 at night."
    )
    async with house(tmp_path, wall=wall) as here:
        async with here.connect() as client:
            await client.until_said("tts", state="stop")
            assert said(client) == [told]
            (alarm,) = await here.alerts()
            assert alarm.kind == "alarm"
            await until(lambda: not here.server.schedule._tellers)
        assert await here.say("Hello.") == "Okay."


PROGRAM = Path(__file__).parents[1] / "support" / "ringing_server.py"


def test_a_ring_that_was_killed_rings_on_and_one_that_was_silenced_does_not(
    tmp_path: Path,
) -> None:
    """In processes of their own, which end by `kill -9` while something rings."""

    def run(act: str) -> list[Any]:
        done = program([str(PROGRAM), str(tmp_path), act])
        assert done.returncode == (-signal.SIGKILL if act != "look" else 0), done.stderr
        return list(json.loads(done.stdout.splitlines()[-1])) if done.stdout else []

    def states() -> list[tuple[str, bool]]:
        with sqlite3.connect(tmp_path / "data" / "agenda.db") as connection:
            found = connection.execute("SELECT state, silenced_at IS NOT NULL FROM alerts")
            return [(state, bool(silenced)) for state, silenced in found]

    run("ring")
    assert states() == [("ringing", False)]
    assert run("silence") == ["Your pasta timer is done."]
    assert states() == [("ringing", True)]
    assert run("look") == []
    assert states() == [("over", True)]
