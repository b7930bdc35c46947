"""Addresses of PostgreSQL, and connections by them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from lobug.errors import StorageError
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.hosts import Line, Lines, first_of

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

    def connect(
        self,
        patience_s: float,
        *,
        program: str = "",
        silence_s: float = 25.0,
        lines: Lines | None = None,
    ) -> Raw:
        """A new connection, to no standby. Of several hosts the first one that is a primary is
        taken; one that is silent keeps nobody from asking the next.

        What the address itself says of that and of time-outs takes precedence. ``program``: what
        the session is called, whatever the address says; ``silence_s``: when a computer that
        answers nothing is given up, seconds; ``lines``: to which it belongs from then on. Raises
        StorageError where the address cannot be read, else what psycopg raises.
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
        hosts = [
            (name, partial(Line.connect, autocommit=True, **one))
            for name, one in _each_host(options)
        ]
        if lines is not None:
            return lines.wait_for(first_of(hosts))
        if len(hosts) > 1:
            return first_of(hosts).result()
        ((_, connect),) = hosts
        return connect()


def _each_host(options: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The options for each of several hosts alone, by what people know it by. All in one where
    their order is more than a preference, or where the address does not fit together: psycopg knows
    what to do then."""
    listed = [str(options.get(name) or "").split(",") for name in ("host", "hostaddr", "port")]
    count = max(len(values) for values in listed[:2])
    # One port is that of all hosts, and an empty list says nothing.
    one_for_all = (listed[0] == [""], listed[1] == [""], len(listed[2]) == 1)
    listed = [
        values * count if shared else values
        for values, shared in zip(listed, one_for_all, strict=True)
    ]
    wanted = options["target_session_attrs"] in ("primary", "read-write")
    random = options.get("load_balance_hosts") == "random"
    if not wanted or random or any(len(values) != count for values in listed):
        return [("", options)]
    return [
        (
            f"{host or address}:{port}",
            {
                **options,
                "host": host or None,
                "hostaddr": address or None,
                "port": port or None,
            },
        )
        for host, address, port in zip(*listed, strict=True)
    ]
