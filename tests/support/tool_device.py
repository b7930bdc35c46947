"""A device with tools, as the most used firmware answers: errors without a code, pages by size.

device = ToolDevice(common_tools())
box = ToolClient(device.take, StreamingSettings())
device.answer_to(box)
box.start()
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

STATUS = {
    "audio_speaker": {"volume": 70},
    "screen": {"brightness": 75, "theme": "light"},
    "battery": {"level": 48, "charging": False},
    "network": {"type": "wifi", "ssid": "home", "signal": "strong"},
}


class Receiver(Protocol):
    """Receives the device's messages."""

    def receive(self, payload: object) -> None: ...


def tool(name: str, description: str, /, **properties: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as the device lists it; every property without a default is required."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    required = [name for name, rules in properties.items() if "default" not in rules]
    if required:
        schema["required"] = required
    return {"name": name, "description": description, "inputSchema": schema}


PERCENT = {"type": "integer", "minimum": 0, "maximum": 100}


def common_tools() -> list[dict[str, Any]]:
    """Return the tools of a board with speaker, screen and camera."""
    return [
        tool(
            "self.get_device_status",
            "Provides the real-time information of the device, including the current status of the"
            " audio speaker, screen, battery, network, etc.\nUse this tool for: \n1. Questions"
            " about its condition\n2. As the first step to control it",
        ),
        tool(
            "self.audio_speaker.set_volume",
            "Set the volume of the audio speaker. If the current volume is unknown, you must call"
            " `self.get_device_status` tool first and then call this tool.",
            volume=PERCENT,
        ),
        tool("self.screen.set_brightness", "Set the brightness of the screen.", brightness=PERCENT),
        tool(
            "self.screen.set_theme",
            "Set the theme of the screen. The theme can be `light` or `dark`.",
            theme={"type": "string"},
        ),
        tool(
            "self.camera.take_photo",
            "Always remember you have a camera. If the user asks you to see something, use this"
            " tool to take a photo and then explain it.\nArgs:\n  `question`: what to ask about it",
            question={"type": "string"},
        ),
    ]


class ToolDevice:
    """Answers JSON-RPC. ``sent`` holds every message that it got, ``called`` the calls of tools.

    ``results`` maps a tool's name to the text of its result, or to an exception's text as the
    firmware tells it (``Refused``). ``silent`` methods get no answer; ``mangle`` changes answers.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]] = (), *, page_bytes: int = 8000) -> None:
        self.listed = list(tools)
        self.page_bytes = page_bytes
        self.results: dict[str, str | Refused] = {"self.get_device_status": json.dumps(STATUS)}
        self.silent: set[str] = set()
        self.mangle: Callable[[dict[str, Any]], object] = lambda answer: answer
        self.sent: list[Mapping[str, Any]] = []
        self.called: list[tuple[str, Mapping[str, Any]]] = []
        self.lost = False
        self._receiver: Receiver | None = None
        self._came = asyncio.Condition()

    def answer_to(self, receiver: Receiver) -> None:
        """Set the receiver of its answers."""
        self._receiver = receiver

    async def take(self, message: Mapping[str, Any]) -> None:
        """Take a message of the server and answer at once."""
        if self.lost:
            raise ConnectionResetError
        self.sent.append(message)
        answer = self._answer(message)
        if answer is not None and message["method"] not in self.silent:
            self.tell(self.mangle(answer))
        async with self._came:
            self._came.notify_all()

    def tell(self, payload: object) -> None:
        """Send a message."""
        assert self._receiver is not None
        self._receiver.receive(payload)

    async def wait_for(self, method: str, count: int = 1) -> Mapping[str, Any]:
        """The ``count``-th message with a method, once it has come."""
        async with self._came:
            await self._came.wait_for(lambda: len(self._with(method)) >= count)
        return self._with(method)[count - 1]

    def _with(self, method: str) -> list[Mapping[str, Any]]:
        return [message for message in self.sent if message["method"] == method]

    def _answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        method, number = message["method"], message.get("id")
        params = message.get("params", {})
        assert isinstance(params, dict)
        if method.startswith("notifications"):
            return None
        assert isinstance(number, int)
        if method == "initialize":
            return _result(
                number,
                {
                    "protocolVersion": "2024-11-05",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "desk-board", "version": "2.0"},
                },
            )
        if method == "tools/list":
            return _result(number, self._page(params.get("cursor", "")))
        if method == "tools/call":
            return self._call(number, params)
        return _error(number, f"Method not implemented: {method}")

    def _page(self, cursor: str) -> dict[str, Any]:
        names = [listed["name"] for listed in self.listed]
        page: list[Mapping[str, Any]] = []
        for listed in self.listed[names.index(cursor) if cursor else 0 :]:
            if page and len(json.dumps([*page, listed])) > self.page_bytes:
                return {"tools": page, "nextCursor": listed["name"]}
            page.append(listed)
        return {"tools": page}

    def _call(self, number: int, params: Mapping[str, Any]) -> dict[str, Any]:
        name, arguments = params["name"], params["arguments"]
        if name not in {listed["name"] for listed in self.listed}:
            return _error(number, f"Unknown tool: {name}")
        self.called.append((name, arguments))
        result = self.results.get(name, "true")
        if isinstance(result, Refused):
            return _error(number, str(result))
        content = [{"type": "text", "text": result}]
        return _result(number, {"content": content, "isError": False})


class Refused(str):
    """Return the answer of a device that throws an error."""

    __slots__ = ()


def _result(number: int, result: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": dict(result)}


def _error(number: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"message": message}}
