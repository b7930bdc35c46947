"""What is answered by the skills `clock`, `sums` and `speaking`, and what is none of theirs."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simpleeval import InvalidExpression

from lobug.agenda.service import Agenda
from lobug.engines.base import ABSENT_TOOLS, Tool, ToolBox, ToolResult
from lobug.language.en.arithmetic import read_sum
from lobug.language.en.named_days import read_day, read_moment
from lobug.language.en.number_words import in_digits
from lobug.language.en.places import read_place, write_place
from lobug.language.en.quantities import read_quantity, read_unit
from lobug.language.en.skill_sentences import skill_sentences
from lobug.language.en.spoken_form import spoken_form
from lobug.memory.model import ConversationKey, LoggedMessage
from lobug.settings import Settings
from lobug.skills.clock import Clock
from lobug.skills.evaluation import TooLargeError, evaluate
from lobug.skills.numbers import write_amount, write_number
from lobug.skills.skill import Skill
from lobug.skills.speaking import Speaking
from lobug.skills.sums import Sums
from support.skill_kit import SkillKit

DATA = Path(__file__).parent / "data" / "skills"
LONDON = datetime(2026, 11, 24, 14, 35, tzinfo=ZoneInfo("Europe/London"))


def table(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


class Log:
    """The log of a conversation with one reply."""

    def __init__(self) -> None:
        self.said = ["Hello there."]

    async def recent_messages(self, _key: ConversationKey, _limit: int) -> Sequence[LoggedMessage]:
        return [
            LoggedMessage(number, "assistant", text, 0.0)
            for number, text in enumerate(self.said, start=1)
        ]


class PacedVoice:
    """A voice with more than one speed."""

    sample_rate = 16_000

    async def synthesize_at(self, sentence: str, speed: float) -> None: ...


class Speaker:
    """The tools of a device with a speaker."""

    def __init__(self, volume: int = 60, *, works: bool = True, tells: bool = True) -> None:
        self.volume, self.works, self.tells = volume, works, tells

    def tools(self) -> Sequence[Tool]:
        names = ["self.audio_speaker.set_volume", "self.get_device_status"]
        return [Tool(name, "", {}) for name in names[: 1 + self.tells]]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        if not self.works:
            return ToolResult("no", is_error=True)
        if name == "self.get_device_status":
            return ToolResult(json.dumps({"audio_speaker": {"volume": self.volume}}))
        self.volume = arguments["volume"]
        return ToolResult("true")


class Room:
    """Somebody who talks with the small skills, beside one device."""

    def __init__(self, folder: Path, *, voice: object = None, log: Log | None = None) -> None:
        def skills(agenda: Agenda, _settings: Settings) -> tuple[Skill, ...]:
            speaking = Speaking(
                log or Log(),  # type: ignore[arg-type]
                voice or PacedVoice(),  # type: ignore[arg-type]
                agenda.speeds,
                lambda: self.kit.skills.available(),  # noqa: PLW0108 - not made yet
            )
            return (Clock(), Sums(Random(7)), speaking)

        self.kit = SkillKit(folder, skills)
        self.kit.now = LONDON
        self.conversation = self.kit.conversation("ada")

    @property
    def speed(self) -> float:
        """How fast Lo-Bug speaks to this person."""
        return self.kit.agenda.speeds.of("ada")

    async def say(self, text: str, tools: ToolBox = ABSENT_TOOLS) -> str | None:
        command = await self.kit.skills.recognise(self.conversation, text, tools=tools)
        if command is None:
            return None
        answer = await command.act(1)
        return " ".join(answer.sentences)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    room = Room(tmp_path)
    await room.kit.agenda.start()
    yield room
    await room.kit.agenda.close()


@pytest.mark.parametrize("skill", ["clock", "sums"])
async def test_a_question_gets_its_answer(room: Room, skill: str) -> None:
    cases = [*table(skill)["answered"], *table(skill).get("told", ())]
    said = [(text, await room.say(text), expected) for text, expected in cases]
    wrong = [case for case in said if case[1] != case[2]]
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(map(str, wrong))


async def test_chance_answers_in_its_bounds(room: Room) -> None:
    cases = [*table("sums")["chance"], *table("sums")["thrown"]]
    said = [(text, await room.say(text), pattern) for text, pattern in cases]
    assert [case for case in said if not re.fullmatch(case[2], case[1] or "")] == []


@pytest.mark.parametrize("skill", ["clock", "sums", "speaking"])
async def test_what_only_looks_like_a_question_is_left_alone(room: Room, skill: str) -> None:
    texts = [*table(skill)["ordinary"], *table(skill).get("untold", ())]
    taken = [(text, said) for text in texts if (said := await room.say(text))]
    assert taken == []


async def test_how_it_speaks_is_changed(room: Room) -> None:
    wrong = []
    for text, *expected in table("speaking")["answered"]:
        speaker = Speaker()
        await room.kit.agenda.speeds.change("ada", 1.0)
        said = await room.say(text, speaker)
        if [said, speaker.volume, room.speed] != expected:
            wrong.append((text, said, speaker.volume, room.speed))
    assert wrong == []


async def test_what_it_can_do_is_told_by_example(room: Room) -> None:
    expected = (
        "You can say: What time is it? Or: What is 17 times 23? You can also ask me about my"
        " volume and speed, or tell me something to remember."
    )
    said = {text: await room.say(text) for text in table("speaking")["abilities"]}
    assert set(said.values()) == {expected}, said


async def test_a_door_without_a_speaker_says_so(room: Room) -> None:
    elsewhere = "I can't change the volume here. It is set where you hear or read me."
    assert await room.say("louder") == elsewhere
    assert await room.say("mute") == elsewhere
    assert (await room.say("what's your volume") or "").startswith("I don't know the volume here.")


async def test_nothing_is_claimed_that_the_device_refused(room: Room) -> None:
    broken = Speaker(works=False)
    said = await room.say("louder", broken)
    assert (said, broken.volume) == (
        "I could not change my volume, the device did not let me.", 60
    )  # fmt: skip
    silent = Speaker(volume=10, tells=False)
    assert await room.say("louder", silent) == "My volume is 80 now."
    assert silent.volume == 80


async def test_the_ends_of_the_volume_are_told(room: Room) -> None:
    assert await room.say("louder", Speaker(100)) == "My volume is 100, louder I cannot."
    quiet = Speaker(4)
    assert await room.say("quieter", quiet) == "My volume is 4, and quieter is mute."
    assert await room.say("unmute", Speaker(0)) == "My volume is 60 now."


async def test_the_speed_has_ends(room: Room) -> None:
    for _ in range(20):
        said = await room.say("speak slower")
    assert (said, room.speed) == ("I can't speak slower than this.", 0.6)
    for _ in range(20):
        said = await room.say("speak faster")
    assert (said, room.speed) == ("I can't speak faster than this.", 2.0)


async def test_a_voice_with_one_speed_says_so(tmp_path: Path) -> None:
    room = Room(tmp_path, voice=object())
    assert await room.say("speak slower") == "My voice has only one speed."
    assert room.speed == 1.0


async def test_what_was_heard_is_repeated(tmp_path: Path) -> None:
    log = Log()
    room = Room(tmp_path, log=log)
    log.said = ["Once upon a time [interrupted]", "[IGNORE]"]
    assert await room.say("say that again") == "Once upon a time"
    log.said = []
    assert await room.say("say that again") == "I haven't said anything yet."


async def test_a_plan_changes_nothing(room: Room) -> None:
    speaker = Speaker()
    for text in ("louder", "mute", "speak slower"):
        assert await room.kit.skills.recognise(room.conversation, text, tools=speaker) is not None
    assert (speaker.volume, room.speed) == (60, 1.0)


async def test_examples_are_understood(room: Room) -> None:
    sentences = skill_sentences()
    missed = [
        (skill, text)
        for skill in ("clock", "sums", "speaking", "weather")
        for text in sentences.examples(skill)
        if (match := sentences.match(text, (skill,))) is None or match.skill != skill
    ]
    assert missed == []


@given(st.text(max_size=120))
@settings(max_examples=60, deadline=None)
def test_no_text_breaks_a_reader(text: str) -> None:
    for reader in (in_digits, read_sum, read_unit, read_quantity, read_place, write_place,
                   read_day, read_moment):  # fmt: skip
        reader(text)


FRAGMENTS = st.sampled_from(
    "what is 1 2 12.5 1,000 / * + - ( ) ^ % of half a third plus minus times divided by squared"
    " dozen feet inches in degrees how many miles is it time date on Friday until Christmas 3d6"
    " ² ½ £ 0 00 . 9999999999 to the power percent 5' \" volume".split()
)


@given(st.lists(FRAGMENTS, min_size=1, max_size=9))
@settings(max_examples=120, deadline=None)
def test_no_fragments_break_a_skill(words: list[str]) -> None:
    text = " ".join(words)
    for match in skill_sentences().matches(text, ("clock", "sums", "speaking", "weather")):
        assert match.skill in {"clock", "sums", "speaking", "weather"}
    asked = read_sum(text)
    if asked is not None:
        with suppress(ArithmeticError):
            write_number(evaluate(asked.expression))
    read_quantity(text)


NUMBERS = st.decimals(min_value=0, max_value=9999, places=2, allow_nan=False).map(
    lambda number: number.normalize()
)
OPERATORS = {"plus": "+", "minus": "-", "times": "*", "divided by": "/"}


@given(
    st.lists(st.tuples(st.sampled_from(sorted(OPERATORS)), NUMBERS), min_size=1, max_size=5),
    NUMBERS,
)
@settings(max_examples=150, deadline=None)
def test_sums_are_those_of_python(rest: list[tuple[str, Any]], first: Any) -> None:
    said = f"{first:f}" + "".join(f" {operator} {number:f}" for operator, number in rest)
    expression = f"Fraction('{first:f}')" + "".join(
        f" {OPERATORS[operator]} Fraction('{number:f}')" for operator, number in rest
    )
    asked = read_sum(said)
    assert asked is not None, said
    try:
        expected = eval(expression, {"Fraction": Fraction})
    except ZeroDivisionError:
        with pytest.raises(ArithmeticError):
            evaluate(asked.expression)
        return
    assert evaluate(asked.expression) == expected


@given(st.integers(0, 10**9), st.integers(1, 10**6))
@settings(max_examples=80, deadline=None)
def test_spoken_numbers_are_understood(first: int, second: int) -> None:
    said = spoken_form(f"{first:,} plus {second:,}")
    assert not re.search(r"\d", said)
    asked = read_sum(said)
    assert asked is not None, said
    assert evaluate(asked.expression) == first + second, said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("17 times 23 is 391.", "seventeen times twenty-three is three hundred and ninety-one."),
        ("That's 1,999.", "That's one thousand nine hundred ninety-nine."),
        ("3/4 plus 1/8 is 7/8.", "three quarters plus one eighth is seven eighths."),
        ("That's £28.20 each.", "That's twenty-eight pounds and twenty pence each."),
        ("5 minus 12 is -7.", "five minus twelve is minus seven."),
        ("It's 2:35 in the afternoon.", "It's two thirty-five in the afternoon."),
    ],
)
def test_results_are_heard_well(text: str, words: str) -> None:
    assert spoken_form(text) == words


@pytest.mark.parametrize(
    "expression",
    ["9**9**9", "2**(10**9)", "10**61", "factorial(1000)", "*".join(["99999999999"] * 6)],
)
def test_large_sums_end_at_once(expression: str) -> None:
    with pytest.raises(TooLargeError):
        evaluate(expression)


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "a", "'x'*3", "[1]*9", "(1).real", "sqrt", "1 if 2 else 3",
                   "lambda: 3", "True", "1 == 1", "1 << 9", "sqrt(4)(2)"],
)  # fmt: skip
def test_nothing_but_arithmetic_is_evaluated(expression: str) -> None:
    with pytest.raises((InvalidExpression, ArithmeticError, TypeError)):
        evaluate(expression)


CONVERSIONS = [
    ("miles", "kilometres"), ("pounds", "kilos"), ("ounces", "grams"), ("cups", "millilitres"),
    ("celsius", "fahrenheit"), ("feet", "metres"), ("stone", "pounds"), ("acres", "hectares"),
]  # fmt: skip


async def test_conversions_come_back(room: Room) -> None:
    for there, back in CONVERSIONS:
        for amount in (1000, 2500, 99_999):
            said = await room.say(f"convert {amount} {there} to {back}")
            assert said is not None
            found = re.search(r"is (?:about )?(-?[\d,.]+) ", said)
            assert found, said
            again = await room.say(f"convert {found[1]} {back} to {there}")
            found = re.search(r"is (?:about )?(-?[\d,.]+) ", again or "")
            assert found, again
            assert float(found[1].replace(",", "")) == pytest.approx(amount, rel=0.01)


@pytest.mark.parametrize(
    ("value", "text"),
    [(8.04672, "8.05"), (453.59237, "453.6"), (1133.9809, "1,134"), (0.2366, "0.237"), (3.0, "3"),
     (187.96, "187.96"), (0.00001, "1 times 10 to the power of -5"), (0.0, "0"),
     (1e20, "10 to the power of 20")],
)  # fmt: skip
def test_amounts_are_rounded_as_people_do(value: float, text: str) -> None:
    assert write_amount(value).text in {text, f"1 times {text}"}


async def test_the_chat_model_is_not_needed(room: Room) -> None:
    await room.say("What is 17 times 23?")
    assert room.kit.chat.calls == []
