"""How fast Lo-Bug speaks to a person: kept over a restart, and used for what nobody asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lobug.agenda.migrations import STEPS
from lobug.agenda.service import Agenda
from lobug.engines.base import Samples
from lobug.memory.model import ConversationKey
from lobug.settings.skills import SkillSettings
from lobug.storage.sqlite_database import DatabaseOptions, SqliteDatabase
from support.app_server import ScriptedEngines
from support.database_place import place_of
from support.device_client import device
from support.memory_kit import Clock
from support.scripted_speech import ScriptedTextToSpeech
from support.unasked_kit import DESK, House, house

pytestmark = pytest.mark.usefixtures("each_database")

GUEST = "aa:bb:cc:dd:ee:09"


@dataclass
class PacedVoice(ScriptedTextToSpeech):
    """A voice that can speak faster and slower."""

    speeds: list[tuple[str, float]] = field(default_factory=list)
    """Sentences that were spoken at another speed than the voice's own."""

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        self.speeds.append((sentence, speed))
        return await self.synthesize(sentence)


async def announced(here: House, **options: object) -> None:
    answer = await here.client.post("/announce", json={"text": "Dinner is ready.", **options})
    assert answer.json()["status"] == "said", answer.text


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_a_speed_is_kept_over_a_restart_and_used_unasked(tmp_path: Path) -> None:
    wall, voice = Clock(), PacedVoice()
    engines = ScriptedEngines(tts=voice)
    async with house(tmp_path, engines, wall=wall) as here:
        assert await here.say("Speak slower.") == "All right, I speak slower now."
        await here.say("Speak slower.")
    async with house(tmp_path, engines, wall=wall) as here:
        assert voice.speeds == []
        async with here.connect() as client:
            await client.listen()
            await client.speak()
            await client.until_said("tts", state="stop")
            assert voice.speeds == [("Okay.", 0.8)]
            await here.set("timer", "pasta")
            here.pass_s(60)
            await client.until_said("tts", state="sentence_start", text="Your pasta timer is done.")
            assert voice.speeds[1] == ("Your pasta timer is done.", 0.8)
            for alert in await here.alerts():
                await here.server.agenda.alerts.finish([alert.id])
            async with device(str(here.client.base_url), GUEST) as guest:
                voice.speeds.clear()
                voice.spoken.clear()
                await announced(here, all=True)
                await guest.until_said("tts", state="stop")
                assert voice.spoken.count("Dinner is ready.") == 2  # once for each speed
                assert voice.speeds == [("Dinner is ready.", 0.8)]
        assert await here.say("Speak at your normal speed.") == (
            "All right, I speak at my normal speed again."
        )
    async with house(tmp_path, engines, wall=wall) as here:
        key = ConversationKey("ada", f"ada/device:{DESK}")
        assert here.server.agenda.speeds.of(key.user) == 1.0


async def test_an_older_file_is_migrated_and_a_deleted_person_has_no_speed(tmp_path: Path) -> None:
    path = tmp_path / "agenda.db"
    older = SqliteDatabase(DatabaseOptions(path, steps=STEPS[:1]), clock=lambda: 0.0)
    await older.open(lambda _connection: None)
    await older.close()
    agenda = Agenda(SkillSettings(), path, clock=lambda: 0.0, place=place_of(path))
    await agenda.start()
    await agenda.speeds.change("ada", 0.6)
    await agenda.speeds.change("ada", 0.7)
    await agenda.speeds.change("bob", 2.0)
    await agenda.delete_user("ada")
    assert (agenda.speeds.of("ada"), agenda.speeds.of("bob")) == (1.0, 2.0)
    await agenda.close()
    again = Agenda(SkillSettings(), path, clock=lambda: 0.0, place=place_of(path))
    await again.start()
    assert (again.speeds.of("ada"), again.speeds.of("bob")) == (1.0, 2.0)
    await again.close()
