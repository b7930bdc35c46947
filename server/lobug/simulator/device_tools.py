"""The tools of a simulated device: a small MCP server, like the open firmware's. Pure.

A request in, its answer out. Like the firmware it answers errors without a code, ignores
notifications and anything that is no JSON-RPC request, and lists its tools in pages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PROTOCOL_VERSION = "2024-11-05"
"""The MCP version that the firmware speaks."""

PAGE_TOOLS = 2
"""Tools on one page. The firmware fills pages up to 8,000 bytes; here there are always several
pages."""


@dataclass(slots=True)
class DeviceState:
    """What the tools read and change."""

    volume: int = 70
    """Percent."""
    brightness: int = 75
    """Percent."""
    theme: str = "light"
    battery: int = 82
    """Percent."""
    charging: bool = False
    light: tuple[int, int, int] = (0, 0, 0)
    """Red, green, blue, 0 to 255 each."""

    def record(self) -> dict[str, object]:
        """As the status tool answers."""
        return {
            "audio_speaker": {"volume": self.volume},
            "screen": {"brightness": self.brightness, "theme": self.theme},
            "battery": {"level": self.battery, "charging": self.charging},
            "light": {"rgb": list(self.light)},
            "network": {"type": "wifi", "ssid": "simulated", "signal": "strong"},
        }


class _RefusedError(Exception):
    """The tool cannot do what it was asked; the text says why."""


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    """JSON schema of each argument; all are required."""
    use: Callable[[DeviceState, Mapping[str, Any]], object]
    """Gives what is answered: true, or an object."""

    def listed(self) -> dict[str, object]:
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": dict(self.properties),
                "required": list(self.properties),
            },
        }


def _percent(what: str) -> dict[str, object]:
    return {"type": "integer", "minimum": 0, "maximum": 100, "description": what}


def _set(field_name: str, argument: str) -> Callable[[DeviceState, Mapping[str, Any]], object]:
    def use(state: DeviceState, arguments: Mapping[str, Any]) -> object:
        setattr(state, field_name, arguments[argument])
        return True

    return use


def _set_theme(state: DeviceState, arguments: Mapping[str, Any]) -> object:
    if arguments["theme"] not in {"light", "dark"}:
        raise _RefusedError(f"there is no theme {arguments['theme']}")
    state.theme = arguments["theme"]
    return True


def _set_light(state: DeviceState, arguments: Mapping[str, Any]) -> object:
    state.light = (arguments["red"], arguments["green"], arguments["blue"])
    return True


_COLOUR = {"type": "integer", "minimum": 0, "maximum": 255}

_TOOLS: Sequence[_Tool] = (
    _Tool(
        "self.get_device_status",
        "How the device is now: volume of its loudspeaker, brightness and theme of its screen,"
        " its battery, its light and its network.",
        {},
        lambda state, _arguments: state.record(),
    ),
    _Tool(
        "self.audio_speaker.set_volume",
        "Set how loud the loudspeaker is.",
        {"volume": _percent("0 is silent, 100 the loudest.")},
        _set("volume", "volume"),
    ),
    _Tool(
        "self.screen.set_brightness",
        "Set how bright the screen is.",
        {"brightness": _percent("0 is dark, 100 the brightest.")},
        _set("brightness", "brightness"),
    ),
    _Tool(
        "self.screen.set_theme",
        "Set the screen's theme: light or dark.",
        {"theme": {"type": "string", "description": "light or dark"}},
        _set_theme,
    ),
    _Tool(
        "self.light.set_rgb",
        "Set the colour of the light.",
        {"red": _COLOUR, "green": _COLOUR, "blue": _COLOUR},
        _set_light,
    ),
)


@dataclass(slots=True)
class DeviceTools:
    """The MCP server of one device."""

    state: DeviceState = field(default_factory=DeviceState)
    calls: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    """Name and arguments of each tool that was used."""
    page_tools: int = PAGE_TOOLS

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer to a request; None: there is none."""
        number, method = request.get("id"), request.get("method")
        parameters = request.get("params", {})
        if (
            request.get("jsonrpc") != "2.0"
            or not isinstance(method, str)
            or not isinstance(number, int)
            or not isinstance(parameters, Mapping)
        ):
            return None
        try:
            result = self._result(method, parameters)
        except _RefusedError as error:
            return {"jsonrpc": "2.0", "id": number, "error": {"message": str(error)}}
        return {"jsonrpc": "2.0", "id": number, "result": result}

    def _result(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        match method:
            case "initialize":
                return {
                    "protocolVersion": PROTOCOL_VERSION,
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "lobug-simulator", "version": "1"},
                }
            case "tools/list":
                return self._page(parameters.get("cursor"))
            case "tools/call":
                return self._called(parameters.get("name"), parameters.get("arguments", {}))
        raise _RefusedError(f"Method not implemented: {method}")

    def _page(self, cursor: object) -> dict[str, Any]:
        names = [tool.name for tool in _TOOLS]
        start = names.index(cursor) if isinstance(cursor, str) and cursor in names else 0
        page = _TOOLS[start : start + self.page_tools]
        listed: dict[str, Any] = {"tools": [tool.listed() for tool in page]}
        if start + self.page_tools < len(_TOOLS):
            listed["nextCursor"] = names[start + self.page_tools]
        return listed

    def _called(self, name: object, arguments: object) -> dict[str, Any]:
        tool = next((tool for tool in _TOOLS if tool.name == name), None)
        if tool is None:
            raise _RefusedError(f"Unknown tool: {name}")
        if not isinstance(arguments, Mapping):
            raise _RefusedError("Invalid arguments")
        for key, schema in tool.properties.items():
            _check(key, arguments.get(key), schema)
        outcome = tool.use(self.state, arguments)
        self.calls.append((tool.name, dict(arguments)))
        text = json.dumps(outcome, separators=(",", ":"))
        return {"content": [{"type": "text", "text": text}], "isError": False}


def _check(name: str, value: object, schema: Mapping[str, Any]) -> None:
    expected = int if schema["type"] == "integer" else str
    if not isinstance(value, expected) or isinstance(value, bool):
        raise _RefusedError(f"Missing valid argument: {name}")
    if isinstance(value, int) and not schema["minimum"] <= value <= schema["maximum"]:
        raise _RefusedError(f"{name} is not within {schema['minimum']} to {schema['maximum']}")
