"""What people say to their lists, what is done, and what they hear: on a real file."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lobug.agenda.lists import ListName
from lobug.language.en.list_words import list_key
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


@pytest.mark.parametrize("kind", ["adding", "reading", "removing", "making"])
async def test_what_is_said_is_done(kit: SkillKit, kind: str) -> None:
    wrong = []
    for at, (text, expected) in enumerate(CASES[kind]):
        user = f"person{at}"
        await fill(kit, user)
        said = await kit.say(user, text)
        if said != expected:
            wrong.append(f"{text}\n    said {said}\n    not  {expected}")
    assert not wrong, f"{len(wrong)} of {len(CASES[kind])}:\n" + "\n".join(wrong)


async def test_other_words_are_left_alone(kit: SkillKit) -> None:
    await fill(kit, "eve")
    before = await kit.agenda.lists.of_user("eve")
    taken = [(text, said) for text in CASES["none"] if (said := await kit.say("eve", text))]
    assert not taken
    assert await kit.agenda.lists.of_user("eve") == before
