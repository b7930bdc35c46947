"""A device's turns: prepared at a pause, answered, played, interrupted or discarded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, aclosing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lobug.devices import messages as say
from lobug.devices.connected_devices import DeviceHost
from lobug.devices.connection import Connection
from lobug.devices.microphone import Microphone
from lobug.devices.speaker import Speaker
from lobug.devices.unasked_speech import TouchRules, VoicedSpeech, play_unasked
from lobug.errors import LobugError, MemoryNotFoundError, StorageError
from lobug.language.emotions import Emotion
from lobug.language.en.emotion_cues import emotion_of
from lobug.memory.model import ConversationKey, Hit, scope_of
from lobug.turn.commitment import Commitment, LiveOptions
from lobug.turn.events import (
    NOTICE_INDEX,
    Action,
    AllSaid,
    Done,
    Failed,
    Heard,
    Notice,
    Piece,
    SpeechAudio,
    SpeechEnded,
    TurnEvent,
)
from lobug.turn.speech import speak_notice
from lobug.turn.timeline import Timeline, TurnCounts
from lobug.turn.utterance import TranscribedUtterance

if TYPE_CHECKING:
    from lobug.engines.tool_client import ToolClient

log = logging.getLogger(__name__)

_ECHO_S = 1.5
"""Seconds after the end of a reply in which its last words may still come back as an echo."""

_STORE_TIMEOUT_S = 5.0
"""Seconds that a turn under way may take to be stored when its device has gone."""


def face_of(response: str, action: Action) -> Emotion:
    """The face for a finished turn. A reaction without another cue is a happy one, because it is
    meant to be noticed."""
    if action is Action.IGNORE:
        return Emotion.NEUTRAL
    return emotion_of(response, Emotion.HAPPY if action is Action.REACT else Emotion.NEUTRAL)


def _shown(hit: Hit) -> dict[str, object]:
    """A memory or a former turn that was used, as a device is told of it."""
    layer = None if hit.entry is None else hit.entry.layer
    return {
        "kind": hit.kind,
        "id": hit.id,
        "content": hit.content,
        "layer": layer,
        "said_at": hit.said_at,
    }


@dataclass(slots=True, eq=False)
class _LiveTurn:
    """One turn, which runs in its own task."""

    timeline: Timeline
    speaker: Speaker
    begun_at: float
    """When it began, by the clock."""
    commitment: Commitment = field(default_factory=Commitment)
    broken: bool = False
    """Whether it failed before it counted, or ended unexpectedly."""
    task: asyncio.Task[None] = field(init=False)

    @property
    def failed(self) -> bool:
        """Whether it can no longer count."""
        return self.broken or self.commitment.withdrawn

    @property
    def over(self) -> bool:
        """Whether it has ended and its reply is stored."""
        return self.task.done()


class DeviceTurns:
    """One connection's turns: at most one that counts, and one draft that is only prepared."""

    def __init__(
        self,
        server: DeviceHost,
        connection: Connection,
        conversation_key: ConversationKey,
        microphone: Microphone,
        clock: Callable[[], float],
        *,
        device: str,
        privileged: bool,
    ) -> None:
        """``device`` names it in the turns' records; ``privileged`` as of ``TurnRunner.run``."""
        self.tools: ToolClient | None = None
        """The device's tools; None: it has none."""
        self.ended_at = clock()
        """When the last turn ended, by the clock; at first: the beginning."""
        self.touches = TouchRules()
        self.stopped_by_device = False
        """Whether the last interruption came from the device: a touch, or its wake word."""
        self._server = server
        self._settings = server.settings
        self._connection = connection
        self._conversation_key = conversation_key
        self._microphone = microphone
        self._clock = clock
        self._device = device
        self._privileged = privileged
        self._turn: _LiveTurn | None = None
        self._draft: _LiveTurn | None = None
        self._draft_end_s = 0.0
        """Second of the stream at which the words of the draft end."""
        self._prefetch: asyncio.Future[None] | None = None
        self._counts = TurnCounts()
        """Counts of the drafts since the last turn that counted."""
        self._talking = ExitStack()
        """Open while a reply is on its way."""
        self._speaker: Speaker | None = None
        """Of the reply, or of speech that nobody asked for, whichever is newer."""
        self._unasked: asyncio.Future[None] | None = None
        """Done when the speech that nobody asked for is over; None: there is none."""

    @property
    def replying(self) -> bool:
        """Whether something is being said that has not been interrupted: a reply is on its way, or
        speech that nobody asked for."""
        return self._talks and self._speaker is not None and not self._speaker.interrupted

    @property
    def unasked(self) -> Speaker | None:
        """The playback of speech that nobody asked for; None: there is none."""
        return self._speaker if self._unasked is not None else None

    @property
    def audible(self) -> bool:
        """Whether something is heard, or was until a moment ago."""
        if self._speaker is None:
            return False
        ended_at = self._speaker.ended_at
        return ended_at is None or self._clock() < ended_at + _ECHO_S

    @property
    def spoken(self) -> list[str]:
        """The pieces of what is being said, or was said last."""
        return self._speaker.texts if self._speaker is not None else []

    def _note_stop(self) -> None:
        self.touches.speech_ended(self._clock())

    @property
    def _talks(self) -> bool:
        return self._unasked is not None or self.answering

    @property
    def answering(self) -> bool:
        """Whether a turn that counts is not over yet."""
        return self._turn is not None and not self._turn.over

    async def reply_over(self) -> None:
        """Return once no reply is on its way."""
        while self._turn is not None and not self._turn.over:
            await asyncio.wait([self._turn.task])

    async def unasked_over(self) -> None:
        """Return once speech that nobody asked for is over."""
        if self._unasked is not None:
            await asyncio.wait([self._unasked])

    async def say_unasked(self, speech: VoicedSpeech) -> Speaker:
        """Say something that nobody asked for. Returns its playback when it is over. Call it while
        no reply is on its way.

        What it begins with happens at once, before anything is awaited.
        """
        speaker = Speaker(
            self._connection,
            self._settings.streaming.audio_lead_s,
            self._clock,
            on_stopped=self._note_stop,
            flush=self._microphone.mode != "manual",
        )
        over = asyncio.get_running_loop().create_future()
        self._speaker, self._unasked = speaker, over
        self._microphone.reply_began()
        self._talking.close()
        self._talking.enter_context(self._server.telemetry.talking_device())
        try:
            await self.discard()
            await self.face(emotion_of(speech.pieces[0].text))
            await play_unasked(speaker, speech)
        finally:
            await speaker.close()
            self._unasked = None
            over.set_result(None)
            self.ended_at = self._clock()
            if self._speaker is speaker:
                self._talking.close()
                self._microphone.reply_ended()
        return speaker

    @property
    def _speculates(self) -> bool:
        return self._server.settings.listening.speculate

    def prefetch(self, words: str) -> None:
        """Let the model read the words so far, unless it is reading already."""
        idle = self._prefetch is None or self._prefetch.done()
        if idle and self._speculates and not self.replying:
            work = self._server.prefetcher.while_speaking(self._conversation_key, words)
            self._prefetch = asyncio.ensure_future(work)

    async def prepare(self, text: str, language: str, speech_end_s: float) -> None:
        """Begin the turn on the chance that nothing more is said.

        Args:
            text: the words up to a pause.
            language: of the words, ISO 639-1.
            speech_end_s: second of the stream at which they end.
        """
        restarts = self._microphone.restarts
        await self.discard()
        if not self._speculates or not text or self.replying:
            return
        if restarts != self._microphone.restarts:
            return
        self._counts.speculations_started += 1
        self._draft = self._begin(text, language, speech_end_s)
        self._draft_end_s = speech_end_s

    async def answer(self, text: str, event: SpeechEnded) -> None:
        """Answer ``text``, which is all that was heard or a part of it. ``event`` has a
        transcript."""
        assert event.transcript is not None  # noqa: S101 - for the type checker
        whole = text == event.transcript.text.strip()
        draft = self._draft
        fits = whole and event.pause_s is not None and event.pause_s == self._draft_end_s
        if draft is None or not fits or draft.failed:
            restarts = self._microphone.restarts
            await self.discard()
            if restarts != self._microphone.restarts:
                return  # the device began again while a model was being stopped
            draft = self._begin(text, event.transcript.language, event.speech_end_s)
        # From here to the commitment nothing is awaited: nothing can withdraw it in between.
        self._draft = None
        self._interrupt()
        draft.timeline.mark("endpoint", self._microphone.moment(event.decided_s))
        draft.timeline.counts.speculations_started = self._counts.speculations_started
        draft.timeline.counts.speculations_discarded = self._counts.speculations_discarded
        draft.timeline.counts.wasted_s = self._counts.wasted_s
        self._counts = TurnCounts()
        self._turn, self._speaker = draft, draft.speaker
        self._talking.close()
        self._talking.enter_context(self._server.telemetry.talking_device())
        self._microphone.reply_began()
        draft.commitment.make()

    async def stop(self, *, by_device: bool = False) -> None:
        """Interrupt the reply and discard the draft. ``by_device``: the device asked for it, and
        may have dropped the audio that it holds already."""
        await self.discard()
        self._interrupt(by_device=by_device)

    def barge_in(self) -> None:
        """Interrupt the reply because somebody speaks."""
        if self.replying:
            log.info("the reply was interrupted by speech")
            self._interrupt()

    async def discard(self) -> None:
        """Discard the draft and what is being prefetched."""
        if self._prefetch is not None:
            self._prefetch.cancel()
            await asyncio.wait([self._prefetch])
        draft, self._draft = self._draft, None
        if draft is not None:
            wasted_s = self._clock() - draft.begun_at
            self._counts.speculations_discarded += 1
            draft.task.cancel()
            await asyncio.wait([draft.task])
            await draft.speaker.close()
            self._counts.wasted_s += wasted_s

    def playing(self, delay_s: float) -> None:
        """The device began to play ``delay_s`` seconds after the first audio reached it."""
        if self._turn is None:
            return
        first_sent_at = self._turn.timeline.at("first_audio_sent")
        if first_sent_at is not None:
            self._turn.timeline.mark("first_audio_played", first_sent_at + delay_s)

    async def face(self, emotion: Emotion) -> None:
        """Let the device draw a face."""
        await self._connection.send(say.llm(self._connection.session_id, emotion))

    async def alert(self, error: LobugError) -> None:
        """Let the device show and sound what went wrong."""
        await self._connection.send(
            say.alert(self._connection.session_id, "Lo-Bug", error.spoken, Emotion.SAD)
        )

    async def close(self) -> None:
        """The device has gone: store what was heard of a reply and leave nothing running."""
        self._talking.close()
        await self.discard()
        if self._unasked is not None:
            self._interrupt()
            await asyncio.wait([self._unasked], timeout=_STORE_TIMEOUT_S)
        turn = self._turn
        if turn is not None and not turn.over:
            await self.stop()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([turn.task], timeout=_STORE_TIMEOUT_S)
            turn.task.cancel()
            await asyncio.wait([turn.task])

    def _interrupt(self, *, by_device: bool = False) -> None:
        """Stop the model, the voice and the playing; what was heard of the reply is stored."""
        if not self._talks or self._speaker is None or self._speaker.interrupted:
            return
        self.stopped_by_device = by_device
        if self._turn is not None and not self._turn.over:
            self._turn.timeline.counts.interrupted = True
        dropped = by_device and self._connection.agreement.drops_on_abort
        self._speaker.interrupt(flush=not dropped)

    def _begin(self, text: str, language: str, speech_end_s: float) -> _LiveTurn:
        """Begin a turn at once, on speculation; its commitment makes it count."""
        if self.tools is not None and self.tools.tools():
            self._server.offer_tools(self._conversation_key, self.tools.tools(), again=True)
        timeline = Timeline("device", self._clock, device=self._device)
        timeline.begin_at(self._microphone.moment(speech_end_s))
        timeline.mark("transcript")
        speaker = Speaker(
            self._connection,
            self._settings.streaming.audio_lead_s,
            self._clock,
            # With push to talk the device empties its queue by itself.
            flush=self._microphone.mode != "manual",
            on_first_sent=lambda: timeline.mark("first_audio_sent"),
            on_stopped=self._note_stop,
        )
        turn = _LiveTurn(timeline, speaker, self._clock())
        events = self._server.turns.run(
            self._conversation_key,
            TranscribedUtterance(text, language),
            voice=True,
            timeline=timeline,
            live=LiveOptions(turn.commitment, speaker, self.tools),
            privileged=self._privileged,
        )
        turn.task = asyncio.ensure_future(self._run(turn, events))
        return turn

    async def _run(self, turn: _LiveTurn, events: AsyncGenerator[TurnEvent]) -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    if not turn.commitment.made and isinstance(event, Failed):
                        turn.broken = True
                        return
                    await self._on_event(turn, event)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("a device's turn ended unexpectedly")
            turn.broken = True
        finally:
            if turn.commitment.made:
                await turn.speaker.close()
                await self._on_end(turn)

    async def _on_event(self, turn: _LiveTurn, event: TurnEvent) -> None:
        match event:
            case Heard(text=text):
                await self._connection.send(say.stt(self._connection.session_id, text))
            case Notice():
                await self.unasked_over()
                await self._say(turn, event)
            case Piece():
                # The last ``tts stop`` of speech that it has interrupted must not end the reply.
                await self.unasked_over()
                if event.index == 0:
                    await self.face(emotion_of(event.text))
                turn.speaker.announce(event)
            case SpeechAudio():
                turn.speaker.play(event)
            case AllSaid():
                turn.speaker.all_said()
            case Done():
                # A device that waits for a reply learns by this that there is none.
                if event.action is not Action.RESPOND:
                    await self.face(face_of(event.response, event.action))
                elif self._connection.agreement.memories and event.message_id is not None:
                    await self._tell_memories(event.message_id)
            case Failed():
                await self.alert(event.error)
            case _:
                pass

    async def _tell_memories(self, message_id: int) -> None:
        """Tell the device which memories were used for the reply to a message."""
        scope = scope_of(self._conversation_key, self._settings.memory.household)
        used: list[dict[str, object]] = []
        try:
            recall = await self._server.memory.explain(scope, message_id)
        except MemoryNotFoundError:
            pass  # nothing was searched for: a skill or memory itself has answered
        except StorageError:
            return
        else:
            used = [_shown(hit) for hit in recall.hits if hit.reference in recall.injected]
        await self._connection.send(say.memories(self._connection.session_id, message_id, used))

    async def _say(self, turn: _LiveTurn, notice: Notice) -> None:
        """Play a notice before the reply, or show it if there is no voice."""
        audio = await speak_notice(notice, self._server.engines.tts)
        if audio is None:
            session_id = self._connection.session_id
            await self._connection.send(
                say.alert(session_id, "Lo-Bug", notice.text, Emotion.SLEEPY)
            )
            return
        turn.speaker.announce(Piece(NOTICE_INDEX, notice.text))
        turn.speaker.play(audio)

    async def _on_end(self, turn: _LiveTurn) -> None:
        self.ended_at = self._clock()
        if turn is self._turn and self._speaker is turn.speaker:
            self._talking.close()
            self._microphone.reply_ended()
        await self._server.after_turn(self._conversation_key)
