"""What the ``Origin`` of a request means: nothing with a token, and without one that a foreign web
page may speak. Over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from lobug.app import create_app
from support.app_server import client_of, scripted_assembler, settings_for
from support.device_client import device
from support.memory_app import quiet_engines
from support.paired_firmware import DESCRIPTION, Firmware
from support.simulated_address import remote_headers, with_simulated_addresses

ORIGINS = [
    "file://",  # arduinoWebSockets, to every server
    "https://github.com/gilmaimon/ArduinoWebsockets",
    "null",
    "chrome-extension://abc",
    "http://localhost:3000",
    "https://evil.example",
]
"""Of libraries for microcontrollers, of programs with a browser inside, and of web pages."""

TRUSTED = "10.1.2.3"


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    settings = settings_for(
        tmp_path, access={"trusted_networks": ["10.1.0.0/16"], "codes_per_minute": 2}
    )
    app = with_simulated_addresses(
        create_app(settings, assembler=scripted_assembler(quiet_engines()))
    )
    async with client_of(app) as client:
        yield client


async def token_of(http: httpx.AsyncClient) -> str:
    answer = await http.post("/tokens", json={"name": "laptop"})
    token: str = answer.json()["token"]
    return token


async def status_of_socket(http: httpx.AsyncClient, headers: dict[str, str]) -> int:
    """101: the WebSocket is open, and hellos were exchanged."""
    try:
        async with device(str(http.base_url), headers=headers) as client:
            assert client.session_id
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("address", ["192.168.1.7", "127.0.0.1", TRUSTED])
async def test_who_has_a_token_is_no_foreign_page(
    http: httpx.AsyncClient, origin: str, address: str
) -> None:
    token = await token_of(http)
    mine = remote_headers(address, Origin=origin, Authorization=f"Bearer {token}")
    said = await http.post("/chat/text", json={"text": "Hi"}, headers=mine)
    assert said.status_code == 200, said.text
    assert await status_of_socket(http, mine) == 101


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("address", ["127.0.0.1", TRUSTED])
@pytest.mark.parametrize("key", ["", "Bearer sk-dummy"])
async def test_who_is_let_in_without_one_may_be_a_foreign_page(
    http: httpx.AsyncClient, origin: str, address: str, key: str
) -> None:
    headers = remote_headers(address, Origin=origin, **({"Authorization": key} if key else {}))
    said = await http.post("/chat/text", json={"text": "Hi"}, headers=headers)
    assert (said.status_code, said.json()["error"]["code"]) == (403, "foreign_origin")
    assert await status_of_socket(http, headers) == 403


@pytest.mark.parametrize("origin", ORIGINS)
async def test_a_device_whose_library_sends_an_origin_pairs_and_talks(
    http: httpx.AsyncClient, origin: str
) -> None:
    http.headers["Origin"] = origin
    firmware = Firmware(http)
    await firmware.check_version()
    assert firmware.activation is not None
    assert await firmware.activate() == 202
    del http.headers["Origin"]
    await http.post("/devices/approve", json={"code": firmware.activation["code"]})
    http.headers["Origin"] = origin
    assert await firmware.activate() == 200
    await firmware.check_version()
    opening = {**firmware.opening(), "Origin": origin, "Device-Id": firmware.device_id}
    assert await status_of_socket(http, opening) == 101


async def test_a_foreign_page_on_this_computer_is_a_stranger_at_open_doors(
    http: httpx.AsyncClient,
) -> None:
    foreign = {"Origin": "https://evil.example"}
    assert "engines" in (await http.get("/health")).json()
    assert "engines" not in (await http.get("/health", headers=foreign)).json()
    asking = {**foreign, "Client-Id": "page"}
    answers = [
        await http.post("/xiaozhi/ota/", headers={**asking, "Device-Id": name}, json=DESCRIPTION)
        for name in ("d1", "d2", "d3")
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 429]


@pytest.mark.parametrize("path", ["/xiaozhi/ota/", "/v1/chat/completions"])
async def test_browsers_are_not_told_that_pages_may_ask_or_read(
    http: httpx.AsyncClient, path: str
) -> None:
    """A page cannot send ``Device-Id`` or ``Authorization`` where this is not answered: so what
    discovery says without pairing is not for pages."""
    asks = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "device-id,authorization",
    }
    for address in ("127.0.0.1", "192.168.1.7"):
        answer = await http.options(path, headers=remote_headers(address, **asks))
        assert answer.status_code >= 400
        assert not [name for name in answer.headers if name.startswith("access-control-")]
