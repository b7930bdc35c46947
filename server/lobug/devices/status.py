"""What devices say of themselves: firmware, battery, signal, volume. In main memory only.

A device says what it is when it asks where to talk, and how it is when its status tool is called.
All of it is untrusted and shown to the owner only.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from lobug.access.devices import Introduction
from lobug.devices.unasked_speech import UnaskedSession
from lobug.errors import DeviceOfflineError, DeviceRefusedError
from lobug.skills.speaking import SET_VOLUME, STATUS

ASK_EVERY_S = 60.0
"""Least time between two calls of a device's status tool, seconds."""

MAX_DEVICES = 1_000
"""Devices that are remembered."""

_MAX_WORD = 20


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """The last that is known of a device; None: it has not told."""

    introduction: Introduction | None = None
    """What it said of itself when it asked where to talk."""
    address: str | None = None
    """Where its last request or connection came from."""
    battery: int | None = None
    """Percent."""
    charging: bool | None = None
    signal: str | None = None
    """In the device's own word: strong, medium, weak, none."""
    signal_dbm: int | None = None
    volume: int | None = None
    """Percent."""
    last_heard_at: float | None = None
    """When words were last heard by it, seconds since the epoch."""


def read_status(text: str) -> dict[str, Any]:
    """The known fields of a status tool's answer, by the names of ``DeviceStatus``. What is missing
    or not valid is left out. Pure."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    battery, network = _part(told, "battery"), _part(told, "network")
    signal = network.get("signal")
    found = {
        "battery": _whole(battery.get("level"), 0, 100),
        "charging": battery["charging"] if isinstance(battery.get("charging"), bool) else None,
        "signal": signal if isinstance(signal, str) and signal.isalpha() else None,
        "signal_dbm": _whole(network.get("rssi"), -127, 0),
        "volume": _whole(_part(told, "audio_speaker").get("volume"), 0, 100),
    }
    if found["signal"] is not None and len(str(found["signal"])) > _MAX_WORD:
        found["signal"] = None
    return {name: value for name, value in found.items() if value is not None}


def _part(value: object, name: str) -> dict[str, Any]:
    part = value.get(name) if isinstance(value, dict) else None
    return part if isinstance(part, dict) else {}


def _whole(value: object, least: int, most: int) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if least <= value <= most else None


class DeviceStatuses:
    """What is known of the devices, by their ids. One for each server, used on its event loop."""

    def __init__(
        self,
        sessions: Callable[[], Iterable[UnaskedSession]],
        clock: Callable[[], float],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """``sessions`` gives those of the connected devices; ``clock``: seconds; ``changed`` is
        called when a device has told something new."""
        self._sessions = sessions
        self._clock = clock
        self._changed = changed
        self._known: OrderedDict[str, DeviceStatus] = OrderedDict()
        self._asked_at: dict[str, float] = {}
        self._asking: set[asyncio.Task[None]] = set()

    def of(self, device_id: str) -> DeviceStatus:
        """What is known of a device."""
        return self._known.get(device_id, DeviceStatus())

    def note(self, device_id: str, **values: object) -> None:
        """Keep what was learned, by the names of ``DeviceStatus``."""
        before = self.of(device_id)
        now = replace(before, **values)  # type: ignore[arg-type]  # fields by name
        self._known[device_id] = now
        self._known.move_to_end(device_id)
        while len(self._known) > MAX_DEVICES:
            self._known.popitem(last=False)
        if now != before:
            self._changed()

    def ask(self) -> None:
        """Begin to ask the connected devices how they are: each at most once in ``ASK_EVERY_S``,
        and none that talks with somebody. Returns at once."""
        now = self._clock()
        self._asked_at = {
            device: at for device, at in self._asked_at.items() if now < at + ASK_EVERY_S
        }
        for session in self._sessions():
            tools = session.idle_tools
            knows = tools is not None and any(tool.name == STATUS for tool in tools.tools())
            if knows and session.device not in self._asked_at:
                self._asked_at[session.device] = now
                task = asyncio.ensure_future(self._ask(session))
                self._asking.add(task)
                task.add_done_callback(self._asking.discard)

    async def set_volume(self, device_id: str, volume: int) -> None:
        """Set how loud a connected device is, percent. Raises DeviceOfflineError,
        DeviceRefusedError."""
        session = next((one for one in self._sessions() if one.device == device_id), None)
        if session is None:
            raise DeviceOfflineError("the device is not connected")
        tools = session.tools
        if tools is None or all(tool.name != SET_VOLUME for tool in tools.tools()):
            raise DeviceRefusedError("the device has no tool for its volume")
        result = await tools.call(SET_VOLUME, {"volume": volume})
        if result.is_error or result.text.strip().lower() == "false":
            raise DeviceRefusedError("the device did not change its volume")
        self.note(device_id, volume=volume)

    async def close(self) -> None:
        """Stop asking."""
        for task in self._asking:
            task.cancel()
        if self._asking:
            await asyncio.wait(self._asking)

    async def _ask(self, session: UnaskedSession) -> None:
        tools = session.tools
        if tools is None:
            return
        result = await tools.call(STATUS, {})
        told = {} if result.is_error else read_status(result.text)
        if told:
            self.note(session.device, **told)
