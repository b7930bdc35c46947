"""The index over former turns, on real tables: what is in it, what it finds, what goes from it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.memory import log
from lobug.memory.index import turn_vectors, turn_words
from lobug.memory.recall import candidates
from lobug.memory.recall.candidates import PLAN, Among
from lobug.memory.recall.turn_search import QUESTION_FLOOR, TURN_FLOOR, prepare
from lobug.storage import migrations
from lobug.storage.driver import Connection, connect
from support.scripted import ScriptedEmbedder
from support.turn_kit import NOW, ask, codes, embed_all, open_file, say, set_bits, state

DAY = 86_400.0


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    opened = open_file(tmp_path / "m.db")
    yield opened
    opened.close()


@pytest.fixture
def embedder() -> ScriptedEmbedder:
    return ScriptedEmbedder(dimension=100)  # not a whole number of 64 bits


def test_a_turn_is_found_by_its_words_at_once(connection: Connection) -> None:
    said = say(connection, "My bicycle was stolen at the station.")
    say(connection, "I had pancakes for breakfast.")
    hit = ask(connection, "Where was my bike, the bicycle, stolen?")[0]
    assert (hit.id, hit.role, hit.said_at) == (said, "user", NOW)
    assert hit.content == "My bicycle was stolen at the station."
    assert hit.confidence >= QUESTION_FLOOR


def test_replies_are_found_and_marked(connection: Connection) -> None:
    say(connection, "Recommend a book.")
    say(connection, "Try Middlemarch.", role="assistant")
    hit = ask(connection, "Was Middlemarch what you said?")[0]
    assert hit.role == "assistant"


def test_a_similar_word_finds_a_turn_only_with_vectors(
    connection: Connection, embedder: ScriptedEmbedder
) -> None:
    wanted = say(connection, "We adopted a whippet.")
    for number in range(20):
        say(connection, f"Filler number {number} about nothing.", at=NOW + number * DAY)
    embed_all(connection, embedder)
    assert ask(connection, "whippets?", embedder)[0].id == wanted
    # No word in common at all: by meaning everything is a candidate, but nothing is confident.
    assert all(hit.confidence < TURN_FLOOR for hit in ask(connection, "zyzzyva qwerty", embedder))
    assert ask(connection, "zyzzyva qwerty") == []


def test_the_neighbour_of_a_match_is_found(connection: Connection) -> None:
    say(connection, "What are you doing on Friday?", role="assistant")
    answer = say(connection, "Chess with Tom.")
    assert answer in [hit.id for hit in ask(connection, "Friday?")]


def test_limits_and_times(connection: Connection, embedder: ScriptedEmbedder) -> None:
    ids = [say(connection, f"We ate soup {n}.", at=NOW + n * DAY) for n in range(6)]
    embed_all(connection, embedder)
    for embedded in (None, embedder):
        assert len(ask(connection, "soup", embedded, limit=2)) == 2
        assert ask(connection, "soup", embedded, limit=0) == []
        found = ask(connection, "soup", embedded, since=NOW + DAY, until=NOW + 3 * DAY)
        assert {hit.id for hit in found} == {ids[1], ids[2]}
        without = ask(connection, "soup", embedded, exclude=ids[3])
        assert {hit.id for hit in without} == set(ids) - {ids[3]}
    newest = ask(connection, " ", since=NOW + DAY, until=NOW + 3 * DAY)
    assert [hit.id for hit in newest] == [ids[2], ids[1]]
    assert ask(connection, "") == []


def crowd(connection: Connection, embedder: ScriptedEmbedder) -> None:
    """More turns about tea than are ever scored, none beside another."""
    for number in range(2 * PLAN.by_words.best):
        say(connection, f"I drink tea, cup {number}.", at=NOW + number * DAY)
    embed_all(connection, embedder, batch=500)


@pytest.mark.parametrize("embedded", [True, False])
def test_among_more_turns_than_are_scored_the_one_with_the_rare_word_is_found(
    connection: Connection, embedder: ScriptedEmbedder, embedded: bool
) -> None:
    wanted = say(connection, "The pills are behind the tea.", at=NOW - DAY)
    crowd(connection, embedder)
    question = "Do I have pills with my tea cup?"
    asked = say(connection, question, at=NOW + 10_000 * DAY)
    later = say(connection, "My pills are bitter.", at=NOW + 10_001 * DAY)  # without a vector
    found = ask(connection, question, embedder if embedded else None, exclude=asked)
    assert {found[0].id, found[1].id} == {wanted, later}
    assert asked not in [hit.id for hit in found]
    many = ask(connection, question, embedder if embedded else None, limit=400)
    assert len(many) == 400, "as many as are asked for"


def test_the_question_itself_is_no_measure_of_the_others(connection: Connection) -> None:
    said = [say(connection, text) for text in ("My pills are bitter.", "A vole in the garden.")]
    question = "Pills for a vole in the garden, a tapir and a gnu?"
    asked = say(connection, question)
    owner = turn_words.totals_of(connection, "ada")
    assert owner is not None
    held = turn_words.occurrences(connection, owner, prepare(question).terms.stems, PLAN.matches)
    among = Among("ada", exclude_message_id=asked)
    assert set(candidates._by_words(connection, owner, among, held, PLAN).ids) == set(said)


def test_the_nearest_are_told_with_their_cosines(
    connection: Connection, embedder: ScriptedEmbedder
) -> None:
    said = [say(connection, f"Cup {n} of {n % 7} teas", at=NOW + n * DAY) for n in range(60)]
    embed_all(connection, embedder)
    present = turn_vectors.find_set(connection, embedder.model_id, embedder.dimension)
    owner = turn_words.totals_of(connection, "ada")
    assert present is not None
    assert owner is not None
    connection.execute("DELETE FROM turn_vectors WHERE message_id = ?", (said[30],))
    bits = dict(codes(connection))
    (asked,) = asyncio.run(embedder.embed(["Cup 3 of 3 teas"]))
    wanted = int.from_bytes(turn_vectors.code(asked))
    apart = {one: (int(code, 16) ^ wanted).bit_count() for one, code in bits.items()}

    def nearest(k: int) -> dict[int, float]:
        signs = turn_vectors.read_signs(connection, present, owner.owner)
        found = turn_vectors.nearest(connection, present, owner.owner, signs, asked, k)
        return dict(zip(*(column.tolist() for column in found), strict=True))

    assert nearest(100).keys() == apart.keys() == {*said} - {said[30]}
    for message_id, cosine in nearest(100).items():
        assert cosine == pytest.approx(np.cos(np.pi * apart[message_id] / 100), abs=1e-5)
    few = nearest(9)
    assert len(few) == 9
    assert max(apart[one] for one in few) <= sorted(apart.values())[8]
    assert nearest(0) == {}


def test_who_is_named_is_preferred(connection: Connection) -> None:
    for number in range(3):
        say(connection, "The marathon was hard.", speaker="Philippa", at=NOW + number * DAY)
    wanted = say(connection, "The marathon was hard.", speaker="Mary Ann", at=NOW + 9 * DAY)
    assert ask(connection, "What did Mary Ann say about the marathon?")[0].id == wanted


def test_i_means_the_user_not_lobug(connection: Connection) -> None:
    say(connection, "The marathon was hard.", role="assistant")
    wanted = say(connection, "The marathon was hard.", at=NOW + DAY)
    assert ask(connection, "What did I say about the marathon?")[0].id == wanted


@pytest.mark.parametrize(
    "erase",
    [
        "UPDATE conversation_log SET content = '', forgotten = 1 WHERE id = ?",
        "UPDATE conversation_log SET forgotten = 1 WHERE id = ?",
        "DELETE FROM conversation_log WHERE id = ?",
        "UPDATE conversation_log SET summarized = 1, meant = 0 WHERE id = ?",
    ],
)
def test_what_is_erased_leaves_nothing(
    connection: Connection, embedder: ScriptedEmbedder, erase: str
) -> None:
    say(connection, "I like tea with milk.")
    gone = say(connection, "My password is xylophone, with milk.")
    after = say(connection, "And cake.")
    embed_all(connection, embedder)
    vector = "SELECT vector FROM turn_vectors WHERE message_id = ?"
    with_it = connection.execute(vector, (after,)).fetchone()
    connection.execute(erase, (gone,))
    # The next turn's vector was made from both.
    assert connection.execute(vector, (after,)).fetchone() is None
    assert set_bits(connection) == 1
    words = {row[0] for row in connection.execute("SELECT word FROM turn_words")}
    assert not words & {"password", "xylophone"}
    assert {"tea", "milk", "cake"} <= words
    assert not connection.execute(
        "SELECT 1 FROM turn_terms WHERE term GLOB '*xylophon' OR term GLOB '*password'"
    ).fetchone()
    embed_all(connection, embedder)
    assert connection.execute(vector, (after,)).fetchone() != with_it
    assert gone not in [hit.id for hit in ask(connection, "xylophone milk", embedder)]


def test_a_message_that_is_cut_is_found_by_what_is_left(
    connection: Connection, embedder: ScriptedEmbedder
) -> None:
    said = say(connection, "I like tea. My password is xylophone.")
    embed_all(connection, embedder)
    connection.execute("UPDATE conversation_log SET content = 'I like tea.' WHERE id = ?", (said,))
    assert ask(connection, "xylophone") == []
    embed_all(connection, embedder)
    assert ask(connection, "tea")[0].id == said
    assert ask(connection, "xylophone") == []


def test_a_user_who_is_erased_leaves_nothing(
    connection: Connection, embedder: ScriptedEmbedder
) -> None:
    for number in range(5):
        say(connection, f"secret{number} of mine", user="bob")
    kept = say(connection, "I like tea.")
    embed_all(connection, embedder)
    connection.execute("DELETE FROM conversation_log WHERE user = 'bob'")
    assert connection.execute("SELECT user FROM turn_owners").fetchall() == [("ada",)]
    assert [row[0] for row in connection.execute("SELECT message_id FROM turn_index")] == [kept]
    assert set_bits(connection) == 1
    words = {row[0] for row in connection.execute("SELECT word FROM turn_words")}
    assert not any(word.startswith("secret") for word in words)


def test_a_vector_of_words_that_were_forgotten_meanwhile_is_not_stored(
    connection: Connection, embedder: ScriptedEmbedder
) -> None:
    first = say(connection, "My password is xylophone.")
    say(connection, "And cake.")
    present = turn_vectors.make_set(connection, embedder.model_id, embedder.dimension)
    windows = turn_vectors.unembedded(connection, present, 9)
    words = turn_vectors.unembedded_words(connection, present, 99)
    connection.execute(
        "UPDATE conversation_log SET content = '', forgotten = 1 WHERE id = ?", (first,)
    )
    ones = np.ones((len(windows), embedder.dimension), np.float32)
    turn_vectors.store(connection, present, list(zip(windows, ones, strict=True)))
    turn_vectors.store_words(
        connection, present, words, np.ones((len(words), embedder.dimension), np.float32)
    )
    assert connection.execute("SELECT count(*) FROM turn_vectors").fetchone() == (0,)
    kept = connection.execute(
        "SELECT count(*) FROM turn_word_vectors v LEFT JOIN turn_words w ON w.id = v.word_id"
        " WHERE w.id IS NULL OR w.word = 'xylophone'"
    )
    assert kept.fetchone() == (0,)


def test_another_model_replaces_the_vectors_and_is_not_compared_meanwhile(
    connection: Connection, embedder: ScriptedEmbedder
) -> None:
    said = [say(connection, f"We ate soup {n}.", at=NOW + n * DAY) for n in range(5)]
    embed_all(connection, embedder)
    other = ScriptedEmbedder(dimension=64, model_id="scripted/other")
    # None of its vectors is there: by words only.
    assert {hit.id for hit in ask(connection, "soup", other)} == set(said)
    embed_all(connection, other, batch=2)
    models = connection.execute("SELECT model_id FROM turn_vector_sets").fetchall()
    assert models == [("scripted/other",)]
    assert len(codes(connection)) == set_bits(connection) == len(said)
    assert ask(connection, "soup", other)[0].parts["cosine"] > 0.0
    found = ask(connection, "soup", embedder)
    assert found[0].parts["cosine"] == 0.0


def test_turns_of_before_the_index_are_taken_in(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    old = connect(str(path), timeout_s=5.0)
    for step in migrations.STEPS[:2]:
        step(old, "owner")
    old.execute("PRAGMA user_version = 2")
    row = "INSERT INTO conversation_log (user, conversation, role, content, created_at, meant)"
    old.execute(f"{row} VALUES ('ada', 'd', 'user', 'My bicycle is red.', 1.0, 1)")
    old.execute(f"{row} VALUES ('ada', 'd', 'user', 'Bicycles on television.', 2.0, 0)")
    old.close()
    connection = open_file(path)
    assert [tuple(row) for row in turn_words.pending(connection, 9)] == [(1, "ada")]
    assert ask(connection, "bicycle") == []
    turn_words.analyse(connection, [1])
    assert [hit.id for hit in ask(connection, "bicycle")] == [1]
    connection.close()


HOSTILE = [
    '" OR 1 = 1 --',
    "NEAR(a b) AND NOT c* ^d {e f}: g",
    "'; DROP TABLE turn_index; --",
    "1xtea OR 2xtea",
    "\0null\0byte",
    "\u05e9\u05dc\u05d5\u05dd \u202e olleh",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "Stra\u00dfe \u0130stanbul caf\u00e9 \u4f60\u597d",
    "x" * 5_000,
    "?" * 1_000,
    "a" * 40 + " " + "%s" * 100,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text(
    connection: Connection, embedder: ScriptedEmbedder, text: str
) -> None:
    said = say(connection, text)
    say(connection, "tea", user="bob")
    embed_all(connection, embedder)
    for embedded in (None, embedder):
        found = [hit.id for hit in ask(connection, text, embedded)]
        assert set(found) <= {said}
    if any(character.isalnum() for character in text) and "OR 1" not in text:
        assert [hit.id for hit in ask(connection, text)] == [said]
    connection.execute("DELETE FROM conversation_log")
    assert connection.execute("SELECT count(*) FROM turn_terms").fetchone() == (0,)
    assert connection.execute("SELECT count(*) FROM turn_words").fetchone() == (0,)


def test_a_book_is_indexed_by_its_beginning(
    connection: Connection, embedder: ScriptedEmbedder
) -> None:
    said = say(connection, "Ishmael " + "whale " * 170_000 + "epilogue")
    embed_all(connection, embedder)
    assert ask(connection, "Ishmael", embedder)[0].id == said
    assert ask(connection, "epilogue " * 100_000) == []


TEXTS = st.lists(
    st.sampled_from("tea cake soup chess tokyo bicycle running ran ? . I 12 \u00e9t\u00e9".split()),
    min_size=1,
    max_size=8,
).map(" ".join)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "cut", "blank", "delete", "ignore", "embed"]),
        st.sampled_from(["ada", "bob"]),
        st.integers(0, 30),
        TEXTS,
    ),
    max_size=25,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=CHANGES)
def test_any_history_leaves_what_indexing_anew_makes(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, str, int, str]]
) -> None:
    """And nobody finds another's words, or any that are gone."""
    folder = tmp_path_factory.mktemp("turns")
    connection = open_file(folder / "m.db")
    embedder = ScriptedEmbedder(dimension=64)
    at = NOW
    for what, user, number, text in changes:
        ids = [row[0] for row in connection.execute("SELECT id FROM conversation_log ORDER BY id")]
        chosen = ids[number % len(ids)] if ids else 0
        at += 60.0 * number
        if what == "say":
            say(connection, text, user=user, at=at, role="assistant" if number % 3 else "user")
        elif what == "cut":
            connection.execute(
                "UPDATE conversation_log SET content = ? WHERE id = ? AND forgotten = 0",
                (text, chosen),
            )
        elif what == "blank":
            connection.execute(
                "UPDATE conversation_log SET content = '', forgotten = 1 WHERE id = ?", (chosen,)
            )
        elif what == "delete":
            connection.execute("DELETE FROM conversation_log WHERE id = ?", (chosen,))
        elif what == "ignore":
            for owner in ("ada", "bob"):
                log.mark_not_meant(connection, owner, [chosen])
        else:
            embed_all(connection, embedder)
    embed_all(connection, embedder)
    assert len(codes(connection)) == set_bits(connection)
    anew = _indexed_anew(connection, folder / "anew.db")
    embed_all(anew, embedder, batch=3)
    assert state(connection) == state(anew)
    for user in ("ada", "bob"):
        live = {
            row[0]
            for row in connection.execute(
                "SELECT id FROM conversation_log"
                " WHERE user = ? AND content <> '' AND forgotten = 0 AND meant = 1",
                (user,),
            )
        }
        for embedded in (None, embedder):
            found = ask(connection, "tea soup tokyo ran 12", embedded, user=user, limit=99)
            assert {hit.id for hit in found} <= live
        if live:
            assert {hit.id for hit in ask(connection, "x", embedder, user=user)} <= live
    connection.close()
    anew.close()


def _indexed_anew(connection: Connection, path: Path) -> Connection:
    """The same log in a new file."""
    anew = open_file(path)
    anew.execute("PRAGMA foreign_keys = OFF")
    rows = connection.execute(
        "SELECT id, user, conversation, role, content, created_at, session_id, speaker,"
        " forgotten, meant FROM conversation_log ORDER BY id"
    )
    anew.executemany(
        "INSERT INTO conversation_log (id, user, conversation, role, content, created_at,"
        " session_id, speaker, forgotten, meant) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows.fetchall(),
    )
    return anew
