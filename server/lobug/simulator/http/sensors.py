"""What a Core2's motion sensor reports: a small deterministic model."""

from __future__ import annotations

import math
import random
from dataclasses import asdict, dataclass
from enum import StrEnum

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
