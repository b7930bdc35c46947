"""Uploads: quotas and temporary files of request bodies, and the recording in a request.

A recording is in a form, as the first device sends it, or is the body itself.
"""

from __future__ import annotations

import asyncio
import ctypes
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, BinaryIO, cast

import numpy as np
from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile

from lobug.audio.wav import header
from lobug.errors import (
    AudioEmptyError,
    BodyTooLargeError,
    InvalidRequestError,
    LobugError,
    UploadStorageError,
)
from lobug.http.formats import content_type
from lobug.quota import Claimant, Quota, QuotaLedger
from lobug.settings import LimitSettings

SMALL_BYTES = 64 * 1024
"""Bodies up to this size are not counted: every open connection takes as much anyway."""

SPOOL_BYTES = 1024 * 1024
"""A body beyond this size is kept in a temporary file, as Starlette does with files in forms."""

_TIDY_AFTER_S = 5.0
"""Seconds after a large upload: a recording is decoded to its end even if its caller hung up."""

STATE_KEY = "held_body"
"""Key of a request's ``HeldBody`` in ``scope["state"]``."""


class UploadRoom:
    """The room for the bodies of an app: quotas of uploads and of bytes, for each person and for
    all.

    A body counts from its first byte until its request has been answered, whether it is kept in
    memory or in a file.
    """

    def __init__(self, limits: LimitSettings) -> None:
        self.uploads = QuotaLedger(
            Quota(limits.max_uploads, limits.max_uploads_per_person, limits.reserved_part),
            "uploads",
        )
        self.bytes = QuotaLedger(
            Quota(
                max(limits.max_upload_bytes, limits.max_body_bytes),
                max(limits.max_upload_bytes_per_person, limits.max_body_bytes),
                limits.reserved_part,
            ),
            "bytes of uploads",
        )
        self._tidying: asyncio.TimerHandle | None = None

    def note_release(self, size: int) -> None:
        """Note that a body of ``size`` bytes was released. After the last large one, freed memory
        is returned to the system, in a thread."""
        if size > SPOOL_BYTES:
            if self._tidying is not None:
                self._tidying.cancel()
            loop = asyncio.get_running_loop()
            self._tidying = loop.call_later(_TIDY_AFTER_S, self._tidy)

    def _tidy(self) -> None:
        self._tidying = None
        with suppress(RuntimeError):  # the server is stopping
            asyncio.get_running_loop().run_in_executor(None, return_freed_memory)


def return_freed_memory() -> None:
    """Return freed memory to the system. glibc keeps it for each thread: three rounds of recordings
    of 20 MB left 137 MB behind, with this call 40 to 70. Does nothing without glibc."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


class HeldBody:
    """The share of the room that one request holds. ``close`` gives it back."""

    def __init__(self, room: UploadRoom, claimant: Claimant) -> None:
        self._room = room
        self._claimant = claimant
        self._counted = False
        self._bytes = 0
        self._closing: list[Callable[[], None]] = []

    def resize(self, size: int) -> LobugError | None:
        """Take room for the ``size`` bytes that the body has by now. Returns the refusal, or None.
        Never raises."""
        if size <= SMALL_BYTES:
            return None
        refusal = self.announce(size)
        if refusal is None:
            refusal = self._room.bytes.refusal(self._claimant, size - self._bytes)
        if refusal is None:
            self._room.bytes.take(self._claimant, size - self._bytes)
            self._bytes = size
        return refusal

    def announce(self, size: int) -> LobugError | None:
        """Take room for an upload of ``size`` bytes that is about to arrive. Returns the refusal,
        or None."""
        if self._counted or size <= SMALL_BYTES:
            return None
        refusal = self._room.uploads.refusal(self._claimant)
        if refusal is None:
            self._room.uploads.take(self._claimant)
            self._counted = True
        return refusal

    def at_the_end(self, close: Callable[[], None]) -> None:
        """Have ``close`` called when the request has been answered."""
        self._closing.append(close)

    def close(self) -> None:
        """Give the room back, and close the temporary files."""
        for close in self._closing:
            close()
        self._closing.clear()
        if self._counted:
            self._room.uploads.give_back(self._claimant)
            self._counted = False
        if self._bytes:
            self._room.bytes.give_back(self._claimant, self._bytes)
        size, self._bytes = self._bytes, 0
        self._room.note_release(size)


def held_body(request: Request) -> HeldBody:
    """The share of a request that ``BodyLimit`` has let in. Raises KeyError for a stranger's."""
    held: HeldBody = request.scope["state"][STATE_KEY]
    return held


async def spool(request: Request) -> tuple[BinaryIO, int]:
    """Read the whole body into a file, in memory up to ``SPOOL_BYTES``, else temporary. Returns the
    file, at its end, and its size in bytes.

    A temporary file has no name and only this program can read it, so it vanishes with the request,
    or with the process, however that ends. It is written in a thread. Raises UploadStorageError.
    """
    file = cast("BinaryIO", tempfile.SpooledTemporaryFile(SPOOL_BYTES))  # noqa: SIM115 - closed below
    held_body(request).at_the_end(file.close)
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > SPOOL_BYTES:
                await asyncio.to_thread(file.write, piece)
            else:
                file.write(piece)
    except OSError as fault:
        raise UploadStorageError(f"the body cannot be kept: {fault.strerror or fault}") from fault
    return file, size


