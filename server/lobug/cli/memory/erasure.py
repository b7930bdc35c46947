"""``lobug memory forget`` and ``lobug memory purge``: what they erase cannot be brought back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from lobug.cli.connection import RefusedError
from lobug.cli.memory.client import MemoryClient, UserOption, entry_id, open_memory
from lobug.cli.memory.entries import show_entries, show_entry
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    ServerOption,
    console,
    plain,
    print_json,
)

SURE = "Erase this for good?"


def forget(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[ENTRY]", help="Id or key of a memory.", show_default=False),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="Instead: whatever says this, wherever.", show_default=False
        ),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Only take the memory out of use; `restore` brings it back."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    yes: YesOption = False,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a memory with all its versions, the words it came from and what was derived from them.

    Shows first what would go, and asks."""
    if (what is None) == (text is None) or (keep and what is None):
        raise CommandError("give an entry, or --text with words", code=EXIT_USAGE)
    with open_memory(server, user) as door:
        if text is not None:
            gone = _forget_text(door, text, dry_run=dry_run, yes=yes, quiet=as_json)
        else:
            number = entry_id(door, what or "")
            gone = _forget_entry(door, number, keep=keep, dry_run=dry_run, yes=yes, quiet=as_json)
    if as_json:
        print_json(gone)
    elif gone is not None and not dry_run:
        done = "taken out of use" if keep else f"erased: {forgotten(gone)}"
        console().print(plain(done), markup=False, soft_wrap=True)


def _forget_entry(
    door: MemoryClient, number: int, *, keep: bool, dry_run: bool, yes: bool, quiet: bool
) -> Any:
    found = door.get(f"/entries/{number}")
    versions = door.get(f"/entries/{number}/history")["entries"]
    if not quiet:
        show_entry(found)
        if not keep and len(versions) > 1:
            console().print("\nand with it all its versions:")
            show_entries(versions, "")
    if dry_run:
        return {"entry": found, "versions": versions}
    if keep:
        return door.post(f"/entries/{number}/remove", None)
    confirm(SURE, yes=yes)
    return door.send("DELETE", f"/entries/{number}")


def _forget_text(door: MemoryClient, text: str, *, dry_run: bool, yes: bool, quiet: bool) -> Any:
    would = door.post("/forget", {"text": text, "dry_run": True})
    nothing = not (would["entries"] or would["messages"] or would["derived"])
    if not quiet:
        if nothing:
            console().print("Nothing says this.")
            return None
        _show_first(door, would["entries"])
        console().print(
            f"This would erase {plain(forgotten(would))}.", markup=False, soft_wrap=True
        )
    if dry_run or nothing:
        return would
    confirm(SURE, yes=yes)
    return door.post("/forget", {"text": text, "confirm": True})


def _show_first(door: MemoryClient, numbers: list[int], most: int = 20) -> None:
    shown = [door.get(f"/entries/{number}")["entry"] for number in numbers[:most]]
    if shown:
        show_entries(shown, "")
    if len(numbers) > most:
        console().print(f"... and {len(numbers) - most} more", style="dim")


def purge(
    session: Annotated[
        int | None,
        typer.Option(
            metavar="ID", min=1, help="A session: `sessions` lists them.", show_default=False
        ),
    ] = None,
    older_than: Annotated[
        float | None,
        typer.Option(
            metavar="DAYS",
            min=0.001,
            help="Messages and timeline entries older than this.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="Everything about the user.")
    ] = False,
    yes: YesOption = False,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a session, what is old, or everything about a user.

    Says first what would go, and asks."""
    given = (session is not None, older_than is not None, everything)
    if sum(given) != 1:
        raise CommandError(
            "give exactly one of --session, --older-than and --everything", code=EXIT_USAGE
        )
    body: dict[str, Any] = {"session": session, "older_than_days": older_than, "user": everything}
    with open_memory(server, user) as door:
        try:
            door.post("/purge", body)
        except RefusedError as refusal:
            if refusal.error_code != "confirmation_required":
                raise
            what = refusal.message.partition(";")[0].replace("this would", "This would", 1)
            if not as_json:
                console().print(f"{plain(what)}.", markup=False, soft_wrap=True)
        confirm(SURE, yes=yes)
        gone = door.post("/purge", {**body, "confirm": True})
    if as_json:
        print_json(gone)
    else:
        console().print(plain(f"erased: {forgotten(gone)}"), markup=False, soft_wrap=True)


YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


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


def confirm(question: str, *, yes: bool) -> None:
    """Return only if the person at the terminal, or ``--yes``, agrees. Raises CommandError."""
    import typer

    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError(
            "nothing was erased: there is no terminal to ask at; give --yes if you mean it",
            code=EXIT_USAGE,
        )
    if not typer.confirm(question, default=False, err=True):
        raise CommandError("nothing was erased")
