"""An installation without sqlite-vec: a typed error and a sentence at every door, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lobug
from lobug.access.service import FILE as ACCESS_FILE
from lobug.diagnosis import storage
from lobug.diagnosis.findings import Level
from lobug.errors import StorageDriverError
from lobug.settings import Settings
from lobug.storage import driver

SERVER = """
import asyncio, json, sys
from pathlib import Path
from support.app_server import ScriptedEngines, running, settings_for

async def main():
    async with running(settings_for(Path(sys.argv[1])), ScriptedEngines()) as (client, _):
        health = await client.get("/health")
        answer = await client.post("/chat/text", json={"text": "Hello"})
        print(json.dumps([health.json(), answer.status_code, answer.json()]))

asyncio.run(main())
"""
SENTENCE = "Reinstall it: `pip install sqlite-vec`."


@pytest.fixture
def without(tmp_path: Path) -> dict[str, str]:
    """An environment in whose processes sqlite-vec cannot be imported, and a memory to look at."""
    package = tmp_path / "broken" / "sqlite_vec"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('there is no sqlite_vec')")
    data = tmp_path / "data"
    data.mkdir()
    for name in ("lobug_memory.db", ACCESS_FILE):
        (data / name).touch()
    places = [package.parent, Path(lobug.__file__).parents[1], Path(__file__).parents[1]]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LOBUG_")}
    return kept | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "LOBUG_DATA_DIR": str(data),
        "COLUMNS": "200",
    }


def run(
    environment: dict[str, str], folder: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "command", [["memory", "list"], ["memory", "export"], ["devices", "list"], ["tokens", "list"]]
)
def test_a_command_ends_in_a_sentence(
    without: dict[str, str], tmp_path: Path, command: list[str]
) -> None:
    done = run(without, tmp_path, "-m", "lobug", *command)
    assert done.returncode == 1
    assert SENTENCE in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_server_starts_and_its_health_says_why(without: dict[str, str], tmp_path: Path) -> None:
    done = run(without, tmp_path, "-c", SERVER, str(tmp_path))
    assert done.returncode == 0, done.stderr
    health, status, answer = json.loads(done.stdout)
    assert health["status"] == "degraded"
    assert any(SENTENCE in line for line in health["degraded"])
    assert (status, answer["error"]["code"]) == (503, "storage_driver")
    assert answer["response"] == (
        "My memory is not working right now. Please ask my owner to check it."
    )
    assert "Traceback" not in done.stderr


def test_the_check_and_the_driver_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)  # an import of it fails
    with pytest.raises(StorageDriverError, match="pip install sqlite-vec"):
        driver.connect(":memory:", timeout_s=1.0)
    assert storage.check_driver().level is Level.FAIL
    settings = Settings(_env_file=None, data_dir=tmp_path)
    settings.database_path.touch()
    finding = storage.check_database(settings)
    assert (finding.level, finding.advice) == (Level.FAIL, "Repair what `sqlite` says above.")
