"""Changes to entries, each inside one transaction: store, edit, correct, deactivate, restore.

Every change inserts a new version; the old one stays, inactive and linked to it, until it is
forgotten.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from lobug.errors import MemoryContentError, MemoryForbiddenError, MemoryNotFoundError
from lobug.language.en import fact_comparison
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.portrait import SECTION_OF
from lobug.language.en.prompts import SECTIONS
from lobug.memory import entries, identity, log, projects, sessions, timeline
from lobug.memory.claims.assertion import Assertion
from lobug.memory.claims.claim_writer import Origin
from lobug.memory.entries import NewVersion
from lobug.memory.model import (
    TRUST,
    Draft,
    Entry,
    Layer,
    MemoryScope,
    Provenance,
    Reason,
    Source,
    Status,
)
from lobug.storage.connection import Connection

MAX_TAGS = 32
MAX_TAG_CHARS = 64


@dataclass(frozen=True, slots=True)
class Limits:
    """Longest texts, in characters."""

    content_chars: int
    """Of the content of one entry."""
    identity_chars: int
    """Of layer identity as a whole."""


def checked_content(content: str, limits: Limits) -> str:
    """Strip the content and check that it can be stored. Raises MemoryContentError."""
    text = content.strip()
    if not text or not any(character.isalnum() for character in text):
        raise MemoryContentError("a memory needs words")
    if len(text) > limits.content_chars:
        raise MemoryContentError(
            f"the memory has {len(text)} characters, {limits.content_chars} are allowed"
        )
    if "\x00" in text:
        raise MemoryContentError("a memory is text, it cannot hold a zero character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MemoryContentError("the memory holds half a surrogate pair") from error
    return text


def checked_importance(importance: float) -> float:
    """Check an importance, 0 to 1. Raises MemoryContentError."""
    if not 0.0 <= importance <= 1.0:  # NaN too
        raise MemoryContentError("importance is a number from 0 to 1")
    return importance


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Strip the tags and drop repetitions. Raises MemoryContentError."""
    found = tuple(dict.fromkeys(tag.strip() for tag in tags))
    if any("\x00" in tag for tag in found):
        raise MemoryContentError("a tag is text, it cannot hold a zero character")
    if len(found) > MAX_TAGS or any(not tag or len(tag) > MAX_TAG_CHARS for tag in found):
        raise MemoryContentError(
            f"at most {MAX_TAGS} tags of 1 to {MAX_TAG_CHARS} characters are allowed"
        )
    return found


def require_writable(scope: MemoryScope, entry: Entry) -> None:
    """Raises MemoryForbiddenError if the scope may read the entry but not change it."""
    scope.require(entry.scope, write=True)


def store(
    connection: Connection, scope: MemoryScope, draft: Draft, *, limits: Limits, now: float
) -> Entry:
    """Insert an entry, or a new version of the one that has its key. The same content again
    changes importance, tags and project only.

    Raises MemoryKeyError, MemoryContentError, MemoryForbiddenError, IdentityFullError."""
    content = checked_content(draft.content, limits)
    tags, importance = checked_tags(draft.tags), checked_importance(draft.importance)
    scope.require(draft.scope, write=True)
    if draft.scope == "conversation" and scope.conversation is None:
        raise MemoryForbiddenError("a memory of one conversation is stored from within it")
    if draft.section is not None and draft.section not in SECTIONS:
        raise MemoryContentError(f"a section is one of {', '.join(SECTIONS)}")
    if draft.layer == "identity" and draft.scope != "user":
        raise MemoryContentError("layer identity belongs to a person, not to a device or the house")
    if draft.project is not None:
        projects.ensure(connection, scope.user, draft.project, now)
    user = scope.stored_under(draft.scope)
    if draft.source_message_id is not None:
        _require_own_message(connection, scope, draft.source_message_id)
    named = draft.key is not None
    key = entries.checked_key(draft.key) if draft.key is not None else entries.key_for(content)
    known_id = entries.active_key(connection, user, draft.scope, scope.conversation, key)
    if not named and draft.source_message_id is not None:  # the rules may have read it already
        known_id = entries.told_by(connection, user, draft.source_message_id, content) or known_id
    known = None if known_id is None else entries.find(connection, scope, known_id)
    if known is not None and not named and not _same_thing(known.content, content):
        key = entries.free_key(connection, user, draft.scope, scope.conversation, key)
        known = None
    said_at = now if draft.said_at is None else draft.said_at
    new = NewVersion(
        user=user,
        told_by=scope.user,
        content=content,
        key=key,
        source=draft.source,
        said_at=said_at,
        now=now,
        scope=draft.scope,
        conversation=scope.conversation,
        session_id=_current_session(connection, scope),
        layer=draft.layer,
        category=draft.category,
        fact_type=draft.fact_type,
        section=(draft.section or SECTIONS[0]) if draft.layer == "identity" else None,
        importance=importance,
        tags=tags,
        project=draft.project,
        source_message_id=draft.source_message_id,
    )
    if new.category == "timeline" and known is None:
        new = replace(new, content=timeline.stamped(content, said_at))
    if known is None:
        stored = entries.insert(connection, new)
    elif known.content == content and known.layer == draft.layer:
        stored = known.id
        _update_labels(connection, stored, importance, tags, draft.project, now)
        _say_on_purpose(connection, known, draft.source)
    else:
        updated = _differs_in_time(known.content, content)
        stored = _insert_successor(
            connection,
            known,
            replace(new, created_at=known.created_at),
            status="past" if updated else "inactive",
            reason="superseded" if updated else "edited",
        )
    if stored != known_id:
        _settle(connection, entries.find(connection, scope, stored), now)
    return _fitted_entry(connection, scope, stored, limits, now)


