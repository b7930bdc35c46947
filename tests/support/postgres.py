"""Memory in PostgreSQL for the tests that run on both databases: one in place of each file.

A test module says that it does by ``pytestmark = pytest.mark.usefixtures("each_database")``
(tests/conftest.py).
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from lobug.storage.connection import PostgresConnection
from lobug.storage.database import Checkpoint
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from support.patience import PATIENCE_S
from support.postgres_server import PostgresServer, started

FOLDER = "LOBUG_TEST_POSTGRES"
"""The environment variable that names the folder of the server in use; processes that a test starts
find it too."""

TEMPLATE = "lobug_template"
"""A database with the tables, of which the others are copies."""


@cache
def server() -> PostgresServer:
    """The server of this test process, started when it is first wanted."""
    running = started()
    running.database(TEMPLATE)

    async def make_tables() -> None:
        made = _database(running.folder, TEMPLATE, lambda: 0.0, lambda _: None)
        await made.open(lambda _: None)
        await made.close()

    # A loop of its own: the test may have one that runs already.
    with asyncio.Runner() as runner:
        runner.run(make_tables())
    return running


@contextmanager
def in_use() -> Iterator[None]:
    """Keep memory in PostgreSQL; what was made is deleted in the end."""
    folder = server().folder
    os.environ[FOLDER] = str(folder)
    try:
        yield
    finally:
        del os.environ[FOLDER]
        with _administration(folder) as raw:
            names = raw.execute(
                "SELECT datname FROM pg_database WHERE datname LIKE 'test_%'"
            ).fetchall()
            for (name,) in names:
                raw.execute(
                    sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(str(name)))
                )
    assert names, "this test keeps nothing in PostgreSQL"


def database(path: Path, clock: Callable[[], float], checkpoint: Checkpoint) -> PostgresDatabase:
    """The database that stands for a file."""
    return _database(Path(os.environ[FOLDER]), _made(path), clock, checkpoint)


@contextmanager
def opened(path: Path) -> Iterator[PostgresConnection]:
    """A connection of its own to the database that stands for a file."""
    with psycopg.connect(
        _address(Path(os.environ[FOLDER]), _made(path)),
        autocommit=True,
        options=f"-c search_path={PostgresOptions('').schema},public",
    ) as raw:
        yield PostgresConnection(raw)


def rows(
    connection: PostgresConnection, query: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """The rows of a query that is written for SQLite."""
    text = re.sub(r"(?<![\"':\w])user(?![\"'\w])", '"user"', query.replace("%", "%%"))
    found = connection.execute(text.replace("?", "%s"), list(parameters))
    return found.fetchall() if found.description else []


def _made(path: Path) -> str:
    """The name of the database that stands for a file, made where there is none."""
    name = "test_" + hashlib.sha256(str(path).encode()).hexdigest()[:24]
    with _administration(Path(os.environ[FOLDER])) as raw:
        known = raw.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone()
        if known is None:
            raw.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                    sql.Identifier(name), sql.Identifier(TEMPLATE)
                )
            )
    return name


def _administration(folder: Path) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(_address(folder, "postgres"), autocommit=True)


def _address(folder: Path, name: str) -> str:
    return f"postgresql://lobug@/{name}?host={folder}"


def _database(
    folder: Path, name: str, clock: Callable[[], float], checkpoint: Checkpoint
) -> PostgresDatabase:
    options = PostgresOptions(_address(folder, name), connections=4, patience_s=PATIENCE_S)
    return PostgresDatabase(options, clock=clock, checkpoint=checkpoint)
