"""A connection to a database, as everything sees it that only reads and writes rows.

``sqlite3.Connection`` is one as it is, ``PostgresConnection`` wraps one of psycopg, which is
imported only where a database of this kind is opened. What needs more of a connection (backups,
extensions, locks) belongs to one of the two databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from psycopg import Connection as Psycopg


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


NUL, REPLACEMENT = "\x00", "\ufffd"


class PostgresConnection:
    """A connection to PostgreSQL. May be used from any one thread at a time."""

    __slots__ = ("raw",)

    def __init__(self, raw: Psycopg[Any]) -> None:
        self.raw = raw

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way, a failed one too."""
        return int(self.raw.info.transaction_status) != 0  # TransactionStatus.IDLE

    def execute(self, sql: str, parameters: Any = None, /) -> Cursor:
        """Run one statement; parameters stand in it as ``%(name)s`` or ``%s``."""
        return self.raw.execute(sql, None if parameters is None else _stored(parameters))

    def execute_for_bytes(self, sql: str, parameters: Any, /) -> Cursor:
        """The same, where rows hold many bytes: they are sent as they are, and not as text of twice
        the length."""
        return self.raw.execute(sql, _stored(parameters), binary=True)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> None:
        """Run one statement for each set of parameters."""
        with self.raw.cursor() as cursor:
            cursor.executemany(sql, [_stored(one) for one in parameters])


def _stored(parameters: Any) -> Any:
    """The values as PostgreSQL can store them: no text of it holds the character NUL."""
    if isinstance(parameters, Mapping):
        if any(isinstance(value, str) and NUL in value for value in parameters.values()):
            return {name: _without_nul(value) for name, value in parameters.items()}
        return parameters
    return [_without_nul(value) for value in parameters]


def _without_nul(value: Any) -> Any:
    return value.replace(NUL, REPLACEMENT) if isinstance(value, str) else value
