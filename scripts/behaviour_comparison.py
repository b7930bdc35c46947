"""Makes recordings of ``behaviour.py`` comparable, and compares them value by value.

What differs from run to run becomes a placeholder. Times of the recording itself become ``<now>``;
older ones, such as those of a fixture, stay.
"""

from __future__ import annotations

import base64
import math
import re
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from typing import Any

DURATIONS = frozenset("uptime_s took_ms search_ms context_ms wasted_s timeout_ms".split())
"""Names of durations, besides those that begin with ``ms_per_``."""

SCORES = frozenset("score confidence parts".split())
"""Names of numbers that depend slightly on how long ago something was said."""

SIZES = frozenset(["bytes"])
"""Names of file sizes."""

SCORE_DIGITS = 3

IDS: Mapping[str, re.Pattern[str]] = {
    # Names of metrics begin alike, without capital letters.
    "token": re.compile(r"\blobug_(?=[a-z0-9_-]*[A-Z])[A-Za-z0-9_-]{32,}"),
    "person": re.compile(r"\btoken:[0-9a-f]{32}\b"),
    # The last part is a digest of text that begins with the minute.
    "context": re.compile(r"(?<=\bctx_)\d+_[0-9a-f]{12}\b"),
    "completion": re.compile(r"\bchatcmpl-[0-9a-f]{8,}"),
}
"""Ids that are recognised by their form, anywhere."""

NAMED_IDS: Mapping[str, tuple[str, re.Pattern[str]]] = {
    "turn": ("turn", re.compile(r"[0-9a-f]{8,}")),
    "x-lobug-turn": ("turn", re.compile(r"[0-9a-f]{8,}")),
    "lobug-instance": ("instance", re.compile(r"[0-9a-f]{8,}")),
    "id": ("hex", re.compile(r"[0-9a-f]{8,32}")),
    "code": ("code", re.compile(r"[0-9]{6}")),
    "challenge": ("challenge", re.compile(r"\S{16,}")),
    "session_id": ("session", re.compile(r"[0-9a-f-]{8,}")),
}
"""Ids that are recognised by the key they stand under, and their form."""

ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
TOOK = re.compile(r"\b\d+(?:\.\d+)? ms\b")
PORT = re.compile(r"\b(127\.0\.0\.1|localhost):\d{4,5}\b")

FUTURE = timedelta(days=1)
"""How far ahead times of the recording may be, such as when a code expires."""


