"""`lobug devices`, `lobug tokens` and `lobug browsers` as a person runs them: with a server, and
without one."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from typer.testing import CliRunner, Result

from lobug.access.service import FILE, Access
from lobug.cli.app import app
from lobug.cli.browsers import browser_id, state_of
from lobug.cli.devices import device_id, report_facts
from lobug.cli.terminal import CommandError
from lobug.devices.report import ResetReason, UpdateRefusal
from lobug.settings import AccessSettings
from support.app_server import in_thread
from support.memory_app import app_with, door_settings
from support.patience import PATIENCE_S
from support.simulated_address import remote_headers, with_simulated_addresses

Lobug = Callable[..., Result]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and none of the developer's own settings."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LOBUG_PORT", "9")  # nobody serves Lo-Bug at the discard port
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def good(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def bad(result: Result, code: int, *words: str) -> None:
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    for word in words:
        assert word in result.stderr


class World:
    """A way to run the commands, and to be the device that they are about."""

    def __init__(self, folder: Path, application: FastAPI | None, port: int) -> None:
        self._path = folder / "data" / FILE
        self._app = application
        self._url = f"http://127.0.0.1:{port}"

    def lobug(self, *arguments: str) -> Result:
        if self._app is None:
            return run(*arguments)
        return run(*arguments, "--server", self._url)

    @property
    def url(self) -> str | None:
        """The server's address; None: there is no server."""
        return self._url if self._app is not None else None

    def pair(self, code: str) -> str:
        """Let a browser in; return its id."""
        if self._app is not None:
            answer = httpx.post(
                f"{self._url}/web/pair",
                headers=remote_headers(),
                json={"code": code},
                timeout=PATIENCE_S,
            )
            found: str = answer.json()["browser"]["id"]
            return found

        async def directly() -> str:
            access = Access(AccessSettings(), self._path, clock=time.time)
            await access.start(watch=False)
            browser, _ = await access.browsers.pair(code)
            await access.close()
            return browser.browser_id

        return asyncio.run(directly())

    def ask(self, device: str = "AA:BB", client: str = "mine") -> dict[str, Any]:
        """What a device is answered: a code, or where to talk."""
        if self._app is not None:
            answer = httpx.post(
                f"{self._url}/xiaozhi/ota/",
                headers=remote_headers(**{"Device-Id": device, "Client-Id": client}),
                json={"board": {"type": "core-s3"}},
                timeout=PATIENCE_S,
            )
            found: dict[str, Any] = answer.json()
            return found

        async def directly() -> dict[str, Any]:
            access = Access(AccessSettings(), self._path, clock=time.time)
            await access.start(watch=False)
            found = await access.devices.discover(
                device.lower(), client, description="core-s3", address="192.168.1.7"
            )
            await access.close()
            shown = {"code": found.pairing.code} if found.pairing else None
            return {"activation": shown, "websocket": {"token": found.token}}

        return asyncio.run(directly())


