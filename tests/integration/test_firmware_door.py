"""Firmware over the air, over real sockets: what discovery offers, and who may fetch it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from lobug.app import create_app
from lobug.ota.image import FirmwareImage
from lobug.ota.offers import MOST_FETCHES
from lobug.ota.signing import message_of
from lobug.server import LobugServer
from support.app_server import client_of, scripted_assembler, settings_for
from support.device_client import until
from support.esp32_images import image_bytes, image_file
from support.memory_app import quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses

CORE2 = "m5stack-core2"
LARGE = 3_000_000


@dataclass
class Device:
    """A device with Lo-Bug's own firmware, somewhere in the network."""

    http: httpx.AsyncClient
    device_id: str = "aa:bb:cc:dd:ee:01"
    address: str = "192.168.1.7"
    board: str = CORE2
    version: str = "2.0.0"
    application: str = "lobug"
    token: str = ""
    nonce: object = None
    """``update_nonce``, as firmware that verifies signatures sends it."""

    async def discover(self, **headers: str) -> dict[str, Any]:
        answer = await self.http.post(
            "/xiaozhi/ota/",
            headers=remote_headers(
                self.address, **{"Device-Id": self.device_id, "Client-Id": "u"}, **headers
            ),
            json={
                "version": 2,
                "application": {"name": self.application, "version": self.version},
                "board": {"type": self.board, "name": self.board},
                **({} if self.nonce is None else {"update_nonce": self.nonce}),
            },
        )
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        self.token = found.get("websocket", {}).get("token") or self.token
        return found

    async def pair(self) -> dict[str, Any]:
        """Returns the last answer of discovery."""
        shown = (await self.discover())["activation"]["code"]
        approved = await self.http.post("/devices/approve", json={"code": shown})
        assert approved.status_code == 200, approved.text
        return await self.discover()

    def headers(self) -> dict[str, str]:
        sent = remote_headers(self.address, **{"Device-Id": self.device_id})
        return sent | ({"Authorization": f"Bearer {self.token}"} if self.token else {})

    async def fetch(self, url: str) -> httpx.Response:
        return await self.http.get(url, headers=self.headers())


@asynccontextmanager
async def reached(
    folder: Path, **sections: object
) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    app = create_app(
        settings_for(folder, **sections), assembler=scripted_assembler(quiet_engines())
    )
    async with client_of(with_simulated_addresses(app)) as http:
        yield http, app.state.lobug


async def add(
    server: LobugServer,
    folder: Path,
    version: str = "2.1.0",
    *,
    content: bytes | None = None,
    board: str = CORE2,
    forced: bool = False,
) -> FirmwareImage:
    source = image_file(folder, content)
    library = server.firmware.library
    return await asyncio.to_thread(library.add, source, board, version, forced=forced)


def code(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.json()['error']['code']}"


async def test_a_paired_device_is_offered_a_newer_image_and_fetches_it(tmp_path: Path) -> None:
    content = image_bytes(1_234_567)
    async with reached(tmp_path) as (http, server):
        device = Device(http)
        found = await device.pair()
        assert found["firmware"] == {"version": "2.0.0", "url": ""}
        await add(server, tmp_path, content=content)
        offer = (await device.discover())["firmware"]
        assert offer == {
            "version": "2.1.0",
            "url": f"{http.base_url}/firmware/{CORE2}/2.1.0",
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        answer = await device.fetch(offer["url"])
        assert answer.status_code == 200
        assert answer.content == content
        assert answer.headers["content-length"] == str(len(content))
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["etag"] == f'"{offer["sha256"]}"'
        device.version = "2.1.0"
        assert (await device.discover())["firmware"] == {"version": "2.1.0", "url": ""}


async def test_a_device_that_verifies_gets_key_and_signature(tmp_path: Path) -> None:
    async with reached(tmp_path) as (http, server):
        device = Device(http, nonce="0" * 32)
        waiting = await device.discover()
        assert "update_key" not in str(waiting), "nobody has let it in"
        welcome = await device.pair()
        key = welcome["websocket"]["update_key"]
        assert welcome["firmware"] == {"version": "2.0.0", "url": ""}
        image = await add(server, tmp_path)
        seen = set()
        for nonce in ("0" * 32, "f" * 32):
            device.nonce = nonce
            found = await device.discover()
            assert found["websocket"]["update_key"] == key
            signature = found["firmware"]["signature"]
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(
                bytes.fromhex(signature), message_of(image, nonce)
            )
            seen.add(signature)
        assert len(seen) == 2


@pytest.mark.parametrize("nonce", [None, "", "0" * 31, "G" * 32, 7])
async def test_other_devices_get_what_they_always_got(tmp_path: Path, nonce: object) -> None:
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path)
        found = await Device(http, nonce=nonce).pair()
        assert found["firmware"]["version"] == "2.1.0"
        assert "signature" not in found["firmware"]
        assert "update_key" not in found["websocket"]
        assert not server.settings.update_key_path.exists()


