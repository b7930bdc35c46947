"""What a move reads from and writes to: files on one side, PostgreSQL on the other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Protocol

from lobug.database_move.plan import Part
from lobug.database_move.rows import Row
from lobug.errors import StorageError, StorageNewerError, StorageOlderError

MOVE_COLUMNS = (
    "(part text PRIMARY KEY, position text NOT NULL, rows bigint NOT NULL, done integer NOT NULL)"
)
"""Of the table of ``Note`` and ``Position``, the same in both databases."""


class RowRefusedError(StorageError):
    """The target does not take a row of the source: the source contradicts itself, or what was
    copied earlier."""


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
    source_id: str = ""
    """Tells the source from others at the same place: another folder of that name, say."""

    def text(self) -> str:
        """As it is stored."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Note:
        """Read what is stored, by whichever version of this program."""
        stored = json.loads(text)
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})


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

    @property
    def identity(self) -> str:
        """The same whenever the same databases are opened (``Note.source_id``)."""

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
        """Make these databases, empty, and note the move in those that have no note yet. In the
        others, take away again what is in the way of the copy. Raises StorageOlderError or
        StorageNewerError where another version of this program has made them."""

    def writers(self) -> Sequence[Writer]:
        """The databases that were begun."""

    def readers(self, names: Sequence[str]) -> Sequence[Reader]:
        """These databases, which a move has filled, to be read."""

    def complete(self, note: Note) -> None:
        """Note in all of them that they are whole, and let servers use them."""

    def discard(self) -> None:
        """Delete what a move that was broken off has left. Raises StorageUnfinishedError where it
        had begun to give the files their names."""


def require_version(place: str, version: int | None, newest: int) -> None:
    """Raises StorageError where a database is not of this program's version."""
    if (version or 0) < newest:
        raise StorageOlderError(
            f"{place} was written by an older Lo-Bug (version {version or 0} of the database, this"
            f" program has {newest}). Start this Lo-Bug on it once, which migrates it; then move."
        )
    if (version or 0) > newest:
        raise StorageNewerError(
            f"{place} was written by a newer Lo-Bug (version {version} of the database, this"
            f" program knows {newest}). Update Lo-Bug first."
        )


def require_begun_version(place: str, version: int | None, newest: int) -> None:
    """Raises StorageError where another version of this program has begun to fill a database."""
    if version == newest:
        return
    kind, which = (
        (StorageNewerError, "a newer")
        if (version or 0) > newest
        else (StorageOlderError, "an older")
    )
    raise kind(
        f"{place}: the move was begun by {which} Lo-Bug (version {version or 0} of the database,"
        f" this program has {newest}). Nothing was changed. Begin again with --restart."
    )


def vectors_name(name: str) -> str:
    """Check the name of a table of vectors, which stands in SQL. Raises ValueError."""
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"{name!r} is no name of a table of vectors")
    return name
