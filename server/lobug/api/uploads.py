"""A recording in a request: in a form, as the first device sends it, or as the body itself."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import Depends, Request

from lobug.api.accept import content_type
from lobug.audio.wav import header
from lobug.errors import AudioEmptyError, InvalidRequestError

_FILES = ("application/octet-stream", "application/ogg")
_DEFAULT_RATE = "16000"
_MAX_CHANNELS = 32

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


async def read_recording(request: Request) -> bytes:
    """The recording of a request, as a file that ``audio.decode`` reads.

    Raises InvalidRequestError (no form with a file ``audio``, and no sound by its content type),
    AudioEmptyError.
    """
    kind, parameters = content_type(request.headers.get("content-type", ""))
    if kind in {"audio/l16", "audio/pcm"}:
        prefix = _pcm_header(kind, parameters)  # refused before all of it has been sent
        data = await request.body()
        if kind == "audio/l16" and parameters.get("endianness") != "little-endian":
            data = np.frombuffer(data[: len(data) // 2 * 2], ">i2").astype("<i2").tobytes()
        recording = prefix + data if data else b""
    elif kind.startswith("audio/") or kind in _FILES:
        recording = await request.body()
    else:
        recording = await _file_of_form(request)
    if not recording:
        raise AudioEmptyError("the recording has no bytes")
    return recording


def _pcm_header(kind: str, parameters: dict[str, str]) -> bytes:
    try:
        rate = int(parameters.get("rate", _DEFAULT_RATE))
        channels = int(parameters.get("channels", "1"))
    except ValueError:
        rate = channels = 0
    if not (1_000 <= rate <= 400_000 and 1 <= channels <= _MAX_CHANNELS):
        raise InvalidRequestError(f"{kind}: rate (Hz) or channels is not a number that can be")
    return header(rate, channels=channels)


async def _file_of_form(request: Request) -> bytes:
    async with request.form(max_files=1, max_fields=16) as form:
        file = form.get("audio")
        if file is None:
            raise InvalidRequestError("body.audio: Field required")
        if isinstance(file, str):
            raise InvalidRequestError("body.audio: a file is expected, not a field")
        return await file.read()


RecordingDep = Annotated[bytes, Depends(read_recording)]
