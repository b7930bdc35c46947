"""Where a sentence that is still being written may be spoken up to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.segmentation import clause_end

CUT = [
    # At punctuation.
    "To boil an egg,| you need a pot of water.",
    "I don't have feelings,| but I can tell you a lot.",
    "Of course I can,| what would you like to hear?",
    "In 1969 or so,| Neil walked on the moon.",
    "That is a good question;| let me think about it.",
    "Here is the recipe:| boil the water first.",
    "I am not sure —| maybe it is the cat.",
    "Let me think about that…| maybe it is the cat.",
    "I like apples, pears, and figs,| but I can not eat them.",
    "It is a nice day, Anna,| so let us go out now.",
    "We could paint the room,| and you choose the colour.",
    "After a long day,| the best thing to do is rest.",
    # Without: before a conjunction.
    "The sky is blue| because of the scattering of light.",
    "A rainbow is formed| when sunlight meets water drops.",
    "I would like to come along| and you could drive us.",
    # The first that is long enough.
    "Well, I think so,| but it is hard to say.",
]
WHOLE = [
    "Well, that is it.",
    "Oh no, I see it now.",
    # Lists, names, numbers, dates, abbreviations.
    "I know Anna, Bob and Carl from school.",
    "I like red apples, green pears, and blue figs.",
    "I once lived in Portland, Oregon for a year.",
    "It has about 384,400 parts in it.",
    "It happened on Nov 22, 1963 in the morning.",
    "Take some fruit, e.g. apples and pears.",
    "Eat something with vitamins, e.g., some apples or pears.",
    "I saw a small, friendly robot on the desk.",
    "I really like the sea, the hills and the wood.",
    "You can try taking a bath, reading a book, or going out.",
    # What would remain is too little for a piece of its own.
    "It was very nice to meet you, my friend.",
    "I would love to help you, Anna.",
    "It works quite well, though.",
    # No pause before these.
    "I would like to know when you come to see me.",
    "Bread and butter and milk and eggs and tea are there.",
    "I can not remember that you told me this.",
]


def cut(text: str, shortest: int = 12) -> str:
    end = clause_end(text, 0, shortest, final=True)
    return text if end is None else f"{text[:end]}|{text[end:]}"


@pytest.mark.parametrize("marked", CUT)
def test_the_first_clause(marked: str) -> None:
    assert cut(marked.replace("|", "")) == marked


@pytest.mark.parametrize("text", WHOLE)
def test_a_sentence_without_a_pause_stays_whole(text: str) -> None:
    assert cut(text) == text


@pytest.mark.parametrize("marked", CUT)
def test_a_pause_is_known_a_few_words_after_it(marked: str) -> None:
    clause, _, rest = marked.partition("|")
    words = 3 if "the best" in rest else 2
    seen = clause + " " + " ".join(rest.split()[:words]) + " " + rest.split()[words][0]
    assert clause_end(seen, 0, 12, final=False) == len(clause)


def test_a_clause_has_the_wanted_length() -> None:
    text = "If you want to, we can go out, or we could stay at home and read."
    assert cut(text, 12) == text.replace("to,", "to,|")
    assert cut(text, 20) == text.replace("out,", "out,|")
    assert cut(text, 40) == text


WORDS = st.sampled_from(
    "I you a the Anna Bob, well, and but because when if it is blue, red — … 5 3,000 so: go; e.g."
    " which (no) Dr. you, my".split()
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=25).map(" ".join))


@given(TEXTS, st.integers(1, 40))
def test_more_text_moves_no_pause(text: str, shortest: int) -> None:
    ends = [clause_end(text[:size], 0, shortest, final=False) for size in range(len(text) + 1)]
    found = [end for end in ends if end is not None]
    assert len(set(found)) <= 1
    whole = clause_end(text, 0, shortest, final=True)
    assert not found or whole == found[0]


@given(TEXTS, st.integers(1, 40))
def test_a_clause_is_long_enough_and_something_follows(text: str, shortest: int) -> None:
    end = clause_end(text, 0, shortest, final=True)
    if end is not None:
        assert len(text[:end].rstrip()) >= shortest
        assert text[end].isspace()
        assert len(text[end:].split()) >= 3
