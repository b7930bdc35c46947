"""``lobug memory list``, ``show``, ``add``, ``edit``, ``correct``, ``restore``, ``history``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated, Any

import typer

from lobug.cli.memory.client import (
    FilterOptions,
    MemoryClient,
    UserOption,
    WhatArgument,
    entry_id,
    moment,
    open_memory,
)
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    ServerOption,
    console,
    plain,
    print_json,
    show_facts,
    show_table,
    when,
    with_option_sets,
)
from lobug.language.en.perspective import about_the_user, is_first_person
from lobug.memory.model import Category, EntryScope, Layer

PAGE = 200
"""Entries of one request: the most that the server gives."""

ImportanceOption = Annotated[
    float | None, typer.Option(min=0.0, max=1.0, help="0 to 1.", show_default=False)
]
NewTagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="May be given again.")
]
NewProjectOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Project to which it belongs.", show_default=False),
]


@with_option_sets
def list_entries(
    *,
    where: FilterOptions,
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many entries.")] = 200,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """List memories in the order in which they were stored, with who wrote them and how often they
    were recalled. `--json` has all that is known of each."""
    with open_memory(server, user) as memory:
        entries, more = _pages(memory, where.parameters(), limit)
        if as_json:
            print_json({"entries": entries, "more": more})
            return
        whose = plain(memory.user) if memory.user else sentence("memory.you")
        show_entries(entries, sentence("memory.no_entries", user=whose))
        if more:
            console().print(sentence("memory.more_entries", limit=limit), style="dim")


def _pages(
    memory: MemoryClient, where: dict[str, Any], limit: int
) -> tuple[list[dict[str, Any]], bool]:
    """At most ``limit`` entries, and whether there are more."""
    entries: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None and len(entries) < limit:
        size = min(PAGE, limit - len(entries))
        page = memory.get("/entries", {**where, "limit": size, "after": after})
        entries += page["entries"]
        after = page["next"]
    return entries, after is not None


def show(
    what: WhatArgument,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a memory and where it comes from."""
    with open_memory(server, user) as memory:
        found = memory.get(f"/entries/{entry_id(memory, what)}")
    if as_json:
        print_json(found)
    else:
        show_entry(found)


def add(
    content: Annotated[
        str, typer.Argument(metavar="WORDS", help="What to remember.", show_default=False)
    ],
    key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Name of the memory, such as `user_home`; if it exists already, this becomes"
            " its new version. Default: made from the words.",
            show_default=False,
        ),
    ] = None,
    layer: Annotated[Layer, typer.Option(help="Layer of the memory.")] = "knowledge",
    category: Annotated[Category, typer.Option(help="Kind of memory.")] = "knowledge",
    scope: Annotated[EntryScope, typer.Option(help="Whom it belongs to.")] = "user",
    section: Annotated[
        str | None,
        typer.Option(
            metavar="HEADING",
            help="For the layer identity: the heading under which it stands.",
            show_default=False,
        ),
    ] = None,
    importance: ImportanceOption = None,
    tags: NewTagOption = None,
    project: NewProjectOption = None,
    said_at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="When it was said; default: now.", show_default=False),
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember something."""
    body: dict[str, Any] = {
        "content": _about_the_user(content),
        "key": key,
        "layer": layer,
        "category": category,
        "scope": scope,
        "section": section,
        "tags": tags or [],
        "project": project,
        "said_at": moment("--said-at", said_at),
    }
    if importance is not None:
        body["importance"] = importance
    with open_memory(server, user, creates=True) as memory:
        _changed(memory.post("/entries", body), "memory.remembered", as_json=as_json)


def edit(
    what: WhatArgument,
    content: Annotated[
        str | None, typer.Option(metavar="WORDS", help="New words.", show_default=False)
    ] = None,
    importance: ImportanceOption = None,
    tags: NewTagOption = None,
    project: NewProjectOption = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a memory; what is not given stays. New tags replace all old ones."""
    words = None if content is None else _about_the_user(content)
    given = {"content": words, "importance": importance, "tags": tags or None, "project": project}
    body = {name: value for name, value in given.items() if value is not None}
    if not body:
        raise CommandError(sentence("memory.nothing_to_change"), code=EXIT_USAGE)
    with open_memory(server, user) as memory:
        entry = memory.send("PATCH", f"/entries/{entry_id(memory, what)}", body=body)
        _changed(entry, "memory.changed", as_json=as_json)


def correct(
    what: WhatArgument,
    content: Annotated[
        str, typer.Argument(metavar="WORDS", help="What is true instead.", show_default=False)
    ],
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Correct a wrong memory. It is never recalled again; your correction outranks everything."""
    with open_memory(server, user) as memory:
        entry = memory.post(
            f"/entries/{entry_id(memory, what)}/correct", {"content": _about_the_user(content)}
        )
        _changed(entry, "memory.corrected", as_json=as_json)


def restore(
    number: Annotated[
        int,
        typer.Argument(metavar="ID", min=1, help="Id of an old version.", show_default=False),
    ],
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an old version of a memory the active one again; `history` lists them."""
    with open_memory(server, user) as memory:
        _changed(
            memory.post(f"/entries/{number}/restore", None), "memory.restored", as_json=as_json
        )


def history(
    what: WhatArgument,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show all versions of a memory, oldest first."""
    with open_memory(server, user) as memory:
        found = memory.get(f"/entries/{entry_id(memory, what)}/history")
    if as_json:
        print_json(found)
    else:
        show_entries(found["entries"], sentence("memory.no_versions"))


def _about_the_user(content: str) -> str:
    """ "I have a boat" in the third person, as memory keeps it: a chat model would take "I" for
    itself."""
    return about_the_user(content) if is_first_person(content) else content


def _changed(entry: dict[str, Any], key: str, *, as_json: bool) -> None:
    if as_json:
        print_json(entry)
    else:
        words = sentence("memory.entry", key=entry["key"], id=entry["id"], content=entry["content"])
        console().print(plain(sentence(key, entry=words)), markup=False, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list of entries."""

    name: str
    cell: Callable[[Mapping[str, Any]], object]
    always: bool = True
    """False: left out on a narrow terminal, so that the content keeps room; `--json` and `show`
    have it all the same."""


def _status(entry: Mapping[str, Any]) -> object:
    inactive = entry["status"] == "inactive"
    return (entry["reason"] or "inactive") if inactive else entry["status"]


COLUMNS = (
    Column("id", itemgetter("id")),
    Column("key", itemgetter("key")),
    Column("layer", itemgetter("layer"), always=False),
    Column("status", _status),
    Column("source", itemgetter("source")),
    Column("recalled", itemgetter("recall_count")),
    Column("said", lambda entry: when(entry["said_at"])[:10], always=False),
    Column("content", itemgetter("content")),
)

NARROW_COLUMNS = 110
"""A terminal with fewer columns is narrow."""


def show_entries(entries: Iterable[Mapping[str, Any]], nothing: str) -> None:
    narrow = console().width < NARROW_COLUMNS
    columns = [column for column in COLUMNS if column.always or not narrow]
    rows = ([column.cell(entry) for column in columns] for entry in entries)
    show_table([column.name for column in columns], rows, nothing)


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
            ("recalled", sentence("memory.times", count=entry["recall_count"])),
            ("last recalled", when(entry["last_recalled_at"])),
            ("from message", entry["source_message_id"]),
            ("said as", found["message"]),
            ("distilled from", ", ".join(map(str, found["derived_from"]))),
        ]
    )
