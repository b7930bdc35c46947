"""Devices and tokens on the real file: time, room, other programs, crashes, a file that is lost."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import threading
from pathlib import Path

import pytest

from lobug.access import store, tokens
from lobug.access.callers import Revoked
from lobug.access.records import Pairing
from lobug.access.rules import Credentials
from lobug.access.service import FILE, Access
from lobug.errors import (
    AccessFullError,
    AccessUnavailableError,
    DeviceUnknownError,
    LobugError,
    PairingCodeError,
    StorageBusyError,
    StorageNewerError,
    TokenInvalidError,
    TokenUnknownError,
    TooManyAttemptsError,
)
from lobug.settings import AccessSettings
from lobug.storage.driver import backups_of
from support.access_kit import THERE, Clock, opened
from support.database_place import place_of
from support.patience import PATIENCE_S
from support.programs import run

pytestmark = pytest.mark.usefixtures("each_database")


async def code_of(access: Access, device: str = "aa:bb", client: str = "mine") -> Pairing:
    found = await access.devices.discover(device, client, description="desk", address=THERE)
    assert found.token is None
    assert found.pairing is not None
    return found.pairing


async def token_of(access: Access, device: str = "aa:bb", client: str = "mine") -> str | None:
    found = await access.devices.discover(device, client, description="desk", address=THERE)
    assert found.pairing is None
    return found.token


async def paired(access: Access, device: str = "aa:bb") -> str:
    await access.devices.approve((await code_of(access, device)).code)
    token = await token_of(access, device)
    assert token is not None
    return token


def came_with(access: Access, token: str) -> str:
    """The key of who comes with the token, or the error's code."""
    try:
        return access.authenticate(Credentials(THERE, authorization=f"Bearer {token}")).key
    except LobugError as error:
        return error.code


async def test_a_token_is_given_until_it_is_used_and_never_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as access:
        lost = await paired(access)
        arrived = await token_of(access)
        assert arrived is not None
        assert came_with(access, lost) == "token_invalid"
        assert came_with(access, arrived) == "device:aa:bb"
        await access.check()
        assert await token_of(access) is None
        assert came_with(access, arrived) == "device:aa:bb"
    async with opened(tmp_path) as again:
        assert await token_of(again) is None
        assert came_with(again, arrived) == "device:aa:bb"


