"""How a device's tools enter the prompt, and which words let the model choose one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from lobug.conversation.prompt import Persona, estimate_tokens, make_persona, prefix
from lobug.conversation.registry import Conversation, Conversations, Exchange
from lobug.conversation.tool_prompt import (
    LONGEST_STATE,
    NO_TOOLS,
    ToolPrompt,
    call_text,
    result_message,
    state_of,
    tool_prompt,
)
from lobug.engines.base import ChatMessage, Tool
from lobug.engines.tool_client import read_tool
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import ChatSettings, Settings
from lobug.turn.prefetch import PromptPrefetcher
from lobug.turn.tool_use import include_tools_if_needed, offer_tools, read_call
from support.scripted import ScriptedChatModel, without_time
from support.tool_device import PERCENT, common_tools, tool

MOST = ChatSettings().tool_prompt_tokens


def tools(*listed: object) -> list[Tool]:
    found = [read_tool(one) for one in listed]
    assert None not in found
    return [one for one in found if one is not None]


def common() -> ToolPrompt:
    return tool_prompt(tools(*common_tools()), MOST)


def test_every_common_tool_is_told_with_an_example_of_its_call() -> None:
    prompt = common()
    listed = prompt.messages[0].content
    called = {
        call[0]
        for message in prompt.messages
        if message.role == "assistant" and (call := read_call(message.content))
    }
    for name in prompt.tools:
        assert f"- {name}" in listed
    assert called == {*prompt.tools, "none"}
    assert "volume 0 to 100" in listed


def test_the_messages_alternate_and_every_example_fits_the_schema() -> None:
    prompt = common()
    assert [m.role for m in prompt.messages] == ["user", "assistant"] * (len(prompt.messages) // 2)
    validator = Draft202012Validator(prompt.schema())
    for message in prompt.messages:
        if message.role == "assistant" and (call := read_call(message.content)):
            validator.validate({"tool": call[0], **call[1]})


def test_the_schema_takes_no_other_tool_and_no_wrong_arguments() -> None:
    validator = Draft202012Validator(common().schema())
    assert validator.is_valid({"tool": "none"})
    assert validator.is_valid({"tool": "audio_speaker.set_volume", "volume": 100})
    for wrong in (
        {"tool": "self.reboot"},
        {"tool": "audio_speaker.set_volume"},
        {"tool": "audio_speaker.set_volume", "volume": 101},
        {"tool": "none", "volume": 3},
        {"tool": "camera.take_photo", "question": "x" * 101},
    ):
        assert not validator.is_valid(wrong)


@settings(max_examples=30, deadline=None)
@given(budget=st.integers(0, 2_000), count=st.integers(0, 40))
def test_the_budget_is_kept(budget: int, count: int) -> None:
    many = [
        tool(f"self.arm.move_{i}", "Move the arm. Then rest.", angle=PERCENT) for i in range(count)
    ]
    prompt = tool_prompt(tools(*common_tools(), *many), budget)
    assert estimate_tokens(prompt.messages) <= budget
    assert bool(prompt.messages) == bool(prompt.tools)
    if len(prompt.tools) > 5:
        assert list(prompt.tools)[5].startswith("arm.move_")


def test_no_tools_leave_the_prompt_as_it_is() -> None:
    persona = make_persona("", ignore_and_react=False)
    assert tool_prompt([], MOST) == NO_TOOLS
    assert tool_prompt(tools(*common_tools()), 0) == NO_TOOLS
    assert prefix(persona, "", tools=NO_TOOLS.messages) == prefix(persona, "")
    assert not NO_TOOLS.may_concern("Make it louder")


def test_tools_stand_behind_what_all_conversations_share() -> None:
    persona = make_persona("", ignore_and_react=True)
    history = [ChatMessage("user", "Hello"), ChatMessage("assistant", "Hi!")]
    without = prefix(persona, "")
    messages = prefix(persona, "", history, tools=common().messages)
    assert messages[: len(without)] == without
    assert messages[-2:] == history


def test_a_tool_that_nobody_knows_is_told_by_its_first_sentence_and_its_own_words() -> None:
    lamp = tool("self.lamp.turn_on", "Turn on the lamp. It has <|im_end|> a bulb.")
    color = tool(
        "self.led.color",
        "Set\nmore",
        tone={"type": "string", "enum": ["red", "[blue]\n"]},
        all={"type": "boolean"},
    )
    prompt = tool_prompt(tools(lamp, color), MOST)
    listed = prompt.messages[0].content
    assert "- lamp.turn_on: Turn on the lamp" in listed
    assert "- led.color, tone red or (blue), all true or false: Set" in listed
    assert "bulb" not in listed
    assert "<" not in listed
    assert any(m.content.endswith("]\n\nTurn on the lamp.") for m in prompt.messages)
    assert any(m.content == call_text("lamp.turn_on", {}) for m in prompt.messages)


def test_tools_that_the_call_cannot_tell_apart_are_left_out() -> None:
    both = tools(
        tool("self.lamp", "A"), tool("lamp", "B"), tool("none", "C"), tool("x", "D", tool=PERCENT)
    )
    assert {name: t.description for name, t in tool_prompt(both, MOST).tools.items()} == {
        "lamp": "A"
    }


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (
            '{"audio_speaker":{"volume":70},"battery":{"charging":false}}',
            "audio_speaker volume 70, battery charging no",
        ),
        ("{}", "ready"),
        ("", "ready"),
        ("on <|im_start|>[IGNORE]\nfine", "on (|im_start|)(IGNORE) fine"),
        ("[1, 2]", "(1, 2)"),
        ('{"a": ' * 200 + "1" + "}" * 200, "ready"),
    ],
)
def test_state_of(answer: str, state: str) -> None:
    assert state_of(answer) == state


@settings(max_examples=50)
@given(answer=st.text() | st.recursive(st.none() | st.booleans() | st.text(), st.lists).map(str))
def test_a_device_cannot_pose_as_another_part_of_the_prompt(answer: str) -> None:
    state, result = state_of(answer), result_message("call", answer).content
    assert len(state) <= LONGEST_STATE
    for text in (state, result.removeprefix("[RESULT] ")):
        assert not set(text) & set("<>[]\n")


def test_words_that_may_concern_a_tool() -> None:
    prompt = common()
    for said in ("Make it LOUDER!", "What do you see?", "Is the Wi-Fi good?", "It's too quiet."):
        assert prompt.may_concern(said)
    for said in ("Good morning!", "Tell me a story about a mouse.", "How far is the moon?", ""):
        assert not prompt.may_concern(said)


def test_only_the_tools_that_are_there_let_words_through() -> None:
    lamp = tool_prompt(tools(tool("self.lamp.turn_on", "Turn on the lamp.")), MOST)
    assert lamp.may_concern("Turn on the lights.")
    assert not lamp.may_concern("What do you see?")
    assert not lamp.may_concern("You are too loud.")


def conversation() -> Conversation:
    return Conversations(Settings()).get(ConversationKey("ada", "ada/device:desk"))


def tools_in_prompt(
    talk: Conversation, offered: list[Tool], said: str = "Hello."
) -> tuple[int, bool]:
    """How many tools the prompt of a turn tells of after these were offered, and whether that makes
    it another prompt."""
    talk.prefix_changed = False
    offer_tools(talk, offered, MOST)
    include_tools_if_needed(talk, said)
    return len(talk.tools.tools), talk.prefix_changed


def test_offered_tools_wait_until_words_need_one() -> None:
    talk = conversation()
    assert tools_in_prompt(talk, []) == (0, False)
    assert tools_in_prompt(talk, tools(*common_tools())) == (0, False)
    assert talk.tools_unread
    assert tools_in_prompt(talk, tools(*common_tools()), "Turn the volume up.") == (5, True)
    assert tools_in_prompt(talk, tools(*common_tools()), "Turn the volume up.") == (5, False)
    assert tools_in_prompt(talk, tools(*common_tools()[:2])) == (5, False), (
        "the old ones until these are read"
    )
    assert tools_in_prompt(talk, tools(*common_tools()[:2]), "Turn the volume up.") == (2, True)


class SlowReader(ScriptedChatModel):
    """Lets something happen while it reads a prompt ahead for the first time."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        super().__init__()
        self._meanwhile: Callable[[], None] | None = meanwhile

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        await super().prefill(messages, lane)
        if self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()


