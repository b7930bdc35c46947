"""The server of a soak, in a process of its own: the real application, scripted engines, and a
clock that may run faster. Started as ``python -m lobug.cli.simulate.soak_server`` with a
``SoakServerOptions`` as JSON.

It prints its address. Then it answers each line on its standard input with its measures as a line
of JSON: ``look`` with those that cost nothing to take, anything else with all. It ends when its
standard input ends.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import itertools
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lobug.cli.terminal import print_json_line
from lobug.engines.base import (
    BACKGROUND_LANE,
    ChatMessage,
    ChatOptions,
    Engines,
    Samples,
    Transcript,
)
from lobug.simulator.soak.engines import InstantChat, InstantSpeechToText, instant_engines

if TYPE_CHECKING:
    from lobug.server import LobugServer
    from lobug.settings import Settings

_DAY_H = 24.0

LOG_KEPT_H = 12.0
"""Retention of messages, simulated hours: a soak of more than a day erases some."""

LEAST_IDLE_S = 10.0
"""Least real seconds after which an idle connection is closed. By the soak's clock it is 120 s, but
speech takes its real time."""

_PETS = re.compile(r"I have a (\w+) named (\w+)")
_USER = re.compile(r"User: (.+)")
_WAKE_S = 0.5


@dataclass(frozen=True, slots=True)
class SoakServerOptions:
    """How a soak's server runs."""

    folder: str
    """Where its data goes."""
    factor: float
    """Simulated seconds in a real one."""

    def settings(self) -> Settings:
        """Settings that read neither the environment nor ``.env``."""
        from lobug.settings import Settings

        return Settings.model_validate(
            {
                "data_dir": Path(self.folder) / "data",
                "database": {"url": ""},  # never the owner's, whatever the environment says
                "models_dir": Path(self.folder) / "models",
                "host": "127.0.0.1",
                "port": 0,
                "log_level": "warning",
                "memory": {
                    "idle_delay_s": 1.0 / self.factor,
                    "log_retention_days": LOG_KEPT_H / _DAY_H,
                    "recall_log_days": LOG_KEPT_H / _DAY_H,
                },
                "streaming": {"idle_timeout_s": max(LEAST_IDLE_S, 120.0 / self.factor)},
                # Every device is at this computer's address.
                "access": {"codes_per_minute": 1_000},
            }
        )


