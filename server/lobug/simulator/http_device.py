"""The device itself: it sends the firmware's requests over real sockets, some periodically."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Self

import httpx

from lobug.simulator import contract, requests
from lobug.simulator.contract import CheckedReply
from lobug.simulator.recordings import Recording
from lobug.simulator.requests import SensorModel, ServerAddress, Timeouts, WireRequest
from lobug.simulator.results import (
    HealthResult,
    Result,
    SensorResult,
    TurnResult,
)


class Job(StrEnum):
    """A periodic request of the device."""

    HEALTH = "health"
    SENSORS = "sensors"


@dataclass(slots=True)
class Schedule:
    """Periodic jobs. Times are seconds of any clock that only goes forward."""

    periods_s: Mapping[Job, float]
    started: float
    """The first run of every job is one period after this."""
    _next: dict[Job, float] = field(init=False)

    def __post_init__(self) -> None:
        self._next = {job: self.started + period for job, period in self.periods_s.items()}

    def due(self, now: float) -> list[Job]:
        """The jobs that are due; each is then moved on by whole periods.

        A device that was held up does a missed job once, not once for every missed period.
        """
        jobs = [job for job, at in self._next.items() if at <= now]
        for job in jobs:
            missed = int((now - self._next[job]) // self.periods_s[job])
            self._next[job] += (missed + 1) * self.periods_s[job]
        return jobs

    def wait_s(self, now: float) -> float:
        return max(0.0, min(self._next.values()) - now)


HEALTH_RETRY_S = 0.25
"""Pause between two attempts while the device waits for the server to come up."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back."""

    seconds: float
    first_byte_s: float | None = None
    status: int | None = None
    headers: httpx.Headers | None = None
    body: bytes = b""
    failure: str | None = None
    """Why there is no answer."""


