"""Which facts say the same in other words."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.fact_comparison import is_fuller, is_paraphrase


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user works at NASA", "The user is employed at NASA"),
        ("The user plays chess", "The user enjoys playing chess"),
        ("The user plays chess", "The user is a chess player"),
        ("The user's dog is called Rex", "The user has a dog named Rex"),
        ("The user's wife is named Maria", "The user is married to Maria"),
        ("The user can't stand early mornings", "The user hates early mornings"),
        ("The user doesn't like mushrooms", "The user dislikes mushrooms"),
        ("The user plays the cello", "The user plays the cello in an orchestra"),
        ("The user repairs bikes", "The user fixes bicycles"),
        ("The user is learning Norwegian", "The user takes Norwegian lessons"),
        ("The user was born on March 12th", "The user's birthday is on March 12th"),
        ("The user has two kids", "The user has two children"),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert is_paraphrase(one, other)
    assert is_paraphrase(other, one)


DIFFERENT = [
    ("The user works in Rome", "The user lives in Rome"),
    ("The user lives in Rome", "The user's mother lives in Rome"),
    ("The user lives in Rome", "The user was born in Rome"),
    ("The user likes tea", "The user hates tea"),
    ("The user likes tea", "The user doesn't like tea"),
    ("The user eats fish", "The user does not eat fish"),
    ("The user has a dog", "The user has no dog"),
    ("The user wants a boat", "The user owns a boat"),
    ("The user wants to learn chess", "The user plays chess"),
    ("The user smokes", "The user quit smoking"),
    ("The user's sister is named Anna", "The user's brother is named Anna"),
    ("The user's sister is named Anna", "The user's sister is named Hanna"),
    ("The user likes jazz", "The user plays jazz"),
    ("The user likes green tea", "The user bought green tea"),
    ("The user has two children", "The user has three children"),
    ("The user meets Tom on Monday", "The user meets Tom on Friday"),
    ("The user's wife is named Maria", "The user's boss is named Maria"),
    ("The user prefers tea to coffee", "The user likes coffee"),
    ("The user is allergic to nuts", "The user likes nuts"),
    ("The user speaks German", "The user is learning German"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_things_stay_different(one: str, other: str) -> None:
    assert not is_paraphrase(one, other)
    assert not is_paraphrase(other, one)


def test_what_tells_more() -> None:
    fuller = "The user plays the cello in an orchestra"
    assert is_fuller(fuller, "The user plays the cello")
    assert not is_fuller("The user plays the cello", fuller)
    assert not is_fuller(fuller, fuller)


FACTS = sorted({fact for pair in DIFFERENT for fact in pair})


@given(st.sampled_from(list(combinations(FACTS, 2))))
def test_it_does_not_matter_which_was_told_first(pair: tuple[str, str]) -> None:
    one, other = pair
    assert is_paraphrase(one, other) == is_paraphrase(other, one)
    assert not (is_fuller(one, other) and is_fuller(other, one))


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared(one: str, other: str) -> None:
    assert is_paraphrase(one, other) == is_paraphrase(other, one)
