"""Connections of devices that the owner has not approved yet: each is told its code, as text and in
speech, and nothing else. No turn is run, nothing is heard, remembered or logged of what they send.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np

from lobug.access.approval import Awaiting
from lobug.devices import messages
from lobug.devices.connected_devices import OpenConnection
from lobug.devices.connection import Connection, MessageBudget
from lobug.devices.frames import CloseCode
from lobug.devices.speaker import Speaker
from lobug.devices.unasked_speech import VoicedSpeech, play_unasked
from lobug.engines.base import Samples, TextToSpeech
from lobug.errors import EngineError, MessageError
from lobug.language.emotions import Emotion
from lobug.language.en.data import BELOW_TWENTY, PAIRING
from lobug.settings import Settings
from lobug.turn.events import Piece, SpeechAudio

log = logging.getLogger(__name__)

TITLE = "Lo-Bug"

SETTLE_S = 1.0
"""Seconds after its hello in which a device begins to listen. The common firmware drops speech that
comes before; a client that only plays never says that it listens."""

PAUSE_S = 0.15
"""Silence after each digit, seconds, so that it can be written down."""


class CodeVoice:
    """Speaks codes. Each line and each digit is synthesised once, at the speed that the voice has
    then, so that nobody can keep the voice busy with codes."""

    def __init__(self, tts: TextToSpeech) -> None:
        self._tts = tts
        self._lines: dict[str, Samples] = {}
        self._synthesising = asyncio.Lock()

    async def speech(self, code: str) -> VoicedSpeech:
        """What a device says; without sound where the voice fails."""
        spoken = PAIRING["spoken"]
        pieces = (Piece(0, spoken), Piece(1, " ".join(code)))
        try:
            rate = self._tts.sample_rate
            line = await self._line(spoken)
            digits = [await self._line(BELOW_TWENTY[int(digit)]) for digit in code]
        except EngineError as error:
            log.info("a code is shown, not spoken: %s", error.code)
            return VoicedSpeech(pieces, (), logged=False)
        pause = np.zeros(int(PAUSE_S * rate), np.float32)
        sound: Samples = np.concatenate([part for digit in digits for part in (digit, pause)])
        audio = (SpeechAudio(0, line, rate), SpeechAudio(1, sound, rate))
        return VoicedSpeech(pieces, audio, logged=False)

    async def _line(self, text: str) -> Samples:
        async with self._synthesising:
            if text not in self._lines:
                self._lines[text] = await self._tts.synthesize(text)
            return self._lines[text]


class WaitingDevices:
    """The connections of devices that may not talk yet. One for each server; all calls are made on
    its event loop."""

    def __init__(
        self,
        settings: Settings,
        tts: TextToSpeech,
        clock: Callable[[], float] = time.monotonic,
        *,
        settle_s: float = SETTLE_S,
    ) -> None:
        self._settings = settings
        self._voice = CodeVoice(tts)
        self._clock = clock
        self._settle_s = settle_s
        self._open: dict[tuple[str, str], OpenConnection] = {}
        self._closing: set[asyncio.Future[None]] = set()

    def __len__(self) -> int:
        """Number of devices connected that may not talk yet."""
        return len(self._open)

    @contextmanager
    def register(
        self, device_id: str, client_id: str, connection: OpenConnection
    ) -> Iterator[None]:
        """Count a device as connected while the context is open. An older connection of the same
        device is closed."""
        key = (device_id, client_id)
        older = self._open.pop(key, None)
        if older is not None:
            self._close(older, CloseCode.REPLACED)
        self._open[key] = connection
        try:
            yield
        finally:
            if self._open.get(key) is connection:
                del self._open[key]

    def approved(self, device_id: str, client_id: str) -> None:
        """The owner has approved a device: end its connection, so that it fetches its token. The
        token is never sent here, where nobody has proved to be the device."""
        connection = self._open.get((device_id, client_id))
        if connection is not None:
            self._close(connection, CloseCode.APPROVED)

    async def serve(self, connection: Connection, look: Callable[[], Awaiting | None]) -> None:
        """Tell a device what it waits for, until it has gone, was approved, or
        ``streaming.waiting_device_s`` is over. ``look`` says what it waits for now; None: nothing
        any more. Raises ConnectionLostError, AccessUnavailableError."""
        listens = asyncio.Event()
        reading = asyncio.ensure_future(self._read(connection, listens))
        telling = asyncio.ensure_future(self._tell(connection, look, listens))
        try:
            await asyncio.wait(
                [reading, telling],
                timeout=self._settings.streaming.waiting_device_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in (reading, telling):
                if task.done():
                    task.result()
            await connection.close(CloseCode.NOT_APPROVED)
        finally:
            for task in (reading, telling):
                task.cancel()
            await asyncio.gather(reading, telling, return_exceptions=True)

    async def close(self) -> None:
        """Close all connections, because the server stops."""
        for connection in tuple(self._open.values()):
            self._close(connection, CloseCode.GOING_AWAY)
        if self._closing:
            await asyncio.wait(self._closing)

    async def _read(self, connection: Connection, listens: asyncio.Event) -> None:
        """Drop all that the device sends; note that it listens. Returns once it has sent too
        much."""
        settings = self._settings
        frame_s = connection.agreement.uplink.frame_s
        budget = MessageBudget(settings, frame_s, self._clock())
        while True:
            message = await connection.receive()
            if not budget.spend(self._clock()):
                await connection.close(CloseCode.TOO_MANY_MESSAGES)
                return
            if len(message) > settings.streaming.max_message_bytes:
                await connection.close(CloseCode.TOO_LARGE)
                return
            if isinstance(message, str) and not listens.is_set() and _says_that_it_listens(message):
                listens.set()

    async def _tell(
        self, connection: Connection, look: Callable[[], Awaiting | None], listens: asyncio.Event
    ) -> None:
        """Say the code once. Returns when there is nothing to wait for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settle_s):
                await listens.wait()
        found = look()
        if found is None:
            return
        if found.code is None:
            await self._show(connection, PAIRING["approved"])
            await connection.close(CloseCode.APPROVED)
            return
        await self._show(connection, PAIRING["code"].format(code=found.code))
        speech = await self._voice.speech(found.code)
        speaker = Speaker(connection, self._settings.streaming.audio_lead_s, self._clock)
        try:
            await play_unasked(speaker, speech)
        finally:
            await speaker.close()
        await asyncio.Event().wait()  # until its time is over, or it was approved

    async def _show(self, connection: Connection, text: str) -> None:
        await connection.send(messages.alert(connection.session_id, TITLE, text, Emotion.NEUTRAL))

    def _close(self, connection: OpenConnection, code: CloseCode) -> None:
        task = asyncio.ensure_future(connection.close(code))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def _says_that_it_listens(message: str) -> bool:
    try:
        return isinstance(messages.parse(message), messages.ListenStart | messages.WakeWord)
    except MessageError:
        return False
