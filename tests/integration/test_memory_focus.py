"""A conversation that is about a project, tags or a task: what it recalls, what its prompt holds,
and what becomes of its sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory.focus import PROMPT_CHARS
from lobug.memory.model import ConversationKey, Draft, Focus, MemoryScope, ProjectTask, Purge
from lobug.memory.projects import MAX_STATE_CHARS
from lobug.memory.service import Memory
from support.memory_kit import ADA, BOB, Kit, exchange, look, started
from support.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("each_database")

SCOPE = MemoryScope(ADA.user, ADA.conversation)
PHONE = ConversationKey(ADA.user, "ada-phone")
MINUTE = 60.0


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", ScriptedChatModel(model))


def model(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
    """Learns nothing; sums up a session by its first line."""
    if options.json_schema is not None:
        return "[]"
    return f"{messages[-1].content.splitlines()[0].removeprefix('User: ')} and Lo-Bug."


@pytest.fixture
async def memory(kit: Kit) -> AsyncIterator[Memory]:
    async with started(kit) as memory:
        yield memory


async def focus_on(
    memory: Memory,
    *,
    project: str | None = None,
    tags: tuple[str, ...] = (),
    task: int | None = None,
) -> Focus:
    return await memory.set_focus(SCOPE, ADA.conversation, project=project, tags=tags, task_id=task)


async def recalled(memory: Memory, query: str, conversation_key: ConversationKey = ADA) -> set[str]:
    context = await memory.retrieve_context(conversation_key, query)
    return {found.content for found in context.recalled}


async def over(
    kit: Kit, memory: Memory, said: str, conversation_key: ConversationKey = ADA
) -> None:
    """A session with one exchange, until it has been over for a while."""
    await exchange(memory, said, conversation_key=conversation_key)
    kit.clock.advance(11 * MINUTE)
    await memory.process_due()


async def the_task(memory: Memory, task_id: int = 1) -> ProjectTask:
    return next(t for t in await memory.projects.tasks(SCOPE) if t.id == task_id)


# ---- recall


async def paint(memory: Memory) -> None:
    for content, project, tags in (
        ("The paint of the kitchen is white", "kitchen", ("paint",)),
        ("The paint of the boat is blue", "boat", ("paint", "sea")),
        ("The paint of the fence is green", None, ("garden",)),
        ("The user likes paint", None, ()),
    ):
        await memory.store(SCOPE, Draft(content, project=project, tags=tags))


async def test_memories_of_other_projects_are_left_out(memory: Memory) -> None:
    await paint(memory)
    everything = await recalled(memory, "Which paint?")
    assert len(everything) == 4
    await focus_on(memory, project="boat")
    boat = await recalled(memory, "Which paint?")
    assert boat == everything - {"The paint of the kitchen is white"}
    assert await recalled(memory, "Which paint?", PHONE) == everything, "of this conversation only"
    assert len(await recalled(memory, "Which paint?", BOB)) == 0
    await focus_on(memory)
    assert await recalled(memory, "Which paint?") == everything


async def test_memories_with_other_tags_only_are_left_out(memory: Memory) -> None:
    await paint(memory)
    await focus_on(memory, tags=("sea", "garden"))
    assert await recalled(memory, "Which paint?") == {
        "The paint of the boat is blue",
        "The paint of the fence is green",
        "The user likes paint",
    }
    await focus_on(memory, project="boat", tags=("sea",))
    assert await recalled(memory, "Which paint?") == {
        "The paint of the boat is blue",
        "The user likes paint",
    }


async def test_the_words_of_a_memory_that_is_left_out_are_left_out_too(
    kit: Kit, memory: Memory
) -> None:
    message_id = await exchange(
        memory, "The paint of the kitchen is white as snow", conversation_key=PHONE
    )
    source = Draft(
        "The paint of the kitchen is white as snow", project="kitchen", source_message_id=message_id
    )
    await memory.store(SCOPE, source)
    await memory.projects.add(SCOPE, "boat")
    question = "What is white as snow in the kitchen?"
    assert any("snow" in text for text in await recalled(memory, question))
    await focus_on(memory, project="boat")
    assert await recalled(memory, question) == set()


async def test_a_task_of_a_project_is_a_focus_on_the_project(memory: Memory) -> None:
    await paint(memory)
    task = await memory.projects.add_task(SCOPE, "Sand the hull", project="boat")
    await focus_on(memory, task=task.id)
    assert "The paint of the kitchen is white" not in await recalled(memory, "Which paint?")
    await focus_on(memory, task=task.id, project="kitchen")
    found = await recalled(memory, "Which paint?")
    assert "The paint of the kitchen is white" in found
    assert "The paint of the boat is blue" not in found


# ---- the task in the prompt, and its sessions


async def test_the_tasks_state_stands_in_the_prompt_until_it_is_done(memory: Memory) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive")
    await focus_on(memory, task=task.id)
    assert (await memory.retrieve_context(ADA, "Hello")).task == "Build a hive"
    await memory.projects.note_task(SCOPE, task.id, "The floor\nis ready.")
    assert await memory.task_in_prompt(ADA) == "Build a hive: The floor is ready."
    assert (await memory.retrieve_context(ADA, "Hi")).task == "Build a hive: The floor is ready."
    assert (await memory.retrieve_context(PHONE, "Hi")).task == ""
    await memory.projects.complete_task(SCOPE, task.id)
    assert await memory.task_in_prompt(ADA) == ""
    assert await memory.focus(SCOPE, ADA.conversation) == Focus()


async def test_a_session_that_ends_adds_its_summary_to_the_task(kit: Kit, memory: Memory) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive")
    await memory.projects.note_task(SCOPE, task.id, "Plans are drawn.")
    await over(kit, memory, "I keep goats")
    await focus_on(memory, task=task.id)
    await over(kit, memory, "I keep bees")
    await over(kit, memory, "I keep owls", PHONE)
    await over(kit, memory, "I keep hens")
    own, *added = (await the_task(memory)).state.split("\n")
    assert own == "Plans are drawn."
    assert ["bees" in line for line in added] == [True, False]
    assert ["hens" in line for line in added] == [False, True]
    assert all(line.startswith("[20") for line in added)
    assert "bees" in await memory.task_in_prompt(ADA)

    done = await memory.projects.complete_task(SCOPE, task.id, "It stands.")
    assert done.state == ""
    assert done.archived_as is not None
    archived = (await memory.get(SCOPE, done.archived_as)).entry.content
    assert archived.split("\n")[1:] == [own, *added, "It stands."]


async def test_a_noted_state_replaces_what_sessions_added(kit: Kit, memory: Memory) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive")
    await focus_on(memory, task=task.id)
    await over(kit, memory, "I keep bees")
    await memory.projects.note_task(SCOPE, task.id, "Only this.")
    assert (await the_task(memory)).state == "Only this."


async def test_the_newest_of_a_state_fits(kit: Kit, memory: Memory) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive")
    await focus_on(memory, task=task.id)
    for _ in range(12):
        await over(kit, memory, "I keep bees")
    long = "and more of them " * 60
    look(kit.path, f"UPDATE sessions SET summary = 'hive ' || id || ' {long}' RETURNING 1")
    state = (await the_task(memory)).state
    assert len(state) <= MAX_STATE_CHARS
    assert [f"hive {number} " in state for number in (1, 4, 6, 12)] == [False, False, True, True]
    shown = await memory.task_in_prompt(ADA)
    assert 500 < len(shown) <= PROMPT_CHARS + 2
    assert shown.startswith("Build a hive: ... ")
    assert shown.endswith("and more of them"), "the end of the newest"
    look(kit.path, "UPDATE sessions SET summary = 'hive ' || id RETURNING 1")
    assert (await memory.task_in_prompt(ADA)).endswith("hive 12")
    assert len(await memory.task_in_prompt(ADA)) <= PROMPT_CHARS + 2
    await memory.projects.note_task(SCOPE, task.id, "first " + "word " * 400 + "last")
    shown = await memory.task_in_prompt(ADA)
    assert len(shown) <= PROMPT_CHARS + 2
    assert shown.endswith("last")
    await over(kit, memory, "I keep bees")
    shown = await memory.task_in_prompt(ADA)
    assert "last [20" in shown, "what a session added is newer than what was noted"
    assert "bees" in shown


# ---- what is erased


async def test_what_is_forgotten_is_gone_from_the_task(kit: Kit, memory: Memory) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive")
    await focus_on(memory, task=task.id, tags=("zanzibar", "bees"))
    await over(kit, memory, "I keep zanzibar")
    assert "zanzibar" in (await the_task(memory)).state
    await memory.forget_text(SCOPE, "zanzibar")
    assert "zanzibar" not in (await the_task(memory)).state
    assert (await memory.focus(SCOPE, ADA.conversation)).tags == ("bees",)


@pytest.mark.parametrize("done", [False, True])
async def test_a_purged_session_is_gone_from_its_task(kit: Kit, memory: Memory, done: bool) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive")
    await memory.projects.note_task(SCOPE, task.id, "Plans are drawn.")
    await focus_on(memory, task=task.id)
    await over(kit, memory, "I keep bees")
    await over(kit, memory, "I keep owls")
    if done:
        await memory.projects.complete_task(SCOPE, task.id, "It stands.")
    first = (await memory.sessions(SCOPE))[-1]
    await memory.purge(SCOPE, Purge(session=first.id))
    (row,) = look(
        kit.path,
        "SELECT content FROM memories WHERE task_id = 1",
    ) or [((await the_task(memory)).state,)]
    assert "bees" not in row[0]
    assert "owls" in row[0]
    assert "Plans are drawn." in row[0]
    assert ("It stands." in row[0]) is done


async def test_retention_leaves_what_an_open_task_shows(kit: Kit, memory: Memory) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive")
    await focus_on(memory, task=task.id)
    await over(kit, memory, "I keep bees")
    look(kit.path, "UPDATE memories SET incorporated = 1 WHERE category = 'timeline' RETURNING 1")
    kit.clock.advance(91 * 86_400.0)
    await memory.process_due()
    assert "bees" in (await the_task(memory)).state
    await memory.projects.complete_task(SCOPE, task.id)
    kit.clock.advance(2 * 86_400.0)
    await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM memories WHERE category = 'timeline'") == [(0,)]


async def test_a_purged_user_leaves_no_focus(kit: Kit, memory: Memory) -> None:
    task = await memory.projects.add_task(SCOPE, "Build a hive", project="bees")
    await focus_on(memory, task=task.id, project="bees", tags=("honey",))
    await over(kit, memory, "I keep bees")
    await memory.purge(SCOPE, Purge(user=True))
    for table in ("conversation_focus", "task_sessions", "project_tasks", "projects"):
        assert look(kit.path, f"SELECT count(*) FROM {table}") == [(0,)]


# ---- what is refused


async def test_only_what_the_user_has_can_be_a_focus(memory: Memory) -> None:
    bobs = await memory.projects.add_task(MemoryScope(BOB.user, None), "Bob's", project="boat")
    done = await memory.projects.add_task(SCOPE, "Done")
    await memory.projects.complete_task(SCOPE, done.id)
    for wrong in ({"project": "boat"}, {"task": bobs.id}, {"task": 99}):
        with pytest.raises(MemoryNotFoundError):
            await focus_on(memory, **wrong)
    with pytest.raises(MemoryContentError, match="is done"):
        await focus_on(memory, task=done.id)
    with pytest.raises(MemoryContentError, match="tags"):
        await focus_on(memory, tags=("x" * 65,))
    owner = MemoryScope(ADA.user, None)
    for conversation in (BOB.conversation, PHONE.conversation):
        with pytest.raises(MemoryNotFoundError, match="no such conversation"):
            await memory.set_focus(SCOPE, conversation, tags=("bees",))
        with pytest.raises(MemoryNotFoundError, match="no such conversation"):
            await memory.focus(owner, conversation)
    await exchange(memory, "Hello", conversation_key=PHONE)
    assert await memory.set_focus(owner, PHONE.conversation, tags=("a",)) == Focus(tags=("a",))
