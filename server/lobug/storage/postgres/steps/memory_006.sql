-- A word of an entry may be as long as a message, while an index keeps no key of more than 2.7 kB:
-- the first 512 characters, which are 2 kB at most, are enough to find it by. Letters are those of
-- Unicode, wherever the text comes from: for the columns of entries, which are sorted by code
-- points, only A to Z were any, so that words of other alphabets were found by no question.
CREATE OR REPLACE FUNCTION word_tokens(owner bigint, said text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        array_agg(DISTINCT owner || 'x' || left(coalesce((ts_lexize('porter', word))[1], word), 512)),
        '{}')
    FROM regexp_split_to_table(
             regexp_replace(lower(normalize(said COLLATE pg_c_utf8, NFD)), '[\u0300-\u036F]', '', 'g'),
             '[^[:alnum:]]+') w (word)
    WHERE word <> ''
$$;
-- Those that come out differently now; to make all of them anew takes minutes for each million.
UPDATE memory_tokens t
    SET content = word_tokens(l.owner, m.content), tags = word_tokens(l.owner, m.tags)
    FROM memories m JOIN memory_lengths l ON l.memory_id = m.id
    WHERE t.memory_id = m.id
    AND (octet_length(m.content) + octet_length(m.tags) > length(m.content) + length(m.tags)
            AND normalize((m.content || m.tags) COLLATE pg_c_utf8, NFD)
                ~ '(?![\u0001-\u007F])[[:alnum:]]'
         OR octet_length(m.content) + octet_length(m.tags) > 512
            AND EXISTS (SELECT 1 FROM unnest(t.content || t.tags) w WHERE length(w) > 512));

-- In place of the words themselves, which may be longer than an index takes.
CREATE FUNCTION digest_of(text) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN sha256(convert_to($1, 'UTF8'));
DROP INDEX memories_once;
CREATE UNIQUE INDEX memories_once ON memories (source_message_id, digest_of(content)) WHERE source_message_id IS NOT NULL AND source = 'system' AND layer = 'knowledge' AND status = 'active';
-- No samples of these are kept for the planner either: from a digest one can tell whether it is that
-- of words that one guesses.
ALTER INDEX memories_once ALTER COLUMN 2 SET STATISTICS 0;
ALTER INDEX memories_key ALTER COLUMN 2 SET STATISTICS 0;
