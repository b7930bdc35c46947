"""Which connections stay open: the ledger alone, and one connection's deadlines."""

from __future__ import annotations

import asyncio
import errno
import logging
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lobug.access.callers import Caller
from lobug.admission.connections import LOG_EVERY_S, SHED_EVERY_S, AcceptFaults, Admission
from lobug.admission.ledger import (
    ACCEPT_STEPS,
    FAMILIAR_FOR_S,
    LOOPBACK,
    MAX_FAMILIAR,
    Capacity,
    ConnectionLedger,
    WaitingPool,
    capacity_for,
)
from lobug.errors import TooManyConnectionsError
from lobug.settings.conversation import LimitSettings
from support.patience import PATIENCE_S

SMALL = Capacity(
    strangers=6,
    familiar=5,
    loopback=4,
    per_address=3,
    known=8,
    reserved=2,
    per_caller=4,
    accepts_at_once=2,
)
POOLS: dict[WaitingPool, int] = {"stranger": 6, "familiar": 5, "loopback": 4}


def ledger_with(*sources: str, capacity: Capacity = SMALL) -> ConnectionLedger:
    """Connections 1, 2, ... from these."""
    ledger = ConnectionLedger(capacity)
    for number, source in enumerate(sources, 1):
        assert ledger.open(number, source, 0.0) == []
    return ledger


def test_a_fourth_connection_of_an_address_replaces_its_oldest() -> None:
    ledger = ledger_with("a", "b", "a", "a")
    assert ledger.open(5, "a", 0.0) == [1]
    assert ledger.open(6, "a", 0.0) == [3]
    assert ledger.waiting("stranger") == 4


def test_in_a_full_pool_the_address_with_the_most_loses_its_oldest() -> None:
    ledger = ledger_with("a", "b", "b", "c", "c", "c")
    assert ledger.open(7, "d", 0.0) == [4]
    assert ledger.open(8, "e", 0.0) == [2], "of b and c, the one that came first"


def test_loopback_is_not_touched_by_strangers_nor_strangers_by_loopback() -> None:
    ledger = ledger_with("a", "a", "a", "b", "b", "b", LOOPBACK, LOOPBACK, LOOPBACK, LOOPBACK)
    assert ledger.open(11, "c", 0.0) == [1]
    assert ledger.open(12, LOOPBACK, 0.0) == [7]


def test_an_address_stays_familiar_for_a_day() -> None:
    ledger = ledger_with("device")
    assert ledger.recognize(1, "token", now=0.0, token=True)
    ledger.close(1)
    ledger.open(2, "device", FAMILIAR_FOR_S - 1)
    assert (ledger.waiting("familiar"), ledger.waiting("stranger")) == (1, 0)
    ledger.open(3, "device", FAMILIAR_FOR_S)
    assert (ledger.waiting("familiar"), ledger.waiting("stranger")) == (1, 1)


def test_of_familiar_addresses_the_one_that_was_silent_longest_is_forgotten() -> None:
    ledger = ConnectionLedger(SMALL)
    for number in range(MAX_FAMILIAR + 1):
        ledger.open(number, str(number), 0.0)
        assert ledger.recognize(number, "token", now=0.0, token=True)
        ledger.close(number)
    for number, source in enumerate(("0", "1"), MAX_FAMILIAR + 1):
        ledger.open(number, source, 0.0)
    assert (ledger.waiting("familiar"), ledger.waiting("stranger")) == (1, 1)


def test_the_owner_and_paired_devices_have_room_where_others_have_none() -> None:
    ledger = ledger_with(*"aabbccdde", capacity=capacity_of(per_caller=100, strangers=50))
    for number in range(1, 7):
        assert ledger.recognize(number, f"guest {number % 2}", now=0.0)
    assert not ledger.recognize(7, "guest", now=0.0)
    assert ledger.recognize(7, "device", now=0.0, reserved=True)
    assert ledger.recognize(8, "owner", now=0.0, reserved=True)
    assert not ledger.recognize(9, "owner", now=0.0, reserved=True)
    assert (ledger.known, ledger.waiting("stranger")) == (8, 1)


def test_a_caller_has_so_many_connections_and_the_owner_here_any_number() -> None:
    ledger = ledger_with("a", "a", "a", "b", "b", "b")
    assert [ledger.recognize(n, "token", now=0.0) for n in range(1, 6)] == [True] * 4 + [False]
    here = ledger_with(*[LOOPBACK] * 4)
    here.open(5, LOOPBACK, 0.0)
    for number in (2, 3, 4, 5):
        assert here.recognize(number, LOOPBACK, now=0.0, reserved=True)
    here.open(6, LOOPBACK, 0.0)
    assert here.recognize(6, LOOPBACK, now=0.0, reserved=True)


