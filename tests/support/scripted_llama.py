"""A child process in place of the embedded chat model's: the same pipes, socket and protocol, and
no model. It imports the standard library only, as the real one.

The model file says how it behaves, in JSON: ``talks`` false: a request gets its headers and no
word; ``computes`` false: what llama.cpp answers between two batches is not answered; ``adds``: a
token that a saved slot holds beyond its prompt.
``probes`` is a file that gets a byte for each question after its health.

Slots hold prompts as llama.cpp's do, with a token for each byte, and a saved one has llama.cpp's
format. As there, a file that is cut off ends the process.
"""

from __future__ import annotations

import asyncio
import json
import os
import struct
import sys
import threading
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

CHUNK = {
    "id": "1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "scripted",
}

FLOATS = 8
"""Bytes of keys and values of a token, in a saved slot."""


def rendered(messages: list[dict[str, str]]) -> str:
    """A prompt that awaits more messages."""
    return "".join(f"<{m['role']}>{m['content']}" for m in messages)


def state_file(tokens: list[int], cells: int | None = None) -> bytes:
    """A slot as llama.cpp saves it. ``cells``: how many have keys and values; None: as many."""
    cells = len(tokens) if cells is None else cells
    packed = [-1, 1, len(tokens), *tokens, 0]
    table = [number for position in range(cells) for number in (position, 1, 0)]
    return (
        struct.pack("<3I", 0x67677371, 4, len(packed))
        + struct.pack(f"<{len(packed)}i", *packed)
        + struct.pack("<2I", 1, cells)
        + struct.pack(f"<{len(table)}i", *table)
        + bytes(FLOATS * cells)
    )


def _event(delta: dict[str, str], finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps(CHUNK | {'choices': [choice]} | more)}\n\n".encode()


class Llama:
    """The slots, and what is asked of them."""

    def __init__(self, folder: Path, behaviour: dict[str, Any]) -> None:
        self._folder = folder
        self._adds = behaviour.get("adds")
        self._slots: dict[int, list[int]] = {}

    def compute(self, body: dict[str, Any]) -> dict[str, int]:
        """Compute a prompt; what it took, as llama.cpp reports it."""
        slot = body.get("id_slot", 0)
        tokens = list(rendered(body["messages"]).encode())
        held = zip(self._slots.get(slot, []), tokens, strict=False)
        cached = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], held))
        self._slots[slot] = tokens
        read = len(tokens) - cached
        return {"prompt_n": read, "cache_n": cached, "predicted_n": 1, "prompt_ms": 16 * read}

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request that is not a prompt."""
        url = urlsplit(path)
        if url.path == "/apply-template":
            return {"prompt": rendered(body["messages"])}
        if url.path == "/tokenize":
            return {"tokens": list(body["content"].encode())}
        if not url.query:
            return {}
        slot, action = int(url.path.split("/")[2]), parse_qs(url.query)["action"][0]
        tokens = self._slots.get(slot, [])
        if action == "save":
            held = tokens if self._adds is None else [*tokens, self._adds]
            (self._folder / body["filename"]).write_bytes(state_file(held))
            return {"n_saved": len(held)}
        if action == "restore":
            data = (self._folder / body["filename"]).read_bytes()
            number = struct.unpack_from("<I", data, 20)[0]
            tokens = list(struct.unpack_from(f"<{number}i", data, 24))
            if data != state_file(tokens):
                os._exit(1)
            self._slots[slot] = tokens
            return {"n_restored": number}
        self._slots[slot] = []
        return {"n_erased": len(tokens)}


async def _answer(
    llama: Llama,
    behaviour: dict[str, Any],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split()[1]
    length = next(
        (int(h.split(":")[1]) for h in head.splitlines() if h.lower().startswith("content-length")),
        0,
    )
    body = json.loads(await reader.readexactly(length) or b"{}")
    if path == "/health":
        os.write(behaviour["counter"], b".")
    if path == "/slots" and not behaviour["computes"]:
        await asyncio.Event().wait()
    if not path.endswith("/chat/completions"):
        text = json.dumps(llama.answer(path, body)).encode()
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            + f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n".encode()
            + text
        )
    else:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        if not behaviour["talks"]:
            await writer.drain()
            await asyncio.Event().wait()
        timings = llama.compute(body)
        writer.write(_event({"role": "assistant", "content": "Hello there."}))
        writer.write(_event({}, "stop", timings=timings) + b"data: [DONE]\n\n")
    await writer.drain()
    writer.close()


async def _serve(config: dict[str, Any], behaviour: dict[str, Any]) -> None:
    llama = Llama(Path(config["socket_path"]).parent, behaviour)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer(llama, behaviour, reader, writer)

    await asyncio.start_unix_server(answer, config["socket_path"])
    os.write(1, b"ready\n")
    await asyncio.Event().wait()


def _leave_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    first = json.loads(sys.stdin.readline())
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    script = json.loads(Path(first["model_path"]).read_text())
    script["counter"] = os.open(script["probes"], os.O_WRONLY | os.O_APPEND)
    asyncio.run(_serve(first, script))
