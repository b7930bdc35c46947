"""A fact that is put into words is read back as the claim that it was made from."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lobug.language.claims import USER, Claim, Path
from lobug.language.en.claims.facts import fact
from lobug.language.en.claims.reader import read_fact
from lobug.language.en.claims.wording import wording_book
from lobug.language.en.words import stems, words
from support.claims import DATA

PINNED = tomllib.loads((DATA / "claim_sentences.toml").read_text(encoding="utf-8"))
SISTER: Path = ("user", "sister")
NAMES: dict[Path, str] = {SISTER: "Hanna"}
SURELY = frozenset(
    """name surname age birthday origin home employer job marital_status partner pet allergy diet
    smoking favourite like car language illness medicine""".split()
)
"""What makes a person: each of these comes back in every form that memory stores."""
LEAST_NOW, LEAST_OF_ALL = 0.95, 0.85
"""Shares of the claims that come back: those that hold now, and those of all kinds."""


def claims() -> Iterator[Claim]:
    for relation in sorted(PINNED):
        row = PINNED[relation]
        subject = tuple(row.get("subject", "user").split())
        claim = Claim(subject, relation, row["value"], kind=row.get("kind", ""))
        yield claim
        if subject == USER:
            yield replace(claim, subject=SISTER)


def forms(claim: Claim) -> Iterator[Claim]:
    yield claim
    yield replace(claim, holds=False)
    yield replace(claim, holds=False, ended=True)
    yield replace(claim, planned=True)


def comes_back(claim: Claim) -> bool:
    return any(
        (back.subject, back.relation, back.holds, back.ended, back.past, back.planned)
        == (claim.subject, claim.relation, claim.holds, claim.ended, claim.past, claim.planned)
        and stems(words(back.value)) == stems(words(claim.value))
        for back in read_fact(fact(claim, NAMES))
    )


@pytest.mark.parametrize("relation", sorted(SURELY))
def test_what_makes_a_person_comes_back(relation: str) -> None:
    lasting = wording_book().wordings[relation].lasting
    for claim in claims():
        if claim.relation == relation:
            for form in forms(claim):
                # What cannot be over is denied instead.
                assert comes_back(form) or (lasting and form.ended), fact(form, NAMES)


def test_nearly_all_that_holds_comes_back() -> None:
    every = list(claims())
    assert sum(map(comes_back, every)) >= LEAST_NOW * len(every)


def test_most_of_all_claims_come_back() -> None:
    every = [form for claim in claims() for form in forms(claim)]
    assert sum(map(comes_back, every)) >= LEAST_OF_ALL * len(every)
