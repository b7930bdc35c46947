"""What others have written is new until it was read."""

from __future__ import annotations

import asyncio

import pytest

from lobug.storage.foreign_writes import ForeignWrites


class Counter:
    """How often others have written."""

    def __init__(self) -> None:
        self.writes = 0
        self.known = ForeignWrites(0)

    async def ask(self) -> int:
        await asyncio.sleep(0)
        return self.writes

    async def changed(self) -> bool:
        async with self.known.look(self.ask) as changed:
            return changed


async def test_it_is_new_once() -> None:
    counter = Counter()
    assert not await counter.changed()
    counter.writes += 1
    assert await counter.changed()
    assert not await counter.changed()


async def test_what_could_not_be_read_is_new_the_next_time() -> None:
    counter = Counter()
    counter.writes += 1
    with pytest.raises(OSError, match="busy"):
        async with counter.known.look(counter.ask):
            raise OSError("busy")

    async def read_for_ever() -> None:
        async with counter.known.look(counter.ask):
            await asyncio.Event().wait()

    reading = asyncio.ensure_future(read_for_ever())
    for _ in range(5):
        await asyncio.sleep(0)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert await counter.changed()
    assert not await counter.changed()


async def test_what_is_written_while_it_is_read_is_new_the_next_time() -> None:
    counter = Counter()
    counter.writes += 1
    async with counter.known.look(counter.ask):
        counter.writes += 1
    assert await counter.changed()
    assert not await counter.changed()


async def test_whoever_looks_while_it_is_read_goes_on_when_it_was() -> None:
    counter = Counter()
    counter.writes += 1
    async with counter.known.look(counter.ask):
        other = asyncio.ensure_future(counter.changed())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not other.done()
    assert not await other


async def test_what_was_found_before_it_was_opened_anew_is_not_known() -> None:
    counter = Counter()
    counter.writes += 1
    async with counter.known.look(counter.ask):
        counter.known.begin(0)
    assert await counter.changed()
