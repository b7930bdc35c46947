"""The tables of ``access.db``, declared once; a test compares them with what the migrations make.

They stand apart from the records, which the command line loads: importing SQLAlchemy takes 0.3 s of
processor time.
"""

from __future__ import annotations

from sqlalchemy import Column, MetaData, Table, Text

from lobug.storage.columns import Flag, Number

metadata = MetaData()

devices = Table(
    "devices",
    metadata,
    Column(
        "device_id",
        Text,
        primary_key=True,
        comment="as it names itself (its MAC address), in lower case",
    ),
    Column("client_id", Text, nullable=False, comment="the UUID that its firmware made"),
    Column("name", Text, nullable=False, comment="what the owner calls it; may be empty"),
    Column("user", Text, comment="whose words come from it; null: the settings say"),
    Column("token_hash", Text, unique=True, comment="null: no token was given to it yet"),
    Column("created_at", Number, nullable=False),
    Column("last_seen_at", Number),
    Column("token_given_at", Number),
    Column("token_used_at", Number, comment="first use"),
    Column("revoked_at", Number),
    comment="devices that were approved once",
    sqlite_strict=True,
)

pairings = Table(
    "pairings",
    metadata,
    Column("device_id", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("code", Text, nullable=False, unique=True, comment="what the device shows"),
    Column("challenge", Text, nullable=False),
    Column("description", Text, nullable=False, comment="board and firmware, as it says itself"),
    Column("address", Text, nullable=False, comment="where it asked from"),
    Column("created_at", Number, nullable=False),
    Column("expires_at", Number, nullable=False),
    comment="devices that wait for approval",
    sqlite_strict=True,
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("token_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("user", Text, comment="whose words come with it; null: the settings say"),
    Column("conversation", Text, comment="null: one of its own"),
    Column("owner", Flag, nullable=False, comment="it may approve devices and make tokens"),
    Column("created_at", Number, nullable=False),
    Column("last_used_at", Number),
    Column("revoked_at", Number),
    Column("scope", Text, comment="its only purpose; null: it may talk"),
    comment="tokens of people and scripts",
    sqlite_strict=True,
)
