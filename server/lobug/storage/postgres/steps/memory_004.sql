-- A person's turns with a word lie together: where each turn had a row of its own, with all of its
-- words, a search for a common word read pages from all over everybody's turns.
CREATE TABLE turn_postings (
    owner   bigint   NOT NULL,
    word_id bigint   NOT NULL,
    block   bigint   NOT NULL,
    uses    bigint   NOT NULL,
    turns   bigint[] NOT NULL
);
ALTER TABLE turn_postings ALTER COLUMN turns SET STATISTICS 0;
COMMENT ON TABLE turn_postings IS 'the text index of turns: which turns of each owner have a word';
COMMENT ON COLUMN turn_postings.block IS 'a new block begins after 128 turns';
COMMENT ON COLUMN turn_postings.uses IS 'how often these turns have it';
COMMENT ON COLUMN turn_postings.turns IS 'message_id * 65536 + how many words the turn has, once each';

-- All that were analysed before. The keys come afterwards, since to check each row takes far longer.
INSERT INTO turn_postings (owner, word_id, block, uses, turns)
SELECT owner, word_id, place / 128, sum(uses), array_agg(turn ORDER BY turn)
FROM (SELECT u.*, row_number() OVER (PARTITION BY owner, word_id ORDER BY turn) - 1 AS place
      FROM (SELECT t.owner, j.word_id, j.uses, t.turn
            FROM (SELECT owner, words,
                         message_id * 65536 + least(json_array_length(words), 65535) AS turn
                  FROM turn_index WHERE words IS NOT NULL OFFSET 0) t
            CROSS JOIN LATERAL (
                SELECT value AS word_id, count(*) AS uses FROM json_each(t.words) GROUP BY value) j
           ) u) p
GROUP BY owner, word_id, place / 128;
ALTER TABLE turn_postings ADD PRIMARY KEY (owner, word_id, block);
ALTER TABLE turn_postings ADD FOREIGN KEY (owner) REFERENCES turn_owners (id);
ALTER TABLE turn_postings ADD FOREIGN KEY (word_id) REFERENCES turn_words (id);
CREATE INDEX turn_postings_by_word ON turn_postings (word_id);

-- Posts the turns with after < message_id <= upto, none of which may have been posted yet.
CREATE FUNCTION post_turns(after bigint, upto bigint) RETURNS void LANGUAGE sql AS $$
    WITH used AS (
        SELECT t.owner, j.word_id, j.uses, t.turn
        FROM (SELECT owner, words,
                     message_id * 65536 + least(json_array_length(words), 65535) AS turn
              FROM turn_index
              WHERE message_id > after AND message_id <= upto AND words IS NOT NULL OFFSET 0) t
        CROSS JOIN LATERAL (
            SELECT value AS word_id, count(*) AS uses FROM json_each(t.words) GROUP BY value) j
    ), placed AS (
        SELECT owner, word_id, uses, turn,
               row_number() OVER (PARTITION BY owner, word_id ORDER BY turn) - 1 AS place
        FROM used
    ), present AS (
        SELECT u.owner, u.word_id, last.places
        FROM (SELECT DISTINCT owner, word_id FROM used) u
        CROSS JOIN LATERAL (
            SELECT p.block * 128 + least(cardinality(p.turns), 128) AS places
            FROM turn_postings p WHERE p.owner = u.owner AND p.word_id = u.word_id
            ORDER BY p.block DESC LIMIT 1
        ) last
    )
    INSERT INTO turn_postings (owner, word_id, block, uses, turns)
    SELECT owner, word_id, (coalesce(present.places, 0) + placed.place) / 128, sum(uses),
           array_agg(turn ORDER BY turn)
    FROM placed LEFT JOIN present USING (owner, word_id)
    GROUP BY 1, 2, 3
    ON CONFLICT (owner, word_id, block) DO UPDATE
        SET uses = turn_postings.uses + excluded.uses, turns = turn_postings.turns || excluded.turns
$$;

CREATE OR REPLACE FUNCTION unindex_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    posting bigint;
BEGIN
    DELETE FROM turn_vectors WHERE message_id IN
        (old.message_id, (SELECT t.message_id FROM turn_index t WHERE t.session_id = old.session_id
                          AND t.place > old.place ORDER BY t.place LIMIT 1));
    IF old.words IS NOT NULL THEN
        UPDATE turn_owners SET turns = turns - 1, words = words - json_array_length(old.words)
            WHERE id = old.owner;
        posting := old.message_id * 65536 + least(json_array_length(old.words), 65535);
        UPDATE turn_postings p SET uses = p.uses - g.uses, turns = array_remove(p.turns, posting)
        FROM (SELECT j.value, count(*) AS uses FROM json_each(old.words) j GROUP BY j.value) g
        WHERE p.owner = old.owner AND p.word_id = g.value AND posting = ANY (p.turns);
        DELETE FROM turn_postings p WHERE p.owner = old.owner AND p.turns = '{}'
            AND p.word_id IN (SELECT j.value FROM json_each(old.words) j);
        DELETE FROM turn_words w WHERE w.id IN (SELECT j.value FROM json_each(old.words) j)
            AND NOT EXISTS (SELECT 1 FROM turn_postings p WHERE p.word_id = w.id);
    END IF;
    RETURN NULL;
