"""Statements that no relation holds: which are kept, which overtake others, which answer."""

from __future__ import annotations

import pytest

from lobug.language.claims import STATEMENT
from lobug.language.en.claims import free_questions, statement_comparison
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
        ("The user has a sofa in the spare room", "I must get rid of the sofa", False),
        ("The user has a sofa in the spare room", "I can't get rid of the sofa", False),
        ("The user has a sofa in the spare room", "I had to get rid of the sofa", True),
        ("The user eats bread", "I can't eat bread any more", True),
        ("The user's neighbour owns a new camera", "My neighbour has a new mirror", False),
        ("The user's sister has a new bicycle", "My sister bought a new car", False),
        ("The user's sister has an old car", "My sister bought a new car", True),
        ("The user's boss drives a Fiat", "My boss has a new Fiat", True),
        ("The user's neighbour owns a new camera", "My neighbour now has a new mirror", False),
        ("The user's neighbour Tom has a new camera", "My neighbour Tom has a new mirror", False),
        ("Tom has a new camera", "Tom has a new mirror", False),
        ("Tom has an old camera", "Tom bought a new camera", True),
        ("The user's brother is homeless", "My brother bought a dog", False),
        ("The user's keys are lost", "My keys were found in the garden", True),
        ("The user's passport is lost", "My passport has been found", True),
        ("The user's phone is broken", "My phone is new", True),
        ("My mum's glasses are broken", "My mum has a new pair of glasses", True),
        ("The user has lost the keys", "I have a new set of keys", True),
        ("The user lost the keys", "I found my keys two days ago", True),
        ("My cat is missing", "My cat was found alive", True),
        ("The user's grandson is due in March", "My grandson was born in March", True),
        ("The user's sister looks for a flat", "My sister has found a flat", True),
    ],
)
def test_what_a_later_statement_ends(earlier: str, later: str, over: bool) -> None:
    assert statement_comparison.overtaking(later)(earlier) is over


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
    assert free_questions.answering(question)(statement) is tells


@pytest.mark.parametrize(
    ("question", "statement", "told"),
    [
        ("Who owes me money?", "Lucinda owes the user sixty pounds", True),
        ("Do I owe Lucinda money?", "Lucinda owes the user sixty pounds", False),
        ("What's my dog's name?", "The user's sister's dog is called Flocke", False),
        ("What animals do I keep?", "The user keeps forty alpacas on the hill farm", True),
        ("What do I think of my stepdad?", "The user dislikes the user's stepdad", True),
        ("What do I think of my stepdad?", "The user's stepdad is a roofer", False),
        ("whats my band called", "The user is in a band called Static Llama", True),
        ("whats my tortoise called", "The user has a tortoise", False),
        ("Who do I work for?", "The user works as an accountant", False),
        ("When did I get married?", "Arthur and the user got married in 1961", True),
        ("Where do you live?", "The user lives in Cromer", False),
    ],
)
def test_a_statement_answers_what_it_tells(question: str, statement: str, *, told: bool) -> None:
    assert CLAIMS.answering(question)(statement) is told


@pytest.mark.parametrize(
    ("topic", "sentence", "told"),
    [
        ("where I work", "The user dislikes the user's job at Wetherby's", True),
        ("where I work", "The user's sister hates her job", False),
        ("that I owe the tax office money", "The user owes the tax office 3000 pounds", True),
        ("where I live", "The user's bungalow is on Larkspur Close", True),
        ("where I live", "The user likes jazz", False),
    ],
)
def test_a_topic_is_found_in_other_words(topic: str, sentence: str, *, told: bool) -> None:
    assert CLAIMS.telling(topic)(sentence) is told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much do I owe Patrick?", "You haven't told me how much you owe Patrick."),
        ("how long have I been married?", "You haven't told me how long you have been married."),
        (
            "Do I owe my sister anything?",
            "You haven't told me whether you owe your sister anything.",
        ),
        ("When did I buy my bike?", "You haven't told me when you bought your bike."),
        ("How much do I owe in tax?", ""),
        ("How long have I been talking?", ""),
        ("What did I do wrong?", ""),
        ("Who did you marry?", ""),
        ("How long do eggs take to boil?", ""),
    ],
)
def test_what_only_the_user_could_have_told_is_known_to_be_untold(
    question: str, answer: str
) -> None:
    assert CLAIMS.unknown(question) == answer
