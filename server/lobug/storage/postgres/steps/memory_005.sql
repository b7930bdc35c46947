-- With the message beside each slot: a search asks for the messages of several hundred slots, and
-- those of one owner stand together in the index, but all over the table.
DROP INDEX turn_vectors_by_slot;
CREATE UNIQUE INDEX turn_vectors_by_slot ON turn_vectors (set_id, owner, slot) INCLUDE (message_id);
