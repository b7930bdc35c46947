"""Browsers and invitations on the real file: time, room, other programs, crashes."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lobug.access import store, tokens
from lobug.access.browsers import KEPT_AFTER_END_S, MAX_WRONG_GUESSES
from lobug.access.callers import Revoked
from lobug.access.records import DAY_S
from lobug.access.rules import Credentials
from lobug.access.service import FILE, Access
from lobug.errors import (
    AccessFullError,
    AccessUnavailableError,
    InvitationUnknownError,
    LobugError,
    TooManyAttemptsError,
)
from lobug.settings import AccessSettings
from support.access_kit import THERE, Clock, opened
from support.database_place import place_of
from support.patience import PATIENCE_S
from support.programs import run

pytestmark = pytest.mark.usefixtures("each_database")


async def paired(access: Access, user: str = "ada") -> str:
    _, token = await access.browsers.pair((await access.browsers.invite(user)).code)
    return token


def came_with(access: Access, session: str) -> str:
    """The key of who comes with the session, or the error's code."""
    try:
        return access.authenticate(Credentials(THERE, session=session)).key
    except LobugError as error:
        return error.code


async def test_an_invitation_is_used_once_even_by_two_at_the_same_moment(tmp_path: Path) -> None:
    async with opened(tmp_path) as access:
        code = (await access.browsers.invite("ada")).code
        tried = await asyncio.gather(
            *(access.browsers.pair(code) for _ in range(4)), return_exceptions=True
        )
        assert len([one for one in tried if isinstance(one, tuple)]) == 1
        assert len([one for one in tried if isinstance(one, InvitationUnknownError)]) == 3
        assert len(access.browsers.all()) == 1


async def test_an_invitation_expires(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock=clock, code_lifetime_s=60) as access:
        code = (await access.browsers.invite("ada")).code
        clock.now += 60
        assert access.browsers.invitations() == []
        with pytest.raises(InvitationUnknownError):
            await access.browsers.pair(code)


async def test_wrong_codes_of_all_addresses_end_an_invitation(tmp_path: Path) -> None:
    async with opened(tmp_path) as access:
        code = (await access.browsers.invite("ada")).code
    for number in range(MAX_WRONG_GUESSES - 1):
        async with opened(tmp_path) as access:  # a restart forgets no guess
            with pytest.raises(InvitationUnknownError):
                await access.browsers.pair("no code", address=f"10.0.0.{number}")
    async with opened(tmp_path) as access:
        fresh = (await access.browsers.invite("bob")).code
        with pytest.raises(InvitationUnknownError):
            await access.browsers.pair("no code", address=THERE)
        with pytest.raises(InvitationUnknownError):
            await access.browsers.pair(code, address="10.0.1.1")
        browser, _ = await access.browsers.pair(fresh, address="10.0.1.1")
        assert browser.user == "bob", "a later one has its own count"


async def test_guesses_of_browsers_and_of_devices_are_counted_apart(tmp_path: Path) -> None:
    async with opened(tmp_path, attempts_per_minute=2) as access:
        for _ in range(2):
            with pytest.raises(InvitationUnknownError):
                await access.browsers.pair("no code", address=THERE)
        with pytest.raises(TooManyAttemptsError):
            await access.browsers.pair("no code", address=THERE)
        with pytest.raises(LobugError, match="no device is waiting"):
            await access.devices.approve("no code", address=THERE)


async def test_a_session_lasts_as_long_as_it_is_used(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock=clock, browser_days=10) as access:
        used, idle = await paired(access), await paired(access)
        for _ in range(3):
            clock.now += 9 * DAY_S
            assert came_with(access, used).startswith("browser:")
            await access.check()
        assert came_with(access, idle) == "token_invalid"
        first, _ = access.browsers.all()
        assert access.browsers.expires_at(first) == clock.now + 10 * DAY_S
    async with opened(tmp_path, clock=clock, browser_days=10) as again:
        clock.now += 10 * DAY_S - 1
        assert came_with(again, used).startswith("browser:")


