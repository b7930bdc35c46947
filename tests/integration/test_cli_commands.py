"""The commands as a person runs them, against scripted servers on real sockets."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lobug.cli.app import app
from lobug.simulator import requests
from support.patience import PATIENCE_S
from support.recording_server import (
    Answer,
    as_json,
    audio_reply,
    good_script,
    recording_server,
    tone_wav,
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and none of the developer's own settings."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lobug(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def json_lines(output: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


# ---- simulate


def test_simulate_speaks_files_and_folders_in_order(elsewhere: Path) -> None:
    folder = elsewhere / "clips"
    folder.mkdir()
    for name in ("b.wav", "a.WAV", "notes.txt"):
        (folder / name).write_bytes(tone_wav(0.2))
    (elsewhere / "first.wav").write_bytes(tone_wav(0.2, rate=44_100, channels=2))
    with recording_server() as door:
        result = lobug("simulate", "--server", door.url, "--json", "first.wav", "clips")
        sent = door.requests["/chat/audio"]
    assert result.exit_code == 0, result.output
    records = json_lines(result.stdout)
    turns = [record for record in records if record["event"] == "turn"]
    assert [turn["said"] for turn in turns] == ["first.wav", "a.WAV", "b.wav"]
    assert [turn["reply_wav"] for turn in turns] == [
        "replies/001-first.wav",
        "replies/002-a.wav",
        "replies/003-b.wav",
    ]
    assert (elsewhere / "replies/001-first.wav").read_bytes() == tone_wav()
    assert records[-1]["event"] == "summary"
    assert records[-1]["ok"] is True
    # Whatever the file was, the device records 16 kHz mono.
    body = sent[0].partition(b"\r\n\r\n")[2]
    wav = body.partition(b"\r\n\r\n")[2][: -len(f"\r\n--{requests.BOUNDARY}--\r\n")]
    assert wav[22:28] == b"\x01\x00\x80\x3e\x00\x00"
    assert len(wav) == 44 + 2 * 3200


def test_simulate_for_people_prints_what_was_heard_and_said() -> None:
    with recording_server() as door:
        result = lobug("simulate", "--server", door.url, "--text", "Good [morning]")
    assert result.exit_code == 0, result.output
    for words in ("Good [morning]", "Hello, typist.", "1 turn, 0 failed"):
        assert words in result.stdout


def test_simulate_without_anything_to_say_checks_the_server() -> None:
    with recording_server() as door:
        result = lobug("simulate", "--server", door.url)
        assert len(door.requests["/health"]) == len(door.requests["/context/sensors"]) == 1
    assert result.exit_code == 0
    assert "Nothing was said" in result.stdout


def test_simulate_reports_a_tap_and_shaking() -> None:
    with recording_server() as door:
        lobug("simulate", "--server", door.url, "--tap", "--shake")
        body = door.requests["/context/sensors"][0].partition(b"\r\n\r\n")[2]
    reading = json.loads(body)
    assert reading["tap_detected"] is True
    assert reading["is_shaking"] is True


@pytest.mark.parametrize(
    ("script", "arguments", "code"),
    [
        (good_script(), ["--text", "hi"], 0),
        (good_script(text=[as_json({}, 500)]), ["--text", "hi"], 1),
        (good_script(text=[as_json({"reply": "x"})]), ["--text", "hi"], 1),
        (good_script(text=[Answer(hang=True)]), ["--text", "hi", "--timeout", "0.05"], 1),
        (good_script(sensors=[as_json({}, 422)]), ["--text", "hi"], 1),
        (good_script(), ["--text", "hi", "--until", "TYPIST"], 0),
        (
            good_script(),
            ["--text", "hi", "--until", "nobody", "--max-turns", "2", "--pause", "0"],
            1,
        ),
        (good_script(), ["--until", "x"], 2),
        (good_script(), ["--text", "hi", "--until", "("], 2),
        (good_script(), ["--max-turns", "0"], 2),
        (good_script(), ["nowhere.wav"], 2),
        (good_script(), ["--frobnicate"], 2),
        (good_script(health=[as_json({}, 500)]), ["--text", "hi"], 3),
    ],
)
def test_exit_codes_of_simulate(
    script: dict[str, list[Answer]], arguments: list[str], code: int
) -> None:
    with recording_server(script) as door:
        result = lobug("simulate", "--server", door.url, *arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output


def test_simulate_expects_speech_and_a_voice(elsewhere: Path) -> None:
    (elsewhere / "a.wav").write_bytes(tone_wav(0.2))
    deaf = audio_reply(transcription="", response="", action="ignore", audio_b64="")
    mute = audio_reply(audio_b64="")
    with recording_server(good_script(audio=[deaf])) as door:
        assert lobug("simulate", "--server", door.url, "a.wav").exit_code == 0
        strict = lobug("simulate", "--server", door.url, "--expect-speech", "a.wav")
    assert strict.exit_code == 1
    assert "nothing was transcribed" in strict.stdout
    with recording_server(good_script(audio=[mute])) as door:
        assert lobug("simulate", "--server", door.url, "a.wav").exit_code == 0
        assert lobug("simulate", "--server", door.url, "--expect-voice", "a.wav").exit_code == 1


def test_simulate_names_a_file_that_is_no_recording(elsewhere: Path) -> None:
    (elsewhere / "song.wav").write_bytes(b"not a song")
    with recording_server() as door:
        result = lobug("simulate", "--server", door.url, "song.wav")
        assert not door.requests["/chat/audio"]
    assert result.exit_code == 2
    assert "song.wav cannot be read" in result.stderr


def test_simulate_without_a_server_says_how_to_start_one() -> None:
    result = lobug("simulate", "--server", f"127.0.0.1:{free_port()}", "--text", "hi")
    assert result.exit_code == 3
    assert "lobug serve" in result.stderr


def test_simulate_at_what_speaks_no_http_says_so_in_one_sentence() -> None:
    def hang_up(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        connection.recv(65_536)
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        silent = threading.Thread(target=hang_up, args=(listener,))
        silent.start()
        url = f"127.0.0.1:{listener.getsockname()[1]}"
        result = lobug("simulate", "--server", url, "--text", "hi")
        silent.join(PATIENCE_S)
    assert result.exit_code == 3
    assert "without sending a response. Start one with" in result.stderr


def test_simulate_ends_quietly_when_nobody_reads_its_output() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with recording_server() as door, os.fdopen(writer, "wb") as closed:
        command = [sys.executable, "-m", "lobug", "simulate", "--server", door.url, "--json"]
        ended = subprocess.run(
            [*command, "--text", "hi"],
            stdout=closed,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (1, b"")


# ---- chat


def test_chat_from_a_pipe_prints_only_replies() -> None:
    answers = [as_json({"response": "One."}), as_json({"response": "Two."})]
    with recording_server(good_script(text=answers)) as door:
        result = lobug("chat", "--server", door.url, stdin="first\n\n  second  \n/quit\nthird\n")
        sent = [raw.partition(b"\r\n\r\n")[2] for raw in door.requests["/chat/text"]]
        head = door.requests["/chat/text"][0].lower()
    assert (result.exit_code, result.stdout) == (0, "One.\nTwo.\n")
    assert [json.loads(body)["text"] for body in sent] == ["first", "second"]
    assert b"device-id" not in head, "curl and chat on one computer are one caller"


def test_chat_ends_with_the_servers_sentence_when_a_turn_fails() -> None:
    broken = as_json({"error": {"code": "model_missing", "message": "chat: no model"}}, 503)
    with recording_server(good_script(text=[broken])) as door:
        result = lobug("chat", "--server", door.url, "--device-id", "me", stdin="hello\nagain\n")
        assert len(door.requests["/chat/text"]) == 1
        assert b"Device-Id: me" in door.requests["/chat/text"][0]
    assert result.exit_code == 1
    assert result.stderr == "lobug: chat: no model (model_missing)\n"


def test_words_and_secret_for_this_computer_go_through_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    said = {"/announce": [as_json({"said_on": ["desk"], "waits_for": []})]}
    with recording_server({**good_script(), **said}) as door:
        talked = lobug("chat", "--server", door.url, stdin="hello\n")
        announced = lobug("announce", "Dinner!", "--server", door.url)
    assert (talked.exit_code, talked.stdout) == (0, "Hello, typist.\n")
    assert (announced.exit_code, announced.stdout) == (0, "said on: desk\n")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_announcement_that_nobody_will_hear_has_failed(form: tuple[str, ...]) -> None:
    nobody = {"/announce": [as_json({"status": "waits", "said_on": [], "waits_for": []})]}
    with recording_server({**good_script(), **nobody}) as door:
        assert lobug("announce", "Dinner!", "--server", door.url, *form).exit_code == 1
    assert lobug("announce", "Dinner!", "--expires", "inf").exit_code == 2


def test_a_device_id_that_no_header_can_hold_is_refused() -> None:
    talked = lobug("chat", "--device-id", "Küche", stdin="hello\n")
    assert (talked.exit_code, "Device-Id must be" in talked.stderr) == (1, True)
    simulated = lobug("simulate", "--device-id", "Küche", "--text", "hi")
    assert (simulated.exit_code, "ASCII characters" in simulated.stderr) == (2, True)


def at_terminal(
    *arguments: str, encoding: str, stdin: bytes = b"", stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, as the streams' encoding is chosen there."""
    return subprocess.run(
        [sys.executable, "-m", "lobug", *arguments],
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )


