"""What a device says of itself when it asks discovery. Pure.

It is believed in nothing that matters: it is shown to the owner, the firmware's version is told
back, and a device that says it runs Lo-Bug's firmware may be offered a newer one.

How a device that asks discovery is answered. Pure.

How often somebody may be wrong: counts by address, in a window of a minute."""

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
"""More is not looked at: a device sends about 2 kB."""

MAX_WORD = 48
"""Characters of a name or version; a longer one is cut."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The part of a device's description that is of use."""

    version: str | None
    """Of its firmware."""
    description: str
    """For the owner: board and firmware; one line of printable text, may be empty."""
    application: str | None = None
    """How its firmware calls itself."""
    board: str | None = None
    """The type of its board."""


def read_introduction(body: bytes) -> Introduction:
    """Read a device's description; of what is no JSON, or other JSON, nothing."""
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


class Attempts:
    """Counts what one address tries. Whoever comes with a good token is never counted, so that
    nobody can lock out those who share an address with him (as behind a container's gateway). Nor
    are programs on this computer, which simulate hundreds of devices; whom a proxy on it speaks for
    are."""

    def __init__(self, settings: AccessSettings) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._wrong = RateLimitItemPerMinute(settings.attempts_per_minute)
        self._new = RateLimitItemPerMinute(settings.codes_per_minute)

    def wrong_token(self, address: str | None) -> None:
        """Count a token that let nobody in. Raises TooManyAttemptsError."""
        self._count(self._wrong, "token", address)

    def wrong_code(self, address: str | None) -> None:
        """Count a code that nobody shows. Raises TooManyAttemptsError."""
        self._count(self._wrong, "code", address)

    def require_code(self, address: str | None) -> None:
        """Raises TooManyAttemptsError when too many codes from there were wrong."""
        if not self._limiter.test(self._wrong, "code", source_of(address)):
            raise TooManyAttemptsError("too many wrong codes; wait a minute")

    def new_device(self, address: str | None) -> None:
        """Count a new code, or a new device where none is needed. Raises TooManyAttemptsError."""
        self._count(self._new, "new", address)

    def _count(self, limit: RateLimitItemPerMinute, what: str, address: str | None) -> None:
        if not self._limiter.hit(limit, what, source_of(address)):
            raise TooManyAttemptsError(
                f"too many attempts from this address; at most {limit.amount} a minute"
            )
