"""Settings of the database: files in the data folder, or PostgreSQL."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from lobug.settings.section import Section

ADDRESS = re.compile(r"postgres(ql)?://\S+")


def _checked(url: SecretStr) -> SecretStr:
    """Raises ValueError, which does not quote the address: there may be a password in it."""
    text = url.get_secret_value()
    if text and not ADDRESS.fullmatch(text):
        raise ValueError("it is no address like postgresql://user:password@host:5432/name")
    return url


class DatabaseSettings(Section):
    """Where memory, agenda, devices and waiting webhooks are kept."""

    url: Annotated[SecretStr, AfterValidator(_checked)] = Field(
        SecretStr(""),
        description="A PostgreSQL (17 or newer, with pgvector), such as"
        " `postgresql://lobug:PASSWORD@db.local:5432/lobug`; needs `pip install 'lobug[postgres]'`."
        " Empty: SQLite files in `data_dir`.",
    )
    connections: int = Field(
        14,
        ge=8,
        le=200,
        description="Connections to PostgreSQL that a server keeps open at most: 2 each for agenda,"
        " devices and webhooks, the others for memory. Compaction and other long work open one more"
        " meanwhile, and one shows the other servers that this one is there.",
    )
    patience_s: float = Field(
        5.0,
        ge=1.0,
        le=120.0,
        description="Longest wait for PostgreSQL to accept a connection, and for a lock that"
        " another server holds, seconds.",
    )
    rewrite_mb: int = Field(
        500,
        ge=0,
        le=1_000_000,
        description="After something was erased, tables of memory up to this size are rewritten, so"
        " that nothing of it stays in PostgreSQL's files; nobody can use a table while it is"
        " rewritten. Of larger ones the room is only freed. Megabytes.",
    )
    servers: Literal["one", "all"] = Field(
        "one",
        description="Which of several servers on a PostgreSQL answer. `one`: the first, the others"
        " stand ready. `all`: all of them at once, each for the people who talk there; all servers"
        " of a database must have the same value, and the same other settings.",
    )
    handover_s: float = Field(
        60.0,
        ge=1.0,
        le=600.0,
        description="With `servers = all`: longest wait of a person who talks to one server while"
        " another one still speaks to them or works for them, seconds.",
    )
    takeover_s: float = Field(
        8.0,
        ge=2.0,
        le=300.0,
        description="After how many seconds in which a server does not answer PostgreSQL another"
        " one takes over what it had; after one that was stopped or killed it does a few seconds"
        " later.",
    )
