"""What the routes of memory answer. Times are RFC 3339 in UTC."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from lobug.http.times import rfc3339
from lobug.language.facts import FactType
from lobug.memory.access import EntryScope
from lobug.memory.control import (
    Category,
    Entry,
    Forgotten,
    Hit,
    Identity,
    Layer,
    Project,
    ProjectTask,
    Provenance,
    Reason,
    Recall,
    RememberedUser,
    Session,
    Source,
    Status,
)


def _text_of_time(value: object) -> object:
    return rfc3339(value) if isinstance(value, int | float) else value


Time = Annotated[
    str,
    BeforeValidator(_text_of_time),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""Seconds since the epoch, shown as RFC 3339 in UTC."""


class MemoryEntry(BaseModel):
    """One version of a memory. A change makes a new version under the same key."""

    id: int = Field(description="Of this version.")
    key: str = Field(description="Semantic name; at most one version of it is active in a scope.")
    content: str = Field(description="What is remembered.")
    layer: Layer = Field(
        description="identity: in every prompt; knowledge: when it fits; archive: on demand."
    )
    category: Category = Field(description="knowledge, or timeline: a dated summary.")
    scope: EntryScope = Field(description="Whose it is: one conversation, the user, the household.")
    user: str = Field(description="The user it belongs to; `household:` for the household's.")
    conversation: str | None = Field(description="Where it was said.")
    session_id: int | None = Field(description="The session in which it was said.")
    fact_type: FactType = Field(description="What kind of fact it is.")
    section: str | None = Field(description="Of layer identity: the heading it stands under.")
    importance: float = Field(description="0 to 1.")
    source: Source = Field(description="Who wrote it.")
    status: Status = Field(
        description="active: held to be true; past: was true once; inactive: never recalled."
    )
    reason: Reason | None = Field(description="Why it is not active any more.")
    tags: list[str] = Field(description="Labels, for filters.")
    project: str | None = Field(description="The project it belongs to.")
    task_id: int | None = Field(description="The finished task that it archives.")
    said_at: Time = Field(description="When it was said.")
    created_at: Time = Field(description="When its first version was stored.")
    updated_at: Time = Field(description="When this version was stored.")
    valid_from: Time = Field(description="Since when it holds in the world.")
    valid_until: Time | None = Field(description="Until when it held; null: still.")
    expired_at: Time | None = Field(description="When it stopped being what Lo-Bug believes.")
    replaced_by: int | None = Field(description="Id of the version that took its place.")
    source_message_id: int | None = Field(description="The message it came from.")
    from_message_id: int | None = Field(description="Of a summary: its first message.")
    to_message_id: int | None = Field(description="Of a summary: its last message.")
    recall_count: int = Field(description="How often it went to a prompt.")
    last_recalled_at: Time | None = Field(description="When it last went to a prompt.")

    @classmethod
    def of(cls, entry: Entry) -> MemoryEntry:
        """The same, to be shown."""
        return cls(**asdict(entry))


class MemoryEntries(BaseModel):
    """A page of entries, in the order of their ids."""

    entries: list[MemoryEntry]
    next: int | None = Field(description="Give it as `after` for the next page; null: no more.")


class MemoryHistory(BaseModel):
    """All versions of a memory, oldest first."""

    entries: list[MemoryEntry]


class MemoryProvenance(BaseModel):
    """An entry and where it comes from."""

    entry: MemoryEntry
    message: str | None = Field(description="The user's words that it was taken from.")
    message_at: Time | None = Field(description="When they were said.")
    derived_from: list[int] = Field(description="Entries that it was distilled from.")

    @classmethod
    def of(cls, found: Provenance) -> MemoryProvenance:
        """The same, to be shown."""
        return cls(
            entry=MemoryEntry.of(found.entry),
            message=found.message,
            message_at=found.message_at,
            derived_from=list(found.derived_from),
        )


