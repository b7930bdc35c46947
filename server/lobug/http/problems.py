"""Failures as HTTP answers: a stable code and a sentence for the device, never a stack trace.

Below ``/v1`` they have the form that clients of OpenAI's interface understand.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from lobug.errors import (
    InvalidEncodingError,
    InvalidRequestError,
    LobugError,
    TooManyAttemptsError,
    TooManyRequestsError,
)
from lobug.http.browser import add_browser_rules


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str = Field(description="Stable identifier of the error.")
    message: str = Field(description="For developers.")


class ErrorReply(BaseModel):
    """Any failure. It also has the fields of a reply, so that a device can show something."""

    error: ErrorDetail
    response: str = Field(description="A sentence that a device can show or say.")
    transcription: str = Field("", description="What was heard before it failed.")
    action: Literal["respond"] = Field("respond", description="The device may show `response`.")
    audio_b64: str = Field("", description="Always empty.")


class OpenAIErrorDetail(BaseModel):
    """What went wrong, as OpenAI's clients read it."""

    message: str = Field(description="For developers.")
    type: Literal[
        "authentication_error",
        "permission_error",
        "rate_limit_error",
        "invalid_request_error",
        "server_error",
    ] = Field(description="Kind of the error, by its status.")
    param: str | None = Field(description="The field that is wrong; null: none in particular.")
    code: str = Field(description="Stable identifier of the error.")


class OpenAIErrorReply(BaseModel):
    """Any failure below `/v1`."""

    error: OpenAIErrorDetail


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


log = logging.getLogger(__name__)

_HTTP_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
}


_RETRY_AFTER_S = {TooManyRequestsError.code: "5", TooManyAttemptsError.code: "60"}
"""The value of ``Retry-After`` by error code. A turn takes some seconds; attempts are counted by
the minute."""

_UNAVAILABLE_S = "2"
"""The value of ``Retry-After`` for status 503."""

CLIENT_CLOSED_REQUEST = 499
"""nginx's status for a caller that hung up; the standard has none."""


def client_closed() -> Response:
    """The answer for a caller that hung up. Nobody reads it, but its background tasks still run."""
    return Response(status_code=CLIENT_CLOSED_REQUEST)


class Problem(JSONResponse):
    """An error as an ``ErrorReply``; below ``/v1`` in OpenAI's form."""

    def __init__(self, status: int, reply: ErrorReply, param: str | None) -> None:
        unavailable = _UNAVAILABLE_S if status == HTTPStatus.SERVICE_UNAVAILABLE else None
        wait_s = _RETRY_AFTER_S.get(reply.error.code, unavailable)
        headers = {"Retry-After": wait_s} if wait_s is not None else None
        super().__init__(reply.model_dump(), status_code=status, headers=headers)
        self._detail = reply.error
        self._param = param

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the error in the form of the request's path."""
        if not speaks_openai(scope):
            await super().__call__(scope, receive, send)
            return
        answer = openai_answer(
            self.status_code, self._detail.code, self._detail.message, self._param
        )
        own = ("content-length", "content-type")
        answer.headers.update({k: v for k, v in self.headers.items() if k not in own})
        await answer(scope, receive, send)


def problem(
    error: LobugError, transcription: str = "", *, response: str | None = None
) -> JSONResponse:
    """The answer for a typed error. ``response``: shown instead of the error's sentence."""
    reply = error_reply(error, transcription)
    if response:
        reply.response = response
    return Problem(error.status, reply, getattr(error, "param", None))


def error_reply(error: LobugError, transcription: str = "") -> ErrorReply:
    """The body of a typed error."""
    detail = ErrorDetail(code=error.code, message=str(error) or error.code)
    return ErrorReply(error=detail, response=error.spoken, transcription=transcription)


def error_responses(*errors: type[LobugError]) -> dict[int | str, dict[str, Any]]:
    """Document errors by status and code, for a route's ``responses=``."""
    by_status: dict[int | str, dict[str, Any]] = {}
    for error in errors:
        known = by_status.get(error.status)
        text = _description(error)
        by_status[error.status] = {
            "model": ErrorReply,
            "description": f"{known['description']} {text}" if known else text,
        }
    return by_status


