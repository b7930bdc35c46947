"""What is copied, and in which order: derived from the declared tables alone. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ForeignKey, MetaData, Table

from lobug.storage.statements import table_has_rowid

ROWID = "rowid"
"""The column that tells in which order rows were inserted, where their key does not."""


@dataclass(frozen=True, slots=True)
class Part:
    """A table as it is copied: all of its columns, row by row in the order of its key."""

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    numbered: bool = False
    """Whether an id is never given twice, even after its row is gone."""
    index_id: int = 0
    """Of the vector index of entries that the table is; 0: it is a declared table."""
    dimension: int = 0
    """Of its vectors."""

    def key_of(self, row: Sequence[object]) -> tuple[object, ...]:
        """The key of a row."""
        return tuple(row[self.columns.index(name)] for name in self.key)


@dataclass(frozen=True, slots=True)
class Link:
    """A foreign key."""

    table: str
    column: str
    target: str
    target_column: str
    on_delete: str | None


def in_order(tables: MetaData) -> tuple[Table, ...]:
    """The tables, each after those that it links to as far as links do not go in circles;
    otherwise as they are declared."""
    left = list(tables.tables.values())
    placed: list[Table] = []
    while left:
        waiting = {
            table.name: len({_target(link) for link in table.foreign_keys} & set(left) - {table})
            for table in left
        }
        following = min(left, key=lambda table: waiting[table.name])
        left.remove(following)
        placed.append(following)
    return tuple(placed)


def parts_of(tables: MetaData) -> tuple[Part, ...]:
    """What is copied of declared tables, in its order."""
    return tuple(_part(table) for table in in_order(tables))


def links_ahead(tables: MetaData) -> tuple[Link, ...]:
    """Foreign keys to rows that may be copied later: they can only be kept once all is there."""
    placed: set[str] = set()
    found: list[Link] = []
    for table in in_order(tables):
        links = sorted(table.foreign_keys, key=lambda one: one.parent.name)
        found += [_link(table, link) for link in links if _target(link).name not in placed]
        placed.add(table.name)
    return tuple(found)


def vector_part(table: str, index_id: int, dimension: int) -> Part:
    """The vectors of entries of one embedding model."""
    return Part(table, ("id",), ("id", "user", "embedding"), index_id=index_id, dimension=dimension)


def _part(table: Table) -> Part:
    columns = tuple(column.name for column in table.columns)
    return Part(
        table.name,
        tuple(column.name for column in table.primary_key),
        (ROWID, *columns) if table_has_rowid(table) else columns,
        numbered=bool(table.dialect_options["sqlite"]["autoincrement"]),
    )


def _link(table: Table, link: ForeignKey) -> Link:
    target = link.column
    return Link(table.name, link.parent.name, target.table.name, target.name, link.ondelete)


def _target(link: ForeignKey) -> Table:
    target = link.column.table
    if not isinstance(target, Table):
        raise TypeError(f"{link.target_fullname} is no table")
    return target
