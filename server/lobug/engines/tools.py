"""Tools that the chat model may use in a turn, wherever they are carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the chat model is told of it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    """JSON schema of its arguments, an object."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call."""

    text: str
    is_error: bool = False


class ToolBox(Protocol):
    """The tools of one device."""

    def tools(self) -> Sequence[Tool]:
        """What can be used now; empty where the device has none, or has not said yet."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool. Never raises for what the device does: a time-out, a refusal and a lost
        connection are results with ``is_error``."""


class AbsentTools:
    """The tools of a device that is not connected."""

    def tools(self) -> Sequence[Tool]:
        """None."""
        return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Says so."""
        return ToolResult("The device is not connected.", is_error=True)


ABSENT_TOOLS = AbsentTools()
