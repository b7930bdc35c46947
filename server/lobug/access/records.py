"""Records of devices, pairings and API tokens, and the tables of ``access.db`` that hold them.

A test compares the tables with what the migrations in ``store`` make. All times are seconds since
the epoch. Of a token only the SHA-256 is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Column, MetaData, Table, Text

from lobug.storage.columns import Flag, Number


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
    """Its only purpose, a ``rules.TokenScope``; None: it may talk."""


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

    @classmethod
    def of(
        cls,
        devices: Iterable[Device],
        pairings: Iterable[Pairing],
        api_tokens: Iterable[ApiToken],
    ) -> Register:
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


metadata = MetaData()

devices = Table(
    "devices",
    metadata,
    Column(
        "device_id",
        Text,
        primary_key=True,
        comment="as it names itself (its MAC address), in lower case",
    ),
    Column("client_id", Text, nullable=False, comment="the UUID that its firmware made"),
    Column("name", Text, nullable=False, comment="what the owner calls it; may be empty"),
    Column("user", Text, comment="whose words come from it; null: the settings say"),
    Column("token_hash", Text, unique=True, comment="null: no token was given to it yet"),
    Column("created_at", Number, nullable=False),
    Column("last_seen_at", Number),
    Column("token_given_at", Number),
    Column("token_used_at", Number, comment="first use"),
    Column("revoked_at", Number),
    comment="devices that were approved once",
    sqlite_strict=True,
)

pairings = Table(
    "pairings",
    metadata,
    Column("device_id", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("code", Text, nullable=False, unique=True, comment="what the device shows"),
    Column("challenge", Text, nullable=False),
    Column("description", Text, nullable=False, comment="board and firmware, as it says itself"),
    Column("address", Text, nullable=False, comment="where it asked from"),
    Column("created_at", Number, nullable=False),
    Column("expires_at", Number, nullable=False),
    comment="devices that wait for approval",
    sqlite_strict=True,
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("token_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("user", Text, comment="whose words come with it; null: the settings say"),
    Column("conversation", Text, comment="null: one of its own"),
    Column("owner", Flag, nullable=False, comment="it may approve devices and make tokens"),
    Column("created_at", Number, nullable=False),
    Column("last_used_at", Number),
    Column("revoked_at", Number),
    Column("scope", Text, comment="its only purpose; null: it may talk"),
    comment="tokens of people and scripts",
    sqlite_strict=True,
)
