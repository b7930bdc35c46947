"""Claims in words: each relation's facts and answers, pinned after they were read by eye."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lobug.language.claims import STATEMENT, USER, Asked, Claim
from lobug.language.claims import Path as SubjectPath
from lobug.language.en.claims.answers import answer
from lobug.language.en.claims.facts import fact
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.wording import wording_book

PINNED: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "claim_sentences.toml").read_text(encoding="utf-8")
)
SISTER, PARENTS, HANNA = ("user", "sister"), ("user", "parents"), ("hanna",)
NAMES: dict[SubjectPath, str] = {SISTER: "Hanna", HANNA: "Hanna"}
OF_OTHER_SUBJECTS = {"kept": "location", "appointment": "takes_place"}
"""Relations of questions only: their claims are of the other relation."""


def claim_of(relation: str) -> Claim:
    row = PINNED[relation]
    subject = tuple(row.get("subject", "user").split())
    return Claim(subject, relation, row["value"], kind=row.get("kind", ""))


def asked(
    claim: Claim,
    value: str | None,
    *active: Claim,
    past: tuple[tuple[Claim, str], ...] = (),
    before: bool = False,
) -> str:
    question = Asked(claim.subject, claim.relation, claim.kind, value, before)
    return answer(question, active, past, NAMES)


def sentences(claim: Claim) -> dict[str, str]:
    """All sentences of a claim, by their names in the file."""
    planned = replace(claim, planned=True)
    empty = replace(claim, value="")
    denied = replace(claim, holds=False)
    return {
        "fact": fact(claim, NAMES),
        "sister": fact(replace(claim, subject=SISTER), NAMES),
        "parents": fact(replace(denied, subject=PARENTS), NAMES),
        "hanna": fact(replace(claim, subject=HANNA, past=True), NAMES),
        "past": fact(replace(claim, past=True), NAMES),
        "denied": fact(denied, NAMES),
        "ended": fact(replace(denied, ended=True), NAMES),
        "planned": fact(replace(planned, time=("in June",)), NAMES),
        "said": asked(claim, None, claim),
        "yes": asked(claim, claim.value, claim),
        "no": asked(claim, claim.value, denied),
        "over": asked(claim, claim.value, past=((claim, "in May"),)),
        "was": asked(claim, None, past=((claim, ""),), before=True),
        "soon": asked(claim, claim.value, planned),
        "unknown": asked(claim, None),
        "unsure": asked(claim, claim.value),
        "before": asked(claim, None, before=True),
        "any": asked(claim, "", empty),
        "none": asked(claim, "", replace(empty, holds=False)),
    }


@pytest.mark.parametrize("relation", PINNED)
def test_a_relation_is_put_into_right_english(relation: str) -> None:
    claim = claim_of(relation)
    made = sentences(claim)
    pinned = {key: text for key, text in PINNED[relation].items() if key in made}
    assert {key: made[key] for key in pinned} == pinned


def test_every_relation_is_pinned() -> None:
    relations = {relation.id for relation in relation_book().relations} - set(OF_OTHER_SUBJECTS)
    assert relations - {STATEMENT} == set(PINNED)


def test_every_relation_has_words() -> None:
    assert set(wording_book().wordings) == {relation.id for relation in relation_book().relations}


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (Claim(USER, "home", "farm"), "The user lives on a farm"),
        (Claim(USER, "home", "village near Bath"), "The user lives in a village near Bath"),
        (Claim(USER, "home", "london"), "The user lives in london"),
        (Claim(USER, "home", "12 Baker Street"), "The user lives at 12 Baker Street"),
        (Claim(USER, "home", "Ely", time=("since 2019",)), "The user has lived in Ely since 2019"),
        (Claim(USER, "home", "Bari", time=("since last week",)), "The user lives in Bari"),
        (Claim(USER, "home", "Ely", past=True, time=("in 2010",)), "The user lived in Ely in 2010"),
        (Claim(USER, "employer", "hospital"), "The user works at a hospital"),
        (Claim(USER, "job", "English teacher"), "The user works as an English teacher"),
        (Claim(USER, "job", "engineer at Bosch"), "The user works as an engineer at Bosch"),
        (Claim(USER, "job", "university lecturer"), "The user works as a university lecturer"),
        (Claim(USER, "pet", "two cats"), "The user has two cats"),
        (Claim(USER, "pet", "Irish setter"), "The user has an Irish setter"),
        (Claim(USER, "age", "six months"), "The user is six months old"),
        (Claim(USER, "diet", "kosher"), "The user eats kosher"),
        (Claim(USER, "diet", "keto diet"), "The user is on a keto diet"),
        (Claim(USER, "illness", "broken leg"), "The user has a broken leg"),
        (Claim(USER, "illness", "diabetic"), "The user is diabetic"),
        (Claim(USER, "alcohol", "teetotal"), "The user is teetotal"),
        (Claim(USER, "sport", "yoga"), "The user does yoga"),
        (Claim(USER, "dream", "house by the sea"), "The user's dream is a house by the sea"),
        (Claim(USER, "birthday", "June"), "The user's birthday is in June"),
        (Claim(USER, "like", "my garden"), "The user likes the user's garden"),
        (Claim(USER, "like", "dog", text="I love my dog"), "The user likes the user's dog"),
        (Claim(USER, "employer", "bank", text="I work at the bank"), "The user works at the bank"),
        (Claim(USER, "school", "Leeds"), "The user studies at Leeds"),
        (
            Claim(USER, "home", "station", text="I live near the station"),
            "The user lives near the station",
        ),
        (Claim(USER, "origin", "small village"), "The user comes from a small village"),
        (Claim(USER, "illness", "hay fever"), "The user has hay fever"),
        (Claim(USER, "job", "retired teacher"), "The user is a retired teacher"),
        (Claim(USER, "retired", "fired"), "The user has been fired"),
        (Claim(USER, "partner", "nurse"), "The user is together with a nurse"),
        (Claim(USER, "learning", "cook"), "The user is learning to cook"),
        (Claim(USER, "dream", "sailing to Rome"), "The user's dream is sailing to Rome"),
        (Claim(USER, "employer", "", holds=False, ended=True), "The user has no job"),
        (
            Claim(("user", "drill"), "lent", "", holds=False, ended=True),
            "The user got the user's drill back",
        ),
        (
            Claim(("user", "meeting"), "takes_place", "", holds=False, ended=True),
            "The user's meeting is cancelled",
        ),
        (
            Claim(
                ("user", "flight to rome"),
                "takes_place",
                "noon",
                text="My flight to Rome is at noon",
            ),
            "The user's flight to Rome is at noon",
        ),
        (
            Claim(USER, "home", "Lyon", time=("Since 2019",)),
            "The user has lived in Lyon since 2019",
        ),
        (Claim(USER, "smoking", "smoker"), "The user is a smoker"),
        (Claim(USER, "employer", "", holds=False), "The user has no job"),
        (Claim(USER, "pregnant", "twins"), "The user is expecting twins"),
        (Claim(USER, "siblings_count", "an only child"), "The user is an only child"),
        (Claim(("user", "sister", "dog"), "age", "3"), "The user's sister's dog is 3 years old"),
        (Claim(("user", "parents", "dog"), "age", "3"), "The user's parents' dog is 3 years old"),
        (Claim(("user", "keys"), "location", "drawer"), "The user's keys are in a drawer"),
        (Claim(("keys",), "location", "here", text="the keys are here"), "The keys are here"),
        (Claim(("tom",), "home", "Kent", text="Tom lives in Kent"), "Tom lives in Kent"),
        (Claim(("user", "train"), "takes_place", "noon"), "The user's train is at noon"),
        (Claim(PARENTS, "job", "nurse"), "The user's parents work as nurses"),
        (Claim(PARENTS, "dead", "", holds=False), "The user's parents are alive"),
    ],
)
def test_a_fact_stands_alone(claim: Claim, expected: str) -> None:
    assert fact(claim, {}) == expected
