"""A device's conversation: what it says and hears, from its hello to its end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, aclosing
from typing import Any

from lobug.devices import frames, messages
from lobug.devices import messages as say
from lobug.devices.connection import Connection, MessageBudget
from lobug.devices.frames import CloseCode
from lobug.devices.host import DeviceHost
from lobug.devices.microphone import DeviceHearing
from lobug.devices.replies import Replies
from lobug.devices.tools import DeviceTools
from lobug.errors import AudioPacketError, FrameError, LobugError, MessageError
from lobug.language.emotions import Emotion
from lobug.memory.base import ConversationKey
from lobug.turn.listen.echo import is_own_voice, without_own_voice
from lobug.turn.listen.events import (
    InterimTranscript,
    ListeningEvent,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
)

log = logging.getLogger(__name__)

MAX_FAULTS = 20
"""Broken frames and messages of one connection; then it is closed."""


class DeviceSession:
    """One connection's conversation. Runs on the event loop; nothing in it blocks."""

    def __init__(
        self,
        server: DeviceHost,
        connection: Connection,
        conversation_key: ConversationKey,
        *,
        device: str = "",
        clock: Callable[[], float] = time.monotonic,
        privileged: bool = False,
    ) -> None:
        """``privileged`` as of ``TurnRunner.run``."""
        self._server = server
        self._settings = server.settings
        self._connection = connection
        self._conversation_key = conversation_key
        self._clock = clock
        self._hearing = DeviceHearing(
            server.engines.gate,
            server.connections.ears,
            server.settings,
            connection,
            clock,
            busy=self._cores_are_busy,
        )
        self._replies = Replies(
            server,
            connection,
            conversation_key,
            self._hearing,
            clock,
            device=device,
            on_over=self._note_activity,
            privileged=privileged,
        )
        self._over_reply = False
        """Whether what is being said now began while a reply was heard, or just after: only then it
        can be that reply coming back."""
        self._echoes = connection.agreed.aec
        """Whether this device's microphone hears its own loudspeaker: it leaves that to the server,
        or was caught."""
        self._faults = 0
        self._budget = MessageBudget(server.settings, connection.agreed.uplink.frame_s, clock())
        self._active_at = clock()
        self._tools: DeviceTools | None = None
        self._floor = ExitStack()
        """Open while somebody speaks: background work leaves the cores to what is coming."""

    async def run(self) -> None:
        """Talk until the connection ends. Raises ConnectionLostError when the device has gone."""
        listening = asyncio.ensure_future(self._listen())
        idle = asyncio.ensure_future(self._watch_idle())
        if self._connection.agreed.mcp:
            self._tools = DeviceTools(self._send_mcp, self._settings.streaming, self._offer_tools)
            self._replies.tools = self._tools
            self._tools.start()
        try:
            while True:
                message = await self._connection.receive()
                if not self._budget.spend(self._clock()):
                    await self._connection.close(CloseCode.TOO_MANY_MESSAGES)
                    return
                if len(message) > self._settings.streaming.max_message_bytes:
                    await self._connection.close(CloseCode.TOO_LARGE)
                    return
                await self._on_message(message)
        finally:
            listening.cancel()
            idle.cancel()
            await asyncio.wait([listening, idle])
            await self._leave()

    async def close(self, code: CloseCode) -> None:
        """End it from this side."""
        await self._connection.close(code)

    # What the device sends.

    async def _on_message(self, message: str | bytes) -> None:
        try:
            if isinstance(message, str):
                await self._on_text(message)
            elif message:
                frame = frames.unpack(self._connection.agreed.version, message)
                if frame.kind == "json":
                    await self._on_text(frame.payload)
                else:
                    self._server.telemetry.audio_received()
                    await self._hearing.take(frame.payload)
        except AudioPacketError as fault:
            first = self._hearing.bad_packets == 1
            await self._on_fault(fault, first=first, too_many=self._hearing.mostly_broken)
        except (FrameError, MessageError) as fault:
            self._faults += 1
            await self._on_fault(fault, first=self._faults == 1, too_many=self._faults > MAX_FAULTS)

    async def _on_fault(self, fault: LobugError, *, first: bool, too_many: bool) -> None:
        log.log(
            logging.INFO if first else logging.DEBUG,
            "a device sent something broken: %s",
            fault.code,
        )
        if first:
            await self._replies.alert(fault)
        if too_many:
            await self._connection.close(CloseCode.POLICY)

    async def _on_text(self, text: str | bytes) -> None:
        match messages.parse(text):
            case messages.ListenStart(mode):
                self._note_activity()
                self._hearing.start(mode.value)
                self._floor.close()
                await self._replies.stop(by_device=True)
            case messages.ListenStop():
                self._hearing.stop()
            case messages.WakeWord():
                self._note_activity()
                self._hearing.reset()
                self._floor.close()
                await self._replies.stop(by_device=True)
            case messages.Abort():
                await self._replies.stop(by_device=True)
            case messages.Playing(delay_s):
                self._replies.playing(delay_s)
            case messages.McpMessage(payload):
                if self._tools is not None:
                    self._tools.receive(payload)
            case messages.Goodbye():
                await self._connection.close(CloseCode.NORMAL)
            case messages.Hello():
                pass  # said already; firmware does not repeat it
            case messages.Unknown(kind):
                log.debug("a device sent a message of unknown type %r", kind)

    # What is heard.

    async def _listen(self) -> None:
        while True:
            try:
                async with aclosing(self._hearing.events()) as events:
                    async for event in events:
                        await self._on_heard(event)
            except LobugError as error:
                log.warning("a device's words were lost: %s", error.code)
                await self._replies.alert(error)
            except Exception:
                log.exception("a device's words were lost; the conversation goes on")
                await self._replies.alert(LobugError("the session failed"))
            else:
                return
            self._floor.close()
            await self._replies.discard()
            self._hearing.start(self._hearing.mode)

    async def _on_heard(self, event: ListeningEvent) -> None:
        match event:
            case SpeechBegan():
                self._note_activity()
                self._over_reply = self._replies.in_the_air
                self._floor.close()
                self._floor.enter_context(self._server.priority.speech())
                self._replies.read_along("")
                if not self._echoes:
                    self._replies.barge_in()
            case InterimTranscript(text):
                await self._on_words_while_speaking(text, partial=True)
                self._replies.read_along(text)
            case PauseTranscript(transcript, speech_end_s):
                await self._on_words_while_speaking(transcript.text)
                await self._replies.prepare(
                    transcript.text.strip(), transcript.language, speech_end_s
                )
            case SpeechResumed():
                await self._replies.discard()
            case SpeechEnded():
                await self._on_speech_ended(event)
                self._floor.close()
            case NothingSaid():
                self._floor.close()
                await self._replies.discard()
                await self._say_that_nothing_was_said()
            case ListeningFailed(error):
                self._floor.close()
                await self._replies.discard()
                await self._replies.alert(error)

    async def _on_words_while_speaking(self, text: str, *, partial: bool = False) -> None:
        if not self._echoes or not text or not self._replies.going_on:
            return
        if not is_own_voice(text, self._replies.words, partial=partial, echoes=True):
            self._replies.barge_in()

    async def _on_speech_ended(self, event: SpeechEnded) -> None:
        self._note_activity()
        if event.transcript is None:
            await self._replies.discard()
            await self._say_that_nothing_was_said()
            return
        text = heard = event.transcript.text.strip()
        if self._hearing.mode == "realtime" and self._over_reply:
            text = without_own_voice(heard, self._replies.words, echoes=self._echoes)
            self._echoes = self._echoes or text != heard
        if not text:
            log.info("the device heard its own voice; that is not answered")
            await self._replies.discard()
            return
        await self._replies.answer(text, event)

    async def _say_that_nothing_was_said(self) -> None:
        """A device that has said ``stop`` waits for a reply: it learns by this that none comes."""
        if self._hearing.stopped and not self._replies.going_on:
            await self._replies.face(Emotion.CONFUSED)

    def _cores_are_busy(self) -> bool:
        """Whether an interim transcript would be in the way of somebody's answer. Where a device
        hears its own voice it tells whether somebody else speaks."""
        someone_waits = self._server.priority.turns > 0 and not self._echoes
        return someone_waits or self._server.connections.ears.at_work > 0

    # What the device is told.

    async def _send_mcp(self, payload: Mapping[str, Any]) -> None:
        await self._connection.send(say.mcp(self._connection.session_id, payload))

    def _offer_tools(self) -> None:
        """The device's tools are known, or others than before: the next prompt tells of them."""
        if self._tools is not None:
            self._server.offer_tools(self._conversation_key, self._tools.tools())

    # Its end.

    async def _watch_idle(self) -> None:
        while True:
            left = self._active_at + self._settings.streaming.idle_timeout_s - self._clock()
            if self._replies.going_on:
                left = self._settings.streaming.idle_timeout_s
            if left <= 0:
                await self._connection.close(CloseCode.IDLE)
                return
            await asyncio.sleep(left)

    async def _leave(self) -> None:
        """Nothing is left running."""
        self._connection.closed = True
        self._floor.close()
        await self._replies.discard()
        await self._hearing.close()
        if self._tools is not None:
            await self._tools.close()
        await self._replies.leave()

    def _note_activity(self) -> None:
        self._active_at = self._clock()
