"""Pairing: a device's description of itself, the answer to its request, and limits on attempts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from pydantic_core import from_json

from lobug.access import tokens
from lobug.access.addresses import source_of
from lobug.access.records import Device
from lobug.errors import TooManyAttemptsError
from lobug.settings.access import AccessSettings

MAX_BYTES = 64 * 1024
"""Longest description that is read; a device sends about 2 kB."""

MAX_WORD = 48
"""Characters of a name or version; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The useful part of a device's description of itself.

    It is untrusted, so it grants nothing: it is shown to the owner, the firmware's version is sent
    back, and a device that claims to run Lo-Bug's firmware may be offered a newer one.
    """

    version: str | None
    """Of its firmware."""
    description: str
    """For the owner: board and firmware; one line of printable text, may be empty."""
    application: str | None = None
    """Name of its firmware."""
    board: str | None = None
    """Type of its board."""


def read_introduction(body: bytes) -> Introduction:
    """Read a device's description. Fields that are missing or not valid, or all of them when the
    body is not JSON, are None or empty."""
    try:
        document = from_json(body) if body and len(body) <= MAX_BYTES else None
    except ValueError:
        document = None
    application = _field(document, "application")
    board = _field(document, "board")
    version = _word(_field(application, "version"))
    kind = _word(_field(board, "type"))
    application_name = _word(_field(application, "name"))
    names = (_word(_field(board, "name")) or kind, application_name, version)
    described = ", ".join(name for name in names if name)
    return Introduction(version, described, application_name, kind)


def _field(document: object, name: str) -> object:
    return document.get(name) if isinstance(document, dict) else None


def _word(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    text = " ".join(value.split())[:MAX_WORD]
    return text if text and text.isprintable() else None


class Answer(Enum):
    """What a device gets in answer to its discovery request."""

    welcome = auto()
    """Only the addresses: it has its token."""
    token = auto()
    """A token of its own."""
    code = auto()
    """A code to show until the owner has approved the device."""


def answer_to(device: Device | None, client_id: str, *, pairing: bool) -> Answer:
    """Decide the answer to a device with this ``Client-Id``. Pure.

    ``device``: the record with its ``Device-Id``; ``pairing``: whether new devices need the owner's
    approval. A new token is given until one has been used, because the answer that held it may have
    been lost. After the first use, a request for another may come from an impostor.
    """
    if device is not None and device.revoked_at is not None:
        return Answer.code  # also without pairing: otherwise a revocation would have no effect
    if device is not None and tokens.same(device.client_id, client_id):
        used = device.token_hash is not None and device.token_used_at is not None
        return Answer.welcome if used else Answer.token
    return Answer.code if pairing else Answer.token


def is_activated(device: Device | None, client_id: str) -> bool:
    """Whether the owner has approved the device with this ``Client-Id``."""
    return (
        device is not None
        and device.revoked_at is None
        and tokens.same(device.client_id, client_id)
    )


class Attempts:
    """Limits failed attempts and new devices per address, in a moving window of a minute.

    Callers with a good token are never counted, so that an attacker cannot lock out those who share
    an address with it (as behind a container's gateway). Nor are programs on this computer, which
    simulate hundreds of devices; callers behind a proxy on it are.
    """

    def __init__(self, settings: AccessSettings) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._wrong = RateLimitItemPerMinute(settings.attempts_per_minute)
        self._new = RateLimitItemPerMinute(settings.codes_per_minute)

    def wrong_token(self, address: str | None) -> None:
        """Count a token that is not valid. Raises TooManyAttemptsError."""
        self._count(self._wrong, "token", address)

    def wrong_code(self, address: str | None) -> None:
        """Count a code that no device shows. Raises TooManyAttemptsError."""
        self._count(self._wrong, "code", address)

    def require_code(self, address: str | None) -> None:
        """Raise TooManyAttemptsError when too many codes from this address were wrong."""
        if not self._limiter.test(self._wrong, "code", source_of(address)):
            raise TooManyAttemptsError("too many wrong codes; wait a minute")

    def new_device(self, address: str | None) -> None:
        """Count a new code, or, without pairing, a new device. Raises TooManyAttemptsError."""
        self._count(self._new, "new", address)

    def _count(self, limit: RateLimitItemPerMinute, what: str, address: str | None) -> None:
        if not self._limiter.hit(limit, what, source_of(address)):
            raise TooManyAttemptsError(
                f"too many attempts from this address; at most {limit.amount} a minute"
            )
