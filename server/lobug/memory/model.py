"""The value types of memory: scopes, entries, search results, counts.

All are frozen dataclasses. Times are seconds since the epoch. What ``Entry``, ``Session``,
``Project``, ``ProjectTask``, ``RememberedUser`` and ``Imported`` say of their fields is also the
description of the HTTP answers (``lobug.http.memory.schemas``), which are derived from them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from operator import add
from typing import Annotated, Final, Literal

from pydantic import Field

from lobug.errors import MemoryForbiddenError
from lobug.language.protocol import FactType

Role = Literal["user", "assistant"]
EntryScope = Literal["conversation", "user", "household"]
"""Who recalls a memory: one conversation (this person on this device), the user on all devices, or
everybody whom the settings let into the household."""
HouseholdGrant = Literal["none", "read", "write"]
Layer = Literal["identity", "knowledge", "archive"]
"""L0, always in the prompt; L1, recalled when it fits; L2, recalled on demand."""
Category = Literal["knowledge", "timeline"]
Source = Literal["correction", "user", "agent", "system", "import"]
"""Who wrote it, most trusted first: the user corrected something; the user said "remember" or wrote
it; the chat model's tool; extraction and consolidation; an import."""

TRUST: dict[Source, int] = {"correction": 3, "user": 2, "agent": 1, "import": 1, "system": 0}
"""Rank of sources: the higher, the more trusted."""
Status = Literal["active", "past", "inactive"]
"""active: held to be true. past: was true until ``valid_until``; found by questions about the past.
inactive: wrong, edited or deactivated; never recalled, kept for audit."""
Reason = Literal["superseded", "duplicate", "corrected", "edited", "removed", "evicted", "expired"]
"""Why an entry is not active any more."""

EPOCH: Final = "seconds since the epoch"
"""Marks a field that holds a time."""

HOUSEHOLD = "household:"
"""The user that household memories are stored under. No person can have this name: the settings
refuse names that end with a colon."""


# ---- whose memory


@dataclass(frozen=True, slots=True)
class ConversationKey:
    """A user and one of their conversations. ``user`` owns long-term memory, ``conversation`` the
    message log."""

    user: str
    conversation: str


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """What one caller may see and change: always their own, the household's memories only where
    the settings grant that. Every function that reads or writes memories takes one."""

    user: str
    conversation: str | None
    """None: all conversations of the user (the owner at the command line). Otherwise the entries
    of scope "conversation" are those of this conversation only."""
    household: HouseholdGrant = "none"

    @property
    def owners(self) -> tuple[str, ...]:
        """The values of the column ``user`` whose memories may be seen."""
        return (self.user,) if self.household == "none" else (self.user, HOUSEHOLD)

    def require(self, scope: EntryScope, *, write: bool) -> None:
        """Raises MemoryForbiddenError unless entries of a scope may be read, or written."""
        if scope != "household":
            return
        if self.household == "none" or (write and self.household == "read"):
            raise MemoryForbiddenError(
                f"{self.user} may not {'change' if write else 'see'} the household's memories;"
                " memory.household grants that"
            )

    def stored_under(self, scope: EntryScope) -> str:
        """The value of the column ``user`` for entries of a scope."""
        return HOUSEHOLD if scope == "household" else self.user


def scope_of(
    conversation_key: ConversationKey, household: Mapping[str, HouseholdGrant]
) -> MemoryScope:
    """The scope of a conversation; ``household`` is the setting with the grants by user."""
    return MemoryScope(
        conversation_key.user,
        conversation_key.conversation,
        household.get(conversation_key.user, "none"),
    )


# ---- entries


