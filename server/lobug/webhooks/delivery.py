"""Sends one event: its signature, what the receiver's answer means, and when to try again.

The form is that of Standard Webhooks (https://www.standardwebhooks.com), for which receivers find
libraries: the signature is HMAC-SHA256 over id, time and body.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import TYPE_CHECKING

from lobug import __version__
from lobug.settings.webhooks import WebhookSettings, key_of

if TYPE_CHECKING:
    import httpx

FIRST_PAUSE_S = 1.0
"""Pause after the first failure, seconds."""


def signature(key: bytes, event_id: str, timestamp: int, body: bytes) -> str:
    """The header ``Webhook-Signature``. ``timestamp``: seconds since the epoch. Pure."""
    signed = f"{event_id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


class DeliveryVerdict(Enum):
    """What becomes of an event after an attempt."""

    DELIVERED = auto()
    REFUSED = auto()
    """The receiver will never take it: it is dropped."""
    AGAIN = auto()


_REFUSED = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.GONE,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
"""Answers that say that the event itself is not wanted. Others, such as 401 and 404, are those of a
receiver that is still being set up."""


def verdict_on(status: int | None) -> DeliveryVerdict:
    """Judge an answer's status; None: there was no answer. Pure."""
    if status is not None and 200 <= status < 300:
        return DeliveryVerdict.DELIVERED
    if status is not None and (300 <= status < 400 or status in _REFUSED):
        return DeliveryVerdict.REFUSED
    return DeliveryVerdict.AGAIN


@dataclass(frozen=True, slots=True)
class Attempt:
    """The answer to one request."""

    status: int | None
    """None: there was none in time."""
    seconds: float
    problem: str = ""
    """Why there was no answer: a word or two, without the address."""

    @property
    def verdict(self) -> DeliveryVerdict:
        """What becomes of the event."""
        return verdict_on(self.status)

    @property
    def described(self) -> str:
        """What came of it, for a log line."""
        return self.problem or f"it answered {self.status}"


class Sender:
    """Sends signed requests to the receiver. Use it as an async context manager."""

    def __init__(self, settings: WebhookSettings, *, wall: Callable[[], float] = time.time) -> None:
        self._url = settings.url
        self._key = key_of(settings.secret.get_secret_value())
        self._timeout_s = settings.timeout_s
        self._wall = wall
        self._http: httpx.AsyncClient | None = None
        self._opening = asyncio.Lock()

    async def send(self, event_id: str, body: bytes) -> Attempt:
        """Send an event once. Never raises for what the receiver or the network does, reads nothing
        of the answer but its status, and follows no redirect."""
        async with self._opening:
            if self._http is None:
                self._http = await asyncio.to_thread(_client, self._timeout_s)
        import httpx  # noqa: PLC0415 - imported by now

        timestamp = int(self._wall())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Lo-Bug/{__version__}",
            "Webhook-Id": event_id,
            "Webhook-Timestamp": str(timestamp),
            "Webhook-Signature": signature(self._key, event_id, timestamp, body),
        }
        began = time.monotonic()

        def after(status: int | None, problem: str = "") -> Attempt:
            return Attempt(status, time.monotonic() - began, problem)

        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._http.stream("POST", self._url, content=body, headers=headers) as answer,
            ):
                return after(answer.status_code)
        except (TimeoutError, httpx.TimeoutException):
            return after(None, "no answer in time")
        except httpx.ConnectError:
            return after(None, "no connection")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return after(None, type(error).__name__)

    async def close(self) -> None:
        """Close idle connections."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None


def _client(timeout_s: float) -> httpx.AsyncClient:
    """To be called in a thread: the import takes a tenth of a second, the certificates as long."""
    import httpx  # noqa: PLC0415 - for those who use webhooks

    return httpx.AsyncClient(timeout=timeout_s, follow_redirects=False, trust_env=False)
