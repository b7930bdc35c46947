"""What is known of devices, of those that wait for approval, and of API tokens. Pure.

Times are seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Device:
    """A device that was approved once."""

    device_id: str
    """As it names itself (its MAC address), in small letters."""
    client_id: str
    """The UUID that its firmware made for itself; a wiped device has another."""
    name: str
    """What the owner calls it; may be empty."""
    user: str | None
    """Whose words come from it; None: the settings say, else it is a user of its own."""
    token_hash: str | None
    """None: no token has been given to it yet."""
    created_at: float
    last_seen_at: float | None = None
    token_given_at: float | None = None
    token_used_at: float | None = None
    """First use; None: perhaps it never arrived."""
    revoked_at: float | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A device that shows a code."""

    device_id: str
    client_id: str
    code: str
    challenge: str
    description: str
    """What it says of itself: board and firmware. Text of unknown origin, printable, one line."""
    address: str
    """Where it asked from."""
    created_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token of a person or a script."""

    token_id: str
    name: str
    token_hash: str
    user: str | None
    """Whose words come with it; None: the settings say, else it is a user of its own."""
    conversation: str | None
    """Which conversation they belong to; None: one of its own."""
    owner: bool
    """Whether it may approve devices and make tokens."""
    created_at: float
    last_used_at: float | None = None
    revoked_at: float | None = None
    scope: str | None = None
    """The only purpose that it is good for, a ``scopes.Scope``; None: it may talk."""


@dataclass(frozen=True, slots=True)
class Register:
    """Everything in the file at one moment, with the ways to find it."""

    devices: Mapping[str, Device] = field(default_factory=dict)
    """By ``device_id``."""
    pairings: tuple[Pairing, ...] = ()
    """Oldest first; expired ones may be among them."""
    api_tokens: Mapping[str, ApiToken] = field(default_factory=dict)
    """By ``token_id``."""
    device_by_hash: Mapping[str, Device] = field(default_factory=dict)
    """Without revoked ones."""
    api_token_by_hash: Mapping[str, ApiToken] = field(default_factory=dict)
    """Without revoked ones."""

    @classmethod
    def of(
        cls,
        devices: Iterable[Device],
        pairings: Iterable[Pairing],
        api_tokens: Iterable[ApiToken],
    ) -> Register:
        """Make the ways to find them."""
        known = {device.device_id: device for device in devices}
        tokens = {token.token_id: token for token in api_tokens}
        return cls(
            known,
            tuple(pairings),
            tokens,
            {
                device.token_hash: device
                for device in known.values()
                if device.token_hash is not None and device.revoked_at is None
            },
            {token.token_hash: token for token in tokens.values() if token.revoked_at is None},
        )

    def is_paired(self, device_id: str) -> bool:
        """Whether the device has a token in force. One that was revoked, or was just approved, has
        none."""
        device = self.devices.get(device_id)
        return device is not None and device.revoked_at is None and device.token_hash is not None

    def waiting(self, device_id: str, client_id: str, now: float) -> Pairing | None:
        """The code that a device shows, if it is still good."""
        for pairing in self.pairings:
            if (pairing.device_id, pairing.client_id) == (device_id, client_id):
                return pairing if now < pairing.expires_at else None
        return None
