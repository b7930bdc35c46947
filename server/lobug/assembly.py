"""Assembly of a server from settings: selects the engines and gives them a memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from lobug.engines.base import Engines
from lobug.memory.exchange.snapshot import SNAPSHOT, SnapshotSource
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.server import LobugServer, OllamaWatch
from lobug.settings import Settings
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.places import DatabasePlace


async def assemble(settings: Settings) -> LobugServer:
    """Return a server whose engines are selected by the settings and by what answers now. Nothing
    is loaded yet.

    The engines' modules are imported here (PLC0415), because they import the inference libraries,
    which a host with its own engines does not need.
    """
    from lobug.engines.ollama import OllamaProbes  # noqa: PLC0415
    from lobug.engines.selection import (  # noqa: PLC0415
        choose_chat,
        choose_consolidation,
        choose_embedder,
        choose_stt,
        choose_tts,
    )
    from lobug.engines.silero import SileroGate  # noqa: PLC0415

    probes = OllamaProbes(settings.ollama)
    chat, why_chat = await choose_chat(settings, probes)
    embedder, why_embedder = await choose_embedder(settings, probes)
    stt, why_stt = choose_stt(settings)
    tts, why_tts = choose_tts(settings)
    engines = Engines(
        chat=chat,
        embedder=embedder,
        stt=stt,
        gate=SileroGate(settings),
        tts=tts,
        consolidation=choose_consolidation(settings, probes),
    )
    return with_memory(
        settings,
        engines,
        choices={"chat": why_chat, "embeddings": why_embedder, "stt": why_stt, "tts": why_tts},
        ollama=probes,
    )


def with_memory(
    settings: Settings,
    engines: Engines,
    *,
    choices: Mapping[str, str] | None = None,
    ollama: OllamaWatch | None = None,
    checkpoint: Checkpoint = no_checkpoint,
    wall: Callable[[], float] = time.time,
    place: DatabasePlace | None = None,
) -> LobugServer:
    """Return a server with these engines and the memory that the settings name.

    ``checkpoint`` lets tests end the process between two writes. ``wall`` returns seconds since the
    epoch; ends of sessions, retention and the lifetime of codes are measured with it. ``place``:
    where it keeps everything; None: where the settings say, as long as no other server does.
    """
    priority = TurnPriority(settings.memory.idle_delay_s)
    memory = Memory(
        settings.memory,
        settings.database_path,
        chat=engines.chat,
        consolidation=engines.consolidation,
        embedder=engines.embedder,
        priority=priority,
        clock=wall,
        batch_size=settings.embeddings.batch_size,
        working_memory=settings.conversation.max_messages,
        checkpoint=checkpoint,
        place=place or DatabasePlace.for_server(settings.database),
        snapshot=SnapshotSource(
            settings.data_dir / SNAPSHOT,
            settings.conversation.users,
            settings.memory.legacy_user,
        ),
    )
    return LobugServer(
        settings,
        engines,
        memory,
        priority,
        choices=choices or {},
        ollama=ollama,
        wall=wall,
    )
