"""Long-term memory: what a turn asks of it, and what happens in the background afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from lobug.engines.base import ChatModel, Embedder
from lobug.errors import StorageError
from lobug.memory import (
    identity,
    log,
    recall_log,
    session_summary,
    sessions,
)
from lobug.memory.base import ConversationKey, LoggedMessage, MemoryContext, MemoryStats
from lobug.memory.exchange.snapshot import SnapshotSource
from lobug.memory.index.fact_embedding import FactEmbedder
from lobug.memory.index.turn_embedding import TurnEmbedder
from lobug.memory.jobs import queue
from lobug.memory.jobs.background import Background
from lobug.memory.jobs.schedule import Scheduler
from lobug.memory.owner_control import OwnerControl
from lobug.memory.recall.recaller import Recaller
from lobug.memory.statistics import Counter
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings
from lobug.storage.compaction import CompactionError, compact
from lobug.storage.database import (
    Checkpoint,
    Database,
    DatabaseOptions,
    no_checkpoint,
)
from lobug.storage.driver import Connection

logger = logging.getLogger(__name__)

REPLY_DEADLINE_S = 180.0
"""A message whose turn has logged no reply after this time has its facts extracted all the same,
seconds: three times the longest reply."""


class MemoryManager:
    """Implements ``lobug.memory.base.Memory`` over one SQLite file.

    ``start`` first, ``close`` last. After each exchange three independent steps run in the
    background: facts are extracted, then the short-term and the long-term cascade where their
    thresholds are reached. Each is a row in the database until it is done.

    ``snapshot`` is imported in the background, once after the start.
    ``clock`` returns seconds since the epoch; ``batch_size`` is how many facts are embedded at
    once; ``working_memory`` how many messages of a conversation the prompt holds; ``checkpoint`` is
    for tests that end the process at the worst moment.
    """

    def __init__(
        self,
        settings: MemorySettings,
        path: Path,
        *,
        chat: ChatModel,
        embedder: Embedder,
        priority: TurnPriority,
        clock: Callable[[], float],
        batch_size: int = 32,
        working_memory: int = 20,
        checkpoint: Checkpoint = no_checkpoint,
        snapshot: SnapshotSource | None = None,
    ) -> None:
        self._settings = settings
        self._snapshot = snapshot
        self._scheduler = Scheduler(settings, working_memory, lambda: chat.context_tokens)
        self._clock = clock
        self._database = Database(
            DatabaseOptions(
                path=path,
                busy_timeout_s=settings.busy_timeout_s,
                backups_keep=settings.backups_keep,
                legacy_user=settings.legacy_user,
            ),
            clock=clock,
            checkpoint=checkpoint,
        )
        self._embedding = FactEmbedder(
            self._database,
            embedder,
            priority,
            duplicate_distance=settings.duplicate_distance_threshold,
            batch_size=batch_size,
            retry_delay_s=settings.retry_delay_s,
            longest_deferral_s=settings.embedding_deferral_s,
            recall_timeout_s=settings.recall_timeout_s,
            clock=clock,
            checkpoint=checkpoint,
        )
        self._counter = Counter()
        self._background = Background(
            self._database,
            self._embedding,
            TurnEmbedder(
                self._database,
                embedder,
                priority,
                batch_size=batch_size,
                retry_delay_s=settings.retry_delay_s,
                longest_deferral_s=settings.embedding_deferral_s,
                clock=clock,
                checkpoint=checkpoint,
            ),
            self._counter,
            scheduler=self._scheduler,
            chat=chat,
            priority=priority,
            clock=clock,
            checkpoint=checkpoint,
            snapshot=snapshot,
        )
        self._recaller = Recaller(
            self._database, self._embedding, settings, chat, clock, working_memory=working_memory
        )
        self.control: OwnerControl = OwnerControl(
            self._database,
            self._embedding,
            settings,
            priority,
            clock=clock,
            changed=self.wake,
            recount=self._background.recount,
        )

    async def start(self, *, work: bool = True) -> None:
        """Open the database and take up what the last process left; ``work`` False: no worker
        (``process_due`` does its job when called). Safe to call again. Raises StorageError."""
        await self._database.open(self._background.resume)
        if work:
            self._background.start()

    async def close(self) -> None:
        """Stop the worker, finish what is being written, close the file. Safe to call twice."""
        await self._background.close()
        await self._database.close()

    async def compact(self) -> None:
        """Rebuild the file now, where something was erased since it was last rebuilt; otherwise
        the worker does it. Raises StorageError."""
        with suppress(CompactionError):  # noted, and tried again
            copies = [] if self._snapshot is None else [self._snapshot.imported]
            await compact(self._database, copies=copies)

    async def analyse_turns(self) -> None:
        """Take all turns that wait, after an import for example, into the index by words now;
        otherwise the worker does it. Raises StorageError."""
        await self._background.analyse_turns()

    async def check(self) -> None:
        """Find out whether it can be used by now; opens it where that failed before."""
        if self._database.is_open:
            await self._database.check()
            await self.refresh()
        else:
            await self.start()
            await self._drop_derived()  # it may be another file, such as a restored backup

    async def refresh(self) -> None:
        """Notice what another program has changed, and drop what was derived from the content
        before. Raises StorageError."""
        if await self._database.changed_by_others():
            logger.warning(
                "another program has changed %s; conversations are read from it again",
                self._database.path,
            )
            await self._drop_derived()

    async def _drop_derived(self) -> None:
        self._recaller.drop_notes()
        self._embedding.look_at_all()
        await self.control.erased_elsewhere()

    def fault(self) -> StorageError | None:
        """Why it cannot be used, as last known; no I/O."""
        return self._database.fault

    def stats(self) -> MemoryStats:
        """Counts as last known; no I/O."""
        return self._counter.stats

    def wake(self) -> None:
        """Tell the background worker that there may be something to do."""
        self._background.wake()

    async def log_user_message(
        self,
        conversation_key: ConversationKey,
        content: str,
        *,
        speaker: str | None = None,
        said_at: float | None = None,
    ) -> int:
        """Append to the conversation log, durably. Returns the message id.

        ``speaker`` names who said it, where several people talk to one device; ``said_at`` when,
        where that is not now, seconds since the epoch.

        The extraction of its facts is noted in the same transaction, so that a crash before the
        reply does not lose them.
        """
        now = self._clock()
        enabled = self._settings.enabled

        def work(connection: Connection) -> tuple[int, int]:
            said = now if said_at is None else said_at
            session_id = sessions.touch(connection, conversation_key, said, self._scheduler.idle_s)
            message_id = log.append(
                connection,
                conversation_key,
                "user",
                content,
                said,
                session_id=session_id,
                speaker=speaker,
            )
            if not enabled:
                log.mark_not_meant(connection, conversation_key.user, [message_id])
                return message_id, 0
            deadline = now + REPLY_DEADLINE_S
            queue.wait_for_reply(connection, conversation_key.user, message_id, now, deadline)
            return message_id, 1 + self._scheduler.said(
                connection, conversation_key, session_id, now
            )

        message_id, _ = await self._database.write(
            "log",
            work,
            lambda result: self._counter.said(conversation_key.user, messages=1, tasks=result[1]),
        )
        return message_id

    async def log_reply(
        self,
        conversation_key: ConversationKey,
        user_message_id: int,
        content: str,
        *,
        extract: bool,
    ) -> int:
        """Append the reply and release the background work of the exchange, in one transaction.

        ``extract`` False: the words were not meant for Lo-Bug and enter neither facts nor
        timeline. The second reply to a message changes nothing and returns the id of the first. Of
        the reply to words that were forgotten meanwhile no word is kept: it may repeat them.
        """
        now = self._clock()
        enabled = self._settings.enabled

        recall = self._recaller.note_of(user_message_id)

        def work(connection: Connection) -> tuple[int, int, int]:
            if recall is not None:
                recall_log.insert(connection, recall)
            log.require(connection, conversation_key, user_message_id)
            reply_id = log.reply_to(connection, user_message_id)
            new = reply_id is None
            session_id, said = log.session_of(connection, user_message_id)
            # Of what was said long ago and is brought in now the reply is from then, too.
            at = now if abs(now - said) <= self._scheduler.idle_s else said
            if session_id is None:
                session_id = sessions.touch(
                    connection, conversation_key, at, self._scheduler.idle_s
                )
            if reply_id is None:
                forgotten = log.is_forgotten(connection, user_message_id)
                sessions.went_on(connection, session_id, at)
                reply_id = log.append(
                    connection,
                    conversation_key,
                    "assistant",
                    "" if forgotten else content,
                    at,
                    session_id=session_id,
                    reply_to=user_message_id,
                )
                if forgotten:
                    log.mark_forgotten(connection, reply_id)
            noted = 0
            if extract and enabled:
                queue.release(connection, user_message_id, now)
            else:
                noted -= queue.drop_extraction(connection, user_message_id)
                # A television must not become what a summary says of the user; nor must what was
                # said while memory was switched off, once it is on again.
                log.mark_not_meant(connection, conversation_key.user, [user_message_id, reply_id])
            if enabled:
                noted += self._scheduler.said(connection, conversation_key, session_id, now)
                noted += self._scheduler.replied(connection, conversation_key, session_id, now)
            return reply_id, int(new), noted

        reply_id, _, _ = await self._database.write(
            "reply",
            work,
            lambda result: self._counter.said(
                conversation_key.user, messages=result[1], tasks=result[2]
            ),
        )
        return reply_id

    async def recent_messages(
        self, conversation_key: ConversationKey, limit: int
    ) -> Sequence[LoggedMessage]:
        """The conversation's last messages, oldest first."""
        return await self._database.read(
            lambda connection: log.recent(connection, conversation_key, limit)
        )

    async def latest_conversations(self, limit: int) -> Sequence[ConversationKey]:
        """Whose conversations went on last, latest first."""
        return await self._database.read(
            lambda connection: log.latest_conversations(connection, limit)
        )

    async def retrieve_context(
        self, conversation_key: ConversationKey, query: str, *, message_id: int | None = None
    ) -> MemoryContext:
        """Layer identity and what fits ``query``: by meaning and words, by words alone while the
        embedder fails. What was found is noted with the reply to ``message_id``."""
        return await self._recaller.recall(conversation_key, query, message_id)

    def note_search(self, message_id: int, context: MemoryContext) -> None:
        """Note the search with the reply to ``message_id``."""
        self._recaller.note(message_id, context)

    async def base_memory(self, user: str) -> str:
        """The user's base memory document; empty when there is none."""
        if not self._settings.enabled:
            return ""
        return await self._database.read(lambda connection: identity.document(connection, user))

    async def session_summary(self, conversation_key: ConversationKey) -> str:
        """What the conversation's session was about so far, of what has been summed up; empty when
        nothing has."""
        if not self._settings.enabled:
            return ""
        return await self._database.read(
            lambda connection: session_summary.current(connection, conversation_key)
        )

    async def process_due(self) -> None:
        """Do all background work that is due, without the worker; for tests and the command line.

        What fails is due again later and left for then. Raises StorageError.
        """
        while await self._background.step():
            pass
