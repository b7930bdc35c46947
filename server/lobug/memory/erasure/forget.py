"""Forgets entries or statements: erases them from entries, log, summaries, identity and everything
that repeats them.

Call each function in one write transaction and within ``TurnPriority.exclusive()``: background work
that has read what is forgotten is stopped before it can store anything made from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext

from sqlalchemy import bindparam, select

from lobug.language.claims import Asked
from lobug.language.en import mentions
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.mentions import Mention
from lobug.memory import entries
from lobug.memory.claim_rows import STATED_IMPORTANCE, Referent
from lobug.memory.claims import assertion, lookup, tombstones
from lobug.memory.claims.assertion import Assertion
from lobug.memory.claims.claim_writer import Origin
from lobug.memory.erasure.deletion import Erasure, rolled_back
from lobug.memory.model import Entry, Filter, Forgotten, MemoryScope
from lobug.storage.connection import Connection
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log


def forget_entries(
    connection: Connection,
    scope: MemoryScope,
    ids: Iterable[int],
    now: float,
    *,
    dry_run: bool = False,
) -> Forgotten:
    """Erase entries with all their versions, their messages (of a summary: all that it covers) with
    the replies, and every sentence elsewhere that says the same.

    Raises MemoryNotFoundError for an id outside the scope, MemoryForbiddenError for a household
    entry without the grant to write; nothing is erased then. ``dry_run``: all changes are rolled
    back.
    """
    found: dict[int, Entry] = {}
    for entry_id in ids:
        for version in entries.versions(connection, scope, entry_id):
            scope.require(version.scope, write=True)
            found[version.id] = version
    with rolled_back(connection) if dry_run else nullcontext():
        return _forget(connection, scope, list(found.values()), now)


def forget_claims(
    connection: Connection,
    scope: MemoryScope,
    asked: Asked,
    referents: Sequence[Referent],
    texts: Iterable[str],
    now: float,
) -> Forgotten:
    """Erase what is claimed of a subject and relation, with all that ``forget_entries`` erases, and
    everything that says one of ``texts``. Words said before bring none of it back. What else the
    same words told stays: the first name, without the surname."""
    found = lookup.about(connection, CLAIMS, scope.user, asked, referents)
    gone = forget_entries(connection, scope, found.entries, now) if found.entries else Forgotten()
    tombstones.add(connection, scope.user, found.marks, now)
    for text in texts:
        gone = gone + forget_text(connection, scope, text, now)
    if found.left:
        origin = Origin(scope.user, None, now, now, source="user", importance=STATED_IMPORTANCE)
        Assertion(connection, CLAIMS, origin).state(found.left)
    return gone


def forget_message(
    connection: Connection, scope: MemoryScope, message_id: int, text: str, now: float
) -> Forgotten:
    """Erase what a message of the user told, with the message and everything else that says
    ``text``, its words. What it had ended goes on."""
    assertion.undo(connection, scope.user, message_id)
    erasure = Erasure(connection, scope, now)
    erasure.erase_exchanges([message_id])
    return erasure.finish([]) + forget_text(connection, scope, text, now)


def forget_text(
    connection: Connection, scope: MemoryScope, text: str, now: float, *, dry_run: bool = False
) -> Forgotten:
    """Erase everything that says ``text`` ("that I live in Portland", "Portland", "my job"). A text
    without a distinctive word, or that nothing says, erases nothing.

    ``dry_run``: all changes are rolled back. Of other people's memories in the household only those
    are erased that do not speak of their own user, and only with the grant to write.
    """
    if not dry_run:
        mark = tombstones.mark_of(text)
        if mark is not None:
            tombstones.add(connection, scope.user, [mark], now)
        return _forget_text(connection, scope, text, now)
    with rolled_back(connection):
        return _forget_text(connection, scope, text, now)


def _forget_text(connection: Connection, scope: MemoryScope, text: str, now: float) -> Forgotten:
    mention = mentions.of_request(text)
    if mention is None:
        return _forget(connection, scope, _about_topic(connection, scope, text), now)
    erasure = Erasure(connection, scope, now)
    return _finish(erasure, [mention], mentions.telling_names_in(mentions.tidy_request(text)))


def _about_topic(connection: Connection, scope: MemoryScope, text: str) -> list[Entry]:
    """The user's own entries, past ones too, about a topic that has only one value."""
    topic = mentions.topic_of(text)
    if topic is None:
        return []
    known = entries.listed(connection, scope, Filter(status=None), limit=entries.MAX_ID, after_id=0)
    return [
        entry
        for entry in known
        if entry.user == scope.user
        and entry.category == "knowledge"
        and mentions.is_about(entry.content, topic)
    ]


def _forget(
    connection: Connection, scope: MemoryScope, versions: Sequence[Entry], now: float
) -> Forgotten:
    said = [mention for version in versions for mention in _said_by(version)]
    erasure = Erasure(connection, scope, now)
    for version in versions:
        if version.source_message_id is not None:
            erasure.erase_exchanges([version.source_message_id])
        erasure.erase_messages(_summed_up(connection, version))
        erasure.erase_entry(version.id)
    named = [
        mentions.telling_names_in(version.content) for version in versions if _said_by(version)
    ]
    return _finish(erasure, said, frozenset[str]().union(*named))


def _finish(erasure: Erasure, said: list[Mention], names: frozenset[str]) -> Forgotten:
    """Erase what matches, and what has a name that no remaining entry mentions."""
    erasure.erase_matching_entries(said)
    alone = [mentions.of_name(stem) for stem in sorted(names - erasure.remaining_stems(names))]
    erasure.erase_matching_entries(alone)
    erasure.erase_matching_messages([*said, *alone])
    return erasure.finish([*said, *alone])


def _said_by(entry: Entry) -> list[Mention]:
    """What to search for elsewhere. A summary tells of many things, so no sentence of it is
    enough."""
    if entry.category == "timeline" or entry.layer == "archive":
        return []
    return mentions.of_content(entry.content, own=entry.layer == "identity")


SUMMED_UP = select(conversation_log.c.id).where(
    conversation_log.c.user == bindparam("user"),
    conversation_log.c.conversation == bindparam("conversation"),
    conversation_log.c.id.between(bindparam("first"), bindparam("last")),
)


def _summed_up(connection: Connection, entry: Entry) -> list[int]:
    return run(
        connection,
        SUMMED_UP,
        user=entry.user,
        conversation=entry.conversation,
        first=entry.from_message_id,
        last=entry.to_message_id,
    ).scalars()
