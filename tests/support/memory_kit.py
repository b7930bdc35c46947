"""A long-term memory on a real file, with scripted engines, for the tests of memory."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lobug.engines.base import ChatMessage, ChatModel, ChatOptions
from lobug.language.en.summary_checks import Trial
from lobug.memory.exchange.snapshot import SnapshotSource
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings
from lobug.storage.connection import Connection as AnyConnection
from lobug.storage.connection import PostgresConnection
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.driver import Connection, connect
from lobug.storage.places import DatabasePlace
from support import database_place
from support.database_place import place_of
from support.scripted import ScriptedChatModel, ScriptedEmbedder

ADA = ConversationKey("ada", "ada-desk")
BOB = ConversationKey("bob", "bob-desk")

# Nothing in these that is not in every transcript: the cascades keep to their source.
SUMMARY = "The user was there with Lo-Bug. Lo-Bug was there with the user."
BASE = "User Profile:\n- The user has Lo-Bug\nKey History:\n- Lo-Bug was first"
IDENTITY = "## User Profile\n- The user has Lo-Bug\n## Key History\n- Lo-Bug was first"
"""What ``BASE`` becomes."""

GENERATIVE = MemorySettings(summaries="generative")
"""For tests of the summaries and the layer identity that the chat model writes."""

CASCADES = MemorySettings(
    short_term_threshold=6,
    short_term_keep=2,
    long_term_threshold=3,
    long_term_keep=1,
    summaries="generative",
)


def model_that_listens(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
    """Extracts "I <verb> <rest>" as "The user <verb> <rest>", summarizes, distils."""
    if "base memory" in messages[0].content:
        return BASE
    if options.json_schema is not None:
        said = messages[-1].content
        facts = [
            {"fact": f"The user {match[1].rstrip('.')}", "type": "personal"}
            for match in re.finditer(r"\bI ((?:[\w' -]+)\.?)", said)
        ]
        return json.dumps(facts)
    return SUMMARY


@dataclass
class Clock:
    """A clock that only moves when it is told to. Seconds since the epoch."""

    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Kit:
    """A memory and everything it was built from."""

    path: Path
    chat: ScriptedChatModel = field(default_factory=lambda: ScriptedChatModel(model_that_listens))
    embedder: ScriptedEmbedder = field(default_factory=lambda: ScriptedEmbedder(dimension=256))
    priority: TurnPriority = field(default_factory=TurnPriority)
    clock: Clock = field(default_factory=Clock)
    settings: MemorySettings = field(default_factory=MemorySettings)
    batch_size: int = 32
    working_memory: int = 20
    checkpoint: Checkpoint = no_checkpoint
    snapshot: SnapshotSource | None = None
    consolidation: ChatModel | None = None
    place: DatabasePlace | None = None
    """None: what the test is run on."""
    trials: Sequence[Trial] = ()
    """What the model must sum up before it may write summaries: nothing, as most tests have it."""

    def memory(self) -> Memory:
        """A memory on the kit's file; several may follow one another."""
        return Memory(
            self.settings,
            self.path,
            chat=self.chat,
            embedder=self.embedder,
            priority=self.priority,
            clock=self.clock,
            batch_size=self.batch_size,
            checkpoint=self.checkpoint,
            snapshot=self.snapshot,
            working_memory=self.working_memory,
            consolidation=self.consolidation,
            trials=self.trials,
            place=self.place or place_of(self.path),
        )


@asynccontextmanager
async def started(kit: Kit) -> AsyncIterator[Memory]:
    """The kit's memory, open; its background work does not begin."""
    memory = kit.memory()
    await memory.start(work=False)
    try:
        yield memory
    finally:
        await memory.close()


ENDLESS = 1e6
"""Minutes: with this ``session_idle_minutes`` no session ends in a test about something else."""


def dated(content: str, at: float = 1_700_000_000.0) -> str:
    """What a timeline entry holds that was said at a time."""
    return time.strftime("[%Y-%m-%d %H:%M] ", time.localtime(at)) + content


async def exchange(
    memory: Memory,
    said: str,
    reply: str = "Noted.",
    *,
    conversation_key: ConversationKey = ADA,
) -> int:
    """One exchange as a turn logs it. Returns the id of the user's message."""
    message_id = await memory.log_user_message(conversation_key, said)
    await memory.log_reply(conversation_key, message_id, reply, extract=True)
    return message_id


async def recalled(
    memory: Memory, query: str, *, conversation_key: ConversationKey = ADA
) -> list[str]:
    """The contents of the facts that a query finds, best first."""
    context = await memory.retrieve_context(conversation_key, query)
    return [fact.content for fact in context.recalled]


@contextmanager
def opened(path: Path) -> Iterator[AnyConnection]:
    """A connection of its own to the database."""
    if database_place.POSTGRES in os.environ:
        from support import postgres  # noqa: PLC0415 - most tests need no server

        with postgres.opened(path) as connection:
            yield connection
        return
    file: Connection = connect(str(path), timeout_s=5.0)
    try:
        yield file
    finally:
        file.close()


def table_names(path: Path) -> list[str]:
    """The tables of the database."""
    with opened(path) as connection:
        postgres = isinstance(connection, PostgresConnection)
        rows = connection.execute(
            "SELECT relname FROM pg_class" if postgres else "SELECT name FROM sqlite_master"
        )
        return [name for (name,) in rows.fetchall()]


def broken_links(path: Path) -> list[tuple[Any, ...]]:
    """Rows that refer to rows that are not there; PostgreSQL lets none in."""
    with opened(path) as connection:
        if isinstance(connection, PostgresConnection):
            return []
        return connection.execute("PRAGMA foreign_key_check").fetchall()


def look(path: Path, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """What is in the database, seen through a connection of its own."""
    with opened(path) as connection:
        if isinstance(connection, PostgresConnection):
            from support import postgres  # noqa: PLC0415 - most tests need no server

            return postgres.rows(connection, query, parameters)
        return connection.execute(query, tuple(parameters)).fetchall()
