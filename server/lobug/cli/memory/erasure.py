"""``lobug memory forget`` and ``lobug memory purge``: what they erase cannot be brought back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from lobug.cli.connection import RefusedError
from lobug.cli.memory.client import MemoryClient, UserOption, entry_id, open_memory
from lobug.cli.memory.entries import show_entries, show_entry
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    ServerOption,
    console,
    plain,
    print_json,
)


def forget(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[ENTRY]", help="Id or key of a memory.", show_default=False),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Instead of an entry: everything that says this.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Only take the memory out of use; `restore` brings it back."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be erased.")
    ] = False,
    yes: YesOption = False,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a memory with all its versions, the words it came from and what was derived from them.

    Shows first what would be erased, and asks."""
    if (what is None) == (text is None) or (keep and what is None):
        raise CommandError(sentence("memory.entry_or_text"), code=EXIT_USAGE)
    with open_memory(server, user) as memory:
        if text is not None:
            gone = _forget_text(memory, text, dry_run=dry_run, yes=yes, quiet=as_json)
        else:
            number = entry_id(memory, what or "")
            gone = _forget_entry(memory, number, keep=keep, dry_run=dry_run, yes=yes, quiet=as_json)
    if as_json:
        print_json(gone)
    elif gone is not None and not dry_run:
        done = sentence("memory.taken_out")
        if not keep:
            done = sentence("memory.erased", what=forgotten(gone))
        console().print(plain(done), markup=False, soft_wrap=True)


def _forget_entry(
    memory: MemoryClient, number: int, *, keep: bool, dry_run: bool, yes: bool, quiet: bool
) -> Any:
    found = memory.get(f"/entries/{number}")
    versions = memory.get(f"/entries/{number}/history")["entries"]
    if not quiet:
        show_entry(found)
        if not keep and len(versions) > 1:
            console().print("\n" + sentence("memory.all_versions"))
            show_entries(versions, "")
    if dry_run:
        return {"entry": found, "versions": versions}
    if keep:
        return memory.post(f"/entries/{number}/remove", None)
    confirm(sentence("memory.sure"), yes=yes)
    return memory.send("DELETE", f"/entries/{number}")


def _forget_text(memory: MemoryClient, text: str, *, dry_run: bool, yes: bool, quiet: bool) -> Any:
    would = memory.post("/forget", {"text": text, "dry_run": True})
    nothing = not (would["entries"] or would["messages"] or would["derived"])
    if not quiet:
        if nothing:
            console().print(sentence("memory.nothing_says_this"))
            return None
        _show_first(memory, would["entries"])
        line = sentence("memory.would_erase", what=plain(forgotten(would)))
        console().print(line, markup=False, soft_wrap=True)
    if dry_run or nothing:
        return would
    confirm(sentence("memory.sure"), yes=yes)
    return memory.post("/forget", {"text": text, "confirm": True})


def _show_first(memory: MemoryClient, numbers: list[int], most: int = 20) -> None:
    shown = [memory.get(f"/entries/{number}")["entry"] for number in numbers[:most]]
    if shown:
        show_entries(shown, "")
    if len(numbers) > most:
        console().print(sentence("memory.and_more", count=len(numbers) - most), style="dim")


def purge(
    session: Annotated[
        int | None,
        typer.Option(
            metavar="ID", min=1, help="Id of a session; `sessions` lists them.", show_default=False
        ),
    ] = None,
    older_than: Annotated[
        float | None,
        typer.Option(
            metavar="DAYS",
            min=0.001,
            max=36_500.0,
            help="Messages and timeline entries older than this.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help="Everything about the user, with timers, alarms, reminders, lists and notes.",
        ),
    ] = False,
    yes: YesOption = False,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a session, what is old, or everything about a user.

    Says first what would be erased, and asks."""
    given = (session is not None, older_than is not None, everything)
    if sum(given) != 1:
        raise CommandError(sentence("memory.one_purge"), code=EXIT_USAGE)
    body: dict[str, Any] = {"session": session, "older_than_days": older_than, "user": everything}
    with open_memory(server, user) as memory:
        try:
            memory.post("/purge", body)
        except RefusedError as refusal:
            if refusal.error_code != "confirmation_required":
                raise
            what = refusal.message.partition(";")[0].replace("this would", "This would", 1)
            if not as_json:
                console().print(f"{plain(what)}.", markup=False, soft_wrap=True)
        confirm(sentence("memory.sure"), yes=yes)
        gone = memory.post("/purge", {**body, "confirm": True})
    if as_json:
        print_json(gone)
    else:
        line = sentence("memory.erased", what=forgotten(gone))
        console().print(plain(line), markup=False, soft_wrap=True)


YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


def forgotten(gone: Mapping[str, Any]) -> str:
    """What was or would be erased, in words. Pure."""
    counts = (
        (len(gone["entries"]), "memory.version", "memory.versions"),
        (gone["messages"], "memory.message", "memory.messages"),
        (gone["derived"], "memory.derived_text", "memory.derived_texts"),
    )
    named = [sentence(one if n == 1 else many, count=n) for n, one, many in counts if n]
    what = named[-1] if named else sentence("memory.nothing")
    if len(named) > 1:
        what = sentence("memory.list", first=", ".join(named[:-1]), last=what)
    if gone["keys"]:
        what = sentence("memory.keys", what=what, keys=", ".join(gone["keys"][:10]))
    return what


def confirm(question: str, *, yes: bool) -> None:
    """Return only if the person at the terminal, or ``--yes``, agrees. Raises CommandError."""
    import typer

    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError(sentence("memory.no_terminal"), code=EXIT_USAGE)
    if not typer.confirm(question, default=False, err=True):
        raise CommandError(sentence("memory.not_erased"))