def test_a_terminal_that_does_not_know_all_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOBUG_CONVERSATION__PERSONA", "Zoë ☕")
    shown = at_terminal("config", encoding="latin-1")
    assert (shown.returncode, shown.stderr) == (0, b"")
    printed = at_terminal("config", "--json", encoding="latin-1")
    assert "Zoë ☕" in json.dumps(json.loads(printed.stdout.decode("ascii")), ensure_ascii=False)


def test_what_is_no_text_is_refused_with_a_sentence() -> None:
    with recording_server() as door:
        command = ("chat", "--server", door.url)
        ended = at_terminal(*command, encoding="utf-8:surrogateescape", stdin=b"caf\xe9\n")
    assert ended.returncode == 1
    assert ended.stderr == b"lobug: what was given is not text in UTF-8\n"


def test_output_that_nothing_takes_is_told_in_a_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        ended = at_terminal("config", encoding="utf-8", stdout=full.fileno())
    assert (ended.returncode, ended.stderr) == (1, b"lobug: No space left on device\n")


def test_chat_without_a_server_says_how_to_start_one() -> None:
    result = lobug("chat", "--server", f"127.0.0.1:{free_port()}", stdin="hello\n")
    assert result.exit_code == 3
    assert "lobug serve" in result.stderr


def test_chat_with_something_else_at_that_port() -> None:
    with recording_server({"/health": [Answer(b"<html>", 200)]}) as door:
        result = lobug("chat", "--server", door.url, stdin="hello\n")
    assert result.exit_code == 1
    assert "is not a Lo-Bug server" in result.stderr


