"""Stored sentences in the third person, the rules of relations, and values that are the same."""

from __future__ import annotations

import pytest

from lobug.language.en.claims import reader
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.protocol import FACT_TYPES


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("The user's sister is called Anna", [("user/sister", "name", "Anna")]),
        ("The user's sister is called Anna.", [("user/sister", "name", "Anna")]),
        ("The user lives in Portland", [("user", "home", "Portland")]),
        ("Anna is the user's sister", [("user/sister", "name", "Anna")]),
        ("The user is 34 years old", [("user", "age", "34")]),
        ("The user works as a nurse", [("user", "job", "nurse")]),
        ("The user has a dog", [("user", "pet", "dog")]),
        ("The user is allergic to nuts", [("user", "allergy", "nuts")]),
        ("The user's favorite color is blue", [("user", "favourite", "blue")]),
        ("The user likes jazz", [("user", "like", "jazz")]),
        ("The user was born in Ghent", [("user", "origin", "Ghent")]),
        ("The user's name is Morten", [("user", "name", "Morten")]),
        ("The user's sister Hanna lives in Rome", [
            ("user/sister", "name", "Hanna"),
            ("user/sister", "home", "Rome"),
        ]),
        ("The user's dog Rex is a labrador", [
            ("user/dog", "name", "Rex"),
            ("user/dog", "kind", "labrador"),
        ]),
        ("The user's keys are in the kitchen", [("user/keys", "location", "in the kitchen")]),
        ("Hanna lives in Rome", [("hanna", "home", "Rome")]),
    ],
)  # fmt: skip
def test_a_stored_sentence_is_read(sentence: str, claims: list[tuple[str, str, str]]) -> None:
    read = reader.read_fact(sentence)
    assert [("/".join(claim.subject), claim.relation, claim.value) for claim in read] == claims
    assert all(claim.holds and claim.text == sentence for claim in read)


@pytest.mark.parametrize(
    ("sentence", "relation"),
    [
        ("The user does not smoke", "smoking"),
        ("The user no longer lives in London", "home"),
        ("The user used to live in Paris", "home"),
        ("The user doesn't have a dog", "pet"),
        ("The user is not married", "marital_status"),
    ],
)
def test_a_denied_sentence_is_read_as_denied(sentence: str, relation: str) -> None:
    (claim,) = reader.read_fact(sentence)
    assert (claim.relation, claim.holds) == (relation, False)


@pytest.mark.parametrize(
    "sentence",
    [
        "The user lives in Rome and feels happy there",
        "The user enjoyed talking about philosophy",
        "The user's sister said that she might move",
        "The user would like to know more",
        "If the user moves, he will need a car",
        "The user is not sure",
        "",
        "user",
    ],
)
def test_a_sentence_that_is_not_wholly_read_gives_nothing(sentence: str) -> None:
    assert reader.read_fact(sentence) == ()


@pytest.mark.parametrize("relation", [known.id for known in relation_book().relations])
def test_every_relation_has_rules(relation: str) -> None:
    rules = CLAIMS.rules(relation)
    assert rules is not None
    assert rules.id == relation
    assert rules.fact_type in FACT_TYPES


def test_relations_are_ranked_in_the_order_of_the_book() -> None:
    found = [CLAIMS.rules(known.id) for known in relation_book().relations]
    assert [rules.rank for rules in found if rules is not None] == list(range(len(found)))


def test_an_unknown_relation_has_no_rules() -> None:
    assert CLAIMS.rules("shoe_colour") is None


@pytest.mark.parametrize(
    ("relation", "one", "fixed", "fact_type"),
    [
        ("name", True, True, "personal"),
        ("birthday", True, True, "personal"),
        ("origin", True, True, "personal"),
        ("home", True, False, "personal"),
        ("employer", True, False, "personal"),
        ("like", False, False, "preference"),
        ("allergy", False, False, "personal"),
        ("favourite", True, False, "preference"),
        ("takes_place", True, False, "event"),
        ("pet", False, False, "personal"),
    ],
)
def test_the_rules_of_a_relation(relation: str, one: bool, fixed: bool, fact_type: str) -> None:
    found = CLAIMS.rules(relation)
    assert found is not None
    assert (found.one, found.fixed, found.fact_type) == (one, fixed, fact_type)


@pytest.mark.parametrize(
    ("relation", "one", "other"),
    [
        ("car", "a Volvo", "the blue Volvo"),
        ("age", "34", "thirty-four"),
        ("age", "34", "34 years old"),
        ("relative", "mom", "mother"),
        ("pet", "a dog", "dog"),
        ("pet", "puppy", "dog"),
        ("home", "Oxford", "a flat in Oxford"),
        ("home", "oxford", "Oxford"),
        ("like", "Italian food", "italian food"),
        ("like", "dogs", "dog"),
        ("takes_place", "on Tuesday", "Tuesday"),
        ("employer", "Bosch", "the Bosch"),
        ("name", "Hanna", "Hanna Schmidt"),
        ("blood_type", "A", "a"),
        ("children_count", "two kids", "2 children"),
    ],
)
def test_the_same_value(relation: str, one: str, other: str) -> None:
    assert CLAIMS.same_value(relation, one, other)
    assert CLAIMS.same_value(relation, other, one)


@pytest.mark.parametrize(
    ("relation", "one", "other"),
    [
        ("car", "a Volvo", "a Tesla"),
        ("age", "34", "35"),
        ("home", "Oxford", "London"),
        ("like", "pizza", "pizza with pineapple"),
        ("pet", "a dog", "a cat"),
        ("name", "Anna", "Hanna"),
        ("blood_type", "A", "B"),
        ("birthday", "March 3rd", "March 4th"),
        ("children_count", "two kids", "three kids"),
        ("takes_place", "on Tuesday", "on Friday"),
        ("allergy", "nuts", ""),
    ],
)
def test_another_value(relation: str, one: str, other: str) -> None:
    assert not CLAIMS.same_value(relation, one, other)
    assert not CLAIMS.same_value(relation, other, one)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("I live in Rome. My day was strange and long.", ["My day was strange and long."]),
        ("I live in Rome and my knee hurts again.", ["I live in Rome and my knee hurts again."]),
        ("I live in Rome.", []),
        ("Where do I live?", []),
        ("Play some jazz.", []),
        ("Thanks!", []),
        ("If I moved to Rome, I would be happy.", []),
    ],
)
def test_what_is_left_for_the_chat_model(text: str, unread: list[str]) -> None:
    assert list(reader.read(text).unread) == unread


@pytest.mark.parametrize(
    ("text", "corrects"),
    [
        ("That's wrong.", True),
        ("You got that wrong.", True),
        ("No, I'm 36.", True),
        ("I meant Bosch.", True),
        ("No, thanks.", False),
        ("Sorry, I'm late.", False),
        ("No problem.", False),
        ("I live in Rome.", False),
    ],
)
def test_whether_something_was_wrong(text: str, corrects: bool) -> None:
    assert reader.read(text).corrects is corrects


def test_a_correction_may_follow_in_a_sentence_of_its_own() -> None:
    (claim,) = reader.read("That's wrong. I'm 35.").claims
    assert claim.corrects


def test_the_text_of_a_claim_is_as_it_was_said() -> None:
    claims = reader.read("my sister is called hanna and i live in rome").claims
    assert [claim.text for claim in claims] == ["my sister is called hanna", "i live in rome"]
    assert [claim.value for claim in claims] == ["Hanna", "Rome"]
