"""Words with which somebody takes the turn while Lo-Bug speaks."""

from __future__ import annotations

from lobug.language.en.lists import word_set

TURNING = word_set("turn_taking", "turning")
"""Words that answer, question or correct what was said: where Lo-Bug did not speak one of them, it
is the user's."""

ORDERS = word_set("turn_taking", "orders")
"""Words with which a user interrupts: in a text of few words they are always the user's."""
