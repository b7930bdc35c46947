"""What devices say of themselves: firmware, condition, battery, signal, volume.

A device says what it is when it asks where to talk, how it is when its status tool is called, and,
with Lo-Bug's firmware, reports its own condition by itself. What it is and its latest report are
stored, the rest is in main memory only. All of it is untrusted and shown to the owner only.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lobug.access.devices import Introduction, introduction_from, stored_introduction
from lobug.access.records import DeviceDetails
from lobug.devices.report import Report, progress, read_report
from lobug.devices.unasked_speech import UnaskedSession
from lobug.errors import DeviceOfflineError, DeviceRefusedError, StorageError
from lobug.skills.speaking import SET_VOLUME, STATUS
from lobug.telemetry.metrics import DeviceFigures, DeviceProgress

log = logging.getLogger(__name__)

ASK_EVERY_S = 60.0
"""Least time between two calls of a device's status tool, seconds."""

MAX_DEVICES = 1_000
"""Devices that are remembered."""

SAVE_EVERY_S = 60.0
"""Least time between two writes of what one device says, seconds: a device may say much."""

FRESH_S = 3600.0
"""Age up to which a report counts in the figures of all devices, seconds: four times the time
between two reports."""

_MAX_WORD = 20


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """The last that is known of a device; None: it has not told."""

    introduction: Introduction | None = None
    """What it said of itself when it asked where to talk."""
    report: Report | None = None
    """Its latest report of its own condition."""
    reported_at: float | None = None
    """When that came, seconds since the epoch."""
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


class DetailsStore(Protocol):
    """Keeps what devices say of themselves (``access.devices.Devices``)."""

    def details(self, device_id: str) -> DeviceDetails | None:
        """What is stored of a device; None: it may not be stored."""

    async def keep_details(self, details: DeviceDetails) -> None:
        """Store it. Raises StorageError."""


class NothingStored:
    """A ``DetailsStore`` that stores nothing."""

    def details(self, device_id: str) -> DeviceDetails | None:
        return None

    async def keep_details(self, details: DeviceDetails) -> None:
        return None


class DeviceStatuses:
    """What is known of the devices, by their ids. One for each server, used on its event loop."""

    def __init__(
        self,
        sessions: Callable[[], Iterable[UnaskedSession]],
        clock: Callable[[], float],
        changed: Callable[[], None] = lambda: None,
        *,
        store: DetailsStore | None = None,
        wall: Callable[[], float] = lambda: 0.0,
        reported: Callable[[DeviceProgress], None] = lambda _: None,
    ) -> None:
        """``sessions`` gives those of the connected devices; ``clock``: seconds; ``changed`` is
        called when a device has told something new, ``reported`` with each report; ``wall``:
        seconds since the epoch."""
        self._sessions = sessions
        self._clock = clock
        self._changed = changed
        self._store = store or NothingStored()
        self._wall = wall
        self._reported = reported
        self._known: OrderedDict[str, DeviceStatus] = OrderedDict()
        self._asked_at: dict[str, float] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self._saved_at: dict[str, float] = {}
        self._saving: dict[str, asyncio.Task[None]] = {}

    def of(self, device_id: str) -> DeviceStatus:
        """What is known of a device."""
        known = self._known.get(device_id, DeviceStatus())
        if known.introduction is not None and known.report is not None:
            return known
        stored = self._store.details(device_id)
        if stored is None:
            return known
        if known.introduction is None:
            known = replace(known, introduction=introduction_from(stored.introduction))
        if known.report is None and stored.report is not None:
            known = replace(
                known, report=_stored_report(stored.report), reported_at=stored.reported_at
            )
        return known

    def take_report(self, device_id: str, report: Report) -> None:
        """Keep a device's report of its own condition."""
        before, now = self.of(device_id), self._wall()
        self._reported(progress(before.report, before.reported_at, report, now))
        told: dict[str, object] = {"report": report, "reported_at": now}
        if report.wifi is not None and report.wifi.rssi is not None:
            told["signal_dbm"] = report.wifi.rssi
        self.note(device_id, **told)

    def figures(self) -> DeviceFigures:
        """The worst of the devices' latest reports."""
        oldest = self._wall() - FRESH_S
        fresh = [
            status.report
            for status in self._known.values()
            if status.report is not None and (status.reported_at or 0.0) >= oldest
        ]
        memory = [r.memory.least for r in fresh if r.memory and r.memory.least is not None]
        blocks = [r.memory.largest for r in fresh if r.memory and r.memory.largest is not None]
        stacks = [least for r in fresh for least in (r.stacks or {}).values()]
        signals = [r.wifi.rssi for r in fresh if r.wifi and r.wifi.rssi is not None]
        return DeviceFigures(
            reporting=len(fresh),
            least_memory=min(memory, default=None),
            smallest_block=min(blocks, default=None),
            least_stack=min(stacks, default=None),
            weakest_dbm=min(signals, default=None),
        )

    def note(self, device_id: str, **values: object) -> None:
        """Keep what was learned, by the names of ``DeviceStatus``."""
        before = self.of(device_id)
        now = replace(before, **values)  # type: ignore[arg-type]  # fields by name
        self._known[device_id] = now
        self._known.move_to_end(device_id)
        while len(self._known) > MAX_DEVICES:
            self._known.popitem(last=False)
        if "introduction" in values or "report" in values:
            self._save_soon(device_id)
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
        """Stop asking, and store what is not stored yet."""
        unsaved = list(self._saving)
        tasks = self._asking | set(self._saving.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for device_id in unsaved:
            await self._save(device_id)

    def _save_soon(self, device_id: str) -> None:
        """Begin to store what the device says of itself, unless that is stored or on its way."""
        if device_id in self._saving or self._unsaved(device_id) is None:
            return
        task = asyncio.ensure_future(self._save_in_turn(device_id))
        self._saving[device_id] = task
        task.add_done_callback(lambda _: self._saving.pop(device_id, None))

    async def _save_in_turn(self, device_id: str) -> None:
        while self._unsaved(device_id) is not None:
            now = self._clock()
            self._saved_at = {
                device: at for device, at in self._saved_at.items() if now < at + SAVE_EVERY_S
            }
            if (at := self._saved_at.get(device_id)) is not None:
                await asyncio.sleep(at + SAVE_EVERY_S - now)
            self._saved_at[device_id] = self._clock()
            await self._save(device_id)

    async def _save(self, device_id: str) -> None:
        details = self._unsaved(device_id)
        if details is None:
            return
        try:
            await self._store.keep_details(details)
        except StorageError as error:
            log.warning("what a device says of itself could not be stored: %s", error)

    def _unsaved(self, device_id: str) -> DeviceDetails | None:
        """What is to be stored of a device; None: all is stored, or it may not be stored."""
        stored = self._store.details(device_id)
        if stored is None:
            return None
        status = self.of(device_id)
        told = DeviceDetails(
            device_id,
            None if status.introduction is None else stored_introduction(status.introduction),
            None if status.report is None else status.report.model_dump_json(exclude_none=True),
            status.reported_at,
        )
        return None if told == stored else told

    async def _ask(self, session: UnaskedSession) -> None:
        tools = session.tools
        if tools is None:
            return
        result = await tools.call(STATUS, {})
        told = {} if result.is_error else read_status(result.text)
        if told:
            self.note(session.device, **told)


def _stored_report(stored: str) -> Report | None:
    try:
        return read_report(json.loads(stored))
    except ValueError:  # damaged
        return None
