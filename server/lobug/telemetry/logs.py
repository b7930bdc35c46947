"""How log lines look: as text or as JSON, with the id of the turn that they belong to."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Literal

from lobug.turn.observing import current_turn

LogFormat = Literal["text", "json"]

QUIET_LIBRARIES = (
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "uvicorn",
    "faster_whisper",
    "openai",
)
"""They chat at info."""


def configure_logging(level: str, log_format: LogFormat = "text") -> None:
    """Log to standard error. Libraries that chat at info are heard from warnings on."""
    logging.basicConfig(level=level.upper(), handlers=[log_handler(log_format)], force=True)
    if level != "debug":
        for name in QUIET_LIBRARIES:
            logging.getLogger(name).setLevel(logging.WARNING)


def log_handler(log_format: LogFormat) -> logging.StreamHandler[object]:
    """A handler for standard error whose lines carry the turn's id."""
    handler: logging.StreamHandler[object] = logging.StreamHandler()
    handler.addFilter(add_turn)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    return handler


def add_turn(record: logging.LogRecord) -> bool:
    """A logging filter that lets everything pass and writes the turn's id on it."""
    record.turn = current_turn.get()
    return True


class TextFormatter(logging.Formatter):
    """One line for people; within a turn with its id in brackets."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(mark)s%(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line without an exception."""
        turn = getattr(record, "turn", "")
        record.mark = f"[{turn}] " if turn else ""
        return super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time (UTC, ISO 8601), level, logger, message, turn, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The whole record; turn and exception only where there is one."""
        line: dict[str, str] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if turn := getattr(record, "turn", ""):
            line["turn"] = turn
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)
