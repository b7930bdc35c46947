"""The move itself: copy, make the indexes, compare everything, and only then say that it is whole.

It may be killed at any moment. What has been copied is noted in the same transaction as the rows,
so that the next run goes on after the last batch; and the other side is compared as a whole by
whichever run finishes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
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
from lobug.database_move.sides import (
    Note,
    Position,
    Reader,
    RowRefusedError,
    Source,
    Target,
    Writer,
)
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
    """When an earlier run had completed it: nothing was copied, only compared. Seconds since the
    epoch."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A move that is to be made or gone on with."""

    note: Note
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """A move that was whole once. Either side may have changed since."""

    note: Note


def planned(source: Source) -> list[PlannedTable]:
    """What would be copied."""
    return [
        PlannedTable(reader.name, part.table, reader.count(part))
        for reader in source.readers()
        for part in reader.parts()
    ]


def decide(
    names: Sequence[str], new: Note, notes: Mapping[str, Note], filled: Sequence[str]
) -> Begun | Finished:
    """What is to be done with a target in which ``notes`` and ``filled`` were found. ``new``: the
    note of the move if it is a new one. Pure.

    Raises MoveTargetError where it holds anything else than this move, StorageUnfinishedError where
    it holds a part of another one.
    """
    open_notes = [note for note in notes.values() if note.completed_at is None]
    if open_notes:
        one = open_notes[0]
        if one.source_id != new.source_id or {note.move for note in notes.values()} != {one.move}:
            which = "another one at that place" if one.source == new.source else new.source
            raise StorageUnfinishedError(
                f"a move from {one.source} was begun there and is not finished; this one is from"
                f" {which}. Nothing was changed. Finish that one, or let --restart delete what it"
                " has copied."
            )
        if gone := sorted(set(notes) - set(names)):
            raise StorageUnfinishedError(
                f"a move of {', '.join(gone)} was begun there, which the source does not have any"
                " more. Nothing was changed. Begin again with --restart."
            )
    if filled:
        shown = ", ".join(filled[:5]) + (", ..." if len(filled) > 5 else "")
        raise MoveTargetError(
            f"it is not empty: {shown}. Nothing was changed. Move to an empty database, or move"
            " these away first."
        )
    if open_notes:
        return Begun(open_notes[0], goes_on=True)
    if notes:
        last = next(iter(notes.values()))
        moves = {note.move for note in notes.values()}
        if set(notes) == set(names) and moves == {last.move} and last.source_id == new.source_id:
            return Finished(last)
        raise MoveTargetError(
            f"it is not empty: {', '.join(sorted(notes))} were moved there from {last.source}."
            " Nothing was changed."
        )
    return Begun(new)


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
            Note(
                secrets.token_hex(8),
                self._source.place,
                self._clock(),
                source_id=self._source.identity,
            ),
            self._target.notes(),
            [f"{self._target.place}: {one}" for one in self._target.filled()],
        )

    def run(self, found: Begun | Finished) -> Outcome:
        """Move, or compare what an earlier run has moved. Raises StorageError; MoveDifferenceError
        where the target does not hold what the source holds, and it is not whole then;
        MoveTargetError where it was whole once, and they are not the same any more."""
        if isinstance(found, Finished):
            return self._compared_again(found.note)
        readers = {reader.name: reader for reader in self._source.readers()}
        self._target.begin(tuple(readers), found.note)
        self._checkpoint("move.begun")
        pairs = [(readers[writer.name], writer) for writer in self._target.writers()]
        total = sum(reader.count(part) for reader, _ in pairs for part in reader.parts())
        with _changed_since_begun() if found.goes_on else nullcontext():
            resumed = self._copy(pairs, total)
            self._index(pairs)
        with _not_whole():
            rows, tables, nul = self._compare(pairs, total)
        self._checkpoint("move.compared")
        self._target.complete(replace(found.note, completed_at=self._clock()))
        return Outcome(found.note.move, rows, tables, resumed, nul)

    def _compared_again(self, note: Note) -> Outcome:
        """Compare what an earlier run has moved; do what it did not come to."""
        ours = {reader.name: reader for reader in self._source.readers()}
        pairs = [(ours[one.name], one) for one in self._target.readers(tuple(ours))]
        total = sum(reader.count(part) for reader, _ in pairs for part in reader.parts())
        try:
            rows, tables, nul = self._compare(pairs, total)
        except MoveDifferenceError as error:
            raise MoveTargetError(
                f"it holds what was moved there at {shown_time(note.completed_at)}, and since then"
                f" one of both or both have changed: {error}. Nothing was copied, and nothing was"
                " changed. To move again, move what is there away first."
            ) from error
        self._target.complete(note)  # names of files that the earlier run did not give
        return Outcome(note.move, rows, tables, 0, nul, note.completed_at)

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

    def _compare(self, pairs: Sequence[tuple[Reader, Reader]], total: int) -> tuple[int, int, int]:
        """Read both sides again, row by row. Returns rows, tables, and texts with NUL."""
        self._progress.begin("compare", total, 0)
        compared = tables = nul = 0
        for reader, copied in pairs:
            for part in reader.parts():
                self._checkpoint("move.comparing")
                with _about(part.table):
                    for ours, theirs in zip_longest(
                        batches(reader.rows(part)), batches(copied.rows(part))
                    ):
                        own, other = ours or [], theirs or []
                        require_same(part, list(map(normalised, own)), list(map(normalised, other)))
                        nul += nul_texts(own)
                        compared += len(own)
                        self._progress.advance(len(own))
                tables += 1
            _require_same_numbers(reader, copied)
        return compared, tables, nul


def require_same(
    part: Part, ours: Sequence[tuple[object, ...]], theirs: Sequence[tuple[object, ...]]
) -> None:
    """Raises MoveDifferenceError where a batch of rows is not the same on both sides. Pure."""
    if digest(ours) == digest(theirs):
        return
    key = part.key_of(first_difference(ours, theirs))
    named = ", ".join(f"{name} {value!r}" for name, value in zip(part.key, key, strict=True))
    raise MoveDifferenceError(f"{part.table} differs at {named}")


def shown_time(at: float | None) -> str:
    """A time for people, in the time zone of this computer."""
    return "" if at is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def _require_same_numbers(reader: Reader, copied: Reader) -> None:
    ours, theirs = reader.numbers(), copied.numbers()
    for part in reader.parts():
        if part.numbered and (ours.get(part.table) or 0) != (theirs.get(part.table) or 0):
            raise MoveDifferenceError(
                f"{part.table}: the last id that was given is {theirs.get(part.table)}, in the"
                f" source {ours.get(part.table)}"
            )


@contextmanager
def _changed_since_begun() -> Iterator[None]:
    """Say why a row does not fit to what an earlier run has copied."""
    try:
        yield
    except RowRefusedError as error:
        raise MoveDifferenceError(
            f"{error}. The source has changed since the move was begun, or it contradicts itself."
            " The target is not marked as whole, and no server will use it. Begin again with"
            " --restart."
        ) from error


@contextmanager
def _not_whole() -> Iterator[None]:
    """Say what follows from a difference."""
    try:
        yield
    except MoveDifferenceError as error:
        raise MoveDifferenceError(
            f"{error}: the source has changed since it was copied, or the copy is damaged. The"
            " target is not marked as whole, and no server will use it. Begin again with"
            " --restart."
        ) from error


@contextmanager
def _about(table: str) -> Iterator[None]:
    """Name the table in errors."""
    try:
        yield
    except MoveDifferenceError:
        raise
    except StorageError as error:
        raise type(error)(f"{table}: {error}") from error
