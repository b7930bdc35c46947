"""Values on the wire: times (RFC 3339 outside, seconds since the epoch inside), ``Accept`` and
``Content-Type`` headers. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH).total_seconds()
_LATEST = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH).total_seconds()
_NUMBER = re.compile(r"[+-]?\d{1,12}(\.\d{1,9})?", re.ASCII)
_SPACED_OFFSET = re.compile(r"(T[^\sT]+) (\d{2}:?\d{2})$", re.ASCII)


def rfc3339(seconds: float) -> str:
    """``2026-03-01T12:00:00Z``, with milliseconds if there are any. A time beyond the years 1 to
    9999 becomes the first or the last day of them."""
    held = min(max(seconds, _EARLIEST), _LATEST) if not math.isnan(seconds) else 0.0
    moment = _EPOCH + timedelta(milliseconds=round(held * 1000))
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def _text_of_time(value: object) -> object:
    return rfc3339(value) if isinstance(value, int | float) else value


Time = Annotated[
    str,
    BeforeValidator(_text_of_time),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""Seconds since the epoch, shown as RFC 3339 in UTC."""


class Answer(BaseModel):
    """An answer whose fields are those of a value, by name."""

    @classmethod
    def of(cls, value: object, **more: object) -> Self:
        """The answer for ``value``. ``more``: fields that the value lacks or has in another
        form."""
        taken = {name: getattr(value, name) for name in cls.model_fields if hasattr(value, name)}
        return cls.model_validate(taken | more, from_attributes=True)


def epoch_seconds(text: str) -> float:
    """Seconds since the epoch from RFC 3339, a date (its midnight) or a number of seconds. Without
    an offset it is UTC. Raises ValueError."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        seconds = float(text)
        if not _EARLIEST <= seconds <= _LATEST:
            raise ValueError("not within the years 1 to 9999")
        return seconds
    # In a query a plus sign that was not escaped arrives as a space.
    text = _SPACED_OFFSET.sub(r"\1+\2", text)
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        seconds = (moment - _EPOCH).total_seconds()
    except (ValueError, OverflowError):
        raise ValueError(
            "not a time: give RFC 3339 (2026-03-01T12:00:00Z), a date or seconds since the epoch"
        ) from None
    if not _EARLIEST <= seconds <= _LATEST:
        raise ValueError("not within the years 1 to 9999")
    return seconds


JSON = "application/json"
EVENT_STREAM = "text/event-stream"
WAV = "audio/wav"


def preferred(accept: str | None, offered: Sequence[str]) -> str:
    """The media type for an ``Accept`` header: the first of ``offered``, unless the header names
    another one with a higher weight.

    Wildcards and types that are not offered are ignored, so a caller without a preference gets the
    first.
    """
    wanted = dict.fromkeys(offered, 0.0)
    for item in (accept or "").split(","):
        name, weight = _range(item)
        if name in wanted:
            wanted[name] = max(wanted[name], weight)
    best = max(offered, key=lambda name: wanted[name])  # the first of equals
    return best if wanted[best] > 0 else offered[0]


def _range(item: str) -> tuple[str, float]:
    """One media range and its weight, 0 to 1; an invalid weight counts as 0."""
    name, parameters = content_type(item)
    try:
        weight = float(parameters.get("q", "1"))
    except ValueError:
        weight = 0.0
    return name, weight if 0.0 <= weight <= 1.0 else 0.0


def content_type(value: str) -> tuple[str, dict[str, str]]:
    """Name and parameters of a content type, in lower case. Never raises. Quoted values with a
    ``;`` are not supported; none of our types has one."""
    name, *parameters = value.split(";")
    pairs = (parameter.partition("=") for parameter in parameters)
    return name.strip().lower(), {
        key.strip().lower(): text.strip().strip('"').lower() for key, _, text in pairs
    }
