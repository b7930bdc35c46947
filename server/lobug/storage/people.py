"""Which server acts for which person, where several servers answer at once on one database.

What a server holds of a person in main memory (the words of conversations, open questions, what
rings) is right as long as no other server acts for that person. So a person is with one server at a
time. Another one that needs the person, because they talk at a device that is connected there,
asks for them: the server that has them lets a turn that is under way come to its end first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, Protocol

from sqlalchemy import column, table

HOUSE = ""
"""In place of a person, what is done for all at once: whoever has it embeds, erases what is old,
delivers webhooks. No person has this name."""

News = Literal["agenda", "access", "webhooks", "erased", "page", "work", "reach", "left", "gap"]
"""What servers tell each other. ``gap``: news may have been missed; ``left``: a server has stopped,
and its people are free."""


PEOPLE = table("people", column("person"), column("server"), schema="lobug_lease")
"""Which person is with which server; there only where several answer at once."""

Listener = Callable[[News, str | None, str], None]
"""Called on the event loop with what another server tells: the news, a person, a topic."""


class People(Protocol):
    """The people of one server."""

    @property
    def server(self) -> str | None:
        """The name of this server in the table of people; None: it is the only one, and there is no
        such table."""

    def hold(self, person: str) -> AbstractAsyncContextManager[None]:
        """Act for a person meanwhile; waits until no other server does. May be held several times
        at once. Raises PersonElsewhereError where that takes too long, StorageError."""

    async def has(self, person: str) -> bool:
        """Whether this server may act for a person at once: they are with it, or with none until
        now. Raises StorageError."""

    async def seek(self, person: str) -> bool:
        """Ask whether another server has a device of this person, because this one has none.
        Returns whether one has taken the person over."""

    def tell(self, news: News, *, person: str | None = None, topic: str = "") -> None:
        """Tell the other servers of something, soon. Never raises."""

    async def start(self) -> None:
        """Begin to hear other servers. Safe to call again."""

    def follow(
        self,
        *,
        arrived: Callable[[str], None],
        stop_work: Callable[[str], Awaitable[None]],
        left: Callable[[str], None],
        told: Listener,
    ) -> None:
        """From now on call ``arrived`` with each person who has come from another server or from
        none, so that what main memory holds of them may be wrong; ``stop_work`` with one whom
        another server wants, and ``left`` once nothing is done for them here any more; ``told``
        with what other servers tell."""

    def reset(self) -> None:
        """Nobody is with this server any more: others may have taken them over."""

    async def close(self) -> None:
        """Stop. Safe to call twice."""


class Everybody:
    """The people of a server that is the only one: everybody (``People``)."""

    server: str | None = None

    @asynccontextmanager
    async def hold(self, _person: str) -> AsyncIterator[None]:
        """Act for anybody at once."""
        yield

    async def has(self, _person: str) -> bool:
        """Always."""
        return True

    async def seek(self, _person: str) -> bool:
        """No other server has any device."""
        return False

    def tell(self, news: News, *, person: str | None = None, topic: str = "") -> None:
        """There is nobody to tell."""

    async def start(self) -> None:
        """There is nobody to hear."""

    def follow(self, **_callbacks: object) -> None:
        """Nobody comes or goes."""

    def reset(self) -> None:
        """Everybody stays."""

    async def close(self) -> None:
        """Nothing was begun."""


EVERYBODY = Everybody()
