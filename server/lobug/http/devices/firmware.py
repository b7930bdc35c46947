"""`/firmware`: images that devices fetch after discovery has offered them."""

from __future__ import annotations

import asyncio
import logging
from typing import BinaryIO

from fastapi import APIRouter, Request, Response
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from lobug.access.callers import Caller
from lobug.errors import FirmwareUnknownError, OwnerOnlyError
from lobug.http.caller import CallerDep
from lobug.http.devices.discovery import FIRMWARE_PATH
from lobug.http.problems import error_responses
from lobug.http.state import ServerDep
from lobug.http.turn_stream import while_connected
from lobug.ota.image import FirmwareImage
from lobug.ota.offers import FirmwareOffers

log = logging.getLogger(__name__)

_CHUNK = 32 * 1024

router = APIRouter(tags=["devices"])


@router.get(
    f"{FIRMWARE_PATH}/{{board}}/{{version}}",
    response_class=Response,
    responses={
        200: {
            "content": {"application/octet-stream": {}},
            "description": "The image; `ETag` is its SHA-256.",
        },
        **error_responses(OwnerOnlyError, FirmwareUnknownError),
    },
)
async def fetch_image(board: str, version: str, server: ServerDep, caller: CallerDep) -> Response:
    """Give a paired device a firmware image; the owner may have it too."""
    if caller.kind != "device" and not caller.owner:
        raise OwnerOnlyError("firmware is for devices that are paired, and for the owner")
    image, content = await asyncio.to_thread(server.firmware.library.open, board, version)
    timeout_s = server.settings.streaming.send_timeout_s
    return _ImageResponse(image, content, server.firmware, caller, timeout_s)


class _ImageResponse(Response):
    """Sends an image in pieces. A device that reads nothing for ``timeout_s`` seconds is cut
    off."""

    def __init__(
        self,
        image: FirmwareImage,
        content: BinaryIO,
        offers: FirmwareOffers,
        caller: Caller,
        timeout_s: float,
    ) -> None:
        super().__init__(media_type="application/octet-stream")
        self.headers["Content-Length"] = str(image.size)
        self.headers["ETag"] = f'"{image.sha256}"'
        self.headers["Cache-Control"] = "private"
        self._image = image
        self._content = content
        self._offers = offers
        self._caller = caller
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the image."""
        try:
            await while_connected(Request(scope, receive), self._send(send))
        except ClientDisconnect:
            log.info("a firmware image was not fetched to its end")
        except TimeoutError:
            log.info("a device reads nothing of the firmware that it asked for; given up")
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
        if self._caller.device_id is not None:
            self._offers.fetched(self._caller.device_id, self._image)
