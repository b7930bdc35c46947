"""Turns that ask the house: an order first of all, a question beside the chat model.

``OrderTurn`` asks Home Assistant as soon as the turn counts and waits for it, however long an order
takes; the rest of Lo-Bug gets the words only if Home Assistant did not understand them.
``QuestionTurn`` lets the chat model prepare its reply meanwhile and waits ``home.added_ms`` at
most; then the model answers. Nothing is done twice: a tool that the model calls waits for Home
Assistant.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from lobug.concurrency import uninterrupted
from lobug.conversation.command_context import Command, CommandAnswer
from lobug.conversation.registry import INTERRUPTED, Conversation, Exchange
from lobug.engines.base import ChatMessage, Tool, ToolBox, ToolResult
from lobug.house.service import House, HouseVerdict
from lobug.language.claims import Heard as Claims
from lobug.language.en.data import HOUSE
from lobug.language.en.segmentation import split_sentences
from lobug.language.house import ForHouse
from lobug.memory.service import Memory
from lobug.turn.command_turn import CommandTurn
from lobug.turn.commitment import LiveOptions
from lobug.turn.events import Action, Heard, Piece, ReplyDelta, TurnEvent
from lobug.turn.model_turn import ModelTurn
from lobug.turn.reply import Reply
from lobug.turn.timeline import Timeline

ANSWERED_BY = "house"
"""Who answered a turn, in its timeline."""

log = logging.getLogger(__name__)


def sentences_of(verdict: HouseVerdict, *, again: bool = False) -> tuple[str, ...]:
    """What is said of a verdict; empty: the rest of Lo-Bug gets the words. Pure.

    ``again``: the person knows already that Home Assistant is down.
    """
    match verdict.outcome:
        case "not_understood":
            return ()
        case "answered" | "failed" | "unknown_name":
            said = tuple(split_sentences(verdict.speech))
            return said or (HOUSE["done" if verdict.outcome == "answered" else "failed"],)
        case "unclear":
            return (HOUSE["unclear"],)
        case "down":
            return (HOUSE["still_down" if again else "down"],)


class AskedHouse:
    """What the house is asked in one turn."""

    def __init__(
        self, house: House, conversation: Conversation, heard: Heard, asked: ForHouse
    ) -> None:
        self._house = house
        self._name = conversation.conversation_key.conversation
        self._heard = heard
        self._asked = asked
        self._verdict: asyncio.Future[HouseVerdict] = asyncio.get_running_loop().create_future()

    @property
    def is_up(self) -> bool:
        """Whether it would be asked now."""
        return self._house.is_up

    async def order(self) -> HouseVerdict:
        """Ask, and wait as long as an order may take."""
        return await self._ask(self._house.settings.order_timeout_s + 1.0)

    async def question(self) -> HouseVerdict:
        """Ask, and wait as long as a reply of the chat model may wait."""
        return await self._ask(self._house.settings.added_ms / 1000)

    def sentences(self, verdict: HouseVerdict) -> tuple[str, ...]:
        """What is said of a verdict; empty: the rest of Lo-Bug gets the words."""
        again = verdict.outcome == "down" and not self._house.tell_outage(self._name)
        return sentences_of(verdict, again=again)

    def hold(self, box: ToolBox) -> ToolBox:
        """A box whose tools wait until it is known that the house does nothing."""
        return _HeldTools(box, self._verdict)

    async def _ask(self, within_s: float) -> HouseVerdict:
        verdict = await self._house.ask(
            self._name, self._asked.request, self._heard.language, within_s=within_s
        )
        if not self._verdict.done():
            self._verdict.set_result(verdict)
        return verdict


class _HeldTools:
    """Tools that are used only if the house did not take the words."""

    def __init__(self, box: ToolBox, verdict: asyncio.Future[HouseVerdict]) -> None:
        self._box = box
        self._verdict = verdict

    def tools(self) -> Sequence[Tool]:
        """Those of the box."""
        return self._box.tools()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool, unless Home Assistant may have done the same."""
        verdict = await asyncio.shield(self._verdict)
        if verdict.outcome not in {"not_understood", "unknown_name", "down"}:
            return ToolResult("Home Assistant was asked already.", is_error=True)
        return await self._box.call(name, arguments)


