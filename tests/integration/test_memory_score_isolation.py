"""What others have told changes neither the scores nor the order of anybody's search.

The same person tells the same things twice: once alone in the file, once with others beside. Every
figure of every search has to be the same.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.engines.base import Vectors
from lobug.memory import facts
from lobug.memory.index import turn_words
from lobug.memory.model import (
    ConversationKey,
    Draft,
    EntryScope,
    Filter,
    HouseholdGrant,
    MemoryScope,
)
from lobug.memory.recall import candidates
from lobug.memory.service import Memory
from lobug.storage import migrations
from lobug.storage.database import no_checkpoint
from lobug.storage.driver import Connection, connect
from support.memory_kit import ADA, BOB, Kit, exchange, look
from support.scripted import ScriptedEmbedder

WORDS = "tea cake epilepsy bicycle tokyo nurse soup chess garden piano".split()
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
NOTES = st.lists(SENTENCES, min_size=1, max_size=6)
GRANTS: dict[str, HouseholdGrant] = {"ada": "write", "bob": "write"}


def hidden(notes: list[str]) -> list[str]:
    """What another tells: the words of ``notes`` in other places, and some more."""
    return [f"{note} and {note} with whatever else" for note in notes]


async def note(
    memory: Memory, conversation_key: ConversationKey, text: str, scope: EntryScope = "user"
) -> None:
    """Store a memory, so that it is found at once."""
    access = MemoryScope(conversation_key.user, conversation_key.conversation, "write")
    await memory.store(access, Draft(content=text, scope=scope))


async def searched(
    folder: Path, own: list[str], shared: list[str], foreign: list[str], embed: bool
) -> dict[str, Any]:
    """All figures of all searches that Ada can make."""
    kit = Kit(folder / "m.db")
    kit.settings = kit.settings.model_copy(update={"household": GRANTS})
    memory = kit.memory()
    await memory.start(work=False)
    others = iter(foreign)
    for number, text in enumerate(own):
        kit.clock.advance(60.0)
        await note(memory, ADA, text)
        await exchange(memory, f"We had {text}.")
        for foreign_text in [next(others, None)] if number < len(own) - 1 else others:
            if foreign_text is not None:
                await note(memory, BOB, foreign_text)
                await exchange(memory, f"I had {foreign_text}.", conversation_key=BOB)
    for text in shared:
        await note(memory, ADA, text, "household")
    await memory.analyse_turns()
    if embed:
        await memory.process_due()
    found: dict[str, Any] = {}
    for word in [*WORDS, "tea cake", "epilepsy nurse in the garden", "We had soup"]:
        for grant in ("none", "read"):
            hits = await memory.search(
                MemoryScope("ada", ADA.conversation, grant),
                word,
                Filter(),
                limit=50,
                turns=True,
            )
            found[f"{word}/{grant}"] = [
                (hit.kind, hit.content, hit.score, hit.confidence, dict(hit.parts)) for hit in hits
            ]
    await memory.close()
    return found


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(own=NOTES, shared=st.lists(SENTENCES, max_size=2), foreign=NOTES, embed=st.booleans())
def test_a_search_is_the_same_whatever_others_have_told(
    tmp_path_factory: pytest.TempPathFactory,
    own: list[str],
    shared: list[str],
    foreign: list[str],
    embed: bool,
) -> None:
    alone = asyncio.run(searched(tmp_path_factory.mktemp("alone"), own, shared, [], embed))
    beside = asyncio.run(
        searched(tmp_path_factory.mktemp("beside"), own, shared, hidden(foreign), embed)
    )
    assert beside == alone
    assert any(alone.values())


@pytest.mark.usefixtures("each_database")
async def test_two_own_notes_do_not_tell_whether_anybody_else_has_a_word(tmp_path: Path) -> None:
    """The attack of issue 11: the scores of a note with the word, and of one without, compared."""
    figures = []
    for name, secret in (("with", "Bob has epilepsy"), ("without", "Bob has hay fever")):
        kit = Kit(tmp_path / f"{name}.db")
        memory = kit.memory()
        await memory.start(work=False)
        await note(memory, BOB, secret)
        await note(memory, ADA, "my probe says epilepsy")
        await note(memory, ADA, "my probe says zwieback")
        hits = await memory.search(MemoryScope("ada", None), "epilepsy zwieback", Filter(), limit=9)
        figures.append([(hit.content, hit.score, dict(hit.parts)) for hit in hits])
        await memory.close()
    assert figures[0] == figures[1]
    assert len(figures[0]) == 2


class Synonyms(ScriptedEmbedder):
    """Knows that a velocipede is a bicycle."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await super().embed([text.replace("velocipede", "bicycle") for text in texts])


@pytest.mark.usefixtures("each_database")
async def test_a_word_that_another_has_said_is_no_nearer_before_its_turn_is_embedded(
    tmp_path: Path,
) -> None:
    """Words have one vector for everybody: it must not show before the own turn has one."""
    figures = []
    for name, secret in (("with", "velocipedes"), ("without", "hedgehogs")):
        kit = Kit(tmp_path / f"{name}.db", embedder=Synonyms(dimension=256))
        memory = kit.memory()
        await memory.start(work=False)
        await exchange(memory, f"We saw {secret}.", conversation_key=BOB)
        await exchange(memory, "There was tea.")
        await memory.process_due()
        await exchange(memory, "There were velocipedes.")
        await memory.analyse_turns()
        for moment in ("before", "after"):
            hits = await memory.search(
                MemoryScope("ada", None), "bicycle tea", Filter(), limit=9, turns=True
            )
            found = [(hit.content, hit.score, dict(hit.parts)) for hit in hits]
            assert "There were velocipedes." in [content for content, *_ in found]
            figures.append((moment, found))
            await memory.process_due()
        await memory.close()
    assert figures[:2] == figures[2:]


