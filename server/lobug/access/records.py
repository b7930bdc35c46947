"""Who is calling, as far as the way to this server tells. Pure.

What is known of devices, of those that wait for approval, and of API tokens. Pure.

Times are seconds since the epoch.

Whose right to talk has ended, and who wants to know."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from lobug.conversation.keys import token_key

CallerKind = Literal["loopback", "network", "device", "api", "stranger"]


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller whose right to talk has been checked. Nothing else in a request says who it is."""

    kind: CallerKind
    """``loopback``: at this computer, without a token of ours. ``network``: from a trusted network,
    without one. ``device`` and ``api``: by their token. ``stranger``: nobody, at a door that is
    open to all."""
    key: str
    """Its stable name: ``device:ID``, ``token:DIGEST`` or ``address:IP``."""
    user: str | None = None
    """Whose words these are, where a token says so."""
    conversation: str | None = None
    """Which conversation they belong to, where a token says so."""
    owner: bool = False
    """Whether it may approve devices and make tokens."""
    device_id: str | None = None
    """The device, in small letters, where it is one."""
    token_hash: str | None = None
    """Of the token of ours that it came with."""
    scope: str | None = None
    """The only purpose that its token is good for; None: it may talk."""

    @property
    def privileged(self) -> bool:
        """Whether it is the owner or a paired device: some places in every queue are theirs."""
        return self.owner or self.kind == "device"

    @property
    def at_this_computer(self) -> bool:
        """Whether it is the owner at the computer that Lo-Bug runs on."""
        return self.kind == "loopback"

    @property
    def may_watch(self) -> bool:
        """Whether it may read figures and states of the server: the owner, and whoever has a token
        for that."""
        return self.owner or self.scope == "metrics"


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


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Revoked:
    """What somebody came with is no longer good, or stands for another user or conversation now."""

    key: str
    """The ``Caller.key`` of who came with it: ``device:ID`` or ``token:DIGEST``."""
    device_id: str | None
    """The device, in small letters; None: it was an API token."""
    token_hash: str | None
    """The ``Caller.token_hash`` of who came with it; None: it came without a token from a trusted
    network, under the ``Device-Id`` of a device that has one now."""

    def concerns(self, caller: Caller) -> bool:
        """Whether ``caller`` is who came with it."""
        if self.token_hash is None:
            return caller.kind == "network" and caller.key == self.key
        return caller.token_hash == self.token_hash


def revoked_between(before: Register, now: Register) -> Iterator[Revoked]:
    """Whom an open connection must be taken from, after a change. Pure."""
    for token_hash, device in before.device_by_hash.items():
        present = now.device_by_hash.get(token_hash)
        if present is None or present.user != device.user:
            yield Revoked(f"device:{device.device_id}", device.device_id, token_hash)
    for device in now.device_by_hash.values():
        if not before.is_paired(device.device_id):
            yield Revoked(f"device:{device.device_id}", device.device_id, None)
    for token_hash in before.api_token_by_hash:
        if token_hash not in now.api_token_by_hash:
            yield Revoked(token_key(token_hash), None, token_hash)


class RevocationListeners:
    """Those who hold connections."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Revoked], None]] = []

    def add(self, listener: Callable[[Revoked], None]) -> Callable[[], None]:
        """Have it called from now on. Returns what ends that."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def tell(self, revoked: Revoked) -> None:
        """Call all. What one of them raises must not keep the others from hearing it."""
        for listener in tuple(self._listeners):
            try:
                listener(revoked)
            except Exception:
                log.exception("a listener to revocations failed")
