"""Old databases for ``behaviour.py``: writes them as SQL, restores them, records what they export.

``tests/data/databases`` holds a folder for each version that wrote one; the people are invented. A
dump is SQL for Python's own ``sqlite3``: virtual tables are restored from their shadow tables, so
neither sqlite-vec nor Lo-Bug is needed.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from behaviour_answers import make_tokens, pair
from behaviour_comparison import Normaliser
from behaviour_dialogue import DIALOGUE, MEMORY, PERSON_SETTINGS, SNAPSHOT, get, post
from behaviour_ollama import fake_ollama
from behaviour_server import Checkout, Recorder, RecordingError, served, with_ollama

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "databases"

FEW = {
    "LOBUG_MEMORY__SESSION_IDLE_MINUTES": "0.02",
    "LOBUG_MEMORY__SHORT_TERM_THRESHOLD": "8",
    "LOBUG_MEMORY__SHORT_TERM_KEEP": "2",
    "LOBUG_MEMORY__LONG_TERM_THRESHOLD": "4",
    "LOBUG_MEMORY__LONG_TERM_KEEP": "2",
    "LOBUG_ACCESS__CODE_LIFETIME_S": "300000000",
}
"""Settings with which a short dialogue makes several sessions, summaries and a portrait."""

LEFT_OUT = ("purge: old", "export: ", "import: ")
"""Prefixes of requests that erase entries or concern another person."""

ZEROS = 32
"""From this many zero bytes at the end of a value, only their number is written."""


def write_database(checkout: Checkout, folder: Path, out: Path) -> None:
    """Run a dialogue with a checkout's server, and dump its database files into ``out``."""
    data = folder / "data"
    data.mkdir()
    (data / "sessions.json").write_text(json.dumps(SNAPSHOT))
    with fake_ollama() as ollama:
        settings = with_ollama(ollama.url) | PERSON_SETTINGS | FEW
        with served(checkout, data, **settings) as lobug:
            recorder = Recorder(lobug, ollama, Normaliser())
            lobug.settle()
            for number, (device, words) in enumerate(DIALOGUE):
                about = {"text": words}
                recorder.ask(post(str(number), "/chat/text", about, headers={"Device-Id": device}))
            recorder.all([ask for ask in MEMORY if not ask.name.startswith(LEFT_OUT)])
            pair(recorder)
            make_tokens(recorder)
            known = {"Device-Id": "AA:BB:CC:DD:EE:02", "Client-Id": "behaviour"}
            recorder.ask(post("a device that waits", "/xiaozhi/ota/", {}, headers=known))
            time.sleep(2.0)  # the last session is over
            lobug.settle()
            recorder.failing = True
            recorder.ask(post("a turn that fails", "/chat/text", {"text": "Please fail at once."}))
            recorder.ask(get("health", "/health"))
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(data.glob("*.db")):
        (out / f"{path.stem}.sql").write_text("\n".join(dump(path)) + "\n")


def dump(path: Path) -> Iterator[str]:
    """The statements that restore a database file."""
    with closing(sqlite3.connect(path)) as file:
        schema = list(file.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))
        without_rowid = {row[1] for row in file.execute("PRAGMA table_list") if row[4]}
        yield "BEGIN;"
        for kind, name, _, sql in schema:
            if kind == "table" and not name.startswith("sqlite_") and not _is_virtual(sql):
                yield f"{sql};"
                yield from _rows(file, name, with_rowid=name not in without_rowid)
        if any(name == "sqlite_sequence" for _, name, _, _ in schema):
            yield "DELETE FROM sqlite_sequence;"
            yield from _rows(file, "sqlite_sequence", with_rowid=False)
        for kind, _, _, sql in schema:
            if kind != "table" and sql:
                yield f"{sql};"
        yield "PRAGMA writable_schema = ON;"
        for kind, name, table, sql in schema:
            if kind == "table" and _is_virtual(sql):
                values = ", ".join(_quoted(value) for value in (kind, name, table, 0, sql))
                yield f"INSERT INTO sqlite_master VALUES ({values});"  # noqa: S608 - quoted
        yield "PRAGMA writable_schema = OFF;"
        (version,) = file.execute("PRAGMA user_version").fetchone()
        yield f"PRAGMA user_version = {version};"
        yield "COMMIT;"


def restore(fixture: Path, data: Path) -> None:
    """Restore the database files of a fixture into a data folder."""
    data.mkdir(parents=True)
    data.chmod(0o700)
    for script in fixture.glob("*.sql"):
        path = data / f"{script.stem}.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            file.executescript(script.read_text())
        path.chmod(0o600)


def counts(data: Path) -> dict[str, dict[str, int]]:
    """The number of rows of each table of each database file. Virtual tables are left out; their
    shadow tables are counted."""
    found = {}
    for path in sorted(data.glob("*.db")):
        with closing(sqlite3.connect(path)) as file:
            tables = [
                name
                for name, sql in file.execute(
                    "SELECT name, sql FROM sqlite_master WHERE type='table'"
                )
                if not _is_virtual(sql)
            ]
            found[path.name] = {
                name: int(file.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])  # noqa: S608
                for name in sorted(tables)
            }
    return found


