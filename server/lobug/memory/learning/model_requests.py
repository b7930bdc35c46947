"""Bounded requests of background tasks to the chat model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatModel, ChatOptions

TIMEOUT_S = 300.0
"""Longest time for one answer, seconds. Nobody waits for it; a small model on two busy cores reads
a long prompt at 30 tokens a second."""

CHARS_PER_TOKEN = 3.0
"""A cautious mean: English has about 4.5 with the usual vocabularies, other languages less."""

MAX_ANSWER_CHARS_PER_TOKEN = 16
"""An answer longer than this for each of its tokens comes from a model that ignores its bound."""

THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)


class GarbledAnswerError(Exception):
    """The model's answer is not what was asked for. Never leaves the background worker."""


async def ask(
    chat: ChatModel,
    messages: Sequence[ChatMessage],
    *,
    max_tokens: int,
    attempts: int = 0,
    json_schema: Mapping[str, Any] | None = None,
) -> str:
    """The model's whole answer without thinking parts. Each failed attempt before raises the
    temperature a little, since at 0 the same prompt would fail the same way. Raises EngineError."""
    options = ChatOptions(
        max_tokens=max_tokens,
        temperature=min(0.3 * attempts, 0.9),
        json_schema=json_schema,
        lane=BACKGROUND_LANE,
        timeout_s=TIMEOUT_S,
        first_token_timeout_s=TIMEOUT_S,
    )
    answer = ""
    # Closed on every way out: an abandoned stream would keep the model busy.
    async with aclosing(cast("Any", chat.stream(messages, options))) as pieces:
        async for piece in pieces:
            answer += piece
            if len(answer) > max_tokens * MAX_ANSWER_CHARS_PER_TOKEN:
                break
    return THINKING.sub("", answer).strip()


def prompt_chars(chat: ChatModel, messages: Sequence[ChatMessage], max_tokens: int) -> int:
    """A cautious estimate of how many more characters of prompt fit, besides ``messages`` and an
    answer."""
    room = chat.context_tokens - max_tokens - 64  # 64: the chat template's own tokens
    used = sum(len(message.content) for message in messages)
    return max(int(room * CHARS_PER_TOKEN) - used, 600)
