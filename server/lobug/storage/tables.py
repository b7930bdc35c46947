"""The tables of ``memory.db``: the one declaration of their columns, and what each of them means.

Statements are built on these tables. The migrations make them in a file; a test compares the two.
Virtual tables (the text index, the vector index), triggers and views are SQLite's own and stand in
the migrations alone.

All times are seconds since the epoch. ``user`` is the person whom a row belongs to.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from lobug.storage.columns import Flag, Number, TextList

metadata = MetaData()

STRICT: dict[str, Any] = {"sqlite_strict": True}
NUMBERED: dict[str, Any] = {**STRICT, "sqlite_autoincrement": True}
"""An id is never given twice, even after its row is gone."""
KEYED: dict[str, Any] = {**STRICT, "sqlite_with_rowid": False}
"""A table that is stored in the order of its primary key."""


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, nullable=True)


def _flag(name: str, comment: str, *, default: int | None = 0) -> Column[bool]:
    return Column(
        name,
        Flag,
        CheckConstraint(f"{name} IN (0, 1)"),
        nullable=False,
        server_default=None if default is None else text(str(default)),
        comment=comment,
    )


def _one_of(name: str, values: str, comment: str, *, default: str | None = None) -> Column[str]:
    """A text that is one of a few words."""
    listed = ", ".join(f"'{value}'" for value in values.split())
    return Column(
        name,
        Text,
        CheckConstraint(f"{name} IN ({listed})"),
        nullable=False,
        server_default=None if default is None else text(f"'{default}'"),
        comment=comment,
    )


def _link(
    name: str, target: str, comment: str | None = None, *, ondelete: str | None = None
) -> Column[int]:
    """The id of another row; null: none."""
    return Column(name, Integer, ForeignKey(target, ondelete=ondelete), comment=comment)


def _count(name: str, comment: str) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default=text("0"), comment=comment)


def _words(name: str, comment: str) -> Column[str]:
    return Column(name, Text, nullable=False, server_default=text("''"), comment=comment)


def _required(name: str, kind: Any, comment: str = "") -> Column[Any]:
    return Column(name, kind, nullable=False, comment=comment or None)


def _index(
    name: str, table: Table, columns: str, *, where: str | None = None, unique: bool = False
) -> None:
    """An index over columns; ``where``: over some of the rows only."""
    Index(
        name,
        *(table.c[column] for column in columns.split()),
        unique=unique,
        sqlite_where=None if where is None else text(where),
    )


sessions = Table(
    "sessions",
    metadata,
    _id(),
    _required("user", Text),
    _required("conversation", Text),
    _required("channel", Text, "'device', 'token', 'address', 'import' or 'other'"),
    Column("external_id", Text, comment="its name where it was imported from"),
    _required("started_at", Number),
    _required("last_active_at", Number, "time of the last message"),
    Column("ended_at", Number, comment="null: it goes on"),
    Column("last_consolidated_at", Number, comment="time of the last message that is summed up"),
    _count("failures", "consolidations that failed in a row"),
    _words("summary", "what it was about so far, for a prompt whose history was cut"),
    comment="stretches of one conversation without a long pause",
    **NUMBERED,
)
_index("sessions_by_conversation", sessions, "user conversation id")
_index(
    "sessions_by_external_id",
    sessions,
    "user external_id",
    where="external_id IS NOT NULL",
    unique=True,
)

conversation_log = Table(
    "conversation_log",
    metadata,
    _id(),
    _required("user", Text),
    _required("conversation", Text),
    Column("role", Text, CheckConstraint("role IN ('user', 'assistant')"), nullable=False),
    _required("content", Text, "empty where the words were erased"),
    _required("created_at", Number, "when it was said"),
    _flag("summarized", "an entry of the timeline covers it"),
    _link("reply_to", "conversation_log.id", "the message replied to"),
    _link("session_id", "sessions.id"),
    Column("speaker", Text, comment="who said it, where several people talk"),
    _flag("forgotten", "its words were erased"),
    _flag("meant", "0: not said to Lo-Bug; never summed up", default=1),
    comment="what was said: one message a row",
    **NUMBERED,
)
_index("conversation_log_by_owner", conversation_log, "user conversation id")
_index("conversation_log_unsummarized", conversation_log, "user id", where="summarized = 0")
_index(
    "conversation_log_one_reply",
    conversation_log,
    "reply_to",
    where="reply_to IS NOT NULL",
    unique=True,
)
_index("conversation_log_by_session", conversation_log, "session_id id")
_index(
    "conversation_log_unsummarized_here",
    conversation_log,
    "user conversation id",
    where="summarized = 0",
)
_index("conversation_log_by_time", conversation_log, "user created_at")
_index("conversation_log_speakers", conversation_log, "user speaker", where="speaker IS NOT NULL")

projects = Table(
    "projects",
    metadata,
    Column("user", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    _words("description", "what it is about"),
    _one_of("status", "active archived", "archived ones stay", default="active"),
    _required("created_at", Number),
    comment="what somebody works on",
    **KEYED,
)

project_tasks = Table(
    "project_tasks",
    metadata,
    _id(),
    _required("user", Text),
    Column("project", Text, comment="a name in projects"),
    Column("title", Text, CheckConstraint("trim(title) <> ''"), nullable=False),
    _one_of("status", "open done", "done ones keep their title", default="open"),
    _words("state", "the working state of an open task"),
    _required("created_at", Number),
    Column("completed_at", Number),
    _link("archived_as", "memories.id", "the entry that holds its result", ondelete="SET NULL"),
    **NUMBERED,
)
_index("project_tasks_by_user", project_tasks, "user id")

memories = Table(
    "memories",
    metadata,
    _id(),
    _required("user", Text, "'household:' for the scope household"),
    _one_of("scope", "conversation user household", "where it is recalled", default="user"),
    Column("conversation", Text, comment="where it was said"),
    _link("session_id", "sessions.id", ondelete="SET NULL"),
    _required("told_by", Text, "the user who said or wrote it"),
    _one_of(
        "layer",
        "identity knowledge archive",
        "always in the prompt; recalled when it fits; recalled on demand",
    ),
    _one_of("category", "knowledge timeline", "timeline: sums up a stretch"),
    _required("key", Text, "its name; one active entry of a scope has it"),
    Column("content", Text, CheckConstraint("trim(content) <> ''"), nullable=False),
    _one_of(
        "fact_type",
        "personal preference knowledge event",
        "what kind of fact it is",
        default="knowledge",
    ),
    Column("section", Text, comment="layer identity: the heading it stands under"),
    Column(
        "importance",
        Number,
        CheckConstraint("importance BETWEEN 0 AND 1"),
        nullable=False,
        server_default=text("0.5"),
        comment="0 to 1",
    ),
    _one_of("source", "correction user agent system import", "who wrote it, most trusted first"),
    _one_of(
        "status",
        "active past inactive",
        "held to be true; was true; never recalled",
        default="active",
    ),
    Column(
        "reason",
        Text,
        CheckConstraint(
            "reason IN ('superseded', 'duplicate', 'corrected', 'edited', 'removed', 'evicted',"
            " 'expired')"
        ),
        comment="why it is not active any more",
    ),
    Column(
        "tags",
        TextList,
        CheckConstraint("json_valid(tags)"),
        nullable=False,
        server_default=text("'[]'"),
    ),
    Column("project", Text, comment="a name in projects"),
    _link("task_id", "project_tasks.id", ondelete="SET NULL"),
    _link("source_message_id", "conversation_log.id", "the message that told it"),
    Column("from_message_id", Integer, comment="timeline: the first message, of one conversation"),
    Column("to_message_id", Integer, comment="timeline: the last message"),
    _flag("incorporated", "timeline: layer identity holds it"),
    _required("said_at", Number),
    _required("created_at", Number, "of its first version"),
    _required("updated_at", Number, "of this version"),
    _required("valid_from", Number, "since when it holds in the world"),
    Column("valid_until", Number, comment="until when it held in the world; null: it still does"),
    Column("expired_at", Number, comment="when Lo-Bug ceased to believe it"),
    _link("replaced_by", "memories.id", "the version that took its place", ondelete="SET NULL"),
    _flag("compared", "it was compared with the facts before it; that happens once"),
    _count("recall_count", "how often it went to a prompt"),
    Column("last_recalled_at", Number),
    CheckConstraint("(status = 'active') = (reason IS NULL)"),
    CheckConstraint("(scope = 'household') = (user = 'household:')"),
    CheckConstraint("scope <> 'conversation' OR conversation IS NOT NULL"),
    comment="one version of an entry a row",
    **NUMBERED,
)
_index("memories_by_user", memories, "user status layer id")
_index("memories_by_time", memories, "user said_at")
_index("memories_replaced", memories, "replaced_by", where="replaced_by IS NOT NULL")
_index("memories_by_message", memories, "source_message_id", where="source_message_id IS NOT NULL")
_index("memories_by_session", memories, "session_id", where="session_id IS NOT NULL")
_index("memories_by_task", memories, "task_id", where="task_id IS NOT NULL")
Index(
    "memories_key",
    memories.c.user,
    text("iif(scope = 'conversation', conversation, '')"),
    memories.c.key,
    unique=True,
    sqlite_where=text("status = 'active'"),
)
_index(
    "memories_once",
    memories,
    "source_message_id content",
    where="source_message_id IS NOT NULL AND source = 'system' AND layer = 'knowledge'"
    " AND status = 'active'",
    unique=True,
)
_index(
    "memories_unincorporated",
    memories,
    "user id",
    where="category = 'timeline' AND incorporated = 0 AND status = 'active'",
)

memory_sources = Table(
    "memory_sources",
    metadata,
    Column("memory_id", Integer, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    Column("source_id", Integer, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    comment="which entries an entry was distilled from",
    **KEYED,
)
_index("memory_sources_by_source", memory_sources, "source_id")

recalls = Table(
    "recalls",
    metadata,
    _id(),
    _required("user", Text),
    _required("conversation", Text),
    _link("message_id", "conversation_log.id", ondelete="CASCADE"),
    Column("query", Text, comment="null: the words of the message"),
    _required("created_at", Number),
    _required("took_ms", Number),
    comment="the retrieval log: one search for a turn a row",
    **NUMBERED,
)
_index("recalls_by_user", recalls, "user conversation id")
_index("recalls_by_message", recalls, "message_id", where="message_id IS NOT NULL")

recall_hits = Table(
    "recall_hits",
    metadata,
    Column("recall_id", Integer, ForeignKey("recalls.id", ondelete="CASCADE"), primary_key=True),
    Column("rank", Integer, primary_key=True, comment="1: best"),
    _link("memory_id", "memories.id", ondelete="CASCADE"),
    _link("message_id", "conversation_log.id", ondelete="CASCADE"),
    _required("score", Number, "for ranking within one search"),
    _required("confidence", Number, "0 to 1"),
    Column(
        "parts",
        Text,
        CheckConstraint("json_valid(parts)"),
        nullable=False,
        server_default=text("'{}'"),
        comment="JSON object: what the score consists of",
    ),
    _flag("injected", "it went to the prompt", default=None),
    CheckConstraint("(memory_id IS NULL) <> (message_id IS NULL)"),
    comment="what a search found: an entry or a message",
    **KEYED,
)
_index("recall_hits_by_memory", recall_hits, "memory_id", where="memory_id IS NOT NULL")
_index("recall_hits_by_message", recall_hits, "message_id", where="message_id IS NOT NULL")

background_tasks = Table(
    "background_tasks",
    metadata,
    _id(),
    _one_of(
        "kind",
        "extract summarize distill end_session gap_fill retention compact",
        "what is to be done",
    ),
    _required("user", Text),
    _link("message_id", "conversation_log.id", "extract: the user's words"),
    _link("session_id", "sessions.id", "work on one session", ondelete="CASCADE"),
    Column("up_to_id", Integer, comment="cascades: the last message or entry to take in"),
    _one_of(
        "state",
        "waiting pending parked scheduled",
        "the turn is under way; to be done; failed too often; not before its time",
    ),
    _count("attempts", "failed ones"),
    _required("next_attempt_at", Number, "when it is due"),
    Column("last_error", Text),
    _required("created_at", Number),
    comment="what is still to be done; a row is deleted when it is done",
    **NUMBERED,
)
_index(
    "background_tasks_extract_once",
    background_tasks,
    "message_id",
    where="kind = 'extract'",
    unique=True,
)
_index(
    "background_tasks_session_once",
    background_tasks,
    "kind session_id",
    where="session_id IS NOT NULL",
    unique=True,
)
_index(
    "background_tasks_user_once",
    background_tasks,
    "kind user",
    where="message_id IS NULL AND session_id IS NULL",
    unique=True,
)
_index("background_tasks_due", background_tasks, "state next_attempt_at")

vector_indexes = Table(
    "vector_indexes",
    metadata,
    _id(),
    Column("name", Text, nullable=False, unique=True, comment="the vec0 table"),
    _required("model_id", Text),
    Column("dimension", Integer, CheckConstraint("dimension > 0"), nullable=False),
    _flag("current", "entries are written to it", default=None),
    _required("created_at", Number),
    UniqueConstraint("model_id", "dimension"),
    comment="one vector index of entries for each embedding model in use",
    **NUMBERED,
)
_index("vector_indexes_one_current", vector_indexes, "current", where="current = 1", unique=True)

memory_vectors = Table(
    "memory_vectors",
    metadata,
    Column(
        "index_id", Integer, ForeignKey("vector_indexes.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("memory_id", Integer, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    _flag("usable", "0: the vector has no direction; found by text only", default=None),
    comment="which entries a vector index has seen",
    **KEYED,
)
_index("memory_vectors_by_memory", memory_vectors, "memory_id")

turn_owners = Table(
    "turn_owners",
    metadata,
    _id(),
    Column("user", Text, nullable=False, unique=True),
    _count("turns", "analysed ones"),
    _count("words", "in the analysed turns"),
    comment="the user's number in the turn index; it is never given to anybody else",
    **NUMBERED,
)

turn_index = Table(
    "turn_index",
    metadata,
    Column(
        "message_id", Integer, ForeignKey("conversation_log.id"), primary_key=True, nullable=True
    ),
    Column("owner", Integer, ForeignKey("turn_owners.id"), nullable=False),
    _required("session_id", Integer, "a negative number of its own: the message has no session"),
    _required("place", Integer, "in the session, ascending"),
    Column(
        "asking",
        Number,
        nullable=False,
        server_default=text("0"),
        comment="share of it that are questions, 0 to 1",
    ),
    _count("timed", "1: it has a word of time"),
    Column("words", Text, comment="JSON array of ids in turn_words; null: not analysed yet"),
    _count("vector_set", "the set that has its vector; 0: none yet"),
    comment="turns that may be found: neither forgotten nor ignored",
    **STRICT,
)
_index("turn_index_by_session", turn_index, "session_id place", unique=True)
_index("turn_index_pending", turn_index, "message_id", where="words IS NULL")
_index("turn_index_by_set", turn_index, "vector_set message_id")

turn_words = Table(
    "turn_words",
    metadata,
    _id(),
    Column("word", Text, nullable=False, unique=True),
    _required("stem", Text),
    _count("uses", "how often turns have it; a word without uses is deleted"),
    _count("vector_set", "the set that has its vector; 0: none yet"),
    comment="the vocabulary of all turns",
    **STRICT,
)
_index("turn_words_by_set", turn_words, "vector_set id")

turn_vector_sets = Table(
    "turn_vector_sets",
    metadata,
    _id(),
    _required("model_id", Text),
    Column("dimension", Integer, CheckConstraint("dimension > 0"), nullable=False),
    UniqueConstraint("model_id", "dimension"),
    comment="one set of turn vectors for each embedding model in use",
    **STRICT,
)

turn_vectors = Table(
    "turn_vectors",
    metadata,
    Column(
        "message_id", Integer, ForeignKey("turn_index.message_id"), primary_key=True, nullable=True
    ),
    Column("set_id", Integer, ForeignKey("turn_vector_sets.id"), nullable=False),
    _required("owner", Integer),
    _required("slot", Integer, "where its bits are in turn_codes"),
    Column("vector", LargeBinary, comment="float32 scale, int8 ...; null: it has no direction"),
    comment="the vector of a turn with the one before it",
    **STRICT,
)
_index("turn_vectors_by_slot", turn_vectors, "set_id owner slot", unique=True)

turn_codes = Table(
    "turn_codes",
    metadata,
    Column("set_id", Integer, primary_key=True),
    Column("owner", Integer, primary_key=True),
    Column("block", Integer, primary_key=True, comment="slot / 512"),
    _required("codes", LargeBinary, "the signs of 512 vectors; all zero: there is none"),
    comment="bit codes of turn vectors, for a first look at all of them",
    **STRICT,
)

turn_word_vectors = Table(
    "turn_word_vectors",
    metadata,
    Column("word_id", Integer, ForeignKey("turn_words.id"), primary_key=True, nullable=True),
    Column("set_id", Integer, ForeignKey("turn_vector_sets.id"), nullable=False),
    Column("vector", LargeBinary, comment="as in turn_vectors"),
    **STRICT,
)

memory_owners = Table(
    "memory_owners",
    metadata,
    _id(),
    Column(
        "user", Text, nullable=False, unique=True, comment="'household:' for the scope household"
    ),
    _count("entries", "all versions, as the text index has them"),
    _count("words", "in all versions"),
    comment="how much of the entries' text index is whose, for the scores of a search",
    **NUMBERED,
)

memory_lengths = Table(
    "memory_lengths",
    metadata,
    Column("memory_id", Integer, ForeignKey("memories.id"), primary_key=True, nullable=True),
    Column("owner", Integer, ForeignKey("memory_owners.id"), nullable=False),
    _required("words", Integer, "in its content, its key and its tags"),
    **STRICT,
)
