"""The schema of memory in PostgreSQL: the declared tables, and what is its own there.

``MEMORY_STEPS`` are its numbered steps, as ``storage.migrations.STEPS`` are those of a file. What
SQLite does with FTS5 and triggers, tables of tokens and triggers do here; the names of functions
are SQLite's, so that conditions and hand-written statements read the same.
"""

from __future__ import annotations

from lobug.storage import index_tables
from lobug.storage.connection import Connection
from lobug.storage.postgres.tables import Step, create_tables, keep_no_samples

TURN_TOKENS = """
CREATE TABLE turn_tokens (
    message_id bigint PRIMARY KEY REFERENCES turn_index (message_id) ON DELETE CASCADE,
    tokens     text[] NOT NULL
);
COMMENT ON TABLE turn_tokens IS 'the text index of turns: "<owner>x<stem>" for each word of a turn';
CREATE INDEX turn_tokens_by_token ON turn_tokens USING gin (tokens);
CREATE TABLE turn_word_uses (
    owner   bigint NOT NULL REFERENCES turn_owners (id),
    word_id bigint NOT NULL REFERENCES turn_words (id),
    uses    bigint NOT NULL,
    PRIMARY KEY (owner, word_id)
);
COMMENT ON TABLE turn_word_uses IS 'how often the turns of each owner have a word';
CREATE INDEX turn_word_uses_by_word ON turn_word_uses (word_id);
"""

TURN_TRIGGERS = """
CREATE FUNCTION index_new_message() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_session bigint := coalesce(new.session_id, -new.id);
BEGIN
    INSERT INTO turn_owners ("user") VALUES (new."user") ON CONFLICT ("user") DO NOTHING;
    INSERT INTO turn_index (message_id, owner, session_id, place)
    SELECT new.id, o.id, of_session,
           coalesce((SELECT max(t.place) + 1 FROM turn_index t WHERE t.session_id = of_session), 0)
    FROM turn_owners o WHERE o."user" = new."user";
    RETURN NULL;
END $$;
CREATE TRIGGER turn_index_insert AFTER INSERT ON conversation_log FOR EACH ROW
    WHEN (new.content <> '' AND new.forgotten = 0 AND new.meant = 1)
    EXECUTE FUNCTION index_new_message();

CREATE FUNCTION unindex_changed_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE turn_index SET words = NULL WHERE message_id = new.id;
    DELETE FROM turn_index
    WHERE message_id = new.id AND (new.content = '' OR new.forgotten = 1 OR new.meant = 0);
    RETURN NULL;
END $$;
CREATE TRIGGER turn_index_update AFTER UPDATE OF content, forgotten, meant, speaker
    ON conversation_log FOR EACH ROW
    WHEN ((old.content, old.forgotten, old.meant, old.speaker)
          IS DISTINCT FROM (new.content, new.forgotten, new.meant, new.speaker))
    EXECUTE FUNCTION unindex_changed_message();

CREATE FUNCTION unindex_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE turn_index SET words = NULL WHERE message_id = old.id;
    DELETE FROM turn_index WHERE message_id = old.id;
    RETURN old;
END $$;
CREATE TRIGGER turn_index_delete BEFORE DELETE ON conversation_log FOR EACH ROW
    EXECUTE FUNCTION unindex_message();

CREATE FUNCTION forget_turn_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM turn_owners WHERE "user" = old."user"
        AND NOT EXISTS (SELECT 1 FROM conversation_log WHERE "user" = old."user");
    RETURN NULL;
END $$;
CREATE TRIGGER turn_owners_delete AFTER DELETE ON conversation_log FOR EACH ROW
    EXECUTE FUNCTION forget_turn_owner();

CREATE FUNCTION unindex_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM turn_vectors WHERE message_id IN
        (old.message_id, (SELECT t.message_id FROM turn_index t WHERE t.session_id = old.session_id
                          AND t.place > old.place ORDER BY t.place LIMIT 1));
    DELETE FROM turn_tokens WHERE message_id = old.message_id;
    IF old.words IS NOT NULL THEN
        UPDATE turn_owners SET turns = turns - 1, words = words - json_array_length(old.words)
            WHERE id = old.owner;
        UPDATE turn_word_uses u SET uses = u.uses - g.uses
        FROM (SELECT j.value, count(*) AS uses FROM json_each(old.words) j GROUP BY j.value) g
        WHERE u.owner = old.owner AND u.word_id = g.value;
        DELETE FROM turn_word_uses u WHERE u.owner = old.owner AND u.uses <= 0
            AND u.word_id IN (SELECT j.value FROM json_each(old.words) j);
        DELETE FROM turn_words w WHERE w.id IN (SELECT j.value FROM json_each(old.words) j)
            AND NOT EXISTS (SELECT 1 FROM turn_word_uses u WHERE u.word_id = w.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER turn_index_clear AFTER UPDATE OF words ON turn_index FOR EACH ROW
    WHEN (new.words IS NULL) EXECUTE FUNCTION unindex_words();

CREATE FUNCTION forget_word_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM turn_word_vectors WHERE word_id = old.id;
    RETURN old;
END $$;
CREATE TRIGGER turn_words_delete BEFORE DELETE ON turn_words FOR EACH ROW
    EXECUTE FUNCTION forget_word_vector();

CREATE FUNCTION clear_code() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    size integer;
    at   integer;
BEGIN
    UPDATE turn_index SET vector_set = 0 WHERE message_id = old.message_id;
    SELECT (dimension + 63) / 64 * 8 INTO size FROM turn_vector_sets WHERE id = old.set_id;
    at := old.slot % 512 * size;
    UPDATE turn_codes
        SET codes = overlay(codes PLACING decode(repeat('00', size), 'hex') FROM at + 1 FOR size)
        WHERE set_id = old.set_id AND owner = old.owner AND block = old.slot / 512
        AND length(codes) > at;
    DELETE FROM turn_codes WHERE set_id = old.set_id AND owner = old.owner
        AND block = old.slot / 512 AND codes = decode(repeat('00', length(codes)), 'hex');
    RETURN NULL;
END $$;
CREATE TRIGGER turn_vectors_delete AFTER DELETE ON turn_vectors FOR EACH ROW
    EXECUTE FUNCTION clear_code();
"""

