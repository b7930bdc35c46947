"""Events of Wyoming clients: read within the owner's limits, and what they hold, checked."""

from __future__ import annotations

import asyncio
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from wyoming.event import Event

from lobug.engines.pcm import PcmFormat
from lobug.engines.wyoming_wire import (
    EventLimits,
    WireBrokenOffError,
    WireError,
    WireTooLargeError,
    read_event,
)
from lobug.errors import EventError, EventTimeoutError, EventTooLargeError
from lobug.settings import WyomingSettings


async def read_client_event(
    stream: asyncio.StreamReader, settings: WyomingSettings
) -> Event | None:
    """The next event of a client, however long it takes to begin; None: it has hung up. The
    stream's own limit must be ``wyoming.max_message_bytes``.

    Raises EventError (no event of Wyoming), EventTooLargeError, EventTimeoutError (it has begun and
    does not go on). Nothing can be read afterwards: where the next event begins is not known.
    """
    message_bytes = settings.max_message_bytes
    limits = EventLimits(message_bytes, message_bytes, settings.max_payload_bytes)
    try:
        return await read_event(stream, limits, within_s=settings.event_timeout_s)
    except TimeoutError:
        seconds = settings.event_timeout_s
        raise EventTimeoutError(f"an event did not arrive within {seconds:g} s") from None
    except (WireBrokenOffError, ConnectionError):
        return None
    except WireTooLargeError as error:
        raise EventTooLargeError(f"the client {error}") from None
    except WireError as error:
        raise EventError(f"the client {error}") from None


class _Data(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class AudioFormat(_Data):
    """The format of a sound."""

    rate: int = Field(ge=8_000, le=192_000)
    """Hz."""
    width: int = Field(ge=1, le=4)
    """Bytes of a sample; 1 is unsigned, the others are signed, the low byte first."""
    channels: int = Field(ge=1, le=8)

    @property
    def pcm(self) -> PcmFormat:
        """The format as the reader of samples takes it."""
        return PcmFormat(self.rate, self.width, self.channels)


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
