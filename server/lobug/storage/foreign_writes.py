"""What an object knows of the writes of others to its database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Known(Generic[T]):
    state: T


class ForeignWrites(Generic[T]):
    """Tells whether others have written to the database: compares its state with the one that was
    known last. A state becomes known only when what was written has been read: reading may fail,
    and it may be long until somebody writes again."""

    def __init__(self, state: T) -> None:
        self._known = _Known(state)
        self._looking = asyncio.Lock()
        """Held until what is new has been read: two callers at once would both read it, or one of
        them would go on before it was read."""

    def begin(self, state: T) -> None:
        """From now on compare with this state: everything is read after it was found."""
        self._known = _Known(state)

    @asynccontextmanager
    async def look(self, ask: Callable[[], Awaitable[T]]) -> AsyncIterator[bool]:
        """Whether the state is another one. When the context ends without an error, and is not
        cancelled, what ``ask`` has found is known."""
        async with self._looking:
            known = self._known
            now = await ask()
            yield now != known.state
            known.state = now  # of no use where it was opened anew meanwhile
