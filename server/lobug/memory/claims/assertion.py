"""Lets claims change memory, inside a transaction of the caller.

Whatever reads claims (the rules in a turn, the rules in a sentence of the chat model, the owner's
own entries) asserts them here, and here alone is decided what they do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

from sqlalchemy import bindparam, select

from lobug.language.claims import STATEMENT, USER, Claim, ClaimReader, Heard, Path, RelationRules
from lobug.memory import claim_rows, entries
from lobug.memory.claim_rows import PLANNED, KnownClaim, Referent
from lobug.memory.claims import decision, subjects, tombstones
from lobug.memory.claims.claim_writer import ClaimChanges, ClaimWriter, Origin
from lobug.memory.claims.completion import Completion
from lobug.memory.claims.decision import Retirement
from lobug.memory.claims.effects import Effects
from lobug.memory.claims.held_claims import HeldClaims
from lobug.memory.claims.placement import Placement
from lobug.memory.claims.relations import NAME, PET, RELATIVE
from lobug.memory.claims.subjects import Ambiguous, Subjects, plain
from lobug.memory.claims.tombstones import Tombstones
from lobug.memory.model import ConversationKey
from lobug.storage.connection import Connection
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log

RECENT_MESSAGES = 12
"""Messages of a conversation, about, to which a pronoun or a bare value can refer."""
RECENT_CLAIMS = 12
MOST_CLAIMS = 24
"""Most claims of one message that are stored: nobody tells more in one breath."""


class Assertion:
    """Asserts claims of one user in one transaction."""

    def __init__(self, connection: Connection, reader: ClaimReader, origin: Origin) -> None:
        self._connection = connection
        self._reader = reader
        self._origin = origin
        self._held = HeldClaims(connection, reader, origin.user)
        self._completion = Completion(self._held, reader)
        self._placement = Placement(self._held, reader)
        self._writer = ClaimWriter(connection, self._held, origin)
        self._effects = Effects(connection, reader, origin, self._held, self._writer)
        self.outcome = self._writer.outcome

    @cached_property
    def _tombstones(self) -> Tombstones:
        return Tombstones(self._connection, self._origin.user, self._origin.said_at)

    def hear(self, heard: Heard, referents: Sequence[Referent] = ()) -> ClaimChanges:
        """Assert what an utterance claims. ``referents``: what was talked about before, latest
        first."""
        claims = [*heard.claims[:MOST_CLAIMS]]
        others = self._completion.of_others(heard, referents)
        if others:
            # What was said last is of somebody else: "that's my cousin. I'm allergic to mustard."
            claims = [*others, *(replace(one, corrects=True) for one in claims)]
        for fragment in heard.fragments:
            if fragment.points and others:
                continue
            if fragment.points and self._completion.goes_on(heard, fragment, referents):
                self.outcome.refuted = True
                continue
            talked = [*self.outcome.referents, *referents]
            completed = self._completion.complete(fragment, talked)
            claims += self._reread(completed) or fragment.otherwise
        self._assert(claims, referents)
        for text in heard.over:
            self._effects.overtake(Claim(USER, STATEMENT, text, text=text))
        return self.outcome

    def _reread(self, completed: Sequence[Claim]) -> Sequence[Claim]:
        """A statement that was put right is read anew: what its former words told was wrong."""
        if not completed or completed[0].relation != STATEMENT:
            return completed
        (right,) = completed
        slot = self._held.slot(right.subject, STATEMENT, right.kind)
        wrong = [one for one in slot if one.status == "active" and one.value == right.instead_of]
        for one in wrong:
            if one.message_id is None:
                continue
            for told in self._held.of_message(one.message_id):
                if told.status == "active" and told.relation not in {STATEMENT, NAME}:
                    self._writer.retire(Retirement(told, "corrected"))
        heard = self._reader.read(right.value)
        again = [one for one in heard.claims if one.relation != STATEMENT]
        return [*(replace(one, corrects=True) for one in again), right]

    def state(self, claims: Sequence[Claim], referents: Sequence[Referent] = ()) -> ClaimChanges:
        """Assert claims that were read in a stored or generated sentence."""
        self._assert(claims[:MOST_CLAIMS], referents)
        return self.outcome

    def revise(
        self, told: Sequence[KnownClaim], wrong: str, right: str, *, changed: bool, leans: bool
    ) -> ClaimChanges:
        """Put words of what was told right. ``changed``: they have been right until now. ``leans``:
        the words that say so tell nothing by themselves, so that what was told is told anew."""
        origin = self._origin
        read = [] if origin.message_id is None else self._held.of_message(origin.message_id)
        own = [one for one in read if one.status == "active" and _has(one.content, right)]
        stands = own and (not leans or any(one.relation != STATEMENT for one in own))
        for one in told:
            value = self._reader.put_right(one.value, wrong, right) if one.value else None
            is_held = one.status == "active" and one.holds and one.said_at <= origin.said_at
            if value is None or not is_held:
                continue
            if stands:
                self._writer.retire(Retirement(one, "superseded" if changed else "corrected"))
                self._writer.replace(one.entry_id, own[-1].entry_id)
                continue
            rules = self._reader.rules(one.relation)
            many = rules is not None and not rules.one
            if changed and many:
                self._apply(replace(one.claim, holds=False, ended=True))
            instead = one.value if many and not changed else None
            self._apply(replace(one.claim, value=value, corrects=not changed, instead_of=instead))
        for one in own if not stands and self.outcome.stored else ():
            if one.relation == STATEMENT:
                self._writer.delete(one.entry_id)
        return self.outcome

    def settle(
        self, entry_id: int, claims: Sequence[Claim], former: Collection[int] = ()
    ) -> ClaimChanges:
        """Let an entry that is a sentence of its own take the place of what it contradicts or
        repeats, or be replaced by what was said later. The sentence stays as it is. ``former``:
        entries that do not count."""
        refuted = False
        for claim in claims:
            rules = self._reader.rules(claim.relation)
            if rules is None or claim.past or claim.planned:
                continue
            others = [
                one
                for one in self._held.slot(claim.subject, claim.relation, claim.kind)
                if one.entry_id != entry_id and one.entry_id not in former
            ]
            done = self._decide(claim, others, rules)
            for retirement in done.retired:
                self._writer.retire(retirement)
                self._writer.replace(retirement.known.entry_id, entry_id)
            if done.same is not None and done.same.status == "active":
                self._writer.merge(entry_id, done.same)
            elif done.insert != "active":
                refuted = True
            self._follow(claim)
        if refuted:
            self._writer.expire(entry_id)
        return self.outcome

    def _assert(self, claims: Sequence[Claim], referents: Sequence[Referent]) -> None:
        talked = list(referents)
        for claim in self._placement.of_couple(claims):
            known = self._held.subjects(talked)
            beside = [
                one
                for one in claims
                # Each of "Tom, Ben and Al" is a son of his own.
                if one.text == claim.text
                and (one is claim or (one.subject, one.relation) != (claim.subject, NAME))
            ]
            moves = subjects.introduced(beside, known)
            path = subjects.moved(claim.subject, moves)
            meant = path or subjects.resolve(claim.subject, known, self._reader.refers)
            if isinstance(meant, Ambiguous):
                self.outcome.ambiguous.append(meant)
                continue
            if meant is None:
                continue
            if claim.moves:
                meant = self._placement.event(meant, known)
            beside = [one for one in claims if one.subject == claim.subject]
            said = self._instead(replace(claim, subject=meant), beside, referents)
            self._deny_of_another(said, known, referents)
            for one in self._placement.place(said):
                self._apply(one)
                talked[:0] = self._referents_of(one, known)
        self.outcome.referents = talked[:RECENT_CLAIMS]

    def _referents_of(self, claim: Claim, known: Subjects) -> list[Referent]:
        """What a claim talks about: its subject, and the subject that its value is."""
        found = [Referent(claim.subject, claim.relation, claim.kind, claim.value)]
        if claim.relation not in {PET, RELATIVE} or not claim.value:
            return found
        noun = self._reader.one_more(claim.value)
        one = (*claim.subject, noun or self._reader.one_of(claim.value.lower().split()[-1]))
        if noun is not None and one in known.names:
            several = sum(path[:-1] == claim.subject and plain(path) == one for path in known.known)
            one = (*claim.subject, f"{noun}:{several + 1}")
        return [*found, Referent(one, NAME)]

    def _instead(
        self, claim: Claim, claims: Sequence[Claim], referents: Sequence[Referent]
    ) -> Claim:
        """A claim that refutes what was said last, with the wrong value: "I like golf", "That's
        wrong, I like tennis". Of a relation with one value every other is wrong anyway."""
        last = referents[0] if referents else None
        if not (claim.holds and last is not None and claim.instead_of is None):
            return claim
        if claim.relation == STATEMENT:
            return claim  # what it contradicts is seen by its words
        if claim.refutes == "not" or (claim.refutes == "unless_asked" and self._was_asked()):
            return claim
        if (last.subject, last.relation, last.kind) != (claim.subject, claim.relation, claim.kind):
            return claim
        same_value = self._reader.same_value
        wrong = last.value
        if not wrong:  # a question was what was talked about last
            slot = self._held.slot(claim.subject, claim.relation, claim.kind)
            held = [one.value for one in slot if one.status == "active" and one.holds]
            wrong = held[0] if len(held) == 1 else ""
        if not wrong or any(same_value(last.relation, wrong, one.value) for one in claims):
            return claim
        return replace(claim, instead_of=wrong)

    def _was_asked(self) -> bool:
        """Whether the last reply in the conversation was a question, which "no" may answer."""
        said = run(
            self._connection,
            LAST_REPLY,
            user=self._origin.user,
            conversation=self._origin.conversation,
        ).scalar()
        return said is None or "?" in said

    def _deny_of_another(
        self, claim: Claim, known: Subjects, referents: Sequence[Referent]
    ) -> None:
        """What is so of the cousin is not so of the sister: "No, my cousin lives in Rome"."""
        wrong: Path | Ambiguous | None = None
        if claim.instead_of_subject is not None:
            wrong = subjects.resolve(claim.instead_of_subject, known, self._reader.refers)
        elif claim.corrects and claim.holds and claim.value and referents:
            last = referents[0]
            if (last.relation, last.kind, last.value) == (claim.relation, claim.kind, claim.value):
                wrong = last.subject
        if wrong is None or isinstance(wrong, Ambiguous) or wrong == claim.subject:
            return
        if self._held.is_held(wrong, claim.relation, claim.kind, claim.value):
            self._apply(
                replace(claim, subject=wrong, holds=not claim.holds, corrects=True, instead_of=None)
            )

    def _apply(self, claim: Claim) -> None:
        rules = self._reader.rules(claim.relation)
        if rules is None:
            return
        if claim.planned:  # a plan changes nothing yet
            claim = replace(claim, kind=PLANNED)
        if self._tombstones.covers(tombstones.of_claim(claim)):
            self._writer.drop_words(forgotten=True)
            return
        if claim.relation == NAME and claim.holds:
            self._writer.join(claim)
        slot = self._held.slot(claim.subject, claim.relation, claim.kind)
        done = self._decide(claim, slot, rules)
        for retirement in (*done.retired, *self._come_true(claim)):
            self._writer.retire(retirement)
        self._end_wrong_denial(claim, slot)
        if done.insert != "active" and done.same is None and not done.retired:
            self._writer.drop_words(forgotten=False)
        if done.same is not None:
            self._writer.confirm(done.same)
        if done.insert is not None:
            key = next((one.known.entry_id for one in done.retired), None) if rules.one else None
            new = self._writer.insert(claim, rules, past=done.insert == "past", key_of=key)
            if claim.relation == NAME and done.insert == "active" and done.retired:
                self._writer.rename(claim, [one.known.value for one in done.retired])
            for retirement in done.retired:
                if done.insert == "active":
                    self._writer.replace(retirement.known.entry_id, new)
        self._follow(claim)

    def _follow(self, claim: Claim) -> None:
        for besides in self._effects.follow(claim):
            self._apply(besides)

    def _end_wrong_denial(self, claim: Claim, slot: Sequence[KnownClaim]) -> None:
        """ "I don't like coffee", "I meant tea": nothing is said of coffee any more."""
        for one in slot if claim.corrects and not claim.holds else ():
            if one.status == "active" and not one.holds and one.value == claim.instead_of:
                self._writer.retire(Retirement(one, "corrected"))

    def _decide(
        self, claim: Claim, known: Sequence[KnownClaim], rules: RelationRules
    ) -> decision.Decision:
        def same_value(one: str, other: str) -> bool:
            return self._reader.same_value(claim.relation, one, other)

        return decision.decide(
            claim, self._origin.said_at, known, rules, same_value, self._reader.recounts
        )

    def _come_true(self, claim: Claim) -> list[Retirement]:
        """Plans that are no plans any more: "I've moved to Paris"."""
        if claim.planned or claim.kind or not claim.holds or claim.past or not claim.value:
            return []
        return [
            Retirement(one, "superseded")
            for one in self._held.slot(claim.subject, claim.relation, PLANNED)
            if one.status == "active"
            and one.said_at <= self._origin.said_at
            and self._reader.same_value(one.relation, one.value, claim.value)
        ]


