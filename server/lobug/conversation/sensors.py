"""Sensor readings of a device, how long they stay valid, and their line in the prompt. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.language.en.prompts import MOVING, ORIENTATION, SHAKING, TAPPED
from lobug.settings import SensorSettings


@dataclass(frozen=True, slots=True)
class SensorReading:
    """One reading of a device's motion sensor."""

    orientation: str = ""
    """Free text of the firmware, e.g. ``face_up``."""
    is_moving: bool = False
    is_shaking: bool = False
    tap_detected: bool = False
    accel: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """g, axes x y z."""
    gyro: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Degrees a second, axes x y z."""


class SensorContext:
    """The latest reading of one device. Times are seconds of any monotonic clock."""

    def __init__(self, settings: SensorSettings) -> None:
        self._settings = settings
        self._reading: SensorReading | None = None
        self._read_at = 0.0
        self._tapped_at: float | None = None

    def update(self, reading: SensorReading, now: float) -> None:
        """Take a new reading. A tap is kept although later readings lack it."""
        self._reading = reading
        self._read_at = now
        if reading.tap_detected:
            self._tapped_at = now

    def summary(self, now: float) -> str:
        """The valid readings as one line for the prompt; empty when all have expired."""
        if self._reading is None or now - self._read_at > self._settings.expiry_s:
            return ""
        parts = []
        if self._reading.orientation:
            parts.append(ORIENTATION.format(self._reading.orientation))
        if self._reading.is_shaking:
            parts.append(SHAKING)
        elif self._reading.is_moving:
            parts.append(MOVING)
        if self._tapped_at is not None and now - self._tapped_at <= self._settings.tap_expiry_s:
            parts.append(TAPPED)
        return ". ".join(parts)
