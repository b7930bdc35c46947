"""Which replies the guard lets pass as they are, and what it says in place of the others."""

from __future__ import annotations

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.orders import SENTENCES, refusal_of
from lobug.language.en.orders import read_order as order_in
from lobug.language.en.prompts import EXAMPLES
from lobug.language.en.segmentation import split_sentences
from lobug.turn.reply_guard import Part, ReplyGuard

DATA = Path(__file__).parent / "data"
CLAIMED = {
    kind: table.strip().splitlines()
    for kind, table in tomllib.loads((DATA / "claimed_deeds_en.toml").read_text()).items()
}
TALK = [
    line
    for table in tomllib.loads((DATA / "orders_en.toml").read_text())["talk"].values()
    for line in table.strip().splitlines()
]
REPLIES = [tuple(pair) for pair in tomllib.loads((DATA / "replies_en.toml").read_text())["talk"]]


def parts(*sentences: str) -> list[Part]:
    return [Part(sentence, ends=True, sentence=sentence) for sentence in sentences]


def guarded(said: str, *sentences: str, learned: bool = False) -> list[str]:
    """What is said of a reply."""
    guard = ReplyGuard(said, learned=learned)
    return [part.text for part in [*guard.check(parts(*sentences)), *guard.end()]]


def test_replies_to_talk_are_left_as_they_are() -> None:
    """The examples of the persona, and ordinary replies to ordinary openings."""
    changed = [
        (said, reply)
        for said, reply in (*EXAMPLES, *REPLIES)
        if guarded(said, *split_sentences(reply)) != list(split_sentences(reply))
    ]
    assert changed == []
    assert len(REPLIES) >= 60


@given(st.sampled_from(TALK), st.lists(st.sampled_from(CLAIMED["honest"]), max_size=5))
def test_honest_sentences_pass_after_any_talk(said: str, sentences: list[str]) -> None:
    assert guarded(said, *sentences) == sentences


@given(
    st.lists(st.sampled_from(CLAIMED["honest"]), max_size=3),
    st.sampled_from(CLAIMED["deed"]),
    st.lists(st.sampled_from(CLAIMED["honest"]), max_size=2),
)
def test_a_claim_ends_the_reply(before: list[str], claim: str, after: list[str]) -> None:
    said = guarded("What do you think?", *before, claim, *after)
    assert said[-1] == SENTENCES["deed"]
    assert set(said[:-1]) <= set(before)


def test_a_claim_after_an_order_gives_its_refusal() -> None:
    said = "It's dark in here, could you turn the lamp on?"
    order = order_in(said)
    assert order is not None
    assert guarded(said, "Okay!", "The lamp is on now.") == [refusal_of(order)]


def test_a_sentence_that_speaks_as_the_user_is_left_out() -> None:
    said = "My name is Maya and I live in Porto."
    echo = "I'm Maya, and I live in Porto."
    assert guarded(said, echo, "How can I help you?") == ["How can I help you?"]
    assert guarded(said, "Hello!", echo) == ["Hello!"]
    assert guarded(said, echo) == ["Thank you for telling me."]


def test_what_was_just_told_is_not_denied() -> None:
    said = "My sister Hanna lives in Rome."
    denial = "I'm sorry, but I don't have any information about Hanna or Rome."
    reply = (denial, "I'm just a small robot.")
    assert guarded(said, *reply, learned=True) == ["Thank you for telling me."]
    nice = "That's nice!"
    assert guarded(said, nice, denial, learned=True) == [nice, "Thank you for telling me."]
    assert guarded(said, *reply) == list(reply)  # nothing was read in the words
    asked = f"{said} Where does Hanna work?"
    unknown = "I don't know where Hanna works."
    assert guarded(asked, unknown, learned=True) == [unknown]


def test_who_asks_for_their_words_gets_them() -> None:
    for said in ("Repeat after me: I live in Porto by the sea.", "Who said I live in Porto, me?"):
        assert guarded(said, "I live in Porto by the sea.") == ["I live in Porto by the sea."]


def test_of_a_sentence_that_is_half_said_the_rest_is_said() -> None:
    guard = ReplyGuard("I live in Porto by the sea.")
    rest = Part("in Porto by the sea.", ends=True, sentence="I live in Porto by the sea.")
    assert [*guard.check([rest]), *guard.end()] == [rest]
