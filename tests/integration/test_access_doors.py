"""Who may talk, over real sockets: pairing as a device does it, refusals, tokens, revocation."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from lobug.access.service import FILE
from lobug.app import create_app
from lobug.http.authentication import OPEN_WEB_REQUESTS
from lobug.server import LobugServer
from lobug.settings.access import AccessSettings
from lobug.telemetry.logs import log_handler
from support.app_server import client_of, scripted_assembler, settings_for
from support.device_client import DeviceClient, device
from support.memory_app import quiet_engines
from support.paired_firmware import Firmware
from support.patience import PATIENCE_S
from support.simulated_address import remote_headers, with_simulated_addresses

OPEN = {"/health", "/ready", "/xiaozhi/ota/", "/xiaozhi/ota/activate", "/web/certificate"}


def app_in(folder: Path, **access: object) -> FastAPI:
    settings = settings_for(folder, access=access)
    return with_simulated_addresses(
        create_app(settings, assembler=scripted_assembler(quiet_engines()))
    )


@asynccontextmanager
async def reached(folder: Path, **access: object) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app_in(folder, **access)) as client:
        yield client


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with reached(tmp_path) as client:
        yield client


def code(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.json()['error']['code']}"


async def approve(http: httpx.AsyncClient, shown: str, **more: str) -> dict[str, Any]:
    answer = await http.post("/devices/approve", json={"code": shown, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def pair(firmware: Firmware, **more: str) -> str:
    """Pair a device and return its token."""
    await firmware.check_version()
    assert firmware.activation is not None
    await approve(firmware.http, firmware.activation["code"], **more)
    await firmware.check_version()
    token: str = firmware.stored["token"]
    return token


async def make_token(http: httpx.AsyncClient, **what: object) -> tuple[str, dict[str, str]]:
    """The token's id, and headers of a request from elsewhere that has it."""
    answer = await http.post("/tokens", json={"name": "laptop", **what})
    assert answer.status_code == 200, answer.text
    made = answer.json()
    return made["id"], remote_headers(Authorization=f"Bearer {made['token']}")


def connected_as(firmware: Firmware) -> Any:
    """Its WebSocket, at the address that discovery gave."""
    url = firmware.stored["url"]
    assert url.endswith("/xiaozhi/v1/")
    assert url.startswith("ws://127.0.0.1:")
    base = url.removesuffix("/xiaozhi/v1/").replace("ws://", "http://")
    return device(base, firmware.device_id, headers=firmware.opening())


async def refused(http: httpx.AsyncClient, headers: Mapping[str, str]) -> tuple[int, str]:
    """How a WebSocket is refused: status and code of the HTTP answer before it is one."""
    url = str(http.base_url).rstrip("/").replace("http://", "ws://") + "/xiaozhi/v1/"
    with pytest.raises(InvalidStatus) as failure:
        async with connect(url, additional_headers=dict(headers), compression=None):
            pass
    body = json.loads(bytes(failure.value.response.body or b"{}"))
    return failure.value.response.status_code, body["error"]["code"]


# ---- a device


@pytest.mark.parametrize("ota_url", ["/xiaozhi/ota/", "/xiaozhi/ota"])
async def test_a_device_pairs_as_its_firmware_does(tmp_path: Path, ota_url: str) -> None:
    app = app_in(tmp_path)
    async with client_of(app) as http:
        await pairs_and_reboots(app.state.lobug, Firmware(http, ota_url=ota_url))


