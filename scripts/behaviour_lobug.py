"""Runs a checkout of Lo-Bug from outside for ``behaviour.py``: commands, a server, its HTTP routes.

Nothing of the package is imported: the same script records an old checkout and a new one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

START_S = 180.0
"""Longest start of a server, seconds: a slow machine that does much else."""

COMMAND_S = 120.0
"""Longest run of a command, seconds, where nothing else is said."""

COLUMNS = "100"
"""Width of the terminal that commands write to."""


class RecordingError(Exception):
    """A section could not be recorded."""


@dataclass(frozen=True)
class Finished:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Read standard output as JSON. Raises RecordingError."""
        try:
            return json.loads(self.out)
        except ValueError:
            raise RecordingError(f"exit code {self.code}, no JSON: {self.out}{self.err}") from None


@dataclass(frozen=True)
class Checkout:
    """Whose code runs."""

    root: Path

    def environment(self, data: Path, **settings: str) -> dict[str, str]:
        """This process's environment without settings of its owner, with these."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("LOBUG_") or name == "LOBUG_MODELS_DIR"
        }
        return kept | {
            "PYTHONPATH": str(self.root / "server"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": COLUMNS,
            "NO_COLOR": "1",
            "TERM": "dumb",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "LOBUG_DATA_DIR": str(data),
            "LOBUG_HOST": "127.0.0.1",
            # Nothing serves there: a command without a server must not find the owner's.
            "LOBUG_PORT": "9",
            **settings,
        }

    def run(
        self,
        *arguments: str,
        data: Path,
        settings: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout_s: float = COMMAND_S,
    ) -> Finished:
        """Run a command on a data folder. Raises RecordingError when it does not end."""
        with tempfile.TemporaryDirectory(prefix="behaviour-") as folder:  # no .env is there
            try:
                done = subprocess.run(
                    [sys.executable, "-m", "lobug", *arguments],
                    env=self.environment(data, **settings or {}),
                    cwd=folder,
                    input=stdin,
                    capture_output=True,
                    text=True,
                    timeout=timeout_s,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise RecordingError(f"lobug {' '.join(arguments)} did not end") from None
        return Finished(done.returncode, done.stdout, done.stderr)

    def must_run(
        self,
        *arguments: str,
        data: Path,
        settings: Mapping[str, str] | None = None,
        timeout_s: float = COMMAND_S,
    ) -> Finished:
        """Run a command that has to succeed. Raises RecordingError."""
        done = self.run(*arguments, data=data, settings=settings, timeout_s=timeout_s)
        if done.code:
            raise RecordingError(f"lobug {' '.join(arguments)}: {done.code}: {done.out}{done.err}")
        return done

    def version(self) -> str:
        """What the package says that it is."""
        with tempfile.TemporaryDirectory(prefix="behaviour-") as folder:
            return self.must_run("--version", data=Path(folder)).out.split()[-1]

    def require_own_code(self) -> None:
        """Check that this checkout's package runs, not an installed one. Raises RecordingError."""
        done = subprocess.run(
            [sys.executable, "-c", "import lobug; print(lobug.__file__)"],
            env=self.environment(Path(tempfile.gettempdir())),
            cwd=tempfile.gettempdir(),
            capture_output=True,
            text=True,
            check=False,
        )
        found = Path(done.stdout.strip() or ".").resolve()
        if not found.is_relative_to((self.root / "server").resolve()):
            raise RecordingError(f"{self.root} has no server/lobug that runs: {found}{done.stderr}")


@dataclass
class Served:
    """A running server."""

    url: str
    data: Path
    client: httpx.Client
    process: subprocess.Popen[bytes]

    def health(self) -> dict[str, Any]:
        """What ``/health`` says to the owner."""
        report: dict[str, Any] = self.client.get("/health").json()
        return report

    def settle(self, seconds: float = 120.0, *, stuck: int = 0) -> None:
        """Wait until memory has nothing to do, twice in a row; a turn that failed leaves a task
        that waits for minutes: ``stuck`` of them may be left. Raises RecordingError."""
        until = time.monotonic() + seconds
        quiet = 0
        while quiet < 2:
            memory = self.health()["memory"]
            busy = memory["pending_tasks"] > stuck or memory["embedding_backlog"]
            quiet = 0 if busy else quiet + 1
            if time.monotonic() > until:
                raise RecordingError(f"memory never came to rest: {memory}")
            time.sleep(0.05)


def with_ollama(url: str, *, idle_minutes: float = 600.0) -> dict[str, str]:
    """Settings of a server that thinks and embeds with the Ollama at ``url``, without waiting.

    ``idle_minutes`` ends a session: later than any recording does, where nothing else is said."""
    return {
        "LOBUG_OLLAMA__HOST": url,
        "LOBUG_CHAT__ENGINE": "ollama",
        "LOBUG_EMBEDDINGS__ENGINE": "ollama",
        "LOBUG_MEMORY__IDLE_DELAY_S": "0",
        "LOBUG_MEMORY__RETRY_DELAY_S": "0.2",
        "LOBUG_MEMORY__SESSION_IDLE_MINUTES": str(idle_minutes),
        # However long the recording takes, a tap was just now.
        "LOBUG_SENSORS__EXPIRY_S": "3600",
        "LOBUG_SENSORS__TAP_EXPIRY_S": "3600",
        # Fixtures grow old; what they hold must not be erased for that.
        "LOBUG_MEMORY__RECALL_LOG_DAYS": "0",
        "LOBUG_MEMORY__TIMELINE_RETENTION_DAYS": "0",
    }


@contextmanager
def served(checkout: Checkout, data: Path, **settings: str) -> Iterator[Served]:
    """Run ``lobug serve`` on a data folder and a free port until the block ends.

    Raises RecordingError when it does not start."""
    data.mkdir(parents=True, exist_ok=True)
    log = data.parent / f"{data.name}.log"
    with log.open("wb") as file, tempfile.TemporaryDirectory(prefix="behaviour-") as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "lobug", "serve", "--port", "0"],
            env=checkout.environment(data, **{"COLUMNS": "200"} | settings),
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=folder,
        )
        try:
            url = _address(process, log)
            with httpx.Client(base_url=url, timeout=180, trust_env=False) as client:
                yield Served(url, data, client, process)
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + START_S
    while True:
        text = log.read_text(errors="replace")
        lines = [line for line in text.splitlines() if "listens at http" in line]
        if lines:
            return lines[-1].split()[-1]
        if process.poll() is not None or time.monotonic() > until:
            raise RecordingError(f"the server did not start: {text[-3000:]}")
        time.sleep(0.05)
