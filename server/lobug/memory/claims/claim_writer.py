"""Writes what claims change: entries that are stored, confirmed, reworded or believed no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import bindparam, select

from lobug.language.claims import STATEMENT, Claim, Path, RelationRules
from lobug.memory import claim_rows, entries, identity, sessions
from lobug.memory.claim_rows import KnownClaim, Reader, Referent
from lobug.memory.claims.decision import Retirement
from lobug.memory.claims.held_claims import HeldClaims
from lobug.memory.claims.relations import NAME
from lobug.memory.claims.subjects import Ambiguous
from lobug.memory.entries import NewVersion
from lobug.memory.model import Reason, Source, Status
from lobug.storage.connection import Connection
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log


@dataclass(frozen=True, slots=True)
class Origin:
    """Where claims come from."""

    user: str
    conversation: str | None
    said_at: float
    now: float
    message_id: int | None = None
    session_id: int | None = None
    """The session of the message, where the caller knows it."""
    reader: Reader = "rules"
    source: Source = "system"
    importance: float = 0.5


@dataclass(slots=True)
class ClaimChanges:
    """What claims have changed."""

    stored: list[int] = field(default_factory=list)
    """New entries, also those that tell of what is over."""
    retired: list[int] = field(default_factory=list)
    same: list[int] = field(default_factory=list)
    """Entries that said it already."""
    ambiguous: list[Ambiguous] = field(default_factory=list)
    referents: list[Referent] = field(default_factory=list)
    """What was talked about, latest first."""
    refuted: bool = False
    """What was said last is of somebody else, and nothing is known of them."""


class ClaimWriter:
    """Writes what the claims of one origin change, and keeps count of it."""

    def __init__(self, connection: Connection, held: HeldClaims, origin: Origin) -> None:
        self._connection = connection
        self._held = held
        self._origin = origin
        self.outcome = ClaimChanges()

    def retire(self, retirement: Retirement) -> None:
        """Believe an entry no more, nor the lines and sentences that repeat it."""
        known, origin = retirement.known, self._origin
        status: Status = "past" if retirement.reason == "superseded" and known.holds else "inactive"
        reason: Reason = retirement.reason
        entries.retire(
            self._connection,
            known.entry_id,
            status=status,
            reason=reason,
            now=origin.now,
            valid_until=origin.said_at if status == "past" else None,
        )
        identity.retire_lines(
            self._connection, origin.user, known.content, origin.now, entry_id=known.entry_id
        )
        if reason == "corrected":
            sessions.put_right(self._connection, origin.user, known.content, origin.now)
        if origin.message_id is not None:
            claim_rows.note_end(self._connection, known.entry_id, origin.message_id)
        self._held.changed()
        self.outcome.retired.append(known.entry_id)
        if known.relation != STATEMENT and known.message_id is not None:
            self._retire_words(known, retirement)

    def _retire_words(self, known: KnownClaim, retirement: Retirement) -> None:
        """Let the statement that was kept beside a claim share its fate."""
        for one in self._held.of_relation(STATEMENT):
            beside = one.message_id == known.message_id and one.kind != ""
            if beside and one.status == "active":
                self.retire(replace(retirement, known=one))

    def insert(self, claim: Claim, rules: RelationRules, *, past: bool, key_of: int | None) -> int:
        """Store a claim as an entry, and return its id. ``past``: it is over already;
        ``key_of``: the entry whose key it takes."""
        origin = self._origin
        stored = replace(claim, holds=True, ended=True) if past else claim
        corrects = claim.corrects and not past
        content = self._held.sentence(stored)
        told = None if past else self._telling(origin.message_id, content)
        if told is not None:  # "she has retired": she has no job and no employer
            self._note(told, claim, origin.reader)
            return told
        wanted = entries.key_of_entry(self._connection, key_of) if key_of is not None else None
        session_id = origin.session_id
        if session_id is None and origin.message_id is not None:
            session_id = run(self._connection, SAID_IN, message_id=origin.message_id).scalar()
        new_id = entries.insert(
            self._connection,
            NewVersion(
                user=origin.user,
                told_by=origin.user,
                content=content,
                key=entries.free_key(
                    self._connection, origin.user, "user", None, wanted or key_for(claim, rules)
                ),
                source="correction" if corrects else origin.source,
                said_at=origin.said_at,
                now=origin.now,
                conversation=origin.conversation,
                session_id=session_id,
                fact_type=rules.fact_type,
                importance=claim_rows.CORRECTION_IMPORTANCE if corrects else origin.importance,
                source_message_id=origin.message_id,
                claims=(replace(claim, holds=True) if past else claim,),
                reader=origin.reader,
            ),
        )
        if past:
            entries.retire(
                self._connection,
                new_id,
                status="past",
                reason="superseded",
                now=origin.now,
                valid_until=origin.said_at,
            )
        self._held.changed(subjects=True)
        self.outcome.stored.append(new_id)
        return new_id

    def confirm(self, known: KnownClaim) -> None:
        """What is said again counts as said now; what the user asks to be kept is theirs."""
        self.outcome.same.append(known.entry_id)
        origin = self._origin
        if known.doubted:
            sure = claim_rows.CONFIDENCE[origin.reader]
            claim_rows.set_confidence(self._connection, known.entry_id, sure)
            self._held.changed()
        if known.status != "active" or origin.said_at < known.said_at:
            return
        values: dict[str, object] = {"said_at": origin.said_at}
        if known.source == "system" and origin.source != "system":
            values |= {"source": origin.source, "importance": origin.importance}
        entries.change(self._connection, known.entry_id, **values)
        self._held.changed()

    def join(self, claim: Claim) -> None:
        """ "Hanna is my sister": what was known of Hanna is known of the sister."""
        bare: Path = (claim.value.lower(),)
        if len(claim.subject) > 1 and claim.subject != bare:
            self.move(bare, claim.subject)

    def rename(self, claim: Claim, wrong: Sequence[str]) -> None:
        """Put the right name into the sentences about a subject that have the wrong one."""
        for known in self._held.under(claim.subject):
            held = known.status == "active" and not known.relation == NAME == claim.relation
            if not held or not any(name in known.content for name in wrong):
                continue
            said = replace(known.claim, subject=known.subject)
            self.reword(known, said, self._held.sentence(said))

    def reword(self, known: KnownClaim, said: Claim, content: str) -> None:
        """Put a claim into another sentence."""
        entry = entries.by_id(self._connection, known.entry_id)
        entries.retire(
            self._connection,
            known.entry_id,
            status="inactive",
            reason="edited",
            now=self._origin.now,
        )
        new_id = self._telling(entry.source_message_id, content)
        if new_id is not None:  # one sentence of several claims
            self._note(new_id, said, known.reader)
        else:
            version = entries.next_version(
                entry,
                told_by=entry.user,
                now=self._origin.now,
                content=content,
                # A sentence of several claims becomes several sentences.
                key=entries.free_key(
                    self._connection, self._origin.user, entry.scope, None, entry.key
                ),
                claims=(said,),
                reader=known.reader,
            )
            new_id = entries.insert(self._connection, version)
            self._held.changed(subjects=True)
        self.replace(known.entry_id, new_id)

    def _telling(self, message_id: int | None, content: str) -> int | None:
        """The active entry that has this content from a message."""
        origin = self._origin
        # The rules read a message as it is logged: nothing else was stored of it by then.
        fresh = origin.reader == "rules" and message_id == origin.message_id
        if message_id is None or (fresh and not self.outcome.stored):
            return None
        return claim_rows.telling(self._connection, origin.user, message_id, content)

    def _note(self, entry_id: int, claim: Claim, reader: Reader) -> None:
        claim_rows.insert(self._connection, entry_id, self._origin.user, (claim,), reader)
        self._held.changed(subjects=True)

    def drop_words(self, *, forgotten: bool) -> None:
        """Drop the statement that was kept of words which the model has read since, where what it
        read in them was put right, or is forgotten, since they were said."""
        origin = self._origin
        if origin.reader != "model" or origin.message_id is None:
            return
        for one in self._held.of_message(origin.message_id):
            if one.relation != STATEMENT or one.status != "active":
                continue
            if forgotten:
                self.delete(one.entry_id)
            else:
                self.retire(Retirement(one, "superseded"))

    def merge(self, entry_id: int, same: KnownClaim) -> None:
        """Of an entry and one that says the same, the one said last stays."""
        older, newer = same.entry_id, entry_id
        if same.said_at > self._origin.said_at:
            older, newer = newer, older
        entries.retire(
            self._connection,
            older,
            status="inactive",
            reason="duplicate",
            now=self._origin.now,
            replaced_by=newer,
        )
        self._held.changed()

    def delete(self, entry_id: int) -> None:
        """Delete an entry with its claims."""
        entries.delete_row(self._connection, entry_id)
        self._held.changed(subjects=True)

    def expire(self, entry_id: int) -> None:
        """Make an entry past: what was said later contradicts it."""
        entries.retire(
            self._connection,
            entry_id,
            status="past",
            reason="superseded",
            now=self._origin.now,
            valid_until=self._origin.now,
        )
        self._held.changed()

    def replace(self, entry_id: int, by: int) -> None:
        """Note which entry has taken the place of one."""
        entries.change(self._connection, entry_id, replaced_by=by)

    def move(self, subject: Path, to: Path) -> None:
        """Give a subject, with all that belongs to it, another path."""
        held = claim_rows.path_of(claim_rows.text_of(subject))
        if any(known[: len(held)] == held for known in self._held.known_subjects()):
            claim_rows.rename(self._connection, self._origin.user, subject, to)
            self._held.changed(subjects=True)


SAID_IN = select(conversation_log.c.session_id).where(
    conversation_log.c.id == bindparam("message_id")
)


def key_for(claim: Claim, rules: RelationRules) -> str:
    """The key of an entry that makes a claim: ``user_home``, ``user_sister_name``."""
    named = [*claim.subject, claim.relation, claim.kind]
    if not rules.one:
        named.append(claim.value)
    return entries.key_of_words(" ".join(named))
