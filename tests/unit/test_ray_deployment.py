"""deploy/ray/ without Ray: its configuration, its door, and what a replica says of a failure.
`make test-ray` has the rest."""

from __future__ import annotations

import ast
import asyncio
import io
import os
import signal
import subprocess
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import yaml
from fastapi import FastAPI
from pydantic import ValidationError

from lobug.audio.wav import encode
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.engines.openai_audio import OpenAIRecognizer, OpenAISynthesizer
from lobug.errors import (
    EngineBusyError,
    EngineError,
    EngineUnavailableError,
    ModelDamagedError,
    ModelMissingError,
)
from lobug.models.catalog import Job
from lobug.settings import Settings, SttSettings, TtsSettings
from lobug_ray.__main__ import (
    CONFIG,
    StartError,
    StopSignals,
    check_address,
    check_cores,
    is_open,
    main,
    read,
    reason_of,
)
from lobug_ray.configuration import KEY_VARIABLE, SpeechConfig, key_of
from lobug_ray.door import DoorEngines, create_door
from lobug_ray.replicas import error_of, fault_of, verify_model
from support.app_server import client_of
from support.scripted_speech import ScriptedGate, ScriptedSpeechToText, ScriptedTextToSpeech

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "ray"
SAID: Samples = (0.2 * np.sin(np.arange(STT_SAMPLE_RATE) * 0.1)).astype(np.float32)
KEY = "a key of the house"


