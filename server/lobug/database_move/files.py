"""The files of the data folder as one side of a move.

New files are made beside their place (``NAME.moving``) and get their names when all of them are
whole. From the first step to the last a mark (``MOVE_MARK``) lies beside them: a server that is
started meanwhile, or after the move was broken off anywhere, opens none of them and makes none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from lobug.database_move.house import HouseDatabase
from lobug.database_move.plan import Part, parts_of, vector_part
from lobug.database_move.rows import Row
from lobug.database_move.sides import (
    MOVE_COLUMNS,
    Derivation,
    Note,
    Position,
    RowRefusedError,
    require_begun_version,
    require_version,
    vectors_name,
)
from lobug.errors import StorageBusyError, StorageUnfinishedError
from lobug.memory.index.entry_index import CHUNK_SIZE
from lobug.memory.index.entry_index import CREATE as CREATE_VECTORS
from lobug.storage.database import MOVE_MARK, MOVE_TABLE, Checkpoint, no_checkpoint
from lobug.storage.driver import (
    Connection,
    connect,
    create_private,
    integrity_errors,
    typed_errors,
)
from lobug.storage.migrations import migrate, version_of

TIMEOUT_S = 5.0

DERIVATIONS = (
    Derivation(
        "memories_text",
        "memories",
        "id",
        "INSERT INTO memories_text (rowid, key, content, tags)"
        " SELECT id, key, content, tags FROM memories WHERE id > :after AND id <= :upto",
    ),
    Derivation(
        "turn_text",
        "turn_index",
        "message_id",
        # The tokens that the triggers of turn_index would delete.
        "INSERT INTO turn_text (rowid, tokens)"
        " SELECT t.message_id, coalesce((SELECT group_concat(t.owner || 'x' || w.stem, ' ')"
        " FROM json_each(t.words) j CROSS JOIN turn_words w ON w.id = j.value), '')"
        " FROM turn_index t"
        " WHERE t.words IS NOT NULL AND t.message_id > :after AND t.message_id <= :upto",
    ),
)
"""Of memory."""

PIECE = 500
"""Rows from which an index is made at a time."""


class FileReader:
    """A file (a ``Reader``)."""

    def __init__(self, house: HouseDatabase, path: Path, connection: Connection) -> None:
        self.name = house.name
        self._house = house
        self._path = path
        self._connection = connection

    def parts(self) -> Sequence[Part]:
        """The declared tables, then the vectors of entries."""
        found = list(parts_of(self._house.tables))
        if self._house.has_indexes:
            query = "SELECT name, id, dimension FROM vector_indexes ORDER BY id"
            with typed_errors(self._path):
                rows = self._connection.execute(query).fetchall()
            found += [vector_part(vectors_name(name), of, size) for name, of, size in rows]
        return found

    def count(self, part: Part) -> int:
        """How many rows a table has."""
        query = f'SELECT count(*) FROM "{part.table}"'
        if part.index_id:
            query = (
                "SELECT count(*) FROM memory_vectors"
                f" WHERE index_id = {part.index_id} AND usable = 1"
            )
        with typed_errors(self._path):
            (found,) = self._connection.execute(query).fetchone()
        return int(found)

    def rows(self, part: Part, after: Sequence[object] | None = None) -> Iterator[Row]:
        """The rows of a table in the order of its key."""
        with typed_errors(self._path), closing(self._selected(part, after)) as cursor:
            yield from cursor

    def _selected(self, part: Part, after: Sequence[object] | None) -> Any:
        values = list(after or ())
        if part.index_id:
            # Looked up one by one: a vec0 table has no order.
            where = "" if after is None else " AND s.memory_id > ?"
            return self._connection.execute(
                f"SELECT s.memory_id, f.user, f.embedding FROM memory_vectors s"
                f" CROSS JOIN {part.table} f ON f.id = s.memory_id"
                f" WHERE s.index_id = {part.index_id} AND s.usable = 1{where}"
                " ORDER BY s.memory_id",
                values,
            )
        key = listed(part.key)
        where = "" if after is None else f" WHERE ({key}) > ({', '.join('?' * len(values))})"
        return self._connection.execute(
            f'SELECT {listed(part.columns)} FROM "{part.table}"{where} ORDER BY {key}', values
        )

    def numbers(self) -> Mapping[str, int]:
        """The last id that was given of each table whose ids are never given twice."""
        if not any(part.numbered for part in parts_of(self._house.tables)):
            return {}  # SQLite keeps them in a table that it makes for the first one
        with typed_errors(self._path):
            return dict(self._connection.execute("SELECT name, seq FROM sqlite_sequence"))


class FileWriter(FileReader):
    """A file that is being filled (a ``Writer``)."""

    def position(self, name: str) -> Position | None:
        """How far a table has been copied."""
        query = f"SELECT position, rows FROM {MOVE_TABLE} WHERE part = ?"
        with typed_errors(self._path):
            row = self._connection.execute(query, (name,)).fetchone()
        return None if row is None else Position(json.loads(row[0]), row[1])

    def add(self, part: Part, rows: Sequence[Row], position: Position) -> None:
        """Add rows and note how far that is."""
        with self._transaction():
            if part.index_id:
                self._make_vectors(part)
                self._connection.executemany(
                    f"INSERT INTO {part.table}"
                    " (id, user, embedding, content, source, fact_type, created_at)"
                    " SELECT id, ?2, ?3, content, source, fact_type, said_at FROM memories"
                    " WHERE id = ?1",
                    rows,
                )
            else:
                values = ", ".join("?" * len(part.columns))
                self._connection.executemany(
                    f'INSERT INTO "{part.table}" ({listed(part.columns)}) VALUES ({values})', rows
                )
            self._note(part.table, position)

    def derivations(self) -> Sequence[Derivation]:
        """The text indexes."""
        return DERIVATIONS if self._house.has_indexes else ()

    def derive(self, derivation: Derivation, position: Position | None) -> Position | None:
        """Make the next piece of a text index."""
        after, done = (0, 0) if position is None else (position.key[0], position.rows)
        with self._transaction():
            upto, count = self._connection.execute(
                f"SELECT max({derivation.key}), count(*) FROM (SELECT {derivation.key}"
                f" FROM {derivation.table} WHERE {derivation.key} > ?"
                f" ORDER BY {derivation.key} LIMIT {PIECE})",
                (after,),
            ).fetchone()
            if upto is None:
                return None
            self._connection.execute(derivation.statement, {"after": after, "upto": upto})
            reached = Position((upto,), done + count)
            self._note(derivation.name, reached)
        return reached

    def settle(self, numbers: Mapping[str, int]) -> None:
        """Set the numbers of the next rows, put the triggers back, and check all links."""
        with self._transaction():
            for part in self.parts():
                if part.index_id:  # also where it has no vector
                    self._make_vectors(part)
                if part.numbered:
                    self._set_number(part.table, numbers.get(part.table))
            there = {name for name, _ in self._triggers(self._connection)}
            for name, text in _triggers_of(self._house):
                if name not in there:
                    self._connection.execute(text)
            broken = self._connection.execute("PRAGMA foreign_key_check").fetchone()
            if broken is not None:
                raise RowRefusedError(
                    f"{self._path}: a row of {broken[0]} links to one of {broken[2]} that is"
                    " missing in the source"
                )

    def _set_number(self, table: str, number: int | None) -> None:
        self._connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        if number is not None:
            self._connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number)
            )

    def _make_vectors(self, part: Part) -> None:
        there = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if self._connection.execute(there, (part.table,)).fetchone() is None:
            self._connection.execute(
                CREATE_VECTORS.sqlite.format(
                    name=part.table, dimension=part.dimension, chunk_size=CHUNK_SIZE
                )
            )

    def _note(self, name: str, position: Position) -> None:
        self._connection.execute(
            f"INSERT OR REPLACE INTO {MOVE_TABLE} VALUES (?, ?, ?, 0)",
            (name, json.dumps(list(position.key), ensure_ascii=False), position.rows),
        )

    def begin(self, note: Note, *, new: bool) -> None:
        """Note the move in a ``new`` file, and take the triggers away: what they would make is
        copied. An earlier run may have put them back already."""
        with self._transaction():
            if new:
                self._connection.execute(f"CREATE TABLE {MOVE_TABLE} {MOVE_COLUMNS}")
                self._connection.execute(
                    f"INSERT INTO {MOVE_TABLE} VALUES ('', ?, 0, 0)", (note.text(),)
                )
            for name, _ in self._triggers(self._connection):
                self._connection.execute(f'DROP TRIGGER "{name}"')

    def complete(self, note: Note) -> None:
        """Note that the file is whole. How far its tables are stays until all files are: the next
        run may have to go on."""
        with self._transaction():
            self._connection.execute(
                f"UPDATE {MOVE_TABLE} SET position = ?, done = 1 WHERE part = ''", (note.text(),)
            )

    @staticmethod
    def _triggers(connection: Connection) -> list[tuple[str, str]]:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
        return connection.execute(query).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with typed_errors(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if isinstance(error, integrity_errors()):
                    raise RowRefusedError(
                        f"{self._path}: a row of the source breaks a rule ({error})"
                    ) from error
                raise


class FileSource:
    """The files of a data folder, to be read (a ``Source``). Its rows stay as they are."""

    def __init__(self, databases: Sequence[HouseDatabase], folder: Path) -> None:
        self.place = str(folder)
        self._folder = folder
        self._databases = databases
        self._open: list[tuple[FileReader, Connection]] = []

    def __enter__(self) -> FileSource:
        try:
            for house in self._databases:
                if house.path.is_file():
                    self._open.append(_opened(house, house.path))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        while self._open:
            self._open.pop()[1].close()

    @property
    def identity(self) -> str:
        """The folder itself, which another one with its name is not. Not the computer: the name of
        a container is another one at each start."""
        with typed_errors(self._folder):
            return f"{self._folder.resolve()} {self._folder.stat().st_ino}"

    def readers(self) -> Sequence[FileReader]:
        """The files that are there."""
        return [reader for reader, _ in self._open]


class FileTarget:
    """New files of a data folder (a ``Target``)."""

    def __init__(
        self,
        databases: Sequence[HouseDatabase],
        folder: Path,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        self.place = str(folder)
        self._databases = databases
        self._clock = clock
        self._checkpoint = checkpoint
        self._open: dict[str, tuple[FileWriter, Connection]] = {}
        self._read: list[tuple[FileReader, Connection]] = []

    def __enter__(self) -> FileTarget:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; the last connection to one folds its log in."""
        while self._open:
            self._open.popitem()[1][1].close()
        while self._read:
            self._read.pop()[1].close()

    def notes(self) -> Mapping[str, Note]:
        """What stands in files that are being filled, and in those that have their name already."""
        found = {}
        for house in self._databases:
            for path in (moving(house.path), house.path):
                note = _note_of(path)
                if note is not None:
                    found[house.name] = note
                    break
        return found

    def filled(self) -> Sequence[str]:
        """Files that are there and that no move has made. The log of a file that is gone is one: it
        would be taken for that of the new file."""
        return [
            str(path)
            for house in self._databases
            if _note_of(house.path) is None
            for path in (house.path, _beside(house.path, "-wal"), _beside(house.path, "-shm"))
            if path.exists()
        ]

    def begin(self, names: Sequence[str], note: Note) -> None:
        """Make the files that are not there yet."""
        for mark in self._marks:
            with typed_errors(mark):
                mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                create_private(mark)
                _sync(mark.parent)
        for house in self._databases:
            if house.name not in names:
                continue
            path = moving(house.path)
            there = _note_of(path) is not None
            if not there:
                _delete(path)  # one that was broken off before anything was noted in it
            with typed_errors(path):
                create_private(path)
                connection = connect(str(path), timeout_s=TIMEOUT_S)
                writer = FileWriter(house, path, connection)
                self._open[house.name] = writer, connection
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("PRAGMA foreign_keys = OFF")
                if there:
                    require_begun_version(str(path), version_of(connection), len(house.steps))
                else:
                    migrate(
                        connection,
                        path,
                        legacy_user="",
                        backups_keep=0,
                        now=self._clock(),
                        checkpoint=no_checkpoint,
                        steps=house.steps,
                    )
            writer.begin(note, new=not there)

    def writers(self) -> Sequence[FileWriter]:
        """The files that were begun."""
        return [writer for writer, _ in self._open.values()]

    def readers(self, names: Sequence[str]) -> Sequence[FileReader]:
        """The files, whether they have their names already or not."""
        for house in self._databases:
            if house.name in names:
                path = moving(house.path)
                self._read.append(_opened(house, path if path.exists() else house.path))
        return [reader for reader, _ in self._read]

    def complete(self, note: Note) -> None:
        """Note in all files that they are whole, give them their names, and let servers use them.
        Raises StorageBusyError where another program has one of them open."""
        for writer in self.writers():
            writer.complete(note)
            self._checkpoint("move.noted")
        self.close()
        left = [house.path for house in self._databases if moving(house.path).exists()]
        for path in left:
            with typed_errors(moving(path)):
                _fold(moving(path))
        for path in left:
            with typed_errors(path):
                moving(path).replace(path)
                _sync(path.parent)
            self._checkpoint("move.named")
        self._remove_marks()

    def discard(self) -> None:
        """Delete the files that are being filled. Raises StorageUnfinishedError where some have
        their names already."""
        self.close()
        named = [str(house.path) for house in self._databases if _note_of(house.path) is not None]
        if named and any(mark.exists() for mark in self._marks):
            raise StorageUnfinishedError(
                f"everything was copied and compared, and {', '.join(named)} had got their names"
                " when that move was broken off. Nothing was changed. The same command without"
                " --restart finishes it; to begin again, move these away first."
            )
        for house in self._databases:
            _delete(moving(house.path))
        self._remove_marks()

    @property
    def _marks(self) -> Sequence[Path]:
        """One beside the files, and another one where memory is in a folder of its own."""
        return sorted({house.path.with_name(MOVE_MARK) for house in self._databases})

    def _remove_marks(self) -> None:
        for mark in self._marks:
            if mark.exists():
                with typed_errors(mark):
                    mark.unlink()
                    _sync(mark.parent)


