"""What is a command about memory, and what only sounds like one."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hassil import recognize_all
from hypothesis import given
from hypothesis import strategies as st

from lobug.language import language_of
from lobug.language.en.forget_requests import LONGEST
from lobug.language.en.language import MOST_SENTENCES, templates
from lobug.language.protocol import (
    Correct,
    ForgetEverything,
    ForgetLast,
    ForgetStatement,
    ForgetTopic,
    ForgetUnsaid,
    Meaning,
    Ordinary,
    Recite,
    ReciteTopic,
    Remember,
    SentenceKind,
    Why,
    Wrong,
)

ENGLISH = templates()

COMMANDS: tuple[tuple[str, Meaning], ...] = (
    ("remember that my sister is called Anna", Remember(("my sister is called Anna",))),
    ("Remember that my sister's called Anna.", Remember(("my sister's called Anna",))),
    ("Please remember: my wifi password is hunter2.", Remember(("my wifi password is hunter2",))),
    ("Lo-Bug, remember that I live in Portland!", Remember(("I live in Portland",))),
    ("lo-bug remember that i live in portland", Remember(("i live in portland",))),
    ("hey lo bug remember i'm allergic to nuts", Remember(("i'm allergic to nuts",))),
    ("Hey Lo-Bug, please remember that I'm 30.", Remember(("I'm 30",))),
    ("don't forget that I have two cats", Remember(("I have two cats",))),
    ("don\u2019t forget that I have two cats", Remember(("I have two cats",))),
    ("can you remember that Anna is allergic to nuts", Remember(("Anna is allergic to nuts",))),
    ("I want you to remember that we have two cats", Remember(("we have two cats",))),
    ("keep in mind that the wifi password is 1234", Remember(("the wifi password is 1234",))),
    ("make a note that my car is in garage 4", Remember(("my car is in garage 4",))),
    ("my favorite color is green, remember that", Remember(("my favorite color is green",))),
    ("My name is Ada, please remember that.", Remember(("My name is Ada",))),
    ("Remember this: I was born in 1980.", Remember(("I was born in 1980",))),
    ("remember my birthday is in may", Remember(("my birthday is in may",))),
    ("Remember that I live in Rome. I also like cats.",
     Remember(("I live in Rome", "I also like cats"))),
    ("Remember that I live in Rome. Thank you.", Remember(("I live in Rome",))),
    ("remember that she is my cousin", Remember(("she is my cousin",))),
    ("remember that you are my friend", Remember(("you are my friend",))),
    ("forget that I live in Portland", ForgetStatement("I live in Portland")),
    ("please forget that my sister is called Anna", ForgetStatement("my sister is called Anna")),
    ("can you forget that i am married", ForgetStatement("i am married")),
    ("Lo-Bug, forget that Anna is my sister.", ForgetStatement("Anna is my sister")),
    ("don't remember that I smoke", ForgetStatement("I smoke")),
    ("erase from your memory that I smoke", ForgetStatement("I smoke")),
    ("Forget.", ForgetUnsaid()),
    ("Forget that, it's embarrassing.", ForgetLast(sure=False)),
    ("scratch that its private", ForgetLast(sure=False)),
    ("When did I tell you about the kayak?", Why(sure=False, topic="the kayak")),
    ("forget what I said about my job", ForgetTopic("my job")),
    ("Forget everything I told you about my ex-wife.", ForgetTopic("my ex-wife")),
    ("forget everything you know about Anna", ForgetTopic("Anna")),
    ("forget my address", ForgetTopic("my address")),
    ("forget where I live", ForgetTopic("where I live")),
    ("please don't remember how much I earn", ForgetTopic("how much I earn")),
    ("I don't want you to remember my sister's name", ForgetTopic("my sister's name")),
    ("I'd rather you forgot my address", ForgetTopic("my address")),
    ("delete my door code", ForgetTopic("my door code", sure=False)),
    ("forget her", ForgetTopic("her", sure=False)),
    ("forget everything about him", ForgetTopic("him")),
    ("forget what I told you a minute ago", ForgetLast()),
    ("pretend I never said that", ForgetLast()),
    ("delete my phone number from your memory", ForgetTopic("my phone number")),
    ("delete everything you know about my boss", ForgetTopic("my boss")),
    ("forget what I just said", ForgetLast()),
    ("please forget the last thing I said", ForgetLast()),
    ("forget everything", ForgetEverything()),
    ("Forget everything about me.", ForgetEverything()),
    ("forget everything you know about me", ForgetEverything()),
    ("hey lobug delete all your memories", ForgetEverything()),
    ("wipe your memory", ForgetEverything()),
    ("what do you know about me?", Recite()),
    ("what do you remember about me", Recite()),
    ("Tell me everything you know about me.", Recite()),
    ("what's in your memory", Recite()),
    ("hi lobug what do you know about me", Recite()),
    ("what do you remember about my sister?", ReciteTopic("my sister", sure=True)),
    ("what do you know about my sister", ReciteTopic("my sister", sure=True)),
    ("do you remember anything about Anna", ReciteTopic("Anna", sure=True)),
    ("what do you know about black holes", ReciteTopic("black holes", sure=False)),
    ("that's wrong", Wrong()),
    ("No, that's not right.", Wrong()),
    ("That's wrong, my sister is called Hannah.", Correct("my sister is called Hannah")),
    ("That's wrong. My sister is called Hannah.", Correct("My sister is called Hannah")),
    ("no thats not right i live in seattle", Correct("i live in seattle")),
    ("you got that wrong my sister is Hannah", Correct("my sister is Hannah")),
    ("correction: I live in Seattle", Correct("I live in Seattle")),
    ("that's wrong, my name is Alex, not Alan", Correct("my name is Alex", "Alan")),
    ("that's wrong, my name is not Alan", Correct("my name is not Alan")),
    ("actually my name is Alex, not Alan", Correct("my name is Alex", "Alan", sure=False)),
    ("no, my name is Alex, not Alan", Correct("my name is Alex", "Alan", sure=False)),
    ("it's Hannah, not Anna", Correct("Hannah", "Anna", sure=False)),
    ("which memories did you use?", Why(sure=True)),
    ("what memories did you use for that", Why(sure=True)),
    ("did you use any memories for that", Why(sure=True)),
    ("how do you know that?", Why(sure=False)),
    ("who told you that", Why(sure=False)),
    ("how do you know my name", Why(sure=False, topic="my name")),
    ("how do you know where I live", Why(sure=False, topic="where I live")),
)  # fmt: skip

NOT_COMMANDS = """
do you remember my name?
can you remember my name
do you remember that my sister is called Anna?
I can't remember the song
i cannot remember where i put it
I forgot my keys
I always forget my umbrella
you forgot my birthday
did you forget my birthday
don't forget to call mum
please don't forget to water the plants
don't forget the milk
don't forget your umbrella
remember to buy milk
remember that song we heard yesterday
remember that time we went to Rome
remember that guy who is always late
remember that movie?
remember when we met
remember the Alamo
remember the movie we saw
remember me?
I remember my first day at school
I'll remember that
I will never forget that day
forget it
forget about it
forget that idea
let's forget that idea
forget the question
never mind
where did I live before?
what is my sister's name?
how do I delete a file
how can I improve my memory
how much memory do you have
my memory is bad
the doctor says I have bad memory
that's wrong on so many levels
what's wrong with you
I was wrong
I don't think that's wrong
he told me to forget everything
I want to forget everything
actually I like tea
no I don't
no, I live in Seattle
I like tea, not coffee
remind me to remember the milk
what did you just say
tell me something I don't know
sorry I forgot that you are a robot
can you delete my alarm
remove the timer
I don't remember my password
save the file
note to self buy milk
how are you today
good morning
""".strip().splitlines()


@pytest.mark.parametrize(("text", "said"), COMMANDS)
def test_a_command_is_understood(text: str, said: Meaning) -> None:
    assert ENGLISH.understand(text) == said


@pytest.mark.parametrize(("text", "said"), COMMANDS)
def test_a_command_without_punctuation_and_capitals_is_the_same_one(
    text: str, said: Meaning
) -> None:
    heard = text.lower().translate(str.maketrans("", "", ".,!?:"))
    assert type(ENGLISH.understand(heard)) is type(said)


@pytest.mark.parametrize("text", NOT_COMMANDS)
def test_what_only_sounds_like_a_command_is_none(text: str) -> None:
    assert isinstance(ENGLISH.understand(text), Ordinary | None)


@pytest.mark.parametrize("text", NOT_COMMANDS)
def test_what_only_sounds_like_a_command_does_not_ask_the_model(text: str) -> None:
    """An everyday sentence must not wait for the model to say that it is one."""
    assert ENGLISH.understand(text) is not None or ENGLISH.possible_command(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Remember for me this thing about Anna", "order"),
        ("have you got a memory of my aunt?", "question"),
        ("you have it all wrong about my aunt", "statement"),
    ],
)
def test_words_of_memory_that_fit_no_template_are_worth_asking_the_model(
    text: str, kind: str
) -> None:
    assert ENGLISH.understand(text) is None
    assert ENGLISH.possible_command(text) == kind


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", True), ("Yes, forget everything.", True), ("yes please", True), ("okay", True),
        ("sure, do it", True), ("lo-bug yes", True),
        ("no", False), ("No, thanks.", False), ("never mind", False), ("forget it", False),
        ("yes what's the time", None), ("what's the time", None), ("yesterday", None),
        ("yes but not my name", None),
    ],
)  # fmt: skip
def test_yes_no_and_neither(text: str, answer: bool | None) -> None:
    assert ENGLISH.agrees(text) is answer


def test_the_longest_command_and_one_more() -> None:
    text = "remember that I like " + "x" * (LONGEST - 21)
    assert isinstance(ENGLISH.understand(text), Remember)
    assert ENGLISH.understand(text + "x") is None


def test_a_language_without_templates_has_none() -> None:
    assert language_of("xx").commands is None
    assert language_of("../en").commands is None


@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    _is_taken(text)


PIECES = "please hey lobug remember that forget everything you know about me not wrong".split()


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_the_words_of_memory_in_any_order_are_taken(pieces: list[str]) -> None:
    _is_taken(" ".join(pieces))


def _is_taken(text: str) -> None:
    understood = ENGLISH.understand(text)
    assert isinstance(understood, Meaning | Ordinary | None)
    assert ENGLISH.understand(f"  {text} ") == understood, "spaces around it change nothing"
    assert ENGLISH.agrees(text) in {True, False, None}
    assert ENGLISH.possible_command(text) in {None, *get_args(SentenceKind)}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("So what do you know about me now?", Recite()),
        ("And forget about Adam, everything.", ForgetTopic("Adam", sure=False)),
        ("It was nice. Forget where I live, I mean.", ForgetTopic("where I live")),
    ],
)
def test_what_stands_around_a_request_does_not_hide_it(text: str, meant: object) -> None:
    assert templates().understand(text) == meant


def test_of_many_sentences_only_the_last_few_are_matched(monkeypatch: pytest.MonkeyPatch) -> None:
    matched: list[str] = []

    def counted(text: str, *args: Any, **options: Any) -> Any:
        matched.append(text)
        return recognize_all(text, *args, **options)

    monkeypatch.setattr("lobug.language.en.templates.recognize_all", counted)
    assert templates().understand(f"{'a. ' * 190}Forget my age.") == ForgetTopic("my age")
    assert templates().understand("a. " * 200) is None
    assert len(matched) <= 2 * MOST_SENTENCES + 1, "and the text as a whole, once"
