"""Which turns have a word, as PostgreSQL keeps it: blocks of a person's turns for each word."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from lobug.memory import log
from lobug.memory.index import turn_words
from lobug.storage.connection import Connection
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from lobug.storage.statements import run
from support import postgres
from support.patience import PATIENCE_S
from support.turn_kit import NOW, say

COMMON = ("tea", "cup", "cups", "garden")
"""Two of one stem."""
RARE = tuple(f"word{number}" for number in range(40))
FULL = 128


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """The name of a database of its own."""
    with postgres.in_use():
        yield tmp_path / "memory.db"


def talk(connection: Connection, chance: random.Random) -> None:
    """Turns of two people; then some are taken back, and said again in other words."""
    ids = defaultdict[str, list[int]](list)
    for number in range(220):
        user = "ada" if number % 4 else "bob"
        chosen = chance.sample(COMMON, 3) + chance.sample(RARE, 2)
        text = " ".join([*chosen, *chance.choices(chosen, k=2)])
        ids[user].append(say(connection, text, user=user))
    for user, said in ids.items():
        for message_id in chance.sample(said, 20):
            log.mark_not_meant(connection, user, [message_id])
    changed = chance.sample(ids["ada"], 20)
    for message_id in changed:
        run(
            connection,
            "UPDATE conversation_log SET content = 'tea word1' WHERE id = :id AND meant = 1",
            id=message_id,
        )
    turn_words.analyse(connection, changed)


def owners(connection: Connection) -> dict[int, str]:
    return dict(run(connection, 'SELECT id, "user" FROM turn_owners').all())


def analysed(connection: Connection) -> dict[int, tuple[int, list[int]]]:
    """Of each turn, by its message: whose it is, and its words."""
    rows = run(
        connection,
        "SELECT message_id, owner, words FROM turn_index WHERE words IS NOT NULL",
    )
    return {row.message_id: (row.owner, json.loads(row.words)) for row in rows}


def wanted(connection: Connection) -> dict[tuple[int, int], tuple[int, list[int]]]:
    """By owner and word: its uses, and the numbers of the turns that have it."""
    uses, turns = Counter[tuple[int, int]](), defaultdict[tuple[int, int], list[int]](list)
    for message_id, (owner, said) in sorted(analysed(connection).items()):
        for word_id, count in Counter(said).items():
            uses[owner, word_id] += count
            turns[owner, word_id].append(message_id << turn_words.LENGTH_BITS | len(said))
    return {key: (uses[key], turns[key]) for key in uses}


def kept(connection: Connection) -> dict[tuple[int, int], tuple[int, list[int]]]:
    """What the blocks hold, together."""
    uses, turns = Counter[tuple[int, int]](), defaultdict[tuple[int, int], list[int]](list)
    for row in run(connection, "SELECT owner, word_id, uses, turns FROM turn_postings"):
        assert 0 < len(row.turns) <= FULL
        uses[row.owner, row.word_id] += row.uses
        turns[row.owner, row.word_id] += row.turns
    return {key: (uses[key], sorted(turns[key])) for key in uses}


async def opened(path: Path) -> PostgresDatabase:
    url = postgres.place_of(path).url
    assert url is not None
    database = PostgresDatabase(PostgresOptions(url, patience_s=PATIENCE_S), clock=lambda: NOW)
    await database.open(lambda _: None)
    return database


def totals(connection: Connection) -> dict[int, tuple[int, int]]:
    """Of each owner: analysed turns, and the words in them, as the turns say."""
    found = dict.fromkeys(owners(connection), (0, 0))
    for owner, said in analysed(connection).values():
        turns, words = found[owner]
        found[owner] = (turns + 1, words + len(said))
    return found


def check(connection: Connection) -> None:
    """That what is kept is what the turns say, and that nothing else is kept."""
    expected = wanted(connection)
    assert kept(connection) == expected
    words = {word_id for _, word_id in expected}
    assert set(run(connection, "SELECT id FROM turn_words").scalars()) == words
    rows = run(connection, "SELECT id, turns, words FROM turn_owners")
    assert {row.id: (row.turns, row.words) for row in rows} == totals(connection)


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_blocks_hold_what_the_turns_say_and_are_made_anew_the_same(
    path: Path, seed: int
) -> None:
    database = await opened(path)
    chance = random.Random(seed)
    for _ in range(2):
        await database.write("talk", lambda connection: talk(connection, chance))

    def make_anew(connection: Connection) -> None:
        assert max(len(turns) for _, turns in wanted(connection).values()) > FULL
        check(connection)
        last = max(analysed(connection))
        run(connection, "DELETE FROM turn_postings")
        for after in range(0, last, 150):
            upto = after + 150
            run(connection, "SELECT post_turns(:after, :upto)", after=after, upto=upto).all()
        check(connection)

    await database.write("make_anew", make_anew)
    await database.close()


@pytest.mark.parametrize("share", [0.1, 0.9, 1.0])
async def test_what_is_deleted_together_leaves_nothing(path: Path, share: float) -> None:
    database = await opened(path)
    chance = random.Random(4)

    def delete(connection: Connection) -> None:
        talk(connection, chance)
        say(connection, "the")  # no word that counts but the date
        waiting = say(connection, "tea")
        run(connection, "UPDATE turn_index SET words = NULL WHERE message_id = :id", id=waiting)
        known = run(connection, "SELECT id FROM conversation_log ORDER BY id").scalars()
        gone = chance.sample(known, round(share * len(known)))
        turn_words.forget_turns(connection, [*gone, 999_999])
        left = run(connection, "SELECT message_id FROM turn_index").scalars()
        assert not set(left) & set(gone)
        for message_id in gone:
            run(connection, "DELETE FROM conversation_log WHERE id = :id", id=message_id)
        check(connection)
        assert bool(owners(connection)) == (share < 1.0)

    await database.write("delete", delete)
    await database.close()


async def test_a_search_finds_the_turns_of_all_words_with_a_stem_once(path: Path) -> None:
    database = await opened(path)
    await database.write("talk", lambda connection: talk(connection, random.Random(3)))

    def search(connection: Connection) -> None:
        of_stem = defaultdict[str, set[int]](set)
        for row in run(connection, "SELECT id, stem FROM turn_words"):
            of_stem[row.stem].add(row.id)
        turns = analysed(connection)
        stems = [*map(turn_words.stem, ("tea", "cups", "word1", "word2")), "nothing"]
        for owner, user in owners(connection).items():
            totals = turn_words.totals_of(connection, user)
            assert totals is not None
            holding = {
                stem: {
                    message_id
                    for message_id, (whose, said) in turns.items()
                    if whose == owner and of_stem[stem] & set(said)
                }
                for stem in stems
            }
            most = len(holding["word1"] | holding["word2"]) + len(holding["tea"])
            found = turn_words.occurrences(connection, totals, stems, most)
            assert found.counts == {stem: len(held) for stem, held in holding.items()}
            assert "tea" in found.turns
            assert turn_words.stem("cups") not in found.turns  # beyond so many
            assert found.lengths is not None
            for stem, ids in found.turns.items():
                assert sorted(ids.tolist()) == sorted(holding[stem])
                lengths = [len(turns[message_id][1]) for message_id in ids.tolist()]
                assert found.lengths[stem].tolist() == lengths

    await database.read(search)
    await database.close()
