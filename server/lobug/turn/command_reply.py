"""The reply stage of a turn that is about memory itself: does it, logs it, says what came of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from lobug.concurrency import uninterrupted
from lobug.conversation.commands.command import BLANKED, Answer, Command
from lobug.conversation.registry import INTERRUPTED, Conversation, Exchange
from lobug.engines.base import ChatMessage
from lobug.errors import LobugError, StorageError
from lobug.memory.service import Memory
from lobug.turn.events import Piece, ReplyDelta, TurnEvent
from lobug.turn.reply.generation import Reply
from lobug.turn.timeline import Timeline

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Obedience:
    """How a command went."""

    log_later: bool = False
    """The reply is played: it is not logged before it is said but afterwards, by ``log_answer``, as
    far as it was heard."""
    answer: Answer | None = None
    """None: it has not been carried out."""
    message_id: int = 0
    """Of the logged words."""


async def obey(
    command: Command,
    conversation: Conversation,
    memory: Memory,
    reply: Reply,
    timeline: Timeline,
    outcome: Obedience,
) -> AsyncGenerator[TurnEvent]:
    """Do what a command wants, store the exchange, then yield the reply's events.

    Nothing is said before it is done and stored, and nothing is left half done when the caller
    goes. What memory refuses is said; raises StorageError. Fills ``outcome``.
    """
    answer = await uninterrupted(_done(command, conversation, memory, outcome))
    timeline.mark("recall")
    for index, sentence in enumerate(answer.sentences):
        reply.pieces.append(sentence)
        reply.sentences += 1
        yield ReplyDelta(sentence if index == 0 else f" {sentence}")
        yield Piece(index, sentence)
    timeline.mark("reply")


async def log_answer(
    outcome: Obedience, command: Command, conversation: Conversation, memory: Memory, said: str
) -> None:
    """Write the reply to a command to the log and to working memory. ``said`` is what the user got
    of it. Does nothing when the command has not been carried out."""
    if outcome.answer is None:
        return
    await memory.log_reply(
        conversation.conversation_key, outcome.message_id, said, extract=outcome.answer.extract
    )
    if said == INTERRUPTED:  # a model that reads the mark alone answers with it
        return
    if conversation.loaded:  # not so once something was erased: then it is read from the log
        exchange = Exchange(ChatMessage("user", command.logged), ChatMessage("assistant", said))
        if conversation.memory.add(exchange):
            conversation.prefix_changed = True


async def _done(
    command: Command, conversation: Conversation, memory: Memory, outcome: Obedience
) -> Answer:
    conversation_key = conversation.conversation_key
    if not command.logged_last:
        outcome.message_id = await memory.log_user_message(conversation_key, command.logged)
    try:
        answer = await command.act(outcome.message_id)
    except StorageError:
        raise
    except LobugError as error:
        log.info("memory refused what was asked of it: %s", error.code)
        answer = Answer((error.spoken,), extract=command.logged != BLANKED)
    if command.logged_last:
        outcome.message_id = await memory.log_user_message(conversation_key, command.logged)
    outcome.answer = answer
    if not outcome.log_later:
        await log_answer(outcome, command, conversation, memory, " ".join(answer.sentences))
    return answer