async def read_at_most(request: Request, limit: int) -> bytes:
    """Read a body of at most ``limit`` bytes. Raises BodyTooLargeError as soon as it is larger."""
    pieces = bytearray()
    async for piece in request.stream():
        if len(pieces) + len(piece) > limit:
            raise BodyTooLargeError(f"the body has more than {limit} bytes, which is the limit")
        pieces += piece
    return bytes(pieces)


_FILES = ("application/octet-stream", "application/ogg")
_DEFAULT_RATE = "16000"
_MAX_CHANNELS = 32
_LONGEST_FIELD_BYTES = 64 * 1024
"""Longest field of a form, except its file. Fields are kept in memory."""

RECORDING_FORM = {
    "type": "object",
    "required": ["audio"],
    "properties": {
        "audio": {
            "type": "string",
            "format": "binary",
            "description": "A whole recording. Devices send WAV, PCM16, mono, 16 kHz; other WAV"
            " forms are converted, and Ogg, FLAC, MP3 and WebM are read as well.",
        }
    },
}

RECORDING_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": RECORDING_FORM},
            **{
                kind: {
                    "schema": {
                        "type": "string",
                        "format": "binary",
                        "description": f"The recording itself, at once or in chunks: {what}.",
                    }
                }
                for kind, what in {
                    "audio/wav": "a WAV, whose header may leave the length open",
                    "audio/ogg": "Ogg, and by their own types FLAC, MP3 and WebM",
                    "audio/pcm": "16-bit samples, little-endian; parameters `rate` (default 16000)"
                    " and `channels` (default 1)",
                    "audio/L16": "the same, big-endian, as the standard has it, unless there is"
                    " `endianness=little-endian`",
                }.items()
            },
        },
    }
}
"""The body of a recording, for a route's ``openapi_extra``."""


@dataclass(frozen=True, slots=True)
class UploadedRecording:
    """An uploaded recording, in memory or in a temporary file (``audio.StoredRecording``)."""

    file: BinaryIO
    prefix: bytes = b""
    """WAV header for bytes that have none."""
    big_endian: bool = False
    """Whether the samples are big-endian."""

    def read(self) -> bytes:
        """The whole recording, as a file that ``audio.decode`` reads."""
        self.file.seek(0)
        data = self.file.read()
        if self.big_endian:
            data = np.frombuffer(data[: len(data) // 2 * 2], ">i2").astype("<i2").tobytes()
        return self.prefix + data


async def read_recording(request: Request) -> UploadedRecording:
    """The recording of a request, valid until the request has been answered.

    Raises InvalidRequestError (neither a form with a file ``audio`` nor audio by its content type),
    AudioEmptyError, UploadStorageError.
    """
    kind, parameters = content_type(request.headers.get("content-type", ""))
    prefix, big_endian = b"", False
    if kind in {"audio/l16", "audio/pcm"}:
        prefix = _pcm_header(kind, parameters)  # raises before the body has been read
        big_endian = kind == "audio/l16" and parameters.get("endianness") != "little-endian"
    elif not (kind.startswith("audio/") or kind in _FILES):
        return await _file_of_form(request)
    file, size = await spool(request)
    return _recording(file, size, prefix, big_endian=big_endian)


def _recording(
    file: BinaryIO, size: int | None, prefix: bytes = b"", *, big_endian: bool = False
) -> UploadedRecording:
    if not size:
        raise AudioEmptyError("the recording has no bytes")
    return UploadedRecording(file, prefix, big_endian)


def _pcm_header(kind: str, parameters: dict[str, str]) -> bytes:
    try:
        rate = int(parameters.get("rate", _DEFAULT_RATE))
        channels = int(parameters.get("channels", "1"))
    except ValueError:
        rate = channels = 0
    if not (1_000 <= rate <= 400_000 and 1 <= channels <= _MAX_CHANNELS):
        raise InvalidRequestError(f"{kind}: rate (Hz) or channels is not a valid number")
    return header(rate, channels=channels)


async def _file_of_form(request: Request) -> UploadedRecording:
    form = await read_form(request, max_fields=16)
    file = form.get("audio")
    if file is None:
        raise InvalidRequestError("body.audio: Field required")
    if isinstance(file, str):
        raise InvalidRequestError("body.audio: a file is expected, not a field")
    return _recording(file.file, file.size)


async def read_form(request: Request, *, max_fields: int) -> FormData:
    """Read a form with one file, which beyond 1 MB is kept in a temporary file until the request
    has been answered. Raises UploadStorageError, HTTPException (no form, or too much in it)."""
    try:
        form = await request.form(
            max_files=1, max_fields=max_fields, max_part_size=_LONGEST_FIELD_BYTES
        )
    except OSError as fault:
        raise UploadStorageError(f"the form cannot be kept: {fault.strerror or fault}") from fault
    for _, value in form.multi_items():
        if isinstance(value, UploadFile):
            held_body(request).at_the_end(value.file.close)
    return form


def recording_in(form: FormData, name: str) -> UploadedRecording:
    """The file in a field of a form. Raises InvalidRequestError, AudioEmptyError."""
    file = form.get(name)
    if file is None or isinstance(file, str):
        raise InvalidRequestError(f"{name}: a file is required", param=name)
    return _recording(file.file, file.size)


RecordingDep = Annotated[UploadedRecording, Depends(read_recording)]
