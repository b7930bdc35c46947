"""Names in paths that may hold a slash: `/lists/mum%2Fdad/items`.

Servers decode a path before they route it. After that `/lists/a%2Fitems`, a list, is the same as
`/lists/a/items`, what is on one.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from pydantic import AfterValidator
from starlette.types import ASGIApp, Receive, Scope, Send


class EncodedSlashes:
    """ASGI middleware: below ``prefix``, routes see the slashes and percent signs inside a part of
    the path as ``%2F`` and ``%25``. Their parameters are marked with ``DECODED``."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["path"].startswith(self._prefix):
            # ASGI does not promise the path as it was sent.
            sent = scope.get("raw_path") or quote(scope["path"]).encode()
            parts = sent.decode("latin-1").split("/")
            scope = {**scope, "path": "/".join(_encoded(unquote(part)) for part in parts)}
        await self._app(scope, receive, send)


def _encoded(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


DECODED = AfterValidator(unquote)
"""Of a path parameter below the prefix of ``EncodedSlashes``."""
