"""One turn of a device's conversation: prepared at a pause, played, interrupted or thrown away."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from lobug.device.speaker import Speaker
from lobug.memory.base import Owner
from lobug.turn.events import Failed, TurnEvent
from lobug.turn.live import Commitment
from lobug.turn.pipeline import Going, TurnRunner
from lobug.turn.timeline import Timeline
from lobug.turn.toolbox import ToolBox
from lobug.turn.utterance import Utterance

log = logging.getLogger(__name__)


class LiveTurn:
    """A turn that runs in a task of its own."""

    def __init__(
        self,
        runner: TurnRunner,
        owner: Owner,
        utterance: Utterance,
        timeline: Timeline,
        speaker: Speaker,
        on_event: Callable[[LiveTurn, TurnEvent], Awaitable[None]],
        on_over: Callable[[LiveTurn], Awaitable[None]],
        tools: ToolBox | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        privileged: bool = False,
    ) -> None:
        """Begins at once, on speculation; ``commit`` makes it count. From then on ``on_event`` gets
        its events, and ``on_over`` is called when it has ended, however it did. ``privileged``: as
        of ``TurnRunner.run``."""
        self.timeline = timeline
        self.speaker = speaker
        self._failed = False
        self._commitment = Commitment()
        self._clock = clock
        self._begun_at = clock()
        going = Going(self._commitment, speaker, tools)
        self._events = runner.run(
            owner, utterance, voice=True, timeline=timeline, going=going, privileged=privileged
        )
        self._on_event = on_event
        self._on_over = on_over
        self.task = asyncio.ensure_future(self._run())

    @property
    def committed(self) -> bool:
        """Whether it counts."""
        return self._commitment.made

    @property
    def failed(self) -> bool:
        """Whether it can count no more: it failed before it did, or gave way to another turn."""
        return self._failed or self._commitment.withdrawn

    @property
    def first_sent_at(self) -> float | None:
        """When its first audio was sent, by the clock."""
        return self.timeline.at("first_audio_sent")

    @property
    def over(self) -> bool:
        """Whether it has ended, its reply stored."""
        return self.task.done()

    def commit(self) -> None:
        """Somebody has really said that."""
        self._commitment.make()

    def interrupt(self, *, flush: bool = True) -> None:
        """Stop its model, its voice and its playing; what was heard of it is stored. ``flush`` as
        of ``Speaker.interrupt``."""
        self.speaker.interrupt(flush=flush)

    async def discard(self) -> float:
        """Throw it away; it leaves no trace. Returns the seconds of work that were lost."""
        wasted = self._clock() - self._begun_at
        self.task.cancel()
        await asyncio.wait([self.task])
        await self.speaker.close()
        return wasted

    async def _run(self) -> None:
        try:
            async with aclosing(self._events) as events:
                async for event in events:
                    if not self.committed and isinstance(event, Failed):
                        self._failed = True
                        return
                    await self._on_event(self, event)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("a device's turn ended unexpectedly")
            self._failed = True
        finally:
            if self.committed:
                await self.speaker.close()
                await self._on_over(self)
