"""Home Assistant as turns see it: asked within a deadline, never while it is known to be down.

What it has answered late is dropped: an order is waited for long and never given to anybody else,
and what may be given to the chat model orders nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.house.circuit import Circuit
from lobug.house.client import HomeAnswer, HomeClient, HomeError
from lobug.house.registry import read_names
from lobug.language import language_of
from lobug.language.house import NO_NAMES, ForHouse, HouseNames, name_words
from lobug.settings.home import HomeSettings

MOST_CONVERSATIONS = 256
"""Conversations whose id at Home Assistant is kept."""
ASKS_BACK_S = 30.0
"""How long the answer to a question of Home Assistant's is waited for, seconds."""
CHECK_TIMEOUT_S = 5.0
CLOSE_TIMEOUT_S = 2.0

HouseOutcome = Literal["answered", "failed", "unknown_name", "not_understood", "unclear", "down"]
"""failed: it understood and could not do it; unknown_name: it knows nothing by a name in it, and
reads many a question of talk so ("what should I cook in the kitchen?"); unclear: the words were
sent, and whether anything was done is not known; down: it was not asked."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HouseVerdict:
    """What became of a sentence."""

    outcome: HouseOutcome
    speech: str = ""
    """What Home Assistant says, of answered, failed and unknown_name; may be empty."""


@dataclass(frozen=True, slots=True)
class HouseState:
    """What is known of Home Assistant, for the owner."""

    connected: bool
    fault: str
    """Why it is not asked now, a sentence; empty: it is."""
    names: int
    """Names of rooms and things that are known."""


@dataclass(slots=True)
class _Talk:
    """One conversation at Home Assistant."""

    id: str | None = None
    asks_back_until: float = 0.0
    """Seconds of the clock; the words before that answer its question."""


class House:
    """One Home Assistant. ``start`` begins to watch it."""

    def __init__(
        self,
        settings: HomeSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        learned_names: Callable[[Sequence[str]], None] = lambda _: None,
    ) -> None:
        """``learned_names`` is told the names whenever they have changed."""
        self._settings = settings
        self._client = HomeClient(settings)
        self._clock = clock
        self._sleep = sleep
        self._learned_names = learned_names
        self._circuit = Circuit()
        self._why = ""
        self._names = NO_NAMES
        self._own = frozenset(tuple(name_words(one)) for one in settings.sentences)
        self._talks: OrderedDict[str, _Talk] = OrderedDict()
        self._told: OrderedDict[str, None] = OrderedDict()
        """Conversations that know of the present outage."""
        self._asking: set[asyncio.Task[tuple[HouseVerdict, HomeAnswer | None]]] = set()
        self._changed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None

    @property
    def settings(self) -> HomeSettings:
        """As they were at the start."""
        return self._settings

    @property
    def is_up(self) -> bool:
        """Whether it is asked now."""
        return self._circuit.is_closed

    def start(self) -> None:
        """Begin to watch it and to read its names, in the background."""
        self._watching = asyncio.create_task(self._watch(), name="Home Assistant")

    async def close(self) -> None:
        """Stop; what was asked a moment ago may still end."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        if self._asking:
            await asyncio.wait(tuple(self._asking), timeout=CLOSE_TIMEOUT_S)
            for task in tuple(self._asking):
                task.cancel()
        await self._client.close()

    def state(self) -> HouseState:
        """What is known of it. Does no I/O."""
        fault = "" if self.is_up else f"Home Assistant is not asked: {self._why}"
        return HouseState(self.is_up, fault, len(self._names.names))

    def request_in(self, conversation: str, text: str, language: str | None) -> ForHouse | None:
        """What a text asks of the house; None: it is not meant for it. Takes up to a tenth of a
        second and changes nothing: call it in a thread."""
        words = tuple(name_words(text))
        talk = self._talks.get(conversation)
        if words in self._own or (talk is not None and self._clock() < talk.asks_back_until):
            return ForHouse("surely", text.strip())
        return language_of(language or "en").for_house(text, self._names)

    async def ask(
        self, conversation: str, request: str, language: str | None, *, within_s: float
    ) -> HouseVerdict:
        """Let Home Assistant carry a sentence out; ``within_s``: longest wait, seconds. Never
        raises, and never waits while it is down.

        A request whose answer is late goes on; what comes of it only tells whether it is up.
        """
        if not self.is_up:
            return HouseVerdict("down")
        talk = self._talk(conversation)
        talk.asks_back_until = 0.0
        task = asyncio.ensure_future(self._carry_out(talk.id, request, language or "en"))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        done, _ = await asyncio.wait({task}, timeout=within_s)
        if not done:
            return HouseVerdict("unclear")
        verdict, answer = task.result()
        if answer is not None:
            talk.id = answer.conversation_id
            if answer.continue_conversation:
                talk.asks_back_until = self._clock() + ASKS_BACK_S
        return verdict

    def tell_outage(self, conversation: str) -> bool:
        """Whether a conversation does not know yet that it is down; it does from now on."""
        told = conversation in self._told
        self._told[conversation] = None
        while len(self._told) > MOST_CONVERSATIONS:
            self._told.popitem(last=False)
        return not told

    def forget(self, user: str | None) -> None:
        """Begin new conversations at Home Assistant, for a user (None: for all), whose words were
        erased."""
        for name in list(self._talks):
            if user is None or name.startswith(f"{user}/"):
                del self._talks[name]

    async def _carry_out(
        self, conversation_id: str | None, request: str, language: str
    ) -> tuple[HouseVerdict, HomeAnswer | None]:
        try:
            answer = await self._client.ask(
                request, language, conversation_id, timeout_s=self._settings.order_timeout_s
            )
        except HomeError as error:
            self._failed(error)
            return HouseVerdict("unclear" if error.sent else "down"), None
        self._answered()
        if not answer.understood:
            return HouseVerdict("not_understood"), answer
        if answer.names_unknown:
            return HouseVerdict("unknown_name", answer.speech), answer
        return HouseVerdict("failed" if answer.failed else "answered", answer.speech), answer

    def _talk(self, conversation: str) -> _Talk:
        talk = self._talks.setdefault(conversation, _Talk())
        self._talks.move_to_end(conversation)
        while len(self._talks) > MOST_CONVERSATIONS:
            self._talks.popitem(last=False)
        return talk

    def _failed(self, error: HomeError) -> None:
        if self.is_up:
            log.warning("Home Assistant is not asked any more: %s: %s", error.fault, error)
        self._circuit = self._circuit.failed(error.fault, self._clock())
        self._why = str(error)
        self._changed.set()

    def _answered(self) -> None:
        self._told.clear()
        self._become_up(self._circuit.answered())

    def _probed(self) -> None:
        if self.is_up:
            self._told.clear()
        self._become_up(self._circuit.probed())

    def _become_up(self, circuit: Circuit) -> None:
        if not self.is_up:
            log.info("Home Assistant answers again")
        self._circuit = circuit

    async def _watch(self) -> None:
        """Probe it while it is down, and read its names now and then."""
        while True:
            await self._refresh()
            await self._pause()

    async def _pause(self) -> None:
        """Wait until it has to be probed or its names have to be read again, which changes when a
        turn finds that it is down."""
        while True:
            self._changed.clear()
            seconds = self._circuit.wait_s(self._clock(), self._settings.refresh_s)
            waits = {
                asyncio.ensure_future(self._sleep(seconds)),
                asyncio.ensure_future(self._changed.wait()),
            }
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
            if not self._changed.is_set():
                return

    async def _refresh(self) -> None:
        try:
            await self._client.check(CHECK_TIMEOUT_S)
        except HomeError as error:
            self._failed(error)
            return
        self._probed()
        try:
            found = await read_names(self._settings)
        except HomeError as error:
            log.info("Home Assistant: %s", error)
            return
        most = self._settings.max_names
        names = await asyncio.to_thread(HouseNames.of, found, most=most)
        if names != self._names:
            self._names = names
            log.info("Home Assistant has %d names of rooms and things", len(names.names))
            self._learned_names(names.names)
