-- A person's turns with a word lie together: where each turn had a row of its own, with all of its
-- words, a search for a common word read pages from all over everybody's turns.
CREATE TABLE turn_postings (
    owner   bigint   NOT NULL REFERENCES turn_owners (id),
    word_id bigint   NOT NULL REFERENCES turn_words (id),
    block   bigint   NOT NULL,
    uses    bigint   NOT NULL,
    turns   bigint[] NOT NULL,
    PRIMARY KEY (owner, word_id, block)
);
ALTER TABLE turn_postings ALTER COLUMN turns SET STATISTICS 0;
COMMENT ON TABLE turn_postings IS 'the text index of turns: which turns of each owner have a word';
COMMENT ON COLUMN turn_postings.block IS 'of the turns with this word; the next begins after 128';
COMMENT ON COLUMN turn_postings.uses IS 'how often these turns have it';
COMMENT ON COLUMN turn_postings.turns IS 'message_id * 65536 + how many words the turn has, once each';

-- Adds the turns with ids between two numbers, which must have none yet: (after, upto].
CREATE FUNCTION post_turns(after bigint, upto bigint) RETURNS void LANGUAGE sql AS $$
    WITH used AS (
        SELECT t.owner, j.value AS word_id, count(*) AS uses,
               t.message_id * 65536 + least(json_array_length(t.words), 65535) AS turn
        FROM turn_index t CROSS JOIN LATERAL json_each(t.words) j
        WHERE t.message_id > after AND t.message_id <= upto
        GROUP BY t.message_id, t.owner, t.words, j.value
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
SELECT post_turns(0, max(message_id)) FROM turn_index;
CREATE INDEX turn_postings_by_word ON turn_postings (word_id);

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
