"""How the prompt tells a chat model of a device's tools. Pure.

A small model that may choose freely between words and a call makes poor use of tools: it says that
it has done what it has not, or calls one because of a word. So words that may concern the device
(``tool_words``) get a note of the device's state in front, and to such a message, and only to such
a one, the examples answer with a call or with ``none``; the reply's schema leaves no third way.

All of it stands behind the persona's examples and before the history: it is read once, ahead of the
first turn, and what conversations without tools have in common with this one stays in the cache.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lobug.engines.base import ChatMessage
from lobug.engines.tools import Tool
from lobug.language.en.prompts.tools import AGREED, KNOWN, RULES, STATUS_TOOL, TALK, ToolExample
from lobug.language.en.tool_words import Vocabulary, may_concern, vocabulary

NO_TOOL = "none"
"""What the model chooses where words are no matter of a tool."""

LONGEST_ARGUMENT = 100
"""Characters of a text that the model may write as an argument."""
LONGEST_STATE = 240
"""Characters of the device's state in a note: each costs the turn about 4 ms."""

SHARE_OF_TOOLS = 0.6
"""The most that the list of tools may take of their part of the prompt."""


@dataclass(frozen=True, slots=True)
class ToolPrompt:
    """A device's tools as a chat model is told of them."""

    messages: tuple[ChatMessage, ...] = ()
    """What enters the prompt."""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """By the short name that the model calls it by."""
    words: Vocabulary = field(default_factory=Vocabulary)
    """Words that may concern one of them."""

    @property
    def status(self) -> Tool | None:
        """The tool that tells the device's state."""
        return self.tools.get(STATUS_TOOL)

    def may_concern(self, said: str) -> bool:
        """Whether what somebody said may be a matter of a tool."""
        return may_concern(said, self.words)

    def schema(self) -> Mapping[str, Any]:
        """JSON schema of a choice: one of the tools with its arguments, or none."""
        return {
            "anyOf": [
                _choice(NO_TOOL, {}),
                *(_choice(n, t.input_schema) for n, t in self.tools.items()),
            ]
        }


NO_TOOLS = ToolPrompt()


def tool_prompt(tools: Sequence[Tool], max_tokens: int) -> ToolPrompt:
    """What to tell of ``tools`` within about ``max_tokens``.

    Part of them is kept for examples, without which a small model makes nothing of a tool. Tools
    that do not fit are left out: a device lists those that all devices have first.
    """
    offered: dict[str, Tool] = {}
    lines: list[str] = []
    left = max_tokens - _tokens(RULES) - _tokens(AGREED)
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
    said = ChatMessage("user", "\n".join([RULES, *lines]))
    messages = [said, ChatMessage("assistant", AGREED)]
    for example in _examples(offered):
        cost = sum(_tokens(message.content) for message in example)
        if cost <= left:
            left -= cost
            messages.extend(example)
    return ToolPrompt(tuple(messages), offered, vocabulary(offered.values()))


def short_name(name: str) -> str:
    """A tool's name as the model is told it: of a device's own tools ("self.") there is no other
    owner."""
    return name.removeprefix("self.")


def call_text(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as the model writes it."""
    return json.dumps({"tool": name, **arguments}, ensure_ascii=False)


def with_state(user: ChatMessage, state: str) -> ChatMessage:
    """The user's message with the device's state in front: a choice is asked for."""
    return ChatMessage("user", f"[Device: {state}]\n\n{user.content}")


def state_of(told: str) -> str:
    """The answer of the status tool in few words, as data: "screen brightness 75, ..."."""
    return _in_words(told)[:LONGEST_STATE] or "ready"


def result_message(call: str, text: str, *, is_error: bool = False) -> ChatMessage:
    """What came of a call, for the model to tell; the call again, since that is what it tells."""
    told = f"{'error: ' if is_error else ''}{_in_words(text) or 'done'}"
    return ChatMessage("user", f"[RESULT] {_in_words(call)}: {told}")


def declined(user: ChatMessage, state: str) -> list[ChatMessage]:
    """A message for which no tool was chosen, up to where it is answered in words."""
    none = ChatMessage("assistant", call_text(NO_TOOL, {}))
    return [with_state(user, state), none, user]


def _in_words(told: str) -> str:
    """What a device told, JSON as "battery level 90, battery charging no"."""
    try:
        known = json.loads(told)
    except (ValueError, RecursionError):
        known = told
    return _plain(", ".join(_leaves(known))) if isinstance(known, Mapping) else _plain(told)


def _plain(text: str) -> str:
    """A device's text on one line and without brackets: it cannot pose as part of the prompt."""
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
    """A tool in one line: name, arguments, first sentence of what it does."""
    shown = KNOWN.get(name)
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
    """The JSON of one call. Every argument is asked for: a small model leaves none out wrongly."""
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
    """Calls of the tools that are there, each followed by talk that only sounds like one."""
    talk = iter(TALK)
    made: list[list[ChatMessage]] = []
    for name, tool in offered.items():
        for example in KNOWN[name].examples if name in KNOWN else _own_example(tool):
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
    """Of a tool that needs no arguments, its description is what one says: "Turn on the lamp"."""
    sentence = tool.description.partition("\n")[0].partition(". ")[0].rstrip(".")
    if tool.input_schema.get("properties") or not 0 < len(sentence) <= 60:
        return ()
    return (ToolExample(f"{_plain(sentence)}.", {}),)


def _tokens(text: str) -> int:
    return len(text.encode()) // 3 + 8
