"""Log lines: as text and as JSON, with the turn's id, without the text of foreign exceptions."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.errors import EngineInterruptedError
from lobug.telemetry.logs import (
    QUIET_LIBRARIES,
    JsonFormatter,
    TextFormatter,
    add_turn,
    configure_logging,
    trace,
)
from lobug.turn.timeline import current_turn

Failure = TypeVar("Failure", bound=BaseException)


def record(
    message: str = "it works", error: BaseException | None = None, name: str = "lobug.test"
) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error is not None else None
    made = logging.LogRecord(name, logging.WARNING, __file__, 1, message, (), info)
    add_turn(made)
    return made


def raised(error: Failure, cause: BaseException | None = None) -> Failure:
    """The exception after it was raised here."""

    def fall() -> None:
        raise error from cause

    with pytest.raises(type(error)) as caught:
        fall()
    return caught.value


def of_turn(turn_id: str) -> logging.LogRecord:
    token = current_turn.set(turn_id)
    try:
        return record()
    finally:
        current_turn.reset(token)


def test_a_line_of_text_within_a_turn_carries_its_id() -> None:
    line = TextFormatter(content=False).format(of_turn("5f0c3ad2b914"))
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} WARNING lobug\.test: \[5f0c3ad2b914\] it works", line
    )


def test_a_line_of_text_outside_of_a_turn_has_no_brackets() -> None:
    assert TextFormatter(content=False).format(record()).endswith(" lobug.test: it works")


def test_a_line_of_json() -> None:
    line = json.loads(JsonFormatter(content=False).format(of_turn("5f0c3ad2b914")))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line == {
        "level": "warning",
        "logger": "lobug.test",
        "message": "it works",
        "turn": "5f0c3ad2b914",
    }
    assert "turn" not in json.loads(JsonFormatter(content=False).format(record()))


@given(message=st.text(), words=st.text())
def test_json_is_one_line_whatever_was_said(message: str, words: str) -> None:
    line = JsonFormatter(content=True).format(
        record(message.replace("%", ""), raised(ValueError(words)))
    )
    assert len(line.splitlines()) == 1
    line.encode()
    found = json.loads(line)
    assert found["message"] == message.replace("%", "")
    assert found["exception"].endswith(f"ValueError: {words}")


@pytest.mark.parametrize("kind", [TextFormatter, JsonFormatter])
def test_the_text_of_a_foreign_exception_is_content(
    kind: type[TextFormatter | JsonFormatter],
) -> None:
    inner = raised(KeyError("zanzibar"))
    outer = raised(RuntimeError("cannot parse zanzibar"), cause=inner)
    group = raised(ExceptionGroup("about zanzibar", [outer, ValueError("zanzibar")]))
    quiet = kind(content=False).format(record(error=group))
    assert "zanzibar" not in quiet
    for name in ("KeyError", "RuntimeError", "ValueError", "ExceptionGroup", "test_log_lines.py"):
        assert name in quiet
    assert quiet.index("KeyError") < quiet.index("RuntimeError")  # the cause stands first
    assert kind(content=True).format(record(error=group)).count("zanzibar") == 4


def test_the_text_of_our_own_exceptions_is_shown() -> None:
    ours = raised(EngineInterruptedError("chat", "the model's process ended"))
    assert trace(ours, content=False).endswith("chat: the model's process ended")
    assert trace(raised(OSError(28, "No space left")), content=False).endswith("No space left")


def test_a_chain_that_bites_its_tail_ends() -> None:
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    assert trace(first, content=False).count("Error") == 2
    assert trace(None, content=False) == ""


def test_a_context_that_was_suppressed_is_left_out() -> None:
    try:
        int("b")
    except ValueError:
        outer = raised(KeyError("a"), cause=None)
    assert isinstance(outer.__context__, ValueError)
    assert "ValueError" not in trace(outer, content=True)


class Kept(logging.Handler):
    """Keeps the records."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


async def test_the_event_loops_own_complaint_quotes_nothing() -> None:
    loop = asyncio.get_running_loop()
    handler = Kept()
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)
    try:
        failed = loop.create_future()
        failed.set_exception(ValueError("zanzibar"))
        del failed  # nobody has asked for it: asyncio complains
    finally:
        logger.removeHandler(handler)
    (complaint,) = handler.records
    assert "zanzibar" in complaint.getMessage()
    for kind in (TextFormatter, JsonFormatter):
        line = kind(content=False).format(complaint)
        assert "Future exception was never retrieved" in line
        assert "zanzibar" not in line
        assert "zanzibar" in kind(content=True).format(complaint)


@pytest.mark.parametrize(("level", "quotes"), [("info", False), ("debug", True)])
def test_content_is_for_debug_only(
    level: str,
    quotes: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    libraries = {name: logging.getLogger(name).level for name in QUIET_LIBRARIES}
    try:
        configure_logging(level, "json")
        logging.getLogger("lobug.test").debug("only while one looks for a fault")
        logging.getLogger("lobug.test").error("oh", exc_info=raised(ValueError("zanzibar")))
        logging.getLogger("httpx").info("a request")
    finally:
        for name, before in libraries.items():
            logging.getLogger(name).setLevel(before)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert ("zanzibar" in lines[-1 - quotes]["exception"]) is quotes
    messages = [line["message"] for line in lines]
    everything = ["only while one looks for a fault", "oh", "a request"]
    assert messages == (everything if quotes else ["oh"])
