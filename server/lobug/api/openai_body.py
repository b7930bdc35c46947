"""JSON bodies below ``/v1``: whatever is wrong names its field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from lobug.api.state import ServerDep
from lobug.api.upload_room import read_at_most
from lobug.errors import InvalidEncodingError, InvalidRequestError

M = TypeVar("M", bound=BaseModel)


def openai_json(model: type[M]) -> Callable[[Request, ServerDep], Awaitable[M]]:
    """A dependency that reads the body as JSON of this shape, at most ``limits.max_chat_bytes``.

    It raises InvalidEncodingError, InvalidRequestError, BodyTooLargeError.
    """

    async def read(request: Request, server: ServerDep) -> M:
        body = await read_at_most(request, server.settings.limits.max_chat_bytes)
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            # The input itself stays out of message and log: it may be somebody's words.
            fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
            if fault["type"] == "json_invalid":
                raise InvalidEncodingError("the body is not valid JSON in UTF-8") from None
            param = ".".join(map(str, fault["loc"])) or None
            message = f"{param or 'body'}: {fault['msg']}"
            raise InvalidRequestError(message, param=param) from None

    return read
