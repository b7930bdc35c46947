"""What the parts of a server tell the hub."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Set
from functools import partial

from lobug.access.service import Access
from lobug.agenda.alerts import Alert
from lobug.agenda.schedule import Schedule
from lobug.agenda.service import Agenda
from lobug.live.heard import HeardLog
from lobug.live.hub import Hub, Rings, Topic, TurnEnded
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.telemetry.telemetry import Telemetry
from lobug.turn.timeline import Timeline, TurnObserver

HEALTH_EVERY_S = 2.0
"""Seconds between two looks at the server's state of health."""


class ObservedTurns:
    """Passes what turns tell on to telemetry, to the utterances, to the hub and to webhooks
    (``TurnObserver``)."""

    def __init__(
        self, telemetry: Telemetry, heard: HeardLog, hub: Hub, webhooks: TurnObserver
    ) -> None:
        self._telemetry = telemetry
        self._heard = heard
        self._hub = hub
        self._webhooks = webhooks

    def heard(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """Keep the words until the turn is over."""
        self._heard.heard(timeline, conversation_key, text)
        self._webhooks.heard(timeline, conversation_key, text)

    def replied(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """Keep the reply until the turn is over."""
        self._webhooks.replied(timeline, conversation_key, text)

    def finished(self, timeline: Timeline) -> None:
        """Record a turn that has ended, and tell of it."""
        self._hub.notify(TurnEnded(self._telemetry.finished(timeline)))
        self._heard.finished(timeline)
        self._webhooks.finished(timeline)


def watch(hub: Hub, access: Access, agenda: Agenda, memory: Memory, schedule: Schedule) -> None:
    """Let the parts of a server tell the hub of their changes."""

    def changed(topic: Topic, users: Set[str]) -> None:
        for user in users:
            hub.publish(topic, user)

    def alerts_changed(users: Set[str]) -> None:
        schedule.wake()
        changed("alerts", users)

    def elsewhere() -> None:
        for topic in ("alerts", "lists", "notes"):
            hub.publish(topic)

    def rings(user: str, alert: Alert | None) -> None:
        hub.notify(Rings(user, alert))

    agenda.alerts.changed = alerts_changed
    agenda.lists.changed = partial(changed, "lists")
    agenda.notes.changed = partial(changed, "notes")
    agenda.changed_elsewhere = elsewhere
    schedule.rings = rings
    memory.changed = partial(hub.publish, "memory")
    access.changed = hub.publish


async def watch_health(
    hub: Hub,
    state: Callable[[], object],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Tell of each change of the state of health, until cancelled. ``state`` does no I/O."""
    before = state()
    while True:
        await sleep(HEALTH_EVERY_S)
        now = state()
        if now != before:
            before = now
            hub.publish("health")