class Door:
    """The door with engines that follow a script."""

    def __init__(self, key: str | None = None, **engines: Any) -> None:
        self.stt = engines.get("stt", ScriptedSpeechToText(texts=["Good morning."]))
        self.tts = engines.get("tts", ScriptedTextToSpeech())
        self.settings = Settings(_env_file=None, limits={"max_body_bytes": 200_000})
        self.app: FastAPI = create_door(
            self.settings,
            DoorEngines(gate=ScriptedGate(), stt=self.stt, tts=self.tts),
            key=key,
            max_requests=64,
        )

    @asynccontextmanager
    async def client(self, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        async with client_of(self.app) as client:
            client.headers.update(headers)
            yield client


def recording(samples: Samples = SAID) -> dict[str, Any]:
    file = ("a.wav", encode(samples, STT_SAMPLE_RATE), "audio/wav")
    return {"files": {"file": file}, "data": {"model": "whisper-1"}}


SENTENCE = {"model": "tts-1", "input": "Good morning.", "response_format": "wav"}


def test_the_configuration_file_is_valid_and_shows_everything() -> None:
    document, config = read(CONFIG)
    (application,) = document["applications"]
    shown = application["args"]
    parts = {"hearing": config.hearing, "voice": config.voice, "door": config.door}
    assert set(shown) == set(parts)
    for name, part in parts.items():
        fields = set(type(part).model_fields)
        if name == "voice":  # the rest is explained at hearing
            assert set(shown[name]) <= fields
        else:
            assert set(shown[name]) == fields
    assert SpeechConfig().models_dir is None
    module, _, function = application["import_path"].partition(":")
    tree = ast.parse((FOLDER / f"{module.replace('.', '/')}.py").read_text())
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    # As it comes, only this computer reaches it.
    assert not is_open(document["http_options"]["host"], needs_key=config.door.needs_key)


@pytest.mark.parametrize(
    ("wrong", "sign"),
    [
        ({"hearing": {"replicas": 2}}, "Extra inputs"),
        ({"hearing": {"min_replicas": 3, "max_replicas": 2}}, "max_replicas is less"),
        ({"hearing": {"min_replicas": 0}}, "greater than or equal to 1"),
        ({"hearing": {"language": "English"}}, "pattern"),
        ({"voice": {"speed": 3}}, "less than or equal to 2"),
        ({"hearing": {"max_queued": 0}}, "greater than or equal to 1"),  # Ray wants one
        ({"hearing": {"max_queued": 60}}, "door.max_requests must be more than 72"),
        ({"ears": {}}, "Extra inputs"),
    ],
)
def test_what_does_not_fit_is_refused(wrong: dict[str, Any], sign: str) -> None:
    with pytest.raises(ValidationError, match=sign):
        SpeechConfig.model_validate(wrong)


WHOLE = {
    "http_options": {"host": "127.0.0.1", "port": 8000},
    "applications": [{"name": "lobug-speech"}],
}


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("", "has no names with values"),
        ("- a", "has no names with values"),
        ("a: [", "is not YAML"),
        ("applications: []", "does not have one application"),
        ("applications: 3", "does not have one application"),
        ({"applications": ["x"]}, "the application has no names with values"),
        ({"applications": [{}]}, "the application has no name"),
        ({"applications": [{"name": " "}]}, "the application has no name"),
        ({"http_options": None}, "http_options has no names with values"),
        ({"http_options": {"port": 8000}}, "http_options has no host"),
        ({"http_options": {"host": "::1"}}, "http_options has no port"),
        ({"http_options": {"host": "::1", "port": True}}, "http_options has no port"),
        ({"http_options": {"host": "::1", "port": 70_000}}, "http_options has no port"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    text: str | dict[str, Any], sign: str, tmp_path: Path
) -> None:
    path = tmp_path / "serve.yaml"
    path.write_text(text if isinstance(text, str) else yaml.safe_dump(WHOLE | text))
    with pytest.raises(ValueError, match=rf"serve\.yaml.* ?{sign}"):
        read(path)
    path.write_text(yaml.safe_dump(WHOLE))
    assert read(path)[1] == SpeechConfig()


def tell(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["lobug_ray", *arguments])
    return main()


@pytest.mark.parametrize(
    ("args", "key", "sign"),
    [
        ({"door": {"needs_key": True}}, None, "needs_key is true, and LOBUG_RAY_KEY is not set"),
        ({"door": {"needs_key": True}}, " ", "needs_key is true, and LOBUG_RAY_KEY is not set"),
        ({"door": {"needs_key": True}}, "schl\u00fcssel", "LOBUG_RAY_KEY may only have"),
        ({"hearing": {"model": "hibari"}}, None, "no stt model is called 'hibari'"),
    ],
)
def test_before_it_starts_ray_it_says_what_is_wrong(
    args: dict[str, Any],
    key: str | None,
    sign: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "door" in args:  # the models need not be here
        monkeypatch.setattr("lobug_ray.__main__.verify_models", lambda _: None)
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    if key is not None:
        monkeypatch.setenv(KEY_VARIABLE, key)
    path = tmp_path / "serve.yaml"
    application = {"name": "lobug-speech", "args": args}
    path.write_text(yaml.safe_dump(WHOLE | {"applications": [application]}))
    assert tell([str(path)], monkeypatch) == 2
    said = capsys.readouterr().err
    assert said.startswith("lobug_ray: ")
    assert sign in said


def test_a_key_has_no_spaces_at_its_ends_because_a_header_has_none() -> None:
    assert key_of({KEY_VARIABLE: f" {KEY}\n"}) == KEY
    for wrong in ("a\nb", "caf\u00e9"):
        with pytest.raises(ValueError, match=KEY_VARIABLE):
            key_of({KEY_VARIABLE: wrong})


def test_too_few_cores_are_named_before_ray_waits_for_them() -> None:
    parts = {"hearing": {"cpus": 0.1, "min_replicas": 3, "max_replicas": 3}, "voice": {"cpus": 0.5}}
    config = SpeechConfig.model_validate(parts)
    check_cores(config, 0.8)
    with pytest.raises(StartError, match=r"need 0\.8 cores, and Ray has 0\.7"):
        check_cores(config, 0.7)


def test_a_serve_that_listens_elsewhere_is_refused() -> None:
    own = {"host": "127.0.0.1", "port": 8000}
    check_address(own, ("127.0.0.1", 8000))
    for running in (("0.0.0.0", 8000), ("127.0.0.1", 8001)):
        with pytest.raises(StartError, match=f"already runs there, at {running[0]}:{running[1]}"):
            check_address(own, running)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_start_that_would_wait_for_ever(number: signal.Signals) -> None:
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    signals = StopSignals()
    signals.listen()
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert signals.told.is_set()
        signals.told.clear()
        signals.starting = False
        signal.raise_signal(number)
        assert signals.told.is_set()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def test_of_what_ray_says_the_reason_is_shown() -> None:
    text = "It failed 3 times. Error:\nTraceback\n  File\nValueError: no: key\n"
    assert reason_of(text) == "no: key"
    assert reason_of("Failed: it broke") == "Failed: it broke"
    assert reason_of("") == ""


@pytest.mark.parametrize(
    ("host", "needs_key", "opened"),
    [
        ("127.0.0.1", False, False),
        ("::1", False, False),
        ("localhost", False, False),
        ("0.0.0.0", False, True),
        ("192.168.1.7", False, True),
        ("gpu.lan", False, True),
        ("0.0.0.0", True, False),
    ],
)
def test_other_computers_need_a_key(host: str, needs_key: bool, opened: bool) -> None:
    assert is_open(host, needs_key=needs_key) is opened


def test_ray_is_told_what_the_configuration_says() -> None:
    config = SpeechConfig.model_validate({"hearing": {"max_replicas": 3, "max_queued": 5}})
    options = config.hearing.options()
    assert options["max_ongoing_requests"] == 2
    assert options["max_queued_requests"] == 5
    assert options["autoscaling_config"]["max_replicas"] == 3
    # A replica that stops lets the longest request come to its end before Ray kills it.
    assert (
        options["graceful_shutdown_timeout_s"]
        == config.door.options()["graceful_shutdown_timeout_s"]
    )
    # Two doors would be two queues.
    assert config.door.options()["num_replicas"] == 1


def test_the_settings_of_a_replica_are_those_of_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOBUG_STT__THREADS", "7")
    monkeypatch.setenv("LOBUG_STT__BEAM_SIZE", "3")
    given = {"models_dir": tmp_path, "hearing": {"threads": 2, "language": "de"}}
    settings = SpeechConfig.model_validate(given).settings()
    assert (settings.stt.threads, settings.stt.language) == (2, "de")
    assert settings.stt.beam_size == 3
    assert settings.models_dir == tmp_path


def test_a_model_with_wrong_bytes_is_not_loaded(tmp_path: Path) -> None:
    settings = SpeechConfig(models_dir=tmp_path).settings()
    with pytest.raises(ModelDamagedError, match="lobug models pull whisper-base"):
        verify_model(settings, "whisper-base", Job.STT)
    with pytest.raises(ModelMissingError):
        verify_model(settings, "whisper-none", Job.STT)


def test_the_voice_is_that_of_the_catalog(tmp_path: Path) -> None:
    verify_model(SpeechConfig(models_dir=tmp_path).settings(), "hibari", Job.TTS)


def kinds(kind: type[EngineError] = EngineError) -> list[type[EngineError]]:
    return [kind, *(one for child in kind.__subclasses__() for one in kinds(child))]


@pytest.mark.parametrize("kind", kinds())
def test_an_error_reaches_the_door_as_what_it_was(kind: type[EngineError]) -> None:
    error = error_of(fault_of(kind("stt", "it broke")), "stt")
    assert type(error) is kind
    assert str(error) == "stt: it broke"


def test_a_code_that_nobody_knows_is_an_engine_error() -> None:
    fault = fault_of(EngineError("tts", "it broke"))
    assert type(error_of(fault, "tts")) is EngineError


async def test_lo_bugs_own_engines_for_such_servers_speak_to_the_door() -> None:
    door = Door(KEY)
    async with door.client() as client:
        address = {"openai_base_url": f"{client.base_url}/v1", "openai_api_key": KEY}
        ears = OpenAIRecognizer(SttSettings.model_validate(address))
        mouth = OpenAISynthesizer(TtsSettings.model_validate(address))
        try:
            await ears.probe()
            heard = await ears.transcribe(SAID, "en")
            pieces = [piece async for piece in mouth.speak("Good morning.", 1.0)]
        finally:
            await ears.close()
            await mouth.close()
    assert heard.text == "Good morning."
    assert heard.avg_logprob == pytest.approx(-0.2)
    assert sum(piece.size for piece in pieces) > 0


async def test_it_names_its_two_models_and_has_no_other_route() -> None:
    async with Door().client() as client:
        listed = (await client.get("/v1/models")).json()
        assert [one["id"] for one in listed["data"]] == ["lobug-stt", "lobug-tts"]
        for path in ("/health", "/docs", "/openapi.json", "/memory/facts", "/v1/chat/completions"):
            assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 401, "token_required"),
        ({"Authorization": "Basic abc"}, 401, "token_required"),
        ({"Authorization": "Bearer another"}, 401, "token_invalid"),
        ({"Authorization": "Bearer k\u00e9y"}, 401, "token_invalid"),
        ({"Authorization": f"Bearer {KEY}"}, 200, None),
    ],
)
async def test_only_the_key_opens_the_door(
    headers: dict[str, str], status: int, code: str | None
) -> None:
    encoded = {name.encode(): value.encode() for name, value in headers.items()}
    async with Door(KEY).client() as client:
        answer = await client.get("/v1/models", headers=encoded)
    assert answer.status_code == status
    assert answer.json().get("error", {}).get("code") == code


