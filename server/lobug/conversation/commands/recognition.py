"""Recognizes commands to memory.

Templates come first: the same words always do the same, whatever the chat model. The model is asked
only when the words speak of memory and no template fits; an ordinary turn costs a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lobug.conversation.commands import forget, recite, remember
from lobug.conversation.commands.command import Command, CommandContext
from lobug.conversation.commands.model_choice import choose
from lobug.conversation.dialogue import Question
from lobug.conversation.registry import Conversation
from lobug.engines.base import ChatModel
from lobug.language import language_of
from lobug.language.en import replies
from lobug.language.protocol import (
    Correct,
    ForgetEverything,
    ForgetLast,
    ForgetStatement,
    ForgetTopic,
    Meaning,
    Ordinary,
    Recite,
    ReciteTopic,
    Remember,
    Why,
    Wrong,
)
from lobug.memory.model import HouseholdGrant, scope_of
from lobug.memory.service import Memory

LANGUAGE = "en"
"""Language of the templates if the spoken language has none."""


class MemoryCommands:
    """Recognizes commands; one object for each server, without the state of any turn.

    ``clock`` is the turns' own, ``wall`` gives seconds since the epoch.
    """

    def __init__(
        self,
        memory: Memory,
        chat: ChatModel,
        household: Mapping[str, HouseholdGrant],
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self._memory = memory
        self._chat = chat
        self._household = household
        self._clock = clock
        self._wall = wall
        _ = language_of(LANGUAGE).commands  # read once, before anybody waits

    async def recognise(
        self, conversation: Conversation, text: str, language: str | None = None
    ) -> Command | None:
        """The command in a text; None: it is an ordinary turn. Call it once for each turn.

        Changes nothing but the dialogue; ``Command.act`` runs the command. Raises StorageError.
        """
        book = language_of(language or LANGUAGE).commands or language_of(LANGUAGE).commands
        if book is None:
            return None
        context = CommandContext(
            memory=self._memory,
            conversation=conversation,
            scope=scope_of(conversation.conversation_key, self._household),
            text=text,
            now=self._clock(),
            today=self._wall(),
        )
        question = conversation.dialogue.take_question(context.now)
        meaning = book.understand(text)
        command = None
        if question is not None:
            agrees = book.agrees(text)
            command = await _command_for_answer(context, question, meaning, agrees=agrees)
        if command is None and meaning is not None:
            command = await _command_for(context, meaning)
        elif command is None and book.doubt(text) is not None:
            guessed = await choose(self._chat, text)
            command = (
                None if guessed is None else await _command_for(context, guessed, guessed=True)
            )
        # A command has recited nothing until its ``act`` says otherwise.
        conversation.dialogue.recited = None if command is None else ()
        return command


async def _command_for_answer(
    context: CommandContext,
    question: Question,
    meaning: Meaning | Ordinary | None,
    *,
    agrees: bool | None,
) -> Command | None:
    """The command of a turn that follows a question of Lo-Bug's; None: it does not answer it."""
    if question.kind == "what_is_right":
        if agrees is False:
            return context.say(replies.NEVER_MIND)
        if isinstance(meaning, Correct):
            return await remember.correct(context, meaning, question.entries)
        if meaning is not None:
            return None
        return await remember.what_is_right(context, question)
    if agrees is None:
        return None
    return forget.confirmed(context, question) if agrees else context.say(replies.KEPT)


async def _command_for(
    context: CommandContext, said: Meaning | Ordinary, *, guessed: bool = False
) -> Command | None:
    match said:
        case Remember():
            return remember.remember(context, said)
        case Correct():
            return await remember.correct(context, said)
        case Wrong():
            return await remember.wrong(context)
        case Recite():
            return await recite.everything(context)
        case ReciteTopic():
            return await recite.topic(context, said)
        case Why():
            return await recite.why(context, said)
        case Ordinary():
            return None
        case _:
            return await _forget_command(context, said, guessed=guessed)


async def _forget_command(
    context: CommandContext,
    said: ForgetStatement | ForgetTopic | ForgetLast | ForgetEverything,
    *,
    guessed: bool,
) -> Command | None:
    match said:
        case ForgetStatement():
            return await forget.statement(context, said, guessed=guessed)
        case ForgetTopic():
            return await forget.topic(context, said, guessed=guessed)
        case ForgetLast():
            return await forget.last(context)
        case ForgetEverything():
            return forget.everything(context)
