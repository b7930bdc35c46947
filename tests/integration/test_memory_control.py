"""The owner's control over entries, on a real database."""

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
from lobug.memory.access import MemoryScope
from lobug.memory.control import Draft, Filter, MemoryControl
from lobug.settings import MemorySettings
from support.memory_kit import Kit

ADA = MemoryScope("ada", "ada/device:desk")
ADA_KITCHEN = MemoryScope("ada", "ada/device:kitchen")
BOB = MemoryScope("bob", "bob/device:desk")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


@pytest_asyncio.fixture
async def control(kit: Kit) -> AsyncIterator[MemoryControl]:
    memory = kit.manager()
    await memory.start(work=False)
    yield memory.control
    await memory.close()


async def test_an_entry_is_stored_under_its_key_and_updated_by_it(
    kit: Kit, control: MemoryControl
) -> None:
    first = await control.store(ADA, Draft("The user drinks tea", key="user_drink"))
    kit.clock.advance(60.0)
    second = await control.store(ADA, Draft("The user drinks coffee", key="user_drink"))
    assert (second.key, second.status, second.created_at) == (
        "user_drink",
        "active",
        first.created_at,
    )
    assert second.updated_at == first.updated_at + 60.0
    versions = await control.history(ADA, first.id)
    assert [(v.content, v.status, v.reason, v.replaced_by) for v in versions] == [
        ("The user drinks tea", "inactive", "edited", second.id),
        ("The user drinks coffee", "active", None, None),
    ]
    assert [entry.id for entry in await control.entries(ADA, Filter())] == [second.id]


async def test_the_same_again_changes_no_version(control: MemoryControl) -> None:
    first = await control.store(ADA, Draft("The user drinks tea", key="user_drink"))
    again = await control.store(
        ADA, Draft("The user drinks tea", key="user_drink", importance=0.9, tags=("food",))
    )
    assert again.id == first.id
    assert (again.importance, again.tags) == (0.9, ("food",))


async def test_a_key_says_what_a_memory_is_about(control: MemoryControl) -> None:
    await control.store(ADA, Draft("The user lives at 3 Orchard Close", key="home_address"))
    (hit,) = await control.search(ADA, "What is my address?", Filter())
    assert hit.confidence == 1.0


async def test_what_nobody_named_gets_a_key_that_tells_what_it_is_about(
    control: MemoryControl,
) -> None:
    sister = await control.store(ADA, Draft("The user's sister is named Anna"))
    home = await control.store(ADA, Draft("The user lives in Portland"))
    other = await control.store(ADA, Draft("The user's sister is named Anna!"))
    foreign = await control.store(ADA, Draft("用户喜欢喝茶"))
    assert sister.key == "sister_named_anna"
    assert home.key == "user_home"
    assert other.key == "sister_named_anna_2"
    assert foreign.key == "memory"


async def test_a_move_ends_what_was_true_and_keeps_it_as_past(
    kit: Kit, control: MemoryControl
) -> None:
    old = await control.store(ADA, Draft("The user lives in Portland"))
    kit.clock.advance(86_400.0)
    new = await control.store(ADA, Draft("The user moved to Seattle"))
    (past,) = await control.entries(ADA, Filter(status="past"))
    assert (past.id, past.reason, past.valid_until) == (old.id, "superseded", new.valid_from)
    assert past.valid_from < new.valid_from


async def test_a_correction_outranks_and_hides_what_was_wrong(control: MemoryControl) -> None:
    wrong = await control.store(ADA, Draft("The user's sister is named Anna", source="system"))
    right = await control.correct(ADA, wrong.id, "The user's sister is named Hannah")
    assert (right.source, right.importance, right.status) == ("correction", 1.0, "active")
    before = (await control.get(ADA, wrong.id)).entry
    assert (before.status, before.reason, before.replaced_by) == (
        "inactive",
        "corrected",
        right.id,
    )
    found = await control.search(ADA, "sister Anna", Filter())
    assert [hit.id for hit in found] == [right.id]
    with pytest.raises(MemoryNotFoundError):
        await control.correct(ADA, wrong.id, "The user has no sister")


async def test_a_removed_entry_comes_back_as_it_was(control: MemoryControl) -> None:
    entry = await control.store(ADA, Draft("The user plays the cello", importance=0.7))
    assert (await control.remove(ADA, entry.id)).reason == "removed"
    assert await control.search(ADA, "cello", Filter()) == []
    back = await control.restore(ADA, entry.id)
    assert (back.content, back.importance, back.status) == (entry.content, 0.7, "active")
    assert (await control.restore(ADA, back.id)).id == back.id


