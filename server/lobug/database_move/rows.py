"""Rows on their way: cut into batches, and compared. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from lobug.storage.connection import NUL, REPLACEMENT

Row = tuple[Any, ...]
"""Whole numbers, floating-point numbers, texts, bytes, and None."""

MOST_ROWS = 500
"""Rows that are written in one transaction, and compared at once."""

MOST_BYTES = 4_000_000
"""About as many bytes of text and of vectors are in one batch: a message may be a megabyte."""


def batches(
    rows: Iterable[Row], *, most_rows: int = MOST_ROWS, most_bytes: int = MOST_BYTES
) -> Iterator[list[Row]]:
    """Rows, a few at a time; never none."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(batch) >= most_rows or size >= most_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def normalised(row: Sequence[Any]) -> Row:
    """A row as both databases would keep it: PostgreSQL holds no NUL in a text, SQLite no minus
    zero."""
    return tuple(_normalised(value) for value in row)


def _normalised(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(NUL, REPLACEMENT)
    return value + 0.0 if isinstance(value, float) else value


def nul_texts(rows: Iterable[Row]) -> int:
    """How many texts hold the character NUL."""
    return sum(isinstance(value, str) and NUL in value for row in rows for value in row)


def digest(rows: Iterable[Row]) -> bytes:
    """A fingerprint of rows: types, values and order."""
    found = hashlib.blake2b(digest_size=16)
    for row in rows:
        found.update(repr(row).encode("utf-8", "surrogatepass"))
    return found.digest()


def first_difference(ours: Sequence[Row], theirs: Sequence[Row]) -> Row:
    """The first row, of ``ours`` where there is one, that the other side does not have at its
    place. Raises LookupError where all are the same."""
    for own, other in zip_longest(ours, theirs):
        if own != other:
            found: Row = other if own is None else own
            return found
    raise LookupError("the rows are the same")
