"""Which sentences of a user are corrections or express statements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.speech_acts import explicit_statements


@pytest.mark.parametrize(
    ("said", "statements"),
    [
        ("No, I live in Oslo.", ["I live in Oslo."]),
        ("no no, my sister is called Hanna", ["my sister is called Hanna"]),
        ("Actually my birthday is in May.", ["my birthday is in May."]),
        ("That's wrong. My dog is called Rex.", ["My dog is called Rex."]),
        ("That is not right, I work at the harbour.", ["I work at the harbour."]),
        ("You're mistaken, I never said I like tea.", ["I never said I like tea."]),
        ("I said my name was Alex.", ["my name was Alex."]),
        ("Remember that I park on level three.", ["I park on level three."]),
        ("Please don't forget that my passport expires in June.", ["my passport expires in June."]),
        ("Can you remember that we moved in March?", ["we moved in March"]),
        ("My name is Quillon.", ["My name is Quillon."]),
        ("By the way, I prefer the window seat.", ["By the way, I prefer the window seat."]),
        ("I'm allergic to nuts. Nice weather today.", ["I'm allergic to nuts."]),
        ("Hello there. Nice weather today.", []),
        ("What is my name?", []),
        ("No thanks.", []),
        ("No, what is the capital of Japan?", []),
        ("Actually, set a timer.", []),
        ("Remember to call me at five?", []),
        ("Actually the moon is far away.", []),
        ("I went to the market and bought some bread.", []),
        ("", []),
    ],
)
def test_corrections_and_express_statements(said: str, statements: list[str]) -> None:
    assert explicit_statements(said) == statements


@given(st.text(max_size=400))
def test_any_text_gives_parts_of_itself(said: str) -> None:
    for statement in explicit_statements(said):
        assert statement in " ".join(said.split()) or statement in said
