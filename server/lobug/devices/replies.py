"""One turn of a device's conversation: prepared at a pause, played, interrupted or thrown away.

A device's replies: prepared on speculation, played, interrupted, stored."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, aclosing, suppress

from lobug.devices import messages as say
from lobug.devices.connection import Connection
from lobug.devices.host import DeviceHost
from lobug.devices.microphone import DeviceHearing
from lobug.devices.speaker import Speaker
from lobug.devices.tools import DeviceTools
from lobug.engines.tools import ToolBox
from lobug.errors import LobugError
from lobug.language.emotions import Emotion
from lobug.language.en.emotion_cues import emotion_of
from lobug.memory.base import ConversationKey
from lobug.turn.events import Action, AllSaid, Done, Failed, Heard, Piece, SpeechAudio, TurnEvent
from lobug.turn.listen.events import SpeechEnded
from lobug.turn.live import Commitment
from lobug.turn.runner import LiveOptions, TranscribedUtterance, TurnRunner
from lobug.turn.timeline import Timeline, TurnCounts
from lobug.turn.utterance import Utterance

log = logging.getLogger(__name__)


class LiveTurn:
    """A turn that runs in a task of its own."""

    def __init__(
        self,
        runner: TurnRunner,
        conversation_key: ConversationKey,
        utterance: Utterance,
        timeline: Timeline,
        speaker: Speaker,
        on_event: Callable[[LiveTurn, TurnEvent], Awaitable[None]],
        on_over: Callable[[LiveTurn], Awaitable[None]],
        tools: ToolBox | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        privileged: bool = False,
    ) -> None:
        """Begins at once, on speculation; ``commit`` makes it count. From then on ``on_event`` gets
        its events, and ``on_over`` is called when it has ended, however it did. ``privileged``: as
        of ``TurnRunner.run``."""
        self.timeline = timeline
        self.speaker = speaker
        self._failed = False
        self._commitment = Commitment()
        self._clock = clock
        self._begun_at = clock()
        going = LiveOptions(self._commitment, speaker, tools)
        self._events = runner.run(
            conversation_key,
            utterance,
            voice=True,
            timeline=timeline,
            going=going,
            privileged=privileged,
        )
        self._on_event = on_event
        self._on_over = on_over
        self.task = asyncio.ensure_future(self._run())

    @property
    def committed(self) -> bool:
        """Whether it counts."""
        return self._commitment.made

    @property
    def failed(self) -> bool:
        """Whether it can count no more: it failed before it did, or gave way to another turn."""
        return self._failed or self._commitment.withdrawn

    @property
    def first_sent_at(self) -> float | None:
        """When its first audio was sent, by the clock."""
        return self.timeline.at("first_audio_sent")

    @property
    def over(self) -> bool:
        """Whether it has ended, its reply stored."""
        return self.task.done()

    def commit(self) -> None:
        """Somebody has really said that."""
        self._commitment.make()

    def interrupt(self, *, flush: bool = True) -> None:
        """Stop its model, its voice and its playing; what was heard of it is stored. ``flush`` as
        of ``Speaker.interrupt``."""
        self.speaker.interrupt(flush=flush)

    async def discard(self) -> float:
        """Throw it away; it leaves no trace. Returns the seconds of work that were lost."""
        wasted = self._clock() - self._begun_at
        self.task.cancel()
        await asyncio.wait([self.task])
        await self.speaker.close()
        return wasted

    async def _run(self) -> None:
        try:
            async with aclosing(self._events) as events:
                async for event in events:
                    if not self.committed and isinstance(event, Failed):
                        self._failed = True
                        return
                    await self._on_event(self, event)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("a device's turn ended unexpectedly")
            self._failed = True
        finally:
            if self.committed:
                await self.speaker.close()
                await self._on_over(self)


_ECHO_S = 1.5
"""After the end of a reply: as long its last words may still be on the way back."""

_FAREWELL_S = 5.0
"""How long a turn that was under way may take to be stored when its device is gone."""


def face_of(response: str, action: Action) -> Emotion:
    """The face for a finished turn. A reaction is meant to be noticed: without any other cue it is
    a happy one."""
    if action is Action.IGNORE:
        return Emotion.NEUTRAL
    return emotion_of(response, Emotion.HAPPY if action is Action.REACT else Emotion.NEUTRAL)


class Replies:
    """One connection's turns: at most one that counts, and one that is only prepared."""

    def __init__(
        self,
        server: DeviceHost,
        connection: Connection,
        conversation_key: ConversationKey,
        hearing: DeviceHearing,
        clock: Callable[[], float],
        *,
        device: str,
        on_over: Callable[[], None],
        privileged: bool = False,
    ) -> None:
        """``device`` names it in timelines; ``on_over`` is called when a turn has ended;
        ``privileged`` as of ``TurnRunner.run``."""
        self._server = server
        self._settings = server.settings
        self._connection = connection
        self._conversation_key = conversation_key
        self._hearing = hearing
        self._clock = clock
        self._device = device
        self._privileged = privileged
        self._on_over = on_over
        self.tools: DeviceTools | None = None
        """What the chat model may use in a reply."""
        self._turn: LiveTurn | None = None
        self._draft: LiveTurn | None = None
        self._draft_end_s = 0.0
        self._counts = TurnCounts()
        self._reading: asyncio.Task[None] | None = None
        self._talking = ExitStack()
        """Open while a reply is on its way."""

    @property
    def going_on(self) -> bool:
        """Whether a reply is on its way and nobody has interrupted it."""
        return self._turn is not None and not self._turn.over and not self._turn.speaker.interrupted

    @property
    def in_the_air(self) -> bool:
        """Whether a reply is heard, or was until just now."""
        if self._turn is None:
            return False
        ended_at = self._turn.speaker.ended_at
        return ended_at is None or self._clock() < ended_at + _ECHO_S

    @property
    def words(self) -> list[str]:
        """The pieces of the reply that is or was played."""
        return self._turn.speaker.texts if self._turn is not None else []

    def read_along(self, words: str) -> None:
        """Let the model read what has been said so far, unless it is at that already."""
        idle = self._reading is None or self._reading.done()
        if idle and self._settings.listening.speculate and not self.going_on:
            work = self._server.read_ahead.while_speaking(self._conversation_key, words)
            self._reading = asyncio.ensure_future(work)

    async def prepare(self, text: str, language: str, speech_end_s: float) -> None:
        """Begin the reply on the chance that nothing more is said."""
        restarts = self._hearing.restarts
        await self.discard()
        if not self._settings.listening.speculate or not text or self.going_on:
            return
        if restarts != self._hearing.restarts:
            return
        self._counts.speculations_started += 1
        self._draft = self._begin(text, language, speech_end_s)
        self._draft_end_s = speech_end_s

    async def answer(self, text: str, event: SpeechEnded) -> None:
        """Somebody has said ``text``, all or a part of what was heard: answer it."""
        assert event.transcript is not None  # noqa: S101 - for the type checker
        whole = text == event.transcript.text.strip()
        draft = self._draft
        fits = whole and event.pause_s is not None and event.pause_s == self._draft_end_s
        if draft is None or not fits or draft.failed:
            restarts = self._hearing.restarts
            await self.discard()
            if restarts != self._hearing.restarts:
                return  # the device began anew while a model was being stopped
            draft = self._begin(text, event.transcript.language, event.speech_end_s)
        # From here to its commitment nothing is awaited: nobody can make it give way in between.
        self._draft = None
        self._interrupt()
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

    async def stop(self, *, by_device: bool = False) -> None:
        """Interrupt the reply, and drop what was only prepared. ``by_device``: it asked for that,
        and may have dropped what it holds already."""
        await self.discard()
        self._interrupt(by_device=by_device)

    def _interrupt(self, *, by_device: bool = False) -> None:
        if self._turn is not None and not self._turn.over:
            self._turn.timeline.counts.interrupted = True
            dropped = by_device and self._connection.agreed.drops_on_abort
            self._turn.interrupt(flush=not dropped)

    def barge_in(self) -> None:
        """Somebody speaks into the reply."""
        if self._turn is not None and self.going_on:
            log.info("the reply was interrupted by speech")
            self._turn.timeline.counts.interrupted = True
            self._turn.interrupt()

    async def discard(self) -> None:
        """Throw away what was only prepared."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])
        draft, self._draft = self._draft, None
        if draft is not None:
            self._counts.speculations_discarded += 1
            self._counts.wasted_s += await draft.discard()

    def playing(self, delay_s: float) -> None:
        """The device has begun to play, so long after the first audio reached it."""
        if self._turn is not None and self._turn.first_sent_at is not None:
            self._turn.timeline.mark("first_audio_played", self._turn.first_sent_at + delay_s)

    async def face(self, emotion: Emotion) -> None:
        """Let the device draw a face."""
        await self._connection.send(say.llm(self._connection.session_id, emotion))

    async def alert(self, error: LobugError) -> None:
        """Let the device show and sound what went wrong."""
        await self._connection.send(
            say.alert(self._connection.session_id, "Lo-Bug", error.spoken, Emotion.SAD)
        )

    async def leave(self) -> None:
        """The device has gone: what was heard of a reply is stored, nothing is left running."""
        self._talking.close()
        await self.discard()
        turn = self._turn
        if turn is not None and not turn.over:
            await self.stop()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([turn.task], timeout=_FAREWELL_S)
            turn.task.cancel()
            await asyncio.wait([turn.task])

    def _begin(self, text: str, language: str, speech_end_s: float) -> LiveTurn:
        if self.tools is not None and self.tools.tools():
            self._server.offer_tools(self._conversation_key, self.tools.tools(), again=True)
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
            self._conversation_key,
            utterance,
            timeline,
            speaker,
            self._on_event,
            self._after,
            self.tools,
            self._clock,
            privileged=self._privileged,
        )

    async def _on_event(self, turn: LiveTurn, event: TurnEvent) -> None:
        match event:
            case Heard(text=text):
                await self._connection.send(say.stt(self._connection.session_id, text))
            case Piece():
                if event.index == 0:
                    await self.face(emotion_of(event.text))
                turn.speaker.piece(event)
            case SpeechAudio():
                turn.speaker.take(event)
            case AllSaid():
                turn.speaker.all_said()
            case Done():
                # A device that waits for a reply learns by this that there is none.
                if event.action is not Action.RESPOND:
                    await self.face(face_of(event.response, event.action))
            case Failed():
                await self.alert(event.error)
            case _:
                pass

    async def _after(self, turn: LiveTurn) -> None:
        self._on_over()
        if turn is self._turn:
            self._talking.close()
            self._hearing.answered()
        await self._server.after_turn(self._conversation_key)
