"""Recognizes commands to memory.

Templates come first: the same words always do the same, whatever the chat model. The model is asked
only when the words speak of memory and no template fits (``possible_command``); an ordinary turn
costs a millisecond. The model chooses a tool and quotes the words that it is about; both are
checked as untrusted input: the words must stand in the text, one after the other, and must fit the
tool. What the model would forget, Lo-Bug asks for first.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from lobug.conversation import claim_commands, commands, remembering
from lobug.conversation.command_context import Command, CommandContext
from lobug.conversation.registry import Conversation
from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatModel, ChatOptions
from lobug.errors import EngineError, LobugError
from lobug.language import language_of
from lobug.language.claims import Heard
from lobug.language.en import words
from lobug.language.en.perspective import about_the_user
from lobug.language.en.prompts import MEMORY_TOOL_EXAMPLES, MEMORY_TOOL_RULES
from lobug.language.en.speech_acts import is_question, is_statement, split_contrast, tokens
from lobug.language.protocol import (
    Correct,
    ForgetStatement,
    ForgetTopic,
    Meaning,
    Ordinary,
    ReciteTopic,
    Remember,
    Wrong,
)
from lobug.memory import entries
from lobug.memory.model import HouseholdGrant, scope_of
from lobug.memory.service import Memory
from lobug.memory.tools import validated
from lobug.memory.turns import read as read_claims

LANGUAGE = "en"
"""Language of the templates if the spoken language has none."""

TIMEOUT_S = 12.0
"""The user waits for the reply: after this time the turn goes on as an ordinary one, seconds."""
MAX_TOKENS = 60

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {
            "type": "string",
            "enum": ["none", "memory_store", "memory_recall", "memory_forget", "memory_correct"],
        },
        "words": {"type": "string", "maxLength": 300},
    },
    "required": ["tool", "words"],
    "additionalProperties": False,
}

log = logging.getLogger(__name__)


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
        self,
        conversation: Conversation,
        text: str,
        language: str | None = None,
        *,
        heard: Heard | None = None,
        cites: bool = False,
        asks_model: bool = True,
    ) -> Command | None:
        """The command in a text; None: it is an ordinary turn. Call it once for each turn.
        ``heard``: what the rules read in the text, if that is known. ``cites``: the caller wants to
        know where an answer is known from. ``asks_model`` False: the chat model is not asked.

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
            cites=cites,
        )
        question = conversation.dialogue.take_question(context.now)
        meaning = book.understand(text)
        names = question is not None and question.kind == "forget_what"
        if names and meaning is None and not is_question(text):  # "where I live"
            meaning = book.understand(f"forget {text}")
        heard = read_claims(text) if heard is None else heard
        command = None
        if question is not None:
            agrees = book.agrees(text)
            command = await commands.command_for_answer(
                context, question, meaning, heard, agrees=agrees
            )
        if command is None and _corrects(meaning, heard):
            command = await claim_commands.correct(context, heard)
        if command is None and meaning is not None:
            command = await commands.command_for(context, meaning)
        if command is None and isinstance(meaning, Ordinary | None) and not heard.claims:
            command = await claim_commands.answer(context)
        if command is None and meaning is None and heard.corrects and not heard.claims:
            command = remembering.ask_for_sentence(context)
        possible = asks_model and command is None and meaning is None
        if possible and book.possible_command(text) is not None:
            guessed = await choose_with_model(self._chat, text)
            command = (
                None
                if guessed is None
                else await commands.command_for(context, guessed, guessed=True)
            )
        # A command has recited nothing until its ``act`` says otherwise.
        conversation.dialogue.recited = None if command is None else ()
        if command is not None and command.heard is None and command.logged == text:
            return replace(command, heard=heard)
        return command


def _corrects(meaning: Meaning | Ordinary | None, heard: Heard) -> bool:
    """Whether a text puts right or ends something, in words that the rules can read."""
    if not (heard.claims or heard.fragments):
        return False
    if isinstance(meaning, ForgetTopic):  # "Forget that, it's Pulp"
        return heard.corrects
    return isinstance(meaning, Correct | Wrong) or (meaning is None and heard.corrects)


async def choose_with_model(chat: ChatModel, text: str) -> Meaning | None:
    """The command that the chat model recognizes; None: none, or its answer is not valid."""
    options = ChatOptions(
        max_tokens=MAX_TOKENS,
        temperature=0.0,
        json_schema=SCHEMA,
        # Background work rests during a turn, so its lane is free.
        lane=BACKGROUND_LANE,
        timeout_s=TIMEOUT_S,
        first_token_timeout_s=TIMEOUT_S,
        constant=len(choice_beginning()),
    )
    answer = ""
    try:
        async with aclosing(cast("Any", chat.stream(choice_messages(text), options))) as pieces:
            async for piece in pieces:
                answer += piece
                if len(answer) > MAX_TOKENS * 16:
                    return None
    except EngineError as error:
        log.info("which tool of memory is meant could not be asked: %s", error.code)
        return None
    return read_choice(answer, text)


def choice_messages(text: str) -> list[ChatMessage]:
    """The request to the model."""
    return [*choice_beginning(), ChatMessage("user", text)]


def choice_beginning() -> list[ChatMessage]:
    """What is the same in each request to the model."""
    asked = [ChatMessage("system", MEMORY_TOOL_RULES)]
    for said, answer in MEMORY_TOOL_EXAMPLES:
        asked += [ChatMessage("user", said), ChatMessage("assistant", answer)]
    return asked


def read_choice(answer: str, text: str) -> Meaning | None:
    """The command in a model's answer about a text; None: none that is valid."""
    chosen = _parsed(answer)
    if chosen is None:
        return None
    tool, quoted = chosen
    if not _stands_in(quoted, text) or not words.content_words(quoted) or not _takes(tool, quoted):
        return None
    statement = is_statement(quoted)
    if tool == "memory_store" and statement:
        return Remember((quoted,))
    if tool == "memory_correct" and statement:
        return Correct(*split_contrast(quoted))
    if tool == "memory_forget":
        return ForgetStatement(quoted) if statement else ForgetTopic(quoted)
    if tool == "memory_recall":
        return ReciteTopic(quoted, sure=True)
    return None


def _parsed(answer: str) -> tuple[str, str] | None:
    """Tool and quoted words of an answer."""
    try:
        chosen = json.loads(answer)
        tool, quoted = chosen["tool"], chosen["words"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    if not isinstance(tool, str) or not isinstance(quoted, str):
        return None
    return tool, quoted.strip(" \t\n,;:.!?\"'")


def _takes(tool: str, quoted: str) -> bool:
    """Whether the tool accepts the words."""
    fact = about_the_user(quoted)
    arguments: Mapping[str, Mapping[str, Any]] = {
        "memory_store": {"key": entries.key_for(fact), "content": fact, "category": "knowledge"},
        "memory_recall": {"query": fact},
        "memory_forget": {"key": entries.key_for(fact)},
        "memory_correct": {"content": fact},
    }
    try:
        validated(tool, dict(arguments.get(tool, {})))
    except LobugError:
        return False
    return True


def _stands_in(quoted: str, text: str) -> bool:
    """Whether the words were said, one after the other."""
    found, said = tokens(quoted), tokens(text)
    return bool(found) and any(
        said[start : start + len(found)] == found for start in range(len(said) - len(found) + 1)
    )
