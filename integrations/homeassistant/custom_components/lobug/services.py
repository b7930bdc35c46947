"""The action ``lobug.announce``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import probatio as vol
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import ATTR_DEVICE_ID
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers import device_registry as dr

from .api import LobugClient, LobugError, Refused
from .const import DOMAIN, MAX_ANNOUNCEMENT_CHARS
from .coordinator import LobugConfigEntry

SERVICE_ANNOUNCE = "announce"

ATTR_CONFIG_ENTRY = "config_entry_id"
ATTR_MESSAGE = "message"
ATTR_PERSON = "person"
ATTR_CHIME = "chime"
ATTR_WAIT = "wait"
ATTR_EXPIRES = "expires"

SCHEMA = vol.Schema(
    {
        vol.Required(ATTR_MESSAGE): vol.All(
            cv.string, vol.Length(min=1, max=MAX_ANNOUNCEMENT_CHARS)
        ),
        vol.Exclusive(ATTR_DEVICE_ID, "audience"): cv.string,
        vol.Exclusive(ATTR_PERSON, "audience"): cv.string,
        vol.Optional(ATTR_CHIME, default=True): cv.boolean,
        vol.Optional(ATTR_WAIT, default=True): cv.boolean,
        vol.Optional(ATTR_EXPIRES): vol.All(
            cv.positive_time_period, vol.Range(min=timedelta(seconds=1), max=timedelta(days=365))
        ),
        vol.Optional(ATTR_CONFIG_ENTRY): cv.string,
    }
)

BY_CODE = {
    "device_unknown": "device_unknown",
    "device_offline": "device_offline",
    "quiet_hours": "quiet_hours",
    "owner_only": "owner_only",
    "too_many_requests": "busy",
    "busy": "busy",
}
"""Translation keys of errors that a person can do something about, by the server's code."""


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    hass.services.async_register(
        DOMAIN,
        SERVICE_ANNOUNCE,
        _async_handle_announce,
        schema=SCHEMA,
        supports_response=SupportsResponse.OPTIONAL,
    )


async def async_announce(client: LobugClient, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say something on devices. Raises HomeAssistantError with a sentence for people."""
    try:
        return await client.announce(request)
    except Refused as error:
        raise HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key=BY_CODE.get(error.code, "refused"),
            translation_placeholders={"code": error.code, "sentence": error.sentence},
        ) from error
    except LobugError as error:
        raise HomeAssistantError(
            translation_domain=DOMAIN, translation_key="unreachable"
        ) from error


async def _async_handle_announce(call: ServiceCall) -> ServiceResponse:
    entry, device = _target(call)
    request: dict[str, Any] = {
        "text": call.data[ATTR_MESSAGE],
        "chime": call.data[ATTR_CHIME],
        "wait": call.data[ATTR_WAIT],
    }
    if device is not None:
        request["device"] = device
    if ATTR_PERSON in call.data:
        request["user"] = call.data[ATTR_PERSON]
    if ATTR_EXPIRES in call.data:
        request["expires_s"] = call.data[ATTR_EXPIRES].total_seconds()
    answer = await async_announce(entry.runtime_data.client, request)
    return {key: answer.get(key) for key in ("status", "said_on", "waits_for")}


def _target(call: ServiceCall) -> tuple[LobugConfigEntry, str | None]:
    """The server that is to say it, and the id of the device (None: not one alone). Raises
    ServiceValidationError."""
    loaded: list[LobugConfigEntry] = [
        entry
        for entry in call.hass.config_entries.async_entries(DOMAIN)
        if entry.state is ConfigEntryState.LOADED
    ]
    if device_id := call.data.get(ATTR_DEVICE_ID):
        device = dr.async_get(call.hass).async_get(device_id)
        for entry in loaded:
            coordinator = entry.runtime_data.coordinator
            for known in coordinator.data.devices:
                if device and (DOMAIN, f"{coordinator.server_key}-{known}") in device.identifiers:
                    return entry, known
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key="device_unknown")
    wanted = call.data.get(ATTR_CONFIG_ENTRY)
    fitting = [entry for entry in loaded if wanted in {None, entry.entry_id}]
    if len(fitting) != 1:
        key = "several_servers" if fitting else "not_loaded"
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key=key)
    return fitting[0], None