class MemoryHit(BaseModel):
    """Something that a search found."""

    kind: Literal["memory", "turn"] = Field(description="An entry, or a former turn.")
    id: int = Field(description="Of the entry, or of the message.")
    content: str = Field(description="Its words.")
    said_at: Time = Field(description="When it was said.")
    score: float = Field(description="Rank: higher is better, comparable within a search only.")
    confidence: float = Field(description="0 to 1: how well it fits.")
    parts: dict[str, float] = Field(
        description="What the score consists of; empty for everybody but the owner."
    )
    role: Literal["user", "assistant"] | None = Field(description="Of a turn: who said it.")
    speaker: str | None = Field(
        description="Of a turn: the name of who said it, where it is known."
    )
    entry: MemoryEntry | None = Field(description="Of a memory: the whole entry.")

    @classmethod
    def of(cls, hit: Hit, *, parts: bool) -> MemoryHit:
        """A hit as the routes answer it; ``parts`` False: without what its score consists of."""
        return cls(
            kind=hit.kind,
            id=hit.id,
            content=hit.content,
            said_at=hit.said_at,
            score=hit.score,
            confidence=hit.confidence,
            parts=dict(hit.parts) if parts else {},
            role=hit.role,
            speaker=hit.speaker,
            entry=MemoryEntry.of(hit.entry) if hit.entry else None,
        )


class MemoryHits(BaseModel):
    """What a search found, best first."""

    hits: list[MemoryHit]


class MemoryForgotten(BaseModel):
    """What was erased. Nothing in it repeats what was forgotten."""

    entries: list[int] = Field(description="Ids, all versions.")
    keys: list[str] = Field(description="Keys of the entries.")
    messages: int = Field(description="Messages of the log that were blanked.")
    derived: int = Field(description="Summaries and identity lines that contained it.")
    dry_run: bool = Field(False, description="True: nothing was erased, this is what would go.")

    @classmethod
    def of(cls, gone: Forgotten, *, dry_run: bool = False) -> MemoryForgotten:
        """The same, to be shown."""
        return cls(**asdict(gone), dry_run=dry_run)


class MemoryIdentity(BaseModel):
    """What Lo-Bug always keeps in mind about the user."""

    text: str = Field(description="Markdown in sections, as the prompt gets it.")
    characters: int = Field(description="How long the document is.")
    limit: int = Field(description="Most characters.")
    used_percent: int = Field(description="How full it is.")
    entries: list[MemoryEntry]

    @classmethod
    def of(cls, identity: Identity) -> MemoryIdentity:
        """The same, to be shown."""
        return cls(
            text=identity.text,
            characters=identity.characters,
            limit=identity.limit,
            used_percent=identity.used_percent,
            entries=[MemoryEntry.of(entry) for entry in identity.entries],
        )


class MemorySession(BaseModel):
    """A stretch of one conversation without a long pause."""

    id: int = Field(description="Of the session.")
    user: str = Field(description="Whose it is.")
    conversation: str = Field(description="The conversation that it is a stretch of.")
    channel: str = Field(
        description="How it reached Lo-Bug: device, token, address, import, other."
    )
    started_at: Time = Field(description="Of its first message.")
    last_active_at: Time = Field(description="Of its last message.")
    ended_at: Time | None = Field(description="When it was over; null: it may go on.")
    last_consolidated_at: Time | None = Field(
        description="Of the last message that the timeline covers."
    )
    messages: int = Field(description="How many were said in it.")
    summary: str = Field(description="What it was about.")

    @classmethod
    def of(cls, session: Session) -> MemorySession:
        """The same, to be shown."""
        return cls(**asdict(session))


class MemorySessions(BaseModel):
    """A page of sessions, newest first."""

    sessions: list[MemorySession]
    next: int | None = Field(description="Give it as `before` for the next page; null: no more.")


