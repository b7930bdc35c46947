"""Times in requests and answers: RFC 3339 outside, seconds since the epoch inside. Pure."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta

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


def rfc3339_or_none(seconds: float | None) -> str | None:
    """``rfc3339``, or None for None."""
    return None if seconds is None else rfc3339(seconds)


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
