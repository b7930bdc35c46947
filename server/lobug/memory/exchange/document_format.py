"""The format of exports: the whole memory of one user as one JSON document. Pure.

The format is versioned and therefore declared here, apart from ``lobug.memory.model``. ``id`` and
every reference are positions within the document, counted from 1, not ids of a database. Times are
seconds since the epoch. A document may come from anywhere, so every field is checked: unknown
fields, wrong types, numbers out of range, references to nothing and circles are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from lobug.errors import ImportInvalidError
from lobug.language.facts import FactType
from lobug.memory.model import Category, EntryScope, Layer, Reason, Role, Source, Status

FORMAT = "lobug-memory"
VERSION = 1

MAX_ROWS = 2_000_000
"""Rows of one kind in a document."""

MAX_SHOWN = 3
"""Most faults that an error names, by their places."""


def _text(value: object) -> object:
    """Refuse half a surrogate pair: it can be written in JSON but not stored."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("half a surrogate pair") from None
    return value


Time = Annotated[float, Field(ge=-62_135_596_800.0, le=253_402_300_799.0)]
"""Seconds since the epoch, of the years 1 to 9999."""
Place = Annotated[int, Field(ge=1, le=MAX_ROWS)]
"""A position in a list of the document, counted from 1."""
Name = Annotated[str, BeforeValidator(_text), Field(min_length=1, max_length=1_000)]
Text = Annotated[str, BeforeValidator(_text), Field(max_length=10_000_000)]
Content = Annotated[str, BeforeValidator(_text), Field(min_length=1, max_length=1_000_000)]
Key = Annotated[str, Field(max_length=64, pattern=r"^[a-z][a-z0-9_]*$")]
Number = Annotated[float, Field(ge=-1e300, le=1e300)]


class Row(BaseModel):
    """Strict: no type is converted, unknown fields are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class SessionRow(Row):
    """A session."""

    id: Place
    conversation: Name
    channel: Name
    external_id: Name | None
    started_at: Time
    last_active_at: Time
    ended_at: Time | None
    last_consolidated_at: Time | None
    failures: Annotated[int, Field(ge=0, le=1_000_000)]
    summary: Text


class MessageRow(Row):
    """A message of the log. ``forgotten``: its words were erased."""

    id: Place
    session: Place | None
    conversation: Name
    role: Role
    content: Text
    created_at: Time
    reply_to: Place | None
    speaker: Name | None
    summarized: bool
    forgotten: bool
    meant: bool
    """False: not addressed to Lo-Bug."""
    to_extract: bool
    """Its facts are not extracted yet."""


class EntryRow(Row):
    """One version of an entry."""

    id: Place
    scope: EntryScope
    conversation: Name | None
    session: Place | None
    layer: Layer
    category: Category
    key: Key
    content: Content
    fact_type: FactType
    section: Name | None
    importance: Annotated[float, Field(ge=0.0, le=1.0)]
    source: Source
    status: Status
    reason: Reason | None
    tags: list[Name]
    project: Name | None
    task: Place | None
    source_message: Place | None
    from_message: Place | None
    to_message: Place | None
    incorporated: bool
    said_at: Time
    created_at: Time
    updated_at: Time
    valid_from: Time
    valid_until: Time | None
    expired_at: Time | None
    replaced_by: Place | None
    compared: bool
    recall_count: Annotated[int, Field(ge=0, le=2**62)]
    last_recalled_at: Time | None
    distilled_from: list[Place]

    @model_validator(mode="after")
    def _hangs_together(self) -> EntryRow:
        if not self.content.strip(" "):
            raise ValueError("content is empty")
        if (self.status == "active") != (self.reason is None):
            raise ValueError("what is not active has a reason, and nothing else has")
        if self.scope == "conversation" and self.conversation is None:
            raise ValueError("a memory of a conversation names it")
        if self.layer == "identity" and self.scope != "user":
            raise ValueError("layer identity belongs to a person")
        return self


class ProjectRow(Row):
    """A project."""

    name: Name
    description: Text
    status: Literal["active", "archived"]
    created_at: Time


class TaskRow(Row):
    """A task of the user."""

    id: Place
    project: Name | None
    title: Name
    status: Literal["open", "done"]
    state: Text
    created_at: Time
    completed_at: Time | None
    archived_as: Place | None

    @model_validator(mode="after")
    def _has_a_title(self) -> TaskRow:
        if not self.title.strip(" "):
            raise ValueError("title is empty")
        return self


class HitRow(Row):
    """A search result: an entry or a message."""

    rank: Annotated[int, Field(ge=1, le=1_000_000)]
    entry: Place | None
    message: Place | None
    score: Number
    confidence: Number
    parts: dict[Name, Number]
    injected: bool

    @model_validator(mode="after")
    def _is_one_thing(self) -> HitRow:
        if (self.entry is None) == (self.message is None):
            raise ValueError("a hit is an entry or a message")
        return self


class RecallRow(Row):
    """One search for a turn."""

    id: Place
    conversation: Name
    message: Place | None
    query: Text | None
    created_at: Time
    took_ms: Number
    hits: list[HitRow]


class Document(Row):
    """The whole memory of one user."""

    format: Literal["lobug-memory"]
    version: Literal[1]
    exported_at: Time
    user: Name
    sessions: Annotated[list[SessionRow], Field(max_length=MAX_ROWS)]
    messages: Annotated[list[MessageRow], Field(max_length=MAX_ROWS)]
    entries: Annotated[list[EntryRow], Field(max_length=MAX_ROWS)]
    projects: Annotated[list[ProjectRow], Field(max_length=MAX_ROWS)]
    tasks: Annotated[list[TaskRow], Field(max_length=MAX_ROWS)]
    recalls: Annotated[list[RecallRow], Field(max_length=MAX_ROWS)]

    @model_validator(mode="after")
    def _references(self) -> Document:
        _check_references(self)
        return self


def checked(document: object) -> Document:
    """Check a document. Raises ImportInvalidError, which names the places of the faults and not
    their values."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ImportInvalidError("the document is not an export of Lo-Bug")
    if document.get("version") != VERSION:
        raise ImportInvalidError(f"the document is not of version {VERSION} of the format")
    try:
        return Document.model_validate(document)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
        shown = "; ".join(_fault(fault) for fault in faults[:MAX_SHOWN])
        more = f" and {len(faults) - MAX_SHOWN} more" if len(faults) > MAX_SHOWN else ""
        raise ImportInvalidError(f"the document cannot be imported: {shown}{more}") from None
    except RecursionError:
        raise ImportInvalidError("the document is nested too deeply") from None


