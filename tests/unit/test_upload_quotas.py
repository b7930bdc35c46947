"""What a request's body takes of the room, and that it is given back."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lobug.errors import BusyError, TooManyRequestsError
from lobug.http import uploads
from lobug.http.uploads import (
    SMALL_BYTES,
    SPOOL_BYTES,
    HeldBody,
    UploadRoom,
)
from lobug.quota import Claimant
from lobug.settings import LimitSettings
from support.patience import PATIENCE_S

MB = 1024 * 1024
OWNER = Claimant("ada", privileged=True)
GUEST = Claimant("guest")


def room(**limits: object) -> UploadRoom:
    return UploadRoom(LimitSettings.model_validate({"max_body_bytes": MB, **limits}))


async def test_a_small_body_takes_nothing() -> None:
    full = room(max_uploads=1, max_uploads_per_person=1, reserved_part=0)
    first, second = HeldBody(full, GUEST), HeldBody(full, GUEST)
    assert first.resize(SMALL_BYTES + 1) is None
    assert second.resize(SMALL_BYTES) is None
    assert isinstance(second.resize(SMALL_BYTES + 1), TooManyRequestsError)
    first.close()
    assert second.resize(SMALL_BYTES + 1) is None


async def test_a_body_counts_once_however_it_arrives() -> None:
    counted = room(max_upload_bytes_per_person=2 * MB)
    body = HeldBody(counted, GUEST)
    assert body.announce(MB) is None
    for size in (1_000, 100_000, 500_000, MB):
        assert body.resize(size) is None
    assert (counted.uploads.held, counted.bytes.held) == (1, MB)
    body.close()
    body.close()
    assert (counted.uploads.held, counted.bytes.held) == (0, 0)


async def test_bytes_of_others_are_busy_and_own_ones_too_many() -> None:
    shared = room(max_upload_bytes=4 * MB, max_upload_bytes_per_person=2 * MB, reserved_part=0.25)
    bodies = [HeldBody(shared, Claimant(name)) for name in ("a", "b", "c")]
    assert [body.resize(MB) for body in bodies] == [None, None, None]
    assert isinstance(HeldBody(shared, GUEST).resize(MB), BusyError)
    assert isinstance(bodies[0].resize(2 * MB + 1), TooManyRequestsError)
    assert HeldBody(shared, OWNER).resize(MB) is None


async def test_one_body_of_the_largest_size_always_fits() -> None:
    narrow = room(max_upload_bytes=1024, max_upload_bytes_per_person=1024, reserved_part=0)
    assert HeldBody(narrow, GUEST).resize(MB) is None


async def test_memory_is_given_back_after_large_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    real = uploads.return_freed_memory

    def noted() -> None:
        real()
        calls.append(threading.current_thread().name)
        loop.call_soon_threadsafe(done.set)

    monkeypatch.setattr(uploads, "_TIDY_AFTER_S", 0.0)
    monkeypatch.setattr(uploads, "return_freed_memory", noted)
    shared = room(max_body_bytes=4 * MB)
    for size in (SMALL_BYTES, SPOOL_BYTES, SPOOL_BYTES + 1, 3 * MB):
        body = HeldBody(shared, GUEST)
        assert body.resize(size) is None
        body.close()
    await asyncio.wait_for(done.wait(), PATIENCE_S)
    assert len(calls) == 1, "once for all of them"
    assert calls != [threading.main_thread().name]
