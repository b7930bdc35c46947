"""How often somebody may be wrong: counts by address, in a window of a minute."""

from __future__ import annotations

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from lobug.access.addresses import source_of
from lobug.errors import TooManyAttemptsError
from lobug.settings.access import AccessSettings


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
