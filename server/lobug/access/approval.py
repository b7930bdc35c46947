"""Decisions about a device and its owner's approval: what discovery answers, and what it waits for.
Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from lobug.access import tokens
from lobug.access.records import Device, Register


class DiscoveryAnswer(Enum):
    """What a device gets in answer to its discovery request."""

    welcome = auto()
    """Only the addresses: it has its token."""
    token = auto()
    """A token."""
    code = auto()
    """A code to show until the owner has approved the device."""


def answer_to(device: Device | None, client_id: str, *, pairing: bool) -> DiscoveryAnswer:
    """Decide the answer to a device with this ``Client-Id``. Pure.

    ``device``: the record with its ``Device-Id``; ``pairing``: whether new devices need the owner's
    approval. A new token is given until one has been used, because the answer that held it may have
    been lost. After the first use, a request for another may come from an impostor.
    """
    if device is not None and device.revoked_at is not None:
        # Also without pairing: otherwise a revocation would have no effect.
        return DiscoveryAnswer.code
    if device is not None and tokens.same(device.client_id, client_id):
        used = device.token_hash is not None and device.token_used_at is not None
        return DiscoveryAnswer.welcome if used else DiscoveryAnswer.token
    return DiscoveryAnswer.code if pairing else DiscoveryAnswer.token


def is_activated(device: Device | None, client_id: str) -> bool:
    """Whether the owner has approved the device with this ``Client-Id``."""
    return (
        device is not None
        and device.revoked_at is None
        and tokens.same(device.client_id, client_id)
    )


@dataclass(frozen=True, slots=True)
class Awaiting:
    """A device that may not talk, but will once it has been approved or has fetched its token."""

    device_id: str
    client_id: str
    code: str | None
    """The code to approve; None: the device is approved, and has to ask discovery for its token."""


def awaiting(
    register: Register, device_id: str, client_id: str, *, now: float, pairing: bool
) -> Awaiting | None:
    """What a device without a good token waits for; None: nothing, it has to ask discovery first.
    It is told no more than discovery tells the same ids. ``now``: seconds since the epoch;
    ``pairing`` as of ``answer_to``. Pure."""
    waiting = register.waiting(device_id, client_id, now)
    if waiting is not None:
        return Awaiting(device_id, client_id, waiting.code)
    device = register.devices.get(device_id)
    if is_activated(device, client_id) and (
        answer_to(device, client_id, pairing=pairing) is DiscoveryAnswer.token
    ):
        return Awaiting(device_id, client_id, None)
    return None


def newly_activated(before: Register, now: Register) -> Iterator[tuple[str, str]]:
    """Yield ``Device-Id`` and ``Client-Id`` of devices that a change has approved. Pure."""
    for device in now.devices.values():
        known = before.devices.get(device.device_id)
        if is_activated(device, device.client_id) and not is_activated(known, device.client_id):
            yield device.device_id, device.client_id
