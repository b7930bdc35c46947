"""Who answers a turn: a skill, memory, the house or the chat model.

Sentences of skills come first, then those of memory, then the house. What none of them takes the
chat model may still take for an intent of a skill; an order that is left is refused; then the model
replies.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from lobug.conversation.command_context import Command
from lobug.conversation.prompt import Persona
from lobug.conversation.recognition import MemoryCommands
from lobug.conversation.refusals import REFUSAL, may_concern_tools, not_understood, refusal
from lobug.conversation.registry import Conversation
from lobug.engines.base import ABSENT_TOOLS, ToolBox
from lobug.house.service import House
from lobug.language.claims import Heard as Claims
from lobug.memory.service import Memory
from lobug.memory.turns import read as read_claims
from lobug.settings import Settings
from lobug.skills.registry import Skills
from lobug.turn.command_turn import CommandTurn
from lobug.turn.commitment import LiveOptions
from lobug.turn.events import Heard
from lobug.turn.house_turn import AskedHouse, OrderTurn, QuestionTurn
from lobug.turn.model_turn import CallerContext, ModelStages, ModelTurn
from lobug.turn.timeline import Timeline
from lobug.turn.tool_use import offer_owner_tools

TurnKind = CommandTurn | ModelTurn | OrderTurn | QuestionTurn
"""Who answers a turn. All have the same stages."""


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """A turn whose words are known and whose reply is still to be made."""

    conversation: Conversation
    heard: Heard
    timeline: Timeline
    live: LiveOptions | None
    caller: CallerContext
    voice: bool
    """Whether the reply is spoken."""
    must_answer: bool
    """Whether the words are certainly meant for Lo-Bug."""

    @property
    def device_tools(self) -> ToolBox:
        return (self.live.tools if self.live is not None else None) or ABSENT_TOOLS


class Answerers:
    """Chooses who answers a turn. One for each server; it holds no turn's state."""

    def __init__(
        self,
        model: ModelStages,
        memory: Memory,
        *,
        commands: MemoryCommands | None,
        skills: Skills | None,
        house: House | None,
    ) -> None:
        """``commands`` None: no words are taken for a command to memory; ``skills`` None: Lo-Bug
        can only talk; ``house`` None: there is none to ask."""
        self._model = model
        self._memory = memory
        self._commands = commands
        self._skills = skills
        self._house = house

    def use(self, settings: Settings, persona: Persona) -> None:
        """Choose by these from the next turn on."""
        self._model = replace(self._model, settings=settings, persona=persona)

    async def choose(self, turn: HeardTurn) -> TurnKind:
        """Which turn the words ask for. To be called before they are logged: those of "forget that
        ..." must never be."""
        offer_owner_tools(
            turn.conversation,
            self._model.tools.tools(),
            self._model.settings.chat.tool_prompt_tokens,
        )
        claimed = read_claims(turn.heard.text) if self._commands is not None else None
        asked, surely = await self._for_house(turn)
        command = await self._own_command(turn, claimed, asks_model=not surely)
        if command is None and asked is not None and surely:
            return OrderTurn(
                asked,
                turn.conversation,
                turn.heard,
                self._memory,
                turn.timeline,
                turn.live,
                otherwise=lambda: self._not_of_house(turn, claimed),
                tool_may_do=may_concern_tools(turn.conversation, turn.heard.text),
            )
        if command is None:
            command = await self._other_command(turn)
        if command is not None:
            return self._command_turn(turn, command)
        if asked is None or surely or not asked.is_up:
            return self._model_turn(turn, claimed)
        model = self._model_turn(turn, claimed, asked)
        return QuestionTurn(
            asked, model, turn.conversation, turn.heard, self._memory, turn.timeline, turn.live
        )

    async def _for_house(self, turn: HeardTurn) -> tuple[AskedHouse | None, bool]:
        """What the house is to be asked (None: nothing), and whether it is surely meant."""
        house, conversation = self._house, turn.conversation
        if house is None:
            return None, False
        name = conversation.conversation_key.conversation
        asked = await asyncio.to_thread(
            house.request_in, name, turn.heard.text, turn.heard.language
        )
        if asked is None:
            return None, False
        return AskedHouse(house, conversation, turn.heard, asked), asked.certainty == "surely"

    async def _not_of_house(
        self, turn: HeardTurn, claimed: Claims | None
    ) -> CommandTurn | ModelTurn:
        """The turn of an order that the house did not understand, or could not be asked."""
        command = await self._other_command(turn)
        if command is None:
            return self._model_turn(turn, claimed, ordered=True)
        if command.by == REFUSAL:
            command = not_understood(command)
        return self._command_turn(turn, command)

    def _command_turn(self, turn: HeardTurn, command: Command) -> CommandTurn:
        return CommandTurn(command, turn.conversation, self._memory, turn.timeline, turn.live)

    def _model_turn(
        self,
        turn: HeardTurn,
        claimed: Claims | None,
        beside: AskedHouse | None = None,
        *,
        ordered: bool = False,
    ) -> ModelTurn:
        """``beside``: the house, for which tools wait. ``ordered``: the words are an order."""
        stages, live = self._model, turn.live
        if beside is not None:
            stages = replace(stages, tools=beside.hold(stages.tools))
            if live is not None and live.tools is not None:
                live = replace(live, tools=beside.hold(live.tools))
        return ModelTurn(
            stages,
            turn.conversation,
            turn.heard,
            turn.timeline,
            turn.caller,
            live,
            must_answer=turn.must_answer,
            clause_first=turn.voice,
            claimed=claimed,
            ordered=ordered,
        )

    async def _own_command(
        self, turn: HeardTurn, claimed: Claims | None, *, asks_model: bool
    ) -> Command | None:
        """The command of a skill or to memory that the words are by their sentences; None: they are
        none. ``asks_model``: the chat model may say what is meant for memory; else the trained
        reader says what is meant for a skill."""
        tools = turn.device_tools
        conversation, text, language = turn.conversation, turn.heard.text, turn.heard.language
        command = None
        if self._skills is not None:
            command = await self._skills.recognise(conversation, text, language, tools=tools)
        if command is None and self._commands is not None:
            command = await self._commands.recognise(
                conversation,
                text,
                language,
                heard=claimed,
                cites=turn.caller.cite,
                asks_model=asks_model,
            )
        if command is None and self._skills is not None and not asks_model:
            command = await self._skills.quoted(conversation, text, language, tools=tools)
        return command

    async def _other_command(self, turn: HeardTurn) -> Command | None:
        """The command that the trained reader or the chat model takes the words for, or the refusal
        of an order; None: the chat model replies."""
        conversation, text, language = turn.conversation, turn.heard.text, turn.heard.language
        command = None
        if self._skills is not None:
            tools = turn.device_tools
            command = await self._skills.choose(conversation, text, language, tools=tools)
        if command is None and self._commands is not None:
            skills = self._skills.available() if self._skills is not None else []
            able = {skill.name for skill in skills}
            command = refusal(conversation, text, language, has_skill=able.__contains__)
        return command