async def test_a_web_page_is_not_let_in_where_there_is_no_key() -> None:
    door = Door()
    async with door.client(origin="http://elsewhere.example") as client:
        answer = await client.post("/v1/audio/transcriptions", **recording())
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin")
    assert not door.stt.heard


async def test_bad_requests_get_their_code() -> None:
    door = Door()
    limit = door.settings.limits.max_body_bytes
    async with door.client() as client:
        large = await client.post("/v1/audio/transcriptions", content=b"x" * (limit + 1))
        assert (large.status_code, large.json()["error"]["code"]) == (413, "body_too_large")
        broken = recording()
        broken["files"]["file"] = ("a.wav", b"no sound", "audio/wav")
        noise = await client.post("/v1/audio/transcriptions", **broken)
        assert (noise.status_code, noise.json()["error"]["code"]) == (400, "audio_invalid")
        long = {**SENTENCE, "input": "a" * (door.settings.limits.max_text_chars + 1)}
        refused = await client.post("/v1/audio/speech", json=long)
        assert (refused.status_code, refused.json()["error"]["code"]) == (413, "text_too_long")
        other = await client.post("/v1/audio/speech", json={**SENTENCE, "model": "tts-9"})
        assert (other.status_code, other.json()["error"]["code"]) == (404, "model_unknown")


