"""Requests are cut out of what somebody says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.requests import MOST_CANDIDATES, core_request, is_request, requests_in

HELD = {
    "Hey Lo-Bug, could you please set a timer for ten minutes?": "set a timer for ten minutes",
    "I'm baking, so can you set a timer for ten minutes, please?": "set a timer for ten minutes",
    "Would you mind adding milk to my list?": "add milk to my list",
    "I'd like you to roll a dice, thanks a lot.": "roll a dice",
    "Um, well, what's on my list?": "what's on my list",
    "Do me a favour and flip a coin.": "flip a coin",
    "It rained all day. Remind me at six to call Ben.": "Remind me at six to call Ben",
}


def test_a_request_is_found_in_what_stands_around_it() -> None:
    assert {text: held for text, held in HELD.items() if held not in requests_in(text)} == {}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Could you do the thing with the list?", True),
        ("Set it.", True),
        ("My alarm woke me at six.", False),
        ("I have a list of complaints.", False),
    ],
)
def test_whether_a_text_asks_for_something(text: str, asks: bool) -> None:
    assert is_request(text) is asks


@given(st.text(max_size=600))
def test_any_text_has_few_requests_and_each_is_a_part_of_it(text: str) -> None:
    found = requests_in(text)
    assert len(found) <= MOST_CANDIDATES
    assert all(core_request(request) == request or request for request in found)
