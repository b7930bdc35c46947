"""The databases of a Lo-Bug: what its files are, and which tables they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import MetaData

from lobug.access.service import FILE as ACCESS_FILE
from lobug.access.store import STEPS as ACCESS_STEPS
from lobug.access.tables import metadata as access_tables
from lobug.agenda.migrations import STEPS as AGENDA_STEPS
from lobug.agenda.service import FILE as AGENDA_FILE
from lobug.agenda.tables import metadata as agenda_tables
from lobug.settings import Settings
from lobug.storage.index_tables import turn_index
from lobug.storage.migrations import STEPS as MEMORY_STEPS
from lobug.storage.migrations import Step
from lobug.webhooks.outbox import FILE as WEBHOOKS_FILE
from lobug.webhooks.outbox import STEPS as WEBHOOKS_STEPS
from lobug.webhooks.outbox import metadata as webhook_tables


@dataclass(frozen=True, slots=True)
class HouseDatabase:
    """One of them: a file, or a schema of PostgreSQL."""

    name: str
    path: Path
    """Of the file."""
    tables: MetaData
    """The declaration that both have in common."""
    steps: Sequence[Step]
    """The migrations of the file."""

    @property
    def schema(self) -> str:
        """In PostgreSQL."""
        return f"lobug_{self.name}"

    @property
    def has_indexes(self) -> bool:
        """Whether there are vectors of entries, and words to search, which are kept by each
        database in its own way."""
        return self.name == "memory"


def house_databases(settings: Settings) -> tuple[HouseDatabase, ...]:
    """All databases."""
    folder = settings.data_dir
    return (
        HouseDatabase("memory", settings.database_path, turn_index.metadata, MEMORY_STEPS),
        HouseDatabase("agenda", folder / AGENDA_FILE, agenda_tables, AGENDA_STEPS),
        HouseDatabase("access", folder / ACCESS_FILE, access_tables, ACCESS_STEPS),
        HouseDatabase("webhooks", folder / WEBHOOKS_FILE, webhook_tables, WEBHOOKS_STEPS),
    )
