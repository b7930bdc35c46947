"""Reading the benchmark's files: both forms, and whatever else somebody may point at."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.evaluation.locomo import Conversation, LocomoError, moment, parse, read, references
from support.benchmark_files import flat, published, turn


def one(document: object, name: str = "talk") -> Any:
    (conversation,) = parse(document, name)
    return conversation


def test_both_forms_are_the_same_conversation() -> None:
    plain = one(flat())
    wrapped = one(published())
    assert wrapped.name == "talk-1"
    assert plain == replace(wrapped, name="talk")
    assert plain.turns == 6
    assert [session.number for session in plain.sessions] == [1, 2]


def test_what_is_read_of_a_turn() -> None:
    first, second = one(flat()).sessions
    assert first.at == datetime(2024, 3, 3, 9, 5).astimezone()
    assert first.turns[2].text == "Not one. But look at this! [a photo of a lighthouse in the fog]"
    assert first.turns[2].speaker == "Tove"
    assert second.turns[0].place == (2, 1)


def test_nothing_but_what_was_said_is_read() -> None:
    assert "must not be read" not in repr(one(flat()))
    assert "sourdough; the oven" not in repr(one(published()))


def test_evidence_is_mended_where_its_meaning_is_clear_and_counted_otherwise() -> None:
    conversation = one(flat())
    assert [question.evidence for question in conversation.questions] == [
        {(2, 1), (2, 3)},
        {(1, 1)},
        {(2, 2)},
        {(1, 3)},
    ]
    assert [question.category for question in conversation.questions] == [1, 2, 3, 4]
    assert (conversation.mended, conversation.dangling) == (3, 1)
    assert (conversation.skipped, conversation.adversarial) == (1, 1)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("D8:6; D9:17", [(8, 6), (9, 17)]),
        ("D1:3, D1:5", [(1, 3), (1, 5)]),
        ("D9:1 D4:4 D4:6", [(9, 1), (4, 4), (4, 6)]),
        ("D:11:26", [(11, 26)]),
        ("D30:05", [(30, 5)]),
        ("d3:4", [(3, 4)]),
        ("D", []),
        ("", []),
        ("D" + "9" * 5000 + ":1", []),
    ],
)
def test_references(text: str, places: list[tuple[int, int]]) -> None:
    assert references(text) == places


@given(st.text(max_size=200))
def test_any_text_is_a_reference_or_none(text: str) -> None:
    for place in references(text):
        assert all(number >= 0 for number in place)


def test_dates() -> None:
    assert moment("12:09 am on 13 September, 2023") == datetime(2023, 9, 13, 0, 9).astimezone()
    assert moment("2023-09-13T00:09") == datetime(2023, 9, 13, 0, 9).astimezone()


def test_two_turns_of_one_name_are_two_turns_and_the_first_is_meant() -> None:
    document = flat()
    document["session_2"].append(turn("D2:1", "Ravi", "Again."))
    conversation = one(document)
    assert conversation.turns == 7
    places = [said.place for session in conversation.sessions for said in session.turns]
    assert len(set(places)) == 7
    assert places[3] == (2, 1)


def test_half_a_character_does_not_stop_it() -> None:
    document = {**flat(), "session_2": [turn("D2:1", "Ravi", "Bread \ud83d, hot")]}
    assert one(document).sessions[1].turns[0].text == "Bread ?, hot"


def test_a_turn_without_words_is_not_told() -> None:
    document = flat()
    document["session_2"].append(turn("D2:4", "Ravi", "  "))
    assert one(document).turns == 6


def test_a_folder_is_read_in_the_order_of_names_and_names_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps(flat()), encoding="utf-8")
    (tmp_path / "a.json").write_text(json.dumps([published("x"), published("x")]), encoding="utf-8")
    (tmp_path / "index.json").write_text('{"files": ["a.json"]}', encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no JSON", encoding="utf-8")
    reading = read(tmp_path)
    assert [conversation.name for conversation in reading.conversations] == ["x", "x (2)", "b"]
    assert list(reading.ignored) == ["index.json"]
    assert [each.name for each in read(tmp_path / "b.json").conversations] == ["b"]


BROKEN: dict[str, object] = {
    "a number": 7,
    "nothing": None,
    "an empty list": [],
    "a list of texts": ["no", "conversation"],
    "no sessions": {"qa": []},
    "no questions": {key: value for key, value in flat().items() if key != "qa"},
    "conversation is a text": {"conversation": "hello", "qa": []},
    "questions are a number": {**flat(), "qa": 3},
    "a question without words": {**flat(), "qa": [{"category": 1, "evidence": []}]},
    "a question without category": {**flat(), "qa": [{"question": "Who?"}]},
    "an unknown category": {**flat(), "qa": [{"question": "Who?", "category": 6}]},
    "evidence of numbers": {**flat(), "qa": [{"question": "?", "category": 1, "evidence": [1]}]},
    "a session that is a text": {**flat(), "session_2": "hello"},
    "a turn that is a text": {**flat(), "session_2": ["hello"]},
    "a turn without a speaker": {**flat(), "session_2": [{"dia_id": "D2:1", "text": "Hi."}]},
    "a session without a date": {**flat(), "session_2_date_time": None},
    "a date that is none": {**flat(), "session_2_date_time": "yesterday"},
    "a date before time": {**flat(), "session_2_date_time": "0001-01-01T00:00:00+23:59"},
    "only empty sessions": {**flat(), "session_1": [], "session_2": []},
}


@pytest.mark.parametrize("document", BROKEN.values(), ids=BROKEN)
def test_what_is_no_conversation_is_refused_in_one_sentence(document: object) -> None:
    with pytest.raises(LocomoError) as refused:
        parse(document, "talk")
    text = str(refused.value)
    assert text.startswith("talk")
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 200


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe{}", b"[" * 100_000, b"\x00" * 50],
    ids=["empty", "cut off", "not UTF-8", "deep", "zeros"],
)
def test_a_file_that_is_no_json_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "odd.json"
    file.write_bytes(content)
    with pytest.raises(LocomoError, match=r"odd\.json is not JSON\."):
        read(file)


def test_paths_without_conversations(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match="no file or folder"):
        read(tmp_path / "absent")
    with pytest.raises(LocomoError, match=r"no \.json file"):
        read(tmp_path)
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(LocomoError, match="No file in"):
        read(tmp_path)
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(LocomoError, match=r"folder\.json cannot be read"):
        read(tmp_path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["session_1", "session_1_date_time", "qa", "conversation", "sample_id", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_a_conversation_or_refused(document: object) -> None:
    try:
        conversations = parse(document, "talk")
    except LocomoError:
        return
    assert all(isinstance(each, Conversation) for each in conversations)
