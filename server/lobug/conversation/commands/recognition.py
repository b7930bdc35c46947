"""Recognises what somebody asks of Lo-Bug's memory and gets it ready to be done.

Templates first: the same words always do the same, whatever the chat model. The model is asked only
when the words speak of memory and no template fits; an ordinary turn costs a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lobug.conversation.commands import forget, recite, remember
from lobug.conversation.commands.command import Command, Desk
from lobug.conversation.commands.model_choice import choose
from lobug.conversation.dialogue import Question
from lobug.conversation.registry import Conversation
from lobug.engines.base import ChatModel
from lobug.language import language_of
from lobug.language.commands import (
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
from lobug.language.en import replies
from lobug.memory.access import HouseholdGrant, scope_of
from lobug.memory.base import Memory
from lobug.memory.control import MemoryControl

LANGUAGE = "en"
"""Its templates are used where there are none for the language that was spoken."""


class MemoryCommands:
    """What can be asked of memory in words. One for each server; holds no turn's state.

    ``clock`` is the turns' own, ``wall`` gives seconds since the epoch.
    """

    def __init__(
        self,
        control: MemoryControl,
        memory: Memory,
        chat: ChatModel,
        household: Mapping[str, HouseholdGrant],
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self._control = control
        self._memory = memory
        self._chat = chat
        self._household = household
        self._clock = clock
        self._wall = wall
        _ = language_of(LANGUAGE).commands  # read once, before anybody waits

    async def recognise(
        self, conversation: Conversation, text: str, language: str | None = None
    ) -> Command | None:
        """What a text asks of memory; None: it is an ordinary turn. Call it once for each turn.

        Changes nothing; what is to be done happens in ``Command.act``. Raises StorageError.
        """
        book = language_of(language or LANGUAGE).commands or language_of(LANGUAGE).commands
        if book is None:
            return None
        desk = Desk(
            control=self._control,
            memory=self._memory,
            conversation=conversation,
            scope=scope_of(conversation.conversation_key, self._household),
            text=text,
            now=self._clock(),
            today=self._wall(),
        )
        question = conversation.dialogue.take_question(desk.now)
        meaning = book.understand(text)
        command = None
        if question is not None:
            agrees = book.agrees(text)
            command = await _answered(desk, question, meaning, agrees=agrees)
        if command is None and meaning is not None:
            command = await _obey(desk, meaning)
        elif command is None and book.doubt(text) is not None:
            guessed = await choose(self._chat, text)
            command = None if guessed is None else await _obey(desk, guessed, guessed=True)
        # Until ``act`` says otherwise a turn about memory has told nothing from it.
        conversation.dialogue.recited = None if command is None else ()
        return command


async def _answered(
    desk: Desk, question: Question, meaning: Meaning | Ordinary | None, *, agrees: bool | None
) -> Command | None:
    """A turn that follows a question of Lo-Bug's; None: it is no answer to it."""
    if question.kind == "what_is_right":
        if agrees is False:
            return desk.say(replies.NEVER_MIND)
        if isinstance(meaning, Correct):
            return await remember.correct(desk, meaning, question.entries)
        if meaning is not None:
            return None
        return await remember.what_is_right(desk, question)
    if agrees is None:
        return None
    return forget.confirmed(desk, question) if agrees else desk.say(replies.KEPT)


async def _obey(desk: Desk, said: Meaning | Ordinary, *, guessed: bool = False) -> Command | None:
    match said:
        case Remember():
            return remember.remember(desk, said)
        case Correct():
            return await remember.correct(desk, said)
        case Wrong():
            return await remember.wrong(desk)
        case Recite():
            return await recite.everything(desk)
        case ReciteTopic():
            return await recite.topic(desk, said)
        case Why():
            return await recite.why(desk, said)
        case Ordinary():
            return None
        case _:
            return await _forget(desk, said, guessed=guessed)


async def _forget(
    desk: Desk,
    said: ForgetStatement | ForgetTopic | ForgetLast | ForgetEverything,
    *,
    guessed: bool,
) -> Command | None:
    match said:
        case ForgetStatement():
            return await forget.statement(desk, said, guessed=guessed)
        case ForgetTopic():
            return await forget.topic(desk, said, guessed=guessed)
        case ForgetLast():
            return await forget.last(desk)
        case ForgetEverything():
            return forget.everything(desk)
