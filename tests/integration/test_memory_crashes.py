"""``kill -9`` at the worst moments: what was acknowledged is there, with all that it claims, and
every fact arrives, once."""

from __future__ import annotations

import signal
from itertools import pairwise
from pathlib import Path

import pytest

from lobug.storage import migrations
from lobug.storage.driver import backups_of, connect
from support.memory_child import (
    CLAIMS,
    DAY_S,
    DOG,
    FACTS,
    OXFORD,
    SAID,
    SETTINGS,
    START,
    Way,
    session_kit,
)
from support.memory_kit import ADA, IDENTITY, SUMMARY, Kit, dated, exchange, look
from support.programs import run

MIGRATED = "SELECT 1 FROM sqlite_master WHERE name = 'claims'"
POINTS = [
    "migrate.before_commit",
    "migrate.after_commit",
    "resume.before_commit",
    "claims.before_commit",
    "claims.after_commit",
    "log.before_commit",
    "log.after_commit",
    "reply.before_commit",
    "reply.after_commit",
    "extract.before_model",
    "extract.after_model",
    "facts.inserting",
    "facts.before_commit",
    "facts.after_commit",
    "embed.before_model",
    "embed.after_model",
    "embed.before_commit",
    "embed.after_commit",
    "summarize.before_model",
    "summarize.after_model",
    "summary.before_commit",
    "summary.after_commit",
    "summarize_done.before_commit",
    "summarize_done.after_commit",
    "distill.before_model",
    "distill.after_model",
    "base.rewriting",
    "base.before_commit",
    "base.after_commit",
    "distill_done.before_commit",
]


def live_until_killed(path: Path, point: str, occurrence: int, way: Way | None = None) -> list[str]:
    """Run a process that dies at the point. Returns what memory had acknowledged to it."""
    process = run(
        ["support.memory_child", str(path), point, str(occurrence)]
        + ([] if way is None else way.arguments())
    )
    assert process.returncode == -signal.SIGKILL, process.stderr
    return [line for line in process.stdout.splitlines() if line.startswith("ack ")]


def claimed(path: Path) -> dict[str, str]:
    """The entries that the rules read, and their status."""
    rows = look(
        path,
        "SELECT m.content, m.status FROM memories m JOIN claims c ON c.memory_id = m.id"
        " WHERE c.reader = 'rules' ORDER BY m.id",
    )
    assert len(dict(rows)) == len(rows), rows
    return dict(rows)


def said_in(path: Path) -> list[str]:
    """What of the conversation is in the log."""
    rows = look(path, "SELECT content FROM conversation_log WHERE role = 'user' ORDER BY id")
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("point", "occurrence"),
    [(point, 1) for point in POINTS] + [(p, 4) for p in POINTS if p.split(".")[0] in
     {"log", "reply", "extract", "facts", "embed"}]
    + [(p, n) for p in ("log.before_commit", "log.after_commit") for n in (2, 6, 8)],
)  # fmt: skip
async def test_a_kill_loses_nothing_and_repeats_nothing(
    tmp_path: Path, point: str, occurrence: int
) -> None:
    path = tmp_path / "memory.db"
    acknowledged = live_until_killed(path, point, occurrence)
    said = said_in(path) if look(path, MIGRATED) else []
    if said:  # a message is there together with what it claims and ends, or not at all
        read = [one for one in said if one in CLAIMS]
        assert claimed(path) == (CLAIMS[read[-1]] if read else {})

    memory = Kit(path, settings=SETTINGS).memory()
    await memory.start(work=False)
    await memory.process_due()
    logged = look(path, "SELECT id, role, content FROM conversation_log ORDER BY id")
    assert [f"ack {i} {role} {text}" for i, role, text in logged][: len(acknowledged)] == (
        acknowledged
    )
    assert len(logged) <= len(acknowledged) + 1  # one more may be there, unacknowledged

    assert said_in(path) == said
    for text in SAID[len(said) :]:  # the rest of the conversation, after the restart
        await exchange(memory, text)
        await memory.process_due()
    stats = memory.stats()
    identity = await memory.base_memory(ADA.user)
    await memory.close()

    known = CLAIMS[SAID[-1]] | dict.fromkeys(FACTS.values(), "active")
    rows = look(path, "SELECT content, status FROM memories WHERE layer = 'knowledge'")
    assert sorted(rows) == sorted(known.items())
    assert claimed(path) == CLAIMS[SAID[-1]]
    ended = look(
        path,
        "SELECT m.content, l.content FROM claims c JOIN memories m ON m.id = c.memory_id"
        " JOIN conversation_log l ON l.id = c.ended_by ORDER BY l.id",
    )
    assert ended == [(OXFORD, "No, I live in Leeds"), (DOG, "My dog died")]
    # Each entry that a search may find has one vector: what is known or is past, and the timeline.
    found = [content for content, status in known.items() if status != "inactive"]
    assert look(path, "SELECT count(*) FROM memory_facts") == [(len(found) + stats.summaries,)]
    assert look(
        path,
        "SELECT count(*) FROM memory_facts JOIN memories USING (id) WHERE layer = 'knowledge'",
    ) == [(len(found),)]
    assert (stats.pending_tasks, stats.parked_tasks, stats.embedding_backlog) == (0, 0, 0)
    assert stats.facts == list(known.values()).count("active")
    covered = look(
        path, "SELECT content, source_from_id, source_to_id FROM memory_summaries ORDER BY id"
    )
    assert covered[0][1] == 1
    assert all(after[1] == before[2] + 1 for before, after in pairwise(covered))
    assert {row[0] for row in covered} == {dated(SUMMARY)}
    assert len(covered) >= 2
    assert identity == IDENTITY
    lines = look(path, "SELECT user, status FROM memories WHERE layer = 'identity'")
    assert lines == [("ada", "active")] * 2


