"""Announcements as notify entities: one for everybody, one for each device."""

from __future__ import annotations

from homeassistant.components.notify import NotifyEntity, NotifyEntityDescription
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import LobugConfigEntry
from .entity import LobugEntity, follow_devices
from .services import async_announce

PARALLEL_UPDATES = 0

ANNOUNCE = NotifyEntityDescription(key="announce", translation_key="announce")


async def async_setup_entry(
    hass: HomeAssistant, entry: LobugConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the notify entities of a server and its devices."""
    async_add_entities([LobugNotify(entry.runtime_data.coordinator, ANNOUNCE, None)])
    follow_devices(
        entry,
        async_add_entities,
        lambda coordinator, device: (LobugNotify(coordinator, ANNOUNCE, device),),
    )


class LobugNotify(LobugEntity, NotifyEntity):
    """Says a message on a device, or on those of everybody to whom the token may talk."""

    async def async_send_message(self, message: str, title: str | None = None) -> None:
        """Say a message. It waits where it cannot be said now."""
        where = {} if self.device is None else {"device": self.device}
        await async_announce(self.coordinator.client, {"text": message, **where})
