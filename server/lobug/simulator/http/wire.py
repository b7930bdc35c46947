"""The requests of the first firmware, byte for byte.

The firmware builds its bodies by hand and sends them with the ESP32 Arduino ``HTTPClient``, whose
headers and their order are copied here: a server or a proxy that cannot handle them must fail here
and not on a real device.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from lobug.simulator.address import ServerAddress

BOUNDARY = "----M5StackBoundary"
"""The firmware's multipart boundary; on the wire two more dashes stand before it."""

HEALTH_PERIOD_S = 30.0
"""Seconds between two health checks."""

SENSOR_PERIOD_S = 5.0
"""Seconds between two sensor reports."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long the device waits for a whole exchange, seconds. The defaults are the firmware's."""

    health_s: float = 5.0
    turn_s: float = 30.0
    sensors_s: float = 5.0


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One request, as it goes over the network."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    """In the order in which they are sent."""
    body: bytes = b""


def multipart_body(wav: bytes) -> bytes:
    """The body of ``POST /chat/audio``: one part that holds a whole WAV file."""
    head = (
        f"--{BOUNDARY}\r\n"
        'Content-Disposition: form-data; name="audio"; filename="recording.wav"\r\n'
        "Content-Type: audio/wav\r\n"
        "\r\n"
    )
    tail = f"\r\n--{BOUNDARY}--\r\n"
    return head.encode("ascii") + wav + tail.encode("ascii")


def audio_request(server: ServerAddress, wav: bytes, device_id: str | None = None) -> WireRequest:
    """``POST /chat/audio`` with a recording."""
    content_type = f"multipart/form-data; boundary={BOUNDARY}"
    headers = _headers(server, content_type, device_id)
    return _with_body("/chat/audio", headers, multipart_body(wav))


def text_request(server: ServerAddress, text: str, device_id: str | None = None) -> WireRequest:
    """``POST /chat/text``."""
    return _json_request(server, "/chat/text", {"text": text}, device_id)


def sensors_request(
    server: ServerAddress, reading: Mapping[str, object], device_id: str | None = None
) -> WireRequest:
    """``POST /context/sensors``; see ``lobug.simulator.http.sensors`` for the fields and units."""
    return _json_request(server, "/context/sensors", reading, device_id)


def health_request(server: ServerAddress, device_id: str | None = None) -> WireRequest:
    """``GET /health``."""
    return WireRequest("GET", "/health", tuple(_headers(server, None, device_id)))


def _json_request(
    server: ServerAddress, path: str, payload: Mapping[str, object], device_id: str | None
) -> WireRequest:
    # Compact and in order of insertion, as ArduinoJson serialises.
    body = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
    return _with_body(path, _headers(server, "application/json", device_id), body)


def _with_body(path: str, headers: list[tuple[str, str]], body: bytes) -> WireRequest:
    length = ("Content-Length", str(len(body)))
    return WireRequest("POST", path, (*headers, length), body)


def _headers(
    server: ServerAddress, content_type: str | None, device_id: str | None
) -> list[tuple[str, str]]:
    headers = [
        ("Host", server.host_header),
        ("User-Agent", "ESP32HTTPClient"),
        ("Connection", "keep-alive"),
        ("Accept-Encoding", "identity;q=1,chunked;q=0.1,*;q=0"),
    ]
    if content_type is not None:
        headers.append(("Content-Type", content_type))
    if device_id is not None:
        # Like the next header an addition: the first firmware sends no id.
        headers.append(("Device-Id", device_id))
    if server.token:
        headers.append(("Authorization", f"Bearer {server.token}"))
    return headers
