"""Lets the chat model use a device's tools, and Lo-Bug's own, during its reply.

The model writes a call, the call is carried out, the model reads the result and continues in words.
Only the words are passed on. A call is a JSON object that begins with its tool,
``{"tool": "lamp.turn_on", ...}``, also in a code fence or a ``<tool_call>``, in which models often
wrap it. No call, whole or broken, is returned as text.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from lobug.conversation.registry import Conversation
from lobug.conversation.tool_prompt import (
    NO_TOOL,
    ToolPrompt,
    declined,
    result_message,
    short_name,
    state_of,
    tool_prompt,
    with_state,
)
from lobug.engines.base import ChatMessage, Tool, ToolBox, ToolResult
from lobug.errors import EngineError
from lobug.language.en.prompts import STATUS_TOOL
from lobug.language.en.replies import DONE, NO_WORDS, NOT_DONE

Write = Callable[[Sequence[ChatMessage], Mapping[str, Any] | None], AsyncGenerator[str]]
"""Streams what the model writes. Takes the messages of this turn, which follow the prompt's prefix,
and the JSON schema of the answer (None: free text)."""

OwnTool = Callable[[Mapping[str, Any]], Awaitable[ToolResult]]
"""Takes the arguments of a call. Does not raise."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ToolUse:
    """What one turn may do with tools."""

    box: ToolBox
    prompt: ToolPrompt
    """The tools that the turn's prompt describes."""
    said: str
    """The user's words alone."""
    allowed: Callable[[], Awaitable[None]]
    """Returns once the turn counts; a tool's effect cannot be undone."""
    max_rounds: int
    """Most calls in this turn."""
    called: list[str] = field(default_factory=list)
    """Names of the tools that were used."""
    has_done: bool = False
    """Whether a tool has done something: a call succeeded, reading the status apart."""
    own: Mapping[str, OwnTool] = field(default_factory=dict)
    """Tools of Lo-Bug's own by name, which need no device."""


def offer_tools(conversation: Conversation, tools: Sequence[Tool], max_tokens: int) -> None:
    """Put ``tools`` into the conversation's prompt, within ``max_tokens``, once the model has read
    them (``PromptPrefetcher``).

    A small computer takes many seconds to read them, and a person who talks to a device that has
    just connected must not wait for that; see ``include_tools_if_needed``. Call it when the tools
    are known: a device that comes back with the same tools finds its prompt in the model's cache.
    """
    conversation.offered = tool_prompt(tools, max_tokens)
    if not conversation.tools_unread:
        conversation.include_tools()


def offer_owner_tools(conversation: Conversation, owner: Sequence[Tool], max_tokens: int) -> None:
    """Offer the tools of the owner's servers beside those of the device, unless they are offered
    already: a server may have connected after the device, and many doors have no device."""
    offered = conversation.offered.tools.values()
    names = {tool.name for tool in offered}
    if any(tool.name not in names for tool in owner):
        added = {tool.name for tool in owner}
        device = [tool for tool in offered if tool.name not in added]
        offer_tools(conversation, [*device, *owner], max_tokens)


def include_tools_if_needed(conversation: Conversation, said: str) -> None:
    """Put tools that the model has not read yet into the prompt if the words may need one."""
    concerned = conversation.offered, conversation.tools
    if conversation.tools_unread and any(tools.may_concern(said) for tools in concerned):
        conversation.include_tools()


async def write_with_tools(
    write: Write, user: ChatMessage, use: ToolUse | None
) -> AsyncGenerator[str]:
    """Yield the words of the reply as they are written, without the calls.

    ``use`` None: no tool may be used. Raises what ``write`` raises.
    """
    source = write([user], None) if use is None else _ToolRounds(write, user, use).words()
    async with aclosing(source) as words:
        async for piece in words:
            yield piece


