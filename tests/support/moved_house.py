"""A house with something in every table, and a process that moves one and dies on the way:
``moved_house.py FOLDER URL DIRECTION POINT OCCURRENCE``.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Table, insert

from lobug.database_move.files import FileSource, FileTarget
from lobug.database_move.house import HouseDatabase, house_databases
from lobug.database_move.move import Move, Outcome, Stage
from lobug.database_move.postgres import PostgresSource, PostgresTarget
from lobug.database_move.sides import Source, Target
from lobug.memory.model import Draft, Filter, MemoryScope
from lobug.memory.service import Memory
from lobug.settings import MemorySettings, Settings
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.driver import Connection, connect
from lobug.storage.places import FILES, DatabasePlace
from lobug.storage.statements import run
from support.app_server import settings_for
from support.memory_kit import ADA, BOB, ENDLESS, Kit, exchange
from support.patience import PATIENCE_S
from support.scripted import ScriptedEmbedder

PLACES = "Rome Oslo Leeds Bonn Lima Kyoto Perth Turin Ghent Malmö".split()
THINGS = "bees goats owls chess tea rowing maps stamps violins clocks".split()
QUESTIONS = (
    "Who keeps bees in Malmö?",
    "What did we say about the violins in Kyoto?",
    "Where did I see owls with amber and cedar?",
    "When did I see the maps in Bonn near the lagoon?",
    "clocks on the meadow",
)
OTHER_WORDS = (
    "amber brook cedar dune ember fjord grove heath inlet jetty knoll lagoon meadow nook orchard"
    " pier quarry reef shore tarn upland valley willow yard zinc anvil birch comet delta eagle"
).split()
"""So that no two memories fit a question equally well: the databases may order such differently."""
NOW = 1_700_000_000.0


def settings_of(folder: Path) -> Settings:
    """Of a house in a folder, with files."""
    return settings_for(folder)


def house_of(folder: Path, name: str) -> HouseDatabase:
    """One of its databases."""
    return next(one for one in house_databases(settings_of(folder)) if one.name == name)


def kit_of(folder: Path, place: DatabasePlace = FILES) -> Kit:
    """Its memory."""
    return Kit(
        settings_of(folder).database_path,
        embedder=ScriptedEmbedder(dimension=192),
        settings=MemorySettings(session_idle_minutes=ENDLESS),
        place=place,
    )


async def build(folder: Path, *, memories: int = 150, turns: int = 75) -> None:
    """Make a house with something in every table."""
    memory = kit_of(folder).memory()
    await memory.start(work=False)
    await _talk(memory, memories, turns)
    await memory.close()
    with opened(house_of(folder, "memory")) as connection:
        _make_vector_awkward(connection)
    for house in house_databases(settings_of(folder)):
        with opened(house) as connection:
            if house.name != "memory":
                for number, step in enumerate(house.steps, start=1):
                    step(connection, "")
                    connection.execute(f"PRAGMA user_version = {number}")
            for table in house.tables.tables.values():
                _fill(connection, table)
    for house in house_databases(settings_of(folder)):
        with opened(house) as connection:
            empty = [name for name in house.tables.tables if not _count(connection, name)]
            assert not empty, f"nothing is in {empty}"


async def _talk(memory: Memory, memories: int, turns: int) -> None:
    scope = MemoryScope(ADA.user, ADA.conversation)
    dice = random.Random(7)
    for number in range(memories):
        place, thing = PLACES[number % 10], THINGS[number // 10 % 10]
        who = scope if number % 4 else MemoryScope(BOB.user, BOB.conversation)
        more = " ".join(dice.sample(OTHER_WORDS, dice.randint(3, 9)))
        content = f"Friend number {number} keeps {thing} in {place}, naïvely \U0001f41d {more}"
        tags = ("friends", place.lower())
        await memory.store(who, Draft(content=content, tags=tags, importance=number / memories))
    for number in range(turns):
        more = " ".join(dice.sample(OTHER_WORDS, dice.randint(3, 9)))
        said = f"I saw {THINGS[number % 10]} in {PLACES[number // 10 % 10]} with {more}"
        message = await memory.log_user_message(ADA if number % 3 else BOB, said)
        await memory.log_reply(
            ADA if number % 3 else BOB, message, f"Nice {THINGS[number % 10]}!", extract=True
        )
    for said in ("I live in Oxford", "No, I live in Leeds", "I have a dog"):
        await exchange(memory, said)
    await memory.projects.add(scope, "hive", "bees and more")
    for _ in range(20):
        await memory.process_due()
    for question in QUESTIONS[:1]:
        asked = await memory.log_user_message(ADA, question)
        context = await memory.retrieve_context(ADA, question, message_id=asked)
        await memory.log_reply(ADA, asked, "Bees.", extract=True)
        assert context.recalled
    last = await memory.log_user_message(ADA, "Zanzibar is what I forget")
    await memory.log_reply(ADA, last, "Zanzibar!", extract=True)
    await memory.forget_text(scope, "Zanzibar")
    for _ in range(20):
        await memory.process_due()


async def answers(folder: Path, place: DatabasePlace = FILES) -> list[list[Any]]:
    """What its memory finds for each question: what it is, and how well it fits."""
    memory = kit_of(folder, place).memory()
    await memory.start(work=False)
    scope = MemoryScope(ADA.user, ADA.conversation)
    try:
        return [
            [
                (hit.content, round(hit.score, 4))
                for hit in await memory.search(scope, asked, Filter(), limit=12, turns=True)
            ]
            for asked in QUESTIONS
        ]
    finally:
        await memory.close()


def _make_vector_awkward(connection: Connection) -> None:
    """Put a zero with a sign and a number too small to be stored with full precision in a vector:
    texts that are easily read as other numbers."""
    (name,) = connection.execute("SELECT name FROM vector_indexes").fetchone()
    found = connection.execute(f"SELECT id, embedding FROM {name} ORDER BY id LIMIT 1").fetchone()
    vector = np.frombuffer(found[1], "<f4").copy()
    vector[:2] = -0.0, 1e-40
    connection.execute(
        f"UPDATE {name} SET embedding = ? WHERE id = ?", (vector.tobytes(), found[0])
    )


def _fill(connection: Connection, table: Table) -> None:
    """Put two rows into a table that has none; one more and away again, so that a number is
    missing."""
    if _count(connection, table.name):
        return
    numbered = next(iter(table.primary_key)).name == "id"
    for number in (1, 2, 3) if numbered else (1, 2):
        values = {
            column.name: _value(column, number)
            for column in table.columns
            if not (numbered and column.primary_key)
        }
        run(connection, insert(table), **values)
    if numbered:
        connection.execute(f'DELETE FROM "{table.name}" WHERE id = 3')


def _value(column: Any, number: int) -> Any:
    for condition in column.constraints:
        text = str(getattr(condition, "sqltext", ""))
        if " IN (" in text and "'" in text:
            return text.split("'")[1]
    if column.foreign_keys:
        return min(number, 2)
    kind = column.type.python_type if column.type.__class__.__name__ != "TextList" else tuple
    kind = {"Flag": bool, "TextList": tuple}.get(column.type.__class__.__name__, kind)
    return {
        bool: bool(number % 2),
        tuple: (f"tag {number}", 'with "quotes"'),
        int: number * 1_000_000_007,
        float: NOW + number / 7.0,
        str: "{}" if column.name == "parts" else f"{column.name} \u00e4\n\t'{number}'",
        bytes: bytes(range(number, 256)),
    }[kind]


def _count(connection: Connection, table: str) -> int:
    (found,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    return int(found)


@contextmanager
def opened(house: HouseDatabase) -> Iterator[Connection]:
    """The file of a database, made where there is none."""
    house.path.parent.mkdir(parents=True, exist_ok=True)
    connection = connect(str(house.path), timeout_s=PATIENCE_S)
    connection.execute("PRAGMA foreign_keys = ON")
    try:
        yield connection
    finally:
        connection.close()


class Silence:
    """Is told how far it is, and notes the stages."""

    def __init__(self) -> None:
        self.stages: list[tuple[Stage, int, int]] = []
        self.rows = 0

    def begin(self, stage: Stage, total: int, done: int) -> None:
        self.stages.append((stage, total, done))
        self.rows = done

    def advance(self, rows: int) -> None:
        self.rows += rows


@contextmanager
def sides(
    folder: Path, url: str, direction: str, checkpoint: Checkpoint = no_checkpoint
) -> Iterator[tuple[Source, Target]]:
    """Both sides of a move, open. ``direction``: "postgres" or "files"."""
    houses, data = house_databases(settings_of(folder)), settings_of(folder).data_dir
    if direction == "postgres":
        with (
            FileSource(houses, data) as source,
            PostgresTarget(
                houses, url, patience_s=PATIENCE_S, clock=lambda: NOW, checkpoint=checkpoint
            ) as target,
        ):
            yield source, target
        return
    with (
        PostgresSource(houses, url, PATIENCE_S) as from_postgres,
        FileTarget(houses, data, clock=lambda: NOW, checkpoint=checkpoint) as files,
    ):
        yield from_postgres, files


def moved(
    folder: Path,
    url: str,
    direction: str,
    checkpoint: Checkpoint = no_checkpoint,
    *,
    restart: bool = False,
    batch_rows: int = 500,
) -> tuple[Outcome, Silence]:
    """Move, or go on with a move."""
    progress = Silence()
    with sides(folder, url, direction, checkpoint) as (source, target):
        move = Move(
            source,
            target,
            progress,
            clock=lambda: NOW,
            batch_rows=batch_rows,
            checkpoint=checkpoint,
        )
        return move.run(move.prepare(restart=restart)), progress


def main(words: Sequence[str]) -> None:
    """Move, and die at a point."""
    folder, url, direction, point, occurrence = words
    left = int(occurrence)

    def die(name: str) -> None:
        nonlocal left
        left -= name == point
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    moved(Path(folder), url, direction, die, batch_rows=60)


if __name__ == "__main__":
    main(sys.argv[1:])
