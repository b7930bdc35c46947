"""The trained order reader: what it quotes, and that it is the one that was trained."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.said_orders import Frame, arguments, plain_words, slots
from lobug.language.en.skill_sentences import skill_sentences
from lobug.language.order_reader import (
    OrderReader,
    OrderReaderError,
    Quotation,
    Reading,
    load_order_reader,
    quotations,
    reader_folder,
)

TAGS = ("O", "B-name", "I-name", "B-time", "I-time")
SENTENCES = Path(__file__).parents[2] / "scripts" / "order_reader"


@pytest.fixture(scope="module")
def reader() -> OrderReader:
    return load_order_reader(reader_folder("lobug.language.en"))


@given(
    scores=st.lists(
        st.lists(st.floats(-20, 0), min_size=len(TAGS), max_size=len(TAGS)), max_size=12
    )
)
def test_quotations_are_whole_words_in_their_order(scores: list[list[float]]) -> None:
    words = [(6 * number, 6 * number + 5) for number in range(len(scores))]
    found = quotations(words, np.array(scores), TAGS, ["name"])
    assert {one.argument for one in found} <= {"name"}
    assert all(one.start < one.end for one in found)
    assert all(one.end < other.start for one, other in pairwise(found))
    assert {one.start for one in found} <= {start for start, _ in words}
    assert {one.end for one in found} <= {end for _, end in words}


def test_an_argument_goes_on_only_where_it_began() -> None:
    scores = np.log(
        np.array(
            [
                [0.1, 0.1, 0.6, 0.1, 0.1],  # would rather go on than begin
                [0.1, 0.1, 0.6, 0.1, 0.1],
                [0.6, 0.1, 0.1, 0.1, 0.1],
                [0.1, 0.1, 0.1, 0.6, 0.1],  # an argument that the frame does not have
            ]
        )
    )
    words = [(0, 3), (4, 8), (9, 10), (11, 14)]
    (name,) = quotations(words, scores, TAGS, ["name"])
    assert (name.argument, name.start, name.end) == ("name", 0, 8)


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "order_reader"
    shutil.copytree(Path(str(reader_folder("lobug.language.en"))), folder)
    vocabulary = folder / "tokenizer.json"
    vocabulary.write_text(vocabulary.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(OrderReaderError, match=r"tokenizer\.json"):
        load_order_reader(folder)


@pytest.mark.parametrize(
    ("text", "frame", "said"),
    [
        ("Set a timer for ten minutes.", "timer", {"time": "for ten minutes"}),
        ("wake me at half six tomorrow", "alarm", {"time": "at half six tomorrow"}),
        (
            "Could you remind me to call the dentist tomorrow at nine?",
            "remind",
            {"task": "call the dentist", "time": "tomorrow at nine"},
        ),
        (
            "We're nearly out of oat milk and honey, pop them on the shopping list.",
            "add",
            {"things": "oat milk and honey", "list": "shopping list"},
        ),
        ("What time is it in Oslo?", "time_in", {"place": "Oslo"}),
        ("How many kilos is nine pounds?", "convert", {"quantity": "nine pounds", "unit": "kilos"}),
        ("Turn on the light in the kitchen.", "beyond", {}),
        ("My alarm didn't go off yesterday.", "talk", {}),
        ("How long does rice take to boil?", "talk", {}),
        ("", "talk", {}),
    ],
)
def test_reads_plain_sentences(
    reader: OrderReader, text: str, frame: str, said: dict[str, str]
) -> None:
    reading = reader.read(text)
    assert reading.frame == frame
    assert arguments(reading, text) == said
    assert sum(reading.others.values()) == pytest.approx(1)


def test_reads_anything_without_an_error(reader: OrderReader) -> None:
    for text in ("{time} {{}} {0}", "\u0000\ud7ff\U0001f600 " * 400, "ten " * 3_000, "\n\t"):
        reading = reader.read(text)
        for one in reading.quotations:
            assert 0 <= one.start < one.end <= len(text)
        assert "{" not in "".join(arguments(reading, text).values())


def test_the_network_was_trained_on_these_sentences(reader: OrderReader) -> None:
    lines = [
        (frame, line)
        for path in sorted(SENTENCES.glob("*.txt"))
        for frame, line in _lines(path.read_text(encoding="utf-8"))
    ]
    frames = {frame for frame, _ in lines}
    assert frames == set(reader.frames)
    some = lines[::25]
    right = sum(reader.read(_plain(line)).frame == frame for frame, line in some)
    assert right >= 0.95 * len(some)


def test_it_reads_what_it_was_not_trained_on(reader: OrderReader) -> None:
    lines = [
        (frame, line)
        for path in sorted((SENTENCES / "held").glob("*.txt"))
        for frame, line in _lines(path.read_text(encoding="utf-8"))
    ][::5]
    none = {"talk", "beyond"}
    readings = [(frame, reader.read(_plain(line))) for frame, line in lines]
    right = sum(reading.frame == frame for frame, reading in readings)
    taken = [
        frame
        for frame, reading in readings
        if reading.is_sure and reading.frame not in none and reading.frame != frame
    ]
    assert right >= 0.88 * len(lines)
    assert len(taken) <= 0.02 * len(lines)


def _lines(text: str) -> list[tuple[str, str]]:
    found, frame = [], ""
    for line in text.splitlines():
        if line.startswith("["):
            frame = line.strip("[]")
        elif line and not line.startswith("#"):
            found.append((frame, line))
    return found


def _plain(line: str) -> str:
    return "".join(
        part.split("|")[0] for part in line.replace("{", "\0").replace("}", "\0").split("\0")
    )


def test_every_frame_of_a_skill_is_one_of_the_reader(reader: OrderReader) -> None:
    files = skill_sentences()._files
    known = {name: frame for file in files.values() for name, frame in file.frames.items()}
    assert set(known) | {"talk", "beyond"} == set(reader.frames)
    arguments_of = json.loads(
        (reader_folder("lobug.language.en") / "reader.json").read_text(encoding="utf-8")
    )["arguments"]
    for name, frame in known.items():
        assert frame.needs <= set(arguments_of[name]), name
        assert set(frame.slots) <= set(arguments_of[name]), name
        assert set(frame.also) <= set(known), name
        intents = files[frame.skill].intents.intents
        own_readers = {"TellSum", "TellConversion", "TellDice", "TellCoin", "TimeWhere", "Gone"}
        assert set(frame.intents) <= set(intents) | own_readers, name


CHANGE = Frame.of(
    "alerts",
    {
        "intents": ["Change"],
        "plain": [
            {"shift": "later", "say": "add {time} to the [{name}] {kind}"},
            {"words": ["instead"], "say": "make the {kind} {time} instead"},
            {"say": "change the [{name}] {kind} to {time}"},
        ],
        "needs": ["time"],
        "kind": "timer",
    },
)


@pytest.mark.parametrize(
    ("text", "said", "plain"),
    [
        (
            "Give the pasta another five minutes on the timer.",
            {"time": "five minutes", "name": "pasta"},
            "add five minutes to the pasta timer",
        ),
        (
            "Seven o'clock instead",
            {"time": "Seven o'clock"},
            "make the timer Seven o'clock instead",
        ),
        (
            "I need my alarm to go to seven o'clock.",
            {"time": "to seven o'clock"},
            "change the alarm to seven o'clock",
        ),
        ("Make the pasta timer longer.", {"name": "pasta"}, None),
    ],
)
def test_says_an_order_in_plain_words(text: str, said: dict[str, str], plain: str | None) -> None:
    assert plain_words(CHANGE, said, text) == plain


def test_a_needed_argument_must_be_said() -> None:
    frame = Frame.of(
        "lists", {"intents": ["Add"], "slots": {"things": "items"}, "needs": ["things"]}
    )
    assert slots(frame, {"things": "milk"}) == {"items": "milk"}
    assert slots(frame, {"list": "shopping list"}) is None


def test_the_surest_name_counts_and_things_are_joined() -> None:
    text = "Milk, and for the cake's frosting eggs"
    name = text.index("the cake's")
    reading = Reading(
        "add",
        0.9,
        (
            Quotation("things", 0, 4),
            Quotation("name", name, name + len("the cake's"), 0.9),
            Quotation("name", text.index("frosting"), text.index("frosting") + 8, 0.4),
            Quotation("things", text.index("eggs"), len(text)),
        ),
    )
    assert arguments(reading, text) == {"things": "Milk and eggs", "name": "cake"}
