"""Where a test keeps what it would keep in a file: there, or in PostgreSQL (``each_database``)."""

from __future__ import annotations

import os
from pathlib import Path

from lobug.storage.places import FILES, DatabasePlace

POSTGRES = "LOBUG_TEST_POSTGRES"
"""The environment variable that names the folder of the server in use, if one is; processes that a
test starts find it too."""


def place_of(path: Path) -> DatabasePlace:
    """The place that stands for a file, whichever database it is."""
    if POSTGRES not in os.environ:
        return FILES
    from support import postgres  # noqa: PLC0415 - most tests need no server

    return postgres.place_of(path)