def moving(path: Path) -> Path:
    """Where a new file is made."""
    return _beside(path, ".moving")


def _opened(house: HouseDatabase, path: Path) -> tuple[FileReader, Connection]:
    """A file, to be read as it is now."""
    with typed_errors(path):
        connection = connect(str(path), timeout_s=TIMEOUT_S)
        try:
            connection.execute("PRAGMA query_only = ON")
            require_version(str(path), version_of(connection), len(house.steps))
            connection.execute("BEGIN")
        except BaseException:
            connection.close()
            raise
    return FileReader(house, path, connection), connection


def listed(columns: Sequence[str]) -> str:
    """Names of columns, as they stand in SQL: ``user`` is a word of PostgreSQL's."""
    return ", ".join(f'"{name}"' for name in columns)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _delete(path: Path) -> None:
    with typed_errors(path):
        for suffix in ("-wal", "-shm", "-journal", ""):
            _beside(path, suffix).unlink(missing_ok=True)


def _note_of(path: Path) -> Note | None:
    """What a move has noted in a file; None: nothing, or there is no file."""
    if not path.is_file():
        return None
    with typed_errors(path), closing(connect(str(path), timeout_s=TIMEOUT_S)) as connection:
        there = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if connection.execute(there, (MOVE_TABLE,)).fetchone() is None:
            return None
        row = connection.execute(f"SELECT position FROM {MOVE_TABLE} WHERE part = ''").fetchone()
        return None if row is None else Note.of(row[0])


def _fold(path: Path) -> None:
    """Delete the keys of rows, which may be words and are no longer needed, and put all that is in
    the log into the file, which is about to lose it: the log does not follow to the new name.
    Raises StorageBusyError where another program has the file open."""
    with closing(connect(str(path), timeout_s=TIMEOUT_S)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"DELETE FROM {MOVE_TABLE} WHERE part <> ''")
        (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    log = _beside(path, "-wal")
    if mode != "delete" or (log.exists() and log.stat().st_size):
        raise StorageBusyError(f"another program has {path} open")


def _triggers_of(house: HouseDatabase) -> list[tuple[str, str]]:
    """The triggers that the migrations make, in their order."""
    with closing(connect(":memory:", timeout_s=TIMEOUT_S)) as connection:
        for step in house.steps:
            step(connection, "")
        return FileWriter._triggers(connection)


def _sync(folder: Path) -> None:
    """Make sure that names of files survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
