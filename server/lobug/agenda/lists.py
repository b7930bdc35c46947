"""Lists of things, such as for shopping: rows of ``lists`` and ``list_items``.

A list belongs to a person or to the household; who may use which is decided by ``skills``. The key
of a list and of a thing tells whether two wordings mean the same ("groceries" and "shopping list",
"Egg" and "eggs"); the language makes both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from sqlalchemy import and_, bindparam, delete, func, insert, select, update

from lobug.agenda.tables import list_items, lists
from lobug.errors import (
    ListExistsError,
    ListFullError,
    ListItemError,
    ListLimitError,
    ListNotFoundError,
)
from lobug.settings.skills import SkillSettings
from lobug.storage.connection import Connection
from lobug.storage.database import Database
from lobug.storage.statements import among, columns_of, records, run, run_many


@dataclass(frozen=True, slots=True)
class ListName:
    """What a list is called."""

    shown: str
    """As it is shown: "shopping", "list of films to watch"."""
    key: str
    """What it is found by."""


@dataclass(frozen=True, slots=True)
class Item:
    """A thing on a list."""

    id: int
    content: str
    """One line."""
    done: bool
    """It was ticked off: it is kept, but no longer read out."""
    position: int
    created_at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list with what is on it, in its order."""

    id: int
    user: str
    name: str
    key: str
    created_at: float
    items: tuple[Item, ...] = ()

    @property
    def open(self) -> tuple[Item, ...]:
        """What has not been ticked off."""
        return tuple(item for item in self.items if not item.done)


@dataclass(frozen=True, slots=True)
class Added:
    """What came of adding things to a list."""

    list: ItemList
    """As it is now."""
    created: bool
    """The list is new."""
    items: tuple[Item, ...]
    """What is new on it."""
    present: tuple[Item, ...]
    """What was on it already."""


LISTED = select(*columns_of(lists, ItemList)).where(lists.c.user == bindparam("user"))
ALL = LISTED.order_by(lists.c.id)
BY_KEY = LISTED.where(lists.c.key == bindparam("key"))
BY_ID = LISTED.where(lists.c.id == bindparam("list_id"))
COUNT = select(func.count()).where(lists.c.user == bindparam("user"))
INSERT = insert(lists).returning(lists.c.id)
DELETE = delete(lists).where(
    and_(lists.c.id == bindparam("of_list"), lists.c.user == bindparam("of_user"))
)

ITEMS = (
    select(*columns_of(list_items, Item))
    .where(list_items.c.list_id == bindparam("list_id"))
    .order_by(list_items.c.position, list_items.c.id)
)
INSERT_ITEM = insert(list_items)
_THESE = and_(list_items.c.list_id == bindparam("of_list"), among(list_items.c.id, "ids"))
SET_DONE = update(list_items).values(done=bindparam("is_done")).where(_THESE)
SET_CONTENT = (
    update(list_items)
    .values(content=bindparam("text"))
    .where(list_items.c.list_id == bindparam("of_list"), list_items.c.id == bindparam("item_id"))
)
DELETE_ITEMS = delete(list_items).where(_THESE)


T = TypeVar("T")


def one_line(text: str, longest: int) -> str:
    """A text on one line, without characters that cannot be seen. Raises ListItemError."""
    seen = "".join(mark if mark.isprintable() else " " for mark in text)
    line = " ".join(seen.split())
    if not line or len(line) > longest:
        raise ListItemError(f"a name or a thing on a list has 1 to {longest} characters")
    return line


