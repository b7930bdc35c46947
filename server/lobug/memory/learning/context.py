"""What background tasks that ask the chat model work with."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.engines.base import ChatModel
from lobug.memory.jobs import Task
from lobug.memory.learning.summarizer import Summarizer
from lobug.memory.schedule import Scheduler
from lobug.storage.database import Checkpoint, Database


@dataclass(frozen=True, slots=True)
class LearningContext:
    """A task that asks the chat model, with what it needs."""

    database: Database
    chat: ChatModel
    summarizer: Summarizer
    scheduler: Scheduler
    task: Task
    now: float
    """When the task began, seconds since the epoch."""
    checkpoint: Checkpoint