ENTRY_TOKENS = """
CREATE TEXT SEARCH DICTIONARY porter (TEMPLATE = snowball, Language = porter);
CREATE FUNCTION word_tokens(owner bigint, said text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        array_agg(DISTINCT owner || 'x' || coalesce((ts_lexize('porter', word))[1], word)), '{}')
    FROM regexp_split_to_table(
             regexp_replace(lower(normalize(said, NFD)), '[\\u0300-\\u036F]', '', 'g'),
             '[^[:alnum:]]+') w (word)
    WHERE word <> ''
$$;
CREATE FUNCTION word_count(said text, named text, tagged text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 2 + length(said) - length(replace(said, ' ', ''))
           + length(named) - length(replace(named, '_', '')) + json_array_length(tagged);
CREATE TABLE memory_tokens (
    memory_id bigint PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    key       text[] NOT NULL,
    content   text[] NOT NULL,
    tags      text[] NOT NULL
);
COMMENT ON TABLE memory_tokens IS 'the text index of entries: "<owner>x<stem>" for each word';
CREATE INDEX memory_tokens_by_key ON memory_tokens USING gin (key);
CREATE INDEX memory_tokens_by_content ON memory_tokens USING gin (content);
CREATE INDEX memory_tokens_by_tag ON memory_tokens USING gin (tags);

CREATE FUNCTION index_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_owner bigint;
    size     bigint := word_count(new.content, new.key, new.tags);
BEGIN
    INSERT INTO memory_owners ("user") VALUES (new."user") ON CONFLICT ("user") DO NOTHING;
    UPDATE memory_owners SET entries = entries + 1, words = words + size
        WHERE "user" = new."user" RETURNING id INTO of_owner;
    INSERT INTO memory_lengths (memory_id, owner, words) VALUES (new.id, of_owner, size);
    INSERT INTO memory_tokens VALUES (new.id, word_tokens(of_owner, new.key),
        word_tokens(of_owner, new.content), word_tokens(of_owner, new.tags));
    RETURN NULL;
END $$;
CREATE TRIGGER memories_index_insert AFTER INSERT ON memories FOR EACH ROW
    EXECUTE FUNCTION index_entry();

CREATE FUNCTION index_changed_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_owner bigint;
    before   bigint;
    size     bigint := word_count(new.content, new.key, new.tags);
BEGIN
    SELECT owner, words INTO of_owner, before FROM memory_lengths WHERE memory_id = new.id;
    UPDATE memory_owners SET words = words - before + size WHERE id = of_owner;
    UPDATE memory_lengths SET words = size WHERE memory_id = new.id;
    UPDATE memory_tokens SET key = word_tokens(of_owner, new.key),
        content = word_tokens(of_owner, new.content), tags = word_tokens(of_owner, new.tags)
        WHERE memory_id = new.id;
    RETURN NULL;
END $$;
CREATE TRIGGER memories_index_update AFTER UPDATE OF key, content, tags ON memories FOR EACH ROW
    EXECUTE FUNCTION index_changed_entry();

CREATE FUNCTION unindex_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE memory_owners SET entries = entries - 1,
        words = words - (SELECT words FROM memory_lengths WHERE memory_id = old.id)
        WHERE id = (SELECT owner FROM memory_lengths WHERE memory_id = old.id);
    DELETE FROM memory_lengths WHERE memory_id = old.id;
    DELETE FROM memory_owners WHERE "user" = old."user" AND entries <= 0;
    RETURN old;
END $$;
CREATE TRIGGER memories_index_delete BEFORE DELETE ON memories FOR EACH ROW
    EXECUTE FUNCTION unindex_entry();
"""

