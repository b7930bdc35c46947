"""Options of a soak, and what its devices do when. Pure: the same seed gives the same plan."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

HOUR_S = 3_600.0

COMPRESSED = 96.0
"""Simulated seconds in a real one: a day takes 15 minutes."""

ACTIONS_PER_DAY = 48.0
"""Of each device, where time is compressed."""

ACTIONS_PER_DAY_IN_REAL_TIME = 480.0
"""Of each device in real time: one in three minutes, more in the evening."""

RESTS = 16
"""How often a server is measured, besides once at the beginning."""

SERVER = (sys.executable, "-m", "lobug.cli.simulate.soak_server")
"""Command that starts the server; the description of the server is its last argument."""

MAX_HOURS = 168.0
"""The longest soak, simulated hours: a week."""

MAX_DEVICES = 100
MAX_ACTIONS = 100_000
"""Most actions of one soak, so that a slip of the finger does not run for days."""

HOURLY_SHARE = (
    0.2, 0.1, 0.1, 0.1, 0.1, 0.3, 1.0, 2.0, 1.5, 0.8, 0.8, 1.0,
    1.6, 1.2, 0.8, 0.8, 1.0, 1.5, 2.2, 2.4, 2.0, 1.4, 0.8, 0.3,
)  # fmt: skip
"""Activity in each hour of a day; 1 is the mean of all 24."""

EVENING_H = 18.0
"""Hour at which a soak in real time begins: a busy one."""

BURST_SHARE = 0.3
"""Share of actions that are followed by more of the same device at once."""
BURST_S = 20.0
"""Pause between the actions of a burst, simulated seconds."""


class Transport(StrEnum):
    """Which protocol a device speaks."""

    HTTP = "http"
    SOCKET = "ws"


class Action(StrEnum):
    """Something that a device or its owner does."""

    TYPE = "type"
    """A turn in writing."""
    SPEAK = "speak"
    """A spoken turn, by the device's protocol."""
    TELL = "tell"
    """A turn that tells something worth remembering."""
    REMEMBER = "remember"
    """A spoken command to remember."""
    FORGET = "forget"
    """A spoken command to forget, confirmed."""
    SEARCH = "search"
    """The owner searches a memory."""
    EXPORT = "export"
    """The owner downloads a memory."""
    HALF_SENT = "half_sent"
    """An upload that breaks off in the middle."""
    INTERRUPT = "interrupt"
    """A spoken turn whose reply is interrupted."""
    BREAK_OFF = "break_off"
    """A spoken turn in which the connection breaks without a goodbye."""
    HANG_UP = "hang_up"
    """The connection is closed in order."""
    VANISH = "vanish"
    """An idle connection breaks without a goodbye."""
    PAIR = "pair"
    """Discovery, a code, the owner's approval, a connection with the token, and its revocation."""


_SHARES: dict[Transport, dict[Action, float]] = {
    Transport.HTTP: {
        Action.TYPE: 20,
        Action.SPEAK: 40,
        Action.TELL: 12,
        Action.REMEMBER: 6,
        Action.FORGET: 4,
        Action.SEARCH: 6,
        Action.EXPORT: 3,
        Action.HALF_SENT: 9,
    },
    Transport.SOCKET: {
        Action.SPEAK: 50,
        Action.TELL: 6,
        Action.INTERRUPT: 14,
        Action.BREAK_OFF: 10,
        Action.HANG_UP: 8,
        Action.VANISH: 6,
        Action.PAIR: 6,
    },
}


@dataclass(frozen=True, slots=True, order=True)
class PlannedAction:
    """One action of one device."""

    at_s: float
    """Simulated seconds since the beginning."""
    device: int
    """Index of the device, from 0."""
    action: Action


def transport_of(device: int) -> Transport:
    """The protocol of a device: every second device streams."""
    return Transport.SOCKET if device % 2 else Transport.HTTP


def plan(
    devices: int, hours: float, actions_per_day: float, seed: int = 0, begins_h: float = 0.0
) -> list[PlannedAction]:
    """All actions of all devices, in order of time.

    Args:
        devices: how many devices there are.
        hours: simulated length.
        actions_per_day: of each device, on average over a day.
        seed: of all that is random.
        begins_h: hour of the day at which the soak begins.

    Raises ValueError, as a sentence, for a soak beyond its bounds.
    """
    if not 0 < hours <= MAX_HOURS:
        raise ValueError(f"a soak takes more than 0 and at most {MAX_HOURS:g} hours")
    if not 1 <= devices <= MAX_DEVICES:
        raise ValueError(f"a soak has 1 to {MAX_DEVICES} devices")
    if devices * hours / 24 * actions_per_day > MAX_ACTIONS:
        raise ValueError(
            f"a soak has at most {MAX_ACTIONS:,} actions; choose fewer hours or devices"
        )
    made = [
        action
        for device in range(devices)
        for action in _of_device(device, hours, actions_per_day, seed, begins_h)
    ]
    return sorted(made)


def _of_device(
    device: int, hours: float, actions_per_day: float, seed: int, begins_h: float
) -> Sequence[PlannedAction]:
    chance = random.Random(f"{seed}/{device}")  # noqa: S311 - a model of people
    shares = _SHARES[transport_of(device)]
    kinds, weights = list(shares), list(shares.values())
    # A burst adds 1 / (1 - share) actions on average to each that begins one.
    busiest_per_s = max(HOURLY_SHARE) * actions_per_day * (1 - BURST_SHARE) / (24 * HOUR_S)
    made: list[PlannedAction] = []
    at_s = 0.0
    while True:
        # Thinning: draw at the rate of the busiest hour, and keep the hour's share of the draws.
        at_s += chance.expovariate(busiest_per_s)
        if at_s >= hours * HOUR_S:
            return made
        hour = int(begins_h + at_s / HOUR_S) % 24
        if chance.random() * max(HOURLY_SHARE) > HOURLY_SHARE[hour]:
            continue
        when_s = at_s
        while when_s < hours * HOUR_S:
            made.append(PlannedAction(when_s, device, chance.choices(kinds, weights)[0]))
            if chance.random() >= BURST_SHARE:
                break
            when_s += BURST_S


@dataclass(frozen=True, slots=True)
class SoakRunOptions:
    """How a soak is run."""

    hours: float
    """Simulated."""
    devices: int = 20
    factor: float = COMPRESSED
    """Simulated seconds in a real one; 1: real time."""
    seed: int = 0
    rests: int = RESTS
    server: Sequence[str] = SERVER
    actions_per_day: float | None = None
    """Of each device, on average; None: as the factor suggests."""

    @property
    def real_s(self) -> float:
        """Real seconds that it takes, without its rests."""
        return self.hours * HOUR_S / self.factor

    def plan(self) -> list[PlannedAction]:
        """All actions, in order of time. Raises ValueError, a sentence, beyond the bounds."""
        compressed = self.factor > 1
        usual = ACTIONS_PER_DAY if compressed else ACTIONS_PER_DAY_IN_REAL_TIME
        return plan(
            self.devices,
            self.hours,
            self.actions_per_day or usual,
            self.seed,
            begins_h=0.0 if compressed else EVENING_H,
        )
