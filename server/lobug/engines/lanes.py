"""Which lane keeps its prompt prefix in which slot of the embedded model. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container

from lobug.engines.base import BACKGROUND_LANE, SHARED_PREFIX_LANE


class LaneMap:
    """Assigns lanes to slots.

    Slots 0 to ``conversation_slots`` - 1 belong to conversations, the least recently used gives
    way; the last slot is the background's and nobody else's.
    """

    def __init__(self, conversation_slots: int) -> None:
        self._slots: OrderedDict[int, str] = OrderedDict.fromkeys(
            range(conversation_slots), SHARED_PREFIX_LANE
        )  # least recently used first
        self.background_slot = conversation_slots

    @property
    def total(self) -> int:
        """Slots altogether."""
        return len(self._slots) + 1

    def unclaimed(self) -> list[int]:
        """Slots that no conversation has used yet: where a shared prefix is of use."""
        return sorted(s for s, lane in self._slots.items() if lane == SHARED_PREFIX_LANE)

    def slots_of(self, belongs: Callable[[str], bool]) -> list[int]:
        """The slots of the conversations' lanes of which ``belongs`` is true."""
        return sorted(
            s for s, lane in self._slots.items() if lane != SHARED_PREFIX_LANE and belongs(lane)
        )

    def release(self, slot: int) -> None:
        """Give a conversation's slot back: it is the first that a new conversation takes."""
        if slot != self.background_slot:
            self._slots[slot] = SHARED_PREFIX_LANE

    def slot_for(self, lane: str, busy: Container[int] = ()) -> int:
        """The slot of ``lane``; a lane without one gets the slot that is missed least.

        A slot nobody has claimed is taken before one in use, and an idle one before one in
        ``busy``, because a request for a busy slot has to wait.
        """
        if lane == BACKGROUND_LANE:
            return self.background_slot
        slot = next((s for s, owner in self._slots.items() if owner == lane), None)
        if slot is None:
            ages = list(self._slots)
            slot = min(
                ages,
                key=lambda s: (s in busy, self._slots[s] != SHARED_PREFIX_LANE, ages.index(s)),
            )
        self._slots[slot] = lane
        self._slots.move_to_end(slot)
        return slot
