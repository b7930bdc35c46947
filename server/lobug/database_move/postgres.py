"""PostgreSQL as one side of a move. Imported only where its driver is installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from psycopg import IntegrityError, errors, sql

from lobug.database_move.files import listed
from lobug.database_move.house import HouseDatabase
from lobug.database_move.plan import ROWID, Part, links_ahead, parts_of, vector_part
from lobug.database_move.rows import Row, normalised
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
from lobug.errors import (
    StorageBusyError,
    StorageError,
    StorageReadOnlyError,
    StorageUnfinishedError,
)
from lobug.memory.index.entry_index import CREATE as CREATE_VECTORS
from lobug.storage.database import MOVE_TABLE, Checkpoint, no_checkpoint
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.database import SNAPSHOT, PostgresDatabase, PostgresOptions
from lobug.storage.postgres.errors import typed_errors
from lobug.storage.postgres.locks import EVERYBODY, lock_class
from lobug.storage.postgres.migration import require_schema, unfinished_move
from lobug.storage.postgres.schemas import STEPS
from lobug.storage.postgres.session import configure

FETCHED = 200
"""Rows that are fetched at once where they are short."""

FETCHED_BYTES = 4_000_000
"""About as many bytes are fetched at once where they are long: a message may be a megabyte."""

PIECE = 500
"""Rows from which an index is made at a time."""

NAME = "lobug database move"
"""What our connections are called, so that they are not taken for a server's."""

PATIENT = """
SELECT set_config('application_name', %s, false), set_config('statement_timeout', '0', false),
       set_config('idle_in_transaction_session_timeout', '0', false),
       set_config('transaction_timeout', '0', false),
       set_config('idle_session_timeout', '0', false), set_config('extra_float_digits', '1', false)
"""

OTHERS = """
SELECT count(*), min(host(client_addr)) FROM pg_stat_activity
WHERE datname = current_database() AND application_name <> %s
  AND (application_name = %s OR application_name LIKE 'lobug%%')
"""
"""Connections of servers and commands to the same database."""

LONG = """
SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0
  AND NOT attisdropped AND atttypid IN ('text'::regtype, 'bytea'::regtype)
"""
"""The columns of a table whose values may be long."""

USES = (
    '(SELECT coalesce(sum(p.uses), 0)::bigint FROM turn_postings p WHERE p.word_id = "turn_words"'
    '.id) AS "uses"'
)
"""How often a word is used: kept for each person here, so that the word's own number stays 1."""

OWN_USES = 1

DERIVATIONS = (
    Derivation(
        "memory_tokens",
        "memories",
        "id",
        "INSERT INTO memory_tokens SELECT m.id, word_tokens(l.owner, m.key),"
        " word_tokens(l.owner, m.content), word_tokens(l.owner, m.tags)"
        " FROM memories m JOIN memory_lengths l ON l.memory_id = m.id"
        " WHERE m.id > %(after)s AND m.id <= %(upto)s",
    ),
    Derivation(
        "turn_postings",
        "turn_index",
        "message_id",
        "SELECT post_turns(%(after)s, %(upto)s)",
    ),
)
"""Of memory."""


