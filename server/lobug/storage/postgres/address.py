"""Addresses of PostgreSQL, and connections by them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from lobug.errors import StorageError
from lobug.storage.postgres.connections import Raw

ONE_SIGN = re.compile(r"\w*://([^@/\0]*@)?[^@\0]*")
"""An address in which libpq ends the password where its owner meant it to end: a "/" or "@" in it
that is not written as %2F or %40 would turn the rest of it into a host or the name of a database.
"""

PROGRAM = "lobug"
"""What the sessions are called (``application_name``) unless the address has a name for them."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a database."""

    parts: Mapping[str, Any] | None = field(repr=False)
    """What it says, by the names of libpq; None: it cannot be read, and so might show its
    password."""

    @classmethod
    def of(cls, url: str) -> Address:
        """Read ``postgresql://...``."""
        if not ONE_SIGN.fullmatch(url):
            return cls(None)
        try:
            known: dict[str, Any] = conninfo_to_dict(url)
        except (psycopg.ProgrammingError, UnicodeEncodeError):
            return cls(None)
        return cls(known if re.fullmatch(r"[\d,]*", str(known.get("port") or "")) else None)

    @property
    def place(self) -> str:
        """Host and name of the database, without user and password; less where the address is no
        good."""
        known = self.parts
        if known is None:
            return "postgresql://"
        return f"postgresql://{known.get('host') or 'localhost'}/{known.get('dbname') or ''}"

    def at(self, raw: Raw) -> Address:
        """The address of that server alone, of several, to which a connection goes."""
        info = raw.info
        there = {"host": info.host, "port": str(info.port), "hostaddr": info.hostaddr}
        return Address({**(self.parts or {}), **{k: v or None for k, v in there.items()}})

    def connect(self, patience_s: float, *, program: str = "", silence_s: float = 25.0) -> Raw:
        """A new connection, to no standby.

        What the address itself says of that and of time-outs takes precedence. ``program``: what
        the session is called, whatever the address says; ``silence_s``: when a computer that
        answers nothing is given up, seconds. Raises StorageError where the address cannot be read,
        else what psycopg raises.
        """
        if self.parts is None:
            raise StorageError(
                "the address of the database cannot be read: it is like"
                " postgresql://user:password@host:5432/name, with %40 for @ and %2F for / in a"
                " password"
            )
        options: dict[str, Any] = {
            "application_name": PROGRAM,
            "connect_timeout": max(2, round(patience_s)),
            # A standby may still show what was forgotten. Not "read-write": a primary that may only
            # be read can still be asked.
            "target_session_attrs": "primary",
            # Without these a thread would wait for hours for a computer that has vanished.
            "keepalives_idle": max(1, round(silence_s * 0.4)),
            "keepalives_interval": max(1, round(silence_s * 0.2)),
            "keepalives_count": 3,
            "tcp_user_timeout": round(silence_s * 1000),
            **self.parts,
        }
        if program:
            options["application_name"] = program
        return psycopg.connect(autocommit=True, **options)
