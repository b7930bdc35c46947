"""The tables of ``memory.db``: the one declaration of their columns, and what each of them means.

Statements are built on these tables. The migrations make them in a file; a test compares the two.
Virtual tables (the text index, the vector index), triggers and views are SQLite's own and stand in
the migrations alone.

All times are seconds since the epoch. ``user`` is the person whom a row belongs to.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    MetaData,
    Table,
    func,
    text,
)

from lobug.storage.columns import (
    KEYED,
    NUMBERED,
    Integer,
    Number,
    Text,
    TextList,
    add_index,
    count,
    flag,
    link,
    of_rows,
    one_of,
    required,
    row_id,
    words,
)

metadata = MetaData()


sessions = Table(
    "sessions",
    metadata,
    row_id(),
    required("user", Text),
    required("conversation", Text),
    required("channel", Text, "'device', 'browser', 'token', 'address', 'import' or 'other'"),
    Column("external_id", Text, comment="its name where it was imported from"),
    required("started_at", Number),
    required("last_active_at", Number, "time of the last message"),
    Column("ended_at", Number, comment="null: it goes on"),
    Column("last_consolidated_at", Number, comment="time of the last message that is summed up"),
    count("failures", "consolidations that failed in a row"),
    words("summary", "what it was about so far, for a prompt whose history was cut"),
    comment="stretches of one conversation without a long pause",
    **NUMBERED,
)
add_index("sessions_by_conversation", sessions, "user conversation id")
add_index(
    "sessions_by_external_id",
    sessions,
    "user external_id",
    where="external_id IS NOT NULL",
    unique=True,
)

conversation_log = Table(
    "conversation_log",
    metadata,
    row_id(),
    required("user", Text),
    required("conversation", Text),
    Column("role", Text, CheckConstraint("role IN ('user', 'assistant')"), nullable=False),
    required("content", Text, "empty where the words were erased"),
    required("created_at", Number, "when it was said"),
    flag("summarized", "an entry of the timeline covers it"),
    link("reply_to", "conversation_log.id", "the message replied to"),
    link("session_id", "sessions.id"),
    Column("speaker", Text, comment="who said it, where several people talk"),
    flag("forgotten", "its words were erased"),
    flag("meant", "0: not said to Lo-Bug; never summed up", default=1),
    comment="what was said: one message a row",
    **NUMBERED,
)
add_index("conversation_log_by_owner", conversation_log, "user conversation id")
add_index("conversation_log_unsummarized", conversation_log, "user id", where="summarized = 0")
add_index(
    "conversation_log_one_reply",
    conversation_log,
    "reply_to",
    where="reply_to IS NOT NULL",
    unique=True,
)
add_index("conversation_log_by_session", conversation_log, "session_id id")
add_index(
    "conversation_log_unsummarized_here",
    conversation_log,
    "user conversation id",
    where="summarized = 0",
)
add_index("conversation_log_by_time", conversation_log, "user created_at")
add_index(
    "conversation_log_speakers", conversation_log, "user speaker", where="speaker IS NOT NULL"
)

projects = Table(
    "projects",
    metadata,
    Column("user", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    words("description", "what it is about"),
    one_of("status", "active archived", "archived ones stay", default="active"),
    required("created_at", Number),
    comment="what somebody works on",
    **KEYED,
)

project_tasks = Table(
    "project_tasks",
    metadata,
    row_id(),
    required("user", Text),
    Column("project", Text, comment="a name in projects"),
    Column("title", Text, CheckConstraint("trim(title) <> ''"), nullable=False),
    one_of("status", "open done", "done ones keep their title", default="open"),
    words("state", "the working state of an open task"),
    required("created_at", Number),
    Column("completed_at", Number),
    link("archived_as", "memories.id", "the entry that holds its result", ondelete="SET NULL"),
    **NUMBERED,
)
add_index("project_tasks_by_user", project_tasks, "user id")
add_index("project_tasks_by_entry", project_tasks, "archived_as", where="archived_as IS NOT NULL")

conversation_focus = Table(
    "conversation_focus",
    metadata,
    Column("user", Text, primary_key=True),
    Column("conversation", Text, primary_key=True),
    Column("project", Text, comment="a name in projects"),
    Column(
        "tags",
        TextList,
        CheckConstraint("json_valid(tags)"),
        nullable=False,
        server_default=text("'[]'"),
    ),
    link("task_id", "project_tasks.id", ondelete="SET NULL"),
    comment="what a conversation is about, until that is changed",
    **KEYED,
)
add_index("conversation_focus_by_task", conversation_focus, "task_id", where="task_id IS NOT NULL")

task_sessions = Table(
    "task_sessions",
    metadata,
    Column(
        "task_id", Integer, ForeignKey("project_tasks.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("session_id", Integer, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    comment="sessions whose summaries belong to a task's working state",
    **KEYED,
)
add_index("task_sessions_by_session", task_sessions, "session_id")

memories = Table(
    "memories",
    metadata,
    row_id(),
    required("user", Text, "'household:' for the scope household"),
    one_of("scope", "conversation user household", "where it is recalled", default="user"),
    Column("conversation", Text, comment="where it was said"),
    link("session_id", "sessions.id", ondelete="SET NULL"),
    required("told_by", Text, "the user who said or wrote it"),
    one_of(
        "layer",
        "identity knowledge archive",
        "always in the prompt; recalled when it fits; recalled on demand",
    ),
    one_of("category", "knowledge timeline", "timeline: sums up a stretch"),
    required("key", Text, "its name; one active entry of a scope has it"),
    Column("content", Text, CheckConstraint("trim(content) <> ''"), nullable=False),
    one_of(
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
    one_of("source", "correction user agent system import", "who wrote it, most trusted first"),
    one_of(
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
    link("task_id", "project_tasks.id", ondelete="SET NULL"),
    link("source_message_id", "conversation_log.id", "the message that told it"),
    Column("from_message_id", Integer, comment="timeline: the first message, of one conversation"),
    Column("to_message_id", Integer, comment="timeline: the last message"),
    flag("incorporated", "timeline: layer identity holds it"),
    required("said_at", Number),
    required("created_at", Number, "of its first version"),
    required("updated_at", Number, "of this version"),
    required("valid_from", Number, "since when it holds in the world"),
    Column("valid_until", Number, comment="until when it held in the world; null: it still does"),
    Column("expired_at", Number, comment="when Lo-Bug ceased to believe it"),
    link("replaced_by", "memories.id", "the version that took its place", ondelete="SET NULL"),
    flag("compared", "it was compared with the facts before it; that happens once"),
    count("recall_count", "how often it went to a prompt"),
    Column("last_recalled_at", Number),
    CheckConstraint("(status = 'active') = (reason IS NULL)"),
    CheckConstraint("(scope = 'household') = (\"user\" = 'household:')"),
    CheckConstraint("scope <> 'conversation' OR conversation IS NOT NULL"),
    comment="one version of an entry a row",
    **NUMBERED,
)
add_index("memories_by_user", memories, "user status layer id")
add_index(
    "memories_by_time",
    memories,
    "user said_at id status layer category scope conversation project",
)
add_index("memories_replaced", memories, "replaced_by", where="replaced_by IS NOT NULL")
add_index(
    "memories_by_message", memories, "source_message_id", where="source_message_id IS NOT NULL"
)
add_index("memories_by_session", memories, "session_id", where="session_id IS NOT NULL")
add_index("memories_by_task", memories, "task_id", where="task_id IS NOT NULL")
key_conversation = func.iif(memories.c.scope == "conversation", memories.c.conversation, "")
"""The conversation in which a key is unique; empty: it is unique for the user. SQLite uses the
index only for this very expression."""
Index(
    "memories_key",
    memories.c.user,
    text("iif(scope = 'conversation', conversation, '')"),
    memories.c.key,
    unique=True,
    **of_rows("status = 'active'"),
)
add_index(
    "memories_once",
    memories,
    "source_message_id content",
    where="source_message_id IS NOT NULL AND source = 'system' AND layer = 'knowledge'"
    " AND status = 'active'",
    unique=True,
    long="content",
)
add_index(
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
add_index("memory_sources_by_source", memory_sources, "source_id")

claims = Table(
    "claims",
    metadata,
    Column("memory_id", Integer, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, comment="an entry may make several; from 0"),
    required("user", Text, "as in memories"),
    required("subject", Text, "of whom, from the owner on, joined by '/': 'user/sister'"),
    required("relation", Text, "id of a relation of the language's book"),
    words("kind", "part of the relation: the colour of 'my favourite colour'"),
    words("value", "as said"),
    flag("holds", "0: it is denied, or said to be over", default=1),
    one_of("reader", "rules model owner", "who read it: rules, chat model, rules in own words"),
    required("confidence", Number, "0 to 1"),
    Column("ended_by", Integer, comment="the message that ended it or put it right"),
    comment="what an entry claims: subject, relation, value",
    **KEYED,
)
add_index("claims_by_subject", claims, "user subject relation")
add_index("claims_by_relation", claims, "user relation")
add_index("claims_by_end", claims, "ended_by", where="ended_by IS NOT NULL")

claim_backlog = Table(
    "claim_backlog",
    metadata,
    Column("memory_id", Integer, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    comment="entries of older versions whose claims are still to be read",
    **KEYED,
)

tombstones = Table(
    "tombstones",
    metadata,
    row_id(),
    required("user", Text),
    required("salt", Text),
    required("digest", Text, "of what was forgotten; the words themselves are gone"),
    required("forgotten_at", Number, "nothing said before is learned again"),
    comment="what was forgotten, so that older words cannot bring it back",
    **NUMBERED,
)
add_index("tombstones_by_user", tombstones, "user forgotten_at")

recalls = Table(
    "recalls",
    metadata,
    row_id(),
    required("user", Text),
    required("conversation", Text),
    link("message_id", "conversation_log.id", ondelete="CASCADE"),
    Column("query", Text, comment="null: the words of the message"),
    required("created_at", Number),
    required("took_ms", Number),
    comment="the retrieval log: one search for a turn a row",
    **NUMBERED,
)
add_index("recalls_by_user", recalls, "user conversation id")
add_index("recalls_by_message", recalls, "message_id", where="message_id IS NOT NULL")

recall_hits = Table(
    "recall_hits",
    metadata,
    Column("recall_id", Integer, ForeignKey("recalls.id", ondelete="CASCADE"), primary_key=True),
    Column("rank", Integer, primary_key=True, comment="1: best"),
    link("memory_id", "memories.id", ondelete="CASCADE"),
    link("message_id", "conversation_log.id", ondelete="CASCADE"),
    required("score", Number, "for ranking within one search"),
    required("confidence", Number, "0 to 1"),
    Column(
        "parts",
        Text,
        CheckConstraint("json_valid(parts)"),
        nullable=False,
        server_default=text("'{}'"),
        comment="JSON object: what the score consists of",
    ),
    flag("injected", "it went to the prompt", default=None),
    CheckConstraint("(memory_id IS NULL) <> (message_id IS NULL)"),
    comment="what a search found: an entry or a message",
    **KEYED,
)
add_index("recall_hits_by_memory", recall_hits, "memory_id", where="memory_id IS NOT NULL")
add_index("recall_hits_by_message", recall_hits, "message_id", where="message_id IS NOT NULL")

background_tasks = Table(
    "background_tasks",
    metadata,
    row_id(),
    one_of(
        "kind",
        "extract summarize distill end_session gap_fill retention compact",
        "what is to be done",
    ),
    required("user", Text),
    link("message_id", "conversation_log.id", "extract: the user's words"),
    link("session_id", "sessions.id", "work on one session", ondelete="CASCADE"),
    Column("up_to_id", Integer, comment="cascades: the last message or entry to take in"),
    one_of(
        "state",
        "waiting pending parked scheduled",
        "the turn is under way; to be done; failed too often; not before its time",
    ),
    count("attempts", "failed ones"),
    required("next_attempt_at", Number, "when it is due"),
    Column("last_error", Text),
    required("created_at", Number),
    comment="what is still to be done; a row is deleted when it is done",
    **NUMBERED,
)
add_index(
    "background_tasks_extract_once",
    background_tasks,
    "message_id",
    where="kind = 'extract'",
    unique=True,
)
add_index(
    "background_tasks_session_once",
    background_tasks,
    "kind session_id",
    where="session_id IS NOT NULL",
    unique=True,
)
add_index(
    "background_tasks_user_once",
    background_tasks,
    "kind user",
    where="message_id IS NULL AND session_id IS NULL",
    unique=True,
)
add_index("background_tasks_due", background_tasks, "state next_attempt_at")
add_index(
    "background_tasks_by_message", background_tasks, "message_id", where="message_id IS NOT NULL"
)
add_index(
    "background_tasks_by_session", background_tasks, "session_id", where="session_id IS NOT NULL"
)
