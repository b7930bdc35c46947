"""Supervision of the embedded chat model's process: it is watched, and restarted when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import httpx2

from lobug.concurrency import Backoff, uninterrupted
from lobug.engines.llama_child import Endpoint, LlamaChild, LlamaOptions
from lobug.errors import EngineError, EngineUnavailableError

log = logging.getLogger(__name__)

STEADY_S: Final = 60.0
"""A process that ran this long, seconds, is restarted at once when it ends."""

BUSY_PROBE_S: Final = 2.0
"""Seconds between two probes while a request is under way."""

IDLE_PROBE_S: Final = 10.0
"""Seconds between two probes otherwise. A probe takes a millisecond."""

MISSED_PROBE_S: Final = 0.5
"""Seconds between a probe without an answer and the next."""

HEALTH: Final = "/health"
"""llama.cpp answers it whatever it computes."""

SLOTS: Final = "/slots"
"""llama.cpp answers it between two batches, so not while a computation hangs."""


BACKOFF: Final = Backoff(first_s=0.2, longest_s=60.0)
"""Before a restart."""

MISSES = 3
"""A process hangs after this many probes in a row without an answer."""

HELD_UP_S = 1.0
"""A probe that ended more than this after its time-out, seconds, does not count: this process was
delayed itself, for example because the computer was asleep."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One request that a working process answers at once."""

    began_s: float
    """Seconds, of any monotonic clock."""
    ended_s: float
    answered: bool


class Watchdog:
    """Decides whether a process hangs. Pure.

    It hangs when ``MISSES`` probes in a row, ``timeout_s`` seconds in all, got no answer, and no
    token and no progress report came in between.
    """

    def __init__(self, timeout_s: float) -> None:
        self.probe_timeout_s = timeout_s / MISSES
        """How long each probe waits for its answer, seconds."""
        self._missed: list[Probe] = []

    def note(self, probe: Probe) -> None:
        if probe.answered:
            self._missed.clear()
        elif probe.ended_s - probe.began_s <= self.probe_timeout_s + HELD_UP_S:
            self._missed.append(probe)

    def moved(self) -> None:
        """Record a sign of life other than the answer to a probe."""
        self._missed.clear()

    @property
    def silent_s(self) -> float:
        """Seconds for which probes got no answer; 0: the last one got one."""
        return self._missed[-1].ended_s - self._missed[0].began_s if self._missed else 0.0

    @property
    def hung(self) -> bool:
        """Whether the process must be ended."""
        return len(self._missed) >= MISSES


