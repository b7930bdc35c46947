"""The owner's hand on memory over the database: implements ``lobug.memory.control.MemoryControl``.

Thin: each call is one read or one transaction of functions that live where their subject does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from lobug.errors import MemoryDisabledError, MemoryNotFoundError
from lobug.language.en.questions import in_third_person
from lobug.memory import (
    entries,
    identity,
    keys,
    log,
    projects,
    recall_log,
    sessions,
    statistics,
    store,
)
from lobug.memory.access import MemoryScope
from lobug.memory.control import (
    Draft,
    Entry,
    Filter,
    Forgotten,
    Hit,
    Identity,
    Imported,
    Project,
    ProjectTask,
    Provenance,
    Purge,
    Recall,
    RememberedUser,
    Session,
)
from lobug.memory.erasure.forget import forget_entries, forget_text
from lobug.memory.erasure.purge import purge
from lobug.memory.exchange import export, markdown
from lobug.memory.facts import EmbeddedQuery
from lobug.memory.index.fact_embedding import FactEmbedder
from lobug.memory.recall import entry_search
from lobug.memory.recall.query import PreparedQuery, QueryEmbedder, QueryVectors, prepare
from lobug.memory.recall.ranking import merged
from lobug.memory.recall.recaller import turn_hit
from lobug.memory.recall.turn_search import search_turns, speakers
from lobug.memory.store import Limits
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings
from lobug.storage.database import Database
from lobug.storage.driver import Connection

T = TypeVar("T")


class OwnerControl:
    """Implements ``lobug.memory.control.MemoryControl``.

    ``changed`` is called after a change: there may be work in the background; ``recount`` after one
    that adds or erases more than an entry."""

    def __init__(
        self,
        database: Database,
        embedding: FactEmbedder,
        settings: MemorySettings,
        priority: TurnPriority,
        *,
        clock: Callable[[], float],
        changed: Callable[[], None],
        recount: Callable[[], Awaitable[None]],
    ) -> None:
        self._database = database
        self._embedding = embedding
        self._queries = QueryEmbedder(embedding)
        self._settings = settings
        self._limits = Limits(settings.max_content_chars, settings.identity_chars)
        self._clock = clock
        self._priority = priority
        self._changed = changed
        self._when_erased: list[Callable[[str | None], None]] = []
        self._recount = recount

    async def store(self, scope: MemoryScope, draft: Draft) -> Entry:
        """Store a memory, or a new version where its key exists."""
        now = self._clock()
        return await self._change(
            "store",
            lambda connection: store.store(connection, scope, draft, limits=self._limits, now=now),
        )

    async def edit(
        self,
        scope: MemoryScope,
        entry_id: int,
        *,
        content: str | None = None,
        importance: float | None = None,
        tags: tuple[str, ...] | None = None,
        project: str | None = None,
    ) -> Entry:
        """A new version by the owner; what is None stays."""
        now = self._clock()
        return await self._change(
            "edit",
            lambda connection: store.edit(
                connection,
                scope,
                entry_id,
                content=content,
                importance=importance,
                tags=tags,
                project=project,
                limits=self._limits,
                now=now,
            ),
        )

    async def correct(self, scope: MemoryScope, entry_id: int, content: str) -> Entry:
        """Put an entry right; the wrong one is inactive for good."""
        now = self._clock()
        return await self._change(
            "correct",
            lambda connection: store.correct(
                connection, scope, entry_id, content, limits=self._limits, now=now
            ),
        )

    async def remove(self, scope: MemoryScope, entry_id: int) -> Entry:
        """Make an entry inactive without erasing it."""
        now = self._clock()
        return await self._change(
            "remove", lambda connection: store.remove(connection, scope, entry_id, now=now)
        )

    async def restore(self, scope: MemoryScope, entry_id: int) -> Entry:
        """Make a version active again."""
        now = self._clock()
        return await self._change(
            "restore",
            lambda connection: store.restore(
                connection, scope, entry_id, limits=self._limits, now=now
            ),
        )

    async def get(self, scope: MemoryScope, entry_id: int) -> Provenance:
        """An entry with where it comes from."""

        def work(connection: Connection) -> Provenance:
            entry = entries.find(connection, scope, entry_id)
            message = None
            if entry.source_message_id is not None:
                message = log.message(connection, scope.user, entry.source_message_id)
            if message is not None and not message.content:
                message = None
            return Provenance(
                entry=entry,
                message=None if message is None else message.content,
                message_at=None if message is None else message.created_at,
                derived_from=entries.sources(connection, entry_id),
            )

        return await self._database.read(work)

    async def find_key(self, scope: MemoryScope, key: str) -> Entry:
        """The active entry of a key."""
        keys.checked(key)
        return await self._database.read(
            lambda connection: entries.find_key(connection, scope, key)
        )

    async def entries(
        self, scope: MemoryScope, where: Filter, *, limit: int = 50, after_id: int = 0
    ) -> Sequence[Entry]:
        """Entries in the order of their ids."""
        return await self._database.read(
            lambda connection: entries.listed(
                connection, scope, where, limit=limit, after_id=after_id
            )
        )

    async def history(self, scope: MemoryScope, entry_id: int) -> Sequence[Entry]:
        """All versions of an entry, oldest first."""
        return await self._database.read(
            lambda connection: entries.versions(connection, scope, entry_id)
        )

    async def search(
        self, scope: MemoryScope, query: str, where: Filter, *, limit: int = 5, turns: bool = False
    ) -> Sequence[Hit]:
        """The memories, and with ``turns`` the messages, that fit a query, best first."""
        wanted = in_third_person(query)
        opened = entry_search.with_past(where, query)
        if not turns:
            embedded = await self._embedding.query(wanted)
            return await self._search_entries(scope, query, embedded, opened, limit)
        names = await self._database.read(lambda connection: speakers(connection, scope))
        prepared = prepare(query, names)
        both = await self._queries.both(prepared, wanted)
        entries = await self._search_entries(scope, query, both.entries, opened, limit)
        said = await self._search_turns(scope, prepared, both.turns, where, limit)
        return merged(entries, said, limit, by_time=not query.strip())

    async def _search_entries(
        self,
        scope: MemoryScope,
        query: str,
        embedded: EmbeddedQuery | None,
        where: Filter,
        limit: int,
    ) -> Sequence[Hit]:
        return await self._database.read(
            lambda connection: entry_search.search(
                connection, scope, query, embedded, where, limit=limit
            )
        )

    async def _search_turns(
        self,
        scope: MemoryScope,
        prepared: PreparedQuery,
        vectors: QueryVectors | None,
        where: Filter,
        limit: int,
    ) -> Sequence[Hit]:
        found = await self._database.read(
            lambda connection: search_turns(
                connection,
                scope,
                prepared,
                vectors,
                limit=limit,
                since=where.since,
                until=where.until,
            )
        )
        return [turn_hit(hit) for hit in found]

    async def identity(self, scope: MemoryScope) -> Identity:
        """Layer identity."""
        return await self._database.read(
            lambda connection: identity.identity(connection, scope, self._limits.identity_chars)
        )

    async def sessions(
        self, scope: MemoryScope, *, limit: int = 50, before_id: int | None = None
    ) -> Sequence[Session]:
        """Sessions, newest first."""
        return await self._database.read(
            lambda connection: sessions.listed(
                connection, scope.user, limit=limit, before_id=before_id
            )
        )

    async def why(self, scope: MemoryScope, message_id: int | None = None) -> Recall:
        """What was recalled for a message; None: for the conversation's last turn."""

        def work(connection: Connection) -> Recall:
            if message_id is not None:
                return recall_log.of_message(connection, scope, message_id)
            found = recall_log.latest(connection, scope, 1)
            if not found:
                raise MemoryNotFoundError("nothing has been recalled yet")
            return found[0]

        return await self._database.read(work)

    async def recalls(self, scope: MemoryScope, *, limit: int = 20) -> Sequence[Recall]:
        """The retrieval log, newest first."""
        return await self._database.read(
            lambda connection: recall_log.latest(connection, scope, limit)
        )

    async def stats(self, scope: MemoryScope) -> Mapping[str, Any]:
        """Counts and sizes of the user's memory."""
        path = self._database.path
        return await self._database.read(
            lambda connection: statistics.of_user(
                connection, scope, self._limits.identity_chars, path
            )
        )

    async def users(self) -> Sequence[RememberedUser]:
        """Everybody of whom anything is kept, last active first."""
        return await self._database.read(statistics.users)

    async def projects(self, scope: MemoryScope) -> Sequence[Project]:
        """Projects of the user."""
        return await self._database.read(lambda connection: projects.listed(connection, scope))

    async def add_project(self, scope: MemoryScope, name: str, description: str = "") -> Project:
        """Add or describe a project."""
        now = self._clock()
        return await self._change(
            "project",
            lambda connection: projects.add(connection, scope, name, description, now),
        )

    async def archive_project(self, scope: MemoryScope, name: str) -> Project:
        """Archive a project."""
        return await self._change(
            "project", lambda connection: projects.archive(connection, scope, name)
        )

    async def tasks(
        self, scope: MemoryScope, *, project: str | None = None
    ) -> Sequence[ProjectTask]:
        """Tasks of the user."""
        return await self._database.read(
            lambda connection: projects.tasks(connection, scope, project)
        )

    async def add_task(
        self, scope: MemoryScope, title: str, *, project: str | None = None
    ) -> ProjectTask:
        """Open a task."""
        now = self._clock()
        return await self._change(
            "task", lambda connection: projects.add_task(connection, scope, title, project, now)
        )

    async def note_task(self, scope: MemoryScope, task_id: int, state: str) -> ProjectTask:
        """Set a task's working state."""
        return await self._change(
            "task", lambda connection: projects.note(connection, scope, task_id, state)
        )

    async def complete_task(
        self, scope: MemoryScope, task_id: int, result: str = ""
    ) -> ProjectTask:
        """Complete a task: its working state goes to the archive."""
        now = self._clock()
        return await self._change(
            "task",
            lambda connection: projects.complete(connection, scope, task_id, result, now),
        )

    async def _change(self, name: str, work: Callable[[Connection], T]) -> T:
        if not self._settings.enabled:
            raise MemoryDisabledError("memory.enabled is off")
        result = await self._database.write(name, work)
        self._changed()
        return result

    async def forget(self, scope: MemoryScope, entry_id: int) -> Forgotten:
        """Erase an entry, the words it came from, and what was derived from them."""
        now = self._clock()
        return await self._erase(
            scope, "forget", lambda connection: forget_entries(connection, scope, [entry_id], now)
        )

    async def forget_key(self, scope: MemoryScope, key: str) -> Forgotten:
        """``forget`` by key."""
        keys.checked(key)
        now = self._clock()

        def work(connection: Connection) -> Forgotten:
            entry = entries.find_key(connection, scope, key)
            return forget_entries(connection, scope, [entry.id], now)

        return await self._erase(scope, "forget", work)

    async def forget_text(
        self, scope: MemoryScope, text: str, *, dry_run: bool = False
    ) -> Forgotten:
        """Erase whatever says this."""
        now = self._clock()

        def work(connection: Connection) -> Forgotten:
            return forget_text(connection, scope, text, now, dry_run=dry_run)

        if dry_run:  # a write all the same, that is taken back
            return await self._database.write("forget", work)
        return await self._erase(scope, "forget", work)

    async def purge(self, scope: MemoryScope, what: Purge) -> Forgotten:
        """Erase a session, a user, or what is old."""
        now = self._clock()
        return await self._erase(
            scope, "purge", lambda connection: purge(connection, scope, what, now)
        )

    async def _erase(
        self, scope: MemoryScope, name: str, work: Callable[[Connection], Forgotten]
    ) -> Forgotten:
        """Also where memory is switched off: what was kept before can be erased then too."""
        # Background work that has read what is erased must not store anything made from it.
        async with self._priority.exclusive():
            gone = await self._database.write(name, work)
            await self._tell_erased(None if scope.household == "write" else scope.user)
        self._changed()
        return gone

    async def erased_elsewhere(self) -> None:
        """Another program has changed the database: whatever it was, anybody's words may be gone.
        Raises StorageError."""
        async with self._priority.turn():  # as above
            await self._tell_erased(None)
        self._changed()

    async def _tell_erased(self, user: str | None) -> None:
        # Before anybody's next turn can be given it again.
        for call in self._when_erased:
            call(user)
        await self._recount()

    def when_erased(self, call: Callable[[str | None], None]) -> None:
        """Have ``call`` called whenever something was erased."""
        self._when_erased.append(call)

    async def export(self, scope: MemoryScope) -> Mapping[str, Any]:
        """All of the user's memory as one JSON document, complete and lossless."""
        now = self._clock()
        return await self._database.aside(lambda c: export.export(c, scope, now))

    async def export_markdown(self, scope: MemoryScope) -> str:
        """All of the user's memory to be read."""
        now = self._clock()
        return await self._database.aside(
            lambda c: markdown.export_markdown(export.export(c, scope, now))
        )

    async def import_json(self, scope: MemoryScope, document: object) -> Imported:
        """Bring in an export, or a ``sessions.json`` snapshot."""
        now, limit = self._clock(), self._limits.identity_chars
        parsed = await asyncio.to_thread(export.parse, document)

        def work(connection: Connection) -> Imported:
            return export.import_parsed(connection, scope, parsed, now, identity_chars=limit)

        done = await self._database.write("import", work)
        await self._recount()
        self._changed()
        return done
