"""Layer identity: the few lines about a user that are in every prompt.

A Markdown document in sections, of at most ``memory.identity_chars`` characters; each line is an
entry. Lines that the user or a tool wrote stay until they are removed. Lines that the long-term
cascade distilled are rewritten by it, and evicted when the document is too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, func, or_, select

from lobug.errors import IdentityFullError
from lobug.language.en import words
from lobug.language.en.fact_comparison import COMMON, is_subsumed
from lobug.language.en.prompts import SECTIONS
from lobug.memory import entries
from lobug.memory.entries import NewVersion
from lobug.memory.model import Entry, Identity, MemoryScope
from lobug.storage.connection import Connection
from lobug.storage.statements import among, insert_once, run, run_many
from lobug.storage.tables import memories, memory_sources

Line = tuple[str, str]
"""Section and text."""


def render(lines: Iterable[Line]) -> str:
    """The document: sections in their fixed order, lines in the given order."""
    found = list(lines)
    names = [*SECTIONS, *sorted({section for section, _ in found} - set(SECTIONS))]
    parts = []
    for name in names:
        texts = [" ".join(text.split()) for section, text in found if section == name]
        if texts:
            heading = " ".join(name.split())
            parts.append("\n".join([f"## {heading}", *(f"- {text}" for text in texts)]))
    return "\n".join(parts)


def merged(lines: Sequence[Line]) -> list[Line]:
    """The lines without those that another line covers; of two equal ones the first stays."""
    return [
        line
        for number, line in enumerate(lines)
        if not any(
            is_subsumed(line[1], other[1])
            and (place < number or not is_subsumed(other[1], line[1]))
            for place, other in enumerate(lines)
            if place != number
        )
    ]


def evicted(lines: Sequence[Entry], limit: int) -> list[Entry]:
    """The entries to evict so that the document fits ``limit`` characters. Distilled lines only:
    first those that another line covers, then the least important, then the oldest.

    Raises IdentityFullError if the rest is still too long.
    """
    kept, gone = list(lines), list[Entry]()

    def repeats(entry: Entry) -> bool:
        return any(
            other is not entry
            and is_subsumed(entry.content, other.content)
            # Of two equal lines one must stay: the user's, else the newer.
            and (
                other.source != "system"
                or other.id > entry.id
                or not is_subsumed(other.content, entry.content)
            )
            for other in lines
        )

    spare = sorted(
        (entry for entry in lines if entry.source == "system"),
        key=lambda entry: (not repeats(entry), entry.importance, entry.updated_at, entry.id),
    )
    while len(render((entry.section or SECTIONS[0], entry.content) for entry in kept)) > limit:
        if not spare:
            raise IdentityFullError(
                f"layer identity holds {limit} characters at most; remove or shorten a line first"
            )
        gone.append(spare.pop(0))
        kept.remove(gone[-1])
    return gone


LINES = entries.ENTRY.where(
    memories.c.user == bindparam("user"),
    memories.c.layer == "identity",
    memories.c.status == "active",
).order_by(memories.c.id)


def lines_of(connection: Connection, user: str) -> list[Entry]:
    """The active lines of a user, in the order of their ids."""
    return [entries.entry_of(row) for row in run(connection, LINES, user=user)]


def document(connection: Connection, user: str) -> str:
    """The user's document; empty when there is none."""
    known = lines_of(connection, user)
    return render((entry.section or SECTIONS[0], entry.content) for entry in known)


def identity(connection: Connection, scope: MemoryScope, limit: int) -> Identity:
    """The user's document with its entries and its length."""
    known = tuple(lines_of(connection, scope.user))
    text = render((entry.section or SECTIONS[0], entry.content) for entry in known)
    return Identity(text=text, characters=len(text), limit=limit, entries=known)


def make_room(connection: Connection, user: str, limit: int, now: float) -> None:
    """Evict distilled lines until the document fits; their content stays known in layer knowledge.
    Raises IdentityFullError."""
    for entry in evicted(lines_of(connection, user), limit):
        entries.retire(connection, entry.id, status="inactive", reason="evicted", now=now)
        key = entries.free_key(connection, user, "user", None, entries.key_for(entry.content))
        moved = entries.insert(
            connection,
            NewVersion(
                user=user,
                told_by=user,
                content=entry.content,
                key=key,
                source=entry.source,
                said_at=entry.said_at,
                now=now,
                importance=entry.importance,
                tags=entry.tags,
                project=entry.project,
                created_at=entry.created_at,
                valid_from=entry.valid_from,
            ),
        )
        entries.change(connection, entry.id, replaced_by=moved)


