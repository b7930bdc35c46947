"""`/lists` and `/notes` over a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from icalendar import Calendar

from support.app_server import client_of
from support.memory_app import app_with, door_settings
from support.simulated_address import remote_headers, with_simulated_addresses

FAR = remote_headers("192.168.1.7")
"""A caller from a trusted network."""
HOSTILE = "x; DTSTART:1\\n [a](b) <script> * \u202e{0} 'q'"


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    settings = door_settings(
        tmp_path,
        memory={"household": {"ada": "write", "bob": "read"}},
        access={"trusted_networks": ["192.168.1.0/24"]},
    )
    return with_simulated_addresses(app_with(settings))


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


def code(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.json()['error']['code']}"


def contents(shown: Any) -> list[str]:
    return [item["content"] for item in shown["items"]]


async def test_a_list_is_made_filled_changed_and_deleted(http: httpx.AsyncClient) -> None:
    made = (await http.post("/lists", json={"name": "Packing list"})).json()
    assert (made["name"], made["scope"], made["items"]) == ("Packing", "user", [])
    assert code(await http.post("/lists", json={"name": "packing"})) == "409 list_exists"
    came = (await http.post("/lists/packing/items", json={"items": ["socks", "hat"]})).json()
    assert contents(came["after"]) == ["socks", "hat"]
    again = (await http.post("/lists/PACKING/items", json={"items": ["Sock", "map"]})).json()
    assert [i["content"] for i in again["added"]] == ["map"]
    assert [i["content"] for i in again["present"]] == ["socks"]
    hat = again["after"]["items"][1]["id"]
    url = f"/lists/packing/items/{hat}"
    assert (await http.patch(url, json={"content": "sun hat", "done": True})).json() == {
        "id": hat,
        "content": "sun hat",
        "done": True,
        "created_at": came["after"]["items"][1]["created_at"],
    }
    assert (await http.delete(url)).json()["content"] == "sun hat"
    assert code(await http.delete(url)) == "404 list_not_found"
    assert code(await http.patch(url, json={"done": True})) == "404 list_not_found"
    assert contents((await http.delete("/lists/packing/items")).json()) == ["socks", "map"]
    assert contents((await http.get("/lists/packing")).json()) == []
    assert (await http.delete("/lists/packing")).json()["name"] == "Packing"
    assert code(await http.get("/lists/packing")) == "404 list_not_found"
    assert (await http.get("/lists")).json() == {"lists": []}


async def test_a_slash_is_part_of_a_name(http: httpx.AsyncClient) -> None:
    names = ["b", "b/items", "b/items/7", "/", "50%2F50", "rock/paper/scissors"]
    paths = {name: f"/lists/{quote(name, safe='')}" for name in names}
    for name in names:
        assert (await http.post("/lists", json={"name": name})).json()["name"] == name
    for name, path in paths.items():
        came = await http.post(f"{path}/items", json={"items": [f"for {name}", "milk"]})
        assert came.json()["after"]["name"] == name
    for name, path in paths.items():
        shown = (await http.get(path)).json()
        assert (shown["name"], contents(shown)) == (name, [f"for {name}", "milk"])
        own, milk = (f"{path}/items/{item['id']}" for item in shown["items"])
        assert (await http.patch(own, json={"done": True})).json()["content"] == f"for {name}"
        assert (await http.delete(milk)).json()["content"] == "milk"
        assert contents((await http.delete(f"{path}/items")).json()) == [f"for {name}"]
    for name in reversed(names):
        assert (await http.delete(paths[name])).json()["name"] == name
    assert (await http.get("/lists")).json() == {"lists": []}


async def test_a_name_of_dots_is_refused(http: httpx.AsyncClient) -> None:
    for name in ("%2E", "%2E%2E"):
        added = await http.post(f"/lists/{name}/items", json={"items": ["milk"]})
        assert code(added) == "422 list_item_invalid"
        assert code(await http.get(f"/lists/{name}")) == "404 list_not_found"


async def test_a_list_made_by_http_is_spoken_of(http: httpx.AsyncClient) -> None:
    await http.post("/lists/groceries/items", json={"items": ["milk"]})
    answer = await http.post("/chat/text", json={"text": "Add eggs to my shopping list"})
    assert answer.json()["response"] == "Added eggs to your shopping list."
    assert contents((await http.get("/lists/shopping")).json()) == ["milk", "eggs"]
    await http.post("/chat/text", json={"text": "Note to self: the meter reads 4512"})
    (note,) = (await http.get("/notes")).json()["notes"]
    assert note["content"] == "the meter reads 4512"


async def test_too_much_and_too_little_is_refused(http: httpx.AsyncClient) -> None:
    many = [f"thing {number}" for number in range(5_000)]
    answer = await http.post("/lists/shopping/items", json={"items": many})
    assert code(answer) == "409 list_full"
    assert answer.json()["response"] == "That list is full. Take something off first."
    assert (await http.get("/lists")).json() == {"lists": []}
    for items in ([""], ["x" * 201], ["ok", " \n"]):
        refused = await http.post("/lists/shopping/items", json={"items": items})
        assert code(refused) == "422 list_item_invalid"
    bodies: list[Any] = [{"items": []}, {"items": [3]}, {}, {"items": ["a"], "more": 1}, []]
    for body in bodies:
        refused = await http.post("/lists/shopping/items", json=body)
        assert code(refused) == "422 invalid_request"
    assert code(await http.post("/lists", json={"name": " "})) == "422 list_item_invalid"
    assert code(await http.post("/notes", json={"content": " "})) == "422 note_content_invalid"
    assert code(await http.delete("/notes/7")) == "404 note_not_found"
    assert code(await http.get("/notes", params={"since": "soon"})) == "422 invalid_request"


async def test_exports_are_read_by_others(http: httpx.AsyncClient) -> None:
    await http.post("/lists/films/items", json={"items": ["Jaws", HOSTILE]})
    (first, _) = (await http.get("/lists/films")).json()["items"]
    await http.patch(f"/lists/films/items/{first['id']}", json={"done": True})
    answer = await http.get("/lists/films", params={"format": "ics"})
    assert answer.headers["content-type"].startswith("text/calendar")
    todos = Calendar.from_ical(answer.content).walk("VTODO")
    shown = " ".join(HOSTILE.replace("\u202e", " ").split())
    assert [str(todo["SUMMARY"]) for todo in todos] == ["Jaws", shown]
    assert [str(todo["STATUS"]) for todo in todos] == ["COMPLETED", "NEEDS-ACTION"]
    assert len({str(todo["UID"]) for todo in todos}) == 2
    lines = (await http.get("/lists/films", params={"format": "markdown"})).text.splitlines()
    assert lines[:3] == ["# films", "", "- [x] Jaws"]
    assert lines[3].startswith("- [ ] x; DTSTART:1\\\\n \\[a\\](b) \\<script\\>")
    assert len(lines) == 4
    refused = await http.get("/lists/films", params={"format": "pdf"})
    assert code(refused) == "422 invalid_request"


async def test_persons_see_their_own_and_what_is_granted(http: httpx.AsyncClient) -> None:
    ada, bob, eve = ({"user": name} for name in ("ada", "bob", "eve"))
    house = {"scope": "household"}
    await http.post("/lists/shopping/items", params=ada, json={"items": ["wine"]})
    await http.post("/lists/shopping/items", params=ada | house, json={"items": ["milk"]})
    seen = {
        who["user"]: [
            (one["scope"], contents(one))
            for one in (await http.get("/lists", params=who)).json()["lists"]
        ]
        for who in (ada, bob, eve)
    }
    household = ("household", ["milk"])
    assert seen == {"ada": [("user", ["wine"]), household], "bob": [household], "eve": []}
    items = (await http.get("/lists/shopping", params=ada)).json()["items"]
    wine = f"/lists/shopping/items/{items[0]['id']}"
    for who in (bob, eve):
        assert code(await http.get("/lists/shopping", params=who)) == "404 list_not_found"
        assert code(await http.delete(wine, params=who)) == "404 list_not_found"
        for refused in (
            await http.post("/lists/shopping/items", params=who | house, json={"items": ["x"]}),
            await http.delete("/lists/shopping", params=who | house),
            await http.delete("/lists/shopping/items", params=who | house),
            await http.post("/lists", params=who | house, json={"name": "x"}),
        ):
            assert code(refused) == "403 list_forbidden"
    assert code(await http.get("/lists/shopping", params=eve | house)) == "403 list_forbidden"
    assert contents((await http.get("/lists/shopping", params=bob | house)).json()) == ["milk"]
    # From elsewhere nobody names another person.
    for path in ("/lists", "/lists/shopping", "/notes"):
        answer = await http.get(path, params=ada, headers=FAR)
        assert code(answer) == "403 memory_forbidden"
    assert (await http.get("/lists", headers=FAR)).json() == {"lists": []}


async def test_notes_are_kept_found_and_deleted(http: httpx.AsyncClient) -> None:
    for content in ("The boiler was serviced today", "Return the books"):
        await http.post("/notes", params={"user": "ada"}, json={"content": content})
    shown = (await http.get("/notes", params={"user": "ada"})).json()["notes"]
    assert [note["content"] for note in shown] == [
        "Return the books",
        "The boiler was serviced today",
    ]
    about = await http.get("/notes", params={"user": "ada", "about": "boilers"})
    (found,) = about.json()["notes"]
    assert found["content"].startswith("The boiler")
    late = await http.get("/notes", params={"user": "ada", "since": "2999-01-01"})
    assert late.json() == {"notes": []}
    url = f"/notes/{found['id']}"
    assert code(await http.delete(url, params={"user": "bob"})) == "404 note_not_found"
    assert (await http.delete(url, params={"user": "ada"})).json() == found
    assert code(await http.delete(url, params={"user": "ada"})) == "404 note_not_found"
