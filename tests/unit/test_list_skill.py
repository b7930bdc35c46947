"""What people say to their lists, what is done, and what they hear: on a real file."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lobug.agenda.lists import ListName
from lobug.errors import ListFullError
from lobug.language.en.list_names import list_key
from lobug.language.en.skill_sentences import skill_sentences
from lobug.skills.lists import ListSkill
from support.skill_kit import SkillKit

CASES = tomllib.loads(
    (Path(__file__).parent / "data" / "skills" / "lists.toml").read_text(encoding="utf-8")
)
LISTS = {
    "shopping": ["bread", "eggs", "oat milk"],
    "to-do": ["call the plumber", "pay the rent"],
    "packing": ["socks", "sunscreen"],
    "list of films to watch": ["Casablanca"],
}


def named(name: str) -> ListName:
    return ListName(name, list_key(name))


@pytest.fixture
async def kit(tmp_path: Path) -> AsyncIterator[SkillKit]:
    kit = SkillKit(
        tmp_path,
        lambda agenda, settings: (ListSkill(agenda.lists, settings.memory.household),),
        memory={"household": {"ada": "write", "bob": "read"}},
    )
    await kit.agenda.start()
    yield kit
    await kit.agenda.close()


async def fill(kit: SkillKit, user: str) -> None:
    for name, items in LISTS.items():
        await kit.agenda.lists.add(user, named(name), items)


@pytest.mark.parametrize("kind", ["adding", "reading", "removing", "making", "unseen", "referring"])
async def test_what_is_said_is_done(kit: SkillKit, kind: str) -> None:
    wrong = []
    for at, (text, expected) in enumerate(CASES[kind]):
        user = f"person{at}"
        await fill(kit, user)
        said = await kit.say(user, text)
        if said != expected:
            wrong.append(f"{text}\n    said {said}\n    not  {expected}")
    assert not wrong, f"{len(wrong)} of {len(CASES[kind])}:\n" + "\n".join(wrong)


async def test_the_last_list_is_the_list(kit: SkillKit) -> None:
    wrong = []
    for name, turns in CASES["talks"].items():
        await fill(kit, name)
        for text, expected in turns:
            said = await kit.say(name, text) or ""
            if said != expected:
                wrong.append(f"{name}: {text}\n    said {said}\n    not  {expected}")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("before", ["", "Read me the shopping list"])
async def test_other_words_are_left_alone(kit: SkillKit, before: str) -> None:
    await fill(kit, "eve")
    if before:
        assert await kit.say("eve", before)
    was = await kit.agenda.lists.of_user("eve")
    taken = [(text, said) for text in CASES["none"] if (said := await kit.say("eve", text))]
    assert not taken
    assert await kit.agenda.lists.of_user("eve") == was


async def test_the_household_shares_what_it_was_granted(kit: SkillKit) -> None:
    """Ada may write the household's lists, Bob may read them, Carol may do neither."""
    talks = [
        ("ada", "Add milk to our shopping list", "Added milk to the household's shopping list,"),
        ("ada", "Add tea to the shopping list", "Added tea to the household's shopping list."),
        ("ada", "Add wine to my shopping list", "Added wine to your shopping list, which is new."),
        ("ada", "What's on the shopping list?", "The household's shopping list has milk and tea."),
        ("ada", "What's on my shopping list?", "Your shopping list has wine."),
        ("bob", "What's on the family's shopping list?", "The household's shopping list has milk"),
        ("bob", "What's on the shopping list?", "The household's shopping list has milk and tea."),
        ("bob", "Take milk off our shopping list", "You may not change the household's lists."),
        ("bob", "Take milk off", ""),
        ("bob", "Add rum to the household list", "You may not change the household's lists."),
        ("bob", "Add rum to the shopping list", "Added rum to your shopping list, which is new."),
        ("carol", "What's on our shopping list?", "You may not see the household's lists."),
        ("carol", "Add gin to our shopping list", "You may not see the household's lists."),
        ("carol", "What's on the shopping list?", "You have no shopping list."),
        ("carol", "Which lists do I have?", "You have no lists yet."),
        ("carol", "Clear our shopping list", "You may not see the household's lists."),
    ]
    wrong = []
    for user, text, expected in talks:
        said = await kit.say(user, text) or ""
        if not said.startswith(expected) or (not expected and said):
            wrong.append(f"{user}: {text}\n    said {said}\n    not  {expected}")
    assert not wrong, "\n" + "\n".join(wrong)


async def test_a_discarded_turn_changes_nothing(kit: SkillKit) -> None:
    await fill(kit, "eve")
    was = await kit.agenda.lists.of_user("eve")
    for cases in ("adding", "removing", "making"):
        for text, _ in CASES[cases]:
            await kit.skills.recognise(kit.conversation("eve"), text)
    assert await kit.agenda.lists.of_user("eve") == was


async def test_every_example_is_understood(kit: SkillKit) -> None:
    await fill(kit, "eve")
    for example in skill_sentences().examples("lists"):
        assert await kit.say("eve", example), example


async def test_a_full_list_says_so(kit: SkillKit) -> None:
    words = ", ".join(f"thing {number}" for number in range(60))
    for start in range(9):
        await kit.agenda.lists.add(
            "eve", named("shopping"), [f"{start} thing {number}" for number in range(55)]
        )
    command = await kit.skills.recognise(
        kit.conversation("eve"), f"Add {words[:300]} to my shopping list"
    )
    assert command is not None
    with pytest.raises(ListFullError):
        await command.act(1)
