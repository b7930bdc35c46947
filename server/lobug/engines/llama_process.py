"""Keeps the embedded chat model's process running: starts, watches, restarts and ends it."""

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2

from lobug.concurrency import uninterrupted
from lobug.engines import llama_worker
from lobug.engines.llama_worker import FAILED, WorkerConfig
from lobug.engines.watchdog import Probe, Watchdog
from lobug.engines.worker_thread import INFERENCE_NICENESS
from lobug.errors import EngineError, EngineUnavailableError, ModelMissingError

log = logging.getLogger(__name__)

MAX_SOCKET_PATH: Final = 100
"""Longest path of a Unix socket, bytes: macOS allows 104, Linux 108."""

BATCH_TOKENS: Final = 32
"""See ``llama_worker``: how long a cancelled prompt still holds the processor."""

STEADY_S: Final = 60.0
"""A process that ran this long had no trouble starting: the next restart is immediate again."""

BUSY_PROBE_S: Final = 2.0
"""Between two probes while a request is under way, seconds."""

IDLE_PROBE_S: Final = 10.0
"""Between two probes while none is, seconds. A probe takes a millisecond."""

MISSED_PROBE_S: Final = 0.5
"""Before the next probe after one without an answer, seconds."""

HEALTH: Final = "/health"
"""Answered by llama.cpp whatever it computes."""

SLOTS: Final = "/slots"
"""Answered by llama.cpp between two batches, so not where its computing hangs."""

_PREFIX: Final = "lobug-"
_SOCKET: Final = "llm.sock"
_LEFTOVER_AGE_S: Final = 3600.0
_LOGGED_CHARS: Final = 300

_WORKER: Final = str(Path(llama_worker.__file__).absolute())


