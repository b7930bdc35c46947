"""The figures of ``/metrics``: counters and histograms of turns, gauges of the server's state.

Each server has its own registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from lobug.engines.base import SERVERS, WAITING, EngineStatus
from lobug.language.en.claimed_deeds import ClaimKind
from lobug.memory.model import MemoryStats
from lobug.turn.timeline import STAGES, Outcome, Timeline

MEMORY_HELP: Mapping[str, str] = {
    "messages": "Rows of the conversation log.",
    "facts": "Facts that can be recalled.",
    "summaries": "Summaries of conversations.",
    "users": "Users with anything remembered.",
    "pending_tasks": "Background work that is still to be done.",
    "parked_tasks": "Background work that failed too often.",
    "embedding_backlog": "Facts that wait for their vector.",
    "claims_unread": "Facts of an older version whose claims are still to be read.",
    "counted": "1: all was counted since the start; until then the others are too low.",
}
"""Help text of the metric for each field of ``MemoryStats``."""


@dataclass(frozen=True, slots=True)
class DeviceProgress:
    """What has happened to a device between two of its reports."""

    started: str | None
    """Why it has started in between, a word of a closed list; None: it has not."""
    gaps: int
    late_s: float
    dropped_s: float
    unsent_s: float
    reconnects: int
    losses: Mapping[int, int]
    """Times that it lost its Wi-Fi, by ESP-IDF's reason numbers."""


@dataclass(frozen=True, slots=True)
class DeviceFigures:
    """The worst of the latest reports of all devices; None: no report tells."""

    reporting: int = 0
    """Devices whose report is not old."""
    least_memory: int | None = None
    """Bytes."""
    smallest_block: int | None = None
    """Bytes."""
    least_stack: int | None = None
    """Bytes."""
    weakest_dbm: int | None = None


_DEVICE_FIGURES: Mapping[str, tuple[str, str]] = {
    "least_memory": (
        "lobug_device_least_memory_bytes",
        "The least internal memory that was ever free, of the device that had least.",
    ),
    "smallest_block": (
        "lobug_device_smallest_block_bytes",
        "The largest free block of internal memory, of the device where it is smallest.",
    ),
    "least_stack": (
        "lobug_device_least_stack_bytes",
        "The least that was ever free of a task's stack, of the task that had least.",
    ),
    "weakest_dbm": (
        "lobug_device_weakest_signal_dbm",
        "Wi-Fi signal of the device where it is weakest.",
    ),
}
"""Metric and help text for each field of ``DeviceFigures`` that may be missing."""

WIFI_LOSSES: Mapping[int, str] = {
    2: "authentication",
    4: "inactivity",
    8: "left",
    15: "handshake",
    200: "beacon_timeout",
    201: "not_found",
    202: "authentication",
    203: "association",
    204: "handshake",
    205: "connection",
}
"""Words for the reasons of ESP-IDF that are common; all others are `other`."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """The state of the server at one moment."""

    version: str
    can_talk: bool
    turns: int
    """Turns under way."""
    engines: Mapping[str, EngineStatus]
    """By job."""
    memory: MemoryStats
    devices: DeviceFigures = DeviceFigures()
    webhooks_waiting: int = 0
    """Webhooks that the receiver has not taken yet."""
    stands_by: bool = False
    """Whether another server has the database, and this one stands ready."""


class StateCollector(Collector):
    """Exposes the last ``state`` that was set. It reads nothing else, because encoding runs in
    another thread."""

    def __init__(self) -> None:
        self.state: ServerState | None = None

    def collect(self) -> Iterator[Metric]:
        """Yield all gauges; none before ``state`` is set."""
        state = self.state
        if state is None:
            return
        yield InfoMetricFamily(
            "lobug_build", "Version of the server.", value={"version": state.version}
        )
        yield GaugeMetricFamily(
            "lobug_can_talk", "1 when it can hold a conversation.", value=state.can_talk
        )
        yield GaugeMetricFamily(
            "lobug_stands_by",
            "1 while another server has the database and this one stands ready.",
            value=state.stands_by,
        )
        yield GaugeMetricFamily("lobug_turns_running", "Turns under way.", value=state.turns)
        yield from _engines(state.engines)
        yield from _devices(state.devices)
        yield GaugeMetricFamily(
            "lobug_webhooks_waiting",
            "Webhooks that the receiver has not taken yet.",
            value=state.webhooks_waiting,
        )
        for field in fields(state.memory):
            yield GaugeMetricFamily(
                f"lobug_memory_{field.name}",
                MEMORY_HELP[field.name],
                value=getattr(state.memory, field.name),
            )


def _engines(engines: Mapping[str, EngineStatus]) -> Iterator[Metric]:
    labels = ("job", "engine", "model")
    ready = GaugeMetricFamily("lobug_engine_ready", "1 when an engine can be used.", labels=labels)
    degraded = GaugeMetricFamily(
        "lobug_engine_degraded", "1 when it works less well than it should.", labels=labels
    )
    servers = GaugeMetricFamily(
        "lobug_engine_server_ready",
        "1 when one of an engine's several servers can be used.",
        labels=("job", "server"),
    )
    under_way = GaugeMetricFamily(
        "lobug_engine_server_requests",
        "Requests that one of an engine's several servers works on.",
        labels=("job", "server"),
    )
    waiting = GaugeMetricFamily(
        "lobug_engine_waiting",
        "Requests that wait for one of an engine's several servers.",
        labels=("job",),
    )
    for job, status in engines.items():
        ready.add_metric([job, status.name, status.model], status.ready)
        degraded.add_metric([job, status.name, status.model], status.degraded)
        for one in status.details.get(SERVERS, ()):
            servers.add_metric([job, one["server"]], one["ready"])
            under_way.add_metric([job, one["server"]], one["under_way"])
        if WAITING in status.details:
            waiting.add_metric([job], status.details[WAITING])
    yield ready
    yield degraded
    yield servers
    yield under_way
    yield waiting


def _devices(figures: DeviceFigures) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "lobug_devices_reporting",
        "Devices that have reported their condition within the last hour.",
        value=figures.reporting,
    )
    for field, (name, text) in _DEVICE_FIGURES.items():
        value = getattr(figures, field)
        if value is not None:
            yield GaugeMetricFamily(name, text, value=value)


STAGE_BUCKETS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10)
"""Seconds, from Lo-Bug's own share of a turn to an engine that is far too slow."""

