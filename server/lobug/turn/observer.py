"""What is told of a turn as it runs: its outcome to an observer, its id to the log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from lobug.errors import LobugError
from lobug.turn.events import Done, Failed, Heard, SpeechAudio, TurnEvent
from lobug.turn.timeline import Outcome, Timeline

current_turn: ContextVar[str] = ContextVar("current_turn", default="")
"""The id of the turn that this code runs for; empty outside of a turn."""


class TurnObserver(Protocol):
    """Is told of every turn that has ended, however it ended."""

    def finished(self, timeline: Timeline) -> None:
        """The turn is over: ``timeline.outcome`` is set. Returns at once and never raises."""


class NoObserver:
    """Looks at nothing."""

    def finished(self, timeline: Timeline) -> None:
        """Do nothing."""


@contextmanager
def observe(
    timeline: Timeline, observer: TurnObserver, counts: Callable[[], bool] = lambda: True
) -> Iterator[None]:
    """The life of a turn: its log lines carry its id, and ``observer`` hears how it ended, unless
    it does not count as one: it was prepared on speculation and thrown away.

    Around the body of an async generator. Such a body runs in its consumer's context and may be
    closed in another one, so the variable is put back by value: a token would be refused there.
    """
    before = current_turn.get()
    current_turn.set(timeline.id)
    try:
        yield
    except LobugError as error:
        timeline.end(Outcome.FAILED, error.code)
        raise
    except Exception:
        timeline.end(Outcome.FAILED, LobugError.code)
        raise
    except (asyncio.CancelledError, GeneratorExit):
        timeline.end(Outcome.CANCELLED)
        raise
    finally:
        timeline.end(Outcome.CANCELLED)
        if counts():
            observer.finished(timeline)
        current_turn.set(before)


def record_event(event: TurnEvent, timeline: Timeline) -> None:
    """Take from an event what a timeline keeps of it: counts, outcome, error code."""
    counts = timeline.counts
    match event:
        case Heard():
            counts.heard_characters = len(event.text)
        case SpeechAudio():
            counts.pieces = event.index + 1
        case Failed():
            timeline.end(Outcome.FAILED, event.error.code)
        case Done():
            counts.reply_characters = len(event.response)
            counts.interrupted = event.interrupted
            outcome = Outcome.INTERRUPTED if counts.interrupted else Outcome(event.action.value)
            timeline.end(outcome, event.speech_error)
        case _:
            pass
