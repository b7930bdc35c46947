"""What a server does when people come from other servers and go to them, and with what these tell
it, where several servers answer at once (``storage.people``)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass

from lobug.access.service import Access
from lobug.agenda.schedule import Schedule
from lobug.conversation.registry import Conversations
from lobug.devices.connected_devices import ConnectedDevices
from lobug.errors import StorageError
from lobug.live.hub import Hub
from lobug.memory.service import Memory
from lobug.storage.people import News, People
from lobug.webhooks.service import Webhooks

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PeopleSharing:
    """``begin`` once. Does nothing where there is only one server."""

    people: People
    memory: Memory
    conversations: Conversations
    schedule: Schedule
    connections: ConnectedDevices
    access: Access
    webhooks: Webhooks
    hub: Hub
    forget_talk: Callable[[str], None]
    """Drops what models and the house hold of a user's talk."""
    look_soon: Callable[[], None]
    """Lets everything that is kept be looked at again, soon."""
    in_background: Callable[[Coroutine[None, None, None]], object]

    def begin(self) -> None:
        """Follow the people of this server from now on."""
        if self.people.server is None:
            return
        publish = self.memory.changed

        def changed(user: str | None) -> None:
            publish(user)
            self.people.tell("memory", person=user)

        self.memory.changed = changed
        self.people.follow(
            arrived=self._arrived,
            stop_work=self._stop_work,
            left=self.schedule.person_left,
            told=self._told,
        )

    def presence_changed(self, device_id: str, connected: bool) -> None:  # noqa: FBT001 - a callback
        """A device has connected to this server, or gone."""
        self.webhooks.device(device_id, connected)
        self.people.note_device(device_id, connected=connected)

    def device_came_again(self, device_id: str) -> None:
        """A device has connected anew before it was noticed that its older connection is dead:
        meanwhile it may have been at another server."""
        self.people.note_device(device_id, connected=True)

    def device_arrived(self, user: str) -> None:
        """A device of a user can be talked to: what rings or waits for them is said there."""
        self.schedule.wake()
        if self.people.server is not None:
            self.in_background(self._receive(user, wanted=False))

    def _arrived(self, user: str) -> None:
        self.conversations.forget(user)
        self.memory.claims.drop(user)
        self.forget_talk(user)
        self.in_background(_quietly(self.memory.resume_user(user)))
        self.schedule.wake()  # what rang where they were has fallen silent there

    def _stop_work(self, user: str) -> None:
        self.conversations.withdraw_drafts(user)
        self.memory.stop_work(user)

    def _told(self, news: News, person: str | None, conversation: str | None) -> None:
        match news:
            case "memory":
                self.hub.publish("memory", person)
            case "devices":
                self.hub.publish("devices")
            case "device":
                self.schedule.wake()  # what rings or waits here may be heard there
            case "work":
                self.memory.wake_by_another_server()
            case "agenda":
                self.look_soon()
            case "access":
                self.in_background(_quietly(self.access.refresh()))
            case "webhooks":
                self.webhooks.look_again()
            case "erased":
                self.memory.drop_words(person)
                self.in_background(_quietly(self.webhooks.erase(person)))
            case "reach" if person is not None and self._has_device(person, conversation):
                self.in_background(self._receive(person, wanted=True))
            case "left":
                self.hub.publish("devices")
                self.in_background(self._take_over())
            case "gap":
                self.hub.publish("devices")
                self.memory.drop_words(None)
                self.access.look_again()
                self.look_soon()

    def _has_device(self, user: str, conversation: str | None) -> bool:
        """Whether a device of a user can be talked to here: that of a conversation; None: any."""
        sessions = self.connections.sessions(user)
        return any(conversation in {None, one.conversation_key.conversation} for one in sessions)

    async def _receive(self, user: str, *, wanted: bool) -> None:
        """Act for a user from now on, because a device of theirs is here. ``wanted``: also where
        another server does now."""
        try:
            if wanted:
                async with self.people.hold(user):
                    pass
            elif not await self.people.has(user):
                self.people.tell("device", person=user)
        except StorageError as error:
            log.debug("a person could not be taken over: %s", error)
        self.schedule.wake()

    async def _take_over(self) -> None:
        """Go on with what a server that has stopped had under way."""
        await _quietly(self.memory.take_over())
        self.schedule.wake()
        self.webhooks.look_again()


async def _quietly(work: Awaitable[None]) -> None:
    """Do what another server asks for; if the database is away it is made up for later."""
    try:
        await work
    except StorageError as error:
        log.debug("what another server has told could not be followed: %s", error)
