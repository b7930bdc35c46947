"""A soak from end to end: a real server in a child process, devices that talk to it, a verdict."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
import uuid
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.testing import CliRunner

from lobug.cli.app import app
from lobug.simulator.soak import plan
from lobug.simulator.soak import runner as server_process
from lobug.simulator.soak.device import SoakDevice, Sounds, Tally
from lobug.simulator.soak.plan import Action, SoakRunOptions
from lobug.simulator.soak.runner import SoakError, outside_of, own_server, run

LEAKING = Path(__file__).parents[1] / "support" / "leaking_soak_server.py"
JUDGED = ("descriptors", "tasks", "threads", "connections", "files")


def server(kind: str) -> tuple[str, ...]:
    return (sys.executable, str(LEAKING), kind)


def outcomes(record: dict[str, Any]) -> dict[str, str]:
    return {name: verdict["outcome"] for name, verdict in record["verdicts"].items()}


async def test_some_minutes_of_devices_leave_nothing_open() -> None:
    options = SoakRunOptions(0.06, devices=2, rests=8, actions_per_day=6_000)
    measured: list[float] = []
    result = await run(options, lambda one: measured.append(one.at_s))
    record = result.record()
    assert result.tally.failures == {}
    assert result.log_faults == []
    assert {name: outcomes(record)[name] for name in JUDGED} == dict.fromkeys(JUDGED, "flat")
    assert result.tally.turns > 0
    assert result.tally.requests > 0
    assert len(measured) == 9
    assert measured == sorted(measured)
    last = result.measurements[-1].values
    assert last["blocks"] > last["objects"] > 0
    assert last["connections"] == 0
    assert last["rows"] > result.measurements[0].values["rows"]


async def test_every_action_works_against_a_real_server(tmp_path: Path) -> None:
    """All that a plan may hold, once, by one device of each door; nothing of it fails."""
    options = SoakRunOptions(0.1, devices=2)
    sounds = await asyncio.to_thread(Sounds.make)
    tally = Tally()
    async with own_server(options, tmp_path) as child:
        typist = SoakDevice(0, child.address, sounds, tally, seed=1)
        speaker = SoakDevice(1, child.address, sounds, tally, seed=1)
        async with typist, speaker:
            streamed = {Action.INTERRUPT, Action.BREAK_OFF, Action.VANISH, Action.PAIR}
            for action in Action:
                await (speaker if action in streamed else typist).do(action)
            await speaker.do(Action.SPEAK)
        held = await child.look()
    assert tally.failures == {}
    assert tally.actions.total() == len(Action) + 1
    assert held["tasks"] > 0


@pytest.mark.parametrize("kind", ["descriptor", "task"])
def test_a_leak_in_each_turn_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the command: it ends with 1 and names what grows, and nothing else of its kind."""
    monkeypatch.setattr(plan, "SERVER", server(kind))
    monkeypatch.setattr(plan, "RESTS", 8)
    monkeypatch.setattr(plan, "ACTIONS_PER_DAY", 100_000.0)
    ended = CliRunner().invoke(app, ["simulate", "--soak", "0.05", "--devices", "1", "--json"])
    record = json.loads(ended.stdout.splitlines()[-1])
    assert ended.exit_code == 1
    assert outcomes(record)[f"{kind}s"] == "grows"
    others = {name for name in JUDGED if name != f"{kind}s"}
    assert {outcomes(record)[name] for name in others} == {"flat"}
    assert f"{kind}s grows" in record["problems"]


def test_a_server_that_dies_is_said_and_leaves_nothing_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plan, "SERVER", (sys.executable, "-c", "raise SystemExit('no luck')"))
    ended = refused("simulate", "--soak", "0.1")
    assert ended == (1, "the server ended too early. no luck")


def refused(*arguments: str) -> tuple[int, str]:
    """Exit code and the sentence of a command that fails."""
    ended = CliRunner().invoke(app, list(arguments))
    said = ended.stderr.replace("\n", " ").removeprefix("lobug: ").strip()
    return ended.exit_code, said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--soak", "24", "--server", "http://127.0.0.1:8321"], "a server of its own"),
        (["--soak", "24", "--server", "http://192.0.2.1"], "a server of its own"),
        (["--soak", "1000"], "at most 168 hours"),
        (["--soak", "0"], "more than 0"),
        (["--soak", "nan"], "more than 0"),
        (["--soak", "1", "--devices", "101"], "1 to 100 devices"),
        (["--soak", "1", "--text", "Hello"], "--text cannot be used"),
        (["--soak", "1", "question.wav"], "a recording cannot be used"),
        (["--soak", "1", "--jitter-ms", "5"], "cannot be used"),
        (["--real-time"], "--real-time needs --soak"),
    ],
)
def test_a_soak_is_refused_where_it_makes_no_sense(arguments: list[str], sentence: str) -> None:
    code, said = refused("simulate", *arguments)
    assert code == 2
    assert sentence in said


async def test_a_server_that_says_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given up after a while, and does not stay behind."""
    monkeypatch.setattr(server_process, "_START_S", 0.5)
    monkeypatch.setattr(server_process, "REST_S", 0.5)
    sleeps = f"import time; time.sleep(60)  # {uuid.uuid4()}"
    with pytest.raises(SoakError, match="did not start"):
        await run(SoakRunOptions(0.1, server=(sys.executable, "-c", sleeps)))
    assert not any(sleeps in " ".join(command) for command in commands())


def commands() -> list[list[str]]:
    """The command lines of all processes that may be seen."""
    return [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]


def test_a_soak_reads_what_is_seen_from_outside(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "lobug.db") as connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.executemany("INSERT INTO notes VALUES (?)", [("a",), ("b",)])
    connection.close()
    seen = outside_of(os.getpid(), tmp_path)
    assert seen["files"] == 1
    assert seen["rows"] == 2
    assert seen["database_kb"] > 0
    assert 10 < seen["resident_mb"] < 10_000