def test_a_connection_whose_next_request_shows_nothing_waits_again() -> None:
    ledger = ledger_with("a")
    assert ledger.recognize(1, "token", now=0.0)
    assert ledger.disown(1, 0.0) == []
    assert (ledger.known, ledger.waiting("stranger")) == (0, 1)
    assert ledger.disown(1, 0.0) == []
    assert ledger.waiting("stranger") == 1


def test_for_want_of_descriptors_strangers_go_first_and_loopback_never() -> None:
    ledger = ledger_with("device", LOOPBACK)
    assert ledger.recognize(1, "token", now=0.0, token=True)
    ledger.open(3, "device", 0.0)
    ledger.open(4, "a", 0.0)
    assert ledger.shed(1) == [4]
    assert ledger.shed(9) == [3]
    assert (ledger.known, ledger.waiting("loopback")) == (1, 1)


def capacity_of(**changes: int) -> Capacity:
    return Capacity(
        **{name: changes.get(name, getattr(SMALL, name)) for name in Capacity.__slots__}
    )


@given(st.lists(st.sampled_from("abcdefgh"), max_size=80))
def test_who_has_the_most_makes_room(sources: list[str]) -> None:
    ledger = ConnectionLedger(SMALL)
    open_by_source: dict[str, list[int]] = {source: [] for source in sources}
    for number, source in enumerate(sources):
        open_by_source[source].append(number)
        sizes = {each: len(numbers) for each, numbers in open_by_source.items()}
        for victim in ledger.open(number, source, 0.0):
            loser = next(each for each, numbers in open_by_source.items() if victim in numbers)
            assert open_by_source[loser].pop(0) == victim, "its oldest"
            assert sizes[loser] == max(sizes.values())
            assert victim != number


