"""How browsers are let in, what they may, and how that ends. Over real sockets."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from websockets.exceptions import InvalidStatus

from lobug.access.addresses import WebAddresses
from lobug.access.service import FILE
from lobug.access.tokens import COOKIE
from lobug.app import create_app
from lobug.data_folder.claim import holder_of
from lobug.settings import Settings
from support.app_server import client_of, running, scripted_assembler, settings_for
from support.device_client import device
from support.memory_app import quiet_engines
from support.patience import PATIENCE_S
from support.simulated_address import remote_headers, with_simulated_addresses
from support.web_browser import ELSEWHERE, WebBrowser, invited, paired

HERE = "127.0.0.1"
LAN_HOST = "192.168.1.5:8321"
FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:9"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
)
"""What browsers send for pages of other sites, with an ``Origin`` or without."""


def app_for(settings: Settings) -> FastAPI:
    return with_simulated_addresses(
        create_app(settings, assembler=scripted_assembler(quiet_engines()))
    )


@asynccontextmanager
async def reached(folder: Path, **access: object) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app_for(settings_for(folder, access=access))) as client:
        yield client


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with reached(tmp_path) as client:
        yield client


async def status_of_socket(http: httpx.AsyncClient, headers: dict[str, str]) -> int:
    """101: the WebSocket is open, and hellos were exchanged."""
    try:
        async with device(str(http.base_url), headers=headers) as client:
            assert client.session_id
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


# ---- in


async def test_a_phone_is_invited_paired_and_known(http: httpx.AsyncClient) -> None:
    made = (await http.post("/web/invitations", json={"user": "ada", "name": "Ada's phone"})).json()
    assert (made["role"], made["url"], made["qr"]) == ("person", None, None), "no address is known"
    (listed,) = (await http.get("/web/invitations")).json()["invitations"]
    assert listed == made
    phone = WebBrowser(http)
    stranger = await phone.good("GET", "/web/session")
    assert (stranger["role"], stranger["user"], stranger["browser"]) == ("stranger", None, None)
    assert stranger["at_this_computer"] is False
    assert await phone.refused("GET", "/memory/entries") == "401 token_required"
    session = await phone.good("POST", "/web/pair", {"code": made["code"], "name": "Firefox"})
    assert (session["role"], session["user"]) == ("person", "ada")
    assert session["browser"]["name"] == "Ada's phone", "the owner's name counts"
    assert await phone.good("GET", "/web/session") == session
    assert (await http.get("/web/invitations")).json()["invitations"] == []
    (row,) = (await http.get("/web/browsers")).json()["browsers"]
    assert (row["id"], row["user"], row["role"]) == (session["browser"]["id"], "ada", "person")
    assert (row["revoked_at"], row["current"]) == (None, False)
    assert row["expires_at"] > row["last_used_at"] >= row["created_at"]
    said = await phone.good("POST", "/chat/text", {"text": "Hello"})
    assert said["response"]
    again = WebBrowser(http)
    assert await again.refused("POST", "/web/pair", {"code": made["code"]}) == (
        "404 invitation_unknown"
    ), "it was used"


async def test_the_cookie_is_one_that_no_script_and_no_other_site_gets(
    http: httpx.AsyncClient, tmp_path: Path
) -> None:
    phone = await paired(http, "ada")
    (text,) = phone.set_cookies
    name, *rest = text.split("; ")
    assert name == f"{COOKIE}={phone.token}"
    assert COOKIE.startswith("__Host-")
    assert {part.lower() for part in rest} == {
        "secure", "httponly", "samesite=strict", "path=/", f"max-age={180 * 86_400}",
    }  # fmt: skip
    await phone.good("GET", "/web/session")
    assert phone.set_cookies == [text, text], "its time begins anew"
    assert phone.token is not None
    stored = b"".join(file.read_bytes() for file in (tmp_path / "data").glob(f"{FILE}*"))
    assert phone.token.removeprefix("lobug_").encode() not in stored
    as_bearer = remote_headers(Authorization=f"Bearer {phone.token}")
    answer = await http.get("/memory/entries", headers=as_bearer)
    assert answer.status_code == 401, "a session is no API token"


async def test_a_session_at_this_computer_says_who_sits_there(http: httpx.AsyncClient) -> None:
    laptop = WebBrowser(http, HERE)
    nobody = await laptop.good("GET", "/web/session")
    assert (nobody["role"], nobody["user"], nobody["at_this_computer"]) == ("owner", None, True)
    assert await laptop.refused("PATCH", "/web/session", {"user": "bob"}) == "404 browser_unknown"
    session = await laptop.good("POST", "/web/session", {"user": "ada", "name": "Laptop"})
    assert (session["role"], session["user"], session["browser"]["name"]) == (
        "owner", "ada", "Laptop",
    )  # fmt: skip
    first = laptop.token
    await laptop.good("POST", "/memory/entries", {"content": "I like tea"})
    entries = (await http.get("/memory/entries", params={"user": "ada"})).json()["entries"]
    assert [entry["content"] for entry in entries] == ["I like tea"]
    for path in ("/memory/entries?user=bob", "/memory/users", "/web/browsers", "/turns"):
        await laptop.good("GET", path)
    changed = await laptop.good("PATCH", "/web/session", {"user": "bob"})
    assert (changed["user"], changed["browser"]) == ("bob", session["browser"])
    assert (await laptop.good("GET", "/memory/entries"))["entries"] == []
    await laptop.good("POST", "/web/session", {"user": "ada"})
    assert laptop.token != first
    assert len((await http.get("/web/browsers")).json()["browsers"]) == 1, "it replaced the other"
    out = await laptop.good("DELETE", "/web/session")
    assert (out["role"], out["user"], out["browser"], laptop.token) == ("owner", None, None, None)
    assert (await http.get("/web/browsers")).json()["browsers"] == []


async def test_only_the_owner_here_signs_in_without_an_invitation(http: httpx.AsyncClient) -> None:
    for browser in (
        await paired(http, "ada", "owner"),
        await paired(http, "ada", "person"),
        await paired(http, "ada", "person", HERE),
    ):
        for method in ("POST", "PATCH"):
            assert await browser.refused(method, "/web/session", {"user": "bob"}) == (
                "403 owner_only"
            )
    assert await WebBrowser(http).refused("POST", "/web/session", {"user": "bob"}) == (
        "401 token_required"
    )


async def test_over_plain_http_nothing_is_used_up(http: httpx.AsyncClient) -> None:
    code = await invited(http, "ada")
    phone = WebBrowser(http)
    for body in ({"code": code}, {"code": "no" if code == "000000" else "000000"}):
        refused = await phone.refused("POST", "/web/pair", body, Host=LAN_HOST)
        assert refused in {"400 https_required", "422 invalid_request"}
    assert phone.token is None
    behind_proxy = {"Host": LAN_HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": ELSEWHERE}
    session = await phone.good("POST", "/web/pair", {"code": code}, **behind_proxy)
    assert session["secure"] is True


@pytest.mark.parametrize("path", ["/web/pair", "/web/session"])
async def test_a_page_under_a_foreign_name_is_not_let_in(
    http: httpx.AsyncClient, path: str
) -> None:
    """DNS rebinding: the browser takes the page for one of ``evil.example``."""
    rebound = {"Host": "evil.example", "X-Forwarded-Proto": "https"}
    body = {"code": await invited(http, "ada")} if path == "/web/pair" else {"user": "ada"}
    browser = WebBrowser(http, ELSEWHERE if path == "/web/pair" else HERE)
    refused = await browser.refused("POST", path, body, **rebound)
    assert refused in {"403 host_unknown", "401 token_required"}
    assert browser.token is None


# ---- what it may


async def test_a_cookie_is_never_taken_from_a_foreign_page(http: httpx.AsyncClient) -> None:
    for browser in (
        await paired(http, "ada"),
        await paired(http, "ada", "owner"),
        await paired(http, "ada", "owner", HERE),
    ):
        for foreign in FOREIGN:
            for method, path in (
                ("GET", "/memory/entries"),
                ("POST", "/chat/text"),
                ("GET", "/web/session"),
                ("DELETE", "/web/session"),
                ("POST", "/web/pair"),
                ("GET", "/web/browsers"),
            ):
                body = {"text": "Hi"} if method == "POST" else None
                refused = await browser.refused(method, path, body, **foreign)
                assert refused == "403 foreign_origin", (method, path, foreign)
            assert await status_of_socket(http, browser.headers | foreign) == 403
        assert await status_of_socket(http, browser.headers) == 101
        own = {"Origin": str(http.base_url).rstrip("/")}
        assert await status_of_socket(http, browser.headers | own) == 101
        assert browser.token is not None, "nobody signed it out"


async def test_a_foreign_page_uses_up_no_invitation(http: httpx.AsyncClient) -> None:
    code = await invited(http, "ada")
    wrong = "000000" if code != "000000" else "111111"
    for _ in range(15):
        page = WebBrowser(http)
        assert (
            await page.refused(
                "POST", "/web/pair", {"code": wrong}, **{"Sec-Fetch-Site": "cross-site"}
            )
            == "403 foreign_origin"
        )
    await WebBrowser(http).good("POST", "/web/pair", {"code": code})


@pytest.mark.parametrize("role", ["person", "owner"])
async def test_a_cookie_under_a_foreign_name_is_refused(http: httpx.AsyncClient, role: str) -> None:
    for address in (HERE, ELSEWHERE):
        browser = await paired(http, "ada", role, address)
        for host in ("evil.example", "kitchen.local", "0.0.0.0"):
            assert await browser.refused("GET", "/memory/entries", Host=host) == "403 host_unknown"
        await browser.good("GET", "/memory/entries", Host=LAN_HOST)


async def test_names_of_the_settings_are_good_for_cookies(tmp_path: Path) -> None:
    access = {"hostnames": ["kitchen.local"], "public_url": "https://lobug.example"}
    async with reached(tmp_path, **access) as http:
        browser = await paired(http, "ada")
        for host in ("kitchen.local", "lobug.example"):
            await browser.good("GET", "/memory/entries", Host=host)
        session = await browser.good("GET", "/web/session", Host="lobug.example")
        assert session["secure"] is True, "only a proxy with TLS is called by this name"


OWNERS = (
    "/devices", "/tokens", "/web/browsers", "/web/invitations", "/web/qr", "/turns", "/metrics",
    "/announce", "/memory/users", "/firmware",
)  # fmt: skip
"""Where the routes of the owner begin."""


async def test_a_person_reaches_no_route_of_the_owner_and_no_other_memory(tmp_path: Path) -> None:
    app = app_for(settings_for(tmp_path))
    async with client_of(app) as http:
        bob = {"user": "bob"}
        secret = "xylophone"
        await http.post("/memory/entries", params=bob, json={"content": f"I play the {secret}"})
        await http.post("/notes", params=bob, json={"text": f"Buy a {secret}"})
        await http.post("/lists", params=bob, json={"name": secret})
        bobs = await paired(http, "bob")
        await bobs.good("POST", "/chat/text", {"text": f"My {secret} is new"})
        ada = await paired(http, "ada")
        owners = 0
        for path, methods in app.openapi()["paths"].items():
            place = path.replace("{", "").replace("}", "").replace("entry_id", "1")
            place = place.replace("message_id", "1").replace("task_id", "1")
            for method in methods:
                # The one signs out; the other never ends, and test_web_events.py looks at it.
                if (method, path) in {("delete", "/web/session"), ("get", "/web/events")}:
                    continue
                for query in ("", "?user=bob"):
                    body = {"text": "Hi", "user": "bob"} if path == "/announce" else {}
                    answer = await ada.ask(method.upper(), f"{place}{query}", body)
                    assert secret not in answer.text, (method, place, query)
                    if path.startswith(OWNERS):
                        found = (answer.status_code, answer.json()["error"]["code"])
                        expected = {(403, "owner_only"), (403, "memory_forbidden")}
                        assert found in expected, (method, path, found)
                owners += path.startswith(OWNERS)
        assert owners > 15
        assert secret in json.dumps(await bobs.good("GET", "/memory/entries"))


async def test_an_owner_elsewhere_is_the_owner_with_the_own_memory(http: httpx.AsyncClient) -> None:
    await http.post("/memory/entries", params={"user": "bob"}, json={"content": "I like tea"})
    browser = await paired(http, "ada", "owner")
    assert (await browser.good("GET", "/web/session"))["role"] == "owner"
    for path in ("/devices", "/tokens", "/web/browsers", "/web/invitations", "/turns"):
        await browser.good("GET", path)
    assert (await browser.good("GET", "/memory/entries"))["entries"] == []
    assert await browser.refused("GET", "/memory/entries?user=bob") == "403 memory_forbidden"
    assert await browser.refused("GET", "/memory/users") == "403 memory_forbidden"
    rows = (await browser.good("GET", "/web/browsers"))["browsers"]
    assert [row["current"] for row in rows] == [True]


async def test_a_persons_cookie_is_no_more_at_this_computer(http: httpx.AsyncClient) -> None:
    browser = await paired(http, "ada", "person", HERE)
    assert await browser.refused("GET", "/devices") == "403 owner_only"
    assert await browser.refused("GET", "/memory/entries?user=bob") == "403 memory_forbidden"
    session = await browser.good("GET", "/web/session")
    assert (session["role"], session["at_this_computer"]) == ("person", True)


async def test_a_token_counts_before_the_cookie(http: httpx.AsyncClient) -> None:
    made = (await http.post("/tokens", json={"name": "x", "user": "bob"})).json()["token"]
    browser = await paired(http, "ada", "owner")
    with_token = {"Authorization": f"Bearer {made}"}
    session = await browser.good("GET", "/web/session", **with_token)
    assert (session["role"], session["user"], session["browser"]) == ("person", "bob", None)
    assert await browser.refused("GET", "/devices", **with_token) == "403 owner_only"
    wrong = {"Authorization": "Bearer lobug_wrong"}
    assert await browser.refused("GET", "/devices", **wrong) == "401 token_invalid"
    password = {"Authorization": "Basic eA=="}  # of a proxy before the server
    await browser.good("GET", "/devices", **password)


async def test_the_page_is_open_and_nothing_else_is(http: httpx.AsyncClient) -> None:
    stranger = WebBrowser(http)
    for path in ("/", "/web/app/main.js", "/web/vendor/x.js", "/web/certificate"):
        assert (await stranger.ask("GET", path)).status_code in {200, 404}, path
        for method in ("POST", "DELETE"):
            assert await stranger.refused(method, path) == "401 token_required"
        foreign = {"Sec-Fetch-Site": "cross-site"}
        assert await stranger.refused("GET", path, **foreign) == "403 foreign_origin"
    for path in ("/web", "/web/", "/web/app", "/web/browsers", "/web/qr", "/web/appendix/x"):
        assert await stranger.refused("GET", path) == "401 token_required"
    link = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    assert (await stranger.ask("GET", "/", **link)).status_code in {200, 404}
    assert await stranger.refused("GET", "/web/session", **link) == "403 foreign_origin"


# ---- out


async def test_a_revoked_browser_is_out_at_once(http: httpx.AsyncClient) -> None:
    browser = await paired(http, "ada")
    row = (await browser.good("GET", "/web/session"))["browser"]
    async with device(str(http.base_url), headers=browser.headers) as open_socket:
        ended = (await http.delete(f"/web/browsers/{row['id']}")).json()
        assert ended["revoked_at"] is not None
        await asyncio.wait_for(open_socket.closed.wait(), PATIENCE_S)
        assert open_socket.socket.close_code == 4004
    assert await browser.refused("GET", "/memory/entries") == "401 token_invalid"
    assert await status_of_socket(http, browser.headers) == 401
    for _ in range(40):  # an open page goes on asking
        assert await browser.refused("GET", "/memory/entries") == "401 token_invalid"
    session = await browser.good("GET", "/web/session")
    assert (session["role"], browser.token) == ("stranger", None), "the cookie is deleted"
    (listed,) = (await http.get("/web/browsers")).json()["browsers"]
    assert listed["revoked_at"] == ended["revoked_at"]
    assert (await http.delete("/web/browsers/nobody")).status_code == 404


async def test_another_user_ends_its_connections(http: httpx.AsyncClient) -> None:
    browser = await paired(http, "ada")
    row = (await browser.good("GET", "/web/session"))["browser"]
    place = f"/web/browsers/{row['id']}"
    async with device(str(http.base_url), headers=browser.headers) as open_socket:
        named = (await http.patch(place, json={"name": "Phone"})).json()
        assert (named["name"], named["user"]) == ("Phone", "ada")
        assert not open_socket.closed.is_set(), "a name is no matter"
        assert (await http.patch(place, json={"user": "bob"})).json()["user"] == "bob"
        await asyncio.wait_for(open_socket.closed.wait(), PATIENCE_S)
    assert (await browser.good("GET", "/web/session"))["user"] == "bob"


async def test_a_session_that_is_over_does_not_lock_the_owner_out_here(
    http: httpx.AsyncClient,
) -> None:
    laptop = WebBrowser(http, HERE)
    await laptop.good("POST", "/web/session", {"user": "ada"})
    (row,) = (await http.get("/web/browsers")).json()["browsers"]
    await http.delete(f"/web/browsers/{row['id']}")
    await laptop.good("GET", "/devices")
    assert await laptop.refused("GET", "/devices", Origin="https://evil.example") == (
        "403 foreign_origin"
    )
    session = await laptop.good("GET", "/web/session")
    assert (session["role"], session["user"], laptop.token) == ("owner", None, None)


async def test_wrong_codes_are_limited_and_end_the_invitations(tmp_path: Path) -> None:
    async with reached(tmp_path, attempts_per_minute=6) as http:
        code, other = await invited(http, "ada"), await invited(http, "bob")
        wrong = next(f"{n:06}" for n in range(3) if f"{n:06}" not in {code, other})
        first = WebBrowser(http)
        for _ in range(6):
            assert await first.refused("POST", "/web/pair", {"code": wrong}) == (
                "404 invitation_unknown"
            )
        right = await first.refused("POST", "/web/pair", {"code": code})
        assert right == "429 too_many_attempts", "even the right one"
        await WebBrowser(http, "192.168.1.8").good("POST", "/web/pair", {"code": code})
        second = WebBrowser(http, "192.168.1.9")
        for _ in range(4):
            await second.refused("POST", "/web/pair", {"code": wrong})
        assert (await http.get("/web/invitations")).json()["invitations"] == []
        assert await second.refused("POST", "/web/pair", {"code": other}) == (
            "404 invitation_unknown"
        )
        for body in ({"code": "12345"}, {"code": "abcdef"}, {}, {"code": wrong, "user": "x"}):
            assert await second.refused("POST", "/web/pair", body) == "422 invalid_request"


async def test_codes_and_cookies_are_not_logged(
    http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        code = await invited(http, "ada")
        phone = WebBrowser(http)
        await phone.good("POST", "/web/pair", {"code": code})
    assert phone.token is not None
    ours = [r.getMessage() for r in caplog.records if r.name.startswith(("lobug", "uvicorn"))]
    assert ours
    assert not [line for line in ours if code in line or phone.token in line]


# ---- access.loopback=token


async def test_where_this_computer_needs_a_token_a_browser_is_invited(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, access={"loopback": "token"})
    async with running(settings, quiet_engines()) as (http, _):
        holder = holder_of(settings)
        assert holder is not None
        here = WebBrowser(http, HERE)
        session = await here.good("GET", "/web/session")
        assert (session["role"], session["at_this_computer"]) == ("stranger", True)
        assert await here.refused("GET", "/devices") == "401 token_required"
        assert await here.refused("POST", "/web/session", {"user": "ada"}) == "401 token_required"
        made = await http.post(
            "/web/invitations",
            json={"user": "ada", "role": "owner"},
            headers={"Authorization": f"Bearer {holder.secret}"},
        )
        session = await here.good("POST", "/web/pair", {"code": made.json()["code"]})
        assert (session["role"], session["user"]) == ("owner", "ada")
        await here.good("GET", "/devices")
        await here.good("GET", "/memory/entries?user=bob")
        await here.good("DELETE", f"/web/browsers/{session['browser']['id']}")
        assert await here.refused("GET", "/devices") == "401 token_invalid"


# ---- addresses


async def test_an_invitation_names_the_secure_address(tmp_path: Path) -> None:
    app = app_for(settings_for(tmp_path))
    async with client_of(app) as http:
        app.state.web_addresses = WebAddresses(
            "http://192.168.1.5:8321/", "https://192.168.1.5:8322/"
        )
        made = (await http.post("/web/invitations", json={"user": "ada"})).json()
        assert made["url"] == f"https://192.168.1.5:8322/#/pair/{made['code']}"
        assert made["qr"].startswith('<svg xmlns="http://www.w3.org/2000/svg"')
        session = (await http.get("/web/session")).json()
        assert session["https_url"] == "https://192.168.1.5:8322/"
        ended = await http.delete(f"/web/invitations/{made['id']}")
        assert ended.json()["id"] == made["id"]
        assert (await http.delete(f"/web/invitations/{made['id']}")).status_code == 404


@pytest.mark.parametrize(
    "text", ["x", "https://a.example/<script>&'\"", "ü" * 500, "\U0001f600" * 500]
)
async def test_any_text_is_drawn_as_a_qr_code(http: httpx.AsyncClient, text: str) -> None:
    answer = await http.post("/web/qr", json={"text": text})
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "script" not in answer.json()["qr"]
    for bad in ("", "x" * 501, "\ud800"):
        content = json.dumps({"text": bad})
        assert (await http.post("/web/qr", content=content)).status_code in {400, 422}
