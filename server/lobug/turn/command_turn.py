"""The turn about memory itself ("forget that ..."): carries a command out and says the outcome."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator

from lobug.concurrency import uninterrupted
from lobug.conversation.command_context import Command, CommandAnswer
from lobug.conversation.forgetting import BLANKED
from lobug.conversation.registry import INTERRUPTED, Conversation, Exchange
from lobug.engines.base import ChatMessage
from lobug.errors import LobugError, StorageError
from lobug.memory.service import Memory
from lobug.turn.commitment import LiveOptions
from lobug.turn.events import Piece, ReplyDelta, TurnEvent
from lobug.turn.reply import Reply
from lobug.turn.timeline import Timeline

log = logging.getLogger(__name__)


class CommandTurn:
    """Runs one command. ``ModelTurn`` has the same stages.

    Nothing is said before the command has been carried out and logged. Cancelling the turn leaves
    no command half done.
    """

    def __init__(
        self,
        command: Command,
        conversation: Conversation,
        memory: Memory,
        timeline: Timeline,
        live: LiveOptions | None,
    ) -> None:
        self.reply = Reply()
        self._command = command
        self._conversation = conversation
        self._memory = memory
        self._timeline = timeline
        timeline.answered_by = command.by
        self._live = live
        # A reply that is played is logged afterwards, as far as it was heard.
        self._logs_reply_later = live is not None and live.playback is not None
        self._answer: CommandAnswer | None = None
        """None until the command has been carried out."""
        self._message_id = 0
        """Of the logged words; 0 until they are logged."""

    @property
    def message_id(self) -> int | None:
        """Id of the logged words; None: they are not logged."""
        return self._message_id or None

    async def prepare(self) -> None:
        """Carry the command out once the turn counts, and log the exchange.

        What memory refuses becomes the answer; raises StorageError.
        """
        if self._live is not None:
            await self._live.commitment.wait()
        await uninterrupted(self._carry_out())
        self._timeline.mark("recall")

    async def commit(self) -> None:
        """Do nothing: ``prepare`` waits for the commitment and logs the words itself."""

    async def events(self) -> AsyncGenerator[TurnEvent]:
        """Yield the answer, sentence by sentence."""
        answer = self._answer or CommandAnswer(())
        sentences = (*answer.sentences, answer.citation) if answer.citation else answer.sentences
        for index, sentence in enumerate(sentences):
            self.reply.pieces.append(sentence)
            self.reply.sentences += 1
            yield ReplyDelta(sentence if index == 0 else f" {sentence}")
            yield Piece(index, sentence)
        self._timeline.mark("reply")

    def release(self) -> None:
        """Do nothing: the chat model was not used."""

    async def store(self, heard: str) -> None:
        """Log a reply that was played. ``heard``: what the user got of it."""
        if self._logs_reply_later:
            await self._log_reply(heard)

    async def _carry_out(self) -> None:
        command = self._command
        if not command.logged_last:
            await self.log_words()
        try:
            answer = await command.act(self._message_id)
        except StorageError:
            raise
        except LobugError as error:
            log.info("memory refused what was asked of it: %s", error.code)
            answer = CommandAnswer((error.spoken,), extract=command.logged != BLANKED)
        if command.logged_last:
            await self.log_words()
        self._answer = answer
        if not self._logs_reply_later:
            await self._log_reply(" ".join(answer.sentences))

    async def log_words(self) -> None:
        """Log what the command leaves of the words, unless that is done."""
        if self._message_id:
            return
        self._message_id = await self._memory.log_user_message(
            self._conversation.conversation_key,
            self._command.logged,
            heard=self._command.heard,
        )

    async def _log_reply(self, heard: str) -> None:
        """Write the reply to the log and to working memory. Does nothing when the command has not
        been carried out."""
        if self._answer is None:
            return
        if self._answer.logged is not None:
            heard = self._answer.logged
        if self._answer.citation:
            heard = heard.replace(f" {self._answer.citation}", "")
        conversation = self._conversation
        await self._memory.log_reply(
            conversation.conversation_key, self._message_id, heard, extract=self._answer.extract
        )
        if heard == INTERRUPTED:  # a model that reads the mark alone answers with it
            return
        if conversation.loaded:  # an erasure unloads it: then it is read from the log
            said = ChatMessage("user", self._command.logged)
            if conversation.memory.add(Exchange(said, ChatMessage("assistant", heard))):
                conversation.prefix_changed = True
