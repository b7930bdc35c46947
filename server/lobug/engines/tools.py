"""Tools that the chat model may use in a turn, and the protocol of what runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is described to the chat model."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    """JSON schema of its arguments; its type is ``object``."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call."""

    text: str
    is_error: bool = False


class ToolBox(Protocol):
    """The tools of one device."""

    def tools(self) -> Sequence[Tool]:
        """Return the tools that can be used now; empty until the device has announced some."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool. Does not raise when the device fails: a time-out, a refusal and a lost
        connection are results with ``is_error``."""


class AbsentTools:
    """The tools of a device that is not connected."""

    def tools(self) -> Sequence[Tool]:
        """Return no tools."""
        return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Return an error result."""
        return ToolResult("The device is not connected.", is_error=True)


ABSENT_TOOLS = AbsentTools()
