"""One child process that holds the embedded chat model: its private folder, start, log and end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lobug.engines import llama_worker
from lobug.engines.llama_worker import FAILED, WorkerConfig
from lobug.engines.worker_thread import INFERENCE_NICENESS
from lobug.errors import EngineUnavailableError, ModelMissingError

log = logging.getLogger(__name__)

MAX_SOCKET_PATH: Final = 100
"""Longest path of a Unix socket, bytes: macOS allows 104, Linux 108."""

BATCH_TOKENS: Final = 32
"""See ``llama_worker``: after a cancellation the batch under way is still computed."""

_PREFIX: Final = "lobug-"
_SOCKET: Final = "llm.sock"
_LEFTOVER_AGE_S: Final = 3600.0
_LOGGED_CHARS: Final = 300

_WORKER: Final = str(Path(llama_worker.__file__).absolute())


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one child process answers."""

    socket: str
    api_key: str


@dataclass(frozen=True, slots=True)
class LlamaOptions:
    """How the model is loaded; see ``WorkerConfig``."""

    model_path: Path
    slots: int
    context_tokens: int
    threads: int
    own_file: bool = False
    """The file is the owner's own, not one of the catalog."""
    start_timeout_s: float = 180.0
    """Longest time for loading, seconds; a large model on a slow disk needs minutes."""
    hang_timeout_s: float = 20.0
    """How long the loaded process may be silent before it is ended, seconds; see ``Watchdog``."""


class LlamaChild:
    """One child process, from its start to its end.

    It answers on a Unix socket in a private directory, and only to a random key, so that no other
    user of the machine can talk to it and no port is opened.
    """

    def __init__(self, options: LlamaOptions) -> None:
        self._options = options
        self._directory: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._logger: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Of the process; None: it was not started."""
        return self._process.pid if self._process is not None else None

    async def spawn(self) -> None:
        """Start the process. Raises ModelMissingError, EngineUnavailableError."""
        if not self._options.model_path.is_file():
            raise ModelMissingError("chat", self._advice("there is no", "pull"))
        try:
            await asyncio.to_thread(_remove_leftovers)
            self._directory = _private_directory()
            environment = {k: v for k, v in os.environ.items() if not k.startswith("LOBUG_")}
            # Waiting threads sleep: spinning made generation 8 to 11 times slower on busy cores.
            environment["OMP_WAIT_POLICY"] = "passive"
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # the folder of the script must not hide modules of the standard library
                _WORKER,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                # Ctrl+C in the terminal reaches the server alone; the server ends the child.
                start_new_session=True,
                limit=1 << 20,
            )
        except OSError as error:
            raise EngineUnavailableError(
                "chat", f"the embedded model's process cannot be started: {error.strerror}"
            ) from error
        self._logger = asyncio.ensure_future(_log(self._process.stderr))

    async def load(self) -> Endpoint:
        """Send the child its configuration and wait until the model is loaded.

        Raises ModelMissingError, EngineUnavailableError.
        """
        options, process = self._options, self._process
        if (
            process is None
            or process.stdin is None
            or process.stdout is None
            or self._directory is None
        ):
            raise EngineUnavailableError("chat", "the embedded model's process has no pipes")
        endpoint = Endpoint(str(self._directory / _SOCKET), secrets.token_urlsafe(32))
        config = WorkerConfig(
            model_path=str(options.model_path),
            socket_path=endpoint.socket,
            api_key=endpoint.api_key,
            slots=options.slots,
            context_tokens=options.context_tokens,
            threads=options.threads,
            batch_tokens=BATCH_TOKENS,
            niceness=INFERENCE_NICENESS,
            parent_pid=os.getpid(),
        )
        try:
            async with asyncio.timeout(options.start_timeout_s):
                process.stdin.write(config.to_line().encode())
                with contextlib.suppress(ConnectionError):  # it is dead: reading shows that too
                    await process.stdin.drain()
                line = (await process.stdout.readline()).decode(errors="replace").rstrip()
                if not line:
                    code = await process.wait()
        except TimeoutError as error:
            raise EngineUnavailableError(
                "chat", f"the embedded model was not loaded within {options.start_timeout_s:g} s"
            ) from error
        if not line:
            raise EngineUnavailableError(
                "chat",
                f"the embedded model's process {_exit_phrase(code)} while it loaded"
                f" {options.model_path.name}; is there enough free memory?",
            )
        if line.startswith(FAILED):
            log.debug("llama.cpp: %s", line[:_LOGGED_CHARS])
            raise ModelMissingError("chat", self._advice("llama.cpp cannot load", "verify"))
        return endpoint

    async def wait(self) -> str:
        """Wait until the process has ended; return how, as the rest of a sentence."""
        if self._process is None:
            return "was not started"
        return _exit_phrase(await self._process.wait())

    def kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process and remove its directory."""
        if self._process is not None:
            await self._end(self._process)
        if self._logger is not None:
            await self._logger
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """The child leaves when its standard input ends, and is killed if it does not."""
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(2.0):
                await process.wait()
        except TimeoutError:
            self.kill()
            await process.wait()
        except asyncio.CancelledError:
            self.kill()
            raise

    def _advice(self, problem: str, command: str) -> str:
        path = self._options.model_path
        if self._options.own_file:
            return f"{problem} {path}; check LOBUG_CHAT__EMBEDDED_PATH, it has to be a GGUF file"
        return f"{problem} {path}; run `lobug models {command}`"


def _private_directory() -> Path:
    """Make a directory that only this user can enter, with a path short enough for a socket."""
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX))
    if len(os.fsencode(directory / _SOCKET)) <= MAX_SOCKET_PATH:
        return directory
    directory.rmdir()
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp"))


async def _log(stream: asyncio.StreamReader | None) -> None:
    """Pass what llama.cpp prints on to the log, until the child ends."""
    while stream is not None:
        try:
            line = await stream.readline()
        except ValueError:
            continue  # longer than the buffer, and dropped
        if not line:
            return
        log.debug("llama.cpp: %s", line.decode(errors="replace").rstrip()[:_LOGGED_CHARS])


def _remove_leftovers() -> None:
    """Remove folders of children that were killed together with their server.

    Only folders of this user that are an hour old and whose socket has no listener: another server
    may just be starting.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        address = folder / _SOCKET
        try:
            age = time.time() - folder.stat().st_mtime
            if folder.stat().st_uid != os.getuid() or age < _LEFTOVER_AGE_S:
                continue
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(1.0)
                probe.connect(str(address))
        except ConnectionRefusedError:
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def _exit_phrase(code: int) -> str:
    """How a process ended, as the rest of a sentence."""
    if code >= 0:
        return f"ended with code {code}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
