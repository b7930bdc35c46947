"""Memory in PostgreSQL for the tests that run on both databases: one in place of each file.

A test module says that it does by ``pytestmark = pytest.mark.usefixtures("each_database")``
(tests/conftest.py).
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from lobug.storage.connection import PostgresConnection
from lobug.storage.places import DatabasePlace
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from support.database_place import POSTGRES
from support.patience import PATIENCE_S
from support.postgres_server import PostgresServer, started

TEMPLATE = "lobug_template"
"""A database with the tables, of which the others are copies."""


@cache
def server() -> PostgresServer:
    """The server of this test process, started when it is first wanted."""
    running = started()
    running.database(TEMPLATE)

    async def make_tables() -> None:
        options = PostgresOptions(running.url_of(TEMPLATE))
        made = PostgresDatabase(options, clock=lambda: 0.0)
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
    os.environ[POSTGRES] = str(folder)
    try:
        yield
    finally:
        del os.environ[POSTGRES]
        with _administration(folder) as raw:
            names = raw.execute(
                "SELECT datname FROM pg_database WHERE datname LIKE 'test_%'"
            ).fetchall()
            for (name,) in names:
                raw.execute(
                    sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(str(name)))
                )
    assert names, "this test keeps nothing in PostgreSQL"


def place_of(path: Path) -> DatabasePlace:
    """The database that stands for a file."""
    return DatabasePlace(
        _address(Path(os.environ[POSTGRES]), _made(path)), connections=10, patience_s=PATIENCE_S
    )


@contextmanager
def opened(path: Path) -> Iterator[PostgresConnection]:
    """A connection of its own to the database that stands for a file."""
    with psycopg.connect(
        _address(Path(os.environ[POSTGRES]), _made(path)),
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


def copied(path: Path, copy: Path) -> str:
    """Make the database that stands for a file as a copy of another one, to which nobody is
    connected. Returns where it is."""
    folder = Path(os.environ[POSTGRES])
    with _administration(folder) as raw:
        raw.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(_name(copy)), sql.Identifier(_name(path))
            )
        )
    return _address(folder, _name(copy))


def _name(path: Path) -> str:
    """The name of the database that stands for a file."""
    return "test_" + hashlib.sha256(str(path).encode()).hexdigest()[:24]


def _made(path: Path) -> str:
    """The same, and the database is made where there is none."""
    name = _name(path)
    with _administration(Path(os.environ[POSTGRES])) as raw:
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
