"""Facts pass only when the user's own words bear them out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en import words
from lobug.language.en.fact_checks import MAX_FACT_CHARS, accept, objection, tidy
from lobug.language.en.prompts import (
    FACT_EXAMPLES,
    distill_base_memory_messages,
    fact_extraction_messages,
    summarize_conversation_messages,
)
from lobug.language.protocol import FACT_TYPES, Candidate
from lobug.memory.index.entry_index import fts_string
from lobug.memory.learning.extraction import parse, pieces
from lobug.memory.learning.model_requests import GarbledAnswerError


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("The user's name is Alex", "My name is Alex and I work at NASA"),
        ("The user works at NASA", "My name is Alex and I work at NASA"),
        ("The user works at NASA", "i work at nassa"),
        ("The user is 25 years old", "I'm twenty-five."),
        ("The user's birthday is on March 12th", "My birthday is on March twelfth."),
        ("The user's favorite color is green", "My favourite colour is green."),
        ("The user moved to Seattle", "We've just moved to Seattle."),
        ("The user went to Rome", "I'm going to Rome, I went there last year"),
        ("The user doesn't like coffee", "I don't like coffee, but I drink tea."),
        ("The user drinks tea", "I don't like coffee, but I drink tea."),
        ("The user dislikes coffee", "I don't like coffee."),
        ("The user does not like liver", "I hate liver."),
        ("The user's sister Julia is a nurse", "My sister Julia is a nurse in Hamburg."),
        ("The user has a sister named Julia", "My sister Julia is a nurse in Hamburg."),
        ("Rex is a labrador", "I have a dog called Rex. He's a labrador."),
        ("The user is a programmer", "I do programming for a living."),
        ("The user's name is Alex", "Ich heiße Alex."),
    ],
)
def test_what_was_told_passes(fact: str, said: str) -> None:
    assert objection(tidy(fact), said) is None


@pytest.mark.parametrize(
    ("fact", "said", "why"),
    [
        ("The capital of Japan is Tokyo", "The capital of Japan is Tokyo.", "subject"),
        ("The user lives in Tokyo", "Tokyo is the capital of Japan.", "subject"),
        ("She likes tea", "I like tea.", "subject"),
        ("The user set a timer", "I like tea.", "words"),
        ("The user's favorite color is blue", "My name is Alex.", "words"),
        ("The user likes coffee and cake", "I like coffee.", "words"),
        ("The user's name is known", "My name is Alex.", "words"),
        ("The user lives in Hamburg", "My sister lives in Hamburg.", "person"),
        ("The user's name is Anna", "My wife is called Anna.", "person"),
        ("The user likes coffee", "I don't like coffee.", "negation"),
        ("The user does not eat fish", "I eat fish twice a week.", "negation"),
        ("The user is tired today", "I am so tired today.", "passing"),
        ("Tea", "I like tea.", "shape"),
        ("Does the user like tea?", "I like tea.", "shape"),
        ("The user likes tea " + "very " * 50 + "much", "I like tea.", "shape"),
    ],
)
def test_what_was_not_told_is_refused(fact: str, said: str, why: str) -> None:
    assert objection(tidy(fact), said) == why


@pytest.mark.parametrize(
    "said", ["My name is Alex.", "I like green tea and I live in Rome.", "Hm."]
)
def test_examples_never_leak_as_facts(said: str) -> None:
    leaked = [c for _, answer in FACT_EXAMPLES for c in parse(answer)]
    assert leaked
    assert accept(leaked, said) == []


def test_every_example_obeys_its_own_guards() -> None:
    for said, answer in FACT_EXAMPLES:
        wanted = parse(answer)
        assert [fact.content for fact in accept(wanted, said)] == [c.fact for c in wanted], said


def test_repetitions_merge_and_types_are_checked() -> None:
    said = "My name is Alex and I like tea."
    accepted = accept(
        [
            Candidate("The user's name is Alex.", "personal"),
            Candidate("the user is named Alex", "personal"),
            Candidate("The user likes tea", "habit"),
            Candidate("User  likes\n tea", " Preference "),
        ],
        said,
    )
    assert [(fact.content, fact.fact_type) for fact in accepted] == [
        ("The user's name is Alex", "personal"),
        ("The user likes tea", "preference"),
    ]


@given(
    st.lists(st.tuples(st.text(max_size=300), st.sampled_from([*FACT_TYPES, "x", ""]))),
    st.text(max_size=300),
)
def test_whatever_a_model_says_the_result_is_sound(
    proposed: list[tuple[str, str]], said: str
) -> None:
    accepted = accept([Candidate(fact, kind) for fact, kind in proposed], said)
    heard = words.words(said)
    for fact in accepted:
        assert fact.fact_type in FACT_TYPES
        assert fact.content == tidy(fact.content)
        assert 8 <= len(fact.content) <= MAX_FACT_CHARS
        assert "\n" not in fact.content
        assert heard


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I have no facts.",
        '[{"fact": "The user',
        '[{"fact": "a", "type": "personal"}',
        "7",
        "{}x",
    ],
)
def test_garbled_and_cut_answers_are_failures(answer: str) -> None:
    with pytest.raises(GarbledAnswerError):
        parse(answer)


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("[]", []),
        ('```json\n[{"fact": "A b c", "type": "event"}]\n```', ["A b c"]),
        ('{"facts": [{"fact": "A b c", "type": "event"}]}', ["A b c"]),
        ('{"fact": "A b c", "type": "event"}', ["A b c"]),
        (
            '[{"fact": 3, "type": "event"}, "x", null, {"fact": "A b c", "type": "event"}]',
            ["A b c"],
        ),
    ],
)
def test_answers_in_other_clothes_are_understood(answer: str, facts: list[str]) -> None:
    assert [candidate.fact for candidate in parse(answer)] == facts


@given(st.lists(st.text(alphabet="ab .", max_size=400), max_size=8))
def test_pieces_lose_no_word_and_stay_short(told: list[str]) -> None:
    cut = list(pieces(told, limit=100))
    assert "".join("".join(cut).split()) == "".join("".join(told).split())
    assert all(len(piece) <= 201 for piece in cut)


def test_what_never_changes_comes_first_in_every_prompt() -> None:
    """The background lane's prompt cache holds only as far as two prompts are the same."""
    pairs = [
        (fact_extraction_messages("I am Ada."), fact_extraction_messages("I am Bob.")),
        (summarize_conversation_messages("User: a"), summarize_conversation_messages("User: b")),
        (
            distill_base_memory_messages("a", ["b"], ["c"]),
            distill_base_memory_messages("", ["e"], []),
        ),
    ]
    for one, other in pairs:
        assert one[:-1] == other[:-1]
        assert one[0].role == "system"
        assert one[-1] != other[-1]
    shown = json.dumps([m.content for m in fact_extraction_messages("I am Ada.")])
    assert shown.count("I am Ada.") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dog's bone, twenty five times", ["the", "dog", "bone", "25", "times"]),
        ("I don\u2019t have two-hundred", ["i", "have", "2", "100"]),
        ("on the 9th, the ninth", ["on", "the", "9", "the", "9"]),
    ],
)
def test_words_are_compared_in_one_form(text: str, expected: list[str]) -> None:
    assert words.words(text) == expected


@given(st.text(max_size=200))
def test_no_text_breaks_a_full_text_query(text: str) -> None:
    query = " OR ".join(map(fts_string, words.content_words(text)))
    assert query.count('"') % 2 == 0