@dataclass(frozen=True, slots=True)
class Entry:
    """One version of a memory. A change makes a new version, linked by ``replaced_by``; all
    versions share a ``key``, of which at most one in a scope is active."""

    id: Annotated[int, Field(description="Of this version.")]
    key: Annotated[
        str,
        Field(description="Semantic name; at most one version of it is active in a scope."),
    ]
    """`^[a-z][a-z0-9_]*$`, at most 64 characters."""
    content: Annotated[str, Field(description="What is remembered.")]
    layer: Annotated[
        Layer,
        Field(
            description="identity: in every prompt; knowledge: when it fits; archive: on demand."
        ),
    ]
    category: Annotated[Category, Field(description="knowledge, or timeline: a dated summary.")]
    scope: Annotated[
        EntryScope,
        Field(description="Whose it is: one conversation, the user, the household."),
    ]
    user: Annotated[
        str, Field(description="The user it belongs to; `household:` for the household's.")
    ]
    conversation: Annotated[str | None, Field(description="Where it was said.")]
    """For the scope "conversation" the only place where it is recalled."""
    session_id: Annotated[int | None, Field(description="The session in which it was said.")]
    fact_type: Annotated[FactType, Field(description="What kind of fact it is.")]
    section: Annotated[
        str | None, Field(description="Of layer identity: the heading it stands under.")
    ]
    importance: Annotated[float, Field(description="0 to 1.")]
    source: Annotated[Source, Field(description="Who wrote it.")]
    status: Annotated[
        Status,
        Field(
            description="active: held to be true; past: was true once; inactive: never recalled."
        ),
    ]
    reason: Annotated[Reason | None, Field(description="Why it is not active any more.")]
    tags: Annotated[tuple[str, ...], Field(description="Labels, for filters.")]
    project: Annotated[str | None, Field(description="The project it belongs to.")]
    task_id: Annotated[int | None, Field(description="The finished task that it archives.")]
    said_at: Annotated[float, EPOCH, Field(description="When it was said.")]
    created_at: Annotated[float, EPOCH, Field(description="When its first version was stored.")]
    updated_at: Annotated[float, EPOCH, Field(description="When this version was stored.")]
    valid_from: Annotated[float, EPOCH, Field(description="Since when it holds in the world.")]
    valid_until: Annotated[
        float | None, EPOCH, Field(description="Until when it held; null: still.")
    ]
    expired_at: Annotated[
        float | None, EPOCH, Field(description="When it stopped being what Lo-Bug believes.")
    ]
    replaced_by: Annotated[int | None, Field(description="Id of the version that took its place.")]
    source_message_id: Annotated[int | None, Field(description="The message it came from.")]
    from_message_id: Annotated[int | None, Field(description="Of a summary: its first message.")]
    to_message_id: Annotated[int | None, Field(description="Of a summary: its last message.")]
    recall_count: Annotated[int, Field(description="How often it went to a prompt.")]
    last_recalled_at: Annotated[
        float | None, EPOCH, Field(description="When it last went to a prompt.")
    ]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an entry comes from."""

    entry: Entry
    message: str | None
    """The words of the user that it was taken from; None: written directly, or forgotten."""
    message_at: float | None
    derived_from: tuple[int, ...]
    """Ids of the entries that it was distilled from."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be stored. An active entry of the same scope and key gets a new version."""

    content: str
    key: str | None = None
    """None: made from the content."""
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
    """Selects entries. Everything that is given must hold."""

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
    """By ``said_at``: ``since`` is included, ``until`` is not."""
    focus_project: str | None = None
    """Of this project, or of none."""
    focus_tags: tuple[str, ...] = ()
    """With at least one of these tags, or without any."""


