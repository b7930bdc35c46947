"""The body of a firmware image, for devices that update themselves and for flashing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import BinaryIO

from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from lobug.http.turn_stream import while_connected
from lobug.ota.image import FirmwareImage

log = logging.getLogger(__name__)

_CHUNK = 32 * 1024


class ImageResponse(Response):
    """Sends an image in pieces; `ETag` is its SHA-256. Closes ``content``, its open file. A caller
    that reads nothing for ``timeout_s`` seconds is cut off. ``fetched`` is called when all of it
    was sent."""

    def __init__(
        self,
        image: FirmwareImage,
        content: BinaryIO,
        *,
        timeout_s: float,
        fetched: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(media_type="application/octet-stream")
        self.headers["Content-Length"] = str(image.size)
        self.headers["ETag"] = f'"{image.sha256}"'
        self.headers["Cache-Control"] = "private"
        self._image = image
        self._content = content
        self._timeout_s = timeout_s
        self._fetched = fetched

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await while_connected(Request(scope, receive), self._send(send))
        except ClientDisconnect:
            log.info("a firmware image was not fetched to its end")
        except TimeoutError:
            log.info("nothing is read of a firmware image that was asked for; given up")
        finally:
            self._content.close()

    async def _send(self, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        left = self._image.size
        while left:
            piece = await asyncio.to_thread(self._content.read, min(_CHUNK, left))
            if not piece:
                log.warning("the firmware image %s was changed", self._image.path)
                return  # the body stays incomplete, so the connection is closed
            left -= len(piece)
            async with asyncio.timeout(self._timeout_s):
                await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
        self._fetched()