END $$;

-- Takes turns out of the postings, each block once. Without nested loops, which PostgreSQL would
-- choose for the last join, since it expects few; what is LATERAL is looked up nevertheless.
CREATE FUNCTION unpost_turns(ids bigint[]) RETURNS void LANGUAGE sql SET enable_nestloop = off AS $$
    WITH gone AS MATERIALIZED (
        SELECT t.owner, j.word_id, j.uses, t.turn
        FROM unnest(ids) i (message_id)
        CROSS JOIN LATERAL (
            SELECT owner, words,
                   message_id * 65536 + least(json_array_length(words), 65535) AS turn
            FROM turn_index WHERE message_id = i.message_id AND words IS NOT NULL OFFSET 0) t
        CROSS JOIN LATERAL (
            SELECT value AS word_id, count(*) AS uses FROM json_each(t.words) GROUP BY value) j
    ), touched AS MATERIALIZED (
        SELECT w.owner, w.word_id, p.block, sum(g.uses) AS uses,
               coalesce(array_agg(s.turn ORDER BY s.turn) FILTER (WHERE g.turn IS NULL), '{}') AS turns
        FROM (SELECT DISTINCT owner, word_id FROM gone) w
        CROSS JOIN LATERAL (SELECT block, turns FROM turn_postings
                            WHERE owner = w.owner AND word_id = w.word_id OFFSET 0) p
        CROSS JOIN LATERAL unnest(p.turns) s (turn)
        LEFT JOIN gone g ON g.owner = w.owner AND g.word_id = w.word_id AND g.turn = s.turn
        GROUP BY w.owner, w.word_id, p.block HAVING count(g.turn) > 0
    ), emptied AS (
        DELETE FROM turn_postings p USING touched t
        WHERE p.owner = t.owner AND p.word_id = t.word_id AND p.block = t.block AND t.turns = '{}'
    )
    UPDATE turn_postings p SET turns = t.turns, uses = p.uses - t.uses FROM touched t
    WHERE p.owner = t.owner AND p.word_id = t.word_id AND p.block = t.block AND t.turns <> '{}'
$$;

-- What the triggers of conversation_log do turn by turn, at once for turns that are about to be
-- deleted: turn by turn, each would go through all that those before it have left in the blocks.
CREATE FUNCTION unindex_turns(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    of_words bigint[];
BEGIN
    SELECT array_agg(DISTINCT j.value) INTO of_words
        FROM unnest(ids) i (message_id)
        CROSS JOIN LATERAL (SELECT words FROM turn_index WHERE message_id = i.message_id OFFSET 0) t
        CROSS JOIN LATERAL json_each(t.words) j;
    PERFORM unpost_turns(ids);
    DELETE FROM turn_words w WHERE w.id = ANY (of_words)
        AND NOT EXISTS (SELECT 1 FROM turn_postings p WHERE p.word_id = w.id);
    UPDATE turn_owners o SET turns = o.turns - g.turns, words = o.words - g.words
        FROM (SELECT t.owner, count(*) AS turns, sum(json_array_length(t.words)) AS words
              FROM unnest(ids) i (message_id) CROSS JOIN LATERAL (
                  SELECT owner, words FROM turn_index WHERE message_id = i.message_id OFFSET 0) t
              WHERE t.words IS NOT NULL GROUP BY t.owner) g
        WHERE o.id = g.owner;
    -- The vector of a turn is made from the one before it, too.
    DELETE FROM turn_vectors WHERE message_id = ANY (ids) OR message_id = ANY (ARRAY(
        SELECT n.message_id FROM unnest(ids) i (message_id)
        CROSS JOIN LATERAL (
            SELECT session_id, place FROM turn_index WHERE message_id = i.message_id OFFSET 0) t
        CROSS JOIN LATERAL (
            SELECT message_id FROM turn_index
            WHERE session_id = t.session_id AND place > t.place ORDER BY place LIMIT 1) n));
    DELETE FROM turn_index WHERE message_id = ANY (ids);
END $$;

CREATE OR REPLACE FUNCTION unindex_user(of_user text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    of_owner bigint;
BEGIN
    SELECT id INTO of_owner FROM turn_owners WHERE "user" = of_user;
    IF of_owner IS NULL THEN
        RETURN;
    END IF;
    DELETE FROM turn_codes WHERE owner = of_owner
        AND set_id IN (SELECT id FROM turn_vector_sets);
    -- In one statement: the trigger of turn_vectors then finds no turn to note that it has none.
    WITH vectors AS (
        DELETE FROM turn_vectors WHERE owner = of_owner
            AND set_id IN (SELECT id FROM turn_vector_sets))
    DELETE FROM turn_index WHERE owner = of_owner;
    WITH used AS (DELETE FROM turn_postings WHERE owner = of_owner RETURNING word_id)
    DELETE FROM turn_words w USING (SELECT DISTINCT word_id FROM used) used
        WHERE w.id = used.word_id AND NOT EXISTS
            (SELECT 1 FROM turn_postings p WHERE p.word_id = w.id AND p.owner <> of_owner);
    DELETE FROM turn_owners WHERE id = of_owner;
END $$;

DROP TABLE turn_tokens;
DROP TABLE turn_word_uses;