def test_chat_finds_the_server_at_the_port_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with recording_server() as door:
        monkeypatch.setenv("LOBUG_PORT", str(door.port))
        monkeypatch.setenv("LOBUG_HOST", "0.0.0.0")
        result = lobug("chat", stdin="hello\n")
    assert (result.exit_code, result.stdout) == (0, "Hello, typist.\n")


# ---- config


def test_config_shows_values_with_their_source(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / ".env").write_text("LOBUG_PORT=1234\nLOBUG_CHAT__ENGINE=openai\nOTHER=1\n")
    monkeypatch.setenv("LOBUG_CHAT__ENGINE", "ollama")
    monkeypatch.setenv("LOBUG_STT", '{"language": "de"}')
    monkeypatch.setenv("LOBUG_CHAT__OPENAI_API_KEY", "hush-hush")
    result = lobug("config", "--json")
    values = json.loads(result.stdout)
    assert values["LOBUG_PORT"]["value"] == "1234"
    assert values["LOBUG_PORT"]["source"] == ".env"
    assert values["LOBUG_CHAT__ENGINE"]["value"] == "ollama"
    assert values["LOBUG_CHAT__ENGINE"]["source"] == "environment"
    assert values["LOBUG_STT__LANGUAGE"]["source"] == "environment"
    assert values["LOBUG_STT__MODEL"]["source"] == "default"
    assert values["LOBUG_CHAT__OPENAI_API_KEY"]["value"] == "********"
    assert "hush" not in lobug("config").stdout + result.output


