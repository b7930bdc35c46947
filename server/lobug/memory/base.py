"""What a turn needs of memory: the one storage interface that the rest of Lo-Bug sees.

Every call names the user; nothing is ever returned that belongs to another. Calls are coroutines
that never block the event loop, and raise ``lobug.errors.StorageError`` subclasses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from lobug.errors import StorageError
from lobug.language.facts import FactType

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class ConversationKey:
    """Whose words these are. ``user`` owns long-term memory, ``conversation`` the message log."""

    user: str
    conversation: str


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A row of the conversation log."""

    id: int
    role: Role
    content: str
    created_at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class RelevantFact:
    """A fact that a search found, with its cosine similarity (-1 to 1, 1 is the same)."""

    id: int
    content: str
    fact_type: FactType
    similarity: float
    created_at: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory, or a former turn, that goes to a turn's prompt."""

    kind: Literal["memory", "turn"]
    id: int
    """Of the entry, or of the message."""
    content: str
    said_at: float
    """Seconds since the epoch."""
    confidence: float
    """0 to 1: how well it fits."""
    past: bool = False
    """It was true once and is no more."""
    role: Role | None = None
    """Of a turn: who said it."""
    speaker: str | None = None
    """Of a turn: the name of who said it, where it is known."""

    @property
    def reference(self) -> str:
        """What the retrieval log calls it: "memory:ID" or "turn:ID"."""
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What memory adds to a turn's prompt."""

    base_memory: str = ""
    """Layer identity; empty when there is none."""
    recalled: Sequence[Recalled] = field(default_factory=tuple)
    """What fits the turn, best first, entries before former turns."""
    asked_for: bool = False
    """Whether the turn asks. Then it is worth to show beside the question what the conversation
    holds farther up: small models answer from what stands there. Of 8 facts, told in this
    conversation, the embedded one knew 27 of 40 times from that alone, and 40 of 40 times with the
    words repeated."""
    search: object = field(default=None, compare=False, repr=False)
    """The search itself, for ``Memory.note_search``."""


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Counts over all users, for ``/health``. Kept up to date in memory: reading them is free."""

    messages: int = 0
    facts: int = 0
    summaries: int = 0
    users: int = 0
    pending_tasks: int = 0
    """Extractions, cascades: background work not done yet."""
    parked_tasks: int = 0
    """Background work that failed too often; kept, retried once a day and at the next start."""
    embedding_backlog: int = 0
    """Facts without a vector of the present embedding model."""


class Memory(Protocol):
    """Long-term memory as a turn sees it."""

    async def start(self) -> None:
        """Open it and take up the background work that is left. Raises StorageError; may then be
        tried again. Until it has succeeded every other call raises StorageError."""

    async def check(self) -> None:
        """Find out whether it can be used by now; opens it where that failed before. Raises
        StorageError."""

    async def refresh(self) -> None:
        """Notice what another program has changed: what was derived from the old content (working
        memory of conversations, counts) is dropped before this returns. Raises StorageError."""

    def fault(self) -> StorageError | None:
        """Why it cannot be used, as last known; no I/O. None: it can."""

    async def close(self) -> None:
        """Stop background work and close it. Safe to call twice, and when it never opened."""

    async def log_user_message(
        self,
        conversation_key: ConversationKey,
        content: str,
        *,
        speaker: str | None = None,
        said_at: float | None = None,
    ) -> int:
        """Append to the conversation log, durably. Returns the message id.

        ``speaker`` names who said it, where several people talk to one device; ``said_at`` when,
        where that is not now, seconds since the epoch."""

    async def log_reply(
        self,
        conversation_key: ConversationKey,
        user_message_id: int,
        content: str,
        *,
        extract: bool,
    ) -> int:
        """Append the assistant's reply and, in the same transaction, the background tasks that the
        exchange gives rise to (``extract`` False: the words were not meant for Lo-Bug and enter
        neither facts nor summaries). Returns the id."""

    async def recent_messages(
        self, conversation_key: ConversationKey, limit: int
    ) -> Sequence[LoggedMessage]:
        """The conversation's last messages, oldest first."""

    async def latest_conversations(self, limit: int) -> Sequence[ConversationKey]:
        """Whose conversations went on last, latest first."""

    async def retrieve_context(
        self, conversation_key: ConversationKey, query: str, *, message_id: int | None = None
    ) -> MemoryContext:
        """Layer identity and what fits ``query``. Never raises for an embedder failure: what fits
        is then what shares words with the query.

        ``message_id`` is the message that is being answered: it is not recalled itself, and the
        search is noted under it in the retrieval log with the reply."""

    def note_search(self, message_id: int, context: MemoryContext) -> None:
        """Say which message a context was retrieved for, where that was not known at the time: the
        search is noted under it in the retrieval log with the reply."""

    async def base_memory(self, user: str) -> str:
        """The user's base memory document; empty when there is none."""

    async def session_summary(self, conversation_key: ConversationKey) -> str:
        """What the conversation's session was about so far; for a prompt whose history was cut.
        Empty when nothing of it has been summed up."""

    def stats(self) -> MemoryStats:
        """Counts as last known; no I/O."""

    def wake(self) -> None:
        """Tell the background worker that there may be something to do."""
