"""Which slot of the embedded chat model a lane uses, and what the slots hold. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

from lobug.engines.base import BACKGROUND_LANE, SHARED_PREFIX_LANE, ChatMessage


class LaneMap:
    """Assigns lanes to slots. Pure.

    Slots 0 to ``conversation_slots`` - 1 are for conversations, of which the least recently used
    loses its slot to a new one; the last slot is for the background lane only.
    """

    def __init__(self, conversation_slots: int) -> None:
        self._slots: OrderedDict[int, str] = OrderedDict.fromkeys(
            range(conversation_slots), SHARED_PREFIX_LANE
        )  # least recently used first
        self.background_slot = conversation_slots

    @property
    def total(self) -> int:
        """Number of slots, the background's included."""
        return len(self._slots) + 1

    def unclaimed(self) -> list[int]:
        """Return the slots that no conversation has used yet, so that a shared prefix is useful."""
        return sorted(s for s, lane in self._slots.items() if lane == SHARED_PREFIX_LANE)

    def slots_of(self, belongs: Callable[[str], bool]) -> list[int]:
        """Return the slots of the conversations' lanes for which ``belongs`` is true."""
        return sorted(
            s for s, lane in self._slots.items() if lane != SHARED_PREFIX_LANE and belongs(lane)
        )

    def release(self, slot: int) -> None:
        """Free a conversation's slot."""
        if slot != self.background_slot:
            self._slots[slot] = SHARED_PREFIX_LANE

    def slot_for(self, lane: str, busy: Container[int] = ()) -> int:
        """Return the slot of ``lane``, which takes one over if it has none.

        It takes an idle slot before one in ``busy``, because a request for a busy slot has to
        wait; then one that no conversation has used; then the least recently used.
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


@dataclass(frozen=True, slots=True)
class SlotContent:
    """What a slot's cache holds."""

    lane: str = ""
    """Of its last request; empty: it had none, or it was cleared."""
    impersonal: Sequence[ChatMessage] = ()
    """The beginning of its prompt that is the same for all users. Of a request that was cancelled
    not all of it may be there."""
    computed: int = 0
    """How many messages of that beginning are certainly there."""
    fresh: bool = True
    """Whether the slot has computed nothing but that beginning since it was empty."""

    def during(
        self, lane: str, messages: Sequence[ChatMessage], shared: Sequence[ChatMessage]
    ) -> SlotContent:
        """Return the content while it computes ``messages``, and after that was cancelled."""
        impersonal = shared_beginning(shared, messages)
        known = min(self.computed, len(impersonal))
        same = tuple(self.impersonal[:known]) == tuple(impersonal[:known])
        return SlotContent(
            lane,
            impersonal,
            known if same else 0,
            self.may_become(impersonal) and tuple(messages) == tuple(impersonal),
        )

    def holds(self, beginning: Sequence[ChatMessage]) -> bool:
        """Whether all of a beginning is certainly there."""
        there = tuple(self.impersonal[: self.computed])
        return there[: len(beginning)] == tuple(beginning)

    def may_become(self, beginning: Sequence[ChatMessage]) -> bool:
        """Whether the slot has computed nothing but a part of ``beginning`` since it was empty."""
        begun = tuple(self.impersonal)
        return self.fresh and begun == tuple(beginning[: len(begun)])

    def after(self) -> SlotContent:
        """Return the content once the last prompt was computed to its end."""
        return replace(self, computed=len(self.impersonal))


EMPTY_SLOT = SlotContent()

UNKNOWN_SLOT = SlotContent(fresh=False)
"""After something failed."""


def shared_beginning(
    shared: Sequence[ChatMessage], messages: Sequence[ChatMessage]
) -> Sequence[ChatMessage]:
    """Return the part of ``shared`` with which ``messages`` begins. Pure.

    That is all of it, its first message (the first of ``messages`` may be longer), or nothing.
    """
    if not shared or not messages:
        return ()
    if tuple(messages[: len(shared)]) == tuple(shared):
        return shared
    first, other = shared[0], messages[0]
    same = first.role == other.role and other.content.startswith(first.content)
    return shared[:1] if same else ()
