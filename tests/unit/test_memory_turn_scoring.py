"""The pure parts of the search over turns."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.memory.index import turn_vectors, turn_words
from lobug.memory.model import Hit
from lobug.memory.recall import scoring
from lobug.memory.recall.ranking import merge_hits

WHEN = datetime(2023, 5, 8, 13, 0, tzinfo=UTC)


def test_a_question_without_the_names_it_names() -> None:
    asked = turn_words.analyse_question(
        "When did Ottilie's kids visit Mary Ann?", ["Ottilie", "Mary Ann", "Jo"]
    )
    assert asked.speakers == {"ottilie", "mary ann"}
    assert asked.plain == "When did kids visit ?"
    assert asked.stems == ("child", "visit")
    assert asked.words == ("kids", "visit")
    assert not asked.oneself
    assert turn_words.analyse_question("What did I say to my boss?").oneself


def test_one_word_for_each_stem() -> None:
    assert turn_words.analyse_question("running runs ran").stems == ("run",)


def test_a_turn_offers_its_words_and_its_day() -> None:
    offered = turn_words.analyse_turn("I went to two shows last week. Did you?", WHEN)
    assert offered.words == ("went", "2", "shows", "last", "week", "2023", "may", "8")
    assert offered.timed
    assert 0.0 < offered.asking < 0.5
    assert not turn_words.analyse_turn("Hello there", WHEN).timed


@given(st.text(max_size=300))
def test_any_text_can_be_analysed(text: str) -> None:
    offered = turn_words.analyse_turn(text, WHEN)
    assert 0.0 <= offered.asking <= 1.0
    asked = turn_words.analyse_question(text, [text, "Jo"])
    for word in (*offered.words, *asked.stems):
        # What the text index takes for one word.
        assert all(character.isalnum() for character in word)
        assert 0 < len(word) <= turn_words.MAX_WORD_CHARS


def turns(**changes: object) -> scoring.Turns:
    base: dict[str, object] = {
        "order": np.array([1, 2, 3, 9]),
        "session": np.array([1, 1, 1, 2]),
        "words": np.array([0, 1, 2, 0]),
        "starts": np.array([0, 1, 2, 3]),
        "spoken": np.zeros(4, np.bool_),
        "asking": np.zeros(4, np.float32),
        "timed": np.zeros(4, np.bool_),
        "meaning": np.zeros(4, np.float32),
    }
    return scoring.Turns(**(base | changes))  # type: ignore[arg-type]


TERMS = scoring.Terms(
    np.array([2.0], np.float32), np.array([[False, True, False]]), np.zeros((1, 3), np.float32)
)


def test_a_match_lends_to_its_neighbours_in_the_session() -> None:
    scores = scoring.score(turns(), TERMS, 1.0)
    assert np.argmax(scores.total) == 1
    near = scores.parts[:, scoring.NAMES.index("near")]
    assert near[0] == near[2] > 0.0 == near[3]
    assert scores.matched.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert np.allclose(scores.parts.sum(axis=1), scores.total)


@pytest.mark.parametrize(
    ("change", "better"),
    [
        ({"meaning": np.array([0, 0, 0.5, 0], np.float32)}, True),
        ({"spoken": np.array([False, False, True, False])}, True),
        ({"timed": np.array([False, False, True, False])}, True),
        ({"asking": np.array([0, 0, 1, 0], np.float32)}, False),
    ],
)
def test_each_sign_counts(change: dict[str, object], better: bool) -> None:
    before = scoring.score(turns(), TERMS, 1.0).total[2]
    after = scoring.score(turns(**change), TERMS, 1.0).total[2]
    assert (after > before) == better


def test_a_question_without_words_is_scored_by_meaning() -> None:
    none = scoring.Terms(
        np.zeros(0, np.float32), np.zeros((0, 3), np.bool_), np.zeros((0, 3), np.float32)
    )
    scores = scoring.score(turns(meaning=np.array([0, 0, 0.5, 0], np.float32)), none, 1.0)
    assert np.argmax(scores.total) == 2
    assert not scores.matched.any()


def test_similar_words_match_a_little() -> None:
    similar = scoring.Terms(
        np.array([2.0], np.float32),
        np.array([[False, False, False]]),
        np.array([[0.0, 0.7, 0.3]], np.float32),
    )
    matched = scoring.score(turns(), similar, 1.0).matched
    assert 0.0 < matched[1] < 1.0
    assert matched[2] == 0.0


def weighed(found: dict[int, float]) -> scoring.Weighed:
    return scoring.Weighed(np.array([*found], np.int64), np.array([*found.values()], np.float32))


def best(by_words: scoring.Weighed, near: scoring.Weighed, *, complete: bool = False) -> list[int]:
    return [int(one) for one in scoring.roughly_best(by_words, near, complete=complete)]


def test_what_fits_by_words_and_meaning_is_read_first() -> None:
    by_words = weighed({7: 4.0, 3: 8.0, 5: 1.0})
    by_meaning = weighed({9: 0.5, 3: 0.4, 5: 0.45, 8: 0.2})
    # 7 has many of the words, but is no nearer than 8, the farthest that was found.
    assert best(by_words, by_meaning) == [3, 9, 5, 7, 8]
    assert best(by_words, scoring.NOTHING) == [3, 7, 5]
    assert best(scoring.NOTHING, by_meaning) == [9, 5, 3, 8]
    assert best(scoring.NOTHING, scoring.NOTHING) == []


def test_a_turn_without_a_vector_is_not_put_last() -> None:
    said_just_now = weighed({500: 4.0, 1: 8.0})
    embedded = weighed({number: 0.3 - number / 1_000 for number in range(1, 300)})
    assert best(said_just_now, embedded).index(500) > 80, "300 others are nearer"
    assert best(said_just_now, embedded, complete=True).index(500) < 20


SOME = st.dictionaries(st.integers(1, 40), st.floats(0.0, 1.0, width=32), max_size=20)


@given(SOME, SOME)
def test_each_turn_is_looked_at_once_and_none_before_a_better_one(
    words: dict[int, float], meaning: dict[int, float]
) -> None:
    found = best(weighed(words), weighed(meaning))
    assert sorted(found) == sorted(words.keys() | meaning.keys())
    for earlier, later in itertools.pairwise(found):
        if {earlier, later} <= words.keys() & meaning.keys():
            better = [of[later] - of[earlier] > 1e-3 for of in (words, meaning)]
            assert not all(better)


def test_a_session_makes_way() -> None:
    total = np.array([1.0, 0.99, 0.9], np.float32)
    chosen = scoring.choose(total, np.array([1, 1, 2]), 2)
    assert chosen.tolist() == [0, 2]


@given(st.integers(1, 200), st.integers(0, 10_000))
def test_a_stored_vector_is_the_vector(dimension: int, seed: int) -> None:
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    stored = turn_vectors.encode(vector)
    assert stored is not None
    assert len(stored) == 4 + dimension
    (back,) = turn_vectors.decode([stored], dimension)
    assert np.abs(back - vector).max() <= np.abs(vector).max() / 127.0
    assert len(turn_vectors.code(vector)) % 8 == 0


def test_a_vector_without_direction_is_not_stored() -> None:
    assert turn_vectors.encode(np.zeros(3, np.float32)) is None
    assert turn_vectors.encode(np.array([1, np.nan], np.float32)) is None


def hit(kind: str, identity: int, fits: float, at: float = 0.0) -> Hit:
    return Hit(kind, identity, "x", at, 9.0, fits, parts={"matched": fits})  # type: ignore[arg-type]


def test_two_lists_keep_their_order_in_one() -> None:
    entries = [hit("memory", 1, 0.5), hit("memory", 2, 0.9)]
    turns_found = [hit("turn", 3, 0.7), hit("turn", 4, 0.6)]
    found = merge_hits(entries, turns_found, 3, by_time=False)
    assert [one.id for one in found] == [3, 4, 1]
    assert [one.score for one in found] == [1.0, 1.0 / 2, 1.0 / 3]
    by_time = merge_hits([hit("memory", 1, 0.0, 5.0)], [hit("turn", 2, 0.0, 6.0)], 9, by_time=True)
    assert [one.id for one in by_time] == [2, 1]


def test_of_turns_that_fit_about_alike_the_newer_comes_first() -> None:
    count = 12
    total = np.linspace(5.0, 4.5, count).astype(np.float32)
    matched = np.full(count, 0.9, np.float32)
    matched[2] = 0.1
    scores = scoring.Scores(total=total, matched=matched, parts=np.zeros((count, 1), np.float32))
    chosen = np.arange(count, dtype=np.int64)
    ordered = scoring.newer_first(chosen, scores, chosen)
    assert ordered[0] == 9  # the newest of the ten best
    assert sorted(ordered[: scoring.BEST].tolist()) == list(range(scoring.BEST))
    assert ordered[scoring.BEST :].tolist() == [10, 11]
    assert ordered.tolist().index(2) > ordered.tolist().index(3)
    far = scoring.Scores(total=total * 10, matched=matched, parts=scores.parts)
    assert scoring.newer_first(chosen, far, chosen)[0] == 0
    for few in (0, 1):
        assert scoring.newer_first(chosen[:few], scores, chosen).tolist() == list(range(few))
