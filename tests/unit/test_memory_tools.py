"""Memory's tools: what they take, what they refuse, what they do."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.errors import (
    InvalidRequestError,
    MemoryContentError,
    MemoryForbiddenError,
    MemoryKeyError,
    MemoryNotFoundError,
)
from lobug.memory.model import Draft, Entry, Filter, MemoryScope
from lobug.memory.service import Memory
from lobug.memory.tools import TOOLS, run, validated
from support.memory_kit import Kit, dated, started

ME = MemoryScope("ada", "ada-desk")
BOB = MemoryScope("bob", "bob-desk")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with started(Kit(tmp_path / "memory.db")) as memory:
        yield memory


async def kept(memory: Memory, scope: MemoryScope = ME) -> list[Entry]:
    """All versions of a user's memories."""
    return list(await memory.entries(scope, Filter(status=None), limit=1_000))


def test_the_tools_and_their_parameters_are_those_of_the_designs() -> None:
    parameters = {name: list(tool.parameters["properties"]) for name, tool in TOOLS.items()}
    assert parameters == {
        "memory_store": ["key", "content", "category", "importance"],
        "memory_recall": ["query", "category", "since", "until", "limit"],
        "memory_forget": ["key"],
        "memory_correct": ["content", "key"],
        "memory_write": ["action", "layer", "content", "target_id", "tags"],
        "memory": ["action", "key", "content"],
    }
    required = {name: tool.parameters["required"] for name, tool in TOOLS.items()}
    assert required == {
        "memory_store": ["key", "content"],
        "memory_recall": ["query"],
        "memory_forget": ["key"],
        "memory_correct": ["content"],
        "memory_write": ["action", "layer"],
        "memory": ["action"],
    }
    for tool in TOOLS.values():
        assert tool.parameters["additionalProperties"] is False
        json.dumps(tool.parameters)


async def test_store_recall_forget(memory: Memory) -> None:
    stored = await run(
        memory, ME, "memory_store", {"key": "user_tea", "content": "The user likes tea"}
    )
    assert (stored.success, stored.output) == (True, "Memory stored: user_tea")
    (entry,) = stored.entries
    assert (entry.category, entry.importance, entry.source) == ("knowledge", 0.5, "agent")

    found = await run(memory, ME, "memory_recall", {"query": "tea"})
    assert found.output == (
        "Found 1 memories:\n- user_tea [knowledge] [importance: 0.5]: The user likes tea"
    )
    assert (await run(memory, BOB, "memory_recall", {"query": "tea"})).output == (
        "No matching memories found."
    )

    assert (await run(memory, ME, "memory_forget", {"key": "user_tea"})).success
    assert await kept(memory) == []
    again = await run(memory, ME, "memory_forget", {"key": "user_tea"})
    assert not again.success
    assert isinstance(again.error, MemoryNotFoundError)


async def test_recall_by_category_and_time(memory: Memory) -> None:
    for day in (1, 2, 3):
        draft = Draft(f"tea on day {day}", said_at=day * 86_400.0, category="timeline")
        await memory.store(ME, draft)
    await memory.store(ME, Draft("tea", said_at=2 * 86_400.0))
    found = await run(
        memory,
        ME,
        "memory_recall",
        {"query": "tea", "category": "timeline", "since": 172_800_000, "until": 259_200_000},
    )
    assert [entry.content for entry in found.entries] == [dated("tea on day 2", 2 * 86_400.0)]


async def test_a_timeline_memory_goes_to_the_archive(memory: Memory) -> None:
    arguments = {"key": "trip", "content": "went to Rome", "category": "timeline"}
    (entry,) = (await run(memory, ME, "memory_store", arguments)).entries
    assert (entry.layer, entry.category) == ("archive", "timeline")


async def test_correct_finds_the_wrong_one_by_itself(memory: Memory) -> None:
    await memory.store(ME, Draft("The user lives in Portland", "home"))
    right = {"content": "The user lives in Seattle"}
    result = await run(memory, ME, "memory_correct", right, source="user")
    assert result.success
    active = await memory.entries(ME, Filter())
    assert [(e.content, e.source) for e in active] == [("The user lives in Seattle", "correction")]


async def test_correct_without_a_wrong_one_stores(memory: Memory) -> None:
    right = {"content": "The user lives in Seattle"}
    result = await run(memory, ME, "memory_correct", right, source="user")
    (entry,) = result.entries
    assert (entry.source, entry.importance) == ("correction", 1.0)


async def test_an_agent_does_not_correct_the_users_own_words(memory: Memory) -> None:
    for source in ("user", "correction"):
        key = f"home_{source}"
        await memory.store(ME, Draft("The user lives in Portland", key, source=source))
        wish = {"content": "The user lives in Seattle", "key": key}
        result = await run(memory, ME, "memory_correct", wish, source="agent")
        assert isinstance(result.error, MemoryForbiddenError)
        assert "nothing was changed" in str(result.error)
    assert {entry.content for entry in await kept(memory)} == {"The user lives in Portland"}


async def test_an_agents_correction_is_the_agents(memory: Memory) -> None:
    stored = {"content": "The user likes tea", "key": "drink"}
    await run(memory, ME, "memory_store", stored, source="agent")
    right = {"content": "The user likes coffee", "key": "drink"}
    (entry,) = (await run(memory, ME, "memory_correct", right, source="agent")).entries
    assert (entry.content, entry.source, entry.importance) == (right["content"], "agent", 0.5)