class Lists:
    """The lists of all users. Every method raises StorageError subclasses.

    A ``user`` is a person or the household. A list that is named by its id is the user's, or
    ListNotFoundError is raised.
    """

    def __init__(
        self,
        database: Database,
        settings: SkillSettings,
        *,
        clock: Callable[[], float],
        item_key: Callable[[str], str],
    ) -> None:
        """``clock``: seconds since the epoch. ``item_key``: the key of a thing."""
        self._database = database
        self._settings = settings
        self._clock = clock
        self._item_key = item_key
        self.changed: Callable[[Set[str]], None] = lambda _: None
        """Called on the event loop after each change, with the users whose lists it changed."""

    async def of_user(self, user: str) -> list[ItemList]:
        """All lists of a user with what is on them, the oldest first."""
        return await self._database.read(partial(_all, user=user))

    async def find(self, user: str, key: str) -> ItemList | None:
        """The list of a key; None: there is none."""
        return await self._database.read(partial(_by_key, user=user, key=key))

    async def create(self, user: str, name: ListName) -> ItemList:
        """Make an empty list. Raises ListExistsError, ListLimitError, ListItemError."""

        def work(connection: Connection) -> ItemList:
            if _by_key(connection, user=user, key=name.key) is not None:
                raise ListExistsError("there is a list of this name")
            return self._create(connection, user, name)

        return await self._write({user}, work)

    async def add(self, user: str, name: ListName, contents: Sequence[str]) -> Added:
        """Put things on a list, all or none; the list is made if there is none.

        What is on it already is not put on it twice; what was ticked off is open again. Raises
        ListFullError, ListLimitError, ListItemError.
        """
        texts = [one_line(text, self._settings.max_item_chars) for text in contents]

        def work(connection: Connection) -> Added:
            found = _by_key(connection, user=user, key=name.key)
            before = found or self._create(connection, user, name)
            return self._put(connection, before, texts, created=found is None)

        return await self._write({user}, work)

    async def remove(self, user: str, list_id: int, ids: Sequence[int]) -> tuple[Item, ...]:
        """Delete things from a list. Returns those that were there."""

        def work(connection: Connection) -> tuple[Item, ...]:
            gone = _these(_by_id(connection, user=user, list_id=list_id), ids)
            run(connection, DELETE_ITEMS, of_list=list_id, ids=ids)
            return gone

        return await self._write({user}, work, erases=True)

    async def tick(
        self, user: str, list_id: int, ids: Sequence[int], *, done: bool = True
    ) -> tuple[Item, ...]:
        """Tick things off, or with ``done`` False open them again. Returns those that changed."""

        def work(connection: Connection) -> tuple[Item, ...]:
            before = _these(_by_id(connection, user=user, list_id=list_id), ids)
            run(connection, SET_DONE, of_list=list_id, ids=ids, is_done=done)
            return tuple(item for item in before if item.done != done)

        return await self._write({user}, work)

    async def change(
        self,
        user: str,
        list_id: int,
        item_id: int,
        *,
        content: str | None = None,
        done: bool | None = None,
    ) -> Item:
        """Change the words of a thing or tick it off; None: that stays. Returns it as it is now.
        Raises ListNotFoundError, ListItemError."""
        text = None if content is None else one_line(content, self._settings.max_item_chars)

        def work(connection: Connection) -> Item:
            if not _these(_by_id(connection, user=user, list_id=list_id), [item_id]):
                raise ListNotFoundError("nothing of this id is on the list")
            if text is not None:
                run(connection, SET_CONTENT, of_list=list_id, item_id=item_id, text=text)
            if done is not None:
                run(connection, SET_DONE, of_list=list_id, ids=[item_id], is_done=done)
            (changed,) = _these(_by_id(connection, user=user, list_id=list_id), [item_id])
            return changed

        return await self._write({user}, work)

    async def move(
        self, user: str, list_id: int, ids: Sequence[int], to_user: str, to: ListName
    ) -> tuple[Item, ...]:
        """Move things from a list to another one, all or none; that one is made if there is none.
        Returns what was moved. Raises ListFullError, ListLimitError."""

        def work(connection: Connection) -> tuple[Item, ...]:
            moved = _these(_by_id(connection, user=user, list_id=list_id), ids)
            found = _by_key(connection, user=to_user, key=to.key)
            target = found or self._create(connection, to_user, to)
            if target.id == list_id:
                return ()
            self._put(connection, target, [item.content for item in moved], created=found is None)
            run(connection, DELETE_ITEMS, of_list=list_id, ids=[item.id for item in moved])
            return moved

        return await self._write({user, to_user}, work, erases=True)

    async def delete(self, user: str, list_id: int) -> ItemList:
        """Delete a list with all that is on it. Returns what it was."""

        def work(connection: Connection) -> ItemList:
            gone = _by_id(connection, user=user, list_id=list_id)
            run(connection, DELETE, of_list=list_id, of_user=user)
            return gone

        return await self._write({user}, work, erases=True)

    async def _write(
        self, users: Set[str], work: Callable[[Connection], T], *, erases: bool = False
    ) -> T:
        """One transaction that changes lists of these users."""
        result = await self._database.write("lists", work)
        self.changed(users)
        if erases:
            await self._database.fold_log()
        return result

    def _create(self, connection: Connection, user: str, name: ListName) -> ItemList:
        if run(connection, COUNT, user=user).scalar() >= self._settings.max_lists_per_person:
            raise ListLimitError("there are as many lists as one person may have")
        shown = one_line(name.shown, self._settings.max_item_chars)
        now = self._clock()
        list_id = run(
            connection, INSERT, user=user, name=shown, key=name.key, created_at=now
        ).scalar()
        return ItemList(list_id, user, shown, name.key, now)

    def _put(
        self, connection: Connection, before: ItemList, texts: Sequence[str], *, created: bool
    ) -> Added:
        """Put things on a list that exists. Raises ListFullError."""
        known = {self._item_key(item.content): item for item in before.items}
        wanted = {self._item_key(text): text for text in reversed(texts)}
        new = [key for key in dict.fromkeys(map(self._item_key, texts)) if key not in known]
        again = [known[key] for key in wanted if key in known and known[key].done]
        room = self._settings.max_items_per_list - len(before.open) - len(again)
        if len(new) > room:
            raise ListFullError("the list would hold more than one may")
        ticked = [item.id for item in before.items if item.done and item not in again]
        spare = max(0, len(before.items) + len(new) - self._settings.max_items_per_list)
        run(connection, DELETE_ITEMS, of_list=before.id, ids=ticked[:spare])
        run(connection, SET_DONE, of_list=before.id, ids=[i.id for i in again], is_done=False)
        last = max((item.position for item in before.items), default=0)
        now = self._clock()
        run_many(
            connection,
            INSERT_ITEM,
            [
                {"list_id": before.id, "content": wanted[key], "position": at, "created_at": now}
                for at, key in enumerate(new, start=last + 1)
            ],
        )
        after = _by_id(connection, user=before.user, list_id=before.id)
        open_before = {item.id for item in before.open}
        return Added(
            after,
            created,
            tuple(item for item in after.open if item.id not in open_before),
            tuple(
                known[key]
                for key in dict.fromkeys(map(self._item_key, texts))
                if key in known and not known[key].done
            ),
        )


def _these(one: ItemList, ids: Sequence[int]) -> tuple[Item, ...]:
    wanted = frozenset(ids)
    return tuple(item for item in one.items if item.id in wanted)


def _all(connection: Connection, *, user: str) -> list[ItemList]:
    return [_filled(connection, row) for row in run(connection, ALL, user=user).all()]


def _by_key(connection: Connection, *, user: str, key: str) -> ItemList | None:
    row = run(connection, BY_KEY, user=user, key=key).first()
    return None if row is None else _filled(connection, row)


def _by_id(connection: Connection, *, user: str, list_id: int) -> ItemList:
    row = run(connection, BY_ID, user=user, list_id=list_id).first()
    if row is None:
        raise ListNotFoundError("there is no such list")
    return _filled(connection, row)


def _filled(connection: Connection, row: ItemList) -> ItemList:
    rows = run(connection, ITEMS, list_id=row.id)
    items = tuple(records(Item, rows))
    return ItemList(row.id, row.user, row.name, row.key, row.created_at, items)
