"""The tables of ``agenda.db``, declared once; a test compares them with the migrations.

All times are seconds since the epoch. ``user`` is the person whom a row belongs to. A
``conversation`` is one person on one device; here the one in which something was asked for.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, MetaData, Table

from lobug.storage.columns import (
    KEYED,
    NUMBERED,
    Integer,
    Number,
    Text,
    add_index,
    count,
    flag,
    link,
    one_of,
    required,
    row_id,
    words,
)

metadata = MetaData()

alerts = Table(
    "alerts",
    metadata,
    row_id(),
    required("user", Text),
    required("conversation", Text, "where it was set; it rings there first"),
    one_of("kind", "timer alarm reminder", "what it was called when it was set"),
    words("label", "its name, or what to be reminded of, in the user's words to Lo-Bug"),
    required("due_at", Number, "when it rings next; of one that rings: when it began"),
    Column("span_s", Number, comment="a timer's length, seconds; null: it is for a time of day"),
    Column("rule", Text, comment="RFC 5545 recurrence rule; null: it rings once"),
    Column("starts", Text, comment="wall time in the zone at which the rule begins, ISO 8601"),
    required("zone", Text, "IANA name of the zone in which its wall time is meant"),
    one_of("state", "pending ringing over", "over ones are kept for a while", default="pending"),
    Column("rang_at", Number, comment="when it began to ring the last time"),
    flag("missed", "it fell due while the server was off, and was told later"),
    required("created_at", Number),
    Column("silenced_at", Number, comment="when somebody silenced its ringing; null: nobody has"),
    comment="timers, alarms and reminders",
    **NUMBERED,
)
add_index("alerts_by_user", alerts, "user state due_at")
add_index("alerts_due", alerts, "due_at", where="state = 'pending'")

waiting_speech = Table(
    "waiting_speech",
    metadata,
    row_id(),
    required("user", Text),
    Column("conversation", Text, comment="where it is to be said first; null: anywhere"),
    required("content", Text, "what is to be said"),
    required("created_at", Number),
    Column("expires_at", Number, comment="after this time it is not said any more"),
    link("alert_id", "alerts.id", "the alert that it tells of", ondelete="CASCADE"),
    Column("said_at", Number, comment="when it was said and nobody answered; null: never"),
    comment="what could not be said yet; it is the first thing said at the next contact",
    **NUMBERED,
)
add_index("waiting_speech_by_user", waiting_speech, "user id")

lists = Table(
    "lists",
    metadata,
    row_id(),
    required("user", Text, "a person, or the household"),
    required("name", Text, "as shown: 'shopping', 'list of films to watch'"),
    required("key", Text, "what its name is found by, however it is worded"),
    required("created_at", Number),
    comment="lists of things",
    **NUMBERED,
)
add_index("lists_by_key", lists, "user key", unique=True)

list_items = Table(
    "list_items",
    metadata,
    row_id(),
    Column(
        "list_id",
        Integer,
        ForeignKey("lists.id", ondelete="CASCADE"),
        nullable=False,
    ),
    required("content", Text),
    flag("done", "it was ticked off"),
    count("position", "order within the list"),
    required("created_at", Number),
    comment="what is on lists",
    **NUMBERED,
)
add_index("list_items_by_list", list_items, "list_id position")

notes = Table(
    "notes",
    metadata,
    row_id(),
    required("user", Text),
    required("content", Text),
    required("created_at", Number),
    comment="notes to self, word for word",
    **NUMBERED,
)
add_index("notes_by_user", notes, "user id")

speech_speeds = Table(
    "speech_speeds",
    metadata,
    Column("user", Text, primary_key=True),
    required("speed", Number, "times the voice's own speed"),
    comment="how fast Lo-Bug speaks to each person who wanted another speed than the normal one",
    **KEYED,
)