@pytest.fixture(params=["through a server", "directly"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "directly":
        yield World(tmp_path, None, 0)
        return
    application = with_simulated_addresses(app_with(door_settings(tmp_path)))
    server, thread, port = in_thread(application)
    yield World(tmp_path, application, port)
    server.should_exit = True
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def test_a_device_is_shown(world: World) -> None:
    bad(world.lobug("devices", "show", "Desk"), 1, "no device is called Desk")
    code = world.ask()["activation"]["code"]
    good(world.lobug("devices", "approve", code, "--name", "Desk"))
    world.ask()
    text = good(world.lobug("devices", "show", "Desk"))
    for word in ("aa:bb", "Desk", "It has not reported its condition."):
        assert word in text
    found = json.loads(good(world.lobug("devices", "show", "aa:bb", "--json")))
    assert (found["id"], found["report"], found["reported_at"]) == ("aa:bb", None, None)


REPORT: dict[str, Any] = {
    "uptime_s": 93_784,
    "reset": "brownout",
    "crash": {
        "task": "device",
        "pc": "400d1234",
        "cause": 28,
        "backtrace": ["400d1234", "4008abcd"],
    },
    "audio": {"gaps": 1, "late_ms": 250, "dropped_ms": 0},
    "wifi": {"rssi": -58, "reconnects": 2, "losses": {"201": 3}},
    "memory": {"free": 81_234, "largest": 40_960, "least": 61_234},
    "stacks": {"audio": 1800, "device": 3000},
}


def test_a_report_is_told_in_words() -> None:
    assert dict(report_facts(REPORT)) == {
        "started": "1 d 2 h before this report, because its voltage fell too low",
        "memory": "79 KB free, largest block 40 KB, least ever free 59 KB",
        "stacks": "least ever free: audio 1800 bytes, device 3000 bytes",
        "sound": "gaps in replies: 1 (250 ms); dropped: 0 ms; not sent: ? ms",
        "Wi-Fi": "-58 dBm; reconnects: 2; lost or not joined, by ESP-IDF's reason: 201 (3)",
        "last crash": "task device, at 400d1234, cause 28, memory ?; called by 400d1234 4008abcd",
    }
    assert dict(report_facts({})) == {"started": ""}
    assert dict(report_facts({"nvs": "encrypted"}))["stored"] == "encrypted"
    assert "password" in str(dict(report_facts({"nvs": "plain"}))["stored"])
    for refusal in UpdateRefusal:
        assert dict(report_facts({"update_refused": refusal.value}))["refused"]
    wrong = dict(report_facts({"update_refused": "wrong_signature"}))
    assert "Pair again" in str(wrong["refused"])
    for reason in ResetReason:
        assert dict(report_facts({"reset": reason.value}))["started"]
    for seconds, ago in ((59, "59 s"), (60, "1 min"), (3_661, "1 h 1 min"), (86_400, "1 d 0 h")):
        assert str(dict(report_facts({"uptime_s": seconds}))["started"]).startswith(f"{ago} before")


def test_a_device_is_seen_approved_named_and_revoked(world: World) -> None:
    assert "No device is paired." in good(world.lobug("devices", "list"))
    code = world.ask()["activation"]["code"]
    listed = good(world.lobug("devices", "list"))
    for word in (code, "aa:bb", "192.168.1.7", "core-s3", "lobug devices approve CODE"):
        assert word in listed
    done = good(
        world.lobug("devices", "approve", code[:3], code[3:], "--name", "Desk", "--user", "ada")
    )
    assert done == "approved: aa:bb (Desk)\n"
    assert world.ask()["websocket"]["token"].startswith("lobug_")
    rows = json.loads(good(world.lobug("devices", "list", "--json")))
    assert rows["waiting"] == []
    (row,) = rows["devices"]
    assert (row["id"], row["name"], row["user"]) == ("aa:bb", "Desk", "ada")
    assert good(world.lobug("devices", "name", "AA:BB", "Shelf")) == "changed: aa:bb (Shelf)\n"
    changed = good(world.lobug("devices", "name", "Shelf", "--user", "", "--json"))
    assert json.loads(changed)["user"] is None
    assert good(world.lobug("devices", "revoke", "Shelf")) == "revoked: aa:bb (Shelf)\n"
    assert "revoked" in good(world.lobug("devices", "list"))
    assert world.ask()["activation"]["code"] != code


def test_a_device_that_is_wiped_is_marked(world: World) -> None:
    good(world.lobug("devices", "approve", world.ask()["activation"]["code"]))
    world.ask()
    world.ask(client="other")
    assert "PAIRED ALREADY" in good(world.lobug("devices", "list"))


def test_a_token_is_made_seen_and_revoked(world: World) -> None:
    assert "There are no tokens." in good(world.lobug("tokens", "list"))
    made = world.lobug("tokens", "create", "laptop", "--user", "ada", "--conversation", "desk")
    token = good(made).strip()
    assert token.startswith("lobug_")
    assert " " not in token, "standard output is the token alone, for scripts"
    owners = json.loads(good(world.lobug("tokens", "create", "phone", "--owner", "--json")))
    good(world.lobug("tokens", "create", "watcher", "--scope", "metrics"))
    scopes = ("--scope", "devices:speak", "--scope", "memory:read")
    good(world.lobug("tokens", "create", "claude", "--user", "ada", *scopes))
    assert owners["owner"] is True
    listed = good(world.lobug("tokens", "list"))
    assert token not in listed
    for word in ("laptop", "ada", "desk", "owner", "good", "watcher", "metrics"):
        assert word in listed
    assert (
        good(world.lobug("tokens", "revoke", owners["id"])) == f"revoked: {owners['id']} (phone)\n"
    )
    rows = json.loads(good(world.lobug("tokens", "list", "--json")))["tokens"]
    assert [bool(row["revoked_at"]) for row in rows] == [False, True, False, False]
    assert [row["scope"] for row in rows] == [None, None, "metrics", "memory:read devices:speak"]


def test_a_browser_is_invited_seen_and_revoked(world: World) -> None:
    assert "No browser is paired." in good(world.lobug("browsers", "list"))
    invited = good(world.lobug("browsers", "invite", "ada", "--name", "Phone"))
    made = json.loads(good(world.lobug("browsers", "invite", "bob", "--owner", "--json")))
    assert (made["user"], made["role"], made["name"]) == ("bob", "owner", "")
    listed = good(world.lobug("browsers", "list"))
    code = next(line.split()[0] for line in listed.splitlines() if "Phone" in line)
    assert f"The code is {code}, for one browser, until " in invited
    for word in (made["code"], "ada", "bob", "person", "owner"):
        assert word in listed
    session = world.pair(code)
    rows = json.loads(good(world.lobug("browsers", "list", "--json")))
    assert [row["code"] for row in rows["invitations"]] == [made["code"]]
    (row,) = rows["browsers"]
    assert (row["id"], row["name"], row["user"], row["role"]) == (
        session, "Phone", "ada", "person",
    )  # fmt: skip
    assert good(world.lobug("browsers", "revoke", "Phone")) == f"revoked: {session} (Phone)\n"
    assert "revoked" in good(world.lobug("browsers", "list"))
    if world.url is not None:
        assert f"On this computer, open {world.url}/#/pair/{code}\n" in invited
    else:
        assert "No server is running." in invited


def test_what_cannot_be_done_is_said(world: World) -> None:
    bad(world.lobug("devices", "approve", "123456"), 1, "no device is waiting with this code")
    bad(world.lobug("devices", "approve", "12"), 1, "code")
    bad(world.lobug("devices", "revoke", "nobody"), 1, "no device is called nobody")
    bad(world.lobug("devices", "name", "nobody"), 1, "give a name, or a user")
    bad(world.lobug("tokens", "revoke", "nobody"), 1, "there is no token nobody")
    bad(world.lobug("tokens", "create", "x", "--user", "household:"), 1, "user")
    bad(world.lobug("browsers", "revoke", "nobody"), 1, "no browser is called nobody")
    bad(world.lobug("browsers", "invite", "household:"), 1, "user")
    bad(world.lobug("tokens", "create", "x", "--scope", "metrics", "--owner"), 1, "scope")
    unknown = world.lobug("tokens", "create", "x", "--scope", "memory")
    bad(unknown, 1, "scope: scope is one or more of: metrics announce memory:read")


def test_revoking_in_the_file_counts_in_the_server(tmp_path: Path) -> None:
    """Another program that knows nothing of the lock on the data folder."""
    application = with_simulated_addresses(app_with(door_settings(tmp_path)))
    server, thread, port = in_thread(application)
    through = World(tmp_path, application, port)
    token = good(through.lobug("tokens", "create", "laptop")).strip()
    (row,) = json.loads(good(through.lobug("tokens", "list", "--json")))["tokens"]
    headers = remote_headers(Authorization=f"Bearer {token}")
    place = f"http://127.0.0.1:{port}/memory/entries"
    assert httpx.get(place, headers=headers, timeout=PATIENCE_S).status_code == 200

    async def revoke() -> None:
        access = Access(AccessSettings(), tmp_path / "data" / FILE, clock=time.time)
        await access.start(watch=False)
        await access.tokens.revoke(row["id"])
        await access.close()

    asyncio.run(revoke())
    until = time.monotonic() + PATIENCE_S
    while httpx.get(place, headers=headers, timeout=PATIENCE_S).status_code != 401:
        assert time.monotonic() < until
        time.sleep(0.05)
    server.should_exit = True
    thread.join(PATIENCE_S)


def test_at_another_computer_the_owners_token_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, str]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(dict(request.headers))
        body: dict[str, object] = {"status": "ok", "ollama": False, "timestamp": 1, "tokens": []}
        return httpx.Response(200, json=body)

    transport = httpx.MockTransport(handle)
    ordinary = httpx.Client.__init__
    monkeypatch.setattr(
        httpx.Client,
        "__init__",
        lambda self, **rest: ordinary(self, **rest | {"transport": transport}),
    )
    monkeypatch.setattr(httpx, "get", lambda url, **_: handle(httpx.Request("GET", url)))
    monkeypatch.setenv("LOBUG_ACCESS__TOKEN", "lobug_mine")
    good(run("tokens", "list", "--server", "http://lobug.example:8321"))
    assert sent[-1]["authorization"] == "Bearer lobug_mine"
    good(run("tokens", "list", "--server", "http://127.0.0.1:8321"))
    assert "authorization" not in sent[-1], "here one is the owner without it"


def test_nobody_answers_at_an_address_that_was_named() -> None:
    bad(run("devices", "list", "--server", "http://127.0.0.1:9"), 3, "no Lo-Bug server answers")


def test_a_file_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "data" / FILE).mkdir(parents=True)
    bad(run("devices", "list"), 1, FILE)


