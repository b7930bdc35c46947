"""A server of tools that is a program started here: JSON-RPC messages over its standard streams.

Each message is one line. The SDK's own transport (``mcp.client.stdio``) holds a line of any length
in memory; this one ends a program whose line is too long.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Longest line of a program; as much again may wait unread."""
GRACE_S = 2.0
"""Seconds in which a program may end by itself after its input was closed, and again after it was
asked to."""
_POLL_S = 0.02
_CHUNK_BYTES = 64 * 1024

log = logging.getLogger(__name__)


class LineTooLongError(Exception):
    """A program wrote more than ``MAX_LINE_BYTES`` without the end of a line."""


class McpProgram:
    """A program that runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process needs pipes")
        self._input = process.stdin
        self._output = process.stdout

    async def send(self, payload: Mapping[str, Any]) -> None:
        """Write a message. Raises OSError when the program does not read any more."""
        self._input.write(json.dumps(dict(payload)).encode() + b"\n")
        await self._input.drain()

    async def messages(self) -> AsyncIterator[Any]:
        """What the program writes, until it closes its output; lines that are no JSON are left
        out. Raises LineTooLongError."""
        while True:
            try:
                line = await self._output.readuntil(b"\n")
            except asyncio.IncompleteReadError:
                return
            except asyncio.LimitOverrunError as error:
                raise LineTooLongError from error
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                log.debug("an MCP server wrote a line that is no JSON")
                continue
            finally:
                await asyncio.sleep(0)  # a flood of short lines leaves time for the others
            yield message

    async def stop(self) -> None:
        """End the program and whatever it has started, in its own way if it does so in time."""
        reading = asyncio.create_task(self._discard())
        try:
            self._input.close()
            if not await self._has_ended():
                self._signal(signal.SIGTERM)
                await self._has_ended()
        finally:
            if self._process.returncode is None:
                self._signal(signal.SIGKILL)
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        await self._has_ended()

    async def _discard(self) -> None:
        """Read what is still written: a program that waits for that cannot end."""
        with suppress(OSError):
            while await self._output.read(_CHUNK_BYTES):
                pass

    async def _has_ended(self) -> bool:
        # ``Process.wait`` also waits for children that hold the pipes.
        for _ in range(int(GRACE_S / _POLL_S)):
            if self._process.returncode is not None:
                return True
            await asyncio.sleep(_POLL_S)
        return False

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


@asynccontextmanager
async def run_program(command: Sequence[str], env: Mapping[str, str]) -> AsyncIterator[McpProgram]:
    """Run a program while the context lasts.

    Of this process's environment variables it gets only those that the SDK calls safe, and ``env``.
    What it writes to standard error may hold anything and is dropped. Raises OSError.
    """
    from mcp.client.stdio import get_default_environment  # noqa: PLC0415 - slow to import

    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=get_default_environment() | dict(env),
        start_new_session=True,
        limit=MAX_LINE_BYTES,
    )
    program = McpProgram(process)
    try:
        yield program
    finally:
        await program.stop()
