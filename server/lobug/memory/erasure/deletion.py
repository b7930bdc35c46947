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

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy import (
    Integer,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    not_,
    or_,
    select,
    true,
    union,
    update,
)

from lobug.language.en import mentions, words
from lobug.language.en.mentions import Mention
from lobug.memory import claim_rows, entries, jobs
from lobug.memory.claim_rows import Reader
from lobug.memory.entries import VISIBLE, seen_by
from lobug.memory.erasure import derived_texts
from lobug.memory.index import entry_index
from lobug.memory.model import HOUSEHOLD, Forgotten, MemoryScope
from lobug.storage import compaction
from lobug.storage.connection import Connection
from lobug.storage.statements import Row, among, run, run_many
from lobug.storage.tables import conversation_log, memories, memory_sources, project_tasks, sessions

_entry, _log = memories.c, conversation_log.c
DERIVED = or_(
    _entry.category == "timeline", and_(_entry.layer == "identity", _entry.source == "system")
)
"""Entries that consolidation wrote: they are made again from what is left."""

CONTENT = select(_entry.key, _entry.content, _entry.category).where(entries.BY_ID)
DISTILLED = select(memory_sources.c.memory_id).where(
    memory_sources.c.source_id == bindparam("entry_id")
)
_asked = among(_log.id, "ids")
EXCHANGES = union(
    select(_log.id).where(_asked),
    select(_log.id).where(among(_log.reply_to, "ids")),
    select(_log.reply_to).where(_asked, _log.reply_to.is_not(None)),
)
"""Messages, the replies to them, and what they reply to."""

CONTENTS = (
    select(_log.id, _log.content).where(_asked, _log.user == bindparam("user")).order_by(_log.id)
)
WORDS = select(_log.id, _log.role, _log.content).where(
    _log.user == bindparam("user"), _log.content != ""
)
READ_IN = select(_entry.id).where(
    among(_entry.source_message_id, "ids"),
    _entry.user == bindparam("user"),
    _entry.told_by == bindparam("user"),
    not_(DERIVED),
)
LEFT = select(_entry.content).where(
    or_(
        _entry.user == bindparam("user"),
        and_(
            _entry.user == HOUSEHOLD,
            _entry.told_by != bindparam("user"),
            bindparam("household", type_=Integer) == 1,
        ),
    ),
    not_(DERIVED),
)
CHANGEABLE = (
    select(
        _entry.id,
        _entry.key,
        _entry.content,
        _entry.told_by,
        case((DERIVED, 1), else_=0).label("derived"),
        _entry.source_message_id,
    )
    .where(VISIBLE)
    .order_by(_entry.id)
)
REWRITE = update(conversation_log).where(_log.id == bindparam("message_id"))
SUMMARIES = select(_entry.id).where(
    _entry.user == bindparam("user"),
    _entry.category == "timeline",
    exists(
        select(1).where(
            _asked,
            _log.user == bindparam("user"),
            _log.conversation == _entry.conversation,
            _log.id.between(_entry.from_message_id, _entry.to_message_id),
        )
    ),
)
STRETCH = select(_entry.conversation, _entry.from_message_id, _entry.to_message_id).where(
    entries.BY_ID
)
_sources = select(memory_sources.c.source_id).where(
    memory_sources.c.memory_id == bindparam("entry_id")
)
_timeline_sources = and_(
    _entry.id.in_(_sources), _entry.user == bindparam("owner"), _entry.category == "timeline"
)
NEWEST_SOURCE = select(func.max(_entry.id)).where(_timeline_sources)
TAKE_IN_AGAIN = update(memories).values(incorporated=False).where(_timeline_sources)
REOPEN = (
    update(conversation_log)
    .values(summarized=False)
    .where(
        _log.user == bindparam("owner"),
        _log.conversation == bindparam("of_conversation"),
        _log.id.between(bindparam("first"), bindparam("last")),
        _log.forgotten == false(),
        _log.meant == true(),
        _log.summarized == true(),
    )
    .returning(_log.id, _log.session_id)
)
CONSOLIDATED_BEFORE = (
    update(sessions)
    .values(
        last_consolidated_at=select(func.max(_log.created_at))
        .where(
            _log.session_id == bindparam("in_session"),
            _log.summarized == true(),
            _log.id < bindparam("before"),
        )
        .scalar_subquery()
    )
    .where(sessions.c.id == bindparam("in_session"))
)

FEWEST_WORDS = 6
"""A line of fewer words ("Dog: Rex") does not tell its language."""


