"""Answers of the routes of memory. Times are RFC 3339 in UTC.

Answers with the fields of one value type of ``lobug.memory.model`` are derived from it by name.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from lobug.http.times import rfc3339
from lobug.memory.model import (
    EPOCH,
    Entry,
    Forgotten,
    Hit,
    Identity,
    Imported,
    Project,
    ProjectTask,
    Provenance,
    Recall,
    RememberedUser,
    Session,
)


def _text_of_time(value: object) -> object:
    return rfc3339(value) if isinstance(value, int | float) else value


Time = Annotated[
    str,
    BeforeValidator(_text_of_time),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""Seconds since the epoch, shown as RFC 3339 in UTC."""


def shown_fields(model: type[Any]) -> dict[str, Any]:
    """The annotations of an answer that has the fields of a value type of memory: the same names,
    types and descriptions, with RFC 3339 text for seconds since the epoch."""
    found = get_type_hints(model, include_extras=True)
    return {
        name: _shown_field(*get_args(found[name]))
        if get_origin(found[name]) is Annotated
        else found[name]
        for name in (field.name for field in fields(model))
    }


def _shown_field(of: Any, *notes: Any) -> Any:
    if EPOCH in notes:
        of = Time | None if type(None) in get_args(of) else Time
    return Annotated[of, *(note for note in notes if note is not EPOCH)]


class MemoryEntry(BaseModel):
    """One version of a memory. A change makes a new version under the same key."""

    __annotations__ = shown_fields(Entry)

    @classmethod
    def of(cls, entry: Entry) -> MemoryEntry:
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
        """``parts`` False: without the summands of the score."""
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
        return cls(
            text=identity.text,
            characters=identity.characters,
            limit=identity.limit,
            used_percent=identity.used_percent,
            entries=[MemoryEntry.of(entry) for entry in identity.entries],
        )


class MemorySession(BaseModel):
    """A stretch of one conversation without a long pause."""

    __annotations__ = shown_fields(Session)

    @classmethod
    def of(cls, session: Session) -> MemorySession:
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
        """``parts`` as for ``MemoryHit.of``."""
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

    __annotations__ = shown_fields(Imported)


class MemoryUser(BaseModel):
    """A user of whom anything is kept."""

    __annotations__ = shown_fields(RememberedUser)

    @classmethod
    def of(cls, known: RememberedUser) -> MemoryUser:
        return cls(**asdict(known))


class MemoryUsers(BaseModel):
    """Everybody of whom anything is kept, last active first."""

    users: list[MemoryUser]
    you: str = Field(description="Who the caller is when no user is named.")


class MemoryProject(BaseModel):
    """Something that the user works on."""

    __annotations__ = shown_fields(Project)

    @classmethod
    def of(cls, project: Project) -> MemoryProject:
        return cls(**asdict(project))


class MemoryProjects(BaseModel):
    """The projects of the user."""

    projects: list[MemoryProject]


class MemoryTask(BaseModel):
    """A task of the user."""

    __annotations__ = shown_fields(ProjectTask)

    @classmethod
    def of(cls, task: ProjectTask) -> MemoryTask:
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
    """Statistics with a time for every value whose name ends with ``_at``."""
    return {
        name: rfc3339(value) if name.endswith("_at") and isinstance(value, int | float) else value
        for name, value in dict(counts).items()
    }
