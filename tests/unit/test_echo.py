"""The assistant's own words coming back, and people who share some of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.turn.echo import is_own_voice, without_own_voice
from support import speech

SPOKEN = [
    "Good morning!",
    "Your sister's name is Anna.",
    "She lives in Portland with her two cats.",
    "Would you like the red one or the blue one?",
    "It is ten past three, and 25 degrees.",
    "You can say stop at any time.",
]

OWN = [
    "Good morning.", "good morning", "Your sister's name is Anna.", "your sisters name is Anna",
    "sister's name is Anna, she lives in Portland", "lives in Portland with her 2 cats.",
    "lives in Portland with her two cat", "It is 10 past 3 and twenty-five degrees.",
    "Good morning. Your sister's name is Anna. She lives in Portland with her two cats.",
    "would you like the red one or", "Or would you like the red one or the blue one?",
    "You can say stop at any time.", "She lives in Portlant with her two cats",
]  # fmt: skip

SOMEBODYS = [
    "", "...", "Stop.", "stop", "No.", "Wait!", "yes", "Anna", "Anna?", "Portland?", "In Portland?",
    "The blue one.", "The red one, please.", "Two cats?", "Stop it.", "No, stop.",
    "My sister's name is Hannah.", "My sister's name is Anna.", "No, your sister's name is Hannah.",
    "Your sister's name is not Anna.", "She lives in Boston with her two cats.",
    "Why does she live in Portland?", "Where does she live?", "What are her cats called?",
    "I would like the blue one", "What do you mean by ten past three?", "She has two cats.",
    "Tell me about Portland", "Is Anna my sister's name?", "Good morning, how are you today?",
    "Can I say stop at any time?",
]  # fmt: skip

MIXED = [
    ("Your sister's name is Anna. She lives in. Stop.", "Stop."),
    ("Your sister's name is Anna, no it's Hannah", "no it's Hannah"),
    ("sister's name is Anna stop", "stop"),
    (
        "She lives in Portland with her two cats. What are their names?",
        "What are their names?",
    ),
    ("Your sister's name is Anna. Thanks.", "Thanks."),
    ("Your sister's name is Anna.", ""),
]

UNTOUCHED = [
    "your sister's name is Hannah not Anna", "Stop. Your sister's name is Anna.", "Stop.", "",
    "Old sister's name is. Where did you put all those many toys for the cats. Now.",
    "She lives where?", "Anna. She is called Hannah.", "I know. She lives in Portland. Stop.",
]  # fmt: skip


@pytest.mark.parametrize("heard", OWN)
def test_its_own_words_are_recognised(heard: str) -> None:
    assert is_own_voice(heard, SPOKEN)


@pytest.mark.parametrize("heard", SOMEBODYS)
def test_what_a_person_says_is_theirs(heard: str) -> None:
    assert not is_own_voice(heard, SPOKEN)


@pytest.mark.parametrize(("heard", "said"), MIXED)
def test_what_is_said_into_an_echo_is_left(heard: str, said: str) -> None:
    assert without_own_voice(heard, SPOKEN) == said


@pytest.mark.parametrize("heard", UNTOUCHED)
def test_where_no_echo_is_certain_nothing_is_cut(heard: str) -> None:
    assert without_own_voice(heard, SPOKEN) == heard


@pytest.mark.parametrize("heard", ["Your sister's", "She", "in Portland", "two cats. Would"])
def test_a_few_words_may_be_the_beginning_of_an_echo(heard: str) -> None:
    assert is_own_voice(heard, SPOKEN, partial=True)
    assert not is_own_voice(heard, SPOKEN)


def test_where_the_microphone_hears_the_loudspeaker_one_or_two_words_are_an_echo() -> None:
    for heard in ("Portland", "her two", "red one."):
        assert is_own_voice(heard, SPOKEN, echoes=True)
        assert without_own_voice(heard, SPOKEN, echoes=True) == ""
        assert without_own_voice(heard, SPOKEN) == heard
    for heard in ("stop", "Boston", "two her", "the blue one", ""):
        assert not is_own_voice(heard, SPOKEN, echoes=True)


@pytest.mark.parametrize("heard", ["Stop", "stop at", "My sister", "No", "sister your", "Wait", ""])
def test_a_few_words_that_cannot_be_an_echo(heard: str) -> None:
    assert not is_own_voice(heard, SPOKEN, partial=True)


def test_an_order_is_never_an_echo_but_for_a_whole_longer_piece() -> None:
    assert not is_own_voice("Stop.", ["Stop."])
    assert is_own_voice("Okay.", ["Okay.", "I will wait."])


def test_without_anything_spoken_nothing_is_an_echo() -> None:
    for heard in OWN:
        assert not is_own_voice(heard, [])
        assert without_own_voice(heard, []) == heard


sentences = st.lists(
    st.text("abcdefgh", min_size=3, max_size=7), min_size=5, max_size=12, unique=True
)


@given(sentences, sentences, st.data())
def test_any_long_enough_stretch_of_what_was_spoken_is_own(
    first: list[str], second: list[str], data: st.DataObject
) -> None:
    words = [*first, *second]
    start = data.draw(st.integers(0, len(words) - 4))
    end = data.draw(st.integers(start + 4, len(words)))
    heard = " ".join(words[start:end]).upper() + "."
    assert is_own_voice(heard, [" ".join(first) + ".", " ".join(second) + "."])


@given(sentences, st.lists(st.text("stuvwxyz", min_size=3, max_size=7), min_size=1, max_size=9))
def test_words_that_were_not_spoken_are_somebodys(spoken: list[str], own: list[str]) -> None:
    pieces = [" ".join(spoken) + "."]
    assert not is_own_voice(" ".join(own), pieces)
    assert not is_own_voice(" ".join([*spoken[:2], *own, *own, *spoken[2:4]]), pieces)
    said = " ".join(own) + "."
    assert without_own_voice(f"{pieces[0]} {said}", pieces) == said


@given(st.text(max_size=300), st.lists(st.text(max_size=100), max_size=5))
def test_any_texts_have_an_answer(heard: str, spoken: list[str]) -> None:
    is_own_voice(heard, spoken)
    assert heard.endswith(without_own_voice(heard, spoken))


@pytest.mark.speech
def test_what_people_were_recorded_saying_is_not_taken_for_the_assistants_words() -> None:
    for clip in (*speech.all_prompts(), *speech.pocketsphinx()):
        assert not is_own_voice(clip.text, SPOKEN), clip.text
        assert without_own_voice(clip.text, SPOKEN) == clip.text
