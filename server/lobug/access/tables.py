"""The tables of ``access.db``, declared once; a test compares them with what the migrations make.

They stand apart from the records, which the command line loads: importing SQLAlchemy takes 0.3 s of
processor time.
"""

from __future__ import annotations

from sqlalchemy import Column, MetaData, Table

from lobug.storage.columns import Flag, Integer, Number, Text

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

device_details = Table(
    "device_details",
    metadata,
    Column("device_id", Text, primary_key=True, comment="of ``devices``"),
    Column("introduction", Text, comment="JSON: board and firmware, as it says itself"),
    Column("report", Text, comment="JSON: the latest report of its own condition"),
    Column("reported_at", Number, comment="when that came"),
    comment="what devices last said of themselves, so that it is known after a restart",
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
    Column("scope", Text, comment="what alone it is for; null: it may talk"),
    comment="tokens of people and scripts",
    sqlite_strict=True,
)

browsers = Table(
    "browsers",
    metadata,
    Column("browser_id", Text, primary_key=True),
    Column("name", Text, nullable=False, comment="may be empty"),
    Column("user", Text, nullable=False, comment="whose words come from it"),
    Column("owner", Flag, nullable=False, comment="its role: the owner's, or a person's"),
    Column("token_hash", Text, nullable=False, unique=True, comment="of the token in its cookie"),
    Column("created_at", Number, nullable=False),
    Column("last_used_at", Number, comment="to the minute"),
    Column("revoked_at", Number),
    comment="web browsers that were let in",
    sqlite_strict=True,
)

invitations = Table(
    "invitations",
    metadata,
    Column("invitation_id", Text, primary_key=True),
    Column("code", Text, nullable=False, unique=True, comment="what a person types in a browser"),
    Column("user", Text, nullable=False),
    Column("owner", Flag, nullable=False),
    Column("name", Text, nullable=False, comment="of the browser; empty: what it calls itself"),
    Column("created_at", Number, nullable=False),
    Column("expires_at", Number, nullable=False),
    Column("wrong_guesses", Integer, nullable=False, comment="it ends at the tenth"),
    comment="codes with which one browser each can be let in",
    sqlite_strict=True,
)

satellites = Table(
    "satellites",
    metadata,
    Column("satellite_id", Text, primary_key=True, comment="in lower case"),
    Column("entity", Text, nullable=False, comment="what its client calls it; may be empty"),
    Column("address", Text, nullable=False, comment="of the client that spoke for it last"),
    Column("user", Text, comment="whose words come from it; null: the settings say"),
    Column("created_at", Number, nullable=False),
    Column("last_seen_at", Number, nullable=False, comment="to the hour"),
    comment="voice satellites that talked over Wyoming",
    sqlite_strict=True,
)
