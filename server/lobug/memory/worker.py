"""Runs background tasks, which are rows of the database, and embedding while nobody talks."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from functools import partial

from lobug.engines.base import ChatModel
from lobug.errors import (
    ContextOverflowError,
    EngineError,
    EngineTimeoutError,
    LobugError,
    PersonElsewhereError,
    StorageError,
    StorageRefusedError,
)
from lobug.language.en.claims.english import CLAIMS
from lobug.memory import jobs
from lobug.memory.claims import backlog
from lobug.memory.counting import DELAY_AFTER_FAILURE_S, Counting
from lobug.memory.embedding import BackgroundEmbedder, FactEmbedder, TurnEmbedder
from lobug.memory.erasure.report import ErasureReport, ErasureReporter
from lobug.memory.erasure.retention import retain
from lobug.memory.exchange.snapshot import SnapshotSource, import_file
from lobug.memory.jobs import Task
from lobug.memory.learning import consolidation, extraction
from lobug.memory.learning.context import LearningContext
from lobug.memory.learning.distillation import distill
from lobug.memory.learning.model_requests import GarbledAnswerError
from lobug.memory.learning.summarizer import Summarizer
from lobug.memory.schedule import Scheduler
from lobug.priority import Deferral, PreemptedError, TurnPriority
from lobug.settings import MemorySettings
from lobug.storage.compaction import compact
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, Database
from lobug.storage.people import ALL_PEOPLE, SHARED_WORK, People

logger = logging.getLogger(__name__)

LONGEST_SLEEP_S = 300.0
"""Longest sleep, seconds: the clock may have been set back."""

LEAVING_S = 0.1
"""How often to look whether a person has left for another server, seconds."""


def _overdue_at(embedding: BackgroundEmbedder, now: float) -> float:
    """The deadline of an embedder if it has passed, else infinite."""
    return embedding.deadline if embedding.deadline <= now else math.inf


class Worker:
    """Runs tasks and embeds batches, one after another, each until it has succeeded, failed or been
    preempted by a turn; sleeps until ``wake`` or until something is due."""

    def __init__(
        self,
        database: Database,
        embedding: FactEmbedder,
        turns: TurnEmbedder,
        counting: Counting,
        erasures: ErasureReporter,
        *,
        scheduler: Scheduler,
        chat: ChatModel,
        summarizer: Summarizer,
        priority: TurnPriority,
        clock: Callable[[], float],
        checkpoint: Checkpoint,
        snapshot: SnapshotSource | None = None,
        changed: Callable[[str | None], None] = lambda _: None,
        people: People = ALL_PEOPLE,
    ) -> None:
        """``changed`` is called with the user whose memory a task may have changed; None: it may be
        anybody's. ``people``: for whom it works."""
        self._people = people
        self._database = database
        self._embedding = embedding
        self._turns = turns
        self._erasures = erasures
        self._scheduler = scheduler
        self._chat = chat
        self._summarizer = summarizer
        self._priority = priority
        self._clock = clock
        self._checkpoint = checkpoint
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self._wake_up = asyncio.Event()
        self._snapshot = snapshot
        self._looked_for_snapshot = snapshot is None
        self._told = False
        """Another server has left something to embed and to count since the last step."""
        self._doing: tuple[str, asyncio.Task[object] | None] | None = None
        """Whose task runs now, and in what it runs."""
        self._claims_wait = True
        """Whether entries of an older version may wait to have their claims read."""
        self._counting = counting
        counting.when_ended(self._wake_up.set)
        self._woken = False
        """Work was added since the last step; it may be more urgent."""
        self._first_deadline = math.inf
        """Deadline of the first of all work, as of the last step."""
        self._embedders: Sequence[BackgroundEmbedder] = ()
        """What embeds here, as of the last step."""
        self._last_embedder: BackgroundEmbedder | None = None
        """Where both have much to embed, they alternate."""
        self._batch_was_last = False
        """The last step has embedded a batch."""

    @property
    def _settings(self) -> MemorySettings:
        return self._scheduler.settings

    def reschedule(self, connection: Connection) -> None:
        """Add the tasks that are due by settings that have changed."""
        self._scheduler.resume(connection, self._clock())

    def resume(self, connection: Connection) -> None:
        """Take up the tasks that the last process left. Runs in the transaction that opens the
        database."""
        now = self._clock()
        jobs.resume_all(connection, now, of_nobody=self._people.server is not None)
        self._scheduler.resume(connection, now)

    async def take_over(self) -> None:
        """Take up the tasks of people whose server has stopped. Raises StorageError."""
        now = self._clock()
        await self._database.write(
            "take_over", lambda connection: jobs.resume_all(connection, now, of_nobody=True)
        )
        self.wake()

    async def resume_user(self, user: str) -> None:
        """Take up what turns of a user have left that began at another server: now that the user
        is here, none of these is under way. Raises StorageError."""
        now = self._clock()
        await self._database.write(
            "resume_user", lambda connection: jobs.resume_turns(connection, user, now), of=user
        )
        self.wake()

    def start(self) -> None:
        """Start the asyncio task that works. Safe to call again."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="memory-worker")

    def wake(self) -> None:
        """End the sleep: there may be something to do."""
        self._woken = True
        self._wake_up.set()
        self._priority.look_again()

    def wake_by_another_server(self) -> None:
        """End the sleep: another server says that there may be something to embed."""
        self._told = True
        self._wake_up.set()

    def stop_work(self, user: str) -> None:
        """Cancel the task of this user that runs now; it is done again, by whoever has them."""
        if self._doing is not None and self._doing[0] == user and self._doing[1] is not None:
            self._doing[1].cancel()

    async def close(self) -> None:
        """Stop; a step under way is cancelled, and its task is run again at the next start."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        while True:
            self._wake_up.clear()
            try:
                if await self.step():
                    continue
                pause = await self._pause()
            except LobugError as error:
                logger.warning("memory: background work failed: %s", error)
                pause = DELAY_AFTER_FAILURE_S
            except Exception:
                # The worker must survive any fault without a restart.
                logger.exception("memory: a fault in background work")
                pause = LONGEST_SLEEP_S
            timeout = LONGEST_SLEEP_S if pause is None else min(max(pause, 0.0), LONGEST_SLEEP_S)
            try:
                async with asyncio.timeout(timeout):
                    await self._wake_up.wait()
            except TimeoutError:
                continue

    async def step(self) -> bool:
        """Run one due task and embed a batch. Returns whether there may be more to do.

        Waits until nobody talks, or until something is overdue, which is then done.
        """
        shared_work = await self._people.has(SHARED_WORK)
        if not self._looked_for_snapshot and shared_work:
            self._looked_for_snapshot = True
            return await self._import_snapshot()
        if not self._summarizer.tried and self._settings.enabled:
            await self._try_summaries()
        now, woken = self._clock(), self._woken
        self._woken = False
        enabled = self._settings.enabled
        if enabled and shared_work and await self._read_claims(now):
            return True
        task, deadline = await self._database.read(lambda connection: self._next(connection, now))
        self._embedders = (self._embedding, self._turns) if enabled and shared_work else ()
        first = min((_overdue_at(e, now) for e in self._embedders), default=math.inf)
        self._first_deadline = min([deadline, *(e.deadline for e in self._embedders)])
        done = False
        # After a batch it is a task's turn: a long backlog is overdue from its first batch on.
        if task is not None and (self._batch_was_last or self._deferral(task).deadline <= first):
            done = await self._attempt(task)
        batches = self._embedding.batches + self._turns.batches
        embedded = False
        for embedder in sorted(self._embedders, key=lambda e: e is self._last_embedder):
            if await embedder.step(partial(self._outdated, embedder.deadline)):
                embedded, self._last_embedder = True, embedder
                break
        self._batch_was_last = self._embedding.batches + self._turns.batches > batches
        done = done or self._batch_was_last
        changed = done or embedded or task is not None or (shared_work and self._told)
        self._told = False
        if shared_work:
            self._counting.entries_changed |= changed
        elif changed or woken or self._counting.is_due:  # whoever has the house embeds and counts
            self._people.tell("work")
            self._counting.entries_changed = False
        # Counting reads every fact's index entry: not after each batch of a long re-embedding.
        await self._counting.if_due(during_work=embedded)
        return embedded or task is not None

    async def _read_claims(self, now: float) -> bool:
        """Read the claims of some entries of an older version. Returns whether there are more."""
        if not self._claims_wait:
            return False
        left = await self._database.write(
            "claims", lambda connection: backlog.read_some(connection, CLAIMS, now)
        )
        self._claims_wait = left > 0
        return self._claims_wait

    def _next(self, connection: Connection, now: float) -> tuple[Task | None, float]:
        """The next task, and the deadline of the first of all tasks."""
        settings = self._settings
        erasure_s, learning_s = settings.erasure_deferral_s, settings.learning_deferral_s
        task = jobs.next_due(
            connection,
            now,
            enabled=settings.enabled,
            erasure_s=erasure_s,
            learning_s=learning_s,
            server=self._people.server,
        )
        deadline = jobs.first_deadline(
            connection,
            enabled=settings.enabled,
            erasure_s=erasure_s,
            learning_s=learning_s,
            server=self._people.server,
        )
        return task, deadline

    def _deferral(self, task: Task) -> Deferral:
        settings = self._settings
        erases = task.kind in jobs.ERASING
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
            lambda connection: jobs.next_time(
                connection, enabled=self._settings.enabled, server=self._people.server
            )
        )
        pauses = [] if next_time is None else [next_time - self._clock()]
        others = [embedder.pause() for embedder in self._embedders]
        others.append(self._counting.pause_s(during_work=False))
        pauses += [pause for pause in others if pause is not None]
        return min(pauses, default=None)

    async def _attempt(self, task: Task) -> bool:
        """Run a task. A failure is stored in its row; a preemption is no failure. Returns
        whether the task was done or failed."""
        deferral = self._deferral(task)
        try:
            asked = await self._priority.background(
                lambda: self._do_here(task),
                left_s=deferral.left,
                outdated=lambda: self._outdated(deferral.deadline),
            )
        except PreemptedError:
            return False
        except PersonElsewhereError:
            await asyncio.sleep(LEAVING_S)  # they are about to leave for another server
            return False
        except StorageRefusedError as error:
            # Of this task alone: waiting for the database would keep all others waiting.
            await self._failed(task, f"{error.code}: {error}")
        except StorageError:
            raise
        except (EngineTimeoutError, ContextOverflowError) as error:
            # The engine works but cannot do this: other answers of the engine must not cause
            # another attempt.
            await self._failed(task, f"too much: {error.code}")
        except EngineError as error:
            await self._failed(task, f"{jobs.ENGINE_PREFIX}{error.code}")
        except GarbledAnswerError as error:
            await self._failed(task, f"garbled: {error}")
        except Exception as error:
            # A fault in one task must not stop the others. Its text may hold private words.
            logger.debug("memory: task %d of kind %s", task.id, task.kind, exc_info=True)
            await self._failed(task, f"fault: {type(error).__name__}")
        else:
            if task.kind != "compact":
                self._changed(None if task.kind == "retention" else task.user)
            if asked and await self._may_have_parked():
                now = self._clock()
                await self._database.write(
                    "resume_parked",
                    lambda connection: jobs.resume_after_engine_failure(connection, now),
                )
        return True

    async def _may_have_parked(self) -> bool:
        if self._people.server is None or self._counting.stats.parked_tasks:
            return self._counting.stats.parked_tasks > 0
        return await self._database.read(lambda connection: jobs.counts(connection).parked > 0)

    async def _do_here(self, task: Task) -> bool:
        """Run a task for a person who is with this server. Raises PersonElsewhereError."""
        async with self._people.work(task.user):
            self._doing = (task.user, asyncio.current_task())
            try:
                return await self._do(task)
            finally:
                self._doing = None

    async def _do(self, task: Task) -> bool:
        """Run a task. Returns whether the chat model has answered."""
        if task.kind == "retention":
            return await self._retain(task)
        if task.kind == "compact":
            return await self._compact(task)
        if task.kind in jobs.LEARNING and not self._settings.enable_user_memories:
            await self._database.write(
                "not_learned", lambda c: jobs.complete(c, task), of=task.user
            )
            return False
        work = LearningContext(
            self._database,
            self._chat,
            self._summarizer,
            self._scheduler,
            task,
            self._clock(),
            self._checkpoint,
        )
        if task.kind == "distill":
            return await distill(work, self._embedding.query)
        learn = {
            "extract": extraction.extract,
            "gap_fill": extraction.fill_gaps,
            "summarize": consolidation.summarize,
            "end_session": consolidation.end_session,
        }
        return await learn[task.kind](work)

    async def _retain(self, task: Task) -> bool:
        now = self._clock()
        erased = ErasureReport()
        try:
            await retain(
                self._database,
                task,
                self._settings,
                erased,
                now=now,
                next_at=now + self._scheduler.retention_every_s,
                checkpoint=self._checkpoint,
            )
        except BaseException:
            if erased != ErasureReport():  # what is erased is gone, though the rest is still due
                self._erasures.report("retention", erased)
            raise
        self._erasures.report("retention", erased)
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
                await self._counting.everything()
                self._changed(None)
        return True

    async def _try_summaries(self) -> None:
        """Check once after the start whether the chat model can write summaries, while nobody
        talks. While it is down, the first summary checks it."""
        since = self._clock()
        deferral = Deferral(self._settings.learning_deferral_s, self._clock, since)
        try:
            await self._priority.background(
                self._summarizer.is_generative, left_s=deferral.left, outdated=lambda: self._woken
            )
        except PreemptedError:
            self._summarizer.tried = False
        except EngineError as error:
            logger.info("memory: the check of summaries waits for the chat model: %s", error.code)

    async def _failed(self, task: Task, error: str) -> None:
        logger.warning("memory: %s task %d failed: %s", task.kind, task.id, error)
        now = self._clock()
        await self._database.write(
            "failed",
            lambda connection: jobs.fail(
                connection,
                task,
                error=error,
                now=now,
                max_attempts=self._settings.max_extraction_attempts,
                retry_delay_s=self._settings.retry_delay_s,
            ),
            of=task.user,
        )