class _ToolRounds:
    """One reply with its tool calls."""

    def __init__(self, write: Write, user: ChatMessage, use: ToolUse) -> None:
        self._write = write
        self._use = use
        self._user = user
        self._messages = [user]
        self._only_words = False
        """Whether the model has said that no tool is meant; calls are then ignored."""
        self._rounds = 0
        self._last: ToolResult | None = None
        self._carried_out: set[str] = set()

    async def words(self) -> AsyncGenerator[str]:
        call: str | None = None
        if self._use.box.tools() and self._use.prompt.may_concern(self._use.said):
            call = await self._choice()
        spoken = False
        while call is None or await self._carry_out(call):
            finder = CallFinder()
            async with aclosing(self._write(self._messages, None)) as stream:
                async for piece in stream:
                    if words := finder.feed(piece):
                        spoken = spoken or not words.isspace()
                        yield words
                    if finder.call is not None:
                        break
            if words := finder.flush():
                spoken = spoken or not words.isspace()
                yield words
            if (call := finder.call) is None:
                break
            if spoken and self._is_own(call):
                await self._carry_out(call)
                break  # the reply is said; of its result nothing need be told
            if spoken:
                yield " "
        if not spoken and self._last is not None:
            yield NOT_DONE if self._last.is_error else DONE
        elif not spoken and self._rounds:
            yield NO_WORDS

    async def _choice(self) -> str | None:
        """Ask the model, with a JSON schema, which tool the words are for. Returns its call; None:
        there is nothing to carry out, the model continues in words."""
        use = self._use
        await use.allowed()
        status = use.prompt.status
        answer = await self._call(status.name, {}) if status is not None else None
        state = state_of(answer.text) if answer is not None and not answer.is_error else "ready"
        asked = [with_state(self._user, state)]
        call = ""
        try:
            async with aclosing(self._write(asked, use.prompt.schema())) as stream:
                async for piece in stream:
                    call += piece
        except EngineError as error:
            # Not every server can enforce a schema; the model may still call a tool in its words.
            log.info("which tool is meant could not be asked: %s", error.code)
            return None
        read = read_call(call)
        if read is None:
            return None
        self._messages = asked
        if read[0] == NO_TOOL:
            self._only_words = True
            self._messages = declined(self._user, state)
            return None
        if status is not None and answer is not None and short_name(read[0]) == STATUS_TOOL:
            self._last = answer
            self._append_result(call, answer)  # the status was read just now
            return None
        return call

    async def _carry_out(self, call: str) -> bool:
        """Carry a call out and put its result into the prompt. Returns whether the model may
        continue; False after a repeated call and after too many calls."""
        if call in self._carried_out or self._rounds >= self._use.max_rounds:
            return False
        self._rounds += 1
        self._carried_out.add(call)
        read = read_call(call)
        if self._only_words or (read is not None and read[0] == NO_TOOL):
            self._only_words = True
            self._messages = declined(self._user, "ready")
            return True
        result = await self._result(call)
        if not self._is_own(call):
            self._last = result
        self._append_result(call, result)
        return True

    def _is_own(self, call: str) -> bool:
        read = read_call(call)
        return read is not None and read[0] in self._use.own

    async def _result(self, call: str) -> ToolResult:
        read = read_call(call)
        if read is None:
            return ToolResult("The call is no JSON object.", is_error=True)
        name, arguments = read
        if own := self._use.own.get(name):
            await self._use.allowed()
            self._use.called.append(name)
            result = await own(arguments)
            self._use.has_done = self._use.has_done or not result.is_error
            return result
        tools = self._use.prompt.tools
        tool = tools.get(short_name(name))
        if tool is None:
            known = ", ".join([*tools, *self._use.own])
            return ToolResult(f"There is no {name[:80]}, only {known}.", is_error=True)
        await self._use.allowed()
        result = await self._call(tool.name, coerce_arguments(tool, arguments))
        if not result.is_error and short_name(tool.name) != STATUS_TOOL:
            self._use.has_done = True
        return result

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        self._use.called.append(name)
        return await self._use.box.call(name, arguments)

    def _append_result(self, call: str, result: ToolResult) -> None:
        answer = result_message(call, result.text, is_error=result.is_error)
        self._messages = [*self._messages, ChatMessage("assistant", call), answer]


