"""Records of devices, pairings, API tokens, browsers and invitations.

All times are seconds since the epoch. Of a token only the SHA-256 is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Device:
    """A device that has been approved; it may be revoked by now."""

    device_id: str
    """The ``Device-Id`` that it sends (its MAC address), in lower case."""
    client_id: str
    """The UUID that its firmware generated; a wiped device generates another."""
    name: str
    """Given by the owner; may be empty."""
    user: str | None
    """Its user; None: the one that the settings name, else a user of its own."""
    token_hash: str | None
    """SHA-256 of its token; None: it has none."""
    created_at: float
    last_seen_at: float | None = None
    token_given_at: float | None = None
    token_used_at: float | None = None
    """First use of the token; None: the device may never have received it."""
    revoked_at: float | None = None


@dataclass(frozen=True, slots=True)
class DeviceDetails:
    """What a device last said of itself: untrusted, and checked when it came."""

    device_id: str
    introduction: str | None = None
    """JSON of a ``devices.Introduction``; None: it has said nothing."""
    report: str | None = None
    """JSON of its latest report of its own condition; None: it has sent none."""
    reported_at: float | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A device that shows an activation code."""

    device_id: str
    client_id: str
    code: str
    challenge: str
    description: str
    """Board and firmware, as the device reports them: untrusted, printable, one line."""
    address: str
    """The address of its request."""
    created_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class ApiToken:
    """An API token of a person or a script."""

    token_id: str
    name: str
    token_hash: str
    user: str | None
    """Its user; None: the one that the settings name, else a user of its own."""
    conversation: str | None
    """The conversation of its turns; None: one of its own."""
    owner: bool
    """Whether it may approve devices and create tokens."""
    created_at: float
    last_used_at: float | None = None
    revoked_at: float | None = None
    scope: str | None = None
    """What alone it is for: one ``rules.TokenScope``, or more separated by spaces; None: it may
    talk."""


DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Browser:
    """A web browser that was let in, known by the session token in its cookie."""

    browser_id: str
    name: str
    """Given by its person or by the owner; may be empty."""
    user: str
    """Whose words come from it."""
    owner: bool
    """Its role: the owner's, or that of a person who has only a memory of their own."""
    token_hash: str
    created_at: float
    last_used_at: float | None = None
    """Written once a minute at most."""
    revoked_at: float | None = None

    def expires_at(self, days: float) -> float:
        """When its session ends if it is not used before. ``days``: ``access.browser_days``."""
        return (self.last_used_at or self.created_at) + days * DAY_S


@dataclass(frozen=True, slots=True)
class Invitation:
    """A code with which one browser can be let in, once."""

    invitation_id: str
    code: str
    """Six digits, in clear text, so that the owner can look at them again."""
    user: str
    owner: bool
    """The role of the browser that uses it."""
    name: str
    """What the browser will be called; empty: what it calls itself."""
    created_at: float
    expires_at: float
    wrong_guesses: int = 0
    """Codes that were tried since and belong to no invitation."""


@dataclass(frozen=True, slots=True)
class Register:
    """All records in the file at one moment, with indexes."""

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
    browsers: Mapping[str, Browser] = field(default_factory=dict)
    """By ``browser_id``."""
    browser_by_hash: Mapping[str, Browser] = field(default_factory=dict)
    """Without revoked ones; expired ones may be among them."""
    invitations: tuple[Invitation, ...] = ()
    """Oldest first; expired ones may be among them."""
    details: Mapping[str, DeviceDetails] = field(default_factory=dict)
    """By ``device_id``; of devices that have said something."""

    @classmethod
    def of(
        cls,
        devices: Iterable[Device],
        pairings: Iterable[Pairing],
        api_tokens: Iterable[ApiToken],
        browsers: Iterable[Browser] = (),
        invitations: Iterable[Invitation] = (),
        details: Iterable[DeviceDetails] = (),
    ) -> Register:
        known = {device.device_id: device for device in devices}
        tokens = {token.token_id: token for token in api_tokens}
        sessions = {browser.browser_id: browser for browser in browsers}
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
            sessions,
            {one.token_hash: one for one in sessions.values() if one.revoked_at is None},
            tuple(invitations),
            {said.device_id: said for said in details},
        )

    def is_paired(self, device_id: str) -> bool:
        """Whether the device has a valid token. A revoked device has none, nor has one that was
        just approved."""
        device = self.devices.get(device_id)
        return device is not None and device.revoked_at is None and device.token_hash is not None

    def waiting(self, device_id: str, client_id: str, now: float) -> Pairing | None:
        """Return the pairing of a device whose code has not expired, or None."""
        for pairing in self.pairings:
            if (pairing.device_id, pairing.client_id) == (device_id, client_id):
                return pairing if now < pairing.expires_at else None
        return None
