"""The people of ``bench/growth.py``: memory finds of a clone what it finds of its template."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import pytest

from growth_people import (
    TALKATIVE,
    Answers,
    Cloner,
    GrowthError,
    check,
    found_by,
    make_ordinary,
    make_talkative,
    talk_of,
)
from lobug.memory.model import MemoryScope
from support import postgres
from support.memory_kit import Kit, look, started

PEOPLE, TEMPLATES, TURNS, TALKATIVE_TURNS = 5, 2, 8, 60


@pytest.fixture(autouse=True)
def in_postgres() -> Iterator[None]:
    with postgres.in_use():
        yield


async def test_a_clone_is_found_like_its_template_and_nobody_else_is(tmp_path: Path) -> None:
    made, cloned = Kit(tmp_path / "made.db"), Kit(tmp_path / "cloned.db")
    steps: list[str] = []
    async with started(made) as memory:
        await make_ordinary(memory, made.clock, TEMPLATES, TURNS, steps.append)
        url = memory.kept_in.url
        assert url is not None
        await make_talkative(memory, made.embedder, made.clock, url, TALKATIVE_TURNS, steps.append)
        expected = [
            await found_by(memory, f"template-{number}", talk_of(number).questions(3, 1))
            for number in range(TEMPLATES)
        ]
        talkative = await found_by(memory, TALKATIVE.user, talk_of(0).questions(3, 1))
    assert all(any(one.found) for one in (*expected, talkative))

    url = postgres.copied(made.path, cloned.path)
    cloner = Cloner(url, PEOPLE, TEMPLATES, steps.append)
    await cloner.prepare(made.embedder.model_id, made.embedder.dimension)
    cloner.fill()
    cloner.finish()
    async with started(cloned) as memory:
        for number in range(PEOPLE):
            await check(memory, f"person-{number:06d}", expected[number % TEMPLATES])
        await check(memory, TALKATIVE.user, talkative)
        other = Answers("person-000001", expected[0].questions, expected[0].found)
        with pytest.raises(GrowthError, match="finds other things"):
            await check(memory, "person-000001", other)
        # What comes next has numbers that nobody else's rows have.
        said = await memory.log_user_message(TALKATIVE, "I keep hens.")
        export = await memory.export(MemoryScope("person-000000", None))
    assert said > 2 * max(PEOPLE * TURNS, TALKATIVE_TURNS) - 2
    assert "template-" not in str(export)
    assert look(cloned.path, BROKEN_LINKS) == [(0,)]
    users = look(cloned.path, "SELECT count(DISTINCT user) FROM conversation_log")
    assert users == [(PEOPLE + 1,)]


BROKEN_LINKS = """
SELECT (SELECT count(*) FROM turn_index t WHERE NOT EXISTS
            (SELECT 1 FROM conversation_log l JOIN turn_owners o ON o.user = l.user
             WHERE l.id = t.message_id AND o.id = t.owner AND l.session_id = t.session_id))
     + (SELECT count(*) FROM memories m WHERE source_message_id IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM conversation_log l WHERE l.id = m.source_message_id AND l.user = m.user))
     + (SELECT count(*) FROM conversation_log r WHERE reply_to IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM conversation_log l WHERE l.id = r.reply_to AND l.user = r.user))
     + (SELECT count(*) FROM conversation_log l WHERE NOT EXISTS
            (SELECT 1 FROM sessions s WHERE s.id = l.session_id AND s.user = l.user))
"""
