"""The move itself: copy, make the indexes, compare everything, and only then say that it is whole.

It may be killed at any moment. What has been copied is noted in the same transaction as the rows,
so that the next run goes on after the last batch; and the other side is compared as a whole by
whichever run finishes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, Protocol

from lobug.database_move.plan import Part
from lobug.database_move.rows import (
    MOST_ROWS,
    batches,
    digest,
    first_difference,
    normalised,
    nul_texts,
)
from lobug.database_move.sides import Note, Position, Reader, Source, Target, Writer
from lobug.errors import (
    MoveDifferenceError,
    MoveTargetError,
    StorageError,
    StorageUnfinishedError,
)
from lobug.storage.database import Checkpoint, no_checkpoint

Stage = Literal["copy", "index", "compare"]


class Progress(Protocol):
    """Is told how far a move is."""

    def begin(self, stage: Stage, total: int, done: int) -> None:
        """A stage begins; numbers of rows."""

    def advance(self, rows: int) -> None:
        """So many more rows are done."""


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """A table that would be copied."""

    database: str
    table: str
    rows: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a move did."""

    move: str
    rows: int
    """That the target holds now, compared one by one."""
    tables: int
    resumed: int
    """Rows that an earlier run had copied."""
    nul_texts: int
    """Texts with the character NUL, in place of which PostgreSQL holds U+FFFD."""
    completed_before: float | None = None
    """When an earlier run had completed it: nothing was copied. Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A move that is to be made or gone on with."""

    note: Note


@dataclass(frozen=True, slots=True)
class Finished:
    """A move that is whole already."""

    note: Note


def planned(source: Source) -> list[PlannedTable]:
    """What would be copied."""
    return [
        PlannedTable(reader.name, part.table, reader.count(part))
        for reader in source.readers()
        for part in reader.parts()
    ]


def decide(
    names: Sequence[str], source: str, notes: Mapping[str, Note], filled: Sequence[str], now: float
) -> Begun | Finished:
    """What is to be done with a target in which ``notes`` and ``filled`` were found. Pure but for
    the random name of a new move.

    Raises MoveTargetError where it holds anything else than this move, StorageUnfinishedError where
    it holds a part of another one.
    """
    open_notes = [note for note in notes.values() if note.completed_at is None]
    if open_notes:
        one = open_notes[0]
        if one.source != source or {note.move for note in notes.values()} != {one.move}:
            raise StorageUnfinishedError(
                f"a move from {one.source} was begun there and is not finished; this one is from"
                f" {source}. Nothing was changed. Finish that one, or let --restart delete what it"
                " has copied."
            )
    if filled:
        shown = ", ".join(filled[:5]) + (", ..." if len(filled) > 5 else "")
        raise MoveTargetError(
            f"it is not empty: {shown}. Nothing was changed. Move to an empty database, or move"
            " these away first."
        )
    if open_notes:
        return Begun(open_notes[0])
    if notes:
        last = next(iter(notes.values()))
        moves = {note.move for note in notes.values()}
        if set(notes) >= set(names) and moves == {last.move} and last.source == source:
            return Finished(last)
        raise MoveTargetError(
            f"it is not empty: {', '.join(sorted(notes))} were moved there from {last.source}."
            " Nothing was changed."
        )
    return Begun(Note(secrets.token_hex(8), source, now))


