"""A real Lo-Bug server as a process of its own, whose engines follow a script."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PYTHON = Path(os.environ.get("LOBUG_PYTHON", ROOT / ".venv" / "bin" / "python"))
"""The Python of the server's environment, which is not that of Home Assistant."""
START_S = 180.0


@dataclass(frozen=True)
class RealLobug:
    """A running server."""

    folder: Path
    port: int
    https_port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def https_url(self) -> str:
        return f"https://127.0.0.1:{self.https_port}"

    def run(self, *arguments: str) -> str:
        """Run a command of Lo-Bug; returns what it prints."""
        done = subprocess.run(
            [PYTHON, "-m", "lobug", *arguments], env=_environment(self.folder), cwd=self.folder,
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def token(self, *arguments: str) -> str:
        """Make a token."""
        words = self.run("tokens", "create", *arguments).split()
        return next(word for word in words if word.startswith("lobug_"))


@contextlib.contextmanager
def real_lobug(folder: Path, **settings: str) -> Iterator[RealLobug]:
    """Run a server with data under ``folder``."""
    if not PYTHON.exists():
        pytest.fail(f"{PYTHON} is missing: `make run` makes it, LOBUG_PYTHON names another")
    server = RealLobug(folder, _free_port(), _free_port())
    (folder / "prompts.jsonl").touch()
    log = folder / "serve.log"
    script = ROOT / "tests" / "support" / "scripted_serve.py"
    with log.open("w") as output:
        process = subprocess.Popen(
            [PYTHON, script, folder / "prompts.jsonl", "serve", "--port", str(server.port)],
            env=_environment(folder)
            | {"LOBUG_TLS__ENABLED": "true", "LOBUG_TLS__PORT": str(server.https_port)}
            | settings,
            stdout=output, stderr=subprocess.STDOUT, cwd=folder,
        )  # fmt: skip
    try:
        until = time.monotonic() + START_S
        while "listens at http" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LOBUG_")}
    return {
        **kept,
        "LOBUG_DATA_DIR": str(folder / "data"),
        "LOBUG_HOST": "127.0.0.1",
        "LOBUG_PORT": "9",
        "LOBUG_ACCESS__LOOPBACK": "token",  # so that nothing is let in without a token
        "LOBUG_MEMORY__IDLE_DELAY_S": "0",
        "COLUMNS": "200",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "server"), str(ROOT / "tests")]),
    }


def _free_port() -> int:
    """A free port; asked of another process, because fixtures of a module may open no sockets."""
    script = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"
    return int(subprocess.check_output([PYTHON, "-c", script], timeout=60))
