"""`lobug memory` as a person runs it: through a running server, and without one."""

from __future__ import annotations

import io
import json
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from rich.console import Console
from typer.testing import CliRunner, Result

from lobug.cli import terminal
from lobug.cli.app import app
from lobug.cli.memory import entries, identity
from lobug.settings import Settings
from support.app_server import in_thread
from support.memory_app import app_with, door_settings
from support.memory_kit import look
from support.patience import PATIENCE_S

KEPT = "SELECT content FROM memories ORDER BY id"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and none of the developer's own settings."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LOBUG_PORT", "9")  # nobody serves Lo-Bug at the discard port
    return tmp_path


def lobug(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["memory", *arguments], input=stdin)


@dataclass(frozen=True)
class Served:
    """`lobug memory` against a running server; ``ada`` is the user of the device "desk"."""

    url: str
    database: Path

    def __call__(self, command: str, *arguments: str, stdin: str | bytes | None = None) -> Result:
        return lobug(command, *arguments, "--server", self.url, stdin=stdin)

    def say(self, text: str) -> None:
        """A turn of ada."""
        headers = {"Device-Id": "desk"}
        answer = httpx.post(
            f"{self.url}/chat/text", json={"text": text}, headers=headers, timeout=PATIENCE_S
        )
        assert answer.status_code == 200, answer.text

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database holds."""
        return look(self.database, query)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    settings = door_settings(
        tmp_path / "server",
        memory={"identity_chars": 1_000},
        conversation={"users": {"device:desk": "ada"}},
    )
    server, thread, port = in_thread(app_with(settings))
    yield Served(f"http://127.0.0.1:{port}", settings.database_path)
    _stop(server, thread)


def _stop(server: uvicorn.Server, thread: threading.Thread) -> None:
    server.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


def good(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(result: Result) -> Any:
    return json.loads(good(result))


def bad(result: Result, code: int, *words: str) -> None:
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    for word in words:
        assert word in result.stderr


# ---- through a server


def test_a_memory_is_added_shown_changed_and_corrected(served: Served) -> None:
    said = good(
        served(
            "add",
            "The user lives in Portland",
            *("--key", "user_home", "--user", "ada", "--tag", "home", "--importance", "0.8"),
        )
    )
    assert said == "remembered: user_home (id 1): The user lives in Portland\n"
    shown = good(served("show", "user_home"))
    assert "The user lives in Portland" in shown
    assert "0.8" in shown
    assert as_json(served("show", "1", "--json"))["entry"]["tags"] == ["home"]
    edited = as_json(served("edit", "user_home", "--importance", "0.9", "--json"))
    assert edited["importance"] == 0.9
    assert "corrected: user_home" in good(served("correct", "user_home", "The user lives in Rome"))
    history = good(served("history", "user_home"))
    assert "  corrected  " in history
    assert "active" in history.splitlines()[-1]
    assert "Rome" in good(served("list"))
    assert "Portland" not in good(served("list"))
    assert "Portland" in good(served("list", "--status", "all"))
    assert "restored: user_home" in good(served("restore", "1"))


def test_what_one_says_of_oneself_is_kept_as_said_of_the_user(served: Served) -> None:
    said = good(served("add", "My boat is called Elsa.", "--key", "boat", "--user", "ada"))
    assert said == "remembered: boat (id 1): The user's boat is called Elsa\n"
    assert "The user has no boat" in good(served("correct", "boat", "I have no boat"))
    edited = good(served("edit", "boat", "--content", "Anna likes my boat"))
    assert "Anna likes the user's boat" in edited
    assert good(served("add", "Anna sails", "--user", "ada")).endswith(": Anna sails\n")


def test_a_list_of_any_length_comes_whole(served: Served) -> None:
    good(served("add", "A fact", "--user", "ada"))
    document = as_json(served("export"))
    fact = document["entries"][0]
    document["entries"] = [{**fact, "id": n + 1, "key": f"fact_{n}"} for n in range(450)]
    good(served("forget", "1", "--yes"))
    good(served("import", "-", "--user", "ada", stdin=json.dumps(document)))
    listed = as_json(served("list", "--limit", "430", "--json"))
    assert [entry["id"] for entry in listed["entries"]] == list(range(2, 432))
    assert listed["more"] is True
    assert as_json(served("list", "--limit", "450", "--json"))["more"] is False
    assert "--limit shows more than 5" in good(served("list", "--limit", "5"))


def test_search_shows_why_it_was_found(served: Served) -> None:
    good(served("add", "The user likes oolong tea", "--user", "ada"))
    found = good(served("search", "oolong"))
    assert "memory:1" in found
    assert "words 1.00" in found
    assert as_json(served("search", "oolong", "--json"))["hits"][0]["confidence"] == 1.0
    assert good(served("search", "sister")) == "Nothing matches.\n"
    assert "memory:1" in good(served("search", "--since", "2000-01-01"))
    bad(served("search"), 1, "text_empty")


def test_forgetting_shows_first_and_asks(served: Served) -> None:
    good(served("add", "The user likes oolong tea", "--key", "tea", "--user", "ada"))
    dry = served("forget", "tea", "--dry-run")
    assert "oolong" in good(dry)
    refused = served("forget", "tea")
    bad(refused, 2, "there is no terminal to ask at")
    assert "oolong" in refused.stdout
    assert served.rows(KEPT) == [("The user likes oolong tea",)]
    assert "erased: 1 version of a memory (tea)" in good(served("forget", "tea", "--yes"))
    assert served.rows(KEPT) == []


def test_forgetting_by_words(served: Served) -> None:
    good(served("add", "The user likes oolong tea", "--key", "tea", "--user", "ada"))
    bad(served("forget", "--text", "oolong tea"), 2, "no terminal")
    assert served.rows(KEPT) == [("The user likes oolong tea",)]
    assert good(served("forget", "--text", "coffee")) == "No memory says that.\n"
    said = good(served("forget", "--text", "oolong tea", "-y"))
    assert "This would erase 1 version of a memory (tea)." in said
    assert served.rows(KEPT) == []
    bad(served("forget"), 2, "give an entry, or --text")
    bad(served("forget", "tea", "--text", "tea"), 2, "give an entry, or --text")


def test_keeping_what_is_not_used(served: Served) -> None:
    good(served("add", "The user likes tea", "--key", "tea", "--user", "ada"))
    assert "taken out of use" in good(served("forget", "tea", "--keep"))
    assert served.rows("SELECT reason FROM memories") == [("removed",)]


def test_purging_says_what_would_go_and_asks(served: Served) -> None:
    good(served("add", "The user likes tea", "--user", "ada"))
    served.say("Hello!")
    served.say("How are you?")
    refused = served("purge", "--everything")
    bad(refused, 2, "no terminal")
    assert "everything about ada: 1 entry, 4 messages, 1 session" in refused.stdout
    assert served.rows("SELECT count(*) FROM conversation_log WHERE forgotten = 0") == [(4,)]
    assert "timeline entries" in good(served("purge", "--older-than", "30", "--yes"))
    assert "4 messages" in good(served("purge", "--session", "1", "--yes"))
    assert served.rows("SELECT count(*) FROM conversation_log WHERE forgotten = 0") == [(0,)]
    assert served.rows(KEPT) == [("The user likes tea",)]
    good(served("purge", "--everything", "--yes"))
    assert served.rows(KEPT) == []
    good(served("add", "The user likes tea", "--user", "ada"))
    bad(served("purge"), 2, "exactly one of")
    bad(served("purge", "--session", "99", "--yes", "--user", "ada"), 1, "memory_not_found")


def test_an_export_is_written_read_and_brought_in(served: Served, elsewhere: Path) -> None:
    good(served("add", "The user likes чай", "--key", "tea", "--user", "ada"))
    assert "written: ada.json" in good(served("export", "ada.json"))
    file = elsewhere / "ada.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    bad(served("export", "ada.json"), 1, "already exists")
    good(served("export", "ada.json", "--force"))
    assert json.loads(good(served("export")))["entries"][0]["content"] == "The user likes чай"
    assert "- The user likes чай" in good(served("export", "--format", "markdown"))
    assert good(served("import", "ada.json", "--user", "bob")) == "imported: 1 entry\n"
    again = as_json(served("import", "-", "--user", "bob", "--json", stdin=file.read_bytes()))
    assert again["skipped"] == 1
    assert served.rows("SELECT user FROM memories ORDER BY id") == [("ada",), ("bob",)]
    bad(served("import", "nowhere.json"), 1, "nowhere.json cannot be read")
    (elsewhere / "wrong.json").write_text("{")
    bad(served("import", "wrong.json", "--user", "bob"), 1, "invalid_encoding")


def test_why_sessions_users_and_the_rest(served: Served) -> None:
    good(served("add", "The user is called Ada", "--layer", "identity", "--user", "ada"))
    good(served("add", "The user likes oolong tea", "--key", "tea", "--user", "ada"))
    served.say("Shall I brew oolong tea?")  # no claim answers it
    served.say("How far is the moon?")
    assert "memory:2 *" in good(served("why", "1"))
    assert "1 of them went to the prompt" in good(served("why", "1"))
    assert "memory:2 *" not in good(served("why"))
    bad(served("why", "12"), 1, "memory_not_found")
    assert "oolong tea?" in good(served("recalls"))
    assert "device:desk" in good(served("sessions"))
    assert "of 1000 characters" in good(served("identity"))
    assert "ada" in good(served("users"))
    assert as_json(served("users", "--json"))["you"] == "address:127.0.0.1"
    assert "messages" in good(served("stats"))
    assert as_json(served("stats", "--json"))["messages"] == 4
    for command in ("why", "recalls", "sessions", "identity"):
        assert as_json(served(command, "--json"))


def test_a_list_says_who_wrote_an_entry_and_how_often_it_was_recalled(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    good(served("add", "The user likes oolong tea", "--key", "tea", "--user", "ada"))
    good(served("add", "The user has a cat", "--key", "pet", "--user", "ada"))
    tool = httpx.post(
        f"{served.url}/memory/tools/memory_store?user=ada",
        json={"key": "game", "content": "The user plays chess"},
        timeout=PATIENCE_S,
    )
    assert tool.json()["success"]
    for _ in range(2):
        served.say("Shall I brew oolong tea?")
    lines = [line.split() for line in good(served("list")).splitlines()]
    assert lines[0] == "id key layer status source recalled said content".split()
    assert [line[1:6] for line in lines[1:]] == [
        ["tea", "knowledge", "active", "user", "2"],
        ["pet", "knowledge", "active", "user", "0"],
        ["game", "knowledge", "active", "agent", "0"],
    ]
    listed = as_json(served("list", "--json"))["entries"]
    assert [(e["source"], e["recall_count"]) for e in listed] == [
        ("user", 2),
        ("user", 0),
        ("agent", 0),
    ]
    output = io.StringIO()
    narrow = Console(width=80, file=output)
    monkeypatch.setattr(entries, "console", lambda: narrow)
    monkeypatch.setattr(terminal, "console", lambda: narrow)
    good(served("list"))
    shown = output.getvalue()
    assert shown.splitlines()[0].split() == "id key status source recalled content".split()
    assert "The user likes oolong tea" in shown


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let $EDITOR run these lines of a shell script; "$1" is the file."""
    program = folder / "my editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"'{program}'")


