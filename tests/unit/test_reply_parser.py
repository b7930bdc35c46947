"""From what a model writes to what is shown and spoken."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.turn.events import Action
from lobug.turn.reply import ReplyParser, ThinkingStripper
from lobug.turn.reply_guard import Part


def parse(raw: str, size: int = 3) -> tuple[Action, list[str]]:
    parser = ReplyParser()
    sentences: list[str] = []
    for start in range(0, len(raw), size):
        sentences += [part.text for part in parser.feed(raw[start : start + size])]
    sentences += [part.text for part in parser.flush()]
    return parser.action, sentences


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("raw", "action", "sentences"),
    [
        ("Hello there. How are you?", Action.RESPOND, ["Hello there.", "How are you?"]),
        ("[IGNORE]", Action.IGNORE, []),
        ("  [ignore] just the television", Action.IGNORE, []),
        ("**[Ignore]**", Action.IGNORE, []),
        ('"[IGNORE]"', Action.IGNORE, []),
        ("`[IGNORE]`", Action.IGNORE, []),
        ("[**IGNORE**]", Action.IGNORE, []),
        ("[REACT] giggles", Action.REACT, ["giggles"]),
        ("*[react]* Happy!", Action.REACT, ["Happy!"]),
        ("[REACT]", Action.REACT, []),
        ("IGNORE", Action.IGNORE, []),
        ("REACT", Action.REACT, []),
        ("React quickly when it rains.", Action.RESPOND, ["React quickly when it rains."]),
        ("Lo-Bug: I am here.", Action.RESPOND, ["I am here."]),
        ("lobug: Yes.", Action.RESPOND, ["Yes."]),
        ("Assistant: Sure.", Action.RESPOND, ["Sure."]),
        ("<think>The user greets me.</think>Hi!", Action.RESPOND, ["Hi!"]),
        ("<think>\nhm\n</think>\n\n[IGNORE]", Action.IGNORE, []),
        ("<thinking>never closed and never spoken", Action.RESPOND, []),
        ("2 < 3 is true.", Action.RESPOND, ["2 < 3 is true."]),
        ("No", Action.RESPOND, ["No"]),
        ("Lo", Action.RESPOND, ["Lo"]),
    ],
)
def test_action_and_sentences(raw: str, action: Action, sentences: list[str], size: int) -> None:
    assert parse(raw, size) == (action, sentences)


def test_a_bracket_that_is_no_prefix_is_ordinary_text() -> None:
    action, sentences = parse("[Note] this stays a reply.")
    assert action is Action.RESPOND
    assert "this stays a reply." in " ".join(sentences)


def test_half_a_sentence_of_a_truncated_reply_is_dropped() -> None:
    parser = ReplyParser()
    sentences = [part.text for part in parser.feed("The moon is far. It goes around the ea")]
    sentences += [part.text for part in parser.flush(truncated=True)]
    assert sentences == ["The moon is far."]


@given(st.text(alphabet="ab <>/think.[]", max_size=60), st.integers(1, 9))
def test_how_the_text_was_cut_makes_no_difference(raw: str, size: int) -> None:
    assert parse(raw, size) == parse(raw, 1000)


@given(
    st.lists(st.sampled_from(["word ", "<think>", "</think>", "secret ", "<", "a < b "])),
    st.integers(1, 5),
)
def test_nothing_inside_thinking_gets_out(parts: list[str], size: int) -> None:
    raw = "".join(parts)
    stripper = ThinkingStripper()
    out = "".join(stripper.feed(raw[i : i + size]) for i in range(0, len(raw), size))
    out += stripper.flush()
    expected, thinking = [], False
    for part in parts:
        if part == "<think>" and not thinking:
            thinking = True
        elif part == "</think>" and thinking:
            thinking = False
        elif not thinking and part not in ("<think>", "</think>"):
            expected.append(part)
    if "<think>" not in "".join(expected):
        assert "secret " not in out or "secret " in expected


def parts_of(raw: str, size: int, *, clause_first: bool) -> list[Part]:
    parser = ReplyParser(clause_first=clause_first)
    parts: list[Part] = []
    for start in range(0, len(raw), size):
        parts += parser.feed(raw[start : start + size])
    return [*parts, *parser.flush()]


def text_of(parts: list[Part]) -> str:
    return " ".join(part.text for part in parts)


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        ("To boil an egg, you need water. It is quick.",
         ["To boil an egg,", "you need water.", "It is quick."]),
        ("Sure! To boil an egg, put it into some water.",
         ["Sure!", "To boil an egg, put it into some water."]),
        ("Sure! If you would like to know, it takes a few minutes.",
         ["Sure!", "If you would like to know,", "it takes a few minutes."]),
        # Markup, quotations and brackets are not cut before they are closed.
        ("I *really* like this, but I can not say why.",
         ["I really like this, but I can not say why."]),
        ('She said "come on, we are late" and left.',
         ['She said "come on, we are late" and left.']),
        ("It was (as I said, you know it) a nice day.",
         ["It was (as I said, you know it) a nice day."]),
        # What the guard changes is not said early.
        ("The user likes tea, and the user has a cat called Max.",
         ["You like tea, and you have a cat called Max."]),
        ("I know that they like tea, and the user's cat is called Max.",
         ["I know that they like tea,", "and your cat is called Max."]),
        ("well it is so, and the user's cat is called Max.",
         ["Well it is so, and your cat is called Max."]),
        # Reactions are not spoken.
        ("[REACT] a very happy smile, and then a wave of the hand.",
         ["a very happy smile, and then a wave of the hand."]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_the_first_clause_comes_first(raw: str, texts: list[str], size: int) -> None:
    assert [part.text for part in parts_of(raw, size, clause_first=True)] == texts


def test_a_clause_is_there_before_its_sentence_is_written() -> None:
    parser = ReplyParser(clause_first=True)
    assert list(parser.feed("To boil an egg, you need a p")) == [
        Part("To boil an egg,", ends=False, sentence="To boil an egg,")
    ]
    assert list(parser.feed("ot of water. Then")) == [
        Part(
            "you need a pot of water.",
            ends=True,
            sentence="To boil an egg, you need a pot of water.",
        )
    ]
    assert list(parser.flush()) == [Part("Then", ends=True, sentence="Then")]


def test_a_truncated_reply_ends_with_its_last_clause() -> None:
    parser = ReplyParser(clause_first=True)
    parts = [*parser.feed("To boil an egg, you need a p"), *parser.flush(truncated=True)]
    assert text_of(parts) == "To boil an egg,"


@pytest.mark.parametrize("clause_first", [False, True])
@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("I was going to say that … [interrupted]", "I was going to say that"),
        ("I was going to say … [Interrupted by the user] Sorry.", "I was going to say Sorry."),
        ("[interrupted] Sure, I can.", "Sure, I can."),
        ("To boil an egg, you need a [interrupted", "To boil an egg, you need a"),
        ("It is off (interrupted).", "It is off."),
        ("The line was interrupted.", "The line was interrupted."),
    ],
)
def test_the_mark_of_an_interruption_is_never_said(
    raw: str, said: str, size: int, *, clause_first: bool
) -> None:
    text = text_of(parts_of(raw, size, clause_first=clause_first))
    assert text.replace("…", "").rstrip() == said


FRAGMENTS = st.sampled_from(
    [
        "I think", "You can go", "the user", "the user's", "Their cat", "they like tea", "Well",
        "their", "themself", "and", "but", "because", "which", "if", "it is so", "you", "is",
        "has a dog", "the", "user", ",", ",", ":", ";", " —", "…", "...", ". ", "! ", "? ", "\n",
        "Dr. Smith", "J. R.", "3,000", "3.5", "Nov 22, 2026", "Anna", "Bob", "*waves*", "**bold",
        "*", '"', "(", ")", "'", "’s", ":)", "😊", "`code`", "# ", "- ", "1. ", "&amp;", "_a_",
        "https://a.example/b", "[interrupted]", "<b>", "</b>", "|", "{", "}", "  ", "\t", "é", "你",
        "T", "İ", "ß",
    ]
)  # fmt: skip
CLAUSES = st.sampled_from(
    [
        "The user likes green tea", "I think of them a lot", "their cat is here now",
        "but the user has a dog", "and they do it themself", "well it is so", "You like it the",
        "user or not", "because you know it well", "as the user's sister told me", "Their cat is",
        "so the user knows and likes it", "The experience was good",
    ]
)  # fmt: skip
REPLIES = st.one_of(
    st.lists(CLAUSES, max_size=6).map(lambda clauses: ", ".join(clauses) + "."),
    st.lists(FRAGMENTS, max_size=30).map(" ".join),
    st.lists(FRAGMENTS, max_size=30).map("".join),
    st.lists(FRAGMENTS, max_size=30).map(lambda parts: "I can say, " + " ".join(parts)),
)


@settings(max_examples=600)
@given(REPLIES, st.integers(1, 9))
def test_clause_by_clause_it_is_the_same_text(raw: str, size: int) -> None:
    """Also where the guard against "the user" rewrites a sentence."""
    by_clause = text_of(parts_of(raw, size, clause_first=True))
    assert by_clause == text_of(parts_of(raw, size, clause_first=False))


@given(REPLIES, st.integers(1, 9))
def test_clauses_do_not_depend_on_how_the_text_was_cut(raw: str, size: int) -> None:
    assert parts_of(raw, size, clause_first=True) == parts_of(raw, 10_000, clause_first=True)


@given(REPLIES)
def test_as_many_sentences_end_either_way(raw: str) -> None:
    ends = [part.ends for part in parts_of(raw, 3, clause_first=True)]
    whole = parts_of(raw, 3, clause_first=False)
    assert sum(ends) == len(whole)
    assert all(part.ends for part in whole)


def test_hostile_text_takes_nothing_back() -> None:
    parts = parts_of("To boil an egg, you need a </tool_call> pot.", 5, clause_first=True)
    assert text_of(parts) == "To boil an egg, pot."
