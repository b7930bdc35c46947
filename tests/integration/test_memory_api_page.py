"""docs/memory-api.md: every example on it works, and no route is missing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from starlette.routing import compile_path

from lobug.memory.service import Memory
from support.app_server import client_of
from support.memory_app import app_with, door_settings, exchange, memory_of

PAGE = Path(__file__).parents[2] / "docs" / "memory-api.md"


@dataclass(frozen=True)
class Example:
    """One curl command."""

    method: str
    address: str
    body: str | None
    """Words, or ``@`` and the file that an earlier example wrote."""
    file: str | None
    """Where the answer goes."""


def examples() -> Iterator[Example]:
    """The commands of the page, in their order."""
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            words = iter(shlex.split(line)[1:])
            method = address = body = file = None
            for word in words:
                match word:
                    case "-X":
                        method = next(words)
                    case "-d" | "--data-binary":
                        body = next(words)
                    case "-o":
                        file = next(words)
                    case _:
                        address = word
            assert address is not None, line
            yield Example(method or ("POST" if body else "GET"), f"http://{address}", body, file)


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return app_with(door_settings(tmp_path))


async def tell(memory: Memory) -> None:
    """Make a memory in which the ids of the page exist: message 11 and session 7 of ada, bob."""
    for day in range(7):
        await exchange(memory, "ada", "Where?", said_at=1_700_000_000.0 + 86_400.0 * day)
    await exchange(memory, "bob")


async def test_every_example_works(app: FastAPI) -> None:
    files: dict[str, bytes] = {}
    async with client_of(app) as http:
        await tell(memory_of(app))
        for example in examples():
            parts = urlsplit(example.address)
            body = example.body
            content = files[body[1:]] if body and body.startswith("@") else (body or "").encode()
            answer = await http.request(
                example.method, f"{parts.path}?{parts.query}", content=content
            )
            assert answer.status_code == 200, (example, answer.text)
            if example.file:
                files[example.file] = answer.content


def test_no_route_is_missing(app: FastAPI) -> None:
    shown = [(example.method, urlsplit(example.address).path) for example in examples()]
    for path, ways in app.openapi()["paths"].items():
        if path.startswith("/memory"):
            pattern = compile_path(path)[0]
            for method in ways:
                assert any(
                    (way == method.upper() and pattern.match(address)) for way, address in shown
                ), f"{method} {path}"
