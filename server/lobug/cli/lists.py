"""``lobug lists``: lists of things, such as for shopping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import quote

import typer

from lobug.cli.connection import AgendaClient, open_agenda
from lobug.cli.memory.erasure import YesOption, confirm
from lobug.cli.memory.files import ExportArgument, ForceOption, export_target, write_export
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    SentenceGroup,
    ServerOption,
    console,
    plain,
    print_json,
    show_table,
    when,
)

lists_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Lists of things, such as for shopping: show, add, remove, clear, export.\n\nAsks the"
    " running server. If none runs at the address of the settings, the file is opened directly.",
)

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The list's name, however it is worded: shopping, groceries.",
        show_default=False,
    ),
]
ThingsArgument = Annotated[
    list[str], typer.Argument(metavar="THING...", help="What to add or remove.", show_default=False)
]
HouseholdOption = Annotated[
    bool, typer.Option("--household", help="The household's list instead of the person's own.")
]
PersonOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help="Whose lists and notes. Default: yours on this computer.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class ListClient:
    """The routes of one list."""

    agenda: AgendaClient
    name: str
    scope: Literal["user", "household"]

    def send(self, method: str, *more: str, body: object = None) -> Any:
        """One request with a JSON answer; ``more`` follows the list's path. Raises CommandError."""
        return self.agenda.send(method, self._path(*more), body=body, scope=self.scope)

    def file(self, as_format: str) -> bytes:
        """The list as a file. Raises CommandError."""
        answer = self.agenda.raw("GET", self._path(), scope=self.scope, format=as_format)
        return answer.content

    def _path(self, *more: str) -> str:
        return "/".join(("/lists", quote(self.name, safe=""), *more))


@contextmanager
def _open_list(
    name: str, household: bool, user: str | None, server: str | None
) -> Iterator[ListClient]:
    if not name.strip(" ."):  # "." and ".." in a path lead elsewhere
        raise CommandError(sentence("lists.unnamed"), code=EXIT_USAGE)
    with open_agenda(server, user) as agenda:
        yield ListClient(agenda, name, "household" if household else "user")


@lists_app.command()
def show(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Default: all lists.", show_default=False),
    ] = None,
    household: HouseholdOption = False,
    user: PersonOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a list, or which lists there are."""
    if name is not None:
        with _open_list(name, household, user, server) as one:
            _show_one(one.send("GET"), as_json=as_json)
        return
    with open_agenda(server, user) as agenda:
        found = agenda.send("GET", "/lists")
    if as_json:
        print_json(found)
        return
    show_table(
        ("things", "of", "since", "name"),
        (
            (
                sum(not item["done"] for item in one["items"]),
                sentence("lists.household") if one["scope"] == "household" else "",
                when(one["created_at"]),
                one["name"],
            )
            for one in found["lists"]
        ),
        sentence("lists.none"),
    )


def _show_one(one: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(one)
        return
    show_table(
        ("id", "", "thing"),
        (
            (item["id"], sentence("lists.done") if item["done"] else "", item["content"])
            for item in one["items"]
        ),
        sentence("lists.empty", name=plain(one["name"])),
    )


@lists_app.command()
def add(
    name: NameArgument,
    things: ThingsArgument,
    household: HouseholdOption = False,
    user: PersonOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put things on a list; it is made if there is none."""
    with _open_list(name, household, user, server) as one:
        came = one.send("POST", "items", body={"items": things})
    if as_json:
        print_json(came)
        return
    _say("lists.added", came["after"], [item["content"] for item in came["added"]])
    _say("lists.present", came["after"], [item["content"] for item in came["present"]])


@lists_app.command()
def remove(
    name: NameArgument,
    things: ThingsArgument,
    household: HouseholdOption = False,
    user: PersonOption = None,
    server: ServerOption = None,
) -> None:
    """Take things off a list, by their words or their ids."""
    with _open_list(name, household, user, server) as one:
        there = one.send("GET")
        ids, missing = _meant(there["items"], things)
        gone = [one.send("DELETE", "items", str(item))["content"] for item in ids]
    _say("lists.removed", there, gone)
    if missing:
        text = sentence("lists.not_on", name=plain(there["name"]), things=plain(", ".join(missing)))
        raise CommandError(text)


def _meant(
    items: Sequence[Mapping[str, Any]], things: Sequence[str]
) -> tuple[list[int], list[str]]:
    """The ids of the things that are meant, and the words that mean none."""
    from lobug.language.en.list_words import item_key

    known = {item_key(item["content"]): item["id"] for item in items}
    known |= {str(item["id"]): item["id"] for item in items}
    found = [(thing, known.get(thing, known.get(item_key(thing)))) for thing in things]
    ids = [item for _, item in found if item is not None]
    return list(dict.fromkeys(ids)), [thing for thing, item in found if item is None]


@lists_app.command()
def clear(
    name: NameArgument,
    household: HouseholdOption = False,
    yes: YesOption = False,
    user: PersonOption = None,
    server: ServerOption = None,
) -> None:
    """Erase everything on a list."""
    with _open_list(name, household, user, server) as one:
        there = one.send("GET")
        if there["items"]:
            _confirm("lists.sure", there, yes=yes)
            one.send("DELETE", "items")
    console().print(sentence("lists.cleared", name=plain(there["name"])), markup=False)


@lists_app.command()
def delete(
    name: NameArgument,
    household: HouseholdOption = False,
    yes: YesOption = False,
    user: PersonOption = None,
    server: ServerOption = None,
) -> None:
    """Delete a list with all that is on it."""
    with _open_list(name, household, user, server) as one:
        there = one.send("GET")
        _confirm("lists.sure_delete", there, yes=yes)
        one.send("DELETE")
    console().print(sentence("lists.deleted", name=plain(there["name"])), markup=False)


def _confirm(question: str, one: Mapping[str, Any], *, yes: bool) -> None:
    text = sentence(question, count=len(one["items"]), name=plain(one["name"]))
    confirm(text, yes=yes)


@lists_app.command()
def export(
    name: NameArgument,
    file: ExportArgument = None,
    as_format: Annotated[
        Literal["ics", "markdown"],
        typer.Option(
            "--format", help="`ics`: iCalendar with a VTODO each; `markdown`: a checklist."
        ),
    ] = "markdown",
    force: ForceOption = False,
    household: HouseholdOption = False,
    user: PersonOption = None,
    server: ServerOption = None,
) -> None:
    """Write a list for other programs to a file that only you may read, or to standard output."""
    target = export_target(file, force=force)
    with _open_list(name, household, user, server) as one:
        content = one.file(as_format)
    write_export(target, content)


def _say(name: str, one: Mapping[str, Any], things: Sequence[str]) -> None:
    if things:
        text = sentence(name, name=plain(one["name"]), things=plain(", ".join(things)))
        console().print(text, markup=False, soft_wrap=True)