VERSION_CHARS = 16
"""Hexadecimal digits of the version of a document."""


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

    @property
    def version(self) -> str:
        """Differs where the text differs, so that a change in between is noticed."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:VERSION_CHARS]


# ---- search


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result: an entry or a former turn."""

    kind: Literal["memory", "turn"]
    id: int
    """Of the entry, or of the message."""
    content: str
    said_at: float
    score: float
    """For ranking, higher is better; comparable within one search only."""
    confidence: float
    """0 to 1: how well it fits. The relevance floor applies to it."""
    entry: Entry | None = None
    role: Role | None = None
    """Of a turn: who said it."""
    speaker: str | None = None
    """Of a turn: the speaker's name, where it is known."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """The summands of the score, by name."""

    @property
    def reference(self) -> str:
        """Its name in the retrieval log: "memory:ID" or "turn:ID"."""
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Recalled:
    """An entry or a former turn that goes to a turn's prompt."""

    kind: Literal["memory", "turn"]
    id: int
    """Of the entry, or of the message."""
    content: str
    said_at: float
    confidence: float
    """0 to 1: how well it fits."""
    past: bool = False
    """It was true once and is not any more."""
    source: Source | None = None
    """Of an entry: who wrote it."""
    category: Category | None = None
    """Of an entry: whether it is a summary."""
    role: Role | None = None
    """Of a turn: who said it."""
    speaker: str | None = None
    """Of a turn: the speaker's name, where it is known."""

    @property
    def reference(self) -> str:
        """Its name in the retrieval log: "memory:ID" or "turn:ID"."""
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Recall:
    """One search for a turn, from the retrieval log."""

    id: int
    message_id: int | None
    query: str
    created_at: float
    took_ms: float
    hits: tuple[Hit, ...]
    injected: tuple[str, ...]
    """The hits that went to the prompt: "memory:ID" or "turn:ID"."""


# ---- turns


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message of the conversation log."""

    id: int
    role: Role
    content: str
    created_at: float
    speaker: str | None = None
    """Who said it, where several people talk to one device and it is known."""


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What memory adds to a turn's prompt."""

    base_memory: str = ""
    """Layer identity; empty when there is none."""
    task: str = ""
    """Title and working state of the task that the conversation is about; empty: it has none."""
    recalled: Sequence[Recalled] = field(default_factory=tuple)
    """What fits the turn, best first, entries before former turns."""
    asked_for: bool = False
    """Whether the turn asks something. The prompt then repeats recalled words of this conversation
    beside the question: of 8 facts told in the conversation, the embedded model knew 27 of 40
    without the repetition and 40 of 40 with it."""
    read_at: float = field(default=0.0, compare=False)
    """When memory was read, seconds since the epoch."""
    search: object = field(default=None, compare=False, repr=False)
    """The search itself, for ``Memory.note_search``."""


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of one conversation without a long pause."""

    id: Annotated[int, Field(description="Of the session.")]
    user: Annotated[str, Field(description="Whose it is.")]
    conversation: Annotated[str, Field(description="The conversation that it is a stretch of.")]
    channel: Annotated[
        str,
        Field(description="How it reached Lo-Bug: device, browser, token, address, import, other."),
    ]
    started_at: Annotated[float, EPOCH, Field(description="Of its first message.")]
    last_active_at: Annotated[float, EPOCH, Field(description="Of its last message.")]
    ended_at: Annotated[
        float | None, EPOCH, Field(description="When it was over; null: it may go on.")
    ]
    last_consolidated_at: Annotated[
        float | None, EPOCH, Field(description="Of the last message that the timeline covers.")
    ]
    messages: Annotated[int, Field(description="How many were said in it.")]
    summary: Annotated[str, Field(description="What it was about.")]


# ---- projects


@dataclass(frozen=True, slots=True)
class Project:
    """Something that the user works on; memories and tasks may belong to it."""

    name: Annotated[str, Field(description="Its name, unique for the user.")]
    description: Annotated[str, Field(description="What it is about.")]
    status: Annotated[Literal["active", "archived"], Field(description="active, or archived.")]
    created_at: Annotated[float, EPOCH, Field(description="When it was first named.")]


@dataclass(frozen=True, slots=True)
class ProjectTask:
    """A task of the user with a working state that is archived when it is completed."""

    id: Annotated[int, Field(description="Of the task.")]
    project: Annotated[str | None, Field(description="The project it belongs to.")]
    title: Annotated[str, Field(description="What is to be done.")]
    status: Annotated[Literal["open", "done"], Field(description="open, or done.")]
    state: Annotated[
        str, Field(description="What has been done and decided so far; empty once done.")
    ]
    created_at: Annotated[float, EPOCH, Field(description="When it was opened.")]
    completed_at: Annotated[float | None, EPOCH, Field(description="When it was done.")]
    archived_as: Annotated[int | None, Field(description="The archive entry that holds its state.")]


@dataclass(frozen=True, slots=True)
class Focus:
    """What a conversation is about."""

    project: Annotated[
        str | None,
        Field(description="Only memories of this project, and of none, are recalled."),
    ] = None
    """None: the project of the task, if that has one; else any."""
    tags: Annotated[
        tuple[str, ...],
        Field(description="Only memories with one of these tags, and without any, are recalled."),
    ] = ()
    task: Annotated[
        ProjectTask | None,
        Field(
            description="Its title and working state stand in the prompt; each session that ends"
            " adds its summary to the state."
        ),
    ] = None
    """An open one."""


# ---- erasure, import, counts


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting erased. It does not repeat the erased words, except for keys."""

    entries: tuple[int, ...] = ()
    """Ids, all versions."""
    keys: tuple[str, ...] = ()
    messages: int = 0
    """Messages of the log that were blanked."""
    derived: int = 0
    """Summaries and identity lines that contained it; erased, to be rebuilt without it."""

    def __add__(self, other: Forgotten) -> Forgotten:
        return Forgotten(
            (*self.entries, *other.entries),
            (*self.keys, *other.keys),
            self.messages + other.messages,
            self.derived + other.derived,
        )


