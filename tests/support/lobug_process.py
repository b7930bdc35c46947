"""`lobug serve` and `lobug simulate`, run as programs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from lobug.engines.prompt_states import SUFFIX

START_S = 180.0
"""Longest start of a server, seconds, on a slow and busy machine."""
TURN_S = 170.0
"""Longest wait for a reply, seconds, on such a machine; the default suits a person."""


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment with these settings instead of its own. HTTPS is off unless
    they switch it on, because only one server of a computer can have its port."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LOBUG_") or name == "LOBUG_MODELS_DIR"
    }
    return {**kept, "LOBUG_TLS__ENABLED": "false", **settings}


@dataclass
class ServedLobug:
    """A running `lobug serve`."""

    url: str
    folder: Path
    process: subprocess.Popen[str]

    def health(self) -> dict[str, Any]:
        """Return the answer of `/health`."""
        report: dict[str, Any] = httpx.get(f"{self.url}/health", timeout=30, trust_env=False).json()
        return report

    def wait(self, condition: Callable[[dict[str, Any]], bool], seconds: float = 240.0) -> None:
        """Return once the health report meets ``condition``."""
        until = time.monotonic() + seconds
        while not condition(self.health()):
            assert time.monotonic() < until, f"never reached: {self.health()}"
            time.sleep(0.2)

    def learned(self) -> None:
        """Wait until memory has no background work left."""
        self.wait(
            lambda h: h["memory"]["pending_tasks"] == 0 and h["memory"]["embedding_backlog"] == 0
        )

    def say_in_writing(self, text: str, device: str = "typist") -> str:
        """`POST /chat/text`."""
        answer = httpx.post(
            f"{self.url}/chat/text",
            json={"text": text},
            headers={"Device-Id": device},
            timeout=180,
            trust_env=False,
        )
        assert answer.status_code == 200, answer.text
        response: str = answer.json()["response"]
        return response

    def simulate(self, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
        """Run `lobug simulate --json`; return its exit code and events."""
        done = subprocess.run(
            [sys.executable, "-m", "lobug", "simulate", "--json", "--server", self.url,
             "--timeout", "180", "--replies-dir", str(self.folder / "replies"), *arguments],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )  # fmt: skip
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert events, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        return done.returncode, events

    def turns(self, *arguments: str) -> list[dict[str, Any]]:
        """Run `lobug simulate`, whose turns must all succeed; return them.

        A health check or a report of the sensors may fail, for which a device waits 5 s: on a
        machine that does much else that says nothing.
        """
        code, events = self.simulate(*arguments)
        turns = [event for event in events if event["event"] == "turn"]
        assert turns, (code, events)
        assert all(turn["ok"] for turn in turns), turns
        assert code in {0, 1}, (code, events)
        return turns


@contextlib.contextmanager
def served(
    folder: Path, *, stop: signal.Signals = signal.SIGTERM, **settings: str
) -> Iterator[ServedLobug]:
    """Start `lobug serve` with data under ``folder`` and wait until it is healthy.

    It is ended by ``stop``; SIGTERM must end it cleanly, with code 0 or by that signal. In a new
    folder it finds the prompt states of the earlier servers of this test process, as after a
    restart: the embedded model computes them for a minute (tests/integration/test_prompt_state.py
    shows that it does).
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder.mkdir(parents=True, exist_ok=True)
    states = folder / "data" / "prompt-states"
    if not (folder / "data").exists():
        _copy_states(_known_states(), states)
    log_path = folder / "serve.log"
    with log_path.open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "lobug", "serve", "--port", str(port)],
            env=environment(
                **{
                    "LOBUG_DATA_DIR": str(folder / "data"),
                    "LOBUG_CHAT__ENGINE": "embedded",
                    "LOBUG_EMBEDDINGS__ENGINE": "embedded",
                    "LOBUG_CHAT__TEMPERATURE": "0",
                    "LOBUG_CHAT__TIMEOUT_S": str(TURN_S),
                    "LOBUG_CHAT__FIRST_TOKEN_TIMEOUT_S": str(TURN_S),
                    "LOBUG_LISTENING__MAX_BACKLOG_S": str(TURN_S),
                    **settings,
                }
            ),
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
        )
        lobug = ServedLobug(f"http://127.0.0.1:{port}", folder, process)
        try:
            _wait_for_health(lobug, log_path)
            yield lobug
        finally:
            process.send_signal(stop)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
            _copy_states(states, _known_states())
    clean = {0, -int(stop), 128 + int(stop)}
    assert process.returncode in clean, f"{process.returncode}: {log_path.read_text()[-3000:]}"


@cache
def _states_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="prompt-states-")


def _known_states() -> Path:
    """The prompt states that servers of this process have computed."""
    return Path(_states_folder().name)


def _copy_states(source: Path, target: Path) -> None:
    if states := list(source.glob(f"*{SUFFIX}")):
        for folder in (target.parent, target):
            folder.mkdir(mode=0o700, exist_ok=True)
        for state in states:
            shutil.copy2(state, target)


def _wait_for_health(lobug: ServedLobug, log_path: Path) -> None:
    until = time.monotonic() + START_S
    while True:
        with contextlib.suppress(httpx.TransportError):
            lobug.health()
            return
        assert lobug.process.poll() is None, log_path.read_text()[-3000:]
        assert time.monotonic() < until, "the server did not become healthy"
        time.sleep(0.1)


def write_wavs(folder: Path, clips: Sequence[tuple[str, bytes]]) -> list[str]:
    """Write recordings into ``folder``; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, wav in clips:
        path = folder / f"{name.replace('/', '-')}.wav"
        path.write_bytes(wav)
        paths.append(str(path))
    return paths
