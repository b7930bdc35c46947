"""What a later utterance puts right, once a model has said which words stand for which."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from lobug.language.en.claims import revisions
from lobug.language.en.claims.english import CLAIMS

PAIRS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "data" / "revisions_en.toml").read_text(encoding="utf-8")
)["pair"]


def may_revise(text: str) -> bool:
    return revisions.may_revise(text, CLAIMS.read(text))


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["later"][:40] for pair in PAIRS])
def test_what_becomes_of_aligned_words(pair: dict[str, Any]) -> None:
    wrong, right = pair["found"]
    revision = revisions.accepted(wrong, right, pair["earlier"], pair["later"])
    if pair["is"] == "nothing":
        assert revision is None
        return
    assert revision is not None
    assert revision.changed == (pair["is"] == "changed")
    assert revision.leans == pair["leans"]
    assert may_revise(pair["later"]), "it would never have been compared"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Boston", "Atlanta"),  # not said
        ("Denver", "Baltimore"),  # not said before
        ("Boston", "Boston"),
        ("", "Baltimore"),
        ("Boston", "what"),
        ("Boston", "Saturday"),
        ("on", "Baltimore"),
    ],
)
def test_words_that_cannot_stand_for_each_other(wrong: str, right: str) -> None:
    earlier = "My brother Marek is flying in from Boston on Saturday."
    later = "Not Boston, what am I saying, Baltimore."
    assert revisions.accepted(wrong, right, earlier, later) is None


def test_a_question_and_a_long_story_revise_nothing() -> None:
    assert not may_revise("No, is it on Friday now?")
    assert not may_revise("No, it's on Friday. " + "And so on. " * 60)
