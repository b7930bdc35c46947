"""A small Ollama server for ``behaviour.py``: the same question always gets the same answer.

It follows rules instead of a model, so that what Lo-Bug says depends on Lo-Bug alone. It also keeps
what it was asked: a prompt is what Lo-Bug makes of a person's words and of its memory.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

CHAT_MODEL = "qwen2.5:3b"
EMBEDDING_MODEL = "nomic-embed-text:latest"

DIMENSION = 32

SCRIPTED: Mapping[str, str] = {
    "the home team won": "[IGNORE]",
    "ha ha ha": "[REACT] happy",
    "count slowly": "One. Two. Three. Four. Five. Six.",
    "use some markdown": "**Certainly!** Here is a list:\n- one\n- two\n\nIt costs $5 at 3:30 pm.",
    "think aloud": "<think>Nobody hears this.</think>I thought about it.",
    "say nothing": "",
    "another script": "漢字だけです。",
}
"""Replies to words that contain a phrase, in lower case."""

BREAKS_OFF = "break off in the middle"
"""Words that are answered with half a reply and a broken connection."""

FAILS = "fail at once"
"""Words that are answered with status 500."""

_FIRST_PERSON = (
    (r"\bI am\b|\bI'm\b", "The user is"),
    (r"\bI have\b", "The user has"),
    (r"\bI (\w+ed|sold|went|was)\b", r"The user \1"),
    (r"\bI (\w+)", r"The user \1s"),
    (r"^My\b", "The user's"),
    (r"\bmy\b", "the user's"),
)


@dataclass
class FakeOllama:
    """The requests that a running server got, in order."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of ``/api/chat``."""
    embedded: list[str] = field(default_factory=list)
    """Texts of ``/api/embed``."""

    def take_asked(self) -> list[dict[str, Any]]:
        """The requests to the chat model since the last call."""
        taken, self.asked = self.asked, []
        return taken


def vector(text: str) -> list[float]:
    """A vector that is similar for texts that share words. Numbers are ignored: some are times."""
    values = [0.0] * DIMENSION
    for word in re.findall(r"[a-z]+", text.lower()):
        digest = hashlib.sha256(word[:5].encode()).digest()
        values[digest[0] % DIMENSION] += 1.0 if digest[1] % 2 else -1.0
    return values if any(values) else [1.0, *values[1:]]


def answer(body: Mapping[str, Any]) -> str:
    """The reply to a request of ``/api/chat``."""
    last = str(body["messages"][-1]["content"])
    wanted = body.get("format")
    if isinstance(wanted, dict):
        return json.dumps(_fitting(wanted, last), ensure_ascii=False)
    if _sums_up(body):
        return _summary(last)
    words = last.rsplit("\n\n", 1)[-1]
    for phrase, said in SCRIPTED.items():
        if phrase in words.lower():
            return said
    remembered = re.findall(r"^- (.*)$", last, re.M)
    if remembered:
        return f"You said: {words} I remember: {remembered[0]}"
    return f"You said: {words}"


def _sums_up(body: Mapping[str, Any]) -> bool:
    """Whether the request asks for a summary and not for a reply."""
    system = str(body["messages"][0]["content"])
    return system.startswith(("You summarize", "You shorten"))


def _fitting(schema: Mapping[str, Any], words: str) -> object:
    """An answer that fits a JSON schema."""
    if schema.get("type") == "array":
        return [{"fact": fact, "type": "personal"} for fact in facts_in(words)]
    properties = schema.get("properties", {})
    if "tool" in properties:
        return _choice(words)
    told = [line[2:] for line in words.splitlines() if line.startswith("- ")]
    return {name: told[place : place + 1] for place, name in enumerate(properties)}


def _choice(words: str) -> dict[str, str]:
    """The memory tool that is meant, with the words after the colon; without a colon: none."""
    _, colon, quoted = words.partition(": ")
    tools = {"erase": "memory_forget", "search": "memory_recall", "keep": "memory_store"}
    chosen = next((tool for word, tool in tools.items() if word in words.lower()), "none")
    if not colon or chosen == "none":
        return {"tool": "none", "words": ""}
    return {"tool": chosen, "words": quoted.strip(" .")}


def facts_in(words: str) -> list[str]:
    """Sentences about the speaker, in the third person ("the user")."""
    found = []
    for sentence in re.split(r"(?<=[.!?])\s+|,? and (?=I |my )", words.strip()):
        fact = sentence.rstrip(".! ")
        for pattern, replacement in _FIRST_PERSON:
            fact = re.sub(pattern, replacement, fact)
        if fact.startswith("The user") and not sentence.endswith("?"):
            found.append(fact)
    return found[:6]


def _summary(transcript: str) -> str:
    said = re.findall(r"^User: (.*)$", transcript, re.M) or transcript.splitlines()
    return " ".join(f"The user said: {line.rstrip('.!?')}." for line in said[:4])


class _Server(ThreadingHTTPServer):
    """Ignores clients that hang up."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a broken connection; print any other error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # as given


class _Handler(BaseHTTPRequestHandler):
    """Serves the part of Ollama's API that Lo-Bug uses."""

    protocol_version = "HTTP/1.1"
    known: ClassVar[FakeOllama]

    def do_GET(self) -> None:
        """Answer with the list of models or the version."""
        names = (CHAT_MODEL, EMBEDDING_MODEL)
        answers: Mapping[str, object] = {
            "/api/tags": {"models": [{"model": name, "name": name} for name in names]},
            "/api/version": {"version": "0.9.9"},
        }
        found = answers.get(self.path)
        self._send(200 if found else 404, found or {"error": "not found"})

    def do_POST(self) -> None:
        """Chat or embed."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
        if self.path == "/api/chat":
            self.known.asked.append(body)
            self._talk(body)
        elif self.path == "/api/embed":
            given = body.get("input", [])  # a stopping server may send half a body
            texts = [given] if isinstance(given, str) else given
            self.known.embedded += texts
            self._send(200, {"embeddings": [vector(text) for text in texts]})
        elif self.path == "/api/show":
            self._send(200, {"details": {}, "model_info": {}})
        else:
            self._send(404, {"error": "not found"})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Log nothing."""

    def _talk(self, body: Mapping[str, Any]) -> None:
        words = str(body["messages"][-1]["content"])
        talking = not isinstance(body.get("format"), dict) and not _sums_up(body)
        if talking and FAILS in words:
            self._send(500, {"error": "the scripted model was told to fail"})
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        pieces = re.findall(r"\S+\s*", answer(body))
        if talking and BREAKS_OFF in words:
            for piece in pieces[:6]:
                self._part(piece)
            self.close_connection = True
            return
        for piece in pieces:
            self._part(piece)
        self._part("", done=True)
        self.wfile.write(b"0\r\n\r\n")

    def _part(self, text: str, *, done: bool = False) -> None:
        part: dict[str, Any] = {
            "model": CHAT_MODEL,
            "message": {"role": "assistant", "content": text},
            "done": done,
        }
        line = json.dumps(part).encode() + b"\n"
        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")

    def _send(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def fake_ollama() -> Iterator[FakeOllama]:
    """Run a server on a free loopback port; yield the requests that it gets."""
    fake = FakeOllama()
    handler = type("Handler", (_Handler,), {"known": fake})
    server = _Server(("127.0.0.1", 0), handler)
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
