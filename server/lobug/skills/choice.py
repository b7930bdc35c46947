"""Lets the chat model choose a skill's intent, where no sentence matched.

The model is asked only for a request that has a word of the skill in it. What it answers is
untrusted: it quotes the user's words, and a quotation that was not said, or that a required
argument lacks, refuses the whole choice. So it can fill in no time, name or number of its own.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatModel, ChatOptions
from lobug.errors import EngineError
from lobug.language.en.prompts import SKILL_CHOICE_RULES
from lobug.language.en.speech_acts import tokens
from lobug.language.skills import Match
from lobug.skills.skill import Choice, Skill

TIMEOUT_S = 12.0
"""The user waits: after this time the turn goes on without a skill, seconds."""
MAX_TOKENS = 80
LONGEST_QUOTATION = 120
"""Characters of one argument."""
NONE = "none"

log = logging.getLogger(__name__)


async def choose(chat: ChatModel, text: str, skills: Sequence[Skill]) -> Match | None:
    """The intent of one of ``skills`` that the chat model chooses; None: none, or its answer is
    not valid."""
    choices = {
        f"{skill.name}.{choice.intent}": (skill.name, choice)
        for skill in skills
        for choice in skill.choices
    }
    if not choices:
        return None
    options = ChatOptions(
        max_tokens=MAX_TOKENS,
        temperature=0.0,
        json_schema=_schema(choices),
        lane=BACKGROUND_LANE,  # background work rests during a turn, so its lane is free
        timeout_s=TIMEOUT_S,
        first_token_timeout_s=TIMEOUT_S,
    )
    answer = ""
    try:
        asked = messages(text, [choice for _, choice in choices.values()], list(choices))
        async with aclosing(cast("Any", chat.stream(asked, options))) as pieces:
            async for piece in pieces:
                answer += piece
                if len(answer) > MAX_TOKENS * 16:
                    return None
    except EngineError as error:
        log.info("which skill is meant could not be asked: %s", error.code)
        return None
    return read_choice(answer, text, choices)


def messages(text: str, choices: Sequence[Choice], names: Sequence[str]) -> list[ChatMessage]:
    """The request to the model: the choices, an example of each, then the user's words."""
    lines = [
        f"- {name}{_arguments(choice)}: {choice.description}"
        for name, choice in zip(names, choices, strict=True)
    ]
    asked = [ChatMessage("system", "\n".join([SKILL_CHOICE_RULES, *lines]))]
    for name, choice in zip(names, choices, strict=True):
        for said, arguments in choice.examples:
            asked.append(ChatMessage("user", said))
            asked.append(ChatMessage("assistant", _answer(name, arguments)))
    return [*asked, ChatMessage("user", text)]


def read_choice(answer: str, text: str, choices: Mapping[str, tuple[str, Choice]]) -> Match | None:
    """The choice in a model's answer about a text; None: none that is valid."""
    try:
        chosen = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    if not isinstance(chosen, dict):
        return None
    name = chosen.pop("intent", NONE)
    found = choices.get(name) if isinstance(name, str) else None
    if found is None:
        return None
    skill, choice = found
    slots = {
        key: value.strip()
        for key, value in chosen.items()
        if key in choice.arguments and isinstance(value, str) and value.strip()
    }
    if not choice.required <= slots.keys() or not all(stands_in(v, text) for v in slots.values()):
        return None
    return Match(skill, choice.intent, slots, request=text, chosen=True)


def stands_in(quoted: str, text: str) -> bool:
    """Whether words were said, one after the other."""
    found, said = tokens(quoted), tokens(text)
    return bool(found) and any(
        said[start : start + len(found)] == found for start in range(len(said) - len(found) + 1)
    )


def _answer(name: str, arguments: Mapping[str, str]) -> str:
    return json.dumps({"intent": name, **arguments}, ensure_ascii=False)


def _arguments(choice: Choice) -> str:
    return "".join(f", {name} ({what})" for name, what in choice.arguments.items())


def _schema(choices: Mapping[str, tuple[str, Choice]]) -> Mapping[str, Any]:
    """JSON schema of one of the choices, or none. All arguments are there: an empty one was not
    said."""
    each = [{"type": "object", "properties": {"intent": {"const": NONE}}, "required": ["intent"]}]
    for name, (_, choice) in choices.items():
        quoted = {"type": "string", "maxLength": LONGEST_QUOTATION}
        properties: dict[str, Any] = {"intent": {"const": name}}
        properties |= dict.fromkeys(choice.arguments, quoted)
        each.append({"type": "object", "properties": properties, "required": list(properties)})
    return {"anyOf": [{**one, "additionalProperties": False} for one in each]}
