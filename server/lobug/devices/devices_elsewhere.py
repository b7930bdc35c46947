"""Whose the devices are that are connected to other servers of the house."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from lobug.access.callers import device_key
from lobug.access.records import Device
from lobug.conversation.registry import conversation_of
from lobug.devices.unasked_speech import Sessions
from lobug.errors import AccessUnavailableError
from lobug.memory.model import ConversationKey
from lobug.storage.people import People


class ApprovedDevices(Protocol):
    """The devices that the owner has approved (``access.devices.Devices``)."""

    def all(self) -> list[Device]:
        """All of them. Raises AccessUnavailableError."""


class DevicesElsewhere:
    """The devices that are connected to other servers; none where there is only one."""

    def __init__(
        self,
        people: People,
        here: Sessions,
        approved: ApprovedDevices,
        users: Callable[[], Mapping[str, str]],
    ) -> None:
        """``here``: the devices of this server; ``users``: names of users by callers' keys, from
        the settings."""
        self._people = people
        self._here = here
        self._approved = approved
        self._users = users

    async def conversations(self) -> dict[str, ConversationKey]:
        """Their conversations, by their ids; empty while nobody knows whose devices are. Raises
        StorageError."""
        elsewhere = await self._people.devices_elsewhere()
        # One that has just come here may be noted as another server's for a moment yet.
        away = elsewhere.difference(session.device for session in self._here.sessions())
        if not away:
            return {}
        try:
            user_of = {device.device_id: device.user for device in self._approved.all()}
        except AccessUnavailableError:
            return {}
        users = self._users()
        return {
            device: conversation_of(device_key(device), users, user=user_of.get(device))
            for device in sorted(away)
        }
