"""Telling, changing, correcting, forgetting and asking in any order, while the background work that
reads older words comes when it likes: nothing contradicts itself and nothing comes back."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.memory.model import Filter, MemoryScope
from lobug.memory.service import Memory
from support.app_server import ScriptedEngines, running, settings_for
from support.scripted import ScriptedChatModel

PLACES = ["Rome", "Oslo", "Bristol"]
TELL, CHANGE, CORRECT = "I live in {}.", "I moved to {}.", "No, I live in {}."
FORGET, ASK = "Forget where I live.", "Where do I live?"
WORK = "work"

operations = st.one_of(
    st.tuples(st.sampled_from([TELL, CHANGE, CORRECT]), st.sampled_from(PLACES)),
    st.tuples(st.sampled_from([FORGET, ASK, WORK]), st.just("")),
)
users: Iterator[int] = itertools.count(1)


def model_that_repeats(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
    """Extracts what was said, in words that the rules cannot read, so that everything depends on
    when it was said; its sentence about the home it says as the rules would."""
    if options.json_schema is None:
        return "Okay."
    found = re.findall(r"\b(?:in|to) (Rome|Oslo|Bristol)\b", messages[-1].content)
    return json.dumps([{"fact": f"The user lives in {one}", "type": "personal"} for one in found])


async def check(memory: Memory, user: str, believed: str | None) -> None:
    """Nothing contradicts itself; only the place told last is believed."""
    entries = await memory.entries(
        MemoryScope(user, None), Filter(status="active", category="knowledge"), limit=100
    )
    homes = [entry.content for entry in entries if "live" in entry.content]
    assert len(homes) <= 1, homes
    assert [believed in home for home in homes if believed] == [True] * len(homes)
    if believed is None:
        assert homes == []


async def play(
    client: object, memory: Memory, said: Sequence[tuple[str, str]], device: str
) -> None:
    believed: str | None = None
    for pattern, place in said:
        if pattern == WORK:
            await memory._worker.step()
        else:
            answer = await client.post(  # type: ignore[attr-defined]  # an httpx client
                "/chat/text",
                json={"text": pattern.format(place)},
                headers={"Device-Id": device},
            )
            reply = answer.json()["response"]
            if pattern == FORGET:
                believed = None
            elif pattern == ASK:
                assert (believed or "haven't told me") in reply, reply
                assert not any(one in reply for one in PLACES if one != believed), reply
            else:
                believed = place
        user = next((one.user for one in await memory.users() if device in one.user.lower()), None)
        if user is not None:
            await check(memory, user, believed)
    await memory.process_due()
    user = next((one.user for one in await memory.users() if device in one.user.lower()), None)
    if user is not None:
        await check(memory, user, believed)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def server(loop: asyncio.Runner) -> Iterator[tuple[object, Memory]]:
    """One server for all examples; each has a user of its own. Its worker works when told to."""
    engines = ScriptedEngines(chat=ScriptedChatModel(model_that_repeats))
    with TemporaryDirectory() as folder:
        options = settings_for(Path(folder))
        context = running(options, engines)
        client, lobug = loop.run(context.__aenter__())
        loop.run(lobug.memory._worker.close())
        try:
            yield client, lobug.memory
        finally:
            loop.run(context.__aexit__(None, None, None))


@settings(max_examples=40)
@given(st.lists(operations, min_size=1, max_size=8))
def test_no_order_leaves_a_contradiction_or_brings_anything_back(
    loop: asyncio.Runner, server: tuple[object, Memory], said: list[tuple[str, str]]
) -> None:
    client, memory = server
    device = f"02:00:00:00:{next(users) // 256:02x}:{next(users) % 256:02x}"
    loop.run(play(client, memory, said, device))
