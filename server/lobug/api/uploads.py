"""A recording in a request: in a form, as the first device sends it, or as the body itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, BinaryIO

import numpy as np
from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile

from lobug.api.accept import content_type
from lobug.api.upload_room import held_body, spool
from lobug.audio.wav import header
from lobug.errors import AudioEmptyError, InvalidRequestError, UploadStorageError

_FILES = ("application/octet-stream", "application/ogg")
_DEFAULT_RATE = "16000"
_MAX_CHANNELS = 32
_LONGEST_FIELD_BYTES = 64 * 1024
"""Of a form, beside its file. Fields are kept in memory."""

FORM = {
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

DOCUMENTED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": FORM},
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
"""For a route's ``openapi_extra``."""


@dataclass(frozen=True, slots=True)
class UploadedRecording:
    """A recording that was sent, in memory or in a temporary file (``audio.StoredRecording``)."""

    file: BinaryIO
    prefix: bytes = b""
    """The header that the bytes lack."""
    big_endian: bool = False
    """Whether the samples have their high byte first."""

    def read(self) -> bytes:
        """All of it, as a file that ``audio.decode`` reads."""
        self.file.seek(0)
        data = self.file.read()
        if self.big_endian:
            data = np.frombuffer(data[: len(data) // 2 * 2], ">i2").astype("<i2").tobytes()
        return self.prefix + data


async def read_recording(request: Request) -> UploadedRecording:
    """The recording of a request, good until the request has been answered.

    Raises InvalidRequestError (no form with a file ``audio``, and no sound by its content type),
    AudioEmptyError, UploadStorageError.
    """
    kind, parameters = content_type(request.headers.get("content-type", ""))
    prefix, big_endian = b"", False
    if kind in {"audio/l16", "audio/pcm"}:
        prefix = _pcm_header(kind, parameters)  # refused before all of it has been sent
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
        raise InvalidRequestError(f"{kind}: rate (Hz) or channels is not a number that can be")
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
    """A form with one file, whose bytes beyond 1 MB are in a temporary file until the request has
    been answered. Raises UploadStorageError, HTTPException (no form, or too much in it)."""
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
