"""Lets the chat model choose a skill's intent, where no sentence matched.

The model is asked only for a request that has a word of a choice in it, always with the same
beginning, so that an engine may keep what it has computed of that. What it answers is untrusted: it
quotes the user's words, and a quotation that was not said, a required argument that is missing, or
a choice of whose words none was said refuses the whole choice. So it can fill in no time, name or
number of its own; a sum it may write down, of the numbers that were said.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence, Set
from contextlib import aclosing
from typing import Any, cast

from lobug.engines.base import (
    BACKGROUND_LANE,
    ChatMessage,
    ChatModel,
    ChatOptions,
    KeepsConstants,
)
from lobug.errors import EngineError
from lobug.language.en.prompts import SKILL_CHOICE_RULES, SKILL_CHOICE_TALK
from lobug.language.en.speech_acts import tokens
from lobug.language.skills import Choice, Match, SkillSentences

TIMEOUT_S = 8.0
"""The user waits: after this time the turn goes on without a skill, seconds."""
LONGEST_READING_S = 4.0
"""If the model needs longer only to read the constant beginning, it is not asked, seconds."""
MAX_TOKENS = 80
LONGEST_ARGUMENT = 120
"""Characters."""
NONE = "none"
_KEY = "do"

log = logging.getLogger(__name__)


class Chooser:
    """Asks the chat model which choice a text means. Holds nothing of any turn."""

    def __init__(self, chat: ChatModel, choices: Sequence[tuple[str, Choice]]) -> None:
        """``choices``: of all skills that are switched on, each with the name of its skill."""
        self._chat = chat
        self._choices = {choice.name: (skill, choice) for skill, choice in choices}
        if len(self._choices) != len(choices):
            raise ValueError("two choices have the same name")
        self.beginning = beginning([choice for _, choice in choices]) if choices else []
        self._schema = _schema([choice for _, choice in choices])

    async def choose(self, text: str, among: Set[str], sentences: SkillSentences) -> Match | None:
        """The choice for a text; None: none, one that is not ``among`` the names, or the answer is
        not valid. The model is not asked while it has yet to read the beginning."""
        chat = self._chat
        if isinstance(chat, KeepsConstants):
            left_s = chat.constant_reading_s(self.beginning)
            if left_s > LONGEST_READING_S:
                log.info("which skill is meant is not asked: %.0f s would be read first", left_s)
                return None
        options = ChatOptions(
            max_tokens=MAX_TOKENS,
            temperature=0.0,
            json_schema=self._schema,
            lane=BACKGROUND_LANE,  # background work rests during a turn, so its lane is free
            timeout_s=TIMEOUT_S,
            first_token_timeout_s=TIMEOUT_S,
            constant=len(self.beginning),
        )
        asked = [*self.beginning, ChatMessage("user", text)]
        answer = ""
        try:
            async with aclosing(cast("Any", chat.stream(asked, options))) as pieces:
                async for piece in pieces:
                    answer += piece
                    if len(answer) > MAX_TOKENS * 16:
                        return None
        except EngineError as error:
            log.info("which skill is meant could not be asked: %s", error.code)
            return None
        possible = {name: one for name, one in self._choices.items() if name in among}
        return read_choice(answer, text, possible, sentences)


def beginning(choices: Sequence[Choice]) -> list[ChatMessage]:
    """The constant beginning of each request: the choices, what is none of them, and examples."""
    lines = [f"{choice.name}: {choice.description}{_arguments(choice)}" for choice in choices]
    asked = [ChatMessage("system", "\n".join([SKILL_CHOICE_RULES, *lines]))]
    talk = list(SKILL_CHOICE_TALK)
    for number, choice in enumerate(choices):
        for said, arguments in choice.examples:
            asked += _example(said, _answer(choice.name, arguments))
        while talk and number * len(SKILL_CHOICE_TALK) >= (
            (len(SKILL_CHOICE_TALK) - len(talk)) * len(choices)
        ):
            asked += _example(talk.pop(0), _answer(NONE, {}))
    for said in talk:
        asked += _example(said, _answer(NONE, {}))
    return asked


def read_choice(
    answer: str, text: str, choices: Mapping[str, tuple[str, Choice]], sentences: SkillSentences
) -> Match | None:
    """The choice in a model's answer about a text; None: none that is valid."""
    try:
        chosen = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    if not isinstance(chosen, dict):
        return None
    name = chosen.pop(_KEY, NONE)
    found = choices.get(name) if isinstance(name, str) else None
    if found is None:
        return None
    skill, choice = found
    said = {
        key: sentences.said_time(value.strip(), text) if key in choice.times else value.strip()
        for key, value in chosen.items()
        if key in choice.arguments and isinstance(value, str) and value.strip()
    }
    valid = (
        sentences.is_sum_of(value, text) if key in choice.expressions else stands_in(value, text)
        for key, value in said.items()
    )
    if not choice.required <= said.keys() or not all(valid):
        return None
    slots = {choice.arguments[key]: value for key, value in said.items()}
    return Match(skill, choice.intent, slots, request=text, chosen=True)


def stands_in(quoted: str, text: str) -> bool:
    """Whether words were said, one after the other."""
    found, said = tokens(quoted), tokens(text)
    return bool(found) and any(
        said[start : start + len(found)] == found for start in range(len(said) - len(found) + 1)
    )


def _example(said: str, answer: str) -> list[ChatMessage]:
    return [ChatMessage("user", said), ChatMessage("assistant", answer)]


def _answer(name: str, arguments: Mapping[str, str]) -> str:
    return json.dumps({_KEY: name, **arguments}, ensure_ascii=False, separators=(",", ":"))


def _arguments(choice: Choice) -> str:
    return f" ({', '.join(choice.arguments)})" if choice.arguments else ""


def _schema(choices: Sequence[Choice]) -> Mapping[str, Any]:
    """JSON schema of one of the choices, or none; what was not said is left out."""
    each = [{"type": "object", "properties": {_KEY: {"const": NONE}}, "required": [_KEY]}]
    for choice in choices:
        quoted = {"type": "string", "maxLength": LONGEST_ARGUMENT}
        properties: dict[str, Any] = {_KEY: {"const": choice.name}}
        properties |= dict.fromkeys(choice.arguments, quoted)
        required = [_KEY, *(name for name in choice.arguments if name in choice.required)]
        each.append({"type": "object", "properties": properties, "required": required})
    return {"anyOf": [{**one, "additionalProperties": False} for one in each]}
