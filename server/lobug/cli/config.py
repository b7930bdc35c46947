"""``lobug config``: the effective settings, and the generated pages of the documentation."""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lobug import errors
from lobug.cli.connection import open_settings
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    CommandError,
    SentenceGroup,
    ServerOption,
    open_console,
    print_json,
    warn,
)
from lobug.errors import LobugError

if TYPE_CHECKING:
    from lobug.settings.inventory import Setting

config_app = typer.Typer(cls=SentenceGroup, invoke_without_command=True)

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The setting, such as skills.quiet_hours; its variable will do.",
        show_default=False,
    ),
]


@config_app.callback()
def config(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    docs: Annotated[
        bool,
        typer.Option("--docs", help="Write the generated pages of docs/, and .env.example."),
    ] = False,
    check_docs: Annotated[
        bool, typer.Option("--check-docs", help="Fail when those files are not up to date.")
    ] = False,
    root: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="Root of the source tree, for --docs and --check-docs."
        ),
    ] = Path(),
) -> None:
    """Show the effective settings and where each comes from; secrets are masked."""
    if context.invoked_subcommand is not None:
        return
    if docs or check_docs:
        _update_pages(context.find_root().command, root, check_only=check_docs)
    else:
        _show_values(as_json=as_json)


@config_app.command("set")
def set_value(
    name: NameArgument,
    value: Annotated[
        str,
        typer.Argument(
            metavar="VALUE", help="As it is written in .env; lists as JSON.", show_default=False
        ),
    ],
    server: ServerOption = None,
) -> None:
    """Change a setting: of the running server, at once, else for the next one.

    What the environment, .env or the command line sets takes precedence and is not changed.
    """
    name = _dotted(name)
    _change(name, _parsed(name, value), server)


@config_app.command("unset")
def unset_value(name: NameArgument, server: ServerOption = None) -> None:
    """Take a change back: the default counts again."""
    _change(_dotted(name), None, server)


def _dotted(name: str) -> str:
    return name.lower().removeprefix("lobug_").replace("__", ".", 1)


def _parsed(name: str, value: str) -> Any:
    """A value as JSON. Raises CommandError."""
    from lobug.settings.live import changeable_settings  # loads pydantic

    setting = changeable_settings().get(name)
    if setting is None or setting.kind not in {"choices", "place"}:
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise CommandError(sentence("settings.not_json", name=name, value=value)) from error


def _change(name: str, value: Any, server: str | None) -> None:
    from lobug.settings.inventory import text_of  # loads pydantic

    with open_settings(server) as http:
        answer = http.send("PATCH", "/settings", {name: value})
    row = next(row for row in answer["settings"] if row["name"] == name)
    typer.echo(sentence("settings.changed", name=name, value=text_of(row["value"]) or '""'))
    warn(*answer["faults"])


def _update_pages(command: Any, root: Path, *, check_only: bool) -> None:
    if not (root / "pyproject.toml").is_file():
        raise CommandError(sentence("settings.not_source_tree", path=root.absolute()))
    generated = generated_pages(command)
    if check_only:
        stale = drifted(root, generated)
        if stale:
            raise CommandError(sentence("settings.pages_outdated", names=", ".join(stale)))
        typer.echo(sentence("settings.pages_current"))
        return
    written = write(root, generated)
    names = ", ".join(written)
    typer.echo(
        sentence("settings.pages_written", names=names)
        if written
        else sentence("settings.pages_unchanged")
    )


def _show_values(*, as_json: bool) -> None:
    from lobug.cli.effective_settings import load_settings  # loads pydantic

    loaded = load_settings()
    rows = loaded.values()
    if as_json:
        document = {
            row.setting.env: {
                "value": row.value,
                "source": row.source,
                "secret": row.setting.secret,
            }
            for row in rows
        }
        print_json(document)
    else:
        from rich.table import Table
        from rich.text import Text

        table = Table("setting", "value", "source", box=None, header_style="bold")
        for row in rows:
            style = "" if row.source == "default" else "bold green"
            table.add_row(
                Text(row.setting.env, style), Text(row.value, style), Text(row.source, style)
            )
        open_console().print(table)
    warn(*loaded.warnings)


ERRORS_HEAD = """\
# Errors

What the HTTP doors answer when something fails. The code never changes once it is released; the
sentence is what a device shows or says. [protocol.md](protocol.md) shows the whole body.

| code | status | meaning | a device says |
|---|---|---|---|"""


