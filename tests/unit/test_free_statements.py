"""Statements that no relation holds: which are kept, which overtake others, which answer."""

from __future__ import annotations

import pytest

from lobug.language.claims import STATEMENT
from lobug.language.en.claims import free_statements
from lobug.language.en.claims.english import CLAIMS


@pytest.mark.parametrize(
    "said",
    [
        "I owe Sandra twenty pounds.",
        "my mum is in ward six",
        "By the way, I start work at seven.",
        "The spare key's with Mrs Patel next door.",
        "I've put the car keys in my coat pocket.",
        "My phone broke, so I have a Fairphone now.",
    ],
)
def test_what_no_relation_holds_is_kept_as_it_was_said(said: str) -> None:
    heard = CLAIMS.read(said)
    assert [claim.value for claim in heard.claims if claim.relation == STATEMENT] == [
        said.removeprefix("By the way, ").rstrip(".")
    ] or heard.claims[0].relation == "location"
    assert heard.is_kept or not heard.unread


@pytest.mark.parametrize(
    "said",
    [
        "I'm bored.",
        "I had pizza for dinner.",
        "I think it's a nice day.",
        "I have a question.",
        "I'm cooking dinner.",
        "I want to hear a joke.",
        "Maybe I owe Sandra twenty pounds.",
        "Tom says I'm lazy.",
        "I love you.",
        "What is my favourite food?",
        "whats my name",
        "It's on the mantelpiece.",
        "One sugar.",
    ],
)
def test_what_passes_or_is_of_the_talk_is_not_kept(said: str) -> None:
    claims = CLAIMS.read(said).claims
    assert [claim.value for claim in claims if claim.relation == STATEMENT] == []


@pytest.mark.parametrize(
    ("earlier", "later", "over"),
    [
        ("The user has a Nokia phone", "My phone broke, so I have a Fairphone now", True),
        ("The user's car keys are on the hook", "I've put the car keys in my coat pocket", True),
        ("The party is on Saturday", "The party's off", True),
        ("The user vapes", "I've stopped vaping", True),
        ("The user's sister plays chess", "I don't play chess", False),
        ("The user owes Sandra twenty pounds", "I owe Tom ten pounds", False),
        ("The user likes tea", "I sold the piano", False),
    ],
)
def test_what_a_later_statement_ends(earlier: str, later: str, over: bool) -> None:
    assert free_statements.overtakes(later, earlier) is over


@pytest.mark.parametrize(
    ("question", "statement", "tells"),
    [
        ("How much do I owe Sandra?", "The user owes Sandra twenty pounds", True),
        ("How much do I owe Tom?", "The user owes Sandra twenty pounds", False),
        ("When am I flying to Oslo?", "The user is flying to Oslo on Sunday", True),
        ("When am I flying to Oslo?", "The user is flying to Oslo", False),
        ("Where is the spare key?", "The spare key is with Mrs Patel next door", True),
        ("Do I play chess?", "The user's sister plays chess", False),
        ("What is the weather?", "The user owes Sandra twenty pounds", False),
        ("How many children do I have?", "The user has four children: Ann, Bob, Cleo, Dan", True),
    ],
)
def test_what_answers_a_question(question: str, statement: str, tells: bool) -> None:
    assert free_statements.answers(question, statement) is tells
