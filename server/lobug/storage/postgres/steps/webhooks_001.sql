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

CREATE TABLE outbox (
    id BIGSERIAL,
    event_id TEXT NOT NULL,
    "user" TEXT,
    body TEXT NOT NULL,
    content TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    attempts BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX outbox_by_due ON outbox (due_at, id);

CREATE UNIQUE INDEX outbox_by_event ON outbox (event_id);

ALTER TABLE outbox ALTER COLUMN "event_id" SET STATISTICS 0;
ALTER TABLE outbox ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE outbox ALTER COLUMN "body" SET STATISTICS 0;
ALTER TABLE outbox ALTER COLUMN "content" SET STATISTICS 0;
