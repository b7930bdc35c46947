"""Tables and sentences of ``lobug memory``. Memories are text of unknown origin and must not
control the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_STEERING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of control characters, marks of direction and other invisible characters."""
_JOINERS = {"\u200c", "\u200d"}
"""Of category Cf, but emoji, Persian and Indian scripts need them."""


def plain(text: object) -> str:
    """One line without control characters. Pure."""
    line = " ".join(str(text).split())
    return "".join(
        "\ufffd" if unicodedata.category(c) in _STEERING and c not in _JOINERS else c for c in line
    )


def plain_lines(text: str) -> str:
    """``plain``, line by line. Pure."""
    kept = (line[: len(line) - len(line.lstrip(" "))] + plain(line) for line in text.split("\n"))
    return "\n".join(kept)


def when(text: str | None) -> str:
    """A time of the server in local time, to the minute. Pure but for the time zone."""
    if not text:
        return ""
    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return plain(text)


PIPE_COLUMNS = 16_000
"""Longer than any content."""


def console() -> Console:
    """The console for tables. In a file or a pipe each row is one line."""
    from rich.console import Console

    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=PIPE_COLUMNS)


def show_table(columns: Sequence[str], rows: Iterable[Sequence[object]], nothing: str) -> None:
    """Print a table, or the sentence ``nothing`` if it has no rows."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns[:-1]:
        # Only wide columns shrink in favour of the content, which is the last one.
        table.add_column(column, no_wrap=column not in WIDE_COLUMNS, overflow="fold")
    table.add_column(columns[-1], overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain("" if cell is None else cell)) for cell in row))
    if table.row_count:
        console().print(table)
    else:
        console().print(nothing)


WIDE_COLUMNS = {"key", "parts", "conversation", "project"}


def entry_row(entry: Mapping[str, Any]) -> tuple[object, ...]:
    """A row under ENTRY_COLUMNS."""
    inactive = entry["status"] == "inactive"
    return (
        entry["id"],
        entry["key"],
        entry["layer"],
        (entry["reason"] or "inactive") if inactive else entry["status"],
        when(entry["said_at"])[:10],
        entry["content"],
    )


ENTRY_COLUMNS = ("id", "key", "layer", "status", "said", "content")


def show_entries(entries: Iterable[Mapping[str, Any]], nothing: str) -> None:
    """Print a table of entries."""
    show_table(ENTRY_COLUMNS, map(entry_row, entries), nothing)


def show_facts(pairs: Iterable[tuple[str, object]]) -> None:
    """Print names and values, one a line, without empty values."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, value in pairs:
        if value not in (None, "", []):
            table.add_row(name, Text(plain(value)))
    console().print(table)


def show_entry(found: Mapping[str, Any]) -> None:
    """Print an entry with where it comes from."""
    entry = found["entry"]
    replaced = entry["replaced_by"]
    show_facts(
        [
            ("id", entry["id"]),
            ("key", entry["key"]),
            ("content", entry["content"]),
            ("status", entry["status"]),
            ("because", entry["reason"]),
            ("replaced by", replaced),
            ("layer", entry["layer"]),
            ("section", entry["section"]),
            ("category", entry["category"]),
            ("scope", entry["scope"]),
            ("user", entry["user"]),
            ("source", entry["source"]),
            ("importance", f"{entry['importance']:g}"),
            ("tags", ", ".join(entry["tags"])),
            ("project", entry["project"]),
            ("said", when(entry["said_at"])),
            ("stored", when(entry["updated_at"])),
            ("holds from", when(entry["valid_from"])),
            ("held until", when(entry["valid_until"])),
            ("recalled", f"{entry['recall_count']} times"),
            ("last recalled", when(entry["last_recalled_at"])),
            ("from message", entry["source_message_id"]),
            ("said as", found["message"]),
            ("distilled from", ", ".join(map(str, found["derived_from"]))),
        ]
    )


def show_hits(hits: Iterable[Mapping[str, Any]], nothing: str, used: Sequence[str] = ()) -> None:
    """Print a table of hits; ``used``: references of those that went to the prompt."""
    rows = []
    for hit in hits:
        reference = f"{hit['kind']}:{hit['id']}"
        parts = " ".join(f"{name} {value:.2f}" for name, value in hit["parts"].items())
        rows.append(
            (
                reference + (" *" if reference in used else ""),
                f"{hit['score']:.3f}",
                f"{hit['confidence']:.2f}",
                parts,
                when(hit["said_at"]),
                hit["content"],
            )
        )
    show_table(("what", "score", "fits", "parts", "said", "content"), rows, nothing)


def forgotten(gone: Mapping[str, Any]) -> str:
    """What was or would be erased, in words. Pure."""
    counts = (
        (len(gone["entries"]), "version of memories", "versions of memories"),
        (gone["messages"], "message", "messages"),
        (gone["derived"], "text derived from them", "texts derived from them"),
    )
    named = [f"{n} {one if n == 1 else many}" for n, one, many in counts if n]
    keys = f" ({', '.join(gone['keys'][:10])})" if gone["keys"] else ""
    return (
        " and ".join([", ".join(named[:-1]), named[-1]])
        if len(named) > 1
        else "".join(named) or "nothing"
    ) + keys