class ScaledClock:
    """A wall clock that runs ``factor`` times as fast: seconds since the epoch."""

    def __init__(
        self,
        factor: float,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._factor = factor
        self._monotonic = monotonic
        self._began_wall, self._began = wall(), monotonic()

    def __call__(self) -> float:
        """The current time of this clock."""
        return self._began_wall + self._factor * (self._monotonic() - self._began)


class SoakChat(InstantChat):
    """Extracts the pets that users mention, so that there are facts to store."""

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield facts as JSON if a schema asks for them, else the usual reply."""
        if options.json_schema:
            pets = _PETS.findall(messages[-1].content)
            yield json.dumps(
                [
                    {"fact": f"The user has a {kind} named {name}", "type": "personal"}
                    for kind, name in pets
                ]
            )
            return
        if options.lane == BACKGROUND_LANE:
            yield f"The user said: {_said(messages[-1].content)}"
            return
        async for word in super().stream(messages, options):
            yield word


def _said(transcript: str) -> str:
    """The last message of a user in a transcript."""
    said: list[str] = _USER.findall(transcript)
    return said[-1] if said else transcript.strip()


class SoakSpeechToText(InstantSpeechToText):
    """Hears a hundred sentences in turn: a limited vocabulary, as people have, so that caches of
    words fill during the warm-up."""

    def __init__(self) -> None:
        self._heard = itertools.cycle(range(100))

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        transcript = await super().transcribe(audio, language)
        return replace(transcript, text=f"Tell me something about sea number {next(self._heard)}.")


def soak_engines() -> Engines:
    """Engines that cost no time and hear a hundred sentences in turn."""

    def nobody_listens() -> Callable[[int], None]:
        return lambda _samples: None

    return replace(instant_engines(nobody_listens), chat=SoakChat(), stt=SoakSpeechToText())


def serve(options: SoakServerOptions, engines: Engines) -> None:
    """Serve until standard input ends."""
    from rich.console import Console

    from lobug.app import create_app
    from lobug.assembly import with_memory
    from lobug.cli.http_server import open_socket
    from lobug.cli.serve import run_app
    from lobug.telemetry.logs import configure_logging

    settings = options.settings()
    configure_logging(settings.log_level, settings.log_format)
    chores: set[asyncio.Task[None]] = set()

    async def assemble(settings: Settings) -> LobugServer:
        server = with_memory(settings, engines, wall=ScaledClock(options.factor))
        chores.update((asyncio.create_task(_answer(server)), asyncio.create_task(_wake(server))))
        return server

    with open_socket(settings.host, settings.port) as listener:
        print_json_line({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"})
        app = create_app(settings, assembler=assemble)
        run_app(app, settings, listener, Console(quiet=True))


def cheap_measures(server: LobugServer) -> dict[str, float]:
    """The measures of this process that cost nothing to take."""
    values: dict[str, float] = {
        "tasks": len(asyncio.all_tasks()),
        "connections": len(server.connections),
        "pending_tasks": server.memory.stats().pending_tasks,
        "threads": _threads(),
    }
    descriptors = _descriptors()
    return values if descriptors is None else {**values, "descriptors": descriptors}


def all_measures(server: LobugServer) -> dict[str, float]:
    """All measures of this process. Blocks the event loop for a tenth of a second."""
    gc.collect()
    values = {**cheap_measures(server), "objects": tracked_objects()}
    values["blocks"] = sys.getallocatedblocks()
    native_mb = malloc_in_use_mb()
    return values if native_mb is None else {**values, "malloc_mb": native_mb}


def tracked_objects() -> int:
    """Number of objects that the garbage collector tracks.

    In one expression without Python code in between: as long as a list refers to a tuple that
    another thread is still building, that thread fails with a SystemError
    (github.com/python/cpython/issues/39117).
    """
    return sum(map(len, map(gc.get_objects, range(3))))


_MALLINFO = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class _Mallinfo(ctypes.Structure):
    """``struct mallinfo2`` of malloc.h, bytes but for the three counts."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _MALLINFO.split())


def malloc_in_use_mb() -> float | None:
    """Memory in use by malloc, MB; None: the C library does not tell (glibc does from 2.33 on)."""
    ask = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if ask is None:
        return None
    ask.restype = _Mallinfo
    in_use = ask()
    return float(in_use.uordblks + in_use.hblkhd) / 1e6


def _threads() -> int:
    """Number of threads; native ones are included where the system counts them."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()


def _descriptors() -> int | None:
    folder = Path("/dev/fd")  # Linux and macOS; on Linux a link to /proc/self/fd
    return len(os.listdir(folder)) if folder.is_dir() else None  # noqa: PTH208 - names alone


async def _answer(server: LobugServer) -> None:
    """Answer every line on standard input with the measures."""
    loop = asyncio.get_running_loop()
    asked = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(asked), sys.stdin)
    while question := await asked.readline():
        print_json_line(
            cheap_measures(server) if question.strip() == b"look" else all_measures(server)
        )
    os.kill(os.getpid(), signal.SIGTERM)


async def _wake(server: LobugServer) -> None:
    """Wake background work often: it sleeps by the real clock, not by the scaled one."""
    while True:
        await asyncio.sleep(_WAKE_S)
        server.memory.wake()


def arguments(options: SoakServerOptions) -> str:
    """The command line's argument for this server."""
    return json.dumps(asdict(options))


def read_arguments() -> SoakServerOptions:
    """What ``arguments`` wrote, from this process's command line."""
    return SoakServerOptions(**json.loads(sys.argv[1]))


if __name__ == "__main__":
    serve(read_arguments(), soak_engines())
