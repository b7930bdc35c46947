"""Lets claims change memory, inside a transaction of the caller.

Whatever reads claims (the rules in a turn, the rules in a sentence of the chat model, the owner's
own entries) asserts them here, and here alone is decided what they do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlalchemy import bindparam, select

from lobug.language.claims import (
    ANY_RELATION,
    COUPLE,
    STATEMENT,
    USER,
    Claim,
    ClaimReader,
    Fragment,
    Heard,
    Path,
    RelationRules,
)
from lobug.memory import claim_rows, entries, identity, sessions
from lobug.memory.claim_rows import PLANNED, KnownClaim, Reader, Referent
from lobug.memory.claims import decision, subjects, tombstones
from lobug.memory.claims.decision import Retirement
from lobug.memory.claims.subjects import NAME, Ambiguous, Subjects, plain
from lobug.memory.entries import NewVersion
from lobug.memory.model import ConversationKey, Reason, Source, Status
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log

RECENT_MESSAGES = 12
"""Messages of a conversation, about, to which a pronoun or a bare value can refer."""
RECENT_CLAIMS = 12
MOST_OVERTAKEN = 300
"""Claims, the latest, of which one may be what a statement says is over."""
MOST_CLAIMS = 24
"""Most claims of one message that are stored: nobody tells more in one breath."""

DEAD = "dead"
JOB = "job"
"""What somebody is; "it" is never that."""
PARTNER = "partner"
LENT = "lent"
DEPARTED = frozenset({DEAD, "gone", "rehomed"})
"""Relations of pets that their owner has no more."""
LASTING = frozenset({NAME, "relative", PARTNER, "pet", "owns", "car", "home"})
"""Relations that end by words of their own."""
HOLDERS = frozenset({"pet", "relative", "car", "owns", "partner"})
"""Relations whose value is a subject itself: who has sold the car has no car to speak of."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where claims come from."""

    user: str
    conversation: str | None
    said_at: float
    now: float
    message_id: int | None = None
    reader: Reader = "rules"
    source: Source = "system"
    importance: float = 0.5


@dataclass(slots=True)
class Outcome:
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


