"""Failures in the form that clients of OpenAI's interface understand."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse
from starlette.types import Scope

from lobug.errors import LobugError

PREFIX = "/v1"
"""Everything below it speaks OpenAI's protocol, failures of the middleware as well."""

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_UNPROCESSABLE = 422
_BAD_REQUEST = 400


def speaks_openai(scope: Scope) -> bool:
    """Whether a request came in by OpenAI's door."""
    path: str = scope.get("path", "")
    return path == PREFIX or path.startswith(f"{PREFIX}/")


def error_body(status: int, code: str, message: str, param: str | None = None) -> dict[str, Any]:
    """A failure's body, with our stable code."""
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def openai_answer(status: int, code: str, message: str, param: str | None = None) -> JSONResponse:
    """A failure as an answer. OpenAI has no 422: what is wrong with a request is a 400 there."""
    if status == _UNPROCESSABLE:
        status = _BAD_REQUEST
    return JSONResponse(error_body(status, code, message, param), status_code=status)


def failure_body(error: LobugError) -> dict[str, Any]:
    """The body of a typed failure, for a stream that has begun already."""
    return error_body(
        error.status, error.code, str(error) or error.code, getattr(error, "param", None)
    )