class OrderTurn:
    """A turn that is surely for the house. ``CommandTurn`` has the same stages.

    Once the house has been asked the turn is carried out and logged, also if it is cancelled.
    """

    def __init__(
        self,
        asked: AskedHouse,
        conversation: Conversation,
        heard: Heard,
        memory: Memory,
        timeline: Timeline,
        live: LiveOptions | None,
        *,
        otherwise: Callable[[], Awaitable[CommandTurn | ModelTurn]],
        tool_may_do: bool,
    ) -> None:
        """``otherwise``: the turn of words that the house does not understand. ``tool_may_do``: a
        tool may do what is asked, so the chat model gets the words also while the house is down, or
        if it knows nothing by the name in them."""
        self._asked = asked
        self._conversation = conversation
        self._heard = heard
        self._memory = memory
        self._timeline = timeline
        self._live = live
        self._otherwise = otherwise
        self._tool_may_do = tool_may_do
        self._turn: CommandTurn | ModelTurn | None = None
        self._known = asyncio.Event()
        """Set when ``_turn`` is final."""
        self._logging = asyncio.Lock()
        self._message_id: int | None = None

    @property
    def reply(self) -> Reply:
        """The reply; empty until it is known who gives it."""
        return self._turn.reply if self._turn is not None else Reply()

    @property
    def message_id(self) -> int | None:
        """Id of the logged words; None: they are not logged."""
        return self._turn.message_id if self._turn is not None else self._message_id

    async def prepare(self) -> None:
        """Ask the house once the turn counts, and log what comes of it."""
        try:
            if self._live is not None:
                await self._live.commitment.wait()
            await uninterrupted(self._carry_out())
        finally:
            self._known.set()
        if isinstance(self._turn, ModelTurn):
            await self._turn.prepare()

    async def _carry_out(self) -> None:
        verdict = HouseVerdict("down") if not self._asked.is_up else await self._asked.order()
        passes_on = verdict.outcome in {"down", "unknown_name"} and self._tool_may_do
        said = () if passes_on else self._asked.sentences(verdict)
        self._timeline.mark("house")
        if said:
            self._timeline.carried_out = verdict.outcome == "answered"
            self._turn = self._answer(said)
        else:
            self._turn = await self._otherwise()
        if isinstance(self._turn, CommandTurn):
            await self._turn.prepare()

    def _answer(self, sentences: tuple[str, ...]) -> CommandTurn:
        async def act(_: int) -> CommandAnswer:
            return CommandAnswer(sentences)

        # What is said to a house is nothing that memory should know of the person.
        command = Command(self._heard.text, act, heard=Claims(), by=ANSWERED_BY)
        return CommandTurn(command, self._conversation, self._memory, self._timeline, self._live)

    async def commit(self) -> None:
        """The turn counts: wait until its words are logged."""
        await self._known.wait()
        if self._turn is not None:
            await self._turn.commit()

    async def events(self) -> AsyncGenerator[TurnEvent]:
        """Yield the answer."""
        assert self._turn is not None  # noqa: S101 - for the type checker
        async with aclosing(self._turn.events()) as events:
            async for event in events:
                yield event

    def release(self) -> None:
        """Release what the turn holds."""
        if self._turn is not None:
            self._turn.release()

    async def store(self, heard: str) -> None:
        """Store the reply. ``heard``: what the user got of it."""
        if self._turn is not None:
            await self._turn.store(heard)

    async def log_words(self) -> None:
        """Log the words, unless that is done."""
        if self._turn is not None:
            await self._turn.log_words()
            return
        async with self._logging:
            if self._message_id is None:
                self._message_id = await self._memory.log_user_message(
                    self._conversation.conversation_key, self._heard.text, heard=Claims()
                )


class QuestionTurn:
    """A turn of the chat model beside which the house is asked. ``ModelTurn`` has the same
    stages."""

    def __init__(
        self,
        asked: AskedHouse,
        model: ModelTurn,
        conversation: Conversation,
        heard: Heard,
        memory: Memory,
        timeline: Timeline,
        live: LiveOptions | None,
    ) -> None:
        """``model``: its tools are held (``AskedHouse.hold``)."""
        self._asked = asked
        self._model = model
        self._conversation = conversation
        self._heard = heard
        self._memory = memory
        self._timeline = timeline
        self._live = live
        self._answered = False
        """Whether the house answers instead of the model."""

    @property
    def reply(self) -> Reply:
        """The reply, whoever gives it."""
        return self._model.reply

    @property
    def message_id(self) -> int | None:
        """Id of the logged words; None: they are not logged yet."""
        return self._model.message_id

    async def prepare(self) -> None:
        """Prepare the model's turn."""
        await self._model.prepare()

    async def commit(self) -> None:
        """The turn counts: log the words."""
        await self._model.commit()

    async def events(self) -> AsyncGenerator[TurnEvent]:
        """Yield what the house answers, else what the model writes."""
        queue: asyncio.Queue[TurnEvent | None] = asyncio.Queue()

        async def write() -> None:
            try:
                async with aclosing(self._model.events()) as events:
                    async for event in events:
                        queue.put_nowait(event)
            finally:
                queue.put_nowait(None)

        writing = asyncio.ensure_future(write())
        try:
            if self._live is not None:
                await self._live.commitment.wait()
            verdict = await self._asked.question()
            self._timeline.mark("house")
            # Without a word a question is not answered: it is the model's.
            if verdict.outcome == "failed" or (verdict.outcome == "answered" and verdict.speech):
                await _ended(writing)
                self._timeline.carried_out = verdict.outcome == "answered"
                for told in self._tell(self._asked.sentences(verdict)):
                    yield told
                return
            while (event := await queue.get()) is not None:
                yield event
            await writing  # raises what the model raised
        finally:
            await _ended(writing)

    def _tell(self, sentences: tuple[str, ...]) -> list[TurnEvent]:
        self._answered = True
        self._timeline.answered_by = ANSWERED_BY
        reply = self._model.reply
        reply.action, reply.truncated = Action.RESPOND, False
        reply.replaced = reply.dropped = None
        reply.pieces[:] = sentences
        reply.sentences = len(sentences)
        self._timeline.mark("reply")
        return [
            event
            for index, sentence in enumerate(sentences)
            for event in (
                ReplyDelta(sentence if index == 0 else f" {sentence}"),
                Piece(index, sentence),
            )
        ]

    def release(self) -> None:
        """Release what the model's turn holds."""
        self._model.release()

    async def store(self, heard: str) -> None:
        """Store the reply. ``heard``: what the user got of it."""
        message_id = self._model.message_id
        if not self._answered or message_id is None:
            await self._model.store(heard)
            return
        await self._memory.log_reply(
            self._conversation.conversation_key, message_id, heard, extract=False
        )
        if heard != INTERRUPTED and self._conversation.loaded:
            said = ChatMessage("user", self._heard.text)
            if self._conversation.memory.add(Exchange(said, ChatMessage("assistant", heard))):
                self._conversation.prefix_changed = True

    async def log_words(self) -> None:
        """Log the words, unless that is done."""
        await self._model.log_words()


async def _ended(task: asyncio.Future[None]) -> None:
    """Stop a task and take its outcome, so that it is not reported as lost."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
