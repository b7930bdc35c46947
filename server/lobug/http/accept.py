"""Which kind of answer a caller wants. Pure."""

from __future__ import annotations

from collections.abc import Sequence

JSON = "application/json"
EVENT_STREAM = "text/event-stream"
WAV = "audio/wav"


def preferred(accept: str | None, offered: Sequence[str]) -> str:
    """The kind of answer for an ``Accept`` header: the first of ``offered`` unless another one is
    asked for by its own name and wanted more.

    ``*/*`` and what is not offered count for nothing, so a caller that does not care, or sends
    something odd, gets what it always got.
    """
    wanted = dict.fromkeys(offered, 0.0)
    for item in (accept or "").split(","):
        name, weight = _range(item)
        if name in wanted:
            wanted[name] = max(wanted[name], weight)
    best = max(offered, key=lambda name: wanted[name])  # the first of equals
    return best if wanted[best] > 0 else offered[0]


def _range(item: str) -> tuple[str, float]:
    """One media range and its weight, 0 to 1; 0 for a weight that is none."""
    name, parameters = content_type(item)
    try:
        weight = float(parameters.get("q", "1"))
    except ValueError:
        weight = 0.0
    return name, weight if 0.0 <= weight <= 1.0 else 0.0


def content_type(value: str) -> tuple[str, dict[str, str]]:
    """A content type's name and its parameters, all in small letters. Never raises;
    of quoted text with a ``;`` in it, which none of ours has, it makes nothing useful."""
    name, *parameters = value.split(";")
    pairs = (parameter.partition("=") for parameter in parameters)
    return name.strip().lower(), {
        key.strip().lower(): text.strip().strip('"').lower() for key, _, text in pairs
    }
