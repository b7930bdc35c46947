"""First person to third and back: what is told of oneself arrives word for word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en import words
from lobug.language.en.perspective import (
    about_the_user,
    is_first_person,
    reply_to_the_user,
    said_to_the_user,
    sentence_to_the_user,
    spoken_back,
)

TABLE = (
    ("my sister is called Anna", "The user's sister is called Anna", "your sister is called Anna"),
    ("I live in Portland", "The user lives in Portland", "you live in Portland"),
    ("i live in portland", "The user lives in portland", "you live in portland"),
    ("I'm allergic to nuts", "The user is allergic to nuts", "you are allergic to nuts"),
    ("I\u2019m allergic to nuts", "The user is allergic to nuts", "you are allergic to nuts"),
    ("im allergic to nuts", "The user is allergic to nuts", "you are allergic to nuts"),
    ("I am 30 years old", "The user is 30 years old", "you are 30 years old"),
    ("I've got two cats", "The user has got two cats", "you have got two cats"),
    ("I have two cats", "The user has two cats", "you have two cats"),
    ("I don't like coffee", "The user does not like coffee", "you do not like coffee"),
    ("i dont like coffee", "The user does not like coffee", "you do not like coffee"),
    ("I do yoga", "The user does yoga", "you do yoga"),
    ("I go to church", "The user goes to church", "you go to church"),
    ("I watch tennis", "The user watches tennis", "you watch tennis"),
    ("I study law", "The user studies law", "you study law"),
    ("I play the piano", "The user plays the piano", "you play the piano"),
    ("I was born in 1980", "The user was born in 1980", "you were born in 1980"),
    ("we were in Rome", "The user was in Rome", "you were in Rome"),
    ("we have two cats", "The user has two cats", "you have two cats"),
    ("we're getting married", "The user is getting married", "you are getting married"),
    ("our house is blue", "The user's house is blue", "your house is blue"),
    ("the red car is mine", "The red car is the user's", "the red car is yours"),
    ("mine is the red car", "The user's is the red car", "yours is the red car"),
    ("that garden is ours", "That garden is the user's", "That garden is yours"),
    ("my boss hates me", "The user's boss hates the user", "your boss hates you"),
    ("I bought myself a bike", "The user bought themself a bike", "you bought yourself a bike"),
    ("I can't swim", "The user can't swim", "you can't swim"),
    ("I can swim", "The user can swim", "you can swim"),
    ("I will retire in May", "The user will retire in May", "you will retire in May"),
    ("I'll retire in May", "The user will retire in May", "you will retire in May"),
    ("I'd like to see Japan", "The user would like to see Japan", "you would like to see Japan"),
    ("I'd been to Japan", "The user had been to Japan", "you had been to Japan"),
    ("I must not eat salt", "The user must not eat salt", "you must not eat salt"),
    ("I haven't got a car", "The user has not got a car", "you have not got a car"),
    ("I wasn't told", "The user wasn't told", "you weren't told"),
    ("I worked at Nike", "The user worked at Nike", "you worked at Nike"),
    ("I went to Oslo", "The user went to Oslo", "you went to Oslo"),
    ("I need glasses", "The user needs glasses", "you need glasses"),
    ("I used to smoke", "The user used to smoke", "you used to smoke"),
    ("I never eat meat", "The user never eats meat", "you never eat meat"),
    ("I always take the bus", "The user always takes the bus", "you always take the bus"),
    ("I really don't like rain", "The user really does not like rain",
     "you really do not like rain"),
    ("I live in Rome and work at Fiat", "The user lives in Rome and works at Fiat",
     "you live in Rome and work at Fiat"),
    ("I am vegan and have two dogs", "The user is vegan and has two dogs",
     "you are vegan and have two dogs"),
    ("I was born in Rome and I live in Oslo",
     "The user was born in Rome and the user lives in Oslo",
     "you were born in Rome and you live in Oslo"),
    ("my wife and I live in Rome", "The user's wife and the user live in Rome",
     "your wife and you live in Rome"),
    ("my brother and I are twins", "The user's brother and the user are twins",
     "your brother and you are twins"),
    ("me and my wife live in Rome", "The user and the user's wife live in Rome",
     "you and your wife live in Rome"),
    ("the car I drive is red", "The car the user drives is red", "the car you drive is red"),
    ("what I like most is tea", "What the user likes most is tea", "what you like most is tea"),
    ("my dad does not know that I smoke", "The user's dad does not know that the user smokes",
     "your dad does not know that you smoke"),
    ("I moved to the US", "The user moved to the US", "you moved to the US"),
    ("I work in a coal mine", "The user works in a coal mine", "you work in a coal mine"),
    ("World War I ended in 1918", "World War I ended in 1918", "World War I ended in 1918"),
    ("I read a lot", "The user reads a lot", "you read a lot"),
    ("I read a book yesterday", "The user read a book yesterday", "you read a book yesterday"),
    ("I like work and play", "The user likes work and play", "you like work and play"),
    ("I call you Bug", "The user calls Lo-Bug Bug", "you call Lo-Bug Bug"),
    ("you are my best friend", "Lo-Bug is the user's best friend",
     "Lo-Bug is your best friend"),
    ("Anna is allergic to nuts", "Anna is allergic to nuts", "Anna is allergic to nuts"),
    ("anna is my cousin", "Anna is the user's cousin", "Anna is your cousin"),
    ("the wifi password is hunter2", "The wifi password is hunter2",
     "the wifi password is hunter2"),
    ("I live in St. Louis, Missouri.", "The user lives in St. Louis, Missouri",
     "you live in St. Louis, Missouri"),
    ("my birthday is in May please", "The user's birthday is in May", "your birthday is in May"),
    ("I myself am vegan", "The user themself is vegan", "you yourself are vegan"),
    ("  I   live\nin   Rome ", "The user lives in Rome", "you live in Rome"),
)  # fmt: skip


@pytest.mark.parametrize(("said", "fact", "back"), TABLE)
def test_a_statement_in_the_third_person_and_back(said: str, fact: str, back: str) -> None:
    assert about_the_user(said) == fact
    assert said_to_the_user(fact) == back


@pytest.mark.parametrize(
    ("fact", "spoken"),
    [
        ("The user loves their dog", "You love your dog."),
        ("The user's parents sold their house", "Your parents sold their house."),
        ("The user has two dogs and their names are Rex and Max",
         "You have two dogs and their names are Rex and Max."),
        ("Anna hates the user", "Anna hates you."),
        ("The user is married and has three children", "You are married and have three children."),
        ("The user doesn't like tea", "You don't like tea."),
        ("Is it so?", "Is it so?"),
    ],
)  # fmt: skip
def test_what_the_model_extracted_is_spoken_to_the_user(fact: str, spoken: str) -> None:
    assert sentence_to_the_user(fact) == spoken


@pytest.mark.parametrize(
    ("said", "back"),
    [("my sister", "your sister"), ("Anna", "Anna"), ("what I eat", "what you eat"),
     ("myself", "yourself"), ("", "")],
)  # fmt: skip
def test_words_of_the_user_are_repeated(said: str, back: str) -> None:
    assert spoken_back(said) == back


def test_who_speaks_of_themselves() -> None:
    assert is_first_person("that is my dog")
    assert is_first_person("i'd rather not")
    assert not is_first_person("Anna is allergic to nuts")


SUBJECTS = st.sampled_from(["I", "i", "we", "I really", "my sister", "our dog", "my wife and I"])
VERBS = st.sampled_from(
    "live work like love hate have am was don't can will go study watch wish bought went "
    "want need".split()
)
OBJECTS = st.sampled_from(
    ["in Portland", "tea and coffee", "my mother's house", "with us", "myself", "the piano",
     "me and my brothers", "what is mine", "and live in Oslo", "to swim", "at our place", ""]
)  # fmt: skip
STATEMENTS = st.builds(lambda *parts: " ".join(parts).strip(), SUBJECTS, VERBS, OBJECTS)
SPEAKER = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE)
LISTENER = words.stems("you your yours yourself".split())


def plain(text: str) -> set[str]:
    """Content words by their stems, without those of the two who talk and their verbs' forms."""
    found = words.stems(words.content_words(text.replace("the user", "").replace("The user", "")))
    return found - LISTENER - {"themself"}


@given(STATEMENTS)
def test_no_word_of_the_speaker_is_left(statement: str) -> None:
    assert not SPEAKER.search(about_the_user(statement))


@given(STATEMENTS)
def test_the_way_there_and_back_keeps_the_content(statement: str) -> None:
    back = said_to_the_user(about_the_user(statement))
    assert plain(back) == plain(statement)
    assert "the user" not in back.lower()


@given(STATEMENTS)
def test_a_fact_is_in_the_third_person_already(statement: str) -> None:
    fact = about_the_user(statement)
    assert about_the_user(fact) == fact


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(said_to_the_user(about_the_user(text)), str)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Anna is the user's sister.", "Anna is your sister."),
        ("Today, the user has a cat!", "Today, you have a cat!"),
        ("The user interface is nice.", "The user interface is nice."),
        ("Your sister is 'Anna'", "Your sister is 'Anna'"),
    ],
)
def test_a_reply_that_repeats_its_notes_is_said_to_the_user(written: str, said: str) -> None:
    assert reply_to_the_user(written) == said
