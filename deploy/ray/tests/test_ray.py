"""A real Ray on this computer, real models, recorded speech. One start for all of it; the tests run
in the order of this file, because the later ones need the second replica, and the last one stops
it."""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import pytest
import yaml
from pydantic import ValidationError
from ray._common.usage import usage_lib
from ray.serve import Application
from ray.serve._private.api import call_user_app_builder_with_args_if_necessary
from ray.serve.schema import ServeDeploySchema

from lobug.engines.selection import choose_stt, choose_tts
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import HibariVoice
from lobug.errors import EngineUnavailableError
from lobug.settings import Settings
from lobug_ray.__main__ import CONFIG, NO_REPORTS
from support.speech import Clip, prompt, word_errors

FOLDER = Path(__file__).parents[1]
KEY = secrets.token_urlsafe()
PATIENCE_S = 240.0
QUEUED = 2
CLIP = "vm-enter-num-to-call"
SENTENCE = "The kettle in the kitchen is boiling."


class House:
    """Ray and what runs in it."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes], port: int) -> None:
        self.folder = folder
        self.process = process
        self.url = f"http://127.0.0.1:{port}/v1"

    def family(self) -> list[psutil.Process]:
        """All processes that were started for it."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def replicas(self, name: str) -> set[int]:
        """The processes of a deployment's replicas."""
        found = set()
        for process in self.family():
            try:
                title = " ".join(process.cmdline())
            except psutil.Error:
                continue
            if title.startswith(f"ray::ServeReplica:lobug-speech:{name}"):
                found.add(process.pid)
        return found

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        """A caller with the key."""
        async with httpx.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {KEY}"},
            timeout=PATIENCE_S,
            limits=httpx.Limits(max_connections=64),
        ) as client:
            yield client

    def settings(self) -> Settings:
        """Of a Lo-Bug that hears and speaks here, with nothing in reserve."""
        there: dict[str, Any] = {
            "engine": "openai",
            "openai_base_url": self.url,
            "openai_api_key": KEY,
            "fallback": False,
            "answer_timeout_s": PATIENCE_S,
        }
        return Settings(_env_file=None, stt=there, tts=there)


