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

CREATE TABLE devices (
    device_id TEXT COLLATE "C" NOT NULL,
    client_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C",
    token_hash TEXT COLLATE "C",
    created_at DOUBLE PRECISION NOT NULL,
    last_seen_at DOUBLE PRECISION,
    token_given_at DOUBLE PRECISION,
    token_used_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION,
    PRIMARY KEY (device_id),
    UNIQUE (token_hash)
);

ALTER TABLE devices ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;

CREATE TABLE device_details (
    device_id TEXT COLLATE "C" NOT NULL,
    introduction TEXT COLLATE "C",
    report TEXT COLLATE "C",
    reported_at DOUBLE PRECISION,
    PRIMARY KEY (device_id)
);

ALTER TABLE device_details ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;

CREATE TABLE pairings (
    device_id TEXT COLLATE "C" NOT NULL,
    client_id TEXT COLLATE "C" NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    challenge TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (device_id, client_id),
    UNIQUE (code)
);

ALTER TABLE pairings ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;

CREATE TABLE api_tokens (
    token_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    token_hash TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C",
    conversation TEXT COLLATE "C",
    owner INTEGER NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    last_used_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION,
    scope TEXT COLLATE "C",
    PRIMARY KEY (token_id),
    UNIQUE (token_hash)
);

ALTER TABLE api_tokens ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;

CREATE TABLE browsers (
    browser_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    owner INTEGER NOT NULL,
    token_hash TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    last_used_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION,
    PRIMARY KEY (browser_id),
    UNIQUE (token_hash)
);

ALTER TABLE browsers ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;

CREATE TABLE invitations (
    invitation_id TEXT COLLATE "C" NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    owner INTEGER NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    wrong_guesses BIGINT NOT NULL,
    PRIMARY KEY (invitation_id),
    UNIQUE (code)
);

ALTER TABLE invitations ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;

CREATE TABLE satellites (
    satellite_id TEXT COLLATE "C" NOT NULL,
    entity TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C",
    created_at DOUBLE PRECISION NOT NULL,
    last_seen_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (satellite_id)
);

ALTER TABLE satellites ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE devices ALTER COLUMN "device_id" SET STATISTICS 0;
ALTER TABLE devices ALTER COLUMN "client_id" SET STATISTICS 0;
ALTER TABLE devices ALTER COLUMN "name" SET STATISTICS 0;
ALTER TABLE devices ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE devices ALTER COLUMN "token_hash" SET STATISTICS 0;
ALTER TABLE device_details ALTER COLUMN "device_id" SET STATISTICS 0;
ALTER TABLE device_details ALTER COLUMN "introduction" SET STATISTICS 0;
ALTER TABLE device_details ALTER COLUMN "report" SET STATISTICS 0;
ALTER TABLE pairings ALTER COLUMN "device_id" SET STATISTICS 0;
ALTER TABLE pairings ALTER COLUMN "client_id" SET STATISTICS 0;
ALTER TABLE pairings ALTER COLUMN "code" SET STATISTICS 0;
ALTER TABLE pairings ALTER COLUMN "challenge" SET STATISTICS 0;
ALTER TABLE pairings ALTER COLUMN "description" SET STATISTICS 0;
ALTER TABLE pairings ALTER COLUMN "address" SET STATISTICS 0;
ALTER TABLE api_tokens ALTER COLUMN "token_id" SET STATISTICS 0;
ALTER TABLE api_tokens ALTER COLUMN "name" SET STATISTICS 0;
ALTER TABLE api_tokens ALTER COLUMN "token_hash" SET STATISTICS 0;
ALTER TABLE api_tokens ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE api_tokens ALTER COLUMN "conversation" SET STATISTICS 0;
ALTER TABLE api_tokens ALTER COLUMN "owner" SET STATISTICS 0;
ALTER TABLE api_tokens ALTER COLUMN "scope" SET STATISTICS 0;
ALTER TABLE browsers ALTER COLUMN "browser_id" SET STATISTICS 0;
ALTER TABLE browsers ALTER COLUMN "name" SET STATISTICS 0;
ALTER TABLE browsers ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE browsers ALTER COLUMN "owner" SET STATISTICS 0;
ALTER TABLE browsers ALTER COLUMN "token_hash" SET STATISTICS 0;
ALTER TABLE invitations ALTER COLUMN "invitation_id" SET STATISTICS 0;
ALTER TABLE invitations ALTER COLUMN "code" SET STATISTICS 0;
ALTER TABLE invitations ALTER COLUMN "user" SET STATISTICS 0;
ALTER TABLE invitations ALTER COLUMN "owner" SET STATISTICS 0;
ALTER TABLE invitations ALTER COLUMN "name" SET STATISTICS 0;
ALTER TABLE satellites ALTER COLUMN "satellite_id" SET STATISTICS 0;
ALTER TABLE satellites ALTER COLUMN "entity" SET STATISTICS 0;
ALTER TABLE satellites ALTER COLUMN "address" SET STATISTICS 0;
ALTER TABLE satellites ALTER COLUMN "user" SET STATISTICS 0;
