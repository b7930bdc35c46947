"""Checks every request before a route sees it: the caller's right to talk, and foreign web
pages."""

from __future__ import annotations

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.access.callers import Caller, waiting_caller
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
        "/ready",
        "/xiaozhi/ota",
        "/xiaozhi/ota/",
        "/xiaozhi/ota/activate",
    }
)
"""Paths that need no token: their answers hold no secret, and a device asks for its token there."""

OPEN_WEB_REQUESTS = frozenset(
    {
        ("GET", "/"),
        ("GET", "/web/certificate"),
        ("GET", "/web/session"),
        ("DELETE", "/web/session"),
        ("POST", "/web/pair"),
    }
)
"""What a browser needs before it is paired: the page, who it is, and how it is let in. The answers
hold no secret, but they are for pages of this server alone."""

OPEN_WEB_FOLDERS = ("/web/app/", "/web/vendor/")
"""Below them are files of the page, the same for everybody."""

DEVICE_SOCKETS = frozenset({"/xiaozhi/v1", "/xiaozhi/v1/"})
"""Paths of the devices' WebSocket, where a device that waits for approval is told its code."""

LINKED_PATHS = frozenset({"/", DOCS_PATH})
"""Pages that a link on another site may open in a browser. They hold no data of the owner, only
what a browser of this kind may do, and the other site cannot read or frame them."""

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

NOT_LET_IN: tuple[type[LobugError], ...] = (
    TokenRequiredError,
    TokenInvalidError,
    TooManyAttemptsError,
    AccessUnavailableError,
)
"""Errors of a browser that is not paired; it may see the page all the same."""

STATE_KEY = "caller"
"""Key of the ``Caller`` in ``scope["state"]``."""


class Authentication:
    """ASGI middleware for HTTP and WebSocket: refuses callers who may not talk, by the rules of
    ``lobug.access.rules``, and puts the ``Caller`` of all others into the scope.

    A WebSocket is refused before it is accepted. A caller without a token of ours, or with a
    browser's session, may not be a web page of another site. Such a page cannot know a token, so
    callers with one need no such check.
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
            if caller.may_be_a_page and _is_foreign(scope, headers):
                raise _foreign()
            if caller.scope and not allows(caller.scope, scope.get("method", ""), scope["path"]):
                raise TokenScopeError(f"the token is valid only for its scope: {caller.scope}")
            if connection is not None:
                connection.recognize(caller)
        except LobugError as error:
            if connection is not None:
                connection.disown()
            refusal: LobugError | None
            try:
                found = _waiting(error, access, shown, scope, headers)
                refusal = None if found is not None else _refusal(error, scope, headers)
            except TooManyAttemptsError as too_many:
                found, refusal = None, too_many
            if refusal is not None:
                await refuse(refusal, scope, receive, send)
                return
            caller = stranger_caller(shown) if found is None else found
        state[STATE_KEY] = caller
        await self._app(scope, receive, send)


def is_open(scope: Scope) -> bool:
    """Whether a stranger may send this request."""
    return scope["type"] == "http" and (scope["path"] in OPEN_PATHS or _is_open_to_browsers(scope))


def _is_open_to_browsers(scope: Scope) -> bool:
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    below = method == "GET" and scope["path"].startswith(OPEN_WEB_FOLDERS)
    return below or (method, scope["path"]) in OPEN_WEB_REQUESTS


def _refusal(error: LobugError, scope: Scope, headers: Headers) -> LobugError | None:
    """The error with which a caller that may not talk is refused; None: as a stranger it may send
    this request."""
    if not is_open(scope):
        return error
    if scope["path"] in OPEN_PATHS:
        return None
    if _is_foreign(scope, headers):
        return _foreign()
    return None if isinstance(error, NOT_LET_IN) else error


def _waiting(
    error: LobugError, access: Access, shown: Credentials, scope: Scope, headers: Headers
) -> Caller | None:
    """The caller of a device that opens the devices' WebSocket and waits for its owner's approval;
    None: it is none. Raises TooManyAttemptsError."""
    if (
        scope["type"] != "websocket"
        or scope["path"] not in DEVICE_SOCKETS
        or not isinstance(error, (TokenRequiredError, TokenInvalidError))
        or _is_foreign(scope, headers)
    ):
        return None
    found = access.awaiting(shown)
    return None if found is None else waiting_caller(found.device_id, found.client_id)


def _foreign() -> ForeignOriginError:
    return ForeignOriginError("the request comes from a web page of another site")


def _is_foreign(scope: Scope, headers: Headers) -> bool:
    if scope["path"] in LINKED_PATHS and scope.get("method") == "GET" and follows_link(headers):
        return False
    return from_foreign_page(headers)