class LedgerMachine(RuleBasedStateMachine):
    """Any order of events: nothing is counted twice, lost, or too many."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = ConnectionLedger(SMALL)
        self.alive: list[int] = []
        self.source: dict[int, str] = {}
        self.caller: dict[int, str] = {}
        self.number = 0
        self.now = 0.0

    def gone(self, victims: list[int]) -> None:
        assert not set(victims) & set(self.caller), "who is known is closed for nobody"
        assert len(set(victims)) == len(victims)
        for victim in victims:
            self.alive.remove(victim)
            self.ledger.close(victim)

    @rule(source=st.sampled_from(["a", "b", "c", "d", "e", "f", "g", LOOPBACK]))
    def open(self, source: str) -> None:
        self.number += 1
        self.alive.append(self.number)
        self.source[self.number] = source
        victims = self.ledger.open(self.number, source, self.now)
        assert len(victims) <= 1
        assert self.number not in victims, "whoever comes gets in"
        self.gone(victims)

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), caller=st.sampled_from(["x", "y", "z"]), reserved=st.booleans())
    def recognize(self, data: st.DataObject, caller: str, reserved: bool) -> None:
        number = data.draw(st.sampled_from(self.alive))
        if self.ledger.recognize(
            number, caller, now=self.now, reserved=reserved, token=data.draw(st.booleans())
        ):
            self.caller[number] = caller
        elif self.caller.get(number) is not None:
            assert self.caller[number] != caller
            self.gone(self._disowned(number))

    def _disowned(self, number: int) -> list[int]:
        self.caller.pop(number, None)
        return self.ledger.disown(number, self.now)

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def disown(self, data: st.DataObject) -> None:
        self.gone(self._disowned(data.draw(st.sampled_from(self.alive))))

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.alive))
        self.alive.remove(number)
        self.caller.pop(number, None)
        self.ledger.close(number)

    @rule(count=st.integers(0, 4))
    def shed(self, count: int) -> None:
        victims = self.ledger.shed(count)
        assert len(victims) <= count
        self.gone(victims)

    @rule(seconds=st.floats(0, FAMILIAR_FOR_S))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def everything_is_counted_once(self) -> None:
        waiting = {pool: self.ledger.waiting(pool) for pool in POOLS}
        assert all(waiting[pool] <= size for pool, size in POOLS.items())
        assert sum(waiting.values()) + self.ledger.known == len(self.alive)
        assert self.ledger.known == len(self.caller) <= SMALL.known
        for caller in set(self.caller.values()):
            assert list(self.caller.values()).count(caller) <= SMALL.per_caller

    @invariant()
    def no_address_has_more_than_its_share(self) -> None:
        waiting = [self.source[n] for n in self.alive if n not in self.caller]
        for source in set(waiting) - {LOOPBACK}:
            # It may have become familiar between: then it has a share in either pool.
            assert waiting.count(source) <= 2 * SMALL.per_address

    def teardown(self) -> None:
        for number in self.alive:
            self.ledger.close(number)
        assert self.ledger.known == 0
        assert all(self.ledger.waiting(pool) == 0 for pool in POOLS)


LedgerMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=50, deadline=None)
TestLedger = LedgerMachine.TestCase


@given(st.integers(64, 1_000_000), st.integers(2, 10_000), st.integers(1, 10_000))
def test_all_connections_fit_into_the_descriptors(
    descriptors: int, unknown: int, per_address: int
) -> None:
    limits = LimitSettings(max_unknown_connections=unknown, max_unknown_per_address=per_address)
    room = capacity_for(descriptors, limits)
    connections = room.strangers + room.familiar + room.loopback + room.known
    in_flight = room.accepts_at_once * ACCEPT_STEPS
    assert connections + in_flight + min(256, descriptors // 2) <= descriptors
    assert room.per_address <= room.strangers <= max(2, unknown)
    assert room.reserved < room.known


@given(st.integers(0, 64))
def test_with_hardly_any_descriptors_somebody_still_gets_in(descriptors: int) -> None:
    room = capacity_for(descriptors, LimitSettings())
    assert min(room.strangers, room.familiar, room.loopback, room.known) >= 2
    assert room.accepts_at_once >= 1


# ---- one connection


class FakeTransport(asyncio.Transport):
    """A transport that holds as many unsent bytes as it is told."""

    def __init__(self, unsent: list[int], address: str = "192.168.1.7") -> None:
        super().__init__({"peername": (address, 50_000)})
        self.unsent = unsent
        """What ``get_write_buffer_size`` answers, one after the other; the last one stays."""
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def get_write_buffer_size(self) -> int:
        return self.unsent.pop(0) if len(self.unsent) > 1 else self.unsent[0]

    def is_closing(self) -> bool:
        return self.ended.done()

    def close(self) -> None:
        if not self.ended.done():
            self.ended.set_result("closed")

    def abort(self) -> None:
        if not self.ended.done():
            self.ended.set_result("aborted")


class Clock:
    """Seconds, as a test sets them."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


DEVICE = Caller("device", "device:aa", device_id="aa", token_hash="d" * 64)


def admission(clock: Clock | None = None, **limits: Any) -> Admission:
    prompt = {"headers_timeout_s": 0.01, "body_timeout_s": 0.01}
    settings = LimitSettings.model_validate(prompt | limits)
    return Admission(SMALL, settings, clock=clock or Clock())


async def ending(transport: FakeTransport) -> str:
    async with asyncio.timeout(PATIENCE_S):
        return await transport.ended


async def test_without_a_request_it_is_closed_after_a_word() -> None:
    told: list[str] = []
    transport = FakeTransport([0])
    admission().open(transport, lambda: told.append("too slow"))
    assert (await ending(transport), told) == ("closed", ["too slow"])


async def test_a_known_caller_may_take_its_last_answer_slowly() -> None:
    unsent = [0, 900, 600, 600, 300, 300, 1, 1, 0]
    transport = FakeTransport(unsent)
    connection = admission().open(transport)
    connection.recognize(DEVICE)
    connection.await_request()
    assert await ending(transport) == "closed"
    assert unsent == [0], "not before all of it was taken"


@pytest.mark.parametrize("known", [True, False])
async def test_whoever_takes_nothing_of_it_is_cut_off(known: bool) -> None:
    transport = FakeTransport([900])
    connection = admission().open(transport)
    if known:
        connection.recognize(DEVICE)
        connection.await_request()
    assert await ending(transport) == "aborted"


async def test_a_stranger_is_cut_off_however_much_it_takes() -> None:
    transport = FakeTransport([0, 900, 600, 300])
    connection = admission().open(transport)
    connection.disown()
    assert await ending(transport) == "aborted"


async def test_a_known_callers_request_has_no_deadline_here() -> None:
    transport = FakeTransport([0])
    stranger = FakeTransport([0], "192.168.1.8")
    gate = admission()
    gate.open(transport).recognize(DEVICE)
    gate.open(stranger).disown()
    await ending(stranger)
    assert not transport.ended.done()


