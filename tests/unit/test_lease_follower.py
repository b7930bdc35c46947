"""What a server does when another one has, or had, the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lobug.errors import StorageError, StorageHeldError
from lobug.storage.lease_follower import LeaseFollower

AWAY = StorageError("PostgreSQL is away")
HELD = StorageHeldError("another server has it")


class FakeLease:
    """A lease whose state a test sets."""

    def __init__(self) -> None:
        self.lasts_s = self.left_s = 600.0
        self.fault: StorageError | None = None
        self.times_taken = 1
        self.changed: Callable[[], None] = lambda: None
        self.closed = False

    def start(self) -> None:
        """Nothing: it is taken."""

    def close(self) -> None:
        self.closed = True

    def become(self, fault: StorageError | None, times_taken: int = 1) -> None:
        self.fault, self.times_taken = fault, times_taken
        self.changed()


class Home:
    """What a follower is to do, noted."""

    def __init__(self, lease: FakeLease, *, fails: bool = False) -> None:
        self.done = list[str]()
        self.fails = fails
        self.looked = asyncio.Semaphore(0)
        self.sent_away = asyncio.Event()
        self.follower = LeaseFollower(
            lease,  # type: ignore[arg-type]  # the part of it that is used
            give_up=self.give_up,
            look_again=self.look_again,
            send_away=self.send_away,
        )

    async def give_up(self) -> None:
        self.done.append("give up")
        if self.fails:
            raise StorageError("it does not close")

    def look_again(self) -> None:
        self.done.append("look again")
        self.looked.release()

    def send_away(self) -> None:
        self.done.append("send away")
        self.sent_away.set()

    async def start(self) -> None:
        await self.follower.start()
        await self.looked.acquire()
        assert self.done.pop() == "look again"

    async def after(self, become: Callable[[], None]) -> list[str]:
        """What it does when the lease changes."""
        self.done.clear()
        become()
        await self.looked.acquire()
        return self.done


GIVES_UP = ["send away", "give up", "look again"]


@pytest.mark.parametrize("fails", [False, True])
async def test_what_was_read_is_given_up_when_another_has_it(*, fails: bool) -> None:
    lease = FakeLease()
    home = Home(lease, fails=fails)
    await home.start()
    assert await home.after(lambda: lease.become(HELD)) == GIVES_UP
    # Whatever it had before: first PostgreSQL was away, then somebody else was quicker.
    assert await home.after(lambda: lease.become(AWAY)) == ["look again"]
    assert await home.after(lambda: lease.become(HELD)) == GIVES_UP
    await home.follower.close()
    assert lease.closed


async def test_nothing_is_given_up_when_postgresql_was_away_and_nobody_had_it() -> None:
    lease = FakeLease()
    home = Home(lease)
    await home.start()
    assert await home.after(lambda: lease.become(AWAY)) == ["look again"]
    assert await home.after(lambda: lease.become(None)) == ["look again"]
    await home.follower.close()


async def test_what_was_read_is_given_up_when_another_had_it_unseen() -> None:
    lease = FakeLease()
    home = Home(lease)
    await home.start()
    assert await home.after(lambda: lease.become(None, times_taken=2)) == GIVES_UP
    assert await home.after(lambda: lease.become(None, times_taken=2)) == ["look again"]
    await home.follower.close()


async def test_devices_leave_a_server_that_could_not_renew_for_as_long_as_a_takeover_takes() -> (
    None
):
    lease = FakeLease()
    home = Home(lease)
    await home.start()
    lease.left_s = 0.01
    assert await home.after(lambda: lease.become(AWAY)) == ["look again"]
    for _ in range(2):
        lease.left_s, lease.lasts_s = 0.0, 0.01
        async with asyncio.timeout(60):
            await home.sent_away.wait()
        home.sent_away.clear()
        lease.left_s = 0.01
        assert await home.after(lambda: lease.become(None)) == ["look again"]
    await home.follower.close()


async def test_devices_leave_it_though_it_has_not_heard_of_a_fault_yet() -> None:
    """It waits for PostgreSQL, and that is silent."""
    lease = FakeLease()
    lease.left_s = lease.lasts_s = 0.01
    home = Home(lease)
    await home.start()
    assert home.done == []
    lease.left_s = -1.0
    async with asyncio.timeout(60):
        await home.sent_away.wait()
    assert home.done == ["send away"]
    await home.follower.close()
