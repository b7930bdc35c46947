"""The answer to an order that nothing can carry out: one honest sentence, without the chat model.

A small model promises whatever it is asked for. So an order that no skill, no command to memory and
no tool of the device takes is refused by decision.
"""

from __future__ import annotations

from collections.abc import Callable

from lobug.conversation.command_context import Answer, Command
from lobug.conversation.registry import Conversation
from lobug.language.en.orders import SENTENCES, read_order, refusal_of, skill_of


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
        has_skill: whether a skill is there and switched on, by its name.
    """
    order = read_order(text) if language in {None, "en"} else None
    if order is None:
        return None
    if any(tools.may_concern(text) for tools in (conversation.offered, conversation.tools)):
        return None
    skill = skill_of(order)
    understood = skill is None or not has_skill(skill)
    sentence = refusal_of(order) if understood else SENTENCES["not_understood"]

    async def act(_: int) -> Answer:
        return Answer((sentence,), extract=True)

    return Command(text, act, by="refusal")
