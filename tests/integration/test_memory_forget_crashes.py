"""``kill -9`` while something is forgotten, the file rebuilt, a snapshot imported: nothing that was
acknowledged is undone, nothing else is lost, and nothing is imported twice."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from lobug.memory.exchange.snapshot import SNAPSHOT
from lobug.memory.model import MemoryScope
from lobug.storage.compaction import copy_of
from support.erasure_child import CLAIMED, KNOWN, SAID, SECRET, kit
from support.erasure_kit import bytes_of
from support.memory_kit import ADA, exchange, look
from support.programs import run

SESSIONS = {
    "sessions": [
        {
            "id": f"s{number}",
            "user_id": "ada",
            "messages": [
                {"role": "user", "content": f"Snapshot {number}", "created_at": 1_600_000_000},
                {"role": "assistant", "content": f"{SECRET}, noted", "created_at": 1_600_000_001},
            ],
        }
        for number in range(3)
    ]
}
POINTS = [
    ("snapshot.before_commit", 1),
    ("snapshot.after_commit", 2),
    ("snapshot.imported", 1),
    ("forget.before_commit", 1),
    ("forget.after_commit", 1),
    ("repack.before_commit", 1),
    ("repack.after_commit", 1),
    ("merge.before_commit", 1),
    ("merge.after_commit", 2),
    ("compact.copied", 1),
    ("compact.copying", 1),
    ("compact.copying", 20),
    ("compact.in_place", 1),
    ("compact.folding", 1),
    ("compact.folded", 1),
    ("compact.copies_deleted", 1),
    ("compact_done.before_commit", 1),
    ("compact_done.after_commit", 1),
]


def live_until_killed(path: Path, point: str, occurrence: int) -> list[str]:
    """Run a process that dies at the point. Returns what it had acknowledged."""
    process = run(["support.erasure_child", str(path), point, str(occurrence)])
    assert process.returncode == -signal.SIGKILL, process.stderr
    return [line.removeprefix("ack ") for line in process.stdout.splitlines()]


TOLD = """SELECT 1 FROM conversation_log WHERE role = 'user' AND session_id IN
    (SELECT id FROM sessions WHERE external_id IS NULL)"""
REMEMBERED = (2, 1, True, 0)
FORGOTTEN = (0, 0, False, 1)


def secrets_left(path: Path) -> tuple[int, int, bool, int]:
    """Entries and claims with the secret, whether a message has it, and the number of tombstones:
    all of it is remembered, or all of it is forgotten."""
    like = f"LIKE '%{SECRET}%'"
    rows = look(
        path,
        f"SELECT (SELECT count(*) FROM memories WHERE content {like}),"
        f" (SELECT count(*) FROM claims WHERE value {like}),"
        f" (SELECT count(*) FROM conversation_log WHERE content {like}),"
        " (SELECT count(*) FROM tombstones)",
    )
    ((entries, claims, messages, tombstones),) = rows
    return entries, claims, messages > 0, tombstones


@pytest.mark.parametrize(("point", "occurrence"), POINTS)
async def test_a_kill_undoes_nothing_and_leaves_nothing(
    tmp_path: Path, point: str, occurrence: int
) -> None:
    path = tmp_path / "memory.db"
    path.with_name(SNAPSHOT).write_text(json.dumps(SESSIONS))
    acknowledged = live_until_killed(path, point, occurrence)
    if "told" in acknowledged:
        is_forgotten = "forgotten" in acknowledged or point == "forget.after_commit"
        assert secrets_left(path) == (FORGOTTEN if is_forgotten else REMEMBERED)

    memory = kit(path).memory()
    await memory.start(work=False)
    await memory.process_due()
    if "told" not in acknowledged:
        for said in SAID[len(look(path, TOLD)) :]:
            await exchange(memory, said, f"Noted: {said}.")
        await memory.process_due()
    if "forgotten" not in acknowledged:
        await memory.forget_text(MemoryScope(ADA.user, ADA.conversation), SECRET)
        await memory.process_due()
    stats = memory.stats()
    await memory.close()

    assert SECRET.lower().encode() not in bytes_of(path).lower()
    assert secrets_left(path)[:3] == FORGOTTEN[:3]
    assert sorted(look(path, "SELECT content, status FROM memories")) == sorted(
        (known, "active") for said, known in KNOWN.items() if SECRET not in said
    )
    assert look(path, "SELECT relation, value FROM claims ORDER BY relation") == CLAIMED
    # A tombstone holds against older words that are read later, and was not lost with the copy.
    assert look(path, "SELECT count(*) > 0 FROM tombstones") == [(1,)]
    said_first = look(
        path, "SELECT content FROM conversation_log WHERE role = 'user' AND session_id IN"
        " (SELECT id FROM sessions WHERE external_id IS NOT NULL) ORDER BY id",
    )  # fmt: skip
    assert said_first == [("Snapshot 0",), ("Snapshot 1",), ("Snapshot 2",)]
    assert look(path, "PRAGMA integrity_check") == [("ok",)]
    assert stats.pending_tasks == 0
    assert not copy_of(path).exists()
    assert not path.with_name(SNAPSHOT).exists()
