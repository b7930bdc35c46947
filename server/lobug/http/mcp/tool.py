"""What a tool of `/mcp` is: its arguments, its scope, and the work that it does for a caller."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from pydantic import BaseModel, ValidationError

from lobug.access.callers import Caller
from lobug.access.rules import McpScope
from lobug.errors import InvalidRequestError, TokenScopeError
from lobug.http.dependencies import shown_faults
from lobug.http.memory.requests import check_texts
from lobug.memory.model import ConversationKey, MemoryScope
from lobug.server import LobugServer

STATE_KEY = "mcp_call"
"""Key of a request's ``McpCall`` in ``scope["state"]``."""


@dataclass(frozen=True, slots=True)
class McpCall:
    """A request to `/mcp`, and who sends it."""

    request: Request
    server: LobugServer
    caller: Caller
    conversation_key: ConversationKey
    scope: MemoryScope
    """Whose memory, alerts and lists are meant."""

    def require(self, scope: McpScope) -> None:
        """Raises TokenScopeError unless the caller may do what the scope is for."""
        if not self.caller.may_use(scope):
            raise TokenScopeError(f"the token does not have the scope {scope}")


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """What a tool did or found, for a model to read and for a program."""

    text: str
    structured: Mapping[str, Any]


def answer_of(found: BaseModel, text: str | None = None) -> McpAnswer:
    """The answer that a route of HTTP gives, as one of a tool. ``text`` None: the same as JSON on
    one line, where people's words stay inside their quotation marks."""
    structured = found.model_dump(mode="json")
    if text is None:
        text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
    return McpAnswer(text, structured)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool as a client is told of it, and what does its work."""

    name: str
    title: str
    description: str
    """For the model that chooses it."""
    scope: McpScope
    """What a token has to be for."""
    arguments: type[BaseModel]
    work: Callable[[McpCall, Any], Awaitable[McpAnswer]]
    """Does it. Takes ``arguments``, checked; raises LobugError."""
    read_only: bool = False
    destructive: bool = False
    """Whether it changes or takes away what was there, instead of adding to it."""
    idempotent: bool = False
    """Whether the same call again changes nothing more."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        schema = self.arguments.model_json_schema()
        # Name and docstring of the class say nothing to a model.
        return {key: value for key, value in schema.items() if key not in {"title", "description"}}

    async def call(self, call: McpCall, arguments: Mapping[str, Any]) -> McpAnswer:
        """Check the caller's right and the arguments, then do the work. Raises LobugError."""
        call.require(self.scope)
        check_texts("arguments", dict(arguments), call.server.settings.limits.max_text_chars)
        try:
            # Strict: "yes" is no consent to erase something.
            asked = self.arguments.model_validate(dict(arguments), strict=True)
        except ValidationError as error:
            raise InvalidRequestError(shown_faults(error)) from None
        return await self.work(call, asked)