class SchemaReader:
    """A schema (a ``Reader``)."""

    def __init__(self, house: HouseDatabase, raw: Raw, place: str) -> None:
        self.name = house.name
        self._house = house
        self._raw = raw
        self._place = place

    def parts(self) -> Sequence[Part]:
        """The declared tables, then the vectors of entries."""
        found = list(parts_of(self._house.tables))
        if self._house.has_indexes:
            with typed_errors(self._place):
                rows = self._raw.execute(
                    "SELECT name, id, dimension FROM vector_indexes ORDER BY id"
                ).fetchall()
            found += [vector_part(vectors_name(name), of, size) for name, of, size in rows]
        return found

    def count(self, part: Part) -> int:
        """How many rows a table has."""
        with typed_errors(self._place):
            return int(self._one(f'SELECT count(*) FROM "{part.table}"')[0])

    def rows(self, part: Part, after: Sequence[object] | None = None) -> Iterator[Row]:
        """The rows of a table in the order of its key, a few megabytes in memory at a time."""
        key = listed(part.key)
        where = "" if after is None else f" WHERE ({key}) > ({', '.join(['%s'] * len(part.key))})"
        columns = ", ".join(map(_read(part), part.columns))
        query = f'SELECT {columns} FROM "{part.table}"{where} ORDER BY {key}'
        with (
            typed_errors(self._place),
            self._one_state(),
            self._raw.cursor(name="moved") as cursor,
        ):
            cursor.itersize = self._fetched(part)
            cursor.execute(query.encode(), list(after) if after is not None else None)
            for row in cursor:
                yield (*row[:2], _vector_bytes(row[2])) if part.index_id else tuple(row)

    def _fetched(self, part: Part) -> int:
        """How many rows of a table may be in memory at once. PostgreSQL knows the length of a long
        value without reading it."""
        if part.index_id:
            return FETCHED
        names = [name for (name,) in self._raw.execute(LONG, (f'"{part.table}"',)).fetchall()]
        if not names:
            return FETCHED
        length = " + ".join(f'coalesce(octet_length("{name}"), 0)' for name in names)
        (longest,) = self._one(f'SELECT max({length}) FROM "{part.table}"')
        return max(1, min(FETCHED, FETCHED_BYTES // (longest or 1)))

    def numbers(self) -> Mapping[str, int]:
        """The last id that was given of each table whose ids are never given twice."""
        found = {}
        with typed_errors(self._place):
            for part in parts_of(self._house.tables):
                if part.numbered:
                    last = self._one(
                        "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)",
                        part.table,
                        part.key[0],
                    )[0]
                    if last is not None:
                        found[part.table] = int(last)
        return found

    @contextmanager
    def _one_state(self) -> Iterator[None]:
        """Within the transaction that is open already, or one of its own."""
        if self._raw.info.transaction_status:
            yield
            return
        with self._raw.transaction():
            yield

    def _one(self, query: str, *values: object) -> tuple[Any, ...]:
        row = self._raw.execute(query.encode(), values or None).fetchone()
        if row is None:
            raise LookupError(query)
        return tuple(row)


class SchemaWriter(SchemaReader):
    """A schema that is being filled (a ``Writer``)."""

    def position(self, name: str) -> Position | None:
        """How far a table has been copied."""
        with typed_errors(self._place):
            row = self._raw.execute(
                f"SELECT position, rows FROM {MOVE_TABLE} WHERE part = %s".encode(), (name,)
            ).fetchone()
        return None if row is None else Position(json.loads(row[0]), row[1])

    def add(self, part: Part, rows: Sequence[Row], position: Position) -> None:
        """Add rows and note how far that is."""
        copy_in = f'COPY "{part.table}" ({listed(part.columns)}) FROM STDIN'
        fixed = part.columns.index("uses") if part.table == "turn_words" else None
        with self._changing():
            self._make_vectors(part)
            with self._raw.cursor() as cursor, cursor.copy(copy_in.encode()) as copy:
                for row in rows:
                    values = list(normalised(row))
                    if part.index_id:
                        values[2] = _vector_text(values[2])
                    if fixed is not None:
                        values[fixed] = OWN_USES
                    copy.write_row(values)
            self._note(part.table, position)

    def derivations(self) -> Sequence[Derivation]:
        """The indexes of words."""
        return DERIVATIONS if self._house.has_indexes else ()

    def derive(self, derivation: Derivation, position: Position | None) -> Position | None:
        """Make the next piece of an index."""
        after, done = (0, 0) if position is None else (position.key[0], position.rows)
        with self._changing():
            upto, count = self._one(
                f"SELECT max({derivation.key}), count(*) FROM (SELECT {derivation.key}"
                f" FROM {derivation.table} WHERE {derivation.key} > %s"
                f" ORDER BY {derivation.key} LIMIT {PIECE}) t",
                after,
            )
            if upto is None:
                return None
            self._raw.execute(derivation.statement.encode(), {"after": after, "upto": upto})
            reached = Position((upto,), done + count)
            self._note(derivation.name, reached)
        return reached

    def settle(self, numbers: Mapping[str, int]) -> None:
        """Set the numbers of the next rows, put triggers and links back, and let the planner look
        at the tables."""
        with self._changing():
            for part in self.parts():
                self._make_vectors(part)  # also where it has none
                if not part.index_id:
                    self._set_numbers(part, numbers.get(part.table, 0))
                    self._raw.execute(f'ALTER TABLE "{part.table}" ENABLE TRIGGER USER'.encode())
            self._restore_links()
            for part in self.parts():
                self._raw.execute(f'ANALYZE "{part.table}"'.encode())

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction. Rows that PostgreSQL does not accept are no conflict with anybody."""
        try:
            with typed_errors(self._place), self._raw.transaction():
                yield
        except StorageError as error:
            cause = error.__cause__
            if isinstance(cause, IntegrityError):
                raise RowRefusedError(
                    f"{self._place}: a row of the source breaks the rule"
                    f" {cause.diag.constraint_name} ({type(cause).__name__})"
                ) from cause
            raise

    def _set_numbers(self, part: Part, last: int) -> None:
        for column in {*part.key, *part.columns} & {"id", ROWID}:
            (sequence,) = self._one("SELECT pg_get_serial_sequence(%s, %s)", part.table, column)
            if sequence is None:
                continue
            (most,) = self._one(f'SELECT coalesce(max("{column}"), 0) FROM "{part.table}"')
            given = max(most, 0 if column == ROWID else last)
            self._one(
                "SELECT setval(%s::regclass, greatest(%s, 1), %s)", sequence, given, given > 0
            )

    def _make_vectors(self, part: Part) -> None:
        if part.index_id and self._one("SELECT to_regclass(%s) IS NULL", part.table) == (True,):
            self._raw.execute(
                CREATE_VECTORS.postgres.format(name=part.table, dimension=part.dimension).encode()
            )

    def _note(self, name: str, position: Position) -> None:
        self._raw.execute(
            f"INSERT INTO {MOVE_TABLE} VALUES (%s, %s, %s, 0)"
            " ON CONFLICT (part) DO UPDATE SET position = excluded.position,"
            " rows = excluded.rows".encode(),
            (name, json.dumps(list(position.key), ensure_ascii=False), position.rows),
        )

    def note(self, note: Note) -> None:
        """Note the move, in the transaction that is under way; the schema is made where it is not
        there yet."""
        require_schema(self._raw, self._house.schema)
        move = sql.Identifier(self._house.schema, MOVE_TABLE)
        self._raw.execute(sql.SQL("CREATE TABLE {} ").format(move) + sql.SQL(MOVE_COLUMNS))
        # As with all words: samples of keys would outlive what was forgotten.
        self._raw.execute(
            sql.SQL("ALTER TABLE {} ALTER COLUMN position SET STATISTICS 0").format(move)
        )
        self._raw.execute(
            sql.SQL("INSERT INTO {} VALUES ('', %s, 0, 0)").format(move), (note.text(),)
        )

    def begin(self) -> None:
        """Take away what is in the way of the copy: triggers, since what they would make is copied,
        and links to rows that come later. An earlier run may have put them back already."""
        with typed_errors(self._place), self._raw.transaction():
            for part in parts_of(self._house.tables):
                self._raw.execute(f'ALTER TABLE "{part.table}" DISABLE TRIGGER USER'.encode())
            for table, column, name in self._links():
                if any((one.table, one.column) == (table, column) for one in self._ahead):
                    self._raw.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"'.encode())

    def complete(self, note: Note) -> None:
        """Note that the schema is whole, in the transaction that is under way. The keys of rows,
        which may be words, are forgotten."""
        move = sql.Identifier(self._house.schema, MOVE_TABLE)
        self._raw.execute(sql.SQL("DELETE FROM {}").format(move))
        self._raw.execute(
            sql.SQL("INSERT INTO {} VALUES ('', %s, 0, 1)").format(move), (note.text(),)
        )

    def clear(self) -> None:
        """Delete all rows, and put back what was taken away for the copy. The note stays."""
        with typed_errors(self._place), self._raw.transaction():
            for part in self.parts():
                if part.index_id:
                    self._raw.execute(f'DROP TABLE IF EXISTS "{part.table}"'.encode())
            declared = parts_of(self._house.tables)
            names = [part.table for part in declared]
            names += [one.name for one in self.derivations()]
            self._raw.execute(f"TRUNCATE {listed(names)} RESTART IDENTITY".encode())
            for part in declared:
                self._raw.execute(f'ALTER TABLE "{part.table}" ENABLE TRIGGER USER'.encode())
            self._restore_links()
            self._raw.execute(f"DELETE FROM {MOVE_TABLE} WHERE part <> ''".encode())

    def filled(self) -> Sequence[str]:
        """The tables that have rows."""
        with typed_errors(self._place):
            return [
                part.table
                for part in parts_of(self._house.tables)
                if self._one("SELECT to_regclass(%s) IS NOT NULL", part.table) == (True,)
                and self._one(f'SELECT EXISTS (SELECT 1 FROM "{part.table}")') == (True,)
            ]

    @property
    def _ahead(self) -> Sequence[Any]:
        return links_ahead(self._house.tables)

    def _links(self) -> list[tuple[str, str, str]]:
        """The foreign keys of the schema, each of one column: table, column, name."""
        return self._raw.execute(
            "SELECT t.relname, a.attname, c.conname FROM pg_constraint c"
            " JOIN pg_class t ON t.oid = c.conrelid"
            " JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.conkey[1]"
            " WHERE c.contype = 'f' AND t.relnamespace = current_schema()::regnamespace"
        ).fetchall()

    def _restore_links(self) -> None:
        there = {(table, column) for table, column, _ in self._links()}
        for one in self._ahead:
            if (one.table, one.column) not in there:
                deleted = f" ON DELETE {one.on_delete}" if one.on_delete else ""
                self._raw.execute(
                    f'ALTER TABLE "{one.table}" ADD FOREIGN KEY ("{one.column}")'
                    f' REFERENCES "{one.target}" ("{one.target_column}"){deleted}'.encode()
                )


class _Side:
    """Connections to all schemas of a PostgreSQL, with the lock that each write of a server needs,
    so that no server and no command writes meanwhile."""

    def __init__(self, databases: Sequence[HouseDatabase], url: str, patience_s: float) -> None:
        self._address = Address.of(url)
        self.place = self._address.place
        self._databases = databases
        self._url = url
        self._patience_s = patience_s
        self._raws: dict[str, Raw] = {}

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, which gives the locks back."""
        while self._raws:
            self._raws.popitem()[1].close()

    def _open(self) -> None:
        """Raises StorageBusyError where a server or a command uses the database."""
        try:
            with typed_errors(self.place):
                for house in self._databases:
                    self._raws[house.name] = self._locked(house)
        except BaseException:
            self.close()
            raise

    def _locked(self, house: HouseDatabase) -> Raw:
        raw = self._address.connect(self._patience_s)
        try:
            (named,) = raw.execute("SELECT current_setting('application_name')").fetchone() or ("",)
            configure(raw, house.schema, self._patience_s)
            raw.execute(PATIENT, (NAME,))
            raw.execute("SELECT pg_advisory_lock(%s, %s)", (lock_class(house.schema), EVERYBODY))
            self._require_unused(raw, named)
        except BaseException:
            raw.close()
            raise
        return raw

    def _require_unused(self, raw: Raw, named: str) -> None:
        """``named``: what a server calls its connections that has the same address."""
        row = raw.execute(OTHERS, (NAME, named)).fetchone()
        if row is not None and row[0]:
            where = f" from {row[1]}" if row[1] else ""
            raise StorageBusyError(
                f"a Lo-Bug server or command uses {self.place} ({row[0]} connections{where})."
                " Nothing was changed. Stop it first."
            )

    def _version(self, house: HouseDatabase) -> int | None:
        raw = self._raws[house.name]
        with typed_errors(self.place):
            there = raw.execute(
                "SELECT to_regclass(%s) IS NOT NULL", (f"{house.schema}.schema_version",)
            ).fetchone()
            if there != (True,):
                return None
            row = raw.execute("SELECT version FROM schema_version").fetchone()
            return None if row is None else int(row[0])


class PostgresSource(_Side):
    """The schemas of a PostgreSQL, to be read (a ``Source``)."""

    def __enter__(self) -> PostgresSource:
        self._open()
        try:
            for house in self._databases:
                self._require_whole(house)
        except BaseException:
            self.close()
            raise
        return self

    @property
    def identity(self) -> str:
        """The cluster, as far as its user may ask for it, and the database in it."""
        raw = next(iter(self._raws.values()))
        with typed_errors(self.place):
            (database,) = raw.execute(
                "SELECT oid FROM pg_database WHERE datname = current_database()"
            ).fetchone() or ("",)
            try:
                (cluster,) = raw.execute(
                    "SELECT system_identifier FROM pg_control_system()"
                ).fetchone() or ("",)
            except errors.InsufficientPrivilege:
                cluster = f"{self.place} {raw.info.port}"
        return f"{cluster} {database}"

    def readers(self) -> Sequence[SchemaReader]:
        """The schemas that are there."""
        return [
            SchemaReader(house, self._raws[house.name], self.place)
            for house in self._databases
            if self._version(house) is not None
        ]

    def _require_whole(self, house: HouseDatabase) -> None:
        raw = self._raws[house.name]
        version = self._version(house)
        with typed_errors(self.place):
            if version is not None:
                require_version(self.place, version, len(STEPS[house.schema]))
            if unfinished_move(raw, house.schema) is not None:
                raise StorageUnfinishedError(
                    f"{self.place} does not hold everything: a move to it was broken off"
                )
            raw.execute(SNAPSHOT)


class PostgresTarget(_Side):
    """The schemas of a PostgreSQL, to be filled (a ``Target``)."""

    def __init__(
        self,
        databases: Sequence[HouseDatabase],
        url: str,
        *,
        patience_s: float,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        super().__init__(databases, url, patience_s)
        self._clock = clock
        self._checkpoint = checkpoint
        self._begun: list[SchemaWriter] = []

    def __enter__(self) -> PostgresTarget:
        self._open()
        return self

    def notes(self) -> Mapping[str, Note]:
        """What stands in the schemas."""
        found = {}
        with typed_errors(self.place):
            for house in self._databases:
                raw = self._raws[house.name]
                name = f"{house.schema}.{MOVE_TABLE}"
                if raw.execute("SELECT to_regclass(%s) IS NULL", (name,)).fetchone() == (True,):
                    continue
                row = raw.execute(
                    f"SELECT position FROM {MOVE_TABLE} WHERE part = ''".encode()
                ).fetchone()
                if row is not None:
                    found[house.name] = Note.of(row[0])
        return found

    def filled(self) -> Sequence[str]:
        """Tables that have rows which no move has brought."""
        noted = self.notes()
        return [
            f"{house.schema}.{table}"
            for house in self._databases
            if house.name not in noted and self._version(house) is not None
            for table in self._writer(house).filled()
        ]

    def begin(self, names: Sequence[str], note: Note) -> None:
        """Note the move in all schemas at once, so that from then on no server opens any of them;
        then make them as a server's start would."""
        noted = self.notes()
        wanted = [house for house in self._databases if house.name in names]
        for house in wanted:
            version = self._version(house)
            if house.name not in noted:
                self._require_owner(house)
            elif version is not None:  # None: it was broken off before they were made
                newest = len(STEPS[house.schema])
                require_begun_version(f"{self.place} {house.schema}", version, newest)
        raw = self._raws[wanted[0].name]
        with typed_errors(self.place), raw.transaction():
            for house in wanted:
                if house.name not in noted:
                    SchemaWriter(house, raw, self.place).note(note)
        self._checkpoint("move.marked")
        for house in wanted:
            self._prepare(house)
            writer = self._writer(house)
            writer.begin()
            self._begun.append(writer)

    def _prepare(self, house: HouseDatabase) -> None:
        raw = self._raws[house.name]
        options = PostgresOptions(
            self._url,
            schema=house.schema,
            steps=STEPS[house.schema],
            vectors=house.has_indexes,
            patience_s=self._patience_s,
        )
        with typed_errors(self.place):
            PostgresDatabase(options, clock=self._clock).prepare(raw)
            configure(raw, house.schema, self._patience_s)  # where pgvector is now
            raw.execute(PATIENT, (NAME,))

    def _require_owner(self, house: HouseDatabase) -> None:
        """Only the owner of a table may switch its triggers off."""
        with typed_errors(self.place):
            foreign = (
                self._raws[house.name]
                .execute(
                    "SELECT relname FROM pg_class WHERE relkind = 'r'"
                    " AND relnamespace = to_regnamespace(%s)"
                    " AND NOT pg_has_role(relowner, 'USAGE') ORDER BY relname LIMIT 5",
                    (house.schema,),
                )
                .fetchall()
            )
        if foreign:
            names = ", ".join(name for (name,) in foreign)
            raise StorageReadOnlyError(
                f"{self.place}: its user does not own the tables {names}, which a move needs."
                " Nothing was changed."
            )

    def writers(self) -> Sequence[SchemaWriter]:
        """The schemas that were begun."""
        return self._begun

    def readers(self, names: Sequence[str]) -> Sequence[SchemaReader]:
        """Schemas that a move has filled."""
        found = [house for house in self._databases if house.name in names]
        for house in found:
            newest = len(STEPS[house.schema])
            require_version(f"{self.place} {house.schema}", self._version(house), newest)
        return [self._writer(house) for house in found]

    def complete(self, note: Note) -> None:
        """Note in all schemas at once that they are whole."""
        if not self._begun:
            return
        raw = self._raws[self._begun[0].name]
        houses = {house.name: house for house in self._databases}
        with typed_errors(self.place), raw.transaction():
            for writer in self._begun:
                SchemaWriter(houses[writer.name], raw, self.place).complete(note)
        self._checkpoint("move.noted")

    def discard(self) -> None:
        """Delete what a move that was broken off has left, all notes at last and at once. A schema
        that another version of this program has made is deleted: it is made anew."""
        noted = self.notes()
        dropped = []
        for house in self._databases:
            if house.name not in noted or noted[house.name].completed_at is not None:
                continue
            version = self._version(house)
            if version == len(STEPS[house.schema]):
                self._writer(house).clear()
            if version in (None, len(STEPS[house.schema])):
                move = sql.Identifier(house.schema, MOVE_TABLE)
                dropped.append(sql.SQL("DROP TABLE {}").format(move))
            else:
                schema = sql.Identifier(house.schema)
                dropped.append(sql.SQL("DROP SCHEMA {} CASCADE").format(schema))
        if dropped:
            raw = next(iter(self._raws.values()))
            with typed_errors(self.place), raw.transaction():
                for statement in dropped:
                    raw.execute(statement)

    def _writer(self, house: HouseDatabase) -> SchemaWriter:
        return SchemaWriter(house, self._raws[house.name], self.place)


def _read(part: Part) -> Callable[[str], str]:
    """How a column of a table is read."""

    def text(column: str) -> str:
        if part.index_id and column == "embedding":
            return "embedding::text"
        return USES if (part.table, column) == ("turn_words", "uses") else f'"{column}"'

    return text


def _vector_bytes(text: str) -> bytes:
    """A vector as the files keep it, from its text, which is exact. Not read as JSON: "-0" would be
    a whole number there, which has no sign."""
    return np.array([float(one) for one in text[1:-1].split(",")], "<f4").tobytes()


def _vector_text(stored: bytes) -> str:
    return f"[{','.join(map(repr, np.frombuffer(stored, '<f4').astype(float).tolist()))}]"
