"""Doctor on a real machine with scripted engines, folders and servers."""

from __future__ import annotations

import asyncio
import importlib
import json
import pkgutil
import socket
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lobug import diagnosis
from lobug.access.service import FILE as ACCESS_FILE
from lobug.access.service import Access
from lobug.cli import doctor
from lobug.cli.app import app
from lobug.cli.doctor import engines, models, network
from lobug.cli.doctor.engines import OllamaState
from lobug.diagnosis import computer, storage
from lobug.diagnosis.findings import Level
from lobug.errors import EngineUnavailableError
from lobug.models import catalog, verify
from lobug.settings import Settings
from lobug.storage import driver, migrations
from support.models import tiny_model
from support.recording_server import GOOD_HEALTH, Answer, as_json, good_script, recording_server
from support.scripted_speech import ScriptedGate, ScriptedSpeechToText, ScriptedTextToSpeech


def settings(**changes: object) -> Settings:
    return Settings(_env_file=None, **changes)  # type: ignore[arg-type] # a table of changes


async def test_voice_and_ears_are_tried_together() -> None:
    findings = await engines.try_audio(
        ScriptedTextToSpeech(), ScriptedGate(), ScriptedSpeechToText()
    )
    assert [finding.level for finding in findings] == [Level.OK] * 4
    assert "heard" in findings[-1].message


async def test_an_engine_that_does_not_load_is_named_and_the_round_trip_left_out() -> None:
    broken = ScriptedSpeechToText(fail=EngineUnavailableError("stt", "no such file"))
    findings = await engines.try_audio(ScriptedTextToSpeech(), ScriptedGate(), broken)
    assert [finding.level for finding in findings] == [Level.OK, Level.OK, Level.FAIL]
    assert "no such file" in findings[-1].message
    assert findings[-1].advice


async def test_without_a_voice_replies_are_text_which_is_a_warning() -> None:
    mute = ScriptedTextToSpeech(fail=EngineUnavailableError("tts", "gone"))
    findings = await engines.try_audio(mute, ScriptedGate(), ScriptedSpeechToText())
    assert [finding.level for finding in findings] == [Level.WARN, Level.OK, Level.OK]


def test_a_library_that_cannot_be_loaded() -> None:
    findings = engines.check_libraries(["json", "no_such_library"])
    assert [finding.name for finding in findings] == ["library no_such_library"]
    assert findings[0].level is Level.FAIL
    assert engines.check_libraries(["json"])[0].level is Level.OK


def test_the_sqlite_driver_of_this_environment_can_search_vectors() -> None:
    finding = storage.check_driver()
    assert finding.level is Level.OK
    assert "sqlite-vec" in finding.message


def database_of(folder: Path) -> Path:
    """A database of the present version, made by the program itself."""
    path = settings(data_dir=folder).database_path
    connection = driver.connect(str(path), timeout_s=1.0)
    migrations.migrate(
        connection, path, legacy_user="x", backups_keep=1, now=0.0, checkpoint=lambda _: None
    )
    connection.close()
    return path


def test_the_database_absent_whole_newer_and_damaged(tmp_path: Path) -> None:
    there = settings(data_dir=tmp_path)
    assert "will be created" in storage.check_database(there).message
    path = database_of(tmp_path)
    before = path.read_bytes()
    good = storage.check_database(there)
    assert good.level is Level.OK, good.message
    assert "is up to date" in good.message
    assert path.read_bytes() == before, "doctor changes nothing"

    connection = driver.connect(str(path), timeout_s=1.0)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    newer = storage.check_database(there)
    assert (newer.level, newer.advice) == (Level.FAIL, "Update Lo-Bug.")

    connection = driver.connect(str(path), timeout_s=1.0)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    older = storage.check_database(there)
    assert older.level is Level.FAIL
    assert "before 0.1.0" in older.message
    assert "move the file away" in older.advice

    path.write_bytes(b"this is not a database" * 100)
    damaged = storage.check_database(there)
    assert damaged.level is Level.FAIL
    assert "move the file away" in damaged.advice
    spare = path.with_name(f"{path.name}.backup-v1-20260101T000000Z")
    spare.touch()
    assert str(spare) in storage.check_database(there).advice