async def test_a_websocket_that_is_over_has_to_close() -> None:
    transport = FakeTransport([900])
    connection = admission().open(transport)
    connection.recognize(DEVICE)
    connection.end()
    assert await ending(transport) == "aborted"


async def test_a_lost_connection_sets_no_deadline_and_is_counted_no_more() -> None:
    transport = FakeTransport([0])
    gate = admission()
    connection = gate.open(transport)
    connection.recognize(DEVICE)
    assert (len(gate), gate.ledger.known) == (1, 1)
    connection.lost()
    assert (len(gate), gate.ledger.known) == (0, 0)
    other = FakeTransport([0], "192.168.1.8")
    connection.disown()  # its request had not noticed yet
    connection.await_request()
    gate.open(other)
    await ending(other)
    assert not transport.ended.done()


async def test_too_many_of_one_token_are_refused_and_wait_as_strangers() -> None:
    gate = admission()
    for _ in range(SMALL.per_caller):
        gate.open(FakeTransport([0])).recognize(DEVICE)
    with pytest.raises(TooManyConnectionsError):
        gate.open(FakeTransport([0])).recognize(DEVICE)
    assert gate.ledger.known == SMALL.per_caller


async def test_addresses_of_ipv6_are_counted_by_their_network() -> None:
    gate = admission()
    crowd = [FakeTransport([0], f"2001:db8::{n:x}%eth0") for n in range(1, 20)]
    for transport in crowd:
        gate.open(transport)
    assert gate.ledger.waiting("stranger") == SMALL.per_address
    here = FakeTransport([0], "::ffff:127.0.0.1")
    gate.open(here)
    assert gate.ledger.waiting("loopback") == 1


async def test_a_server_that_stops_waits_for_no_new_connection() -> None:
    gate = admission(headers_timeout_s=3_600)
    before, after = FakeTransport([0]), FakeTransport([0])
    gate.open(before)
    gate.stop()
    gate.open(after)
    assert await ending(after) == "aborted"
    assert not before.ended.done(), "those before it are uvicorn's to close"


# ---- the log


async def test_a_flood_is_a_line_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    gate = admission(clock)
    for _ in range(1_000):
        gate.open(FakeTransport([0]))
    clock.now = LOG_EVERY_S
    gate.open(FakeTransport([0]))
    said = [record.getMessage() for record in caplog.records]
    assert [line.split()[0] for line in said] == ["1", "997"]
    assert "the last one from 192.168.1.7" in said[1]


async def test_a_lack_of_descriptors_is_a_line_a_minute_and_makes_room(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    gate = admission(clock)
    strangers = [FakeTransport([0], f"192.168.1.{n}") for n in range(6)]
    for transport in strangers:
        gate.open(transport)
    handler, loop = AcceptFaults(gate), asyncio.get_running_loop()
    no_more = OSError(errno.EMFILE, "Too many open files")
    context = {"message": "socket.accept() ...", "exception": no_more, "socket": object()}
    caplog.clear()
    for _ in range(10_000):
        handler(loop, context)
    lines = [record for record in caplog.records if "no descriptor" in record.getMessage()]
    assert len(lines) == 1
    assert all(record.exc_info is None for record in caplog.records)
    assert gate.ledger.waiting("stranger") == 6 - 2 * SMALL.accepts_at_once
    clock.now = SHED_EVERY_S
    handler(loop, context)
    assert gate.ledger.waiting("stranger") == 0


async def test_other_faults_of_the_event_loop_are_logged_as_ever(
    caplog: pytest.LogCaptureFixture,
) -> None:
    handler = AcceptFaults(admission())
    with caplog.at_level(logging.ERROR, "asyncio"):
        handler(asyncio.get_running_loop(), {"message": "odd", "exception": ValueError("x")})
    assert [(r.name, r.getMessage()) for r in caplog.records] == [("asyncio", "odd")]


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "now"),
    [(256, 900, 600, 600), (256, 400, 600, 400), (500, 900, 300, 500)],
)
def test_the_soft_limit_is_raised_as_far_as_the_hard_one_allows(
    soft: int, hard: int, wanted: int, now: int
) -> None:
    program = (
        "import resource\n"
        "from lobug.admission.connections import raise_descriptor_limit\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        f"print(raise_descriptor_limit({wanted}), *resource.getrlimit(resource.RLIMIT_NOFILE))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(now), str(now), str(hard)]