async def test_a_device_that_asks_while_its_first_use_is_being_written_keeps_its_token(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as access:
        token = await paired(access)
        assert came_with(access, token) == "device:aa:bb"
        noted, asked = await asyncio.gather(access.check(), token_of(access))
        assert (noted, asked) == (None, None)
        assert came_with(access, token) == "device:aa:bb"


async def test_a_device_that_was_wiped_is_approved_again_and_keeps_its_name(tmp_path: Path) -> None:
    async with opened(tmp_path) as access:
        heard: list[Revoked] = []
        access.when_revoked(heard.append)
        old = await paired(access)
        await access.devices.describe("AA:BB", name="Desk", user="ada")
        heard.clear()
        assert came_with(access, old) == "device:aa:bb"
        await access.check()
        code = (await code_of(access, client="new")).code
        assert came_with(access, old) == "device:aa:bb", "until the other one is approved"
        assert heard == []
        device = await access.devices.approve(code)
        assert (device.name, device.user, device.client_id) == ("Desk", "ada", "new")
        assert came_with(access, old) == "token_invalid"
        assert [gone.device_id for gone in heard] == ["aa:bb"]
        assert await token_of(access, client="new") is not None
        assert (await code_of(access, client="mine")).code


async def test_a_revoked_device_shows_a_code_again_with_and_without_pairing(tmp_path: Path) -> None:
    for pairing in (True, False):
        async with opened(tmp_path / str(pairing), pairing=pairing) as access:
            token = await paired(access) if pairing else await token_of(access)
            assert token is not None
            heard: list[Revoked] = []
            access.when_revoked(heard.append)
            caller = access.authenticate(Credentials(THERE, authorization=f"Bearer {token}"))
            assert access.still_valid(caller)
            await access.devices.revoke("AA:BB")
            assert not access.still_valid(caller)
            assert heard == [Revoked("device:aa:bb", "aa:bb", tokens.digest(token))]
            assert came_with(access, token) == "token_invalid"
            assert not access.devices.is_activated("aa:bb", "mine")
            await access.devices.approve((await code_of(access)).code)
            assert await token_of(access) is not None


async def test_a_code_expires(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock=clock, code_lifetime_s=60) as access:
        first = await code_of(access)
        clock.now += 59
        assert await code_of(access) == first, "the device shows it still"
        clock.now += 1
        assert access.devices.waiting() == []
        with pytest.raises(PairingCodeError):
            await access.devices.approve(first.code)
        second = await code_of(access)
        assert second.code != first.code
        assert second.challenge != first.challenge
        await access.devices.approve(second.code)
        with pytest.raises(PairingCodeError):
            await access.devices.approve(second.code)


async def test_waiting_devices_are_bounded_and_the_newest_stay(tmp_path: Path) -> None:
    async with opened(tmp_path, max_waiting_devices=3, codes_per_minute=100) as access:
        pairings = [await code_of(access, f"d{number}") for number in range(5)]
        assert access.devices.waiting() == pairings[2:]
        with pytest.raises(PairingCodeError):
            await access.devices.approve(pairings[0].code)


async def test_new_codes_are_limited_by_address_but_not_at_this_computer(tmp_path: Path) -> None:
    async with opened(tmp_path, codes_per_minute=2) as access:
        for name in ("d1", "d2"):
            await code_of(access, name)
        with pytest.raises(TooManyAttemptsError):
            await code_of(access, "d3")
        await code_of(access, "d1")  # the same code once more is nothing new
        for name in ("d4", "d5", "d6"):
            await access.devices.discover(
                name, "mine", description="", address="127.0.0.1", at_this_computer=True
            )
        await access.devices.discover("d7", "mine", description="", address="192.168.1.8")


async def test_wrong_codes_and_wrong_tokens_are_limited(tmp_path: Path) -> None:
    async with opened(tmp_path, attempts_per_minute=3) as access:
        token = await paired(access)
        code = (await code_of(access, "other")).code
        for _ in range(3):
            with pytest.raises(PairingCodeError):
                await access.devices.approve("no such code", address=THERE)
        with pytest.raises(TooManyAttemptsError):
            await access.devices.approve(code, address=THERE)
        wrong = [came_with(access, f"lobug_{number}") for number in range(5)]
        assert wrong == ["token_invalid"] * 3 + ["too_many_attempts"] * 2
        assert came_with(access, token) == "device:aa:bb", "who may talk is never locked out"
        for _ in range(5):
            with pytest.raises(TokenInvalidError):
                access.authenticate(Credentials("127.0.0.1", authorization="Bearer lobug_x"))


async def test_no_more_than_the_settings_allow(tmp_path: Path) -> None:
    async with opened(tmp_path, max_devices=1, pairing=False) as access:
        assert await token_of(access)
        with pytest.raises(AccessFullError):
            await token_of(access, "cc:dd")
        await access.tokens.create("one")
        with pytest.raises(AccessFullError):
            await access.tokens.create("two")


async def test_an_api_token_from_its_making_to_its_end(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock=clock) as access:
        heard: list[Revoked] = []
        access.when_revoked(heard.append)
        made, token = await access.tokens.create("laptop", user="ada", conversation="desk")
        clock.now += 5
        key = came_with(access, token)
        assert access.tokens.all()[0].last_used_at == clock.now
        await access.tokens.revoke(made.token_id)
        assert [gone.key for gone in heard] == [key]
        assert came_with(access, token) == "token_invalid"
        assert (await access.tokens.revoke(made.token_id)).revoked_at == clock.now
        with pytest.raises(TokenUnknownError):
            await access.tokens.revoke("nobody")
    async with opened(tmp_path) as again:
        (kept,) = again.tokens.all()
        assert (kept.last_used_at, kept.user, kept.owner) == (clock.now, "ada", False)


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_no_secret_is_in_the_file(tmp_path: Path) -> None:
    async with opened(tmp_path) as access:
        _, api = await access.tokens.create("laptop")
        device = await paired(access)
    content = everything_in(tmp_path)
    assert tokens.digest(device).encode() in content
    for token in (api, device):
        assert token.removeprefix("lobug_").encode() not in content


@pytest.mark.parametrize("device", ["cc:dd", "a b", ""])
async def test_a_device_that_nobody_knows(tmp_path: Path, device: str) -> None:
    async with opened(tmp_path) as access:
        with pytest.raises(DeviceUnknownError):
            await access.devices.revoke(device)
        with pytest.raises(DeviceUnknownError):
            await access.devices.describe(device, name="x")


async def test_what_another_program_revokes_counts_here(tmp_path: Path) -> None:
    async with opened(tmp_path, refresh_s=0.01) as access:
        gone = asyncio.Event()
        token = await paired(access)
        access.when_revoked(lambda _: gone.set())
        async with opened(tmp_path) as other:
            await other.devices.revoke("aa:bb")
        await asyncio.wait_for(gone.wait(), PATIENCE_S)
        assert came_with(access, token) == "token_invalid"


async def test_what_another_program_revokes_counts_here_even_if_it_could_not_be_read_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> None:
        raise StorageBusyError("the database is too busy")

    async with opened(tmp_path) as access:
        token = await paired(access)
        async with opened(tmp_path) as other:
            await other.devices.revoke("aa:bb")
        with monkeypatch.context() as patched:
            patched.setattr(access._store._database, "read", fail)
            with pytest.raises(StorageBusyError):
                await access.check()
        await access.check()
        assert came_with(access, token) == "token_invalid"


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_a_file_that_cannot_be_opened_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    async with opened(tmp_path) as access:
        assert access.fault() is not None
        here = Credentials("127.0.0.1", host="localhost")
        assert access.authenticate(here).owner
        assert came_with(access, "lobug_x") == "access_unavailable"
        with pytest.raises(AccessUnavailableError):
            access.devices.all()
        with pytest.raises(AccessUnavailableError):
            await code_of(access)
        (tmp_path / FILE).rmdir()
        await access.check()
        assert access.fault() is None
        assert came_with(access, await paired(access)) == "device:aa:bb"


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_a_damaged_file_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 1_000)
    async with opened(tmp_path) as access:
        assert "damaged" in str(access.fault())
    assert (tmp_path / FILE).read_bytes() == b"no database" * 1_000


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_a_file_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as file:
        file.execute("PRAGMA user_version = 99")
    async with opened(tmp_path) as access:
        assert isinstance(access.fault(), StorageNewerError)


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_a_further_step_backs_up_first_and_keeps_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as access:
        token = await paired(access)

    def add(connection: sqlite3.Connection, _user: str) -> None:
        connection.execute("CREATE TABLE later (x)")

    monkeypatch.setattr(store, "STEPS", (*store.STEPS, add))
    async with opened(tmp_path) as access:
        assert came_with(access, token) == "device:aa:bb"
    (backup,) = backups_of(tmp_path / FILE)
    with sqlite3.connect(backup) as file:
        assert file.execute("SELECT device_id FROM devices").fetchall() == [("aa:bb",)]


