"""Lo-Bug, a voice companion that thinks on a computer of your own."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any

from homeassistant.const import CONF_TOKEN, CONF_URL, Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.typing import ConfigType

from .api import LobugClient, trust_in
from .const import CONF_AUTHORITY, CONF_SATELLITES, CONF_USER, DOMAIN, PERSON
from .coordinator import LobugConfigEntry, LobugCoordinator, LobugData
from .services import async_setup_services

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)

PLATFORMS = [
    Platform.BINARY_SENSOR,
    Platform.CONVERSATION,
    Platform.EVENT,
    Platform.NOTIFY,
    Platform.SENSOR,
]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register the actions, which exist also while no server is reached."""
    async_setup_services(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: LobugConfigEntry) -> bool:
    """Connect to a server."""
    trust = await async_trust(hass, entry.data)
    session = async_get_clientsession(hass)

    def client(token: str) -> LobugClient:
        return LobugClient(session, entry.data[CONF_URL], token, trust)

    coordinator = LobugCoordinator(hass, entry, client(entry.data[CONF_TOKEN]))
    await coordinator.async_config_entry_first_refresh()
    data = LobugData(coordinator.client, coordinator)
    for subentry in entry.subentries.values():
        if subentry.subentry_type == PERSON:
            talks = client(subentry.data[CONF_TOKEN])
            if user := subentry.data.get(CONF_USER):
                data.by_user[user] = talks
            data.by_satellite.update(dict.fromkeys(subentry.data.get(CONF_SATELLITES, ()), talks))
    entry.runtime_data = data
    coordinator.register_server()
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    entry.async_on_unload(entry.add_update_listener(_async_reload))
    entry.async_create_background_task(hass, coordinator.async_listen(), "lobug events")
    return True


async def async_unload_entry(hass: HomeAssistant, entry: LobugConfigEntry) -> bool:
    """Disconnect from a server."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def async_remove_config_entry_device(
    hass: HomeAssistant, entry: LobugConfigEntry, device: dr.DeviceEntry
) -> bool:
    """Whether a person may remove a device: not while the server still knows it."""
    known = entry.runtime_data.coordinator.identifiers()
    return not any(identifier in known for identifier in device.identifiers)


async def _async_reload(hass: HomeAssistant, entry: LobugConfigEntry) -> None:
    await hass.config_entries.async_reload(entry.entry_id)


async def async_trust(hass: HomeAssistant, data: Mapping[str, Any]) -> ssl.SSLContext | bool:
    """Whom a configured server is believed over HTTPS. Raises ConfigEntryNotReady: the stored
    certificate is damaged."""
    if not (authority := data.get(CONF_AUTHORITY)):
        return True
    try:
        return await hass.async_add_executor_job(trust_in, authority)
    except (ssl.SSLError, ValueError) as error:
        raise ConfigEntryNotReady("the stored certificate cannot be read") from error