async def test_restoring_an_old_version_lets_the_new_one_give_way(control: MemoryControl) -> None:
    first = await control.store(ADA, Draft("The user drinks tea", key="user_drink"))
    second = await control.store(ADA, Draft("The user drinks coffee", key="user_drink"))
    back = await control.restore(ADA, first.id)
    assert [entry.content for entry in await control.entries(ADA, Filter())] == [first.content]
    statuses = {v.id: v.status for v in await control.history(ADA, second.id)}
    assert statuses[back.id] == "active"
    assert list(statuses.values()).count("active") == 1


@pytest.mark.parametrize(
    "key", ["", "Upper", "1st", "with space", "a" * 65, "system_x", "internal_x", "ä", "a-b"]
)
async def test_keys_that_break_the_rules_are_refused(control: MemoryControl, key: str) -> None:
    with pytest.raises(MemoryKeyError):
        await control.store(ADA, Draft("The user drinks tea", key=key))


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
async def test_contents_that_cannot_be_kept_are_refused(
    control: MemoryControl, draft: Draft
) -> None:
    with pytest.raises(MemoryContentError):
        await control.store(ADA, draft)
    assert await control.entries(ADA, Filter(status=None)) == []


async def test_scopes_keep_people_and_devices_apart(control: MemoryControl) -> None:
    mine = await control.store(ADA, Draft("The user drinks tea"))
    here = await control.store(ADA, Draft("The lamp here is broken", scope="conversation"))
    assert [e.id for e in await control.entries(ADA, Filter())] == [mine.id, here.id]
    assert [e.id for e in await control.entries(ADA_KITCHEN, Filter())] == [mine.id]
    assert await control.entries(BOB, Filter(status=None)) == []
    for call in (control.get, control.history, control.remove, control.restore):
        with pytest.raises(MemoryNotFoundError):
            await call(BOB, mine.id)
    with pytest.raises(MemoryForbiddenError):
        await control.store(ADA, Draft("The bins go out on Monday", scope="household"))


async def test_the_household_is_seen_and_changed_only_by_grant(control: MemoryControl) -> None:
    reader = MemoryScope("bob", "bob/device:desk", household="read")
    writer = MemoryScope("ada", "ada/device:desk", household="write")
    bins = await control.store(writer, Draft("The bins go out on Monday", scope="household"))
    assert [e.id for e in await control.entries(reader, Filter())] == [bins.id]
    assert [h.id for h in await control.search(reader, "when do the bins go out", Filter())] == [
        bins.id
    ]
    assert await control.entries(BOB, Filter()) == []
    with pytest.raises(MemoryForbiddenError):
        await control.edit(reader, bins.id, content="The bins go out on Friday")


async def test_identity_has_a_hard_limit_and_distilled_lines_give_way(kit: Kit) -> None:
    kit.settings = MemorySettings(identity_chars=120)
    memory = kit.manager()
    await memory.start(work=False)
    control = memory.control
    distilled = await control.store(
        ADA, Draft("Once built a robot from matches", layer="identity", source="system")
    )
    await control.store(ADA, Draft("Name: Ada. Never call her Addie", layer="identity"))
    await control.store(
        ADA, Draft("Speaks English and Dutch", layer="identity", section="Preferences")
    )
    known = await control.identity(ADA)
    assert "Never call her Addie" in known.text
    assert known.text.startswith("## User Profile\n- ")
    assert known.characters == len(known.text) <= 120
    assert known.used_percent == round(100 * known.characters / 120)
    moved = await control.history(ADA, distilled.id)
    assert [(v.layer, v.status) for v in moved] == [
        ("identity", "inactive"),
        ("knowledge", "active"),
    ]
    with pytest.raises(IdentityFullError):
        await control.store(ADA, Draft("Plays " + "the cello, " * 9, layer="identity"))
    assert (await control.identity(ADA)).text == known.text
    await memory.close()