def _fault(fault: Any) -> str:
    place = ".".join(str(part)[:40] for part in fault["loc"][:6])
    return f"{place or 'document'}: {fault['type']}"


class _Numbered(Protocol):
    @property
    def id(self) -> int: ...


def _check_references(document: Document) -> None:
    """Raises ValueError."""
    sessions = _places("sessions", document.sessions)
    messages = _places("messages", document.messages)
    entries = _places("entries", document.entries)
    tasks = _places("tasks", document.tasks)
    _places("recalls", document.recalls)
    names = Counter(project.name for project in document.projects)
    if any(count > 1 for count in names.values()):
        raise ValueError("two projects have one name")
    replies = Counter(row.reply_to for row in document.messages if row.reply_to is not None)
    if any(count > 1 for count in replies.values()):
        raise ValueError("a message has two replies")
    for message in document.messages:
        _require(sessions, message.session)
        _require(messages, message.reply_to)
        if message.reply_to is not None and message.reply_to >= message.id:
            raise ValueError("a reply stands before what it replies to")
    for entry in document.entries:
        _require(sessions, entry.session)
        _require(tasks, entry.task)
        _require(messages, entry.source_message, entry.from_message, entry.to_message)
        _require(entries, entry.replaced_by, *entry.distilled_from)
        if len(set(entry.distilled_from)) < len(entry.distilled_from):
            raise ValueError("an entry was distilled twice from the same")
    _check_no_circle({entry.id: entry.replaced_by for entry in document.entries})
    for task in document.tasks:
        _require(entries, task.archived_as)
    for recall in document.recalls:
        _require(messages, recall.message, *(hit.message for hit in recall.hits))
        _require(entries, *(hit.entry for hit in recall.hits))
        if len({hit.rank for hit in recall.hits}) < len(recall.hits):
            raise ValueError("two hits have one rank")


def _places(name: str, rows: Sequence[_Numbered]) -> frozenset[int]:
    """Check that positions are 1, 2, 3 ..., and so unique."""
    for place, row in enumerate(rows, start=1):
        if row.id != place:
            raise ValueError(f"{name} are not numbered from 1 in their order")
    return frozenset(range(1, len(rows) + 1))


def _require(known: frozenset[int], *wanted: int | None) -> None:
    if any(place is not None and place not in known for place in wanted):
        raise ValueError("a reference leads nowhere")


def _check_no_circle(successors: dict[int, int | None]) -> None:
    ended: set[int] = set()
    for start in successors:
        path: set[int] = set()
        place: int | None = start
        while place is not None and place not in ended:
            if place in path:
                raise ValueError("versions replace one another in a circle")
            path.add(place)
            place = successors.get(place)
        ended |= path


def all_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows as JSON objects."""
    return [row.model_dump() for row in rows]