async def pairs_and_reboots(world: LobugServer, firmware: Firmware) -> None:
    http = firmware.http
    found = await firmware.check_version()
    assert found["websocket"]["token"] == "", "nothing that lets it talk"
    assert firmware.activation is not None
    shown = firmware.activation["code"]
    assert shown in firmware.activation["message"]
    assert [await firmware.activate() for _ in range(2)] == [202, 202]
    await firmware.check_version()
    assert firmware.activation["code"] == shown, "it asks again every half minute"

    listed = (await http.get("/devices")).json()
    assert listed["devices"] == []
    (waiting,) = listed["waiting"]
    assert waiting["code"] == shown
    assert waiting["description"] == "m5stack-core-s3, xiaozhi, 2.0.1"
    assert waiting["address"] == "192.168.1.7"
    approved = await approve(http, f"{shown[:3]} {shown[3:]}", name="Desk", user="ada")
    assert (approved["id"], approved["state"]) == (firmware.device_id.lower(), "approved")

    assert await firmware.activate() == 200
    found = await firmware.check_version()
    assert "activation" not in found
    assert set(found["websocket"]) == {"url", "version", "token"}
    async with connected_as(firmware) as client:
        assert client.session_id
        (known,) = (await http.get("/devices")).json()["devices"]
        assert (known["state"], known["connected"], known["user"]) == ("paired", True, "ada")

    # After a reboot it has its token still: none is sent, so none is overwritten.
    await world.access.check()
    rebooted = await firmware.check_version()
    assert set(rebooted["websocket"]) == {"url", "version"}
    async with connected_as(firmware) as client:
        assert client.session_id


async def test_revoking_ends_an_open_connection_at_once(http: httpx.AsyncClient) -> None:
    firmware = Firmware(http)
    token = await pair(firmware)
    async with connected_as(firmware) as client:
        gone = await http.delete(f"/devices/{firmware.device_id}")
        assert gone.json()["state"] == "revoked"
        await closed(client, 4004)
    authorized = {**firmware.headers, "Authorization": f"Bearer {token}"}
    assert await refused(http, authorized) == (401, "token_invalid")
    answer = await http.post("/chat/text", json={"text": "Hi"}, headers=authorized)
    assert code(answer) == "401 token_invalid"
    await firmware.check_version()
    assert firmware.activation is not None, "it shows a code again"
    assert await firmware.activate() == 202


async def test_revoking_while_a_connection_is_being_opened_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_in(tmp_path)
    async with client_of(app) as http:
        firmware = Firmware(http)
        await pair(firmware)
        # As if it had been revoked after the check of its token and before it was registered.
        monkeypatch.setattr(app.state.lobug.access, "still_valid", lambda _: False)
        base = str(http.base_url)
        opening = firmware.opening()
        async with device(base, firmware.device_id, hello=None, headers=opening) as client:
            await closed(client, 4004)


async def test_another_user_ends_an_open_connection(http: httpx.AsyncClient) -> None:
    firmware = Firmware(http)
    await pair(firmware)
    place = f"/devices/{firmware.device_id}"
    async with connected_as(firmware) as client:
        named = await http.patch(place, json={"name": "Desk"})
        assert (named.json()["name"], named.json()["user"]) == ("Desk", None)
        assert not client.closed.is_set()
        assert (await http.patch(place, json={"user": "ada"})).json()["user"] == "ada"
        await closed(client, 4004)
    assert (await http.patch(place, json={"user": ""})).json()["user"] is None


async def closed(client: DeviceClient, close_code: int) -> None:
    await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
    assert client.socket.close_code == close_code


async def test_a_devices_token_is_its_own(http: httpx.AsyncClient) -> None:
    firmware = Firmware(http)
    token = await pair(firmware, user="ada")
    mine = remote_headers(Authorization=f"Bearer {token}")
    other = {**mine, "Device-Id": "cc:dd"}
    assert code(await http.get("/memory/entries", headers=other)) == "401 token_wrong_device"
    assert await refused(http, other) == (401, "token_wrong_device")
    # Without the header the token says which device it is.
    told = await http.post("/memory/entries", headers=mine, json={"content": "I like tea"})
    assert told.json()["user"] == "ada"
    answer = await http.get("/devices", headers=mine)
    assert code(answer) == "403 owner_only"


