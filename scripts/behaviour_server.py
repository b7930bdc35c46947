"""Runs a checkout of Lo-Bug from outside: its commands, its server, and requests to that.

Nothing of the package is imported, so the same script records an old checkout and a new one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from behaviour_comparison import Normaliser, described
from behaviour_dialogue import Ask
from behaviour_ollama import FakeOllama

START_S = 180.0
"""Longest start of a server on a busy machine, seconds."""

COMMAND_S = 120.0
"""Longest run of a command by default, seconds."""

COLUMNS = "100"
"""Width of the terminal that commands write to."""

DEVICE = "contract"
"""``Device-Id`` of requests that set none."""

REST_S = 5.0
"""A server that has done nothing for this long is at rest, seconds."""

REST_AT_MOST_S = 300.0
"""Longest wait until a server is at rest, seconds."""

OWNER_ROUTES = ("/memory", "/xiaozhi")
"""Routes to which no ``Device-Id`` is sent: the owner calls them."""

IGNORED_HEADERS = frozenset("date content-length etag last-modified".split())

EMBEDDED = {"LOBUG_EMBEDDINGS__ENGINE": "embedded", "LOBUG_CHAT__ENGINE": "embedded"}
"""Settings with which a command needs no Ollama."""


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
    """A checkout of Lo-Bug; its code runs."""

    root: Path

    def environment(self, data: Path, **settings: str) -> dict[str, str]:
        """The environment of this process, with these settings instead of the owner's."""
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
            # Nothing listens there, so a command does not find the owner's server.
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
        """Run a command on a data folder. Raises RecordingError if it takes too long."""
        with tempfile.TemporaryDirectory(prefix="behaviour-") as folder:  # without a .env
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
        """Run a command. Raises RecordingError if it fails."""
        done = self.run(*arguments, data=data, settings=settings, timeout_s=timeout_s)
        if done.code:
            raise RecordingError(f"lobug {' '.join(arguments)}: {done.code}: {done.out}{done.err}")
        return done

    def version(self) -> str:
        """The version that the package reports."""
        with tempfile.TemporaryDirectory(prefix="behaviour-") as folder:
            return self.must_run("--version", data=Path(folder)).out.split()[-1]

    def require_own_code(self) -> None:
        """Raise RecordingError if an installed package would run instead of this checkout's."""
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
        """The body of ``/health``, as the owner gets it."""
        report: dict[str, Any] = self.client.get("/health").json()
        return report

    def settle(self, seconds: float = 120.0, *, stuck: int = 0) -> None:
        """Wait until the memory has had nothing to do twice in a row. ``stuck`` tasks may be left:
        a failed turn leaves one that waits for minutes. Raises RecordingError."""
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
    """Settings of a server that uses the Ollama at ``url`` and does background work at once.

    ``idle_minutes``: a pause of this length ends a session; by default no recording has one."""
    return {
        "LOBUG_OLLAMA__HOST": url,
        "LOBUG_CHAT__ENGINE": "ollama",
        "LOBUG_EMBEDDINGS__ENGINE": "ollama",
        "LOBUG_MEMORY__IDLE_DELAY_S": "0",
        "LOBUG_MEMORY__RETRY_DELAY_S": "0.2",
        "LOBUG_MEMORY__SESSION_IDLE_MINUTES": str(idle_minutes),
        # Sensor readings stay valid however long the recording takes.
        "LOBUG_SENSORS__EXPIRY_S": "3600",
        "LOBUG_SENSORS__TAP_EXPIRY_S": "3600",
        # Old entries of a fixture must not be erased because of their age.
        "LOBUG_MEMORY__RECALL_LOG_DAYS": "0",
        "LOBUG_MEMORY__TIMELINE_RETENTION_DAYS": "0",
    }


@contextmanager
def served(checkout: Checkout, data: Path, **settings: str) -> Iterator[Served]:
    """Run ``lobug serve`` on a data folder and a free port until the block ends.

    Raises RecordingError if it does not start."""
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


