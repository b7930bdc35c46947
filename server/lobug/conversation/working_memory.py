"""Working memory: the last messages of one conversation, as the chat model saw them. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lobug.engines.base import ChatMessage


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said, as it was sent to the model, and the reply."""

    user: ChatMessage
    assistant: ChatMessage
    recalled: frozenset[str] = frozenset()
    """References of the memories that the user's message carries; they need not be sent again
    while it is here."""


class WorkingMemory:
    """At most ``max_messages`` messages, oldest dropped in blocks of ``trim_block``.

    Messages are kept exactly as they were sent, injected context included, and dropped in blocks:
    the prompt then grows only at its end, so the model's prefix cache holds from turn to turn.
    """

    def __init__(self, max_messages: int, trim_block: int) -> None:
        self._max_exchanges = max(1, max_messages // 2)
        self._block = min(max(1, trim_block // 2), self._max_exchanges)
        self._exchanges: deque[Exchange] = deque(maxlen=self._max_exchanges)

    def __len__(self) -> int:
        """Messages held."""
        return 2 * len(self._exchanges)

    def add(self, exchange: Exchange) -> bool:
        """Append an exchange. Returns whether a block was dropped to make room."""
        trimmed = len(self._exchanges) >= self._max_exchanges
        if trimmed:
            for _ in range(self._block):
                self._exchanges.popleft()
        self._exchanges.append(exchange)
        return trimmed

    def load(self, exchanges: Iterable[Exchange]) -> None:
        """Replace everything by the last of ``exchanges``."""
        self._exchanges.clear()
        self._exchanges.extend(exchanges)

    def messages(self) -> Sequence[ChatMessage]:
        """All messages, oldest first, user and assistant in turn."""
        return [m for e in self._exchanges for m in (e.user, e.assistant)]

    def exchanges(self) -> Sequence[Exchange]:
        """Everything, oldest first; ``load`` takes it back."""
        return tuple(self._exchanges)

    def drop_block(self) -> None:
        """Drop the oldest block, or what there is of it."""
        for _ in range(min(self._block, len(self._exchanges))):
            self._exchanges.popleft()

    def visible(self) -> frozenset[str]:
        """References of the memories that the messages held already carry."""
        return frozenset().union(*(e.recalled for e in self._exchanges))
