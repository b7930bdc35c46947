"""Wherever a process dies, a message and what it claims are both in the file or both not.

What is forgotten stays so. A crash is simulated by a copy of the file and its log at a checkpoint,
which is what ``kill -9`` leaves.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.language.claims import USER, Asked
from lobug.memory.claims.backlog import BATCH
from lobug.memory.model import MemoryScope
from lobug.memory.service import Memory
from lobug.settings import MemorySettings
from lobug.storage.driver import connect
from support.memory_kit import ADA, Kit, exchange, look

PLACES, PETS = ("Rome", "Oslo", "Bristol"), ("cat", "dog")
HOMES = ("I live in {}", "I moved to {}", "No, I live in {}")
HAS, HAS_NOT = "I have a {}", "I don't have a {} any more"
FILM = "I filmed bees"
"""The chat model reads it, in the background."""
FORGET, WORK = "forget where I live", "work"
MARKS = "SELECT count(*) FROM tombstones"

told = st.one_of(
    st.builds(str.format, st.sampled_from(HOMES), st.sampled_from(PLACES)),
    st.builds(str.format, st.sampled_from([HAS, HAS_NOT]), st.sampled_from(PETS)),
    st.just(FILM),
)
stories = st.lists(st.one_of(told, st.sampled_from([FORGET, WORK])), min_size=1, max_size=7)

Beliefs = frozenset[tuple[str, str]]


def believed_after(said: str, before: Beliefs) -> Beliefs:
    """What holds after something was said, by the rules of everyday life."""
    last = said.rsplit(maxsplit=1)[-1]
    if last in PLACES:
        return frozenset({*(one for one in before if one[0] != "home"), ("home", last)})
    if said == FORGET:
        return frozenset(one for one in before if one[0] != "home")
    for pet in PETS:
        if said == HAS.format(pet):
            return before | {("pet", pet)}
        if said == HAS_NOT.format(pet):
            return before - {("pet", pet)}
    return before


def beliefs_in(path: Path) -> Beliefs:
    """What a file claims to hold. Fails if it claims it twice."""
    rows = look(
        path,
        "SELECT c.relation, c.value FROM claims c JOIN memories m ON m.id = c.memory_id"
        " WHERE m.status = 'active' AND c.holds",
    )
    assert len(set(rows)) == len(rows), rows
    return frozenset((relation, value) for relation, value in rows)


def homes_in(path: Path) -> int:
    """Entries, claims and messages that tell of a home, of now or of former times."""
    place = " OR ".join(f"content LIKE '%{place}%'" for place in PLACES)
    rows = look(
        path,
        f"SELECT (SELECT count(*) FROM memories WHERE {place}) +"
        " (SELECT count(*) FROM claims WHERE relation = 'home') +"
        f" (SELECT count(*) FROM conversation_log WHERE {place})",
    )
    return int(rows[0][0])


@dataclass
class Crashes:
    """A checkpoint that keeps the file as it is there."""

    path: Path
    is_on: bool = False
    copies: list[tuple[str, Path]] = field(default_factory=list)

    def __call__(self, name: str) -> None:
        if not self.is_on:
            return
        folder = self.path.parent / f"crash-{len(self.copies)}"
        folder.mkdir()
        for file in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            if file.exists():
                shutil.copy(file, folder)
        self.copies.append((name, folder / self.path.name))


async def do(memory: Memory, said: str) -> None:
    """One step of a story."""
    if said == WORK:
        await memory.process_due()
    elif said == FORGET:
        scope = MemoryScope(ADA.user, ADA.conversation)
        await memory.forget_claims(ADA, scope, Asked(USER, "home"), ())
    else:
        await exchange(memory, said)


async def outlives(kit: Kit, path: Path, expected: Beliefs) -> None:
    """A new process on what a crash left believes the same, also after its background work."""
    memory = Kit(path, clock=kit.clock, settings=kit.settings).memory()
    await memory.start(work=False)
    assert beliefs_in(path) == expected
    await memory.process_due()
    await memory.close()
    assert beliefs_in(path) == expected


async def play(path: Path, story: Sequence[str], chosen: int) -> None:
    crashes = Crashes(path)
    kit = Kit(path, settings=MemorySettings(duplicate_distance_threshold=0.0), checkpoint=crashes)
    memory = kit.memory()
    await memory.start(work=False)
    before: Beliefs = frozenset()
    for said in story:
        after, marks, homes = believed_after(said, before), look(path, MARKS), homes_in(path)
        logged = look(path, "SELECT count(*) FROM conversation_log WHERE role = 'user'")
        crashes.copies.clear()
        crashes.is_on = True
        await do(memory, said)
        crashes.is_on = False
        kit.clock.advance(1.0)
        assert beliefs_in(path) == after
        left: list[tuple[Path, Beliefs]] = []
        for name, copy in crashes.copies:
            if said == FORGET:
                is_done = look(copy, MARKS) != marks
                assert homes_in(copy) == (0 if is_done else homes), name
            else:
                is_done = said == WORK or logged != look(
                    copy, "SELECT count(*) FROM conversation_log WHERE role = 'user'"
                )
            expected = after if is_done else before
            assert beliefs_in(copy) == expected, name
            left.append((copy, expected))
        if left:
            await outlives(kit, *left[chosen % len(left)])
        for _, copy in crashes.copies:
            shutil.rmtree(copy.parent)
        before = after
    await memory.close()


@settings(max_examples=25, deadline=None)
@given(story=stories, chosen=st.integers(0, 99))
def test_a_message_and_its_claims_are_both_there_or_both_not(story: list[str], chosen: int) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder) / "memory.db", story, chosen))


def make_old(path: Path) -> None:
    """Put entries of an older version into a file: two homes, and songs in between."""
    known = ["The user lives in Rome", *(f"The user likes song {n}" for n in range(2 * BATCH))]
    connection = connect(str(path), timeout_s=5.0)
    with connection:
        for number, content in enumerate([*known, "The user lives in Oslo"], start=1):
            connection.execute(
                "INSERT INTO memories (id, user, told_by, layer, category, key, content, source,"
                " said_at, created_at, updated_at, valid_from) VALUES"
                " (?1, 'ada', 'ada', 'knowledge', 'knowledge', ?2, ?3, 'system', ?1, 1, 1, 1)",
                (number, f"old_{number}", content),
            )
        connection.execute("INSERT INTO claim_backlog SELECT id FROM memories")
    connection.close()


async def test_a_crash_while_old_memories_are_read_repeats_and_loses_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    crashes = Crashes(path)
    kit = Kit(path, settings=MemorySettings(duplicate_distance_threshold=0.0), checkpoint=crashes)
    for work in (False, True):
        memory = kit.memory()
        await memory.start(work=False)
        crashes.is_on = work
        await memory.process_due()
        crashes.is_on = False
        await memory.close()
        if not work:
            make_old(path)
    expected = beliefs_in(path)
    assert len(expected) == 2 * BATCH + 1
    assert ("home", "Oslo") in expected  # said last; of Rome they speak as of the past
    points = [copy for name, copy in crashes.copies if name.startswith("claims.")]
    left = [look(copy, "SELECT count(*) FROM claim_backlog")[0][0] for copy in points]
    total = 2 * BATCH + 2
    assert left == [total, total - BATCH, total - BATCH, 2, 2, 0]
    for copy in points:
        memory = Kit(copy, clock=kit.clock, settings=kit.settings).memory()
        await memory.start(work=False)
        await memory.process_due()
        assert memory.stats().claims_unread == 0
        await memory.close()
        assert beliefs_in(copy) == expected
        assert look(copy, "SELECT count(*) FROM claims") == [(total,)]
