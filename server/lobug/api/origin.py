"""Refuses what a foreign web page sends: only Lo-Bug's own pages may talk from a browser."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.api.refusal import refuse
from lobug.errors import ForeignOriginError


class SameOrigin:
    """ASGI middleware: answers 403 to a browser that speaks for another site.

    Any page that somebody opens can post to this address, without reading the answer, and so put
    words into a memory; a WebSocket it could even read. Browsers say which site a request comes
    from (``Origin``); devices, curl and scripts send no such header and are not concerned.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on unless another site stands behind it."""
        if scope["type"] in {"http", "websocket"}:
            headers = Headers(scope=scope)
            if is_foreign(headers.get("origin"), headers.get("host")):
                error = ForeignOriginError("the request comes from a web page of another site")
                await refuse(error, scope, receive, send)
                return
        await self._app(scope, receive, send)


def is_foreign(origin: str | None, host: str | None) -> bool:
    """Whether a request's ``Origin`` names another site than the ``Host`` that it was sent to."""
    if origin is None:
        return False
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:
        return True
    return not netloc or netloc.lower() != (host or "").lower()