def errors_page() -> str:
    """``docs/errors.md``, from the exceptions themselves."""
    rows = [
        f"| `{error.code}` | {error.status} | {_meaning(error)} | {error.spoken} |"
        for error in _with_code_of_their_own(LobugError)
    ]
    return "\n".join([ERRORS_HEAD, *rows, ""])


def _with_code_of_their_own(error: type[LobugError]) -> Iterator[type[LobugError]]:
    if "code" in vars(error) and error.__module__ == errors.__name__:
        yield error
    for child in error.__subclasses__():
        yield from _with_code_of_their_own(child)


def _meaning(error: type[LobugError]) -> str:
    """The first paragraph of the docstring, without its notes for programmers."""
    paragraph = " ".join((error.__doc__ or "").split("\n\n")[0].split())
    return paragraph.split(" Base of ")[0].replace("``", "`").replace("|", "\\|")


# The objects behind a typer app have no public type, hence Any.

HELP_HEAD = """\
<!-- Generated by `lobug config --docs`; edit the program, not this page. -->
# Command line

Every failure ends with a sentence on standard error. Exit codes: 0 it worked, 1 it did not, 2 the \
command line is wrong, 3 no server answers."""


def help_page(root: Any) -> str:
    """``docs/cli.md``. ``root``: the command ``lobug`` with all its subcommands."""
    lines = [HELP_HEAD]
    lines += _command_lines(root, "lobug", None)
    return "\n".join(lines) + "\n"