async def test_a_finished_task_is_archived_and_found_in_the_archive(control: MemoryControl) -> None:
    task = await control.add_task(ADA, "Repair the clavichord", project="music")
    await control.note_task(ADA, task.id, "Glued the soundboard with hide glue.")
    done = await control.complete_task(ADA, task.id, "It plays again.")
    assert (done.status, done.state) == ("done", "")
    assert done.archived_as is not None
    archived = (await control.get(ADA, done.archived_as)).entry
    assert (archived.layer, archived.project, archived.task_id) == ("archive", "music", task.id)
    assert "Glued the soundboard with hide glue. It plays again." in archived.content
    assert await control.complete_task(ADA, task.id, "again") == done
    assert [p.name for p in await control.projects(ADA)] == ["music"]
    assert await control.tasks(BOB) == []
    with pytest.raises(MemoryNotFoundError):
        await control.complete_task(BOB, task.id)
    found = await control.search(ADA, "clavichord", Filter(layer="archive", project="music"))
    assert [hit.id for hit in found] == [done.archived_as]


async def test_filters_narrow_what_is_listed(kit: Kit, control: MemoryControl) -> None:
    early = kit.clock()
    tagged = await control.store(ADA, Draft("The user drinks tea", tags=("food", "home")))
    kit.clock.advance(3_600.0)
    late = await control.store(ADA, Draft("The user rows on Sundays", project="sport"))
    assert [e.id for e in await control.entries(ADA, Filter(tags=("food",)))] == [tagged.id]
    assert [e.id for e in await control.entries(ADA, Filter(tags=("food", "x")))] == []
    assert [e.id for e in await control.entries(ADA, Filter(project="sport"))] == [late.id]
    assert [e.id for e in await control.entries(ADA, Filter(since=early + 1.0))] == [late.id]
    assert [e.id for e in await control.entries(ADA, Filter(until=early + 1.0))] == [tagged.id]
    assert [e.id for e in await control.entries(ADA, Filter(), limit=1, after_id=tagged.id)] == [
        late.id
    ]
    hits = await control.search(ADA, "", Filter(since=early))
    assert [hit.id for hit in hits] == [late.id, tagged.id]


@pytest.mark.parametrize(
    "query",
    ['"', "AND OR NOT", "NEAR(a b)", "tea*", "a:b", "(((", "'; DROP TABLE memories; --", "👻",
     "\x00", "x" * 100_000, "אבג", "%", "_", "\\"],
)  # fmt: skip
async def test_no_query_is_an_operator(control: MemoryControl, query: str) -> None:
    entry = await control.store(ADA, Draft("The user drinks tea"))
    await control.search(ADA, query, Filter())
    assert [e.id for e in await control.entries(ADA, Filter())] == [entry.id]


async def test_what_has_no_word_of_the_query_is_found_by_substring(kit: Kit) -> None:
    kit.embedder.go_down()
    memory = kit.manager()
    await memory.start(work=False)
    entry = await memory.control.store(ADA, Draft("The user's plate is KX-4711Z"))
    assert [h.id for h in await memory.control.search(ADA, "4711", Filter())] == [entry.id]
    assert await memory.control.search(ADA, "4_11", Filter()) == []
    await memory.close()


async def test_the_master_switch_lets_nothing_be_written(kit: Kit) -> None:
    kit.settings = MemorySettings(enabled=False)
    memory = kit.manager()
    await memory.start(work=False)
    with pytest.raises(MemoryDisabledError):
        await memory.control.store(ADA, Draft("The user drinks tea"))
    assert await memory.control.entries(ADA, Filter()) == []
    await memory.close()


async def test_the_counts_of_a_user(kit: Kit, control: MemoryControl) -> None:
    entry = await control.store(ADA, Draft("The user drinks tea"))
    await control.edit(ADA, entry.id, content="The user drinks green tea")
    stats = await control.stats(ADA)
    assert stats["entries"] == {"knowledge": {"active": 1, "inactive": 1}}
    assert stats["database"]["bytes"] > 0
    (user,) = await control.users()
    assert (user.user, user.entries, user.messages) == ("ada", 1, 0)
    assert user.last_active_at == kit.clock()


async def test_a_search_about_the_past_finds_what_was_true(
    kit: Kit, control: MemoryControl
) -> None:
    old = await control.store(ADA, Draft("The user lives in Portland"))
    kit.clock.advance(86_400.0)
    new = await control.store(ADA, Draft("The user lives in Seattle"))
    wrong = await control.store(ADA, Draft("The user lived in Rome before"))
    await control.remove(ADA, wrong.id)
    now = await control.search(ADA, "Where do I live?", Filter())
    assert [hit.id for hit in now] == [new.id]
    before = await control.search(ADA, "Where did I live before?", Filter())
    assert {hit.id for hit in before} == {old.id, new.id}