def _settle(connection: Connection, entry: Entry, now: float, former: Collection[int] = ()) -> None:
    """Let what an entry claims end what it contradicts. ``former``: ids of versions of it, which
    say nothing against it: the owner restores what was removed or put right."""
    if entry.layer != "knowledge" or entry.category != "knowledge" or entry.scope != "user":
        return
    claims = entries.read_claims(entry.content)
    if claims:
        origin = Origin(entry.user, entry.conversation, entry.said_at, now, reader="owner")
        Assertion(connection, CLAIMS, origin).settle(entry.id, claims, former)


def edit(
    connection: Connection,
    scope: MemoryScope,
    entry_id: int,
    *,
    content: str | None,
    importance: float | None,
    tags: tuple[str, ...] | None,
    project: str | None,
    layer: Layer | None = None,
    limits: Limits,
    now: float,
) -> Entry:
    """Insert a new version; None leaves a field unchanged. In layer identity it stands under
    the heading of its type, and is the user's: distillation does not touch it.

    Raises MemoryNotFoundError if the entry is not active, MemoryContentError, MemoryForbiddenError,
    IdentityFullError."""
    entry = _active(connection, scope, entry_id)
    new_importance = entry.importance if importance is None else checked_importance(importance)
    new_tags = entry.tags if tags is None else checked_tags(tags)
    new_project = entry.project if project is None else project
    if new_project is not None:
        projects.ensure(connection, scope.user, new_project, now)
    text = entry.content if content is None else checked_content(content, limits)
    new_layer = entry.layer if layer is None else layer
    moved = new_layer != entry.layer
    if moved and (entry.scope != "user" or entry.category == "timeline"):
        raise MemoryContentError("only a user's own knowledge moves to another layer")
    if text == entry.content and not moved:
        _update_labels(connection, entry_id, new_importance, new_tags, new_project, now)
        return entries.find(connection, scope, entry_id)
    new = entries.next_version(
        entry,
        told_by=scope.user,
        now=now,
        content=text,
        source=entry.source if text == entry.content and entry.source == "correction" else "user",
        importance=new_importance,
        tags=new_tags,
        project=new_project,
        layer=new_layer,
        section=_section_in(new_layer, entry),
    )
    edited = _insert_successor(connection, entry, new, status="inactive", reason="edited")
    _settle(connection, entries.find(connection, scope, edited), now)
    return _fitted_entry(connection, scope, edited, limits, now)


def _section_in(layer: Layer, entry: Entry) -> str | None:
    """The heading that an entry stands under in a layer."""
    return (entry.section or SECTION_OF[entry.fact_type]) if layer == "identity" else None


def correct(
    connection: Connection,
    scope: MemoryScope,
    entry_id: int,
    content: str,
    *,
    source: Source = "correction",
    limits: Limits,
    now: float,
) -> Entry:
    """Replace a wrong entry, which is inactive for good. What the user says is right outranks
    everything else; another ``source`` is trusted as it is elsewhere. Raises MemoryNotFoundError,
    MemoryContentError, and MemoryForbiddenError also where the entry is trusted more."""
    entry = _active(connection, scope, entry_id)
    if TRUST[entry.source] > TRUST[source]:
        raise MemoryForbiddenError(
            f"memory {entry.id} is the person's own words, which only they correct; nothing was"
            " changed"
        )
    text = checked_content(content, limits)
    new = entries.next_version(
        entry,
        told_by=scope.user,
        now=now,
        content=text,
        source=source,
        said_at=now,
        importance=1.0 if source == "correction" else entry.importance,
    )
    corrected = _insert_successor(connection, entry, new, status="inactive", reason="corrected")
    _settle(connection, entries.find(connection, scope, corrected), now)
    identity.retire_lines(
        connection, entry.user, entry.content, now, entry_id=entry.id, instead=text
    )
    sessions.put_right(connection, entry.user, entry.content, now, instead=text)
    return _fitted_entry(connection, scope, corrected, limits, now)


