"""Looking: ``lobug memory search``, ``why``, ``identity``, ``sessions``, ``stats`` and so on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer

from lobug.cli.memory.client import (
    FilterOptions,
    UserOption,
    open_memory,
)
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
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


@with_option_sets
def search(
    *,
    query: Annotated[
        str,
        typer.Argument(
            metavar="[WORDS]",
            help="Words or a question. Without any: everything between --since and --until.",
        ),
    ] = "",
    where: FilterOptions,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Show at most this many hits.")] = 5,
    turns: Annotated[
        bool, typer.Option("--turns", help="Also search what was said, word for word.")
    ] = False,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search memories by meaning and words, best first."""
    with open_memory(server, user) as memory:
        asked = {**where.parameters(), "q": query, "limit": limit, "turns": turns}
        found = memory.get("/search", asked)
    if as_json:
        print_json(found)
    else:
        show_hits(found["hits"], sentence("memory.no_hits"))


def why(
    message_id: Annotated[
        int | None,
        typer.Argument(
            metavar="[MESSAGE]",
            min=1,
            help="Id of a message; without it the last turn.",
            show_default=False,
        ),
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which memories a turn used, and how they scored."""
    with open_memory(server, user) as memory:
        recall = memory.get("/why", {"message_id": message_id})
    if as_json:
        print_json(recall)
        return
    show_facts(
        [
            ("message", recall["message_id"]),
            ("asked", recall["query"]),
            ("at", when(recall["created_at"])),
            ("took", sentence("memory.took", ms=recall["took_ms"])),
        ]
    )
    show_hits(recall["hits"], sentence("memory.nothing_found"), recall["injected"])
    used = len(recall["injected"])
    line = sentence("memory.used", count=used) if used else sentence("memory.none_used")
    console().print(line, style="dim")


def recalls(
    limit: Annotated[int, typer.Option(min=1, max=200, help="Show at most this many rows.")] = 20,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the searches of the last turns, newest first."""
    with open_memory(server, user) as memory:
        found = memory.get("/recalls", {"limit": limit})
    if as_json:
        print_json(found)
        return
    rows = (
        (
            r["message_id"],
            when(r["created_at"]),
            sentence("memory.took", ms=r["took_ms"]),
            len(r["hits"]),
            len(r["injected"]),
            r["query"],
        )
        for r in found["recalls"]
    )
    columns = ("message", "at", "took", "found", "used", "asked")
    show_table(columns, rows, sentence("memory.no_recalls"))


def sessions(
    limit: Annotated[
        int, typer.Option(min=1, max=200, help="Show at most this many sessions.")
    ] = 20,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """List sessions, newest first: stretches of conversation without a long pause."""
    with open_memory(server, user) as memory:
        found = memory.get("/sessions", {"limit": limit})
    if as_json:
        print_json(found)
        return
    rows = (
        (
            s["id"],
            s["channel"],
            s["conversation"],
            when(s["started_at"]),
            when(s["last_active_at"]),
            s["messages"],
            s["summary"],
        )
        for s in found["sessions"]
    )
    columns = ("id", "channel", "conversation", "started", "last active", "messages", "summary")
    show_table(columns, rows, sentence("memory.no_sessions"))


def stats(
    user: UserOption = None, server: ServerOption = None, as_json: JsonOption = False
) -> None:
    """Count what is remembered, and show how much space it takes."""
    with open_memory(server, user) as memory:
        found = memory.get("/stats")
    if as_json:
        print_json(found)
    else:
        show_facts(_flat(found))


def _flat(counts: dict[str, Any], before: str = "") -> list[tuple[str, object]]:
    """Names and values; nested ones get both names. Pure."""
    pairs: list[tuple[str, object]] = []
    for name, value in counts.items():
        title = f"{before}{name.replace('_', ' ')}"
        if isinstance(value, dict):
            pairs += _flat(value, f"{title}: ")
        elif name.endswith("_at") and isinstance(value, str):
            pairs.append((title, when(value)))
        else:
            pairs.append((title, value))
    return pairs


def users(server: ServerOption = None, as_json: JsonOption = False) -> None:
    """List everybody about whom anything is remembered."""
    with open_memory(server, None, any_user=True) as memory:
        found = memory.get("/users")
    if as_json:
        print_json(found)
        return
    rows = (
        (
            u["entries"],
            u["messages"],
            u["sessions"],
            when(u["last_active_at"]),
            sentence("memory.user_you", user=u["user"]) if u["user"] == found["you"] else u["user"],
        )
        for u in found["users"]
    )
    columns = ("memories", "messages", "sessions", "last active", "user")
    show_table(columns, rows, sentence("memory.no_users", user=plain(found["you"])))


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
