"""Who is calling, as far as the way to this server tells. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
