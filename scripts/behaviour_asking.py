"""Asks a server for ``behaviour.py``; notes its answers and what its language model was asked."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from behaviour_dialogue import Ask
from behaviour_lobug import RecordingError, Served
from behaviour_normal import Normaliser, described
from behaviour_ollama import FakeOllama

DEVICE = "contract"
"""Who sends requests, unless they say otherwise."""

REST_S = 5.0
"""So long nothing happens before a server that has started counts as at rest, seconds."""

REST_AT_MOST_S = 300.0
"""Longest wait for that, seconds."""

OWNERS_ROUTES = ("/memory", "/xiaozhi")
"""Routes at which a ``Device-Id`` would be somebody else."""

IGNORED_HEADERS = frozenset("date content-length etag last-modified".split())


@dataclass
class Asking:
    """Sends requests to a server and notes the answers, by name."""

    lobug: Served
    ollama: FakeOllama
    normal: Normaliser
    answers: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    """Of prompts, by digest: each once."""
    failing: bool = False
    """Whether every turn may leave a task that waits."""

    def rest(self) -> None:
        """Wait until nothing has changed and nothing was asked for a while, as after a start: what
        is only scheduled, like the end of an old session, is due then and counted nowhere."""
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
        """Send a request and note its answer, and what the language model was asked for it."""
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
        device = {} if request.path.startswith(OWNERS_ROUTES) else {"Device-Id": DEVICE}
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
        """The headers that say something, by name."""
        kept = {name: text for name, text in headers.items() if name not in IGNORED_HEADERS}
        return {name: self.normal.value(kept[name], name) for name in sorted(kept)}

    def body(self, answer: httpx.Response) -> Any:
        """A body as JSON has it: parsed, as events, as lines, or what a sound is like."""
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
        """A stream of events, by kind. How words are cut into deltas, and how kinds follow each
        other, depends on how fast they come."""
        found: dict[str, Any] = {}
        order: list[str] = []
        for block in text.strip().split("\n\n"):
            if block.startswith(":"):  # says only that it is still there
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
        """What the language model was asked: the last message in full, the others by digest."""
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
        """The digest under which a part of a prompt stands in ``parts``."""
        digest = _digest(value)
        self.parts[digest] = value.splitlines() if isinstance(value, str) else value
        return digest


def without_figures(answer: dict[str, Any]) -> None:
    """Leave the names and labels of metrics, without their figures."""
    if isinstance(answer["body"], list):
        lines = (re.sub(r" \S+$", "", line) for line in answer["body"] if "_created" not in line)
        answer["body"] = sorted(set(lines))


def _joined_chunks(chunks: list[Any]) -> list[Any]:
    """A stream of ``/v1/chat/completions`` with the words of all its chunks in one place."""
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
