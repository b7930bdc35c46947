"""Runs a turn: hear, prepare, reply, speak, store. Every door runs this and consumes its events.

Who answers it is chosen in ``answerers.py``; all kinds of turns share the stages here. A live turn
is wrapped once, outside (``commitment.hold_until_committed``): no stage inside decides whether its
events are passed on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from lobug.agenda.waiting_speech import WaitingSpeeches
from lobug.concurrency import uninterrupted
from lobug.conversation.prompt import Persona
from lobug.conversation.recognition import MemoryCommands
from lobug.conversation.registry import Conversation, Conversations
from lobug.engines.base import ABSENT_TOOLS, Engines, ToolBox
from lobug.errors import LobugError, StorageError
from lobug.house.service import House
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import Settings
from lobug.skills.registry import Skills
from lobug.turn.answerers import Answerers, HeardTurn, TurnKind
from lobug.turn.commitment import LiveOptions, heard_words, hold_until_committed, interrupted_reply
from lobug.turn.events import (
    Action,
    AllSaid,
    Done,
    Failed,
    Heard,
    Ignored,
    Piece,
    SpeechAudio,
    TurnEvent,
)
from lobug.turn.model_turn import CallerContext, ModelStages
from lobug.turn.preface import Preface
from lobug.turn.slots import TurnSlot, TurnSlots
from lobug.turn.speech import SpeechOutcome, speak
from lobug.turn.timeline import NoObserver, Timeline, TurnObserver, observe, record_event
from lobug.turn.utterance import TypedUtterance, Utterance, hear

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Turn:
    """One turn's state."""

    conversation: Conversation
    utterance: Utterance
    timeline: Timeline
    voice: bool
    live: LiveOptions | None
    caller: CallerContext
    preface: Preface
    heard: Heard | None = None
    kind: TurnKind | None = None
    """None until the words are known, and when there were none."""
    kind_known: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when ``kind`` is final."""
    speech: SpeechOutcome = field(default_factory=SpeechOutcome)
    pieces: dict[int, str] = field(default_factory=dict)
    """The pieces so far, by index: those of the preface, then those of the reply."""

    @property
    def text(self) -> str:
        """The whole reply and what was said before it."""
        reply = self.kind.reply.text if self.kind is not None else ""
        return f"{self.preface.text} {reply}".strip() if self.preface.text else reply

    def to_answer(self, heard: Heard) -> HeardTurn:
        """The turn for those who may answer it."""
        return HeardTurn(
            self.conversation,
            heard,
            self.timeline,
            self.live,
            self.caller,
            self.voice,
            must_answer=isinstance(self.utterance, TypedUtterance),
        )

    async def commit(self) -> None:
        """The turn counts: make its words durable."""
        await self.kind_known.wait()
        if self.kind is not None:
            await self.kind.commit()


class TurnRunner:
    """Runs turns. One for each server; it holds no turn's state."""

    def __init__(
        self,
        settings: Settings,
        engines: Engines,
        memory: Memory,
        conversations: Conversations,
        priority: TurnPriority,
        persona: Persona,
        clock: Callable[[], float] = time.monotonic,
        commands: MemoryCommands | None = None,
        observer: TurnObserver | None = None,
        skills: Skills | None = None,
        tools: ToolBox = ABSENT_TOOLS,
        waiting: WaitingSpeeches | None = None,
        wall: Callable[[], float] = time.time,
        speed_for: Callable[[str], float] = lambda _user: 1.0,
        house: House | None = None,
    ) -> None:
        """``commands`` None: no words are taken for a command to memory; ``skills`` None: Lo-Bug
        can only talk; ``tools``: those of the owner's servers; ``waiting`` None: nothing is said
        before a reply. ``wall``: seconds since the epoch. ``speed_for`` gives how fast to speak to
        a user, times the voice's own speed. ``house`` None: there is none to ask."""
        self._settings = settings
        self._engines = engines
        self._slots = TurnSlots(settings.limits, conversations, priority, memory.kept_in.people)
        self._clock = clock
        self._memory = memory
        model = ModelStages(settings, engines.chat, memory, persona, clock, tools, wall)
        self._answerers = Answerers(model, memory, commands=commands, skills=skills, house=house)
        self._waiting = waiting
        self._wall = wall
        self._speed_for = speed_for
        self._observer = observer or NoObserver()

    def use(self, settings: Settings, persona: Persona) -> None:
        """Run turns by these from the next one on."""
        self._settings = settings
        self._answerers.use(settings, persona)

    @property
    def waiting(self) -> int:
        """Number of turns that wait for a slot."""
        return self._slots.waiting

    async def run(
        self,
        conversation_key: ConversationKey,
        utterance: Utterance,
        *,
        voice: bool,
        timeline: Timeline | None = None,
        live: LiveOptions | None = None,
        caller: CallerContext | None = None,
        privileged: bool = False,
    ) -> AsyncGenerator[TurnEvent]:
        """Run one turn and yield its events; the last is ``Done`` or ``Failed``. A turn that is
        withdrawn (``Commitment``) yields nothing.

        Args:
            conversation_key: whose turn it is.
            utterance: what was said.
            voice: whether the reply is to be spoken as well.
            timeline: takes the turn's stage times; None: a new one.
            live: lets the turn begin before it counts, and be interrupted; None: it counts from
                the start, and its whole reply is stored.
            caller: the caller's own history and wishes; None: there are none.
            privileged: whether the caller is the owner or a paired device (``quota``).

        Close the iterator (``aclosing``) to stop a turn midway.
        """
        timeline = timeline or Timeline("audio" if voice else "text", self._clock)
        commitment = live.commitment if live is not None else None
        with observe(timeline, self._observer, lambda: commitment is None or commitment.made):
            turn: _Turn | None = None
            try:
                async with self._slots.take(
                    conversation_key, commitment, privileged=privileged
                ) as slot:
                    if commitment is not None and commitment.withdrawn:
                        return
                    turn = _Turn(
                        slot.conversation,
                        utterance,
                        timeline,
                        voice,
                        live,
                        caller or CallerContext(),
                        Preface(self._waiting, conversation_key.user, self._wall),
                    )
                    try:
                        async with aclosing(self._stages(turn, slot)) as stages:
                            async for event in stages:
                                record_event(event, timeline)
                                if isinstance(event, Heard | Ignored | Done):
                                    self._note_words(turn, event)
                                yield event
                    finally:
                        turn.preface.close()
            except LobugError as error:
                log.warning("turn failed: %s: %s", error.code, error)
                failure = error
            except Exception as error:
                # A fault of this program; but a device that waits for an end has to get one.
                log.exception("turn failed unexpectedly")
                failure = LobugError(type(error).__name__)
            else:
                return
            heard = turn.heard.text if turn is not None and turn.heard is not None else ""
            failed = Failed(failure, transcription=heard)
            record_event(failed, timeline)
            # A draft has no end that would be told of (``observe``), so it has no beginning either.
            if not heard and (commitment is None or commitment.made):
                self._observer.heard(timeline, conversation_key, "")
            yield failed

    def _note_words(self, turn: _Turn, event: Heard | Ignored | Done) -> None:
        """Tell the observer what was heard and replied. A model that ignores words comes after
        them."""
        conversation_key = turn.conversation.conversation_key
        if isinstance(event, Done):
            if event.response:
                self._observer.replied(turn.timeline, conversation_key, event.response)
        elif isinstance(event, Heard) or turn.heard is None:
            self._observer.heard(turn.timeline, conversation_key, event.text)

    async def _stages(self, turn: _Turn, slot: TurnSlot) -> AsyncGenerator[TurnEvent]:
        """The whole turn, up to ``Done``; nothing after the wrapper if it does not count."""
        events = self._answer(turn)
        if turn.live is not None:
            events = hold_until_committed(
                _then_leave_engines(events, slot),
                turn.live,
                commit=turn.commit,
                discard=turn.conversation.dialogue.restorer(),
            )
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
        except Exception:
            await self._log_unlogged(turn)
            raise
        if turn.live is not None and turn.live.commitment.withdrawn:
            return
        if turn.heard is None or turn.kind is None:
            yield Done(Action.IGNORE, "", "", turn.timeline.timings())
            return
        interrupted = False
        if turn.live is not None and turn.live.playback is not None:
            await slot.leave_engines()
            playback = turn.live.playback
            unfinished = playback.interrupted
            yield AllSaid()
            await playback.finished()
            turn.timeline.mark("played")
            # Speech after the last word interrupts nothing.
            heard = heard_words(turn.pieces, playback.played())
            interrupted = playback.interrupted and (unfinished or heard != turn.text)
        # A reply in the log and not in working memory would be forgotten until a restart.
        text = await uninterrupted(self._store(turn, turn.kind, interrupted=interrupted))
        turn.timeline.mark("stored")
        yield Done(
            turn.kind.reply.action,
            turn.heard.text,
            text,
            turn.timeline.timings(),
            speech_error=turn.speech.error.code if turn.speech.error else None,
            interrupted=interrupted,
            truncated=turn.kind.reply.truncated,
            message_id=turn.kind.message_id,
        )

    async def _log_unlogged(self, turn: _Turn) -> None:
        """Log the words of a turn that counts and failed before they were logged."""
        if turn.heard is None or (turn.live is not None and not turn.live.commitment.made):
            return
        with suppress(StorageError):  # the turn fails with its own error
            if turn.kind is not None:
                await turn.kind.log_words()
            else:
                await self._memory.log_user_message(
                    turn.conversation.conversation_key, turn.heard.text
                )

    async def _answer(self, turn: _Turn) -> AsyncGenerator[TurnEvent]:
        """Everything up to the last sound of the reply."""
        try:
            heard = await hear(turn.utterance, self._engines, self._settings, turn.timeline)
            if isinstance(heard, Heard):
                turn.heard = heard
            if turn.live is None:
                yield heard
            if turn.heard is None:
                return
            # Before the words are logged: those of "forget that ..." must never be.
            turn.kind = await self._answerers.choose(turn.to_answer(turn.heard))
        finally:
            turn.kind_known.set()
        await turn.kind.prepare()
        if turn.live is not None:
            yield turn.heard  # not before the words are logged
        events = turn.preface.before(turn.kind.events(), turn.kind.reply)
        if turn.voice:
            # A door that plays speech as it comes need not hold all of it.
            played = turn.live is not None and turn.live.playback is not None
            longest = None if played else self._settings.tts.max_reply_seconds
            events = speak(
                events,
                self._engines.tts,
                turn.speech,
                longest,
                speed=self._speed_for(turn.conversation.conversation_key.user),
            )
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, Piece):
                        turn.timeline.mark("first_piece")
                        turn.pieces[event.index] = event.text
                    elif isinstance(event, SpeechAudio):
                        turn.timeline.mark("first_audio")
                    yield event
        finally:
            turn.kind.release()
        if turn.voice:
            turn.timeline.mark("speech")

    async def _store(self, turn: _Turn, kind: TurnKind, *, interrupted: bool) -> str:
        """Store the reply, and what was said before it, as far as the user got it. Returns those
        words."""
        played, reply, whole = None, kind.reply.text, turn.text
        if interrupted and turn.live is not None and turn.live.playback is not None:
            played = turn.live.playback.played()
            first = len(turn.preface)
            reply = heard_words(turn.pieces, [part for part in played if part[0] >= first])
            whole = heard_words(turn.pieces, played)
        await kind.store(interrupted_reply(reply) if interrupted else reply)
        with suppress(StorageError):  # the reply is stored, and what waits is said again
            told = await turn.preface.heard(played)
            if told:
                await self._memory.log_unasked(turn.conversation.conversation_key, told)
        return whole


async def _then_leave_engines(
    events: AsyncGenerator[TurnEvent], slot: TurnSlot
) -> AsyncGenerator[TurnEvent]:
    """Give the engines to other turns after the last event: a reply that was prepared may wait
    long for its commitment, as while a button is held."""
    async with aclosing(events):
        async for event in events:
            yield event
    await slot.leave_engines()
