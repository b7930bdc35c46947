"""What one server does about announcements for devices that are connected to other servers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lobug.access.records import Device
from lobug.agenda.waiting_speech import MOST_WAITING
from lobug.devices.connected_devices import DevicesElsewhere
from lobug.errors import AccessUnavailableError, StorageError, TooManyRequestsError
from lobug.memory.model import ConversationKey
from lobug.storage.people import AllPeople, News
from support.device_client import until
from support.unasked_kit import DESK, KITCHEN, House, house, said

DINNER = "Dinner is ready."
AT_KITCHEN = f"ada/device:{KITCHEN}"


@dataclass
class PeopleOfTwo(AllPeople):
    """All are here, and some devices are at another server."""

    devices: set[str] = field(default_factory=lambda: {KITCHEN})
    away: bool = False
    """Whether the database is."""
    asked_for: list[str | None] = field(default_factory=list)
    """The conversations whose devices were asked for."""

    async def devices_elsewhere(self) -> frozenset[str]:
        if self.away:
            raise StorageError("the database is away")
        return frozenset(self.devices)

    def tell(
        self, news: News, *, person: str | None = None, conversation: str | None = None
    ) -> None:
        if news == "reach":
            self.asked_for.append(conversation)


@asynccontextmanager
async def one_of_two(folder: Path, **sections: Any) -> AsyncIterator[tuple[House, PeopleOfTwo]]:
    """A house whose kitchen is connected to another server, which does nothing."""
    async with house(folder, **sections) as here:
        people = PeopleOfTwo()
        here.server.devices_elsewhere._people = people
        here.server.schedule._acts_for = people
        yield here, people


async def announce(here: House, **body: Any) -> dict[str, Any]:
    answer = await here.client.post("/announce", json={"text": DINNER, **body})
    return dict(answer.json())


async def places(here: House) -> list[tuple[str | None, float | None]]:
    """Where something waits, and for how many more seconds."""
    waiting = await here.server.agenda.waiting.sayable()
    now = here.wall()
    return [(one.conversation, one.expires_at and one.expires_at - now) for one in waiting]


async def test_a_copy_for_another_device_waits_for_as_long_as_it_is_news(tmp_path: Path) -> None:
    async with one_of_two(tmp_path) as (here, people), here.connect() as desk:
        told = await announce(here, user="ada")
        assert told == {"status": "said", "said_on": [DESK], "waits_for": ["ada"]}
        assert await places(here) == [(AT_KITCHEN, 120.0)]
        await until(lambda: AT_KITCHEN in people.asked_for)
        await announce(here, user="ada", expires_s=5)
        assert [expires_s for _, expires_s in await places(here)] == [120.0, 5.0]
        assert said(desk) == [DINNER, DINNER]
        here.pass_s(121)
        assert await here.say("Hello.") == "Okay."


async def test_whom_nobody_reaches_here_hears_it_later_if_the_other_device_goes(
    tmp_path: Path,
) -> None:
    async with one_of_two(tmp_path) as (here, people):
        people.devices.add("phone")
        told = await announce(here, user="ada")
        assert told == {"status": "waits", "said_on": [], "waits_for": ["ada"]}
        assert await places(here) == [(AT_KITCHEN, None), ("ada/device:phone", 120.0)]
        here.pass_s(121)
        people.devices.clear()
        async with here.connect() as desk:
            await desk.until_said("tts", state="stop")
            assert said(desk) == [DINNER]


async def test_what_may_not_wait_is_news_for_the_other_device_and_refused_without(
    tmp_path: Path,
) -> None:
    async with one_of_two(tmp_path) as (here, people):
        told = await announce(here, device=KITCHEN, wait=False)
        assert told == {"status": "waits", "said_on": [], "waits_for": ["ada"]}
        assert await places(here) == [(AT_KITCHEN, 120.0)]
        people.devices.clear()
        refused = await announce(here, user="ada", wait=False)
        assert refused["error"]["code"] == "device_offline"


async def test_in_quiet_hours_nothing_is_passed_on(tmp_path: Path) -> None:
    async with one_of_two(tmp_path, skills={"quiet_hours": "00:00-23:59"}) as (here, _):
        refused = await announce(here, user="ada", wait=False)
        assert refused["error"]["code"] == "quiet_hours"
        assert await places(here) == []
        assert (await announce(here, user="ada"))["status"] == "waits"
        assert await places(here) == [(None, None)]


async def test_what_was_heard_is_said_though_it_could_not_be_passed_on(tmp_path: Path) -> None:
    async with one_of_two(tmp_path) as (here, people):
        people.away = True
        refused = await announce(here, all=True)
        assert refused["error"]["code"] == StorageError.code
        async with here.connect() as desk:
            assert (await announce(here, all=True))["status"] == "said"
            assert said(desk) == [DINNER]
            people.away = False
            for _ in range(MOST_WAITING):
                await here.server.agenda.waiting.announce("ada", "News.", {AT_KITCHEN: None})
            assert (await announce(here, user="ada"))["status"] == "said"
        refused = await announce(here, user="ada")
        assert refused["error"]["code"] == TooManyRequestsError.code


async def test_nobody_goes_to_another_server_for_an_announcement_while_an_alarm_rings(
    tmp_path: Path,
) -> None:
    """There it would ring on elsewhere in the house, if at all."""
    async with one_of_two(tmp_path) as (here, people), here.connect() as desk:
        await here.set("timer", "pasta", in_s=0.0)
        await desk.until_said("tts", state="start")
        await here.server.agenda.waiting.announce("ada", DINNER, {AT_KITCHEN: None})
        await desk.until_said("tts", count=2, state="start")
        assert people.asked_for == []
        await desk.say(type="abort")
        await until(lambda: AT_KITCHEN in people.asked_for)
        assert DINNER not in said(desk)


class NobodyHere:
    """The devices of a server that has one, ``desk``."""

    def sessions(self, _user: str | None = None) -> list[Any]:
        return [type("Session", (), {"device": "desk"})()]


@dataclass
class Approved:
    devices: Callable[[], list[Device]]

    def all(self) -> list[Device]:
        return self.devices()


async def test_whose_devices_are_elsewhere_is_known_from_approvals_and_settings() -> None:
    bobs = Device("bath", "", "", "bob", None, 0.0)
    people = PeopleOfTwo({"bath", "hall", "loft", "desk"})
    users = {"device:hall": "ada", "device:bath": "ada"}

    async def found(devices: Callable[[], list[Device]]) -> dict[str, ConversationKey]:
        elsewhere = DevicesElsewhere(people, NobodyHere(), Approved(devices), lambda: users)
        return await elsewhere.conversations()

    assert await found(lambda: [bobs]) == {
        "bath": ConversationKey("bob", "bob/device:bath"),
        "hall": ConversationKey("ada", "ada/device:hall"),
        "loft": ConversationKey("device:loft", "device:loft/device:loft"),
    }

    def unknown() -> list[Device]:
        raise AccessUnavailableError("it cannot be read")

    assert await found(unknown) == {}
