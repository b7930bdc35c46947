"""How much of what fits may go to the prompt: as much as the chat model can read in time. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lobug.memory.base import Recalled

ASCII_CHARS_PER_TOKEN = 4.0
OTHER_CHARS_PER_TOKEN = 1.5
LINE_TOKENS = 8
"""What a memory costs beside its words: the list mark and when it was told."""


def tokens_of(text: str) -> int:
    """Estimate of a text's tokens: four characters each in English, fewer in other scripts."""
    plain = sum(character.isascii() for character in text)
    return round(plain / ASCII_CHARS_PER_TOKEN + (len(text) - plain) / OTHER_CHARS_PER_TOKEN + 0.5)


def budget_tokens(most: int, added_ms: float, ms_per_token: float | None) -> int:
    """Tokens that memory may add to a prompt: at most ``most``, and no more than the chat model
    reads in ``added_ms`` milliseconds; its speed None: not measured, so only ``most`` counts."""
    if ms_per_token is None or ms_per_token <= 0.0:
        return most
    return min(most, int(added_ms / ms_per_token))


def within(
    memories: Sequence[Recalled],
    tokens: int,
    most: int,
    cost: Callable[[Recalled], int] = lambda memory: tokens_of(memory.content) + LINE_TOKENS,
) -> list[Recalled]:
    """The first memories that fit, at most ``most``; a long one is left out for shorter ones after
    it. The very first is taken in any case: one memory that fits is worth its time."""
    taken: list[Recalled] = []
    left = tokens
    for memory in memories:
        if len(taken) >= most:
            break
        price = cost(memory)
        if price <= left or not taken:
            taken.append(memory)
            left -= price
    return taken
