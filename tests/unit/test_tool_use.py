"""A reply in which the chat model uses a device's tools; the device answers as a real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.conversation.prompt import make_persona, prefix
from lobug.conversation.registry import Conversation, Conversations
from lobug.engines.base import ChatMessage, ChatOptions
from lobug.engines.tool_client import ToolClient
from lobug.errors import EngineError, EngineUnavailableError, LobugError
from lobug.language.en.replies import DONE, NO_WORDS, NOT_DONE
from lobug.memory.model import ConversationKey
from lobug.settings import ChatSettings, Settings, StreamingSettings
from lobug.turn.events import Piece, ReplyDelta, TurnEvent
from lobug.turn.reply import Prompt, Reply, write_reply
from lobug.turn.timeline import Timeline
from lobug.turn.tool_use import ToolUse, offer_tools
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.tool_device import Refused, ToolDevice, common_tools

VOLUME = "self.audio_speaker.set_volume"
PERSONA = make_persona("", ignore_and_react=False)
LOUDER = '{"tool": "audio_speaker.set_volume", "volume": 80}'
NONE = '{"tool": "none"}'
STATUS = '{"tool": "get_device_status"}'


@dataclass
class Talk:
    """A conversation with a device that has tools."""

    device: ToolDevice
    box: ToolClient
    conversation: Conversation
    sure: asyncio.Event
    """The turn is certain."""
    waited: asyncio.Event
    """Somebody has asked whether it is."""
    called: list[str]

    async def allowed(self) -> None:
        self.waited.set()
        await self.sure.wait()

    async def say(
        self, text: str, chat: ScriptedChatModel, *, max_rounds: int = 3, tools: bool = True
    ) -> list[TurnEvent]:
        """The events of the reply to ``text``."""
        user = ChatMessage("user", text)
        before = prefix(PERSONA, "", tools=self.conversation.tools.messages)
        use = ToolUse(
            self.box, self.conversation.tools, text, self.allowed, max_rounds, called=self.called
        )
        events = write_reply(
            chat,
            self.conversation,
            Prompt(PERSONA, [*before, user], user, (), self.conversation.lane),
            Reply(),
            settings=ChatSettings(max_sentences=5),
            timeline=Timeline("device"),
            must_answer=True,
            tools=use if tools else None,
        )
        async with aclosing(events):
            return [event async for event in events]


@asynccontextmanager
async def talking(*, sure: bool = True, timeout_s: float = 60.0) -> AsyncIterator[Talk]:
    device, listed = ToolDevice(common_tools()), asyncio.Event()
    box = ToolClient(device.take, StreamingSettings(tool_timeout_s=timeout_s), listed.set)
    device.answer_to(box)
    box.start()
    await asyncio.wait_for(listed.wait(), PATIENCE_S)
    conversation = Conversations(Settings()).get(ConversationKey("ada", "ada/device:desk"))
    offer_tools(conversation, box.tools(), ChatSettings().tool_prompt_tokens)
    conversation.include_tools()
    talk = Talk(device, box, conversation, asyncio.Event(), asyncio.Event(), [])
    if sure:
        talk.sure.set()
    try:
        yield talk
    finally:
        await box.close()


def words(events: Sequence[TurnEvent]) -> str:
    shown = "".join(event.text for event in events if isinstance(event, ReplyDelta))
    spoken = " ".join(event.text for event in events if isinstance(event, Piece))
    assert shown == spoken
    for mark in ("{", "}", "tool", "[Device", "[RESULT"):
        assert mark not in shown
    return shown


def asked(chat: ScriptedChatModel, call: int) -> list[str]:
    """What the model was asked in a call, behind the prompt's prefix."""
    contents = [message.content for message in chat.calls[call].messages]
    return contents[len(contents) - contents[::-1].index("I see a spoon in a hand.") :]


async def test_a_wish_is_carried_out_before_it_is_answered() -> None:
    chat = ScriptedChatModel([LOUDER, "Okay, my volume is 80 now."])
    async with talking() as talk:
        events = await talk.say("Make it louder.", chat)
    assert words(events) == "Okay, my volume is 80 now."
    assert talk.device.called == [("self.get_device_status", {}), (VOLUME, {"volume": 80})]
    assert talk.called == ["self.get_device_status", VOLUME]
    noted, *rest = asked(chat, 1)
    assert asked(chat, 0) == [noted]
    assert noted.startswith("[Device: audio_speaker volume 70, screen brightness 75")
    assert noted.endswith("]\n\nMake it louder.")
    assert rest == [LOUDER, "[RESULT] tool audio_speaker.set_volume, volume 80: true"]


async def test_the_choice_is_held_to_the_schema_and_the_words_are_not() -> None:
    chat = ScriptedChatModel([LOUDER, "Okay."])
    async with talking() as talk:
        await talk.say("Make it louder.", chat)
        schema = talk.conversation.tools.schema()
    choice, reply = (call.options for call in chat.calls)
    assert (choice.json_schema, choice.temperature) == (schema, 0)
    assert reply == ChatOptions(
        max_tokens=90, temperature=0.4, lane="ada/device:desk", timeout_s=60.0
    )