def filled(path: Path, *, others: int) -> Connection:
    """A log of Ada's with more turns for a word than are looked at, and others' beside it."""
    connection = connect(str(path), timeout_s=5.0)
    for step in migrations.STEPS:
        step(connection, "owner")
    by_chance = random.Random(5)
    row = "INSERT INTO conversation_log (id, user, conversation, role, content, created_at)"
    texts = [" ".join(by_chance.choices(WORDS, k=by_chance.randint(2, 9))) for _ in range(60)]
    connection.executemany(
        f"{row} VALUES (?, 'ada', 'a', 'user', ?, ?)",
        [(number, text, float(number)) for number, text in enumerate(texts, start=1)],
    )
    connection.executemany(
        f"{row} VALUES (?, 'bob', 'b', 'user', ?, ?)",
        [(1_000 + n, "tea " * 40 + "epilepsy", 5.0) for n in range(others)],
    )
    return connection


@pytest.mark.parametrize("bounds", [(None, None), (10.0, 40.0)])
def test_which_turns_are_looked_at_does_not_depend_on_others(
    tmp_path: Path, bounds: tuple[float | None, float | None]
) -> None:
    plan = replace(candidates.PLAN, lexical=5)
    found: list[list[int]] = []
    for others in (0, 500):
        connection = filled(tmp_path / f"{others}.db", others=others)
        while waiting := turn_words.pending(connection, 1_000):
            turn_words.analyse(connection, [row.message_id for row in waiting])
        log = turn_words.totals_of(connection, "ada")
        assert log is not None
        stems = ["tea", "epilepsi", "cake"]
        held = turn_words.occurrences(connection, log, stems, plan.matches)
        among = candidates.Among("ada", *bounds)
        found.append(candidates._by_words(connection, log, among, held, plan).ids.tolist())
        connection.close()
    assert found[0] == found[1]
    assert len(found[0]) == 5


def counted(path: Path) -> Mapping[str, tuple[int, int]]:
    """Entries and words of every user as the triggers keep them."""
    return {
        user: (entries, words)
        for user, entries, words in look(path, "SELECT user, entries, words FROM memory_owners")
    }


def counted_anew(path: Path) -> Mapping[str, tuple[int, int]]:
    """The same, from the entries themselves."""
    found: dict[str, tuple[int, int]] = {}
    for user, key, content, tags in look(
        path, "SELECT user, key, content, json_array_length(tags) FROM memories"
    ):
        entries, words = found.get(user, (0, 0))
        length = len(content.split(" ")) + len(key.split("_")) + tags
        found[user] = (entries + 1, words + length)
    return found


@pytest.mark.usefixtures("each_database")
async def test_the_counts_follow_every_change(tmp_path: Path) -> None:
    kit = Kit(tmp_path / "m.db")
    memory = kit.memory()
    await memory.start(work=False)
    access = MemoryScope("ada", ADA.conversation, "write")
    for owner, text in ((ADA, "likes tea"), (ADA, "has a cat"), (BOB, "plays the piano well")):
        await note(memory, owner, text)
    await note(memory, ADA, "the bin goes out on Monday", "household")
    assert counted(kit.path) == counted_anew(kit.path)
    assert set(counted(kit.path)) == {"ada", "bob", "household:"}
    (entry, *_) = await memory.entries(access, Filter(), limit=1)
    await memory.edit(access, entry.id, content="likes green tea a lot", tags=("drinks",))
    assert counted(kit.path) == counted_anew(kit.path)
    await memory.forget(access, entry.id)
    assert counted(kit.path) == counted_anew(kit.path)
    await memory.forget_text(MemoryScope("bob", None), "piano")
    # Nothing is left that says that he ever told anything.
    assert set(counted(kit.path)) == {"ada", "household:"}
    assert counted(kit.path) == counted_anew(kit.path)
    await memory.close()


def test_a_file_of_before_keeps_every_row_and_is_backed_up(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    old = connect(str(path), timeout_s=5.0)
    for step in migrations.STEPS[:3]:
        step(old, "owner")
    old.execute("PRAGMA user_version = 3")
    for user, key, content in (
        ("ada", "fact_1", "The user has a cat"),
        ("ada", "home_address", "The user lives in Tokyo"),
        ("bob", "fact_1", "The user plays chess"),
    ):
        old.execute(
            "INSERT INTO memories (user, told_by, layer, category, key, content, source, said_at,"
            " created_at, updated_at, valid_from) VALUES (?, ?, 'knowledge', 'knowledge', ?, ?,"
            " 'user', 1.0, 1.0, 1.0, 1.0)",
            (user, user, key, content),
        )
    before = old.execute("SELECT * FROM memories ORDER BY id").fetchall()
    old.close()
    new = connect(str(path), timeout_s=5.0)
    new.execute("PRAGMA foreign_keys = ON")
    migrations.migrate(
        new, path, legacy_user="owner", backups_keep=3, now=300.0, checkpoint=no_checkpoint
    )
    assert new.execute("SELECT * FROM memories ORDER BY id").fetchall() == before
    assert new.execute("PRAGMA foreign_key_check").fetchall() == []
    found = facts.search(new, "ada", "cat", None, k=5, min_similarity=0.0)
    assert [fact.content for fact in found] == ["The user has a cat"]
    new.close()
    assert counted(path) == counted_anew(path) == {"ada": (2, 14), "bob": (1, 6)}
    backup = tmp_path / "m.db.backup-v3-19700101T000500Z"
    assert look(backup, "SELECT * FROM memories ORDER BY id") == before
