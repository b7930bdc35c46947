"""Validates what a device sends about its tools (JSON-RPC 2.0, MCP). Pure.

Nothing of it is trusted: the firmware's error replies lack the code that JSON-RPC requires, its
pictures do not have MCP's form, and a device can send anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import SchemaError, best_match  # type: ignore[import-untyped]
from mcp import types
from pydantic import BaseModel, Field, ValidationError

from lobug.engines.tools import Tool, ToolResult

LONGEST_DESCRIPTION = 2_000
"""Characters kept of a tool's description."""
LONGEST_ERROR = 300
"""Characters kept of an error message, of a device or of the schema check."""
MAX_PROPERTIES = 32
"""Most arguments of one tool."""
DEEPEST_SCHEMA = 4
"""Deepest nesting kept of an arguments' schema."""

_NAME = re.compile(r"[\w.$/:-]{1,128}")
"""Name of a tool or an argument. The length is MCP's limit; other characters could make a name look
like a part of the chat model's prompt."""
_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})
_NUMBERS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


class Notice(Enum):
    """A notification of a device."""

    TOOLS_CHANGED = "notifications/tools/list_changed"


class ToolPage(BaseModel):
    """One answer to ``tools/list``. Its tools are checked one by one, so that an invalid one does
    not cost the others."""

    tools: list[Any] = []
    next_cursor: Any = Field(None, alias="nextCursor")

    @property
    def cursor(self) -> str | None:
        """Where the next page begins; None: this is the last one."""
        cursor = self.next_cursor
        return cursor if isinstance(cursor, str) and cursor else None


class ToolAnswer(BaseModel):
    """An answer to ``tools/call``."""

    content: list[Any] = []
    structured: Any = Field(None, alias="structuredContent")
    is_error: bool = Field(default=False, alias="isError")

    def result(self, max_chars: int) -> ToolResult:
        """The answer's text, at most ``max_chars`` of it."""
        texts = [
            str(block["text"]) if isinstance(block.get("text"), str) else f"({block.get('type')})"
            for block in self.content
            if isinstance(block, Mapping)
        ]
        text = "\n".join(texts).strip()
        if not text and self.structured is not None:
            text = json.dumps(self.structured, ensure_ascii=False)
        return ToolResult(text[:max_chars], self.is_error)


def parse(payload: object) -> types.JSONRPCMessage | Notice | None:
    """Read a device's message: an answer or a notification; None: anything else.

    Requests of the device are not answered, because firmware reads no answers.
    """
    if not isinstance(payload, Mapping):
        return None
    if "method" in payload:
        changed = payload["method"] == Notice.TOOLS_CHANGED.value
        return Notice.TOOLS_CHANGED if changed and "id" not in payload else None
    number = payload.get("id")
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if "error" in payload:
        answer["error"] = _error(payload["error"])
    elif isinstance(payload.get("result"), Mapping):
        answer["result"] = dict(payload["result"])
    else:
        answer["error"] = {"code": types.INTERNAL_ERROR, "message": "an answer without a result"}
    try:
        return types.JSONRPCMessage.model_validate(answer)
    except (ValidationError, RecursionError):
        return None


def _error(error: object) -> dict[str, Any]:
    """A valid JSON-RPC error from whatever the device sent as one."""
    message = error.get("message") if isinstance(error, Mapping) else error
    text = message if isinstance(message, str) and message else "the device gave no reason"
    return {"code": types.INTERNAL_ERROR, "message": text[:LONGEST_ERROR]}


def read_tool(listed: object) -> Tool | None:
    """A tool of a page; None: it is invalid, or meant for people and not for a model."""
    if not isinstance(listed, Mapping):
        return None
    name, description = listed.get("name"), listed.get("description")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or _for_people_only(listed):
        return None
    schema = safe_schema(listed.get("inputSchema"))
    if schema is None:
        return None
    text = description[:LONGEST_DESCRIPTION] if isinstance(description, str) else ""
    return Tool(name, text, schema)


def _for_people_only(listed: Mapping[str, Any]) -> bool:
    annotations = listed.get("annotations")
    audience = annotations.get("audience") if isinstance(annotations, Mapping) else None
    return isinstance(audience, list) and "assistant" not in audience and "user" in audience


def safe_schema(schema: object) -> Mapping[str, Any] | None:
    """The part of an arguments' schema that is safe to check; None: it is not a schema.

    Patterns (which can take very long), references and combinations are left out; the device itself
    refuses what they forbid.
    """
    if not isinstance(schema, Mapping):
        return None
    kept = _kept(schema, DEEPEST_SCHEMA) | {"type": "object"}
    try:
        Draft202012Validator.check_schema(kept)
    except SchemaError:
        return None
    return kept


def _kept(schema: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    if isinstance(schema.get("type"), str) and schema["type"] in _TYPES:
        kept["type"] = schema["type"]
    for key in _NUMBERS:
        value = schema.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            kept[key] = value
    choices = schema.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= MAX_PROPERTIES:
        simple = [choice for choice in choices if isinstance(choice, str | int | float)]
        if len(simple) == len(choices):
            kept["enum"] = simple
    description = schema.get("description")
    if isinstance(description, str):
        kept["description"] = description[:LONGEST_ERROR]
    if depth <= 0:
        return kept
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        names = [n for n in properties if isinstance(n, str) and _NAME.fullmatch(n)]
        kept["properties"] = {
            name: _kept(properties[name], depth - 1)
            for name in names[:MAX_PROPERTIES]
            if isinstance(properties[name], Mapping)
        }
        required = schema.get("required")
        if isinstance(required, list):
            kept["required"] = [name for name in kept["properties"] if name in required]
    if isinstance(schema.get("items"), Mapping):
        kept["items"] = _kept(schema["items"], depth - 1)
    return kept


def argument_error(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with a call's arguments, as a text for the model; None: nothing."""
    error = best_match(Draft202012Validator(schema).iter_errors(dict(arguments)))
    if error is None:
        return None
    where = ".".join(str(part) for part in error.absolute_path)
    return f"{where}: {error.message}"[:LONGEST_ERROR] if where else error.message[:LONGEST_ERROR]
