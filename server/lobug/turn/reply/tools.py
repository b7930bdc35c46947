"""Lets the chat model use a device's tools in the middle of its reply.

The model writes a call, it is carried out, the model reads what came of it and goes on in words.
Only the words leave here.
"""

from __future__ import annotations

import logging
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
from lobug.engines.base import ChatMessage
from lobug.engines.tools import Tool, ToolBox, ToolResult
from lobug.errors import EngineError
from lobug.language.en.prompts.tools import STATUS_TOOL
from lobug.turn.reply.tool_calls import CallFinder, fitted, read_call

DONE = "Okay, done."
"""Said where the model has nothing to say of a call that went well."""
NOT_DONE = "Sorry, that did not work."
"""The same of one that did not."""
NO_WORDS = "I'm not sure what to say to that."
"""Said where the model wrote nothing but calls that it may not make."""

Write = Callable[[Sequence[ChatMessage], Mapping[str, Any] | None], AsyncGenerator[str]]
"""Lets the model write, after the prompt's prefix: the messages of this turn, and the JSON schema
of what it may write (None: free text)."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ToolUse:
    """What one turn may do with a device's tools."""

    box: ToolBox
    prompt: ToolPrompt
    """The tools as the turn's prompt tells of them."""
    said: str
    """The user's words alone."""
    allowed: Callable[[], Awaitable[None]]
    """Returns once the turn is certain: a tool's effect cannot be taken back."""
    max_rounds: int
    """Calls of the model in this turn."""
    called: list[str] = field(default_factory=list)
    """Names of the tools that were used, for the turn's record."""


def offer(conversation: Conversation, tools: Sequence[Tool], max_tokens: int) -> None:
    """Let the conversation's prompt tell of ``tools``, within ``max_tokens``, once they are read.

    Reading them takes a small computer many seconds, and who talks to a device that has just
    connected waits for none of them: see ``tell_if_needed``. Call it when the tools are known, not
    before: a device that comes back with the same tools finds its prompt read.
    """
    conversation.offered = tool_prompt(tools, max_tokens)
    if not conversation.tools_unread:
        conversation.tell_of_tools()


def tell_if_needed(conversation: Conversation, said: str) -> None:
    """Let a turn's prompt tell of tools that are not read yet only when its words need one."""
    concerned = conversation.offered, conversation.tools
    if conversation.tools_unread and any(tools.may_concern(said) for tools in concerned):
        conversation.tell_of_tools()


async def with_tools(write: Write, user: ChatMessage, use: ToolUse | None) -> AsyncGenerator[str]:
    """Yield the words of the reply as they are written, without the calls in between.

    Raises what ``write`` raises.
    """
    source = write([user], None) if use is None else _Turn(write, user, use).words()
    async with aclosing(source) as words:
        async for piece in words:
            yield piece


class _Turn:
    """The calls of one turn."""

    def __init__(self, write: Write, user: ChatMessage, use: ToolUse) -> None:
        self._write = write
        self._use = use
        self._user = user
        self._messages = [user]
        self._only_words = False
        """The model has said that no tool is meant: it gets none."""
        self._rounds = 0
        self._last: ToolResult | None = None
        self._carried_out: set[str] = set()

    async def words(self) -> AsyncGenerator[str]:
        """The reply's words."""
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
            if spoken:
                yield " "
        if not spoken and self._last is not None:
            yield NOT_DONE if self._last.is_error else DONE
        elif not spoken and self._rounds:
            yield NO_WORDS

    async def _choice(self) -> str | None:
        """The call that the model takes the words for, when it has to say; None: there is none to
        carry out, the model is to go on in words."""
        use = self._use
        await use.allowed()
        status = use.prompt.status
        told = await self._call(status.name, {}) if status is not None else None
        state = state_of(told.text) if told is not None and not told.is_error else "ready"
        asked = [with_state(self._user, state)]
        call = ""
        try:
            async with aclosing(self._write(asked, use.prompt.schema())) as stream:
                async for piece in stream:
                    call += piece
        except EngineError as error:
            # Not every server can hold a model to a schema; in words it may still do.
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
        if status is not None and told is not None and short_name(read[0]) == STATUS_TOOL:
            self._last = told
            self._note(call, told)  # it has just been asked
            return None
        return call

    async def _carry_out(self, call: str) -> bool:
        """Carry a call out and put what came of it into the prompt. Returns whether the model may
        go on: not so when it repeats itself, or has made too many calls."""
        if call in self._carried_out or self._rounds >= self._use.max_rounds:
            return False
        self._rounds += 1
        self._carried_out.add(call)
        read = read_call(call)
        if self._only_words or (read is not None and read[0] == NO_TOOL):
            self._only_words = True
            self._messages = declined(self._user, "ready")
            return True
        self._last = await self._result(call)
        self._note(call, self._last)
        return True

    async def _result(self, call: str) -> ToolResult:
        read = read_call(call)
        if read is None:
            return ToolResult("The call is no JSON object.", is_error=True)
        name, arguments = read
        tools = self._use.prompt.tools
        tool = tools.get(short_name(name))
        if tool is None:
            return ToolResult(f"There is no {name[:80]}, only {', '.join(tools)}.", is_error=True)
        await self._use.allowed()
        return await self._call(tool.name, fitted(tool, arguments))

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        self._use.called.append(name)
        return await self._use.box.call(name, arguments)

    def _note(self, call: str, result: ToolResult) -> None:
        answer = result_message(call, result.text, is_error=result.is_error)
        self._messages = [*self._messages, ChatMessage("assistant", call), answer]
