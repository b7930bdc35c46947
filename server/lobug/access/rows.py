"""Reads and writes the rows of ``access.db``. Every function runs inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, fields, replace
from typing import Any

from lobug.access.records import ApiToken, Device, Pairing, Register
from lobug.memory.storage.driver import Connection

_TABLES: Mapping[type[Any], str] = {
    Device: "devices",
    Pairing: "pairings",
    ApiToken: "api_tokens",
}


def load(connection: Connection) -> Register:
    """Everything."""
    return Register.of(
        (Device(*row) for row in _rows(connection, Device)),
        (Pairing(*row) for row in _rows(connection, Pairing)),
        (_api_token(row) for row in _rows(connection, ApiToken)),
    )


def put(connection: Connection, record: Device | Pairing | ApiToken) -> None:
    """Write a record in the place of the one with its key."""
    kind = type(record)
    values = astuple(record)
    marks = ", ".join("?" * len(values))
    connection.execute(
        f"INSERT OR REPLACE INTO {_TABLES[kind]} ({_columns(kind)}) VALUES ({marks})",  # noqa: S608
        values,
    )


def drop_pairings(connection: Connection, device_id: str) -> None:
    """Nobody waits under this ``Device-Id`` any more."""
    connection.execute("DELETE FROM pairings WHERE device_id = ?", (device_id,))


def make_room(connection: Connection, now: float, keep: int) -> None:
    """Drop the expired codes, and the oldest of the others beyond ``keep``."""
    connection.execute("DELETE FROM pairings WHERE expires_at <= ?", (now,))
    connection.execute(
        "DELETE FROM pairings WHERE code NOT IN"
        " (SELECT code FROM pairings ORDER BY created_at DESC, rowid DESC LIMIT ?)",
        (keep,),
    )


def note_seen(
    connection: Connection, devices: Mapping[str, float], api_tokens: Mapping[str, float]
) -> None:
    """When tokens were used last, by their SHA-256. Of a device's the first use counts as well."""
    connection.executemany(
        "UPDATE devices SET last_seen_at = ?1, token_used_at = coalesce(token_used_at, ?1)"
        " WHERE token_hash = ?2",
        [(at, token_hash) for token_hash, at in devices.items()],
    )
    connection.executemany(
        "UPDATE api_tokens SET last_used_at = ?1 WHERE token_hash = ?2",
        [(at, token_hash) for token_hash, at in api_tokens.items()],
    )


def _api_token(row: tuple[Any, ...]) -> ApiToken:
    token = ApiToken(*row)
    return replace(token, owner=bool(token.owner))  # SQLite has no truth values


def _rows(connection: Connection, kind: type[Any]) -> list[tuple[Any, ...]]:
    order = "created_at, rowid"
    return connection.execute(
        f"SELECT {_columns(kind)} FROM {_TABLES[kind]} ORDER BY {order}"  # noqa: S608 - our own names
    ).fetchall()


def _columns(kind: type[Any]) -> str:
    return ", ".join(field.name for field in fields(kind))