def export(checkout: Checkout, folder: Path, normal: Normaliser) -> dict[str, Any]:
    """Record what each old database exports once this code has opened it."""
    fixtures = sorted(path for path in FOLDER.iterdir() if path.is_dir())
    if not fixtures:
        raise RecordingError(f"no databases in {FOLDER}")
    found = {}
    for fixture in fixtures:
        data = folder / "opened"
        restore(fixture, data)
        normal.known = "".join(path.read_text() for path in sorted(fixture.glob("*.sql")))
        opened = _opened(checkout, data, normal)
        found[fixture.name] = {"opened": opened, "served": _served(checkout, data, normal)}
        shutil.rmtree(data)
    return found


def _opened(checkout: Checkout, data: Path, normal: Normaliser) -> dict[str, Any]:
    """What the commands export while no server runs."""
    users = checkout.must_run(
        "memory", "users", "--json", data=data, settings=PERSON_SETTINGS
    ).json()
    if not users["users"]:
        raise RecordingError("the database has no users")
    exports = {}
    for user in (row["user"] for row in users["users"]):
        for form in ("json", "markdown"):
            done = checkout.must_run(
                "memory",
                "export",
                "--user",
                user,
                "--format",
                form,
                data=data,
                settings=PERSON_SETTINGS,
            )
            exports[f"{user} as {form}"] = _exported(done.out, normal)
    listed = {
        name: normal.value(checkout.must_run(name, "list", "--json", data=data).json())
        for name in ("devices", "tokens")
    }
    return {
        "users": normal.value(users),
        "exports": exports,
        **listed,
        "rows": counts(data),
        "files": _files(data),
    }


def _served(checkout: Checkout, data: Path, normal: Normaliser) -> dict[str, Any]:
    """What a server exports once it has finished its background work."""
    with fake_ollama() as ollama:
        # Every session of a fixture is over, at whatever hour this runs.
        settings = with_ollama(ollama.url, idle_minutes=0.1) | PERSON_SETTINGS
        with served(checkout, data, **settings) as lobug:
            Recorder(lobug, ollama, normal).rest()
            exports = {}
            for user in (row["user"] for row in lobug.client.get("/memory/users").json()["users"]):
                for form in ("json", "markdown"):
                    asked = {"user": user, "format": form}
                    answer = lobug.client.get("/memory/export", params=asked).raise_for_status()
                    exports[f"{user} as {form}"] = _exported(answer.text, normal)
            health = normal.value(lobug.health()["memory"])
            identity = {
                user: normal.value(
                    lobug.client.get("/memory/identity", params={"user": user}).json()
                )
                for user in ("ada", "ben", "owner")
            }
    return {"health": health, "identity": identity, "exports": exports, "rows": counts(data)}


def _exported(text: str, normal: Normaliser) -> Any:
    if text.startswith("{"):
        return normal.value(json.loads(text))
    return re.sub(r"As of [\d-]{10}", "As of <today>", normal.text(text)).splitlines()


def _files(data: Path) -> list[str]:
    """The names of all files; the time in a backup's name is left out."""
    names = (re.sub(r"\d{8}T\d{6}Z", "<now>", path.name) for path in data.iterdir())
    return sorted(name for name in names if not name.endswith(("-wal", "-shm")))


def _is_virtual(sql: str | None) -> bool:
    return (sql or "").upper().startswith("CREATE VIRTUAL TABLE")


def _rows(file: sqlite3.Connection, table: str, *, with_rowid: bool) -> Iterator[str]:
    """INSERT statements of a table, with its row ids if no column holds them."""
    info = list(file.execute(f'PRAGMA table_info("{table}")'))
    columns = [f'"{row[1]}"' for row in info]
    has_alias = [row[2].upper() for row in info if row[5]] == ["INTEGER"]
    if with_rowid and not has_alias:
        columns.insert(0, "_rowid_")
    names = ", ".join(columns)
    for row in file.execute(f'SELECT {names} FROM "{table}"'):  # noqa: S608 - of the schema
        yield f'INSERT INTO "{table}" ({names}) VALUES ({", ".join(map(_quoted, row))});'  # noqa: S608 - quoted


def _quoted(value: object) -> str:
    """A value as an SQL literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        head = value.rstrip(b"\0")
        zeros = len(value) - len(head)
        if zeros < ZEROS:
            return f"X'{value.hex()}'"
        return (
            f"CAST(X'{head.hex()}' || zeroblob({zeros}) AS BLOB)" if head else f"zeroblob({zeros})"
        )
    if isinstance(value, str):
        # A statement is one line of the file, and NUL would end it.
        parts = re.split(r"([\0\r\n])", value)
        quoted = [
            f"char({ord(part)})" if part in "\0\r\n" else "'" + part.replace("'", "''") + "'"
            for part in parts
            if part
        ]
        return " || ".join(quoted) if quoted else "''"
    return repr(value)
