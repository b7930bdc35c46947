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
INSERT INTO "devices" (_rowid_, "device_id", "client_id", "name", "user", "token_hash", "created_at", "last_seen_at", "token_given_at", "token_used_at", "revoked_at") VALUES (2, 'aa:bb:cc:dd:ee:01', '5e5c5a0c-0000-4000-8000-000000000001', 'Desk', 'ada', 'bff380d068f27e81078d1a6e6c742301a42d6cc7b4fe6ea30534be4ac9efa4cd', 1795423374.8290324, 1795423375.5678227, 1795423375.0469606, 1795423375.1545086, NULL);
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
INSERT INTO "pairings" (_rowid_, "device_id", "client_id", "code", "challenge", "description", "address", "created_at", "expires_at") VALUES (1, 'aa:bb:cc:dd:ee:02', 'behaviour', '389254', 'Qh57ZJEonnNitJvzTHJaRTwYDyJGKwze', '', '127.0.0.1', 1795423378.786241, 2095423378.786241);
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
        ) STRICT
        ;
INSERT INTO "api_tokens" (_rowid_, "token_id", "name", "token_hash", "user", "conversation", "owner", "created_at", "last_used_at", "revoked_at") VALUES (2, '2bf52df3', 'boss', 'bbc9fbc517d36644e2763948dc91b0624612562827bf2b88fc1325ce5592729c', NULL, NULL, 1, 1795423375.9739633, 1795423378.250685, NULL);
INSERT INTO "api_tokens" (_rowid_, "token_id", "name", "token_hash", "user", "conversation", "owner", "created_at", "last_used_at", "revoked_at") VALUES (3, 'c60c7675', 'laptop', '63c585425d1bfc438bfb6e6990a4c3dbe763efa0aebc2aec84b6168ffb3a71b1', 'ben', 'work', 0, 1795423375.8554707, 1795423377.274005, 1795423378.463294);
PRAGMA writable_schema = ON;
PRAGMA writable_schema = OFF;
PRAGMA user_version = 1;
COMMIT;