def titles(pid: int) -> list[str]:
    """What the processes below one call themselves."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            found.append(" ".join(process.cmdline()))
    return found


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    # Short, because Ray puts sockets into it.
    folder = Path(tempfile.mkdtemp(prefix="lb", dir="/tmp"))
    port = free_port()
    document = yaml.safe_load((FOLDER / "serve.yaml").read_text())
    document["http_options"]["port"] = port
    args = document["applications"][0]["args"]
    args["hearing"] |= {"max_queued": QUEUED, "cpus": 0.5, "upscale_after_s": 1}
    args["voice"] |= {"cpus": 0.25}
    args["door"]["needs_key"] = True
    (folder / "serve.yaml").write_text(yaml.safe_dump(document))
    environment = {
        **os.environ,
        "LOBUG_RAY_KEY": KEY,
        "RAY_TMPDIR": str(folder),
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "lobug_ray", str(folder / "serve.yaml")],
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    house = House(folder, process, port)
    try:
        wait_for(lambda: b"Ready at" in (folder / "out").read_bytes(), process, folder / "out")
        yield house
    finally:
        family = house.family() if process.poll() is None else []
        process.kill()
        for one in family:
            with suppress(psutil.Error):
                one.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(done: Callable[[], bool], process: subprocess.Popen[bytes], out: Path) -> None:
    """Wait until ``done``, or fail with what the process printed."""
    until = time.monotonic() + PATIENCE_S
    while not done():
        assert process.poll() is None, out.read_text()
        assert time.monotonic() < until, out.read_text()
        time.sleep(0.2)


async def become(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not done():  # noqa: ASYNC110 - it happens in other processes
            await asyncio.sleep(0.2)


@pytest.fixture(scope="module")
def clip() -> Clip:
    return prompt(CLIP)


async def hear(client: httpx.AsyncClient, clip: Clip) -> httpx.Response:
    return await client.post(
        "/audio/transcriptions",
        files={"file": ("a.wav", clip.wav, "audio/wav")},
        data={"model": "lobug-stt"},
    )


async def test_a_lo_bug_hears_there_what_it_hears_itself(house: House, clip: Clip) -> None:
    there, _ = choose_stt(house.settings())
    own = WhisperSpeechToText(Settings(_env_file=None))
    await there.start()
    await own.start()
    try:
        heard = await there.transcribe(clip.samples, "en")
        expected = await own.transcribe(clip.samples, "en")
    finally:
        await there.close()
        await own.close()
    errors, words = word_errors(clip.text, heard.text)
    assert words >= 5
    assert errors <= 1
    assert heard.text == expected.text
    assert heard.avg_logprob == pytest.approx(expected.avg_logprob, abs=0.1)


async def test_a_lo_bug_speaks_there_as_it_speaks_itself(house: House) -> None:
    there, _ = choose_tts(house.settings())
    own = HibariVoice(Settings(_env_file=None))
    await there.start()
    await own.start()
    try:
        spoken = await there.synthesize(SENTENCE)
        expected = await own.synthesize(SENTENCE)
    finally:
        await there.close()
        await own.close()
    assert spoken.size == expected.size
    assert float(np.abs(spoken - expected).max()) < 0.01


async def test_another_key_is_refused(house: House) -> None:
    async with httpx.AsyncClient(base_url=house.url, timeout=PATIENCE_S) as client:
        for headers, code in (
            ({}, "token_required"),
            ({"Authorization": "Bearer wrong"}, "token_invalid"),
        ):
            answer = await client.get("/models", headers=headers)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, code)
    settings = house.settings()
    stt = settings.stt.model_copy(update={"openai_api_key": type(settings.stt.openai_api_key)("x")})
    stranger, _ = choose_stt(settings.model_copy(update={"stt": stt}))
    try:
        with pytest.raises(EngineUnavailableError, match="refuses the API key"):
            await stranger.start()
    finally:
        await stranger.close()


async def test_a_body_that_is_too_large_is_refused(house: House) -> None:
    async with house.client() as client:
        answer = await client.post("/audio/transcriptions", content=bytes(34_000_000))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")


async def test_more_than_the_queue_takes_is_refused_and_brings_a_second_replica(
    house: House, clip: Clip
) -> None:
    assert len(house.replicas("hearing")) == 1
    counted: Counter[int] = Counter()

    async def ask_on(client: httpx.AsyncClient) -> None:
        while len(house.replicas("hearing")) < 2:
            answer = await hear(client, clip)
            counted[answer.status_code] += 1
            if answer.status_code == 503:
                assert answer.json()["error"]["code"] == "engine_busy"
                assert answer.headers["retry-after"] == "2"
                await asyncio.sleep(0.2)

    async with house.client() as client, asyncio.timeout(PATIENCE_S):
        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(ask_on(client))
        assert set(counted) == {200, 503}
        # What was refused did not hold up what was not, and all is well again.
        assert (await hear(client, clip)).status_code == 200


async def test_requests_go_on_when_a_replica_is_killed(house: House, clip: Clip) -> None:
    before = house.replicas("hearing")
    assert len(before) == 2
    statuses: list[int] = []
    replaced = False

    async def ask_on(client: httpx.AsyncClient) -> None:
        while not replaced:
            statuses.append((await hear(client, clip)).status_code)

    async with house.client() as client, asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(ask_on(client))
        await become(lambda: len(statuses) >= 2)
        os.kill(min(before), signal.SIGKILL)
        try:
            await become(lambda: len(house.replicas("hearing") - before) == 1)
        finally:
            replaced = True
    assert set(statuses) == {200}


def test_ray_serves_own_command_takes_the_file_too() -> None:
    document = yaml.safe_load(CONFIG.read_text())
    (application,) = ServeDeploySchema.model_validate(document).applications
    module, _, name = application.import_path.partition(":")
    build = getattr(importlib.import_module(module), name)
    built = call_user_app_builder_with_args_if_necessary(build, application.args)
    assert isinstance(built, Application)
    with pytest.raises(ValidationError, match="Extra inputs"):
        call_user_app_builder_with_args_if_necessary(build, {"ears": {}})


def test_ray_reports_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NO_REPORTS.items():
        monkeypatch.setenv(name, value)
    assert not usage_lib.usage_stats_enabled()
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    assert usage_lib.usage_stats_enabled()


async def test_a_stop_lets_a_request_come_to_its_end_and_leaves_nothing(
    house: House, clip: Clip
) -> None:
    family = house.family()
    replicas = [psutil.Process(pid) for pid in house.replicas("hearing")]

    def computed_s() -> float:
        return sum(one.cpu_times().user for one in replicas)

    before_s = computed_s()
    async with house.client() as client:
        asked = asyncio.ensure_future(hear(client, clip))
        await become(lambda: computed_s() > before_s + 0.1)  # it is being worked on, or was
        house.process.send_signal(signal.SIGTERM)
        answer = await asked
    assert answer.status_code == 200, answer.text
    assert await asyncio.to_thread(house.process.wait, PATIENCE_S) == 0
    _, alive = await asyncio.to_thread(psutil.wait_procs, family, PATIENCE_S)
    assert not alive


def test_no_word_is_in_a_log(house: House, clip: Clip) -> None:
    written = [path for path in house.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert any("replica" in path.name for path in written)
    for said in (b"kettle", b"number you wish to call"):
        assert not [path for path in written if said.lower() in path.read_bytes().lower()]


NEIGHBOUR = """
import sys
import ray
from ray import serve

