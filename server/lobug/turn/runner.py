"""One turn: hear, recall, reply, speak, store. Every door runs this and consumes its events.

The last stage: the reply goes to the log and to working memory."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from lobug.audio.decode import decode
from lobug.concurrency import uninterrupted
from lobug.conversation.commands.command import Command
from lobug.conversation.commands.recognition import MemoryCommands
from lobug.conversation.prompt import Persona
from lobug.conversation.registry import (
    IGNORED_REPLY,
    INTERRUPTED,
    Conversation,
    Conversations,
    Exchange,
    reload,
)
from lobug.engines.base import STT_SAMPLE_RATE, ChatMessage, Engines
from lobug.engines.tools import ABSENT_TOOLS, ToolBox
from lobug.errors import LobugError, StorageError
from lobug.memory.model import ConversationKey, MemoryContext
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import Settings
from lobug.turn.caller_context import CallerContext
from lobug.turn.command_reply import Obedience, log_answer, obey
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
from lobug.turn.listen.acceptance import judge
from lobug.turn.live import Commitment, live
from lobug.turn.observer import (
    NoObserver,
    TurnObserver,
    note,
    observed,
)
from lobug.turn.prompt import prepare
from lobug.turn.reply.generation import Prompt, Reply, write_reply
from lobug.turn.reply.playback import Playback, as_logged, heard_words
from lobug.turn.reply.speech import SpeechOutcome, speak
from lobug.turn.reply.tools import ToolUse, tell_if_needed
from lobug.turn.slots import TurnSlot, TurnSlots
from lobug.turn.timeline import Timeline
from lobug.turn.utterance import (
    SpokenUtterance,
    TranscribedUtterance,
    TypedUtterance,
    Utterance,
)

__all__ = [
    "SpokenUtterance",
    "TranscribedUtterance",
    "TurnRunner",
    "TypedUtterance",
    "Utterance",
]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """How a turn goes on beside the conversation; the doors that take a whole request have none."""

    commitment: Commitment
    """Until it is made the turn leaves no trace."""
    playback: Playback | None = None
    """Where its speech is played: then only what was heard of a reply is stored."""
    tools: ToolBox | None = None
    """Of the device that the words came from."""


@dataclass(slots=True)
class _Turn:
    """A turn's state."""

    conversation: Conversation
    utterance: Utterance
    timeline: Timeline
    voice: bool
    going: LiveOptions | None
    told: CallerContext
    prompted: Conversation
    """What the prompt is made of: the conversation, or what the caller told of it."""
    heard: Heard | None = None
    command: Command | None = None
    obeyed: bool = False
    """Whether the command has been carried out and its words are logged."""
    obedience: Obedience = field(default_factory=Obedience)
    """How that went."""
    message_id: int | None = None
    """Of the logged words; None until they are logged."""
    context: MemoryContext | None = None
    prompt: Prompt | None = None
    reply: Reply = field(default_factory=Reply)
    speech: SpeechOutcome = field(default_factory=SpeechOutcome)
    pieces: dict[int, str] = field(default_factory=dict)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is known whether the words may be logged, and what is recalled for them."""

    @property
    def counts(self) -> bool:
        return self.going is None or self.going.commitment.made


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
    ) -> None:
        self._settings = settings
        self._engines = engines
        self._memory = memory
        self._places = TurnSlots(settings.limits, conversations, priority)
        self._clock = clock
        self._persona = persona
        self._commands = commands
        self._observer = observer or NoObserver()

    @property
    def waiting(self) -> int:
        """Turns that wait for a place."""
        return self._places.waiting

    async def run(
        self,
        conversation_key: ConversationKey,
        utterance: Utterance,
        *,
        voice: bool,
        timeline: Timeline | None = None,
        going: LiveOptions | None = None,
        told: CallerContext | None = None,
        privileged: bool = False,
    ) -> AsyncGenerator[TurnEvent]:
        """Run one turn and yield its events; the last is ``Done`` or ``Failed``. A turn that is
        withdrawn (``Commitment``) has none.

        Args:
            conversation_key: whose turn it is.
            utterance: what was said.
            voice: whether the reply is to be spoken as well.
            timeline: takes the turn's stage times; None: one of its own.
            going: lets the turn begin before it counts, and be interrupted; None: it counts from
                the start, and its whole reply is stored.
            told: the caller's own history and wishes; None: it has none.
            privileged: whether it is the owner's or a paired device's (``fairness``).

        Close the iterator (``aclosing``) to stop a turn midway.
        """
        timeline = timeline or Timeline("audio" if voice else "text", self._clock)
        with observed(timeline, self._observer, lambda: going is None or going.commitment.made):
            turn: _Turn | None = None
            try:
                commitment = going.commitment if going is not None else None
                async with self._places.take(
                    conversation_key, commitment, privileged=privileged
                ) as place:
                    if commitment is not None and commitment.withdrawn:
                        return
                    conversation = place.conversation
                    turn = _Turn(
                        conversation,
                        utterance,
                        timeline,
                        voice,
                        going,
                        told or CallerContext(),
                        prompted=conversation,
                    )
                    stages = self._stages(turn, place)
                    async with aclosing(stages):
                        async for event in stages:
                            note(event, timeline)
                            yield event
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
            note(failed, timeline)
            yield failed

    async def _stages(self, turn: _Turn, place: TurnSlot) -> AsyncGenerator[TurnEvent]:
        dialogue = turn.conversation.dialogue
        before = dialogue.question, dialogue.recited
        try:
            events = self._answer(turn)
            if turn.going is not None:
                events = live(
                    _leaving(events, place),
                    commitment=turn.going.commitment,
                    begin=lambda: self._begin(turn),
                    playback=turn.going.playback,
                )
            async with aclosing(events):
                async for event in events:
                    yield event
        finally:
            if not turn.counts:  # nobody has said this: a question that waits goes on waiting
                dialogue.question, dialogue.recited = before
        if not turn.counts:
            return
        if turn.heard is None:
            yield Done(Action.IGNORE, "", "", turn.timeline.timings())
            return
        interrupted = False
        if turn.going is not None and turn.going.playback is not None:
            await place.leave_engines()
            playback = turn.going.playback
            unfinished = playback.interrupted
            yield AllSaid()
            await playback.finished()
            turn.timeline.mark("played")
            # Who speaks after the last word has interrupted nothing.
            heard = heard_words(turn.pieces, playback.played())
            interrupted = playback.interrupted and (unfinished or heard != turn.reply.text)
        # A reply in the log and not in working memory would be forgotten until a restart.
        text = await uninterrupted(self._store(turn, interrupted=interrupted))
        turn.timeline.mark("stored")
        yield Done(
            turn.reply.action,
            turn.heard.text,
            text,
            turn.timeline.timings(),
            speech_error=turn.speech.error.code if turn.speech.error else None,
            interrupted=interrupted,
            truncated=turn.reply.truncated,
        )

    async def _understand(self, turn: _Turn) -> AsyncGenerator[TurnEvent]:
        """What was said, what it asks of memory, and what is recalled for it."""
        try:
            async with aclosing(self._hear(turn.utterance, turn.timeline)) as hearing:
                async for event in hearing:
                    if isinstance(event, Heard):
                        turn.heard = event
                    if turn.going is None:
                        yield event
            if turn.heard is None:
                return
            # Before the words are logged: those of "forget that ..." must never be.
            turn.command = await self._command(turn.conversation, turn.heard)
            if turn.command is None:
                await self._recall(turn)
        finally:
            turn.ready.set()
        if turn.going is not None and turn.command is None:
            yield turn.heard  # passed on once the words are logged

    async def _answer(self, turn: _Turn) -> AsyncGenerator[TurnEvent]:
        """Everything up to the last sound of the reply."""
        async with aclosing(self._understand(turn)) as understanding:
            async for event in understanding:
                yield event
        if turn.heard is None:
            return
        events = await self._reply(turn)
        if turn.voice:
            # Who plays speech as it comes need not hold all of it.
            played = turn.going is not None and turn.going.playback is not None
            longest = None if played else self._settings.tts.max_reply_seconds
            events = speak(events, self._engines.tts, turn.speech, longest)
        try:
            async with aclosing(events):
                async for event in events:
                    if turn.going is not None and turn.command is not None and not turn.obeyed:
                        turn.obeyed = True
                        yield turn.heard  # a command logs its words when it is done
                    if isinstance(event, Piece):
                        turn.timeline.mark("first_piece")
                        turn.pieces[event.index] = event.text
                    elif isinstance(event, SpeechAudio):
                        turn.timeline.mark("first_audio")
                    yield event
        finally:
            prompt = turn.prompt
            if prompt is not None and prompt.lane != turn.conversation.lane:
                # Something was erased meanwhile: the model has read it again since.
                self._engines.chat.forget(prompt.lane.__eq__)
        if turn.voice:
            turn.timeline.mark("speech")

    async def _recall(self, turn: _Turn) -> None:
        conversation = turn.conversation
        assert turn.heard is not None  # noqa: S101 - for the type checker
        if turn.counts:
            await self._log(turn)
        await self._memory.refresh()
        lane = conversation.lane  # what is erased from here on may be in the prompt
        await reload(conversation, self._memory, self._settings.conversation.max_messages)
        turn.context = await self._memory.retrieve_context(
            conversation.conversation_key, turn.heard.text, message_id=turn.message_id
        )
        tell_if_needed(conversation, turn.heard.text)
        turn.prompted = turn.told.conversation(conversation, self._settings.conversation)
        turn.prompt = await prepare(
            turn.prompted,
            turn.heard.text,
            turn.context,
            persona=turn.told.persona(self._persona),
            memory=self._memory,
            chat=self._engines.chat,
            settings=turn.told.settings(self._settings.chat),
            now=self._clock(),
            lane=lane,
        )
        turn.timeline.mark("recall")

    async def _reply(self, turn: _Turn) -> AsyncGenerator[TurnEvent]:
        if turn.command is not None:
            if turn.going is not None:
                await turn.going.commitment.wait()
                turn.obedience.log_later = turn.going.playback is not None
            return obey(
                turn.command,
                turn.conversation,
                self._memory,
                turn.reply,
                turn.timeline,
                turn.obedience,
            )
        assert turn.prompt is not None  # noqa: S101 - for the type checker
        assert turn.heard is not None  # noqa: S101 - for the type checker
        return write_reply(
            self._engines.chat,
            turn.prompted,
            turn.prompt,
            turn.reply,
            settings=turn.told.settings(self._settings.chat),
            timeline=turn.timeline,
            must_answer=isinstance(turn.utterance, TypedUtterance),
            clause_first=turn.voice,
            tools=self._tools(turn, turn.heard.text),
        )

    def _tools(self, turn: _Turn, said: str) -> ToolUse | None:
        if not turn.conversation.tools.messages:
            return None
        box: ToolBox = ABSENT_TOOLS  # its prompt tells of them, so the model may call
        allowed = _at_once
        if turn.going is not None:
            box = turn.going.tools or ABSENT_TOOLS
            allowed = turn.going.commitment.wait
        rounds = self._settings.chat.max_tool_rounds
        return ToolUse(box, turn.conversation.tools, said, allowed, rounds)

    async def _begin(self, turn: _Turn) -> None:
        """The turn counts: what was said is logged before anybody hears of an answer."""
        await turn.ready.wait()
        if turn.heard is not None and turn.command is None and turn.message_id is None:
            message_id = await self._log(turn)
            if turn.context is not None:
                self._memory.note_search(message_id, turn.context)

    async def _log(self, turn: _Turn) -> int:
        assert turn.heard is not None  # noqa: S101 - for the type checker
        conversation_key = turn.conversation.conversation_key
        turn.message_id = await self._memory.log_user_message(conversation_key, turn.heard.text)
        return turn.message_id

    async def _store(self, turn: _Turn, *, interrupted: bool) -> str:
        """Write the reply, as far as the user got it, to the log. Returns those words."""
        text = turn.reply.text
        if interrupted and turn.going is not None and turn.going.playback is not None:
            text = heard_words(turn.pieces, turn.going.playback.played())
        said = as_logged(text) if interrupted else text
        if turn.command is not None and turn.obedience.log_later:
            await log_answer(turn.obedience, turn.command, turn.conversation, self._memory, said)
        if turn.command is None and turn.prompt is not None and turn.message_id is not None:
            await store_reply(
                turn.conversation,
                self._memory,
                turn.message_id,
                turn.prompt,
                turn.reply.action,
                said,
            )
        return text

    async def _command(self, conversation: Conversation, heard: Heard) -> Command | None:
        """What the words ask of memory itself; None: it is an ordinary turn."""
        if self._commands is None:
            return None
        return await self._commands.recognise(conversation, heard.text, heard.language)

    async def _hear(self, utterance: Utterance, timeline: Timeline) -> AsyncGenerator[TurnEvent]:
        """The words of an utterance, or why there are none."""
        if isinstance(utterance, TypedUtterance):
            yield Heard(utterance.text)
            return
        if isinstance(utterance, TranscribedUtterance):
            yield Heard(utterance.text, utterance.language)
            return
        settings = self._settings
        audio = await decode(
            utterance.recording,
            max_seconds=settings.limits.max_audio_seconds,
            sample_rate=STT_SAMPLE_RATE,
        )
        timeline.mark("decode")
        spans = await self._engines.gate.find_speech(audio)
        timeline.mark("gate")
        speech_seconds = sum(span.end - span.start for span in spans) / STT_SAMPLE_RATE
        decision = judge(None, speech_seconds, settings.stt)
        if decision.reason is None:
            language = None if settings.stt.language == "auto" else settings.stt.language
            transcript = await self._engines.stt.transcribe(audio, language)
            timeline.mark("transcript")
            decision = judge(transcript, speech_seconds, settings.stt)
            if decision.reason is None:
                yield Heard(transcript.text.strip(), transcript.language)
                return
        yield Ignored(decision.reason)


async def _leaving(events: AsyncGenerator[TurnEvent], place: TurnSlot) -> AsyncGenerator[TurnEvent]:
    """Let others have the engines once there is nothing more to do: a reply that was prepared may
    wait long for its words to count, as while a button is held."""
    async with aclosing(events):
        async for event in events:
            yield event
    await place.leave_engines()


async def _at_once() -> None:
    """The turn counts already."""


async def store_reply(
    conversation: Conversation,
    memory: Memory,
    message_id: int,
    prompt: Prompt,
    action: Action,
    text: str,
) -> None:
    """Write a reply to the log and to working memory. ``text`` is what the user got of it."""
    ignored = action is Action.IGNORE
    # The same words in both: after a restart the model sees the conversation as it was.
    said = IGNORED_REPLY if ignored else text
    if action is Action.REACT:
        said = f"[REACT] {text}".rstrip()
    await memory.log_reply(conversation.conversation_key, message_id, said, extract=not ignored)
    if ignored or said == INTERRUPTED:  # a model that reads the mark alone answers with it
        return
    exchange = Exchange(
        prompt.user,
        ChatMessage("assistant", said),
        frozenset(recalled.reference for recalled in prompt.recalled),
    )
    if conversation.memory.add(exchange):
        conversation.prefix_changed = True
        with suppress(StorageError):  # the turn is over, and in the log
            conversation.earlier = await memory.session_summary(conversation.conversation_key)
