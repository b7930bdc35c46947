"""Format of log lines, as text or JSON, with the turn's id and without what people said.

The text of an exception may quote user content: a library's "invalid value: ..." puts what somebody
said into the log. Where content must not be logged, exceptions are logged without their text,
except for kinds that never quote content.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal, TextIO

from lobug.errors import LobugError
from lobug.turn.timeline import current_turn

LogFormat = Literal["text", "json"]

QUIET_LIBRARIES = (
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "uvicorn",
    "faster_whisper",
    "openai",
    "mcp",
)
"""They log too much at level info."""

HANDSHAKE_ALARM = "ASGI callable returned without completing handshake."
"""Uvicorn's error for a WebSocket that was refused with an HTTP answer, as ASGI allows."""


def configure_logging(level: str, log_format: LogFormat = "text") -> None:
    """Log to standard error. ``QUIET_LIBRARIES`` log from level warning on, except at debug."""
    handler = log_handler(log_format, content=level == "debug")
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    if level != "debug":
        for name in QUIET_LIBRARIES:
            logging.getLogger(name).setLevel(logging.WARNING)


def log_handler(log_format: LogFormat, *, content: bool) -> logging.StreamHandler[TextIO]:
    """Return a handler for standard error whose lines carry the turn's id.

    ``content``: whether lines may quote what people said.
    """
    handler: logging.StreamHandler[TextIO] = logging.StreamHandler()
    handler.addFilter(add_turn)
    handler.addFilter(is_no_false_alarm)
    kind = JsonFormatter if log_format == "json" else TextFormatter
    handler.setFormatter(kind(content=content))
    return handler


def add_turn(record: logging.LogRecord) -> bool:
    """A logging filter that adds the turn's id to every record."""
    record.turn = current_turn.get()
    return True


def is_no_false_alarm(record: logging.LogRecord) -> bool:
    """A logging filter that drops ``HANDSHAKE_ALARM``, with which any stranger could fill the
    log."""
    return not (record.name == "uvicorn.error" and record.msg == HANDSHAKE_ALARM)


def message_of(record: logging.LogRecord, *, content: bool) -> str:
    """Return a record's message. ``content``: whether it may quote what people said."""
    message = record.getMessage()
    if record.name == "asyncio" and not content:
        # Later lines show the task, and with it the text of its exception.
        return message.partition("\n")[0]
    return message


class TextFormatter(logging.Formatter):
    """One line of text, with the turn's id in brackets; a trace follows below."""

    def __init__(self, *, content: bool) -> None:
        super().__init__()
        self._content = content

    def format(self, record: logging.LogRecord) -> str:
        turn = getattr(record, "turn", "")
        mark = f"[{turn}] " if turn else ""
        message = message_of(record, content=self._content)
        head = f"{self.formatTime(record)} {record.levelname:<7} {record.name}"
        line = f"{head}: {mark}{message}"
        if record.exc_info:
            line += "\n" + trace(record.exc_info[1], content=self._content)
        return line


class JsonFormatter(logging.Formatter):
    """One JSON object per line: time (UTC, ISO 8601), level, logger, message, turn, exception."""

    def __init__(self, *, content: bool) -> None:
        super().__init__()
        self._content = content

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON; turn and exception only if it has them."""
        line: dict[str, str] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message_of(record, content=self._content),
        }
        if turn := getattr(record, "turn", ""):
            line["turn"] = turn
        if record.exc_info:
            line["exception"] = trace(record.exc_info[1], content=self._content)
        return json.dumps(line)


WITHOUT_CONTENT = (LobugError, OSError, ImportError)
"""Exceptions whose texts never quote content: they name files, addresses and engines."""


def trace(error: BaseException | None, *, content: bool) -> str:
    """Return the traceback of an exception and of its causes, the first cause first. Pure.

    ``content``: whether texts may be shown that could quote content.
    """
    if error is None:
        return ""
    return "\n\n".join(_one(link, content=content) for link in reversed(list(_chain(error))))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception, then its causes, each once: a chain may be circular."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _one(error: BaseException, *, content: bool) -> str:
    places = "".join(traceback.format_tb(error.__traceback__))
    head = f"Traceback (most recent call last):\n{places}" if places else ""
    text = f"{head}{type(error).__module__}.{type(error).__qualname__}"
    if content or isinstance(error, WITHOUT_CONTENT):
        text += f": {error}"
    if isinstance(error, BaseExceptionGroup):
        inner = (trace(one, content=content) for one in error.exceptions)
        text = "\n\n".join([text, *inner])
    return text
