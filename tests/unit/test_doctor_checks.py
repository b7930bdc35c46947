"""What doctor makes of what it finds: pure judgements, no machine needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobug.access.addresses import local_url
from lobug.cli.doctor import engines
from lobug.cli.doctor.engines import OllamaState
from lobug.cli.serve import program_name
from lobug.diagnosis import computer, context
from lobug.diagnosis.findings import Level
from lobug.settings import Settings


@pytest.mark.parametrize(
    ("total", "embedded", "level"),
    [
        (8_000_000_000, True, Level.OK),
        (2_000_000_000, True, Level.WARN),
        (2_000_000_000, False, Level.OK),
    ],
)
def test_main_memory(total: int, embedded: bool, level: Level) -> None:
    assert computer.judge_memory(total, embedded=embedded).level is level


@pytest.mark.parametrize(
    ("free", "level"),
    [(0, Level.FAIL), (99, Level.FAIL), (100, Level.WARN), (999, Level.WARN), (1000, Level.OK)],
)
def test_disk_space(free: int, level: Level) -> None:
    finding = computer.judge_room("data", Path("/data"), free, needed=100, wanted=1000)
    assert finding.level is level
    assert bool(finding.advice) == (level is not Level.OK)


@pytest.mark.parametrize(
    ("window", "level"),
    [(1000, Level.FAIL), (1090, Level.FAIL), (1091, Level.WARN), (1890, Level.OK)],
)
def test_the_context_window(window: int, level: Level) -> None:
    finding = context.judge_context(window=window, fixed=600, reply=90, memories=400, history=800)
    assert finding.level is level


def test_the_default_window_holds_the_default_prompt() -> None:
    finding = context.check_context(Settings(_env_file=None))
    assert finding.level is Level.OK, finding.message


def test_a_persona_that_fills_the_window_is_a_failure() -> None:
    settings = Settings(
        _env_file=None, conversation={"persona": "word " * 5000}, chat={"context_tokens": 2048}
    )
    finding = context.check_context(settings)
    assert finding.level is Level.FAIL
    assert "LOBUG_CONVERSATION__PERSONA" in finding.advice


JOBS = [("chat", "qwen2.5:3b"), ("embeddings", "nomic-embed-text")]


@pytest.mark.parametrize(
    ("answers", "has", "must", "levels"),
    [
        (False, [], False, [Level.OK]),
        (False, [], True, [Level.FAIL]),
        (True, ["qwen2.5:3b"], False, [Level.OK, Level.OK, Level.WARN]),
        (True, ["qwen2.5:3b"], True, [Level.OK, Level.OK, Level.FAIL]),
        (True, ["qwen2.5:3b", "nomic-embed-text"], True, [Level.OK, Level.OK, Level.OK]),
        (True, [], False, [Level.OK, Level.WARN, Level.WARN]),
    ],
)
def test_ollama(answers: bool, has: list[str], must: bool, levels: list[Level]) -> None:
    state = OllamaState(answers, frozenset(has))
    findings = engines.judge_ollama("http://bug:11434", state, JOBS, must=must)
    assert [finding.level for finding in findings] == levels
    assert all(finding.advice for finding in findings if finding.level is not Level.OK)


def test_ollama_that_nobody_wants_is_not_missed() -> None:
    state = OllamaState(answers=False)
    assert engines.judge_ollama("http://bug", state, [], must=False)[0].level is Level.OK


@pytest.mark.parametrize(
    ("host", "port", "url"),
    [
        ("127.0.0.1", 8321, "http://127.0.0.1:8321"),
        ("0.0.0.0", 80, "http://127.0.0.1:80"),
        ("::", 8321, "http://[::1]:8321"),
        ("fe80::1", 8321, "http://[fe80::1]:8321"),
        ("bug.local", 8321, "http://bug.local:8321"),
    ],
)
def test_where_this_computer_finds_the_server(host: str, port: int, url: str) -> None:
    assert local_url(host, port) == url


@pytest.mark.parametrize(
    ("found", "started", "name"),
    [
        ("/usr/bin/lobug", "/usr/bin/lobug", "lobug"),
        (None, "/home/jo/bug/.venv/bin/lobug", ".venv/bin/lobug"),
        (None, "/opt/bug/bin/lobug", "/opt/bug/bin/lobug"),
        (None, "/home/jo/bug/server/lobug/__main__.py", "lobug"),
    ],
)
def test_what_to_type_to_start_it_again(found: str | None, started: str, name: str) -> None:
    assert program_name(found, Path(started), Path("/home/jo/bug")) == name
