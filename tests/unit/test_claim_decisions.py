"""What a claim does to what is known: pure, ordered by when things were said."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.claims import USER, Claim, RelationRules
from lobug.memory.claim_rows import KnownClaim
from lobug.memory.claims.decision import Decision, decide
from lobug.memory.claims.subjects import Ambiguous, Subjects, introduced, plain, resolve
from lobug.memory.model import Reason, Source, Status

HOME = RelationRules("home", 0, one=True, fixed=False, fact_type="personal")
ORIGIN = RelationRules("origin", 1, one=True, fixed=True, fact_type="personal")
LIKES = RelationRules("like", 2, one=False, fixed=False, fact_type="preference")


def said(value: str, **changes: object) -> Claim:
    return replace(Claim(USER, "home", value), **changes)  # type: ignore[arg-type]  # fields of Claim


def known(
    value: str,
    at: float = 1.0,
    *,
    entry_id: int = 1,
    holds: bool = True,
    status: Status = "active",
    reason: Reason | None = None,
    source: Source = "system",
    until: float | None = None,
) -> KnownClaim:
    return KnownClaim(
        entry_id, USER, "home", "", value, holds, status, reason, source, "rules",
        f"The user lives in {value}", at, until, until, None,
    )  # fmt: skip


def same(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def done(claim: Claim, at: float, *those: KnownClaim, rules: RelationRules = HOME) -> Decision:
    return decide(claim, at, those, rules, same)


def test_a_new_value_makes_the_old_one_past() -> None:
    decision = done(said("Oxford"), 2.0, known("London"))
    assert decision.insert == "active"
    assert [(one.known.value, one.reason) for one in decision.retired] == [("London", "superseded")]


def test_a_correction_makes_the_old_value_wrong() -> None:
    decision = done(said("Oxford", corrects=True), 2.0, known("London"))
    assert [one.reason for one in decision.retired] == ["corrected"]


def test_what_never_changes_is_corrected_by_any_other_value() -> None:
    decision = done(said("Ghent"), 2.0, known("Bruges"), rules=ORIGIN)
    assert [one.reason for one in decision.retired] == ["corrected"]


def test_the_same_again_stores_nothing() -> None:
    decision = done(said("london"), 2.0, known("London"))
    assert decision.insert is None
    assert decision.same is not None
    assert decision.same.value == "London"


def test_of_many_values_each_stays_unless_it_is_named_as_wrong() -> None:
    assert done(said("tea"), 2.0, known("coffee"), rules=LIKES).retired == ()
    decision = done(said("tea", instead_of="coffee"), 2.0, known("coffee"), rules=LIKES)
    assert [one.known.value for one in decision.retired] == ["coffee"]


def test_an_ending_makes_what_was_so_past_and_adds_nothing() -> None:
    decision = done(said("London", holds=False, ended=True), 2.0, known("London"))
    assert [one.reason for one in decision.retired] == ["superseded"]
    assert decision.insert is None


def test_the_end_of_what_was_never_told_is_kept_as_past() -> None:
    assert done(said("London", holds=False, ended=True), 2.0).insert == "past"


def test_an_end_without_a_value_ends_every_value() -> None:
    decision = done(
        said("", holds=False, ended=True), 2.0, known("tea"), known("coffee", entry_id=2),
        rules=LIKES,
    )  # fmt: skip
    assert len(decision.retired) == 2


def test_a_denial_is_kept_and_a_statement_ends_it() -> None:
    assert done(said("London", holds=False), 2.0, rules=LIKES).insert == "active"
    decision = done(said("London"), 2.0, known("London", holds=False), rules=LIKES)
    assert decision.insert == "active"
    assert [one.known.holds for one in decision.retired] == [False]


@pytest.mark.parametrize(
    ("later", "becomes"),
    [
        (known("Oxford", at=5.0), "past"),
        (known("Oxford", at=5.0, source="correction"), None),
        (known("London", at=1.0, status="past", until=5.0), None),
        (known("London", at=5.0, holds=False), "past"),
        (known("London", at=1.0, status="inactive", reason="corrected", until=5.0), None),
    ],
    ids=["changed", "corrected", "ended", "denied", "taken back"],
)
def test_older_words_never_override_younger_ones(later: KnownClaim, becomes: str | None) -> None:
    decision = done(said("London"), 2.0, later)
    assert decision.insert == becomes
    assert decision.retired == ()


def test_what_was_once_is_past_and_ends_nothing() -> None:
    decision = done(said("Paris", past=True), 2.0, known("London"))
    assert (decision.insert, decision.retired) == ("past", ())


@dataclass
class Beliefs:
    """A memory of one slot that does what is decided."""

    rules: RelationRules
    rows: list[KnownClaim] = field(default_factory=list)

    def hear(self, claim: Claim, at: float, now: float) -> None:
        decision = decide(claim, at, self.rows, self.rules, same)
        for one in decision.retired:
            index = self.rows.index(one.known)
            past = one.reason == "superseded" and one.known.holds
            self.rows[index] = replace(
                one.known,
                status="past" if past else "inactive",
                reason=one.reason,
                valid_until=at if past else None,
                expired_at=now,
            )
        if decision.same is not None and decision.same.status == "active":
            index = self.rows.index(decision.same)
            self.rows[index] = replace(decision.same, said_at=max(decision.same.said_at, at))
        if decision.insert is not None:
            past = decision.insert == "past"
            self.rows.append(
                known(
                    claim.value,
                    at,
                    entry_id=len(self.rows) + 1,
                    holds=claim.holds or past,
                    status="past" if past else "active",
                    source="correction" if claim.corrects else "system",
                    until=at if past else None,
                )
            )

    @property
    def active(self) -> list[KnownClaim]:
        return [one for one in self.rows if one.status == "active"]


claims = st.builds(
    said,
    st.sampled_from(["London", "Oxford", "Rome"]),
    holds=st.booleans(),
    ended=st.booleans(),
    corrects=st.booleans(),
).map(lambda claim: replace(claim, ended=claim.ended and not claim.holds))


@given(st.lists(st.tuples(claims, st.integers(0, 9)), max_size=9), st.booleans())
def test_no_order_of_hearing_leaves_contradictions(
    heard: list[tuple[Claim, int]], one: bool
) -> None:
    beliefs = Beliefs(HOME if one else LIKES)
    for now, (claim, at) in enumerate(heard):
        beliefs.hear(claim, float(at), 10.0 + now)
    yes = [row.value for row in beliefs.active if row.holds]
    no = [row.value for row in beliefs.active if not row.holds]
    assert len(yes) == len(set(yes))
    assert not set(yes) & set(no)
    if one:
        assert len(yes) <= 1


@given(st.lists(claims.filter(lambda claim: claim.holds), min_size=1, max_size=6), st.randoms())
def test_the_value_said_last_is_believed_in_whatever_order_it_is_read(
    heard: list[Claim], random: object
) -> None:
    order = list(enumerate(heard))
    random.shuffle(order)  # type: ignore[attr-defined]  # a random.Random
    beliefs = Beliefs(HOME)
    for now, (at, claim) in enumerate(order):
        beliefs.hear(replace(claim, corrects=False), float(at), 10.0 + now)
    assert [row.value for row in beliefs.active] == [heard[-1].value]


SISTER = ("user", "sister")
KNOWN = Subjects(
    {SISTER: "Hanna", ("user", "brother"): "Tom", ("user", "boss"): "Tom Smith"},
    frozenset({SISTER, ("user", "brother"), ("user", "boss"), ("user", "dog")}),
    recent=[("user", "dog"), SISTER],
)


def refers(pronoun: str, subject: tuple[str, ...]) -> bool:
    return (pronoun == "it") == (subject[-1] == "dog")


def test_a_name_is_whoever_has_it() -> None:
    assert resolve(("hanna", "dog"), KNOWN, refers) == (*SISTER, "dog")
    assert resolve(("mia",), KNOWN, refers) == ("mia",)


def test_a_pronoun_is_who_was_talked_about_last() -> None:
    assert resolve(("she",), KNOWN, refers) == SISTER
    assert resolve(("it",), KNOWN, refers) == ("user", "dog")
    assert resolve(("he",), replace(KNOWN, recent=[]), refers) is None


def test_a_name_of_two_people_is_asked_about() -> None:
    found = resolve(("tom",), KNOWN, refers)
    assert isinstance(found, Ambiguous)
    assert set(found.subjects) == {("user", "brother"), ("user", "boss")}


def test_a_second_sister_is_another_one() -> None:
    claim = Claim(SISTER, "name", "Johanna", appositive=True)
    assert introduced([claim], KNOWN) == {SISTER: ("user", "sister:johanna")}
    assert plain(("user", "sister:johanna")) == SISTER
    again = replace(claim, value="Hanna")
    assert introduced([again], KNOWN) == {SISTER: SISTER}
    assert introduced([replace(claim, appositive=False)], KNOWN) == {}
