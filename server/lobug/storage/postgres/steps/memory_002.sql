-- Without these PostgreSQL reads the whole table for each row that is deleted where they point to:
-- all turns of everybody when one person is forgotten.
CREATE INDEX turn_index_by_owner ON turn_index (owner);
CREATE INDEX memory_lengths_by_owner ON memory_lengths (owner);
CREATE INDEX background_tasks_by_message ON background_tasks (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX background_tasks_by_session ON background_tasks (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX project_tasks_by_entry ON project_tasks (archived_as) WHERE archived_as IS NOT NULL;

-- Once for all messages that are deleted together: after each of them it went through all that had
-- been deleted before.
DROP TRIGGER turn_owners_delete ON conversation_log;
DROP FUNCTION forget_turn_owner();
CREATE FUNCTION forget_turn_owners() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM turn_owners o WHERE o."user" IN (SELECT g."user" FROM gone g)
        AND NOT EXISTS (SELECT 1 FROM conversation_log l WHERE l."user" = o."user");
    RETURN NULL;
END $$;
CREATE TRIGGER turn_owners_delete AFTER DELETE ON conversation_log
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_turn_owners();

-- What the triggers of conversation_log do turn by turn, at once for somebody of whom nothing stays:
-- they count each turn off the same few rows, of which every count leaves a version behind.
CREATE FUNCTION unindex_user(of_user text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    of_owner bigint;
BEGIN
    SELECT id INTO of_owner FROM turn_owners WHERE "user" = of_user;
    IF of_owner IS NULL THEN
        RETURN;
    END IF;
    DELETE FROM turn_codes WHERE owner = of_owner
        AND set_id IN (SELECT id FROM turn_vector_sets);
    DELETE FROM turn_tokens WHERE message_id IN
        (SELECT message_id FROM turn_index WHERE owner = of_owner);
    -- In one statement: the trigger of turn_vectors then finds no turn to note that it has none.
    WITH vectors AS (
        DELETE FROM turn_vectors WHERE owner = of_owner
            AND set_id IN (SELECT id FROM turn_vector_sets))
    DELETE FROM turn_index WHERE owner = of_owner;
    WITH used AS (DELETE FROM turn_word_uses WHERE owner = of_owner RETURNING word_id)
    DELETE FROM turn_words w USING used
        WHERE w.id = used.word_id AND NOT EXISTS
            (SELECT 1 FROM turn_word_uses u WHERE u.word_id = w.id AND u.owner <> of_owner);
    DELETE FROM turn_owners WHERE id = of_owner;
END $$;

-- As new indexes of entries have it: a vector that is stored now stands in its row.
DO $$
DECLARE
    of_entries text;
BEGIN
    FOR of_entries IN SELECT name FROM vector_indexes LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN embedding SET STORAGE MAIN', of_entries);
    END LOOP;
END $$;
