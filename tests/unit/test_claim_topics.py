"""What the topics of "forget ..." and "what do you know about ..." name."""

from __future__ import annotations

import pytest

from lobug.language.claims import Asked
from lobug.language.en.claims.topics import read_topic
from support.claims import asked_of, data_lines


def expected_of(line: str) -> tuple[str, Asked | None]:
    topic, _, rest = line.partition("|")
    return topic.strip(), None if rest.strip() == "none" else asked_of(rest)


TOPICS = [expected_of(line) for line in data_lines("claim_topics.txt")]


@pytest.mark.parametrize(("topic", "expected"), TOPICS)
def test_a_topic_is_read(topic: str, expected: Asked | None) -> None:
    assert read_topic(topic) == expected


def test_there_are_enough_topics() -> None:
    assert len(TOPICS) >= 60


@pytest.mark.parametrize(
    "text", ["", " ", "?", "that", "about", "everything about", "my", "x" * 500]
)
def test_what_names_nothing_is_no_topic(text: str) -> None:
    assert read_topic(text) is None
