"""A ``MemoryControl`` in plain Python: the owner's doors and the voice are tested against it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from lobug.errors import (
    ImportInvalidError,
    MemoryContentError,
    MemoryKeyError,
    MemoryNotFoundError,
)
from lobug.memory.access import HOUSEHOLD, MemoryScope
from lobug.memory.control import (
    Draft,
    Entry,
    Filter,
    Forgotten,
    Hit,
    Identity,
    Imported,
    MemoryControl,
    Project,
    ProjectTask,
    Provenance,
    Purge,
    Recall,
    RememberedUser,
    Session,
)

KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
DAY_S = 86_400.0


def words(text: str) -> set[str]:
    """The words of a text, in small letters."""
    return set(re.findall(r"\w+", text.lower()))


class ControlDouble:
    """Keeps everything in lists. Fill ``sessions_kept``, ``recalls_kept`` by hand."""

    def __init__(self, clock: Callable[[], float] = lambda: 1_700_000_000.0) -> None:
        self.clock = clock
        self.kept: list[Entry] = []
        self.sessions_kept: list[Session] = []
        self.recalls_kept: list[tuple[str, Recall]] = []
        self.projects_kept: list[tuple[str, Project]] = []
        self.tasks_kept: list[tuple[str, ProjectTask]] = []
        self.purged: list[tuple[str, Purge]] = []
        self._when_erased: list[Callable[[str | None], None]] = []

    def when_erased(self, call: Callable[[str | None], None]) -> None:
        self._when_erased.append(call)

    def _visible(self, scope: MemoryScope) -> Iterator[Entry]:
        for entry in self.kept:
            if entry.user == HOUSEHOLD:
                if scope.household != "none":
                    yield entry
            elif entry.user == scope.user and (
                entry.scope != "conversation" or scope.conversation in {None, entry.conversation}
            ):
                yield entry

    def _find(self, scope: MemoryScope, entry_id: int) -> Entry:
        for entry in self._visible(scope):
            if entry.id == entry_id:
                return entry
        raise MemoryNotFoundError(f"there is no memory {entry_id}")

    def _set(self, entry: Entry) -> Entry:
        self.kept = [entry if known.id == entry.id else known for known in self.kept]
        return entry

    def _add(self, entry: Entry) -> Entry:
        entry = replace(entry, id=max((known.id for known in self.kept), default=0) + 1)
        self.kept.append(entry)
        return entry

    def _replace(self, old: Entry, new: Entry, reason: Any) -> Entry:
        new = self._add(replace(new, updated_at=self.clock()))
        self._set(
            replace(
                old,
                status="inactive",
                reason=reason,
                replaced_by=new.id,
                expired_at=self.clock(),
            )
        )
        return new

    async def store(self, scope: MemoryScope, draft: Draft) -> Entry:
        scope.require(draft.scope, write=True)
        key = draft.key or re.sub(r"\W+", "_", draft.content.lower(), flags=re.ASCII).strip("_")
        key = key[:64] if draft.key is None and KEY.match(key) else draft.key or "memory"
        _check_key(key)
        if not draft.content.strip():
            raise MemoryContentError("content is empty")
        now = self.clock()
        entry = Entry(
            id=0,
            key=key,
            content=draft.content,
            layer=draft.layer,
            category=draft.category,
            scope=draft.scope,
            user=scope.stored_under(draft.scope),
            conversation=scope.conversation,
            session_id=None,
            fact_type=draft.fact_type,
            section=draft.section,
            importance=draft.importance,
            source=draft.source,
            status="active",
            reason=None,
            tags=draft.tags,
            project=draft.project,
            task_id=None,
            said_at=now if draft.said_at is None else draft.said_at,
            created_at=now,
            updated_at=now,
            valid_from=now,
            valid_until=None,
            expired_at=None,
            replaced_by=None,
            source_message_id=draft.source_message_id,
            from_message_id=None,
            to_message_id=None,
            recall_count=0,
            last_recalled_at=None,
        )
        for known in self._visible(scope):
            if (known.key, known.scope, known.status) == (key, draft.scope, "active"):
                return self._replace(known, entry, "superseded")
        return self._add(entry)

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
        old = self._find(scope, entry_id)
        new = replace(
            old,
            content=old.content if content is None else content,
            importance=old.importance if importance is None else importance,
            tags=old.tags if tags is None else tags,
            project=old.project if project is None else project,
        )
        return self._replace(old, new, "edited")

    async def correct(self, scope: MemoryScope, entry_id: int, content: str) -> Entry:
        old = self._find(scope, entry_id)
        return self._replace(
            old, replace(old, content=content, source="correction", status="active"), "corrected"
        )

    async def remove(self, scope: MemoryScope, entry_id: int) -> Entry:
        old = self._find(scope, entry_id)
        return self._set(replace(old, status="inactive", reason="removed", expired_at=self.clock()))

    async def restore(self, scope: MemoryScope, entry_id: int) -> Entry:
        old = self._find(scope, entry_id)
        return self._add(replace(old, status="active", reason=None, expired_at=None))

    async def get(self, scope: MemoryScope, entry_id: int) -> Provenance:
        return Provenance(self._find(scope, entry_id), None, None, ())

    async def find_key(self, scope: MemoryScope, key: str) -> Entry:
        _check_key(key)
        for entry in self._visible(scope):
            if entry.key == key and entry.status == "active":
                return entry
        raise MemoryNotFoundError(f"there is no memory with the key {key}")

    async def entries(
        self, scope: MemoryScope, where: Filter, *, limit: int = 50, after_id: int = 0
    ) -> Sequence[Entry]:
        found = [e for e in self._visible(scope) if e.id > after_id and _fits(e, where)]
        return found[:limit]

    async def history(self, scope: MemoryScope, entry_id: int) -> Sequence[Entry]:
        key = self._find(scope, entry_id).key
        return [entry for entry in self._visible(scope) if entry.key == key]

    async def search(
        self, scope: MemoryScope, query: str, where: Filter, *, limit: int = 5, turns: bool = False
    ) -> Sequence[Hit]:
        asked = words(query)
        hits = []
        for entry in self._visible(scope):
            if not _fits(entry, where):
                continue
            share = len(asked & words(entry.content)) / len(asked) if asked else 1.0
            if share:
                parts = {"words": share}
                hits.append(
                    Hit(
                        "memory",
                        entry.id,
                        entry.content,
                        entry.said_at,
                        share,
                        share,
                        entry=entry,
                        parts=parts,
                    )
                )
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def _erase(self, keys: set[tuple[str, str]]) -> Forgotten:
        gone = [entry for entry in self.kept if (entry.user, entry.key) in keys]
        for user in {entry.user for entry in gone}:
            for call in self._when_erased:
                call(user)
        self.kept = [entry for entry in self.kept if entry not in gone]
        return Forgotten(
            tuple(entry.id for entry in gone), tuple(sorted({entry.key for entry in gone}))
        )

    async def forget(self, scope: MemoryScope, entry_id: int) -> Forgotten:
        entry = self._find(scope, entry_id)
        return self._erase({(entry.user, entry.key)})

    async def forget_key(self, scope: MemoryScope, key: str) -> Forgotten:
        entry = await self.find_key(scope, key)
        return self._erase({(entry.user, entry.key)})

    async def forget_text(
        self, scope: MemoryScope, text: str, *, dry_run: bool = False
    ) -> Forgotten:
        said = words(text)
        found = [e for e in self._visible(scope) if said and said <= words(e.content)]
        if dry_run:
            return Forgotten(tuple(e.id for e in found), tuple(sorted({e.key for e in found})))
        return self._erase({(entry.user, entry.key) for entry in found})

    async def purge(self, scope: MemoryScope, what: Purge) -> Forgotten:
        self.purged.append((scope.user, what))
        if not what.user:
            return Forgotten()
        return self._erase({(e.user, e.key) for e in self.kept if e.user == scope.user})

    async def identity(self, scope: MemoryScope) -> Identity:
        found = tuple(await self.entries(scope, Filter(layer="identity"), limit=1_000))
        text = "\n".join(f"- {entry.content}" for entry in found)
        return Identity(text, len(text), 1_000, found)

    async def sessions(
        self, scope: MemoryScope, *, limit: int = 50, before_id: int | None = None
    ) -> Sequence[Session]:
        own = [s for s in self.sessions_kept if s.user == scope.user]
        older = [s for s in own if before_id is None or s.id < before_id]
        return sorted(older, key=lambda session: -session.id)[:limit]

    async def why(self, scope: MemoryScope, message_id: int | None = None) -> Recall:
        for recall in await self.recalls(scope, limit=1_000):
            if message_id in {None, recall.message_id}:
                return recall
        raise MemoryNotFoundError("nothing was recalled for that message")

    async def recalls(self, scope: MemoryScope, *, limit: int = 20) -> Sequence[Recall]:
        return [r for user, r in reversed(self.recalls_kept) if user == scope.user][:limit]

    async def export(self, scope: MemoryScope) -> Mapping[str, Any]:
        own = [asdict(entry) for entry in self._visible(scope) if entry.user == scope.user]
        return {"format": "lobug-memory", "version": 1, "user": scope.user, "entries": own}

    async def export_markdown(self, scope: MemoryScope) -> str:
        lines = [f"- {entry.content}" for entry in self._visible(scope)]
        return "\n".join([f"# What Lo-Bug remembers of {scope.user}", "", *lines, ""])

    async def import_json(self, scope: MemoryScope, document: object) -> Imported:
        if not isinstance(document, dict) or document.get("format") != "lobug-memory":
            raise ImportInvalidError("the document is no export of Lo-Bug")
        rows = document.get("entries")
        if not isinstance(rows, list):
            raise ImportInvalidError("entries is not a list")
        known = {entry.content for entry in self._visible(scope)}
        new = [row for row in rows if isinstance(row, dict) and row.get("content") not in known]
        for row in new:
            if not isinstance(row.get("content"), str) or not isinstance(row.get("key"), str):
                raise ImportInvalidError("an entry has no content")
        for row in new:
            await self.store(scope, Draft(row["content"], row["key"], source="import"))
        return Imported(entries=len(new), skipped=len(rows) - len(new))

    async def stats(self, scope: MemoryScope) -> Mapping[str, Any]:
        own = [entry for entry in self._visible(scope) if entry.user == scope.user]
        return {
            "entries": len(own),
            "messages": sum(s.messages for s in self.sessions_kept if s.user == scope.user),
            "sessions": sum(s.user == scope.user for s in self.sessions_kept),
        }

    async def projects(self, scope: MemoryScope) -> Sequence[Project]:
        return [project for user, project in self.projects_kept if user == scope.user]

    async def add_project(self, scope: MemoryScope, name: str, description: str = "") -> Project:
        if not name.strip():
            raise MemoryContentError("a project needs a name")
        project = Project(name, description, "active", self.clock())
        others = [(u, p) for u, p in self.projects_kept if (u, p.name) != (scope.user, name)]
        self.projects_kept = [*others, (scope.user, project)]
        return project

    async def archive_project(self, scope: MemoryScope, name: str) -> Project:
        for project in await self.projects(scope):
            if project.name == name:
                archived = replace(project, status="archived")
                place = self.projects_kept.index((scope.user, project))
                self.projects_kept[place] = (scope.user, archived)
                return archived
        raise MemoryNotFoundError(f"there is no project {name}")

    async def tasks(
        self, scope: MemoryScope, *, project: str | None = None
    ) -> Sequence[ProjectTask]:
        own = [task for user, task in self.tasks_kept if user == scope.user]
        return [task for task in own if project in {None, task.project}]

    async def add_task(
        self, scope: MemoryScope, title: str, *, project: str | None = None
    ) -> ProjectTask:
        number = len(self.tasks_kept) + 1
        task = ProjectTask(number, project, title, "open", "", self.clock(), None, None)
        self.tasks_kept.append((scope.user, task))
        return task

    def _change_task(self, scope: MemoryScope, task_id: int, **changes: Any) -> ProjectTask:
        for place, (user, task) in enumerate(self.tasks_kept):
            if user == scope.user and task.id == task_id:
                changed = replace(task, **changes)
                self.tasks_kept[place] = (user, changed)
                return changed
        raise MemoryNotFoundError(f"there is no task {task_id}")

    async def note_task(self, scope: MemoryScope, task_id: int, state: str) -> ProjectTask:
        return self._change_task(scope, task_id, state=state)

    async def complete_task(
        self, scope: MemoryScope, task_id: int, result: str = ""
    ) -> ProjectTask:
        return self._change_task(scope, task_id, status="done", state="", completed_at=self.clock())

    async def users(self) -> Sequence[RememberedUser]:
        names = {e.user for e in self.kept} | {s.user for s in self.sessions_kept}
        return [
            RememberedUser(
                name,
                sum(e.user == name and e.status != "inactive" for e in self.kept),
                sum(s.messages for s in self.sessions_kept if s.user == name),
                sum(s.user == name for s in self.sessions_kept),
                max((e.updated_at for e in self.kept if e.user == name), default=None),
            )
            for name in sorted(names - {HOUSEHOLD})
        ]


def _check_key(key: str) -> None:
    if not KEY.fullmatch(key) or key.startswith(("system_", "internal_")):
        raise MemoryKeyError(f"{key!r} is no key")


def _fits(entry: Entry, where: Filter) -> bool:
    pairs = (
        (where.layer, entry.layer),
        (where.category, entry.category),
        (where.scope, entry.scope),
        (where.status, entry.status),
        (where.project, entry.project),
    )
    return (
        all(wanted in {None, has} for wanted, has in pairs)
        and set(where.tags) <= set(entry.tags)
        and (where.since is None or entry.said_at >= where.since)
        and (where.until is None or entry.said_at < where.until)
    )


_: type[MemoryControl] = ControlDouble
