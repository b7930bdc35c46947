"""Exceptions as text for the log. Pure.

The text of an exception may quote what it choked on: a library's "invalid value: ..." then puts
somebody's words into the log. Where content must not be logged, only the texts of those kinds are
kept that never quote any.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from lobug.errors import LobugError

WITHOUT_CONTENT = (LobugError, OSError, ImportError)
"""Their texts name files, addresses and engines."""


def trace(error: BaseException | None, *, content: bool) -> str:
    """Where an exception happened and what led to it, the first cause first.

    ``content``: whether its text may be shown whatever it holds.
    """
    if error is None:
        return ""
    return "\n\n".join(_one(link, content=content) for link in reversed(list(_chain(error))))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception, then what it came from. Each once: a chain may bite its own tail."""
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
