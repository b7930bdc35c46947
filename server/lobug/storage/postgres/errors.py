"""Types what psycopg raises as errors of storage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from lobug.errors import (
    StorageBusyError,
    StorageCorruptError,
    StorageError,
    StorageFullError,
    StorageReadOnlyError,
    StorageRefusedError,
)

AGAIN = (errors.SerializationFailure, errors.DeadlockDetected, errors.ForeignKeyViolation)
"""Two transactions were in each other's way: the same work may succeed when it is done again."""

ATTEMPT = re.compile(r"^- host: .*, hostaddr: (?:None|'[^'\n]*'): (.*)$", re.MULTILINE)
"""What psycopg says of each address of a host when it has several and none can be used."""

TYPED: tuple[tuple[tuple[type[Exception], ...], type[StorageError], str], ...] = (
    (
        (
            errors.LockNotAvailable,
            errors.QueryCanceled,
            errors.TooManyConnections,
            errors.IdleInTransactionSessionTimeout,
            *AGAIN,
        ),
        StorageBusyError,
        "the database {place} is too busy",
    ),
    ((errors.DiskFull,), StorageFullError, "no room to write to {place}"),
    (
        (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege),
        StorageReadOnlyError,
        "{place} cannot be written",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        StorageCorruptError,
        "the database {place} is damaged",
    ),
    (
        # The last is an OperationalError: a text is too long for an index, for instance.
        (psycopg.DataError, psycopg.IntegrityError, errors.ProgramLimitExceeded),
        StorageRefusedError,
        "the database {place} does not take what it was given",
    ),
    (
        (psycopg.InterfaceError, psycopg.OperationalError),
        StorageError,
        "the database {place} cannot be reached",
    ),
)


def typed(error: Exception, place: str) -> StorageError:
    """The storage error that stands for an error of the driver. ``place`` is shown to people."""
    why = reason(error)
    for kinds, kind, sentence in TYPED:
        if isinstance(error, kinds):
            return kind(f"{sentence.format(place=place)} ({why})")
    return StorageError(f"{place}: {why}")


def reason(error: Exception) -> str:
    """What is said of an error: of a connection its message, of a statement the name of the error
    alone, since its message may quote what somebody said."""
    state = getattr(error, "sqlstate", None)
    if state is None:
        text = str(error)
        return "; ".join(ATTEMPT.findall(text)) or (text.splitlines() or [""])[0]
    return f"{type(error).__name__}, SQLSTATE {state}"


@contextmanager
def typed_errors(place: str) -> Iterator[None]:
    """Raise every error of the driver inside as a StorageError."""
    try:
        yield
    except psycopg.Error as error:
        raise typed(error, place) from error
