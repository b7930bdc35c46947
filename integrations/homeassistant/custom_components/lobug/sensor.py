"""When something was heard last, and how devices are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from homeassistant.components.sensor import (
    RestoreSensor,
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import PERCENTAGE, SIGNAL_STRENGTH_DECIBELS_MILLIWATT, EntityCategory
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .api import Event
from .const import CONF_WORDS
from .coordinator import LobugConfigEntry
from .entity import LobugEntity, follow_devices

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class LobugSensorDescription(SensorEntityDescription):
    """A sensor of a device, and how it is read from the row of the server."""

    value: Callable[[Mapping[str, Any]], float | str | datetime | None]


LAST_HEARD = SensorEntityDescription(
    key="last_heard", translation_key="last_heard", device_class=SensorDeviceClass.TIMESTAMP
)

OF_DEVICES = (
    LobugSensorDescription(
        key="battery",
        translation_key="battery",
        device_class=SensorDeviceClass.BATTERY,
        state_class=SensorStateClass.MEASUREMENT,
        native_unit_of_measurement=PERCENTAGE,
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda row: _number(row, "battery", 0, 100),
    ),
    LobugSensorDescription(
        key="signal_strength",
        translation_key="signal_strength",
        device_class=SensorDeviceClass.SIGNAL_STRENGTH,
        state_class=SensorStateClass.MEASUREMENT,
        native_unit_of_measurement=SIGNAL_STRENGTH_DECIBELS_MILLIWATT,
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda row: _number(row, "signal_dbm", -200, 0),
    ),
    LobugSensorDescription(
        key="signal",
        translation_key="signal",
        device_class=SensorDeviceClass.ENUM,
        options=["strong", "medium", "weak", "none"],
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda row: _one_of(row, "signal", ("strong", "medium", "weak", "none")),
    ),
    LobugSensorDescription(
        key="last_heard",
        translation_key="last_heard",
        device_class=SensorDeviceClass.TIMESTAMP,
        value=lambda row: as_time(row.get("last_heard_at")),
    ),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: LobugConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the sensors of a server and its devices."""
    async_add_entities([LastHeard(entry.runtime_data.coordinator, LAST_HEARD, None)])
    follow_devices(
        entry,
        async_add_entities,
        lambda coordinator, device: (
            DeviceSensor(coordinator, description, device) for description in OF_DEVICES
        ),
    )


class LastHeard(LobugEntity, RestoreSensor):
    """When the server last heard words of the person whose token is used."""

    # Words are for automations, not for the history.
    _unrecorded_attributes = frozenset({"text"})

    async def async_added_to_hass(self) -> None:
        """Follow what is heard. The time is known again after a restart, the words are not."""
        await super().async_added_to_hass()
        stored = await self.async_get_last_sensor_data()
        if stored is not None and isinstance(stored.native_value, datetime):
            self._attr_native_value = stored.native_value
        self.async_on_remove(self.coordinator.async_watch(self._on_event))

    @callback
    def _on_event(self, event: Event) -> None:
        if event.name != "heard" or (at := as_time(event.data.get("at"))) is None:
            return
        self._attr_native_value = at
        self._attr_extra_state_attributes = heard_attributes(
            event, words=self.coordinator.config_entry.options.get(CONF_WORDS, False)
        )
        self.async_write_ha_state()


class DeviceSensor(LobugEntity, SensorEntity):
    """A sensor of a device."""

    entity_description: LobugSensorDescription

    @property
    def native_value(self) -> float | str | datetime | None:
        return self.entity_description.value(self.row)


def heard_attributes(event: Event, *, words: bool) -> dict[str, Any]:
    """What is shown of a ``heard`` event; its words only where the owner wants that."""
    shown = ("user", "device", "door", "outcome", "reason", *(("text",) if words else ()))
    return {key: event.data.get(key) for key in shown}


def as_time(value: object) -> datetime | None:
    """A time of the server's; None: it is none."""
    if not isinstance(value, str):
        return None
    try:
        time = dt_util.parse_datetime(value)
    except ValueError:  # the 45th of a 13th month
        return None
    return None if time is None or time.tzinfo is None else time


def _number(row: Mapping[str, Any], key: str, low: float, high: float) -> float | None:
    value = row.get(key)
    good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    return value if good else None


def _one_of(row: Mapping[str, Any], key: str, options: tuple[str, ...]) -> str | None:
    value = row.get(key)
    return value if value in options else None