class LlamaProcess:
    """Supervises one ``LlamaChild`` at a time."""

    def __init__(self, options: LlamaOptions, backoff: Backoff = BACKOFF) -> None:
        self._options = options
        self._backoff = backoff
        self._task: asyncio.Task[None] | None = None
        self._outcome: asyncio.Future[None] | None = None
        self._retry_now = asyncio.Event()
        self.endpoint: Endpoint | None = None
        """Set while the process is ready."""
        self.failure: EngineError | None = None
        """Why the last start failed; None after one that succeeded."""
        self.reason: str | None = "it is not started"
        """Why the process is not ready, as a sentence; None while it is."""
        self.pid: int | None = None
        self.restarts = 0
        self.hangs = 0
        """How many child processes were ended because they did not answer."""
        self.last_end: str | None = None
        """Why the last child process ended, as the rest of a sentence; None: none has."""
        self._watchdog = Watchdog(options.hang_timeout_s)
        self._requests = 0
        self._probe = HEALTH
        self._restart_reason: str | None = None
        self._probe_now = asyncio.Event()

    async def start(self) -> None:
        """Load the model and return when it answers.

        When that fails it keeps trying in the background, so that a repaired file is found without
        a restart of the server. Raises ModelMissingError, EngineUnavailableError.
        """
        if self.endpoint is not None:
            return
        if self._task is None:
            self._outcome = asyncio.get_running_loop().create_future()
            self._task = asyncio.ensure_future(self._supervise())
        self._retry_now.set()
        await self._next_outcome()

    async def wait_ready(self, timeout_s: float) -> Endpoint:
        """Return where the process answers; wait for a restart that is under way.

        Raises EngineUnavailableError, or the error of the last start.
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
        """Seconds for which the process has not answered; 0: the last probe was answered."""
        return self._watchdog.silent_s if self.endpoint is not None else 0.0

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Wrap a request: the process is probed at once, and more often while it is under way."""
        self._requests += 1
        self._probe_now.set()
        try:
            yield
        finally:
            self._requests -= 1

    def moved(self) -> None:
        """Record that a token or a progress report has arrived."""
        self._watchdog.moved()

    def suspect(self) -> None:
        """Record that a request timed out without an answer: the next probe checks whether the
        process still computes, not only whether it answers."""
        self._probe = SLOTS
        self._probe_now.set()

    def restart(self, why: str) -> None:
        """End the process and start a new one. ``why``: the rest of a sentence for the log."""
        self._restart_reason = why
        self._probe_now.set()

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
                async with asyncio.timeout(self._backoff.pause_s(max(1, failures))):
                    await self._retry_now.wait()
            self.restarts += 1

    async def _one_life(self) -> None:
        """Start a child process, watch it, and clean up after it when it has ended.

        Raises EngineError when the model was not loaded.
        """
        child = LlamaChild(self._options)
        watch: asyncio.Task[str] | None = None
        try:
            await child.spawn()
            self.pid = child.pid
            self.endpoint = await child.load()
            self.failure, self.reason = None, None
            self._announce(None)
            self._probe, self._restart_reason = HEALTH, None
            watch = asyncio.ensure_future(self._watch(self.endpoint))
            ended = asyncio.ensure_future(child.wait())
            await asyncio.wait({watch, ended}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                self.last_end = ended.result()
            else:
                self.last_end = watch.result()
                child.kill()
            self.reason = f"it {self.last_end} and is being restarted"
            log.warning("the embedded chat model's process %s", self.last_end)
        finally:
            self.endpoint, self.pid = None, None
            await uninterrupted(_clean_up(child, watch))

    async def _watch(self, endpoint: Endpoint) -> str:
        """Probe the process until it must be ended; return why, as the rest of a sentence."""
        clock = asyncio.get_running_loop().time
        self._watchdog = dog = Watchdog(self._options.hang_timeout_s)
        async with probing_client(endpoint) as client:
            while not dog.hung:
                self._probe_now.clear()
                pause = BUSY_PROBE_S if self._requests else IDLE_PROBE_S
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(MISSED_PROBE_S if dog.silent_s else pause):
                        await self._probe_now.wait()
                if self._restart_reason is not None:
                    return self._restart_reason
                began = clock()
                probe = self._probe
                answered = await _answers(client, probe, dog.probe_timeout_s)
                dog.note(Probe(began, clock(), answered))
                if answered and probe == self._probe:
                    self._probe = HEALTH
        self.hangs += 1
        return f"did not answer for {dog.silent_s:.0f} s"

    def _announce(self, error: EngineError | None) -> None:
        """Give the callers that wait for this start its outcome; later ones wait for the next."""
        outcome, self._outcome = self._outcome, asyncio.get_running_loop().create_future()
        if outcome is None:
            return
        if error is None:
            outcome.set_result(None)
        else:
            outcome.set_exception(error)
            outcome.exception()  # marks it as retrieved: perhaps no caller is waiting


async def _clean_up(child: LlamaChild, watch: asyncio.Task[str] | None) -> None:
    if watch is not None:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
    await child.close()


def probing_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """Return a client for probes, which opens a new connection for each."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.AsyncClient(
        transport=httpx2.AsyncHTTPTransport(uds=endpoint.socket, limits=limits, verify=False),
        base_url="http://llama",
        headers={"Authorization": f"Bearer {endpoint.api_key}"},
        timeout=None,
        trust_env=False,
    )


async def _answers(client: httpx2.AsyncClient, path: str, timeout_s: float) -> bool:
    """Whether the process answers, with any status, within ``timeout_s`` seconds."""
    try:
        async with asyncio.timeout(timeout_s):
            await client.get(path)
    except (httpx2.HTTPError, OSError):  # a TimeoutError is an OSError
        return False
    return True