def test_the_data_folder_need_not_exist_and_is_not_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert computer.check_data_folder(settings(data_dir=folder)).level is Level.OK
    assert not folder.exists()


def test_a_data_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    finding = computer.check_data_folder(settings(data_dir=tmp_path / "file"))
    assert finding.level is Level.FAIL
    assert "is not a folder" in finding.message
    assert "LOBUG_DATA_DIR" in finding.advice


def test_the_port_free_taken_or_ours() -> None:
    def of_a_free_one() -> Level:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        return network.check_port(settings(port=port)).level

    # Another test may take the very port meanwhile.
    assert any(of_a_free_one() is Level.OK for _ in range(5))
    with recording_server() as door:
        ours = network.check_port(settings(port=door.port))
    assert ours.level is Level.OK
    assert "a Lo-Bug server is running" in ours.message
    with recording_server({"/health": [Answer(b"hello")]}) as door:
        taken = network.check_port(settings(port=door.port))
    assert taken.level is Level.FAIL
    assert "LOBUG_PORT" in taken.advice


def test_who_writes_summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))
    assert "copied" in engines.check_summaries(settings()).message
    off = engines.check_summaries(settings(memory={"enable_summarization": False}))
    assert "nothing is summed up" in off.message
    generative = settings(memory={"summaries": "generative"})
    fault = {**GOOD_HEALTH, "degraded": ["tts: gone.", "summaries: the model made an error"]}
    for health, level in ((fault, Level.WARN), (GOOD_HEALTH, Level.OK)):
        with recording_server({"/health": [as_json(health)]}) as door:
            monkeypatch.setenv("LOBUG_PORT", str(door.port))
            found = engines.check_summaries(generative)
        assert found.level is level
        assert (found.message == "the model made an error") is (level is Level.WARN)
    assert engines.check_summaries(generative).level is Level.OK  # no server runs


def test_the_embedded_engine_has_no_second_model_for_summaries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOBUG_CHAT__ENGINE", "embedded")
    monkeypatch.setenv("LOBUG_MEMORY__CONSOLIDATION_MODEL", "big")
    result = CliRunner().invoke(app, ["doctor", "--json"])
    (problem,) = [
        finding
        for finding in json.loads(result.stdout)["findings"]
        if finding["name"] == "settings"
    ]
    assert problem["level"] == "fail"
    assert problem["message"].startswith("LOBUG_MEMORY__CONSOLIDATION_MODEL needs a server")


def test_the_file_of_devices_absent_whole_newer_and_damaged(tmp_path: Path) -> None:
    there = settings(data_dir=tmp_path)
    assert "will be created" in storage.check_access(there).message
    path = tmp_path / ACCESS_FILE
    access = Access(there.access, path, clock=lambda: 1_000.0)

    async def make_it() -> None:
        await access.start(watch=False)
        await access.close()

    asyncio.run(make_it())
    before = path.read_bytes()
    good = storage.check_access(there)
    assert (good.name, good.level) == ("access", Level.OK), good.message
    assert "is up to date" in good.message
    assert path.read_bytes() == before, "doctor changes nothing"

    connection = driver.connect(str(path), timeout_s=1.0)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    newer = storage.check_access(there)
    assert newer.level is Level.FAIL
    assert newer.advice == "Update Lo-Bug."
    path.write_bytes(b"no database" * 1_000)
    damaged = storage.check_access(there)
    assert damaged.level is Level.FAIL
    assert "paired again" in damaged.advice


