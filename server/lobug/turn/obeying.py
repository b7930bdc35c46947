"""The reply stage of a turn that is about memory itself: does it, logs it, says what came of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator

from lobug.conversation.intents.command import BLANKED, Answer, Command
from lobug.conversation.registry import Conversation
from lobug.conversation.working_memory import Exchange
from lobug.engines.base import ChatMessage
from lobug.errors import LobugError, StorageError
from lobug.memory.base import Memory
from lobug.turn.events import Piece, ReplyDelta, TurnEvent
from lobug.turn.replying import Reply
from lobug.turn.timeline import Timeline
from lobug.uninterrupted import uninterrupted

log = logging.getLogger(__name__)


async def obey(
    command: Command,
    conversation: Conversation,
    memory: Memory,
    reply: Reply,
    timeline: Timeline,
) -> AsyncGenerator[TurnEvent]:
    """Do what a command wants, store the exchange, then yield the reply's events.

    Nothing is said before it is done and stored, and nothing is left half done when the caller
    goes. What memory refuses is said; raises StorageError.
    """
    answer = await uninterrupted(_done(command, conversation, memory))
    timeline.mark("recall")
    for index, sentence in enumerate(answer.sentences):
        reply.pieces.append(sentence)
        reply.sentences += 1
        yield ReplyDelta(sentence if index == 0 else f" {sentence}")
        yield Piece(index, sentence)
    timeline.mark("reply")


async def _done(
    command: Command,
    conversation: Conversation,
    memory: Memory,
) -> Answer:
    owner = conversation.owner
    message_id = 0
    if not command.logged_last:
        message_id = await memory.log_user_message(owner, command.logged)
    try:
        answer = await command.act(message_id)
    except StorageError:
        raise
    except LobugError as error:
        log.info("memory refused what was asked of it: %s", error.code)
        answer = Answer((error.spoken,), extract=command.logged != BLANKED)
    if command.logged_last:
        message_id = await memory.log_user_message(owner, command.logged)
    said = " ".join(answer.sentences)
    await memory.log_reply(owner, message_id, said, extract=answer.extract)
    if conversation.loaded:  # not so once something was erased: then it is read from the log
        exchange = Exchange(ChatMessage("user", command.logged), ChatMessage("assistant", said))
        if conversation.memory.add(exchange):
            conversation.prefix_changed = True
    return answer
