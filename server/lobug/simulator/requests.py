"""The requests of the first firmware, byte for byte, and what its motion sensor reports.

The firmware builds its bodies by hand and sends them with the ESP32 Arduino ``HTTPClient``, whose
headers and their order are copied here: a server or a proxy that cannot handle them must fail here
and not on a real device.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a server, with the token for it."""

    url: str
    """Scheme, host, port and path prefix, without a slash at the end."""
    host_header: str
    """The ``Host`` header as the firmware writes it: without the port when it is 80 or 443."""
    token: str = field(default="", repr=False)
    """Bearer token that a server may ask of programs on its own computer (``access.loopback``);
    empty: none is sent."""


def parse_server(address: str) -> ServerAddress:
    """Read ``http://host:port`` (the scheme may be left out). Raises ValueError."""
    text = address.strip()
    if "://" not in text:
        text = f"http://{text}"
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"{address!r} is not an address like http://127.0.0.1:8321")
    port = parts.port  # raises ValueError when it is not a number up to 65535
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host_header = host if port in {None, 80, 443} else f"{host}:{port}"
    netloc = host if port is None else f"{host}:{port}"
    return ServerAddress(
        url=f"{parts.scheme}://{netloc}{parts.path.rstrip('/')}", host_header=host_header
    )


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
    """``POST /context/sensors``; ``SensorReading`` has the fields and units."""
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


ACCEL_NOISE_G = 0.004
"""Standard deviation, g. The MPU6886's noise density (100 µg/√Hz) gives 0.001 g at 100 Hz; the
rest comes from the table on which the device stands."""

GYRO_NOISE_DPS = 0.2
"""Standard deviation, degrees a second: the same estimate for the gyroscope (4 mdps/√Hz)."""

SHAKE_G = 1.5
"""How far a shaken device's acceleration swings, g."""

MOVING_G = 0.15
"""Deviation of the acceleration's length from 1 g from which the device is moving."""

SHAKING_G = 0.6
"""Deviation from which the device is being shaken, g."""


class Orientation(StrEnum):
    """How the device lies or stands."""

    FACE_UP = "face_up"
    FACE_DOWN = "face_down"
    UPRIGHT = "upright"
    UPSIDE_DOWN = "upside_down"
    LEFT_SIDE = "left_side"
    RIGHT_SIDE = "right_side"


_GRAVITY: dict[Orientation, tuple[float, float, float]] = {
    Orientation.FACE_UP: (0.0, 0.0, 1.0),
    Orientation.FACE_DOWN: (0.0, 0.0, -1.0),
    Orientation.UPRIGHT: (0.0, 1.0, 0.0),
    Orientation.UPSIDE_DOWN: (0.0, -1.0, 0.0),
    Orientation.LEFT_SIDE: (-1.0, 0.0, 0.0),
    Orientation.RIGHT_SIDE: (1.0, 0.0, 0.0),
}


@dataclass(frozen=True, slots=True)
class SensorReading:
    """The body of ``POST /context/sensors``: acceleration in g, rotation in degrees a second."""

    orientation: str
    is_moving: bool
    is_shaking: bool
    tap_detected: bool
    accel_x: float
    accel_y: float
    accel_z: float
    gyro_x: float
    gyro_y: float
    gyro_z: float

    def payload(self) -> dict[str, object]:
        """The fields by their names on the wire."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SensorModel:
    """A device that rests, is shaken or is tapped. The same seed gives the same readings."""

    seed: int = 0
    orientation: Orientation = Orientation.FACE_UP
    tapped: bool = False
    """The first reading reports a tap."""
    shaken: bool = False
    """Every reading is one of a shaken device."""

    def reading(self, index: int) -> SensorReading:
        """The reading of the given index, counted from 0."""
        # Noise, not a secret; a generator for each reading keeps readings independent of order.
        noise = random.Random(f"{self.seed}:{index}")  # noqa: S311
        accel = [g + noise.gauss(0.0, ACCEL_NOISE_G) for g in _GRAVITY[self.orientation]]
        gyro = [noise.gauss(0.0, GYRO_NOISE_DPS) for _ in range(3)]
        if self.shaken:
            # Along gravity, so that the length of the acceleration shows it whatever the phase.
            swing = noise.uniform(SHAKING_G, SHAKE_G) * noise.choice((-1.0, 1.0))
            accel = [a + g * swing for a, g in zip(accel, _GRAVITY[self.orientation], strict=True)]
            gyro = [rate + noise.uniform(-180.0, 180.0) for rate in gyro]
        deviation = abs(math.hypot(*accel) - 1.0)
        return SensorReading(
            orientation=self.orientation.value,
            is_moving=self.shaken or deviation > MOVING_G,
            is_shaking=self.shaken,
            tap_detected=self.tapped and index == 0,
            accel_x=round(accel[0], 4),
            accel_y=round(accel[1], 4),
            accel_z=round(accel[2], 4),
            gyro_x=round(gyro[0], 3),
            gyro_y=round(gyro[1], 3),
            gyro_z=round(gyro[2], 3),
        )