class Normaliser:
    """Replaces volatile values; an id gets the same placeholder everywhere."""

    def __init__(self, literal: Mapping[str, str] | None = None, version: str = "") -> None:
        self.known = ""
        """The text of a fixture: its ids and dates are equal in every recording, so they stay."""
        self._version = version
        self._literal = sorted((literal or {}).items(), key=lambda pair: -len(pair[0]))
        self._ids: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._since = time.time() - 5.0
        now = datetime.now(UTC)
        self._until = now + FUTURE
        self._words = [
            (f"{now.day} {now:%B %Y}", "<today>"),
            (f"{now:%B %Y}", "<this month>"),
            (f"{now:%Y-%m-%d}", "<today>"),
        ]

    def value(self, value: Any, name: str = "") -> Any:
        """Normalise a JSON value that stands under the key ``name``."""
        if isinstance(value, Mapping):
            if name == "timings":
                return dict.fromkeys(sorted(value), "<duration>")
            scores = name in SCORES
            return {
                self.text(str(key)): self.value(inner, name if scores else str(key))
                for key, inner in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(inner, name) for inner in value]
        if isinstance(value, str):
            if name == "audio_b64":
                return described(base64.b64decode(value)) if value else ""
            if name == "version" and value == self._version:
                return "<version>"
            return self._named(value, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        return self._number(value, name)

    def text(self, text: str) -> str:
        """Normalise text."""
        for raw, placeholder in self._literal:
            text = text.replace(raw, placeholder)
        text = TOOK.sub("<duration>", PORT.sub(r"\1:<port>", text))
        text = ISO_TIME.sub(lambda found: self._moment(found[0]), text)
        for kind, pattern in IDS.items():
            text = pattern.sub(lambda found, kind=kind: self._id(kind, found[0]), text)  # type: ignore[misc]
        for raw, placeholder in self._ids.items():
            text = text.replace(raw, placeholder)
        for raw, placeholder in () if self.known else self._words:
            text = text.replace(raw, placeholder)
        return text

    def _named(self, text: str, name: str) -> str:
        kind, form = NAMED_IDS.get(name.lower(), ("", None))
        if form is not None and form.fullmatch(text):
            return self._id(kind, text)
        return self.text(text)

    def _id(self, kind: str, raw: str) -> str:
        if raw in self.known:
            return raw
        if raw not in self._ids:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._ids[raw] = f"<{kind}#{self._counts[kind]}>"
        return self._ids[raw]

    def _number(self, number: float, name: str) -> object:
        if name in DURATIONS or name.startswith("ms_per_"):
            return "<duration>"
        if name in SIZES:
            return "<size>"
        if name in SCORES:
            return round(number, SCORE_DIGITS)
        if any(self._since <= number / scale <= self._until.timestamp() for scale in (1, 1000)):
            return "<now>"
        return number

    def _moment(self, text: str) -> str:
        try:
            at = datetime.fromisoformat(text.replace(" ", "T"))
        except ValueError:
            return text
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        early = self._since - (60.0 if at.second == 0 else 0.0)  # some places show no seconds
        return "<now>" if early <= at.timestamp() <= self._until.timestamp() else text


def described(data: bytes) -> dict[str, object]:
    """Describe a sound without its samples, which may differ in the last bit."""
    if data[:4] != b"RIFF":
        return {"begins": data[:4].hex(), "bytes": len(data)}
    open_length = data[4:8] == b"\xff\xff\xff\xff"
    return {
        "kind": "wav of open length" if open_length else "wav",
        "header": data[8:40].hex(),
        "samples": (len(data) - 44) // 2,
        "loudness_db": loudness(data[44:]),
    }


def loudness(pcm: bytes) -> int:
    """The mean level of 16-bit samples, in dB relative to full scale."""
    samples = array("h", pcm[: len(pcm) // 2 * 2])
    power = sum(sample * sample for sample in samples) / max(1, len(samples))
    return round(10 * math.log10(power / 32_768**2 + 1e-12))


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield each difference as a line: where it is, the old value, the new value."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            where = f"{path} > {key}" if path else str(key)
            if key not in after:
                yield f"{where}: {_short(before[key])} -> gone"
            elif key not in before:
                yield f"{where}: was not there -> {_short(after[key])}"
            else:
                yield from differences(before[key], after[key], where)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_differences(before, after, path)
    elif isinstance(before, str) and isinstance(after, str) and before != after:
        yield f"{path}: {_around(before, after)}"
    elif type(before) is not type(after) or before != after:
        yield f"{path}: {_short(before)} -> {_short(after)}"


def _list_differences(before: Sequence[Any], after: Sequence[Any], path: str) -> Iterator[str]:
    """Match the items of two lists, so that one inserted item is one difference."""
    keys_before, keys_after = ([repr(item) for item in items] for items in (before, after))
    matcher = SequenceMatcher(None, keys_before, keys_after, autojunk=False)
    for tag, b_from, b_to, a_from, a_to in matcher.get_opcodes():
        if tag == "equal":
            continue
        both = min(b_to - b_from, a_to - a_from)
        for offset in range(both):
            yield from differences(
                before[b_from + offset], after[a_from + offset], f"{path}[{b_from + offset}]"
            )
        for index in range(b_from + both, b_to):
            yield f"{path}[{index}]: {_short(before[index])} -> gone"
        for index in range(a_from + both, a_to):
            yield f"{path}[{index}]: was not there -> {_short(after[index])}"


def _short(value: Any, limit: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 4]} ..."


def _around(before: str, after: str) -> str:
    """Show two long texts from shortly before their first difference."""
    if max(len(before), len(after)) <= 160:
        return f"{before!r} -> {after!r}"
    both = zip(before, after, strict=False)
    same = next(
        (place for place, (b, a) in enumerate(both) if b != a), min(len(before), len(after))
    )
    start = max(0, same - 30)
    return f"at {same}: {_short(before[start:])} -> {_short(after[start:])}"