def test_config_warns_of_names_that_have_no_effect(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / ".env").write_text("LOBUG_HOTS=0.0.0.0\n")
    monkeypatch.setenv("LOBUG_PROT", "1")
    stderr = " ".join(lobug("config").stderr.split())
    assert "LOBUG_HOTS is not a setting and has no effect; did you mean LOBUG_HOST?" in stderr
    assert "LOBUG_PROT is not a setting" in stderr


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("LOBUG_PORT", "eighty", "LOBUG_PORT is not valid: it should be a valid integer"),
        ("LOBUG_PORT", "70000", "LOBUG_PORT is not valid: it should be less than"),
        ("LOBUG_CHAT__ENGIN", "x", "did you mean LOBUG_CHAT__ENGINE?"),
        ("LOBUG_CHAT__ENGINE", "gpt", "(it is 'gpt')"),
        ("LOBUG_CONVERSATION__USERS", "{", 'field "conversation"'),
    ],
)
def test_a_setting_that_does_not_fit_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(name, value)
    for command in ("config", "serve", "doctor"):
        result = lobug(command)
        assert result.exit_code == 1
        assert sentence in " ".join(result.output.split())
        assert "Traceback" not in result.output


def test_a_dotenv_that_is_not_text(elsewhere: Path) -> None:
    (elsewhere / ".env").write_bytes(b"LOBUG_PORT=\xff\xfe\n")
    result = lobug("config")
    assert result.exit_code == 1
    assert "is not UTF-8 text" in result.stderr


def test_an_empty_variable_means_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOBUG_PORT", "")
    monkeypatch.setenv("LOBUG_CHAT__EMBEDDED_PATH", "")
    values = json.loads(lobug("config", "--json").stdout)
    assert values["LOBUG_PORT"]["value"] == "8321"
    assert values["LOBUG_CHAT__EMBEDDED_PATH"] == {
        "value": "",
        "source": "default",
        "secret": False,
    }


def test_check_docs_wants_the_source_tree(elsewhere: Path) -> None:
    assert "root of the source tree" in lobug("config", "--check-docs").stderr
    (elsewhere / "pyproject.toml").touch()
    assert "run `lobug config --docs`" in lobug("config", "--check-docs").stderr
    assert lobug("config", "--docs").exit_code == 0
    assert lobug("config", "--check-docs").exit_code == 0


# ---- serve, help


def test_serve_says_so_when_the_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = lobug("serve", "--port", str(port))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"lobug: cannot listen on 0.0.0.0:{port}: Address already")


def test_serve_asks_for_models_that_are_missing(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOBUG_MODELS_DIR", str(elsewhere / "none"))
    monkeypatch.setenv("LOBUG_OLLAMA__HOST", f"http://127.0.0.1:{free_port()}")
    result = lobug("serve", "--port", "0")
    assert result.exit_code == 1
    assert "lobug models pull" in result.stderr


def test_serve_refuses_an_address_that_is_not_here() -> None:
    result = lobug("serve", "--host", "no.such.host.invalid")
    assert result.exit_code == 1
    assert "is not an address of this computer" in result.stderr


def test_the_command_line_loads_no_engine() -> None:
    """``lobug --help`` must stay fast: nothing that takes long to import may be loaded for it."""
    code = (
        "import sys, lobug.cli.app;"
        "print([m for m in ('numpy', 'fastapi', 'av', 'faster_whisper', 'xllamacpp', 'httpx',"
        " 'sqlalchemy', 'sqlite_vec', 'uvicorn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_server_starts_without_what_only_tools_of_devices_need() -> None:
    code = (
        "import sys, lobug.app;"
        "print([m for m in ('mcp', 'jsonschema', 'openai') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_version_and_help() -> None:
    assert lobug("--version").stdout.startswith("lobug ")
    assert lobug("--help").exit_code == 0
    assert lobug("nonsense").exit_code == 2
