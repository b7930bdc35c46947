"""What a move reads from and writes to: files on one side, PostgreSQL on the other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from lobug.database_move.plan import Part
from lobug.database_move.rows import Row
from lobug.storage.database import MOVE_TABLE

MOVE_COLUMNS = (
    f"CREATE TABLE {MOVE_TABLE} (part text PRIMARY KEY, position text NOT NULL,"
    " rows bigint NOT NULL, done integer NOT NULL)"
)
"""The table of ``Note`` and ``Position``, the same in both databases."""


@dataclass(frozen=True, slots=True)
class Note:
    """What stands in each database that a move writes to."""

    move: str
    """A random name of the move; all its databases have it."""
    source: str
    """The place that it moves from, for people."""
    begun_at: float
    """Seconds since the epoch, as below."""
    completed_at: float | None = None
    """None: it is not whole yet."""

    def text(self) -> str:
        """As it is stored."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Note:
        """Read what is stored."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Position:
    """How far a table has been copied."""

    key: Sequence[object]
    """Of the last row that is there."""
    rows: int
    """How many are there."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """An index that a database keeps in its own way, and that is made from copied tables."""

    name: str
    """Of its table."""
    table: str
    """Whose rows it is made from, a few hundred at a time."""
    key: str
    """The number of those rows."""
    statement: str
    """Makes what belongs to the rows after ``:after`` up to ``:upto``."""


class Reader(Protocol):
    """One database of either side, as it was when it was opened. Every method raises
    StorageError."""

    name: str
    """Such as "memory"."""

    def parts(self) -> Sequence[Part]:
        """What is in it: the declared tables, then the vectors of entries."""

    def count(self, part: Part) -> int:
        """How many rows a table has."""

    def rows(self, part: Part, after: Sequence[object] | None = None) -> Iterator[Row]:
        """The rows of a table in the order of its key, one by one; those after a key."""

    def numbers(self) -> Mapping[str, int]:
        """Of tables whose ids are never given twice: the last one that was given, if any was."""


class Writer(Reader, Protocol):
    """A database that is being filled."""

    def position(self, name: str) -> Position | None:
        """How far a table has been copied; None: not begun."""

    def add(self, part: Part, rows: Sequence[Row], position: Position) -> None:
        """Add rows and note how far that is, both or neither."""

    def derivations(self) -> Sequence[Derivation]:
        """What is made from copied tables."""

    def derive(self, derivation: Derivation, position: Position | None) -> Position | None:
        """Make the next piece of an index; returns how far it is, None: nothing was left."""

    def settle(self, numbers: Mapping[str, int]) -> None:
        """Set the numbers of the next rows, and put back what would have been in the way of the
        copy: triggers, and foreign keys that go in circles. May be repeated. Raises StorageError
        where rows are missing that others link to."""


class Source(Protocol):
    """All databases that are moved from. Nobody else writes to them meanwhile."""

    place: str

    def readers(self) -> Sequence[Reader]:
        """The databases that are there."""


class Target(Protocol):
    """All databases that are moved to."""

    place: str

    def notes(self) -> Mapping[str, Note]:
        """What stands in the databases that a move has begun to fill, or has filled."""

    def filled(self) -> Sequence[str]:
        """Names of what is there that no move has written, if anything is."""

    def begin(self, names: Sequence[str], note: Note) -> None:
        """Make these databases, empty, and note the move in those that have no note yet."""

    def writers(self) -> Sequence[Writer]:
        """The databases that were begun."""

    def complete(self, note: Note) -> None:
        """Note in all of them that they are whole, and let servers use them."""

    def discard(self) -> None:
        """Delete what a move that was broken off has left."""


def vectors_name(name: str) -> str:
    """Check the name of a table of vectors, which stands in SQL. Raises ValueError."""
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"{name!r} is no name of a table of vectors")
    return name
