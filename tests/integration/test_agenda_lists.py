"""Lists and notes on a real file: limits, hostile words, other persons, and a crash."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.agenda.lists import ListName
from lobug.agenda.service import Agenda
from lobug.errors import (
    ListExistsError,
    ListFullError,
    ListItemError,
    ListLimitError,
    ListNotFoundError,
    NoteContentError,
    NoteLimitError,
)
from lobug.language.en.list_names import list_key
from lobug.language.en.list_words import items_in, joined
from lobug.settings.skills import SkillSettings
from support.agenda_child import CONTENTS
from support.database_place import place_of
from support.programs import run

pytestmark = pytest.mark.usefixtures("each_database")

LIMITS = SkillSettings(
    max_lists_per_person=3,
    max_items_per_list=5,
    max_item_chars=20,
    max_notes_per_person=3,
    max_note_chars=30,
)
HOSTILE = "'; DROP TABLE lists; --"


def named(name: str) -> ListName:
    return ListName(name, list_key(name))


@pytest.fixture
async def agenda(tmp_path: Path) -> AsyncIterator[Agenda]:
    agenda = Agenda(
        LIMITS, tmp_path / "agenda.db", clock=lambda: 5.0, place=place_of(tmp_path / "agenda.db")
    )
    await agenda.start()
    yield agenda
    await agenda.close()


async def test_a_list_holds_each_thing_once_and_in_order(agenda: Agenda) -> None:
    came = await agenda.lists.add("ada", named("shopping"), ["Milk", "eggs"])
    assert came.created
    came = await agenda.lists.add("ada", named("groceries"), ["egg", "bread", "bread"])
    assert [item.content for item in came.items] == ["bread"]
    assert [item.content for item in came.present] == ["eggs"]
    assert [item.content for item in came.list.items] == ["Milk", "eggs", "bread"]
    assert not came.created
    (milk, _, bread) = came.list.items
    assert [i.content for i in await agenda.lists.remove("ada", came.list.id, [milk.id])] == [
        "Milk"
    ]
    assert not await agenda.lists.remove("ada", came.list.id, [milk.id])
    assert await agenda.lists.tick("ada", came.list.id, [bread.id])
    assert not await agenda.lists.tick("ada", came.list.id, [bread.id])
    again = await agenda.lists.add("ada", named("shopping"), ["Bread"])
    assert [(item.content, item.done) for item in again.list.items] == [
        ("eggs", False),
        ("bread", False),
    ]


async def test_a_full_list_takes_nothing_of_what_is_too_much(agenda: Agenda) -> None:
    lists = agenda.lists
    await lists.add("ada", named("shopping"), ["a", "b", "c", "d"])
    with pytest.raises(ListFullError):
        await lists.add("ada", named("shopping"), ["e", "f"])
    found = await lists.find("ada", list_key("shopping"))
    assert found is not None
    assert len(found.items) == 4
    await lists.tick("ada", found.id, [found.items[0].id])
    came = await lists.add("ada", named("shopping"), ["e", "f"])  # what is ticked makes room
    assert [item.content for item in came.list.items] == ["b", "c", "d", "e", "f"]
    with pytest.raises(ListFullError):
        await lists.move("ada", found.id, [], "ada", named("shopping")) or await lists.add(
            "ada", named("shopping"), ["g"]
        )


async def test_limits_and_names(agenda: Agenda) -> None:
    lists = agenda.lists
    await lists.create("ada", named("packing"))
    with pytest.raises(ListExistsError):
        await lists.create("ada", named("Packing list"))
    await lists.create("ada", named("a film"))
    await lists.create("ada", named("garden"))
    with pytest.raises(ListLimitError):
        await lists.create("ada", named("books"))
    with pytest.raises(ListLimitError):
        await lists.add("ada", named("books"), ["Emma"])
    await lists.create("bob", named("books"))
    for text in ("", " \n ", "x" * 21, "\0"):
        with pytest.raises(ListItemError):
            await lists.add("ada", named("packing"), ["socks", text])
    assert not (await lists.of_user("ada"))[0].items


async def test_hostile_words_are_data_on_one_line(agenda: Agenda) -> None:
    words = ["a\nb\u2028c", "{x} %s \u202e", "\ud800half", HOSTILE[:20]]
    came = await agenda.lists.add("ada", named("x'; --"), words)
    contents = [item.content for item in came.list.items]
    assert contents == ["a b c", "{x} %s", "half", HOSTILE[:20]]
    assert len(await agenda.lists.of_user("ada")) == 1


async def test_what_is_anothers_cannot_be_reached_by_its_id(agenda: Agenda) -> None:
    lists = agenda.lists
    hers = (await lists.add("ada", named("shopping"), ["milk"])).list
    item = hers.items[0].id
    for attempt in (
        lists.remove("bob", hers.id, [item]),
        lists.tick("bob", hers.id, [item]),
        lists.change("bob", hers.id, item, content="wine"),
        lists.move("bob", hers.id, [item], "bob", named("shopping")),
        lists.delete("bob", hers.id),
    ):
        with pytest.raises(ListNotFoundError):
            await attempt
    # An item of another list is not reached through one's own.
    own = (await lists.add("bob", named("shopping"), ["wine"])).list
    assert not await lists.remove("bob", own.id, [item])
    assert not await lists.tick("bob", own.id, [item])
    assert await lists.find("ada", list_key("shopping")) == hers
    note = await agenda.notes.add("ada", "The key is under the mat")
    assert not await agenda.notes.delete("bob", [note.id])
    assert not await agenda.notes.of_user("bob")
    assert await agenda.notes.of_user("ada") == [note]


async def test_a_move_is_done_as_a_whole(agenda: Agenda) -> None:
    lists = agenda.lists
    one = (await lists.add("ada", named("shopping"), ["a", "b"])).list
    await lists.add("ada", named("packing"), ["c", "d", "e", "f"])
    with pytest.raises(ListFullError):
        await lists.move("ada", one.id, [i.id for i in one.items], "ada", named("packing"))
    assert [len(each.items) for each in await lists.of_user("ada")] == [2, 4]
    await lists.move("ada", one.id, [one.items[0].id], "ada", named("packing"))
    assert [len(each.items) for each in await lists.of_user("ada")] == [1, 5]


async def test_notes_are_kept_word_for_word(agenda: Agenda) -> None:
    notes = agenda.notes
    first = await notes.add("ada", "The  boiler was\nserviced")
    assert (first.content, first.created_at) == ("The boiler was serviced", 5.0)
    await notes.add("ada", HOSTILE)
    await notes.add("ada", "third")
    with pytest.raises(NoteLimitError):
        await notes.add("ada", "fourth")
    for text in ("", "x" * 31):
        with pytest.raises(NoteContentError):
            await notes.add("bob", text)
    assert (await notes.of_user("ada"))[0].content == "third"
    assert not await notes.of_user("ada", since=5.5)
    assert not await notes.of_user("ada", until=5.0)
    assert await notes.delete("ada", [first.id]) == [first]
    assert not await notes.delete("ada", [first.id])


WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(things=st.lists(WORDS, min_size=1, max_size=5, unique_by=lambda word: word.lower()))
async def test_what_is_added_is_read_and_removed(agenda: Agenda, things: list[str]) -> None:
    came = await agenda.lists.add("ada", named("shopping"), things)
    read = await agenda.lists.find("ada", list_key("shopping"))
    assert read == came.list
    assert {item.content for item in read.items} <= set(things)
    ids = [item.id for item in read.items]
    assert await agenda.lists.remove("ada", read.id, ids) == read.items
    assert not (await agenda.lists.of_user("ada"))[0].items


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
@given(
    things=st.lists(
        st.sampled_from(
            "milk,red onions,two pints of cream,fish and chips,a dozen eggs".split(",")
        ),
        min_size=1,
        unique=True,
    )
)
def test_things_that_are_said_are_heard(things: list[str]) -> None:
    assert items_in(joined(things)) == things


@pytest.mark.parametrize("point", ["lists.before_commit", "lists.after_commit"])
def test_a_crash_loses_nothing_that_was_acknowledged(tmp_path: Path, point: str) -> None:
    path = tmp_path / "agenda.db"
    process = run(["support.agenda_child", str(path), point, "2"])
    assert process.returncode == -signal.SIGKILL, process.stderr
    acknowledged = process.stdout.split()
    assert acknowledged == ["1"]
    expected = CONTENTS[:1] if point == "lists.before_commit" else CONTENTS[:2]
    assert _kept(path) == [content for contents in expected for content in contents]


def _kept(path: Path) -> list[str]:
    async def read() -> list[str]:
        agenda = Agenda(SkillSettings(), path, clock=lambda: 0.0, place=place_of(path))
        await agenda.start()
        try:
            found = await agenda.lists.find("ada", list_key("shopping"))
            return [item.content for item in found.items] if found else []
        finally:
            await agenda.close()

    return asyncio.run(read())