def test_identity_is_edited_as_one_text(
    served: Served, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good(served("add", "The user is called Ada", "--layer", "identity", "--user", "ada"))
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    monkeypatch.setattr("tempfile.tempdir", None)
    ada = ("identity", "--user", "ada")
    editor(elsewhere, monkeypatch, "grep -q '## Key History' \"$1\" && echo '- I sail' >> \"$1\"")
    assert "## Key History\n- The user sails\n" in good(served(*ada, "--edit"))
    assert not list(elsewhere.glob("lobug-*")), "no copy of the text is left"
    editor(elsewhere, monkeypatch, "true")
    assert "- The user sails" in good(served(*ada, "--edit"))

    editor(elsewhere, monkeypatch, "echo '## Secrets' > \"$1\"")
    refused = served(*ada, "--edit")
    bad(refused, 1, "identity_invalid", "Your text is kept in")
    (kept,) = elsewhere.glob("lobug-*/identity.md")
    assert kept.read_text() == "## Secrets\n"
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    editor(elsewhere, monkeypatch, "exit 3")
    bad(served(*ada, "--edit"), 1, "ended with code 3; nothing was changed")
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    bad(served(*ada, "--edit"), 1, "cannot be started; set EDITOR")

    found = as_json(served(*ada, "--file", "-", "--json", stdin="## Preferences\n- Likes tea\n"))
    assert found["text"] == "## Preferences\n- Likes tea"
    gone = "SELECT content FROM memories WHERE reason = 'removed' ORDER BY id"
    assert served.rows(gone) == [("The user is called Ada",), ("The user sails",)]
    bad(served(*ada, "--file", "-", stdin=" \n"), 1, "the text is empty")
    bad(served(*ada, "--file", "-", stdin=b"\xff"), 1, "not UTF-8")
    bad(served(*ada, "--file", "nowhere.md"), 1, "nowhere.md cannot be read")
    bad(served(*ada, "--file", "-", "--edit"), 2, "not both")


def test_what_was_edited_is_kept_at_ctrl_c(
    served: Served, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    monkeypatch.setattr("tempfile.tempdir", None)

    def leave(_path: Path) -> None:
        raise KeyboardInterrupt

    def write_and_leave(path: Path) -> None:
        path.write_text("## Preferences\n- Likes tea\n")
        raise KeyboardInterrupt

    monkeypatch.setattr(identity, "_open_editor", leave)
    bad(served("identity", "--edit"), 130)
    assert not list(elsewhere.glob("lobug-*"))
    monkeypatch.setattr(identity, "_open_editor", write_and_leave)
    bad(served("identity", "--edit"), 130, "Your text is kept in")
    (kept,) = elsewhere.glob("lobug-*/identity.md")
    assert kept.read_text() == "## Preferences\n- Likes tea\n"


def test_an_edit_that_another_change_overtook_is_refused(
    served: Served, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good(served("add", "The user is called Ada", "--layer", "identity", "--user", "ada"))
    body = '{\\"content\\": \\"Likes tea\\", \\"layer\\": \\"identity\\"}'
    store = f'curl -s "{served.url}/memory/entries?user=ada" -d "{body}" > /dev/null'
    editor(elsewhere, monkeypatch, f"{store}; echo '- I sail' >> \"$1\"")
    bad(served("identity", "--user", "ada", "--edit"), 1, "identity_changed", "is kept in")
    assert served.rows(KEPT) == [("The user is called Ada",), ("Likes tea",)]


def test_what_a_conversation_is_about(served: Served) -> None:
    bad(served("focus", "--user", "ada"), 1, "nothing is remembered about ada")
    served.say("Hello")
    assert "about nothing in particular" in good(served("focus"))
    good(served("projects", "add", "boat"))
    good(served("tasks", "add", "Paint the hull", "--project", "boat"))
    shown = good(served("focus", "--task", "1", "--tag", "paint"))
    assert "1: Paint the hull" in shown
    assert "paint" in shown
    found = as_json(served("focus", "--json"))
    assert (found["conversation"], found["task"]["id"]) == ("ada/device:desk", 1)
    bad(served("focus", "--project", "ship"), 1, "memory_not_found")
    bad(served("focus", "--project", "boat", "--clear"), 2, "not both")
    assert "about nothing in particular" in good(served("focus", "--clear"))
    headers = {"Device-Id": "phone"}
    assert httpx.post(
        f"{served.url}/chat/text", json={"text": "Hi"}, headers=headers, timeout=PATIENCE_S
    ).is_success
    good(served("add", "The user likes tea", "--user", "device:phone"))
    assert "device:phone/device:phone" in good(served("focus", "--user", "device:phone"))


def test_projects_and_tasks(served: Served) -> None:
    good(served("add", "The user is called Ada", "--user", "ada"))
    front = ("--project", "garden/front")
    assert "Beds" in good(served("projects", "add", "garden/front", "--description", "Beds"))
    assert "Dig" in good(served("tasks", "add", "Dig", *front))
    assert "half done" in good(served("tasks", "note", "1", "half done"))
    assert as_json(served("tasks", "list", *front, "--json"))["tasks"][0]["state"] == "half done"
    assert "done" in good(served("tasks", "complete", "1", "--result", "dug"))
    assert "archived" in good(served("projects", "archive", "garden/front"))
    assert as_json(served("projects", "list", "--json"))["projects"][0]["status"] == "archived"
    bad(served("projects", "archive", "nowhere"), 1, "memory_not_found")
    bad(served("tasks", "complete", "99"), 1, "memory_not_found")


def test_whose_memory_it_is_must_be_clear(served: Served) -> None:
    good(served("add", "The user is called Ada", "--user", "ada"))
    good(served("add", "The user is called Bob", "--user", "bob"))
    bad(served("list"), 2, "several people are remembered; name one with --user: bob, ada")
    assert "Bob" in good(served("list", "--user", "bob"))
    bad(served("list", "--user", "bop"), 1, "nothing is remembered about bop")
    bad(served("show", "1", "--user", "bob"), 1, "memory_not_found")
    bad(served("show", "No Key", "--user", "bob"), 1, "memory_key_invalid")
    bad(served("add", " ", "--user", "bob"), 1, "memory_content_invalid")
    bad(served("edit", "1", "--user", "bob"), 2, "nothing to change")
    bad(served("list", "--since", "soon", "--user", "bob"), 2, "--since")


def test_memories_do_not_steer_the_terminal(served: Served) -> None:
    good(served("add", "\x1b[2Jgone [bold]x[/bold]", "--key", "evil", "--user", "ada"))
    shown = good(served("list")) + good(served("show", "evil"))
    assert "\x1b[2J" not in shown
    assert "[bold]x[/bold]" in shown


def test_what_is_no_lobug_is_not_asked() -> None:
    bad(lobug("list", "--server", "http://127.0.0.1:9"), 3, "no Lo-Bug server answers")
    bad(lobug("list", "--server", "nonsense://"), 2, "is not an address")


# ---- without a server


def test_without_a_server_the_database_is_opened(elsewhere: Path) -> None:
    bad(lobug("list"), 3, "there is no memory yet", str(elsewhere / "data" / "lobug_memory.db"))
    added = good(lobug("add", "The user lives in Portland", "--key", "user_home"))
    assert added == "remembered: user_home (id 1): The user lives in Portland\n"
    assert "Portland" in good(lobug("list"))
    assert as_json(lobug("show", "user_home", "--json"))["entry"]["user"] == "address:127.0.0.1"
    corrected = as_json(lobug("correct", "user_home", "The user lives in Seattle", "--json"))
    assert corrected["source"] == "correction"
    found = as_json(lobug("search", "Where does the user live?", "--json"))["hits"]
    assert [hit["content"] for hit in found] == ["The user lives in Seattle"]
    assert len(as_json(lobug("history", "user_home", "--json"))["entries"]) == 2
    assert "1 " in good(lobug("users"))
    assert good(lobug("stats"))
    bad(lobug("show", "99"), 1, "memory_not_found")


def test_what_was_told_without_a_server_is_there_with_one(elsewhere: Path) -> None:
    good(lobug("add", "The user likes oolong tea", "--key", "tea", "--user", "ada"))
    settings = Settings.model_validate({"data_dir": elsewhere / "data", "port": 0})
    server, thread, port = in_thread(app_with(settings))
    try:
        shown = as_json(lobug("show", "tea", "--json", "--server", f"http://127.0.0.1:{port}"))
        assert shown["entry"]["content"] == "The user likes oolong tea"
        # One writer: the file is not opened beside the server, which has told nobody its address.
        beside = ("add", "The user has a cat", "--key", "pet", "--user", "ada")
        bad(lobug(*beside), 3, "uses the data folder", "Nothing was changed.")
        good(lobug(*beside, "--server", f"http://127.0.0.1:{port}"))
        listed = good(lobug("list", "--server", f"http://127.0.0.1:{port}"))
        assert "cat" in listed
    finally:
        _stop(server, thread)


def test_a_database_that_cannot_be_read_ends_as_a_sentence(elsewhere: Path) -> None:
    (elsewhere / "data").mkdir()
    (elsewhere / "data" / "lobug_memory.db").write_bytes(b"no database at all " * 500)
    bad(lobug("list"), 1, "lobug_memory.db")


def test_settings_of_the_household_hold_without_a_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = ("add", "The spare key is in the shed", "--scope", "household")
    bad(lobug(*shared, "--user", "ada"), 1, "memory_forbidden")
    monkeypatch.setenv("LOBUG_MEMORY__HOUSEHOLD", '{"ada": "write", "bob": "read"}')
    good(lobug(*shared, "--user", "ada"))
    good(lobug("add", "The user is called Bob", "--user", "bob"))
    assert "shed" in good(lobug("list", "--user", "bob"))
    bad(lobug(*shared, "--user", "bob"), 1, "memory_forbidden")


def test_taking_away_and_erasing_without_a_server(elsewhere: Path) -> None:
    good(lobug("add", "The user keeps bees in Zürich", "--key", "bees", "--user", "ada"))
    good(lobug("edit", "bees", "--content", "The user keeps hives in Zürich"))
    good(lobug("export", "ada.json"))
    assert "hives in Zürich" in good(lobug("export", "--format", "markdown"))
    assert "2 entries" in good(lobug("import", "ada.json", "--user", "bob"))
    bad(lobug("forget", "bees", "--user", "ada"), 2, "no terminal")
    assert "(bees)" in good(lobug("forget", "bees", "--user", "ada", "--yes"))
    assert "hives" in good(lobug("list", "--user", "bob"))
    asked = lobug("purge", "--everything", "--user", "bob")
    bad(asked, 2, "no terminal")
    assert "everything about bob: 1 entry" in asked.stdout
    good(lobug("purge", "--everything", "--user", "bob", "--yes"))
    assert "No one is remembered" in good(lobug("users"))
    database = (elsewhere / "data" / "lobug_memory.db").read_bytes()
    assert "Zürich".encode() not in database


def test_a_snapshot_of_sessions_is_brought_in(elsewhere: Path) -> None:
    messages = [
        {"role": "user", "content": "I keep bees", "created_at": "2024-03-01T12:00:00Z"},
        {"role": "assistant", "content": "How many hives?", "created_at": "2024-03-01T12:00:05Z"},
    ]
    snapshot = {"sessions": [{"id": "s1", "channel_type": "cli", "messages": messages}]}
    (elsewhere / "sessions.json").write_text(json.dumps(snapshot))
    brought = good(lobug("import", "sessions.json", "--user", "ada"))
    assert brought == "imported: 1 session, 2 messages\n"
    assert as_json(lobug("sessions", "--user", "ada", "--json"))["sessions"][0]["messages"] == 2
    found = as_json(lobug("search", "bees", "--turns", "--user", "ada", "--json"))["hits"]
    assert "I keep bees" in [hit["content"] for hit in found]
    (elsewhere / "wrong.json").write_text('{"sessions": 5}')
    bad(lobug("import", "wrong.json", "--user", "ada"), 1, "import_invalid")
