"""What all entities share, and how entities of devices come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from homeassistant.core import callback
from homeassistant.helpers.entity import Entity, EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .coordinator import LobugConfigEntry, LobugCoordinator


class LobugEntity(CoordinatorEntity[LobugCoordinator]):
    """An entity of the server (``device`` is None) or of one of its devices."""

    _attr_has_entity_name = True

    def __init__(
        self, coordinator: LobugCoordinator, description: EntityDescription, device: str | None
    ) -> None:
        super().__init__(coordinator)
        self.entity_description = description
        self.device = device
        owner = coordinator.server_key if device is None else f"{coordinator.server_key}-{device}"
        self._attr_unique_id = f"{owner}-{description.key}"
        self._attr_device_info = coordinator.device_info(device)

    @property
    def row(self) -> Mapping[str, Any]:
        """What the server tells of the device; empty when it knows it no longer."""
        return self.coordinator.data.devices.get(self.device or "", {})

    @property
    def available(self) -> bool:
        return super().available and (self.device is None or bool(self.row))


def follow_devices(
    entry: LobugConfigEntry,
    add: AddConfigEntryEntitiesCallback,
    make: Callable[[LobugCoordinator, str], Iterable[Entity]],
) -> None:
    """Add the entities of all devices that the server knows, and of those that come later."""
    coordinator = entry.runtime_data.coordinator
    known: set[str] = set()

    @callback
    def look() -> None:
        current = set(coordinator.data.devices)
        new = current - known
        known.intersection_update(current)  # a device that returns is added again
        known.update(new)
        add([entity for device in sorted(new) for entity in make(coordinator, device)])

    look()
    entry.async_on_unload(coordinator.async_add_listener(look))
