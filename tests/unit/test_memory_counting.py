"""When the counts of ``/health`` are made anew, and that none is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from lobug.errors import StorageError
from lobug.memory import counting
from lobug.memory.counting import Counting
from lobug.memory.statistics import Counted, Counter

T = TypeVar("T")
ENTRIES = {"facts": 3, "pending_tasks": 1}


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Database:
    """Reads when it is told to."""

    def __init__(self) -> None:
        self.reads: list[str] = []
        self.go_on = asyncio.Event()
        self.fault: StorageError | None = None

    async def read(self, work: Callable[[Any], T]) -> T:
        self.reads.append("read")
        return await self._read(work)

    async def aside(self, work: Callable[[Any], T]) -> T:
        self.reads.append("aside")
        return await self._read(work)

    async def _read(self, work: Callable[[Any], T]) -> T:
        found = work(None)
        await self.go_on.wait()
        if self.fault is not None:
            raise self.fault
        return found


class Kit:
    """A count that finds ten messages of Bob's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: list[str] = []
        self.clock = Clock()
        self.ends = 0

        def count_all(_connection: object, _index: object) -> Counted:
            self.counts.append("all")
            return Counted(ENTRIES, 10, frozenset(["bob"]))

        def count_entries(_connection: object, _index: object) -> Counted:
            self.counts.append("entries")
            return Counted(ENTRIES)

        monkeypatch.setattr(counting, "count_all", count_all)
        monkeypatch.setattr(counting, "count_entries", count_entries)
        monkeypatch.setattr(counting, "PATIENCE_S", 0.0)
        monkeypatch.setattr(counting, "DELAY_AFTER_FAILURE_S", 0.0)
        monkeypatch.setattr("lobug.memory.index.entry_index.current", lambda _connection: None)
        self.database = Database()
        self.counter = Counter()
        self.counting = Counting(
            self.database,  # type: ignore[arg-type]  # of all, it only reads
            self.counter,
            SimpleNamespace(model_id=lambda: None),  # type: ignore[arg-type]
            clock=self.clock,
            checkpoint=lambda _name: None,
        )

        def end() -> None:
            self.ends += 1

        self.counting.when_ended(end)

    async def finish(self) -> None:
        self.database.go_on.set()
        assert await self.counting.ended()
        await asyncio.sleep(0)
        self.database.go_on.clear()


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Kit:
    return Kit(monkeypatch)


async def test_turns_while_everything_is_counted_count(kit: Kit) -> None:
    kit.counter.count_turn("bob", messages=2, tasks=1)  # it is among what is found
    await kit.counting.opened()
    assert not kit.counter.stats.counted
    kit.counter.count_turn("ada", messages=2, tasks=1)
    await kit.finish()
    stats = kit.counter.stats
    assert stats.counted
    assert (stats.messages, stats.users, stats.facts, stats.pending_tasks) == (12, 2, 3, 2)
    assert kit.database.reads == ["aside"]


async def test_what_is_asked_for_while_counting_is_counted_after_it(kit: Kit) -> None:
    await kit.counting.everything()
    await kit.counting.everything()
    assert kit.counts == ["all"]
    assert kit.counting.pause_s(during_work=False) is None
    await kit.finish()
    assert kit.ends == 1
    await kit.counting.if_due(during_work=False)
    assert kit.counts == ["all", "all"]
    await kit.finish()
    assert not kit.counting.is_due


async def test_a_full_count_outlives_the_failure_of_another_one(kit: Kit) -> None:
    kit.counting.entries_changed = True
    await kit.counting.if_due(during_work=False)
    await kit.counting.everything()
    kit.database.fault = StorageError("gone")
    kit.database.go_on.set()
    with pytest.raises(StorageError):
        await kit.counting.ended()
    kit.database.fault = None
    kit.database.go_on.clear()
    while kit.counting.pause_s(during_work=False) is None:  # noqa: ASYNC110 - it rests
        await asyncio.sleep(0)
    await kit.counting.if_due(during_work=False)
    await kit.finish()
    assert kit.counts == ["entries", "all"]
    assert kit.counter.stats.messages == 10


async def test_a_failure_that_nobody_waits_for_is_followed_by_a_rest(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "DELAY_AFTER_FAILURE_S", 3_600.0)
    await kit.counting.everything()
    kit.database.fault = StorageError("too slow")
    kit.database.go_on.set()
    with pytest.raises(StorageError):
        await kit.counting.ended()
    await asyncio.sleep(0)
    assert kit.counting.is_due
    assert kit.counting.pause_s(during_work=False) is None
    assert kit.ends == 0
    await kit.counting.if_due(during_work=False)
    assert kit.counts == ["all"]


async def test_long_counting_is_followed_by_a_rest_but_for_what_is_asked_for(kit: Kit) -> None:
    kit.counting.entries_changed = True
    await kit.counting.if_due(during_work=False)
    kit.clock.now += 2.0
    await kit.finish()
    kit.counting.entries_changed = True
    assert kit.counting.pause_s(during_work=False) == 2.0 * counting.REST
    await kit.counting.everything()
    assert kit.counts == ["entries", "all"]
    await kit.counting.close()


async def test_short_counting_needs_no_connection_of_its_own(kit: Kit) -> None:
    for _ in range(2):
        await kit.counting.everything()
        await kit.finish()
    assert kit.database.reads == ["aside", "read"]


async def test_closing_breaks_it_off_without_a_word(
    kit: Kit, caplog: pytest.LogCaptureFixture
) -> None:
    await kit.counting.everything()
    await kit.counting.close()
    assert not await kit.counting.ended()
    assert caplog.records == []
