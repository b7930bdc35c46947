"""How replies and speech end at OpenAI's door, by the official client."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.engines.absent import NoVoice
from lobug.engines.base import BACKGROUND_LANE, Engines, Samples
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines, client_of, settings_for
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedTextToSpeech


@asynccontextmanager
async def door(tmp_path: Path, engines: Engines) -> AsyncIterator[openai.AsyncOpenAI]:
    async def assemble(settings: Settings) -> LobugServer:
        return with_memory(settings, engines)

    async with (
        client_of(create_app(settings_for(tmp_path), assembler=assemble)) as plain,
        openai.AsyncOpenAI(
            base_url=f"{plain.base_url}/v1", api_key="unused", max_retries=0
        ) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("written", "limit", "said", "why"),
    [
        ("One is it. Two and a half", 4, "One is it.", "length"),
        ("Five words are too many", 3, "Five words are", "length"),
        ("Three small words.", 4, "Three small words.", "stop"),
    ],
)
async def test_why_a_reply_ended(
    tmp_path: Path, written: str, limit: int, said: str, why: str
) -> None:
    # As models do: token by token, and no further than the limit.
    chat = ScriptedChatModel(
        lambda _, options: (
            "[]"
            if options.lane == BACKGROUND_LANE
            else re.findall(r"\s*\S+", written)[: options.max_tokens]
        )
    )
    asked: dict[str, Any] = {
        "model": "lobug",
        "messages": [{"role": "user", "content": "Count"}],
        "max_tokens": limit,
    }
    async with door(tmp_path, ScriptedEngines(chat=chat).engines()) as client:
        whole = (await client.chat.completions.create(**asked)).choices[0]
        stream = await client.chat.completions.create(**asked, stream=True)
        chunks = [chunk.choices[0] async for chunk in stream]
    assert (whole.message.content, whole.finish_reason) == (said, why)
    assert "".join(chunk.delta.content or "" for chunk in chunks) == said
    assert [chunk.finish_reason for chunk in chunks if chunk.finish_reason] == [why]


class Speechless(ScriptedTextToSpeech):
    """A voice of which no sound comes, as of a script that it does not know."""

    async def synthesize(self, sentence: str) -> Samples:
        return np.zeros(0, np.float32)


@pytest.mark.parametrize("words", ["...", "😀", "你好"])
async def test_words_that_the_voice_cannot_say_are_the_callers_fault(
    tmp_path: Path, words: str
) -> None:
    """After a failure of the server the client would ask again."""
    async with door(tmp_path, ScriptedEngines(tts=Speechless()).engines()) as client:
        with pytest.raises(openai.BadRequestError) as caught:
            await client.audio.speech.create(model="tts-1", voice="x", input=words)
    assert (caught.value.code, caught.value.param) == ("text_empty", "input")


async def test_that_there_is_no_voice_is_the_servers_fault(tmp_path: Path) -> None:
    engines = ScriptedEngines().engines()
    engines.tts = NoVoice("switched off", wanted=True)
    async with door(tmp_path, engines) as client:
        with pytest.raises(openai.InternalServerError) as caught:
            await client.audio.speech.create(model="tts-1", voice="x", input="Hi")
    assert caught.value.code == "engine_unavailable"
