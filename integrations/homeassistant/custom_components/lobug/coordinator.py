"""What is known of a server: fetched once a minute, and at once when the server says so."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from .api import AccessRefused, Event, LobugClient, LobugError, Refused, text_of
from .const import DOMAIN, LOGGER

POLL = timedelta(seconds=60)
"""How often the server is asked. It asks quiet devices how they are at most as often."""
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
"""Pauses before the event stream is opened again, seconds; doubled each time."""
OWNER_ONLY = "owner_only"
"""Code of the server for what only an owner's token may ask."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a server has told."""

    health: Mapping[str, Any]
    owner: bool
    """Whether the token is an owner's; only then are devices known."""
    devices: Mapping[str, Mapping[str, Any]]
    """Rows of ``GET /devices`` by id, without those whose right to talk was revoked."""


class LobugCoordinator(DataUpdateCoordinator[Known]):
    """Keeps what is known of a server, and passes on what it tells by itself."""

    config_entry: ConfigEntry[LobugData]

    def __init__(self, hass: HomeAssistant, entry: LobugConfigEntry, client: LobugClient) -> None:
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=entry.title,
            update_interval=POLL,
            always_update=False,
        )
        self.client = client
        self.listening = False
        """Whether the event stream is open."""
        self._server_id = ""
        """Of the server in the registry of devices."""
        self._watchers: list[Callable[[Event], None]] = []

    async def _async_update_data(self) -> Known:
        try:
            health = await self.client.health()
            owner, rows = True, []
            try:
                rows = await self.client.devices()
            except Refused as error:
                if error.code != OWNER_ONLY:
                    raise
                owner = False
        except AccessRefused as error:
            raise ConfigEntryAuthFailed(str(error)) from error
        except LobugError as error:
            raise UpdateFailed(str(error)) from error
        return Known(
            # The rest changes all the time, and would wake every entity each minute.
            {key: health[key] for key in ("status", "version", "degraded") if key in health},
            owner,
            {row["id"]: row for row in rows if row.get("state") != "revoked"},
        )

    async def async_listen(self) -> None:
        """Follow the server's events until cancelled."""
        pause = FIRST_PAUSE_S
        while True:
            try:
                async for event in self.client.events():
                    pause = FIRST_PAUSE_S
                    self.listening = True
                    self._on_event(event)
            except AccessRefused:
                self.config_entry.async_start_reauth(self.hass)
                return
            except LobugError as error:
                LOGGER.debug("the event stream of %s ended: %s", self.name, error)
            finally:
                self.listening = False
            # Randomised, so that several do not return to a restarted server at once.
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))  # noqa: S311
            pause = min(2 * pause, LONGEST_PAUSE_S)

    @callback
    def async_watch(self, watcher: Callable[[Event], None]) -> CALLBACK_TYPE:
        """Call ``watcher`` with every event from now on; returns what ends that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    @callback
    def _on_event(self, event: Event) -> None:
        match event.name:
            case "hello":
                self._refresh_soon()
            case "changed" if event.data.get("topic") in ("devices", "health"):
                self._refresh_soon()
            case "heard" | "turn":
                for watcher in [*self._watchers]:
                    watcher(event)

    def _refresh_soon(self) -> None:
        self.config_entry.async_create_task(
            self.hass, self.async_request_refresh(), "lobug refresh"
        )

    @property
    def server_key(self) -> str:
        """What identifies the server in the registries of Home Assistant."""
        return self.config_entry.unique_id or self.config_entry.entry_id

    def identifiers(self) -> set[tuple[str, str]]:
        """Identifiers of all devices that the server knows, and of the server."""
        return {
            (DOMAIN, self.server_key),
            *((DOMAIN, f"{self.server_key}-{device}") for device in self.data.devices),
        }

    def device_info(self, device: str | None = None) -> dr.DeviceInfo:
        """How Home Assistant shows a device, or the server (None)."""
        if device is None:
            return dr.DeviceInfo(
                identifiers={(DOMAIN, self.server_key)},
                entry_type=dr.DeviceEntryType.SERVICE,
                name=self.config_entry.title,
                manufacturer="Lo-Bug",
                model="Server",
                sw_version=text_of(self.data.health, "version"),
            )
        row = self.data.devices[device]
        info = dr.DeviceInfo(
            identifiers={(DOMAIN, f"{self.server_key}-{device}")},
            name=text_of(row, "name") or f"Lo-Bug {device}",
            model=text_of(row, "board"),
            sw_version=text_of(row, "firmware"),
            via_device_id=self._server_id,
        )
        if _is_mac(device):
            info["connections"] = {(dr.CONNECTION_NETWORK_MAC, device)}
        return info

    def register_server(self) -> None:
        """Make the server known before its devices, which refer to it."""
        server = dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.config_entry.entry_id, **self.device_info()
        )
        self._server_id = server.id


def _is_mac(text: str) -> bool:
    parts = text.split(":")
    return len(parts) == 6 and all(len(part) == 2 and part.isalnum() for part in parts)


@dataclass(slots=True)
class LobugData:
    """What belongs to a configured server while it is loaded."""

    client: LobugClient
    coordinator: LobugCoordinator
    by_user: dict[str, LobugClient] = field(default_factory=dict)
    """With which token a user of Home Assistant talks; others use ``client``."""
    by_satellite: dict[str, LobugClient] = field(default_factory=dict)
    """With which token is talked from a device of Home Assistant; counts before the user."""

    def talks_as(self, user: str | None, satellite: str | None) -> LobugClient:
        """The client for words of this user from this device."""
        return self.by_satellite.get(satellite or "") or self.by_user.get(user or "") or self.client


type LobugConfigEntry = ConfigEntry[LobugData]
