"""Turns that meet each other, background work, a full window, or a device that hangs up."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from pathlib import Path

import anyio.to_thread
import httpx
import pytest

from lobug.assembly import with_memory
from lobug.conversation.registry import conversation_of
from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatOptions
from lobug.errors import ContextOverflowError, StorageError
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.server import LobugServer
from lobug.turn.events import Piece
from lobug.turn.utterance import SpokenUtterance, TypedUtterance
from support.app_server import ScriptedEngines, running, settings_for
from support.memory_kit import look
from support.patience import PATIENCE_S
from support.scripted import Reply, ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.wav import pcm16, tone

RECORDING = pcm16(tone(1.0))
AUDIO = {"audio": ("recording.wav", RECORDING, "audio/wav")}


def spoken(*replies: Reply) -> ScriptedChatModel:
    """Replies for turns, in order, the last repeats; background work finds nothing."""
    left = list(replies)

    def reply(_: object, options: ChatOptions) -> Reply:
        if options.lane == BACKGROUND_LANE:
            return "[]"
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedChatModel(reply)


def prompts(model: ScriptedChatModel) -> list[list[ChatMessage]]:
    """What the model was shown, turn by turn."""
    return [list(c.messages) for c in model.calls if c.options.lane != BACKGROUND_LANE]


def owner(device: str) -> ConversationKey:
    return conversation_of(f"device:{device}", {})


def post(client: httpx.AsyncClient, text: str, device: str) -> asyncio.Task[httpx.Response]:
    return asyncio.create_task(
        client.post("/chat/text", json={"text": text}, headers={"Device-Id": device})
    )


async def turns_under_way(server: LobugServer, count: int) -> None:
    while server.priority.turns != count:  # noqa: ASYNC110 - the server offers no event for it
        await asyncio.sleep(0.005)


class SlowPrefill(ScriptedChatModel):
    """Reading ahead takes until ``gate`` is set; ``read`` is what was read to its end."""

    def __init__(self, reply: Reply = "Okay.") -> None:
        super().__init__([reply])
        self.gate = asyncio.Event()
        self.read: list[tuple[list[str], str]] = []

    async def prefill(self, messages: object, lane: str) -> None:
        await super().prefill(messages, lane)  # type: ignore[arg-type]  # passed on as it came
        await self.gate.wait()
        contents = [m.content for m in messages if isinstance(m, ChatMessage)]  # type: ignore[attr-defined]  # a sequence
        self.read.append((contents, lane))


async def test_one_device_cannot_queue_more_turns_than_the_limit(tmp_path: Path) -> None:
    """A place is free all the while: its own conversation is what they wait for."""
    gate = asyncio.Event()
    scripted = ScriptedEngines(chat=spoken(["Wait ", gate, "over."]))
    limits = {"max_concurrent_turns": 2, "max_waiting_turns": 1}
    async with running(settings_for(tmp_path, limits=limits), scripted) as (client, server):
        first = post(client, "one", "a")
        await scripted.chat.wait_for_calls(1)
        second = post(client, "two", "a")
        await turns_under_way(server, 2)
        refused = await asyncio.wait_for(post(client, "three", "a"), PATIENCE_S)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
        other = post(client, "four", "b")
        await scripted.chat.wait_for_calls(2)
        gate.set()
        for turn in (first, second, other):
            assert (await turn).json() == {"response": "Wait over."}


async def test_a_prompt_is_read_ahead_as_it_is_then_not_as_it_was(tmp_path: Path) -> None:
    """Reading an older, shorter prompt would throw the newer part of the cache away."""
    gate = asyncio.Event()
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(
            lambda messages, _: ["Wait ", gate, "over."] if messages[-1].content == "b" else "Okay."
        )
    )
    settings = settings_for(tmp_path, limits={"max_concurrent_turns": 3})
    async with running(settings, scripted) as (client, server):
        await scripted.chat.wait_for_prefills(1)  # the persona, at start
        other = post(client, "b", "other")
        await scripted.chat.wait_for_calls(1)
        await post(client, "one", "a")  # from now on its prompt is to be read ahead
        await post(client, "two", "a")
        gate.set()
        await other
        await turns_under_way(server, 0)
        await scripted.chat.wait_for_prefills(3)
        lane = owner("a").conversation
        read = [[m.content for m in p] for p, where in scripted.chat.prefills if where == lane]
    for contents in read:
        assert contents[-4:] == ["one", "Okay.", "two", "Okay."]


async def test_the_personality_is_read_ahead_after_a_turn_that_came_in_between(
    tmp_path: Path,
) -> None:
    chat = SlowPrefill()
    async with running(settings_for(tmp_path), ScriptedEngines(chat=chat)) as (client, _):
        await chat.wait_for_prefills(1)
        await post(client, "one", "a")
        await chat.wait_for_prefills(3)  # the persona again, and device a's conversation
        chat.gate.set()
    assert [lane for _, lane in chat.prefills].count("shared-prefix") == 2


async def test_a_reaction_is_shown_and_never_spoken(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=spoken("[REACT] giggles"))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        body = (await client.post("/chat/audio", files=AUDIO)).json()
    assert (body["action"], body["response"]) == ("react", "giggles")
    assert scripted.tts.spoken == []


@pytest.mark.parametrize("raw", ["[REACT] giggles", "[REACT]"])
async def test_history_is_the_same_after_a_restart_also_after_a_reaction(
    tmp_path: Path, raw: str
) -> None:
    settings = settings_for(tmp_path)
    first = ScriptedEngines(chat=spoken(raw, "Yes?"))
    async with running(settings, first) as (client, _):
        await client.post("/chat/audio", files=AUDIO, headers={"Device-Id": "a"})
        await post(client, "one", "a")
        await post(client, "two", "a")
    before = prompts(first.chat)[-1]
    second = ScriptedEngines(chat=spoken("Yes?"))
    async with running(settings, second) as (client, server):
        await post(client, "three", "a")
        assert server.memory.stats().messages == 8
    assert prompts(second.chat)[0][: len(before)] == before


async def test_ignored_words_do_not_push_the_conversation_out_at_a_restart(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, conversation={"max_messages": 4, "trim_block": 2})
    answers = spoken("Hello.", "Bye.", "[IGNORE]")
    async with running(settings, ScriptedEngines(chat=answers)) as (client, _):
        await post(client, "one", "a")
        await post(client, "two", "a")
        for _ in range(12):  # a television
            await client.post("/chat/audio", files=AUDIO, headers={"Device-Id": "a"})
    scripted = ScriptedEngines(chat=spoken("Yes?"))
    async with running(settings, scripted) as (client, _):
        await post(client, "three", "a")
    contents = [m.content for m in prompts(scripted.chat)[0]]
    assert contents[-5:] == ["one", "Hello.", "two", "Bye.", "three"]


async def test_a_text_that_does_not_fit_costs_the_conversation_nothing(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=spoken("Okay."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        await post(client, "one", "a")
        refused = await post(client, "\u732b" * 8_000, "a")
        assert refused.json()["error"]["code"] == "text_too_long"
        await post(client, "two", "a")
    assert [m.content for m in prompts(scripted.chat)[-1]][-3:] == ["one", "Okay.", "two"]


async def test_history_that_overflows_the_window_gives_way(tmp_path: Path) -> None:
    """The estimate of its tokens may be too low: a text of digits has one for each."""

    def reply(messages: object, options: ChatOptions) -> Reply:
        if options.lane == BACKGROUND_LANE:
            return "[]"
        contents = [m.content for m in messages]  # type: ignore[attr-defined]  # a sequence
        return ContextOverflowError("chat", "too long") if "one" in contents else "Okay."

    scripted = ScriptedEngines(chat=ScriptedChatModel(reply))
    settings = settings_for(tmp_path, conversation={"max_messages": 4, "trim_block": 2})
    async with running(settings, scripted) as (client, server):
        assert (await post(client, "zero", "a")).status_code == 200
        refused = await post(client, "one", "a")
        assert refused.json()["error"]["code"] == "context_overflow"
        await post(client, "two", "a")
        # The words that fit no window cost the conversation nothing.
        contents = [m.content for m in prompts(scripted.chat)[-1]]
        assert contents[-3:] == ["zero", "Okay.", "two"]

        logged = await server.memory.log_user_message(owner("b"), "one")
        await server.memory.log_reply(owner("b"), logged, "Fine.", extract=True)
        assert (await post(client, "three", "b")).json() == {"response": "Okay."}
        assert "one" not in [m.content for m in prompts(scripted.chat)[-1]]


async def test_a_device_that_hangs_up_frees_its_place(tmp_path: Path) -> None:
    """The first firmware gives up after 30 s and asks again: not behind its own dead turn."""
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(
            lambda messages, _: (
                ["Wait ", asyncio.Event()] if messages[-1].content == "one" else "Yes."
            )
        )
    )
    limits = {"max_concurrent_turns": 1}
    async with running(settings_for(tmp_path, limits=limits), scripted) as (client, server):
        first = post(client, "one", "a")
        await scripted.chat.wait_for_calls(1)
        first.cancel()  # closes the connection
        again = await asyncio.wait_for(post(client, "two", "a"), PATIENCE_S)
        assert again.json() == {"response": "Yes."}
        assert scripted.chat.calls[0].cancelled
        assert server.priority.turns == 0
        stats = server.memory.stats()
    assert stats.messages == 3, "what was said is in the log, answered or not"


async def test_a_turn_that_is_stopped_leaves_no_model_running(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=spoken("One is it. Two is it. Three is it."))
    async with running(settings_for(tmp_path), scripted) as (_, server):
        turn = server.turns.run(owner("a"), SpokenUtterance(RECORDING), voice=True)
        async with aclosing(turn):
            async for event in turn:
                if isinstance(event, Piece):
                    break
        assert scripted.chat.calls[0].cancelled, "as soon as the turn is closed, not later"
        again = server.turns.run(owner("a"), TypedUtterance("Hi"), voice=False)
        async with aclosing(again):
            assert [type(event).__name__ async for event in again][-1] == "Done"


async def test_health_waits_for_no_thread(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (client, _):
        pool = anyio.to_thread.current_default_thread_limiter()
        for _ in range(int(pool.total_tokens)):
            pool.acquire_on_behalf_of_nowait(object())
        answer = await asyncio.wait_for(client.get("/health"), PATIENCE_S)
    assert answer.json()["status"] == "ok"


async def test_words_that_were_not_meant_for_it_enter_no_summary(tmp_path: Path) -> None:
    """Else a television would become what is remembered of the user."""

    def reply(messages: object, options: ChatOptions) -> Reply:
        last = messages[-1].content  # type: ignore[index]  # a sequence
        if options.lane == BACKGROUND_LANE:
            return "[]" if options.json_schema else "The user said hello and Lo-Bug said okay."
        return "[IGNORE]" if "home team" in last else "Okay."

    scripted = ScriptedEngines(
        chat=ScriptedChatModel(reply), stt=ScriptedSpeechToText(["and the home team won"])
    )
    settings = settings_for(tmp_path, memory={"short_term_threshold": 4, "short_term_keep": 0})
    async with running(settings, scripted) as (client, server):
        for _ in range(3):
            await client.post("/chat/audio", files=AUDIO, headers={"Device-Id": "a"})
        await post(client, "hello one", "a")
        await post(client, "hello two", "a")
        while server.memory.stats().summaries == 0:  # noqa: ASYNC110 - memory offers no event
            await asyncio.sleep(0.01)
    asked = [c.prompt for c in scripted.chat.calls if c.options.lane == BACKGROUND_LANE]
    assert not any("home team" in prompt for prompt in asked)
    ((summary,),) = look(settings.database_path, "SELECT content FROM memory_summaries")
    assert "hello two" in summary
    assert "home team" not in summary


async def test_a_memory_that_does_not_close_cleanly_leaves_no_engine_open(tmp_path: Path) -> None:
    class Unclosable(Memory):
        async def close(self) -> None:
            await super().close()
            raise StorageError("the disk is gone")

    scripted = ScriptedEngines()
    settings = settings_for(tmp_path)
    server = with_memory(settings, scripted.engines())
    server.memory = Unclosable(
        settings.memory,
        settings.database_path,
        chat=scripted.chat,
        embedder=scripted.embedder,
        priority=server.priority,
        clock=time.time,
    )
    await server.start()
    await server.close()
    assert scripted.chat.closed
    assert scripted.embedder.closed
