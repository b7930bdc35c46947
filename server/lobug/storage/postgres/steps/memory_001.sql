CREATE FUNCTION iif(boolean, text, text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN $1 THEN $2 ELSE $3 END;
CREATE FUNCTION json_valid(text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN $1 IS JSON;
CREATE FUNCTION json_array_length(text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN jsonb_array_length(CAST($1 AS jsonb));
CREATE FUNCTION instr(text, text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN strpos($1, $2);
CREATE FUNCTION json_each(text, OUT key bigint, OUT value bigint) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 300
    AS 'SELECT at - 1, CAST(item AS bigint)
        FROM jsonb_array_elements_text(CAST($1 AS jsonb)) WITH ORDINALITY j (item, at)';
CREATE FUNCTION json_texts(text, OUT key bigint, OUT value text) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 50
    AS 'SELECT at - 1, item
        FROM jsonb_array_elements_text(CAST($1 AS jsonb)) WITH ORDINALITY j (item, at)';

CREATE TABLE sessions (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    channel TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C",
    started_at DOUBLE PRECISION NOT NULL,
    last_active_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION,
    last_consolidated_at DOUBLE PRECISION,
    failures BIGINT DEFAULT 0 NOT NULL,
    summary TEXT COLLATE "C" DEFAULT '' NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX sessions_by_conversation ON sessions ("user", conversation, id);

CREATE UNIQUE INDEX sessions_by_external_id ON sessions ("user", external_id) WHERE external_id IS NOT NULL;

CREATE TABLE conversation_log (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('user', 'assistant')),
    content TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    summarized INTEGER DEFAULT 0 NOT NULL CHECK (summarized IN (0, 1)),
    reply_to BIGINT,
    session_id BIGINT,
    speaker TEXT COLLATE "C",
    forgotten INTEGER DEFAULT 0 NOT NULL CHECK (forgotten IN (0, 1)),
    meant INTEGER DEFAULT 1 NOT NULL CHECK (meant IN (0, 1)),
    PRIMARY KEY (id)
);

CREATE INDEX conversation_log_by_owner ON conversation_log ("user", conversation, id);

CREATE INDEX conversation_log_by_session ON conversation_log (session_id, id);

CREATE INDEX conversation_log_by_time ON conversation_log ("user", created_at);

CREATE UNIQUE INDEX conversation_log_one_reply ON conversation_log (reply_to) WHERE reply_to IS NOT NULL;

CREATE INDEX conversation_log_speakers ON conversation_log ("user", speaker) WHERE speaker IS NOT NULL;

CREATE INDEX conversation_log_unsummarized ON conversation_log ("user", id) WHERE summarized = 0;

CREATE INDEX conversation_log_unsummarized_here ON conversation_log ("user", conversation, id) WHERE summarized = 0;

CREATE TABLE projects (
    "user" TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" DEFAULT '' NOT NULL,
    status TEXT COLLATE "C" DEFAULT 'active' NOT NULL CHECK (status IN ('active', 'archived')),
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY ("user", name)
);

CREATE TABLE project_tasks (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C",
    title TEXT COLLATE "C" NOT NULL CHECK (trim(title) <> ''),
    status TEXT COLLATE "C" DEFAULT 'open' NOT NULL CHECK (status IN ('open', 'done')),
    state TEXT COLLATE "C" DEFAULT '' NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    completed_at DOUBLE PRECISION,
    archived_as BIGINT,
    PRIMARY KEY (id)
);

CREATE INDEX project_tasks_by_user ON project_tasks ("user", id);

CREATE TABLE conversation_focus (
    "user" TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C",
    tags TEXT DEFAULT '[]' NOT NULL CHECK (json_valid(tags)),
    task_id BIGINT,
    PRIMARY KEY ("user", conversation)
);

CREATE INDEX conversation_focus_by_task ON conversation_focus (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE task_sessions (
    task_id BIGINT NOT NULL,
    session_id BIGINT NOT NULL,
    PRIMARY KEY (task_id, session_id)
);

CREATE INDEX task_sessions_by_session ON task_sessions (session_id);

CREATE TABLE memories (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    scope TEXT COLLATE "C" DEFAULT 'user' NOT NULL CHECK (scope IN ('conversation', 'user', 'household')),
    conversation TEXT COLLATE "C",
    session_id BIGINT,
    told_by TEXT COLLATE "C" NOT NULL,
    layer TEXT COLLATE "C" NOT NULL CHECK (layer IN ('identity', 'knowledge', 'archive')),
    category TEXT COLLATE "C" NOT NULL CHECK (category IN ('knowledge', 'timeline')),
    key TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL CHECK (trim(content) <> ''),
    fact_type TEXT COLLATE "C" DEFAULT 'knowledge' NOT NULL CHECK (fact_type IN ('personal', 'preference', 'knowledge', 'event')),
    section TEXT COLLATE "C",
    importance DOUBLE PRECISION DEFAULT 0.5 NOT NULL CHECK (importance BETWEEN 0 AND 1),
    source TEXT COLLATE "C" NOT NULL CHECK (source IN ('correction', 'user', 'agent', 'system', 'import')),
    status TEXT COLLATE "C" DEFAULT 'active' NOT NULL CHECK (status IN ('active', 'past', 'inactive')),
    reason TEXT COLLATE "C" CHECK (reason IN ('superseded', 'duplicate', 'corrected', 'edited', 'removed', 'evicted', 'expired')),
    tags TEXT DEFAULT '[]' NOT NULL CHECK (json_valid(tags)),
    project TEXT COLLATE "C",
    task_id BIGINT,
    source_message_id BIGINT,
    from_message_id BIGINT,
    to_message_id BIGINT,
    incorporated INTEGER DEFAULT 0 NOT NULL CHECK (incorporated IN (0, 1)),
    said_at DOUBLE PRECISION NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    valid_from DOUBLE PRECISION NOT NULL,
    valid_until DOUBLE PRECISION,
    expired_at DOUBLE PRECISION,
    replaced_by BIGINT,
    compared INTEGER DEFAULT 0 NOT NULL CHECK (compared IN (0, 1)),
    recall_count BIGINT DEFAULT 0 NOT NULL,
    last_recalled_at DOUBLE PRECISION,
    PRIMARY KEY (id),
    CHECK ((status = 'active') = (reason IS NULL)),
    CHECK ((scope = 'household') = ("user" = 'household:')),
    CHECK (scope <> 'conversation' OR conversation IS NOT NULL)
);

CREATE INDEX memories_by_message ON memories (source_message_id) WHERE source_message_id IS NOT NULL;

CREATE INDEX memories_by_session ON memories (session_id) WHERE session_id IS NOT NULL;

CREATE INDEX memories_by_task ON memories (task_id) WHERE task_id IS NOT NULL;

CREATE INDEX memories_by_time ON memories ("user", said_at, id, status, layer, category, scope, conversation, project);

CREATE INDEX memories_by_user ON memories ("user", status, layer, id);

CREATE UNIQUE INDEX memories_key ON memories ("user", iif(scope = 'conversation', conversation, ''), key) WHERE status = 'active';

CREATE UNIQUE INDEX memories_once ON memories (source_message_id, content) WHERE source_message_id IS NOT NULL AND source = 'system' AND layer = 'knowledge' AND status = 'active';

CREATE INDEX memories_replaced ON memories (replaced_by) WHERE replaced_by IS NOT NULL;

CREATE INDEX memories_unincorporated ON memories ("user", id) WHERE category = 'timeline' AND incorporated = 0 AND status = 'active';

CREATE TABLE memory_sources (
    memory_id BIGINT NOT NULL,
    source_id BIGINT NOT NULL,
    PRIMARY KEY (memory_id, source_id)
);

CREATE INDEX memory_sources_by_source ON memory_sources (source_id);

CREATE TABLE claims (
    memory_id BIGINT NOT NULL,
    place BIGINT NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    relation TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" DEFAULT '' NOT NULL,
    value TEXT COLLATE "C" DEFAULT '' NOT NULL,
    holds INTEGER DEFAULT 1 NOT NULL CHECK (holds IN (0, 1)),
    reader TEXT COLLATE "C" NOT NULL CHECK (reader IN ('rules', 'model', 'owner')),
    confidence DOUBLE PRECISION NOT NULL,
    ended_by BIGINT,
    PRIMARY KEY (memory_id, place)
);

CREATE INDEX claims_by_end ON claims (ended_by) WHERE ended_by IS NOT NULL;

CREATE INDEX claims_by_relation ON claims ("user", relation);

CREATE INDEX claims_by_subject ON claims ("user", subject, relation);

CREATE TABLE claim_backlog (
    memory_id BIGINT NOT NULL,
    PRIMARY KEY (memory_id)
);

CREATE TABLE tombstones (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    salt TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    forgotten_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX tombstones_by_user ON tombstones ("user", forgotten_at);

CREATE TABLE recalls (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    message_id BIGINT,
    query TEXT COLLATE "C",
    created_at DOUBLE PRECISION NOT NULL,
    took_ms DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX recalls_by_message ON recalls (message_id) WHERE message_id IS NOT NULL;

CREATE INDEX recalls_by_user ON recalls ("user", conversation, id);

CREATE TABLE recall_hits (
    recall_id BIGINT NOT NULL,
    rank BIGINT NOT NULL,
    memory_id BIGINT,
    message_id BIGINT,
    score DOUBLE PRECISION NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    parts TEXT COLLATE "C" DEFAULT '{}' NOT NULL CHECK (json_valid(parts)),
    injected INTEGER NOT NULL CHECK (injected IN (0, 1)),
    PRIMARY KEY (recall_id, rank),
    CHECK ((memory_id IS NULL) <> (message_id IS NULL))
);

CREATE INDEX recall_hits_by_memory ON recall_hits (memory_id) WHERE memory_id IS NOT NULL;

CREATE INDEX recall_hits_by_message ON recall_hits (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE background_tasks (
    id BIGSERIAL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('extract', 'summarize', 'distill', 'end_session', 'gap_fill', 'retention', 'compact')),
    "user" TEXT COLLATE "C" NOT NULL,
    message_id BIGINT,
    session_id BIGINT,
    up_to_id BIGINT,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'pending', 'parked', 'scheduled')),
    attempts BIGINT DEFAULT 0 NOT NULL,
    next_attempt_at DOUBLE PRECISION NOT NULL,
    last_error TEXT COLLATE "C",
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX background_tasks_due ON background_tasks (state, next_attempt_at);

CREATE UNIQUE INDEX background_tasks_extract_once ON background_tasks (message_id) WHERE kind = 'extract';

CREATE UNIQUE INDEX background_tasks_session_once ON background_tasks (kind, session_id) WHERE session_id IS NOT NULL;

CREATE UNIQUE INDEX background_tasks_user_once ON background_tasks (kind, "user") WHERE message_id IS NULL AND session_id IS NULL;

CREATE TABLE vector_indexes (
    id BIGSERIAL,
    name TEXT COLLATE "C" NOT NULL,
    model_id TEXT COLLATE "C" NOT NULL,
    dimension BIGINT NOT NULL CHECK (dimension > 0),
    current INTEGER NOT NULL CHECK (current IN (0, 1)),
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (model_id, dimension),
    UNIQUE (name)
);

CREATE UNIQUE INDEX vector_indexes_one_current ON vector_indexes (current) WHERE current = 1;

CREATE TABLE memory_vectors (
    index_id BIGINT NOT NULL,
    memory_id BIGINT NOT NULL,
    usable INTEGER NOT NULL CHECK (usable IN (0, 1)),
    PRIMARY KEY (index_id, memory_id)
);

CREATE INDEX memory_vectors_by_memory ON memory_vectors (memory_id);

CREATE TABLE turn_owners (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    turns BIGINT DEFAULT 0 NOT NULL,
    words BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE ("user")
);

CREATE TABLE turn_index (
    message_id BIGINT,
    owner BIGINT NOT NULL,
    session_id BIGINT NOT NULL,
    place BIGINT NOT NULL,
    asking DOUBLE PRECISION DEFAULT 0 NOT NULL,
    timed BIGINT DEFAULT 0 NOT NULL,
    words TEXT COLLATE "C",
    vector_set BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (message_id)
);

CREATE UNIQUE INDEX turn_index_by_session ON turn_index (session_id, place);

CREATE INDEX turn_index_by_set ON turn_index (vector_set, message_id);

CREATE INDEX turn_index_pending ON turn_index (message_id) WHERE words IS NULL;

CREATE TABLE turn_words (
    id BIGSERIAL,
    word TEXT COLLATE "C" NOT NULL,
    stem TEXT COLLATE "C" NOT NULL,
    uses BIGINT DEFAULT 0 NOT NULL,
    vector_set BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (word)
);

CREATE INDEX turn_words_by_set ON turn_words (vector_set, id);

CREATE TABLE turn_vector_sets (
    id BIGSERIAL,
    model_id TEXT COLLATE "C" NOT NULL,
    dimension BIGINT NOT NULL CHECK (dimension > 0),
    PRIMARY KEY (id),
    UNIQUE (model_id, dimension)
);

CREATE TABLE turn_vectors (
    message_id BIGINT,
    set_id BIGINT NOT NULL,
    owner BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    vector BYTEA,
    PRIMARY KEY (message_id)
);

CREATE UNIQUE INDEX turn_vectors_by_slot ON turn_vectors (set_id, owner, slot);

CREATE TABLE turn_codes (
    set_id BIGINT NOT NULL,
    owner BIGINT NOT NULL,
    block BIGINT NOT NULL,
    codes BYTEA NOT NULL,
    PRIMARY KEY (set_id, owner, block)
);

ALTER TABLE turn_codes ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;

CREATE TABLE turn_word_vectors (
    word_id BIGINT,
    set_id BIGINT NOT NULL,
    vector BYTEA,
    PRIMARY KEY (word_id)
);

CREATE TABLE memory_owners (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    entries BIGINT DEFAULT 0 NOT NULL,
    words BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE ("user")
);

CREATE TABLE memory_lengths (
    memory_id BIGINT,
    owner BIGINT NOT NULL,
    words BIGINT NOT NULL,
    PRIMARY KEY (memory_id)
);

ALTER TABLE conversation_log ADD FOREIGN KEY ("reply_to") REFERENCES conversation_log ("id");
ALTER TABLE conversation_log ADD FOREIGN KEY ("session_id") REFERENCES sessions ("id");
ALTER TABLE project_tasks ADD FOREIGN KEY ("archived_as") REFERENCES memories ("id") ON DELETE SET NULL;
ALTER TABLE conversation_focus ADD FOREIGN KEY ("task_id") REFERENCES project_tasks ("id") ON DELETE SET NULL;
ALTER TABLE task_sessions ADD FOREIGN KEY ("session_id") REFERENCES sessions ("id") ON DELETE CASCADE;
ALTER TABLE task_sessions ADD FOREIGN KEY ("task_id") REFERENCES project_tasks ("id") ON DELETE CASCADE;
ALTER TABLE memories ADD FOREIGN KEY ("replaced_by") REFERENCES memories ("id") ON DELETE SET NULL;
ALTER TABLE memories ADD FOREIGN KEY ("session_id") REFERENCES sessions ("id") ON DELETE SET NULL;
ALTER TABLE memories ADD FOREIGN KEY ("source_message_id") REFERENCES conversation_log ("id");
ALTER TABLE memories ADD FOREIGN KEY ("task_id") REFERENCES project_tasks ("id") ON DELETE SET NULL;
ALTER TABLE memory_sources ADD FOREIGN KEY ("memory_id") REFERENCES memories ("id") ON DELETE CASCADE;
ALTER TABLE memory_sources ADD FOREIGN KEY ("source_id") REFERENCES memories ("id") ON DELETE CASCADE;
ALTER TABLE claims ADD FOREIGN KEY ("memory_id") REFERENCES memories ("id") ON DELETE CASCADE;
ALTER TABLE claim_backlog ADD FOREIGN KEY ("memory_id") REFERENCES memories ("id") ON DELETE CASCADE;
ALTER TABLE recalls ADD FOREIGN KEY ("message_id") REFERENCES conversation_log ("id") ON DELETE CASCADE;
ALTER TABLE recall_hits ADD FOREIGN KEY ("memory_id") REFERENCES memories ("id") ON DELETE CASCADE;
ALTER TABLE recall_hits ADD FOREIGN KEY ("message_id") REFERENCES conversation_log ("id") ON DELETE CASCADE;
ALTER TABLE recall_hits ADD FOREIGN KEY ("recall_id") REFERENCES recalls ("id") ON DELETE CASCADE;
ALTER TABLE background_tasks ADD FOREIGN KEY ("message_id") REFERENCES conversation_log ("id");
ALTER TABLE background_tasks ADD FOREIGN KEY ("session_id") REFERENCES sessions ("id") ON DELETE CASCADE;
ALTER TABLE memory_vectors ADD FOREIGN KEY ("index_id") REFERENCES vector_indexes ("id") ON DELETE CASCADE;
ALTER TABLE memory_vectors ADD FOREIGN KEY ("memory_id") REFERENCES memories ("id") ON DELETE CASCADE;
ALTER TABLE turn_index ADD FOREIGN KEY ("message_id") REFERENCES conversation_log ("id");
ALTER TABLE turn_index ADD FOREIGN KEY ("owner") REFERENCES turn_owners ("id");
ALTER TABLE turn_vectors ADD FOREIGN KEY ("message_id") REFERENCES turn_index ("message_id");
ALTER TABLE turn_vectors ADD FOREIGN KEY ("set_id") REFERENCES turn_vector_sets ("id");
ALTER TABLE turn_word_vectors ADD FOREIGN KEY ("set_id") REFERENCES turn_vector_sets ("id");
ALTER TABLE turn_word_vectors ADD FOREIGN KEY ("word_id") REFERENCES turn_words ("id");
ALTER TABLE memory_lengths ADD FOREIGN KEY ("memory_id") REFERENCES memories ("id");
ALTER TABLE memory_lengths ADD FOREIGN KEY ("owner") REFERENCES memory_owners ("id");

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

CREATE TEXT SEARCH DICTIONARY porter (TEMPLATE = snowball, Language = porter);
CREATE FUNCTION word_tokens(owner bigint, said text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        array_agg(DISTINCT owner || 'x' || coalesce((ts_lexize('porter', word))[1], word)), '{}')
    FROM regexp_split_to_table(
             regexp_replace(lower(normalize(said, NFD)), '[\u0300-\u036F]', '', 'g'),
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

ALTER TABLE background_tasks ALTER COLUMN "last_error" SET STATISTICS 0;
ALTER TABLE claims ALTER COLUMN "kind" SET STATISTICS 0;
ALTER TABLE claims ALTER COLUMN "subject" SET STATISTICS 0;
ALTER TABLE claims ALTER COLUMN "value" SET STATISTICS 0;
ALTER TABLE conversation_focus ALTER COLUMN "project" SET STATISTICS 0;
ALTER TABLE conversation_focus ALTER COLUMN "tags" SET STATISTICS 0;
ALTER TABLE conversation_log ALTER COLUMN "content" SET STATISTICS 0;
ALTER TABLE conversation_log ALTER COLUMN "speaker" SET STATISTICS 0;
ALTER TABLE memories ALTER COLUMN "content" SET STATISTICS 0;
ALTER TABLE memories ALTER COLUMN "key" SET STATISTICS 0;
ALTER TABLE memories ALTER COLUMN "project" SET STATISTICS 0;
ALTER TABLE memories ALTER COLUMN "section" SET STATISTICS 0;
ALTER TABLE memories ALTER COLUMN "tags" SET STATISTICS 0;
ALTER TABLE memory_tokens ALTER COLUMN "content" SET STATISTICS 0;
ALTER TABLE memory_tokens ALTER COLUMN "key" SET STATISTICS 0;
ALTER TABLE memory_tokens ALTER COLUMN "tags" SET STATISTICS 0;
ALTER TABLE project_tasks ALTER COLUMN "project" SET STATISTICS 0;
ALTER TABLE project_tasks ALTER COLUMN "state" SET STATISTICS 0;
ALTER TABLE project_tasks ALTER COLUMN "title" SET STATISTICS 0;
ALTER TABLE projects ALTER COLUMN "description" SET STATISTICS 0;
ALTER TABLE projects ALTER COLUMN "name" SET STATISTICS 0;
ALTER TABLE recalls ALTER COLUMN "query" SET STATISTICS 0;
ALTER TABLE sessions ALTER COLUMN "external_id" SET STATISTICS 0;
ALTER TABLE sessions ALTER COLUMN "summary" SET STATISTICS 0;
ALTER TABLE turn_codes ALTER COLUMN "codes" SET STATISTICS 0;
ALTER TABLE turn_tokens ALTER COLUMN "tokens" SET STATISTICS 0;
ALTER TABLE turn_vectors ALTER COLUMN "vector" SET STATISTICS 0;
ALTER TABLE turn_word_vectors ALTER COLUMN "vector" SET STATISTICS 0;
ALTER TABLE turn_words ALTER COLUMN "stem" SET STATISTICS 0;
ALTER TABLE turn_words ALTER COLUMN "word" SET STATISTICS 0;
