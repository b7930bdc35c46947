"""Which sentences order something in the world, and what is said where it cannot be done."""

from __future__ import annotations

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.data import ORDERS
from lobug.language.en.orders import LONGEST, Order, read_order, refusal_of

CASES = tomllib.loads((Path(__file__).parent / "data" / "orders_en.toml").read_text())
SAID = [line for table in (*CASES["orders"].values(),) for line in table.strip().splitlines()]


def test_orders_are_read_with_their_class() -> None:
    wrong = [
        (deed, line, order)
        for deed, table in CASES["orders"].items()
        for line in table.strip().splitlines()
        if (order := read_order(line)) is None or order.deed != deed
    ]
    assert wrong == []
    assert len(SAID) >= 200
    assert {*CASES["orders"]} <= {*ORDERS["deeds"]}


def test_more_orders_are_read() -> None:
    lines = [line for table in CASES["any"].values() for line in table.strip().splitlines()]
    assert len(lines) >= 200
    assert [line for line in lines if read_order(line) is None] == []


def test_talk_orders_nothing() -> None:
    lines = [line for table in CASES["talk"].values() for line in table.strip().splitlines()]
    assert [(line, read_order(line)) for line in lines if read_order(line) is not None] == []
    assert len(lines) >= 400


def test_case_and_punctuation_do_not_matter() -> None:
    """Speech-to-text may leave them out."""
    for line in SAID:
        bare = line.lower().rstrip(".!?")
        order = read_order(bare)
        assert order is not None, bare


def test_acts_are_told_apart() -> None:
    acts = {
        "Turn on the light.": "imperative",
        "Could you turn on the light?": "request",
        "Would you mind turning on the light?": "request",
        "I want the lights off.": "wish",
        "Lights off.": "ellipsis",
        "Is the light in the kitchen on?": "question",
    }
    for line, act in acts.items():
        assert read_order(line) == Order(act, "lights"), line  # type: ignore[arg-type]


def test_a_story_is_no_order() -> None:
    assert read_order("Turn on the light. " * (LONGEST // 18)) is None


def test_each_class_has_one_short_sentence_that_refuses() -> None:
    for deed in ORDERS["deeds"]:
        for act in ("imperative", "question"):
            sentence = refusal_of(Order(act, deed))
            assert sentence.endswith("."), deed
            assert len(sentence) < 120, deed


def test_a_live_fact_is_refused_as_such() -> None:
    order = read_order("Is the front door locked?")
    assert order is not None
    assert refusal_of(order) == "I can't see doors or windows, so please check it yourself."


@given(st.text(max_size=1_000))
def test_any_text_is_read(text: str) -> None:
    order = read_order(text)
    assert order is None or order.deed in ORDERS["deeds"]


WORDS = sorted({word for line in SAID for word in line.split()})


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_words_of_orders_are_read(text: str) -> None:
    order = read_order(text)
    assert order is None or order.deed in ORDERS["deeds"]
