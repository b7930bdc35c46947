"""What was said is logged although it could not be told whether it is a command to memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lobug.conversation.command_context import Command
from lobug.conversation.recognition import MemoryCommands
from lobug.errors import StorageError
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.turn.commitment import Commitment, LiveOptions
from lobug.turn.events import Failed, TurnEvent
from lobug.turn.utterance import TranscribedUtterance, TypedUtterance
from support.app_server import ScriptedEngines, running, settings_for

ADA = ConversationKey("ada", "ada/desk")
WORDS = "Forget my address."


class Recognition:
    """Recognition that fails with ``error`` once ``may_fail`` is set."""

    def __init__(self, error: Exception) -> None:
        self.asked = asyncio.Event()
        self.may_fail = asyncio.Event()
        self._error = error

    async def recognise(self, *_: object, **__: object) -> Command | None:
        self.asked.set()
        await self.may_fail.wait()
        raise self._error


@pytest.fixture(params=[StorageError("the disk is full"), LookupError()], ids=["storage", "fault"])
def failing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Recognition:
    recognition = Recognition(request.param)
    monkeypatch.setattr(MemoryCommands, "recognise", recognition.recognise)
    return recognition


async def logged(server: LobugServer) -> list[str]:
    return [message.content for message in await server.memory.recent_messages(ADA, 10)]


async def live(server: LobugServer, commitment: Commitment) -> list[TurnEvent]:
    options = LiveOptions(commitment)
    spoken = TranscribedUtterance(WORDS, "en")
    return [e async for e in server.turns.run(ADA, spoken, voice=True, live=options)]


async def test_typed_words_are_logged(tmp_path: Path, failing: Recognition) -> None:
    failing.may_fail.set()
    async with running(settings_for(tmp_path), ScriptedEngines()) as (_, server):
        turn = server.turns.run(ADA, TypedUtterance(WORDS), voice=False)
        events = [event async for event in turn]
        assert isinstance(events[-1], Failed)
        assert await logged(server) == [WORDS]


async def test_words_of_a_live_turn_that_counts_are_logged_once(
    tmp_path: Path, failing: Recognition
) -> None:
    commitment = Commitment()
    async with running(settings_for(tmp_path), ScriptedEngines()) as (_, server):
        running_turn = asyncio.create_task(live(server, commitment))
        await failing.asked.wait()
        commitment.make()
        failing.may_fail.set()
        assert isinstance((await running_turn)[-1], Failed)
        assert await logged(server) == [WORDS]


async def test_words_of_a_draft_are_not_logged(tmp_path: Path, failing: Recognition) -> None:
    failing.may_fail.set()
    async with running(settings_for(tmp_path), ScriptedEngines()) as (_, server):
        events = await live(server, Commitment())
        assert isinstance(events[-1], Failed)
        assert await logged(server) == []
