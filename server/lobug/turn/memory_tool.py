"""The chat model's own tool in an ordinary turn: it may keep what the user has just told it.

What it wants to keep passes the checks of extraction: the user's own words must say it, in a
statement about themselves. So neither a recalled memory, a device's answer nor the model's own
invention can get into memory this way. The model's choice of a key is not taken: it would write
over other memories with keys such as ``user_preference``.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lobug.engines.base import ToolResult
from lobug.errors import LobugError
from lobug.language.en import fact_checks, speech_acts
from lobug.language.en.prompts import STORE_TOOL
from lobug.language.protocol import Candidate
from lobug.memory.model import Draft, MemoryScope
from lobug.memory.service import Memory

log = logging.getLogger(__name__)

NOT_SAID = ToolResult("Not stored: the user's last words do not say that.", is_error=True)


class MemoryTool:
    """The tool within one turn."""

    name = STORE_TOOL

    def __init__(
        self,
        memory: Memory,
        scope: MemoryScope,
        said: str,
        log_words: Callable[[], Awaitable[int]],
    ) -> None:
        """``said``: the user's words; ``log_words`` logs them unless that is done, and returns the
        message's id."""
        self._memory = memory
        self._scope = scope
        self._said = said
        self._log_words = log_words

    async def call(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Store a statement, if the user has just made it. Never raises."""
        content = arguments.get("content")
        if not isinstance(content, str):
            return ToolResult("Not stored: content is missing.", is_error=True)
        said = " ".join(speech_acts.statements(self._said))
        proposed = Candidate(content, fact_checks.fact_type(content))
        accepted = fact_checks.accept([proposed], said) if said else []
        if not accepted:
            return NOT_SAID
        (fact,) = accepted
        try:
            draft = Draft(
                fact.content,
                fact_type=fact.fact_type,
                source="agent",
                source_message_id=await self._log_words(),
            )
            await self._memory.store(self._scope, draft)
        except LobugError as error:
            log.warning("the model's memory could not be stored: %s", error.code)
            return ToolResult(f"Not stored: {error.code}.", is_error=True)
        return ToolResult("Stored.")
