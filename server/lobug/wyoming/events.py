"""Events of Wyoming clients: read within limits, and what they hold, checked.

The library's own reader takes whatever lengths a header announces and ends in silence at junk. This
one checks lengths before it reads, and says what was wrong.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from wyoming.event import Event

from lobug.errors import EventError, EventTimeoutError, EventTooLargeError
from lobug.settings import WyomingSettings


class EventReader:
    """Reads the events of one connection. The stream's own limit must be
    ``wyoming.max_message_bytes``."""

    def __init__(self, stream: asyncio.StreamReader, settings: WyomingSettings) -> None:
        self._stream = stream
        self._settings = settings

    async def read(self) -> Event | None:
        """The next event, however long it takes to begin; None: the client has hung up.

        Raises EventError (no event of Wyoming), EventTooLargeError, EventTimeoutError (it has begun
        and does not go on). Nothing can be read afterwards, because where the next event begins is
        unknown.
        """
        try:
            first = await self._stream.read(1)
            if not first:
                return None
            async with asyncio.timeout(self._settings.event_timeout_s):
                return await self._rest(first)
        except TimeoutError:
            seconds = self._settings.event_timeout_s
            raise EventTimeoutError(f"an event did not arrive within {seconds:g} s") from None
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def _rest(self, first: bytes) -> Event:
        settings = self._settings
        try:
            line = first if first == b"\n" else first + await self._stream.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            line = b""
        if not line or len(line) > settings.max_message_bytes:
            raise EventTooLargeError(f"the header has more than {settings.max_message_bytes} bytes")
        header = _json_object(line, "the header")
        kind, data = header.get("type"), header.get("data") or {}
        if not isinstance(kind, str) or not kind:
            raise EventError("the header has no type")
        if not isinstance(data, dict):
            raise EventError("data is not an object")
        data_length = _length(header, "data_length", settings.max_message_bytes)
        payload_length = _length(header, "payload_length", settings.max_payload_bytes)
        if data_length:
            more = _json_object(await self._stream.readexactly(data_length), "the data")
            data = {**data, **more}
        payload = await self._stream.readexactly(payload_length) if payload_length else None
        return Event(kind, data, payload)


def _json_object(text: bytes, what: str) -> dict[str, Any]:
    try:
        found = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise EventError(f"{what} is not JSON in UTF-8") from None
    if not isinstance(found, dict):
        raise EventError(f"{what} is not an object")
    return found


def _length(header: Mapping[str, Any], name: str, most: int) -> int:
    length = header.get(name)
    if length is None:
        return 0
    if not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise EventError(f"{name} is not a number of bytes")
    if length > most:
        raise EventTooLargeError(f"{name} is more than {most} bytes")
    return length


class _Data(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class AudioFormat(_Data):
    """The format of a sound."""

    rate: int = Field(ge=8_000, le=192_000)
    """Hz."""
    width: int = Field(ge=1, le=4)
    """Bytes of a sample; 1 is unsigned, the others are signed, the low byte first."""
    channels: int = Field(ge=1, le=8)


class TranscribeRequest(_Data):
    """What a client wishes of the transcript of the sound that follows."""

    language: str | None = None


class TextChunk(_Data):
    """A part of a text that is to be spoken."""

    text: str


class SpeechRequest(_Data):
    """How a text is to be spoken. There is one voice, so the wish for another one is ignored."""

    text_format: str | None = None


class SpokenText(SpeechRequest, TextChunk):
    """A whole text that is to be spoken."""


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:@+\-]{1,128}$")]


class TalkContext(_Data):
    """Where words come from, as Home Assistant says."""

    conversation_id: Name | None = None
    """A new one begins when nobody has talked there for some minutes."""
    device_id: Name | None = None
    """The satellite as Home Assistant's registry knows it; it outlasts a new name."""
    satellite_id: Name | None = None
    """The satellite's entity, such as ``assist_satellite.kitchen``."""


class Words(_Data):
    """What somebody said or typed."""

    text: str
    context: TalkContext | None = None


class PingRequest(_Data):
    """What is to be sent back."""

    text: str | None = Field(None, max_length=1_000)


D = TypeVar("D", bound=BaseModel)


def parse(model: type[D], event: Event) -> D:
    """The data of an event. Raises EventError; its text names the fields and never their values,
    which may be somebody's words."""
    try:
        return model.model_validate(event.data)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}" for f in faults[:5])
        raise EventError(f"{event.type[:40]}: {told}") from None
