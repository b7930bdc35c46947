"""Looks into a PostgreSQL without changing it: what it has, and what its user may do there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Literal

from lobug.storage.postgres.address import Address
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.errors import typed_errors
from lobug.storage.postgres.lease import NOBODY, Standing, standing
from lobug.storage.postgres.migration import knows_letters
from lobug.storage.postgres.session import SEARCH_PATH

Vectors = Literal["there", "addable", "forbidden", "missing"]
"""``addable``: by this user; ``forbidden``: not by this user; ``missing``: not installed."""

_VECTORS = """
SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector'),
       count(*),
       coalesce(bool_or(NOT superuser OR r.rolsuper
                        OR trusted AND has_database_privilege(current_database(), 'CREATE')), false)
FROM pg_available_extension_versions v, pg_roles r
WHERE v.name = 'vector' AND r.rolname = current_user
"""


_BACKLOG = (
    "SELECT (SELECT count(*) FROM claim_backlog),"
    " (SELECT count(*) FROM memories WHERE status <> 'inactive')"
)

MEMORY = "lobug_memory"


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found."""

    place: str
    version: str
    """Of PostgreSQL, such as "18.1"."""
    version_number: int
    """Such as 180001."""
    knows_letters: bool
    """Whether it stores UTF-8 and knows capital letters beyond A to Z."""
    vectors: Vectors
    may_create: bool
    """Whether the user may make schemas."""
    versions: Mapping[str, int | None]
    """Of each schema that was asked for, its migrations; None: it is not there yet."""
    closed: tuple[str, ...]
    """Schemas that are there and that the user may not use and change."""
    backlog: tuple[int, int]
    """Memories that were not read yet for what they claim, and all."""
    exposed: bool
    """Whether words travel to another computer unencrypted."""
    standing: Standing = NOBODY


def inspect(url: str, schemas: tuple[str, ...], *, patience_s: float) -> Inspection:
    """Look into a database. Not to be called in an event loop. Raises StorageError."""
    address = Address.of(url)
    place = address.place
    with typed_errors(place), address.connect(patience_s) as raw:
        raw.execute("SET default_transaction_read_only = on")
        versions: dict[str, int | None] = {}
        closed = []
        for name in schemas:
            found, usable = _schema(raw, name)
            versions[name] = _version(raw, name) if usable else None
            if found and not usable:
                closed.append(name)
        info = raw.info
        return Inspection(
            place,
            _one(raw, "SHOW server_version")[0].split()[0],
            info.server_version,
            knows_letters(raw),
            _vectors(raw),
            bool(_one(raw, "SELECT has_database_privilege(current_database(), 'CREATE')")[0]),
            versions,
            tuple(closed),
            _backlog(raw) if versions.get(MEMORY) else (0, 0),
            not _is_here(info.hostaddr) and not _encrypted(raw),
            standing(raw),
        )


def _is_here(address: str) -> bool:
    """Whether a connection stays on this computer; empty: it is a socket of the file system."""
    return not address or ip_address(address.partition("%")[0]).is_loopback


def _encrypted(raw: Raw) -> bool:
    return raw.pgconn.ssl_in_use or bool(
        _one(
            raw,
            "SELECT coalesce("
            "(SELECT encrypted FROM pg_stat_gssapi WHERE pid = pg_backend_pid()), false)",
        )[0]
    )


def _schema(raw: Raw, name: str) -> tuple[bool, bool]:
    """Whether a schema is there, and whether the user may use and change it."""
    row = raw.execute(
        "SELECT has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE')"
        " AND coalesce((SELECT has_table_privilege(c.oid, 'SELECT')"
        "               AND has_table_privilege(c.oid, 'UPDATE')"
        "               FROM pg_class c WHERE c.relnamespace = n.oid"
        "               AND c.relname = 'schema_version'), true)"
        " FROM pg_namespace n WHERE nspname = %s",
        (name,),
    ).fetchone()
    return row is not None, row is not None and bool(row[0])


def _version(raw: Raw, schema: str) -> int | None:
    there = raw.execute("SELECT to_regclass(%s)", (f"{schema}.schema_version",)).fetchone()
    if there is None or there[0] is None:
        return None
    raw.execute(SEARCH_PATH, (schema,))
    row = raw.execute("SELECT version FROM schema_version").fetchone()
    return None if row is None else int(row[0])


def _backlog(raw: Raw) -> tuple[int, int]:
    raw.execute(SEARCH_PATH, (MEMORY,))
    left, total = _one(raw, _BACKLOG)
    return int(left), int(total)


def _vectors(raw: Raw) -> Vectors:
    there, available, creatable = _one(raw, _VECTORS)
    if there:
        return "there"
    if not available:
        return "missing"
    return "addable" if creatable else "forbidden"


def _one(raw: Raw, query: str) -> Any:
    row = raw.execute(query.encode()).fetchone()
    if row is None:
        raise LookupError(query)
    return row
