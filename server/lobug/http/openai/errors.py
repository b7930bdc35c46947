"""Errors in OpenAI's form, which its clients understand."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse
from starlette.types import Scope

from lobug.errors import LobugError

PREFIX = "/v1"
"""All paths below it speak OpenAI's protocol, also in errors of the middleware."""

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_UNPROCESSABLE = 422
_BAD_REQUEST = 400


def speaks_openai(scope: Scope) -> bool:
    """Whether a request is for one of OpenAI's paths."""
    path: str = scope.get("path", "")
    return path == PREFIX or path.startswith(f"{PREFIX}/")


def error_body(status: int, code: str, message: str, param: str | None = None) -> dict[str, Any]:
    """The body of an error, with Lo-Bug's stable code."""
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def openai_answer(status: int, code: str, message: str, param: str | None = None) -> JSONResponse:
    """The response for an error. OpenAI answers 400 where Lo-Bug answers 422."""
    if status == _UNPROCESSABLE:
        status = _BAD_REQUEST
    return JSONResponse(error_body(status, code, message, param), status_code=status)


def failure_body(error: LobugError) -> dict[str, Any]:
    """The body of a typed error, for a stream that has already begun."""
    return error_body(
        error.status, error.code, str(error) or error.code, getattr(error, "param", None)
    )
