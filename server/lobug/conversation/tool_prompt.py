"""The part of the prompt that describes a device's tools. Pure.

A small model that may choose freely between words and a call uses tools poorly: it claims to have
done what it has not, or calls a tool because of a single word. So words that may concern the device
(``language.en.tool_words``) are preceded by a note of the device's state. Only such messages are
answered with a call or with ``none`` in the examples, and the reply's schema allows nothing else.

This part follows the persona's examples and precedes the history. The model reads it once, ahead of
the first turn, and keeps the cache that this conversation shares with those without tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lobug.engines.base import ChatMessage, Tool
from lobug.language.en.prompts import (
    KNOWN_TOOLS,
    STATUS_TOOL,
    TALK_WITHOUT_TOOLS,
    TOOL_RULES,
    TOOL_RULES_AGREED,
    ToolExample,
)
from lobug.language.en.tool_words import Vocabulary, may_concern, vocabulary

NO_TOOL = "none"
"""The model's choice when no tool is meant."""

LONGEST_ARGUMENT = 100
"""Most characters of a text argument that the model may write."""
LONGEST_STATE = 240
"""Most characters of the device's state in a note; each costs the turn about 4 ms."""

SHARE_OF_TOOLS = 0.6
"""Largest share of this part of the prompt for the list of tools; the rest is for examples."""


@dataclass(frozen=True, slots=True)
class ToolPrompt:
    """A device's tools as the prompt describes them."""

    messages: tuple[ChatMessage, ...] = ()
    """The messages in the prompt."""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """The tools by the short names that the model uses."""
    words: Vocabulary = field(default_factory=Vocabulary)
    """Words that may concern one of them."""

    @property
    def status(self) -> Tool | None:
        """The tool that returns the device's state; None: there is none."""
        return self.tools.get(STATUS_TOOL)

    def may_concern(self, said: str) -> bool:
        """Whether the words may ask for a tool."""
        return may_concern(said, self.words)

    def schema(self) -> Mapping[str, Any]:
        """JSON schema of a choice between the tools, with arguments, and ``none``."""
        return {
            "anyOf": [
                _choice(NO_TOOL, {}),
                *(_choice(n, t.input_schema) for n, t in self.tools.items()),
            ]
        }


NO_TOOLS = ToolPrompt()


def tool_prompt(tools: Sequence[Tool], max_tokens: int) -> ToolPrompt:
    """Describe ``tools`` within about ``max_tokens``.

    A part of them is kept for examples, without which a small model cannot use a tool. Tools that
    do not fit are left out; devices list their common tools first.
    """
    offered: dict[str, Tool] = {}
    lines: list[str] = []
    left = max_tokens - _tokens(TOOL_RULES) - _tokens(TOOL_RULES_AGREED)
    room = left * SHARE_OF_TOOLS
    for tool in tools:
        name = short_name(tool.name)
        # The model's call has the tool's name beside its arguments.
        if name in offered or name == NO_TOOL or "tool" in tool.input_schema.get("properties", {}):
            continue
        line = _line(name, tool)
        cost = len(line.encode()) // 3 + 1
        if cost <= room:
            room -= cost
            left -= cost
            offered[name] = tool
            lines.append(line)
    if not offered:
        return NO_TOOLS
    said = ChatMessage("user", "\n".join([TOOL_RULES, *lines]))
    messages = [said, ChatMessage("assistant", TOOL_RULES_AGREED)]
    for example in _examples(offered):
        cost = sum(_tokens(message.content) for message in example)
        if cost <= left:
            left -= cost
            messages.extend(example)
    return ToolPrompt(tuple(messages), offered, vocabulary(offered.values()))


def short_name(name: str) -> str:
    """A tool's name in the prompt: without the device's own prefix, "self."."""
    return name.removeprefix("self.")