def backoff_s(failures: int) -> float:
    """Seconds before a restart, after that many failures in a row: 0.2, 0.4, ... at most 60."""
    return float(min(0.2 * 2 ** min(failures, 16), 60.0))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one life of the process answers."""

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


class LlamaProcess:
    """Supervises one child process at a time.

    The child answers on a Unix socket in a private directory and only to a random key, so that
    nobody else on the machine can talk to it, and no port is opened at all.
    """

    def __init__(self, options: LlamaOptions, backoff: Callable[[int], float] = backoff_s) -> None:
        self._options = options
        self._backoff = backoff
        self._task: asyncio.Task[None] | None = None
        self._outcome: asyncio.Future[None] | None = None
        self._retry_now = asyncio.Event()
        self._directory: Path | None = None
        self.endpoint: Endpoint | None = None
        """Set while the process is ready."""
        self.failure: EngineError | None = None
        """Why the last start failed; None after one that succeeded."""
        self.reason: str | None = "it is not started"
        """Why the process is not ready, as a sentence; None while it is."""
        self.pid: int | None = None
        self.restarts = 0
        self.hangs = 0
        """How many lives ended because the process did not answer."""
        self.last_end: str | None = None
        """Why the last life ended, as the rest of a sentence; None: none has."""
        self._watchdog = Watchdog(options.hang_timeout_s)
        self._requests = 0
        self._probe = HEALTH
        self._unwanted: str | None = None
        self._look_now = asyncio.Event()

    async def start(self) -> None:
        """Load the model and return when it answers.

        Goes on trying in the background when that fails, so that a file that is put right is found
        without a restart. Raises ModelMissingError, EngineUnavailableError.
        """
        if self.endpoint is not None:
            return
        if self._task is None:
            self._outcome = asyncio.get_running_loop().create_future()
            self._task = asyncio.ensure_future(self._supervise())
        self._retry_now.set()
        await self._next_outcome()

    async def wait_ready(self, timeout_s: float) -> Endpoint:
        """Where the process answers, after waiting for a restart that is under way.

        Raises EngineUnavailableError, or what the last start failed with.
        """
        if self.endpoint is None:
            if self.failure is not None:
                raise self.failure.with_traceback(None)
            try:
                async with asyncio.timeout(timeout_s):
                    await self._next_outcome()
            except TimeoutError:
                pass
        if self.endpoint is None:
            raise EngineUnavailableError("chat", f"the embedded model is not ready: {self.reason}")
        return self.endpoint

    @property
    def silent_s(self) -> float:
        """Seconds for which the process has not answered; 0: it did when it was last asked."""
        return self._watchdog.silent_s if self.endpoint is not None else 0.0

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """While a request is under way the process is looked at at once, and then more often."""
        self._requests += 1
        self._look_now.set()
        try:
            yield
        finally:
            self._requests -= 1

    def moved(self) -> None:
        """Take note that a token or a report of progress has come."""
        self._watchdog.moved()

    def suspect(self) -> None:
        """Take note that a request got nothing for its whole time: the process has to show that it
        still computes, not only that it answers."""
        self._probe = SLOTS
        self._look_now.set()

    def restart(self, why: str) -> None:
        """End the process, to be started anew. ``why``: the rest of a sentence about it."""
        self._unwanted = why
        self._look_now.set()

    async def close(self) -> None:
        """End the process and remove its directory."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self.endpoint, self.failure, self.reason = None, None, "it is closed"

    async def _next_outcome(self) -> None:
        if self._outcome is None:
            raise EngineUnavailableError("chat", "the embedded model is not started")
        await asyncio.shield(self._outcome)

    async def _supervise(self) -> None:
        loop = asyncio.get_running_loop()
        failures = 0
        while True:
            self._retry_now.clear()
            began = loop.time()
            try:
                await self._one_life()
                failures = 0 if loop.time() - began > STEADY_S else failures + 1
            except EngineError as error:
                failures += 1
                log.warning("the embedded chat model does not start: %s", error)
                self.failure, self.reason = error, str(error)
                self._announce(error)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._backoff(max(0, failures - 1))):
                    await self._retry_now.wait()
            self.restarts += 1

    async def _one_life(self) -> None:
        """Start the process and return when it has ended, leaving nothing behind.

        Raises EngineError when the model was not loaded.
        """
        process: asyncio.subprocess.Process | None = None
        listener: asyncio.Task[None] | None = None
        watch: asyncio.Task[str] | None = None
        try:
            process = await self._spawn()
            self.pid = process.pid
            listener = asyncio.ensure_future(_log(process.stderr))
            self.endpoint = await self._wait_loaded(process)
            self.failure, self.reason = None, None
            self._announce(None)
            self._probe, self._unwanted = HEALTH, None
            watch = asyncio.ensure_future(self._watch(self.endpoint))
            ended = asyncio.ensure_future(process.wait())
            await asyncio.wait({watch, ended}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                self.last_end = _ended(ended.result())
            else:
                self.last_end = watch.result()
                _kill(process)
            self.reason = f"it {self.last_end} and is being restarted"
            log.warning("the embedded chat model's process %s", self.last_end)
        finally:
            self.endpoint, self.pid = None, None
            await uninterrupted(self._clean_up(process, listener, watch))

    async def _watch(self, endpoint: Endpoint) -> str:
        """Look at the process until it has to be ended, and return why."""
        clock = asyncio.get_running_loop().time
        self._watchdog = dog = Watchdog(self._options.hang_timeout_s)
        async with probing_client(endpoint) as client:
            while not dog.hung:
                self._look_now.clear()
                pause = BUSY_PROBE_S if self._requests else IDLE_PROBE_S
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(MISSED_PROBE_S if dog.silent_s else pause):
                        await self._look_now.wait()
                if self._unwanted is not None:
                    return self._unwanted
                began = clock()
                probe = self._probe
                answered = await _answers(client, probe, dog.probe_timeout_s)
                dog.note(Probe(began, clock(), answered))
                if answered and probe == self._probe:
                    self._probe = HEALTH
        self.hangs += 1
        return f"did not answer for {dog.silent_s:.0f} s"

    def _announce(self, error: EngineError | None) -> None:
        """Tell who waits how the start went; from now on they wait for the next one."""
        outcome, self._outcome = self._outcome, asyncio.get_running_loop().create_future()
        if outcome is None:
            return
        if error is None:
            outcome.set_result(None)
        else:
            outcome.set_exception(error)
            outcome.exception()  # nobody has to be waiting

    async def _clean_up(
        self,
        process: asyncio.subprocess.Process | None,
        listener: asyncio.Task[None] | None,
        watch: asyncio.Task[str] | None,
    ) -> None:
        if watch is not None:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
        if process is not None:
            await _end(process)
        if listener is not None:
            await listener
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    async def _spawn(self) -> asyncio.subprocess.Process:
        options = self._options
        if not options.model_path.is_file():
            raise ModelMissingError("chat", self._advice("there is no", "pull"))
        try:
            await asyncio.to_thread(_remove_leftovers)
            self._directory = _private_directory()
            environment = {k: v for k, v in os.environ.items() if not k.startswith("LOBUG_")}
            # Waiting threads sleep: spinning made generation 8 to 11 times slower on busy cores.
            environment["OMP_WAIT_POLICY"] = "passive"
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # the folder of the script must not hide modules of the standard library
                _WORKER,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                # Ctrl+C in the terminal is the server's business: the child ends when it is told.
                start_new_session=True,
                limit=1 << 20,
            )
        except OSError as error:
            raise EngineUnavailableError(
                "chat", f"the embedded model's process cannot be started: {error.strerror}"
            ) from error

    async def _wait_loaded(self, process: asyncio.subprocess.Process) -> Endpoint:
        """Hand the child its configuration and wait until it answers. Raises EngineError."""
        options = self._options
        if process.stdin is None or process.stdout is None or self._directory is None:
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
                with contextlib.suppress(ConnectionError):  # it is dead: reading says so as well
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
                f"the embedded model's process {_ended(code)} while it loaded"
                f" {options.model_path.name}; is there enough free memory?",
            )
        if line.startswith(FAILED):
            log.debug("llama.cpp: %s", line[:_LOGGED_CHARS])
            raise ModelMissingError("chat", self._advice("llama.cpp cannot load", "verify"))
        return endpoint

    def _advice(self, what: str, command: str) -> str:
        path = self._options.model_path
        if self._options.own_file:
            return f"{what} {path}; check LOBUG_CHAT__EMBEDDED_PATH, it has to be a GGUF file"
        return f"{what} {path}; run `lobug models {command}`"


