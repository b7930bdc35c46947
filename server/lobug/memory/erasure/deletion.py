"""Erases rows for good, with everything that repeats them. ``forget`` and ``purge`` decide what is
erased.

An erasure is one transaction. Freed bytes are zeroed by ``secure_delete``; the task "compact",
added in the same transaction, then rebuilds the file, so that no stale copies of pages keep the
erased words.

The words of a message are in ``conversation_log.content`` only. Everything made from them (a text
index, vectors of turns) must follow by triggers of ``conversation_log``, AFTER UPDATE OF content
and AFTER DELETE: this module knows no such table.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from lobug.language.en import mentions, words
from lobug.language.en.mentions import Mention
from lobug.memory import entries
from lobug.memory.access import visible
from lobug.memory.erasure import derived_texts
from lobug.memory.jobs import queue
from lobug.memory.model import HOUSEHOLD, Forgotten, MemoryScope
from lobug.storage import compaction
from lobug.storage.driver import Connection

DERIVED = "(m.category = 'timeline' OR (m.layer = 'identity' AND m.source = 'system'))"
"""Entries that consolidation wrote; they are made again from what is left."""

FEWEST_WORDS = 6
"""The language of a line can be told from this many words on; "Dog: Rex" is in none."""


class Erasure:
    """One erasure within one transaction: entries and messages first, then ``finish``.

    ``scope`` limits it: of memories those that it may change, of everything else what belongs to
    its user.
    """

    def __init__(self, connection: Connection, scope: MemoryScope, now: float) -> None:
        self._connection = connection
        self._scope = scope
        self._now = now
        self._keys: dict[int, str] = {}
        self._messages: set[int] = set()
        self._derived = 0
        self._stems: set[str] = set()
        """Distinctive stems of the erased words, to find what was derived from them."""
        self._suspects: set[int] = set()
        """Entries that were distilled from an erased one."""

    def entry(self, entry_id: int, *, derived: bool = False) -> None:
        """Erase one version of an entry."""
        row = self._connection.execute(
            "SELECT key, content, category FROM memories WHERE id = ?", (entry_id,)
        ).fetchone()
        if row is None:
            return
        key, content, category = row
        if derived:
            self._derived += 1
            self._reopen_sources(entry_id)
        else:
            self._keys[entry_id] = key
        if category != "timeline":  # a summary tells of other things too
            self._stems |= mentions.distinctive(content)[0]
        self._suspects.update(
            found
            for (found,) in self._connection.execute(
                "SELECT memory_id FROM memory_sources WHERE source_id = ?", (entry_id,)
            )
        )
        entries.remove(self._connection, entry_id)

    def messages(self, ids: Iterable[int]) -> None:
        """Erase the words of the user's messages."""
        for message_id, content in self._contents(ids):
            if content:
                self._rewrite_message(message_id, content, "")

    def exchanges(self, ids: Iterable[int]) -> None:
        """Erase the words of messages, of the replies to them, and of what they reply to."""
        wanted = json.dumps(list(ids))
        rows = self._connection.execute(
            "SELECT value FROM json_each(?1) UNION"
            " SELECT l.id FROM conversation_log l JOIN json_each(?1) e ON l.reply_to = e.value"
            " UNION SELECT l.reply_to FROM conversation_log l JOIN json_each(?1) e"
            " ON l.id = e.value WHERE l.reply_to IS NOT NULL",
            (wanted,),
        )
        self.messages([row[0] for row in rows])

    def add_messages(self, ids: Iterable[int]) -> None:
        """Add messages whose rows the caller deletes after ``finish``."""
        for message_id, content in self._contents(ids):
            self._messages.add(message_id)
            self._stems |= mentions.distinctive(content)[0]

    def messages_that_say(self, said: Sequence[Mention]) -> None:
        """Cut the matching sentences out of the user's messages. If nothing is left of a message
        of the user, its reply is erased too: it may repeat the words."""
        if not said:
            return
        rows = self._connection.execute(
            "SELECT id, role, content FROM conversation_log WHERE user = ? AND content <> ''",
            (self._scope.user,),
        )
        found = [
            (message_id, role, content, left)
            for message_id, role, content in rows
            if (left := mentions.without(content, said)) is not content
        ]
        for message_id, _, content, left in found:
            self._rewrite_message(message_id, content, left)
        self.exchanges([row[0] for row in found if row[1] == "user" and not row[3]])

    def entries_that_say(self, said: Sequence[Mention]) -> None:
        """Erase the matching entries, and the matching sentences of longer ones. If the messages
        that an entry came from say it in other words, they are erased as a whole."""
        unsaid: list[int] = []
        for entry_id, key, content, told_by, derived, source in self._changeable(said):
            own = told_by == self._scope.user
            held = [mention for mention in said if own or not mention.own]
            left = mentions.without(content, held, memory=not derived)
            if left is content:
                continue
            if derived or not _says_anything(left):
                self.entry(entry_id, derived=derived)
                unsaid += [] if source is None else [source]
            else:
                # A new row, so that the old row's vector is dropped.
                entries.rewrite(self._connection, entry_id, left)
                self._keys[entry_id] = key
        self.exchanges(
            message_id
            for message_id, content in self._contents(unsaid)
            if not mentions.contains_any(content, said)
        )

    def stems_left(self, stems: Collection[str]) -> set[str]:
        """Those of the stems that remaining entries hold, without derived entries; including
        what others told the household."""
        if not stems:
            return set()
        rows = self._connection.execute(
            "SELECT m.content FROM memories m WHERE (m.user = ?1 OR (m.user = ?2"
            f" AND m.told_by <> ?1 AND ?3)) AND NOT {DERIVED}",
            (self._scope.user, HOUSEHOLD, int(self._scope.household == "write")),
        )
        return {stem for row in rows for stem in words.stems(words.words(row[0])) if stem in stems}

    def finish(self, said: Sequence[Mention]) -> Forgotten:
        """Erase what repeats or summarizes the erased words, and schedule what must be made
        again."""
        self._summaries()
        self._distilled()
        self._derived += derived_texts.erase(
            self._connection, self._scope.user, said, self._messages
        )
        gone = Forgotten(
            entries=tuple(sorted(self._keys)),
            keys=tuple(dict.fromkeys(self._keys[known] for known in sorted(self._keys))),
            messages=len(self._messages),
            derived=self._derived,
        )
        if gone != Forgotten():
            compaction.note(self._connection, self._now)
        return gone

    def _contents(self, ids: Iterable[int]) -> list[tuple[int, str]]:
        rows = self._connection.execute(
            "SELECT l.id, l.content FROM conversation_log l"
            " WHERE l.id IN (SELECT value FROM json_each(?)) AND l.user = ? ORDER BY l.id",
            (json.dumps(list(ids)), self._scope.user),
        )
        return [(row[0], row[1]) for row in rows]

    def _changeable(
        self, said: Sequence[Mention]
    ) -> list[tuple[int, str, str, str, bool, int | None]]:
        if not said:
            return []
        condition, parameters = visible(self._scope)
        if self._scope.household != "write":
            condition += " AND m.user <> ?"
            parameters = [*parameters, HOUSEHOLD]
        rows = self._connection.execute(
            f"SELECT m.id, m.key, m.content, m.told_by, {DERIVED}, m.source_message_id"
            f" FROM memories m WHERE {condition} ORDER BY m.id",
            parameters,
        )
        return [(*row[:4], bool(row[4]), row[5]) for row in rows]

    def _rewrite_message(self, message_id: int, content: str, left: str) -> None:
        self._messages.add(message_id)
        self._stems |= mentions.distinctive(content)[0] - mentions.distinctive(left)[0]
        self._connection.execute(
            "UPDATE conversation_log SET content = ?1, forgotten = ?2,"
            " speaker = iif(?2, NULL, speaker), summarized = iif(?2, 1, summarized) WHERE id = ?3",
            (left, int(not left), message_id),
        )
        if left:
            _renew_extraction(self._connection, message_id)
        else:
            queue.drop_extraction(self._connection, message_id)

    def _summaries(self) -> None:
        """Erase the summaries of erased messages; the rest of those messages will be summarized
        again. A summary without messages loses its matching sentences only."""
        rows = self._connection.execute(
            "SELECT m.id FROM memories m WHERE m.user = ?1 AND m.category = 'timeline' AND EXISTS"
            " (SELECT 1 FROM conversation_log l JOIN json_each(?2) e ON e.value = l.id"
            "  WHERE l.user = ?1 AND l.conversation = m.conversation"
            "  AND l.id BETWEEN m.from_message_id AND m.to_message_id)",
            (self._scope.user, json.dumps(sorted(self._messages))),
        ).fetchall()
        for (entry_id,) in rows:
            self.entry(entry_id, derived=True)

    def _reopen_sources(self, entry_id: int) -> None:
        """Mark the sources of a derived entry as not summarized, or not distilled."""
        user, connection = self._scope.user, self._connection
        conversation, first, last = connection.execute(
            "SELECT conversation, from_message_id, to_message_id FROM memories WHERE id = ?",
            (entry_id,),
        ).fetchone()
        if conversation is not None and first is not None and last is not None:
            reopen(connection, user, conversation, first, last, self._now)
        newest = connection.execute(
            "SELECT max(m.id) FROM memories m JOIN memory_sources s ON s.source_id = m.id"
            " WHERE s.memory_id = ? AND m.user = ? AND m.category = 'timeline'",
            (entry_id, user),
        ).fetchone()[0]
        if newest is not None:
            connection.execute(
                "UPDATE memories SET incorporated = 0 WHERE user = ? AND category = 'timeline'"
                " AND id IN (SELECT source_id FROM memory_sources WHERE memory_id = ?)",
                (user, entry_id),
            )
            queue.add_cascade(connection, "distill", user, newest, self._now)

    def _distilled(self) -> None:
        """Erase entries that were distilled from erased ones and hold a distinctive word of them
        that no remaining entry holds."""
        told = self._stems - self.stems_left(self._stems) if self._suspects else set()
        while self._suspects:
            suspects, self._suspects = self._suspects, set()
            for entry_id in sorted(suspects):
                row = self._connection.execute(
                    "SELECT content FROM memories WHERE id = ?", (entry_id,)
                ).fetchone()
                if row is not None and _may_repeat(row[0], told):
                    self.entry(entry_id, derived=True)