def call_text(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as the model writes it."""
    return json.dumps({"tool": name, **arguments}, ensure_ascii=False)


def with_state(user: ChatMessage, state: str) -> ChatMessage:
    """The user's message after the device's state, which asks the model for a choice."""
    return ChatMessage("user", f"[Device: {state}]\n\n{user.content}")


def state_of(answer: str) -> str:
    """The status tool's answer in few words, as data: "screen brightness 75, ..."."""
    return _in_words(answer)[:LONGEST_STATE] or "ready"


def result_message(call: str, text: str, *, is_error: bool = False) -> ChatMessage:
    """The message with a call and its result, which the model puts into words."""
    outcome = f"{'error: ' if is_error else ''}{_in_words(text) or 'done'}"
    return ChatMessage("user", f"[RESULT] {_in_words(call)}: {outcome}")


def declined(user: ChatMessage, state: str) -> list[ChatMessage]:
    """The messages up to an answer in words, after the model chose no tool."""
    none = ChatMessage("assistant", call_text(NO_TOOL, {}))
    return [with_state(user, state), none, user]


def _in_words(text: str) -> str:
    """A device's answer as text; JSON becomes "battery level 90, battery charging no"."""
    try:
        known = json.loads(text)
    except (ValueError, RecursionError):
        known = text
    return _plain(", ".join(_leaves(known))) if isinstance(known, Mapping) else _plain(text)


def _plain(text: str) -> str:
    """A device's text on one line and without brackets, so that it cannot imitate the prompt's
    marks."""
    table = str.maketrans({"<": "(", ">": ")", "[": "(", "]": ")"})
    return " ".join(text.split()).translate(table)


def _leaves(value: object, name: str = "", depth: int = 4) -> list[str]:
    if isinstance(value, Mapping) and depth:
        return [
            leaf
            for key, inner in value.items()
            for leaf in _leaves(inner, f"{name} {key}".strip(), depth - 1)
        ]
    shown = {True: "yes", False: "no"}.get(value) if isinstance(value, bool) else None
    return [f"{name} {shown or value}".strip()] if isinstance(value, str | int | float) else []


def _line(name: str, tool: Tool) -> str:
    """A tool on one line: name, arguments, first sentence of its description."""
    shown = KNOWN_TOOLS.get(name)
    text = shown.text if shown else _plain(tool.description.partition("\n")[0])
    if not shown:
        text = text.partition(". ")[0][:120]
    takes = "".join(
        f", {key} {_kind(rules)}" for key, rules in tool.input_schema.get("properties", {}).items()
    )
    return f"- {name}{takes}: {text}"


def _kind(rules: Mapping[str, Any]) -> str:
    if "enum" in rules:
        return " or ".join(_plain(str(choice)[:40]) for choice in rules["enum"])
    if "minimum" in rules and "maximum" in rules:
        return f"{rules['minimum']} to {rules['maximum']}"
    return {"string": "text", "boolean": "true or false"}.get(rules.get("type", ""), "number")


def _choice(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of one call. All arguments are required, because a small model would leave
    out some that are needed."""
    arguments = {key: _argument(rules) for key, rules in schema.get("properties", {}).items()}
    return {
        "type": "object",
        "properties": {"tool": {"const": name}, **arguments},
        "required": ["tool", *arguments],
        "additionalProperties": False,
    }


def _argument(rules: Mapping[str, Any]) -> dict[str, Any]:
    if rules.get("type") == "string" and "enum" not in rules:
        longest = min(rules.get("maxLength", LONGEST_ARGUMENT), LONGEST_ARGUMENT)
        return {"type": "string", "maxLength": longest}
    return {key: value for key, value in rules.items() if key != "description"}


def _examples(offered: Mapping[str, Tool]) -> list[list[ChatMessage]]:
    """Example calls of the offered tools, each followed by talk that only sounds like one."""
    talk = iter(TALK_WITHOUT_TOOLS)
    made: list[list[ChatMessage]] = []
    for name, tool in offered.items():
        for example in KNOWN_TOOLS[name].examples if name in KNOWN_TOOLS else _own_example(tool):
            said = ChatMessage("user", example.said)
            call = call_text(name, example.arguments)
            messages = [with_state(said, example.state), ChatMessage("assistant", call)]
            if example.reply:
                result = result_message(call, example.result)
                messages += [result, ChatMessage("assistant", example.reply)]
            if other := next(talk, None):
                said, reply = (ChatMessage("user", other[0]), ChatMessage("assistant", other[1]))
                messages += [*declined(said, example.state), reply]
            made.append(messages)
    return made


def _own_example(tool: Tool) -> tuple[ToolExample, ...]:
    """An example for a tool without arguments: its description is the request, "Turn on the
    lamp"."""
    sentence = tool.description.partition("\n")[0].partition(". ")[0].rstrip(".")
    if tool.input_schema.get("properties") or not 0 < len(sentence) <= 60:
        return ()
    return (ToolExample(f"{_plain(sentence)}.", {}),)


def _tokens(text: str) -> int:
    return len(text.encode()) // 3 + 8
