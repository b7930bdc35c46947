"""Long-term memory: what a turn asks of it, and what happens in the background afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lobug.engines.base import ChatModel, Embedder
from lobug.errors import ContextOverflowError, EngineError, EngineTimeoutError, StorageError
from lobug.memory import cascades, facts, identity, log, sessions, tasks, timeline, vectors
from lobug.memory.base import LoggedMessage, MemoryContext, MemoryStats, Owner, RelevantFact
from lobug.memory.control import MemoryControl
from lobug.memory.database import Checkpoint, Database, DatabaseOptions, no_checkpoint
from lobug.memory.driver import Connection
from lobug.memory.embedding import FactEmbedder
from lobug.memory.extraction import GarbledAnswerError, extract
from lobug.memory.owner_control import OwnerControl
from lobug.memory.query import in_third_person
from lobug.memory.tasks import Task
from lobug.memory.worker import Worker
from lobug.priority import PreemptedError, TurnPriority
from lobug.settings import MemorySettings

logger = logging.getLogger(__name__)

REPLY_DEADLINE_S = 180.0
"""A message whose turn has logged no reply after this time has its facts extracted all the same,
seconds: three times the longest reply."""

COUNT_EVERY_S = 1.0
"""How old the counts may get while background work goes on, seconds."""

DISTILLED_FACTS = 10
"""Facts that the long-term cascade shows the model beside the timeline."""


class MemoryManager:
    """Implements ``lobug.memory.base.Memory`` over one SQLite file.

    ``start`` first, ``close`` last. After each exchange three independent steps run in the
    background: facts are extracted, then the short-term and the long-term cascade where their
    thresholds are reached. Each is a row in the database until it is done.

    ``clock`` returns seconds since the epoch; ``batch_size`` is how many facts are embedded at
    once; ``checkpoint`` is for tests that end the process at the worst moment.
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
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        self._settings = settings
        self._idle_s = 60.0 * settings.session_idle_minutes
        self._chat = chat
        self._priority = priority
        self._clock = clock
        self._checkpoint = checkpoint
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
            recall_timeout_s=settings.recall_timeout_s,
            clock=clock,
            checkpoint=checkpoint,
        )
        self._worker = Worker(self._step, self._pause)
        self.control: MemoryControl = OwnerControl(
            self._database, self._embedding, settings, clock=clock, changed=self.wake
        )
        self._stats = MemoryStats()
        self._users: set[str] = set()
        self._stale = False
        self._counted_at = 0.0

    async def start(self, *, work: bool = True) -> None:
        """Open the database and take up what the last process left; ``work`` False: no worker
        (``process_due`` does its job when called). Safe to call again. Raises StorageError."""

        def resume(connection: Connection) -> tuple[MemoryStats, set[str]]:
            now = self._clock()
            tasks.resume_all(connection, now)
            cascades.note_all_due(connection, self._settings, now)
            model_id = self._embedding.model_id()
            index = vectors.find(connection, model_id) if model_id else vectors.current(connection)
            users = log.users(connection)
            counted = tasks.counts(connection)
            return (
                MemoryStats(
                    messages=log.count(connection),
                    facts=facts.count(connection),
                    summaries=timeline.count(connection),
                    users=len(users),
                    pending_tasks=counted.pending,
                    parked_tasks=counted.parked,
                    embedding_backlog=facts.count_unembedded(connection, index),
                ),
                users,
            )

        resumed = await self._database.open(resume)
        if resumed is not None:
            self._stats, self._users = resumed
        if work:
            self._worker.start()

    async def close(self) -> None:
        """Stop the worker, finish what is being written, close the file. Safe to call twice."""
        await self._worker.close()
        await self._database.close()

    async def check(self) -> None:
        """Find out whether it can be used by now; opens it where that failed before."""
        if self._database.is_open:
            await self._database.check()
        else:
            await self.start()

    def fault(self) -> StorageError | None:
        """Why it cannot be used, as last known; no I/O."""
        return self._database.fault

    def stats(self) -> MemoryStats:
        """Counts as last known; no I/O."""
        return self._stats

    def wake(self) -> None:
        """Tell the background worker that there may be something to do."""
        self._worker.wake()

    async def log_user_message(
        self,
        owner: Owner,
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

        def work(connection: Connection) -> tuple[int, tasks.Counts]:
            said = now if said_at is None else said_at
            session_id = sessions.touch(connection, owner, said, self._idle_s)
            message_id = log.append(
                connection, owner, "user", content, said, session_id=session_id, speaker=speaker
            )
            deadline = now + REPLY_DEADLINE_S
            tasks.wait_for_reply(connection, owner.user, message_id, now, deadline)
            return message_id, tasks.counts(connection)

        def committed(result: tuple[int, tasks.Counts]) -> None:
            self._users.add(owner.user)
            self._count(result[1], messages=1, users=len(self._users))

        message_id, _ = await self._database.write("log", work, committed)
        return message_id

    async def log_reply(
        self, owner: Owner, user_message_id: int, content: str, *, extract: bool
    ) -> int:
        """Append the reply and release the background work of the exchange, in one transaction.

        ``extract`` False: the words were not meant for Lo-Bug and enter neither facts nor
        timeline. The second reply to a message changes nothing and returns the id of the first.
        """
        now = self._clock()

        def work(connection: Connection) -> tuple[int, int, tasks.Counts]:
            log.require(connection, owner, user_message_id)
            reply_id = log.reply_to(connection, user_message_id)
            new = reply_id is None
            if reply_id is None:
                reply_id = log.append(
                    connection,
                    owner,
                    "assistant",
                    content,
                    now,
                    session_id=sessions.touch(connection, owner, now, self._idle_s),
                    reply_to=user_message_id,
                )
            if extract:
                tasks.release(connection, user_message_id, now)
            else:
                tasks.drop_extraction(connection, user_message_id)
                # A television must not become what a summary says of the user.
                log.mark_summarized(connection, owner.user, [user_message_id, reply_id])
            cascades.note_due(connection, owner.user, self._settings, now)
            return reply_id, int(new), tasks.counts(connection)

        reply_id, _, _ = await self._database.write(
            "reply", work, lambda result: self._count(result[2], messages=result[1])
        )
        return reply_id

    async def recent_messages(self, owner: Owner, limit: int) -> Sequence[LoggedMessage]:
        """The conversation's last messages, oldest first."""
        return await self._database.read(lambda connection: log.recent(connection, owner, limit))

    async def latest_owners(self, limit: int) -> Sequence[Owner]:
        """Whose conversations went on last, latest first."""
        return await self._database.read(lambda connection: log.latest_owners(connection, limit))

    async def retrieve_context(self, owner: Owner, query: str) -> MemoryContext:
        """Base memory and the facts relevant to ``query``.

        Facts without a vector of the present model, and all of them while the embedder fails, are
        searched by their words.
        """
        top_k = self._settings.retrieval_top_k
        embedded = await self._embedding.query(in_third_person(query)) if top_k > 0 else None

        def work(connection: Connection) -> MemoryContext:
            return MemoryContext(
                base_memory=identity.document(connection, owner.user),
                facts=facts.search(
                    connection,
                    owner.user,
                    query,
                    embedded,
                    k=top_k,
                    min_similarity=self._settings.retrieval_min_similarity,
                ),
            )

        return await self._database.read(work)

    async def base_memory(self, user: str) -> str:
        """The user's base memory document; empty when there is none."""
        return await self._database.read(lambda connection: identity.document(connection, user))

    async def process_due(self) -> None:
        """Do all background work that is due, without the worker; for tests and the command line.

        What fails is due again later and left for then. Raises StorageError.
        """
        while await self._step():
            pass

    async def _step(self) -> bool:
        """One due task and one batch of embeddings. Returns whether anything was done."""
        now = self._clock()
        task = await self._database.read(lambda connection: tasks.next_due(connection, now))
        if task is not None:
            await self._attempt(task)
        embedded = await self._embedding.step()
        worked = embedded or task is not None
        self._stale = self._stale or worked
        # Counting reads every fact's index entry: not after each batch of a long re-embedding.
        if self._stale and (not embedded or now - self._counted_at >= COUNT_EVERY_S):
            await self._recount()
            self._stale, self._counted_at = False, now
        return worked

    async def _pause(self) -> float | None:
        next_time = await self._database.read(tasks.next_time)
        pauses = [] if next_time is None else [next_time - self._clock()]
        embedding = self._embedding.pause()
        if embedding is not None:
            pauses.append(embedding)
        return min(pauses, default=None)

    async def _attempt(self, task: Task) -> None:
        """Do a task; a failure is noted in its row, a preemption is not a failure."""
        try:
            asked = await self._priority.background(lambda: self._do(task))
        except PreemptedError:
            return
        except StorageError:
            raise
        except (EngineTimeoutError, ContextOverflowError) as error:
            # Too much work for this engine, which is there: it must not be tried again with every
            # other answer that the engine gives.
            await self._failed(task, f"too much: {error.code}")
        except EngineError as error:
            await self._failed(task, f"{tasks.ENGINE_PREFIX}{error.code}")
        except GarbledAnswerError as error:
            await self._failed(task, f"garbled: {error}")
        except Exception as error:
            # A fault in one task must not stop the others; its text may hold what was said.
            logger.debug("memory: task %d of kind %s", task.id, task.kind, exc_info=True)
            await self._failed(task, f"fault: {type(error).__name__}")
        else:
            if asked and self._stats.parked_tasks:
                now = self._clock()
                await self._database.write(
                    "resume_parked",
                    lambda connection: tasks.resume_after_engine_failure(connection, now),
                )

    async def _do(self, task: Task) -> bool:
        """Returns whether the chat model has answered."""
        if task.kind == "extract":
            return await extract(
                self._database,
                self._chat,
                task,
                now=self._clock(),
                checkpoint=self._checkpoint,
            )
        if task.kind == "summarize":
            await cascades.summarize(
                self._database,
                self._chat,
                task,
                settings=self._settings,
                now=self._clock(),
                checkpoint=self._checkpoint,
            )
            return True
        await cascades.distill(
            self._database,
            self._chat,
            task,
            settings=self._settings,
            now=self._clock(),
            checkpoint=self._checkpoint,
            facts=await self._facts_to_distill(task),
        )
        return True

    async def _facts_to_distill(self, task: Task) -> Sequence[RelevantFact]:
        """The user's facts nearest to what is to be taken in, filled up with the newest ones."""
        up_to_id = task.up_to_id or 0
        taken = await self._database.read(
            lambda connection: timeline.unincorporated(connection, task.user, up_to_id)
        )
        topic = " ".join(summary.content for summary in taken)[:2_000]
        embedded = await self._embedding.query(topic)

        def work(connection: Connection) -> list[RelevantFact]:
            near = facts.search(
                connection, task.user, topic, embedded, k=DISTILLED_FACTS, min_similarity=-1.0
            )
            known = {fact.id for fact in near}
            newest = facts.newest(connection, task.user, DISTILLED_FACTS)
            return [*near, *(fact for fact in newest if fact.id not in known)][:DISTILLED_FACTS]

        return await self._database.read(work)

    async def _failed(self, task: Task, error: str) -> None:
        logger.warning("memory: %s task %d failed: %s", task.kind, task.id, error)
        now = self._clock()
        await self._database.write(
            "failed",
            lambda connection: tasks.fail(
                connection,
                task,
                error=error,
                now=now,
                max_attempts=self._settings.max_extraction_attempts,
                retry_delay_s=self._settings.retry_delay_s,
            ),
        )

    async def _recount(self) -> None:
        """Count anew what background work changes."""

        def work(connection: Connection) -> MemoryStats:
            model_id = self._embedding.model_id()
            index = vectors.find(connection, model_id) if model_id else vectors.current(connection)
            counted = tasks.counts(connection)
            return replace(
                self._stats,
                facts=facts.count(connection),
                summaries=timeline.count(connection),
                pending_tasks=counted.pending,
                parked_tasks=counted.parked,
                embedding_backlog=facts.count_unembedded(connection, index),
            )

        await self._database.write("recount", work, self._set_stats)

    def _set_stats(self, stats: MemoryStats) -> None:
        self._stats = stats

    def _count(self, counted: tasks.Counts, *, messages: int, users: int | None = None) -> None:
        """Take in what a turn has changed. Called on the writer's thread only."""
        self._stats = replace(
            self._stats,
            messages=self._stats.messages + messages,
            users=self._stats.users if users is None else users,
            pending_tasks=counted.pending,
            parked_tasks=counted.parked,
        )
