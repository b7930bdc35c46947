"""The people of one of several servers on a PostgreSQL, and what these servers tell each other."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar, cast

import psycopg

from lobug.errors import PersonElsewhereError, StorageError, StorageHeldError
from lobug.storage.people import Listener, News
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.errors import typed_errors
from lobug.storage.postgres.membership import CHANNEL, PEOPLE, TELL, Membership

log = logging.getLogger(__name__)

T = TypeVar("T")

ASK_AGAIN_S = 0.25
"""How often a server that waits for a person asks again, seconds."""

SEEK_S = 1.0
"""How long to wait for a server that has a device of a person, seconds."""

TELL_AFTER_S = 0.02
"""News of the same within this time are told once, seconds."""

LISTEN_AGAIN_S = 0.5
"""Pause before a new session is made to listen, seconds."""

CLAIM = f"""
WITH added AS (
    INSERT INTO {PEOPLE} (person, server) VALUES (%(person)s, %(me)s)
    ON CONFLICT DO NOTHING RETURNING server
)
SELECT server FROM added UNION ALL SELECT server FROM {PEOPLE} WHERE person = %(person)s LIMIT 1
"""
"""Who has a person now; no row: they have just left."""

LEAVE = f"DELETE FROM {PEOPLE} WHERE person = %s AND server = %s"


async def _nothing(_person: str) -> None:
    """Nothing is to be stopped."""


class SharedPeople:
    """``People`` that other servers may ask for. ``start`` first, ``close`` last; all calls are
    made on one event loop."""

    def __init__(self, membership: Membership, address: Address, patience_s: float) -> None:
        """``patience_s``: how long to wait for a person who is with another server."""
        self._membership = membership
        self._address = address
        self._patience_s = patience_s
        self._times_taken = 0
        self._here: set[str] = set()
        self._holds: Counter[str] = Counter()
        """How often each person is held now."""
        self._unheld: dict[str, asyncio.Event] = {}
        """Of the people who are about to leave: set when nobody holds them any more."""
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._asking: dict[str, asyncio.Task[bool]] = {}
        self._waiters: dict[str, asyncio.Event] = {}
        """Set when a person may have come or gone."""
        self._news: set[str] = set()
        """What is about to be told."""
        self._tasks: set[asyncio.Future[Any]] = set()
        self._threads: ThreadPoolExecutor | None = None
        self._raw: Raw | None = None
        """The session of that thread."""
        self._listening: threading.Thread | None = None
        self._stop = threading.Event()
        self._told: Listener = lambda _news, _person, _topic: None
        self._arrived: Callable[[str], None] = lambda _person: None
        self._stop_work: Callable[[str], Awaitable[None]] = _nothing
        self._left: Callable[[str], None] = lambda _person: None

    # ---- life

    async def start(self) -> None:
        """Begin to hear other servers, once the membership was begun. Safe to call again."""
        if self._threads is None:
            self.reset()
            self._threads = ThreadPoolExecutor(1, thread_name_prefix="lobug-people")
            self._stop.clear()
            loop = asyncio.get_running_loop()
            self._listening = threading.Thread(
                target=self._listen, args=(loop,), name="lobug-listen", daemon=True
            )
            self._listening.start()

    def follow(
        self,
        *,
        arrived: Callable[[str], None],
        stop_work: Callable[[str], Awaitable[None]],
        left: Callable[[str], None],
        told: Listener,
    ) -> None:
        """Call these from now on (``People``)."""
        self._arrived, self._stop_work = arrived, stop_work
        self._left, self._told = left, told

    def reset(self) -> None:
        """Nobody is with this server any more: others may have taken them over."""
        self._times_taken = self._membership.times_taken
        self._here.clear()
        for task in self._leaving.values():
            task.cancel()

    async def close(self) -> None:
        """Stop. Everybody is free once the membership has ended. Safe to call twice."""
        self._stop.set()
        for task in (*self._leaving.values(), *self._asking.values(), *self._tasks):
            task.cancel()
        threads, self._threads = self._threads, None
        if threads is not None:
            await asyncio.to_thread(threads.shutdown)
        listening, self._listening = self._listening, None
        if listening is not None:
            await asyncio.to_thread(listening.join)
        raw, self._raw = self._raw, None
        if raw is not None:
            raw.close()

    # ---- people

    @property
    def server(self) -> str:
        """The name of this server in the table of people."""
        return self._membership.holder

    @asynccontextmanager
    async def hold(self, person: str) -> AsyncIterator[None]:
        """Act for a person meanwhile. Raises PersonElsewhereError, StorageError."""
        await self._come(person)
        self._holds[person] += 1
        try:
            yield
        finally:
            self._holds[person] -= 1
            if not self._holds[person]:
                del self._holds[person]
                if person in self._unheld:
                    self._unheld[person].set()

    async def has(self, person: str) -> bool:
        """Whether this server may act for a person at once. Raises StorageError."""
        self._require_current()
        if person in self._leaving:
            return self._is_here(person)
        return self._is_here(person) or await self._ask(person)

    async def seek(self, person: str) -> bool:
        """Ask whether another server has a device of this person. Returns whether one has taken
        them over."""
        self.tell("reach", person=person)
        with suppress(TimeoutError):
            async with asyncio.timeout(SEEK_S):
                while person in self._here:
                    await self._waiter(person).wait()
        return person not in self._here

    def _is_here(self, person: str) -> bool:
        """Whether one may act for a person now: who is about to leave may go on with what is under
        way, which may need them once more."""
        return person in self._here and (person not in self._leaving or self._holds[person] > 0)

    def _require_current(self) -> None:
        """Raises StorageError where others may have taken over meanwhile."""
        self._membership.require()
        if self._membership.times_taken != self._times_taken:
            raise StorageHeldError("others have taken over what this server had; it begins anew")

    async def _come(self, person: str) -> None:
        self._require_current()
        if self._is_here(person):
            return
        try:
            async with asyncio.timeout(self._patience_s):
                while True:
                    leaving = self._leaving.get(person)
                    if leaving is not None:
                        await asyncio.wait([leaving])
                    free = self._waiter(person)
                    if await self._ask(person, wanted=True):
                        return
                    with suppress(TimeoutError):
                        async with asyncio.timeout(ASK_AGAIN_S):
                            await free.wait()
        except TimeoutError:
            raise PersonElsewhereError("another server has this person, who talks there") from None

    async def _ask(self, person: str, *, wanted: bool = False) -> bool:
        """Whether a person is with this server now, or has come. ``wanted``: ask the server that
        has them."""
        task = self._asking.get(person)
        if task is None:
            task = asyncio.ensure_future(self._claim(person, wanted=wanted))
            self._asking[person] = task
            task.add_done_callback(lambda _: self._asking.pop(person, None))
        return await asyncio.shield(task) and self._is_here(person)

    async def _claim(self, person: str, *, wanted: bool) -> bool:
        me = self._membership.holder

        def work(raw: Raw) -> bool:
            row = raw.execute(CLAIM, {"person": person, "me": me}).fetchone()
            if row is not None and row[0] != me and wanted:
                asked = {"kind": "want", "person": person, "to": row[0], "from": me}
                raw.execute(TELL, (CHANNEL, json.dumps(asked)))
            return row is not None and row[0] == me

        mine = await self._in_session(work)
        self._require_current()
        if mine and person not in self._here:
            self._here.add(person)
            self._arrived(person)
        return mine

    def _let_go(self, person: str) -> None:
        """Give a person up, once what is under way has ended."""
        if person not in self._leaving:
            task = asyncio.ensure_future(self._leave(person))
            self._leaving[person] = task
            task.add_done_callback(lambda _: self._leaving.pop(person, None))

    async def _leave(self, person: str) -> None:
        try:
            if person in self._here:
                await self._stop_work(person)
                unheld = self._unheld[person] = asyncio.Event()
                try:
                    while self._holds[person] > 0:
                        unheld.clear()
                        await unheld.wait()
                finally:
                    del self._unheld[person]
                self._here.discard(person)
                self._left(person)
            me = self._membership.holder

            def work(raw: Raw) -> None:
                raw.execute(LEAVE, (person, me))
                free = json.dumps({"kind": "free", "person": person, "from": me})
                raw.execute(TELL, (CHANNEL, free))

            await self._in_session(work)
        except StorageError as error:
            log.debug("a person could not be given up: %s", error)  # they are asked for again
        finally:
            self._look(person)

    def _waiter(self, person: str) -> asyncio.Event:
        """Is set when this person may next have come or gone."""
        return self._waiters.setdefault(person, asyncio.Event())

    def _look(self, person: str | None) -> None:
        """Let those look again who wait for a person; None: for anybody."""
        if person is not None:
            waiter = self._waiters.pop(person, None)
            if waiter is not None:
                waiter.set()
            return
        for waiter in self._waiters.values():
            waiter.set()
        self._waiters.clear()

    # ---- news

    def tell(self, news: News, *, person: str | None = None, topic: str = "") -> None:
        """Tell the other servers of something, soon. Never raises."""
        what = {"kind": news, "person": person, "topic": topic, "from": self._membership.holder}
        text = json.dumps(what)
        if text in self._news or self._threads is None:
            return
        self._news.add(text)
        task = asyncio.ensure_future(self._send(text))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, text: str) -> None:
        await asyncio.sleep(TELL_AFTER_S)
        self._news.discard(text)
        try:
            await self._in_session(lambda raw: raw.execute(TELL, (CHANNEL, text)))
        except StorageError as error:
            log.debug("other servers could not be told of something: %s", error)

    def _hear(self, text: str) -> None:
        """Take in what a server tells."""
        told: dict[str, Any] = json.loads(text)
        kind, person, me = told["kind"], told.get("person"), self._membership.holder
        if told.get("from") == me:
            return
        if kind == "want":
            if told["to"] == me and person is not None:
                self._let_go(person)
            return
        if kind in ("free", "left", "gap"):
            self._look(person)
        if kind != "free":
            self._told(cast("News", kind), person, str(told.get("topic") or ""))

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        missed = False

        def hear(text: str) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._hear, text)

        while not self._stop.is_set():
            try:
                with self._connected() as raw:
                    raw.execute("SELECT set_config('idle_session_timeout', '0', false)")
                    raw.execute(f"LISTEN {CHANNEL}".encode())
                    if missed:
                        hear(json.dumps({"kind": "gap"}))
                    missed = True
                    while not self._stop.is_set():
                        for note in raw.notifies(timeout=LISTEN_AGAIN_S):
                            hear(note.payload)
            except (psycopg.Error, StorageError):
                self._stop.wait(LISTEN_AGAIN_S)

    # ---- sessions

    async def _in_session(self, work: Callable[[Raw], T]) -> T:
        if self._threads is None:
            raise StorageError("this server is about to stop")
        return await asyncio.wrap_future(self._threads.submit(self._ask_database, work))

    def _ask_database(self, work: Callable[[Raw], T]) -> T:
        with typed_errors(self._address.place):
            if self._raw is not None:
                try:
                    return work(self._raw)
                except psycopg.OperationalError:  # the session has ended
                    self._raw.close()
            self._raw = None
            self._raw = self._connected()
            return work(self._raw)

    def _connected(self) -> Raw:
        self._membership.require()
        raw = self._address.connect(
            self._patience_s,
            program=self._membership.holder,
            silence_s=self._membership.lasts_s,
        )
        try:
            self._membership.require_holder(raw)
        except BaseException:
            raw.close()
            raise
        return raw
