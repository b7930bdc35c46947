"""`/web/flasher` over real sockets: what can be flashed, and who may have it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from lobug.app import create_app
from lobug.ota.image import FirmwareKind
from lobug.server import LobugServer
from support.app_server import client_of, scripted_assembler, settings_for
from support.esp32_images import full_image_bytes, image_bytes, image_file
from support.memory_app import quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses

CORE2, CORES3 = "m5stack-core2", "m5stack-cores3"


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return with_simulated_addresses(
        create_app(settings_for(tmp_path), assembler=scripted_assembler(quiet_engines()))
    )


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


def add(
    app: FastAPI,
    folder: Path,
    version: str,
    board: str = CORE2,
    *,
    chip: int = 0,
    size: int = 0x12000,
) -> bytes:
    server: LobugServer = app.state.lobug
    content = full_image_bytes(size, chip=chip)
    file = image_file(folder, content, "full.bin")
    server.firmware.library.add(file, board, version, kind=FirmwareKind.FULL)
    return content


async def test_every_board_is_listed_with_its_newest_image(
    app: FastAPI, http: httpx.AsyncClient, tmp_path: Path
) -> None:
    answer = await http.get("/web/flasher")
    assert answer.headers["Cache-Control"] == "no-store"
    assert [(one["board"], one["chip"], one["image"]) for one in answer.json()["boards"]] == [
        (CORE2, "ESP32", None), (CORES3, "ESP32-S3", None),
    ]  # fmt: skip
    for version in ("2.9", "2.10", "1.0"):
        content = add(app, tmp_path, version)
    add(app, tmp_path, "0.1", "custom", chip=9)
    boards = {one["board"]: one for one in (await http.get("/web/flasher")).json()["boards"]}
    assert list(boards) == [CORE2, CORES3, "custom"]
    assert boards[CORE2]["image"] == {
        "version": "2.10", "size": len(content), "sha256": hashlib.sha256(content).hexdigest(),
    }  # fmt: skip
    assert boards[CORES3]["manifest"] is None
    assert (boards["custom"]["name"], boards["custom"]["chip"]) == ("custom", None)


async def test_the_manifest_leads_to_the_image(
    app: FastAPI, http: httpx.AsyncClient, tmp_path: Path
) -> None:
    content = add(app, tmp_path, "2.1.0", CORES3, chip=9, size=300_001)
    (board,) = [one for one in (await http.get("/web/flasher")).json()["boards"] if one["image"]]
    manifest = (await http.get(board["manifest"])).json()
    assert (manifest["name"], manifest["version"]) == ("Lo-Bug", "2.1.0")
    (build,) = manifest["builds"]
    assert build["chipFamily"] == "ESP32-S3"
    (part,) = build["parts"]
    assert (part["offset"], part["size"]) == (0, len(content))
    place = str(http.base_url.join(board["manifest"]).join(part["path"]))
    image = await http.get(place)
    assert image.content == content
    assert image.headers["ETag"] == f'"{part["sha256"]}"'
    assert image.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        f"{CORES3}/manifest.json",
        "../manifest.json",
        "%2e%2e/manifest.json",
        "*/manifest.json",
        f"{CORE2}/2.2/full.bin",
        f"{CORE2}/2.1-full/full.bin",
        f"{CORE2}/..%2f2.1/full.bin",
        f"{CORE2}/%00/full.bin",
        f"{'x' * 5000}/manifest.json",
        "m5stack-core2%0d%0aX:y/2.1/full.bin",
    ],
)
async def test_what_is_not_there_is_told(
    app: FastAPI, http: httpx.AsyncClient, tmp_path: Path, path: str
) -> None:
    add(app, tmp_path, "2.1")
    answer = await http.get(f"/web/flasher/{path}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] in {"firmware_unknown", "not_found"}


async def test_an_update_is_not_given_for_a_full_image(
    app: FastAPI, http: httpx.AsyncClient, tmp_path: Path
) -> None:
    server: LobugServer = app.state.lobug
    server.firmware.library.add(image_file(tmp_path, image_bytes()), CORE2, "2.1")
    answer = await http.get(f"/web/flasher/{CORE2}/2.1/full.bin")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "firmware_unknown")


async def test_a_full_image_is_for_the_owner_alone(
    app: FastAPI, http: httpx.AsyncClient, tmp_path: Path
) -> None:
    add(app, tmp_path, "2.1")
    made = await http.post("/tokens", json={"name": "ada", "user": "ada"})
    person = remote_headers(Authorization=f"Bearer {made.json()['token']}")
    for headers in (person, remote_headers()):
        for path in ("", f"/{CORE2}/manifest.json", f"/{CORE2}/2.1/full.bin"):
            refused = await http.get(f"/web/flasher{path}", headers=headers)
            assert refused.status_code in {401, 403}, path
            assert refused.json()["error"]["code"] in {"owner_only", "token_required"}
    # Devices fetch updates; what is for USB is not theirs, and is at no address of theirs.
    assert (await http.get(f"/firmware/{CORE2}/2.1")).status_code == 404
    assert (await http.get(f"/firmware/{CORE2}/2.1-full")).status_code == 404


async def test_an_image_that_was_changed_is_not_given(
    app: FastAPI, http: httpx.AsyncClient, tmp_path: Path
) -> None:
    add(app, tmp_path, "2.1")
    server: LobugServer = app.state.lobug
    image = server.firmware.library.find(CORE2, "2.1", FirmwareKind.FULL)
    image.path.write_bytes(b"short")
    assert (await http.get(f"/web/flasher/{CORE2}/2.1/full.bin")).status_code == 404
    assert (await http.get("/web/flasher")).json()["boards"][0]["image"] is None