def document_errors(app: FastAPI) -> None:
    """Let ``/openapi.json`` describe errors as ``Problem`` and the handlers send them."""
    as_generated = app.openapi

    def openapi() -> dict[str, Any]:
        document = as_generated()
        # FastAPI keeps the document, and makes a new one when routes are added.
        if OpenAIErrorReply.__name__ not in document["components"]["schemas"]:
            _describe_errors(document)
        return document

    app.openapi = openapi  # type: ignore[method-assign]


_SCHEMAS = "#/components/schemas/"
_GENERATED = "HTTPValidationError"
"""FastAPI's own schema of a 422, which it adds to every route with parameters."""


def _describe_errors(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            responses: dict[str, Any] = operation["responses"]
            if _GENERATED in str(responses.get(str(_UNPROCESSABLE))):
                del responses[str(_UNPROCESSABLE)]
                if not speaks_openai({"path": path}):
                    responses[str(_UNPROCESSABLE)] = {
                        "description": _description(InvalidRequestError),
                        "content": _json_of(ErrorReply),
                    }
            if speaks_openai({"path": path}):
                _describe_openai_errors(responses)
    schemas: dict[str, Any] = document["components"]["schemas"]
    for name in (_GENERATED, "ValidationError"):
        schemas.pop(name, None)
    found = OpenAIErrorReply.model_json_schema(ref_template=f"{_SCHEMAS}{{model}}")
    schemas |= found.pop("$defs") | {OpenAIErrorReply.__name__: found}


def _describe_openai_errors(responses: dict[str, Any]) -> None:
    """Give a route's errors the form of ``openai_answer``, and its 422 the status 400."""
    unprocessable = responses.pop(str(_UNPROCESSABLE), None)
    if unprocessable is not None:
        bad = responses.setdefault(str(_BAD_REQUEST), {"description": ""})
        bad["description"] = f"{bad['description']} {unprocessable['description']}".strip()
    for status, response in responses.items():
        if int(status) >= _BAD_REQUEST:
            response["content"] = _json_of(OpenAIErrorReply)


def _json_of(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"{_SCHEMAS}{model.__name__}"}}}


def _description(error: type[LobugError]) -> str:
    return f"`{error.code}`: {(error.__doc__ or '').strip()}"


def add_problem_handlers(app: FastAPI) -> None:
    """Answer every exception of a route with an ``ErrorReply``."""

    async def typed(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, LobugError):
            raise error
        return problem(error)

    async def validation(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, RequestValidationError):
            raise error
        return problem(_validation_problem(error))

    async def http(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, HTTPException):
            raise error
        if error.status_code == InvalidEncodingError.status:
            # Starlette and FastAPI use 400 for bodies that they cannot parse.
            return problem(InvalidEncodingError(str(error.detail)))
        code = _HTTP_CODES.get(error.status_code, "http_error")
        spoken = LobugError.spoken if error.status_code >= 500 else InvalidRequestError.spoken
        answer = _answer(error.status_code, code, str(error.detail), spoken)
        answer.headers.update(error.headers or {})
        return answer

    async def hung_up(_: Request, _error: Exception) -> Response:
        # During its upload, as devices on a radio do: not a fault of this program.
        return client_closed()

    async def unexpected(_: Request, error: Exception) -> JSONResponse:
        log.error("unexpected failure", exc_info=error)
        answer = problem(LobugError(type(error).__name__))
        add_browser_rules(answer.headers)  # this answer does not pass the middleware
        return answer

    app.add_exception_handler(LobugError, typed)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(ClientDisconnect, hung_up)
    app.add_exception_handler(Exception, unexpected)


def _validation_problem(error: RequestValidationError) -> LobugError:
    # The input is left out: it may be a recording or somebody's words.
    places = []
    for item in error.errors():
        place = ".".join(str(part) for part in item["loc"])
        places.append(f"{place}: {item['msg']}")
    return InvalidRequestError("; ".join(places[:5]))


def _answer(status: int, code: str, message: str, spoken: str) -> JSONResponse:
    reply = ErrorReply(error=ErrorDetail(code=code, message=message), response=spoken)
    return Problem(status, reply, None)
