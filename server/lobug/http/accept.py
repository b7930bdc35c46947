"""Reads ``Accept`` and ``Content-Type`` headers. Pure."""

from __future__ import annotations

from collections.abc import Sequence

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