@pytest.mark.parametrize("kind", [EngineBusyError, EngineUnavailableError])
async def test_a_full_queue_is_a_503_that_says_when_to_come_again(
    kind: type[EngineError],
) -> None:
    door = Door(
        stt=ScriptedSpeechToText(fail=kind("stt", "full")),
        tts=ScriptedTextToSpeech(fail=kind("tts", "full")),
    )
    async with door.client() as client:
        answers = [
            await client.post("/v1/audio/transcriptions", **recording()),
            await client.post("/v1/audio/speech", json=SENTENCE),
        ]
    for answer in answers:
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == kind.code
        assert answer.headers["retry-after"] == "2"


async def test_one_caller_may_have_all_the_requests() -> None:
    """All come from one Lo-Bug, and those that wait do so at Ray's queue."""
    all_in, inside = asyncio.Event(), 0

    class Patient(ScriptedSpeechToText):
        async def transcribe(self, audio: Samples, language: str | None) -> Any:
            nonlocal inside
            inside += 1
            if inside == 14:
                all_in.set()
            await all_in.wait()
            return await super().transcribe(audio, language)

    async with Door(stt=Patient()).client() as client:
        sound = np.tile(SAID, 3)  # more than 64 KB, so that it counts as an upload
        asked = [client.post("/v1/audio/transcriptions", **recording(sound)) for _ in range(14)]
        answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in answers} == {200}


async def test_speech_comes_as_a_recording() -> None:
    async with Door().client() as client:
        answer = await client.post("/v1/audio/speech", json=SENTENCE)
    assert answer.headers["content-type"] == "audio/wav"
    with wave.open(io.BytesIO(answer.content)) as spoken:
        assert spoken.getframerate() == 24_000


def test_ray_reports_to_nobody(tmp_path: Path) -> None:
    script = 'echo "$RAY_USAGE_STATS_ENABLED $PYTHONPATH"'
    found = subprocess.run(
        ["/bin/sh", FOLDER / "run.sh", "/bin/sh", "-c", script],
        env={**os.environ, "LOBUG_RAY_VENV": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    disabled, paths = found.stdout.split()
    assert disabled == "0"
    assert str(FOLDER) in paths.split(":")


def test_the_file_for_ray_is_one_document() -> None:
    assert len(list(yaml.safe_load_all(CONFIG.read_text()))) == 1