async def test_without_pairing_a_device_gets_its_token_at_once(tmp_path: Path) -> None:
    async with reached(tmp_path, pairing=False) as http:
        firmware = Firmware(http)
        await firmware.check_version()
        assert firmware.activation is None
        async with connected_as(firmware) as client:
            assert client.session_id
        # A page in somebody's browser is no device, under whatever name it calls.
        rebound = {**firmware.headers, "Client-Id": "page", "Host": "evil.example:8321"}
        for method in ("GET", "POST"):
            answer = await http.request(method, "/xiaozhi/ota/", headers=rebound)
            assert code(answer) == "403 host_unknown"


async def test_discovery_behind_a_proxy_gives_the_public_address(tmp_path: Path) -> None:
    async with reached(tmp_path, pairing=False, public_url="https://lobug.example") as http:
        firmware = Firmware(http)
        await firmware.check_version()
        assert firmware.stored["url"] == "wss://lobug.example/xiaozhi/v1/"


async def test_a_person_who_opens_the_address_is_told_what_it_is(http: httpx.AsyncClient) -> None:
    for path in ("/xiaozhi/ota/", "/xiaozhi/ota"):
        answer = await http.get(path, headers=remote_headers())
        assert answer.status_code == 200
        assert "OTA URL" in answer.json()["message"]
    firmware = Firmware(http)
    asked = await http.get("/xiaozhi/ota/", headers=firmware.headers)
    assert "activation" in asked.json(), "a device that has nothing to tell of itself uses GET"


async def test_discovery_needs_its_headers(http: httpx.AsyncClient) -> None:
    for path in ("/xiaozhi/ota/", "/xiaozhi/ota/activate"):
        for missing in ("Device-Id", "Client-Id"):
            for value in (None, "a b", "x" * 129, ""):
                headers = Firmware(http).headers
                del headers[missing]
                if value is not None:
                    headers[missing] = value
                answer = await http.post(path, headers=headers, content=b"{}")
                assert code(answer) == "422 invalid_request", (path, missing, value)
                assert missing in answer.json()["error"]["message"]
    assert (await http.get("/devices")).json()["waiting"] == []


async def test_discovery_takes_any_body(http: httpx.AsyncClient) -> None:
    headers = Firmware(http).headers
    strange = (b"", b"\x00\xff", b"[" * 60_000, b'{"application": {"version": {}}}', b"null")
    for body in strange:
        answer = await http.post("/xiaozhi/ota/", headers=headers, content=body)
        assert answer.status_code == 200, body[:20]
        assert answer.json()["firmware"] == {"version": "0.0.0", "url": ""}
    assert len((await http.get("/devices")).json()["waiting"]) == 1


async def test_discovery_is_limited_by_address(tmp_path: Path) -> None:
    async with reached(tmp_path, codes_per_minute=2) as http:
        for number in range(2):
            await Firmware(http, device_id=f"d{number}").check_version()
        third = Firmware(http, device_id="d2").headers
        answer = await http.post("/xiaozhi/ota/", headers=third, json={})
        assert code(answer) == "429 too_many_attempts"
        await Firmware(http, device_id="d2", address="192.168.1.8").check_version()


# ---- everybody else