SESSION_POINTS = [
    ("session_end.before_commit", {}),
    ("session_end.after_commit", {}),
    ("summarize.before_model", {}),
    ("summarize.after_model", {}),
    ("summary.before_commit", {}),
    ("summary.after_commit", {}),
    ("session_ended.before_commit", {}),
    ("session_ended.after_commit", {}),
    ("gaps.inserting", {}),
    ("gaps.before_commit", {}),
    ("gaps.after_commit", {}),
    ("summarize.before_copying", {"copied": True}),
    ("summary.before_commit", {"copied": True}),
    ("summary.after_commit", {"copied": True}),
    ("raw.inserting", {"unfit": True}),
    ("raw.before_commit", {"unfit": True}),
    ("raw.after_commit", {"unfit": True}),
    ("condense.before_model", {"long": True}),
    ("condense.before_commit", {"long": True}),
    ("condense.after_commit", {"long": True}),
    ("retention.erasing", {"old": True}),
    ("retention.before_commit", {"old": True}),
    ("retention.after_commit", {"old": True}),
    ("retention_done.before_commit", {"old": True}),
    ("retention_done.after_commit", {"old": True}),
]


@pytest.mark.parametrize(("point", "way"), SESSION_POINTS)
async def test_a_kill_at_the_end_of_a_session_loses_nothing_and_repeats_nothing(
    tmp_path: Path, point: str, way: dict[str, bool]
) -> None:
    path, how = tmp_path / "memory.db", Way(**way)
    live_until_killed(path, point, 1, how)

    kit = session_kit(path, how)
    kit.clock.advance(100 * DAY_S)
    memory = kit.memory()
    await memory.start(work=False)
    for _ in range(4):
        await memory.process_due()
        kit.clock.advance(3_600.0)
    stats = memory.stats()
    await memory.close()

    assert (stats.pending_tasks, stats.parked_tasks) == (0, 0)
    assert look(path, "SELECT content FROM facts") == [("The user filmed bees",)]
    covered = look(
        path,
        "SELECT from_message_id, to_message_id FROM memories WHERE category = 'timeline'"
        " ORDER BY id",
    )
    expected = [] if how.old else [(1, 4)]
    assert covered == expected
    ended = look(path, "SELECT ended_at IS NULL, failures, last_consolidated_at FROM sessions")
    assert ended == [(0, 0, START)]
    kinds = look(path, "SELECT kind FROM background_tasks WHERE kind <> 'compact'")
    assert kinds == [("retention",)]
    assert look(path, "PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("point", ["migrate.backed_up", "migrate.before_commit"])
async def test_a_kill_in_a_migration_leaves_the_old_version_whole(
    tmp_path: Path, point: str
) -> None:
    path = tmp_path / "memory.db"
    connection = connect(str(path), timeout_s=1.0)
    connection.executescript(FIRST_DESIGN)
    connection.close()
    before = look(path, "SELECT content FROM conversation_log")

    assert live_until_killed(path, point, 1) == []
    connection = connect(str(path), timeout_s=1.0)
    assert migrations.version_of(connection) == 0
    connection.close()
    assert look(path, "SELECT content FROM conversation_log") == before
    backups = backups_of(path)
    assert len(backups) == 1
    assert look(backups[0], "SELECT content FROM conversation_log") == before

    memory = Kit(path).memory()
    await memory.start(work=False)
    assert memory.stats().messages == 1
    await memory.close()


FIRST_DESIGN = """
CREATE TABLE conversation_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL, content TEXT NOT NULL,
    created_at REAL NOT NULL, summarized INTEGER NOT NULL DEFAULT 0
);
INSERT INTO conversation_log (role, content, created_at) VALUES ('user', 'I keep bees', 1.0);
"""
