"""Export and import: complete and lossless, idempotent, all or nothing, and nobody else's."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.errors import ImportInvalidError
from lobug.memory import jobs
from lobug.memory.exchange.export import export, export_markdown
from lobug.memory.exchange.import_ import import_parsed, parse
from lobug.memory.model import HOUSEHOLD, ConversationKey, Imported, MemoryScope
from lobug.storage import migrations
from lobug.storage.database import no_checkpoint
from lobug.storage.driver import Connection, connect
from support.erasure_kit import (
    ADA,
    ADA_DESK,
    BOB,
    BOB_DESK,
    NOW,
    all_text,
    contents,
    distilled,
    know,
    messages,
    say,
    sum_up,
    within,
)


def opened() -> Connection:
    connection = connect(":memory:", timeout_s=1.0)
    connection.execute("PRAGMA foreign_keys = ON")
    migrations.migrate(
        connection,
        Path("memory.db"),
        legacy_user="ada",
        backups_keep=1,
        now=NOW,
        checkpoint=no_checkpoint,
    )
    return connection


@pytest.fixture
def connection() -> Iterator[Connection]:
    found = opened()
    yield found
    found.close()


@pytest.fixture
def empty() -> Iterator[Connection]:
    found = opened()
    yield found
    found.close()


def bring(
    connection: Connection, document: object, scope: MemoryScope = ADA, **more: Any
) -> Imported:
    return within(connection, lambda c: import_parsed(c, scope, parse(document), NOW, **more))


def exported(connection: Connection, scope: MemoryScope = ADA, now: float = NOW) -> dict[str, Any]:
    """As it comes out of a file: through JSON."""
    read: dict[str, Any] = json.loads(json.dumps(export(connection, scope, now)))
    return read


def fill(connection: Connection) -> None:
    """Something of everything, with gaps between the ids."""
    say(connection, "To be deleted.")
    connection.execute("DELETE FROM conversation_log")
    first = say(connection, "I live in Portland.", "Nice — 波特兰 🦊.", at=NOW + 0.123456)
    second = say(connection, "I live in Portland.", "Nice — 波特兰 🦊.", at=NOW + 0.123456)
    say(connection, "Later.", at=NOW + 5_000.0)
    connection.execute(
        "UPDATE conversation_log SET speaker = 'Ada', meant = 0 WHERE id = ?", (first + 1,)
    )
    connection.execute(
        "UPDATE conversation_log SET content = '', forgotten = 1 WHERE id = ?", (second + 1,)
    )
    jobs.wait_for_reply(connection, "ada", second, NOW, NOW)
    old = know(connection, "The user lives in Portland", key="user_home", message=first)
    new = know(connection, "The user moved to Seattle", key="user_home_2", message=second,
               tags=("home", "ü"), importance=0.123, project="move")  # fmt: skip
    connection.execute(
        "UPDATE memories SET status = 'past', reason = 'superseded', replaced_by = ?,"
        " valid_until = ?, expired_at = ?, recall_count = 7, last_recalled_at = 12.5 WHERE id = ?",
        (new, NOW + 1, NOW + 2, old),
    )
    summary = sum_up(connection, "[x] They spoke of Portland.", first, second + 1)
    distilled(connection, "Lives in Seattle", "line_1", new, summary)
    know(connection, "Only here", key="here", scope="conversation", conversation="ada/device:desk")
    connection.execute("INSERT INTO projects VALUES ('ada', 'move', 'To Seattle', 'active', 3.5)")
    done = know(connection, "Task done: pack.", key="task_pack", layer="archive", project="move")
    connection.execute(
        "INSERT INTO project_tasks (user, project, title, status, state, created_at, completed_at,"
        " archived_as) VALUES ('ada', 'move', 'Pack', 'done', '', 1, 2, ?)",
        (done,),
    )
    connection.execute(
        "INSERT INTO project_tasks (user, title, state, created_at) VALUES ('ada', 'Rest', 's', 1)"
    )
    connection.execute("UPDATE memories SET task_id = 1 WHERE id = ?", (done,))
    connection.execute(
        "INSERT INTO recalls (user, conversation, message_id, query, created_at, took_ms)"
        " VALUES ('ada', 'ada/device:desk', ?, NULL, ?, 3.25), ('ada', 'c', NULL, 'q', 1, 1)",
        (second, NOW),
    )
    connection.execute(
        "INSERT INTO recall_hits VALUES (1, 1, ?, NULL, 0.5, 0.25, '{\"words\": 0.5}', 1),"
        " (1, 2, NULL, ?, 0.25, 0.125, '{}', 0)",
        (new, first),
    )
    connection.execute("UPDATE sessions SET summary = 'About moving', failures = 2 WHERE id = 1")


def test_what_is_exported_and_imported_exports_the_same(
    connection: Connection, empty: Connection
) -> None:
    fill(connection)
    document = exported(connection)
    assert [len(document[kind]) for kind in ("sessions", "messages", "entries", "projects",
            "tasks", "recalls")] == [2, 6, 6, 1, 2, 2]  # fmt: skip
    done = bring(empty, document)
    assert done == Imported(sessions=2, messages=6, entries=6, projects=1, tasks=2, skipped=0)
    assert exported(empty) == document
    assert empty.execute("PRAGMA foreign_key_check").fetchall() == []
    assert jobs.next_due(empty, NOW) is not None  # what was not extracted yet will be


def test_the_second_time_nothing_is_imported(connection: Connection, empty: Connection) -> None:
    fill(connection)
    document = exported(connection)
    for database in (connection, empty, empty):
        before = exported(database)
        done = bring(database, document)
        if before["entries"]:
            assert done == Imported(skipped=17)
            assert exported(database) == before


def test_everything_lands_under_the_one_who_imports(
    connection: Connection, empty: Connection
) -> None:
    fill(connection)
    know(connection, "The wifi password is hunter2", key="wifi", user=HOUSEHOLD, scope="household")
    writer = MemoryScope("ada", None, "write")
    document = exported(connection, writer)
    assert len(document["entries"]) == 7
    bring(empty, document, BOB)
    users = "SELECT user FROM {} GROUP BY user"
    for table in ("sessions", "conversation_log", "memories", "projects", "project_tasks",
                  "recalls", "background_tasks"):  # fmt: skip
        assert empty.execute(users.format(table)).fetchall() == [("bob",)], table
    assert empty.execute("SELECT DISTINCT told_by FROM memories").fetchall() == [("bob",)]
    assert empty.execute("SELECT DISTINCT conversation FROM conversation_log").fetchall() == [
        ("bob/device:desk",)
    ]
    assert "The wifi password is hunter2" in contents(empty, "bob")


def test_an_export_holds_nobody_elses(connection: Connection) -> None:
    say(connection, "I am Bob's secret.", conversation_key=BOB_DESK)
    know(connection, "Bob's secret", key="x", user="bob", told_by="bob")
    know(connection, "Secret of the house", key="y", user=HOUSEHOLD, told_by="bob",
         scope="household")  # fmt: skip
    know(connection, "Of the kitchen, secret", key="z", scope="conversation",
         conversation="ada/device:kitchen")  # fmt: skip
    assert "secret" not in json.dumps(
        exported(connection, MemoryScope("ada", "ada/device:desk", "read"))
    )
    assert "kitchen" in json.dumps(exported(connection, MemoryScope("ada", None)))


def test_into_a_memory_that_went_on(connection: Connection, empty: Connection) -> None:
    fill(connection)
    say(empty, "Hello there.", at=NOW + 9_000)
    know(empty, "The user moved to Seattle", key="user_home_2")
    know(empty, "Something else", key="here", scope="conversation", conversation="ada/device:desk")
    bring(empty, exported(connection))
    assert contents(empty).count("The user moved to Seattle") == 1
    # The conversation that goes on has its own messages as its last ones.
    recent = empty.execute(
        "SELECT content FROM conversation_log WHERE conversation = ?", (ADA_DESK.conversation,)
    ).fetchall()
    assert recent == [("Hello there.",), ("Noted.",)]
    keys = empty.execute("SELECT key FROM memories WHERE scope = 'conversation'").fetchall()
    assert keys == [("here",), ("here_2",)]
    past = empty.execute("SELECT replaced_by FROM memories WHERE status = 'past'").fetchall()
    assert past == [(1,)]
    assert empty.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(("reason", "left"), [("corrected", 1), ("removed", 0)])
def test_what_was_put_right_since_does_not_come_back_with_an_old_export(
    connection: Connection, reason: str, left: int
) -> None:
    """Also where its time was changed here, or the document is from another memory."""
    know(connection, "The user's sister is named Alan", key="sister")
    old = exported(connection)
    connection.execute(
        "UPDATE memories SET status = 'inactive', reason = ?, expired_at = ?, updated_at = ?",
        (reason, NOW + 5, NOW + 3),
    )
    if left:
        know(connection, "The user's sister is named Hannah", key="sister", at=NOW + 5)
    assert bring(connection, old).entries == 0
    active = connection.execute("SELECT count(*) FROM memories WHERE status = 'active'")
    assert active.fetchone() == (left,)


def test_what_was_said_after_it_was_put_right_comes_with_an_export(
    connection: Connection, empty: Connection
) -> None:
    know(connection, "The user's sister is named Alan", key="sister")
    connection.execute(
        "UPDATE memories SET status = 'inactive', reason = 'removed', expired_at = ?", (NOW + 5,)
    )
    know(empty, "The user's sister is named Alan", key="sister", at=NOW + 10)
    assert bring(connection, exported(empty)).entries == 1


def test_identity_that_does_not_fit_comes_to_knowledge(
    connection: Connection, empty: Connection
) -> None:
    for number in range(30):
        know(connection, f"Line {number} of {'x' * 50}", key=f"line_{number}", layer="identity",
             importance=number / 30)  # fmt: skip
    bring(empty, exported(connection), identity_chars=500)
    rows = empty.execute("SELECT layer, max(importance) FROM memories GROUP BY layer").fetchall()
    assert dict(rows)["identity"] > dict(rows)["knowledge"]
    assert len(contents(empty)) == 30


SMALL = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)
TIMES = st.floats(min_value=-1e9, max_value=4e9, allow_nan=False)


@st.composite
def worlds(draw: st.DrawFn) -> list[tuple[str, Any]]:
    """What happens to a memory, in order."""
    steps = st.one_of(
        st.tuples(st.just("say"), st.tuples(SMALL, SMALL, TIMES)),
        st.tuples(st.just("know"), st.tuples(SMALL.filter(lambda t: t.strip(" ") != ""), TIMES,
                  st.lists(SMALL.filter(bool), max_size=2), st.floats(0, 1))),
        st.tuples(st.just("replace"), st.integers(0, 20)),
        st.tuples(st.just("sum_up"), st.integers(0, 20)),
        st.tuples(st.just("delete"), st.integers(0, 20)),
    )  # fmt: skip
    return draw(st.lists(steps, max_size=12))


@given(world=worlds())
@settings(max_examples=60, deadline=None)
def test_any_memory_survives_the_journey(world: list[tuple[str, Any]]) -> None:
    here, there = opened(), opened()
    try:
        for number, (step, how) in enumerate(world):
            happen(here, number, step, how)
        document = exported(here)
        bring(there, document)
        assert exported(there) == document
        assert bring(there, document).skipped == sum(
            len(document[kind]) for kind in ("sessions", "messages", "entries")
        )
        assert exported(there) == document
        assert there.execute("PRAGMA foreign_key_check").fetchall() == []
    finally:
        here.close()
        there.close()


def happen(connection: Connection, number: int, step: str, how: Any) -> None:
    ids = [row[0] for row in connection.execute("SELECT id FROM memories ORDER BY id")]
    said = [row[0] for row in connection.execute("SELECT id FROM conversation_log ORDER BY id")]
    if step == "say":
        said_, reply, at = how
        say(
            connection,
            said_,
            reply,
            at=at,
            conversation_key=ConversationKey("ada", f"ada/device:{number % 3}"),
        )
    elif step == "know":
        content, at, tags, importance = how
        know(connection, content, key=f"key_{number}", at=at, tags=tuple(tags),
             importance=importance, message=said[number % len(said)] if said else None,
             source="user")  # fmt: skip
    elif step == "replace" and len(ids) > 1:
        old = ids[how % (len(ids) - 1)]
        connection.execute(
            "UPDATE memories SET status = 'past', reason = 'superseded', replaced_by = ?"
            " WHERE id = ? AND status = 'active'",
            (ids[-1], old),
        )
    elif step == "sum_up" and said:
        first = said[how % len(said)]
        entry = sum_up(connection, f"[x] Summary {number}", first, said[-1], key=f"ctx_{number}")
        connection.executemany(
            "INSERT INTO memory_sources VALUES (?, ?)", [(entry, source) for source in ids[:3]]
        )
    elif step == "delete" and ids:
        connection.execute("DELETE FROM memories WHERE id = ?", (ids[how % len(ids)],))


def spoilt(document: dict[str, Any], place: str, value: object) -> dict[str, Any]:
    """A document with something else at a place like "entries.0.importance"."""
    changed = copy.deepcopy(document)
    *path, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    inner: Any = changed
    for part in path:
        inner = inner[part]
    inner[last] = value
    return changed


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("format", "other"),
        ("version", 2),
        ("version", "1"),
        ("user", ""),
        ("user", None),
        ("exported_at", float("nan")),
        ("exported_at", "today"),
        ("sessions", {}),
        ("messages", None),
        ("entries", nested(5_000)),
        ("more", 1),
        ("entries.0.more", 1),
        ("entries.0.content", ""),
        ("entries.0.content", "   "),
        ("entries.0.content", 7),
        ("entries.0.content", "x" * 1_000_001),
        ("entries.0.content", "\ud800"),
        ("entries.0.key", "Robert'); DROP TABLE memories"),
        ("entries.0.key", "a\n"),
        ("entries.0.key", "a" * 65),
        ("entries.0.importance", 1.5),
        ("entries.0.importance", True),
        ("entries.0.importance", float("inf")),
        ("entries.0.status", "active"),
        ("entries.0.layer", "basement"),
        ("entries.0.said_at", 1e300),
        ("entries.3.scope", "household"),
        ("entries.0.tags", "home"),
        ("entries.0.tags", [1]),
        ("entries.0.id", 2),
        ("entries.1.id", 1),
        ("entries.0.id", 10**30),
        ("entries.0.replaced_by", 99),
        ("entries.0.replaced_by", 1),
        ("entries.1.replaced_by", 1),
        ("entries.0.source_message", 99),
        ("entries.0.distilled_from", [99]),
        ("entries.0.task", 99),
        ("entries.0.session", -1),
        ("entries.0.recall_count", 2**70),
        ("messages.0.role", "system"),
        ("messages.0.session", 99),
        ("messages.0.reply_to", 2),
        ("messages.2.reply_to", 3),
        ("messages.0.summarized", 1),
        ("messages.5.reply_to", 1),
        ("tasks.0.archived_as", 99),
        ("recalls.0.hits.0.entry", None),
        ("recalls.0.hits.0.parts", {"words": "many"}),
        ("recalls.0.hits.0.rank", 2),
    ],
)
def test_a_document_with_a_fault_changes_nothing(
    connection: Connection, empty: Connection, place: str, value: object
) -> None:
    fill(connection)
    document = spoilt(exported(connection), place, value)
    with pytest.raises(ImportInvalidError) as raised:
        bring(empty, document)
    assert "Portland" not in str(raised.value)
    assert len(str(raised.value)) < 600
    assert exported(empty)["messages"] == []
    assert "portland" not in all_text(empty)


@pytest.mark.parametrize("document", [None, 7, "text", {}, {"format": 7}, nested(3), True, b"x"])
def test_what_is_no_document(empty: Connection, document: object) -> None:
    with pytest.raises(ImportInvalidError):
        bring(empty, document)


@given(
    document=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | SMALL,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from(["format", "version", "sessions", "messages", "entries", "content",
                             "role", "id", "history", "user"]) | SMALL, inner, max_size=4),
        max_leaves=12,
    )
)  # fmt: skip
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_anything_is_imported_or_refused(connection: Connection, document: object) -> None:
    try:
        bring(connection, document)
    except ImportInvalidError:
        assert not connection.in_transaction


def test_markdown(connection: Connection) -> None:
    fill(connection)
    know(connection, "# Not a heading\n- nor *this* [link](x) <b>", key="marks")
    text = export_markdown(exported(connection))
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("## ")] == [
        "## Who this is", "## What is known", "## Timeline", "## Projects and tasks",
        "## History of changes",
    ]  # fmt: skip
    assert lines[0] == "# What Lo-Bug remembers of ada"
    assert "- Lives in Seattle (`line_1`; since 2023-11-14)" in lines
    assert "### 2023-11" in lines
    assert "- [x] Pack (done 1970-01-01)" in lines
    assert "- [ ] Rest: s" in lines
    assert (
        "- 2023-11-14, superseded: The user lives in Portland; since then: The user moved to"
        " Seattle" in lines
    )
    assert (
        "- \\# Not a heading - nor \\*this\\* \\[link\\](x) \\<b\\> (`marks`; since 2023-11-14)"
        in lines
    )
    assert messages(connection)[0] == "I live in Portland."


def test_markdown_of_nothing(connection: Connection) -> None:
    assert "Nothing yet." in export_markdown(exported(connection))
