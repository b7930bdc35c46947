"""What the owner can do with memory: see, search, add, correct, forget, export. One interface for
the voice, for HTTP, for the command line and for the chat model's tools.

Every call takes an ``MemoryScope``: nothing that belongs to another person is ever seen or changed.
Calls are coroutines that never block the event loop. They raise the ``Memory...Error`` classes of
``lobug.errors`` for what the caller did wrong and StorageError for what the disk did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from lobug.language.facts import FactType
from lobug.memory.access import EntryScope, MemoryScope

Layer = Literal["identity", "knowledge", "archive"]
"""L0, always in the prompt; L1, recalled when it fits; L2, recalled on demand."""
Category = Literal["knowledge", "timeline"]
Source = Literal["correction", "user", "agent", "system", "import"]
"""Who wrote it, most trusted first: the user put something right; the user said "remember" or wrote
it; the chat model's tool; extraction and consolidation; an import."""
Status = Literal["active", "past", "inactive"]
"""active: held to be true. past: was true until ``valid_until``; found by questions about the past.
inactive: wrong, edited or removed; never recalled, kept for audit."""
Reason = Literal["superseded", "duplicate", "corrected", "edited", "removed", "evicted", "expired"]
"""Why an entry is not active any more."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One version of a memory. A change makes a new version, linked by ``replaced_by``; all
    versions share a ``key``, of which at most one in a scope is active."""

    id: int
    key: str
    """Semantic name, `^[a-z][a-z0-9_]*$`, at most 64 characters."""
    content: str
    layer: Layer
    category: Category
    scope: EntryScope
    user: str
    conversation: str | None
    """Where it was said; for the scope "conversation" the only place where it is recalled."""
    session_id: int | None
    fact_type: FactType
    section: str | None
    """Of layer identity: the heading it stands under."""
    importance: float
    """0 to 1."""
    source: Source
    status: Status
    reason: Reason | None
    tags: tuple[str, ...]
    project: str | None
    task_id: int | None
    said_at: float
    """When it was said, seconds since the epoch."""
    created_at: float
    """When its first version was stored."""
    updated_at: float
    """When this version was stored."""
    valid_from: float
    valid_until: float | None
    """Since and until when it holds in the world; None: still."""
    expired_at: float | None
    """When it stopped being what Lo-Bug believes."""
    replaced_by: int | None
    source_message_id: int | None
    """The turn it came from."""
    from_message_id: int | None
    to_message_id: int | None
    """Of category timeline: the first and the last message that it sums up."""
    recall_count: int
    last_recalled_at: float | None


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an entry comes from."""

    entry: Entry
    message: str | None
    """The words of the user that it was taken from; None: written directly, or forgotten."""
    message_at: float | None
    derived_from: tuple[int, ...]
    """Entries that it was distilled from."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be stored. Upsert: an active entry of the same scope and key gets a new version.

    ``key`` None: made from the content."""

    content: str
    key: str | None = None
    layer: Layer = "knowledge"
    category: Category = "knowledge"
    scope: EntryScope = "user"
    fact_type: FactType = "knowledge"
    section: str | None = None
    importance: float = 0.5
    source: Source = "user"
    tags: tuple[str, ...] = ()
    project: str | None = None
    said_at: float | None = None
    """None: now."""
    source_message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries are meant. Everything that is given must hold."""

    layer: Layer | None = None
    category: Category | None = None
    scope: EntryScope | None = None
    status: Status | Literal["believed"] | None = "active"
    """believed: active and past. None: every version."""
    project: str | None = None
    tags: tuple[str, ...] = ()
    """All of them."""
    since: float | None = None
    until: float | None = None
    """By ``said_at``, seconds since the epoch, since included, until not."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What a search found."""

    kind: Literal["memory", "turn"]
    id: int
    """Of the entry, or of the message."""
    content: str
    said_at: float
    score: float
    """For ranking, higher is better; comparable within one search only."""
    confidence: float
    """0 to 1: how well it fits; what the relevance floor looks at."""
    entry: Entry | None = None
    role: Literal["user", "assistant"] | None = None
    speaker: str | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score consists of, by name."""


@dataclass(frozen=True, slots=True)
class Recall:
    """One search for a turn, as the retrieval log has it."""

    id: int
    message_id: int | None
    query: str
    created_at: float
    took_ms: float
    hits: tuple[Hit, ...]
    injected: tuple[str, ...]
    """Which of the hits went to the prompt: "memory:ID" or "turn:ID"."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Layer identity as the prompt gets it."""

    text: str
    """Markdown in sections; empty when there is none."""
    characters: int
    limit: int
    entries: tuple[Entry, ...]

    @property
    def used_percent(self) -> int:
        """How full it is."""
        return round(100 * self.characters / self.limit)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting removed. Nothing in it repeats what was forgotten."""

    entries: tuple[int, ...] = ()
    """Ids, all versions."""
    keys: tuple[str, ...] = ()
    messages: int = 0
    """Messages of the log that were blanked."""
    derived: int = 0
    """Summaries and identity lines that contained it; removed, to be rebuilt without it."""


@dataclass(frozen=True, slots=True)
class Purge:
    """What to erase: exactly one of the three."""

    session: int | None = None
    user: bool = False
    """Everything of the access's user."""
    older_than_days: float | None = None
    """Messages and timeline entries of the user that are older."""


