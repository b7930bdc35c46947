"""Which skill a text is for: by sentences, by an open question, by the chat model's choice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lobug.conversation.command_context import Command
from lobug.conversation.registry import Conversation, Conversations, SkillQuestion
from lobug.engines.base import ChatMessage
from lobug.language.en.said_times import said_time
from lobug.language.en.skill_file import SkillFile
from lobug.language.en.skill_sentences import EnglishSkillSentences, skill_sentences
from lobug.language.skills import Choice, Match
from lobug.memory.model import ConversationKey
from lobug.settings import Settings
from lobug.skills.choice import Chooser, beginning, read_choice
from lobug.skills.registry import Skills
from lobug.skills.skill import Request
from support.scripted import ScriptedChatModel

ADD = Choice(
    "add",
    "Add",
    "put things on a list",
    {"things": "items", "list": "list"},
    frozenset({"things"}),
    examples=(("Get oats onto the list.", {"things": "oats"}),),
)
SUM = Choice("sum", "Calculate", "work out", {"sum": "sum"}, frozenset({"sum"}), frozenset({"sum"}))
CHOICES = {"add": ("lists", ADD), "sum": ("sums", SUM)}


class Echo:
    """A skill that says which intent it was called with, and asks a question back when told to."""

    name = "lists"

    def __init__(self, reason: str | None = None) -> None:
        self.reason = reason
        self.planned: list[Match] = []

    def unavailable(self) -> str | None:
        return self.reason

    async def plan(self, request: Request, match: Match) -> Command | None:
        self.planned.append(match)
        if match.intent.startswith("Clear"):
            return request.ask("Shall I?", self.name, {"list": "shopping"})
        return request.say(match.intent)

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        return None if agrees is None else request.say(f"{question.data['list']} {agrees}")


class House:
    """Skills with one echo, and one conversation."""

    def __init__(self, folder: Path, echo: Echo, answer: str = "", off: Sequence[str] = ()) -> None:
        self.time = 0.0
        self.chat = ScriptedChatModel(lambda _messages, _options: answer)
        self.skills = Skills(
            (echo,),
            self.chat,
            off=off,
            clock=lambda: self.time,
            now=lambda _user: datetime(2026, 11, 25, 14, 30, tzinfo=UTC),
        )
        settings = Settings(_env_file=None, data_dir=folder)
        self.conversation: Conversation = Conversations(settings).get(
            ConversationKey("ann", "ann/desk")
        )

    async def said(self, text: str) -> str | None:
        command = await self.skills.recognise(self.conversation, text)
        return None if command is None else " ".join((await command.act(1)).sentences)

    async def chosen(self, text: str) -> str | None:
        command = await self.skills.choose(self.conversation, text)
        return None if command is None else " ".join((await command.act(1)).sentences)


async def test_a_sentence_leads_to_its_skill_and_planning_asks_no_model(tmp_path: Path) -> None:
    house = House(tmp_path, Echo())
    assert await house.said("Add milk to my shopping list.") is not None
    assert await house.said("Lovely weather today.") is None
    assert house.chat.calls == []


async def test_a_question_back_is_answered_by_yes_or_no_and_expires(tmp_path: Path) -> None:
    house = House(tmp_path, Echo())
    assert await house.said("Clear my shopping list.") == "Shall I?"
    assert await house.said("Yes.") == "shopping True"
    assert await house.said("Yes.") is None
    assert await house.said("Clear my shopping list.") == "Shall I?"
    house.time += 1_000
    assert await house.said("Yes.") is None


async def test_a_skill_that_is_off_or_unavailable_says_so(tmp_path: Path) -> None:
    off = House(tmp_path, Echo(), off=["lists"])
    assert await off.said("Add milk to my shopping list.") == "My owner has switched that off."
    assert await off.chosen("Could you do something about milk and the list?") is None
    unavailable = House(tmp_path, Echo("There is no paper."))
    assert await unavailable.said("Add milk to my shopping list.") == "There is no paper."


@pytest.mark.parametrize(
    ("answer", "intent"),
    [
        ({"do": "add", "things": "oats", "list": "shopping list"}, "Add"),
        ({"do": "add", "things": "oats", "list": ""}, "Add"),
        ({"do": "add", "things": "oats"}, "Add"),
        ({"do": "add", "things": "oats and beans"}, None),
        ({"do": "add", "things": ""}, None),
        ({"do": "add", "list": "shopping list"}, None),
        ({"do": "burn", "things": "oats"}, None),
        ({"do": "none"}, None),
        ({"do": 7}, None),
        ([], None),
    ],
)
def test_the_model_may_only_quote(answer: object, intent: str | None) -> None:
    text = "Might the shopping list want some oats?"
    match = read_choice(json.dumps(answer), text, CHOICES, skill_sentences())
    assert (match.intent if match else None) == intent
    assert match is None or match.slots["items"] == "oats"


def test_a_broken_choice_is_none() -> None:
    assert read_choice('{"do": "ad', "x", CHOICES, skill_sentences()) is None
    assert read_choice("[" * 100_000, "x", CHOICES, skill_sentences()) is None


@pytest.mark.parametrize(
    ("expression", "text", "valid"),
    [
        ("8*35", "There are eight shelves with 35 books on each.", True),
        ("92.40/4", "Four of us share a bill of 92.40.", True),
        ("80-80*15/100", "It costs 80 pounds and fifteen percent come off.", True),
        ("(2+5)*7", "Two a day and five a day, how many in a week?", True),
        ("1250*2", "I had 1,250 and that doubled.", True),
        ("8*36", "There are eight shelves with 35 books on each.", False),
        ("5*6*4*4", "I run five miles on six days, four weeks long.", False),
        ("35", "There are eight shelves with 35 books on each.", False),
        ("8**35", "Eight shelves, 35 books.", True),
        ("__import__('os')", "8 and 35", False),
        ("8 times 35", "8 times 35", False),
    ],
)
def test_a_sum_has_only_numbers_that_were_said(expression: str, text: str, valid: bool) -> None:
    answer = json.dumps({"do": "sum", "sum": expression})
    assert (read_choice(answer, text, CHOICES, skill_sentences()) is not None) is valid


@pytest.mark.parametrize(
    ("quoted", "text", "whole"),
    [
        ("Friday", "She said a week on Friday.", "a week on Friday"),
        ("January 9th", "It is due on the ninth of January.", "on the ninth of January"),
        ("twenty minutes", "Give me twenty minutes, please.", "twenty minutes"),
        ("at ten", "It is due on the ninth of January.", "at ten"),
    ],
)
def test_a_quoted_time_is_completed(quoted: str, text: str, whole: str) -> None:
    assert said_time(quoted, text) in {whole, whole.removeprefix("on ")}


async def test_the_model_is_asked_only_where_the_reader_thinks_a_choice_possible(
    tmp_path: Path,
) -> None:
    answer = json.dumps({"do": "add", "things": "oats"})
    house = House(tmp_path, Echo(), answer)
    assert await house.chosen("Oats were cheap, and my list is long.") is None
    assert await house.chosen("Could you sing about oats?") is None
    assert house.chat.calls == []
    assert await house.chosen("Could you see that the list gets oats?") == "Add"
    (call,) = house.chat.calls
    beginning_of_it = call.sent[: call.options.constant]
    assert list(beginning_of_it) == list(house.skills.choice_beginning)
    assert [message.content for message in call.sent[call.options.constant :]] == [
        "Could you see that the list gets oats?"
    ]


async def test_a_choice_without_any_of_its_words_is_refused(tmp_path: Path) -> None:
    answer = json.dumps({"do": "note", "words": "the list"})
    house = House(tmp_path, Echo(), answer)
    assert await house.chosen("Could you see that the list gets oats?") is None
    assert len(house.chat.calls) == 1


async def test_a_model_that_has_yet_to_read_the_beginning_is_not_asked() -> None:
    class Slow(ScriptedChatModel):
        left_s = 20.0

        async def read_constant(self, messages: Sequence[ChatMessage]) -> None:
            self.left_s = 0.0

        def constant_reading_s(self, messages: Sequence[ChatMessage]) -> float:
            return self.left_s

    chat = Slow([json.dumps({"do": "add", "things": "oats"})])
    chooser = Chooser(chat, [("lists", ADD)])
    assert await chooser.choose("Oats on the list?", {"add"}, skill_sentences()) is None
    assert chat.calls == []
    await chat.read_constant(chooser.beginning)
    assert await chooser.choose("Oats on the list?", {"add"}, skill_sentences()) is not None


def test_the_beginning_has_an_example_of_each_choice_and_of_talk() -> None:
    asked = beginning([ADD])
    assert "add: put things on a list (things, list)" in asked[0].content
    example: Mapping[str, str] = json.loads(asked[2].content)
    assert example == {"do": "add", "things": "oats"}
    assert asked[-1].content == '{"do":"none"}'


def test_the_examples_of_the_language_are_valid_and_would_be_asked_about() -> None:
    sentences = skill_sentences()
    for skill in sentences.skills():
        for choice in sentences.choices(skill):
            for said, arguments in choice.examples:
                answer = json.dumps({"do": choice.name, **arguments})
                match = read_choice(answer, said, {choice.name: (skill, choice)}, skill_sentences())
                assert match is not None, said
                assert match.intent == choice.intent
                assert choice.name in sentences.may_choose(said, [skill]), said


def test_a_sentence_is_matched_with_templates_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = EnglishSkillSentences()
    asked: list[str] = []
    matches = SkillFile.matches

    def noted(file: SkillFile, request: str) -> list[tuple[tuple[int, int], Match]]:
        asked.append(file.skill)
        return matches(file, request)

    monkeypatch.setattr(SkillFile, "matches", noted)
    talk = "The soup of my aunt Undine needs more salt."
    for _ in range(2):
        assert list(sentences.matches(talk, ["alerts", "weather"])) == []
        assert list(sentences.quoted(talk, ["alerts", "weather"])) == []
    assert sorted(asked) == ["alerts", "weather"]
    assert "undine" not in repr(vars(sentences)).lower(), "no words are kept"
    for _ in range(2):
        found = sentences.match("What's the weather like?", ["alerts", "weather"])
        assert found is not None
        assert found.skill == "weather"
