"""The answer to an order that nothing can carry out: one honest sentence, without the chat model.

A small model promises whatever it is asked for. So an order that no skill, no command to memory and
no tool of the device takes is refused by decision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lobug.conversation.command_context import Command, CommandAnswer
from lobug.conversation.registry import Conversation
from lobug.language import language_of
from lobug.language.en.data import HOUSE
from lobug.language.en.orders import SENTENCES, Order, read_order, refusal_of, skill_of
from lobug.language.en.requests import is_request
from lobug.language.order_reader import BEYOND, TALK

REFUSAL = "refusal"
"""Who carries a refusal out."""


def may_concern_tools(conversation: Conversation, text: str) -> bool:
    """Whether a tool of the device, or of the owner's servers, may do what a text asks for."""
    return any(tools.may_concern(text) for tools in (conversation.offered, conversation.tools))


def not_understood(command: Command) -> Command:
    """A refusal in other words, where Home Assistant was asked first and did not understand."""

    async def act(_: int) -> CommandAnswer:
        return CommandAnswer((HOUSE["not_understood"],), extract=True)

    return replace(command, act=act)


def refusal(
    conversation: Conversation,
    text: str,
    language: str | None = None,
    *,
    has_skill: Callable[[str], bool] = lambda _: False,
) -> Command | None:
    """The refusal of an order; None: the text orders nothing, or a tool of the device may do it.

    Call it for texts that are neither for a skill nor for memory. Changes nothing.

    Args:
        conversation: whose turn it is; its device's tools count.
        text: the user's words.
        language: ISO 639-1 of the words; None: not known. Only English is read.
        has_skill: whether a skill can be used now, by its name.
    """
    if language not in {None, "en"}:
        return None
    if may_concern_tools(conversation, text):
        return None
    known = language_of("en").skills
    reading = None if known is None else known.reading(text)
    order = read_order(text)
    if order is None:
        if reading is None or not reading.is_surely(BEYOND) or not is_request(text):
            return None
        sentences: tuple[str, ...] = (SENTENCES["cannot"],)
    elif reading is not None and reading.is_surely(TALK):
        return None
    else:
        skill = skill_of(order)
        helps = skill if skill is not None and has_skill(skill) else None
        sentences = (refusal_of(order),) if helps is None else _help(order, helps)

    async def act(_: int) -> CommandAnswer:
        return CommandAnswer(sentences, extract=True)

    return Command(text, act, by=REFUSAL)


def _help(order: Order, skill: str) -> tuple[str, ...]:
    """What is said of an order whose skill did not understand the words: what it understands."""
    known = language_of("en").skills
    examples = known.examples(skill) if known is not None else ()
    alike = (example for example in examples if _deed(example) == order.deed)
    example = next(alike, next(iter(examples), None))
    if example is None:
        return (SENTENCES["not_understood"],)
    return SENTENCES["not_understood"], SENTENCES["example"].format(example=example)


def _deed(example: str) -> str | None:
    order = read_order(example)
    return None if order is None else order.deed
