"""One connection to PostgreSQL, with what the statements of the storage room expect of one.

The driver, psycopg, is an optional extra (``pip install 'lobug[postgres]'``): it is imported only
where a database of this kind is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection as Psycopg
    from psycopg import Cursor

NUL, REPLACEMENT = "\x00", "\ufffd"


class PostgresConnection:
    """A connection in autocommit mode. May be used from any one thread at a time."""

    __slots__ = ("raw",)

    def __init__(self, raw: Psycopg[Any]) -> None:
        self.raw = raw

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way, a failed one too."""
        return int(self.raw.info.transaction_status) != 0  # TransactionStatus.IDLE

    def execute(self, sql: str, parameters: Any = None, /) -> Cursor[Any]:
        """Run one statement; parameters stand in it as ``%(name)s`` or ``%s``."""
        return self.raw.execute(sql, None if parameters is None else _stored(parameters))

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