def deactivate(connection: Connection, scope: MemoryScope, entry_id: int, *, now: float) -> Entry:
    """Make an entry inactive. Raises MemoryNotFoundError, MemoryForbiddenError."""
    entry = _active(connection, scope, entry_id)
    entries.retire(connection, entry.id, status="inactive", reason="removed", now=now)
    if entry.layer != "identity":
        identity.retire_lines(connection, entry.user, entry.content, now, entry_id=entry.id)
        sessions.put_right(connection, entry.user, entry.content, now)
    return entries.find(connection, scope, entry.id)


def restore(
    connection: Connection, scope: MemoryScope, entry_id: int, *, limits: Limits, now: float
) -> Entry:
    """Insert a version again as the active one; entries that are active under its key or among its
    versions become inactive. An active version is returned unchanged. Raises MemoryNotFoundError,
    MemoryForbiddenError, IdentityFullError."""
    entry = entries.find(connection, scope, entry_id)
    require_writable(scope, entry)
    if entry.status == "active":
        return entry
    rivals = {version.id: version for version in entries.versions(connection, scope, entry_id)}
    holder = entries.active_key(connection, entry.user, entry.scope, entry.conversation, entry.key)
    if holder is not None:
        rivals[holder] = entries.find(connection, scope, holder)
    active = [version for version in rivals.values() if version.status == "active"]
    for version in active:
        entries.retire(connection, version.id, status="inactive", reason="edited", now=now)
    said_at = now if entry.source == "correction" else entry.said_at
    new = entries.next_version(entry, told_by=scope.user, now=now, said_at=said_at)
    restored = entries.insert(connection, new)
    _settle(connection, entries.find(connection, scope, restored), now, {*rivals, entry_id})
    for version in (*active, entry):
        if version.replaced_by is None:
            entries.change(connection, version.id, replaced_by=restored)
    return _fitted_entry(connection, scope, restored, limits, now)


def provenance(connection: Connection, scope: MemoryScope, entry_id: int) -> Provenance:
    """An entry with the message and the entries that it was made from. Raises
    MemoryNotFoundError."""
    entry = entries.find(connection, scope, entry_id)
    message = None
    if entry.source_message_id is not None:
        message = log.message(connection, scope.user, entry.source_message_id)
    if message is not None and not message.content:
        message = None
    return Provenance(
        entry=entry,
        message=None if message is None else message.content,
        message_at=None if message is None else message.created_at,
        derived_from=entries.sources(connection, entry_id),
    )


def _active(connection: Connection, scope: MemoryScope, entry_id: int) -> Entry:
    entry = entries.find(connection, scope, entry_id)
    require_writable(scope, entry)
    if entry.status != "active":
        raise MemoryNotFoundError(f"memory {entry_id} is not active; restore it first")
    return entry


def _insert_successor(
    connection: Connection, old: Entry, new: NewVersion, *, status: Status, reason: Reason
) -> int:
    """Insert the successor of an entry under its key. Returns the successor's id."""
    entries.retire(
        connection,
        old.id,
        status=status,
        reason=reason,
        now=new.now,
        valid_until=new.said_at if status == "past" else None,
    )
    new_id = entries.insert(connection, new)
    entries.change(connection, old.id, replaced_by=new_id)
    return new_id


def _fitted_entry(
    connection: Connection, scope: MemoryScope, entry_id: int, limits: Limits, now: float
) -> Entry:
    """The stored entry; where it is of layer identity, distilled lines are evicted to fit the
    limit."""
    entry = entries.find(connection, scope, entry_id)
    if entry.layer == "identity":
        identity.make_room(connection, entry.user, limits.identity_chars, now)
    return entry


def _say_on_purpose(connection: Connection, known: Entry, source: Source) -> None:
    """What was only read or extracted is the user's once it is stored on purpose."""
    if known.source == "system":
        entries.change(connection, known.id, source=source)


def _update_labels(
    connection: Connection,
    entry_id: int,
    importance: float,
    tags: tuple[str, ...],
    project: str | None,
    now: float,
) -> None:
    entries.change(
        connection, entry_id, importance=importance, tags=tags, project=project, updated_at=now
    )


def _same_thing(one: str, other: str) -> bool:
    """Whether two contents that would get the same key are versions of one memory."""
    slot = fact_comparison.slot_of(one)
    return one == other or (slot is not None and slot == fact_comparison.slot_of(other))


def _differs_in_time(old: str, new: str) -> bool:
    """Whether the new content tells of a change in the world ("moved to") and is not only another
    wording: the old one was true once."""
    return fact_comparison.slot_of(old) is not None and fact_comparison.slot_of(
        old
    ) == fact_comparison.slot_of(new)


def _current_session(connection: Connection, scope: MemoryScope) -> int | None:
    if scope.conversation is None:
        return None
    return sessions.current(connection, scope.user, scope.conversation)


def _require_own_message(connection: Connection, scope: MemoryScope, message_id: int) -> None:
    if log.message(connection, scope.user, message_id) is None:
        raise MemoryNotFoundError(f"there is no message {message_id}")
