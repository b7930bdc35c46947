"""Tables of the indexes over entries and turns: derived from ``tables``, can be made again.

Only ``lobug.memory.index`` and what searches it reads and writes them.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    LargeBinary,
    Table,
    UniqueConstraint,
    text,
)

from lobug.storage.columns import (
    KEYED,
    NUMBERED,
    STRICT,
    Integer,
    Number,
    Text,
    add_index,
    count,
    flag,
    required,
    row_id,
)
from lobug.storage.tables import metadata

vector_indexes = Table(
    "vector_indexes",
    metadata,
    row_id(),
    Column("name", Text, nullable=False, unique=True, comment="the vec0 table"),
    required("model_id", Text),
    Column("dimension", Integer, CheckConstraint("dimension > 0"), nullable=False),
    flag("current", "entries are written to it", default=None),
    required("created_at", Number),
    UniqueConstraint("model_id", "dimension"),
    comment="one vector index of entries for each embedding model in use",
    **NUMBERED,
)
add_index("vector_indexes_one_current", vector_indexes, "current", where="current = 1", unique=True)

memory_vectors = Table(
    "memory_vectors",
    metadata,
    Column(
        "index_id", Integer, ForeignKey("vector_indexes.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("memory_id", Integer, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    flag("usable", "0: the vector has no direction; found by text only", default=None),
    comment="which entries a vector index has seen",
    **KEYED,
)
add_index("memory_vectors_by_memory", memory_vectors, "memory_id")

turn_owners = Table(
    "turn_owners",
    metadata,
    row_id(),
    Column("user", Text, nullable=False, unique=True),
    count("turns", "analysed ones"),
    count("words", "in the analysed turns"),
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
    required("session_id", Integer, "a negative number of its own: the message has no session"),
    required("place", Integer, "in the session, ascending"),
    Column(
        "asking",
        Number,
        nullable=False,
        server_default=text("0"),
        comment="share of it that are questions, 0 to 1",
    ),
    count("timed", "1: it has a word of time"),
    Column("words", Text, comment="JSON array of ids in turn_words; null: not analysed yet"),
    count("vector_set", "the set that has its vector; 0: none yet"),
    comment="turns that may be found: neither forgotten nor ignored",
    **STRICT,
)
add_index("turn_index_by_owner", turn_index, "owner")
add_index("turn_index_by_session", turn_index, "session_id place", unique=True)
add_index("turn_index_pending", turn_index, "message_id", where="words IS NULL")
add_index("turn_index_by_set", turn_index, "vector_set message_id")

turn_words = Table(
    "turn_words",
    metadata,
    row_id(),
    Column("word", Text, nullable=False, unique=True),
    required("stem", Text),
    count("uses", "how often turns have it; a word without uses is deleted"),
    count("vector_set", "the set that has its vector; 0: none yet"),
    comment="the vocabulary of all turns",
    **STRICT,
)
add_index("turn_words_by_set", turn_words, "vector_set id")
add_index("turn_words_by_stem", turn_words, "stem")

turn_vector_sets = Table(
    "turn_vector_sets",
    metadata,
    row_id(),
    required("model_id", Text),
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
    required("owner", Integer),
    required("slot", Integer, "where its bits are in turn_codes"),
    Column("vector", LargeBinary, comment="float32 scale, int8 ...; null: it has no direction"),
    comment="the vector of a turn with the one before it",
    **STRICT,
)
add_index(
    "turn_vectors_by_slot", turn_vectors, "set_id owner slot", unique=True, beside="message_id"
)

turn_codes = Table(
    "turn_codes",
    metadata,
    Column("set_id", Integer, primary_key=True),
    Column("owner", Integer, primary_key=True),
    Column("block", Integer, primary_key=True, comment="slot / 512"),
    required("codes", LargeBinary, "the signs of 512 vectors; all zero: there is none"),
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
    row_id(),
    Column(
        "user", Text, nullable=False, unique=True, comment="'household:' for the scope household"
    ),
    count("entries", "all versions, as the text index has them"),
    count("words", "in all versions"),
    comment="how much of the entries' text index is whose, for the scores of a search",
    **NUMBERED,
)

memory_lengths = Table(
    "memory_lengths",
    metadata,
    Column("memory_id", Integer, ForeignKey("memories.id"), primary_key=True, nullable=True),
    Column("owner", Integer, ForeignKey("memory_owners.id"), nullable=False),
    required("words", Integer, "in its content, its key and its tags"),
    **STRICT,
)
add_index("memory_lengths_by_owner", memory_lengths, "owner")
