"""Which skill a text is for: by sentences, by an open question, by the chat model's choice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lobug.conversation.command_context import Command
from lobug.conversation.registry import Conversation, Conversations, SkillQuestion
from lobug.language.skills import Match
from lobug.memory.model import ConversationKey
from lobug.settings import Settings
from lobug.skills.choice import messages, read_choice
from lobug.skills.registry import Skills
from lobug.skills.skill import Choice, Request
from support.scripted import ScriptedChatModel

ADD = Choice(
    "Add",
    "put something on a list",
    {"items": "what to add", "list": "which list"},
    frozenset({"items"}),
    (("Get oats onto the list.", {"items": "oats", "list": ""}),),
)
CHOICES = {"lists.Add": ("lists", ADD)}


class Echo:
    """A skill that says which intent it was called with, and asks a question back when told to."""

    name = "lists"
    choices: Sequence[Choice] = (ADD,)

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
        ({"intent": "lists.Add", "items": "oats", "list": "shopping list"}, "Add"),
        ({"intent": "lists.Add", "items": "oats", "list": ""}, "Add"),
        ({"intent": "lists.Add", "items": "oats and beans", "list": ""}, None),
        ({"intent": "lists.Add", "items": "", "list": "shopping list"}, None),
        ({"intent": "lists.Burn", "items": "oats"}, None),
        ({"intent": "none"}, None),
        ({"intent": 7}, None),
        ([], None),
    ],
)
def test_the_model_may_only_quote(answer: object, intent: str | None) -> None:
    text = "Might the shopping list want some oats?"
    match = read_choice(json.dumps(answer), text, CHOICES)
    assert (match.intent if match else None) == intent


def test_a_broken_choice_is_none() -> None:
    assert read_choice('{"intent": "lists.A', "x", CHOICES) is None
    assert read_choice("[" * 100_000, "x", CHOICES) is None


async def test_the_model_is_asked_only_for_requests_with_a_word_of_the_skill(
    tmp_path: Path,
) -> None:
    answer = json.dumps({"intent": "lists.Add", "items": "oats", "list": ""})
    house = House(tmp_path, Echo(), answer)
    assert await house.chosen("Oats were cheap, and my list is long.") is None
    assert await house.chosen("Could you sing about oats?") is None
    assert house.chat.calls == []
    assert await house.chosen("Could you see that the list gets oats?") == "Add"
    assert len(house.chat.calls) == 1


def test_the_request_to_the_model_has_an_example_of_each_choice() -> None:
    asked = messages("Oats, list, go.", [ADD], ["lists.Add"])
    assert "lists.Add, items (what to add), list (which list)" in asked[0].content
    example: Mapping[str, str] = json.loads(asked[2].content)
    assert example == {"intent": "lists.Add", "items": "oats", "list": ""}
    assert asked[-1].content == "Oats, list, go."
