"""Firmware images of the simulated device, and servers that describe them wrongly."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.ota.image import FirmwareImage
from lobug.ota.signing import UpdateKey

BOARD = "host"


def make_image(version: str, size: int = 200_000, *, finds_no_server: bool = False) -> bytes:
    """Return an image as firmware/host/sim/firmware_folder.h expects it."""
    head = b"\xe9" + bytes(23) + f"\nlobug-version={version}\n".encode()
    if finds_no_server:
        head += b"lobug-fault=no-server\n"
    return head + random.Random(version).randbytes(size - len(head))


def offer_of(image: bytes, version: str, url: str, **changes: object) -> dict[str, object]:
    """Return discovery's description of an image; ``changes`` make it wrong."""
    truth = {
        "version": version,
        "url": url,
        "size": len(image),
        "sha256": hashlib.sha256(image).hexdigest(),
    }
    return truth | changes


def signature_of(
    key: UpdateKey, offer: Mapping[str, object], nonce: str, board: str = BOARD
) -> str:
    """Sign an offer, whatever stands in it."""
    image = FirmwareImage(
        board,
        str(offer["version"]),
        int(str(offer["size"])),
        str(offer["sha256"]),
        bool(offer.get("force")),
        0.0,
        Path(),
    )
    signature = key.sign(image, nonce).signature
    assert signature is not None
    return signature


@dataclass
class Meddler:
    """ASGI middleware between devices and their server: discovery offers ``offer``, and
    ``/firmware/...`` is answered with ``sent``, as if it had ``length`` bytes. The offer is signed
    with ``key``, for a device of ``board`` that has drawn ``nonce`` (None: the one that asks), and
    then changed by ``changes``."""

    offer: dict[str, object] = field(default_factory=dict)
    key: UpdateKey | None = None
    board: str = BOARD
    nonce: str | None = None
    changes: Mapping[str, object] = field(default_factory=dict)
    sent: bytes = b""
    length: int | None = None
    fetched: int = 0

    def around(self, app: ASGIApp) -> ASGIApp:
        """For ``scripted_server``."""

        async def meddle(scope: Scope, receive: Receive, send: Send) -> None:
            path = scope.get("path", "")
            if scope["type"] == "http" and path.startswith("/firmware/"):
                await self._send_image(send)
            elif scope["type"] == "http" and path == "/xiaozhi/ota/":
                told = _Reading(receive)
                await app(scope, told, _Rewriting(send, partial(self._signed_offer, told)))
            else:
                await app(scope, receive, send)

        return meddle

    def _signed_offer(self, told: _Reading) -> dict[str, object]:
        if self.key is None:
            return self.offer
        nonce = self.nonce or str(json.loads(told.body)["update_nonce"])
        signature = signature_of(self.key, self.offer, nonce, self.board)
        return {**self.offer, "signature": signature, **self.changes}

    async def _send_image(self, send: Send) -> None:
        self.fetched += 1
        length = len(self.sent) if self.length is None else self.length
        headers = [(b"content-length", str(length).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self.sent[:length]})


class _Reading:
    """Keeps the body of a request that passes."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.body = b""

    async def __call__(self) -> Message:
        message = await self._receive()
        self.body += message.get("body", b"")
        return message


class _Rewriting:
    """Puts another ``firmware`` into a JSON answer."""

    def __init__(self, send: Send, offer: Callable[[], dict[str, object]]) -> None:
        self._send = send
        self._offer = offer
        self._start: Message = {}
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        document: dict[str, Any] = json.loads(self._body)
        document["firmware"] = self._offer()
        body = json.dumps(document).encode()
        headers = [(k, v) for k, v in self._start["headers"] if k.lower() != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        await self._send({**self._start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def slots(device_folder: Path) -> str:
    """What the device's boot loader knows: active slot and trial."""
    return (device_folder / "firmware" / "boot.txt").read_text().strip()
