"""Lets nobody in whose right to talk has not been checked, and notes who it is."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.access.caller import Caller
from lobug.access.control import Access
from lobug.access.rules import Credentials, stranger
from lobug.api.origin import is_foreign
from lobug.api.refusal import refuse
from lobug.errors import (
    AccessUnavailableError,
    ForeignOriginError,
    HostUnknownError,
    LobugError,
    TokenInvalidError,
    TokenRequiredError,
    TokenWrongDeviceError,
    TooManyAttemptsError,
)

OPEN_PATHS = frozenset({"/health", "/xiaozhi/ota", "/xiaozhi/ota/", "/xiaozhi/ota/activate"})
"""Doors at which nobody needs a token: what they tell a stranger is no secret, and a device asks
for its token there."""

REFUSALS: tuple[type[LobugError], ...] = (
    TokenRequiredError,
    TokenInvalidError,
    TokenWrongDeviceError,
    HostUnknownError,
    ForeignOriginError,
    TooManyAttemptsError,
    AccessUnavailableError,
)
"""What every other door may answer before it is reached."""

STATE_KEY = "caller"
"""Where the ``Caller`` is in ``scope["state"]``."""


class Authentication:
    """ASGI middleware for HTTP and WebSocket: refuses who may not talk, with the answer that
    ``lobug.access.rules`` gives; of everybody else it puts the ``Caller`` into the scope.

    A WebSocket is refused before it is accepted. Whoever is let in without a token of ours may not
    come from a web page of another site; such a page cannot know a token, so with one it is none.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on once it is known from whom it is."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        access: Access = scope["app"].state.lobug.access
        client = scope.get("client")
        headers = Headers(scope=scope)
        reached = scope.get("server")
        shown = Credentials.of(
            client[0] if client else None, headers, reached[0] if reached else None
        )
        caller: Caller
        try:
            caller = access.authenticate(shown)
            if caller.token_hash is None and is_foreign(headers.get("origin"), shown.host):
                raise ForeignOriginError("the request comes from a web page of another site")
        except LobugError as error:
            if scope["type"] != "http" or scope["path"] not in OPEN_PATHS:
                await refuse(error, scope, receive, send)
                return
            caller = stranger(shown)
        scope.setdefault("state", {})[STATE_KEY] = caller
        await self._app(scope, receive, send)
