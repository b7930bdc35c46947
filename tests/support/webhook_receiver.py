"""A receiver of webhooks on a real socket, which answers as a test says and checks signatures as
somebody else's program would."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from support.patience import PATIENCE_S

KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()


@dataclass(frozen=True)
class Delivery:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def is_signed(self) -> bool:
        timestamp, event_id = self.headers["webhook-timestamp"], self.headers["webhook-id"]
        signed = f"{event_id}.{timestamp}.".encode() + self.body
        digest = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
        return f"v1,{digest}" in self.headers["webhook-signature"].split(" ")


@dataclass
class Receiver:
    """What came, and how it is answered: ``answer`` gives the bytes for the nth request (from 0);
    None: nothing is answered."""

    answer: Callable[[int], bytes | None] = lambda _: b"HTTP/1.1 204 No Content\r\n\r\n"
    judge: Callable[[bytes], bytes] | None = None
    """Takes precedence: the answer to a body."""
    deliveries: list[Delivery] = field(default_factory=list)
    port: int = 0
    under_way: int = 0
    most_under_way: int = 0
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/lobug"

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Data of the events of one type."""
        return [d.event["data"] for d in self.deliveries if d.event["type"] == kind]

    async def came(self, count: int) -> list[Delivery]:
        """Wait until so many requests have come; return all."""
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(lambda: len(self.deliveries) >= count)
        return self.deliveries

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while line := (await reader.readline()).decode().split():
                await self._answer(line[1], reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(
        self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        headers: dict[str, str] = {}
        while line := (await reader.readline()).decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        number = len(self.deliveries)
        answer = self.answer(number) if self.judge is None else self.judge(body)
        async with self._news:
            self.deliveries.append(Delivery(path, headers, body))
            self._news.notify_all()
        try:
            if answer is None:
                await reader.read()  # until the other side gives up
                raise ConnectionResetError
            await asyncio.sleep(0.01)
            writer.write(answer)
            await writer.drain()
        finally:
            self.under_way -= 1


def status(code: int, *headers: str) -> bytes:
    """An answer without a body."""
    lines = [f"HTTP/1.1 {code} Whatever", "Content-Length: 0", *headers, "", ""]
    return "\r\n".join(lines).encode()


@asynccontextmanager
async def receiver(answer: Callable[[int], bytes | None] | None = None) -> AsyncIterator[Receiver]:
    found = Receiver() if answer is None else Receiver(answer)
    await found.open()
    try:
        yield found
    finally:
        await found.shut()
