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

    def collect(self) -> Iterator[Metric]:
        """All gauges; none before there is a state."""
        state = self.state
        if state is None:
            return
        yield InfoMetricFamily(
            "lobug_build", "Version of the server.", value={"version": state.version}
        )
        yield GaugeMetricFamily(
            "lobug_can_talk", "1 when it can hold a conversation.", value=state.can_talk
        )
        yield GaugeMetricFamily("lobug_turns_running", "Turns under way.", value=state.turns)
        yield from _engines(state.engines)
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
    for job, status in engines.items():
        ready.add_metric([job, status.name, status.model], status.ready)
        degraded.add_metric([job, status.name, status.model], status.degraded)
    yield ready
    yield degraded
