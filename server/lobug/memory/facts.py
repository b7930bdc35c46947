"""Facts: entries of layer knowledge that come from what the user said.

They are inserted, searched, and merged: of facts that exclude each other or say the same, one stays
active. A replaced fact stays, linked to its successor: past if it was true once, inactive if both
say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Integer, and_, bindparam, exists, func, or_, select, true

from lobug.language.en import fact_comparison, words
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.claims.revisions import Revision
from lobug.language.protocol import NewFact
from lobug.memory import claim_rows, entries, identity, sessions
from lobug.memory.claims import tombstones
from lobug.memory.claims.assertion import Assertion
from lobug.memory.claims.claim_writer import Origin
from lobug.memory.entries import NewVersion
from lobug.memory.index import entry_index
from lobug.memory.index.entry_index import EmbeddedQuery, Vector, VectorIndex
from lobug.memory.model import TRUST, Entry
from lobug.storage.connection import Connection
from lobug.storage.index_tables import memory_vectors
from lobug.storage.statements import among, run
from lobug.storage.tables import claims, conversation_log, memories


@dataclass(frozen=True, slots=True)
class RelevantFact:
    """A fact that a search found."""

    id: int
    content: str
    similarity: float
    """Cosine, -1 to 1, 1: same direction; without a vector the share of matching words."""


SAID_IN = select(conversation_log.c.conversation, conversation_log.c.session_id).where(
    conversation_log.c.id == bindparam("message_id")
)
FROM_MESSAGE = (
    select(memories.c.id)
    .where(
        memories.c.source_message_id == bindparam("message_id"),
        memories.c.content == bindparam("content"),
    )
    .limit(1)
)
TAKEN_BACK = (
    select(memories.c.id)
    .where(
        memories.c.user == bindparam("user"),
        memories.c.content == bindparam("content"),
        memories.c.reason.in_(("corrected", "removed")),
        memories.c.expired_at > bindparam("said_at"),
    )
    .limit(1)
)


def insert(
    connection: Connection,
    user: str,
    facts: Sequence[NewFact],
    *,
    message_id: int,
    said_at: float,
    now: float,
) -> None:
    """Insert facts extracted from a message. What the rules can read in a fact is asserted like any
    other claim. Another fact from the same message is stored once, and not at all where the user
    has put it right, taken it away or had it forgotten since it was said."""
    said_in = run(connection, SAID_IN, message_id=message_id).first()
    origin = Origin(
        user,
        said_in.conversation if said_in else None,
        said_at,
        now,
        message_id,
        reader="model",
    )
    kept = claim_rows.statements_of(connection, user, message_id)
    for fact in facts:
        if tombstones.covers(connection, user, tombstones.of_text(fact.content), said_at):
            continue
        claims = entries.read_claims(fact.content)
        if claims:
            Assertion(connection, CLAIMS, origin).state(claims)
            continue
        if any(fact_comparison.is_subsumed(fact.content, one) for one in kept):
            continue  # the user's own words say it already
        about = {"user": user, "content": fact.content, "said_at": said_at}
        if run(connection, FROM_MESSAGE, message_id=message_id, content=fact.content).first():
            continue
        if run(connection, TAKEN_BACK, **about).first():
            continue
        entries.insert(
            connection,
            NewVersion(
                user=user,
                told_by=user,
                content=fact.content,
                key=entries.free_key(connection, user, "user", None, entries.key_for(fact.content)),
                source="system",
                said_at=said_at,
                now=now,
                conversation=said_in.conversation if said_in else None,
                session_id=said_in.session_id if said_in else None,
                fact_type=fact.fact_type,
                source_message_id=message_id,
                claims=(),
            ),
        )


UNCLAIMED = entries.ENTRY.where(
    memories.c.source_message_id == bindparam("message_id"),
    memories.c.user == bindparam("user"),
    memories.c.scope == "user",
    memories.c.layer == "knowledge",
    memories.c.source == "system",
    memories.c.status == "active",
    ~exists(select(1).where(claims.c.memory_id == memories.c.id)),
)
"""What the chat model read in a message and the rules cannot read."""


def put_right(connection: Connection, message_id: int, revision: Revision, origin: Origin) -> int:
    """Put words right in what the chat model read in a message, and the rules cannot read. Returns
    the number of facts that had them."""
    found = 0
    for row in run(connection, UNCLAIMED, message_id=message_id, user=origin.user).all():
        entry = entries.entry_of(row)
        content = CLAIMS.put_right(entry.content, revision.wrong, revision.right)
        if content is None:
            continue
        found += 1
        entries.retire(
            connection,
            entry.id,
            status="past" if revision.changed else "inactive",
            reason="superseded" if revision.changed else "corrected",
            now=origin.now,
            valid_until=origin.said_at if revision.changed else None,
        )
        identity.retire_lines(connection, origin.user, entry.content, origin.now, entry_id=entry.id)
        if not revision.changed:
            sessions.put_right(connection, origin.user, entry.content, origin.now)
        if revision.leans:
            version = entries.next_version(
                entry,
                told_by=origin.user,
                now=origin.now,
                content=content,
                said_at=origin.said_at,
                source_message_id=origin.message_id,
                claims=(),
            )
            entries.change(connection, entry.id, replaced_by=entries.insert(connection, version))
    return found


COUNT = select(func.count()).where(memories.c.layer == "knowledge", memories.c.status == "active")


def count(connection: Connection) -> int:
    """Facts that hold."""
    return int(run(connection, COUNT).scalar())


def _id(index: VectorIndex | None) -> int | None:
    return None if index is None else index.id


def search(
    connection: Connection,
    user: str,
    query: str,
    embedded: EmbeddedQuery | None,
    *,
    k: int,
    min_similarity: float,
) -> list[RelevantFact]:
    """The user's facts relevant to a query, best first.

    By cosine similarity where the fact has a vector of the query's model. Facts that have none
    (not embedded yet, or the embedder is down) are found by their words; their similarity is the
    share of the query's content words that they hold.
    """
    index = (
        entry_index.find(connection, embedded.model_id, len(embedded.vector))
        if embedded is not None
        else None
    )
    found: list[RelevantFact] = []
    if index is not None and embedded is not None:
        for near in entry_index.nearest(connection, index, user, embedded.vector, 4 * k):
            fact = _live(connection, user, near.fact_id, 1.0 - near.distance)
            if fact is not None:
                found.append(fact)
    found += _by_text(connection, user, query, index, k)
    found = [fact for fact in found if fact.similarity >= min_similarity]
    return sorted(found, key=lambda fact: -fact.similarity)[: max(k, 0)]


BELIEVED = and_(
    memories.c.user == bindparam("user"),
    memories.c.scope == "user",
    memories.c.status == "active",
    memories.c.layer == "knowledge",
)
"""Facts that hold, are of layer knowledge and belong to no one conversation."""

NEWEST = (
    select(memories.c.id, memories.c.content)
    .where(BELIEVED)
    .order_by(memories.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def newest(connection: Connection, user: str, limit: int) -> list[RelevantFact]:
    """The user's newest facts, newest first; none that belong to one conversation."""
    rows = run(connection, NEWEST, user=user, limit=limit)
    return [RelevantFact(similarity=0.0, **row._asdict()) for row in rows]


