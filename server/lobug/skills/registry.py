"""All skills of a server: which of them a text is for, and what it does.

Sentences come first: the same words always do the same, whatever the chat model. Only where no
sentence fits may the chat model choose (``skills/choice.py``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from lobug.conversation.command_context import Command
from lobug.conversation.registry import Conversation
from lobug.engines.base import ABSENT_TOOLS, ChatMessage, ChatModel, ToolBox
from lobug.language import language_of
from lobug.language.en.data import SKILLS
from lobug.language.skills import Match, SkillSentences
from lobug.skills.choice import Chooser
from lobug.skills.skill import CommandAnswer, Request, Skill

LANGUAGE = "en"
"""Language of the sentences if the spoken language has none."""

log = logging.getLogger(__name__)


class Skills:
    """The skills of a server. One object for each server, without the state of any turn."""

    def __init__(
        self,
        skills: Sequence[Skill],
        chat: ChatModel,
        *,
        off: Sequence[str] = (),
        clock: Callable[[], float],
        now: Callable[[str], datetime],
    ) -> None:
        """``off``: names of skills that are switched off. ``clock``: the turns' own, seconds.
        ``now``: the time, aware, in a user's zone."""
        self._all = {skill.name: skill for skill in skills}
        self._chat = chat
        self._clock = clock
        self._now = now
        self.switch_off(off)

    def switch_off(self, names: Collection[str]) -> None:
        """From now on the skills of these names are off, all others on."""
        self._off = frozenset(names)
        sentences = _sentences(LANGUAGE)
        self._chooser = Chooser(
            self._chat,
            [
                (skill.name, choice)
                for skill in self
                if self.is_on(skill.name)
                for choice in sentences.choices(skill.name)
            ],
        )

    @property
    def choice_beginning(self) -> Sequence[ChatMessage]:
        """The constant beginning of what the chat model is asked (``choose``); empty: it never
        is."""
        return self._chooser.beginning

    def __iter__(self) -> Iterator[Skill]:
        """All skills, those that are switched off included."""
        return iter(self._all.values())

    def is_on(self, name: str) -> bool:
        """Whether a skill may be used."""
        return name in self._all and name not in self._off

    def load(self) -> None:
        """Read the sentences, which takes half a second; else the first turn does it."""
        _sentences(LANGUAGE).match("What time is it?", tuple(self._all))

    def available(self) -> list[Skill]:
        """The skills that may be used now, in their order."""
        return [one for one in self if self.is_on(one.name) and one.unavailable() is None]

    async def recognise(
        self,
        conversation: Conversation,
        text: str,
        language: str | None = None,
        *,
        tools: ToolBox = ABSENT_TOOLS,
    ) -> Command | None:
        """What a text asks of a skill; None: nothing. Call it once for each turn.

        Changes nothing but the dialogue; ``Command.act`` acts. Raises StorageError.
        """
        dialogue = conversation.dialogue
        follows, dialogue.spoke_last = dialogue.spoke_last, None
        request = replace(self._request(conversation, text, language, tools), follows=follows)
        command = await self._answer(request)
        if command is None:
            # A skill that refuses a reading leaves the words to the next one. Reading takes up to a
            # tenth of a second on a slow computer, and the loop serves everybody: so in a thread.
            matches = request.sentences.matches(text, tuple(self._all))
            while (match := await asyncio.to_thread(next, matches, None)) is not None:
                command = await self._command(request, match)
                if command is not None:
                    # A later "yes" must not answer what memory asked before.
                    dialogue = conversation.dialogue
                    dialogue.question, dialogue.recited = None, ()
                    break
        return command

    async def quoted(
        self,
        conversation: Conversation,
        text: str,
        language: str | None = None,
        *,
        tools: ToolBox = ABSENT_TOOLS,
    ) -> Command | None:
        """What a text that no sentence fits is taken for by the trained reader; None: for nothing.

        Changes nothing. Raises StorageError.
        """
        if language not in {None, LANGUAGE}:
            return None
        request = self._request(conversation, text, language, tools)
        quoted = request.sentences.quoted(text, tuple(self._all))
        while (found := await asyncio.to_thread(next, quoted, None)) is not None:
            command = await self._command(request, found)
            if command is not None:
                return command
        return None

    async def choose(
        self,
        conversation: Conversation,
        text: str,
        language: str | None = None,
        *,
        tools: ToolBox = ABSENT_TOOLS,
    ) -> Command | None:
        """What a text that no sentence fits is taken for by the trained reader, or by the chat
        model; None: for nothing.

        Asks the model only where the reader is not sure and thinks a choice possible.
        Changes nothing. Raises StorageError.
        """
        if language not in {None, LANGUAGE}:
            return None
        command = await self.quoted(conversation, text, language, tools=tools)
        if command is not None:
            return command
        request = self._request(conversation, text, language, tools)
        on = [skill.name for skill in self if self.is_on(skill.name)]
        among = await asyncio.to_thread(request.sentences.may_choose, text, on)
        if not among:
            return None
        match = await self._chooser.choose(text, among, request.sentences)
        return None if match is None else await self._command(request, match)

    def _request(
        self, conversation: Conversation, text: str, language: str | None, tools: ToolBox
    ) -> Request:
        return Request(
            text=text,
            language=language or LANGUAGE,
            now=self._now(conversation.conversation_key.user),
            conversation=conversation,
            turn_time=self._clock(),
            tools=tools,
            sentences=_sentences(language or LANGUAGE),
        )

    async def _answer(self, request: Request) -> Command | None:
        """The answer to what a skill has asked; None: it asked nothing, or this is no answer."""
        question = request.conversation.dialogue.take_skill_question(request.turn_time)
        if question is None or not self.is_on(question.skill):
            return None
        book = language_of(request.language).commands or language_of(LANGUAGE).commands
        agrees = None if book is None else book.agrees(request.text)
        command = await self._all[question.skill].answer(request, question, agrees=agrees)
        return None if command is None else _by(command, request, question.skill)

    async def _command(self, request: Request, match: Match) -> Command | None:
        skill = self._all[match.skill]
        if match.skill in self._off:
            return request.say(SKILLS["switched_off"])
        reason = skill.unavailable()
        if reason is not None:
            return request.say(reason)
        command = await skill.plan(request, match)
        return None if command is None else _by(command, request, match.skill)


def _by(command: Command, request: Request, skill: str) -> Command:
    """A skill's command, which is remembered as the last one once it acts."""

    async def act(message_id: int) -> CommandAnswer:
        request.conversation.dialogue.spoke_last = skill
        return await command.act(message_id)

    return replace(command, act=act, by=skill)


def _sentences(language: str) -> SkillSentences:
    found = language_of(language).skills or language_of(LANGUAGE).skills
    if found is None:
        raise LookupError(f"the language {LANGUAGE} has no sentences for skills")
    return found