VIEWS = """
CREATE VIEW facts AS
    SELECT id, "user", content, fact_type, source, source_message_id, said_at AS created_at,
           replaced_by, expired_at AS replaced_at
    FROM memories WHERE layer = 'knowledge';
COMMENT ON VIEW facts IS 'what is or was known, to be read';
CREATE VIEW memory_summaries AS
    SELECT id, "user", conversation, content, from_message_id AS source_from_id,
           to_message_id AS source_to_id, created_at, incorporated
    FROM memories WHERE category = 'timeline' AND status = 'active';
COMMENT ON VIEW memory_summaries IS 'the timeline, to be read';
"""


WORDS = (
    "background_tasks.last_error",
    "claims.kind",
    "claims.subject",
    "claims.value",
    "conversation_focus.project",
    "conversation_focus.tags",
    "conversation_log.content",
    "conversation_log.speaker",
    "memories.content",
    "memories.key",
    "memories.project",
    "memories.section",
    "memories.tags",
    "memory_tokens.content",
    "memory_tokens.key",
    "memory_tokens.tags",
    "project_tasks.project",
    "project_tasks.state",
    "project_tasks.title",
    "projects.description",
    "projects.name",
    "recalls.query",
    "sessions.external_id",
    "sessions.summary",
    "turn_codes.codes",
    "turn_tokens.tokens",
    "turn_vectors.vector",
    "turn_word_vectors.vector",
    "turn_words.stem",
    "turn_words.word",
)
"""Columns with somebody's words, or what was computed from them."""


def p001_memory(connection: Connection) -> None:
    """Create everything."""
    create_tables(connection, index_tables.turn_index.metadata)
    for script in (TURN_TOKENS, TURN_TRIGGERS, ENTRY_TOKENS, VIEWS):
        connection.execute(script)
    for column in WORDS:
        table, _, name = column.partition(".")
        keep_no_samples(connection, table, name)


MEMORY_STEPS: tuple[Step, ...] = (p001_memory,)
