"""The doors of memory on the real memory: talk, look, correct, erase, take away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.app_server import client_of
from support.memory_app import app_with, door_settings
from support.simulated_address import remote_headers, with_simulated_addresses

DESK = {"Device-Id": "desk"}
ADA = {"user": "ada"}


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    users = {"users": {"device:desk": "ada", "device:hall": "bob"}}
    trusted = {"trusted_networks": ["192.168.1.0/24"]}
    settings = door_settings(tmp_path, conversation=users, access=trusted)
    async with client_of(with_simulated_addresses(app_with(settings))) as client:
        yield client


async def ask(http: httpx.AsyncClient, method: str, path: str, **request: Any) -> Any:
    answer = await http.request(method, f"/memory{path}", **request)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def exported(http: httpx.AsyncClient, user: str = "ada") -> str:
    answer = await http.get("/memory/export", params={"user": user})
    assert answer.status_code == 200, answer.text
    return answer.text


async def say(http: httpx.AsyncClient, text: str, device: str = "desk") -> None:
    answer = await http.post("/chat/text", json={"text": text}, headers={"Device-Id": device})
    assert answer.status_code == 200, answer.text


async def test_from_telling_to_erasing(http: httpx.AsyncClient) -> None:
    told = await ask(
        http,
        "POST",
        "/entries",
        params=ADA,
        json={"content": "The user lives in Portland", "key": "user_home"},
    )
    await say(http, "Is it far from Portland, where I live?")  # no claim answers it
    why = await ask(http, "GET", "/why", headers=DESK)
    assert why["query"]
    assert why["hits"][0]["content"] == "The user lives in Portland"
    assert why["injected"] == [f"memory:{told['id']}"]

    place = f"/entries/{told['id']}"
    body = {"content": "The user lives in Seattle"}
    right = await ask(http, "POST", f"{place}/correct", params=ADA, json=body)
    found = await ask(http, "GET", "/search", params={**ADA, "q": "Where does the user live?"})
    assert [hit["content"] for hit in found["hits"]] == ["The user lives in Seattle"]
    history = (await ask(http, "GET", f"{place}/history", params=ADA))["entries"]
    assert [entry["reason"] for entry in history] == ["corrected", None]

    gone = await ask(http, "DELETE", f"/entries/{right['id']}", params=ADA)
    assert sorted(gone["entries"]) == [told["id"], right["id"]]
    for trace in ("Portland", "Seattle"):
        assert trace not in await exported(http)
        everything = {**ADA, "q": trace, "status": "all", "turns": "true"}
        hits = (await ask(http, "GET", "/search", params=everything))["hits"]
        assert not [hit for hit in hits if trace in hit["content"]]


async def test_what_was_said_is_forgotten_by_its_words(http: httpx.AsyncClient) -> None:
    await say(http, "My sister is called Anna and my brother is called Ben.")
    await say(http, "It is raining in Lisbon today.")
    sessions = (await ask(http, "GET", "/sessions", params=ADA))["sessions"]
    assert [(session["user"], session["messages"]) for session in sessions] == [("ada", 4)]
    unconfirmed = await http.post("/memory/forget", params=ADA, json={"text": "sister Anna"})
    assert unconfirmed.json()["error"]["code"] == "confirmation_required"
    assert "Anna" in await exported(http)
    confirmed = {"text": "sister Anna", "confirm": True}
    gone = await ask(http, "POST", "/forget", params=ADA, json=confirmed)
    assert gone["messages"] >= 1
    left = await exported(http)
    assert "Anna" not in left
    assert "Lisbon" in left


async def test_a_purge_takes_a_user_and_nobody_else(http: httpx.AsyncClient) -> None:
    await say(http, "I have a parrot.")
    await say(http, "I have a canary.", device="hall")
    users = (await ask(http, "GET", "/users"))["users"]
    assert {(user["user"], user["messages"]) for user in users} == {("ada", 2), ("bob", 2)}
    first = (await ask(http, "GET", "/sessions", params=ADA))["sessions"][0]["id"]
    foreign = {"session": first, "confirm": True}
    refused = await http.post("/memory/purge", params={"user": "bob"}, json=foreign)
    assert refused.json()["error"]["code"] == "memory_not_found"
    asked = await http.post("/memory/purge", params=ADA, json={"user": True})
    assert "ada: 1 entry, 2 messages, 1 session" in asked.json()["error"]["message"]
    await ask(http, "POST", "/purge", params=ADA, json={"user": True, "confirm": True})
    assert [user["user"] for user in (await ask(http, "GET", "/users"))["users"]] == ["bob"]
    assert (await ask(http, "GET", "/entries", params=ADA))["entries"] == []
    assert "parrot" not in await exported(http)
    assert "canary" in await exported(http, "bob")


async def test_an_export_comes_back_whole(http: httpx.AsyncClient, tmp_path: Path) -> None:
    await say(http, "I keep bees in Zürich 🐝")
    body = {"content": "The user keeps bees", "key": "bees", "tags": ["hobby"]}
    told = await ask(http, "POST", "/entries", params=ADA, json=body)
    edit = {"importance": 0.9, "content": "The user keeps three hives"}
    await ask(http, "PATCH", f"/entries/{told['id']}", params=ADA, json=edit)
    document = await exported(http)
    async with client_of(app_with(door_settings(tmp_path / "other"))) as other:
        brought = await ask(other, "POST", "/import", params=ADA, content=document.encode())
        assert brought["messages"] == 2
        assert brought["entries"] == 3  # what was said, what was written, and its edit
        bees = await ask(other, "GET", "/keys/bees", params=ADA)
        assert (bees["content"], bees["importance"]) == (edit["content"], 0.9)
        again = await ask(other, "POST", "/import", params=ADA, content=document.encode())
        assert (again["entries"], again["messages"]) == (0, 0)
        markdown = (await other.get("/memory/export", params={**ADA, "format": "markdown"})).text
        assert "three hives" in markdown


async def test_projects_and_tasks_are_kept(http: httpx.AsyncClient) -> None:
    await ask(http, "POST", "/projects", params=ADA, json={"name": "garden"})
    task = {"title": "Dig the bed", "project": "garden"}
    number = (await ask(http, "POST", "/tasks", params=ADA, json=task))["id"]
    await ask(http, "PATCH", f"/tasks/{number}", params=ADA, json={"state": "half done"})
    done = await ask(http, "POST", f"/tasks/{number}/complete", params=ADA, json={"result": "dug"})
    archived = await ask(http, "GET", f"/entries/{done['archived_as']}", params=ADA)
    assert archived["entry"]["layer"] == "archive"
    assert archived["entry"]["project"] == "garden"
    in_project = {**ADA, "project": "garden", "layer": "archive"}
    listed = (await ask(http, "GET", "/entries", params=in_project))["entries"]
    assert [entry["id"] for entry in listed] == [done["archived_as"]]
    assert (await ask(http, "GET", "/tasks", params={"user": "bob"}))["tasks"] == []


async def test_where_the_file_is_concerns_the_owner(http: httpx.AsyncClient) -> None:
    await say(http, "I have a parrot.")
    own = await ask(http, "GET", "/stats", params=ADA)
    assert own["messages"] == 2
    assert own["database"]["bytes"] > 0
    assert "database" not in await ask(http, "GET", "/stats", headers=remote_headers(**DESK))
