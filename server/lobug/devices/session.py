"""A device's conversation, from its hello to its end: messages in, events heard, turns out."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, aclosing, suppress
from typing import TYPE_CHECKING, Any

from lobug.agenda.schedule import Said
from lobug.concurrency import log_failure
from lobug.devices import frames, messages
from lobug.devices import messages as say
from lobug.devices.connected_devices import DeviceHost
from lobug.devices.connection import Connection, ConnectionLostError, MessageBudget
from lobug.devices.frames import CloseCode
from lobug.devices.microphone import Microphone
from lobug.devices.turns import DeviceTurns
from lobug.devices.unasked_speech import AUDIBLE_S, VoicedSpeech
from lobug.errors import AudioPacketError, FrameError, LobugError, MessageError, StorageError
from lobug.language.emotions import Emotion
from lobug.memory.model import ConversationKey
from lobug.turn.echo import is_own_voice, without_own_voice
from lobug.turn.events import (
    InterimTranscript,
    ListeningEvent,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
)

if TYPE_CHECKING:
    from lobug.engines.tool_client import ToolClient

log = logging.getLogger(__name__)

_SETTLE_S = 0.3
"""Seconds after its hello in which a device says what it is about; before, nothing is said."""
_TAP_S = 1.0
"""Seconds within which somebody begins to speak who has touched the device."""
_PATIENCE_S = 15.0
"""Longest wait of unasked speech for the end of a person's speech, seconds: a television never
ends."""

MAX_FAULTS = 20
"""Broken frames and messages of one connection; then it is closed."""


class DeviceSession:
    """One connection's conversation: its microphone, its turns and its tools.

    Runs on the event loop; nothing in it blocks.
    """

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
        self._device = device
        self._settings = server.settings
        self._connection = connection
        self._conversation_key = conversation_key
        self._clock = clock
        self._microphone = Microphone(
            server.engines.gate,
            server.connections.stt,
            lambda: server.settings,
            connection,
            clock,
            busy=self._cores_are_busy,
        )
        self._turns = DeviceTurns(
            server,
            connection,
            conversation_key,
            self._microphone,
            clock,
            device=device,
            privileged=privileged,
        )
        self._during_reply = False
        """Whether the present utterance began while a reply was audible: only then it can be the
        echo of that reply."""
        self._echoes = connection.agreement.aec
        """Whether this device's microphone hears its own loudspeaker: it said so in its hello, or
        an echo was recognised."""
        self._interim = ""
        """The interim words that the device shows of the present utterance."""
        self._faults = 0
        self._budget = MessageBudget(server.settings, connection.agreement.uplink.frame_s, clock())
        self._active_at = clock()
        self._tools: ToolClient | None = None
        self._speaking = ExitStack()
        """Open while somebody speaks: background work leaves the cores to the turn that follows."""
        self._speaks = False
        self._silence = asyncio.Event()
        """Set when a person stops speaking."""
        self._begun_at = clock()
        self._listened_at: float | None = None
        """When somebody touched the device to speak, or it listened again by itself."""
        self._unasked_turn = asyncio.Lock()
        self._logging: deque[asyncio.Future[None]] = deque(maxlen=8)

    async def run(self) -> None:
        """Serve the device until the connection ends. Raises ConnectionLostError when the device
        has gone."""
        tasks = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._watch_idle())]
        if self._connection.agreement.mcp:
            tasks.append(asyncio.ensure_future(self._start_tools()))
        for task in tasks:
            task.add_done_callback(log_failure)
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
        except ConnectionLostError:
            raise
        except Exception:
            await self._connection.close(CloseCode.INTERNAL)
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await self._leave()

    async def _start_tools(self) -> None:
        """Begin to list the device's tools, beside the conversation."""
        device_tools = await asyncio.to_thread(_device_tools)
        self._tools = device_tools(self._send_mcp, self._settings.streaming, self._offer_tools)
        self._turns.tools = self._tools
        self._tools.start()

    # Messages of the device.

    async def _on_message(self, message: str | bytes) -> None:
        try:
            if isinstance(message, str):
                await self._on_text(message)
            elif message:
                frame = frames.unpack(self._connection.agreement.version, message)
                if frame.kind == "json":
                    await self._on_text(frame.payload)
                else:
                    self._server.telemetry.audio_received()
                    self._budget.charge(self._microphone.decode(frame.payload))
        except AudioPacketError as fault:
            first = self._microphone.bad_packets == 1
            await self._on_fault(fault, first=first, too_many=self._microphone.mostly_bad)
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
            await self._turns.alert(fault)
        if too_many:
            await self._connection.close(CloseCode.POLICY)

    async def _on_text(self, text: str | bytes) -> None:
        match messages.parse(text):
            case messages.ListenStart(mode):
                await self._on_listen_start(mode)
            case messages.ListenStop():
                self._microphone.stop()
            case messages.WakeWord():
                self._note_activity()
                self._microphone.reset()
                self._fall_silent()
                await self._turns.stop(by_device=True)
                await self._server.schedule.touched(self._conversation_key.conversation)
            case messages.Abort():
                await self._turns.stop(by_device=True)
                await self._server.schedule.touched(self._conversation_key.conversation)
            case messages.Playing(delay_s):
                self._turns.playing(delay_s)
            case messages.Sensed() | messages.Reported() as told:
                self._take(told)
            case messages.McpMessage(payload):
                if self._tools is not None:
                    self._tools.receive(payload)
            case messages.Goodbye():
                await self._connection.close(CloseCode.NORMAL)
            case messages.Unknown(kind):
                log.debug("a device sent a message of unknown type %r", kind)
            # Of the hellos only the first one counts; firmware sends no second.

    def _take(self, told: messages.Sensed | messages.Reported) -> None:
        """Keep what the device says of itself. It does not count as activity."""
        if isinstance(told, messages.Sensed):
            self._server.take_sensors(self._conversation_key, told.reading)
        elif self._device:
            self._server.take_report(self._device, told.report)

    async def _on_listen_start(self, mode: messages.ListenMode) -> None:
        self._note_activity()
        unasked = self._turns.unasked
        meaning = self._turns.touches.listen_start(
            self._clock(),
            held=mode is messages.ListenMode.MANUAL,
            speaking=unasked is not None and not unasked.interrupted,
            audible=unasked is not None and unasked.played_s() >= AUDIBLE_S,
        )
        self._microphone.start(mode.value)
        self._fall_silent()
        if meaning == "early":
            self._microphone.reply_began()  # the device speaks when it reads our `tts start`
            return
        self._listened_at = self._clock()
        await self._turns.stop(by_device=True)
        if meaning == "touch":
            await self._server.schedule.touched(self._conversation_key.conversation)

    # Speech that nobody asked for.

    @property
    def conversation_key(self) -> ConversationKey:
        """Whose conversation it is."""
        return self._conversation_key

    @property
    def device(self) -> str:
        """The device's id, or where it has none, its conversation."""
        return self._device or self._conversation_key.conversation

    @property
    def tools(self) -> ToolClient | None:
        """The device's tools; None: it has none."""
        return self._tools

    @property
    def idle_tools(self) -> ToolClient | None:
        """The device's tools, while nobody talks with it."""
        return None if self._turns.replying or self._person_speaks else self._tools

    async def say_unasked(self, speech: VoicedSpeech) -> Said:
        """Say something once no reply is on its way and nobody speaks. Cancel it to fall silent."""
        async with self._unasked_turn:
            await self._until_free()
            if self._connection.closed:
                return Said()
            if self._microphone.mode != "realtime":
                # The microphone is about to be reset: no end of what somebody says will follow.
                self._fall_silent()
            speaker = await self._turns.say_unasked(speech)
        touched = speaker.interrupted and self._turns.stopped_by_device
        played_s = speaker.played_s()
        unheard = played_s == 0.0 or (speaker.interrupted and played_s < AUDIBLE_S)
        if self._connection.closed or (unheard and not touched):
            return Said()
        if speech.logged:
            self._logging.append(asyncio.ensure_future(self._log(speech.text)))
        place = (self._conversation_key.conversation,)
        return Said(place, complete=not speaker.interrupted, silenced=touched)

    async def _log(self, text: str) -> None:
        """Log what was said; who said it need not wait."""
        with suppress(StorageError):  # it was said all the same
            await self._server.memory.log_unasked(self._conversation_key, text)

    async def until_silent(self) -> None:
        """Return once nothing is being said at this device, be it asked for or not. A person
        who does not end is waited for as long as by ``say_unasked``."""
        await self._until_free()
        while self._turns.unasked is not None:
            await self._turns.unasked_over()
            await self._until_free()

    async def _until_free(self) -> None:
        """Return once no reply is on its way and no person speaks, or after the longest wait.
        Nothing is awaited after the last look."""
        await asyncio.sleep(max(0.0, self._begun_at + _SETTLE_S - self._clock()))
        until = None
        while not self._connection.closed:
            if self._turns.answering:
                await self._turns.reply_over()
                continue
            until = self._clock() + _PATIENCE_S if until is None else until
            left_s = until - self._clock()
            if not self._person_speaks or left_s <= 0:
                return
            self._silence.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left_s, _TAP_S)):
                    await self._silence.wait()

    @property
    def _person_speaks(self) -> bool:
        """Whether somebody speaks, holds the button, or has just touched the device to speak."""
        held = self._microphone.mode == "manual" and self._microphone.open
        tapped = self._listened_at is not None and self._clock() < self._listened_at + _TAP_S
        return self._speaks or held or tapped

    def _fall_silent(self) -> None:
        """Note that nobody speaks."""
        self._speaking.close()
        self._speaks = False
        self._silence.set()

    # Events of the microphone.

    async def _listen(self) -> None:
        while True:
            try:
                async with aclosing(self._microphone.events()) as events:
                    async for event in events:
                        await self._on_heard(event)
            except LobugError as error:
                log.warning("a device's words were lost: %s", error.code)
                await self._turns.alert(error)
            except Exception:
                log.exception("a device's words were lost; the conversation goes on")
                await self._turns.alert(LobugError("the session failed"))
            else:
                return
            self._fall_silent()
            await self._turns.discard()
            self._microphone.start(self._microphone.mode)

    async def _on_heard(self, event: ListeningEvent) -> None:
        match event:
            case SpeechBegan():
                self._interim = ""
                self._note_activity()
                self._during_reply = self._turns.audible
                self._speaking.close()
                self._speaking.enter_context(self._server.priority.speech())
                self._speaks = True
                self._turns.prefetch("")
                if not self._echoes:
                    self._turns.barge_in()
            case InterimTranscript(text):
                await self._on_words_while_speaking(text, partial=True)
                self._turns.prefetch(text)
                await self._show_interim(text)
            case PauseTranscript(transcript, speech_end_s):
                await self._on_words_while_speaking(transcript.text)
                await self._show_interim(transcript.text.strip())
                await self._turns.prepare(
                    transcript.text.strip(), transcript.language, speech_end_s
                )
            case SpeechResumed():
                await self._turns.discard()
            case SpeechEnded():
                await self._on_speech_ended(event)
                self._fall_silent()
            case NothingSaid():
                self._note_ignored("no_speech")
                self._fall_silent()
                await self._turns.discard()
                await self._show_that_nothing_was_said()
            case ListeningFailed(error):
                await self._show_interim("")
                self._note_ignored(error.code, failed=True)
                self._fall_silent()
                await self._turns.discard()
                await self._turns.alert(error)

    async def _on_words_while_speaking(self, text: str, *, partial: bool = False) -> None:
        if not self._echoes or not text or not self._turns.replying:
            return
        if not is_own_voice(text, self._turns.spoken, partial=partial, echoes=True):
            self._turns.barge_in()

    async def _on_speech_ended(self, event: SpeechEnded) -> None:
        self._note_activity()
        if event.transcript is None:
            self._note_ignored(event.reason or "no_speech", event.doubted)
            await self._turns.discard()
            await self._show_that_nothing_was_said()
            return
        text = heard = event.transcript.text.strip()
        if self._microphone.mode == "realtime" and self._during_reply:
            text = without_own_voice(heard, self._turns.spoken, echoes=self._echoes)
            self._echoes = self._echoes or text != heard
        if not text:
            await self._show_interim("")
            log.info("the device heard its own voice; that is not answered")
            self._note_ignored("echo", heard)
            await self._turns.discard()
            return
        await self._turns.answer(text, event)
        await self._server.schedule.spoken_to(self._conversation_key.conversation)

    async def _show_interim(self, text: str) -> None:
        """Tell a device that wants to know the words so far; empty: they were none after all."""
        if not self._connection.agreement.interim or text == self._interim:
            return
        if text and self._turns.replying and is_own_voice(text, self._turns.spoken, partial=True):
            return
        self._interim = text
        await self._connection.send(say.interim_stt(self._connection.session_id, text))

    def _note_ignored(self, reason: str, text: str = "", *, failed: bool = False) -> None:
        self._server.heard.ignored(
            self._conversation_key, device=self._device, reason=reason, text=text, failed=failed
        )

    async def _show_that_nothing_was_said(self) -> None:
        """Withdraw interim words, and show a confused face to a device that has sent ``stop``: it
        waits for a reply."""
        await self._show_interim("")
        if self._microphone.stopped and not self._turns.replying:
            await self._turns.face(Emotion.CONFUSED)

    def _cores_are_busy(self) -> bool:
        """Whether an interim transcript would delay an answer. Turns do not count for a device that
        hears its own loudspeaker: there the transcript tells whether a person speaks."""
        someone_waits = self._server.priority.turns > 0 and not self._echoes
        return someone_waits or self._server.connections.stt.active > 0

    # Tools of the device.

    async def _send_mcp(self, payload: Mapping[str, Any]) -> None:
        await self._connection.send(say.mcp(self._connection.session_id, payload))

    def _offer_tools(self) -> None:
        """Put the device's tools, which have become known or changed, into the next prompt."""
        if self._tools is not None:
            self._server.offer_tools(self._conversation_key, self._tools.tools())

    # The end.

    async def _watch_idle(self) -> None:
        while True:
            active_at = max(self._active_at, self._turns.ended_at)
            left = active_at + self._settings.streaming.idle_timeout_s - self._clock()
            if self._turns.replying:
                left = self._settings.streaming.idle_timeout_s
            if left <= 0 and await self._is_awaited():
                left = self._settings.streaming.idle_timeout_s
            if left <= 0:
                await self._connection.close(CloseCode.IDLE)
                return
            await asyncio.sleep(left)

    async def _is_awaited(self) -> bool:
        """Whether something will soon ring here. Such a device is not closed for idleness, because
        not every firmware connects again by itself."""
        user, within_s = self._conversation_key.user, 2 * self._settings.streaming.idle_timeout_s
        try:
            return await self._server.schedule.due_within(user, within_s)
        except StorageError:
            return False

    async def _leave(self) -> None:
        self._connection.abandon()
        self._fall_silent()
        await self._turns.discard()
        await self._microphone.close()
        if self._tools is not None:
            await self._tools.close()
        await self._turns.close()
        await asyncio.gather(*self._logging)

    def _note_activity(self) -> None:
        self._active_at = self._clock()


def _device_tools() -> type[ToolClient]:
    """Import the client of a device's tools: for the first device that has some, in a thread,
    because the MCP SDK takes a core 0.2 s, which the start of the server can do without."""
    from lobug.engines.tool_client import ToolClient  # noqa: PLC0415

    return ToolClient
