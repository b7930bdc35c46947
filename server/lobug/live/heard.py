"""The last utterances and what became of them: words, so they are kept in main memory only.

They are never logged, and gone when anything of their person is erased.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

from lobug.memory.model import ConversationKey
from lobug.turn.timeline import Outcome, Timeline

MAX_CHARS = 2_000
"""Characters kept of an utterance."""


@dataclass(frozen=True, slots=True)
class HeardUtterance:
    """An utterance, typed or spoken, and what became of it."""

    at: float
    """When it was heard, seconds since the epoch."""
    user: str
    device: str
    """``Device-Id`` of the device, in lower case; empty: there is none."""
    door: str
    """The door that it came through: text, audio, device, openai."""
    text: str
    """Its words; empty where there were none, or where they have been erased."""
    outcome: Outcome | None = None
    """None while the turn goes on."""
    reason: str | None = None
    """Stable code: why it was ignored, or what failed."""


class HeardLog:
    """Keeps the last ``keep`` utterances of all people, in main memory only."""

    def __init__(
        self,
        keep: int,
        wall: Callable[[], float],
        told: Callable[[HeardUtterance], None] = lambda _: None,
    ) -> None:
        """``wall``: seconds since the epoch. ``told`` is called with each utterance whose outcome
        is known, also where none are kept."""
        self._keep = keep
        self._wall = wall
        self._told = told
        self._numbers = count()
        self._utterances: OrderedDict[int, HeardUtterance] = OrderedDict()
        self._turns: dict[str, tuple[int, HeardUtterance]] = {}
        """The utterances of turns under way, by the turn's id."""

    def newest(self, limit: int, user: str | None = None) -> list[HeardUtterance]:
        """At most ``limit`` utterances of a user, or of all (None), the newest first."""
        found: list[HeardUtterance] = []
        for utterance in reversed(self._utterances.values()):
            if len(found) < limit and user in {None, utterance.user}:
                found.append(utterance)
        return found

    def heard(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """The words of a turn are known; empty: there were none. ``finished`` follows."""
        utterance = HeardUtterance(
            self._wall(),
            conversation_key.user,
            timeline.device,
            timeline.door,
            text[:MAX_CHARS],
        )
        self._turns[timeline.id] = (next(self._numbers), utterance)

    def finished(self, timeline: Timeline) -> None:
        """A turn is over. Nothing happens if its words never became known."""
        number, utterance = self._turns.pop(timeline.id, (0, None))
        if utterance is not None:
            ended = replace(
                utterance, outcome=timeline.outcome, reason=timeline.reason or timeline.error
            )
            self._add(number, ended)

    def ignored(
        self,
        conversation_key: ConversationKey,
        *,
        device: str,
        reason: str,
        text: str = "",
        failed: bool = False,
    ) -> None:
        """Note sound from a device for which no turn was run. ``reason``: a stable code."""
        outcome = Outcome.FAILED if failed else Outcome.IGNORE
        utterance = HeardUtterance(
            self._wall(),
            conversation_key.user,
            device,
            "device",
            text[:MAX_CHARS],
            outcome,
            reason,
        )
        self._add(next(self._numbers), utterance)

    def forget(self, user: str | None) -> None:
        """Drop all that was heard of a user, or of everybody (None). Turns under way lose their
        words."""
        self._utterances = OrderedDict(
            (number, one)
            for number, one in self._utterances.items()
            if user not in {None, one.user}
        )
        self._turns = {
            turn: (number, replace(one, text="") if user in {None, one.user} else one)
            for turn, (number, one) in self._turns.items()
        }

    def _add(self, number: int, utterance: HeardUtterance) -> None:
        self._utterances[number] = utterance
        while len(self._utterances) > self._keep:
            self._utterances.popitem(last=False)
        self._told(utterance)