def _command_lines(command: Any, name: str, parent: Any) -> list[str]:
    context: Any = typer.Context(command, info_name=name.rsplit(" ", 1)[-1], parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = ["", f"## `{name}`", "", inspect.cleandoc(command.help or ""), ""]
    lines += ["```text", f"{name} {usage}".rstrip(), "```"]
    records = [p.get_help_record(context) for p in command.get_params(context)]
    rows = [f"| {_code(left)} | {_cell(right)} |" for left, right in filter(None, records)]
    if rows:
        lines += ["", "| option | meaning |", "|---|---|", *rows]
    for child in getattr(command, "commands", {}).values():
        if not child.hidden:
            lines += _command_lines(child, f"{name} {child.name}", context)
    return lines


def _code(text: str) -> str:
    return f"`{' '.join(text.split())}`".replace("|", "\\|")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


GENERATED = "<!-- Generated by `lobug config --docs`; edit the program, not this page. -->"


CONFIGURATION_HEAD = f"""\
{GENERATED}
# Configuration

Every setting is an environment variable. It may also stand in a file `.env` in the working \
directory, one `NAME=value` a line; the environment takes precedence. An invalid value \
keeps the server from starting, with a sentence that names it; an unknown name gets a warning.

`lobug config` shows what is in effect and where each value comes from. `.env.example` holds all \
defaults, ready to be copied to `.env`.

The settings that are marked *live* may also change while Lo-Bug runs: on the Settings page, by \
`lobug config set NAME VALUE`, or by `PATCH /settings` (`{{"skills.quiet_hours": \
"22:00-07:00"}}`, null: back to the default). Such a change counts from the next turn, utterance \
or sentence on, and is kept in `settings.json` in `data_dir`; what has to be erased by a shorter \
retention goes with the next cleanup (`memory.cleanup_interval_hours`). The command line takes \
precedence over the environment, that over `.env`, that over such changes, and those over the \
defaults: what one of the first three sets cannot be changed while Lo-Bug runs (error \
`setting_fixed`). A `settings.json` that cannot be read is renamed to `settings.json.broken-1`, \
the defaults count, and the log and the Settings page say so."""

CONFIGURATION_TAIL = """
## Whole sections at once

A section may also be given as JSON: `LOBUG_CHAT={"engine": "ollama"}`. A single variable of the \
section takes precedence."""


def configuration_page() -> str:
    from lobug.settings.inventory import sections  # loads pydantic

    lines = [CONFIGURATION_HEAD]
    for section in sections():
        title = section.name or "Server"
        lines += ["", f"## {title}", "", section.description, ""]
        lines += ["| variable | type | default | meaning |", "|---|---|---|---|"]
        lines += [_setting_row(setting) for setting in section.settings]
    lines += [CONFIGURATION_TAIL, ""]
    return "\n".join(lines)


def env_example() -> str:
    """``.env.example``: every setting, commented out, with its default."""
    from lobug.settings.inventory import MACHINE_DEFAULTS, sections

    lines = [
        "# Settings of Lo-Bug. Copy to .env and remove the # of what you change.",
        "# Generated by `lobug config --docs`. All of it is explained in docs/configuration.md.",
    ]
    for section in sections():
        lines += ["", f"# ---- {section.name or 'server'} ----"]
        for setting in section.settings:
            text = setting.description.replace("`", "")
            if setting.dotted in MACHINE_DEFAULTS:
                text += f" Default: {MACHINE_DEFAULTS[setting.dotted].replace('`', '')}."
            lines += ["", *(f"# {line}" for line in textwrap.wrap(text, 96))]
            lines.append(f"#{setting.env}={setting.default_text}")
    return "\n".join(lines) + "\n"


def _setting_row(setting: Setting) -> str:
    from lobug.settings.inventory import MACHINE_DEFAULTS

    if setting.dotted in MACHINE_DEFAULTS:
        default = MACHINE_DEFAULTS[setting.dotted]
    elif setting.default_text:
        default = f"`{setting.default_text}`"
    else:
        default = "empty"
    live = "*live* " if setting.changeable is not None else ""
    meaning = live + setting.description.replace("|", "\\|")
    return f"| `{setting.env}` | {setting.type_text} | {default} | {meaning} |"


SKILLS_HEAD = """\
<!-- Generated by `lobug config --docs`; edit the program, not this page. -->
# Skills

What Lo-Bug does for somebody besides talking. Sentences and a small trained reader lead to a skill,
so it answers without the chat model and always does the same, however it is asked. It does so at
every door: a device, `lobug chat`, `POST /chat/text`, the OpenAI interface. What the reader is not
sure of the chat model may still take for an intent of a skill. Both can only quote what was said:
they fill in no time, name or number ([trained-order-reader](decisions/trained-order-reader.md)).

`lobug skills` and `GET /skills` show which skills are on, and what one lacks. `LOBUG_SKILLS__OFF`
switches skills off ([configuration](configuration.md#skills)). A skill says only what it did; what
is asked for and no skill can do gets an honest sentence.
"""


SKILLS_FOOT = """\
## Timers, alarms, reminders

They are rows in `agenda.db`: a restart and `kill -9` lose none, and what fell due while Lo-Bug was
off is told at the next contact. Wall times are those of `LOBUG_CONVERSATION__TIME_ZONE` (empty: the
computer's), also across changes of the clocks. How they ring, quiet hours, what reaches a device
that is asleep, `POST /announce`: [protocol.md](protocol.md). `GET /alerts` and `lobug alerts` show
and change them: [alerts.md](alerts.md); lists and notes: [lists.md](lists.md).

## Tools of your own

Servers of tools that speak the Model Context Protocol, as programs or over HTTP, are named in
`LOBUG_SKILLS__MCP_SERVERS`, each with the tools that may be used:

```text
LOBUG_SKILLS__MCP_SERVERS={"house": {"command": ["uvx", "my-mcp-server"], "allow": ["switch_lamp"]}}
```

`lobug skills` lists what each server offers and what is allowed; nothing else is used. The chat
model chooses a tool as it does a device's ([tools.md](tools.md)); arguments are checked by the
tool's schema, an answer has a time limit, and what a server returns is data, never an instruction.
A server that hangs, crashes or floods costs its own tools only, and is connected again by itself.
"""


def skills_page() -> str:
    """``docs/skills.md``: every skill with its sentences, from the data of the language."""
    from lobug.language.en.skill_sentences import skill_sentences  # loads the templates

    sentences = skill_sentences()
    lines = [SKILLS_HEAD, "| skill | what it does | you may say |", "|---|---|---|"]
    for name in sentences.skills():
        said = " ".join(f"\u201c{example}\u201d" for example in sentences.examples(name))
        cells = (f"`{name}`", sentences.about(name), said)
        row = " | ".join(cell.replace("|", "\\|") for cell in cells)
        lines.append(f"| {row} |")
    return "\n".join([*lines, "", SKILLS_FOOT])


def generated_pages(command: Any) -> Mapping[str, str]:
    """Every generated file by its path in the repository. ``command``: ``lobug`` itself."""
    return {
        "docs/configuration.md": configuration_page(),
        "docs/cli.md": help_page(command),
        "docs/errors.md": errors_page(),
        "docs/skills.md": skills_page(),
        ".env.example": env_example(),
    }


def drifted(root: Path, pages: Mapping[str, str]) -> list[str]:
    """Names of the files under ``root`` that differ from ``pages``."""
    return [
        name
        for name, text in pages.items()
        if not (root / name).is_file() or (root / name).read_text(encoding="utf-8") != text
    ]


def write(root: Path, pages: Mapping[str, str]) -> list[str]:
    """Write the files that drifted; returns their names. Raises OSError."""
    stale = drifted(root, pages)
    for name in stale:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[name], encoding="utf-8")
    return stale
