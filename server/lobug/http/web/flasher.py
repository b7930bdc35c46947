"""`/web/flasher`, for the owner: the full images with which the page flashes a device over USB."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, Field

from lobug.errors import FirmwareUnknownError, OwnerOnlyError
from lobug.http.dependencies import ServerDep, private, require_admin
from lobug.http.firmware_image import ImageResponse
from lobug.http.formats import Answer
from lobug.http.problems import error_responses
from lobug.ota.image import CHIPS, FirmwareFolderError, FirmwareImage, FirmwareKind
from lobug.ota.library import FirmwareLibrary

NAMES = {"m5stack-core2": "M5Stack Core2", "m5stack-cores3": "M5Stack CoreS3"}
"""What people call the boards. Other boards are called as their images are."""


class FullImage(Answer):
    """A full image."""

    version: str = Field(description="Its version.")
    size: int = Field(description="Of the image, bytes.")
    sha256: str = Field(description="Of the image, hexadecimal.")


class FlashableBoard(BaseModel):
    """A board, and what can be flashed to it."""

    board: str = Field(description="Its name, as in `lobug firmware add --board`.")
    name: str = Field(description="What people call it.")
    chip: str | None = Field(description="Its chip; null: it is not known.")
    image: FullImage | None = Field(description="The newest full image; null: none was added.")
    manifest: str | None = Field(description="Where its manifest is; null: as `image`.")


class FlashableBoards(BaseModel):
    """All boards."""

    boards: list[FlashableBoard] = Field(
        description="Those that Lo-Bug's firmware knows, then others with an image."
    )


class ManifestPart(BaseModel):
    """A file, and where in the flash memory it belongs."""

    path: str = Field(description="Relative to the manifest.")
    offset: int = Field(description="Address in the flash memory: 0.")
    size: int = Field(description="Bytes.")
    sha256: str = Field(description="Hexadecimal.")


class ManifestBuild(BaseModel):
    """What one family of chips gets."""

    chipFamily: str | None = Field(  # noqa: N815 -- the name in the manifests of ESP Web Tools
        description="As ESP Web Tools name it: ESP32 or ESP32-S3; null: it is not known."
    )
    parts: list[ManifestPart] = Field(description="One: the full image.")


class Manifest(BaseModel):
    """A manifest in the form of ESP Web Tools, with size and SHA-256 of each part."""

    name: str = Field("Lo-Bug", description="The firmware.")
    version: str = Field(description="Its version.")
    builds: list[ManifestBuild] = Field(description="One.")


router = APIRouter(
    prefix="/web/flasher", tags=["web"], dependencies=[Depends(require_admin), Depends(private)]
)


@router.get("", responses=error_responses(OwnerOnlyError, FirmwareFolderError))
async def boards(server: ServerDep) -> FlashableBoards:
    """List the boards, each with its newest full image."""
    images = await asyncio.to_thread(server.firmware.library.images, kind=FirmwareKind.FULL)
    newest = {image.board: image for image in images}  # ordered by version: the last one counts
    others = sorted(newest.keys() - CHIPS.keys())
    return FlashableBoards(boards=[_board(name, newest.get(name)) for name in (*CHIPS, *others)])


@router.get(
    "/{board}/manifest.json",
    responses=error_responses(OwnerOnlyError, FirmwareUnknownError, FirmwareFolderError),
)
async def manifest(board: str, server: ServerDep) -> Manifest:
    """Say what is written where to flash a board with its newest full image."""
    image = await asyncio.to_thread(_newest, server.firmware.library, board)
    return Manifest(
        version=image.version,
        builds=[
            ManifestBuild(
                chipFamily=_chip(board),
                parts=[
                    ManifestPart(
                        path=f"{image.version}/full.bin",
                        offset=0,
                        size=image.size,
                        sha256=image.sha256,
                    )
                ],
            )
        ],
    )


@router.get(
    "/{board}/{version}/full.bin",
    response_class=Response,
    responses={
        200: {
            "content": {"application/octet-stream": {}},
            "description": "The image; `ETag` is its SHA-256.",
        },
        **error_responses(OwnerOnlyError, FirmwareUnknownError),
    },
)
async def full_image(board: str, version: str, server: ServerDep) -> Response:
    """Give a full image."""
    library = server.firmware.library
    image, content = await asyncio.to_thread(library.open, board, version, FirmwareKind.FULL)
    response = ImageResponse(image, content, timeout_s=server.settings.streaming.send_timeout_s)
    response.headers["Cache-Control"] = "no-store"
    return response


def _newest(library: FirmwareLibrary, board: str) -> FirmwareImage:
    images = library.images(board, FirmwareKind.FULL)
    if not images:
        raise FirmwareUnknownError("there is no full image for this board")
    return images[-1]


def _board(board: str, image: FirmwareImage | None) -> FlashableBoard:
    return FlashableBoard(
        board=board,
        name=NAMES.get(board, board),
        chip=_chip(board),
        image=None if image is None else FullImage.of(image),
        manifest=None if image is None else f"/web/flasher/{board}/manifest.json",
    )


def _chip(board: str) -> str | None:
    known = CHIPS.get(board)
    return None if known is None else known[1]