async def test_without_a_key_a_device_that_verifies_is_offered_nothing(tmp_path: Path) -> None:
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path)
        server.settings.update_key_path.write_text("no key")
        device = Device(http, nonce="0" * 32)
        found = await device.pair()
        assert found["firmware"] == {"version": "2.0.0", "url": ""}
        assert "update_key" not in found["websocket"]


async def test_a_device_that_is_not_paired_is_offered_nothing(tmp_path: Path) -> None:
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path)
        device = Device(http)
        waiting = await device.discover()
        assert waiting["firmware"] == {"version": "2.0.0", "url": ""}
        assert "activation" in waiting
        paired = await device.pair()
        assert paired["firmware"]["version"] == "2.1.0"
        await http.delete(f"/devices/{device.device_id}")
        assert (await device.discover())["firmware"] == {"version": "2.0.0", "url": ""}
        refused = await device.fetch(f"/firmware/{CORE2}/2.1.0")
        assert code(refused) == "401 token_invalid"


@pytest.mark.parametrize(
    "other",
    [
        {"application": "xiaozhi"},
        {"board": "m5stack-core-s3"},
        {"board": "m5stack-cores3"},
        {"board": "*"},
        {"board": "../firmware/m5stack-core2"},
        {"version": "2.1"},
        {"version": "my own build"},
    ],
    ids=str,
)
async def test_other_devices_are_never_offered_it(tmp_path: Path, other: dict[str, str]) -> None:
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path)
        device = Device(http, **other)
        found = await device.pair()
        assert found["firmware"] == {"version": device.version, "url": ""}


async def test_a_forced_image_is_offered_to_newer_ones_too(tmp_path: Path) -> None:
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path, "2.2.0")
        await add(server, tmp_path, "1.9.0", forced=True)
        device = Device(http, version="2.1.0")
        offer = (await device.pair())["firmware"]
        assert (offer["version"], offer["force"]) == ("1.9.0", True)
        device.version = "1.9.0"
        assert (await device.discover())["firmware"] == {"version": "1.9.0", "url": ""}
        await asyncio.to_thread(server.firmware.library.remove, CORE2, "1.9.0")
        offer = (await device.discover())["firmware"]
        assert offer["version"] == "2.2.0"
        assert "force" not in offer


async def test_the_image_is_where_the_device_called(tmp_path: Path) -> None:
    access = {"public_url": "https://lobug.example.org/bug"}
    async with reached(tmp_path, access=access) as (http, server):
        await add(server, tmp_path)
        device = Device(http)
        direct = await device.pair()
        assert direct["firmware"]["url"].startswith(str(http.base_url))
        proxied = await device.discover(**{"X-Forwarded-For": "1.2.3.4"})
        assert proxied["firmware"]["url"] == (
            f"https://lobug.example.org/bug/firmware/{CORE2}/2.1.0"
        )


async def test_who_may_fetch_an_image(tmp_path: Path) -> None:
    access = {"trusted_networks": ["10.0.0.0/8"]}
    async with reached(tmp_path, access=access) as (http, server):
        image = await add(server, tmp_path)
        url = f"/firmware/{CORE2}/2.1.0"
        device = Device(http)
        assert code(await device.fetch(url)) == "401 token_required"
        await device.pair()
        assert (await device.fetch(url)).status_code == 200
        thief = Device(http, device_id="aa:bb:cc:dd:ee:02", token=device.token)
        assert code(await thief.fetch(url)) == "401 token_wrong_device"
        assert code(await Device(http, token="lobug_wrong").fetch(url)) == "401 token_invalid"
        trusted = await http.get(url, headers=remote_headers("10.1.2.3"))
        assert code(trusted) == "403 owner_only"
        made = (await http.post("/tokens", json={"name": "laptop"})).json()
        guest = await http.get(url, headers=remote_headers(Authorization=f"Bearer {made['token']}"))
        assert code(guest) == "403 owner_only"
        owner = await http.get(url)
        assert hashlib.sha256(owner.content).hexdigest() == image.sha256


