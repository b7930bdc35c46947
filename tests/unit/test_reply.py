"""From what a model writes to what is shown and spoken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.turn.events import Action
from lobug.turn.reply import ReplyParser, ThinkingStripper


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