@pytest.mark.parametrize(
    ("changes", "level", "words"),
    [
        ({"host": "127.0.0.1", "access": {"pairing": False}}, Level.OK, "only programs on this"),
        ({"host": "localhost"}, Level.OK, "only programs on this"),
        ({}, Level.OK, "need a token"),
        ({"access": {"trusted_networks": ["192.168.1.0/24"]}}, Level.OK, "192.168.1.0/24"),
        ({"access": {"trusted_networks": ["10.0.0.0/8"]}}, Level.WARN, "10.0.0.0/8"),
        ({"access": {"trusted_networks": ["::/0"]}}, Level.WARN, "::/0"),
        ({"access": {"pairing": False}}, Level.WARN, "every device"),
        ({"wyoming": {"enabled": True}}, Level.OK, "need a token"),
        ({"wyoming": {"allowed_networks": ["0.0.0.0/0"]}}, Level.OK, "need a token"),
        (
            {"wyoming": {"enabled": True, "allowed_networks": ["10.0.0.0/8"]}},
            Level.WARN,
            "10.0.0.0/8",
        ),
    ],
)
def test_who_may_talk(changes: dict[str, object], level: Level, words: str) -> None:
    (finding,) = computer.check_openness(settings(**changes))
    assert (finding.level, bool(finding.advice)) == (level, level is not Level.OK)
    assert words in finding.message


def test_who_may_talk_over_wyoming_is_told_too() -> None:
    open_door = {"enabled": True, "allowed_networks": ["192.168.1.20/32", "::1/128"]}
    findings = computer.check_openness(settings(wyoming=open_door))
    assert [finding.level for finding in findings] == [Level.OK, Level.OK]
    assert "Wyoming 192.168.1.20/32 needs none" in findings[1].message


@pytest.mark.parametrize(
    ("wyoming", "level", "words"),
    [
        ({}, Level.OK, "off"),
        ({"enabled": True}, Level.WARN, "this computer only"),
        ({"enabled": True, "allowed_networks": []}, Level.WARN, "this computer only"),
        ({"enabled": True, "allowed_networks": ["10.1.2.3/32"]}, Level.OK, "10.1.2.3/32"),
    ],
)
def test_wyoming(wyoming: dict[str, object], level: Level, words: str) -> None:
    finding = network.check_wyoming(settings(host="127.0.0.1", wyoming={"port": 0, **wyoming}))
    assert (finding.level, bool(finding.advice)) == (level, level is not Level.OK)
    assert words in finding.message


def test_the_port_of_wyoming_that_another_program_has() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        wyoming = {"enabled": True, "port": other.getsockname()[1]}
        finding = network.check_wyoming(settings(host="127.0.0.1", port=9, wyoming=wyoming))
    assert finding.level is Level.FAIL
    assert "LOBUG_WYOMING__PORT" in finding.advice


@pytest.mark.parametrize(
    ("answer", "answers", "has"),
    [
        (as_json({"models": [{"model": "qwen2.5:3b"}, {"model": "other:latest"}]}), True, True),
        (as_json({"models": [{"model": "qwen2.5:7b"}]}), True, False),
        (as_json({}, 500), False, False),
        (Answer(b"<html>"), False, False),
        (Answer(hang=True), False, False),
    ],
)
def test_ollama_is_asked_for_its_models(answer: Answer, answers: bool, has: bool) -> None:
    with recording_server({"/api/tags": [answer]}) as door:
        ollama = {"host": door.url, "probe_timeout_s": 0.2 if answer.hang else 30.0}
        state = engines.probe_ollama(settings(ollama=ollama))
    assert state.answers is answers
    assert state.models == frozenset(["qwen2.5:3b"] if has else [])


def test_an_openai_server_that_is_not_there() -> None:
    chat = {"engine": "openai", "openai_base_url": "http://127.0.0.1:1/v1"}
    findings = engines.check_openai(settings(chat=chat))
    assert [(finding.name, finding.level) for finding in findings] == [("openai chat", Level.FAIL)]
    assert "LOBUG_CHAT__OPENAI_BASE_URL" in findings[0].advice


def test_missing_models_are_a_failure_unless_ollama_can_think(tmp_path: Path) -> None:
    bare = settings(models_dir=tmp_path)
    alone = models.examine_model_files(bare, OllamaState(answers=False))
    by_name = {finding.name: finding for finding in alone}
    assert by_name["model qwen2.5-coder-1.5b"].level is Level.FAIL
    assert by_name["model whisper-base"].level is Level.FAIL
    assert "lobug models pull" in by_name["model whisper-base"].advice
    helped = models.examine_model_files(bare, OllamaState(True, frozenset(["qwen2.5:3b"])))
    assert {f.name: f.level for f in helped if f.name != "models folder"} == {
        "model qwen2.5-coder-1.5b": Level.WARN,
        "model whisper-base": Level.FAIL,
        "model hibari": Level.OK,
        "model universal-sentence-encoder": Level.OK,
        "model silero-vad": Level.OK,
    }


