"""Which sentences of a reply speak as if they were the user."""

from __future__ import annotations

import pytest

from lobug.language.en.echoed_words import may_speak_as_user, speaks_as_user

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
