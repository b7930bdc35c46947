"""What a device senses of being held and moved: as it comes, and as a line for the prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

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


Finite = Annotated[float, Field(allow_inf_nan=False)]


class SensorRequest(BaseModel):
    """What a device senses. Unknown fields are ignored; absent ones have the defaults."""

    model_config = ConfigDict(extra="ignore")

    orientation: str = Field("", max_length=64, description="Such as `face_up` or `upright`.")
    is_moving: bool = Field(False, description="Whether the device is being moved.")
    is_shaking: bool = Field(False, description="Whether the device is being shaken.")
    tap_detected: bool = Field(False, description="Whether the device was just tapped.")
    accel_x: Finite = Field(0.0, description="Acceleration, g.")
    accel_y: Finite = Field(0.0, description="Acceleration, g.")
    accel_z: Finite = Field(0.0, description="Acceleration, g.")
    gyro_x: Finite = Field(0.0, description="Rotation, degrees a second.")
    gyro_y: Finite = Field(0.0, description="Rotation, degrees a second.")
    gyro_z: Finite = Field(0.0, description="Rotation, degrees a second.")

    def reading(self) -> SensorReading:
        """The reading for the conversation."""
        return SensorReading(
            # One line without brackets: in the prompt it must not look like an instruction.
            orientation=" ".join(self.orientation.replace("[", "(").replace("]", ")").split()),
            is_moving=self.is_moving,
            is_shaking=self.is_shaking,
            tap_detected=self.tap_detected,
            accel=(self.accel_x, self.accel_y, self.accel_z),
            gyro=(self.gyro_x, self.gyro_y, self.gyro_z),
        )
