"""Requests to forget in the words of very different people, and what only sounds like one."""

from __future__ import annotations

import pytest

from lobug.language.claims import USER, Claim
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.language import templates
from lobug.language.protocol import (
    ForgetEverything,
    ForgetLast,
    ForgetStatement,
    ForgetTopic,
    Meaning,
    Ordinary,
)

REQUESTS: tuple[tuple[str, Meaning], ...] = (
    ("oh forget I said that", ForgetLast()),
    ("please forget it", ForgetLast(sure=False)),
    ("That was a lie, forget it.", ForgetLast(sure=False)),
    ("That's a secret, don't tell anyone, forget it!", ForgetLast(sure=False)),
    ("dont keep that", ForgetLast(sure=False)),
    ("Please disregard my previous remark.", ForgetLast()),
    ("Please delete.", ForgetLast(sure=False, asks=True)),
    ("Don't keep my weight in your records.", ForgetTopic("my weight")),
    (
        "What I said about Mr Abernathy is confidential, erase it.",
        ForgetTopic("Mr Abernathy"),
    ),
    (
        "I shouldn't have told you which school she is at, get rid of that.",
        ForgetTopic("which school she is at"),
    ),
    ("I never told you about Vinnie. Delete that.", ForgetTopic("Vinnie")),
    ("Would you mind forgetting my age?", ForgetTopic("my age")),
    ("Forget my rent but keep my landlord's name.", ForgetTopic("my rent")),
    ("He doesn't want me to know, so forget it.", ForgetLast(sure=False, asks=True)),
    ("I don't want my email stored.", ForgetTopic("my email", sure=False)),
    ("Strike that.", ForgetLast(sure=False, asks=True)),
    ("Scratch that last bit.", ForgetLast(asks=True)),
    ("Actually lose that about Chiara, she'd go mental.", ForgetTopic("Chiara")),
    ("Can you also get rid of the bit about my nan dying?", ForgetTopic("my nan dying")),
    ("Could you drop where I grew up?", ForgetTopic("where I grew up", sure=False)),
    (
        "Wipe that, will you, the money in the loft.",
        ForgetTopic("the money in the loft", sure=False),
    ),
    ("I take that back.", ForgetLast(sure=False, asks=True)),
    ("I shouldn't have told you that.", ForgetLast(sure=False, asks=True)),
    ("I shouldn't have told you about my ex.", ForgetTopic("my ex", sure=False, asks=True)),
    ("I earn forty thousand. Forget I said that.", ForgetLast(here=True)),
    ("I earn forty thousand, forget I said that.", ForgetLast(here=True)),
    (
        "Jean wouldn't like me telling you her age, so please forget it.",
        ForgetTopic("Jean's age"),
    ),
    ("I'd rather you didn't know where I work.", ForgetTopic("where I work")),
    ("You should not know that I have diabetes.", ForgetStatement("I have diabetes")),
    ("It's a secret that I'm pregnant, so forget that I am.", ForgetStatement("I'm pregnant")),
    ("Pretend I never told you about the job interview.", ForgetTopic("the job interview")),
    ("Delete what I told you about Porto, please.", ForgetTopic("Porto")),
    ("lol nvm forget what i said about my discord", ForgetTopic("my discord")),
    ("Can you remove the bit about my medication?", ForgetTopic("my medication")),
    ("I want my address off your records.", ForgetTopic("my address")),
    ("Please delete my birthday out of your memory.", ForgetTopic("my birthday")),
    ("Stop remembering what car I drive.", ForgetTopic("what car I drive")),
    ("Kindly expunge what I said regarding my salary.", ForgetTopic("my salary")),
)

ELSEWHERE = """
oh forget it
I've no more money, oh forget it
drop the subject
throw out the sofa
get rid of the stuff on the table
bin the leftovers
clear the table
cancel my appointment
don't remember my password
don't know my neighbours very well
you shouldn't worry about me
I want my wisdom teeth removed
I want my tattoo gone
you never listen
he told me to forget everything
I can't get rid of my cold
I don't want you to sing
Put my address in your memory
keep my address in your records
please don't forget my birthday
Put it in your memory
You didn't hear me.
You never heard me.
You never heard of Elvis?
Don't record me.
Stop recording me.
Then he said, please forget me.
I can't remember my password, forget it.
Do you know what my dad does? Forget it.
Text my wife, please forget what I said.
How do you say, forget what I said, in French?
In the film he says, forget what I told you.
My boss said: forget my holiday.
Forget it, never mind.
""".strip().splitlines()


@pytest.mark.parametrize(("text", "meant"), REQUESTS)
def test_a_request_to_forget_is_understood(text: str, meant: Meaning) -> None:
    assert templates().understand(text) == meant


@pytest.mark.parametrize("text", ELSEWHERE)
def test_what_is_no_request_to_forget(text: str) -> None:
    assert isinstance(templates().understand(text), Ordinary | None)


@pytest.mark.parametrize(
    "text",
    [
        "Don't keep my sister.",
        "I can't come, so don't keep my dinner.",
        "You shouldn't have my picture.",
        "I have my keys, so forget it please.",
        "I told my wife about my job, so forget it.",
        "I want to be forgotten.",
    ],
)
def test_nothing_is_erased_before_a_question_where_it_may_not_be_meant(text: str) -> None:
    meant = templates().understand(text)
    assert isinstance(meant, ForgetEverything) or (isinstance(meant, ForgetTopic) and meant.asks)


def test_please_forget_it_agrees_to_forgetting() -> None:
    assert templates().agrees("Please forget it.") is True
    assert templates().agrees("Yes, forget it.") is True
    assert templates().agrees("Forget it.") is False
    assert templates().agrees("No, please.") is False


def test_a_noun_of_several_stands_for_each() -> None:
    assert {"son", "daughter"} <= CLAIMS.members("children")
    assert "dog" in CLAIMS.members("pets")
    assert not CLAIMS.members("son")


def test_a_full_name_without_the_surname() -> None:
    name = Claim(USER, "name", "Gary Hill")
    left = CLAIMS.without(name, "surname")
    assert left is not None
    assert left.value == "Gary"
    assert CLAIMS.without(Claim(USER, "name", "Gary"), "surname") is None
    assert CLAIMS.without(name, "home") is None
