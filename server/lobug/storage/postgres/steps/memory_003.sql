-- A search asks which words have a stem.
CREATE INDEX turn_words_by_stem ON turn_words (stem);

-- Beside its words, since a search weighs each turn that it finds by its length: to look that up
-- elsewhere took longer than to find them.
ALTER TABLE turn_tokens ADD COLUMN length bigint NOT NULL DEFAULT 0;
UPDATE turn_tokens t SET length = json_array_length(i.words)
    FROM turn_index i WHERE i.message_id = t.message_id AND i.words IS NOT NULL;
ALTER TABLE turn_tokens ALTER COLUMN length DROP DEFAULT;
