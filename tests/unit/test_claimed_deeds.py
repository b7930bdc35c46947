"""Which sentences of a model claim a deed, and which beginnings must wait for their end."""

from __future__ import annotations

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.claimed_deeds import claims_deed, is_acknowledgement, may_become_claim
from lobug.language.en.data import ORDERS
from lobug.language.en.prompts import EXAMPLES

CASES = {
    kind: table.strip().splitlines()
    for kind, table in tomllib.loads(
        (Path(__file__).parent / "data" / "claimed_deeds_en.toml").read_text()
    ).items()
}


def test_claims_are_found() -> None:
    wrong = [
        (kind, line, claims_deed(line))
        for kind in ("deed", "placeholder", "canned_refusal")
        for line in CASES[kind]
        if claims_deed(line) != kind
    ]
    assert wrong == []


def test_ordinary_talk_passes() -> None:
    lines = [*CASES["honest"], *(reply for _, reply in EXAMPLES)]
    assert [(line, claims_deed(line)) for line in lines if claims_deed(line)] == []


def test_refusals_pass_also_after_an_order() -> None:
    sentences = [table["refusal"] for table in ORDERS["deeds"].values()]
    sentences += ORDERS["sentences"].values()
    for sentence in sentences:
        assert claims_deed(sentence, ordered=True) is None, sentence


def test_an_acknowledgement_promises_what_was_ordered() -> None:
    for line in ("Okay.", "Sure!", "Of course, I will.", "Got it.", "I'll remember that."):
        assert claims_deed(line) is None, line
        assert claims_deed(line, ordered=True) == "deed", line
    assert is_acknowledgement("Okay!")
    assert not is_acknowledgement("Okay, why not?")


def test_noted_is_true_of_what_was_told() -> None:
    for line in ("Noted!", "I've noted that.", "I'll make a note of that."):
        assert claims_deed(line) == "deed", line
        assert claims_deed(line, told=True) is None, line
    assert claims_deed("I'll remember to call the dentist for you.", told=True) == "deed"


def test_a_claim_is_known_from_its_beginning() -> None:
    """No beginning of a claim that ends with a comma is passed on, unless it is honest itself."""
    for line in CASES["deed"]:
        for at in (i for i, sign in enumerate(line) if sign == ","):
            beginning = line[: at + 1]
            assert may_become_claim(beginning) or claims_deed(beginning) is None, beginning
    for beginning in ("Okay,", "Sure,", "I'll", "I've", "I'll just", "Your timer", "Today is ["):
        assert may_become_claim(beginning), beginning


def test_ordinary_beginnings_do_not_wait() -> None:
    for beginning in (
        "Good morning,",
        "That sounds tiring,",
        "Once upon a time,",
        "I'm glad to hear that,",
        "About three hundred",
        "I'll be here,",
        "Let me think,",
        "I've always loved music,",
    ):
        assert not may_become_claim(beginning), beginning


@given(st.text(max_size=1_000), st.booleans(), st.booleans())
def test_any_text_is_read(text: str, ordered: bool, told: bool) -> None:
    assert claims_deed(text, ordered=ordered, told=told) in {
        None,
        "deed",
        "placeholder",
        "canned_refusal",
    }
    assert may_become_claim(text) in {True, False}