@dataclass(frozen=True, slots=True)
class Purge:
    """What to erase: exactly one of the three."""

    session: int | None = None
    """Id of a session."""
    user: bool = False
    """Everything of the scope's user."""
    older_than_days: float | None = None
    """Messages and timeline entries of the user that are older."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Counts of what an import added."""

    sessions: Annotated[int, Field(description="Sessions that are new.")] = 0
    messages: Annotated[int, Field(description="Messages that are new.")] = 0
    entries: Annotated[int, Field(description="Versions of entries that are new.")] = 0
    projects: Annotated[int, Field(description="Projects that are new.")] = 0
    tasks: Annotated[int, Field(description="Tasks that are new.")] = 0
    skipped: Annotated[int, Field(description="Already there, or not importable.")] = 0

    def __add__(self, other: Imported) -> Imported:
        return Imported(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class RememberedUser:
    """A user of whom anything is kept, with counts."""

    user: Annotated[str, Field(description="Their name, or the caller that nobody named.")]
    entries: Annotated[int, Field(description="Active and past ones.")]
    messages: Annotated[int, Field(description="Messages in the log.")]
    sessions: Annotated[int, Field(description="Sessions.")]
    last_active_at: Annotated[
        float | None, EPOCH, Field(description="Of the last message or entry.")
    ]


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """How much of a user's memory is of one quarter of an hour."""

    at: float
    """Its beginning, seconds since the epoch."""
    memories: int
    """Entries made in it that are not inactive."""
    messages: int
    """Messages of the log."""


@dataclass(frozen=True, slots=True)
class RecallTime:
    """How long one search took."""

    at: float
    """Seconds since the epoch."""
    took_ms: float
    """Milliseconds."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How a user's memory has grown, and how fast it is searched."""

    points: tuple[GrowthPoint, ...]
    """Oldest first; quarters of an hour without anything are left out."""
    recalls: tuple[RecallTime, ...]
    """The last ones, oldest first."""


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Counts over all users, for ``/health``. Kept in the process: reading them does no I/O."""

    messages: int = 0
    facts: int = 0
    summaries: int = 0
    users: int = 0
    pending_tasks: int = 0
    """Background tasks that are not done yet, such as extractions."""
    parked_tasks: int = 0
    """Background tasks that failed too often; retried once a day and at the next start."""
    embedding_backlog: int = 0
    """Facts without a vector of the present embedding model."""
    claims_unread: int = 0
    """Entries of an older version whose claims are still to be read."""
    counted: bool = False
    """Whether all was counted since the start; until then the numbers are too low."""