@dataclass
class Recorder:
    """Sends requests to a server and records the answers by name."""

    lobug: Served
    ollama: FakeOllama
    normal: Normaliser
    answers: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    """Messages of prompts, each once, by digest."""
    failing: bool = False
    """Whether every turn may leave a task behind."""

    def rest(self) -> None:
        """Wait until memory and language model have been idle for ``REST_S``: after a start, work
        that was only scheduled becomes due, and ``/health`` does not count it before."""
        until = time.monotonic() + REST_AT_MOST_S
        seen: object = None
        since = time.monotonic()
        while time.monotonic() - since < REST_S:
            self.lobug.settle()
            now = (self.lobug.health()["memory"], len(self.ollama.asked), len(self.ollama.embedded))
            if now != seen:
                seen, since = now, time.monotonic()
            if time.monotonic() > until:
                raise RecordingError(f"memory never came to rest: {now}")

    def ask(self, request: Ask) -> httpx.Response:
        """Send a request; record its answer and the prompts that the language model got."""
        if request.name in self.answers:
            raise RecordingError(f"two requests are named {request.name}")
        self.ollama.take_asked()
        answer = self._send(request)
        self.lobug.settle(stuck=len(self.answers) + 1 if self.failing else 0)
        noted = {
            "status": answer.status_code,
            "headers": self.headers(answer.headers),
            "body": self.body(answer),
        }
        prompts = [self._prompt(asked) for asked in self.ollama.take_asked()]
        self.answers[request.name] = noted | ({"prompts": prompts} if prompts else {})
        return answer

    def all(self, requests: Sequence[Ask]) -> None:
        """Send requests, one after the other."""
        for request in requests:
            self.ask(request)

    def _send(self, request: Ask) -> httpx.Response:
        device = {} if request.path.startswith(OWNER_ROUTES) else {"Device-Id": DEVICE}
        headers = device | request.headers
        body: dict[str, Any] = {}
        if request.json is not None:
            body["content"] = json.dumps(request.json).encode()
            headers = {"Content-Type": "application/json"} | headers
        elif request.content is not None:
            body["content"] = request.content
        elif request.form is not None:
            body["files"] = {request.part: ("recording.wav", request.form, "audio/wav")}
            body["data"] = request.fields
        return self.lobug.client.request(request.method, request.path, headers=headers, **body)

    def headers(self, headers: httpx.Headers) -> dict[str, Any]:
        """The headers, without those that differ from run to run."""
        kept = {name: text for name, text in headers.items() if name not in IGNORED_HEADERS}
        return {name: self.normal.value(kept[name], name) for name in sorted(kept)}

    def body(self, answer: httpx.Response) -> Any:
        """A body as a JSON value: parsed, as events, as lines, or as a description of a sound."""
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if kind == "application/json":
            return self.normal.value(answer.json())
        if kind == "text/event-stream":
            return self.events(answer.text)
        if kind.startswith("audio/"):
            return described(answer.content)
        text = self.normal.text(answer.text)
        if kind == "text/html":
            return {"html": hashlib.sha256(text.encode()).hexdigest()[:16]}
        return text.splitlines() if "\n" in text else text

    def events(self, text: str) -> dict[str, Any]:
        """The events of a stream, by kind. How a reply is cut into deltas, and in which order kinds
        follow each other, depends on timing."""
        found: dict[str, Any] = {}
        order: list[str] = []
        for block in text.strip().split("\n\n"):
            if block.startswith(":"):  # a comment that keeps the connection alive
                continue
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            name, data = fields.get("event", "data"), fields.get("data", "")
            order.append(name)
            value: Any = json.loads(data) if data.startswith("{") else data
            if name == "reply_delta":
                found[name] = found.get(name, "") + value["text"]
            else:
                found.setdefault(name, []).append(value)
        if "data" in found:
            found["data"] = _joined_chunks(found["data"])
        ends = {"first": order[0], "last": order[-1]}
        return {"ends": ends, **self.normal.value(dict(sorted(found.items())))}

    def _prompt(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A request to the language model: the last message in full, the others by digest."""
        *before, last = asked["messages"]
        known = [self._known(f"{m['role']}: {self.normal.text(m['content'])}") for m in before]
        return {
            "model": asked["model"],
            "options": asked.get("options"),
            "format": self._known(asked["format"]) if asked.get("format") else None,
            "before": f"{len(before)} messages, {known[0] if known else None}, {_digest(known)}",
            "last": self.normal.text(last["content"]).splitlines(),
        }

    def _known(self, value: Any) -> str:
        """Keep a part of a prompt in ``parts``; return its digest."""
        digest = _digest(value)
        self.parts[digest] = value.splitlines() if isinstance(value, str) else value
        return digest


def without_figures(answer: dict[str, Any]) -> None:
    """Remove the values of metrics; names and labels stay."""
    if isinstance(answer["body"], list):
        lines = (re.sub(r" \S+$", "", line) for line in answer["body"] if "_created" not in line)
        answer["body"] = sorted(set(lines))


def _joined_chunks(chunks: list[Any]) -> list[Any]:
    """The chunks of a ``/v1/chat/completions`` stream, with the text of all of them joined."""
    words = ""
    kept = []
    for chunk in chunks:
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        delta = choices[0]["delta"] if choices else {}
        if set(delta) == {"content"}:
            words += delta["content"]
        else:
            kept.append(chunk)
    return [*kept, {"all words": words}]


def _digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
