"""One connection of a streaming device: messages and packets in, what the state machine says out.

All of it runs in callbacks of one event loop, without a task of its own, so that many devices cost
little. Times are readings of the loop's clock, which is the device's clock.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lobug.devices import frames
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.devices.messages import ListenMode
from lobug.errors import FrameError
from lobug.simulator import protocol
from lobug.simulator.device_audio import BUFFER_FRAMES, DeviceAudio, SpeakerAccount
from lobug.simulator.device_tools import DeviceTools
from lobug.simulator.link import Closed, Link, LinkError
from lobug.simulator.protocol import (
    FRAME_MS,
    Action,
    DeviceMachine,
    Event,
    ServerHello,
    State,
)
from lobug.simulator.recordings import EncodedSpeech, packet_seconds
from lobug.simulator.results import TurnRecorder


@dataclass(slots=True, eq=False)
class PendingTurn:
    """A turn that is not over yet."""

    recorder: TurnRecorder
    done: asyncio.Future[SpeakerAccount]
    """What became of its reply, once it is over."""
    first_audio: Callable[[float], None]
    """Called with the time at which the first sample of the reply is played."""
    last_number: int | None = None
    """Number of the reply's last packet, where packets have numbers."""


class PendingTurns:
    """Turns that are not over yet, oldest first."""

    def __init__(self) -> None:
        self._turns: deque[PendingTurn] = deque()
        self.playing: PendingTurn | None = None
        """The one whose reply the loudspeaker has begun to play."""

    def begin(self, turn: PendingTurn) -> None:
        self._turns.append(turn)

    @property
    def receiving(self) -> PendingTurn | None:
        """The turn that the server's messages belong to: the first without a complete reply."""
        return next((turn for turn in self._turns if not turn.recorder.complete), None)

    @property
    def heard(self) -> PendingTurn | None:
        """The turn that a transcript belongs to. Words that arrive while a reply is spoken belong
        to the turn that interrupts it."""
        turn = self.receiving
        if turn is not None and turn.recorder.speaking_at is not None:
            return self._turns[-1]
        return turn

    @property
    def any_complete(self) -> bool:
        """Whether a turn only waits for the loudspeaker."""
        return any(turn.recorder.complete for turn in self._turns)

    def finish(self, turn: PendingTurn, account: SpeakerAccount) -> None:
        """Remove a turn that is over. ``account``: what the loudspeaker played."""
        if turn in self._turns:
            self._turns.remove(turn)
        mine = turn is self.playing
        if mine:
            self.playing = None
        if not turn.done.done():
            turn.done.set_result(account if mine else SpeakerAccount())

    def finish_complete(self, account: SpeakerAccount) -> None:
        """Remove the turns that only waited for the loudspeaker."""
        for turn in [turn for turn in self._turns if turn.recorder.complete]:
            self.finish(turn, account)

    def finish_all(self, account: SpeakerAccount, how: str) -> None:
        """Remove all turns: the connection has ended. ``how``: a phrase for the report."""
        for turn in list(self._turns):
            turn.recorder.closed = how
            self.finish(turn, account)


_FLUSH_S = 0.25
"""Seconds. A ``tts start`` this soon after a ``tts stop`` may only make the device drop the packets
that it holds."""


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """Abilities and mode of a device."""

    mode: ListenMode = ListenMode.AUTO
    codec: AudioCodec = AudioCodec.OPUS
    wake_word: str | None = None
    """Wake word; None: a button wakes the device."""
    echo_cancelling: bool = False
    """The device asks the server to cancel its echo."""
    buffer_frames: int = BUFFER_FRAMES
    """Packets that it holds before they are decoded."""
    keep_audio: bool = False
    """Keep the packets that were played."""
    packet_number: Callable[[bytes], int | None] | None = None
    """Finds a packet's number in its payload, where a test's voice has put one."""


