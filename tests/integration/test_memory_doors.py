"""Everything under `/memory`, over a real socket."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from support.app_server import client_of
from support.memory_app import app_with, door_settings, exchange, memory_of
from support.simulated_address import remote_headers, with_simulated_addresses

FAR = remote_headers("192.168.1.7")
"""A caller from a trusted network."""


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    settings = door_settings(
        tmp_path,
        memory={"household": {"ada": "write", "bob": "read"}, "identity_chars": 400},
        access={"trusted_networks": ["192.168.1.0/24"]},
    )
    return with_simulated_addresses(app_with(settings))


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


async def told(http: httpx.AsyncClient, content: str, user: str = "ada", **more: Any) -> Any:
    answer = await http.post(
        "/memory/entries", params={"user": user}, json={"content": content, **more}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def code(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.json()['error']['code']}"


# ---- entries


async def test_the_newest_come_first_and_any_page_can_be_had(http: httpx.AsyncClient) -> None:
    for day in (3, 1, 5, 2, 4):
        await told(
            http,
            f"The user went up hill {day}",
            key=f"hill_{day}",
            said_at=f"2024-03-0{day}T12:00:00Z",
            tags=["odd"] if day % 2 else [],
        )
    await told(http, "The user has a cat", user="bob")

    async def page(**more: Any) -> tuple[list[str], int | None]:
        answer = await http.get(
            "/memory/entries", params={"user": "ada", "order": "newest", "count": "true", **more}
        )
        body = answer.json()
        assert body["next"] is None
        return [entry["key"] for entry in body["entries"]], body["total"]

    assert await page() == (["hill_5", "hill_4", "hill_3", "hill_2", "hill_1"], 5)
    assert await page(limit=2, skip=3) == (["hill_2", "hill_1"], 5)
    assert await page(skip=5) == ([], 5)
    assert await page(tags="odd", limit=1) == (["hill_5"], 3)
    assert await page(since="2024-03-02", until="2024-03-04") == (["hill_3", "hill_2"], 2)
    assert await page(status="past") == ([], 0)
    by_id = await http.get("/memory/entries", params={"user": "ada", "limit": 2})
    assert [entry["key"] for entry in by_id.json()["entries"]] == ["hill_3", "hill_1"]
    assert by_id.json()["total"] is None
    faults: tuple[dict[str, str | int], ...] = ({"order": "newest", "after": 1}, {"skip": 1})
    for wrong in faults:
        refused = await http.get("/memory/entries", params={"user": "ada", **wrong})
        assert code(refused) == "422 invalid_request"


async def test_a_list_of_the_newest_shows_the_household_to_those_who_may_see_it(
    http: httpx.AsyncClient,
) -> None:
    await told(http, "The dog is called Rex", scope="household")
    await told(http, "The user likes tea")

    async def seen(user: str) -> tuple[set[str], int]:
        query = {"user": user, "order": "newest", "count": "true"}
        body = (await http.get("/memory/entries", params=query)).json()
        return {entry["content"] for entry in body["entries"]}, body["total"]

    assert await seen("ada") == ({"The dog is called Rex", "The user likes tea"}, 2)
    assert await seen("bob") == ({"The dog is called Rex"}, 1)
    assert await seen("eve") == (set(), 0)


async def test_a_memory_is_always_in_mind_while_it_is_in_layer_identity(
    http: httpx.AsyncClient,
) -> None:
    ada = {"user": "ada"}
    entry = await told(http, "The user lives in Porto", key="user_home", fact_type="personal")
    pinned = await http.patch(
        f"/memory/entries/{entry['id']}", params=ada, json={"layer": "identity"}
    )
    assert (pinned.json()["layer"], pinned.json()["section"]) == ("identity", "User Profile")
    assert (pinned.json()["key"], pinned.json()["said_at"]) == ("user_home", entry["said_at"])
    identity = (await http.get("/memory/identity", params=ada)).json()
    assert identity["text"] == "## User Profile\n- The user lives in Porto"
    back = await http.patch(
        f"/memory/entries/{pinned.json()['id']}", params=ada, json={"layer": "knowledge"}
    )
    assert (back.json()["layer"], back.json()["section"]) == ("knowledge", None)
    assert (await http.get("/memory/identity", params=ada)).json()["text"] == ""
    ours = await told(http, "The dog is called Rex", scope="household")
    refused = await http.patch(
        f"/memory/entries/{ours['id']}", params=ada, json={"layer": "identity"}
    )
    assert code(refused) == "422 memory_content_invalid"
    long = await told(http, "The user said " + "many words " * 40)
    refused = await http.patch(
        f"/memory/entries/{long['id']}", params=ada, json={"layer": "identity"}
    )
    assert code(refused) == "409 identity_full"
    kept = (await http.get(f"/memory/entries/{long['id']}", params=ada)).json()
    assert kept["entry"]["status"] == "active"


async def test_a_dry_run_says_what_forgetting_would_take_and_takes_nothing(
    http: httpx.AsyncClient,
) -> None:
    ada = {"user": "ada"}
    entry = await told(http, "The user has a cat called Minka", key="pet")
    place = f"/memory/entries/{entry['id']}"
    await http.patch(place, params=ada, json={"content": "The user has two cats"})
    dry = (await http.delete(place, params={**ada, "dry_run": "true"})).json()
    assert (dry["dry_run"], len(dry["entries"]), dry["keys"]) == (True, 2, ["pet"])
    assert (await http.get(place, params=ada)).status_code == 200
    gone = (await http.delete(place, params=ada)).json()
    assert gone == dry | {"dry_run": False}
    assert code(await http.get(place, params=ada)) == "404 memory_not_found"


async def test_an_entry_is_told_shown_changed_and_corrected(http: httpx.AsyncClient) -> None:
    ada = {"user": "ada"}
    told_first = await told(
        http,
        "The user lives in Portland",
        key="user_home",
        tags=["home", "home"],
        importance=0.8,
        said_at="2024-03-01T12:00:00Z",
    )
    assert told_first["key"] == "user_home"
    assert told_first["tags"] == ["home"]
    assert told_first["said_at"] == "2024-03-01T12:00:00Z"
    assert told_first["source"] == "user"
    place = f"/memory/entries/{told_first['id']}"
    shown = (await http.get(place, params=ada)).json()
    assert shown["entry"] == told_first
    assert shown["message"] is None

    edited = (await http.patch(place, params=ada, json={"importance": 0.9})).json()
    assert (edited["content"], edited["importance"]) == ("The user lives in Portland", 0.9)
    assert edited["id"] == told_first["id"], "only other content is a new version"
    words = {"content": "The user lives in Porto"}
    edited = (await http.patch(place, params=ada, json=words)).json()
    assert (edited["content"], edited["importance"]) == ("The user lives in Porto", 0.9)
    corrected = await http.post(
        f"/memory/entries/{edited['id']}/correct",
        params=ada,
        json={"content": "The user lives in Seattle"},
    )
    assert corrected.json()["source"] == "correction"
    history = (await http.get(f"{place}/history", params=ada)).json()["entries"]
    assert [(e["status"], e["reason"]) for e in history] == [
        ("inactive", "edited"),
        ("inactive", "corrected"),
        ("active", None),
    ]
    by_key = (await http.get("/memory/keys/user_home", params=ada)).json()
    assert by_key["content"] == "The user lives in Seattle"


async def test_removing_can_be_undone_and_forgetting_cannot(http: httpx.AsyncClient) -> None:
    ada = {"user": "ada"}
    entry = await told(http, "The user has a cat", key="pet")
    place = f"/memory/entries/{entry['id']}"
    removed = (await http.post(f"{place}/remove", params=ada)).json()
    assert (removed["status"], removed["reason"]) == ("inactive", "removed")
    assert (await http.get("/memory/entries", params=ada)).json()["entries"] == []
    restored = (await http.post(f"{place}/restore", params=ada)).json()
    assert restored["status"] == "active"
    gone = (await http.delete(place, params=ada)).json()
    assert gone["keys"] == ["pet"]
    assert gone["dry_run"] is False
    assert code(await http.get(place, params=ada)) == "404 memory_not_found"
    assert code(await http.delete("/memory/keys/pet", params=ada)) == "404 memory_not_found"


async def test_entries_come_in_pages_and_by_filters(http: httpx.AsyncClient) -> None:
    for number in range(5):
        await told(
            http,
            f"Fact {number}",
            key=f"fact_{number}",
            tags=["odd"] if number % 2 else ["even", "all"],
            said_at=f"2024-01-0{number + 1}",
        )

    async def keys(**where: Any) -> tuple[list[str], int | None]:
        answer = await http.get("/memory/entries", params={"user": "ada", **where})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        return [entry["key"] for entry in page["entries"]], page["next"]

    first, cursor = await keys(limit=2)
    assert first == ["fact_0", "fact_1"]
    second, cursor = await keys(limit=2, after=cursor)
    assert second == ["fact_2", "fact_3"]
    assert await keys(limit=2, after=cursor) == (["fact_4"], None)
    assert await keys(limit=5) == ([f"fact_{n}" for n in range(5)], None)
    assert (await keys(tags=["even", "all"]))[0] == ["fact_0", "fact_2", "fact_4"]
    assert (await keys(tags="nobody_uses_this"))[0] == []
    assert (await keys(since="2024-01-04", until="2024-01-05T00:00:00Z"))[0] == ["fact_3"]
    assert (await keys(since="1704326400"))[0] == ["fact_3", "fact_4"]
    assert (await keys(layer="archive"))[0] == []
    assert len((await keys(status="all"))[0]) == 5


# ---- looking


async def test_search_shows_scores_and_entries(http: httpx.AsyncClient) -> None:
    await told(http, "The user likes oolong tea", key="tea")
    await told(http, "The user has a cat", key="pet")
    hits = (await http.get("/memory/search", params={"user": "ada", "q": "oolong tea"})).json()[
        "hits"
    ]
    assert [hit["entry"]["key"] for hit in hits] == ["tea"]
    assert hits[0]["kind"] == "memory"
    assert hits[0]["parts"]
    assert 0 <= hits[0]["confidence"] <= 1
    by_time = await http.get("/memory/search", params={"user": "ada", "since": "2000-01-01"})
    assert len(by_time.json()["hits"]) == 2
    assert code(await http.get("/memory/search", params={"q": " "})) == "422 text_empty"


async def test_identity_is_edited_as_one_text(http: httpx.AsyncClient) -> None:
    ada = {"user": "ada"}
    line = await told(http, "The user is called Ada", layer="identity")
    read = await http.get("/memory/identity", params=ada)
    assert read.headers["ETag"] == f'"{read.json()["version"]}"'

    async def put(text: str, version: str | None = None) -> httpx.Response:
        headers = {} if version is None else {"If-Match": version}
        return await http.put("/memory/identity", params=ada, json={"text": text}, headers=headers)

    text = f"{read.json()['text']}\n## Preferences\n- Likes tea\n"
    put_first = await put(text, read.headers["ETag"])
    assert put_first.status_code == 200, put_first.text
    assert put_first.json()["text"] == text.strip()
    assert put_first.headers["ETag"] != read.headers["ETag"]
    assert put_first.json()["entries"][0]["id"] == line["id"]
    assert code(await put("- Ada", read.headers["ETag"])) == "412 identity_changed"
    assert code(await put("- Ada", 'W/"x", "y"')) == "412 identity_changed"
    assert (await put("- Ada", f'"x", {put_first.headers["ETag"]}')).status_code == 200
    assert (await put("- Grace", "*")).json()["text"] == "## User Profile\n- Grace"
    assert (await http.post(f"/memory/entries/{line['id']}/restore", params=ada)).status_code == 200
    assert code(await put("## Passwords\n- Ada")) == "422 identity_invalid"
    assert code(await put("- Ada\n- " + "a" * 400)) == "409 identity_full"
    half = await http.put("/memory/identity", params=ada, content=r'{"text": "- A\ud800"}')
    assert code(half) == "400 invalid_encoding"
    wrong = await http.put("/memory/identity", params=ada, json={"txt": ""})
    assert code(wrong) == "422 invalid_request"
    bob = (await http.get("/memory/identity", params={"user": "bob"})).json()
    assert bob["text"] == ""


async def test_a_conversation_has_a_focus(http: httpx.AsyncClient, app: FastAPI) -> None:
    own = "address:127.0.0.1/address:127.0.0.1"
    nothing: dict[str, Any] = {"conversation": own, "project": None, "tags": [], "task": None}
    assert (await http.get("/memory/focus")).json() == nothing
    await http.post("/memory/projects", json={"name": "boat"})
    task = (await http.post("/memory/tasks", json={"title": "Paint", "project": "boat"})).json()
    body = {"project": "boat", "tags": ["blue", "blue"], "task": task["id"]}
    found = (await http.put("/memory/focus", json=body)).json()
    assert found == {"conversation": own, "project": "boat", "tags": ["blue"], "task": task}
    assert (await http.get("/memory/focus")).json() == found
    assert (await http.put("/memory/focus", json={"tags": ["x"]})).json()["task"] is None
    assert (await http.put("/memory/focus", json={})).json() == nothing

    for wrong in ({"project": "ship"}, {"task": task["id"] + 1}):
        assert code(await http.put("/memory/focus", json=wrong)) == "404 memory_not_found"
    assert code(await http.put("/memory/focus", json={"tag": "x"})) == "422 invalid_request"
    other = {"conversation": "bob/desk"}
    assert code(await http.get("/memory/focus", params=other)) == "404 memory_not_found"

    bob = {"user": "bob"}
    assert code(await http.get("/memory/focus", params=bob)) == "422 invalid_request"
    assert code(await http.get("/memory/focus", params=bob | other)) == "404 memory_not_found"
    await exchange(memory_of(app), "bob")
    answer = await http.put("/memory/focus", params=bob | other, json={"tags": ["y"]})
    assert answer.json()["conversation"] == "bob/desk"
    assert answer.json()["tags"] == ["y"]


async def test_identity_says_how_full_it_is(http: httpx.AsyncClient) -> None:
    await told(http, "The user is called Ada", layer="identity", section="Preferences")
    identity = (await http.get("/memory/identity", params={"user": "ada"})).json()
    assert identity["characters"] == len(identity["text"])
    assert identity["used_percent"] == round(100 * identity["characters"] / identity["limit"])
    assert [entry["section"] for entry in identity["entries"]] == ["Preferences"]


async def test_why_and_the_retrieval_log(http: httpx.AsyncClient, app: FastAPI) -> None:
    tea = await told(http, "The user likes tea", key="tea")
    first, second = [await exchange(memory_of(app), "ada") for _ in range(2)]
    ada = {"user": "ada"}
    last = (await http.get("/memory/why", params=ada)).json()
    assert last["message_id"] == second
    assert last["query"] == "Do I like tea?"
    assert last["created_at"].endswith("Z")
    assert abs(datetime.fromisoformat(last["created_at"]).timestamp() - time.time()) < 60
    assert last["hits"][0]["content"] == "The user likes tea"
    assert sum(last["hits"][0]["parts"].values()) > 0
    assert last["injected"] == [f"memory:{tea['id']}"]
    why = await http.get("/memory/why", params={**ada, "message_id": first})
    assert why.json()["message_id"] == first
    unknown = await http.get("/memory/why", params={**ada, "message_id": 99})
    assert code(unknown) == "404 memory_not_found"
    log = (await http.get("/memory/recalls", params={**ada, "limit": 1})).json()["recalls"]
    assert [row["message_id"] for row in log] == [second]


LONG_AGO = 1_700_000_001.0
DAY_S = 86_400.0


async def test_sessions_come_in_pages_newest_first(http: httpx.AsyncClient, app: FastAPI) -> None:
    for day in range(3):
        await exchange(memory_of(app), "ada", said_at=LONG_AGO + day * DAY_S)
    first = (await http.get("/memory/sessions", params={"user": "ada", "limit": 2})).json()
    assert [session["id"] for session in first["sessions"]] == [3, 2]
    rest = await http.get(
        "/memory/sessions", params={"user": "ada", "limit": 2, "before": first["next"]}
    )
    assert [session["id"] for session in rest.json()["sessions"]] == [1]
    assert rest.json()["next"] is None


async def test_users_and_stats(http: httpx.AsyncClient) -> None:
    await told(http, "The user is called Ada")
    await told(http, "The user is called Bob", user="bob")
    users = (await http.get("/memory/users")).json()
    assert [(user["user"], user["entries"]) for user in users["users"]] == [("bob", 1), ("ada", 1)]
    assert users["you"] == "address:127.0.0.1"
    stats = (await http.get("/memory/stats", params={"user": "ada"})).json()
    assert stats["entries"] == {"knowledge": {"active": 1}}


# ---- erasing


async def test_forgetting_by_words_asks_first(http: httpx.AsyncClient) -> None:
    ada = {"user": "ada"}
    await told(http, "The user likes oolong tea", key="tea")
    words: dict[str, object] = {"text": "oolong tea"}
    dry = (await http.post("/memory/forget", params=ada, json={**words, "dry_run": True})).json()
    assert (dry["dry_run"], dry["keys"]) == (True, ["tea"])
    unconfirmed = await http.post("/memory/forget", params=ada, json=words)
    assert code(unconfirmed) == "409 confirmation_required"
    assert "1 version of memories" in unconfirmed.json()["error"]["message"]
    assert "oolong" not in unconfirmed.text
    both = {**words, "dry_run": True, "confirm": True}
    assert (await http.post("/memory/forget", params=ada, json=both)).json()["dry_run"] is True
    gone = await http.post("/memory/forget", params=ada, json={**words, "confirm": True})
    assert gone.json()["keys"] == ["tea"]
    # What is not there needs no confirmation.
    again = (await http.post("/memory/forget", params=ada, json=words)).json()
    assert again["entries"] == []


async def test_purging_asks_first_and_says_what_would_go(
    http: httpx.AsyncClient, app: FastAPI
) -> None:
    ada = {"user": "ada"}
    await told(http, "The user likes tea")
    for user in ("ada", "ada", "bob"):
        await exchange(memory_of(app), user, said_at=LONG_AGO)

    async def users() -> dict[str, tuple[int, int, int]]:
        found = (await http.get("/memory/users")).json()["users"]
        return {
            user["user"]: (user["entries"], user["messages"], user["sessions"]) for user in found
        }

    everybody = {"ada": (1, 4, 1), "bob": (0, 2, 1)}
    for body, said in (
        ({"user": True}, "everything about ada: 1 entry, 4 messages, 1 session"),
        ({"session": 1}, "session 1 of 2023-11-14T22:13:21Z: 4 messages"),
        ({"older_than_days": 30}, "timeline entries of ada from before 20"),
    ):
        answer = await http.post("/memory/purge", params=ada, json=body)
        assert code(answer) == "409 confirmation_required"
        assert said in answer.json()["error"]["message"]
        counted = await http.post("/memory/purge", params=ada, json={**body, "dry_run": True})
        assert (counted.json()["messages"], counted.json()["dry_run"]) == (4, True)
    assert await users() == everybody
    other = await http.post("/memory/purge", params=ada, json={"session": 2})
    assert code(other) == "404 memory_not_found"
    other = await http.post("/memory/purge", params=ada, json={"session": 2, "dry_run": True})
    assert code(other) == "404 memory_not_found"
    for wrong in ({}, {"user": True, "session": 1}, {"user": False}):
        answer = await http.post("/memory/purge", params=ada, json={**wrong, "confirm": True})
        assert code(answer) == "422 invalid_request"
    assert await users() == everybody
    done = await http.post("/memory/purge", params=ada, json={"user": True, "confirm": True})
    assert len(done.json()["entries"]) == 1
    assert await users() == {"bob": (0, 2, 1)}


# ---- export and import


async def test_an_export_is_a_file_that_can_be_imported(http: httpx.AsyncClient) -> None:
    await told(http, "The user likes чай 🫖", key="tea")
    exported = await http.get("/memory/export", params={"user": "ada"})
    assert exported.headers["content-type"] == "application/json"
    assert 'attachment; filename="lobug-memory-' in exported.headers["content-disposition"]
    assert exported.headers["cache-control"] == "no-store"
    assert exported.json()["entries"][0]["content"] == "The user likes чай 🫖"

    brought = await http.post("/memory/import", params={"user": "eve"}, content=exported.content)
    assert brought.json()["entries"] == 1
    again = await http.post("/memory/import", params={"user": "eve"}, content=exported.content)
    assert (again.json()["entries"], again.json()["skipped"]) == (0, 1)
    eve = (await http.get("/memory/keys/tea", params={"user": "eve"})).json()
    assert eve["content"] == "The user likes чай 🫖"


async def test_an_export_can_be_read(http: httpx.AsyncClient) -> None:
    await told(http, "The user likes чай")
    answer = await http.get("/memory/export", params={"user": "ada", "format": "markdown"})
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.headers["content-disposition"].endswith('.md"')
    assert "- The user likes чай" in answer.text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "400 invalid_encoding"),
        (b"{", "400 invalid_encoding"),
        (b"[1]", "422 import_invalid"),
        (b'"text"', "422 import_invalid"),
        (b"null", "422 import_invalid"),
        (b'{"format": "lobug-memory", "entries": 5}', "422 import_invalid"),
        (b"[" * 100_000, "422 import_invalid"),
        (b"x" * 500_000, "413 body_too_large"),
    ],
)
async def test_what_is_no_export_is_refused(
    http: httpx.AsyncClient, body: bytes, expected: str
) -> None:
    assert code(await http.post("/memory/import", content=body)) == expected


# ---- projects and tasks


async def test_projects_and_tasks(http: httpx.AsyncClient) -> None:
    ada = {"user": "ada"}
    body = {"name": "garden/front", "description": "Beds"}
    project = (await http.post("/memory/projects", params=ada, json=body)).json()
    assert project["status"] == "active"
    task = (
        await http.post(
            "/memory/tasks", params=ada, json={"title": "Dig", "project": "garden/front"}
        )
    ).json()
    place = f"/memory/tasks/{task['id']}"
    noted = (await http.patch(place, params=ada, json={"state": "half done"})).json()
    assert (noted["status"], noted["state"]) == ("open", "half done")
    listed = (await http.get("/memory/tasks", params={**ada, "project": "garden/front"})).json()
    assert [task["title"] for task in listed["tasks"]] == ["Dig"]
    done = (await http.post(f"{place}/complete", params=ada, json={"result": "dug"})).json()
    assert done["status"] == "done"
    archived = await http.post("/memory/projects/garden%2Ffront/archive", params=ada)
    assert archived.json()["status"] == "archived"
    projects = (await http.get("/memory/projects", params=ada)).json()["projects"]
    assert [project["name"] for project in projects] == ["garden/front"]
    missing = await http.post("/memory/projects/nowhere/archive", params=ada)
    assert code(missing) == "404 memory_not_found"
    none = await http.post("/memory/tasks/99/complete", params=ada, json={})
    assert code(none) == "404 memory_not_found"


# ---- tools


async def test_programs_call_tools(http: httpx.AsyncClient) -> None:
    ada = {"user": "ada"}
    tools = {tool["name"]: tool for tool in (await http.get("/memory/tools")).json()["tools"]}
    assert tools["memory_store"]["parameters"]["required"] == ["key", "content"]
    body = {"key": "tea", "content": "The user likes tea"}
    stored = (await http.post("/memory/tools/memory_store", params=ada, json=body)).json()
    assert (stored["success"], stored["entries"][0]["source"]) == (True, "agent")
    found = await http.post("/memory/tools/memory_recall", params=ada, json={"query": "tea"})
    assert "The user likes tea" in found.json()["output"]
    change = {"action": "update", "layer": "L1", "target_id": "1", "content": "The user likes chai"}
    written = (await http.post("/memory/write", params=ada, json=change)).json()
    assert written["entries"][0]["content"] == "The user likes chai"
    other = await http.post("/memory/write", params={"user": "bob"}, json=change)
    assert code(other) == "404 memory_not_found"
    for name, arguments, expected in (
        ("memory_purge", {}, "422 invalid_request"),
        ("memory_store", {}, "422 memory_content_invalid"),
        ("memory_store", {"key": "No Key", "content": "x"}, "422 memory_key_invalid"),
        ("memory_store", [1], "422 invalid_request"),
        ("memory_recall", {"query": "a\0b"}, "422 invalid_request"),
        ("memory_recall", {"query": ["x" * 501]}, "413 text_too_long"),
    ):
        answer = await http.post(f"/memory/tools/{name}", params=ada, json=arguments)
        assert code(answer) == expected


# ---- who may


async def test_people_and_devices_see_their_own(http: httpx.AsyncClient) -> None:
    desk, hall = {"Device-Id": "desk"}, {"Device-Id": "hall"}
    entry = (
        await http.post("/memory/entries", headers=desk, json={"content": "I like tea"})
    ).json()
    assert entry["user"] == "device:desk"
    place = f"/memory/entries/{entry['id']}"
    assert (await http.get(place, headers=desk)).status_code == 200
    for method, path in (
        ("GET", place),
        ("GET", f"{place}/history"),
        ("DELETE", place),
        ("POST", f"{place}/remove"),
        ("POST", f"{place}/restore"),
        ("GET", f"/memory/keys/{entry['key']}"),
    ):
        assert code(await http.request(method, path, headers=hall)) == "404 memory_not_found"
    assert (await http.get("/memory/entries", headers=hall)).json()["entries"] == []
    # The owner at this computer sees it by naming the user; without, only what is their own.
    named = await http.get("/memory/entries", params={"user": "device:desk"})
    assert len(named.json()["entries"]) == 1
    assert (await http.get("/memory/entries")).json()["entries"] == []


@pytest.mark.parametrize(
    "path", ["/memory/entries?user=ada", "/memory/users", "/memory/export?user=192.168.1.7"]
)
async def test_a_user_is_named_at_this_computer_only(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path, headers=FAR)
    assert code(answer) == "403 memory_forbidden"
    proxied = await http.get(path, headers={"X-Real-Ip": "192.168.1.7"})
    assert code(proxied) == "401 token_required"
    assert (await http.get(path)).status_code == 200


async def test_callers_from_the_network_are_themselves(http: httpx.AsyncClient) -> None:
    mine = await http.post("/memory/entries", headers=FAR, json={"content": "I like tea"})
    assert mine.json()["user"] == "address:192.168.1.7"
    assert len((await http.get("/memory/entries", headers=FAR)).json()["entries"]) == 1


@pytest.mark.parametrize("user", ["household:", "", "a" * 201, "a\nb"])
async def test_names_that_are_no_user(http: httpx.AsyncClient, user: str) -> None:
    answer = await http.get("/memory/entries", params={"user": user})
    assert code(answer) == "422 invalid_request"


async def test_the_household_opens_by_the_settings(http: httpx.AsyncClient) -> None:
    shared = {"content": "The spare key is in the shed", "scope": "household"}
    await told(http, **shared, user="ada")
    refused = [
        await http.post("/memory/entries", params={"user": user}, json=shared)
        for user in ("bob", "eve")
    ]
    assert [code(answer) for answer in refused] == ["403 memory_forbidden"] * 2
    seen = {
        user: len((await http.get("/memory/entries", params={"user": user})).json()["entries"])
        for user in ("ada", "bob", "eve")
    }
    assert seen == {"ada": 1, "bob": 1, "eve": 0}


async def test_a_conversations_memory_is_told_by_its_caller(http: httpx.AsyncClient) -> None:
    body = {"content": "We are planning a trip", "scope": "conversation"}
    own = await http.post("/memory/entries", headers={"Device-Id": "desk"}, json=body)
    assert own.json()["conversation"] == "device:desk/device:desk"
    named = await http.post("/memory/entries", params={"user": "ada"}, json=body)
    assert code(named) == "422 invalid_request"


# ---- from foreign pages


def routes(app: FastAPI) -> list[tuple[str, str]]:
    """Method and address of every route of memory, with ids filled in."""
    filled = {"{entry_id}": "1", "{task_id}": "1", "{key}": "tea", "{name}": "garden"}
    found = []
    for path, methods in app.openapi()["paths"].items():
        if path.startswith("/memory"):
            for name, value in filled.items():
                path = path.replace(name, value)  # noqa: PLW2901 - filled in step by step
            found += [(method.upper(), path) for method in methods]
    return found


async def test_no_web_page_of_another_site_gets_in(app: FastAPI) -> None:
    async with client_of(app) as http:
        for method, path in routes(app):
            foreign = await http.request(
                method, path, json={}, headers={"Origin": "http://evil.example"}
            )
            assert code(foreign) == "403 foreign_origin", path
            # A page whose name was made to point here: same origin, but a name of its own.
            rebound = {"Origin": "http://evil.example:8321", "Host": "evil.example:8321"}
            answer = await http.request(method, path, json={}, headers=rebound)
            assert code(answer) == "403 host_unknown", path
    assert len(routes(app)) > 25


async def test_our_own_page_gets_in(http: httpx.AsyncClient) -> None:
    own = {"Origin": "http://localhost:8321", "Host": "localhost:8321"}
    assert (await http.get("/memory/entries", headers=own)).status_code == 200


# ---- bad input


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", "/memory/entries", {}, "422 invalid_request"),
        ("POST", "/memory/entries", {"content": 5}, "422 invalid_request"),
        ("POST", "/memory/entries", {"content": ""}, "422 memory_content_invalid"),
        ("POST", "/memory/entries", {"content": "🫖🫖"}, "422 memory_content_invalid"),
        ("POST", "/memory/entries", {"content": "x" * 501}, "413 text_too_long"),
        ("POST", "/memory/entries", {"content": "x" * 1_000_000}, "413 body_too_large"),
        ("POST", "/memory/entries", {"content": "a\0b"}, "422 invalid_request"),
        ("POST", "/memory/entries", {"content": "x", "importance": 1.1}, "422 invalid_request"),
        ("POST", "/memory/entries", {"content": "x", "key": "Not A Key"}, "422 memory_key_invalid"),
        ("POST", "/memory/entries", {"content": "x", "key": "system_x"}, "422 memory_key_invalid"),
        ("POST", "/memory/entries", {"content": "x", "tags": ["t"] * 33}, "422 invalid_request"),
        ("POST", "/memory/entries", {"content": "x", "contents": "y"}, "422 invalid_request"),
        ("POST", "/memory/entries", {"content": "x", "said_at": "soon"}, "422 invalid_request"),
        ("POST", "/memory/entries", {"content": "x", "said_at": 1e300}, "422 invalid_request"),
        ("PATCH", "/memory/entries/1", {}, "422 invalid_request"),
        ("PATCH", "/memory/entries/1", {"content": "x"}, "404 memory_not_found"),
        ("GET", "/memory/entries/0", None, "422 invalid_request"),
        ("GET", "/memory/entries/one", None, "422 invalid_request"),
        ("GET", f"/memory/entries/{2**63}", None, "422 invalid_request"),
        ("GET", f"/memory/entries/{2**63 - 1}", None, "404 memory_not_found"),
        ("GET", "/memory/entries?limit=0", None, "422 invalid_request"),
        ("GET", "/memory/entries?layer=attic", None, "422 invalid_request"),
        ("GET", "/memory/entries?since=2025&until=2024", None, "422 invalid_request"),
        ("GET", "/memory/entries?since=nan", None, "422 invalid_request"),
        ("GET", f"/memory/search?q={'x' * 501}", None, "413 text_too_long"),
        ("GET", "/memory/search?q=a%00b", None, "422 invalid_request"),
        ("GET", "/memory/keys/Not%20A%20Key", None, "422 memory_key_invalid"),
        ("POST", "/memory/forget", {"text": " "}, "422 text_empty"),
        ("POST", "/memory/purge", {"older_than_days": -1, "confirm": True}, "422 invalid_request"),
        ("GET", "/memory/export?format=pdf", None, "422 invalid_request"),
        ("POST", "/memory/projects", {"name": ""}, "422 invalid_request"),
        ("PUT", "/memory/entries", {}, "405 method_not_allowed"),
        ("GET", "/memory/nowhere", None, "404 not_found"),
    ],
)
async def test_bad_requests_are_told_why(
    http: httpx.AsyncClient, method: str, path: str, body: object, expected: str
) -> None:
    answer = await http.request(method, path, json=body)
    assert code(answer) == expected
    assert answer.json()["response"]


@pytest.mark.parametrize(
    "raw",
    [
        b'{"content": "x", "importance": NaN}',
        b'{"content": "x", "importance": 1e999}',
        b'{"content": "\\ud800"}',
        b'{"content": "\xff"}',
    ],
)
async def test_json_that_is_none(http: httpx.AsyncClient, raw: bytes) -> None:
    answer = await http.post("/memory/entries", content=raw)
    assert code(answer) in {"400 invalid_encoding", "422 invalid_request"}


@pytest.mark.parametrize(
    "content", ["a🫖" * 100, "مرحبا بالعالم", "\u202eevil\u202c", 'O\'Neil said "hi"; DROP TABLE x']
)
async def test_any_words_can_be_kept(http: httpx.AsyncClient, content: str) -> None:
    entry = await told(http, content, key="words")
    assert entry["content"] == content
    found = await http.get("/memory/search", params={"user": "ada", "q": content})
    assert found.status_code == 200


@pytest.mark.parametrize("q", ['"', "a AND", "NEAR(", "col:x*", "-", "*", "^a", "()" * 100, "%_"])
async def test_words_of_the_full_text_search_are_words(http: httpx.AsyncClient, q: str) -> None:
    assert (await http.get("/memory/search", params={"q": q})).status_code == 200


async def test_the_document_knows_every_field(http: httpx.AsyncClient) -> None:
    document = (await http.get("/openapi.json")).json()
    memory = {path: ways for path, ways in document["paths"].items() if path.startswith("/memory")}
    for path, ways in memory.items():
        for method, route in ways.items():
            assert route["description"], path
            assert "403" in route["responses"], path
            if method in {"post", "patch"} and not path.endswith(("remove", "restore", "archive")):
                assert route["requestBody"], path
    assert json.dumps(document)  # nothing in it that is no JSON
