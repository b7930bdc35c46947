"""Which server acts for which person, where several servers answer at once on one database.

What a server holds of a person in main memory (the words of conversations, open questions, what
rings) is right as long as no other server acts for that person. So a person is with one server at a
time. Another one that needs the person, because they talk at a device that is connected there,
asks for them: the server that has them lets a turn that is under way come to its end first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, Protocol

from sqlalchemy import column, table

from lobug.storage.connection import Connection

SHARED_WORK = ""
"""In place of a person, what is done for all at once: whoever has it embeds, erases what is old,
delivers webhooks. No person has this name."""

News = Literal[
    "agenda", "access", "webhooks", "memory", "devices",
    "erased", "work", "device", "reach", "left", "gap",
]  # fmt: skip
"""What servers tell each other. The first five: something has changed; ``erased``: words of a
person, or of anybody, are gone; ``work``: there is something to embed; ``device``: one of this
person has connected; ``reach``: who has a device of this person, or the one of a certain
conversation? ``left``: a server has stopped, and its people are free; ``gap``: news may have been
missed."""

SERVER_PEOPLE = table("people", column("person"), column("server"), schema="lobug_lease")
"""Which person is with which server; there only where several answer at once."""

NewsListener = Callable[[News, str | None, str | None], None]
"""Called on the event loop with what another server tells, and with the person and the conversation
that it concerns."""


class People(Protocol):
    """The people of one server."""

    @property
    def server(self) -> str | None:
        """The name of this server in the table of people; None: it is the only one, and there is no
        such table."""

    def hold(self, person: str, *, joining: bool = False) -> AbstractAsyncContextManager[None]:
        """Act for a person while the context is open. Waits until no other server does; one that is
        asked for this person lets go when the last context has closed.

        ``joining``: what is under way for this person may be waiting for this, so it begins even
        when another server has asked for them. Raises PersonElsewhereError where it takes too long,
        StorageError.
        """

    def work(self, person: str) -> AbstractAsyncContextManager[None]:
        """The same for background work, which never asks another server. Raises
        PersonElsewhereError at once, StorageError."""

    async def has(self, person: str) -> bool:
        """Whether this server may act for a person at once: they are with it, or with none until
        now. Raises StorageError."""

    def here(self, person: str) -> bool:
        """Whether a person is with this server at this moment. Asks nobody, so that whatever is
        done before the next ``await`` is done by the server that has them."""

    async def seek(self, person: str) -> bool:
        """Ask whether another server has a device of this person, because this one has none.
        Returns whether one has taken the person over."""

    def note_device(self, device: str, *, connected: bool) -> None:
        """Let the other servers know, soon, that a device has connected here or gone. Never
        raises."""

    async def devices_elsewhere(self) -> frozenset[str]:
        """The ids of the devices that are connected to other servers. Raises StorageError."""

    def tell(
        self, news: News, *, person: str | None = None, conversation: str | None = None
    ) -> None:
        """Tell the other servers of something, soon. Never raises."""

    def tell_with(self, connection: Connection, news: News, *, person: str | None) -> None:
        """Tell the other servers of something when the transaction is committed."""

    async def start(self) -> None:
        """Begin to hear other servers. Safe to call again."""

    def follow(
        self,
        *,
        arrived: Callable[[str], None],
        stop_work: Callable[[str], None],
        left: Callable[[str], None],
        told: NewsListener,
    ) -> None:
        """From now on call ``arrived`` with each person who has come from another server or from
        none, so that what main memory holds of them may be wrong; ``stop_work`` with one whom
        another server wants, and ``left`` once nothing is done for them here any more; ``told``
        with what other servers tell."""

    async def reset(self) -> None:
        """Nobody is with this server any more: others may have taken them over. Returns when
        nothing acts for anybody that began before."""

    async def close(self) -> None:
        """Stop. Safe to call twice."""


class AllPeople:
    """The people of a server that is the only one (``People``)."""

    server: str | None = None

    @asynccontextmanager
    async def hold(self, _person: str, *, joining: bool = False) -> AsyncIterator[None]:
        """Act for anybody at once."""
        yield

    @asynccontextmanager
    async def work(self, _person: str) -> AsyncIterator[None]:
        """Act for anybody at once."""
        yield

    async def has(self, _person: str) -> bool:
        """Always."""
        return True

    def here(self, _person: str) -> bool:
        """Always."""
        return True

    async def seek(self, _person: str) -> bool:
        """No other server has any device."""
        return False

    def note_device(self, device: str, *, connected: bool) -> None:
        """There is nobody to know it."""

    async def devices_elsewhere(self) -> frozenset[str]:
        """None."""
        return frozenset()

    def tell(
        self, news: News, *, person: str | None = None, conversation: str | None = None
    ) -> None:
        """There is nobody to tell."""

    def tell_with(self, connection: Connection, news: News, *, person: str | None) -> None:
        """There is nobody to tell."""

    async def start(self) -> None:
        """There is nobody to hear."""

    def follow(self, **_callbacks: object) -> None:
        """Nobody comes or goes."""

    async def reset(self) -> None:
        """Everybody stays."""

    async def close(self) -> None:
        """Nothing was begun."""


ALL_PEOPLE = AllPeople()
