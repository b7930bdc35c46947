"""Whether devices are connected and charging, and whether the server is well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import LobugConfigEntry
from .entity import LobugEntity, follow_devices

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class LobugBinarySensorDescription(BinarySensorEntityDescription):
    """A sensor, and how it is read from a row of the server."""

    value: Callable[[Mapping[str, Any]], bool | None]


PROBLEM = LobugBinarySensorDescription(
    key="problem",
    translation_key="problem",
    device_class=BinarySensorDeviceClass.PROBLEM,
    entity_category=EntityCategory.DIAGNOSTIC,
    value=lambda health: health.get("status") != "ok",
)

OF_DEVICES = (
    LobugBinarySensorDescription(
        key="online",
        translation_key="online",
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda row: _bool(row, "connected"),
    ),
    LobugBinarySensorDescription(
        key="charging",
        translation_key="charging",
        device_class=BinarySensorDeviceClass.BATTERY_CHARGING,
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda row: _bool(row, "charging"),
    ),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: LobugConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the sensors of a server and its devices."""
    async_add_entities([LobugBinarySensor(entry.runtime_data.coordinator, PROBLEM, None)])
    follow_devices(
        entry,
        async_add_entities,
        lambda coordinator, device: (
            LobugBinarySensor(coordinator, description, device) for description in OF_DEVICES
        ),
    )


class LobugBinarySensor(LobugEntity, BinarySensorEntity):
    """One of the sensors."""

    entity_description: LobugBinarySensorDescription

    @property
    def is_on(self) -> bool | None:
        row = self.coordinator.data.health if self.device is None else self.row
        return self.entity_description.value(row)

    @property
    def extra_state_attributes(self) -> Mapping[str, Any] | None:
        if self.device is None and (why := self.coordinator.data.health.get("degraded")):
            return {"reasons": why}
        return None


def _bool(row: Mapping[str, Any], key: str) -> bool | None:
    value = row.get(key)
    return value if isinstance(value, bool) else None
