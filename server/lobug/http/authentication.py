"""Checks every request before a route sees it: the caller's right to talk, and foreign web
pages."""

from __future__ import annotations

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.access.callers import Caller
from lobug.access.rules import Credentials, allows, stranger_caller
from lobug.access.service import Access
from lobug.admission.connections import STATE_KEY as CONNECTION_KEY
from lobug.admission.connections import OpenConnection
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
from lobug.http.browser import DOCS_PATH, follows_link, from_foreign_page
from lobug.http.problems import problem

POLICY_VIOLATION = 1008
"""Close code of a refused WebSocket (RFC 6455)."""


async def refuse(error: LobugError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with an error. A WebSocket is refused before it is accepted: with the same HTTP
    answer, or with 403 if the server software can only close."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get(
        "extensions", {}
    ):
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": error.code})
        return
    answer = problem(error)
    if error.status == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="lobug"'
    elif error.status == HTTPStatus.TOO_MANY_REQUESTS:
        answer.headers["Retry-After"] = "60"
    await answer(scope, receive, send)


OPEN_PATHS = frozenset(
    {
        "/health",
        "/xiaozhi/ota",
        "/xiaozhi/ota/",
        "/xiaozhi/ota/activate",
        "/web/certificate",
    }
)
"""Paths that need no token: their answers hold no secret, and a device asks for its token there."""

LINKED_PATHS = frozenset({DOCS_PATH})
"""Pages that a link on another site may open in a browser. They hold no data of the owner, and the
other site cannot read or frame them."""

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
"""Errors that every other path may answer before its route runs."""

STATE_KEY = "caller"
"""Key of the ``Caller`` in ``scope["state"]``."""


class Authentication:
    """ASGI middleware for HTTP and WebSocket: refuses callers who may not talk, by the rules of
    ``lobug.access.rules``, and puts the ``Caller`` of all others into the scope.

    A WebSocket is refused before it is accepted. A caller without a token of ours may not be a web
    page of another site. Such a page cannot know a token, so callers with one need no such check.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on once its caller is known."""
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
                raise TokenScopeError(f"the token is valid only for its scope: {caller.scope}")
            if connection is not None:
                connection.recognize(caller)
        except LobugError as error:
            if connection is not None:
                connection.disown()
            if scope["type"] != "http" or scope["path"] not in OPEN_PATHS:
                await refuse(error, scope, receive, send)
                return
            caller = stranger_caller(shown)
        state[STATE_KEY] = caller
        await self._app(scope, receive, send)


def _is_foreign(scope: Scope, headers: Headers) -> bool:
    if scope["path"] in LINKED_PATHS and scope.get("method") == "GET" and follows_link(headers):
        return False
    return from_foreign_page(headers)
