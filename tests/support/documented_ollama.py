"""A server that answers as Ollama's documentation of its API says, and one fault at a time of it.

It is no Ollama: the words of its models are canned. It exists so that the checks of
``ollama_checks`` can be seen to pass and to fail.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from support.scripted_http import Answer, Received, ScriptedServer, as_json

SIZES = {"all-minilm:22m": 384, "nomic-embed-text": 768}
CHAT, THINKING = "qwen2.5:0.5b", "qwen3:0.6b"
_THOUGHT = "The user asks for a capital, so let me think about which city that is. It is Paris."
_ALOUD = {
    "thinks aloud": [f"{word} " for word in _THOUGHT.split()],
    "thinks in tags": ["<think>", _THOUGHT, "</think>"],
}
"""Faults by which thoughts are part of the answer, and how they stand there."""
_MINUTES = re.compile(r"(\d+)m")


class DocumentedOllama(ScriptedServer):
    """``fault`` names what it does wrong; empty: nothing."""

    def __init__(self, fault: str = "") -> None:
        super().__init__()
        self.fault = fault
        self.models = {CHAT, THINKING, *SIZES} - {"all-minilm:22m"}
        self.loaded: dict[str, datetime] = {}

    def answer(self, request: Received) -> Answer:
        body = request.body
        model = str(body.get("model", ""))
        match request.path:
            case "/api/tags":
                return as_json({"models": [{"model": name, "name": name} for name in self.models]})
            case "/api/ps":
                listed = [
                    {"name": name, "model": name, "expires_at": at.isoformat()}
                    for name, at in self.loaded.items()
                ]
                return as_json({"models": listed})
            case "/api/pull":
                return self._pull(model, stream=body.get("stream", True))
            case "/api/chat" | "/api/embed" if (
                model not in self.models and self.fault != "has every model"
            ):
                return as_json({"error": f"model '{model}' not found"}, status=404)
            case "/api/chat":
                return self._chat(body, model)
            case "/api/embed":
                return self._embed(body, model)
        return super().answer(request)

    def _pull(self, model: str, *, stream: bool) -> Answer:
        if self.fault != "pulls nothing":
            self.models.add(model)
        if not stream:
            return as_json({"status": "success"})
        digest = "sha256:0000000000000000"
        steps: list[dict[str, object]] = [{"status": "pulling manifest"}]
        if self.fault != "tells no progress":
            halves = [46_000_000, 23_000_000] if self.fault == "goes back" else [0, 46_000_000]
            steps += [
                {"status": "pulling 0000", "digest": digest, "total": 46_000_000, "completed": done}
                for done in halves
            ]
        steps += [{"status": "verifying sha256 digest"}, {"status": "writing manifest"}]
        if self.fault != "ends without success":
            steps.append({"status": "success"})
        return _lines(steps)

    def _chat(self, body: dict[str, Any], model: str) -> Answer:
        words = " ".join(str(message["content"]) for message in body["messages"])
        options = body.get("options", {})
        window, limit = int(options.get("num_ctx", 4096)), int(options.get("num_predict", 128))
        read = len(words.split())
        refusal = self._refusal(body, model, too_long=read > window)
        if refusal is not None:
            return refusal
        self._keep(body, model)
        if self.fault == "forgets its models":
            self.models.clear()
        thoughts, parts = self._thoughts(body, model), self._words(body, words)
        if thoughts and self.fault in _ALOUD and not body.get("think"):
            parts, thoughts = [*_ALOUD[self.fault], *parts], []
        cut = len(parts) > limit and self.fault != "writes without end"
        parts = parts[:limit] if cut else parts
        last = {
            "done": True,
            "done_reason": "length" if cut else "stop",
            "prompt_eval_count": read if self.fault == "reads without end" else min(read, window),
            "prompt_eval_duration": 1_000_000,
        }
        if not body.get("stream"):
            said = _message("".join(parts), thinking="".join(thoughts))
            return as_json({"model": model, "message": said, **last})
        said_in_parts = [_message("", thinking=thought) for thought in thoughts]
        said_in_parts += self._call() if body.get("tools") else [_message(part) for part in parts]
        lines = [{"model": model, "message": said, "done": False} for said in said_in_parts]
        if self.fault != "ends without done":
            lines.append({"model": model, "message": _message(""), **last})
        return _lines(lines)

    def _refusal(self, body: dict[str, Any], model: str, *, too_long: bool) -> Answer | None:
        """Why it does not answer; None: it does."""
        if "think" in body and model != THINKING:
            if body["think"] or self.fault == "refuses every think":
                return as_json({"error": f'"{model}" does not support thinking'}, status=400)
            if self.fault == "fails where think is given":
                return as_json({"error": "unknown field"}, status=400)
        if too_long and self.fault == "refuses what is too long":
            return as_json({"error": "the input exceeds the context length"}, status=400)
        if too_long and self.fault == "fails at what is too long":
            return as_json({"error": "llama runner process has terminated"}, status=500)
        return None

    def _thoughts(self, body: dict[str, Any], model: str) -> list[str]:
        if model != THINKING or self.fault == "does not think":
            return []
        wanted = body.get("think", True) or self.fault in {"always thinks", *_ALOUD}
        return [_THOUGHT] if wanted else []

    def _words(self, body: dict[str, Any], words: str) -> list[str]:
        if body.get("format"):
            if self.fault == "ignores the schema":
                return ["Sure, ", "30."]
            return ['{"tool": ', '"set_volume", ', '"level": 30}']
        if "France" in words:
            return ["Paris", "."]
        if "Count" in words:
            return [f"{number}, " for number in range(1, 51)]
        return ["Hello", " there."]

    def _call(self) -> list[dict[str, Any]]:
        if self.fault == "calls no tool":
            return [_message("I cannot do that.")]
        level = 3 if self.fault == "calls wrongly" else 30
        function = {"name": "set_volume", "arguments": {"level": level}}
        return [_message("", tool_calls=[{"function": function}])]

    def _keep(self, body: dict[str, Any], model: str) -> None:
        keep = str(body.get("keep_alive", "5m"))
        minutes = _MINUTES.fullmatch(keep)
        if self.fault == "keeps for its own time":
            minutes = _MINUTES.fullmatch("5m")
        if minutes is not None:
            self.loaded[model] = datetime.now(UTC) + timedelta(minutes=int(minutes[1]))
        elif self.fault != "frees nothing":
            self.loaded.pop(model, None)

    def _embed(self, body: dict[str, Any], model: str) -> Answer:
        given = body["input"]
        texts = [given] if isinstance(given, str) else given
        if any(len(text) > 20_000 for text in texts) and self.fault != "shortens what is too long":
            return as_json({"error": "the input length exceeds the context length"}, status=400)
        rows = [self._vector(text, SIZES[model]) for text in texts]
        if self.fault == "mixes the order":
            rows.reverse()
        return as_json({"model": model, "embeddings": rows})

    def _vector(self, text: str, size: int) -> list[float]:
        if self.fault == "knows one size":
            size = 384
        if self.fault == "sends zeros":
            return [0.0] * size
        vector = np.zeros(size)
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word[:4].encode()) % size] += 1.0
        if self.fault == "does not understand":
            vector = np.random.default_rng(len(text)).normal(size=size)
        vector[0] += 0.01
        return [float(value) for value in vector]


def _message(content: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **{k: v for k, v in more.items() if v}}


def _lines(steps: Sequence[dict[str, Any]]) -> Answer:
    return Answer(
        [json.dumps(step).encode() + b"\n" for step in steps], content_type="application/x-ndjson"
    )
