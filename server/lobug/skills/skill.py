"""What a skill is, and what it works with in one turn.

A skill recognises nothing by itself: the sentences of its language do (``language/en/skills``), or
the chat model chooses one of its intents. ``plan`` reads and decides and changes nothing, because a
turn may be prepared and then discarded; the ``Command`` that it returns acts, once the turn counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from lobug.conversation.command_context import Command, CommandAnswer
from lobug.conversation.registry import PATIENCE_S, Conversation, SkillQuestion
from lobug.engines.base import ToolBox
from lobug.language.skills import Match, SkillSentences

__all__ = ["Command", "CommandAnswer", "Match", "Request", "Skill", "SkillQuestion"]


@dataclass(frozen=True, slots=True)
class Request:
    """What a skill works with in one turn."""

    text: str
    """The user's words."""
    language: str
    """ISO 639-1."""
    now: datetime
    """Aware, in the user's time zone."""
    conversation: Conversation
    turn_time: float
    """Seconds of the turns' clock; open questions expire by it."""
    sentences: SkillSentences
    """The sentences of the language."""
    tools: ToolBox
    """The tools of the device that the words came from; none for other doors."""
    follows: str | None = None
    """The skill that answered the turn before; "not that" can mean only what it did."""

    @property
    def user(self) -> str:
        """The person who asks."""
        return self.conversation.conversation_key.user

    @property
    def place(self) -> str:
        """The name of the conversation: this person on this device."""
        return self.conversation.conversation_key.conversation

    def phrase(self, skill: str, name: str, **values: object) -> str:
        """A sentence of a skill, with its words in braces filled in."""
        return self.sentences.says(skill)[name].format(**values)

    def say(self, *sentences: str) -> Command:
        """A command that only answers."""

        async def act(_: int) -> CommandAnswer:
            return CommandAnswer(sentences)

        return Command(self.text, act)

    def ask(self, sentence: str, skill: str, data: Mapping[str, object]) -> Command:
        """A command that asks a question back; the next turn may answer it (``Skill.answer``)."""

        async def act(_: int) -> CommandAnswer:
            self.conversation.dialogue.skill_question = SkillQuestion(
                skill, self.turn_time + PATIENCE_S, data
            )
            return CommandAnswer((sentence,))

        return Command(self.text, act)


class Skill(Protocol):
    """One thing that Lo-Bug can do for somebody."""

    @property
    def name(self) -> str:
        """Stable, lower case: settings and sentence files name it by this."""

    def unavailable(self) -> str | None:
        """Why it cannot be used now, in one sentence for a person; None: it can."""

    async def plan(self, request: Request, match: Match) -> Command | None:
        """What to do; None: the words are not meant for this skill after all.

        Changes nothing. Raises StorageError.
        """

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        """What to do when somebody has been asked ``question``; None: the words do not answer it.

        ``agrees``: whether they say yes or no; None: neither. Changes nothing. Raises StorageError.
        """