def _private_directory() -> Path:
    """A new directory that only this user can enter, short enough for a socket in it."""
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX))
    if len(os.fsencode(directory / _SOCKET)) <= MAX_SOCKET_PATH:
        return directory
    directory.rmdir()
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp"))


def probing_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """A client that asks the process whether it is there, each time on a new connection."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.AsyncClient(
        transport=httpx2.AsyncHTTPTransport(uds=endpoint.socket, limits=limits, verify=False),
        base_url="http://llama",
        headers={"Authorization": f"Bearer {endpoint.api_key}"},
        timeout=None,
        trust_env=False,
    )


async def _answers(client: httpx2.AsyncClient, path: str, timeout_s: float) -> bool:
    """Whether the process answers, anything, within ``timeout_s`` seconds."""
    try:
        async with asyncio.timeout(timeout_s):
            await client.get(path)
    except (httpx2.HTTPError, OSError):  # a TimeoutError is an OSError
        return False
    return True


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

    Only those of this user whose socket nobody listens on, and that are an hour old: another
    server may just be starting.
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


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the child: it leaves when its standard input ends, and is killed if it does not."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(2.0):
            await process.wait()
    except TimeoutError:
        _kill(process)
        await process.wait()
    except asyncio.CancelledError:
        _kill(process)
        raise


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()


def _ended(code: int) -> str:
    """How a process ended, for a sentence."""
    if code >= 0:
        return f"ended with code {code}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
