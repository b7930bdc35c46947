"""What was talked about is told as it stands now, in a few short sentences to the user."""

from __future__ import annotations

import pytest

from lobug.language.en.talk import talked_about
from lobug.language.en.utterances import Utterance, Wrong


def said(*texts: str) -> list[Utterance]:
    return [Utterance("user", text) for text in texts]


def test_topics_are_told_in_the_second_person_and_quotations_as_they_were_said() -> None:
    found = talked_about("today", said("My exam is on Friday.", "We found a flat in Leith."))
    assert found == (
        "Today you told me this.",
        "Your exam is on Friday.",
        'You said: "We found a flat in Leith."',
    )


def test_at_most_four_topics_are_told() -> None:
    towns = ("Rome", "Oslo", "Bath", "Leeds", "York", "Hull")
    found = talked_about("", said(*(f"My cousin in {town} keeps bees." for town in towns)))
    assert len(found) == 5
    assert found[0] == "Lately you told me this."


def test_of_a_rambling_sentence_the_facts_are_told() -> None:
    rambling = (
        "So I was thinking about the garden and you know how it is, one thing leads to another,"
        " and then I dug out the whole hedge with my neighbour Colin before it rained."
    )
    fact = "The user dug out the hedge with the user's neighbour Colin"
    found = talked_about("yesterday", [Utterance("user", rambling, believed=(fact,))])
    assert found[1:] == ("You dug out the hedge with your neighbour Colin.",)


def test_what_was_put_right_since_is_told_as_it_is_right() -> None:
    wrong = Wrong("The user's exam is on Thursday", ("Thursday",), "The user's exam is on Friday")
    message = Utterance("user", "My exam is on Thursday.", wrong=(wrong,))
    assert talked_about("on monday", [message])[1:] == ("Your exam is on Friday.",)


def test_what_is_over_and_not_told_otherwise_is_left_out() -> None:
    wrong = Wrong("The user lives in London", ("London",))
    message = Utterance("user", "I live in London.", wrong=(wrong,))
    assert talked_about("on wednesday", [message]) == (
        "You have put right or taken back what you told me on Wednesday.",
    )
    assert talked_about("today", []) == ("I have no record of anything that you said today.",)


def test_what_was_true_when_it_was_said_is_quoted() -> None:
    wrong = Wrong("The user lives in London", ("London",), was_true=True)
    message = Utterance("user", "I live in London.", wrong=(wrong,))
    assert talked_about("on wednesday", [message]) == (
        "On Wednesday you told me this.",
        'You said: "I live in London."',
    )


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("Play some jazz.",), ("Today you asked me to play some jazz.",)),
        (
            ("Hello.", "How are you?", "What's the weather like?", "Tell me a joke."),
            ("Today you asked about the weather.", "You asked me to tell you a joke."),
        ),
        (("Do I snore?",), ('Today you asked: "Do I snore?"',)),
    ],
)
def test_where_nothing_was_told_what_was_asked_is(
    texts: tuple[str, ...], told: tuple[str, ...]
) -> None:
    assert talked_about("today", said(*texts)) == told