MOST_IMPORTANT = (
    entries.ENTRY.where(BELIEVED, memories.c.category == "knowledge")
    .order_by(memories.c.importance.desc(), memories.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def most_important(connection: Connection, user: str, limit: int) -> list[Entry]:
    """The user's facts, the most important and then the newest first; none that belong to one
    conversation."""
    return [
        entries.entry_of(row) for row in run(connection, MOST_IMPORTANT, user=user, limit=limit)
    ]


AMONG = select(memories.c.id).where(BELIEVED, among(memories.c.id, "ids"))


def only_believed(
    connection: Connection, user: str, found: Sequence[RelevantFact]
) -> list[RelevantFact]:
    """Of facts those that hold, are of layer knowledge and belong to no one conversation."""
    believed = set(run(connection, AMONG, user=user, ids=[fact.id for fact in found]).scalars())
    return [fact for fact in found if fact.id in believed]


LIVE = select(memories.c.id, memories.c.content).where(
    entries.BY_ID, memories.c.user == bindparam("user"), memories.c.replaced_by.is_(None)
)


def _live(
    connection: Connection, user: str, fact_id: int, similarity: float
) -> RelevantFact | None:
    row = run(connection, LIVE, entry_id=fact_id, user=user).first()
    return None if row is None else RelevantFact(similarity=similarity, **row._asdict())


WITHOUT_VECTOR = select(memories.c.id, memories.c.content).where(
    among(memories.c.id, "ids"),
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    memories.c.layer == "knowledge",
    ~exists(
        select(1).where(
            memory_vectors.c.index_id == bindparam("index_id"),
            memory_vectors.c.memory_id == memories.c.id,
            memory_vectors.c.usable == true(),
        )
    ),
)


def _by_text(
    connection: Connection, user: str, query: str, index: VectorIndex | None, k: int
) -> list[RelevantFact]:
    """Facts without a usable vector in ``index`` that share content words with the query."""
    wanted = words.content_words(query)[: entry_index.MAX_QUERY_WORDS]
    if not wanted or k <= 0:
        return []
    scores = entry_index.word_scores(connection, (user,), wanted)
    found = run(connection, WITHOUT_VECTOR, ids=scores, user=user, index_id=_id(index))
    rows = sorted(found, key=lambda row: (-scores[row.id], -row.id))[:k]
    stems = words.stems(wanted)
    return [
        RelevantFact(
            similarity=len(stems & words.stems(words.content_words(row.content))) / len(stems),
            **row._asdict(),
        )
        for row in rows
    ]


COMPARED_NEIGHBOURS = 8
"""Near facts that are compared with a new one."""

MAX_PHRASINGS = 50
"""Former wordings of a fact that a new one is compared with."""

PARAPHRASE_RANGE = 3.0
"""Facts within this multiple of the duplicate distance are compared by their words."""


def merge(
    connection: Connection,
    index: VectorIndex,
    fact: Entry,
    vector: Vector,
    *,
    duplicate_distance: float,
    now: float,
) -> None:
    """Let a fact that is new to the index replace the facts that it makes obsolete, or be replaced
    itself.

    The user's nearest fact about the same people is replaced if its cosine distance is below
    ``duplicate_distance``; so are facts that say the same in other words
    (``language.en.paraphrase``) and other values of what a person has only one of
    (``language.en.replacement``). Of two facts the one that was said later stays, whichever was
    extracted first.
    """
    rivals = [
        *_same_slot(connection, fact),
        *_near_duplicate(connection, index, fact, vector, duplicate_distance),
    ]
    resolve_rivals(connection, fact, rivals, now)


@dataclass(frozen=True, slots=True)
class Rival:
    """An entry that says the same, or another value of what a person has only one of."""

    entry: Entry
    reason: Literal["superseded", "duplicate"]


def resolve_rivals(
    connection: Connection, fact: Entry, rivals: Sequence[Rival], now: float
) -> None:
    """Decide which of a fact and its rivals stays active. Of two values, the one said last; of two
    that say the same, the one whose claim was read, else the one from the more trusted source, else
    the one that says more, else the one said last. Of two that claim something it has been decided
    already (``memory.claims``)."""
    claiming = claim_rows.having(connection, [fact.id, *(rival.entry.id for rival in rivals)])
    for rival in rivals:
        if fact.id in claiming and rival.entry.id in claiming:
            continue
        if status(connection, rival.entry.id) != "active":
            continue
        if status(connection, fact.id) != "active":
            return
        older, newer = sorted((rival.entry, fact), key=_said_order)
        if rival.reason == "duplicate" and (
            older.id in claiming or (newer.id not in claiming and _better(older, newer))
        ):
            older, newer = newer, older
        replace(connection, older, newer, rival.reason, now)


def _better(older: Entry, newer: Entry) -> bool:
    """Whether the older of two duplicates is worth more."""
    if older.source != newer.source:
        return TRUST[older.source] > TRUST[newer.source]
    same = fact_comparison.is_paraphrase(older.content, newer.content)
    return same and fact_comparison.is_fuller(older.content, newer.content)


def _said_order(entry: Entry) -> tuple[float, int, int]:
    return (entry.said_at, entry.source_message_id or 0, entry.id)


STATUS = select(memories.c.status).where(entries.BY_ID)


def status(connection: Connection, entry_id: int) -> str:
    """An entry's status."""
    return str(run(connection, STATUS, entry_id=entry_id).scalar())


RIVALS = entries.ENTRY.where(
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    memories.c.layer == "knowledge",
    memories.c.category == "knowledge",
    memories.c.id != bindparam("entry_id"),
    memories.c.scope == bindparam("scope"),
    or_(
        memories.c.scope != "conversation",
        memories.c.conversation.is_not_distinct_from(bindparam("conversation")),
    ),
    memories.c.compared == true(),
)


def _rivals_of(connection: Connection, fact: Entry) -> list[Entry]:
    rows = run(
        connection,
        RIVALS,
        user=fact.user,
        entry_id=fact.id,
        scope=fact.scope,
        conversation=fact.conversation,
    )
    return [entries.entry_of(row) for row in rows]


def _near_duplicate(
    connection: Connection,
    index: VectorIndex,
    fact: Entry,
    vector: Vector,
    duplicate_distance: float,
) -> list[Rival]:
    """The nearest fact about the same people if it is near enough, and facts that say the same in
    other words."""
    near_ids = {
        near.fact_id: near.distance
        for near in entry_index.nearest(connection, index, fact.user, vector, COMPARED_NEIGHBOURS)
        if near.distance < PARAPHRASE_RANGE * duplicate_distance
    }
    if not near_ids:
        return []
    rivals = [rival for rival in _rivals_of(connection, fact) if rival.id in near_ids]
    found: list[Rival] = []
    nearest = True
    for rival in sorted(rivals, key=lambda known: near_ids[known.id]):
        # What a person wrote on purpose is a duplicate only of exactly the same statement.
        written = rival.source != "system" or fact.source != "system"
        if written and _differs(rival.content, fact.content):
            continue
        near = near_ids[rival.id] < duplicate_distance and fact_comparison.same_people(
            rival.content, fact.content
        )
        retold = any(
            fact_comparison.is_paraphrase(content, fact.content)
            for content in _phrasings(connection, rival)
        )
        if (near and nearest) or retold:
            found.append(Rival(rival, "duplicate"))
            nearest = nearest and not near
    return found


_chain = select(bindparam("entry_id", type_=Integer).label("id")).cte("chain", recursive=True)
_chain = _chain.union(
    select(memories.c.id)
    .join(_chain, memories.c.replaced_by == _chain.c.id)
    .where(memories.c.reason == "duplicate")
)
TELLINGS = (
    select(memories.c.content).where(memories.c.id.in_(select(_chain.c.id))).limit(MAX_PHRASINGS)
)


def _phrasings(connection: Connection, entry: Entry) -> list[str]:
    """The wordings of an entry: its content, and those of the duplicates that it has replaced."""
    return run(connection, TELLINGS, entry_id=entry.id).scalars()


def _same_slot(connection: Connection, fact: Entry) -> list[Rival]:
    """The user's other values of what a person has only one of."""
    slot = fact_comparison.slot_of(fact.content)
    if slot is None:
        return []
    return [
        Rival(rival, "superseded")
        for rival in _rivals_of(connection, fact)
        if fact_comparison.slot_of(rival.content) == slot
    ]


def replace(
    connection: Connection,
    old: Entry,
    new: Entry,
    reason: Literal["superseded", "duplicate"],
    now: float,
) -> None:
    """Make one fact the successor of another. A superseded fact is past: it was true until the new
    one was said, and questions about the past find it. A duplicate is inactive. The successor takes
    the key and, from a duplicate, the earlier ``valid_from``."""
    superseded = reason == "superseded" and _differs(old.content, new.content)
    entries.retire(
        connection,
        old.id,
        status="past" if superseded else "inactive",
        reason="superseded" if superseded else "duplicate",
        now=now,
        replaced_by=new.id,
        valid_until=new.valid_from if superseded else None,
    )
    if superseded:
        identity.retire_lines(
            connection, old.user, old.content, now, entry_id=old.id, instead=new.content
        )
    entries.change(
        connection,
        new.id,
        key=old.key,
        valid_from=new.valid_from if superseded else min(old.valid_from, new.valid_from),
    )


def _differs(one: str, other: str) -> bool:
    """Whether two facts about the same subject have different content words."""
    said = words.stems(words.content_words(one)) ^ words.stems(words.content_words(other))
    return bool(said - fact_comparison.COMMON)
