"""The prompt stage: what the chat model is asked in one turn, within its window."""

from __future__ import annotations

from lobug.conversation.prompt import Persona, estimate_tokens, prefix, user_message
from lobug.conversation.registry import Conversation
from lobug.engines.base import ChatModel
from lobug.errors import TextTooLongError
from lobug.memory.model import MemoryContext
from lobug.memory.service import Memory
from lobug.settings import ChatSettings
from lobug.turn.reply.generation import Prompt


async def prepare(
    conversation: Conversation,
    text: str,
    context: MemoryContext,
    *,
    persona: Persona,
    memory: Memory,
    chat: ChatModel,
    settings: ChatSettings,
    now: float,
    lane: str,
) -> Prompt:
    """The turn's prompt, for the model's cache of ``lane``. History gives way to what does not fit;
    raises TextTooLongError for words that fit no window."""
    conversation.base_memory = context.base_memory
    sensors = conversation.sensors.summary(now)
    budget = chat.context_tokens - settings.max_tokens
    alone = [
        *prefix(persona, context.base_memory, tools=conversation.tools.messages),
        user_message(text, context.recalled, sensors),
    ]
    if estimate_tokens(alone) > budget:
        raise TextTooLongError("the text does not fit the chat model's context window")
    while True:
        # What the history carries already is read again only to answer from it.
        carried = frozenset[str]() if context.asked_for else conversation.memory.visible()
        recalled = tuple(m for m in context.recalled if m.reference not in carried)
        user = user_message(text, recalled, sensors)
        history = conversation.memory.messages()
        before = prefix(
            persona,
            context.base_memory,
            history,
            earlier=conversation.earlier,
            tools=conversation.tools.messages,
        )
        messages = [*before, user]
        if estimate_tokens(messages) <= budget:
            return Prompt(persona, messages, user, recalled, lane)
        if history:
            conversation.memory.drop_block()
            conversation.earlier = await memory.session_summary(conversation.conversation_key)
        else:
            conversation.earlier = ""  # without it everything fits, as was seen above
        conversation.prefix_changed = True
