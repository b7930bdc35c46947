"""What the English reader of statements makes of everyday sentences."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from lobug.language.claims import ANY_RELATION, STATEMENT, Claim, Fragment, Heard
from lobug.language.en.claims import reader
from lobug.language.en.claims.relation_book import relation_book

SENTENCES = tomllib.loads(
    (Path(__file__).parent / "data" / "claims_en.toml").read_text(encoding="utf-8")
)


def said(claim: Claim) -> str:
    """A claim as the data file writes it."""
    relation = f"{claim.relation}/{claim.kind}" if claim.kind else claim.relation
    marks = [
        mark
        for mark, holds in (
            ("not", not claim.holds and not claim.ended),
            ("ended", claim.ended),
            ("past", claim.past),
            ("planned", claim.planned),
            ("corrects", claim.corrects),
            ("beside", claim.appositive),
        )
        if holds
    ]
    if claim.instead_of is not None:
        marks.append(f"instead of {claim.instead_of}")
    if claim.instead_of_subject is not None:
        marks.append(f"not of {'/'.join(claim.instead_of_subject)}")
    if claim.time:
        marks.append(f"time {'; '.join(claim.time)}")
    text = f"{'/'.join(claim.subject)} {relation}: {claim.value}".strip()
    return f"{text} [{', '.join(marks)}]" if marks else text


def value(fragment: Fragment) -> str:
    if fragment.subject is not None:
        not_of = "/".join(fragment.instead_of_subject or ())
        return f"? of {'/'.join(fragment.subject)} [not of {not_of}]"
    wrong = f" [instead of {fragment.instead_of}]" if fragment.instead_of is not None else ""
    return f"? {fragment.value}{wrong}"


def written(heard: Heard) -> list[str]:
    """All but what is kept as it was said, which test_free_statements.py has, and what no relation
    was said of."""
    claims = [one for one in heard.claims if one.relation not in {STATEMENT, ANY_RELATION}]
    return [*map(said, claims), *map(value, heard.fragments)]


def cases() -> Iterator[tuple[str, list[str]]]:
    for sentences in SENTENCES.values():
        yield from sentences.items()


@pytest.mark.parametrize(("sentence", "claims"), list(cases()))
def test_the_claims_of_a_sentence(sentence: str, claims: list[str]) -> None:
    assert written(reader.read(sentence)) == claims


def test_every_relation_has_a_sentence() -> None:
    claimed = {claim.relation for sentence, _ in cases() for claim in reader.read(sentence).claims}
    made = {relation.states for relation in relation_book().relations} | {STATEMENT}
    assert claimed - {ANY_RELATION} == made


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("My older sister lives in Rome.", ("user", "older sister")),
        ("My big sister lives in Rome.", ("user", "older sister")),
        ("My little brother lives in Rome.", ("user", "younger brother")),
        ("My other sister lives in Rome.", ("user", "other sister")),
        ("My mum lives in Rome.", ("user", "mother")),
        ("My sister's husband lives in Rome.", ("user", "sister", "husband")),
        ("Mum lives in Rome.", ("user", "mother")),
        ("Hanna lives in Rome.", ("hanna",)),
        ("She lives in Rome.", ("she",)),
        ("My new boss lives in Rome.", ("user", "boss")),
        ("My best friend lives in Rome.", ("user", "best friend")),
    ],
)
def test_the_path_of_a_subject(sentence: str, subject: tuple[str, ...]) -> None:
    (claim,) = reader.read(sentence).claims
    assert claim.subject == subject