class MemoryRecall(BaseModel):
    """One search for a turn, as the retrieval log has it."""

    id: int = Field(description="Of this search.")
    message_id: int | None = Field(description="The message that was answered.")
    query: str = Field(description="What was searched for.")
    created_at: Time = Field(description="When.")
    took_ms: float = Field(description="How long the search took, milliseconds.")
    hits: list[MemoryHit] = Field(description="What was found, with its scores.")
    injected: list[str] = Field(description="What went to the prompt: `memory:ID` or `turn:ID`.")

    @classmethod
    def of(cls, recall: Recall, *, parts: bool) -> MemoryRecall:
        """A search as the routes answer it; ``parts`` as of a hit."""
        return cls(
            id=recall.id,
            message_id=recall.message_id,
            query=recall.query,
            created_at=recall.created_at,
            took_ms=recall.took_ms,
            hits=[MemoryHit.of(hit, parts=parts) for hit in recall.hits],
            injected=list(recall.injected),
        )


class MemoryRecalls(BaseModel):
    """The retrieval log, newest first."""

    recalls: list[MemoryRecall]


class MemoryImported(BaseModel):
    """What an import brought in."""

    sessions: int = Field(description="Sessions that are new.")
    messages: int = Field(description="Messages that are new.")
    entries: int = Field(description="Versions of entries that are new.")
    projects: int = Field(description="Projects that are new.")
    tasks: int = Field(description="Tasks that are new.")
    skipped: int = Field(description="Already there, or not importable.")


class MemoryUser(BaseModel):
    """A user of whom anything is kept."""

    user: str = Field(description="Their name, or the caller that nobody named.")
    entries: int = Field(description="Active and past ones.")
    messages: int = Field(description="Messages in the log.")
    sessions: int = Field(description="Sessions.")
    last_active_at: Time | None = Field(description="Of the last message or entry.")

    @classmethod
    def of(cls, known: RememberedUser) -> MemoryUser:
        """The same, to be shown."""
        return cls(**asdict(known))


class MemoryUsers(BaseModel):
    """Everybody of whom anything is kept, last active first."""

    users: list[MemoryUser]
    you: str = Field(description="Who the caller is when no user is named.")


class MemoryProject(BaseModel):
    """Something that the user works on."""

    name: str = Field(description="Its name, unique for the user.")
    description: str = Field(description="What it is about.")
    status: Literal["active", "archived"] = Field(description="active, or archived.")
    created_at: Time = Field(description="When it was first named.")

    @classmethod
    def of(cls, project: Project) -> MemoryProject:
        """The same, to be shown."""
        return cls(**asdict(project))


class MemoryProjects(BaseModel):
    """The projects of the user."""

    projects: list[MemoryProject]


class MemoryTask(BaseModel):
    """A task of the user."""

    id: int = Field(description="Of the task.")
    project: str | None = Field(description="The project it belongs to.")
    title: str = Field(description="What is to be done.")
    status: Literal["open", "done"] = Field(description="open, or done.")
    state: str = Field(description="What has been done and decided so far; empty once done.")
    created_at: Time = Field(description="When it was opened.")
    completed_at: Time | None = Field(description="When it was done.")
    archived_as: int | None = Field(description="The archive entry that holds its state.")

    @classmethod
    def of(cls, task: ProjectTask) -> MemoryTask:
        """The same, to be shown."""
        return cls(**asdict(task))


class MemoryTasks(BaseModel):
    """The tasks of the user."""

    tasks: list[MemoryTask]


class MemoryTool(BaseModel):
    """A tool that a program or a model may call."""

    name: str = Field(description="To be called by.")
    description: str = Field(description="What it does.")
    parameters: dict[str, Any] = Field(description="JSON schema of the arguments.")


class MemoryTools(BaseModel):
    """All tools of memory."""

    tools: list[MemoryTool]


class MemoryToolResult(BaseModel):
    """What a tool call came to."""

    success: bool = Field(description="Whether it did what it was called for.")
    output: str = Field(description="For the caller to read.")
    entries: list[MemoryEntry] = Field(description="What was stored or found.")


def shown(counts: Any) -> dict[str, Any]:
    """Statistics to be shown: every value whose name ends with ``_at`` becomes a time."""
    return {
        name: rfc3339(value) if name.endswith("_at") and isinstance(value, int | float) else value
        for name, value in dict(counts).items()
    }
