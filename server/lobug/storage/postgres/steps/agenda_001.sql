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

CREATE TABLE alerts (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('timer', 'alarm', 'reminder')),
    label TEXT COLLATE "C" DEFAULT '' NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    span_s DOUBLE PRECISION,
    rule TEXT COLLATE "C",
    starts TEXT COLLATE "C",
    zone TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" DEFAULT 'pending' NOT NULL CHECK (state IN ('pending', 'ringing', 'over')),
    rang_at DOUBLE PRECISION,
    missed INTEGER DEFAULT 0 NOT NULL CHECK (missed IN (0, 1)),
    created_at DOUBLE PRECISION NOT NULL,
    silenced_at DOUBLE PRECISION,
    PRIMARY KEY (id)
);

CREATE INDEX alerts_by_user ON alerts ("user", state, due_at);

CREATE INDEX alerts_due ON alerts (due_at) WHERE state = 'pending';

CREATE TABLE waiting_speech (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C",
    content TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    alert_id BIGINT,
    said_at DOUBLE PRECISION,
    PRIMARY KEY (id)
);

CREATE INDEX waiting_speech_by_user ON waiting_speech ("user", id);

CREATE TABLE lists (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (id)
);

CREATE UNIQUE INDEX lists_by_key ON lists ("user", key);

CREATE TABLE list_items (
    id BIGSERIAL,
    list_id BIGINT NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    done INTEGER DEFAULT 0 NOT NULL CHECK (done IN (0, 1)),
    position BIGINT DEFAULT 0 NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX list_items_by_list ON list_items (list_id, position);

CREATE TABLE notes (
    id BIGSERIAL,
    "user" TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX notes_by_user ON notes ("user", id);

CREATE TABLE speech_speeds (
    "user" TEXT COLLATE "C" NOT NULL,
    speed DOUBLE PRECISION NOT NULL,
    PRIMARY KEY ("user")
);

ALTER TABLE waiting_speech ADD FOREIGN KEY ("alert_id") REFERENCES alerts ("id") ON DELETE CASCADE;
ALTER TABLE list_items ADD FOREIGN KEY ("list_id") REFERENCES lists ("id") ON DELETE CASCADE;
ALTER TABLE alerts ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "conversation" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "kind" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "label" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "rule" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "starts" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "zone" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "state" SET STATISTICS 0;
ALTER TABLE alerts ALTER COLUMN "missed" SET STATISTICS 0;
ALTER TABLE waiting_speech ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE waiting_speech ALTER COLUMN "conversation" SET STATISTICS 0;
ALTER TABLE waiting_speech ALTER COLUMN "content" SET STATISTICS 0;
ALTER TABLE lists ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE lists ALTER COLUMN "name" SET STATISTICS 0;
ALTER TABLE lists ALTER COLUMN "key" SET STATISTICS 0;
ALTER TABLE list_items ALTER COLUMN "content" SET STATISTICS 0;
ALTER TABLE list_items ALTER COLUMN "done" SET STATISTICS 0;
ALTER TABLE notes ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE notes ALTER COLUMN "content" SET STATISTICS 0;
ALTER TABLE speech_speeds ALTER COLUMN "user" SET STATISTICS 0;
