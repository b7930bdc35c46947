"""Makes the counts of ``/health`` anew: everything where it is asked for, and after background work
what that changes."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import suppress

from lobug.errors import StorageError
from lobug.memory.embedding import FactEmbedder
from lobug.memory.index import entry_index
from lobug.memory.index.entry_index import VectorIndex
from lobug.memory.model import MemoryStats
from lobug.memory.statistics import Counted, Counter, count_all, count_entries
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, Database
from lobug.storage.sqlite_database import SqliteDatabase

logger = logging.getLogger(__name__)

DELAY_AFTER_FAILURE_S = 5.0
"""Pause after a failure of the storage itself, seconds."""

EVERY_S = 1.0
"""Longest age of the counts during background work, seconds."""

REST = 30.0
"""The pause after counting, in times of how long it took: a large memory is not counted all day."""

LONG_S = 0.1
"""Counting that takes less needs no such pause, seconds."""

PATIENCE_S = 1.0
"""How long counting may keep anybody waiting, seconds. With the turns of very many it takes
longer."""

Count = Callable[[Connection, VectorIndex | None], Counted]


class Counting:
    """Counts for a ``Counter``; entries without a vector of the model of ``embedding``, too."""

    def __init__(
        self,
        database: Database,
        counter: Counter,
        embedding: FactEmbedder,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint,
    ) -> None:
        self._database = database
        self._counter = counter
        self._embedding = embedding
        self._call_ended: Callable[[], None] = lambda: None
        self._clock = clock
        self._checkpoint = checkpoint
        self.entries_changed = False
        """What background work changes is to be counted."""
        self._everything_changed = False
        """Messages and users are to be counted, too."""
        self._task: asyncio.Task[None] | None = None
        """Counts, or was the last to."""
        self._counted_at = 0.0
        """When what background work changes was last counted."""
        self._took_s = math.inf
        """Seconds; unknown at first."""
        self._late = False
        """Whether nobody waits any more for the counting that is under way."""
        self._failed = False
        """Whether it has failed a moment ago."""

    def when_ended(self, call: Callable[[], None]) -> None:
        """Call this when counting has ended, and when it may begin again after a failure."""
        self._call_ended = call

    @property
    def stats(self) -> MemoryStats:
        """The counts as they are now."""
        return self._counter.stats

    @property
    def is_due(self) -> bool:
        """Whether anything is to be counted."""
        return self.entries_changed or self._everything_changed

    def begin(self, connection: Connection) -> None:
        """Count everything in the transaction that opens the database; not in PostgreSQL, where
        everybody would wait meanwhile, who may be many."""
        if self._counts_as_it_writes:
            self._counter.publish(count_all(connection, self._index(connection)))

    async def opened(self) -> None:
        """Count everything where ``begin`` did not; what cannot be counted now is counted with the
        next background work."""
        if not self._counts_as_it_writes:
            with suppress(StorageError):  # _end tells of it
                await self.everything()

    async def everything(self) -> None:
        """Count everything in the database again. In PostgreSQL, what takes long goes on beside
        what follows, and one that is asked for meanwhile comes after it. Raises StorageError."""
        if self._counts_as_it_writes:
            await self._count(count_all)
        elif self._is_under_way:
            self._everything_changed = True
        else:
            await self._count_patiently(count_all)

    async def if_due(self, *, during_work: bool) -> None:
        """Count what has changed, unless it was counted a moment ago. Raises StorageError."""
        pause_s = self.pause_s(during_work=during_work)
        if pause_s is not None and pause_s <= 0.0:
            await self._count_patiently(count_all if self._everything_changed else count_entries)

    def pause_s(self, *, during_work: bool) -> float | None:
        """Seconds until what has changed is to be counted; None: nothing has, or it is being
        counted."""
        if not self.is_due or self._is_under_way:
            return None
        age_s = self._clock() - self._counted_at
        rest_s = EVERY_S if during_work else 0.0
        if LONG_S < self._took_s < math.inf and not self._everything_changed:
            rest_s = max(rest_s, REST * self._took_s)
        return rest_s - age_s if age_s >= 0.0 else 0.0  # the clock was set back

    async def ended(self) -> bool:
        """Wait for the counting that is under way. Returns whether there was any. Raises
        StorageError."""
        task = self._task
        if task is None or task.done():
            return False
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()
        return True

    async def close(self) -> None:
        """Break off."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    @property
    def _is_under_way(self) -> bool:
        """Whether counting is under way, or rests after a failure."""
        return self._failed or (self._task is not None and not self._task.done())

    @property
    def _counts_as_it_writes(self) -> bool:
        """Whether everything is counted in a write, so that no turn comes in between. In PostgreSQL
        everybody would wait meanwhile, who may be many; there a count of everything may miss a
        turn that is logged as it begins."""
        return isinstance(self._database, SqliteDatabase)

    async def _count_patiently(self, count: Count) -> None:
        task = asyncio.create_task(self._count(count), name="memory-counting")
        self._task = task
        task.add_done_callback(self._end)
        done, _ = await asyncio.wait([task], timeout=PATIENCE_S)
        self._late = not done
        if done and not task.cancelled():
            task.result()

    def _end(self, task: asyncio.Task[None]) -> None:
        late, self._late = self._late, False
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.warning("memory: its content could not be counted yet: %s", error)
        if error is not None and late:  # nobody else rests after the failure
            self._failed = True
            asyncio.get_running_loop().call_later(DELAY_AFTER_FAILURE_S, self._go_on)
        else:
            self._go_on()

    def _go_on(self) -> None:
        self._failed = False
        self._call_ended()

    async def _count(self, count: Count) -> None:
        def work(connection: Connection) -> Counted:
            self._counter.begin()
            counted = count(connection, self._index(connection))
            self._checkpoint("recount.counted")
            return counted

        began = self._clock()
        everything = self._everything_changed or count is count_all
        left = self._everything_changed and count is not count_all
        self.entries_changed, self._everything_changed = False, left
        try:
            if self._counts_as_it_writes:
                await self._database.write("recount", work, self._counter.publish)
            else:
                known_short = self._took_s <= LONG_S
                read = self._database.read if known_short else self._database.aside
                self._counter.publish(await read(work))
        except BaseException:
            self.entries_changed = True
            self._everything_changed = self._everything_changed or everything
            raise
        if self.stats.embedding_backlog:
            self._embedding.look_again()
        now = self._clock()
        self._took_s = now - began
        if count is count_entries:
            self._counted_at = now

    def _index(self, connection: Connection) -> entry_index.VectorIndex | None:
        """The index of the present embedding model; the last index while the model is not known."""
        model_id = self._embedding.model_id()
        return (
            entry_index.find(connection, model_id) if model_id else entry_index.current(connection)
        )
