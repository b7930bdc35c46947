"""Cutting a reply into sentences while it is being written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.segmentation import SentenceSplitter, split_sentences

CASES = [
    ("", []),
    ("  \n ", []),
    ("Hello", ["Hello"]),
    ("Hello. How are you?", ["Hello.", "How are you?"]),
    ("Really?! Yes!!! Good...", ["Really?!", "Yes!!!", "Good..."]),
    ("Well... maybe. Well... Maybe.", ["Well... maybe.", "Well...", "Maybe."]),
    ("Well… I think so.", ["Well…", "I think so."]),
    ("Dr. Smith met Mrs. Jones vs. Mr. Hall.", ["Dr. Smith met Mrs. Jones vs. Mr. Hall."]),
    ("Fruit, e.g. apples, i.e. food. Good.", ["Fruit, e.g. apples, i.e. food.", "Good."]),
    ("It is 3.5 metres. It costs 2.99.", ["It is 3.5 metres.", "It costs 2.99."]),
    ("Meet me at 5 p.m. on Monday.", ["Meet me at 5 p.m. on Monday."]),
    ("Meet me at 5 p.m. Don't be late.", ["Meet me at 5 p.m.", "Don't be late."]),
    ("It opens at 9a.m. and shuts.", ["It opens at 9a.m. and shuts."]),
    ("Cake, tea etc. are fine. Bring cake etc. We wait.",
     ["Cake, tea etc. are fine.", "Bring cake etc.", "We wait."]),
    ("J. R. R. Tolkien wrote it.", ["J. R. R. Tolkien wrote it."]),
    ("J.R.R. Tolkien wrote it.", ["J.R.R. Tolkien wrote it."]),
    ("Oranges have vitamin C. They help.", ["Oranges have vitamin C.", "They help."]),
    ("It was you and I. Nobody saw.", ["It was you and I.", "Nobody saw."]),
    ("No. I cannot. See No. 5 there.", ["No.", "I cannot.", "See No. 5 there."]),
    ("Visit example.com today. Bye.", ["Visit example.com today.", "Bye."]),
    ('"Stop!" she said. "Why?" He ran.', ['"Stop!" she said.', '"Why?"', "He ran."]),
    ("(It rains.) Take a coat.", ["(It rains.)", "Take a coat."]),
    ("**Yes. It works.** Good.", ["**Yes. It works.**", "Good."]),
    ("*Looks up. Smiles* Hello. Bye.", ["*Looks up. Smiles* Hello.", "Bye."]),
    ("5 * 3 is 15. 2 * 2 is 4.", ["5 * 3 is 15.", "2 * 2 is 4."]),
    ("* One. Two.\n* Three.", ["* One.", "Two.", "* Three."]),
    ("1. Boil water. Wait.\n2. Add tea.", ["1. Boil water.", "Wait.", "2. Add tea."]),
    ("First line\nsecond line\r\n\r\nthird", ["First line", "second line", "third"]),
    ("See:\n```py\na = 1. \nb\n```\nDone.", ["See:", "```py\na = 1. \nb\n```", "Done."]),
    ("See ```never closed. Not. Here", ["See ```never closed. Not. Here"]),
    ('Ok. {"name": "a. B",\n "b": {"c": 1}}\nDone.',
     ["Ok.", '{"name": "a. B",\n "b": {"c": 1}}', "Done."]),
    ("<tool_call>\nx. Y\n</tool_call>\nDone.", ["<tool_call>\nx. Y\n</tool_call>", "Done."]),
    ("a < b. So b > a.", ["a < b.", "So b > a."]),
    ("你好。你好吗\uff1f很好\uff01", ["你好。", "你好吗\uff1f", "很好\uff01"]),
    ("Great! 😊 How nice.", ["Great!", "😊 How nice."]),
    ("hello. how are you", ["hello.", "how are you"]),
    ("...", ["..."]),
    ("*", ["*"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences_letter_by_letter(text: str, expected: list[str]) -> None:
    splitter = SentenceSplitter()
    found = [sentence for letter in text for sentence in splitter.feed(letter)]
    assert [*found, *splitter.flush()] == expected


def test_a_sentence_is_out_as_soon_as_the_next_one_begins() -> None:
    splitter = SentenceSplitter()
    assert splitter.feed("I am fine.") == []
    assert splitter.feed(" A") == ["I am fine."]
    assert splitter.feed("nd you?\n") == ["And you?"]
    assert splitter.flush() == []


def test_a_stray_asterisk_holds_nothing_back_for_long() -> None:
    splitter = SentenceSplitter()
    assert splitter.feed("*note " + "this is so. " * 5) == []
    assert splitter.feed("This is so. " * 10)[0] == "*note this is so."


def test_a_splitter_can_be_used_again_after_flush() -> None:
    splitter = SentenceSplitter()
    splitter.feed("One")
    assert splitter.flush() == ["One"]
    assert splitter.feed("Two. T") == ["Two."]


PIECES = st.sampled_from(
    [
        *"aIZ5 .!?…*`{}<>\"')(\n。_|",
        "Dr. ", "p.m. ", "It ", "J. ", "```", "**", "*waves* ", '{"a": 1}', '{"', "<tool_call>",
        "</tool_call>", "<to", "<think x", "3.5", "... ", ".\r\n", "https://a.b/c.", " no. ",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS)
def test_nothing_is_lost(text: str) -> None:
    joined = "".join(split_sentences(text))
    assert "".join(joined.split()) == "".join(text.split())


@given(TEXTS, st.lists(st.integers(1, 7), min_size=1, max_size=20))
def test_the_pieces_do_not_matter(text: str, sizes: list[int]) -> None:
    splitter = SentenceSplitter()
    found: list[str] = []
    at = index = 0
    while at < len(text):
        size = sizes[index % len(sizes)]
        found += splitter.feed(text[at : at + size])
        at += size
        index += 1
    assert [*found, *splitter.flush()] == split_sentences(text)


@given(TEXTS)
def test_sentences_are_stripped_and_never_empty(text: str) -> None:
    assert all(s and s == s.strip() for s in split_sentences(text))


@pytest.mark.parametrize("unit", ["a", "*a ", '{"', "<think>", "```", "a. ", "\n", "<", "***"])
def test_a_long_text_loses_nothing(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
