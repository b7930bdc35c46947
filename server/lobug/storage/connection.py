"""A connection to a database, as everything sees it that only reads and writes rows.

``sqlite3.Connection`` is one, and ``postgres.connection.PostgresConnection``. What needs more of a
connection (backups, extensions, locks) belongs to one of the two databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol


class Cursor(Protocol):
    """The rows of one statement, as the DB-API has them."""

    @property
    def description(self) -> Sequence[Sequence[Any]] | Any:
        """The columns of the rows, each with its name first; None: there are no rows."""

    @property
    def rowcount(self) -> int:
        """Rows that were inserted, changed or deleted."""

    def fetchone(self) -> Any:
        """The next row, a tuple; None: there is none left."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...

    def close(self) -> object:
        """Give the rows back that were not read."""


class Connection(Protocol):
    """A connection in autocommit mode: transactions are begun and ended by statements."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> object:
        """Run one statement for each set of parameters."""