async def test_uses_within_a_minute_are_written_once(tmp_path: Path) -> None:
    clock, written = Clock(), list[str]()
    access = Access(
        AccessSettings(),
        tmp_path / FILE,
        clock=clock,
        refresh_s=60,
        checkpoint=written.append,
        place=place_of(tmp_path / FILE),
    )
    await access.start()
    token = await paired(access)
    for _ in range(5):
        assert came_with(access, token).startswith("browser:")
        await access.check()
        clock.now += 11
    clock.now += 60
    came_with(access, token)
    await access.check()
    await access.close()
    assert written.count("seen.after_commit") == 2


async def test_browsers_have_their_room_and_the_oldest_are_forgotten(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock=clock, max_devices=2, max_waiting_devices=3) as access:
        first = await paired(access)
        await paired(access)
        code = (await access.browsers.invite("bob")).code
        with pytest.raises(AccessFullError):
            await access.browsers.pair(code)
        assert [one.code for one in access.browsers.invitations()] == [code], "it is not used up"
        browser, _ = await access.browsers.pair(code, replaces=first)
        assert browser.user == "bob"
        assert came_with(access, first) == "token_invalid"
        await access.browsers.revoke(browser.browser_id)
        with pytest.raises(AccessFullError):
            await paired(access)
        clock.now += KEPT_AFTER_END_S + 1
        assert browser.browser_id not in {one.browser_id for one in access.browsers.all()}
        await access.browsers.invite("ada")
        await paired(access)
        assert browser.browser_id not in {one.browser_id for one in access.browsers.all()}
        codes = [(await access.browsers.invite("ada")).code for _ in range(5)]
        assert [one.code for one in access.browsers.invitations()] == codes[2:]


async def test_what_another_program_does_counts_here(tmp_path: Path) -> None:
    async with opened(tmp_path, refresh_s=0.01) as access, opened(tmp_path) as other:
        gone = asyncio.Event()
        heard: list[Revoked] = []

        def hear(revoked: Revoked) -> None:
            heard.append(revoked)
            gone.set()

        access.when_revoked(hear)
        made = await other.browsers.invite("ada")
        browser, token = await access.browsers.pair(made.code)
        with pytest.raises(InvitationUnknownError):
            await other.browsers.pair(made.code)
        await other.check()
        assert came_with(other, token) == f"browser:{browser.browser_id}"
        await other.browsers.revoke(browser.browser_id)
        await asyncio.wait_for(gone.wait(), PATIENCE_S)
        assert heard == [Revoked(f"browser:{browser.browser_id}", None, tokens.digest(token))]
        assert came_with(access, token) == "token_invalid"


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    async with opened(tmp_path) as access:
        for what in (
            access.browsers.invite("ada"),
            access.browsers.pair("123456"),
            access.browsers.sign_in("ada"),
            access.browsers.revoke("x"),
        ):
            with pytest.raises(AccessUnavailableError):
                await what
        assert came_with(access, "x") == "access_unavailable"


async def test_a_file_of_an_older_program_gets_its_tables(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as file:
        for step in store.STEPS[:2]:
            step(file, "")
        file.execute("PRAGMA user_version = 2")
        file.commit()
    async with opened(tmp_path) as access:
        assert came_with(access, await paired(access)).startswith("browser:")


POINTS = [
    f"{name}.{moment}"
    for name in ("invite", "pair_browser", "revoke_browser")
    for moment in ("before_commit", "after_commit")
]


@pytest.mark.parametrize("point", POINTS)
def test_what_was_promised_outlives_kill_9(tmp_path: Path, point: str) -> None:
    process = run(["support.browser_child", str(tmp_path / FILE), point])
    assert process.returncode == -signal.SIGKILL, process.stderr
    said = dict(line.split() for line in process.stdout.splitlines())
    asyncio.run(afterwards(tmp_path, point, said))


async def afterwards(folder: Path, point: str, said: dict[str, str]) -> None:
    """What was acknowledged, or committed, is there."""
    async with opened(folder, clock=Clock(0.0)) as access:  # nothing has expired yet
        if point == "revoke_browser.after_commit":
            assert came_with(access, said["session"]) == "token_invalid"
        elif "session" in said:
            assert came_with(access, said["session"]).startswith("browser:")
        elif point == "pair_browser.after_commit":
            assert len(access.browsers.all()) == 1
            with pytest.raises(InvitationUnknownError):
                await access.browsers.pair(said["code"])
        elif "code" in said:
            await access.browsers.pair(said["code"])
        assert came_with(access, await paired(access)).startswith("browser:")
