"""What the English reader of statements makes of everyday sentences."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from lobug.language.claims import Claim, Fragment, Heard
from lobug.language.en.claims import reader

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
    if claim.time:
        marks.append(f"time {'; '.join(claim.time)}")
    text = f"{'/'.join(claim.subject)} {relation}: {claim.value}".strip()
    return f"{text} [{', '.join(marks)}]" if marks else text


def value(fragment: Fragment) -> str:
    wrong = f" [instead of {fragment.instead_of}]" if fragment.instead_of is not None else ""
    return f"? {fragment.value}{wrong}"


def written(heard: Heard) -> list[str]:
    return [*map(said, heard.claims), *map(value, heard.fragments)]


def cases() -> Iterator[tuple[str, list[str]]]:
    for sentences in SENTENCES.values():
        yield from sentences.items()


@pytest.mark.parametrize(("sentence", "claims"), list(cases()))
def test_the_claims_of_a_sentence(sentence: str, claims: list[str]) -> None:
    assert written(reader.read(sentence)) == claims
