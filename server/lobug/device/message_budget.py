"""How many messages a device may send. Pure."""

from __future__ import annotations

from lobug.settings import Settings


class MessageBudget:
    """A token bucket of one connection's messages.

    It refills with ``streaming.max_messages_per_s``, and with twice the audio frames of real time
    where those are more. It holds a second of that, and behind it as much audio as may wait to be
    listened to (``listening.max_backlog_s``): a Wi-Fi that stalled brings it all at once. More
    audio is too much for the listener before it is too many messages.
    """

    def __init__(self, settings: Settings, frame_s: float, now: float) -> None:
        """``frame_s``: audio in one frame of the device, seconds; ``now`` by any clock, seconds."""
        self._per_s = max(settings.streaming.max_messages_per_s, 2 / frame_s)
        self._most = self._per_s + settings.listening.max_backlog_s / frame_s
        self._left = self._most
        self._at = now

    def spend(self, now: float) -> bool:
        """Count a message; whether it was within the budget."""
        self._left = min(self._most, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
