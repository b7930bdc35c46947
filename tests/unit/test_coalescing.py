"""Writes of one step of the event loop are joined, in order, and none is lost."""

from __future__ import annotations

import asyncio

from lobug.admission.protocols import CoalescingTransport


class Recording(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


async def test_what_one_step_writes_leaves_together() -> None:
    inner = Recording()
    transport = CoalescingTransport(inner, asyncio.get_running_loop())
    transport.write(b"one ")
    transport.write(b"two ")
    assert inner.written == []
    await asyncio.sleep(0)
    transport.write(b"three")
    await asyncio.sleep(0)
    assert inner.written == [b"one two ", b"three"]


async def test_closing_sends_what_waits_first() -> None:
    inner = Recording()
    transport = CoalescingTransport(inner, asyncio.get_running_loop())
    transport.write(b"goodbye")
    transport.close()
    assert inner.written == [b"goodbye"]
    assert inner.closed
    await asyncio.sleep(0)
    assert inner.written == [b"goodbye"]


async def test_an_aborted_connection_sends_nothing_more() -> None:
    inner = Recording()
    transport = CoalescingTransport(inner, asyncio.get_running_loop())
    transport.write(b"late")
    transport.abort()
    await asyncio.sleep(0)
    assert inner.written == []