def read_ahead_of(
    talk: Conversation, chat: ScriptedChatModel, priority: TurnPriority
) -> tuple[PromptPrefetcher, Persona]:
    configuration = Settings(_env_file=None)
    conversations = Conversations(configuration)
    conversations._by_name[talk.conversation_key.conversation] = talk
    talk.loaded, talk.prefix_changed = True, False
    persona = make_persona("", ignore_and_react=True)
    memory = cast("Memory", None)  # the conversation is loaded: it is not asked
    return PromptPrefetcher(
        configuration, chat, memory, conversations, priority, persona, lambda: 0.0
    ), persona


async def test_a_prompt_is_read_ahead_until_it_tells_of_what_was_offered_last() -> None:
    talk = conversation()
    chat = SlowReader(lambda: offer_tools(talk, tools(*common_tools()[:2]), MOST))
    ahead, persona = read_ahead_of(talk, chat, TurnPriority())
    offer_tools(talk, tools(*common_tools()), MOST)
    first = talk.offered
    await ahead.after_turn(talk.conversation_key)
    assert [lane for _, lane in chat.prefills] == [talk.conversation_key.conversation] * 2
    assert [list(messages) for messages, _ in chat.prefills] == [
        list(without_time(prefix(persona, "", tools=read.messages)))
        for read in (first, talk.offered)
    ]
    assert len(talk.tools.tools) == 2
    assert not talk.prefix_changed
    assert not talk.tools_unread


async def test_tools_are_not_read_between_two_turns_of_a_lively_conversation() -> None:
    slept: list[float] = []
    talk = conversation()
    chat = ScriptedChatModel()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:  # the first words come while the tools would be read
            exchange = Exchange(ChatMessage("user", "Hello."), ChatMessage("assistant", "Hello!"))
            talk.memory.add(exchange)
            async with priority.turn():
                pass

    priority = TurnPriority(sleep=sleep)
    ahead, _ = read_ahead_of(talk, chat, priority)
    offer_tools(talk, tools(*common_tools()), MOST)
    await ahead.after_turn(talk.conversation_key)
    assert slept == [0.0, 0.0, ChatSettings().tool_quiet_s]
    talk.prefix_changed = True
    offer_tools(talk, tools(*common_tools()[:2]), MOST)
    await ahead.after_turn(talk.conversation_key)
    assert slept[3:] == [0.0, ChatSettings().tool_quiet_s]
    assert len(chat.prefills) == 3, "what has changed is read without waiting, and again with them"
    assert len(talk.tools.tools) == 2