class Assertion:
    """Asserts claims of one user in one transaction."""

    def __init__(self, connection: Connection, reader: ClaimReader, origin: Origin) -> None:
        self._connection = connection
        self._reader = reader
        self._origin = origin
        self.outcome = Outcome()
        self._moved: dict[str, str] = {}
        """Relations of endings, with that in which memory held what has ended."""

    def hear(self, heard: Heard, referents: Sequence[Referent] = ()) -> Outcome:
        """Assert what an utterance claims. ``referents``: what was talked about before, latest
        first."""
        claims = [*heard.claims[:MOST_CLAIMS]]
        others = self._of_others(heard, referents)
        if others:
            # What was said last is of somebody else: "that's my cousin. I'm allergic to mustard."
            claims = [*others, *(replace(one, corrects=True) for one in claims)]
        for fragment in heard.fragments:
            if fragment.points and others:
                continue
            if fragment.points and self._goes_on(heard, fragment, referents):
                self.outcome.refuted = True
                continue
            talked = [*self.outcome.referents, *referents]
            completed = self.completed(fragment, _own(talked) if fragment.own else talked)
            claims += self._reread(completed) or fragment.otherwise
        self._assert(claims, referents)
        return self.outcome

    def _of_others(self, heard: Heard, referents: Sequence[Referent]) -> list[Claim]:
        """What was said last as a claim of those whom "that's my cousin" and "that's Milo" name, if
        the same words tell it of its subject anew."""
        last = referents[0] if referents else None
        if last is None or not self._tells_anew(heard, last, self.subjects(referents)):
            return []
        found: list[Claim] = []
        for one in heard.fragments:
            named = one.subject is not None or " " not in one.value  # not "last year's number"
            if one.points and named:
                subject = one.subject or (one.value.lower(),)
                found += self._of_another(replace(one, subject=subject), subject, [last])
        return found

    def _goes_on(self, heard: Heard, fragment: Fragment, referents: Sequence[Referent]) -> bool:
        """Whether an utterance goes on to speak of who was named before, who has that name then:
        "No, that's Milo. Luna is three."."""
        names = self.subjects(referents).names
        name = names.get(referents[0].subject, "").lower() if referents else ""
        said = [*heard.unread, *(one.text for one in heard.claims)]
        others = " ".join(text for text in said if text != fragment.text).lower()
        return bool(name) and name in others.split() and name != fragment.value.lower()

    def _tells_anew(self, heard: Heard, last: Referent, known: Subjects) -> bool:
        """Whether an utterance has another value of what was said last."""
        slot = (last.subject, last.relation, last.kind)
        return any(one.own for one in heard.fragments) or any(
            (subjects.resolve(one.subject, known, self._reader.refers), one.relation, one.kind)
            == slot
            and not self._reader.same_value(one.relation, one.value, last.value)
            for one in heard.claims
        )

    def _reread(self, completed: Sequence[Claim]) -> Sequence[Claim]:
        """A statement that was put right is read anew: what its former words told was wrong."""
        if not completed or completed[0].relation != STATEMENT:
            return completed
        (right,) = completed
        slot = self._slot(right.subject, STATEMENT, right.kind)
        wrong = [one for one in slot if one.status == "active" and one.value == right.instead_of]
        for one in wrong:
            if one.message_id is None:
                continue
            made = claim_rows.made_by(self._connection, self._origin.user, one.message_id)
            for told in claim_rows.of_entries(self._connection, self._origin.user, made):
                if told.status == "active" and told.relation not in {STATEMENT, NAME}:
                    self._retire(Retirement(told, "corrected"))
        heard = self._reader.read(right.value)
        again = [one for one in heard.claims if one.relation != STATEMENT]
        return [*(replace(one, corrects=True) for one in again), right]

    def state(self, claims: Sequence[Claim], referents: Sequence[Referent] = ()) -> Outcome:
        """Assert claims that were read in a stored or generated sentence."""
        self._assert(claims[:MOST_CLAIMS], referents)
        return self.outcome

    def settle(
        self, entry_id: int, claims: Sequence[Claim], former: Collection[int] = ()
    ) -> Outcome:
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
                for one in self._slot(claim.subject, claim.relation, claim.kind)
                if one.entry_id != entry_id and one.entry_id not in former
            ]
            done = self._decide(claim, others, rules)
            for retirement in done.retired:
                self._retire(retirement)
                entries.change(self._connection, retirement.known.entry_id, replaced_by=entry_id)
            if done.same is not None and done.same.status == "active":
                self._merge(entry_id, done.same)
            elif done.insert != "active":
                refuted = True
            self._effects(claim)
        if refuted:
            self._expire(entry_id)
        return self.outcome

    def _merge(self, entry_id: int, same: KnownClaim) -> None:
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

    def _expire(self, entry_id: int) -> None:
        """Make an entry past: what was said later contradicts it."""
        entries.retire(
            self._connection,
            entry_id,
            status="past",
            reason="superseded",
            now=self._origin.now,
            valid_until=self._origin.now,
        )

    # ---- whom it is about

    def subjects(self, referents: Sequence[Referent]) -> Subjects:
        """Whom memory knows."""
        named = claim_rows.of_relation(self._connection, self._origin.user, NAME)
        names = {one.subject: one.value for one in named if one.status == "active" and one.holds}
        return Subjects(
            names, known_subjects(self._connection, self._origin.user), recent(referents)
        )

    def _assert(self, claims: Sequence[Claim], referents: Sequence[Referent]) -> None:
        talked = list(referents)
        for claim in self._of_couple(claims):
            known = self.subjects(talked)
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
                meant = self._event(meant, known)
            beside = [one for one in claims if one.subject == claim.subject]
            said = self._instead(replace(claim, subject=meant), beside, referents)
            self._deny_of_another(said, known, referents)
            for one in self._placed(said):
                self._apply(one)
                talked[:0] = self._referents_of(one, known)
        self.outcome.referents = talked[:RECENT_CLAIMS]

    def _event(self, subject: Path, known: Subjects) -> Path:
        """The one event that a short word for it means: of "the appointment", the only one."""
        if subject in known.known:
            return subject
        last = f" {subject[-1]}"
        longer = [one for one in known.known if one[0] == USER[0] and one[-1].endswith(last)]
        return longer[0] if len(longer) == 1 else subject

    def _of_couple(self, claims: Sequence[Claim]) -> list[Claim]:
        """The claims, those of the couple said of the one of the two of whom they are true."""
        found: list[Claim] = []
        for claim in claims:
            if claim.subject != COUPLE:
                found.append(claim)
                continue
            rules = self._reader.rules(PARTNER)
            nouns = rules.entities if rules is not None else frozenset()
            held = claim_rows.of_relation(self._connection, self._origin.user, claim.relation)
            found += [
                replace(claim, subject=plain(one.subject))
                for one in held
                if one.status == "active"
                and (one.subject == USER or (len(one.subject) == 2 and one.subject[1] in nouns))
            ]
        return found

    def _placed(self, claim: Claim) -> list[Claim]:
        """A change in the relations in which memory holds what has changed: who did karate as a
        hobby has given it up as a sport too."""
        if claim.relation == ANY_RELATION:
            return self._of_any(claim)
        if claim.holds and claim.relation in self._moved and claim.value[:1].isupper():
            return [replace(claim, relation=self._moved[claim.relation])]
        if not (claim.ended and claim.value):
            return [claim]
        left = self._one_less(claim)
        if left is not None:
            return [replace(claim, value=left, holds=True, ended=False)]
        rules = self._reader.rules(claim.relation)
        akin = rules.akin if rules is not None else ()
        held = [
            one for one in self._valued_alike(claim.subject, claim.value) if one.relation in akin
        ]
        if not held:
            return [claim]
        found = [replace(claim, relation=one.relation, kind=one.kind) for one in held]
        if self._held(claim.subject, claim.relation, claim.kind, claim.value):
            return [claim, *found]
        self._moved[claim.relation] = held[-1].relation
        return found

    def _one_less(self, claim: Claim) -> str | None:
        """What is left of those that were counted: "three hens", of which one died."""
        for one in self._slot(claim.subject, claim.relation, claim.kind):
            counted = one.status == "active" and one.holds
            if counted and self._reader.recounts(one.value, claim.value):
                return self._reader.one_less(one.value)
        return None

    def _of_any(self, claim: Claim) -> list[Claim]:
        """A change of an unnamed relation: "I've switched from law to history"."""
        wrong = claim.instead_of if claim.holds else claim.value
        found = self._restated(claim) if claim.holds else []
        for one in self._valued_alike(claim.subject, wrong or "", of_things=claim.holds):
            rules = self._reader.rules(one.relation)
            if rules is None or rules.fixed or rules.opposite:
                continue
            if one.relation in LASTING and not claim.holds:
                continue
            said = replace(claim, subject=one.subject, relation=one.relation, kind=one.kind)
            if claim.holds:
                right = self._reader.put_right(one.value, wrong, claim.value) or claim.value
                said = replace(said, value=right, instead_of=None)
            if claim.holds and not (self._is_plausible(said) or _alike(one.value, claim.value)):
                continue
            if not (claim.holds and rules.one):
                found.append(replace(said, value=one.value, holds=False, ended=True))
            if claim.holds:
                found.append(said)
        return found

    def _restated(self, claim: Claim) -> list[Claim]:
        """Statements of no relation with the new value: "I code in Rust" of "I code in Python"."""
        found: list[Claim] = []
        for one in claim_rows.of_relation(self._connection, self._origin.user, STATEMENT):
            if one.status != "active" or not claim.instead_of or one.kind:
                continue
            text = self._reader.put_right(one.value, claim.instead_of, claim.value)
            if text is not None and text != one.value and claim.subject == USER:
                found.append(replace(one.claim, holds=False, ended=True))
                found.append(replace(one.claim, value=text, text=text))
        return found

    def _valued_alike(
        self, subject: Path, value: str, *, of_things: bool = False
    ) -> list[KnownClaim]:
        """What is believed of a subject that has this value, whatever the relation; ``of_things``:
        of what belongs to it too."""
        return [
            one
            for one in claim_rows.under(self._connection, self._origin.user, subject)
            if (of_things or one.subject == subject)
            and one.status == "active"
            and one.holds
            and one.value
            and one.relation != STATEMENT
            and self._reader.same_value(one.relation, one.value, value)
        ]

    def _referents_of(self, claim: Claim, known: Subjects) -> list[Referent]:
        """What a claim talks about: its subject, and the subject that its value is."""
        found = [Referent(claim.subject, claim.relation, claim.kind, claim.value)]
        if claim.relation not in {"pet", "relative"} or not claim.value:
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
            slot = self._slot(claim.subject, claim.relation, claim.kind)
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
        if self._held(wrong, claim.relation, claim.kind, claim.value):
            self._apply(
                replace(claim, subject=wrong, holds=not claim.holds, corrects=True, instead_of=None)
            )

    def _held(self, subject: Path, relation: str, kind: str, value: str) -> bool:
        """Whether memory believes a claim."""
        return any(
            one.status == "active"
            and one.holds
            and self._reader.same_value(relation, one.value, value)
            for one in self._slot(subject, relation, kind)
        )

    def completed(self, fragment: Fragment, referents: Sequence[Referent]) -> tuple[Claim, ...]:
        """The claims that a bare value or subject makes of what was talked about; empty: it fits
        nothing."""
        if fragment.subject is not None:
            return self._of_another(fragment, fragment.subject, referents)
        claim = self._only_wrong(fragment, referents)
        if claim is None and fragment.value:
            claim = self._named_wrong(fragment, referents) or self._valued(fragment, referents)
        if claim is None and fragment.value:
            return self._of_another_name(fragment, referents)
        return () if claim is None else (claim, *self._beside(claim))

    def _named_wrong(self, fragment: Fragment, referents: Sequence[Referent]) -> Claim | None:
        """ "Not warfarin, it's apixaban": memory holds the wrong value, so the right one is of the
        same relation, though the reader may not know it."""
        instead = fragment.instead_of
        for one in referents if instead else ():
            if one.relation == STATEMENT or not _alike(fragment.value, instead or ""):
                continue
            for held in self._slot(one.subject, one.relation, one.kind):
                is_held = held.status == "active" and held.holds
                if is_held and held.value.lower() == (instead or "").lower():
                    return replace(
                        held.claim,
                        value=fragment.value,
                        corrects=True,
                        instead_of=held.value,
                        text=fragment.text,
                    )
        return None

    def _of_another_name(
        self, fragment: Fragment, referents: Sequence[Referent]
    ) -> tuple[Claim, ...]:
        """ "Bella has a vet appointment", "Not Bella, Bruno"."""
        known = self.subjects(referents)
        wrong = (fragment.instead_of or "").lower()
        meant = subjects.resolve((fragment.value.lower(),), known, self._reader.refers)
        if not wrong or meant is None or isinstance(meant, Ambiguous):
            return ()
        of_wrong = [
            one
            for one in referents
            if one.relation != NAME
            and wrong in {plain(one.subject)[-1], known.names.get(one.subject, "").lower()}
        ]
        return self._of_another(fragment, meant, of_wrong[:1])

    def _beside(self, claim: Claim) -> list[Claim]:
        """The statement kept beside a claim for a time in it, with the right value: "I drive to
        Antwerp on Mondays"."""
        found: list[Claim] = []
        if claim.relation == STATEMENT or not claim.holds:
            return found
        kept = claim_rows.of_relation(self._connection, self._origin.user, STATEMENT)
        for wrong in self._slot(claim.subject, claim.relation, claim.kind):
            if wrong.status != "active" or not wrong.value or wrong.message_id is None:
                continue
            if claim.instead_of not in {None, wrong.value}:
                continue
            for one in kept:
                if one.status != "active" or one.message_id != wrong.message_id or not one.kind:
                    continue
                right = self._reader.put_right(one.value, wrong.value, claim.value)
                if right is not None:
                    said = replace(one.claim, value=right, corrects=True, instead_of=one.value)
                    found.append(replace(said, text=claim.text))
        return found

    def _only_wrong(self, fragment: Fragment, referents: Sequence[Referent]) -> Claim | None:
        """ "No, not milk": what was said last of it is denied."""
        if not fragment.instead_of:
            return None
        wrong = f"{fragment.instead_of} {fragment.value}"  # "not peanut butter"
        for one in referents:
            for held in self._slot(one.subject, one.relation, one.kind):
                if held.status != "active" or not held.holds or one.relation == STATEMENT:
                    continue
                named = held.value.lower() == wrong.lower()
                if not fragment.value:
                    named = self._reader.same_value(one.relation, held.value, fragment.instead_of)
                if named:
                    return replace(held.claim, holds=False, corrects=True, text=fragment.text)
        return None

    def _of_another(
        self, fragment: Fragment, subject: Path, referents: Sequence[Referent]
    ) -> tuple[Claim, ...]:
        """ "Not my sister, my cousin": what was said last of the sister is said of the cousin."""
        wrong = fragment.instead_of_subject
        for one in referents:
            person = not self._reader.refers("it", (*USER, one.value.lower()))
            if one.subject == USER and wrong is None and (person or not fragment.points):
                continue  # "I live with my mother. No, my aunt."
            if wrong is not None and plain(one.subject) != wrong:
                continue
            if subject in {one.subject, plain(one.subject)}:
                continue
            if not self._held(one.subject, one.relation, one.kind, one.value):
                continue
            return (
                Claim(
                    subject,
                    one.relation,
                    one.value,
                    one.kind,
                    corrects=True,
                    instead_of_subject=one.subject,
                    text=fragment.text,
                ),
            )
        return ()

    def _valued(self, fragment: Fragment, referents: Sequence[Referent]) -> Claim | None:
        for one in referents:
            claim = self._with_value(one, fragment) if self._may_be_of(fragment, one) else None
            if claim is None:
                continue
            if one.relation == STATEMENT:
                if claim.value != fragment.value:
                    return claim
                continue
            if self._is_plausible(claim):
                return self._better(claim, one, fragment, referents)
            if fragment.sure and one is referents[0] and _alike(claim.value, one.value):
                return claim  # a medicine that the reader does not know
        return None

    def _with_value(self, one: Referent, fragment: Fragment) -> Claim | None:
        """What was talked about with a bare value put into it; None: it has no such wrong value."""
        rules = self._reader.rules(one.relation)
        if rules is None:
            return None
        instead = wrong = fragment.instead_of
        value: str | None = fragment.value
        known = self._slot(one.subject, one.relation, one.kind)
        denied = [k.value for k in known if k.status == "active" and not k.holds]
        if one.value and one.value in denied:  # "I don't like coffee", "I meant tea"
            if not fragment.sure:
                return None  # "I don't have a dog", "no, a cat"
            return Claim(
                one.subject,
                one.relation,
                fragment.value,
                one.kind,
                holds=False,
                corrects=True,
                instead_of=one.value,
                text=fragment.text,
            )

        def put_right(value: str) -> str | None:
            return self._reader.put_right(value, instead, fragment.value)

        if instead is None:
            value = put_right(one.value)
        else:
            held = [k.value for k in known if k.status == "active" and k.holds]
            same = [k for k in held if self._reader.same_value(one.relation, k, instead)]
            if same and same[0].lower() != instead.lower():
                value = put_right(same[0]) or value  # "Professor Lindgren" of "Lindgren"
            if not same:
                wrong = next((k for k in held if put_right(k) is not None), None)
                value = None if wrong is None else put_right(wrong)
        if value is None:
            return None
        if wrong is None and (one.relation == STATEMENT or not rules.one):
            wrong = one.value
        return Claim(
            one.subject,
            one.relation,
            value,
            one.kind,
            corrects=True,
            instead_of=wrong,
            text=fragment.text,
        )

    def _better(
        self, claim: Claim, of: Referent, fragment: Fragment, referents: Sequence[Referent]
    ) -> Claim:
        """Of what was said of one subject in one breath that which the value looks like: "it's
        biochemistry" is no school after "I study biology at Leeds"."""
        value = fragment.value
        if fragment.instead_of or not value[:1].isalpha() or not of.value[:1].isalpha():
            return claim
        after = referents[referents.index(of) + 1 :][:2]
        if value[0].isupper() == of.value[0].isupper():
            return claim
        for one in after:
            alike = one.value[:1].isalpha() and value[0].isupper() == one.value[0].isupper()
            if one.subject == of.subject and one.relation != STATEMENT and alike:
                rules = self._reader.rules(one.relation)
                instead = None if rules is None or rules.one else one.value
                other = replace(
                    claim, relation=one.relation, kind=one.kind, value=value, instead_of=instead
                )
                return other if self._is_plausible(other) else claim
        return claim

    def _may_be_of(self, fragment: Fragment, one: Referent) -> bool:
        """Whether a bare value may be one of what was talked about."""
        said = fragment.pronoun
        if said == "i" and one.subject != USER:
            return False
        if said in {"he", "she"} and not self._reader.refers(said, one.subject):
            return False
        if said == "it" and one.relation == JOB:
            return False
        return self._reader.same_sort(one.value, fragment.value)

    def _is_plausible(self, claim: Claim) -> bool:
        """Whether the value can be one of the relation: its sentence reads as the same claim."""
        sentence = self._reader.fact(replace(claim, subject=plain(claim.subject)), {})
        return any(
            one.relation == claim.relation
            and self._reader.same_value(claim.relation, one.value, claim.value)
            for one in self._reader.read_fact(sentence)
        )

    # ---- what it does

    def _slot(self, subject: Path, relation: str, kind: str) -> list[KnownClaim]:
        return claim_rows.of_slot(self._connection, self._origin.user, subject, relation, kind)

    def _apply(self, claim: Claim) -> None:
        origin, rules = self._origin, self._reader.rules(claim.relation)
        if rules is None:
            return
        if claim.planned:  # a plan changes nothing yet
            claim = replace(claim, kind=PLANNED)
        if tombstones.covers(
            self._connection, origin.user, tombstones.of_claim(claim), origin.said_at
        ):
            self._drop_words(forgotten=True)
            return
        if claim.relation == NAME and claim.holds:
            self._join(claim)
        slot = self._slot(claim.subject, claim.relation, claim.kind)
        done = self._decide(claim, slot, rules)
        for retirement in (*done.retired, *self._come_true(claim)):
            self._retire(retirement)
        self._end_wrong_denial(claim, slot)
        if done.insert != "active" and done.same is None:
            self._drop_words(forgotten=False)
        if done.same is not None:
            self._confirm(done.same)
        if done.insert is not None:
            key = next((one.known.entry_id for one in done.retired), None) if rules.one else None
            new = self._insert(claim, rules, past=done.insert == "past", key_of=key)
            if claim.relation == NAME and done.insert == "active" and done.retired:
                self._rename(claim, [one.known.value for one in done.retired])
            for retirement in done.retired:
                if done.insert == "active":
                    entries.change(self._connection, retirement.known.entry_id, replaced_by=new)
        self._effects(claim)

    def _end_wrong_denial(self, claim: Claim, slot: Sequence[KnownClaim]) -> None:
        """ "I don't like coffee", "I meant tea": nothing is said of coffee any more."""
        for one in slot if claim.corrects and not claim.holds else ():
            if one.status == "active" and not one.holds and one.value == claim.instead_of:
                self._retire(Retirement(one, "corrected"))

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
            for one in self._slot(claim.subject, claim.relation, PLANNED)
            if one.status == "active"
            and one.said_at <= self._origin.said_at
            and self._reader.same_value(one.relation, one.value, claim.value)
        ]

    def _join(self, claim: Claim) -> None:
        """ "Hanna is my sister": what was known of Hanna is known of the sister."""
        bare: Path = (claim.value.lower(),)
        if len(claim.subject) > 1 and claim.subject != bare:
            claim_rows.rename(self._connection, self._origin.user, bare, claim.subject)

    def _rename(self, claim: Claim, wrong: Sequence[str]) -> None:
        """Put the right name into the sentences about a subject that have the wrong one."""
        for known in claim_rows.under(self._connection, self._origin.user, claim.subject):
            held = known.status == "active" and not known.relation == NAME == claim.relation
            if not held or not any(name in known.content for name in wrong):
                continue
            said = replace(known.claim, subject=known.subject)
            self._reword(known, said, self.sentence(said))

    def _reword(self, known: KnownClaim, said: Claim, content: str) -> None:
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
                claims=(said,),
                reader=known.reader,
            )
            new_id = entries.insert(self._connection, version)
        entries.change(self._connection, known.entry_id, replaced_by=new_id)

    def _telling(self, message_id: int | None, content: str) -> int | None:
        """The active entry that has this content from a message."""
        if message_id is None:
            return None
        return claim_rows.telling(self._connection, self._origin.user, message_id, content)

    def _note(self, entry_id: int, claim: Claim, reader: Reader) -> None:
        claim_rows.insert(self._connection, entry_id, self._origin.user, (claim,), reader)

    def _confirm(self, known: KnownClaim) -> None:
        """What is said again counts as said now; what the user asks to be kept is theirs."""
        self.outcome.same.append(known.entry_id)
        origin = self._origin
        if known.doubted:
            sure = claim_rows.CONFIDENCE[origin.reader]
            claim_rows.set_confidence(self._connection, known.entry_id, sure)
        if known.status != "active" or origin.said_at < known.said_at:
            return
        values: dict[str, object] = {"said_at": origin.said_at}
        if known.source == "system" and origin.source != "system":
            values |= {"source": origin.source, "importance": origin.importance}
        entries.change(self._connection, known.entry_id, **values)

    def _retire(self, retirement: Retirement) -> None:
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
        self.outcome.retired.append(known.entry_id)
        if known.relation != STATEMENT and known.message_id is not None:
            self._retire_words(known, retirement)

    def _drop_words(self, *, forgotten: bool) -> None:
        """Drop the statement that was kept of words which the model has read since, where what it
        read in them was put right, or is forgotten, since they were said."""
        origin = self._origin
        if origin.reader != "model" or origin.message_id is None:
            return
        made = claim_rows.made_by(self._connection, origin.user, origin.message_id)
        for one in claim_rows.of_entries(self._connection, origin.user, made):
            if one.relation != STATEMENT or one.status != "active":
                continue
            if forgotten:
                entries.delete_row(self._connection, one.entry_id)
            else:
                self._retire(Retirement(one, "superseded"))

    def _retire_words(self, known: KnownClaim, retirement: Retirement) -> None:
        """Let the statement that was kept beside a claim share its fate."""
        for one in claim_rows.of_relation(self._connection, self._origin.user, STATEMENT):
            beside = one.message_id == known.message_id and one.kind != ""
            if beside and one.status == "active":
                self._retire(replace(retirement, known=one))

    def _insert(self, claim: Claim, rules: RelationRules, *, past: bool, key_of: int | None) -> int:
        origin = self._origin
        stored = replace(claim, holds=True, ended=True) if past else claim
        corrects = claim.corrects and not past
        session_id = None
        if origin.message_id is not None:
            row = run(self._connection, SAID_IN, message_id=origin.message_id).first()
            session_id = None if row is None else row.session_id
        content = self.sentence(stored)
        told = None if past else self._telling(origin.message_id, content)
        if told is not None:  # "she has retired": she has no job and no employer
            self._note(told, claim, origin.reader)
            return told
        wanted = entries.key_of_entry(self._connection, key_of) if key_of is not None else None
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
        self.outcome.stored.append(new_id)
        return new_id

    def sentence(self, claim: Claim) -> str:
        """A claim in the third person, with the names of its subjects."""
        named = claim_rows.of_relation(self._connection, self._origin.user, NAME)
        names = {one.subject: one.value for one in named if one.status == "active" and one.holds}
        return sentence_of(self._reader, claim, names)

    # ---- what follows from it

    def _overtake(self, claim: Claim) -> None:
        """Make past what is no longer so by the words of a claim, where one of the two is of no
        relation."""
        known = claim_rows.latest(self._connection, self._origin.user, MOST_OVERTAKEN)
        made = {*self.outcome.stored, *self.outcome.same}
        for one in known:
            older = one.holds and one.said_at <= self._origin.said_at and one.entry_id not in made
            # What relations say of each other is decided by their values.
            free = STATEMENT in {claim.relation, one.relation}
            if claim.relation == STATEMENT and claim.kind:
                free = one.relation == STATEMENT  # its relation is decided already
            if older and free and self._reader.overtakes(claim, one.content):
                reason: Literal["corrected", "superseded"] = (
                    "corrected" if claim.corrects else "superseded"
                )
                self._retire(Retirement(one, reason))
                for new in self.outcome.stored[-1:]:
                    entries.change(self._connection, one.entry_id, replaced_by=new)

    def _effects(self, claim: Claim) -> None:
        """What ends with a subject: the dog that died is no pet any more, the car that was sold has
        no colour to ask for."""
        if claim.past or claim.planned:
            return
        over = claim.ended or not claim.holds or claim.moves
        stated = claim.relation == STATEMENT
        if stated or over or claim.corrects:
            self._overtake(claim)
        if stated:
            return
        if claim.relation == "kind" and claim.corrects and claim.instead_of is not None:
            self._put_pet_right(claim, claim.instead_of)
        rules = self._reader.rules(claim.relation)
        if rules is not None and claim.holds:
            self._exclude(claim, rules)
        if claim.relation in DEPARTED and claim.holds:
            self._depart(claim)
        if claim.relation == LENT and claim.ended:
            self._bring_back(claim)
        if claim.relation in HOLDERS and (claim.ended or not claim.holds):
            parts = self._parts(claim)
            for part in parts:
                self._end_all(part)
            if claim.relation == PARTNER and (parts or not claim.value):
                self._end_partners(claim)

    def _bring_back(self, claim: Claim) -> None:
        """What was lent is no longer where it was lent to."""
        for known in self._slot(claim.subject, "location", ""):
            if known.status == "active":
                self._retire(Retirement(known, "superseded"))

    def _depart(self, claim: Claim) -> None:
        """Who has died or gone is nobody's any more."""
        if claim.relation == DEAD:
            self._end_life(claim.subject)
        if len(claim.subject) > 1:
            self._end_holding(claim.subject)

    def _put_pet_right(self, claim: Claim, wrong: str) -> None:
        """Whose Toby is a basset has no beagle."""
        for known in self._slot(claim.subject[:-1], "pet", ""):
            if known.status == "active" and known.value.lower() == wrong.lower():
                right = replace(known.claim, value=claim.value, corrects=True, instead_of=wrong)
                self._apply(replace(right, text=claim.text))
        if plain(claim.subject)[-1] == wrong.lower():
            moved = (*claim.subject[:-1], claim.value.lower())
            claim_rows.rename(self._connection, self._origin.user, claim.subject, moved)
            self._rename(replace(claim, subject=moved), [wrong])

    def _end_partners(self, claim: Claim) -> None:
        """Whoever is single has no boyfriend, of whom was told as a relative."""
        rules = self._reader.rules(PARTNER)
        for known in self._slot(claim.subject, "relative", ""):
            if (
                known.status == "active"
                and known.holds
                and known.said_at <= self._origin.said_at
                and rules is not None
                and known.value.lower().split()[-1:] in [[noun] for noun in rules.entities]
            ):
                self._retire(Retirement(known, "superseded"))

    def _exclude(self, claim: Claim, rules: RelationRules) -> None:
        """Whoever hates olives does not like them, and whoever has a partner is single no more."""
        partner = self._reader.rules(PARTNER)
        if claim.relation == "relative" and partner is not None:
            if claim.value.lower() not in partner.entities:
                return
            rules = partner
            for known in self._slot(claim.subject, PARTNER, ""):
                if known.status == "active" and not known.holds:
                    self._retire(Retirement(known, "superseded"))
        if rules.opposite:
            self._end_opposite(claim, rules.opposite)
        for relation, value in rules.undoes:
            for known in self._slot(claim.subject, relation, ""):
                older = known.said_at < self._origin.said_at
                if known.status == "active" and known.holds and known.value == value and older:
                    self._retire(Retirement(known, "superseded"))

    def _end_opposite(self, claim: Claim, relation: str) -> None:
        """Whoever hates olives does not like them any more."""
        for known in self._slot(claim.subject, relation, claim.kind):
            if (
                known.status == "active"
                and known.holds
                and known.said_at <= self._origin.said_at
                and self._reader.same_value(relation, known.value, claim.value)
            ):
                self._retire(Retirement(known, "corrected" if claim.corrects else "superseded"))

    def _end_life(self, subject: Path) -> None:
        """Of somebody who has died only stays what never changes."""
        own = claim_rows.under(self._connection, self._origin.user, subject)
        for known in own:
            if known.relation == NAME and known.subject == subject and known.status == "active":
                said = replace(known.claim, subject=known.subject)
                self._reword(known, said, self.sentence(replace(said, past=True)))
            rules = self._reader.rules(known.relation)
            lasting = known.relation in {DEAD, NAME, "kind"} or (rules is not None and rules.fixed)
            if (
                known.subject == subject
                and known.status == "active"
                and not lasting
                and known.said_at <= self._origin.said_at
            ):
                self._retire(Retirement(known, "superseded"))

    def _end_holding(self, subject: Path) -> None:
        owner, noun = subject[:-1], plain(subject)[-1]
        for relation in ("pet",):
            for known in self._slot(owner, relation, ""):
                if (
                    known.status == "active"
                    and known.holds
                    and self._reader.same_value(relation, known.value, noun)
                    and known.said_at <= self._origin.said_at
                ):
                    self._retire(Retirement(known, "superseded"))
                    left = self._reader.one_less(known.value)
                    if left is not None:
                        self._apply(replace(known.claim, value=left, holds=True, ended=False))

    def _parts(self, claim: Claim) -> list[Path]:
        """The subjects that a value stands for: of the partner Mia the girlfriend of that name."""
        rules = self._reader.rules(claim.relation)
        nouns = {claim.relation, *(rules.entities if rules else ())}
        if claim.value:
            nouns.add(claim.value.lower().split()[-1])
        known = known_subjects(self._connection, self._origin.user)
        length = len(claim.subject) + 1
        return [
            one
            for one in known
            if len(one) == length
            and one[:-1] == claim.subject
            and plain(one)[-1] in nouns
            and self._is_meant(one, claim.value)
        ]

    def _is_meant(self, subject: Path, value: str) -> bool:
        """Whether a value names a subject, by its noun, name or kind."""
        if not value or plain(subject)[-1] in value.lower().split():
            return True
        own = claim_rows.under(self._connection, self._origin.user, subject)
        described = [
            one
            for one in own
            if one.subject == subject and one.relation in {NAME, "kind"} and one.status == "active"
        ]
        return any(self._reader.same_value(NAME, one.value, value) for one in described)

    def _end_all(self, subject: Path) -> None:
        for known in claim_rows.under(self._connection, self._origin.user, subject):
            if known.status == "active" and known.said_at <= self._origin.said_at:
                self._retire(Retirement(known, "superseded"))


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


