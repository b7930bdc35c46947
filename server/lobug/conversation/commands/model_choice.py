"""Asks the chat model which tool of memory the user means, when no template fits.

It is asked only about words that speak of memory (``Templates.doubt``). The model chooses a tool
and quotes the words that it is about; both are checked as untrusted input: the words must stand in
the text, one after the other, and must fit the tool. What the model would forget, Lo-Bug asks for
first.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, cast

from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatModel, ChatOptions
from lobug.errors import EngineError, LobugError
from lobug.language.commands import (
    Correct,
    ForgetStatement,
    ForgetTopic,
    Meaning,
    ReciteTopic,
    Remember,
)
from lobug.language.en import words
from lobug.language.en.perspective import about_the_user
from lobug.language.en.prompts.memory_commands import EXAMPLES, RULES
from lobug.language.en.statements import is_statement, split_contrast, tokens
from lobug.memory import entries
from lobug.memory.tools import validated

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


async def choose(chat: ChatModel, text: str) -> Meaning | None:
    """The command that the chat model recognizes; None: none, or its answer is not valid."""
    options = ChatOptions(
        max_tokens=MAX_TOKENS,
        temperature=0.0,
        json_schema=SCHEMA,
        # Background work rests during a turn, so its lane is free.
        lane=BACKGROUND_LANE,
        timeout_s=TIMEOUT_S,
        first_token_timeout_s=TIMEOUT_S,
    )
    answer = ""
    try:
        async with aclosing(cast("Any", chat.stream(messages(text), options))) as pieces:
            async for piece in pieces:
                answer += piece
                if len(answer) > MAX_TOKENS * 16:
                    return None
    except EngineError as error:
        log.info("which tool of memory is meant could not be asked: %s", error.code)
        return None
    return meaning(answer, text)


def messages(text: str) -> list[ChatMessage]:
    """The request to the model."""
    asked = [ChatMessage("system", RULES)]
    for said, answer in EXAMPLES:
        asked += [ChatMessage("user", said), ChatMessage("assistant", answer)]
    return [*asked, ChatMessage("user", text)]


def meaning(answer: str, text: str) -> Meaning | None:
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