LAG_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
"""Seconds. A lag above 0.02 is audible when 20 devices talk."""

ANSWERED = frozenset({Outcome.RESPOND, Outcome.REACT, Outcome.IGNORE, Outcome.INTERRUPTED})
"""Outcomes of turns whose stage times count: turns refused at once would make the others look
fast."""


class Metrics:
    """Counters, gauges and histograms. None carries content or names a person."""

    def __init__(self, longest_lag: Callable[[], float]) -> None:
        """``longest_lag`` returns the event loop's longest lag of the last minute, seconds."""
        self.registry = CollectorRegistry()
        self._turns = Counter(
            "lobug_turns", "Turns that have ended.", ["door", "outcome"], registry=self.registry
        )
        self._errors = Counter(
            "lobug_turn_errors",
            "Turns in which something failed, by stable error code.",
            ["code"],
            registry=self.registry,
        )
        self._stages = Histogram(
            "lobug_turn_stage_seconds",
            "From the end of speech, or a request's arrival, to the end of a stage, seconds."
            " Failed and cancelled turns are left out.",
            ["door", "stage"],
            buckets=STAGE_BUCKETS,
            registry=self.registry,
        )
        self._speculations = Counter(
            "lobug_speculations_started",
            "Replies that were prepared at a pause.",
            registry=self.registry,
        )
        self._discarded = Counter(
            "lobug_speculations_discarded",
            "Prepared replies that were thrown away.",
            registry=self.registry,
        )
        self._wasted = Counter(
            "lobug_speculation_wasted_seconds",
            "Time that thrown-away replies had taken, seconds.",
            registry=self.registry,
        )
        self._replaced = Counter(
            "lobug_replies_replaced",
            "Replies of the chat model that claimed what was not done (`deed`), held a"
            " `placeholder` or a `canned_refusal`, said the user's words as its own (`echo`) or did"
            " not know what they had just told (`ignorance`), and were mended.",
            ["kind"],
            registry=self.registry,
        )
        for kind in get_args(ClaimKind):
            self._replaced.labels(kind)  # 0 is shown before the first one
        self._connected = Gauge(
            "lobug_devices_connected",
            "Devices with an open streaming connection.",
            registry=self.registry,
        )
        self._talking = Gauge(
            "lobug_devices_talking",
            "Devices that are heard or answered now.",
            registry=self.registry,
        )
        self._frames = Counter(
            "lobug_audio_frames",
            "Audio frames of the streaming door; in: from devices, out: to them.",
            ["direction"],
            registry=self.registry,
        )
        self._lag = Histogram(
            "lobug_event_loop_lag_seconds",
            "How much later than planned the event loop continues, seconds.",
            buckets=LAG_BUCKETS,
            registry=self.registry,
        )
        Gauge(
            "lobug_event_loop_lag_max_seconds",
            "The longest such lag of the last minute, seconds.",
            registry=self.registry,
        ).set_function(longest_lag)
        self._erasures = Counter(
            "lobug_memory_erasures",
            "Erasures of memory, by what asked for them.",
            ["cause"],
            registry=self.registry,
        )
        self._starts = Counter(
            "lobug_device_starts",
            "Starts that devices have reported, by what had made them start.",
            ["reason"],
            registry=self.registry,
        )
        self._gaps = Counter(
            "lobug_device_audio_gaps",
            "Replies that ran dry in their middle on a device, each time.",
            registry=self.registry,
        )
        self._device_sound = Counter(
            "lobug_device_audio_seconds",
            "Sound that was `late` for its reply on a device, that was `dropped` there because it"
            " found no room, or that a device could not send in time (`unsent`), seconds.",
            ["what"],
            registry=self.registry,
        )
        self._reconnects = Counter(
            "lobug_device_wifi_reconnects",
            "Times that the Wi-Fi of devices came back.",
            registry=self.registry,
        )
        self._losses = Counter(
            "lobug_device_wifi_losses",
            "Times that devices lost their Wi-Fi or could not join it.",
            ["reason"],
            registry=self.registry,
        )
        self._webhooks = Counter(
            "lobug_webhooks",
            "Webhooks that were `delivered`, `refused` by the receiver, `expired` because it did"
            " not answer, or `dropped` because too many were waiting.",
            ["outcome"],
            registry=self.registry,
        )
        for outcome in ("delivered", "refused", "expired", "dropped"):
            self._webhooks.labels(outcome)  # 0 is shown before the first one
        self._wyoming_connections = Gauge(
            "lobug_wyoming_connections",
            "Wyoming connections that are open.",
            registry=self.registry,
        )
        self._wyoming_refused = Counter(
            "lobug_wyoming_refused",
            "Wyoming connections that were refused: from a `network` that is not allowed, or one"
            " too many (`too_many`).",
            ["reason"],
            registry=self.registry,
        )
        self._wyoming_requests = Counter(
            "lobug_wyoming_requests",
            "Requests of Wyoming clients, by service (stt, tts, handle) and outcome: `ok`,"
            " `cancelled`, or the code of an error.",
            ["service", "outcome"],
            registry=self.registry,
        )
        for reason in ("network", "too_many"):  # 0 is shown before the first one
            self._wyoming_refused.labels(reason)
        for service in ("stt", "tts", "handle"):
            self._wyoming_requests.labels(service, "ok")
        self.frames_in = self._frames.labels("in")
        self.frames_out = self._frames.labels("out")

    def turn_finished(self, timeline: Timeline) -> None:
        """Count a turn that has ended."""
        outcome = timeline.outcome or Outcome.CANCELLED
        self._turns.labels(timeline.door, outcome.value).inc()
        if timeline.error is not None:
            self._errors.labels(timeline.error).inc()
        counts = timeline.counts
        self._speculations.inc(counts.speculations_started)
        self._discarded.inc(counts.speculations_discarded)
        self._wasted.inc(counts.wasted_s)
        if counts.replaced:
            self._replaced.labels(counts.replaced).inc()
        for stage in timeline.timings():
            self.stage_ended(timeline, stage)

    def stage_ended(self, timeline: Timeline, stage: str) -> None:
        """Count one stage of a turn that has ended; ignores unknown stages."""
        if timeline.outcome not in ANSWERED or stage not in STAGES:
            return
        # Work done before the end of speech has a negative time, but nobody waited for it, and a
        # histogram's sum must not fall.
        self._stages.labels(timeline.door, stage).observe(max(0.0, timeline.timings()[stage]))

    def memory_erased(self, cause: str) -> None:
        """Count an erasure of memory."""
        self._erasures.labels(cause).inc()

    def webhooks_ended(self, outcome: str, count: int) -> None:
        """Count webhooks that wait no longer."""
        self._webhooks.labels(outcome).inc(count)

    def device_reported(self, progress: DeviceProgress) -> None:
        """Count what has happened to a device since its report before."""
        if progress.started is not None:
            self._starts.labels(progress.started).inc()
        self._gaps.inc(progress.gaps)
        self._device_sound.labels("late").inc(progress.late_s)
        self._device_sound.labels("dropped").inc(progress.dropped_s)
        self._device_sound.labels("unsent").inc(progress.unsent_s)
        self._reconnects.inc(progress.reconnects)
        for reason, times in progress.losses.items():
            self._losses.labels(WIFI_LOSSES.get(reason, "other")).inc(times)

    def wyoming_request(self, service: str, outcome: str) -> None:
        """Count a request of a Wyoming client that has ended."""
        self._wyoming_requests.labels(service, outcome).inc()

    def wyoming_refused(self, reason: str) -> None:
        """Count a Wyoming connection that was refused."""
        self._wyoming_refused.labels(reason).inc()

    @contextmanager
    def wyoming_connection(self) -> Iterator[None]:
        """Count a Wyoming connection while the context is open."""
        with self._wyoming_connections.track_inprogress():
            yield

    def loop_lag(self, lag_s: float) -> None:
        """Count one measurement of the event loop's lag, seconds."""
        self._lag.observe(lag_s)

    @contextmanager
    def connected_device(self) -> Iterator[None]:
        """Count a device as connected while the context is open."""
        with self._connected.track_inprogress():
            yield

    @contextmanager
    def talking_device(self) -> Iterator[None]:
        """Count a device as talking while the context is open."""
        with self._talking.track_inprogress():
            yield
