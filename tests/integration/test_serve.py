"""`lobug serve` and the simulator against the real application with scripted engines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from lobug.app import create_app
from lobug.cli.http_server import open_socket
from lobug.cli.serve import announcement, run_app
from lobug.errors import StorageCorruptError
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.recordings import from_file, from_voice
from lobug.simulator.requests import parse_server
from lobug.simulator.results import Result
from lobug.simulator.runs import RunOptions, run_http
from support.app_server import ScriptedEngines, running, settings_for
from support.recording_server import tone_wav
from support.scripted_speech import ScriptedTextToSpeech

TESTS = Path(__file__).parents[1]

SERVE_SCRIPTED = """
import gc
import sys
from pathlib import Path
from rich.console import Console
from lobug.app import create_app
from lobug.cli.http_server import collections_paused, open_socket
from lobug.cli.serve import run_app
from support.app_server import ScriptedEngines, scripted_assembler, settings_for

settings = settings_for(Path(sys.argv[1]))
app = create_app(settings, assembler=scripted_assembler(ScriptedEngines()))
with collections_paused():
    run_app(app, settings, open_socket("127.0.0.1", 0), Console(soft_wrap=True))
    print("collects:", gc.isenabled(), gc.get_freeze_count())
"""


async def test_the_application_keeps_the_contract_that_the_simulator_checks(
    tmp_path: Path,
) -> None:
    clip = tmp_path / "clip.wav"
    loud = bytearray(tone_wav(1.0))
    loud[44:] = (np.sin(np.arange(16_000) / 10) * 20_000).astype("<i2").tobytes()
    clip.write_bytes(bytes(loud))
    results: list[Result] = []
    async with running(settings_for(tmp_path), ScriptedEngines()) as (client, _server):
        address = parse_server(str(client.base_url))
        summary = await run_http(
            lambda report: SimulatedDevice(address, on_result=report),
            [await from_file(clip), "Typed words."],
            RunOptions(expect_speech=True, expect_voice=True, replies_dir=tmp_path / "replies"),
            results.append,
        )
    assert [result.problems for result in results] == [()] * 4
    assert summary.ok
    assert summary.turns[0].saved is not None
    assert summary.turns[0].saved.is_file()


async def test_the_voice_as_microphone_gives_16_khz_with_silence_around() -> None:
    voice = ScriptedTextToSpeech()
    (recording,) = await from_voice(["Hello there. How are you?"], voice)
    assert recording.name == "Hello there. How are you?"
    assert recording.wav[24:28] == (16_000).to_bytes(4, "little")
    assert recording.seconds == pytest.approx((len(recording.wav) - 44) / 2 / 16_000)
    samples = np.frombuffer(recording.wav[44:], "<i2")
    assert np.abs(samples[:4_000]).max() < 50, "a quarter of a second of silence first"
    assert np.abs(samples).max() > 50


async def test_the_announcement_says_where_what_and_what_to_try(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (_client, server):
        alone = plain(announcement(server, "http://127.0.0.1:9000", "127.0.0.1"))
        default = plain(announcement(server, "http://127.0.0.1:8321", "0.0.0.0"))
    assert "Lo-Bug listens at http://127.0.0.1:9000" in alone
    assert "Only this computer can reach it" in alone
    assert "lobug chat --server http://127.0.0.1:9000" in alone
    assert "curl http://127.0.0.1:9000/chat/text" in alone
    assert "lobug simulate --say" in alone
    for job in ("chat", "embeddings", "stt", "gate", "tts", "memory"):
        assert f"\n  {job}" in alone
    assert "/xiaozhi/ota/ (as their OTA URL)" in default
    assert "lobug devices approve CODE" in default
    assert "Only this computer" not in default
    assert "--server" not in default


def plain(lines: list[str]) -> str:
    return Text.from_markup("\n".join(lines)).plain


def test_what_keeps_the_application_from_starting_is_raised_and_not_logged(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def broken(_settings: Settings) -> LobugServer:
        raise StorageCorruptError("the database is not a database")

    settings = settings_for(tmp_path)
    with (
        open_socket("127.0.0.1", 0) as listener,
        pytest.raises(StorageCorruptError, match="not a database"),
    ):
        run_app(create_app(settings, assembler=broken), settings, listener, Console())
    assert "Traceback" not in "".join(capfd.readouterr())


def test_serving_announcing_answering_and_ending_with_ctrl_c(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    with subprocess.Popen(
        [sys.executable, "-c", SERVE_SCRIPTED, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=tmp_path,
    ) as serving:
        try:
            assert serving.stdout is not None
            lines = iter(serving.stdout.readline, "")
            url = next(line for line in lines if "listens at" in line).split()[-1]
            next(line for line in lines if "Ctrl-C" in line)
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "lobug",
                    "simulate",
                    "--json",
                    "--text",
                    "Hi",
                    "--server",
                    url,
                ],
                capture_output=True,
                text=True,
                cwd=tmp_path,
                env=environment,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert json.loads(done.stdout.splitlines()[-1])["turns"] == 1
            serving.send_signal(signal.SIGINT)
            assert serving.wait(60) == 0
            assert serving.stdout is not None
            _, collects, left_out = serving.stdout.read().splitlines()[-1].split()
            assert (collects, int(left_out) > 100_000) == ("True", True)
            assert serving.stderr is not None
            assert "Traceback" not in serving.stderr.read()
        finally:
            serving.kill()
