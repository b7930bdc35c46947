"""What every answer tells a browser: other sites may neither read, frame nor reinterpret it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BROWSER_RULES: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
"""Headers of every answer that does not set its own. Devices and scripts ignore them."""


def add_browser_rules(headers: MutableHeaders) -> None:
    """Add what an answer does not say itself."""
    for name, value in BROWSER_RULES.items():
        headers.setdefault(name, value)


class BrowserRules:
    """ASGI middleware: adds ``BROWSER_RULES`` to HTTP answers and to refusals of WebSockets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the headers."""

        async def answering(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                add_browser_rules(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, answering)