def test_which_device_is_meant() -> None:
    known = [
        {"id": "aa:bb", "name": "Desk"},
        {"id": "cc:dd", "name": "Twin"},
        {"id": "ee:ff", "name": "Twin"},
        {"id": "desk", "name": ""},
    ]
    assert device_id(known, "AA:BB") == "aa:bb"
    assert device_id(known, "Desk") == "desk", "an id before a name"
    with pytest.raises(CommandError, match="several"):
        device_id(known, "Twin")
    with pytest.raises(CommandError, match="no device"):
        device_id(known, "")


def test_which_browser_is_meant() -> None:
    known: list[dict[str, Any]] = [
        {"id": "b1", "name": "Phone", "revoked_at": "2026-11-22T04:35:32Z"},
        {"id": "b2", "name": "Phone", "revoked_at": None},
        {"id": "b3", "name": "Twin", "revoked_at": None},
        {"id": "b4", "name": "Twin", "revoked_at": None},
    ]
    assert browser_id(known, "b1") == "b1"
    assert browser_id(known, "Phone") == "b2", "the other one is gone"
    with pytest.raises(CommandError, match="several"):
        browser_id(known, "Twin")
    for nobody in ("", "nobody"):
        with pytest.raises(CommandError, match="no browser"):
            browser_id(known, nobody)


def test_a_browser_that_has_expired_is_not_shown_as_one_that_may_come_in() -> None:
    now = datetime(2027, 3, 1, tzinfo=UTC)
    good = {"role": "owner", "revoked_at": None, "expires_at": "2027-03-01T00:00:01Z"}
    assert state_of(good, now) == "owner"
    assert state_of({**good, "expires_at": "2027-03-01T00:00:00Z"}, now) == "expired"
    assert state_of({**good, "revoked_at": "2027-02-01T00:00:00Z"}, now) == "revoked"
