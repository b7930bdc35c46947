"""A Lo-Bug whose alerts fall due when a test says so: real doors, a wall clock that stands still,
and pauses between rings that pass ten times as fast."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from lobug.agenda.alerts import Alert, AlertKind, NewAlert
from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.settings.live import LiveSettings
from support.app_server import ScriptedEngines, client_of, settings_for
from support.device_client import DeviceClient, device
from support.memory_kit import Clock

FASTER = 10.0
DESK, KITCHEN = "aa:bb:cc:dd:ee:01", "aa:bb:cc:dd:ee:02"
USERS = {f"device:{DESK}": "ada", f"device:{KITCHEN}": "ada", "device:phone": "ada"}


@dataclass
class House:
    """A running Lo-Bug with the devices of one person, Ada."""

    client: httpx.AsyncClient
    server: LobugServer
    wall: Clock
    ahead: Clock
    """What the clock of rings is ahead, seconds."""
    live: LiveSettings

    async def set(
        self, kind: AlertKind, label: str, in_s: float = 60.0, place: str = DESK
    ) -> Alert:
        """Set an alert of Ada's on a device."""
        new = NewAlert(
            "ada", f"ada/device:{place}", kind, label, self.wall() + in_s, "UTC", span_s=in_s
        )
        return (await self.server.agenda.alerts.add([new]))[0]

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        self.wall.advance(seconds)
        self.server.schedule.wake()

    def skip_s(self, seconds: float) -> None:
        """Let time pass for what rings: its limits and its pauses."""
        self.ahead.advance(seconds)
        self.server.schedule.wake()

    def connect(self, place: str = DESK) -> AbstractAsyncContextManager[DeviceClient]:
        """A device of Ada's that has said hello."""
        return device(str(self.client.base_url), place)

    async def say(self, text: str, place: str = "phone") -> str:
        """Type something as Ada; return the reply."""
        answer = await self.client.post(
            "/chat/text", json={"text": text}, headers={"Device-Id": place}
        )
        assert answer.status_code == 200, answer.text
        return str(answer.json()["response"])

    async def alerts(self) -> list[Alert]:
        """Ada's alerts that are not over."""
        return await self.server.agenda.alerts.of_user("ada")

    async def logged(self, place: str) -> list[str]:
        """What was said in a conversation of Ada's."""
        key = ConversationKey("ada", f"ada/device:{place}")
        return [m.content for m in await self.server.memory.recent_messages(key, 50)]


@asynccontextmanager
async def house(
    folder: Path,
    scripted: ScriptedEngines | None = None,
    *,
    wall: Clock | None = None,
    **sections: object,
) -> AsyncIterator[House]:
    """Run a Lo-Bug; with the same folder and clock it is the same one after a restart."""
    clock, ahead = wall or Clock(), Clock(0.0)
    engines = scripted or ScriptedEngines()

    async def assemble(settings: Settings) -> LobugServer:
        made = with_memory(settings, engines.engines())
        return LobugServer(
            settings,
            made.engines,
            made.memory,
            made.priority,
            clock=lambda: FASTER * time.monotonic() + ahead(),
            wall=clock,
            sleep=lambda seconds: asyncio.sleep(seconds / FASTER),
        )

    settings = settings_for(
        folder,
        conversation={"users": USERS},
        memory={"idle_delay_s": 3_600.0},
        **sections,
    )
    app = create_app(settings, assembler=assemble)
    async with client_of(app) as client:
        yield House(client, app.state.lobug, clock, ahead, app.state.live_settings)


def said(client: DeviceClient) -> list[str]:
    """The sentences that a device was sent."""
    return [m["text"] for m in client.messages("tts") if "text" in m]


async def until_over(house: House) -> None:
    """Let the limits of all that rings pass, and return once it is over."""
    house.skip_s(60.0)
    while await house.alerts():  # noqa: ASYNC110 - nobody tells of it
        await asyncio.sleep(0.02)