async def test_talk_that_only_sounds_like_a_wish_is_answered_in_words() -> None:
    chat = ScriptedChatModel([NONE, "About a hundred and forty decibels."])
    async with talking() as talk:
        events = await talk.say("How loud is a jet?", chat)
    assert words(events) == "About a hundred and forty decibels."
    assert talk.device.called == [("self.get_device_status", {})]
    assert asked(chat, 1)[1:] == [NONE, "How loud is a jet?"]


async def test_other_talk_costs_nothing() -> None:
    chat = ScriptedChatModel(["Good morning!"])
    async with talking(sure=False) as talk:
        events = await talk.say("Good morning!", chat)
        assert words(events) == "Good morning!"
        assert len(chat.calls) == 1
        assert chat.calls[0].options.json_schema is None
        assert talk.device.called == []
        assert not talk.waited.is_set()


async def test_the_state_that_was_just_told_is_not_asked_for_again() -> None:
    chat = ScriptedChatModel([STATUS, "Forty-eight percent."])
    async with talking() as talk:
        events = await talk.say("How full is your battery?", chat)
    assert words(events) == "Forty-eight percent."
    assert talk.device.called == [("self.get_device_status", {})]
    assert "battery level 48" in asked(chat, 1)[-1]


async def test_a_call_that_the_model_makes_of_its_own_accord() -> None:
    chat = ScriptedChatModel([f"Gern! ```json\n{LOUDER}\n```", "Jetzt bin ich lauter."])
    async with talking() as talk:
        events = await talk.say("Mach bitte lauter.", chat)
    assert words(events) == "Gern! Jetzt bin ich lauter."
    assert talk.device.called == [(VOLUME, {"volume": 80})]
    assert chat.calls[0].cancelled


async def test_no_tool_is_used_before_the_turn_is_certain() -> None:
    chat = ScriptedChatModel([LOUDER, "Okay."])
    async with talking(sure=False) as talk:
        turn = asyncio.create_task(talk.say("Make it louder.", chat))
        await asyncio.wait_for(talk.waited.wait(), PATIENCE_S)
        assert talk.device.called == []
        talk.sure.set()
        assert words(await turn) == "Okay."
        assert len(talk.device.called) == 2


async def test_a_turn_that_is_thrown_away_uses_no_tool() -> None:
    chat = ScriptedChatModel([f"Gern! {LOUDER}", "Okay."])
    async with talking(sure=False) as talk:
        turn = asyncio.create_task(talk.say("Mach lauter.", chat))
        await asyncio.wait_for(talk.waited.wait(), PATIENCE_S)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert talk.device.called == []


async def test_wrong_arguments_are_told_to_the_model_which_tries_again() -> None:
    wrong = LOUDER.replace("80", "800")
    chat = ScriptedChatModel([wrong, LOUDER, "Okay, it is 80."])
    async with talking() as talk:
        events = await talk.say("Speak at 800.", chat)
    assert words(events) == "Okay, it is 80."
    assert (VOLUME, {"volume": 80}) in talk.device.called
    assert len(talk.device.called) == 2
    assert "error: Wrong arguments: volume: 800 is greater" in asked(chat, 1)[-1]


async def test_arguments_are_fitted() -> None:
    chat = ScriptedChatModel(
        ['{"tool": "self.audio_speaker.set_volume", "volume": "80 %"}', "Okay."]
    )
    async with talking() as talk:
        await talk.say("Make it louder.", chat)
    assert talk.device.called[-1] == (VOLUME, {"volume": 80})


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ('{"tool": "set_volume", "volume": 3}', "error: There is no set_volume, only get_device"),
        ('{"tool": "reboot"}', "error: There is no reboot"),
        ('{"tool": "audio_speaker.set_volume", "volume": }', "error: The call is no JSON object."),
        ('{"tool": "audio_speaker.set_volume", "vol', "error: The call is no JSON object."),
    ],
)
async def test_a_call_that_cannot_be_made_is_told_to_the_model(call: str, told: str) -> None:
    chat = ScriptedChatModel([call, "I can't do that."])
    async with talking() as talk:
        events = await talk.say("Mach das.", chat)
    assert words(events) == "I can't do that."
    assert talk.device.called == []
    assert told in asked(chat, 1)[-1]


async def test_a_refusal_of_the_device_is_told_to_the_model() -> None:
    chat = ScriptedChatModel(
        ['{"tool": "camera.take_photo", "question": "What?"}', "My camera failed."]
    )
    async with talking() as talk:
        talk.device.results["self.camera.take_photo"] = Refused("Failed to capture photo")
        events = await talk.say("What do you see?", chat)
    assert words(events) == "My camera failed."
    assert asked(chat, 1)[-1].endswith("error: Failed to capture photo")


