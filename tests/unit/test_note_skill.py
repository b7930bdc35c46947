"""What people say to have something noted, what is kept, and what they hear: on a real file."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from lobug.language.en.skill_sentences import skill_sentences
from lobug.skills.lists import ListSkill
from lobug.skills.notes import NoteSkill
from support.skill_kit import NOW, SkillKit

CASES = tomllib.loads(
    (Path(__file__).parent / "data" / "skills" / "notes.toml").read_text(encoding="utf-8")
)


@pytest.fixture
async def kit(tmp_path: Path) -> AsyncIterator[SkillKit]:
    kit = SkillKit(tmp_path, lambda agenda, _: (NoteSkill(agenda.notes),))
    await kit.agenda.start()
    yield kit
    await kit.agenda.close()


async def fill(kit: SkillKit, user: str) -> None:
    for days, content in CASES["reading_notes"]:
        kit.now = NOW - timedelta(days=days)
        await kit.agenda.notes.add(user, content)
    kit.now = NOW


@pytest.mark.parametrize("kind", ["taking", "reading"])
async def test_what_is_said_is_done(kit: SkillKit, kind: str) -> None:
    wrong = []
    for at, (text, expected) in enumerate(CASES[kind]):
        user = f"person{at}"
        if kind == "reading":
            await fill(kit, user)
        said = await kit.say(user, text)
        if said != expected:
            wrong.append(f"{text}\n    said {said}\n    not  {expected}")
    assert not wrong, f"{len(wrong)} of {len(CASES[kind])}:\n" + "\n".join(wrong)


async def test_other_words_are_left_alone(kit: SkillKit) -> None:
    await kit.agenda.notes.add("eve", "return the books")
    taken = [(text, said) for text in CASES["none"] if (said := await kit.say("eve", text))]
    assert not taken
    assert len(await kit.agenda.notes.of_user("eve")) == 1


async def test_what_was_asked_is_answered(kit: SkillKit) -> None:
    wrong = []
    for name, turns in CASES["talks"].items():
        for text, expected in turns:
            said = await kit.say(name, text) or ""
            if said != expected:
                wrong.append(f"{name}: {text}\n    said {said}\n    not  {expected}")
    assert not wrong, "\n" + "\n".join(wrong)


async def test_a_long_note_is_kept_whole(kit: SkillKit) -> None:
    words = "The shed. " + "It needs a new roof, I think, and a lock. " * 30 + "The end"
    said = await kit.say("eve", f"Take a note: {words}.")
    assert said is not None
    assert said.endswith(" ....")
    (note,) = await kit.agenda.notes.of_user("eve")
    assert note.content == words


async def test_every_example_is_understood(kit: SkillKit) -> None:
    for example in skill_sentences().examples("notes"):
        assert await kit.say("eve", example), example


async def test_a_note_for_a_list_goes_to_the_list(tmp_path: Path) -> None:
    kit = SkillKit(
        tmp_path,
        lambda agenda, _: (ListSkill(agenda.lists, {}), NoteSkill(agenda.notes)),
    )
    await kit.agenda.start()
    try:
        for text in ("Jot down tent pegs on my camping list", "Note to self: add pegs to the hat"):
            assert await kit.say("eve", text)
        assert [one.name for one in await kit.agenda.lists.of_user("eve")] == ["camping"]
        notes = [note.content for note in await kit.agenda.notes.of_user("eve")]
        assert notes == ["add pegs to the hat"]
    finally:
        await kit.agenda.close()
