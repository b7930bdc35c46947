"""A server of ``fleet_load``: engines that cost nothing, and a watch on its devices' sockets.

python load_server.py FOLDER PORT URL SERVERS

An empty URL stands for SQLite. ``GET /own-shares`` returns the own shares
(``socket_timing``) since the last call, in milliseconds.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from socket import socket

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import uvicorn
from fastapi.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.cli.http_server import freeze_loaded
from lobug.engines.base import Samples, Transcript
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.simulator.soak.engines import InstantSpeechToText, instant_engines
from socket_timing import SocketTiming, stream_of_this_connection
from support.app_server import settings_for

# Nobody says the same again soon: what was read of a sentence is kept for a while.
SAID = (
    "My neighbour has a new {thing}, and it is blue.",
    "I think the soup needs more salt, and the {thing} a new coat of paint.",
    "Why is every {thing} that we see in this town so expensive?",
    "Tell me something about the history of the {thing}.",
)
THINGS = (
    "bicycle", "boat", "tent", "sledge", "camera", "guitar", "kayak", "ladder", "mirror", "piano",
    "scooter", "telescope", "trailer", "umbrella", "violin", "wagon", "bench", "bucket", "cello",
)  # fmt: skip
PLACES = (
    "Paris", "the garden", "the harbour", "Vienna", "the museum", "the kitchen", "Boston",
    "the old mill", "the station", "Lisbon", "the attic", "the market", "Oslo",
)  # fmt: skip


class VariedSpeechToText(InstantSpeechToText):
    """Hears another sentence each time; all of them are for the chat model."""

    def __init__(self) -> None:
        self._numbers = count()

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        heard = await super().transcribe(audio, language)
        return replace(heard, text=sentence(next(self._numbers)))


def sentence(number: int) -> str:
    """One of 247 sentences of each kind. Pure."""
    said = SAID[number % len(SAID)].format(thing=THINGS[number % len(THINGS)])
    return f"{said[:-1]} near {PLACES[number % len(PLACES)]}{said[-1]}"


class LoadServer(SocketTiming):
    """The watch, which tells what it saw."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/own-shares":
            told = [1000.0 * share.seconds for share in self.shares()]
            for timing in self.timings:
                timing.shares.clear()
            await JSONResponse(told)(scope, receive, send)
            return
        await super().__call__(scope, receive, send)


class FreezingServer(uvicorn.Server):
    """Collects garbage as ``lobug serve`` does."""

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        freeze_loaded()


def main() -> None:
    """Serve until killed."""
    folder, port, url, servers = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    settings = settings_for(
        folder,
        database={"url": url, "servers": servers} if url else {},
        # As docs/engines.md has it where several servers share engines.
        limits={"max_concurrent_turns": 32},
    )

    async def assemble(settings: Settings) -> LobugServer:
        engines = instant_engines(stream_of_this_connection)
        return with_memory(settings, replace(engines, stt=VariedSpeechToText()))

    app = LoadServer(create_app(settings, assembler=assemble))
    FreezingServer(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")).run()


if __name__ == "__main__":
    main()