def rewrite(
    connection: Connection,
    user: str,
    lines: Sequence[Line],
    *,
    sources: Sequence[int],
    limit: int,
    now: float,
) -> None:
    """Replace the distilled lines. A line that stays the same remains the same entry. Lines that a
    handwritten one covers are left out; so are lines that say what was corrected or removed and is
    not known again, since an old summary may still say it. ``sources`` are the ids of the entries
    that the lines were distilled from."""
    known = lines_of(connection, user)
    by_hand = [entry.content for entry in known if entry.source != "system"]
    distilled = {(e.section, e.content): e for e in known if e.source == "system"}
    wrong = _disbelieved(connection, user)
    wanted = [
        (section, text)
        for section, text in merged(list(dict.fromkeys(lines)))
        if not any(is_subsumed(text, other) for other in by_hand)
        and not any(_says(_distinctive(text), old, new) for old, new in wrong)
    ]
    for line, entry in distilled.items():
        if line not in wanted:
            entries.retire(connection, entry.id, status="inactive", reason="superseded", now=now)
    for section, text in wanted:
        if (section, text) in distilled:
            _note_sources(connection, distilled[section, text].id, sources)
            continue
        room = limit - len(document(connection, user))
        if room < len(text) + len(section) + 8:  # "\n## ", "\n- "
            continue
        entry_id = entries.insert(
            connection,
            NewVersion(
                user=user,
                told_by=user,
                content=text,
                key=entries.free_key(connection, user, "user", None, entries.key_for(text)),
                source="system",
                said_at=now,
                now=now,
                layer="identity",
                section=section,
                compared=True,
            ),
        )
        _note_sources(connection, entry_id, sources)


HELD = select(memories.c.content).where(
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    memories.c.category == "knowledge",
    or_(memories.c.layer != "identity", memories.c.source != "system"),
)
"""What the user's entries say, apart from lines that distillation wrote."""

_newer = memories.alias()
TAKEN_BACK = (
    select(memories.c.content, func.coalesce(_newer.c.content, "").label("instead"))
    .select_from(memories.outerjoin(_newer, _newer.c.id == memories.c.replaced_by))
    .where(
        memories.c.user == bindparam("user"),
        memories.c.reason.in_(("corrected", "removed")),
        memories.c.category == "knowledge",
    )
)
"""What the user corrected or removed, with what is said instead."""


TAKEN_BACK_SINCE = TAKEN_BACK.where(memories.c.expired_at >= bindparam("since"))


def taken_back_since(connection: Connection, user: str, since: float) -> list[tuple[str, str]]:
    """What a user corrected or removed since a time and no entry says again, each with what is said
    instead, or nothing."""
    rows = run(connection, TAKEN_BACK_SINCE, user=user, since=since).all()
    if not rows:
        return []
    believed = [_distinctive(content) for content in run(connection, HELD, user=user).scalars()]
    found = []
    for row in rows:
        old, new = _distinctive(row.content), _distinctive(row.instead)
        if old and not any(_says(said, old, new) for said in believed):
            found.append((row.content, row.instead))
    return found


def _disbelieved(connection: Connection, user: str) -> list[tuple[set[str], set[str]]]:
    """What a user corrected or removed and no entry says any more: its distinctive stems, and those
    of what is believed instead."""
    believed = [_distinctive(content) for content in run(connection, HELD, user=user).scalars()]
    rows = run(connection, TAKEN_BACK, user=user)
    found = ((_distinctive(row.content), _distinctive(row.instead)) for row in rows)
    return [
        (old, new)
        for old, new in found
        if old and not any(_says(said, old, new) for said in believed)
    ]


def _distinctive(text: str) -> set[str]:
    return words.stems(words.content_words(text)) - COMMON


def _says(said: set[str], old: set[str], new: set[str]) -> bool:
    """Whether a text with the stems ``said`` has all of ``old``, and not those of ``new``."""
    return old <= said and not (new - old and new - old <= said)


LINK = insert_once(memory_sources)


def _note_sources(connection: Connection, entry_id: int, sources: Sequence[int]) -> None:
    links = ({"memory_id": entry_id, "source_id": source} for source in sources)
    run_many(connection, LINK, links)


def retire_lines(
    connection: Connection,
    user: str,
    content: str,
    now: float,
    *,
    entry_id: int | None = None,
    instead: str = "",
) -> int:
    """Retire the distilled lines that say what is not believed any more. Returns their number.

    These are lines with all distinctive words of ``content``, and lines distilled from the entry
    ``entry_id`` with any of them that ``instead`` does not have. A line that also says ``instead``
    tells of the change, and stays.
    """
    old, new = _distinctive(content), _distinctive(instead)
    wrong = old - new
    retired = 0
    for entry in lines_of(connection, user):
        said = words.stems(words.content_words(entry.content))
        if new - old and new - old <= said:
            continue
        derived = entry_id is not None and _is_source(connection, entry.id, entry_id)
        stale = (derived and bool(wrong & said)) or (bool(old) and old <= said)
        if entry.source == "system" and stale:
            entries.retire(connection, entry.id, status="inactive", reason="corrected", now=now)
            retired += 1
    return retired


SOURCES = (
    select(memory_sources.c.memory_id, memories.c.content)
    .join(memories, memories.c.id == memory_sources.c.source_id)
    .where(among(memory_sources.c.memory_id, "ids"), memories.c.status == "active")
)


def sources_of(connection: Connection, line_ids: Sequence[int]) -> dict[int, list[str]]:
    """The contents of the entries that lines were distilled from and that still hold."""
    found: dict[int, list[str]] = {line_id: [] for line_id in line_ids}
    for row in run(connection, SOURCES, ids=line_ids):
        found[row.memory_id].append(row.content)
    return found


IS_SOURCE = select(memory_sources.c.source_id).where(
    memory_sources.c.memory_id == bindparam("line_id"),
    memory_sources.c.source_id == bindparam("entry_id"),
)


def _is_source(connection: Connection, line_id: int, entry_id: int) -> bool:
    return run(connection, IS_SOURCE, line_id=line_id, entry_id=entry_id).first() is not None
