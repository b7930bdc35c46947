"""Runs background tasks, which are rows of the database, and embedding while nobody talks."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from lobug.engines.base import ChatModel
from lobug.errors import ContextOverflowError, EngineError, EngineTimeoutError, StorageError
from lobug.memory import facts, sessions
from lobug.memory.background import retention
from lobug.memory.background.retention import Horizons
from lobug.memory.background.worker import Worker
from lobug.memory.embedding.fact_embedder import FactEmbedder
from lobug.memory.embedding.turn_embedder import TurnEmbedder
from lobug.memory.exchange.snapshot import SnapshotSource, import_file
from lobug.memory.index import fact_vectors
from lobug.memory.jobs import queue
from lobug.memory.jobs.queue import Task
from lobug.memory.jobs.schedule import RETENTION_EVERY_S, Scheduler
from lobug.memory.learning import session_end
from lobug.memory.learning.consolidation import ConsolidationContext, consolidate
from lobug.memory.learning.distillation import distill
from lobug.memory.learning.extraction import GarbledAnswerError, extract
from lobug.memory.log import Within
from lobug.memory.model import RelevantFact
from lobug.memory.statistics import Counter
from lobug.priority import Deferral, PreemptedError, TurnPriority
from lobug.storage.compaction import compact
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection

logger = logging.getLogger(__name__)

COUNT_EVERY_S = 1.0
"""Longest age of the counts during background work, seconds."""

DISTILLED_FACTS = 10
"""Facts that the long-term cascade shows to the model with the timeline."""


class Embedding(Protocol):
    """A background embedder: of facts, or of turns."""

    @property
    def deadline(self) -> float:
        """When what waits is overdue, seconds since the epoch; infinite: nothing waits."""

    async def step(self, outdated: Callable[[], bool]) -> bool:
        """Embed a batch. Returns False when there is nothing to do now."""


def _overdue_at(embedding: Embedding, now: float) -> float:
    """The deadline of an embedder if it has passed, else infinite."""
    return embedding.deadline if embedding.deadline <= now else math.inf


class TaskProcessor:
    """Runs tasks one after another, each until it has succeeded, failed or been preempted by a
    turn."""

    def __init__(
        self,
        database: Database,
        embedding: FactEmbedder,
        turns: TurnEmbedder,
        counter: Counter,
        *,
        scheduler: Scheduler,
        chat: ChatModel,
        priority: TurnPriority,
        clock: Callable[[], float],
        checkpoint: Checkpoint,
        snapshot: SnapshotSource | None = None,
    ) -> None:
        self._database = database
        self._embedding = embedding
        self._turns = turns
        self._counter = counter
        self._scheduler = scheduler
        self._settings = scheduler.settings
        self._chat = chat
        self._priority = priority
        self._clock = clock
        self._checkpoint = checkpoint
        self._worker = Worker(self.step, self._pause)
        self._snapshot = snapshot
        self._looked_for_snapshot = snapshot is None
        self._stale = False
        self._counted_at = 0.0
        self._woken = False
        """Work was added since the last step; it may be more urgent."""
        self._first_deadline = math.inf
        """Deadline of the first of all work, as of the last step."""

    def resume(self, connection: Connection) -> None:
        """Take up the tasks that the last process left. Runs in the transaction that opens the
        database."""
        now = self._clock()
        queue.resume_all(connection, now)
        self._scheduler.resume(connection, now)
        self._counter.publish(self._counter.count_all(connection, self._index(connection)))

    def start(self) -> None:
        """Start the worker. Safe to call again."""
        self._worker.start()

    def wake(self) -> None:
        """Tell the worker that there may be something to do."""
        self._woken = True
        self._worker.wake()
        self._priority.look_again()

    async def close(self) -> None:
        """Stop the worker; an unfinished task is run again at the next start."""
        await self._worker.close()

    async def recount(self) -> None:
        """Count everything in the database again."""
        await self._database.write(
            "recount",
            lambda connection: self._counter.count_all(connection, self._index(connection)),
            self._counter.publish,
        )

    async def step(self) -> bool:
        """Run one due task and embed a batch. Returns whether there may be more to do.

        Waits until nobody talks, or until something is overdue, which is then done.
        """
        if not self._looked_for_snapshot:
            self._looked_for_snapshot = True
            return await self._import_snapshot()
        now, self._woken = self._clock(), False
        enabled = self._settings.enabled
        task, deadline = await self._database.read(lambda connection: self._next(connection, now))
        both: list[Embedding] = [self._embedding, self._turns]
        embedders = sorted(both, key=lambda embedding: _overdue_at(embedding, now))
        first = _overdue_at(embedders[0], now) if enabled else math.inf
        self._first_deadline = min([deadline, *(e.deadline for e in embedders if enabled)])
        done = False
        if task is not None and self._deferral(task).deadline <= first:
            done = await self._attempt(task)
        batches = self._embedding.batches + self._turns.batches
        embedded = False
        for embedder in embedders if enabled else ():
            embedded = embedded or await embedder.step(partial(self._outdated, embedder.deadline))
        done = done or self._embedding.batches + self._turns.batches > batches
        self._stale = self._stale or done or embedded or task is not None
        # Counting reads every fact's index entry: not after each batch of a long re-embedding.
        if self._stale and (not embedded or now - self._counted_at >= COUNT_EVERY_S):
            await self._recount()
            self._stale, self._counted_at = False, now
        return embedded or task is not None

    def _next(self, connection: Connection, now: float) -> tuple[Task | None, float]:
        """The next task, and the deadline of the first of all tasks."""
        settings = self._settings
        erasure_s, learning_s = settings.erasure_deferral_s, settings.learning_deferral_s
        task = queue.next_due(
            connection, now, enabled=settings.enabled, erasure_s=erasure_s, learning_s=learning_s
        )
        deadline = queue.first_deadline(
            connection, enabled=settings.enabled, erasure_s=erasure_s, learning_s=learning_s
        )
        return task, deadline

    def _deferral(self, task: Task) -> Deferral:
        settings = self._settings
        erases = task.kind in queue.ERASING
        longest_s = settings.erasure_deferral_s if erases else settings.learning_deferral_s
        return Deferral(longest_s, self._clock, task.due)

    def _outdated(self, deadline: float) -> bool:
        """Whether to stop waiting for quiet before work with this ``deadline``: something was
        added meanwhile, or other work was overdue first."""
        return self._woken or (
            self._first_deadline < deadline and self._clock() >= self._first_deadline
        )

    async def analyse_turns(self) -> None:
        """Add all waiting turns to the index by words. Raises StorageError."""
        while await self._turns.analyse():
            pass

    async def _pause(self) -> float | None:
        next_time = await self._database.read(
            lambda connection: queue.next_time(connection, enabled=self._settings.enabled)
        )
        pauses = [] if next_time is None else [next_time - self._clock()]
        pauses += [
            pause for pause in (self._embedding.pause(), self._turns.pause()) if pause is not None
        ]
        return min(pauses, default=None)

    async def _attempt(self, task: Task) -> bool:
        """Run a task. A failure is stored in its row; a preemption is no failure. Returns
        whether the task was done or failed."""
        deferral = self._deferral(task)
        try:
            asked = await self._priority.background(
                lambda: self._do(task),
                left_s=deferral.left,
                outdated=lambda: self._outdated(deferral.deadline),
            )
        except PreemptedError:
            return False
        except StorageError:
            raise
        except (EngineTimeoutError, ContextOverflowError) as error:
            # The engine works but cannot do this: other answers of the engine must not cause
            # another attempt.
            await self._failed(task, f"too much: {error.code}")
        except EngineError as error:
            await self._failed(task, f"{queue.ENGINE_PREFIX}{error.code}")
        except GarbledAnswerError as error:
            await self._failed(task, f"garbled: {error}")
        except Exception as error:
            # A fault in one task must not stop the others. Its text may hold private words.
            logger.debug("memory: task %d of kind %s", task.id, task.kind, exc_info=True)
            await self._failed(task, f"fault: {type(error).__name__}")
        else:
            if asked and self._counter.stats.parked_tasks:
                now = self._clock()
                await self._database.write(
                    "resume_parked",
                    lambda connection: queue.resume_after_engine_failure(connection, now),
                )
        return True

    async def _do(self, task: Task) -> bool:
        """Run a task. Returns whether the chat model has answered."""
        work: dict[queue.Kind, Callable[[Task], Awaitable[bool]]] = {
            "extract": self._extract,
            "gap_fill": self._fill_gaps,
            "summarize": self._summarize,
            "end_session": self._end_session,
            "distill": self._distill,
            "retention": self._retain,
            "compact": self._compact,
        }
        return await work[task.kind](task)

    async def _extract(self, task: Task) -> bool:
        return await extract(
            self._database, self._chat, task, now=self._clock(), checkpoint=self._checkpoint
        )

    async def _fill_gaps(self, task: Task) -> bool:
        return await session_end.fill_gaps(
            self._database, self._chat, task, now=self._clock(), checkpoint=self._checkpoint
        )

    async def _summarize(self, task: Task) -> bool:
        work, owner = self._consolidating(task), None
        if task.session_id is not None:
            session_id = task.session_id
            owner = await self._database.read(lambda c: sessions.conversation_of(c, session_id))
        within = Within(task.up_to_id or 0, conversation=owner.conversation if owner else None)
        written = await consolidate(work, task.user, within)

        def finish(connection: Connection) -> None:
            queue.complete(connection, task)
            self._scheduler.schedule_summary(connection, task.user, work.now)
            self._scheduler.schedule_distillation(connection, task.user, work.now)

        await self._database.write("summarize_done", finish)
        return written > 0

    async def _end_session(self, task: Task) -> bool:
        await session_end.end(self._consolidating(task), task, self._scheduler)
        return False

    async def _distill(self, task: Task) -> bool:
        await distill(
            self._database,
            self._chat,
            task,
            self._scheduler,
            now=self._clock(),
            checkpoint=self._checkpoint,
            facts_near=self._facts_near,
        )
        return True

    async def _retain(self, task: Task) -> bool:
        now, settings = self._clock(), self._settings
        await retention.retain(
            self._database,
            task,
            Horizons(
                timeline=retention.horizon(now, settings.timeline_retention_days),
                recalls=retention.horizon(now, settings.recall_log_days),
                messages=retention.horizon(now, settings.log_retention_days),
            ),
            now=now,
            next_at=now + RETENTION_EVERY_S,
            checkpoint=self._checkpoint,
        )
        return False

    async def _compact(self, task: Task) -> bool:
        copies = [] if self._snapshot is None else [self._snapshot.imported]
        deferral = self._deferral(task)
        await compact(
            self._database,
            copies=copies,
            overdue=lambda: deferral.left() <= 0.0,
            checkpoint=self._checkpoint,
        )
        return False

    async def _import_snapshot(self) -> bool:
        """Import the snapshot, once after the start. Returns True: there may be work now."""
        if self._snapshot is not None:
            done = await import_file(
                self._database, self._snapshot, clock=self._clock, checkpoint=self._checkpoint
            )
            if done is not None:
                await self.recount()
        return True

    def _consolidating(self, task: Task) -> ConsolidationContext:
        return ConsolidationContext(
            self._database,
            self._chat,
            attempts=task.attempts,
            max_failures=self._settings.max_failures_before_degrade,
            now=self._clock(),
            checkpoint=self._checkpoint,
        )

    async def _facts_near(self, user: str, topic: str) -> Sequence[RelevantFact]:
        """The user's facts nearest to a text, filled up with the newest ones."""
        embedded = await self._embedding.query(topic)

        def work(connection: Connection) -> list[RelevantFact]:
            near = facts.search(
                connection, user, topic, embedded, k=DISTILLED_FACTS, min_similarity=-1.0
            )
            near = facts.only_believed(connection, user, near)
            known = {fact.id for fact in near}
            newest = facts.newest(connection, user, DISTILLED_FACTS)
            return [*near, *(fact for fact in newest if fact.id not in known)][:DISTILLED_FACTS]

        return await self._database.read(work)

    async def _failed(self, task: Task, error: str) -> None:
        logger.warning("memory: %s task %d failed: %s", task.kind, task.id, error)
        now = self._clock()
        await self._database.write(
            "failed",
            lambda connection: queue.fail(
                connection,
                task,
                error=error,
                now=now,
                max_attempts=self._settings.max_extraction_attempts,
                retry_delay_s=self._settings.retry_delay_s,
            ),
        )

    async def _recount(self) -> None:
        await self._database.write(
            "recount",
            lambda connection: self._counter.count_entries(connection, self._index(connection)),
            self._counter.publish,
        )

    def _index(self, connection: Connection) -> fact_vectors.VectorIndex | None:
        """The index of the present embedding model; the last index while the model is not known."""
        model_id = self._embedding.model_id()
        return (
            fact_vectors.find(connection, model_id)
            if model_id
            else fact_vectors.current(connection)
        )
