BEGIN;
CREATE TABLE devices (
          device_id TEXT PRIMARY KEY,
          client_id TEXT NOT NULL,
          name TEXT NOT NULL,
          user TEXT,
          token_hash TEXT UNIQUE,
          created_at REAL NOT NULL,
          last_seen_at REAL,
          token_given_at REAL,
          token_used_at REAL,
          revoked_at REAL
        ) STRICT
        ;
INSERT INTO "devices" (_rowid_, "device_id", "client_id", "name", "user", "token_hash", "created_at", "last_seen_at", "token_given_at", "token_used_at", "revoked_at") VALUES (2, 'aa:bb:cc:dd:ee:01', '5e5c5a0c-0000-4000-8000-000000000001', 'Desk', 'ada', '29c59d50f95e21d48b9aa977ddbb0d119047c1ebf256e0bca7defe2411bf57f7', 1795423410.607949, 1795423411.411766, 1795423410.8332512, 1795423410.9497495, NULL);
CREATE TABLE pairings (
          device_id TEXT NOT NULL,
          client_id TEXT NOT NULL,
          code TEXT NOT NULL UNIQUE,
          challenge TEXT NOT NULL,
          description TEXT NOT NULL,
          address TEXT NOT NULL,
          created_at REAL NOT NULL,
          expires_at REAL NOT NULL,
          PRIMARY KEY (device_id, client_id)
        ) STRICT
        ;
INSERT INTO "pairings" (_rowid_, "device_id", "client_id", "code", "challenge", "description", "address", "created_at", "expires_at") VALUES (1, 'aa:bb:cc:dd:ee:02', 'behaviour', '608822', 'J3TqAmte0CA-Jszh-MJJqf3T12GbjSit', '', '127.0.0.1', 1795423415.5833387, 2095423415.5833387);
CREATE TABLE api_tokens (
          token_id TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          token_hash TEXT NOT NULL UNIQUE,
          user TEXT,
          conversation TEXT,
          owner INTEGER NOT NULL,
          created_at REAL NOT NULL,
          last_used_at REAL,
          revoked_at REAL
        , scope TEXT) STRICT
        ;
INSERT INTO "api_tokens" (_rowid_, "token_id", "name", "token_hash", "user", "conversation", "owner", "created_at", "last_used_at", "revoked_at", "scope") VALUES (2, 'c5c993bb', 'boss', 'bc46c51225d58f8e7271720b908f2a4e311db486c8a844c8df415502e5618d9c', NULL, NULL, 1, 1795423411.7615597, 1795423414.1650565, NULL, NULL);
INSERT INTO "api_tokens" (_rowid_, "token_id", "name", "token_hash", "user", "conversation", "owner", "created_at", "last_used_at", "revoked_at", "scope") VALUES (3, 'b3dfdfde', 'prometheus', 'ee1daf7fa688710fa3390532993f2340abc7029c2ca01b188a4b8a7c022e79cd', NULL, NULL, 0, 1795423411.8737428, 1795423415.041655, NULL, 'metrics');
INSERT INTO "api_tokens" (_rowid_, "token_id", "name", "token_hash", "user", "conversation", "owner", "created_at", "last_used_at", "revoked_at", "scope") VALUES (4, '904e2434', 'laptop', '0a8809b0ee0d61815866b4a78120258025660b90632bff18d07cf0052af2dbcf', 'ben', 'work', 0, 1795423411.6483738, 1795423413.100384, 1795423415.2576718, NULL);
PRAGMA writable_schema = ON;
PRAGMA writable_schema = OFF;
PRAGMA user_version = 2;
COMMIT;
