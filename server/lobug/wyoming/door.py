"""The port of the Wyoming door: who is let in, and how many."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from wyoming.error import Error
from wyoming.event import async_write_event

from lobug.access.addresses import Network, is_within, parse_address, source_of
from lobug.errors import TooManyConnectionsError
from lobug.server import LobugServer
from lobug.turn.slots import AudioJobs
from lobug.wyoming.connection import Connection

log = logging.getLogger(__name__)

_MOST_REFUSALS_LOGGED = 64
"""Most refused addresses that are logged: anybody may knock."""


class WyomingDoor:
    """Listens for Wyoming clients. ``start`` first, ``close`` last; neither raises."""

    def __init__(self, server: LobugServer, jobs: AudioJobs) -> None:
        self._server = server
        self._settings = server.settings.wyoming
        self._jobs = jobs
        self._listener: asyncio.Server | None = None
        self.connections: set[asyncio.Task[None]] = set()
        """Those that are open."""
        self._refused: set[str] = set()
        self.fault: str | None = None
        """Why it does not listen although it should, a sentence; None: it does, or is off."""

    @property
    def port(self) -> int | None:
        """Where it listens; None: nowhere."""
        if self._listener is None:
            return None
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    @property
    def networks(self) -> Sequence[Network]:
        """Who may use it."""
        return self._settings.allowed_networks

    @property
    def is_local(self) -> bool:
        """Whether only this computer may use it."""
        return all(network.is_loopback for network in self.networks)

    async def start(self) -> None:
        """Listen, where the settings say so."""
        if not self._settings.enabled:
            return
        host, port = self._server.settings.host, self._settings.port
        try:
            self._listener = await asyncio.start_server(
                self._accept, host, port, limit=self._settings.max_message_bytes
            )
        except OSError as error:
            self.fault = (
                f"cannot listen on {host}:{port}: {error.strerror or error}; LOBUG_WYOMING__PORT"
                " chooses another port"
            )
            log.error("wyoming: %s", self.fault)  # noqa: TRY400 - the sentence says all
            return
        networks = ", ".join(map(str, self.networks)) or "nobody"
        log.info("wyoming: listening on port %s for %s", self.port, networks)

    async def close(self) -> None:
        """End all connections and stop listening."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.close()
        connections = tuple(self.connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("peername")
        address = str(parse_address(peer[0] if peer else None))
        metrics = self._server.telemetry.metrics
        if not is_within(address, self.networks):
            # Without a word: whoever is not meant need not know what listens here.
            writer.transport.abort()
            metrics.wyoming_refused("network")
            self._tell_refused(address)
            return
        full = len(self.connections) >= self._settings.max_connections
        if full:
            metrics.wyoming_refused("too_many")
        work = _refuse(writer) if full else self._serve(reader, writer, address)
        task = asyncio.create_task(work)
        self.connections.add(task)
        task.add_done_callback(self.connections.discard)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str
    ) -> None:
        connection = Connection(self._server, self._jobs, (reader, writer), address)
        try:
            with self._server.telemetry.metrics.wyoming_connection():
                await connection.run()
        except Exception:
            # A fault of this program; the others go on.
            log.exception("a Wyoming connection failed unexpectedly")

    def _tell_refused(self, address: str) -> None:
        source = source_of(address)
        if source not in self._refused and len(self._refused) < _MOST_REFUSALS_LOGGED:
            self._refused.add(source)
            log.warning(
                "wyoming: refused a connection from %s, which is in none of"
                " LOBUG_WYOMING__ALLOWED_NETWORKS",
                address,
            )


async def _refuse(writer: asyncio.StreamWriter) -> None:
    error = TooManyConnectionsError("there are wyoming.max_connections already")
    with suppress(OSError):
        await async_write_event(Error(error.spoken, error.code).event(), writer)
    writer.close()
