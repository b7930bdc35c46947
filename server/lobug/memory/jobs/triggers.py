"""When messages become memory: what falls out of the context is summed up, never lost. Pure.

Four things bring it about, whichever comes first: the user's messages pile up, a conversation fills
the chat model's window, turns have fallen out of working memory, a session is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Trigger = Literal["idle", "tokens", "turns", "messages"]


@dataclass(frozen=True, slots=True)
class Backlog:
    """What no entry of the timeline sums up yet."""

    messages: int = 0
    """Of the conversation."""
    tokens: int = 0
    """Of those, estimated."""
    user_messages: int = 0
    """Of the user, in all conversations."""
    idle_s: float = 0.0
    """How long nothing has been said in the conversation."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on a backlog is too much."""

    messages: int
    tokens: int
    turns: int
    """That have fallen out of working memory; 0: they may."""
    idle_s: float
    keep: int
    """Messages that stay as they are, the newest; none when a session is over."""
    working_memory: int
    """Messages that working memory holds."""


def due(backlog: Backlog, thresholds: Thresholds) -> Trigger | None:
    """Why the conversation's messages (the user's, for "messages") are to be summed up now; None:
    there is no need yet."""
    if backlog.messages > 0 and backlog.idle_s >= thresholds.idle_s:
        return "idle"
    if backlog.messages > thresholds.keep:
        if backlog.tokens >= thresholds.tokens:
            return "tokens"
        fallen_out = max(backlog.messages - thresholds.working_memory, 0) // 2
        if 0 < thresholds.turns <= fallen_out:
            return "turns"
    if backlog.user_messages > thresholds.keep and backlog.user_messages >= thresholds.messages:
        return "messages"
    return None


def kept(trigger: Trigger, thresholds: Thresholds) -> int:
    """How many of the newest messages stay as they are."""
    return 0 if trigger == "idle" else thresholds.keep


def token_threshold(context_tokens: int, share: float, at_most: int) -> int:
    """Tokens from which on a conversation is too long: a share of the model's window, or the
    absolute number where that is less."""
    return max(1, min(int(context_tokens * share), at_most))
