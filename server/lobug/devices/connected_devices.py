"""The devices that are connected, here or to other servers of the house, and what the sessions of
those here need from the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Protocol

from lobug.access.callers import Caller, Revoked, device_key
from lobug.access.records import Device
from lobug.agenda.schedule import Schedule
from lobug.conversation.registry import conversation_of
from lobug.conversation.sensors import SensorReading
from lobug.devices.frames import CloseCode
from lobug.devices.report import Report
from lobug.devices.unasked_speech import Sessions, UnaskedSession
from lobug.engines.base import Engines, EngineStatus, Samples, SpeechToText, Tool, Transcript
from lobug.errors import AccessUnavailableError, DeviceOfflineError
from lobug.live.heard import HeardLog
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import Settings, StreamingSettings
from lobug.storage.people import People
from lobug.telemetry.telemetry import Telemetry
from lobug.turn.prefetch import PromptPrefetcher
from lobug.turn.runner import TurnRunner

CODEC_THREADS = 2
"""Enough to encode replies: Opus takes under a millisecond a frame and runs outside of the
interpreter lock."""


class OpenConnection(Protocol):
    """A device's connection, as the rest of the server sees it."""

    session_id: str

    async def send(self, message: str) -> None:
        """Send a text frame."""

    async def close(self, code: CloseCode) -> None:
        """Close the connection."""