POINTS = ["migrate.before_commit"] + [
    f"{name}.{moment}"
    for name in ("give_code", "approve", "give_token", "seen", "revoke")
    for moment in ("before_commit", "after_commit")
]


@pytest.mark.parametrize("point", POINTS)
def test_what_was_promised_outlives_kill_9(tmp_path: Path, point: str) -> None:
    process = run(["support.access_child", str(tmp_path / FILE), point])
    assert process.returncode == -signal.SIGKILL, process.stderr
    said = dict(f"{line} ".split(" ", 1) for line in process.stdout.splitlines())
    asyncio.run(afterwards(tmp_path, point, {what: text.strip() for what, text in said.items()}))


async def afterwards(folder: Path, point: str, said: dict[str, str]) -> None:
    """What was acknowledged, or committed, is there."""
    async with opened(folder, clock=Clock(0.0)) as access:  # no code has expired yet
        if point == "revoke.after_commit":
            assert came_with(access, said["token"]) == "token_invalid"
            await code_of(access)
        elif "token" in said:
            assert came_with(access, said["token"]) == "device:aa:bb"
            if "used" in said or point == "seen.after_commit":
                assert await token_of(access) is None
        elif "approved" in said or point == "approve.after_commit":
            assert await token_of(access) is not None
        elif "code" in said:
            assert (await code_of(access)).code == said["code"]
        # However it ended: a device can be paired from here on.
        assert await paired(access, "cc:dd")


async def test_the_first_use_of_a_token_is_written_at_once(tmp_path: Path) -> None:
    written = threading.Event()
    access = Access(
        AccessSettings(),
        tmp_path / FILE,
        clock=Clock(),
        refresh_s=3600.0,
        checkpoint=lambda name: written.set() if name == "seen.after_commit" else None,
        place=place_of(tmp_path / FILE),
    )
    await access.start()
    try:
        assert came_with(access, await paired(access)) == "device:aa:bb"
        assert await asyncio.to_thread(written.wait, 20)
    finally:
        await access.close()


async def test_what_another_program_writes_is_read_even_if_it_is_opened_again(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as access, opened(tmp_path) as other:
        token = await paired(other)
        assert came_with(access, token) == "token_invalid"
        await access._store.open()
        await access.check()
        assert came_with(access, token) == "device:aa:bb"
