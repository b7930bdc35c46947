"""The people of one of several servers on a PostgreSQL, and what these servers tell each other."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar, cast

import psycopg
from psycopg import errors

from lobug.errors import PersonElsewhereError, StorageError, StorageHeldError
from lobug.storage.connection import Connection
from lobug.storage.people import SHARED_WORK, News, NewsListener
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.errors import typed_errors
from lobug.storage.postgres.membership import CHANNEL, PEOPLE, TELL, TELL_PATIENTLY, Membership
from lobug.storage.postgres.presence import ELSEWHERE, Presence

log = logging.getLogger(__name__)

T = TypeVar("T")

ASK_AGAIN_S = 0.25
"""How often a server that waits for a person asks again, seconds."""

SEEK_S = 1.0
"""How long to wait for a server that has a device of a person, seconds."""

TELL_AFTER_S = 0.02
"""The same news within this time is sent once, seconds."""

SHARED_WORK_S = 5.0
"""How long a server that has not the shared work does not ask for it again, seconds."""

RESET_S = 30.0
"""How long what is under way may take to end when others have taken over, seconds."""

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


async def _ended(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel tasks, and return when they have ended."""
    cancelled = tuple(tasks)
    for task in cancelled:
        task.cancel()
    await asyncio.gather(*cancelled, return_exceptions=True)


