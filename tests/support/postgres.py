"""PostgreSQL for the tests that run on both databases: a schema in place of each file."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lobug.storage.database import Checkpoint, Database

URL = "LOBUG_TEST_DATABASE"
"""The environment variable that says where it is."""


def wanted() -> bool:
    """Whether memory is to be kept in PostgreSQL."""
    return bool(os.environ.get(URL))


def schema_of(path: Path) -> str:
    """The schema that stands for a file."""
    return "t" + hashlib.sha256(str(path).encode()).hexdigest()[:24]


def database(path: Path, clock: Callable[[], float], checkpoint: Checkpoint) -> Database | None:
    """The database that stands for a file; None: the file itself."""
    if not wanted():
        return None
    from lobug.storage.postgres.database import (  # noqa: PLC0415 - the driver is optional
        PostgresDatabase,
        PostgresOptions,
    )

    options = PostgresOptions(os.environ[URL], schema=schema_of(path), connections=4)
    return PostgresDatabase(options, clock=clock, checkpoint=checkpoint)


def look(path: Path, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """The rows of a query that is written for SQLite."""
    import psycopg  # noqa: PLC0415 - the driver is optional

    text = re.sub(r"(?<![\"':\w])user(?![\"'\w])", '"user"', query.replace("%", "%%"))
    with psycopg.connect(os.environ[URL], autocommit=True) as raw:
        raw.execute(f"SET search_path = {schema_of(path)}, public")
        found = raw.execute(text.replace("?", "%s"), list(parameters))  # type: ignore[arg-type]
        return found.fetchall() if found.description else []
