"""What decides on recall: what is asked, in which order, and how much of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.questions import about_others, analyse
from lobug.language.en.speech_acts import is_taken_back
from lobug.memory.model import Category, Entry, Hit, Layer, LoggedMessage, Recalled, Source, Status
from lobug.memory.recall.ranking import (
    HALF_LIFE_S,
    STATEMENT_FLOOR,
    STRONG_MATCH,
    budget_tokens,
    in_prompt_order,
    interleaved,
    repeats_a_fact,
    select_entries,
    select_turns,
    tokens_of,
    within_budget,
)
from lobug.memory.recall.readings import Readings, is_outdated
from lobug.memory.recall.turn_search import QUESTION_FLOOR, TURN_FLOOR

NOW = 1_790_000_000.0
READINGS = Readings()

ENTRY = Entry(
    id=1, key="k", content="The user drinks tea", layer="knowledge", category="knowledge",
    scope="user", user="ada", conversation=None, session_id=None, fact_type="preference",
    section=None, importance=0.5, source="system", status="active", reason=None, tags=(),
    project=None, task_id=None, said_at=NOW, created_at=NOW, updated_at=NOW, valid_from=NOW,
    valid_until=None, expired_at=None, replaced_by=None, source_message_id=None,
    from_message_id=None, to_message_id=None, recall_count=0, last_recalled_at=None,
)  # fmt: skip


def hit(
    number: int,
    confidence: float,
    *,
    layer: Layer = "knowledge",
    status: Status = "active",
    source: Source = "system",
    importance: float = 0.5,
    age_s: float = 0.0,
) -> Hit:
    entry = replace(
        ENTRY,
        id=number,
        layer=layer,
        status=status,
        reason=None if status == "active" else "superseded",
        source=source,
        importance=importance,
        said_at=NOW - age_s,
    )
    return Hit("memory", number, entry.content, entry.said_at, 0.0, confidence, entry)


def chosen(question: str, *hits: Hit, limit: int = 5) -> list[int]:
    return [h.id for h in select_entries(hits, analyse(question), floor=0.3, limit=limit, now=NOW)]


@pytest.mark.parametrize(
    "text", ["Good morning!", "thank you", "", "?!", "How are you?", "Nice to meet you, Lo-Bug."]
)
def test_small_talk_recalls_nothing(text: str) -> None:
    assert analyse(text).small_talk
    assert chosen(text, hit(1, 1.0)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Where do I work?",
        "What is my job?",
        "who am i meeting today",
        "Who am I?",
        "I saw Anna",
        "Wo wohne ich?",
    ],
)
def test_what_a_memory_could_answer_is_no_small_talk(text: str) -> None:
    assert not analyse(text).small_talk


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("Where did I live before?", True),
        ("Where is my old flat?", True),
        ("How old am I?", False),
        ("What is my first name?", False),
        ("What was my old phone number?", True),
        ("Where did I use to work?", True),
        ("what did my sister's dog used to be called", True),
        ("Wo habe ich früher gewohnt?", True),
        ("Where do I live?", False),
        ("What is my phone number?", False),
        ("I used to live in Rome.", False),
    ],
)
def test_questions_about_the_past_are_told_from_others(text: str, past: bool) -> None:
    assert analyse(text).past is past
    assert chosen(text, hit(1, 0.9, status="past")) == ([1] if past else [])


def test_the_archive_answers_on_demand_or_on_a_strong_match() -> None:
    weak = hit(1, STRONG_MATCH - 0.01, layer="archive")
    strong = hit(2, STRONG_MATCH, layer="archive")
    assert chosen("What do I drink?", weak, strong) == [2]
    assert chosen("What did I drink last week?", weak, strong) == [2, 1]


def test_facts_come_before_the_archive() -> None:
    assert chosen("What do I drink?", hit(1, 0.9, layer="archive"), hit(2, 0.5)) == [2, 1]


def test_what_is_inactive_or_in_every_prompt_anyway_is_not_recalled() -> None:
    inactive = hit(1, 1.0, status="inactive")
    identity = hit(2, 1.0, layer="identity")
    assert chosen("What did I drink before?", inactive, identity) == []


def test_nothing_below_the_floor() -> None:
    assert chosen("What do I drink?", hit(1, 0.29), hit(2, 0.3)) == [2]


def test_of_two_that_fit_alike_the_more_trusted_comes_first() -> None:
    order: tuple[Source, ...] = ("system", "agent", "user", "correction")
    hits = [hit(number, 0.5, source=source) for number, source in enumerate(order)]
    assert chosen("What do I drink?", *hits) == [3, 2, 1, 0]


def test_of_two_that_have_every_word_the_meaning_tells_which_answers() -> None:
    locker = hit(1, 1.0, source="user", importance=0.9)
    nurse = hit(2, 1.0)
    assert chosen("Where do I work?", locker, nurse) == [1, 2]
    near = replace(nurse, parts={"meaning": 0.47})
    far = replace(locker, parts={"meaning": 0.31})
    assert chosen("Where do I work?", far, near) == [2, 1]


def test_recency_and_importance_are_mild() -> None:
    old, new = hit(1, 0.5, age_s=20 * HALF_LIFE_S), hit(2, 0.5)
    assert chosen("What do I drink?", old, new) == [2, 1]
    assert chosen("What do I drink?", hit(1, 0.6, age_s=20 * HALF_LIFE_S), new) == [1, 2]
    dull, grave = hit(1, 0.5, importance=0.0), hit(2, 0.5, importance=1.0)
    assert chosen("What do I drink?", dull, grave) == [2, 1]


def test_the_score_says_what_it_consists_of() -> None:
    (found,) = select_entries(
        [hit(1, 0.5)], analyse("What do I drink?"), floor=0.3, limit=5, now=NOW
    )
    parts = ("relevance", "trust", "recency", "importance")
    assert found.score == pytest.approx(sum(found.parts[name] for name in parts))


@pytest.mark.parametrize(
    ("most", "added_ms", "speed", "tokens"),
    [(4_000, 1_200.0, 15.0, 80), (4_000, 1_200.0, None, 4_000), (50, 1_200.0, 15.0, 50),
     (4_000, 0.0, 15.0, 0)],
)  # fmt: skip
def test_the_budget_follows_the_models_reading_speed(
    most: int, added_ms: float, speed: float | None, tokens: int
) -> None:
    assert budget_tokens(most, added_ms, speed) == tokens


def test_a_token_is_worth_fewer_characters_in_other_scripts() -> None:
    assert tokens_of("a" * 40) == 10
    assert tokens_of("用" * 30) == 20


@given(
    st.lists(st.text(min_size=1, max_size=400), max_size=20),
    st.integers(0, 500),
    st.integers(0, 10),
)
def test_what_is_taken_fits_and_keeps_its_order(texts: list[str], tokens: int, most: int) -> None:
    memories = [Recalled("memory", n, text, NOW, 0.5) for n, text in enumerate(texts)]
    taken = within_budget(memories, tokens, most)
    assert [memory.id for memory in taken] == sorted(memory.id for memory in taken)
    assert len(taken) <= most
    cost = sum(tokens_of(memory.content) + 8 for memory in taken[1:])
    first = tokens_of(taken[0].content) + 8 if taken else 0
    assert cost + first <= tokens or len(taken) <= 1
    if memories and most:
        assert taken[0] is memories[0]


def turn(number: int, confidence: float, role: Literal["user", "assistant"] = "user") -> Hit:
    said = f"We ate {number} figs"
    return Hit("turn", number, said, NOW, 0.0, confidence, role=role)


def chosen_turns(
    question: str, *hits: Hit, known: Collection[int] = (), held: Collection[int] = ()
) -> list[int]:
    found = select_turns(hits, analyse(question), known=known, held=held, limit=3)
    return [hit.id for hit in found]


def test_former_turns_answer_questions_and_nothing_else() -> None:
    assert chosen_turns("What did we eat?", turn(1, 0.9), turn(2, TURN_FLOOR)) == [1, 2]
    assert chosen_turns("We are going to eat figs again.", turn(1, 0.59)) == []
    assert chosen_turns("wear did we eat figs", turn(1, STATEMENT_FLOOR)) == [1]
    assert chosen_turns("Good morning!", turn(1, 0.9)) == []


def test_no_turn_goes_in_when_none_fits_well() -> None:
    assert chosen_turns("What did we eat?", turn(1, QUESTION_FLOOR - 0.01)) == []
    assert chosen_turns("What did we eat?", turn(1, QUESTION_FLOOR), turn(2, TURN_FLOOR / 2)) == [1]


def test_of_what_the_prompt_holds_the_best_is_repeated_for_a_question() -> None:
    hits = [turn(1, 0.9), turn(2, 0.8), turn(3, 0.7)]
    assert chosen_turns("What did we eat?", *hits, held={1, 2}) == [1, 3]
    assert chosen_turns("What did we eat?", *hits, held={2, 3}) == [1, 2]
    assert chosen_turns("We ate figs again, in a bowl.", *hits, held={1, 2}) == [3]


@pytest.mark.parametrize(
    ("said", "later", "taken_back"),
    [
        ("I live in Portland.", ["I moved to Seattle."], True),
        ("My favorite color is blue.", ["No, actually it is green."], True),
        ("My name is Alex.", ["Good morning!", "Call me Sam from now on."], True),
        ("I work at NASA.", ["I don't work there any more."], True),
        ("My sister is called Clara.", ["I live in Boston.", "Good morning!"], False),
        ("I am allergic to peanuts.", [], False),
        ("I live in Portland.", ["What is the weather like?", "Tell me a joke."], False),
        ("I live in Portland.", ["What is the weather like?", "No, thank you."], False),
    ],
)
def test_what_was_put_right_later_is_no_memory(
    said: str, later: list[str], taken_back: bool
) -> None:
    assert (READINGS.is_restated(said, READINGS.slots(later)) or is_taken_back(later)) is taken_back


def test_a_former_order_answers_nothing() -> None:
    orders = [replace(turn(1, 0.9), content="Tell me a joke."), turn(2, 0.8)]
    told = replace(turn(3, 0.7), content="Remember that my sister is called Clara.")
    assert chosen_turns("Tell me a joke.", *orders, told) == [2, 3]


def test_what_was_said_twice_is_given_once() -> None:
    twice = [turn(1, 0.9), replace(turn(2, 0.8), content="we ate 1 FIGS")]
    assert chosen_turns("What did we eat?", *twice, turn(3, 0.7)) == [1, 3]


def test_a_former_question_answers_nothing() -> None:
    asked = replace(turn(1, 0.9), parts={"asking": -2.6})
    half = replace(turn(2, 0.9), parts={"asking": -1.3})
    assert chosen_turns("What did we eat?", asked, half) == [2]


@pytest.mark.parametrize(
    ("said", "content", "overtaken"),
    [
        ("I moved to Seattle.", "The user lives in Portland", True),
        ("my name is alex", "The user's name is Alan", True),
        ("My favorite color is green now.", "The user's favorite color is blue", True),
        ("I moved to Seattle.", "The user likes Portland", False),
        ("Where do I live?", "The user lives in Portland", False),
        ("My sister lives in Rome.", "The user lives in Portland", False),
    ],
)
def test_what_is_told_anew_overtakes_what_was_known(
    said: str, content: str, overtaken: bool
) -> None:
    assert is_outdated(content, READINGS.slots([said])) is overtaken


@pytest.mark.parametrize(
    ("question", "slots"),
    [
        ("Where do I live?", {"home"}),
        ("do you remember where I live", {"home"}),
        ("Which city do I live in?", {"home"}),
        ("What's my name?", {"name"}),
        ("Tell me my first name.", {"name"}),
        ("Who am I?", {"name"}),
        ("How old am I?", {"age"}),
        ("When is my birthday?", {"birthday"}),
        ("What is my favorite color again?", {"favourite color", "favourite again color"}),
        ("Which ice cream do I like best?", {"favourite ice", "favourite cream ice"}),
        ("Where did I live before?", set()),
        ("Where does my sister live?", set()),
        ("What is my sister's name?", set()),
        ("Who am I meeting today?", set()),
        ("My name is Alex.", set()),
        ("Where do bees live?", set()),
    ],
)
def test_what_a_question_asks_for_of_which_there_is_one(question: str, slots: set[str]) -> None:
    assert analyse(question).slots == slots


def test_the_newest_of_the_users_words_answer() -> None:
    said = [
        LoggedMessage(number, "user", text, NOW)
        for number, text in enumerate(
            ["I moved to Rome.", "I live in Oslo.", "Where do I live?", "My aunt lives in Bonn."]
        )
    ]
    answer = READINGS.newest_answer(analyse("Where do I live?"), said)
    assert answer is not None
    assert answer.content == "I live in Oslo."
    assert READINGS.newest_answer(analyse("How old am I?"), said) is None
    assert READINGS.newest_answer(analyse("I live here."), said) is None


def test_what_the_prompt_holds_anyway_is_not_put_in_again() -> None:
    assert chosen_turns("What did we eat?", turn(1, 0.9), turn(2, 0.8), known={1}) == [2]


def test_what_lobug_said_itself_is_recalled_only_when_it_is_asked_about() -> None:
    own = turn(1, 0.9, "assistant")
    assert chosen_turns("What did we eat?", own) == []
    assert chosen_turns("What did you say about figs?", own) == [1]


def test_entries_and_turns_share_the_places_and_entries_are_shown_first() -> None:
    entries = [Recalled("memory", n, "e", NOW, 0.5) for n in range(5)]
    turns = [Recalled("turn", n, "t", NOW, 0.5) for n in range(3)]
    order = list(interleaved(entries, turns))
    assert [m.reference for m in order] == [
        "memory:0", "memory:1", "turn:0", "memory:2", "memory:3", "turn:1", "memory:4", "turn:2",
    ]  # fmt: skip
    assert [m.kind for m in in_prompt_order(order[:4])] == ["memory", "memory", "memory", "turn"]
    assert list(interleaved([], turns)) == turns


@pytest.mark.parametrize(
    ("question", "content", "of_others"),
    [
        ("What is my brother's name?", "The user's sister is named Anna", True),
        ("What is my dog called?", "The user has a cat named Miso", True),
        ("Do I have a sister?", "The user's brothers are Jonas and Tim", True),
        ("What is my mum's name?", "The user's mother is named Ada", False),
        ("Which pets do I have?", "The user has a cat named Miso", False),
        ("How old are my kids?", "The user's son is five years old", False),
        ("Does my sister like my dog?", "The user's sister has a dog", False),
        ("Is Anna my aunt?", "The user's sister is named Anna", False),
        ("Who is Anna?", "The user's sister is named Anna", False),
        ("What is my brother's name?", "The user has a sibling named Kim", False),
        ("What is my brother's name?", "The user works as a nurse", False),
    ],
)
def test_who_asks_about_a_brother_gets_nothing_about_a_sister(
    question: str, content: str, *, of_others: bool
) -> None:
    assert about_others(question)(content) is of_others


def test_a_summary_that_repeats_a_fact_that_is_recalled_is_left_out() -> None:
    def found(number: int, content: str, category: Category) -> Hit:
        entry = replace(ENTRY, id=number, content=content, category=category)
        return Hit("memory", number, content, NOW, 0.0, 1.0, entry)

    fact = found(1, "The user keeps bees", "knowledge")
    summary = found(2, "[2025-05-01 10:00] The user sings. The user keeps bees.", "timeline")
    other = found(3, "[2025-05-01 10:00] The user sings in a choir.", "timeline")
    best = [summary, fact, other]
    assert [one for one in best if not repeats_a_fact(one, best)] == [fact, other]
