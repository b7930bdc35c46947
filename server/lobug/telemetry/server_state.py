"""The server's last known state as gauges: engines, memory, turns under way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from lobug.engines.base import EngineStatus
from lobug.memory.base import MemoryStats

MEMORY_HELP: Mapping[str, str] = {
    "messages": "Rows of the conversation log.",
    "facts": "Facts that can be recalled.",
    "summaries": "Summaries of conversations.",
    "users": "Users with anything remembered.",
    "pending_tasks": "Background work that is still to be done.",
    "parked_tasks": "Background work that failed too often.",
    "embedding_backlog": "Facts that wait for their vector.",
}
"""What each field of ``MemoryStats`` says, as a metric."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """What is known of the server at one moment."""

    version: str
    can_talk: bool
    turns: int
    """Turns under way."""
    engines: Mapping[str, EngineStatus]
    """By job."""
    memory: MemoryStats


class StateCollector(Collector):
    """Gives the state that it was last shown. It asks nobody: encoding runs in another thread."""

    def __init__(self) -> None:
        self.state: ServerState | None = None

    def describe(self) -> list[Metric]:
        """Their names, so that the registry refuses a second metric of the same name."""
        return [metric for _, metric in _families()]

    def collect(self) -> Iterator[Metric]:
        """All gauges; none before there is a state."""
        state = self.state
        if state is None:
            return
        families = dict(_families())
        info = families["build"]
        info.add_metric([], {"version": state.version})
        families["can_talk"].add_metric([], state.can_talk)
        families["turns"].add_metric([], state.turns)
        for job, engine in state.engines.items():
            labels = [job, engine.name, engine.model]
            families["ready"].add_metric(labels, engine.ready)
            families["degraded"].add_metric(labels, engine.degraded)
        for field in fields(state.memory):
            families[field.name].add_metric([], getattr(state.memory, field.name))
        yield from families.values()


def _families() -> Iterator[tuple[str, InfoMetricFamily | GaugeMetricFamily]]:
    """Empty families, each by a short name."""
    engine = ("job", "engine", "model")
    yield "build", InfoMetricFamily("lobug_build", "Version of the server.")
    yield "can_talk", GaugeMetricFamily("lobug_can_talk", "1 when it can hold a conversation.")
    yield "turns", GaugeMetricFamily("lobug_turns_running", "Turns under way.")
    yield (
        "ready",
        GaugeMetricFamily("lobug_engine_ready", "1 when an engine can be used.", labels=engine),
    )
    yield (
        "degraded",
        GaugeMetricFamily(
            "lobug_engine_degraded", "1 when it works less well than it should.", labels=engine
        ),
    )
    for name, text in MEMORY_HELP.items():
        yield name, GaugeMetricFamily(f"lobug_memory_{name}", text)