class SharedPeople:
    """``People`` that other servers may ask for. ``start`` first, ``close`` last; all calls are
    made on one event loop."""

    def __init__(
        self, membership: Membership, address: Address, patience_s: float, handover_s: float
    ) -> None:
        """``patience_s``: how long it may take to connect; ``handover_s``: how long to wait for a
        person who is with another server."""
        self._membership = membership
        self._address = address
        self._patience_s = patience_s
        self._handover_s = handover_s
        self._times_taken = 0
        self._here: set[str] = set()
        self._holds: Counter[str] = Counter()
        """How often each person is held now."""
        self._holders: list[asyncio.Task[Any] | None] = []
        """What acts for anybody now."""
        self._unheld = asyncio.Event()
        """Set when the last one who held a person has let them go."""
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._claiming: dict[str, asyncio.Task[bool]] = {}
        self._shared_work_at = 0.0
        """When to ask again for the shared work, which another server has; by the monotonic clock.
        """
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
        self._presence = Presence(membership, self._in_session)
        self._told: NewsListener = lambda _news, _person, _conversation: None
        self._arrived: Callable[[str], None] = lambda _person: None
        self._stop_work: Callable[[str], None] = lambda _person: None
        self._left: Callable[[str], None] = lambda _person: None

    # ---- life

    async def start(self) -> None:
        """Begin to hear other servers, once the membership was begun. Safe to call again."""
        if self._threads is None:
            self._times_taken = self._membership.times_taken
            self._threads = ThreadPoolExecutor(1, thread_name_prefix="lobug-people")
            self._stop.clear()
            loop, tried = asyncio.get_running_loop(), threading.Event()
            self._listening = threading.Thread(
                target=self._listen, args=(loop, tried), name="lobug-listen", daemon=True
            )
            self._listening.start()
            await asyncio.to_thread(tried.wait)

    def follow(
        self,
        *,
        arrived: Callable[[str], None],
        stop_work: Callable[[str], None],
        left: Callable[[str], None],
        told: NewsListener,
    ) -> None:
        """Call these from now on (``People``)."""
        self._arrived, self._stop_work = arrived, stop_work
        self._left, self._told = left, told

    async def reset(self) -> None:
        """Nobody is with this server any more. Returns when nothing acts for anybody that began
        before; what takes too long is cancelled."""
        self._here.clear()
        await _ended(self._leaving.values())
        self._leaving.clear()  # one that had not begun has not done that itself
        with suppress(TimeoutError):
            async with asyncio.timeout(RESET_S):
                while self._holds:
                    self._unheld.clear()
                    await self._unheld.wait()
        for holder in self._holders:
            if holder is not None:
                holder.cancel()
        while self._holds:
            self._unheld.clear()
            await self._unheld.wait()
        self._times_taken = self._membership.times_taken
        self._presence.look_again()

    async def close(self) -> None:
        """Stop. Everybody is free once the membership has ended. Safe to call twice."""
        self._stop.set()
        await self._presence.close()
        await _ended((*self._leaving.values(), *self._claiming.values(), *self._tasks))
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
    async def hold(self, person: str, *, joining: bool = False) -> AsyncIterator[None]:
        """Act for a person while the context is open. Raises PersonElsewhereError, StorageError."""
        if not (joining and person in self._here and self._holds[person]):
            await self._claim_until_here(person)
        with self._held(person):
            yield

    @asynccontextmanager
    async def work(self, person: str) -> AsyncIterator[None]:
        """The same for background work. Raises PersonElsewhereError, StorageError."""
        if not await self.has(person):
            raise PersonElsewhereError("another server has this person")
        with self._held(person):
            yield

    async def has(self, person: str) -> bool:
        """Whether this server may act for a person at once. Raises StorageError."""
        self._require_current()
        if person == SHARED_WORK and time.monotonic() < self._shared_work_at:
            return False
        mine = self.here(person) or await self._claim(person)
        if person == SHARED_WORK and not mine:
            self._shared_work_at = time.monotonic() + SHARED_WORK_S
        return mine

    def here(self, person: str) -> bool:
        """Whether something may begin for a person now: they are here, and not about to leave."""
        return person in self._here and person not in self._leaving

    async def seek(self, person: str) -> bool:
        """Ask whether another server has a device of this person. Returns whether one has taken
        them over."""
        self.tell("reach", person=person)
        with suppress(TimeoutError):
            async with asyncio.timeout(SEEK_S):
                while person in self._here:
                    await self._waiter(person).wait()
        return person not in self._here

    @contextmanager
    def _held(self, person: str) -> Iterator[None]:
        task = asyncio.current_task()
        self._holds[person] += 1
        self._holders.append(task)
        try:
            yield
        finally:
            self._holders.remove(task)
            self._holds[person] -= 1
            if not self._holds[person]:
                del self._holds[person]
                self._unheld.set()

    def _require_current(self) -> None:
        """Raises StorageError where others may have taken over meanwhile."""
        self._membership.require()
        if self._membership.times_taken != self._times_taken:
            raise StorageHeldError("others have taken over what this server had; it begins anew")

    async def _claim_until_here(self, person: str) -> None:
        self._require_current()
        if self.here(person):
            return
        try:
            async with asyncio.timeout(self._handover_s):
                while True:
                    while (leaving := self._leaving.get(person)) is not None:
                        await asyncio.wait([leaving])
                    free = self._waiter(person)
                    if self.here(person) or await self._claim(person, wanted=True):
                        return
                    with suppress(TimeoutError):
                        async with asyncio.timeout(ASK_AGAIN_S):
                            await free.wait()
        except TimeoutError:
            raise PersonElsewhereError("another server has this person, and is busy") from None

    async def _claim(self, person: str, *, wanted: bool = False) -> bool:
        """Whether a person is with this server now, or has come. ``wanted``: ask the server that
        has them."""
        if person in self._leaving:
            return False
        task = self._claiming.get(person)
        if task is None:
            task = asyncio.ensure_future(self._claim_now(person, wanted=wanted))
            self._claiming[person] = task
        return await asyncio.shield(task) and self.here(person)

    async def _claim_now(self, person: str, *, wanted: bool) -> bool:
        me, times = self._membership.holder, self._membership.times_taken

        def ask(raw: Raw) -> bool:
            try:
                row = raw.execute(CLAIM, {"person": person, "me": me}).fetchone()
            except errors.LockNotAvailable:
                return False  # another server is about to take or to free them
            if row is not None and row[0] != me and wanted:
                asked = {"kind": "want", "person": person, "to": row[0], "from": me}
                raw.execute(TELL_PATIENTLY, (CHANNEL, json.dumps(asked)))
            return row is not None and row[0] == me

        try:
            mine = await self._in_session(ask)
            self._require_current()
            if times != self._times_taken:
                raise StorageHeldError("others have taken over meanwhile")
            if mine and person not in self._here:
                self._here.add(person)
                if person != SHARED_WORK:
                    self._arrived(person)
            return mine
        finally:
            self._claiming.pop(person, None)

    def _let_go(self, person: str) -> None:
        """Give a person up, once what is under way has ended."""
        if person not in self._leaving:
            self._leaving[person] = asyncio.ensure_future(self._leave(person))

    async def _leave(self, person: str) -> None:
        """Only while ``_leaving`` has this task does nobody claim the person."""
        try:
            claiming = self._claiming.get(person)
            if claiming is not None:
                await asyncio.wait([claiming])
            if person in self._here:
                self._stop_work(person)
                while self._holds[person] > 0:
                    self._unheld.clear()
                    await self._unheld.wait()
                self._here.discard(person)
                self._left(person)
            me = self._membership.holder

            def leave(raw: Raw) -> None:
                raw.execute(LEAVE, (person, me))
                free = json.dumps({"kind": "free", "person": person, "from": me})
                raw.execute(TELL_PATIENTLY, (CHANNEL, free))

            await self._in_session(leave)
        except StorageError as error:
            log.debug("a person could not be given up: %s", error)  # they are asked for again
        except Exception:
            log.exception("a person could not be given up")
        finally:
            self._leaving.pop(person, None)
            self._wake_waiters(person)

    def _waiter(self, person: str) -> asyncio.Event:
        """Is set when this person may next have come or gone."""
        return self._waiters.setdefault(person, asyncio.Event())

    def _wake_waiters(self, person: str | None) -> None:
        """Let those look again who wait for a person; None: for anybody."""
        if person is not None:
            waiter = self._waiters.pop(person, None)
            if waiter is not None:
                waiter.set()
            return
        self._shared_work_at = 0.0
        for waiter in self._waiters.values():
            waiter.set()
        self._waiters.clear()

    # ---- devices

    def note_device(self, device: str, *, connected: bool) -> None:
        """Note that a device has connected here, or gone, soon. Never raises."""
        self._presence.note(device, connected=connected)

    async def devices_elsewhere(self) -> frozenset[str]:
        """The devices that are connected to other servers. Raises StorageError."""
        me = self._membership.holder
        rows = await self._in_session(lambda raw: raw.execute(ELSEWHERE, (me,)).fetchall())
        return frozenset(row[0] for row in rows)

    # ---- news

    def tell(
        self, news: News, *, person: str | None = None, conversation: str | None = None
    ) -> None:
        """Tell the other servers of something, soon. Never raises."""
        what = {"kind": news, "person": person, "from": self._membership.holder}
        if conversation is not None:
            what["conversation"] = conversation
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
            await self._in_session(lambda raw: raw.execute(TELL_PATIENTLY, (CHANNEL, text)))
        except StorageError as error:
            log.debug("other servers could not be told of something: %s", error)

    def tell_with(self, connection: Connection, news: News, *, person: str | None) -> None:
        """Tell the other servers of something when the transaction is committed."""
        what = {"kind": news, "person": person, "from": self._membership.holder}
        connection.execute(TELL, (CHANNEL, json.dumps(what)))

    def _hear(self, text: str) -> None:
        """Take in what a server tells."""
        try:
            told: dict[str, Any] = json.loads(text)
            kind, person, sender = told["kind"], told.get("person"), told.get("from")
        except (ValueError, KeyError, TypeError, AttributeError):
            log.debug("something else was told on the channel %s", CHANNEL)
            return
        me = self._membership.holder
        if sender == me:
            return
        if kind == "want":
            if told.get("to") == me and person is not None:
                self._let_go(person)
            return
        if kind in ("free", "left", "gap"):
            self._wake_waiters(person)
        if kind != "free":
            self._told(cast("News", kind), person, told.get("conversation"))

    def _listen(self, loop: asyncio.AbstractEventLoop, tried: threading.Event) -> None:
        """``tried`` is set once it hears, or could not at first."""

        def hear(text: str) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._hear, text)

        while not self._stop.is_set():
            try:
                with self._membership.connect(self._patience_s) as raw:
                    raw.execute("SELECT set_config('idle_session_timeout', '0', false)")
                    raw.execute(f"LISTEN {CHANNEL}".encode())
                    if tried.is_set():
                        hear(json.dumps({"kind": "gap"}))
                    tried.set()
                    while not self._stop.is_set():
                        for note in raw.notifies(timeout=LISTEN_AGAIN_S):
                            hear(note.payload)
            except (psycopg.Error, StorageError):
                tried.set()
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
                except psycopg.Error:
                    if not self._raw.closed:
                        raise
            self._raw = None  # the session has ended
            self._raw = self._connected()
            return work(self._raw)

    def _connected(self) -> Raw:
        """A session that waits only briefly for a lock on one person's row: the others must not
        wait for it, too."""
        raw = self._membership.connect(self._patience_s)
        try:
            limit = self._membership.lock_timeout
            raw.execute("SELECT set_config('lock_timeout', %s, false)", (limit,))
        except BaseException:
            raw.close()
            raise
        return raw
