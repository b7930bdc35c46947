"""Plays the truth scenarios on the product: a server in this process, without doors or voice.

Each scenario has a data folder, a memory and conversations of its own; the chat model and the
embedder are shared. There is no worker: background work runs where the scenario lets it catch up,
so that what has been read when is the same in every run.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from lobug.assembly import with_memory
from lobug.engines.absent import absent_engines
from lobug.engines.base import ChatMessage, ChatModel, ChatOptions, Embedder, EngineStatus
from lobug.evaluation.product import started_embedder, texts_of
from lobug.evaluation.truth import Check, Pace, Say, Scenario, Settle, Step
from lobug.evaluation.truth_judge import (
    Failure,
    Held,
    PlayedScenario,
    Reply,
    Turn,
    judge_held,
    judge_reply,
)
from lobug.memory.model import ConversationKey, Filter, MemoryScope
from lobug.server import LobugServer
from lobug.settings import DatabaseSettings, Settings
from lobug.turn.events import Done, Failed
from lobug.turn.utterance import TypedUtterance

BEGINS = datetime(2026, 3, 4, 10, 0)  # noqa: DTZ001 - local time, as people speak of it
"""When every scenario begins: a Wednesday morning."""

BETWEEN_S = 5.0
"""Time between two utterances, seconds."""

MOST_ENTRIES = 10_000


class StoryClock:
    """Seconds since the epoch in a scenario: real time, moved on by its steps."""

    def __init__(self) -> None:
        self._ahead_s = BEGINS.timestamp() - time.monotonic()

    def __call__(self) -> float:
        return time.monotonic() + self._ahead_s

    def move_on(self, seconds: float) -> None:
        self._ahead_s += seconds


class CountingChat:
    """A chat model that counts how often it is asked for an answer."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner
        self.asked = 0

    @property
    def context_tokens(self) -> int:
        return self._inner.context_tokens

    @property
    def prefill_ms_per_token(self) -> float | None:
        return self._inner.prefill_ms_per_token

    async def start(self) -> None:
        await self._inner.start()

    async def close(self) -> None:
        await self._inner.close()

    def status(self) -> EngineStatus:
        return self._inner.status()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """As the inner model. Raises EngineError."""
        self.asked += 1
        async with aclosing(self._inner.stream(messages, options)) as pieces:
            async for piece in pieces:
                yield piece

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        await self._inner.prefill(messages, lane)

    def forget(self, belongs: Callable[[str], bool]) -> None:
        self._inner.forget(belongs)


class TruthProduct:
    """One server with the people of one scenario."""

    def __init__(
        self, server: LobugServer, chat: CountingChat, clock: StoryClock, folder: Path
    ) -> None:
        self._server = server
        self._chat = chat
        self._clock = clock
        self._folder = folder

    def move_on(self, seconds: float) -> None:
        """Let time pass."""
        self._clock.move_on(seconds)

    async def say(self, who: str, device: str, words: str) -> Reply:
        """Somebody types something at a device."""
        conversation_key = ConversationKey(who, f"{who}/device:{device}")
        asked, text, error = self._chat.asked, "", None
        started = time.perf_counter()
        events = self._server.turns.run(conversation_key, TypedUtterance(words), voice=False)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Done):
                    text = event.response
                elif isinstance(event, Failed):
                    error = event.error.code
        ms = 1_000 * (time.perf_counter() - started)
        return Reply(text, round(ms, 1), self._chat.asked > asked, error)

    async def settle(self) -> None:
        """Do all background work that is due. Raises StorageError."""
        await self._server.memory.process_due()

    async def held(self, who: str, *, files: bool) -> Held:
        """What memory holds of a person; ``files``: with the bytes of the data folder. Raises
        StorageError."""
        memory, scope = self._server.memory, MemoryScope(who, None)
        believed = await memory.entries(scope, Filter(status="believed"), limit=MOST_ENTRIES)
        known = [entry for entry in believed if entry.category == "knowledge"]
        told = [entry.content for entry in believed if entry.category == "timeline"]
        told += [session.summary for session in await memory.sessions(scope) if session.summary]
        return Held(
            active=tuple(entry.content for entry in known if entry.status == "active"),
            past=tuple(entry.content for entry in known if entry.status == "past"),
            summaries=tuple(dict.fromkeys(told)),
            exported="\n".join(texts_of(await memory.export(scope))),
            bytes=_bytes_in(self._folder) if files else b"",
        )