def reopen(
    connection: Connection, user: str, conversation: str, first: int, last: int, now: float
) -> None:
    """Mark the remaining messages of a summary as not summarized."""
    rows = connection.execute(
        "UPDATE conversation_log SET summarized = 0 WHERE user = ? AND conversation = ?"
        " AND id BETWEEN ? AND ? AND forgotten = 0 AND meant = 1 AND summarized = 1"
        " RETURNING id, session_id",
        (user, conversation, first, last),
    ).fetchall()
    if not rows:
        return
    for session_id in {row[1] for row in rows if row[1] is not None}:
        connection.execute(
            "UPDATE sessions SET last_consolidated_at = (SELECT max(created_at)"
            " FROM conversation_log WHERE session_id = ?1 AND summarized = 1 AND id < ?2)"
            " WHERE id = ?1",
            (session_id, min(row[0] for row in rows if row[1] == session_id)),
        )
    queue.add_cascade(connection, "summarize", user, max(row[0] for row in rows), now)


def _renew_extraction(connection: Connection, message_id: int) -> None:
    """The words of a message have changed: an extraction that has read the old ones stores nothing,
    since its row is gone; another one takes its place."""
    connection.execute(
        "INSERT OR REPLACE INTO background_tasks (kind, user, message_id, state, attempts,"
        " next_attempt_at, created_at) SELECT kind, user, message_id, state, attempts,"
        " next_attempt_at, created_at FROM background_tasks"
        " WHERE kind = 'extract' AND message_id = ?",
        (message_id,),
    )


def _says_anything(text: str) -> bool:
    stems, parts = mentions.distinctive(text)
    return bool(stems or parts)


def _may_repeat(text: str, told: Collection[str]) -> bool:
    """Whether a distilled text may repeat erased words: it holds a distinctive one, or is in a
    language whose words are not compared."""
    stems, parts = mentions.distinctive(text)
    foreign = len(words.words(text)) >= FEWEST_WORDS and not words.is_english(text)
    return bool(parts) or foreign or not stems.isdisjoint(told)