class SimulatedDevice:
    """A Core2 in software.

    An async context manager. From ``switch_on`` on it sends sensor reports and health checks
    periodically, beside the turns. Their results go to ``on_result``, those of turns to the caller.
    A failure is a result with problems, never an exception.
    """

    def __init__(
        self,
        server: ServerAddress,
        *,
        device_id: str | None = None,
        sensors: SensorModel | None = None,
        timeouts: Timeouts | None = None,
        health_period_s: float = requests.HEALTH_PERIOD_S,
        sensor_period_s: float = requests.SENSOR_PERIOD_S,
        on_result: Callable[[Result], None] = lambda _result: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._device_id = device_id
        self._sensors = sensors or SensorModel()
        self._timeouts = timeouts or Timeouts()
        self._periods = {Job.HEALTH: health_period_s, Job.SENSORS: sensor_period_s}
        self._on_result = on_result
        self._clock = clock
        self._turns = 0
        self._readings = 0
        self._periodic: asyncio.Task[None] | None = None
        self._http = httpx.AsyncClient(
            # The firmware opens a connection for each request and follows no redirect. It knows
            # nothing of a proxy in this computer's environment.
            limits=httpx.Limits(max_keepalive_connections=0),
            timeout=None,  # noqa: S113 - each exchange has its own, over all of it
            follow_redirects=False,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Stop the periodic requests and close the connections."""
        if self._periodic is not None:
            self._periodic.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._periodic
        await self._http.aclose()

    def switch_on(self) -> None:
        """Start the periodic requests; the first of each is sent one period from now."""
        if self._periodic is None:
            self._periodic = asyncio.create_task(self._send_periodically(), name="simulated device")

    async def wait_until_healthy(self, seconds: float) -> HealthResult:
        """Check health until it is good or ``seconds`` have passed; reports the last check."""
        give_up = self._clock() + seconds
        while True:
            result = await self._health()
            if not result.problems or self._clock() + HEALTH_RETRY_S > give_up:
                self._on_result(result)
                return result
            await asyncio.sleep(HEALTH_RETRY_S)

    async def check_health(self) -> HealthResult:
        """``GET /health``."""
        result = await self._health()
        self._on_result(result)
        return result

    async def send_sensors(self) -> SensorResult:
        """``POST /context/sensors`` with the next reading."""
        reading = self._sensors.reading(self._readings).payload()
        self._readings += 1
        request = requests.sensors_request(self._server, reading, self._device_id)
        exchange = await self._exchange(request, self._timeouts.sensors_s)
        problems = _checked(exchange, _as_reply(contract.check_sensors)).problems
        result = SensorResult(exchange.seconds, reading, problems)
        self._on_result(result)
        return result

    async def speak(self, recording: Recording) -> TurnResult:
        """``POST /chat/audio``: one turn."""
        request = requests.audio_request(self._server, recording.wav, self._device_id)
        exchange = await self._exchange(request, self._timeouts.turn_s)
        reply = _checked(exchange, contract.check_audio)
        return self._turn(recording.name, exchange, reply, recording.seconds)

    async def type(self, text: str) -> TurnResult:
        """``POST /chat/text``: one turn without a microphone, for developers."""
        request = requests.text_request(self._server, text, self._device_id)
        exchange = await self._exchange(request, self._timeouts.turn_s)
        return self._turn(text, exchange, _checked(exchange, contract.check_text), None)

    def _turn(
        self, said: str, exchange: Exchange, reply: CheckedReply, recording_s: float | None
    ) -> TurnResult:
        self._turns += 1
        return TurnResult(
            index=self._turns,
            said=said,
            spoken=recording_s is not None,
            recording_s=recording_s or 0.0,
            seconds=exchange.seconds,
            first_byte_s=exchange.first_byte_s,
            status=exchange.status,
            transcription=reply.transcription,
            response=reply.response,
            action=reply.action,
            wav=reply.wav,
            wav_info=reply.wav_info,
            error_code=reply.error_code,
            problems=reply.problems,
        )

    async def _health(self) -> HealthResult:
        request = requests.health_request(self._server, self._device_id)
        exchange = await self._exchange(request, self._timeouts.health_s)
        problems = _checked(exchange, _as_reply(contract.check_health)).problems
        degraded = () if problems else contract.read_degraded(exchange.body)
        return HealthResult(exchange.seconds, problems, degraded)

    async def _send_periodically(self) -> None:
        schedule = Schedule(self._periods, started=self._clock())
        jobs = {Job.HEALTH: self.check_health, Job.SENSORS: self.send_sensors}
        while True:
            await asyncio.sleep(schedule.wait_s(self._clock()))
            for job in schedule.due(self._clock()):
                await jobs[job]()

    async def _exchange(self, request: WireRequest, timeout_s: float) -> Exchange:
        """Send a request and read the whole answer, within ``timeout_s`` seconds."""
        started = self._clock()
        first_byte_s: float | None = None

        def failed(reason: str) -> Exchange:
            return Exchange(self._clock() - started, first_byte_s, failure=reason)

        try:
            async with asyncio.timeout(timeout_s):
                # Built by hand, so that none of httpx's own headers join the firmware's.
                message = httpx.Request(
                    request.method,
                    self._server.url + request.path,
                    headers=list(request.headers),
                    content=request.body,
                )
                response = await self._http.send(message, stream=True)
                first_byte_s = self._clock() - started
                try:
                    body = b"".join([chunk async for chunk in response.aiter_raw()])
                finally:
                    await response.aclose()
        except TimeoutError:
            return failed(f"no whole answer within {timeout_s:g} s")
        except httpx.ConnectError:
            return failed(f"cannot connect to {self._server.url}")
        except httpx.HTTPError as error:
            reason = str(error).rstrip(".") or type(error).__name__
            return failed(f"the connection broke: {reason}")
        return Exchange(
            seconds=self._clock() - started,
            first_byte_s=first_byte_s,
            status=response.status_code,
            headers=response.headers,
            body=body,
        )


def _as_reply(check: Callable[[bytes], list[str]]) -> Callable[[bytes], CheckedReply]:
    return lambda body: CheckedReply(problems=tuple(check(body)))


def _checked(exchange: Exchange, check: Callable[[bytes], CheckedReply]) -> CheckedReply:
    """The reply with its problems: no answer, an unreadable one, or wrong content."""
    if exchange.failure is not None or exchange.status is None:
        return CheckedReply(problems=(exchange.failure or "no answer",))
    headers = {name.lower(): value for name, value in (exchange.headers or {}).items()}
    transport = contract.check_transport(exchange.status, headers, exchange.body)
    if transport:
        code, _ = contract.read_error(exchange.body)
        return CheckedReply(problems=tuple(transport), error_code=code)
    return check(exchange.body)