def test_a_model_that_there_is_not(tmp_path: Path) -> None:
    odd = settings(models_dir=tmp_path, stt={"model": "whisper-enormous"})
    findings = models.examine_model_files(odd, OllamaState(answers=False))
    finding = next(f for f in findings if f.name == "model whisper-enormous")
    assert finding.level is Level.FAIL
    assert "whisper-base" in finding.message


def all_checks() -> dict[str, list[str]]:
    """The functions ``check_...`` of each module of checks."""
    found: dict[str, list[str]] = {}
    for room in (doctor, diagnosis):
        for module in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            members = vars(importlib.import_module(module.name)).items()
            found[module.name] = [
                name
                for name, value in members
                if name.startswith("check_") and value.__module__ == module.name
            ]
    return {module: names for module, names in found.items() if names}


CHECKS = all_checks()
AT_LEAST = sum(map(len, CHECKS.values())) - 3
"""Findings of all checks; ``check_libraries`` is a part of another, ``check_postgres`` and
``check_files_left`` take the place of the three of the files."""


@pytest.mark.parametrize(
    ("url", "at_least"), [("", AT_LEAST), ("postgresql://127.0.0.1:9/house", AT_LEAST - 1)]
)
def test_whatever_a_check_raises_doctor_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, at_least: int
) -> None:
    monkeypatch.setenv("LOBUG_DATABASE__URL", url)

    def breaks(*_: object) -> None:
        raise ImportError("there is no such library")

    for module, functions in CHECKS.items():
        for function in functions:
            monkeypatch.setattr(f"{module}.{function}", breaks)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 1, result.output
    findings = json.loads(result.stdout)["findings"]
    assert {finding["name"] for finding in findings if finding["level"] == "ok"} == {"settings"}
    failed = [finding for finding in findings if finding["level"] == "fail"]
    assert len(failed) >= at_least
    for finding in failed:
        assert "ImportError: there is no such library" in finding["message"]
        assert finding["advice"]
    assert "Traceback" not in result.output


def test_a_module_of_checks_that_cannot_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a library that it needs is missing."""
    for module in CHECKS:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.output.count("could not be checked") >= AT_LEAST


def test_doctor_finds_a_model_that_was_tampered_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record stands, its size and time are those of the right file."""
    model = tiny_model(b"weights")
    monkeypatch.setattr(catalog, "CATALOG", dict(catalog.CATALOG) | {model.name: model})
    path = tmp_path / model.name / "model.gguf"
    path.parent.mkdir()
    path.write_bytes(b"WEIGHTS")
    verify.record(tmp_path, model)
    there = settings(models_dir=tmp_path, chat={"embedded_model": model.name})
    finding = models.examine_model_files(there, OllamaState(answers=False))[0]
    assert (finding.name, finding.level) == ("model tiny", Level.FAIL)
    assert "SHA-256 differs" in finding.message
    assert "lobug models pull" in finding.advice
    path.write_bytes(b"weights")
    assert models.examine_model_files(there, OllamaState(answers=False))[0].level is Level.OK


def test_the_command_prints_every_finding_and_fails_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOBUG_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))
    with recording_server(good_script()) as door:
        monkeypatch.setenv("LOBUG_PORT", str(door.port))
        monkeypatch.setenv("LOBUG_OLLAMA__HOST", door.url)
        result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 1, result.output
    report = json.loads(result.stdout)
    findings = {finding["name"]: finding for finding in report["findings"]}
    assert report["ok"] is False
    assert findings["model whisper-base"]["level"] == "fail"
    assert findings["port"]["level"] == "ok"
    assert findings["access"]["level"] == "ok"
    assert findings["who may talk"]["level"] == "ok"
    assert findings["context window"]["level"] == "ok"
    assert all(f["advice"] for f in report["findings"] if f["level"] != "ok")
