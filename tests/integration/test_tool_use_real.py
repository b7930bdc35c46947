"""Tools of a device with the embedded chat model: who means a tool gets it, who talks gets none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lobug.conversation.prompt import make_persona, prefix
from lobug.conversation.tool_prompt import ToolPrompt, tool_prompt
from lobug.engines.base import ChatMessage, ChatOptions
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.tool_client import ToolClient
from lobug.settings import ChatSettings, StreamingSettings
from lobug.turn.tool_use import ToolUse, write_with_tools
from support.tool_device import ToolDevice, common_tools
from support.tool_utterances import STATUS, TALK_UNSEEN, WANTED_UNSEEN

pytestmark = pytest.mark.models

SETTINGS = ChatSettings(timeout_s=600.0, first_token_timeout_s=300.0)
LANE = "ada/device:desk"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def chat(models_dir: Path) -> AsyncIterator[EmbeddedChat]:
    engine = EmbeddedChat(SETTINGS, LlamaProcess(llama_options(SETTINGS, models_dir)))
    await engine.start()
    yield engine
    await engine.close()


class Desk:
    """A device on a desk, and what is said to it."""

    def __init__(self, chat: EmbeddedChat, device: ToolDevice, box: ToolClient) -> None:
        self._chat = chat
        self.device = device
        self._box = box
        self._prompt: ToolPrompt = tool_prompt(box.tools(), SETTINGS.tool_prompt_tokens)
        persona = make_persona("", ignore_and_react=True)
        self._before = prefix(persona, "", tools=self._prompt.messages)

    async def _write(
        self, turn: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> AsyncGenerator[str]:
        options = ChatOptions(60, 0.0, json_schema=schema, lane=LANE)
        async for piece in self._chat.stream([*self._before, *turn], options):
            yield piece

    async def say(self, text: str) -> tuple[str, list[str]]:
        """The reply, and the names of the tools that were used."""
        self.device.called.clear()

        async def allowed() -> None:
            """The turn is certain."""

        use = ToolUse(self._box, self._prompt, text, allowed, SETTINGS.max_tool_rounds)
        user = ChatMessage("user", text)
        reply = "".join([piece async for piece in write_with_tools(self._write, user, use)])
        return reply, [name for name, _ in self.device.called]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def desk(chat: EmbeddedChat) -> AsyncIterator[Desk]:
    device, listed = ToolDevice(common_tools()), asyncio.Event()
    device.results["self.camera.take_photo"] = (
        '{"success": true, "text": "A man sits at a table and holds a banana."}'
    )
    box = ToolClient(device.take, StreamingSettings(), listed.set)
    device.answer_to(box)
    box.start()
    await listed.wait()
    yield Desk(chat, device, box)
    await box.close()


@pytest.mark.timeout(1200)
@pytest.mark.asyncio(loop_scope="module")
async def test_who_means_a_tool_gets_it(desk: Desk) -> None:
    missed = []
    for text, wanted in WANTED_UNSEEN[::3]:
        reply, called = await desk.say(text)
        assert "{" not in reply
        acted = [name for name in called if name != STATUS]
        if acted != ([] if wanted == STATUS else [wanted]):
            missed.append((text, called, reply))
    assert len(missed) <= 2, missed


@pytest.mark.timeout(1200)
@pytest.mark.asyncio(loop_scope="module")
async def test_who_talks_gets_words(desk: Desk) -> None:
    wrong = []
    for text in TALK_UNSEEN[::3]:
        reply, called = await desk.say(text)
        assert reply.strip()
        assert "{" not in reply
        if [name for name in called if name != STATUS]:
            wrong.append((text, called, reply))
    assert len(wrong) <= 1, wrong


@pytest.mark.timeout(600)
@pytest.mark.asyncio(loop_scope="module")
async def test_louder_is_louder_than_it_was(desk: Desk) -> None:
    await desk.say("Could you speak a little louder please?")
    calls = dict(desk.device.called)
    assert calls["self.audio_speaker.set_volume"]["volume"] > 70
