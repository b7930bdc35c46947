"""Lets nobody in whose right to talk has not been checked, and notes who it is."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.access.caller import Caller
from lobug.access.control import Access
from lobug.access.rules import Credentials, stranger
from lobug.access.scopes import allows
from lobug.admission.connections import STATE_KEY as CONNECTION_KEY
from lobug.admission.connections import OpenConnection
from lobug.api.docs_page import PATH as DOCS_PATH
from lobug.api.origin import follows_link, from_foreign_page
from lobug.api.refusal import refuse
from lobug.errors import (
    AccessUnavailableError,
    ForeignOriginError,
    HostUnknownError,
    LobugError,
    TokenInvalidError,
    TokenRequiredError,
    TokenScopeError,
    TokenWrongDeviceError,
    TooManyAttemptsError,
    TooManyConnectionsError,
)

OPEN_PATHS = frozenset({"/health", "/xiaozhi/ota", "/xiaozhi/ota/", "/xiaozhi/ota/activate"})
"""Doors at which nobody needs a token: what they tell a stranger is no secret, and a device asks
for its token there."""

LINKED_PATHS = frozenset({DOCS_PATH})
"""Pages that a link on another site may open in a browser. They hold nothing of the owner's, and
the other site cannot read or frame them."""

REFUSALS: tuple[type[LobugError], ...] = (
    TokenRequiredError,
    TokenInvalidError,
    TokenWrongDeviceError,
    TokenScopeError,
    HostUnknownError,
    ForeignOriginError,
    TooManyAttemptsError,
    TooManyConnectionsError,
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
        state = scope.setdefault("state", {})
        connection: OpenConnection | None = state.get(CONNECTION_KEY)
        caller: Caller
        try:
            caller = access.authenticate(shown)
            if caller.token_hash is None and _is_foreign(scope, headers):
                raise ForeignOriginError("the request comes from a web page of another site")
            if caller.scope and not allows(caller.scope, scope.get("method", ""), scope["path"]):
                raise TokenScopeError(f"the token is good for its scope alone: {caller.scope}")
            if connection is not None:
                connection.recognize(caller)
        except LobugError as error:
            if connection is not None:
                connection.disown()
            if scope["type"] != "http" or scope["path"] not in OPEN_PATHS:
                await refuse(error, scope, receive, send)
                return
            caller = stranger(shown)
        state[STATE_KEY] = caller
        await self._app(scope, receive, send)


def _is_foreign(scope: Scope, headers: Headers) -> bool:
    if scope["path"] in LINKED_PATHS and scope.get("method") == "GET" and follows_link(headers):
        return False
    return from_foreign_page(headers)
