"""One turn: hear, recall, reply, speak, store. Every door runs this and consumes its events."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

from lobug.audio.decode import decode
from lobug.conversation.intents.command import Command
from lobug.conversation.intents.commands import MemoryCommands
from lobug.conversation.prompt import Persona, estimate_tokens, prefix, user_message
from lobug.conversation.registry import IGNORED_REPLY, Conversation, Conversations, reload
from lobug.conversation.working_memory import Exchange
from lobug.engines.base import (
    STT_SAMPLE_RATE,
    ChatMessage,
    Engines,
)
from lobug.errors import (
    BusyError,
    LobugError,
    StorageError,
    TextTooLongError,
)
from lobug.memory.base import Memory, Owner
from lobug.priority import TurnPriority
from lobug.settings import Settings
from lobug.turn.events import (
    Action,
    Done,
    Failed,
    Heard,
    Ignored,
    Piece,
    ReplyDelta,
    TurnEvent,
)
from lobug.turn.hearing import judge
from lobug.turn.obeying import obey
from lobug.turn.observing import NoObserver, TurnObserver, note, observed
from lobug.turn.replying import Prompt, Reply, write_reply
from lobug.turn.speaking import SpeechOutcome, speak
from lobug.turn.timeline import Timeline
from lobug.uninterrupted import uninterrupted

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TypedUtterance:
    """Words that somebody typed; they are meant for Lo-Bug."""

    text: str


@dataclass(frozen=True, slots=True)
class SpokenUtterance:
    """A recording, as a device sent it: a whole audio file."""

    recording: bytes


Utterance = TypedUtterance | SpokenUtterance


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
        self._conversations = conversations
        self._priority = priority
        self._clock = clock
        self._places = asyncio.Semaphore(settings.limits.max_concurrent_turns)
        self._waiting = 0
        self._persona = persona
        self._commands = commands
        self._observer = observer or NoObserver()

    async def run(
        self,
        owner: Owner,
        utterance: Utterance,
        *,
        voice: bool,
        timeline: Timeline | None = None,
    ) -> AsyncGenerator[TurnEvent]:
        """Run one turn and yield its events; the last is ``Done`` or ``Failed``.

        Args:
            owner: whose turn it is.
            utterance: what was said.
            voice: whether the reply is to be spoken as well.
            timeline: takes the turn's stage times; None: one of its own.

        Close the iterator (``aclosing``) to stop a turn midway.
        """
        timeline = timeline or Timeline("audio" if voice else "text", self._clock)
        with observed(timeline, self._observer):
            heard = ""
            try:
                async with self._place(owner) as conversation:
                    stages = self._stages(conversation, utterance, timeline, voice=voice)
                    async with aclosing(stages):
                        async for event in stages:
                            if isinstance(event, Heard):
                                heard = event.text
                            note(event, timeline)
                            yield event
            except LobugError as error:
                log.warning("turn failed: %s: %s", error.code, error)
                failed = Failed(error, transcription=heard)
                note(failed, timeline)
                yield failed

    @asynccontextmanager
    async def _place(self, owner: Owner) -> AsyncIterator[Conversation]:
        """Wait for this turn's place. Raises BusyError when too many wait already."""
        conversation = self._conversations.get(owner)
        must_wait = self._places.locked() or conversation.turns > 0
        if must_wait and self._waiting >= self._settings.limits.max_waiting_turns:
            raise BusyError(f"{self._waiting} turns are waiting")
        conversation.turns += 1
        self._waiting += 1
        waiting = True
        try:
            # The conversation's turn comes first: two turns of one device must not hold two places.
            async with self._priority.turn(), conversation.lock, self._places:
                self._waiting -= 1
                waiting = False
                yield conversation
        finally:
            conversation.turns -= 1
            if waiting:
                self._waiting -= 1

    async def _stages(
        self, conversation: Conversation, utterance: Utterance, timeline: Timeline, *, voice: bool
    ) -> AsyncGenerator[TurnEvent]:
        heard: Heard | None = None
        async with aclosing(self._hear(utterance, timeline)) as hearing:
            async for event in hearing:
                yield event
                if isinstance(event, Heard):
                    heard = event
        if heard is None:
            yield Done(Action.IGNORE, "", "", timeline.timings())
            return

        reply = Reply()
        speech = SpeechOutcome()
        store: Callable[[], Coroutine[None, None, None]] | None = None
        # Before the words are logged: those of "forget that ..." must never be.
        command = await self._command(conversation, heard)
        if command is not None:
            events = obey(command, conversation, self._memory, reply, timeline)
        else:
            message_id = await self._memory.log_user_message(conversation.owner, heard.text)
            prompt = await self._prepare(conversation, heard.text, message_id)
            timeline.mark("recall")
            events = write_reply(
                self._engines.chat,
                conversation,
                prompt,
                reply,
                settings=self._settings.chat,
                timeline=timeline,
                must_answer=isinstance(utterance, TypedUtterance),
            )
            store = partial(self._store, conversation, message_id, prompt, reply)
        if voice:
            events = speak(events, self._engines.tts, speech, self._settings.tts.max_reply_seconds)
        async with aclosing(events):
            async for event in events:
                yield event
                if not isinstance(event, Ignored | ReplyDelta | Piece):
                    timeline.mark("first_audio")
        if voice:
            timeline.mark("speech")

        if store is not None:
            # A reply in the log and not in working memory would be forgotten until a restart.
            await uninterrupted(store())
        timeline.mark("stored")
        yield Done(
            reply.action,
            heard.text,
            reply.text,
            timeline.timings(),
            speech_error=speech.error.code if speech.error else None,
        )

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

    async def _prepare(self, conversation: Conversation, text: str, message_id: int) -> Prompt:
        """The turn's prompt, within the model's window."""
        await reload(conversation, self._memory, self._settings.conversation.max_messages)
        context = await self._memory.retrieve_context(
            conversation.owner, text, message_id=message_id
        )
        conversation.base_memory = context.base_memory
        sensors = conversation.sensors.summary(self._clock())
        budget = self._engines.chat.context_tokens - self._settings.chat.max_tokens
        alone = [
            *prefix(self._persona, context.base_memory),
            user_message(text, context.recalled, sensors),
        ]
        if estimate_tokens(alone) > budget:
            raise TextTooLongError("the text does not fit the chat model's context window")
        while True:
            # What the history carries already need not be read again.
            visible = conversation.memory.visible()
            recalled = tuple(m for m in context.recalled if m.reference not in visible)
            user = user_message(text, recalled, sensors)
            history = conversation.memory.messages()
            before = prefix(
                self._persona, context.base_memory, history, earlier=conversation.earlier
            )
            messages = [*before, user]
            if estimate_tokens(messages) <= budget:
                return Prompt(self._persona, messages, user, recalled)
            if history:
                conversation.memory.drop_block()
                conversation.earlier = await self._memory.session_summary(conversation.owner)
            else:
                conversation.earlier = ""  # without it everything fits, as was seen above
            conversation.prefix_changed = True

    async def _store(
        self, conversation: Conversation, message_id: int, prompt: Prompt, reply: Reply
    ) -> None:
        """Write the reply to the log and to working memory."""
        ignored = reply.action is Action.IGNORE
        # The same words in both: after a restart the model sees the conversation as it was.
        said = IGNORED_REPLY if ignored else reply.text
        if reply.action is Action.REACT:
            said = f"[REACT] {reply.text}".rstrip()
        await self._memory.log_reply(conversation.owner, message_id, said, extract=not ignored)
        if ignored:
            return
        exchange = Exchange(
            prompt.user,
            ChatMessage("assistant", said),
            frozenset(memory.reference for memory in prompt.recalled),
        )
        if conversation.memory.add(exchange):
            conversation.prefix_changed = True
            with suppress(StorageError):  # the turn is over, and in the log
                conversation.earlier = await self._memory.session_summary(conversation.owner)