@contextmanager
def rolled_back(connection: Connection) -> Iterator[None]:
    """Undo at the end whatever was changed, inside of the transaction that goes on."""
    connection.execute("SAVEPOINT dry_run")
    try:
        yield
    finally:
        connection.execute("ROLLBACK TO dry_run")
        connection.execute("RELEASE dry_run")


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

    def erase_entry(self, entry_id: int, *, derived: bool = False) -> None:
        """Erase one version of an entry."""
        row = run(self._connection, CONTENT, entry_id=entry_id).first()
        if row is None:
            return
        if derived:
            self._derived += 1
            self._reopen_sources(entry_id)
        else:
            self._keys[entry_id] = row.key
        if row.category != "timeline":  # a summary tells of many things that stay
            self._stems |= mentions.distinctive(row.content)[0]
        self._suspects.update(run(self._connection, DISTILLED, entry_id=entry_id).scalars())
        entries.delete_row(self._connection, entry_id)

    def erase_messages(self, ids: Iterable[int]) -> None:
        """Erase the words of the user's messages."""
        for message_id, content in self._contents(ids):
            if content:
                self._rewrite_message(message_id, content, "")

    def erase_exchanges(self, ids: Iterable[int]) -> None:
        """Erase the words of messages, of the replies to them, and of what they reply to."""
        self.erase_messages(run(self._connection, EXCHANGES, ids=[*ids]).scalars())

    def add_messages(self, ids: Iterable[int]) -> None:
        """Add messages whose rows the caller deletes after ``finish``."""
        for message_id, content in self._contents(ids):
            self._messages.add(message_id)
            self._stems |= mentions.distinctive(content)[0]

    def erase_matching_messages(self, said: Sequence[Mention]) -> None:
        """Cut the matching sentences out of the user's messages. If nothing is left of a message
        of the user, its reply is erased too, which may repeat the words, and so is every entry
        that was read in it."""
        if not said:
            return
        found = [
            (row, left)
            for row in run(self._connection, WORDS, user=self._scope.user)
            if (left := mentions.without(row.content, said)) is not row.content
        ]
        for row, left in found:
            self._rewrite_message(row.id, row.content, left)
        whole = [row.id for row, left in found if row.role == "user" and not left]
        self.erase_exchanges(whole)
        # What was read in them alone says the same in other words.
        for entry_id in run(self._connection, READ_IN, ids=whole, user=self._scope.user).scalars():
            self.erase_entry(entry_id)

    def erase_matching_entries(self, said: Sequence[Mention]) -> None:
        """Erase the matching entries, and the matching sentences of longer ones. If the messages
        that an entry came from say it in other words, they are erased as a whole."""
        unsaid: list[int] = []
        for row in self._changeable(said):
            derived, source = bool(row.derived), row.source_message_id
            own = row.told_by == self._scope.user
            held = [mention for mention in said if own or not mention.own]
            left = mentions.without(row.content, held, memory=not derived)
            if left is row.content:
                continue
            if derived or not _says_anything(left):
                self.erase_entry(row.id, derived=derived)
                unsaid += [] if source is None else [source]
            else:
                # A new row: what holds the old row's vector has to let go of it.
                rewrite(self._connection, row.id, left)
                self._keys[row.id] = row.key
        self.erase_exchanges(
            message_id
            for message_id, content in self._contents(unsaid)
            if not mentions.contains_any(content, said)
        )

    def remaining_stems(self, stems: Collection[str]) -> set[str]:
        """Those of the stems that remaining entries hold. Derived entries do not count; what others
        told the household does."""
        if not stems:
            return set()
        contents = run(
            self._connection,
            LEFT,
            user=self._scope.user,
            household=int(self._scope.household == "write"),
        ).scalars()
        needles = [mentions.needle(stem) for stem in stems]
        found: set[str] = set()
        for text in contents:
            small = text.lower()  # stemming everything a person has said would take seconds
            if any(needle in small for needle in needles):
                found |= words.stems(words.words(text)) & set(stems)
        return found

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
        rows = run(self._connection, CONTENTS, ids=[*ids], user=self._scope.user)
        return [(row.id, row.content) for row in rows]

    def _changeable(self, said: Sequence[Mention]) -> list[Row]:
        """Entries that may be erased: the household's only with the grant to write."""
        if not said:
            return []
        scope = self._scope
        if scope.household != "write":
            scope = replace(scope, household="none")
        return run(self._connection, CHANGEABLE, **seen_by(scope)).all()

    def _rewrite_message(self, message_id: int, content: str, left: str) -> None:
        self._messages.add(message_id)
        self._stems |= mentions.distinctive(content)[0] - mentions.distinctive(left)[0]
        nothing_left = {} if left else {"speaker": None, "summarized": True}
        run(
            self._connection,
            REWRITE,
            message_id=message_id,
            content=left,
            forgotten=not left,
            **nothing_left,
        )
        if left:
            jobs.renew_extraction(self._connection, message_id)
        else:
            jobs.drop_extraction(self._connection, message_id)

    def _summaries(self) -> None:
        """Erase the summaries of messages that were erased; what is left of the messages is summed
        up again. A summary that was imported without messages loses only its sentences."""
        found = run(
            self._connection, SUMMARIES, user=self._scope.user, ids=sorted(self._messages)
        ).scalars()
        for entry_id in found:
            self.erase_entry(entry_id, derived=True)

    def _reopen_sources(self, entry_id: int) -> None:
        """Have what a derived entry was made from summed up, or distilled, again."""
        user, connection = self._scope.user, self._connection
        made = run(connection, STRETCH, entry_id=entry_id).one()
        if None not in (made.conversation, made.from_message_id, made.to_message_id):
            reopen(
                connection,
                user,
                made.conversation,
                made.from_message_id,
                made.to_message_id,
                self._now,
            )
        newest = run(connection, NEWEST_SOURCE, entry_id=entry_id, owner=user).scalar()
        if newest is not None:
            run(connection, TAKE_IN_AGAIN, entry_id=entry_id, owner=user)
            jobs.add(connection, "distill", user, self._now, up_to_id=newest)

    def _distilled(self) -> None:
        """Erase entries that were distilled from erased ones and hold a distinctive word of them
        that no remaining entry holds."""
        erased = self._stems - self.remaining_stems(self._stems) if self._suspects else set()
        while self._suspects:
            suspects, self._suspects = self._suspects, set()
            for entry_id in sorted(suspects):
                row = run(self._connection, CONTENT, entry_id=entry_id).first()
                if row is not None and _may_repeat(row.content, erased):
                    self.erase_entry(entry_id, derived=True)


