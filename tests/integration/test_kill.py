"""`kill -9` at any moment of a turn: what was answered is kept, and every fact arrives once."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.killable_server import FACT, SAID
from support.patience import PATIENCE_S, wait_until
from support.programs import Program
from support.wav import pcm16, tone

STARTED_S = 180.0
"""Longest wait for a server to start, seconds."""

PROGRAM = Path(__file__).parents[1] / "support" / "killable_server.py"
AUDIO = {"audio": ("recording.wav", pcm16(tone(1.0)), "audio/wav")}

UNHEARD = ("transcribing", "log.before_commit")
"""Killed here, the words were never stored, and nobody was told that they were."""

HEARD = (
    "log.after_commit",
    "reply.piece",
    "reply.written",
    "speaking",
    "reply.before_commit",
    "reply.after_commit",
)
"""Killed here, the words are stored and no answer went out."""

ANSWERED = (
    "extract.before_model",
    "extract.after_model",
    "facts.inserting",
    "facts.before_commit",
    "facts.after_commit",
    "embed.before_model",
    "embed.after_model",
)
"""Killed here, the answer was sent."""


@contextlib.contextmanager
def served(folder: Path, moment: str) -> Iterator[tuple[httpx.Client, Program]]:
    (folder / "port").unlink(missing_ok=True)
    process = Program([str(PROGRAM), str(folder), moment], output=folder / "serve.log")
    try:
        url = address(folder, process)
        with httpx.Client(base_url=url, timeout=PATIENCE_S, trust_env=False) as client:
            try:
                assert client.get("/health", timeout=STARTED_S).status_code == 200
            except httpx.TransportError as error:
                raise AssertionError((folder / "serve.log").read_text()) from error
            yield client, process
    finally:
        process.kill()
        process.wait()


def address(folder: Path, process: Program) -> str:
    """Wait for the server's port; a request to it is answered as soon as it has started."""

    def named() -> bool:
        assert process.poll() is None, (folder / "serve.log").read_text()
        return (folder / "port").exists()

    wait_until(named, "the server starts", seconds=STARTED_S)
    return f"http://127.0.0.1:{(folder / 'port').read_text()}"


def log_of(folder: Path) -> list[tuple[str, str]]:
    with contextlib.closing(sqlite3.connect(folder / "data" / "lobug_memory.db")) as connection:
        return connection.execute(
            "SELECT role, content FROM conversation_log ORDER BY id"
        ).fetchall()


def memory_health(client: httpx.Client) -> dict[str, int]:
    counts: dict[str, int] = client.get("/health").json()["memory"]
    return counts


@pytest.mark.parametrize("moment", [*UNHEARD, *HEARD, *ANSWERED])
def test_killed_in_the_middle_of_a_turn(tmp_path: Path, moment: str) -> None:
    acknowledged = False
    with served(tmp_path, moment) as (client, process):
        try:
            answer = client.post("/chat/audio", files=AUDIO)
            acknowledged = answer.status_code == 200
        except httpx.TransportError:
            pass
        process.wait(timeout=PATIENCE_S)  # it killed itself: the moment was reached
        assert process.returncode == -9

    assert acknowledged == (moment in ANSWERED)
    log = log_of(tmp_path)
    stored = moment not in UNHEARD
    assert (("user", SAID) in log) == stored
    if acknowledged:
        assert log == [("user", SAID), ("assistant", "What a nice cat.")]

    with served(tmp_path, "never") as (client, _):
        if stored:
            wait_until(lambda: memory_health(client)["facts"] == 1, "the fact arrives")
        wait_until(lambda: memory_health(client)["pending_tasks"] == 0, "nothing is left to do")
        wait_until(lambda: memory_health(client)["embedding_backlog"] == 0, "it is embedded")
        assert memory_health(client)["facts"] == int(stored)
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "lobug_memory.db")) as connection:
        facts = connection.execute("SELECT content FROM facts").fetchall()
    assert facts == ([(FACT,)] if stored else [])
    assert log_of(tmp_path) == log


def test_the_next_start_answers_what_a_killed_one_was_told(tmp_path: Path) -> None:
    with served(tmp_path, "extract.before_model") as (client, process):
        client.post("/chat/audio", files=AUDIO)
        process.wait(timeout=PATIENCE_S)
    with served(tmp_path, "never") as (client, _):
        answer = client.post("/chat/audio", files=AUDIO)
        assert answer.json()["response"] == "What a nice cat."
        assert len(log_of(tmp_path)) == 4
