"""The numbered steps that bring a database file to the present schema.

A step is a small function that is never edited after its release; what is wrong with it is mended
by a later step. ``PRAGMA user_version`` holds the number of the last step a file has seen.
"""

from __future__ import annotations

from collections.abc import Callable

from lobug.memory.storage.driver import Connection
from lobug.memory.storage.migrations.m001_create_tables import m001_create_tables
from lobug.memory.storage.migrations.m002_one_memory import m002_one_memory
from lobug.memory.storage.migrations.m003_turn_index import m003_turn_index
from lobug.memory.storage.migrations.m004_word_statistics import m004_word_statistics

Step = Callable[[Connection, str], None]
"""Takes the connection, inside a transaction, and the user who gets what has no owner yet."""

STEPS: tuple[Step, ...] = (
    m001_create_tables,
    m002_one_memory,
    m003_turn_index,
    m004_word_statistics,
)
"""Step n, counted from 1, turns a file of version n - 1 into one of version n."""

LATEST = len(STEPS)
"""The version that this program reads and writes."""