def reopen(
    connection: Connection, user: str, conversation: str, first: int, last: int, now: float
) -> None:
    """Have the messages that a summary covered summed up again, where any is left."""
    rows = run(
        connection, REOPEN, owner=user, of_conversation=conversation, first=first, last=last
    ).all()
    if not rows:
        return
    for session_id in {row.session_id for row in rows if row.session_id is not None}:
        run(
            connection,
            CONSOLIDATED_BEFORE,
            in_session=session_id,
            before=min(row.id for row in rows if row.session_id == session_id),
        )
    jobs.add(connection, "summarize", user, now, up_to_id=max(row.id for row in rows))


def _says_anything(text: str) -> bool:
    stems, parts = mentions.distinctive(text)
    return bool(stems or parts)


def _may_repeat(text: str, erased: Collection[str]) -> bool:
    """Whether a distilled text may repeat erased words: it holds a distinctive one, or is in a
    language whose words are not compared."""
    stems, parts = mentions.distinctive(text)
    foreign = len(words.words(text)) >= FEWEST_WORDS and not words.is_english(text)
    return bool(parts) or foreign or not stems.isdisjoint(erased)


WHOLE_ROW = select(memories).where(entries.BY_ID)


LINKS = select(memory_sources).where(
    or_(
        memory_sources.c.memory_id == bindparam("entry_id"),
        memory_sources.c.source_id == bindparam("entry_id"),
    )
)


INSERT_LINK = sa.insert(memory_sources)


REPLACED = select(memories.c.id).where(memories.c.replaced_by == bindparam("entry_id"))


LINK_REPLACED = update(memories).where(entries.BY_ID)


ARCHIVED = select(project_tasks.c.id).where(project_tasks.c.archived_as == bindparam("entry_id"))


LINK_ARCHIVED = update(project_tasks).where(project_tasks.c.id == bindparam("task_id"))


def rewrite(connection: Connection, entry_id: int, content: str) -> int:
    """Put a row with another content in a version's place, with all its links, so that whatever was
    made from the old content goes with the old row. Returns the new id."""
    kept = run(connection, WHOLE_ROW, entry_id=entry_id).one()._asdict()
    links = run(connection, LINKS, entry_id=entry_id).all()
    replaced = run(connection, REPLACED, entry_id=entry_id).scalars()
    archived = run(connection, ARCHIVED, entry_id=entry_id).scalars()
    entry_index.remove(connection, entry_id)
    run(connection, entries.DELETE, entry_id=entry_id)
    del kept["id"]
    new_id = int(run(connection, entries.INSERT, **{**kept, "content": content}).scalar())
    reader: Reader = "model" if kept["source"] == "system" else "owner"
    claims = entries.read_claims(content)
    claim_rows.insert(connection, new_id, kept["user"], claims, reader)
    run_many(
        connection,
        LINK_REPLACED,
        ({"entry_id": known, "replaced_by": new_id} for known in replaced),
    )
    run_many(
        connection, LINK_ARCHIVED, ({"task_id": known, "archived_as": new_id} for known in archived)
    )
    run_many(
        connection,
        INSERT_LINK,
        (
            {name: new_id if known == entry_id else known for name, known in link._asdict().items()}
            for link in links
        ),
    )
    return new_id