@serve.deployment(ray_actor_options={"num_cpus": 1})
class Neighbour:
    async def __call__(self, request):
        return "somebody else's"

ray.init("local", include_dashboard=False, log_to_driver=False, num_cpus=2)
serve.start(proxy_location="HeadOnly", http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
serve.run(Neighbour.bind(), name="neighbour", route_prefix="/neighbour")
print("Address", ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
"""
"""A Ray with an application of other people, until its standard input ends."""


class Neighbours:
    """Other people's Ray, of which one core of two is free."""

    def __init__(
        self, folder: Path, pid: int, port: int, address: str, environment: dict[str, str]
    ) -> None:
        self.folder = folder
        self._pid = pid
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        self._address = address
        self._environment = environment

    def join(self, cpus: float = 0.1, prefix: str = "/", **changes: Any) -> subprocess.Popen[bytes]:
        """Start this program there. It prints to the file ``out``."""
        document = yaml.safe_load(CONFIG.read_text())
        document["http_options"] |= {"port": changes.get("port", self._port)}
        document["applications"][0]["route_prefix"] = prefix
        args = document["applications"][0]["args"]
        args["hearing"]["cpus"] = args["voice"]["cpus"] = cpus
        args["door"]["needs_key"] = changes.get("needs_key", False)
        (self.folder / "serve.yaml").write_text(yaml.safe_dump(document))
        command = [sys.executable, "-m", "lobug_ray", "--address", self._address]
        with (self.folder / "out").open("wb") as out:
            return subprocess.Popen(
                [*command, str(self.folder / "serve.yaml")],
                env=self._environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def said(self) -> str:
        """What it printed."""
        return (self.folder / "out").read_text()

    def ended(self, joined: subprocess.Popen[bytes]) -> str:
        """What it printed when it did not start."""
        assert joined.wait(PATIENCE_S) == 2, self.said()
        assert "Traceback" not in self.said()
        return self.said().rpartition("lobug_ray: ")[2]

    def has(self, title: str) -> bool:
        """Whether a process of theirs has a title."""
        return any(title in name for name in titles(self._pid))

    def are_well(self) -> bool:
        """Whether the application of other people answers."""
        return httpx.get(f"{self.url}/neighbour", timeout=PATIENCE_S).text == "somebody else's"


@pytest.fixture
def neighbours() -> Iterator[Neighbours]:
    folder = Path(tempfile.mkdtemp(prefix="lb", dir="/tmp"))
    port = free_port()
    environment = {
        **os.environ,
        **NO_REPORTS,
        "RAY_TMPDIR": str(folder),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }
    environment.pop("LOBUG_RAY_KEY", None)
    with (folder / "neighbour").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", NEIGHBOUR, str(port)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    said = folder / "neighbour"
    try:
        wait_for(lambda: b"Address " in said.read_bytes(), process, said)
        address = said.read_text().rpartition("Address ")[2].strip()
        yield Neighbours(folder, process.pid, port, address, environment)
    finally:
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for one in family:
            with suppress(psutil.Error):
                one.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def test_on_a_ray_of_other_people_it_ends_only_its_own(neighbours: Neighbours) -> None:
    refused = neighbours.ended(neighbours.join(port=free_port()))
    assert refused.startswith(f"Ray Serve already runs there, at {neighbours.url[7:]} and not")
    assert "cores, and Ray has 2" in neighbours.ended(neighbours.join(cpus=1.5))
    taken = neighbours.ended(neighbours.join(prefix="/neighbour"))
    assert taken.startswith('Ray says: Prefix /neighbour is being used by application "neighbour"')
    keyless = neighbours.ended(neighbours.join(needs_key=True))
    assert keyless == "Ray says: door.needs_key is true, and LOBUG_RAY_KEY is not set\n"
    assert neighbours.are_well()

    waiting = neighbours.join(cpus=1)  # of two cores, one is taken: Ray waits for ever
    out = neighbours.folder / "out"
    wait_for(lambda: neighbours.has("ServeReplica:lobug-speech:door"), waiting, out)
    waiting.send_signal(signal.SIGTERM)
    assert waiting.wait(PATIENCE_S) == 0, neighbours.said()
    assert "Stopped before it was ready." in neighbours.said()
    assert neighbours.are_well()

    serving = neighbours.join()
    wait_for(lambda: f"Ready at {neighbours.url[7:]}." in neighbours.said(), serving, out)
    assert httpx.get(f"{neighbours.url}/v1/models").json()["data"]
    serving.send_signal(signal.SIGTERM)
    assert serving.wait(PATIENCE_S) == 0, neighbours.said()
    assert httpx.get(f"{neighbours.url}/v1/models").status_code == 404
    assert neighbours.are_well()