async def test_a_device_that_does_not_answer_costs_its_time_out() -> None:
    chat = ScriptedChatModel([LOUDER, "It does not answer."])
    async with talking(timeout_s=1) as talk:  # its greeting has to be answered within it
        talk.device.silent.add("tools/call")
        events = await talk.say("Make it louder.", chat)
    assert words(events) == "It does not answer."
    assert asked(chat, 0) == ["[Device: ready]\n\nMake it louder."]
    assert asked(chat, 1)[-1].endswith("error: The device did not answer in time.")


async def test_a_device_that_is_gone_meanwhile() -> None:
    chat = ScriptedChatModel([LOUDER, "It is gone."])
    async with talking() as talk:
        talk.device.lost = True
        assert words(await talk.say("Make it louder.", chat)) == "It is gone."
        assert "[Device: ready]" in asked(chat, 0)[0]
        assert asked(chat, 1)[-1].endswith("error: The device is gone.")


async def test_a_call_that_is_repeated_is_made_once() -> None:
    chat = ScriptedChatModel([LOUDER])
    async with talking() as talk:
        events = await talk.say("Make it louder.", chat)
    assert words(events) == DONE
    assert talk.device.called[1:] == [(VOLUME, {"volume": 80})]
    assert len(chat.calls) == 2


@pytest.mark.parametrize("rounds", [1, 3])
async def test_calls_are_limited(rounds: int) -> None:
    replies = [LOUDER.replace("80", str(level)) for level in range(20)]
    chat = ScriptedChatModel(replies)
    async with talking() as talk:
        events = await talk.say("Mach lauter.", chat, max_rounds=rounds)
    assert words(events) == DONE
    assert len(talk.device.called) == rounds


async def test_nothing_to_say_of_a_failure() -> None:
    chat = ScriptedChatModel([LOUDER, ""])
    async with talking() as talk:
        talk.device.results[VOLUME] = Refused("too hot")
        assert words(await talk.say("Make it louder.", chat)) == NOT_DONE


async def test_no_tool_where_none_was_chosen() -> None:
    chat = ScriptedChatModel([NONE, LOUDER, "It is a good theme."])
    async with talking() as talk:
        events = await talk.say("The theme of the party is pirates.", chat)
    assert words(events) == "It is a good theme."
    assert talk.device.called == [("self.get_device_status", {})]


async def test_a_model_that_never_finds_words() -> None:
    chat = ScriptedChatModel([NONE])
    async with talking() as talk:
        assert words(await talk.say("Do you like music?", chat)) == NO_WORDS
        assert words(await talk.say("How loud is a jet?", chat)) == NO_WORDS
    assert len(chat.calls) < 10


async def test_a_server_that_takes_no_schema() -> None:
    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> str | EngineError:
        if options.json_schema is not None:
            return EngineUnavailableError("chat", "no schemas here")
        last = messages[-1].content
        return "Okay." if last.startswith("[RESULT]") else LOUDER

    chat = ScriptedChatModel(reply)
    async with talking() as talk:
        assert words(await talk.say("Make it louder.", chat)) == "Okay."
    assert talk.device.called[-1] == (VOLUME, {"volume": 80})


async def test_a_model_that_fails_fails_the_turn() -> None:
    chat = ScriptedChatModel([LOUDER, EngineUnavailableError("chat", "gone")])
    async with talking() as talk:
        with pytest.raises(LobugError):
            await talk.say("Make it louder.", chat)


async def test_a_device_that_has_not_told_its_tools_yet_is_left_alone() -> None:
    chat = ScriptedChatModel(["I can't just now."])
    async with talking() as talk:
        await talk.box.close()
        assert words(await talk.say("Make it louder.", chat)) == "I can't just now."
    assert len(chat.calls) == 1
    assert talk.device.called == []


async def test_without_a_device_the_reply_is_what_the_model_writes() -> None:
    chat = ScriptedChatModel(["Hello there."])
    async with talking() as talk:
        assert words(await talk.say("Make it louder.", chat, tools=False)) == "Hello there."
    assert talk.device.called == []


@settings(max_examples=60, deadline=None)
@given(
    places=st.lists(st.integers(0, 150), max_size=10),
    before=st.sampled_from(["", "Sure. ", "```json\n", "Okay, I do. ```\n", "<tool_call>"]),
    call=st.sampled_from(
        [LOUDER, '{"tool":"none"}', '{"tool": "lamp", "a": "}"}', '{"tool": "x" ']
    ),
    after=st.sampled_from(["", "\n```", " And more.", "</tool_call>"]),
)
def test_a_raw_call_is_in_no_event_wherever_it_is_cut(
    places: list[int], before: str, call: str, after: str
) -> None:
    text = before + call + after
    edges = sorted({0, len(text), *(place % len(text) for place in places)})
    pieces = [text[a:b] for a, b in pairwise(edges)]

    async def scenario() -> None:
        chat = ScriptedChatModel([pieces, "There you are."])
        async with talking() as talk:
            said = words(await talk.say("Mach das.", chat))
        assert said.endswith("There you are.")
        assert "`" not in said

    asyncio.run(scenario())
