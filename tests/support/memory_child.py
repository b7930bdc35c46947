"""A process that uses memory and dies at a named point: ``memory_child.py DB POINT OCCURRENCE``,
with ``session`` and how after it one that lives through the end of a session.

It prints "ack <id>" for every message that memory has acknowledged, and kills itself with SIGKILL
when the point is reached for the given time. It ends by itself when the point never comes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.language.en.prompts import FACT_RULES, SUMMARY_RULES
from lobug.settings import MemorySettings
from lobug.storage.database import Checkpoint, no_checkpoint
from support.memory_kit import ADA, Kit, model_that_listens
from support.scripted import Reply, ScriptedChatModel

SETTINGS = MemorySettings(
    summaries="generative",
    short_term_threshold=6,
    short_term_keep=2,
    long_term_threshold=2,
    long_term_keep=0,
    duplicate_distance_threshold=0.0,
)

FACTS = {
    "I filmed bees": "The user filmed bees",
    "I filmed goats": "The user filmed goats",
    "I filmed owls": "The user filmed owls",
    "I filmed foxes": "The user filmed foxes",
}
"""What the rules cannot read, and what the chat model extracts from it in the background."""

OXFORD, LEEDS = "The user lives in Oxford", "The user lives in Leeds"
DOG, DEAD = "The user has a dog", "The user's dog has died"
CLAIMS = {
    "I live in Oxford": {OXFORD: "active"},
    "No, I live in Leeds": {OXFORD: "inactive", LEEDS: "active"},
    "I have a dog": {OXFORD: "inactive", LEEDS: "active", DOG: "active"},
    "My dog died": {OXFORD: "inactive", LEEDS: "active", DOG: "past", DEAD: "active"},
}
"""What the rules read in the turn itself: the entries with claims, and their status, after it."""

SAID = [said for both in zip(FACTS, CLAIMS, strict=True) for said in both]


class Dying:
    """The checkpoint that ends the process."""

    def __init__(self, point: str, occurrence: int) -> None:
        self.point = point
        self.left = occurrence

    def __call__(self, name: str) -> None:
        if name == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def acknowledge(what: str) -> None:
    """Tell the parent, at once."""
    sys.stdout.write(f"ack {what}\n")
    sys.stdout.flush()


async def live(path: Path, point: str, occurrence: int) -> None:
    """Eight exchanges, each processed to its end."""
    kit = Kit(path, settings=SETTINGS, checkpoint=Dying(point, occurrence))
    memory = kit.memory()
    await memory.start(work=False)
    for said in SAID:
        message_id = await memory.log_user_message(ADA, said)
        acknowledge(f"{message_id} user {said}")
        reply_id = await memory.log_reply(ADA, message_id, f"Noted: {said}.", extract=True)
        acknowledge(f"{reply_id} assistant Noted: {said}.")
        await memory.process_due()
    await memory.close()


START = 1_700_000_000.0
"""When the session is, seconds since the epoch."""

DAY_S = 86_400.0


@dataclass(frozen=True)
class Way:
    """What happens at the end of the session."""

    unfit: bool = False
    """The model cannot sum it up: the user's sentences are kept."""
    long: bool = False
    """Its summary is too long and has to be condensed."""
    old: bool = False
    """A hundred days pass, and layer identity has taken it in."""

    copied: bool = False
    """It is summed up by rule, without the model."""

    def arguments(self) -> list[str]:
        """For the command line."""
        return ["session", *(name for name, is_so in asdict(self).items() if is_so)]


def session_kit(path: Path, way: Way, checkpoint: Checkpoint = no_checkpoint) -> Kit:
    """A memory that misses a plain statement at first, so that there is a gap to fill."""

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        rules = messages[0].content
        if rules == SUMMARY_RULES and way.unfit:
            return "{}"
        if rules == SUMMARY_RULES and way.long:
            return "Lo-Bug was there with the user " * 45 + "."
        if rules == FACT_RULES and options.temperature == 0.0:
            return "[]"
        return model_that_listens(messages, options)

    settings = MemorySettings(
        summaries="extractive" if way.copied else "generative",
        max_failures_before_degrade=1,
        short_term_threshold=2 if way.old else 30,
        short_term_keep=0 if way.old else 10,
        long_term_threshold=2,
        long_term_keep=0,
        timeline_retention_days=90.0 if way.old else 0.0,
    )
    return Kit(path, ScriptedChatModel(reply), settings=settings, checkpoint=checkpoint)


async def live_a_session(path: Path, point: str, way: Way) -> None:
    """Two exchanges, then a pause, or a hundred days."""
    kit = session_kit(path, way, Dying(point, 1))
    memory = kit.memory()
    await memory.start(work=False)
    for said in ("No, I filmed bees", "Hello there."):
        message_id = await memory.log_user_message(ADA, said)
        await memory.log_reply(ADA, message_id, "Noted.", extract=True)
        await memory.process_due()
    for pause in (700.0, 100 * DAY_S):
        kit.clock.advance(pause)
        await memory.process_due()
    await memory.close()


if __name__ == "__main__":
    database, name, *more = sys.argv[1:]
    if len(more) == 1:
        asyncio.run(live(Path(database), name, int(more[0])))
    else:
        asyncio.run(live_a_session(Path(database), name, Way(**dict.fromkeys(more[2:], True))))