async def test_write_add_update_remove(memory: Memory) -> None:
    added = await run(
        memory,
        ME,
        "memory_write",
        {"action": "add", "layer": "L0", "content": "Name: Ada", "tags": ["who"]},
    )
    (entry,) = added.entries
    assert (entry.layer, entry.tags) == ("identity", ("who",))
    (newer,) = (
        await run(
            memory,
            ME,
            "memory_write",
            {"action": "update", "layer": "L0", "content": "Name: Eve", "target_id": str(entry.id)},
        )
    ).entries
    assert newer.content == "Name: Eve"
    removed = {"action": "remove", "layer": "L0", "target_id": str(newer.id)}
    assert (await run(memory, ME, "memory_write", removed)).success
    assert await memory.entries(ME, Filter()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "update", "layer": "L1", "content": "x", "target_id": "1"},
        {"action": "remove", "layer": "L1", "target_id": "1"},
        {"action": "remove", "layer": "L0", "target_id": "99"},
    ],
)
async def test_write_changes_only_what_is_in_the_layer(
    memory: Memory, arguments: dict[str, object]
) -> None:
    await memory.store(ME, Draft("Name: Ada", layer="identity"))
    result = await run(memory, ME, "memory_write", arguments)
    assert isinstance(result.error, MemoryNotFoundError)


async def test_save_list_delete(memory: Memory) -> None:
    saved = {"action": "save", "key": "tea", "content": "likes\ntea"}
    assert (await run(memory, ME, "memory", saved)).success
    assert (await run(memory, ME, "memory", {"action": "list"})).output == "- tea: likes tea"
    assert (await run(memory, BOB, "memory", {"action": "list"})).output == "No memories."
    assert (await run(memory, ME, "memory", {"action": "delete", "key": "tea"})).success
    assert await kept(memory) == []


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("memory_purge", {}, InvalidRequestError),
        ("memory_store", "{", InvalidRequestError),
        ("memory_store", "[" * 100_000, InvalidRequestError),
        ("memory_store", None, MemoryContentError),
        ("memory_store", [], MemoryContentError),
        ("memory_store", {"key": "tea"}, MemoryContentError),
        ("memory_store", {"key": "tea", "content": "  "}, MemoryContentError),
        ("memory_store", {"key": "tea", "content": "x" * 5_000}, MemoryContentError),
        ("memory_store", {"key": "tea", "content": "x", "user": "bob"}, MemoryContentError),
        ("memory_store", {"key": "tea", "content": "x", "scope": "household"}, MemoryContentError),
        ("memory_store", {"key": "tea", "content": "x", "importance": 2}, MemoryContentError),
        ("memory_store", {"key": "tea", "content": "x", "importance": "1"}, MemoryContentError),
        ("memory_store", {"key": "tea", "content": "x", "category": "core"}, MemoryContentError),
        ("memory_store", {"key": "Tea", "content": "x"}, MemoryKeyError),
        ("memory_store", {"key": "system_tea", "content": "x"}, MemoryKeyError),
        ("memory_store", {"key": "internal_tea", "content": "x"}, MemoryKeyError),
        ("memory_store", {"key": "t'; DROP TABLE memories", "content": "x"}, MemoryKeyError),
        ("memory_store", {"key": "t" * 65, "content": "x"}, MemoryContentError),
        ("memory_recall", {"query": ""}, MemoryContentError),
        ("memory_recall", {"query": "x", "limit": 0}, MemoryContentError),
        ("memory_recall", {"query": "x", "limit": 10**30}, MemoryContentError),
        ("memory_recall", {"query": "x", "since": -1}, MemoryContentError),
        ("memory_recall", {"query": "x", "until": True}, MemoryContentError),
        ("memory_forget", {"key": "%"}, MemoryKeyError),
        ("memory_write", {"action": "add", "layer": "L2", "content": "x"}, MemoryContentError),
        ("memory_write", {"action": "add", "layer": "L1"}, MemoryContentError),
        ("memory_write", {"action": "update", "layer": "L1", "content": "x"}, MemoryContentError),
        ("memory_write", {"action": "remove", "layer": "L1", "target_id": "1 OR 1"},
         MemoryContentError),
        ("memory", {"action": "save", "key": "tea"}, MemoryContentError),
        ("memory", {"action": "delete"}, MemoryContentError),
        ("memory", {"action": "purge"}, MemoryContentError),
    ],
)  # fmt: skip
async def test_wrong_arguments_are_refused(
    memory: Memory, name: str, arguments: object, error: type[Exception]
) -> None:
    result = await run(memory, ME, name, arguments)
    assert not result.success
    assert type(result.error) is error
    assert await kept(memory) == []


def test_a_refusal_repeats_no_value() -> None:
    with pytest.raises(MemoryContentError) as raised:
        validated("memory_store", {"key": "tea", "content": "", "hunter2": "hunter2"})
    assert "hunter2" not in str(raised.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NAMES = sorted({field for tool in TOOLS.values() for field in tool.arguments.model_fields})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # one memory is enough
@given(st.sampled_from(sorted(TOOLS)), st.dictionaries(st.sampled_from(NAMES), JSON) | JSON)
async def test_anything_at_all_gets_a_result(memory: Memory, name: str, arguments: object) -> None:
    result = await run(memory, ME, name, arguments)
    assert result.success == (result.error is None)
    assert {entry.user for entry in await kept(memory)} <= {"ada"}