@pytest.mark.parametrize(
    "path",
    [
        f"{CORE2}/2.1.1",
        f"{CORE2}/2.1.0.json",
        f"{CORE2}/2.1.0.bin",
        f"{CORE2}/..%2f..%2faccess.db",
        "..%2f..%2fdata/1.0",
        "%2e%2e/1.0",
        f"{CORE2}/%2e%2e",
        f"{CORE2}/2.1.0%00",
        "%2fetc/1.0",
        f"{CORE2.upper()}/2.1.0",
        f"{'x' * 5000}/2.1.0",
        f"{CORE2}/{'1' * 5000}",
    ],
    ids=lambda path: path[:40],
)
async def test_no_path_leads_anywhere_else(tmp_path: Path, path: str) -> None:
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path)
        device = Device(http)
        await device.pair()
        answer = await device.fetch(f"/firmware/{path}")
        assert answer.status_code == 404, answer.text
        assert answer.json()["error"]["code"] in {"firmware_unknown", "not_found"}


async def test_what_is_broken_is_neither_offered_nor_given(tmp_path: Path) -> None:
    async with reached(tmp_path) as (http, server):
        image = await add(server, tmp_path)
        device = Device(http)
        offer = (await device.pair())["firmware"]
        await asyncio.to_thread(image.path.write_bytes, image_bytes(100))
        assert code(await device.fetch(offer["url"])) == "404 firmware_unknown"
        assert (await device.discover())["firmware"] == {"version": "2.0.0", "url": ""}


async def test_a_folder_that_cannot_be_read_keeps_no_device_away(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "firmware").write_text("a file")
    async with reached(tmp_path) as (http, _server):
        found = await Device(http).pair()
        assert found["firmware"] == {"version": "2.0.0", "url": ""}
        assert "websocket" in found


async def test_a_device_that_fetches_again_and_again_is_offered_it_no_more(tmp_path: Path) -> None:
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path)
        device = Device(http)
        offer = (await device.pair())["firmware"]
        for _ in range(MOST_FETCHES):
            assert (await device.discover())["firmware"] == offer
            assert (await device.fetch(offer["url"])).status_code == 200
        assert (await device.discover())["firmware"] == {"version": "2.0.0", "url": ""}


async def raw_request(
    http: httpx.AsyncClient, device: Device
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A request on a socket of its own, of whose answer nothing is read yet."""
    port = http.base_url.port
    assert port is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    lines = [f"GET /firmware/{CORE2}/2.1.0 HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    lines += [f"{name}: {value}" for name, value in device.headers().items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await writer.drain()
    return reader, writer


async def test_a_device_that_goes_away_has_not_fetched_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with reached(tmp_path) as (http, server):
        await add(server, tmp_path, content=image_bytes(LARGE))
        device = Device(http)
        await device.pair()
        reader, writer = await raw_request(http, device)
        assert await reader.read(100)
        writer.transport.abort()
        await until(lambda: "not fetched to its end" in caplog.text)
        assert "has fetched" not in caplog.text
        assert (await device.fetch(f"/firmware/{CORE2}/2.1.0")).content == image_bytes(LARGE)


async def test_a_device_that_reads_nothing_is_cut_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    limits = {"firmware": {"max_image_bytes": 30_000_000}, "streaming": {"send_timeout_s": 0.3}}
    async with reached(tmp_path, **limits) as (http, server):
        await add(server, tmp_path, content=image_bytes(30_000_000))
        device = Device(http)
        await device.pair()
        _reader, writer = await raw_request(http, device)
        await until(lambda: "reads nothing of the firmware" in caplog.text)
        assert "has fetched" not in caplog.text
        writer.close()