LONGEST_CALL = 2_000
"""Characters; a longer call counts as broken."""

_START = '{"tool":'
_WRAPPINGS = ("```json", "```", "<tool_call>")
_FIRST = re.compile(r"[{`<]")
_LONGEST_HEAD = 64
"""Characters, white space included, within which a call must begin like one."""


class CallFinder:
    """Takes what a model writes, token by token, and separates the first call from the text.

    ``call`` is the call as it was written, once it is complete; what follows it is dropped.
    """

    def __init__(self) -> None:
        self.call: str | None = None
        self._held = ""
        self._reading = _Object()
        self._in_call = False

    def feed(self, piece: str) -> str:
        """Take a token; return the text that is certainly not part of a call."""
        if self.call is not None:
            return ""
        if self._in_call:
            self._read(piece)
            return ""
        self._held += piece
        out: list[str] = []
        while (match := _FIRST.search(self._held)) is not None:
            out.append(self._held[: match.start()])
            self._held = self._held[match.start() :]
            begins = _begins_call(self._held)
            if begins is None and len(self._held) <= _LONGEST_HEAD:
                return "".join(out)
            if begins:
                held, self._held = self._held[self._held.index("{") :], ""
                self._in_call = True
                self._read(held)
                return "".join(out)
            out.append(self._held[0])
            self._held = self._held[1:]
        out.append(self._held)
        self._held = ""
        return "".join(out)

    def flush(self) -> str:
        """End the text: return what was held back. A call that was cut off still counts."""
        if self._in_call and self.call is None:
            self.call = self._reading.text
        held, self._held = self._held, ""
        return held

    def _read(self, text: str) -> None:
        if self._reading.feed(text) or len(self._reading.text) > LONGEST_CALL:
            self.call = self._reading.text


def _begins_call(text: str) -> bool | None:
    """Whether a text begins like a call; None: it is too short to tell."""
    packed = "".join(text.split())
    while not packed.startswith(_START):
        if any(start.startswith(packed) for start in (_START, *_WRAPPINGS)):
            return None
        wrapping = next((w for w in _WRAPPINGS if packed.startswith(w)), None)
        if wrapping is None:
            return False
        packed = packed[len(wrapping) :]
    return True


class _Object:
    """Reads a JSON object to its closing brace."""

    def __init__(self) -> None:
        self.text = ""
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, text: str) -> bool:
        """Take text up to the end of the object. Returns whether the end was reached."""
        for at, character in enumerate(text):
            if self._in_string:
                self._in_string = character != '"' or self._escaped
                self._escaped = character == "\\" and not self._escaped
            elif character == '"':
                self._in_string = True
            elif character in "{}":
                self._depth += 1 if character == "{" else -1
                if self._depth == 0:
                    self.text += text[: at + 1]
                    return True
        self.text += text
        return False


def read_call(written: str) -> tuple[str, dict[str, Any]] | None:
    """The tool's name and the arguments of a call; None: the call is broken."""
    try:
        call = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(call, dict) or not isinstance(name := call.pop("tool", None), str):
        return None
    inner = call.get("arguments")
    return name.strip(), inner if isinstance(inner, dict) and len(call) == 1 else call


def coerce_arguments(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments converted to the types of the tool's schema where that is clear: "80 %" is 80."""
    rules = tool.input_schema.get("properties", {})
    return {
        name: _coerced(value, rules.get(name, {}).get("type")) for name, value in arguments.items()
    }


def _coerced(value: Any, kind: str | None) -> Any:
    if kind in {"integer", "number"} and isinstance(value, str):
        match = re.fullmatch(r"\s*(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:%\s*)?", value)
        if match:
            number = float(match[1])
            return int(number) if number.is_integer() else number
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "boolean" and isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value