LAST_REPLY = (
    select(conversation_log.c.content)
    .where(
        conversation_log.c.user == bindparam("user"),
        conversation_log.c.conversation == bindparam("conversation"),
        conversation_log.c.role == "assistant",
    )
    .order_by(conversation_log.c.id.desc())
    .limit(1)
)


def _has(text: str, words: str) -> bool:
    return words.lower() in text.lower()


def undo(connection: Connection, user: str, message_id: int) -> None:
    """Take back what a message claimed: it was not meant for Lo-Bug, or it is forgotten."""
    for entry_id in claim_rows.made_by(connection, user, message_id):
        entries.delete_row(connection, entry_id)
    for entry_id in claim_rows.ended_by(connection, user, message_id):
        claim_rows.note_end(connection, entry_id, None)
        entries.revive(connection, entry_id)


def hear(
    connection: Connection,
    reader: ClaimReader,
    conversation_key: ConversationKey,
    heard: Heard,
    *,
    message_id: int,
    session_id: int,
    said_at: float,
    now: float,
    referents: Sequence[Referent],
) -> ClaimChanges:
    """Let the claims of an utterance change memory, in the transaction that logs it."""
    if heard.is_empty:
        return ClaimChanges(referents=list(referents))
    user, conversation = conversation_key.user, conversation_key.conversation
    origin = Origin(user, conversation, said_at, now, message_id, session_id)
    known = referents or last_referents(connection, conversation_key)
    outcome = Assertion(connection, reader, origin).hear(heard, known)
    # A statement of no relation that puts nothing right does not say what is right either.
    told_anew = any(one.relation != STATEMENT for one in heard.claims) or heard.fragments
    says_right = outcome.retired or outcome.same or (outcome.stored and told_anew)
    if (heard.refutes and not says_right) or outcome.refuted:
        told = claim_rows.told_before(connection, user, conversation, message_id)
        for entry_id in told:
            claim_rows.set_confidence(connection, entry_id, claim_rows.DOUBTED)
    return outcome


def last_referents(connection: Connection, conversation_key: ConversationKey) -> list[Referent]:
    """What the log says was last talked about, for a process that has just started."""
    return claim_rows.recent(
        connection,
        conversation_key.user,
        conversation_key.conversation,
        messages=RECENT_MESSAGES,
        limit=RECENT_CLAIMS,
    )


def completes(
    connection: Connection,
    reader: ClaimReader,
    conversation_key: ConversationKey,
    heard: Heard,
    referents: Sequence[Referent],
) -> bool:
    """Whether each bare value of an utterance fits something that was talked about. Changes
    nothing."""
    known = referents or last_referents(connection, conversation_key)
    held = HeldClaims(connection, reader, conversation_key.user)
    completion = Completion(held, reader)
    return all(
        completion.complete(fragment, known) or fragment.otherwise for fragment in heard.fragments
    )
