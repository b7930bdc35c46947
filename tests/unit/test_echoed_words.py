"""Which sentences of a reply speak as if they were the user, or deny what the user just told."""

from __future__ import annotations

import pytest

from lobug.language.en.echoed_words import (
    denies_knowing,
    may_deny_knowing,
    may_speak_as_user,
    speaks_as_user,
)

ECHOED = [
    ("My name is Maya and I live in Porto.", "I'm Maya, and I live in Porto."),
    ("My name is Maya and I live in Porto.", "My name is Maya."),
    ("Hi, I\u2019m Maya!", "I'm Maya."),
    ("this is Ben, by the way", "I am Ben, and I'm here to help."),
    ("I have two cats called Max and Moritz.", "I have two cats called Max and Moritz."),
    ("My sister lives in Rome with her dog.", "My sister lives in Rome, too."),
    ("we're moving to Lisbon in May", "We're moving to Lisbon!"),
]
OWN = [
    ("My name is Maya and I live in Porto.", "Nice to meet you, Maya!"),
    ("My name is Maya and I live in Porto.", "I'm Lo-Bug, and I live on your desk."),
    ("My name is Maya and I live in Porto.", "You're Maya, and you live in Porto."),
    ("I like jazz.", "I like jazz too."),
    ("I'm sorry.", "I'm sorry to hear that."),
    ("I don't know what to cook.", "I'd try soup."),
    ("I have two cats.", 'You said: "I have two cats."'),
    ("I think it will rain.", "I think so too."),
    ("", "I'm here."),
    ("My name is Maya.", ""),
]


@pytest.mark.parametrize(("said", "reply"), ECHOED)
def test_the_users_words_about_themself_are_not_lo_bugs(said: str, reply: str) -> None:
    assert speaks_as_user(reply, said)
    words = reply.split()
    assert all(may_speak_as_user(" ".join(words[:end]), said) for end in range(1, len(words) + 1))


@pytest.mark.parametrize(("said", "reply"), OWN)
def test_lo_bug_speaks_for_itself(said: str, reply: str) -> None:
    assert not speaks_as_user(reply, said)


HANNA = "My sister Hanna lives in Rome."
DENIED = [
    (HANNA, "I'm sorry, but I don't know where Hanna lives."),
    (HANNA, "I\u2019m sorry, but I don\u2019t have any information about Hanna or Rome."),
    (HANNA, "Unfortunately, I have no information about your sister."),
    (HANNA, "I do not know your sister."),
    (HANNA, "I'm sorry, but I don't know about your sister."),
    (HANNA, "Hmm, I'm not sure who Hanna is."),
    ("My boss is called Peter.", "I don't have information about your boss."),
    ("I live in Porto.", "I can't find any details about Porto."),
]
NOT_DENIED = [
    (HANNA, "I don't know much about Rome, what is it like?"),
    (HANNA, "I don't know what to say!"),
    (HANNA, "I'm sorry, but I don't know where Tom lives."),
    (HANNA, "I'm glad to hear that!"),
    (HANNA, "I have never been to Rome."),
    (HANNA, "She says that I don't know where Hanna lives."),
    (HANNA, "Rome is lovely, I don't know where to begin."),
    (HANNA, ""),
]


@pytest.mark.parametrize(("said", "reply"), DENIED)
def test_what_was_told_is_not_unknown(said: str, reply: str) -> None:
    assert denies_knowing(reply, said)
    words = reply.split()
    assert all(may_deny_knowing(" ".join(words[:end])) for end in range(1, len(words) + 1))


@pytest.mark.parametrize(("said", "reply"), NOT_DENIED)
def test_what_was_not_told_may_be_unknown(said: str, reply: str) -> None:
    assert not denies_knowing(reply, said)


@pytest.mark.parametrize(
    "beginning", ["Oh, that's", "I'm glad", "I am sorry to", "Thank", "I don't think"]
)
def test_other_beginnings_need_not_wait(beginning: str) -> None:
    assert not may_deny_knowing(beginning)