class Session:
    """A device on one connection. ``link`` must be set before the first message."""

    link: Link

    def __init__(self, kind: DeviceKind, version: int, tools: DeviceTools | None) -> None:
        self._kind = kind
        self._version = version
        self._tools = tools
        self._loop = asyncio.get_running_loop()
        self.hello: asyncio.Future[ServerHello] = self._loop.create_future()
        manual = kind.mode is ListenMode.MANUAL
        self.machine = DeviceMachine(ListenMode.AUTO if manual else kind.mode)
        self._audio = DeviceAudio(kind.buffer_frames, self._recorded, self._fell_silent)
        self._speaker = self._audio.speaker
        self._downlink = AudioFormat(AudioCodec.OPUS, 24_000, float(FRAME_MS))
        self._turns = PendingTurns()
        self.on_unasked: Callable[[PendingTurn], None] = lambda _turn: None
        """Called when the server begins to speak without being asked."""
        self._stops_to_ignore = 0
        self._reply_begun_at = self._reply_ended_at = -math.inf
        self.last_heard_at = self._loop.time()
        """When the server last sent something that belongs to a turn."""
        self.closed = False

    @property
    def downlink(self) -> AudioFormat:
        """The format of what the server sends."""
        return self._downlink

    def say_hello(self) -> None:
        self.link.send(
            protocol.hello(
                self._version,
                self._kind.codec.value,
                tools=self._tools is not None,
                echo_cancelling=self._kind.echo_cancelling,
            )
        )

    def begin_turn(
        self,
        speech: EncodedSpeech,
        begun: Callable[[float], None] = lambda _at: None,
        first_audio: Callable[[float], None] = lambda _at: None,
    ) -> PendingTurn:
        """Say this as soon as the microphone is open. ``begun`` gets the time at which recording
        begins, ``first_audio`` the time at which the reply begins to play."""
        recorder = TurnRecorder(speech.name)
        turn = PendingTurn(recorder, self._loop.create_future(), first_audio)
        self._turns.begin(turn)
        self.last_heard_at = self._loop.time()

        def note(at: float) -> None:
            recorder.begin(at, speech.speech_start_s, speech.speech_end_s)
            begun(at)

        self._audio.say(speech, note)
        return turn

    def press(self, event: Event) -> None:
        """Somebody presses or releases a button, or says the wake word."""
        spoke = self.machine.state is State.SPEAKING
        self._handle(event, self._loop.time())
        if spoke and self.machine.state is not State.SPEAKING:
            # The device stopped speaking by itself: the server's `tts stop` is still to come.
            self._stops_to_ignore += 1
            self._complete(self._turns.playing)

    def give_up(self, turn: PendingTurn) -> None:
        """End a turn to which no reply comes."""
        self._turns.finish(turn, self._speaker.account())

    def end(self) -> None:
        self.closed = True
        self._audio.end()

    def on_close(self, closed: Closed) -> None:
        """End every turn: the connection is gone."""
        self._handle(Event.CLOSED, self._loop.time())
        self.end()
        how = (
            f"code {closed.code} {closed.reason}".strip()
            if closed.code is not None
            else "it broke off"
        )
        if not self.hello.done():
            self.hello.set_exception(LinkError(f"the server ended the connection: {how}"))
        self._turns.finish_all(self._speaker.account(), how)

    def on_message(self, at: float, message: str | bytes) -> None:
        """Take a message of the server."""
        if self.closed:
            return
        if isinstance(message, str):
            self._read(at, message)
            return
        try:
            frame = frames.unpack(self._version, message)
        except FrameError as error:
            self._problem(f"a binary frame cannot be read: {error}")
            return
        if frame.kind == "json":
            self._read(at, frame.payload.decode("utf-8", "replace"))
        else:
            self.last_heard_at = at
            self._handle(Event.AUDIO, at, frame.payload)

    # -- text messages ---------------------------------------------------------------------------

    def _read(self, at: float, text: str) -> None:
        message = protocol.read(text)
        if message is None:
            self._problem("a text message is not a JSON object with a type")
            return
        match message["type"]:
            case "hello":
                self._on_hello(message)
            case "stt":
                self._on_transcript(at, message.get("text"))
            case "llm":
                self.last_heard_at = at
                turn = self._turns.receiving
                if turn is not None and isinstance(message.get("emotion"), str):
                    turn.recorder.emotions.append(message["emotion"])
            case "tts":
                self._on_speech(at, message)
            case "alert":
                self._on_alert(message)
            case "mcp":
                self._on_tool_call(at, message.get("payload"))
            case "system":
                if message.get("command") == "reboot":
                    self._problem("the server told the device to reboot")
                    self.link.cut()

    def _on_hello(self, message: Mapping[str, Any]) -> None:
        greeting = protocol.read_hello(message)
        if greeting is None or self.hello.done():
            return
        try:
            codec = AudioCodec(greeting.audio_format)
        except ValueError:
            why = f"the server wants to send audio as {greeting.audio_format}"
            self.hello.set_exception(LinkError(why))
            return
        self._downlink = AudioFormat(codec, greeting.sample_rate, float(greeting.frame_ms))
        self.hello.set_result(greeting)

    def _on_transcript(self, at: float, text: object) -> None:
        self.last_heard_at = at
        turn = self._turns.heard
        if turn is None or not isinstance(text, str):
            return
        turn.recorder.transcript_at = turn.recorder.transcript_at or at
        turn.recorder.heard = f"{turn.recorder.heard} {text}".strip()

    def _on_speech(self, at: float, message: Mapping[str, Any]) -> None:
        self.last_heard_at = at
        turn = self._turns.receiving
        match message.get("state"):
            case "start":
                if turn is not None and turn.recorder.speaking_at is None:
                    turn.recorder.speaking_at = at
                self._handle(Event.TTS_START, at)
            case "sentence_start":
                if turn is None and self._turns.playing is None:
                    turn = self._begin_unasked(at)
                self._speaker.begin_piece()
                if turn is not None and isinstance(message.get("text"), str):
                    turn.recorder.sentences.append(message["text"])
            case "stop" if self.machine.state is State.SPEAKING:
                self._handle(Event.TTS_STOP, at)
            case "stop" if self._stops_to_ignore:
                self._stops_to_ignore -= 1
            case "stop":  # without a start: there is nothing to say
                self._complete(turn)

    def _begin_unasked(self, at: float) -> PendingTurn:
        """The server speaks although nothing was said."""
        recorder = TurnRecorder("", speaking_at=at)
        turn = PendingTurn(recorder, self._loop.create_future(), lambda _at: None)
        self._turns.begin(turn)
        self._turns.playing = turn
        self.on_unasked(turn)
        return turn

    def _on_alert(self, message: Mapping[str, Any]) -> None:
        parts = [message.get(name) for name in ("status", "message", "emotion")]
        if not all(isinstance(part, str) for part in parts):
            self._problem("an alert has no status, message and emotion")
            return
        turn = self._turns.receiving
        if turn is None:
            return
        turn.recorder.alerts.append(f"{parts[0]}: {parts[1]}")
        turn.recorder.problem(f"the server sent the alert {parts[0]}: {parts[1]}")
        if self.machine.state is not State.SPEAKING:
            self._complete(turn)

    def _on_tool_call(self, at: float, payload: object) -> None:
        if self._tools is None or not isinstance(payload, Mapping):
            return
        self.last_heard_at = at
        used = len(self._tools.calls)
        answer = self._tools.answer(payload)
        if (turn := self._turns.receiving) is not None:
            turn.recorder.tools_used += len(self._tools.calls) - used
        if answer is not None:
            self.link.send(protocol.mcp(self._session_id, answer))

    # -- what the machine says -------------------------------------------------------------------

    @property
    def _session_id(self) -> str:
        greeted = self.hello.done() and not self.hello.cancelled() and not self.hello.exception()
        return self.hello.result().session_id if greeted else ""

    def _handle(self, event: Event, at: float, packet: bytes = b"") -> None:
        for action in self.machine.handle(event, silent=self._speaker.is_silent(at)):
            self._act(action, at, packet)

    def _act(self, action: Action, at: float, packet: bytes) -> None:
        match action:
            case Action.PLAY:
                self._play(at, packet)
            case Action.DROP:
                turn = self._turns.playing or self._turns.receiving
                if turn is not None:
                    turn.recorder.dropped += 1
            case Action.BEGIN_REPLY:
                self._reply_begun_at = at
                self._stop_speaker(at)
                self._turns.finish_complete(self._speaker.account())
                self._speaker.begin_reply(at)
                self._turns.playing = self._turns.receiving
            case Action.END_REPLY:
                self._end_reply(at)
            case Action.STOP_SPEAKER:
                self._stop_speaker(at)
            case Action.OPEN_MICROPHONE:
                self._audio.open_microphone()
            case Action.CLOSE_MICROPHONE:
                self._close_microphone()
            case Action.CLOSE:
                self.link.cut()
            case _:
                said = protocol.message_of(
                    action, self._session_id, self.machine.mode, self._kind.wake_word
                )
                self.link.send(said)

    # -- loudspeaker -----------------------------------------------------------------------------

    def _play(self, at: float, packet: bytes) -> None:
        turn = self._turns.playing
        seconds = packet_seconds(packet, self._downlink)
        if seconds is None or seconds > self._downlink.frame_s + 1e-6:
            length = "no audio" if seconds is None else f"{1000 * seconds:g} ms"
            self._problem(f"a packet holds {length}, not {self._downlink.frame_ms:g} ms")
            return
        taken = self._speaker.take(at, seconds)
        if turn is None:
            return
        recorder = turn.recorder
        if recorder.first_packet_at is None:
            recorder.first_packet_at = at
            if (first_at := self._speaker.account().first_at) is not None:
                turn.first_audio(first_at)
        if self._kind.packet_number is not None:
            number = self._kind.packet_number(packet)
            if turn.last_number is not None and number != turn.last_number + 1:
                recorder.out_of_order += 1
            turn.last_number = number
        if taken and self._kind.keep_audio:
            recorder.packets.append(packet)

    def _stop_speaker(self, at: float) -> None:
        thrown = self._speaker.stop(at)
        if thrown and self._turns.playing is not None and self._kind.keep_audio:
            del self._turns.playing.recorder.packets[-thrown:]
        self._watch_silence()

    def _watch_silence(self) -> None:
        """Ask for a notice when the last sample has been played, if something waits for it."""
        if self.machine.waits_for_silence or self._turns.any_complete:
            self._audio.notify_silence()
        else:
            self._audio.cancel_silence_notice()

    def _fell_silent(self, at: float) -> None:
        self._handle(Event.DRAINED, at)
        self._turns.finish_complete(self._speaker.account())

    # -- microphone ------------------------------------------------------------------------------

    def _recorded(self, packet: bytes, said_all: bool) -> None:  # noqa: FBT001 - a callback
        self.link.send(frames.pack_audio(self._version, packet))
        if said_all and self.machine.mode is ListenMode.MANUAL:
            self.press(Event.RELEASED)

    def _close_microphone(self) -> None:
        lost_s = self._audio.close_microphone()
        turn = self._turns.receiving
        if lost_s > 0 and turn is not None and self.machine.state is State.SPEAKING:
            turn.recorder.cut_short_s = lost_s

    # -- turns -----------------------------------------------------------------------------------

    def _problem(self, sentence: str) -> None:
        turn = self._turns.receiving or self._turns.playing
        if turn is not None:
            turn.recorder.problem(sentence)

    def _end_reply(self, at: float) -> None:
        turn = self._turns.playing
        ended_at, self._reply_ended_at = self._reply_ended_at, at
        flushed = self._reply_begun_at <= ended_at + _FLUSH_S
        if turn is None or turn.recorder.sentences or not flushed:
            self._complete(turn)
            return
        # A start and a stop right after a stop, with nothing in between: the server only made the
        # device drop the packets that it held.
        turn.recorder.speaking_at = None
        self._turns.playing = None
        self._watch_silence()

    def _complete(self, turn: PendingTurn | None) -> None:
        if turn is not None:
            turn.recorder.complete = True
        self._watch_silence()
