"""The verbs of memory on entries, on a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lobug.errors import (
    IdentityFullError,
    MemoryContentError,
    MemoryDisabledError,
    MemoryForbiddenError,
    MemoryKeyError,
    MemoryNotFoundError,
)
from lobug.memory.model import ConversationKey, Draft, Filter, MemoryScope, Purge
from lobug.memory.service import Memory
from lobug.settings import MemorySettings
from support.memory_kit import Kit

pytestmark = pytest.mark.usefixtures("each_database", "asked_again")

ADA = MemoryScope("ada", "ada/device:desk")
ADA_KITCHEN = MemoryScope("ada", "ada/device:kitchen")
BOB = MemoryScope("bob", "bob/device:desk")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


@pytest_asyncio.fixture
async def memory(kit: Kit) -> AsyncIterator[Memory]:
    memory = kit.memory()
    await memory.start(work=False)
    yield memory
    await memory.close()


async def test_an_entry_is_stored_under_its_key_and_updated_by_it(kit: Kit, memory: Memory) -> None:
    first = await memory.store(ADA, Draft("The user drinks tea", key="user_drink"))
    kit.clock.advance(60.0)
    second = await memory.store(ADA, Draft("The user drinks coffee", key="user_drink"))
    assert (second.key, second.status, second.created_at) == (
        "user_drink",
        "active",
        first.created_at,
    )
    assert second.updated_at == first.updated_at + 60.0
    versions = await memory.history(ADA, first.id)
    assert [(v.content, v.status, v.reason, v.replaced_by) for v in versions] == [
        ("The user drinks tea", "inactive", "edited", second.id),
        ("The user drinks coffee", "active", None, None),
    ]
    assert [entry.id for entry in await memory.entries(ADA, Filter())] == [second.id]


async def test_the_same_again_changes_no_version(memory: Memory) -> None:
    first = await memory.store(ADA, Draft("The user drinks tea", key="user_drink"))
    again = await memory.store(
        ADA, Draft("The user drinks tea", key="user_drink", importance=0.9, tags=("food",))
    )
    assert again.id == first.id
    assert (again.importance, again.tags) == (0.9, ("food",))


async def test_a_key_says_what_a_memory_is_about(memory: Memory) -> None:
    await memory.store(ADA, Draft("The user lives at 3 Orchard Close", key="home_address"))
    (hit,) = await memory.search(ADA, "What is my address?", Filter())
    assert hit.confidence == 1.0


async def test_what_nobody_named_gets_a_key_that_tells_what_it_is_about(
    memory: Memory,
) -> None:
    sister = await memory.store(ADA, Draft("The user's sister is named Anna"))
    home = await memory.store(ADA, Draft("The user lives in Portland"))
    other = await memory.store(ADA, Draft("The user's sister is named Anna!"))
    foreign = await memory.store(ADA, Draft("用户喜欢喝茶"))
    assert sister.key == "sister_named_anna"
    assert home.key == "user_home"
    assert other.key == "sister_named_anna_2"
    assert foreign.key == "memory"


async def test_a_move_ends_what_was_true_and_keeps_it_as_past(kit: Kit, memory: Memory) -> None:
    old = await memory.store(ADA, Draft("The user lives in Portland"))
    kit.clock.advance(86_400.0)
    new = await memory.store(ADA, Draft("The user moved to Seattle"))
    (past,) = await memory.entries(ADA, Filter(status="past"))
    assert (past.id, past.reason, past.valid_until) == (old.id, "superseded", new.valid_from)
    assert past.valid_from < new.valid_from


async def test_a_correction_outranks_and_hides_what_was_wrong(memory: Memory) -> None:
    wrong = await memory.store(ADA, Draft("The user's sister is named Anna", source="system"))
    right = await memory.correct(ADA, wrong.id, "The user's sister is named Hannah")
    assert (right.source, right.importance, right.status) == ("correction", 1.0, "active")
    before = (await memory.get(ADA, wrong.id)).entry
    assert (before.status, before.reason, before.replaced_by) == (
        "inactive",
        "corrected",
        right.id,
    )
    found = await memory.search(ADA, "sister Anna", Filter())
    assert [hit.id for hit in found] == [right.id]
    with pytest.raises(MemoryNotFoundError):
        await memory.correct(ADA, wrong.id, "The user has no sister")


async def test_a_removed_entry_comes_back_as_it_was(memory: Memory) -> None:
    entry = await memory.store(ADA, Draft("The user plays the cello", importance=0.7))
    assert (await memory.deactivate(ADA, entry.id)).reason == "removed"
    assert await memory.search(ADA, "cello", Filter()) == []
    back = await memory.restore(ADA, entry.id)
    assert (back.content, back.importance, back.status) == (entry.content, 0.7, "active")
    assert (await memory.restore(ADA, back.id)).id == back.id


async def test_restoring_an_old_version_lets_the_new_one_give_way(memory: Memory) -> None:
    first = await memory.store(ADA, Draft("The user drinks tea", key="user_drink"))
    second = await memory.store(ADA, Draft("The user drinks coffee", key="user_drink"))
    back = await memory.restore(ADA, first.id)
    assert [entry.content for entry in await memory.entries(ADA, Filter())] == [first.content]
    statuses = {v.id: v.status for v in await memory.history(ADA, second.id)}
    assert statuses[back.id] == "active"
    assert list(statuses.values()).count("active") == 1


@pytest.mark.parametrize(
    "key", ["", "Upper", "1st", "with space", "a" * 65, "system_x", "internal_x", "ä", "a-b"]
)
async def test_keys_that_break_the_rules_are_refused(memory: Memory, key: str) -> None:
    with pytest.raises(MemoryKeyError):
        await memory.store(ADA, Draft("The user drinks tea", key=key))


@pytest.mark.parametrize(
    "draft",
    [
        Draft("  "),
        Draft("?!"),
        Draft("x" * 2_001),
        Draft("a\x00b"),
        Draft("half \ud83d"),
        Draft("fine", importance=float("nan")),
        Draft("fine", importance=1.5),
        Draft("fine", tags=("",)),
        Draft("fine", tags=tuple(str(n) for n in range(33))),
        Draft("fine", layer="identity", section="Secrets"),
        Draft("fine", project=" "),
    ],
)
async def test_contents_that_cannot_be_kept_are_refused(memory: Memory, draft: Draft) -> None:
    with pytest.raises(MemoryContentError):
        await memory.store(ADA, draft)
    assert await memory.entries(ADA, Filter(status=None)) == []


async def test_scopes_keep_people_and_devices_apart(memory: Memory) -> None:
    mine = await memory.store(ADA, Draft("The user drinks tea"))
    here = await memory.store(ADA, Draft("The lamp here is broken", scope="conversation"))
    assert [e.id for e in await memory.entries(ADA, Filter())] == [mine.id, here.id]
    assert [e.id for e in await memory.entries(ADA_KITCHEN, Filter())] == [mine.id]
    assert await memory.entries(BOB, Filter(status=None)) == []
    for call in (memory.get, memory.history, memory.deactivate, memory.restore):
        with pytest.raises(MemoryNotFoundError):
            await call(BOB, mine.id)
    with pytest.raises(MemoryForbiddenError):
        await memory.store(ADA, Draft("The bins go out on Monday", scope="household"))


async def test_the_household_is_seen_and_changed_only_by_grant(memory: Memory) -> None:
    reader = MemoryScope("bob", "bob/device:desk", household="read")
    writer = MemoryScope("ada", "ada/device:desk", household="write")
    bins = await memory.store(writer, Draft("The bins go out on Monday", scope="household"))
    assert [e.id for e in await memory.entries(reader, Filter())] == [bins.id]
    assert [h.id for h in await memory.search(reader, "when do the bins go out", Filter())] == [
        bins.id
    ]
    assert await memory.entries(BOB, Filter()) == []
    with pytest.raises(MemoryForbiddenError):
        await memory.edit(reader, bins.id, content="The bins go out on Friday")


async def test_identity_has_a_hard_limit_and_distilled_lines_give_way(kit: Kit) -> None:
    kit.settings = MemorySettings(identity_chars=120)
    memory = kit.memory()
    await memory.start(work=False)
    distilled = await memory.store(
        ADA, Draft("Once built a robot from matches", layer="identity", source="system")
    )
    await memory.store(ADA, Draft("Name: Ada. Never call her Addie", layer="identity"))
    await memory.store(
        ADA, Draft("Speaks English and Dutch", layer="identity", section="Preferences")
    )
    known = await memory.identity(ADA)
    assert "Never call her Addie" in known.text
    assert known.text.startswith("## User Profile\n- ")
    assert known.characters == len(known.text) <= 120
    assert known.used_percent == round(100 * known.characters / 120)
    moved = await memory.history(ADA, distilled.id)
    assert [(v.layer, v.status) for v in moved] == [
        ("identity", "inactive"),
        ("knowledge", "active"),
    ]
    with pytest.raises(IdentityFullError):
        await memory.store(ADA, Draft("Plays " + "the cello, " * 9, layer="identity"))
    assert (await memory.identity(ADA)).text == known.text
    await memory.close()


async def test_a_finished_task_is_archived_and_found_in_the_archive(memory: Memory) -> None:
    task = await memory.projects.add_task(ADA, "Repair the clavichord", project="music")
    await memory.projects.note_task(ADA, task.id, "Glued the soundboard with hide glue.")
    done = await memory.projects.complete_task(ADA, task.id, "It plays again.")
    assert (done.status, done.state) == ("done", "")
    assert done.archived_as is not None
    archived = (await memory.get(ADA, done.archived_as)).entry
    assert (archived.layer, archived.project, archived.task_id) == ("archive", "music", task.id)
    assert "Glued the soundboard with hide glue. It plays again." in archived.content
    assert await memory.projects.complete_task(ADA, task.id, "again") == done
    assert [p.name for p in await memory.projects.listed(ADA)] == ["music"]
    assert await memory.projects.tasks(BOB) == []
    with pytest.raises(MemoryNotFoundError):
        await memory.projects.complete_task(BOB, task.id)
    found = await memory.search(ADA, "clavichord", Filter(layer="archive", project="music"))
    assert [hit.id for hit in found] == [done.archived_as]


async def test_filters_narrow_what_is_listed(kit: Kit, memory: Memory) -> None:
    early = kit.clock()
    tagged = await memory.store(ADA, Draft("The user drinks tea", tags=("food", "home")))
    kit.clock.advance(3_600.0)
    late = await memory.store(ADA, Draft("The user rows on Sundays", project="sport"))
    assert [e.id for e in await memory.entries(ADA, Filter(tags=("food",)))] == [tagged.id]
    assert [e.id for e in await memory.entries(ADA, Filter(tags=("food", "x")))] == []
    assert [e.id for e in await memory.entries(ADA, Filter(project="sport"))] == [late.id]
    assert [e.id for e in await memory.entries(ADA, Filter(since=early + 1.0))] == [late.id]
    assert [e.id for e in await memory.entries(ADA, Filter(until=early + 1.0))] == [tagged.id]
    assert [e.id for e in await memory.entries(ADA, Filter(), limit=1, after_id=tagged.id)] == [
        late.id
    ]
    hits = await memory.search(ADA, "", Filter(since=early))
    assert [hit.id for hit in hits] == [late.id, tagged.id]


@pytest.mark.parametrize(
    "query",
    ['"', "AND OR NOT", "NEAR(a b)", "tea*", "a:b", "(((", "'; DROP TABLE memories; --", "👻",
     "\x00", "x" * 100_000, "אבג", "%", "_", "\\"],
)  # fmt: skip
async def test_no_query_is_an_operator(memory: Memory, query: str) -> None:
    entry = await memory.store(ADA, Draft("The user drinks tea"))
    await memory.search(ADA, query, Filter())
    assert [e.id for e in await memory.entries(ADA, Filter())] == [entry.id]


async def test_what_has_no_word_of_the_query_is_found_by_substring(kit: Kit) -> None:
    kit.embedder.go_down()
    memory = kit.memory()
    await memory.start(work=False)
    entry = await memory.store(ADA, Draft("The user's plate is KX-4711Z"))
    assert [h.id for h in await memory.search(ADA, "4711", Filter())] == [entry.id]
    assert await memory.search(ADA, "4_11", Filter()) == []
    await memory.close()


async def test_the_master_switch_lets_nothing_be_written(kit: Kit) -> None:
    kit.settings = MemorySettings(enabled=False)
    memory = kit.memory()
    await memory.start(work=False)
    with pytest.raises(MemoryDisabledError):
        await memory.store(ADA, Draft("The user drinks tea"))
    assert await memory.entries(ADA, Filter()) == []
    await memory.close()


async def test_the_counts_of_a_user(kit: Kit, memory: Memory) -> None:
    entry = await memory.store(ADA, Draft("The user drinks tea"))
    await memory.edit(ADA, entry.id, content="The user drinks green tea")
    stats = await memory.user_stats(ADA)
    assert stats["entries"] == {"knowledge": {"active": 1, "inactive": 1}}
    assert stats["database"]["bytes"] > 0
    (user,) = await memory.users()
    assert (user.user, user.entries, user.messages) == ("ada", 1, 0)
    assert user.last_active_at == kit.clock()


async def test_everybody_of_whom_something_is_kept_is_listed(kit: Kit, memory: Memory) -> None:
    house = MemoryScope("ada", ADA.conversation, "write")
    await memory.store(house, Draft("The bins go out on Monday", scope="household"))
    assert await memory.users() == []
    await memory.store(ADA, Draft("The user drinks tea"))
    kit.clock.advance(60.0)
    for user in ("bob", "cora"):
        await memory.log_user_message(ConversationKey(user, f"{user}-desk"), "Hello there.")
    known = await memory.users()
    assert [(one.user, one.entries, one.messages) for one in known] == [
        ("bob", 0, 1),
        ("cora", 0, 1),
        ("ada", 1, 0),
    ]
    assert [await memory.one_user(one.user) for one in known] == [*known]
    assert await memory.one_user("dora") is None
    await memory.purge(MemoryScope("bob", None), Purge(user=True))
    assert [one.user for one in await memory.users()] == ["cora", "ada"]


async def test_a_search_about_the_past_finds_what_was_true(kit: Kit, memory: Memory) -> None:
    old = await memory.store(ADA, Draft("The user lives in Portland"))
    kit.clock.advance(86_400.0)
    new = await memory.store(ADA, Draft("The user lives in Seattle"))
    wrong = await memory.store(ADA, Draft("The user lived in Rome before"))
    await memory.deactivate(ADA, wrong.id)
    now = await memory.search(ADA, "Where do I live?", Filter())
    assert [hit.id for hit in now] == [new.id]
    before = await memory.search(ADA, "Where did I live before?", Filter())
    assert {hit.id for hit in before} == {old.id, new.id}
