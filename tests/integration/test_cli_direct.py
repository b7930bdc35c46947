"""The doors without a server: what they open is closed again, whatever happens in between."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from lobug.cli.connection import DIRECT_URL
from lobug.cli.direct import LOGGER, DirectAccessTransport, DirectMemoryTransport, DirectTransport
from lobug.errors import StorageError
from lobug.settings import Settings
from support.app_server import settings_for

DOORS: dict[str, tuple[Callable[[Settings], DirectTransport], str, str]] = {
    "access": (DirectAccessTransport, "/devices", "access.db"),
    "memory": (DirectMemoryTransport, "/memory/users", "lobug_memory.db"),
}


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> tuple[Callable[[Settings], DirectTransport], str, str]:
    return DOORS[request.param]


def test_it_answers_as_a_server_does_and_closes_its_file(
    tmp_path: Path, door: tuple[Callable[[Settings], DirectTransport], str, str]
) -> None:
    transport, path, name = door
    before = LOGGER.level
    with httpx.Client(transport=transport(settings_for(tmp_path)), base_url=DIRECT_URL) as client:
        assert LOGGER.level == logging.ERROR
        assert client.get(path).status_code == 200
        unknown = client.get("/health")
        assert unknown.json()["error"]["code"] == "not_found", "only its own routes are there"
    assert LOGGER.level == before
    assert (tmp_path / "data" / name).is_file()
    assert not (tmp_path / "data" / f"{name}-wal").exists(), "the file was closed"


def test_what_cannot_be_opened_leaves_nothing_behind(
    tmp_path: Path, door: tuple[Callable[[Settings], DirectTransport], str, str]
) -> None:
    transport, _path, name = door
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_bytes(b"no database" * 1_000)
    before = LOGGER.level
    with pytest.raises(StorageError):
        transport(settings_for(tmp_path))
    assert LOGGER.level == before
