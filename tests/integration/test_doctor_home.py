"""What `lobug doctor` says of Home Assistant."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lobug.cli.doctor.home import check_home
from lobug.diagnosis.findings import Finding, Level
from support.app_server import settings_for
from support.home_assistant import TOKEN, ScriptedHome, self_signed


async def found(folder: Path, **home: object) -> Finding:
    return await asyncio.to_thread(check_home, settings_for(folder, home=home))


async def test_it_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    assert (await found(tmp_path)).level is Level.OK
    async with ScriptedHome() as home:
        home.room("Snug")
        good = await found(tmp_path, url=home.url, token=TOKEN)
        assert good.level is Level.OK
        assert good.message.endswith("names known: 1")
        refused = await found(tmp_path, url=home.url, token="wrong")
        assert refused.level is Level.FAIL
        assert "long-lived access token" in refused.advice
        assert "wrong" not in refused.message
    down = await found(tmp_path, url=home.url, token=TOKEN)
    assert "Start Home Assistant" in down.advice
    async with ScriptedHome(self_signed(tmp_path, "localhost")) as home:
        untrusted = await found(tmp_path, url=home.url, token=TOKEN)
        assert "the fingerprint seen now is " in untrusted.advice
