"""An event for every utterance that was heard and for every turn that ended."""

from __future__ import annotations

from typing import Any

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api import Event
from .const import CONF_WORDS
from .coordinator import LobugConfigEntry
from .entity import LobugEntity
from .sensor import heard_attributes

PARALLEL_UPDATES = 0

OUTCOMES = ["respond", "react", "ignore", "interrupted", "failed", "cancelled"]
"""How a turn ends, as in ``GET /turns``."""

HEARD = EventEntityDescription(key="heard", translation_key="heard", event_types=OUTCOMES)
TURN = EventEntityDescription(key="turn", translation_key="turn", event_types=OUTCOMES)


async def async_setup_entry(
    hass: HomeAssistant, entry: LobugConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the events of a server. Turns are told to an owner's token alone."""
    coordinator = entry.runtime_data.coordinator
    events = [LobugEvent(coordinator, HEARD, None)]
    if coordinator.data.owner:
        events.append(LobugEvent(coordinator, TURN, None))
    async_add_entities(events)


class LobugEvent(LobugEntity, EventEntity):
    """``heard``: words of the person whose token is used. ``turn``: a turn of anybody, without
    content."""

    # Words are for automations, not for the history.
    _unrecorded_attributes = frozenset({"text"})

    async def async_added_to_hass(self) -> None:
        """Follow what happens."""
        await super().async_added_to_hass()
        self.async_on_remove(self.coordinator.async_watch(self._on_event))

    @callback
    def _on_event(self, event: Event) -> None:
        outcome = event.data.get("outcome")
        if event.name != self.entity_description.key or outcome not in OUTCOMES:
            return
        self._trigger_event(outcome, self._attributes(event))
        self.async_write_ha_state()

    def _attributes(self, event: Event) -> dict[str, Any]:
        if event.name == "heard":
            words = self.coordinator.config_entry.options.get(CONF_WORDS, False)
            return heard_attributes(event, words=words)
        timings = event.data.get("timings")
        seconds = timings.get("done") if isinstance(timings, dict) else None
        shown = {key: event.data.get(key) for key in ("device", "door", "reason", "error")}
        return {**shown, "seconds": seconds}
