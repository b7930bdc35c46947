"""What concerns browsers: security headers, requests of foreign pages, and the page `/docs`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
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
"""Headers of every answer, unless it sets its own: other sites may neither read, frame nor
reinterpret it. Devices and scripts ignore them."""


def add_browser_rules(headers: MutableHeaders) -> None:
    """Add ``BROWSER_RULES`` to the headers of an answer, except those that it has."""
    for name, value in BROWSER_RULES.items():
        headers.setdefault(name, value)


class BrowserRules:
    """ASGI middleware: adds ``BROWSER_RULES`` to HTTP answers and to refusals of WebSockets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the headers to its answer."""

        async def answering(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                add_browser_rules(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, answering)


def from_foreign_page(headers: Mapping[str, str]) -> bool:
    """Whether a browser sent the request on behalf of a page of another origin. Pure.

    Args:
        headers: of the request; names are found in any case, as Starlette's mapping does.
    """
    return _is_foreign_fetch(headers) or _is_foreign_origin(headers)


def follows_link(headers: Mapping[str, str]) -> bool:
    """Whether a browser opens the address as a top-level page: not framed by another page, nor
    readable by it. Pure."""
    return (
        headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and not _is_foreign_origin(headers)
    )


def _is_foreign_fetch(headers: Mapping[str, str]) -> bool:
    """Judge by ``Sec-Fetch-Site``. Browsers send it with every request to a loopback address or
    over TLS, also for pictures and scripts, and no page can change it. ``none``: a person typed the
    address, or opened a bookmark. ``same-site`` is another port of this computer."""
    return headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}


def _is_foreign_origin(headers: Mapping[str, str]) -> bool:
    """Judge by ``Origin``: whether it names another site than ``Host``.

    Any web page can post to this address without reading the answer, and so put words into a
    memory; from a WebSocket it could even read. Devices, curl and scripts send no ``Origin``, but
    some WebSocket libraries for microcontrollers and some programs do, with any value.
    """
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:
        return True
    return not netloc or netloc.lower() != headers.get("host", "").lower()


DOCS_PATH = "/docs"
DOCS_FOLDER = Path(__file__).parents[1] / "web" / "docs"

DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Policy of the page. It acts with the owner's rights, so it runs no scripts but ours and sends no
requests elsewhere. Swagger UI draws its icons from ``data:``."""


def add_docs_page(app: FastAPI) -> None:
    """Serve `/docs` and its files; nothing is fetched from elsewhere."""

    async def page() -> Response:
        return FileResponse(
            DOCS_FOLDER / "page.html", headers={"Content-Security-Policy": DOCS_POLICY}
        )

    app.add_api_route(DOCS_PATH, page, methods=["GET"], include_in_schema=False)
    app.mount(f"{DOCS_PATH}/assets", StaticFiles(directory=DOCS_FOLDER / "assets"), name="docs")
