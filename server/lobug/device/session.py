"""A device's conversation: what it says and hears, from its hello to its end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, aclosing, suppress
from typing import Any

from lobug.device import frames, messages
from lobug.device import server_messages as say
from lobug.device.close_codes import CloseCode
from lobug.device.connection import Connection
from lobug.device.emotions import Emotion, emotion_of
from lobug.device.hearing import DeviceHearing
from lobug.device.live_turn import LiveTurn
from lobug.device.speaker import Speaker
from lobug.device.tools import DeviceTools
from lobug.errors import FrameError, LobugError, MessageError
from lobug.memory.base import Owner
from lobug.server import LobugServer
from lobug.turn.echo import is_own_voice, without_own_voice
from lobug.turn.events import Action, AllSaid, Done, Failed, Heard, Piece, SpeechAudio, TurnEvent
from lobug.turn.listening_events import (
    InterimTranscript,
    ListeningEvent,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
)
from lobug.turn.pipeline import TranscribedUtterance
from lobug.turn.timeline import Timeline, TurnCounts

log = logging.getLogger(__name__)

MAX_FAULTS = 20
"""Broken frames and messages of one connection; then it is closed."""

_ECHO_S = 1.5
"""After the end of a reply: as long its last words may still be on the way back."""

_FAREWELL_S = 5.0
"""How long a turn that was under way may take to be stored when its device is gone."""


class DeviceSession:
    """One connection's conversation. Runs on the event loop; nothing in it blocks."""

    def __init__(
        self,
        server: LobugServer,
        connection: Connection,
        owner: Owner,
        *,
        device: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._settings = server.settings
        self._connection = connection
        self._owner = owner
        self._device = device
        self._clock = clock
        self._hearing = DeviceHearing(
            server.engines.gate,
            server.connections.ears,
            server.settings,
            connection,
            clock,
            busy=self._cores_are_busy,
        )
        self._turn: LiveTurn | None = None
        self._draft: LiveTurn | None = None
        self._draft_end_s = 0.0
        self._counts = TurnCounts()
        self._over_reply = False
        """Whether what is being said now began while a reply was heard, or just after: only then it
        can be that reply coming back."""
        self._echoes = False
        """Whether this device's microphone has been caught hearing its own loudspeaker."""
        self._faults = 0
        self._active_at = clock()
        self._tools: DeviceTools | None = None
        self._talking = ExitStack()
        """Open while a reply is on its way."""
        self._reading: asyncio.Task[None] | None = None
        self._floor = ExitStack()
        """Open while somebody speaks: background work leaves the cores to what is coming."""

    async def run(self) -> None:
        """Talk until the connection ends. Raises ConnectionLostError when the device has gone."""
        listening = asyncio.ensure_future(self._listen())
        idle = asyncio.ensure_future(self._watch_idle())
        if self._connection.agreed.mcp:
            self._tools = DeviceTools(self._send_mcp, self._settings.streaming, self._offer_tools)
            self._tools.start()
        try:
            while True:
                message = await self._connection.receive()
                if not self._server.connections.may_send(self._connection.session_id):
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
        except (FrameError, MessageError) as fault:
            await self._on_fault(fault)

    async def _on_fault(self, fault: LobugError) -> None:
        self._faults += 1
        log.info("a device sent something broken: %s", fault.code)
        if self._faults == 1:
            await self._alert(fault)
        if self._faults > MAX_FAULTS:
            await self._connection.close(CloseCode.POLICY)

    async def _on_text(self, text: str | bytes) -> None:
        match messages.parse(text):
            case messages.ListenStart(mode):
                self._active_at = self._clock()
                self._hearing.start(mode.value)
                self._floor.close()
                await self._stop_turn()
            case messages.ListenStop():
                self._hearing.stop()
            case messages.WakeWord():
                self._active_at = self._clock()
                self._hearing.reset()
                self._floor.close()
                await self._stop_turn()
            case messages.Abort():
                await self._stop_turn()
            case messages.Playing(delay_s):
                self._on_playing(delay_s)
            case messages.McpMessage(payload):
                if self._tools is not None:
                    self._tools.receive(payload)
            case messages.Goodbye():
                await self._connection.close(CloseCode.NORMAL)
            case messages.Hello():
                pass  # said already; firmware does not repeat it
            case messages.Unknown(kind):
                log.debug("a device sent a message of unknown type %r", kind)

    def _on_playing(self, delay_s: float) -> None:
        if self._turn is not None and self._turn.first_sent_at is not None:
            self._turn.timeline.mark("first_audio_played", self._turn.first_sent_at + delay_s)

    # What is heard.

    async def _listen(self) -> None:
        while True:
            try:
                async with aclosing(self._hearing.events()) as events:
                    async for event in events:
                        await self._on_heard(event)
            except LobugError as error:
                log.warning("a device's words were lost: %s", error.code)
                await self._alert(error)
            except Exception:
                log.exception("a device's words were lost; the conversation goes on")
                await self._alert(LobugError("the session failed"))
            else:
                return
            self._floor.close()
            await self._discard_draft()
            self._hearing.start(self._hearing.mode)

    async def _on_heard(self, event: ListeningEvent) -> None:
        match event:
            case SpeechBegan():
                self._active_at = self._clock()
                self._over_reply = self._reply_is_in_the_air()
                self._floor.close()
                self._floor.enter_context(self._server.priority.speech())
                self._read_along("")
                if not self._echoes:
                    await self._barge_in()
            case InterimTranscript(text):
                await self._on_words_while_speaking(text, partial=True)
                self._read_along(text)
            case PauseTranscript(transcript, speech_end_s):
                await self._on_words_while_speaking(transcript.text)
                await self._prepare(transcript.text.strip(), transcript.language, speech_end_s)
            case SpeechResumed():
                await self._discard_draft()
            case SpeechEnded():
                await self._on_speech_ended(event)
                self._floor.close()
            case NothingSaid():
                self._floor.close()
                await self._discard_draft()
                if self._hearing.mode == "manual":
                    await self._face(Emotion.CONFUSED)
            case ListeningFailed(error):
                self._floor.close()
                await self._discard_draft()
                await self._alert(error)

    async def _on_words_while_speaking(self, text: str, *, partial: bool = False) -> None:
        if not self._echoes or not text or not self._turn_goes_on():
            return
        if not is_own_voice(text, self._words_played(), partial=partial):
            await self._barge_in()

    async def _on_speech_ended(self, event: SpeechEnded) -> None:
        self._active_at = self._clock()
        if event.transcript is None:
            await self._discard_draft()
            return
        text = heard = event.transcript.text.strip()
        if self._hearing.mode == "realtime" and self._over_reply:
            text = without_own_voice(heard, self._words_played())
            self._echoes = self._echoes or text != heard
        if not text:
            log.info("the device heard its own voice; that is not answered")
            await self._discard_draft()
            return
        draft = self._draft
        fits = text == heard and event.pause_s is not None and event.pause_s == self._draft_end_s
        if draft is None or not fits or draft.failed:
            restarts = self._hearing.restarts
            await self._discard_draft()
            if restarts != self._hearing.restarts:
                return  # the device began anew while a model was being stopped
            draft = self._begin(text, event.transcript.language, event.speech_end_s)
        self._draft = None
        await self._stop_turn()
        draft.timeline.mark("endpoint", self._hearing.moment(event.decided_s))
        draft.timeline.counts.speculations_started = self._counts.speculations_started
        draft.timeline.counts.speculations_discarded = self._counts.speculations_discarded
        draft.timeline.counts.wasted_s = self._counts.wasted_s
        self._counts = TurnCounts()
        self._turn = draft
        self._talking.close()
        self._talking.enter_context(self._server.telemetry.talking_device())
        self._hearing.answering()
        draft.commit()

    # Turns.

    async def _prepare(self, text: str, language: str, speech_end_s: float) -> None:
        """Begin the reply on the chance that nothing more is said."""
        restarts = self._hearing.restarts
        await self._discard_draft()
        if not self._settings.listening.speculate or not text or self._turn_goes_on():
            return
        if restarts != self._hearing.restarts:
            return
        self._counts.speculations_started += 1
        self._draft = self._begin(text, language, speech_end_s)
        self._draft_end_s = speech_end_s

    def _begin(self, text: str, language: str, speech_end_s: float) -> LiveTurn:
        if self._tools is not None and self._tools.tools():
            self._server.offer_tools(self._owner, self._tools.tools(), again=True)
        timeline = Timeline("device", self._clock, device=self._device)
        timeline.begin_at(self._hearing.moment(speech_end_s))
        timeline.mark("transcript")
        streaming = self._settings.streaming
        speaker = Speaker(
            self._connection,
            streaming.audio_lead_s,
            self._clock,
            # With push to talk the device empties its queue by itself.
            flush=self._hearing.mode != "manual",
            on_first_sent=lambda: timeline.mark("first_audio_sent"),
        )
        utterance = TranscribedUtterance(text, language)
        return LiveTurn(
            self._server.turns,
            self._owner,
            utterance,
            timeline,
            speaker,
            self._on_event,
            self._after,
            self._tools,
            self._clock,
        )

    async def _on_event(self, turn: LiveTurn, event: TurnEvent) -> None:
        match event:
            case Heard(text=text):
                await self._connection.send(say.stt(self._connection.session_id, text))
            case Piece():
                if event.index == 0:
                    await self._face(emotion_of(event.text, Action.RESPOND))
                turn.speaker.piece(event)
            case SpeechAudio():
                turn.speaker.take(event)
            case AllSaid():
                turn.speaker.all_said()
            case Done():
                if event.action is Action.REACT:
                    await self._face(emotion_of(event.response, Action.REACT))
            case Failed():
                await self._alert(event.error)
            case _:
                pass

    async def _after(self, turn: LiveTurn) -> None:
        self._active_at = self._clock()
        if turn is self._turn:
            self._talking.close()
            self._hearing.answered()
        await self._server.after_turn(self._owner)

    async def _barge_in(self) -> None:
        if self._turn is not None and self._turn_goes_on():
            log.info("the reply was interrupted by speech")
            self._turn.timeline.counts.interrupted = True
            self._turn.interrupt()

    async def _stop_turn(self) -> None:
        """Interrupt the reply, and drop what was only prepared."""
        await self._discard_draft()
        turn = self._turn
        if turn is not None and not turn.over:
            turn.timeline.counts.interrupted = True
            turn.interrupt()

    def _read_along(self, words: str) -> None:
        """Let the model read what has been said so far, unless it is at that already."""
        idle = self._reading is None or self._reading.done()
        if idle and self._settings.listening.speculate and not self._turn_goes_on():
            work = self._server.read_ahead.while_speaking(self._owner, words)
            self._reading = asyncio.ensure_future(work)

    async def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    async def _discard_draft(self) -> None:
        await self._stop_reading()
        draft, self._draft = self._draft, None
        if draft is not None:
            self._counts.speculations_discarded += 1
            self._counts.wasted_s += await draft.discard()

    def _cores_are_busy(self) -> bool:
        """Whether an interim transcript would be in the way of somebody's answer. Where a device
        hears its own voice it tells whether somebody else speaks."""
        someone_waits = self._server.priority.turns > 0 and not self._echoes
        return someone_waits or self._server.connections.ears.at_work > 0

    def _turn_goes_on(self) -> bool:
        return self._turn is not None and not self._turn.over and not self._turn.speaker.interrupted

    def _reply_is_in_the_air(self) -> bool:
        if self._turn is None:
            return False
        ended_at = self._turn.speaker.ended_at
        return ended_at is None or self._clock() < ended_at + _ECHO_S

    def _words_played(self) -> list[str]:
        return self._turn.speaker.texts if self._turn is not None else []

    # What the device is told.

    async def _face(self, emotion: Emotion) -> None:
        await self._connection.send(say.llm(self._connection.session_id, emotion))

    async def _alert(self, error: LobugError) -> None:
        await self._connection.send(
            say.alert(self._connection.session_id, "Lo-Bug", error.spoken, Emotion.SAD)
        )

    async def _send_mcp(self, payload: Mapping[str, Any]) -> None:
        await self._connection.send(say.mcp(self._connection.session_id, payload))

    def _offer_tools(self) -> None:
        """The device's tools are known, or others than before: the next prompt tells of them."""
        if self._tools is not None:
            self._server.offer_tools(self._owner, self._tools.tools())

    # Its end.

    async def _watch_idle(self) -> None:
        while True:
            left = self._active_at + self._settings.streaming.idle_timeout_s - self._clock()
            if self._turn_goes_on():
                left = self._settings.streaming.idle_timeout_s
            if left <= 0:
                await self._connection.close(CloseCode.IDLE)
                return
            await asyncio.sleep(left)

    async def _leave(self) -> None:
        """Nothing is left running; what was heard of a reply is stored."""
        self._connection.closed = True
        self._talking.close()
        self._floor.close()
        await self._discard_draft()
        await self._hearing.close()
        if self._tools is not None:
            await self._tools.close()
        turn = self._turn
        if turn is not None and not turn.over:
            await self._stop_turn()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([turn.task], timeout=_FAREWELL_S)
            turn.task.cancel()
            await asyncio.wait([turn.task])
