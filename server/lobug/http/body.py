"""Reads JSON bodies, whatever their content type: `curl -d` and small devices send a wrong one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from lobug.errors import InvalidEncodingError, InvalidRequestError
from lobug.http.state import ServerDep
from lobug.http.uploads import read_at_most

M = TypeVar("M", bound=BaseModel)

SHOWN_FAULTS = 5
"""Most faults of a body that an error lists."""

BYTES_PER_CHARACTER = 12
"""Longest form of a character in JSON: two escaped surrogates."""

BYTES_BESIDE_TEXT = 64 * 1024
"""Allowance for all but the text. Parsing JSON blocks the event loop, 10 to 20 ms a megabyte, so a
body may not be as large as a recording."""


def json_body(model: type[M]) -> Callable[[Request, ServerDep], Awaitable[M]]:
    """A dependency that reads the body as JSON of this model.

    It raises InvalidEncodingError (not JSON, not UTF-8), InvalidRequestError (not of this model) or
    BodyTooLargeError (larger than any JSON with ``limits.max_text_chars`` needs to be). Use
    ``documented`` on the route, for OpenAPI.
    """

    async def read(request: Request, server: ServerDep) -> M:
        limit = BYTES_PER_CHARACTER * server.settings.limits.max_text_chars + BYTES_BESIDE_TEXT
        body = await read_at_most(request, limit)
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
            if any(fault["type"] == "json_invalid" for fault in faults):
                raise InvalidEncodingError("the body is not valid JSON in UTF-8") from None
            # The input is left out of message and log: it may be somebody's words.
            shown = (
                f"{'.'.join(map(str, fault['loc'])) or 'body'}: {fault['msg']}"
                for fault in faults[:SHOWN_FAULTS]
            )
            raise InvalidRequestError("; ".join(shown)) from None

    return read


def documented(model: type[BaseModel]) -> dict[str, Any]:
    """The body that ``json_body`` reads, for a route's ``openapi_extra``."""
    schema = model.model_json_schema()
    schema = _inlined(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema with its definitions inlined, because references do not work in the middle of a
    document. None of our schemas is recursive."""
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref", "")
    if reference.startswith("#/$defs/"):
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        found = definitions[reference.removeprefix("#/$defs/")]
        return _inlined({**found, **rest}, definitions)
    return {key: _inlined(value, definitions) for key, value in schema.items()}
