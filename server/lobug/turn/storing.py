"""The last stage: the reply goes to the log and to working memory."""

from __future__ import annotations

from contextlib import suppress

from lobug.conversation.registry import IGNORED_REPLY, INTERRUPTED, Conversation
from lobug.conversation.working_memory import Exchange
from lobug.engines.base import ChatMessage
from lobug.errors import StorageError
from lobug.memory.base import Memory
from lobug.turn.events import Action
from lobug.turn.replying import Prompt


async def store_reply(
    conversation: Conversation,
    memory: Memory,
    message_id: int,
    prompt: Prompt,
    action: Action,
    text: str,
) -> None:
    """Write a reply to the log and to working memory. ``text`` is what the user got of it."""
    ignored = action is Action.IGNORE
    # The same words in both: after a restart the model sees the conversation as it was.
    said = IGNORED_REPLY if ignored else text
    if action is Action.REACT:
        said = f"[REACT] {text}".rstrip()
    await memory.log_reply(conversation.owner, message_id, said, extract=not ignored)
    if ignored or said == INTERRUPTED:  # a model that reads the mark alone answers with it
        return
    exchange = Exchange(
        prompt.user,
        ChatMessage("assistant", said),
        frozenset(recalled.reference for recalled in prompt.recalled),
    )
    if conversation.memory.add(exchange):
        conversation.prefix_changed = True
        with suppress(StorageError):  # the turn is over, and in the log
            conversation.earlier = await memory.session_summary(conversation.owner)