async def test_no_route_answers_a_stranger(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    filled = {"{device_id}": "d", "{token_id}": "t", "{entry_id}": "1", "{task_id}": "1"}
    asked = 0
    wrong_tokens = AccessSettings().attempts_per_minute
    async with client_of(app) as http:
        paths = app.openapi()["paths"]
        for path, methods in {**paths, "/docs": {"get": 0}, "/openapi.json": {"get": 0}}.items():
            if path in OPEN:
                continue
            for mark, value in filled.items():
                path = path.replace(mark, value)  # noqa: PLW2901 - filled in step by step
            for method in methods:
                if (method.upper(), path) in OPEN_WEB_REQUESTS:
                    continue  # test_browsers.py
                answer = await http.request(method, path, headers=remote_headers(), json={})
                assert code(answer) == "401 token_required", (method, path)
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")
                guessed = remote_headers(Authorization="Bearer guessed", **{"Device-Id": "aa:bb"})
                answer = await http.request(method, path, headers=guessed, json={})
                # After as many wrong tokens as an address may try in a minute it waits.
                expected = "401 token_invalid" if asked < wrong_tokens else "429 too_many_attempts"
                assert code(answer) == expected, (method, path)
                rebound = {"Host": "evil.example:8321"}
                answer = await http.request(method, path, headers=rebound, json={})
                assert code(answer) == "403 host_unknown", (method, path)
                asked += 1
    assert asked > 35
    described = paths["/chat/text"]["post"]["responses"]["401"]["description"]
    assert "`token_required`" in described


async def test_a_websocket_is_refused_before_it_is_one(http: httpx.AsyncClient) -> None:
    lines = io.StringIO()
    handler = log_handler("text", content=False)
    handler.setStream(lines)
    logging.getLogger("uvicorn.error").addHandler(handler)
    for headers, expected in (
        (remote_headers(), (401, "token_required")),
        (remote_headers(**{"Device-Id": "aa:bb"}), (401, "token_required")),
        (remote_headers(Authorization="Bearer lobug_guess"), (401, "token_invalid")),
        ({"Authorization": "Bearer lobug_guess"}, (401, "token_invalid")),
        ({"Origin": "http://evil.example"}, (403, "foreign_origin")),
        ({"X-Forwarded-For": "192.168.1.7"}, (401, "token_required")),
    ):
        assert await refused(http, headers) == expected, headers
    logging.getLogger("uvicorn.error").removeHandler(handler)
    assert lines.getvalue() == "", "a stranger cannot fill the log"


async def test_all_of_health_is_for_the_owner(http: httpx.AsyncClient) -> None:
    brief = await http.get("/health", headers=remote_headers())
    assert set(brief.json()) == {"status", "ollama", "timestamp", "version"}
    whole = set((await http.get("/health")).json())
    assert {"engines", "memory", "degraded"} <= whole
    rebound = await http.get("/health", headers={"Host": "evil.example"})
    assert set(rebound.json()) == set(brief.json())
    firmware = Firmware(http)
    device = remote_headers(Authorization=f"Bearer {await pair(firmware)}")
    _, guest = await make_token(http)
    for headers in (device, guest):
        known = await http.get("/health", headers=headers)
        assert set(known.json()) == set(brief.json())
    _, owner = await make_token(http, owner=True)
    assert set((await http.get("/health", headers=owner)).json()) == whole


async def test_who_spoke_from_a_trusted_network_as_a_device_goes_when_that_is_paired(
    tmp_path: Path,
) -> None:
    async with reached(tmp_path, trusted_networks=["10.1.0.0/16"]) as http:
        firmware = Firmware(http)
        other, bare = "aa:bb:cc:dd:ee:02", remote_headers("10.1.2.3")
        async with (
            device(str(http.base_url), firmware.device_id, headers=bare) as impostor,
            device(str(http.base_url), other, headers=bare) as guest,
        ):
            token = await pair(firmware)
            await asyncio.wait_for(impostor.closed.wait(), PATIENCE_S)
            assert impostor.socket.close_code == 4004
            again = {"Device-Id": firmware.device_id, **bare}
            assert await refused(http, again) == (401, "token_required")
            mine = {**bare, "Authorization": f"Bearer {token}"}
            async with device(str(http.base_url), firmware.device_id, headers=mine) as paired:
                await pair(Firmware(http, device_id="aa:bb:cc:dd:ee:03", client_id="third"))
                await guest.say(type="abort")
                assert not guest.closed.is_set(), "nobody is paired under that name"
                assert not paired.closed.is_set()


async def test_the_owner_at_this_computer_may_speak_as_a_device_that_is_paired(
    tmp_path: Path,
) -> None:
    async with reached(tmp_path) as http:
        firmware = Firmware(http)
        async with device(str(http.base_url), firmware.device_id) as here:
            await pair(firmware)
            await here.say(type="abort")
            assert (await http.get("/devices")).json()["devices"][0]["connected"] is True
            assert not here.closed.is_set()


async def test_a_first_firmware_talks_from_a_trusted_network(tmp_path: Path) -> None:
    async with reached(tmp_path, trusted_networks=["10.1.0.0/16"]) as http:
        answer = await http.post(
            "/chat/text", json={"text": "Hi"}, headers=remote_headers("10.1.2.3")
        )
        assert answer.json() == {"response": "Okay."}
        beside = await http.post(
            "/chat/text", json={"text": "Hi"}, headers=remote_headers("10.2.0.1")
        )
        assert code(beside) == "401 token_required"
        # A paired device's name is not for everybody there.
        firmware = Firmware(http, address="10.1.2.9")
        await pair(firmware)
        named = remote_headers("10.1.2.3", **{"Device-Id": firmware.device_id})
        assert code(await http.get("/memory/entries", headers=named)) == "401 token_required"
        assert (
            code(await http.get("/devices", headers=remote_headers("10.1.2.3"))) == "403 owner_only"
        )


async def test_a_token_is_a_user_and_a_conversation_whatever_is_asked(
    http: httpx.AsyncClient,
) -> None:
    _, ada = await make_token(http, user="ada", conversation="desk")
    for headers in (ada, {**ada, "Device-Id": "hall"}, {"Authorization": ada["Authorization"]}):
        body = {"content": f"Note {len(headers)}", "scope": "conversation"}
        told = await http.post("/memory/entries", headers=headers, json=body)
        assert (told.json()["user"], told.json()["conversation"]) == ("ada", "ada/desk")
        # At this computer as well: with a token one is whom it names.
        for path in ("/memory/entries?user=bob", "/memory/users", "/memory/export?user=ada"):
            assert code(await http.get(path, headers=headers)) == "403 memory_forbidden"
    said = await http.post(
        "/chat/text", headers=ada, json={"text": "Hi", "user": "bob", "conversation": "x"}
    )
    assert (said.status_code, said.json()) == (200, {"response": "Okay."})
    users = (await http.get("/memory/users")).json()["users"]
    assert {row["user"] for row in users} == {"ada"}


async def test_owners_tokens_approve_devices_and_others_do_not(http: httpx.AsyncClient) -> None:
    _, plain = await make_token(http)
    owners_id, owners = await make_token(http, owner=True)
    firmware = Firmware(http)
    await firmware.check_version()
    assert firmware.activation is not None
    body = {"code": firmware.activation["code"]}
    for request in (
        ("GET", "/devices"), ("POST", "/devices/approve"), ("PATCH", "/devices/x"),
        ("DELETE", "/devices/x"), ("GET", "/tokens"), ("POST", "/tokens"), ("DELETE", "/tokens/x"),
    ):  # fmt: skip
        answer = await http.request(*request, headers=plain, json=body)
        assert code(answer) == "403 owner_only", request
    answer = await http.post("/devices/approve", headers=owners, json=body)
    assert answer.status_code == 200
    listed = (await http.get("/tokens", headers=owners)).json()["tokens"]
    assert [row["owner"] for row in listed] == [False, True]
    assert "token" not in listed[0]
    assert (await http.delete(f"/tokens/{owners_id}")).json()["revoked_at"]
    assert code(await http.get("/tokens", headers=owners)) == "401 token_invalid"
    assert code(await http.delete("/tokens/nobody")) == "404 token_unknown"


NONSENSE: tuple[tuple[str, dict[str, object]], ...] = (
    ("/devices/approve", {"code": "12345"}),
    ("/devices/approve", {"code": "abcdef"}),
    ("/devices/approve", {"code": 123456}),
    ("/devices/approve", {"code": "123456", "user": "household:"}),
    ("/devices/approve", {"code": "123456", "name": "x" * 81}),
    ("/devices/approve", {"code": "123456", "nam": "x"}),
    ("/devices/approve", {}),
    ("/tokens", {"name": ""}),
    ("/tokens", {"name": "a\nb"}),
    ("/tokens", {"name": "x", "user": ""}),
    ("/tokens", {"name": "x", "user": "a\u202eb"}),
    ("/tokens", {"name": "x", "conversation": "a/b"}),
    ("/tokens", {"name": "x", "owner": "perhaps"}),
    ("/tokens", {"name": "x", "scope": "everything"}),
    ("/tokens", {"name": "x", "scope": "metrics", "owner": True}),
    ("/tokens", {"name": "x", "scope": "metrics", "user": "ada"}),
    ("/tokens", {"name": "x", "scope": "metrics", "conversation": "desk"}),
)


async def test_orders_that_make_no_sense(http: httpx.AsyncClient) -> None:
    for path, body in NONSENSE:
        assert code(await http.post(path, json=body)) == "422 invalid_request", body


async def test_a_wrong_code_and_an_unknown_device(http: httpx.AsyncClient) -> None:
    answer = await http.post("/devices/approve", json={"code": "000000"})
    assert code(answer) == "404 pairing_code_unknown"
    for method in ("PATCH", "DELETE"):
        answer = await http.request(method, "/devices/nobody", json={})
        assert code(answer) == "404 device_unknown"


async def test_guessing_is_limited_and_good_tokens_pass_all_the_same(tmp_path: Path) -> None:
    async with reached(tmp_path, attempts_per_minute=3) as http:
        _, mine = await make_token(http)
        guess = remote_headers(Authorization="Bearer lobug_guess")
        answers = [await http.get("/memory/entries", headers=guess) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [401, 401, 401, 429, 429]
        assert answers[-1].headers["Retry-After"] == "60"
        assert (await http.get("/memory/entries", headers=mine)).status_code == 200


async def test_openai_clients_at_this_computer_send_any_key(http: httpx.AsyncClient) -> None:
    dummy = {"Authorization": "Bearer sk-dummy"}
    answer = await http.post("/chat/text", headers=dummy, json={"text": "Hi"})
    assert answer.status_code == 200
    assert code(await http.get("/memory/entries", headers={**remote_headers(), **dummy})) == (
        "401 token_invalid"
    )


async def test_a_name_of_this_computer_is_known_by_the_settings(tmp_path: Path) -> None:
    async with reached(tmp_path, hostnames=["kitchen.local"]) as http:
        ours = await http.get("/memory/entries", headers={"Host": "Kitchen.local:8321"})
        assert ours.status_code == 200


async def test_without_its_file_only_this_computer_may_talk(tmp_path: Path) -> None:
    (tmp_path / "data" / FILE).mkdir(parents=True)
    async with reached(tmp_path) as http:
        assert (await http.post("/chat/text", json={"text": "Hi"})).status_code == 200
        health = (await http.get("/health")).json()
        assert health["status"] == "ok"
        assert any(line.startswith("access:") for line in health["degraded"])
        for headers in (remote_headers(), remote_headers(Authorization="Bearer lobug_x")):
            answer = await http.post("/chat/text", headers=headers, json={"text": "Hi"})
            assert code(answer) == "503 access_unavailable"
        firmware = Firmware(http)
        answer = await http.post("/xiaozhi/ota/", headers=firmware.headers, json={})
        assert code(answer) == "503 access_unavailable"
        assert code(await http.get("/devices")) == "503 access_unavailable"


async def test_no_secret_is_logged(
    http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    firmware = Firmware(http)
    token = await pair(firmware)
    shown = await http.post("/tokens", json={"name": "laptop"})
    mine = {**firmware.headers, "Authorization": f"Bearer {token}"}
    assert (await http.get("/memory/entries", headers=mine)).status_code == 200
    wrong = remote_headers(Authorization="Bearer lobug_wrongtoken")
    assert (await http.get("/memory/entries", headers=wrong)).status_code == 401
    ours = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith("lobug"))
    assert f"device {firmware.device_id.lower()} got a token" in ours
    assert "refused a request from 192.168.1.7: token_invalid" in ours
    for secret in (token, shown.json()["token"], "lobug_wrongtoken"):
        assert secret not in ours