@dataclass(frozen=True, slots=True)
class Project:
    """Something that the user works on; memories and tasks may belong to it."""

    name: str
    description: str
    status: Literal["active", "archived"]
    created_at: float


@dataclass(frozen=True, slots=True)
class ProjectTask:
    """A task of the user with a working state that is archived when it is completed."""

    id: int
    project: str | None
    title: str
    status: Literal["open", "done"]
    state: str
    """What has been done and decided so far; empty once it is done."""
    created_at: float
    completed_at: float | None
    archived_as: int | None
    """The archive entry that holds its state since it was completed."""


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of one conversation without a long pause."""

    id: int
    user: str
    conversation: str
    channel: str
    started_at: float
    last_active_at: float
    ended_at: float | None
    last_consolidated_at: float | None
    messages: int
    summary: str


@dataclass(frozen=True, slots=True)
class RememberedUser:
    """A user of whom anything is kept, by counts."""

    user: str
    entries: int
    """Active and past ones."""
    messages: int
    sessions: int
    last_active_at: float | None
    """Of the last message or entry, seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought in."""

    sessions: int = 0
    messages: int = 0
    entries: int = 0
    projects: int = 0
    tasks: int = 0
    skipped: int = 0
    """Already there, or not importable."""


class MemoryControl(Protocol):
    """The owner's hand on memory."""

    def when_erased(self, call: Callable[[str | None], None]) -> None:
        """Have ``call`` called whenever something was erased, by whatever door, with the user whose
        it was (None: it may have been anybody's): what is held of it in memory has to go."""

    async def store(self, scope: MemoryScope, draft: Draft) -> Entry:
        """Store a memory, or a new version where the key exists. The same content again changes
        nothing but ``importance``, tags and project.

        Raises MemoryKeyError, MemoryContentError, MemoryForbiddenError, IdentityFullError."""

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
        """A new version by the owner; what is None stays. Raises MemoryNotFoundError."""

    async def correct(self, scope: MemoryScope, entry_id: int, content: str) -> Entry:
        """Put an entry right: it becomes inactive for good, linked to the correction, which
        outranks everything. Raises MemoryNotFoundError."""

    async def remove(self, scope: MemoryScope, entry_id: int) -> Entry:
        """Make an entry inactive without erasing it; ``restore`` brings it back."""

    async def restore(self, scope: MemoryScope, entry_id: int) -> Entry:
        """Make a version active again, as a new version; what is active under its key gives way."""

    async def get(self, scope: MemoryScope, entry_id: int) -> Provenance:
        """An entry with where it comes from. Raises MemoryNotFoundError."""

    async def find_key(self, scope: MemoryScope, key: str) -> Entry:
        """The active entry of a key. Raises MemoryNotFoundError, MemoryKeyError."""

    async def entries(
        self, scope: MemoryScope, where: Filter, *, limit: int = 50, after_id: int = 0
    ) -> Sequence[Entry]:
        """Entries in the order of their ids."""

    async def history(self, scope: MemoryScope, entry_id: int) -> Sequence[Entry]:
        """All versions of an entry, oldest first. Raises MemoryNotFoundError."""

    async def search(
        self, scope: MemoryScope, query: str, where: Filter, *, limit: int = 5, turns: bool = False
    ) -> Sequence[Hit]:
        """The memories, and with ``turns`` the messages, that fit a query, best first.

        By meaning and words; where nothing has its words, by substring. An empty query with a time
        range gives what was said in it, newest first."""

    async def forget(self, scope: MemoryScope, entry_id: int) -> Forgotten:
        """Erase an entry with all its versions, the words it came from, and what was derived from
        them. Cannot be undone. Raises MemoryNotFoundError."""

    async def forget_key(self, scope: MemoryScope, key: str) -> Forgotten:
        """``forget`` by key. Raises MemoryNotFoundError, MemoryKeyError."""

    async def forget_text(
        self, scope: MemoryScope, text: str, *, dry_run: bool = False
    ) -> Forgotten:
        """Erase whatever says this: entries, messages and what was derived from them. Nothing found
        is an empty result. ``dry_run``: only say what would go."""

    async def purge(self, scope: MemoryScope, what: Purge) -> Forgotten:
        """Erase a session, a user, or what is old. Asking whether is the caller's part."""

    async def identity(self, scope: MemoryScope) -> Identity:
        """Layer identity."""

    async def sessions(
        self, scope: MemoryScope, *, limit: int = 50, before_id: int | None = None
    ) -> Sequence[Session]:
        """Sessions, newest first."""

    async def why(self, scope: MemoryScope, message_id: int | None = None) -> Recall:
        """What was recalled for a message; None: for the last turn of the access's conversation.
        Raises MemoryNotFoundError."""

    async def recalls(self, scope: MemoryScope, *, limit: int = 20) -> Sequence[Recall]:
        """The retrieval log, newest first."""

    async def export(self, scope: MemoryScope) -> Mapping[str, Any]:
        """All of the user's memory as one JSON document, complete and lossless."""

    async def export_markdown(self, scope: MemoryScope) -> str:
        """All of the user's memory to be read."""

    async def import_json(self, scope: MemoryScope, document: object) -> Imported:
        """Bring in an export, or a ``sessions.json`` snapshot. What is there already is skipped.
        All or nothing. Raises ImportInvalidError."""

    async def stats(self, scope: MemoryScope) -> Mapping[str, Any]:
        """Counts and sizes of the user's memory."""

    async def projects(self, scope: MemoryScope) -> Sequence[Project]:
        """Projects of the user."""

    async def add_project(self, scope: MemoryScope, name: str, description: str = "") -> Project:
        """Add or describe a project; an archived one becomes active. Raises MemoryContentError."""

    async def archive_project(self, scope: MemoryScope, name: str) -> Project:
        """Archive a project. Raises MemoryNotFoundError."""

    async def tasks(
        self, scope: MemoryScope, *, project: str | None = None
    ) -> Sequence[ProjectTask]:
        """Tasks of the user."""

    async def add_task(
        self, scope: MemoryScope, title: str, *, project: str | None = None
    ) -> ProjectTask:
        """Open a task."""

    async def note_task(self, scope: MemoryScope, task_id: int, state: str) -> ProjectTask:
        """Set a task's working state. Raises MemoryNotFoundError."""

    async def complete_task(
        self, scope: MemoryScope, task_id: int, result: str = ""
    ) -> ProjectTask:
        """Complete a task: its working state goes to the archive. Raises MemoryNotFoundError."""

    async def users(self) -> Sequence[RememberedUser]:
        """Everybody of whom anything is kept, last active first; without the household.

        The one call without an ``MemoryScope``: names and counts, for the owner at this computer."""