class CountedSpeechToText:
    """The speech-to-text engine of all devices (``SpeechToText``), with a count of its work."""

    def __init__(self, engine: SpeechToText) -> None:
        self._engine = engine
        self.active = 0
        """Number of transcriptions that run or wait."""

    async def start(self) -> None:
        await self._engine.start()

    async def close(self) -> None:
        await self._engine.close()

    def status(self) -> EngineStatus:
        return self._engine.status()

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio."""
        self.active += 1
        try:
            return await self._engine.transcribe(audio, language)
        finally:
            self.active -= 1


class ConnectedDevices:
    """The devices that are connected, by their callers' keys. One for each server."""

    def __init__(self, settings: StreamingSettings, stt: SpeechToText) -> None:
        self.stt = CountedSpeechToText(stt)
        self.codecs = ThreadPoolExecutor(CODEC_THREADS, thread_name_prefix="lobug-codec")
        self._settings = settings
        self._open: dict[str, tuple[OpenConnection, Caller]] = {}
        self._closing: set[asyncio.Future[None]] = set()
        self._sessions: dict[str, UnaskedSession] = {}
        self.arrived: Callable[[str], None] = lambda _user: None
        """Called with its user when a device can be talked to."""
        self.changed: Callable[[], None] = lambda: None
        """Called when a device has connected or gone."""
        self.presence: Callable[[str, bool], None] = lambda _device_id, _connected: None
        """Called with the ``Device-Id`` of a device that has connected (True) or gone; not when a
        newer connection has replaced one."""
        self.came_again: Callable[[str], None] = lambda _device_id: None
        """Called with the ``Device-Id`` when a newer connection has replaced one."""

    def __len__(self) -> int:
        """Number of devices connected."""
        return len(self._open)

    @property
    def full(self) -> bool:
        """Whether no further device may connect."""
        return len(self._open) >= self._settings.max_connections

    def connected(self, key: str) -> bool:
        """Whether a caller (``access.Caller.key``) is connected."""
        return key in self._open

    @contextmanager
    def register(self, caller: Caller, connection: OpenConnection) -> Iterator[None]:
        """Count a caller as connected while the context is open. An older connection of the same
        caller is closed: a device that lost its Wi-Fi connects again before the server notices that
        the old connection is dead."""
        key = caller.key
        older = self._open.pop(key, None)
        if older is not None:
            self._close(older[0], CloseCode.REPLACED)
        entry = (connection, caller)
        self._open[key] = entry
        self.changed()
        if caller.device_id is not None:
            if older is None:
                self.presence(caller.device_id, True)
            else:
                self.came_again(caller.device_id)
        try:
            yield
        finally:
            if self._open.get(key) is entry:
                del self._open[key]
                if caller.device_id is not None:
                    self.presence(caller.device_id, False)
            self.changed()

    @contextmanager
    def talking(self, key: str, session: UnaskedSession) -> Iterator[None]:
        """Let a connected caller's session speak unasked while the context is open."""
        self._sessions[key] = session
        self.arrived(session.conversation_key.user)
        try:
            yield
        finally:
            if self._sessions.get(key) is session:
                del self._sessions[key]

    def sessions(self, user: str | None = None) -> list[UnaskedSession]:
        """The sessions of a user's connected devices, or of all (None), the newest first."""
        newest_first = reversed(tuple(self._sessions.values()))
        return [one for one in newest_first if user in {None, one.conversation_key.user}]

    async def send(self, key: str, write: Callable[[str], str]) -> None:
        """Send a message to a connected caller; ``write`` makes it from the session's id. Raises
        DeviceOfflineError."""
        entry = self._open.get(key)
        if entry is None:
            raise DeviceOfflineError("the device is not connected")
        await entry[0].send(write(entry[0].session_id))

    def close_revoked(self, revoked: Revoked) -> None:
        """Close the connections that were opened with a revoked token or pairing."""
        for connection, caller in tuple(self._open.values()):
            if revoked.concerns(caller):
                self._close(connection, CloseCode.TOKEN_REVOKED)

    async def say_farewell(self) -> None:
        """Close all connections once neither Lo-Bug nor a person speaks at any device, or after
        ``streaming.farewell_s``, because the server is about to stop. All at once: until it has
        stopped nobody else could serve them."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.farewell_s):
                await asyncio.gather(*(one.until_silent() for one in self.sessions()))
        self.send_away()

    def send_away(self) -> None:
        """Close all connections: the devices connect again, to whichever server answers."""
        for connection, _ in tuple(self._open.values()):
            self._close(connection, CloseCode.GOING_AWAY)

    async def close(self) -> None:
        """Close all connections, because the server stops."""
        self.send_away()
        if self._closing:
            await asyncio.wait(self._closing)
        self.codecs.shutdown(wait=False, cancel_futures=True)

    def _close(self, connection: OpenConnection, code: CloseCode) -> None:
        task = asyncio.ensure_future(connection.close(code))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


class DeviceHost(Protocol):
    """The server, as sessions of devices use it."""

    @property
    def settings(self) -> Settings:
        """The server's settings."""

    @property
    def engines(self) -> Engines:
        """The engines that turns use."""

    @property
    def priority(self) -> TurnPriority:
        """Decides between turns and background work."""

    @property
    def telemetry(self) -> Telemetry:
        """Takes the records of turns and devices."""

    @property
    def connections(self) -> ConnectedDevices:
        """The devices that are connected, and what they share."""

    @property
    def heard(self) -> HeardLog:
        """Keeps the last utterances."""

    @property
    def memory(self) -> Memory:
        """Keeps the conversation log."""

    @property
    def schedule(self) -> Schedule:
        """Runs alerts and waiting speech."""

    @property
    def turns(self) -> TurnRunner:
        """Runs turns."""

    @property
    def prefetcher(self) -> PromptPrefetcher:
        """Fills the chat model's prompt caches ahead of turns."""

    def offer_tools(
        self, conversation_key: ConversationKey, tools: Sequence[Tool], *, again: bool = False
    ) -> None:
        """Put a device's tools into the prompt of its conversation. ``again``: only if the prompt
        has none."""

    def take_sensors(self, conversation_key: ConversationKey, reading: SensorReading) -> None:
        """Keep a sensor reading for the conversation's prompts."""

    def take_report(self, device_id: str, report: Report) -> None:
        """Keep what a device says of its own condition."""

    async def after_turn(self, conversation_key: ConversationKey) -> None:
        """Prepare for the conversation's next turn."""


class ApprovedDevices(Protocol):
    """The devices that the owner has approved (``access.devices.Devices``)."""

    def all(self) -> list[Device]:
        """All of them. Raises AccessUnavailableError."""


class DevicesElsewhere:
    """The devices that are connected to other servers; none where there is only one."""

    def __init__(
        self,
        people: People,
        here: Sessions,
        approved: ApprovedDevices,
        users: Callable[[], Mapping[str, str]],
    ) -> None:
        """``here``: the devices of this server; ``users``: names of users by callers' keys, from
        the settings."""
        self._people = people
        self._here = here
        self._approved = approved
        self._users = users

    async def conversations(self) -> dict[str, ConversationKey]:
        """Their conversations, by their ids; empty while nobody knows whose devices are. Raises
        StorageError."""
        elsewhere = await self._people.devices_elsewhere()
        # One that has just come here may be noted as another server's for a moment yet.
        away = elsewhere.difference(session.device for session in self._here.sessions())
        if not away:
            return {}
        try:
            user_of = {device.device_id: device.user for device in self._approved.all()}
        except AccessUnavailableError:
            return {}
        users = self._users()
        return {
            device: conversation_of(device_key(device), users, user=user_of.get(device))
            for device in sorted(away)
        }
