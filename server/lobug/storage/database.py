"""What every database can do: whole transactions, one after another.

``SqliteDatabase`` is a file, for one server; ``PostgresDatabase`` is shared by many.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar, runtime_checkable

from lobug.errors import StorageError
from lobug.storage.connection import Connection

T = TypeVar("T")

Checkpoint = Callable[[str], None]
"""Called with a name at points where a crash would be worst; tests end the process there."""


MOVE_TABLE = "move_progress"
"""In a database that everything was moved to: what is there already, and in the row without a name
whether that is all."""

MOVE_MARK = "database.moving"
"""A file in each folder to whose files everything is being moved, from the first step of the move
to its last: as long as it is there no server opens a file of that folder."""


def no_checkpoint(_name: str) -> None:
    """The checkpoint in production: does nothing."""


NOBODY = ""
"""Named instead of a person where a write changes only what belongs to nobody (``Database.write``),
such as vectors of words."""


class Database(Protocol):
    """An open database. Every method raises StorageError subclasses, nothing else.

    ``open`` first; ``close`` last, which waits for what is being written.
    """

    @property
    def is_open(self) -> bool:
        """Whether the database can be used."""

    @property
    def fault(self) -> StorageError | None:
        """Why it could not be opened, or why the last write or read failed; None: nothing."""

    @property
    def place(self) -> str:
        """Where it is, for people: a file, or an address without its password."""

    @property
    def is_made(self) -> bool:
        """Whether something may be in it: a file that is not there holds nothing. May be slow."""

    async def open(self, first: Callable[[Connection], T]) -> T | None:
        """Open, and migrate where needed.

        ``first`` is the first transaction, named resume; nothing else is written or read before it
        has succeeded. Returns its result; None: the database was open already.
        """

    async def close(self) -> None:
        """Finish what is being written and close. Safe to call twice."""

    async def write(
        self,
        name: str,
        work: Callable[[Connection], T],
        committed: Callable[[T], None] | None = None,
        *,
        of: str | None = None,
        everybody: bool = False,
    ) -> T:
        """Run ``work`` in a transaction that no other write overlaps; committed when this returns.

        ``of``: the person whose rows alone it reads and changes, or ``NOBODY``; these writes may
        run beside those of others. New rows then need not be committed in the order of their ids.
        Writes of one person follow one another in the order in which they were asked for.
        ``everybody``: it changes rows of others, too, and is written beside none.
        Once begun it runs to its end even if the caller is cancelled. ``committed`` is called with
        the result, on a writer's thread, even then: note there what has changed.
        ``name`` names the checkpoints ``<name>.before_commit`` and ``<name>.after_commit``.
        """

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work``, which changes nothing, on one consistent state of the database."""

    async def aside(self, work: Callable[[Connection], T]) -> T:
        """Run long ``work`` that changes nothing so that nothing waits for it. When the caller is
        cancelled the work is interrupted and awaited."""

    def changed_by_others(self) -> AbstractAsyncContextManager[bool]:
        """Whether anything but this object may have written since it was opened, or since the last
        time that this context ended without an error: read in it what has changed. Whoever asks
        meanwhile waits."""

    async def fold_log(self) -> None:
        """Take care that deleted words do not stay readable in a log beside the data."""

    async def check(self) -> None:
        """Find out whether an open database can be read and written."""


@runtime_checkable
class Vacuumed(Protocol):
    """A database that can rewrite its tables without the rows that were deleted."""

    async def vacuum(self) -> None:
        """Rewrite every table."""
