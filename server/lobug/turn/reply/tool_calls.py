"""Finds the tool calls in what a model writes. Pure: text in, text out.

A call is a JSON object that begins with its tool, ``{"tool": "lamp.turn_on", ...}``, also in a code
fence or a ``<tool_call>``, in which models often wrap it. No call, whole or broken, is returned as
text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from lobug.engines.base import Tool

LONGEST_CALL = 2_000
"""Characters; a longer call counts as broken."""

_START = '{"tool":'
_WRAPPINGS = ("```json", "```", "<tool_call>")
_FIRST = re.compile(r"[{`<]")
_LONGEST_HEAD = 64
"""Characters, white space included, within which a call must begin like one."""


class CallFinder:
    """Takes what a model writes, token by token, and separates the first call from the text.

    ``call`` is the call as it was written, once it is complete; what follows it is dropped.
    """

    def __init__(self) -> None:
        self.call: str | None = None
        self._held = ""
        self._reading = _Object()
        self._in_call = False

    def feed(self, piece: str) -> str:
        """Take a token; return the text that is certainly not part of a call."""
        if self.call is not None:
            return ""
        if self._in_call:
            self._read(piece)
            return ""
        self._held += piece
        out: list[str] = []
        while (match := _FIRST.search(self._held)) is not None:
            out.append(self._held[: match.start()])
            self._held = self._held[match.start() :]
            begins = _begins_call(self._held)
            if begins is None and len(self._held) <= _LONGEST_HEAD:
                return "".join(out)
            if begins:
                held, self._held = self._held[self._held.index("{") :], ""
                self._in_call = True
                self._read(held)
                return "".join(out)
            out.append(self._held[0])
            self._held = self._held[1:]
        out.append(self._held)
        self._held = ""
        return "".join(out)

    def flush(self) -> str:
        """End the text: return what was held back. A call that was cut off still counts."""
        if self._in_call and self.call is None:
            self.call = self._reading.text
        held, self._held = self._held, ""
        return held

    def _read(self, text: str) -> None:
        if self._reading.feed(text) or len(self._reading.text) > LONGEST_CALL:
            self.call = self._reading.text


def _begins_call(text: str) -> bool | None:
    """Whether a text begins like a call; None: it is too short to tell."""
    packed = "".join(text.split())
    while not packed.startswith(_START):
        if any(start.startswith(packed) for start in (_START, *_WRAPPINGS)):
            return None
        wrapping = next((w for w in _WRAPPINGS if packed.startswith(w)), None)
        if wrapping is None:
            return False
        packed = packed[len(wrapping) :]
    return True


class _Object:
    """Reads a JSON object to its closing brace."""

    def __init__(self) -> None:
        self.text = ""
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, text: str) -> bool:
        """Take text up to the end of the object. Returns whether the end was reached."""
        for at, character in enumerate(text):
            if self._in_string:
                self._in_string = character != '"' or self._escaped
                self._escaped = character == "\\" and not self._escaped
            elif character == '"':
                self._in_string = True
            elif character in "{}":
                self._depth += 1 if character == "{" else -1
                if self._depth == 0:
                    self.text += text[: at + 1]
                    return True
        self.text += text
        return False


def read_call(written: str) -> tuple[str, dict[str, Any]] | None:
    """The tool's name and the arguments of a call; None: the call is broken."""
    try:
        call = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(call, dict) or not isinstance(name := call.pop("tool", None), str):
        return None
    inner = call.get("arguments")
    return name.strip(), inner if isinstance(inner, dict) and len(call) == 1 else call


def coerce_arguments(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments converted to the types of the tool's schema where that is clear: "80 %" is 80."""
    rules = tool.input_schema.get("properties", {})
    return {
        name: _coerced(value, rules.get(name, {}).get("type")) for name, value in arguments.items()
    }


def _coerced(value: Any, kind: str | None) -> Any:
    if kind in {"integer", "number"} and isinstance(value, str):
        match = re.fullmatch(r"\s*(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:%\s*)?", value)
        if match:
            number = float(match[1])
            return int(number) if number.is_integer() else number
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "boolean" and isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value
