"""Plays the deeds corpus on the product: a server in this process, each sentence in a house of its
own.

A spoken sentence is said by the voice of the settings and goes through the speech gate and
speech-to-text, as a recording that a device sends.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select

from lobug.agenda.tables import alerts, list_items, lists, notes
from lobug.assembly import with_memory
from lobug.audio import wav
from lobug.engines.absent import absent_engines
from lobug.engines.base import ChatMessage, ChatOptions, Engines, KeepsConstants
from lobug.evaluation.deeds import Sentence
from lobug.evaluation.deeds_judge import HeldAgenda, HeldAlert, Judgement, Played, judge
from lobug.evaluation.product import NoChat
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.settings import DatabaseSettings, Settings
from lobug.storage.connection import Connection
from lobug.storage.statements import run
from lobug.turn.events import Done, Failed
from lobug.turn.timeline import Timeline
from lobug.turn.utterance import SpokenUtterance, TypedUtterance, Utterance

ZONE = "Europe/London"
BEGINS = datetime(2026, 11, 25, 14, 30, tzinfo=ZoneInfo(ZONE))
"""When every sentence is said: a Wednesday afternoon."""

WHO = ConversationKey("deeds", "deeds/device:desk")

_ALERTS = (
    select(alerts)
    .where(alerts.c.user == bindparam("user"), alerts.c.state != "over")
    .order_by(alerts.c.due_at, alerts.c.id)
)
_ITEMS = (
    select(lists.c.name, list_items.c.content)
    .join(list_items, list_items.c.list_id == lists.c.id, isouter=True)
    .where(lists.c.user == bindparam("user"), list_items.c.done.isnot(True))
    .order_by(lists.c.id, list_items.c.position, list_items.c.id)
)
_NOTES = select(notes.c.content).where(notes.c.user == bindparam("user")).order_by(notes.c.id)


class WordlessChat(NoChat):
    """A chat model that always says the same harmless thing, to measure the rules alone."""

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Choose nothing where a choice is asked for, else say one word."""
        yield "[]" if options.json_schema else "Hm."


async def play(
    sentence: Sentence, settings: Settings, engines: Engines, *, by_voice: bool
) -> Judgement:
    """Say a sentence in an empty house and judge what happened. Raises StorageError, EngineError
    where it cannot be spoken."""
    started = time.monotonic()

    def wall() -> float:
        return BEGINS.timestamp() + time.monotonic() - started

    with tempfile.TemporaryDirectory(prefix="lobug-eval-") as name:
        server = with_memory(_settings(settings, Path(name)), engines, wall=wall)
        await server.memory.start(work=False)
        await server.agenda.start()
        try:
            if isinstance(engines.chat, KeepsConstants):  # as after the start of a server
                await engines.chat.read_constant(server.skills.choice_beginning)
            for earlier in sentence.before:
                await _say(server, TypedUtterance(earlier))
            before = await _held(server)
            utterance = await _utterance(sentence.text, engines, by_voice=by_voice)
            at = datetime.fromtimestamp(wall(), ZoneInfo(ZONE))
            heard, reply, answered_by, ms = await _say(server, utterance)
            return judge(
                Played(
                    sentence,
                    heard,
                    by_voice,
                    reply,
                    answered_by,
                    before,
                    await _held(server),
                    at,
                    round(ms, 1),
                )
            )
        finally:
            engines.chat.forget(lambda _lane: True)
            await server.agenda.close()
            await server.memory.close()


def _settings(settings: Settings, folder: Path) -> Settings:
    memory = settings.memory.model_copy(
        update={"enabled": True, "db_path": Path("memory.db"), "household": {}}
    )
    conversation = settings.conversation.model_copy(update={"time_zone": ZONE})
    return settings.model_copy(
        update={
            "data_dir": folder,
            "database": DatabaseSettings(),
            "memory": memory,
            "conversation": conversation,
        }
    )


async def _utterance(text: str, engines: Engines, *, by_voice: bool) -> Utterance:
    if not by_voice:
        return TypedUtterance(text)
    samples = await engines.tts.synthesize(text)
    return SpokenUtterance(wav.encode(samples, engines.tts.sample_rate))


async def _say(server: LobugServer, utterance: Utterance) -> tuple[str, str, str, float]:
    """What was heard, the reply, what made it, and milliseconds to its end."""
    timeline = Timeline("text")
    heard = reply = ""
    started = time.perf_counter()
    events = server.turns.run(WHO, utterance, voice=False, timeline=timeline)
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Done):
                heard, reply = event.transcription, event.response
            elif isinstance(event, Failed):
                heard, reply = event.transcription, event.error.spoken
    return heard, reply, timeline.answered_by, 1_000 * (time.perf_counter() - started)


async def _held(server: LobugServer) -> HeldAgenda:
    def look(connection: Connection) -> HeldAgenda:
        zone = ZoneInfo(ZONE)
        held_lists: dict[str, list[str]] = {}
        for row in run(connection, _ITEMS, user=WHO.user):
            held_lists.setdefault(row.name, []).extend([row.content] if row.content else [])
        return HeldAgenda(
            tuple(
                HeldAlert(
                    row.id,
                    row.kind,
                    row.label,
                    datetime.fromtimestamp(row.due_at, zone),
                    row.rule,
                )
                for row in run(connection, _ALERTS, user=WHO.user)
            ),
            tuple((name, tuple(items)) for name, items in held_lists.items()),
            tuple(run(connection, _NOTES, user=WHO.user).scalars()),
        )

    return await server.agenda.database.read(look)


async def play_all(
    sentences: Sequence[Sentence],
    settings: Settings,
    engines: Engines,
    *,
    by_voice: Callable[[int], bool] = lambda _number: False,
    progress: Callable[[], None] = lambda: None,
) -> list[Judgement]:
    """``play`` for all, one after the other. ``by_voice``: whether the sentence of this number,
    counted from 0, is spoken. ``progress`` is called after each."""
    judgements = []
    for number, sentence in enumerate(sentences):
        spoken = by_voice(number)
        judgements.append(await play(sentence, settings, engines, by_voice=spoken))
        progress()
    return judgements


@asynccontextmanager
async def started_engines(
    settings: Settings, *, model: bool, voice: bool
) -> AsyncIterator[Engines]:
    """The engines of the settings that the corpus needs, warm. ``model`` False: the rules alone.
    Raises EngineError."""
    from lobug.engines.ollama import OllamaProbes  # noqa: PLC0415 - inference libraries
    from lobug.engines.selection import (  # noqa: PLC0415
        choose_chat,
        choose_embedder,
        choose_stt,
        choose_tts,
    )
    from lobug.engines.silero import SileroGate  # noqa: PLC0415

    probes = OllamaProbes(settings.ollama)
    embedder, _ = await choose_embedder(settings, probes)
    engines = replace(absent_engines(), chat=WordlessChat(), embedder=embedder)
    if model:
        engines.chat, _ = await choose_chat(settings, probes)
    if voice:
        engines.tts, _ = choose_tts(settings)
        engines.stt, _ = choose_stt(settings)
        engines.gate = SileroGate(settings)
    async with AsyncExitStack() as stack:
        ears_and_voice = (engines.tts, engines.stt, engines.gate) if voice else ()
        for engine in (engines.embedder, engines.chat, *ears_and_voice):
            stack.push_async_callback(engine.close)
            await engine.start()
        await engines.embedder.embed(["Hello."])  # what is loaded at first use
        yield engines