def _bytes_in(folder: Path) -> bytes:
    """All files of a folder in lower case, one after the other, with a zero between them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\0".join(path.read_bytes() for path in files).lower()


@asynccontextmanager
async def opened(
    settings: Settings, chat: ChatModel, embedder: Embedder
) -> AsyncIterator[TruthProduct]:
    """A product with an empty memory in a temporary folder; the engines have been started and stay
    so. Raises StorageError."""
    clock, counting = StoryClock(), CountingChat(chat)
    engines = replace(absent_engines(), chat=counting, embedder=embedder)
    with tempfile.TemporaryDirectory(prefix="lobug-eval-") as name:
        folder = Path(name)
        server = with_memory(_settings(settings, folder), engines, wall=clock)
        await server.memory.start(work=False)
        try:
            await server.agenda.start()
            yield TruthProduct(server, counting, clock, folder)
        finally:
            chat.forget(lambda _lane: True)
            await server.agenda.close()
            await server.memory.close()


def _settings(settings: Settings, folder: Path) -> Settings:
    """The settings for one scenario: with memory, in ``folder`` and nowhere else, for nobody's
    household."""
    memory = settings.memory.model_copy(
        update={
            "enabled": True,
            "db_path": Path(settings.memory.db_path.name),
            "household": {},
            "idle_delay_s": 0.0,
        }
    )
    return settings.model_copy(
        update={"data_dir": folder, "database": DatabaseSettings(), "memory": memory}
    )


async def play(
    scenario: Scenario,
    settings: Settings,
    chat: ChatModel,
    embedder: Embedder,
    *,
    pace: Pace | None = None,
) -> PlayedScenario:
    """Play a scenario. ``pace`` None: its own. Raises StorageError."""
    pace = pace or scenario.pace
    turns: list[Turn] = []
    failures: list[Failure] = []
    async with opened(settings, chat, embedder) as product:
        for number, step in enumerate(scenario.steps, start=1):
            product.move_on(step.after_s or (BETWEEN_S if isinstance(step, Say) else 0.0))
            who = _person(step, scenario)
            match step:
                case Say():
                    if step.if_asked and not _was_asked(who, turns):
                        continue
                    reply = await product.say(who, step.device, step.say)
                    turns.append(Turn(number, who, step.say, reply))
                    failures += judge_reply(number, step, reply)
                    if pace == "settled":
                        await product.settle()
                case Settle():
                    await product.settle()
                case Check():
                    if step.no_bytes:
                        await product.settle()
                    held = await product.held(who, files=bool(step.no_bytes))
                    failures += judge_held(number, step, held)
        people = dict.fromkeys(turn.who for turn in turns)
        held_by = [await product.held(who, files=False) for who in people]
    summaries = tuple(text for held in held_by for text in held.summaries)
    return PlayedScenario(
        scenario.id, scenario.kind, pace, tuple(turns), tuple(failures), summaries
    )


def _was_asked(who: str, turns: Sequence[Turn]) -> bool:
    """Whether the last reply to a person was a question."""
    last = next((turn.reply.text for turn in reversed(turns) if turn.who == who), "")
    return last.rstrip().endswith("?")


def _person(step: Step, scenario: Scenario) -> str:
    who = None if isinstance(step, Settle) else step.who
    return who or scenario.who


async def play_all(
    scenarios: Sequence[Scenario],
    settings: Settings,
    chat: ChatModel,
    embedder: Embedder,
    *,
    pace: Pace | None = None,
    progress: Callable[[], None] = lambda: None,
) -> list[PlayedScenario]:
    """``play`` for all, one after the other. ``progress`` is called after each."""
    outcomes = []
    for scenario in scenarios:
        outcomes.append(await play(scenario, settings, chat, embedder, pace=pace))
        progress()
    return outcomes


@asynccontextmanager
async def started_engines(settings: Settings) -> AsyncIterator[tuple[ChatModel, Embedder]]:
    """The chat model and the embedder that a server with these settings would use, warm. Raises
    EngineError."""
    from lobug.engines.ollama import OllamaProbes  # noqa: PLC0415
    from lobug.engines.selection import choose_chat  # noqa: PLC0415 - inference libraries

    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(started_embedder(settings))
        await embedder.embed(["Hello."])  # what is loaded at first use costs no reply any time
        chat, _ = await choose_chat(settings, OllamaProbes(settings.ollama))
        stack.push_async_callback(chat.close)
        await chat.start()
        yield chat, embedder
