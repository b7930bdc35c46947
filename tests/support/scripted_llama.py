"""A child process in place of the embedded chat model's: the same pipes, socket and protocol, and
no model. It imports the standard library only, as the real one.

The model file says how it behaves, in JSON: ``talks`` false: a request gets its headers and no
word; ``computes`` false: what llama.cpp answers between two batches is not answered.
``probes`` is a file that gets a byte for each question after its health.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

CHUNK = {
    "id": "1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "scripted",
}


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps(CHUNK | {'choices': [choice]})}\n\n".encode()


async def _answer(
    behaviour: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split()[1]
    if path == "/health":
        os.write(behaviour["counter"], b".")
    if path == "/slots" and not behaviour["computes"]:
        await asyncio.Event().wait()
    if path in {"/health", "/slots"}:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    else:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        if not behaviour["talks"]:
            await writer.drain()
            await asyncio.Event().wait()
        writer.write(_event({"role": "assistant", "content": "Hello there."}))
        writer.write(_event({}, "stop") + b"data: [DONE]\n\n")
    await writer.drain()
    writer.close()


async def _serve(config: dict[str, Any], behaviour: dict[str, Any]) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer(behaviour, reader, writer)

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
