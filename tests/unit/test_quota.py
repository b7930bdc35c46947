"""Who may hold how much, and who comes next."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.errors import BusyError, TooManyRequestsError
from lobug.quota import (
    PRIVILEGED_IN_A_ROW,
    Claimant,
    Quota,
    QuotaLedger,
    Rotation,
)
from lobug.turn.slots import EngineSlots
from support.patience import PATIENCE_S

ADA = Claimant("ada", privileged=True)
DESK = Claimant("desk", privileged=True)
GUEST = Claimant("guest")
OTHER = Claimant("other")
EVERYBODY = (ADA, DESK, GUEST, OTHER, Claimant("ada"))


def taken(ledger: QuotaLedger, claimant: Claimant, tries: int) -> int:
    """How many of so many tries are let in."""
    count = 0
    for _ in range(tries):
        if ledger.refusal(claimant) is None:
            ledger.take(claimant)
            count += 1
    return count


def test_one_person_gets_its_share_and_leaves_the_rest() -> None:
    ledger = QuotaLedger(Quota(64, 8, 0.25), "turns")
    assert taken(ledger, GUEST, 200) == 8
    assert isinstance(ledger.refusal(GUEST), TooManyRequestsError)
    assert taken(ledger, OTHER, 200) == 8
    assert taken(ledger, ADA, 200) == 8
    assert ledger.held == 24


def test_guests_never_fill_what_is_reserved() -> None:
    ledger = QuotaLedger(Quota(64, 8, 0.25), "turns")
    crowd = sum(taken(ledger, Claimant(f"guest {n}"), 8) for n in range(50))
    assert crowd == 48
    assert isinstance(ledger.refusal(OTHER), BusyError)
    assert ledger.refusal(ADA) is None
    assert taken(ledger, ADA, 9) + taken(ledger, DESK, 9) == 16
    assert isinstance(ledger.refusal(Claimant("third", privileged=True)), BusyError)


def test_a_token_of_the_same_person_does_not_use_up_the_devices_share() -> None:
    ledger = QuotaLedger(Quota(64, 8, 0.25), "turns")
    assert taken(ledger, Claimant("ada"), 20) == 8
    assert taken(ledger, ADA, 20) == 8


@pytest.mark.parametrize(("total", "guests"), [(0, 0), (1, 1), (3, 3), (4, 3), (64, 48)])
def test_a_short_queue_reserves_no_more_than_its_part(total: int, guests: int) -> None:
    assert Quota(total, 8, 0.25).for_guests == guests
    assert Quota(total, 8, 0.0).for_guests == total
    assert Quota(total, 8, 1.0).for_guests == 0


@given(
    st.lists(st.tuples(st.sampled_from(EVERYBODY), st.booleans()), max_size=80),
    st.integers(0, 12),
    st.integers(1, 6),
    st.floats(0, 1),
)
def test_no_quota_is_ever_passed(
    steps: list[tuple[Claimant, bool]], total: int, per_person: int, reserved: float
) -> None:
    quota = Quota(total, per_person, reserved)
    ledger = QuotaLedger(quota, "things")
    held: list[Claimant] = []
    for claimant, coming in steps:
        if not coming and claimant in held:
            held.remove(claimant)
            ledger.give_back(claimant)
        elif coming and ledger.refusal(claimant) is None:
            held.append(claimant)
            ledger.take(claimant)
        assert ledger.held == len(held) <= total
        assert all(held.count(each) <= per_person for each in EVERYBODY)
        assert sum(not each.privileged for each in held) <= quota.for_guests


def drained(rotation: Rotation[str]) -> list[str]:
    found = []
    while (waiter := rotation.pop()) is not None:
        found.append(waiter)
    return found


def test_people_take_turns() -> None:
    rotation: Rotation[str] = Rotation()
    for number in range(5):
        rotation.join(GUEST, f"g{number}")
    rotation.join(OTHER, "o0")
    rotation.join(OTHER, "o1")
    assert drained(rotation) == ["g0", "o0", "g1", "o1", "g2", "g3", "g4"]


def test_a_device_comes_before_a_hundred_requests_of_a_guest() -> None:
    rotation: Rotation[str] = Rotation()
    for number in range(100):
        rotation.join(GUEST, f"g{number}")
    rotation.join(DESK, "device")
    rotation.join(ADA, "owner")
    assert drained(rotation)[:3] == ["device", "owner", "g0"]


def test_many_devices_do_not_shut_out_a_guest() -> None:
    rotation: Rotation[str] = Rotation()
    for number in range(9):
        rotation.join(Claimant(f"device {number}", privileged=True), "d")
    rotation.join(GUEST, "g")
    rotation.join(OTHER, "o")
    order = drained(rotation)
    assert order[PRIVILEGED_IN_A_ROW] == "g"
    assert order[2 * PRIVILEGED_IN_A_ROW + 1] == "o"


def test_who_has_left_is_passed_over() -> None:
    rotation: Rotation[str] = Rotation()
    for name in ("a", "b", "c"):
        rotation.join(GUEST, name)
    rotation.leave(GUEST, "a")
    rotation.leave(GUEST, "a")
    rotation.leave(OTHER, "x")
    assert rotation.pop(lambda name: name != "b") == "c"
    assert rotation.pop() is None


@given(st.data(), st.integers(1, 3))
async def test_no_place_is_lost_or_given_twice(data: st.DataObject, count: int) -> None:
    """Whatever is cancelled, also in the moment in which it gets its place."""
    places = EngineSlots(count)
    inside: set[int] = set()
    doors: dict[int, asyncio.Event] = {}
    tasks: dict[int, asyncio.Task[None]] = {}

    async def work(number: int, claimant: Claimant) -> None:
        async with places.slot(claimant):
            inside.add(number)
            try:
                await doors[number].wait()
            finally:
                inside.discard(number)

    for number in range(data.draw(st.integers(1, 12))):
        doors[number] = asyncio.Event()
        claimant = data.draw(st.sampled_from(EVERYBODY))
        tasks[number] = asyncio.create_task(work(number, claimant))
        for other in data.draw(st.lists(st.sampled_from(sorted(tasks)), max_size=3)):
            if data.draw(st.booleans()):
                tasks[other].cancel()
            else:
                doors[other].set()
        for _ in range(data.draw(st.integers(0, 3))):
            await asyncio.sleep(0)
        assert len(inside) <= count
    for _ in range(5):
        await asyncio.sleep(0)
    unfinished = [task for task in tasks.values() if not task.done()]
    assert len(inside) == min(count, len(unfinished)), "a place is free while somebody waits"
    for door in doors.values():
        door.set()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    for _ in range(count):
        await asyncio.wait_for(places._acquire(GUEST), PATIENCE_S)
    assert places.locked()
