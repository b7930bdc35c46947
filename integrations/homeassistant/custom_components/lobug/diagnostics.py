"""What a person may attach to a report: no secrets, no words, no names, no addresses."""

from __future__ import annotations

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant

from .const import CONF_AUTHORITY, CONF_SATELLITES, CONF_USER, PERSON
from .coordinator import LobugConfigEntry

HIDDEN = {
    CONF_TOKEN,
    CONF_URL,
    CONF_AUTHORITY,
    CONF_USER,
    CONF_SATELLITES,
    "address",
    "id",
    "name",
    "title",
    "unique_id",
}


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: LobugConfigEntry
) -> dict[str, Any]:
    """Tell how a server is set up, and what is known of it."""
    coordinator = entry.runtime_data.coordinator
    known = coordinator.data
    return {
        "entry": async_redact_data({"data": {**entry.data}, "options": {**entry.options}}, HIDDEN),
        "encrypted": str(entry.data[CONF_URL]).startswith("https://"),
        "own_authority": bool(entry.data.get(CONF_AUTHORITY)),
        "persons": sum(one.subentry_type == PERSON for one in entry.subentries.values()),
        "listening": coordinator.listening,
        "last_update_success": coordinator.last_update_success,
        "owner": known.owner,
        "status": known.health.get("status"),
        "version": known.health.get("version"),
        "faults": len(known.health.get("degraded") or ()),  # sentences, which may name addresses
        "devices": [async_redact_data({**row}, HIDDEN) for row in known.devices.values()],
    }
