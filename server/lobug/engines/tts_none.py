"""No voice: replies are text only."""

from __future__ import annotations

import numpy as np

from lobug.engines.base import EngineStatus, Samples


class NoVoice:
    """TextToSpeech that says nothing, and why."""

    def __init__(self, reason: str, *, wanted: bool) -> None:
        """``wanted``: the owner chose to have no voice, so nothing is degraded."""
        self._reason = reason
        self._wanted = wanted

    @property
    def sample_rate(self) -> int:
        """Hz, of audio that is always empty."""
        return 24_000

    async def start(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    def status(self) -> EngineStatus:
        """Ready, and degraded unless the owner wanted it so."""
        return EngineStatus(
            name="none", model="", ready=True, degraded=not self._wanted, reason=self._reason
        )

    async def synthesize(self, sentence: str) -> Samples:
        """Empty audio."""
        return np.zeros(0, np.float32)