class Move:
    """From one side to the other. Blocks; not to be run in an event loop."""

    def __init__(
        self,
        source: Source,
        target: Target,
        progress: Progress,
        *,
        clock: Callable[[], float],
        batch_rows: int = MOST_ROWS,
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        """``clock``: seconds since the epoch; ``batch_rows``: copied in one transaction."""
        self._source = source
        self._target = target
        self._progress = progress
        self._clock = clock
        self._batch_rows = batch_rows
        self._checkpoint = checkpoint

    def prepare(self, *, restart: bool = False) -> Begun | Finished:
        """Find out what is to be done. ``restart``: delete what a move that was broken off has left
        in the target. Raises StorageError."""
        names = [reader.name for reader in self._source.readers()]
        if not names:
            raise StorageError(f"there is nothing to move in {self._source.place}")
        if restart:
            self._target.discard()
        return decide(
            names,
            self._source.place,
            self._target.notes(),
            [f"{self._target.place}: {one}" for one in self._target.filled()],
            self._clock(),
        )

    def run(self, found: Begun | Finished) -> Outcome:
        """Move. Raises StorageError; MoveDifferenceError where the target does not hold what the
        source holds, and it is not whole then."""
        if isinstance(found, Finished):
            self._target.complete(found.note)  # names of files that an earlier run did not give
            return Outcome(found.note.move, 0, 0, 0, 0, found.note.completed_at)
        readers = {reader.name: reader for reader in self._source.readers()}
        self._target.begin(tuple(readers), found.note)
        self._checkpoint("move.begun")
        pairs = [(readers[writer.name], writer) for writer in self._target.writers()]
        total = sum(reader.count(part) for reader, _ in pairs for part in reader.parts())
        resumed = self._copy(pairs, total)
        self._index(pairs)
        rows, tables, nul = self._compare(pairs, total)
        self._checkpoint("move.compared")
        self._target.complete(replace(found.note, completed_at=self._clock()))
        return Outcome(found.note.move, rows, tables, resumed, nul)

    def _copy(self, pairs: Sequence[tuple[Reader, Writer]], total: int) -> int:
        """Returns how many rows were there before."""
        places = [
            (reader, writer, part, writer.position(part.table))
            for reader, writer in pairs
            for part in reader.parts()
        ]
        before = sum(position.rows for *_, position in places if position is not None)
        self._progress.begin("copy", total, before)
        for reader, writer, part, position in places:
            with _about(part.table):
                self._copy_part(reader, writer, part, position)
        return before

    def _copy_part(
        self, reader: Reader, writer: Writer, part: Part, position: Position | None
    ) -> None:
        after, done = (None, 0) if position is None else (position.key, position.rows)
        for rows in batches(reader.rows(part, after), most_rows=self._batch_rows):
            done += len(rows)
            writer.add(part, rows, Position(part.key_of(rows[-1]), done))
            self._progress.advance(len(rows))
            self._checkpoint("move.batch")

    def _index(self, pairs: Sequence[tuple[Reader, Writer]]) -> None:
        """Make what each database keeps in its own way."""
        self._progress.begin("index", 0, 0)
        for reader, writer in pairs:
            for derivation in writer.derivations():
                with _about(derivation.name):
                    position = writer.position(derivation.name)
                    while (further := writer.derive(derivation, position)) is not None:
                        position = further
                        self._checkpoint("move.batch")
            writer.settle(reader.numbers())

    def _compare(self, pairs: Sequence[tuple[Reader, Writer]], total: int) -> tuple[int, int, int]:
        """Read both sides again, row by row. Returns rows, tables, and texts with NUL."""
        self._progress.begin("compare", total, 0)
        compared = tables = nul = 0
        for reader, writer in pairs:
            for part in reader.parts():
                with _about(part.table):
                    for ours, theirs in zip_longest(
                        batches(reader.rows(part)), batches(writer.rows(part))
                    ):
                        own, other = ours or [], theirs or []
                        require_same(part, list(map(normalised, own)), list(map(normalised, other)))
                        nul += nul_texts(own)
                        compared += len(own)
                        self._progress.advance(len(own))
                tables += 1
            _require_same_numbers(reader, writer)
        return compared, tables, nul


def require_same(
    part: Part, ours: Sequence[tuple[object, ...]], theirs: Sequence[tuple[object, ...]]
) -> None:
    """Raises MoveDifferenceError where a batch of rows is not the same on both sides. Pure."""
    if digest(ours) == digest(theirs):
        return
    key = part.key_of(first_difference(ours, theirs))
    named = ", ".join(f"{name} {value!r}" for name, value in zip(part.key, key, strict=True))
    raise MoveDifferenceError(
        f"{part.table} differs at {named}: the source has changed since it was copied, or the"
        " copy is damaged. The target is not marked as whole, and no server will use it. Begin"
        " again with --restart."
    )


def _require_same_numbers(reader: Reader, writer: Writer) -> None:
    ours, theirs = reader.numbers(), writer.numbers()
    for part in reader.parts():
        if part.numbered and (ours.get(part.table) or 0) != (theirs.get(part.table) or 0):
            raise MoveDifferenceError(
                f"{part.table}: the last id that was given is {theirs.get(part.table)}, in the"
                f" source {ours.get(part.table)}. The target is not marked as whole."
            )


@contextmanager
def _about(table: str) -> Iterator[None]:
    """Name the table in errors."""
    try:
        yield
    except MoveDifferenceError:
        raise
    except StorageError as error:
        raise type(error)(f"{table}: {error}") from error
