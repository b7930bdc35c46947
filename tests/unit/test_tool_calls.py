"""The model's calls, found in what it writes."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lobug.engines.base import Tool
from lobug.turn.tool_use import (
    LONGEST_CALL,
    CallFinder,
    coerce_arguments,
    read_call,
)

CALL = '{"tool": "lamp.set", "text": "a {b} \\" [c]", "level": 3}'


def find(pieces: list[str]) -> tuple[str, str | None]:
    """The words and the call of a text that comes in pieces."""
    finder = CallFinder()
    words = "".join(finder.feed(piece) for piece in pieces)
    return words + finder.flush(), finder.call


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (CALL, ""),
        (f"Okay. {CALL}", "Okay. "),
        (f"```json\n{CALL}\n```", ""),
        (f"Sure!\n```\n{CALL}\n``` Done.", "Sure!\n"),
        (f"<tool_call>\n{CALL}\n</tool_call>", ""),
        (f"{CALL} The lamp is on.", ""),
        (CALL.replace('{"tool": ', '{\n  "tool" : '), ""),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_call_is_taken_out(written: str, words: str, size: int) -> None:
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    found, call = find(pieces)
    assert found == words
    assert call is not None
    assert json.loads(call) == json.loads(CALL)


@given(places=st.lists(st.integers(0, 500), max_size=12), before=st.text(max_size=20))
@example(places=[0, 1, 2, 3], before="{{`<")
def test_a_call_is_found_however_it_is_cut(places: list[int], before: str) -> None:
    text = f"{before.replace('{', '(')}{CALL} and more"
    whole, call = find([text])
    assert call == CALL
    assert find(cut(text, places)) == (whole, CALL)


@given(
    text=st.text(alphabet='{}"`<>tool:jsn_cal \n', max_size=60), places=st.lists(st.integers(0, 60))
)
def test_text_without_a_call_comes_out_unchanged(text: str, places: list[int]) -> None:
    whole, call = find([text])
    assert find(cut(text, places)) == (whole, call)
    if '{"tool":' not in "".join(text.split()):
        assert (whole, call) == (text, None)


def test_words_come_out_at_once() -> None:
    finder = CallFinder()
    assert finder.feed("Hello, ") == "Hello, "
    assert finder.feed("a < b and {x}") == "a < b and {x}"
    assert finder.feed(" then {") == " then "
    assert finder.feed('"to') == ""
    assert finder.feed('p"') == '{"top"'


@pytest.mark.parametrize("broken", ['{"tool": "lamp", ', '{"tool": "lamp"', '{"tool": "a" "b"}'])
def test_a_broken_call_is_one_still(broken: str) -> None:
    words, call = find(list(broken))
    assert words == ""
    assert call == broken
    assert read_call(broken) is None


def test_a_call_without_end_is_given_up() -> None:
    finder = CallFinder()
    finder.feed('{"tool": "lamp", "text": "')
    for _ in range(LONGEST_CALL):
        assert finder.feed("x") == ""
    assert finder.call is not None
    assert finder.feed("y" * 100) == ""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{"tool": "lamp.on"}', ("lamp.on", {})),
        ('{"tool": " lamp.on ", "level": 3}', ("lamp.on", {"level": 3})),
        ('{"tool": "lamp", "arguments": {"level": 3}}', ("lamp", {"level": 3})),
        ('{"tool": "lamp", "arguments": 3}', ("lamp", {"arguments": 3})),
        ('{"tool": 3}', None),
        ("{}", None),
        ("[1]", None),
        ("[" * 100_000, None),
    ],
)
def test_read_call(written: str, read: object) -> None:
    assert read_call(written) == read


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        ("integer", "80", 80),
        ("integer", "80 %", 80),
        ("integer", "-5", -5),
        ("integer", 80.0, 80),
        ("integer", "loud", "loud"),
        ("integer", "1e400", "1e400"),
        ("integer", True, True),
        ("number", "0.5", 0.5),
        ("boolean", "True", True),
        ("boolean", "on", "on"),
        ("string", 7, "7"),
        ("string", True, True),
        (None, "80", "80"),
    ],
)
def test_coerce_arguments(kind: str | None, value: Any, wanted: Any) -> None:
    tool = Tool(
        "lamp", "", {"type": "object", "properties": {"level": {"type": kind} if kind else {}}}
    )
    found = coerce_arguments(tool, {"level": value, "other": "80"})
    assert found == {"level": wanted, "other": "80"}
    assert type(found["level"]) is type(wanted)
