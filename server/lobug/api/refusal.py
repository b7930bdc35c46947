"""Turns a request away before any route sees it, over HTTP and WebSocket alike."""

from __future__ import annotations

from http import HTTPStatus

from starlette.types import Receive, Scope, Send

from lobug.api.problems import problem
from lobug.errors import LobugError

POLICY_VIOLATION = 1008
"""Close code of RFC 6455 for it."""


async def refuse(error: LobugError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a failure. A WebSocket is not accepted first: its client gets the same HTTP
    answer, or 403 where the server software can only close."""
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
