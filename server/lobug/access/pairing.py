"""How a device that asks discovery is answered. Pure."""

from __future__ import annotations

from enum import Enum, auto

from lobug.access import tokens
from lobug.access.records import Device


class Answer(Enum):
    """What a device gets."""

    welcome = auto()
    """It has its token: only where to connect."""
    token = auto()
    """A token of its own."""
    code = auto()
    """A code to show until the owner has approved it."""


def answer_to(device: Device | None, client_id: str, *, pairing: bool) -> Answer:
    """What a device gets that asks with this ``Client-Id``. ``device``: what is known under its
    ``Device-Id``; ``pairing``: whether new devices need the owner's approval.

    A token is given again until it has been used: the answer that held it may have been lost. Once
    it was used, whoever asks for another one may be somebody else under the same ``Device-Id``.
    """
    if device is not None and device.revoked_at is not None:
        return Answer.code  # also without pairing: else revoking would change nothing
    if device is not None and tokens.same(device.client_id, client_id):
        used = device.token_hash is not None and device.token_used_at is not None
        return Answer.welcome if used else Answer.token
    return Answer.code if pairing else Answer.token


def is_activated(device: Device | None, client_id: str) -> bool:
    """Whether the owner has approved the device that asks with this ``Client-Id``."""
    return (
        device is not None
        and device.revoked_at is None
        and tokens.same(device.client_id, client_id)
    )