def _own(referents: Sequence[Referent]) -> list[Referent]:
    """Those of the user and of what they have: "mine" is not my brother's."""
    return [one for one in referents if one.subject[:1] == USER and len(one.subject) <= 2]


def _alike(value: str, other: str) -> bool:
    """Whether two values look alike: as many words, and no number."""
    return len(value.split()) == len(other.split()) and (value + other).replace(" ", "").isalpha()


SAID_IN = select(conversation_log.c.session_id).where(
    conversation_log.c.id == bindparam("message_id")
)


def known_subjects(connection: Connection, user: str) -> frozenset[Path]:
    """Everybody and everything that something is claimed of."""
    found = run(connection, claim_rows.SUBJECTS, user=user).scalars()
    return frozenset(map(claim_rows.path_of, found))


def recent(referents: Iterable[Referent]) -> list[Path]:
    """Who was talked about, latest first."""
    return list(dict.fromkeys(one.subject for one in referents if one.subject != USER))


def key_for(claim: Claim, rules: RelationRules) -> str:
    """The key of an entry that makes a claim: ``user_home``, ``user_sister_name``."""
    named = [*claim.subject, claim.relation, claim.kind]
    if not rules.one:
        named.append(claim.value)
    return entries.key_of_words(" ".join(named))


def sentence_of(reader: ClaimReader, claim: Claim, names: dict[Path, str]) -> str:
    """A claim in the third person; of several sisters the name tells which."""
    shown = {
        plain(path): name
        for path, name in names.items()
        if claim.subject[: len(path)] == path
        and not (path == claim.subject and claim.relation == NAME)
    }
    return reader.fact(replace(claim, subject=plain(claim.subject)), shown)


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
    said_at: float,
    now: float,
    referents: Sequence[Referent],
) -> Outcome:
    """Let the claims of an utterance change memory, in the transaction that logs it."""
    if not (heard.claims or heard.fragments or heard.refutes):
        return Outcome(referents=list(referents))
    origin = Origin(conversation_key.user, conversation_key.conversation, said_at, now, message_id)
    known = referents or last_referents(connection, conversation_key)
    outcome = Assertion(connection, reader, origin).hear(heard, known)
    # A statement of no relation that puts nothing right does not say what is right either.
    told_anew = any(one.relation != STATEMENT for one in heard.claims) or heard.fragments
    says_right = outcome.retired or outcome.same or (outcome.stored and told_anew)
    if (heard.refutes and not says_right) or outcome.refuted:
        conversation = conversation_key.conversation
        told = claim_rows.told_before(connection, origin.user, conversation, message_id)
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
    origin = Origin(conversation_key.user, conversation_key.conversation, 0.0, 0.0)
    known = referents or last_referents(connection, conversation_key)
    asserting = Assertion(connection, reader, origin)
    return all(
        asserting.completed(fragment, known) or fragment.otherwise for fragment in heard.fragments
    )
