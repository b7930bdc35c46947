"""Working memory: the last messages of one conversation, as the chat model saw them. Pure.

The conversations that are in memory, one for each owner."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lobug.conversation.dialogue import Dialogue
from lobug.conversation.sensors import SensorContext
from lobug.conversation.tool_prompt import NO_TOOLS, ToolPrompt
from lobug.engines.base import ChatMessage
from lobug.memory.model import ConversationKey, LoggedMessage
from lobug.memory.service import Memory
from lobug.settings import Settings


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


IGNORED_REPLY = "[IGNORE]"
"""What the log holds as the reply to words that were not meant for Lo-Bug."""

INTERRUPTED = "[interrupted]"
"""Stands in the log, and in the prompt, behind the words of a reply that were heard before somebody
stopped it; alone where nothing was heard."""

LONGEST_STRETCH = 2_000
"""Messages of the log, about; no more are looked through for the last exchanges."""


@dataclass(slots=True)
class Conversation:
    """One owner's conversation."""

    conversation_key: ConversationKey
    memory: WorkingMemory
    sensors: SensorContext
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Turns of one conversation follow one another."""
    turns: int = 0
    """Turns under way or waiting for it; while there are any it stays here."""
    drafts: list[Callable[[], None]] = field(default_factory=list)
    """Make those of its turns give way that are only prepared."""
    loaded: bool = False
    """Whether working memory has been filled from the log."""
    prefix_changed: bool = True
    """Whether the prompt's beginning differs from what the model has read last."""
    reading_ahead: bool = False
    """Whether the prompt is being read ahead of the next turn, or is about to be."""
    reading_tools: bool = False
    """Whether the prompt with the tools that were offered is being read, or is about to be."""
    base_memory: str = ""
    """Base memory as the last prompt held it."""
    earlier: str = ""
    """What the session was about before the messages of working memory. It changes only when some
    of those are dropped: the prompt's beginning changes then anyway."""
    erasures: int = 0
    """Number of erasures since the server started; a prompt made before the last one may hold
    words that are erased."""
    dialogue: Dialogue = field(default_factory=Dialogue)
    """What was asked and told about memory itself."""
    tools: ToolPrompt = NO_TOOLS
    """What the prompt tells of the device's tools. They stay in it when the device disconnects: it
    will be back, and finds its prompt read."""
    offered: ToolPrompt = NO_TOOLS
    """What the prompt is to tell of them: ``tools``, or what the model has yet to read."""

    @property
    def lane(self) -> str:
        """Under which the model caches a prompt that is made now. Another one after each erasure,
        so that the model never moves what it computed beside erased words into a new prompt."""
        name = self.conversation_key.conversation
        return f"{name}#{self.erasures}" if self.erasures else name

    @property
    def tools_unread(self) -> bool:
        """Whether the prompt does not tell yet of what the device offers."""
        return self.offered.messages != self.tools.messages

    def tell_of_tools(self) -> None:
        """Let the prompt tell of what the device offers, whether the model has read it or not."""
        self.prefix_changed = self.prefix_changed or self.tools_unread
        self.tools = self.offered


class Conversations:
    """Keeps the most recently used conversations; the others are reloaded from the log."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._by_name: OrderedDict[str, Conversation] = OrderedDict()
        self._erasures = 0

    def __len__(self) -> int:
        """Conversations in memory."""
        return len(self._by_name)

    def get(self, conversation_key: ConversationKey) -> Conversation:
        """The owner's conversation, made when it is not here."""
        found = self._by_name.get(conversation_key.conversation)
        if found is None:
            conversation = self._settings.conversation
            found = Conversation(
                conversation_key=conversation_key,
                memory=WorkingMemory(conversation.max_messages, conversation.trim_block),
                sensors=SensorContext(self._settings.sensors),
                erasures=self._erasures,
            )
            self._by_name[conversation_key.conversation] = found
            self._evict()
        self._by_name.move_to_end(conversation_key.conversation)
        return found

    def forget(self, user: str | None) -> None:
        """Drop what is held of a user's words (None: of everybody's), after something was erased:
        all of their conversations are read from the log again. A turn under way may still use
        what it has."""
        self._erasures += 1
        for conversation in self._by_name.values():
            if user in {None, conversation.conversation_key.user}:
                conversation.memory.load(())
                conversation.loaded = False
                conversation.erasures = self._erasures
                conversation.base_memory = conversation.earlier = ""
                conversation.prefix_changed = True
                conversation.dialogue.question = None
                conversation.dialogue.recited = None

    def _evict(self) -> None:
        spare = len(self._by_name) - self._settings.conversation.max_conversations
        idle = [name for name, c in self._by_name.items() if not c.turns]
        # The newest is the caller's own: never that one.
        for name in [n for n in idle if n != next(reversed(self._by_name))][: max(0, spare)]:
            del self._by_name[name]


def is_lane_of(lane: str, user: str | None) -> bool:
    """Whether a prompt cached under ``lane`` may hold words of ``user``; None: of anybody. True
    also for a user whose name begins with the other's and a slash. Pure."""
    return user is None or lane.startswith(f"{user}/")


async def reload(conversation: Conversation, memory: Memory, max_messages: int) -> None:
    """Fill working memory from the conversation log, once. Call with the lock held."""
    if conversation.loaded:
        return
    while True:
        erasures = conversation.erasures
        conversation.earlier = ""
        exchanges = await _last_exchanges(conversation.conversation_key, memory, max_messages)
        conversation.memory.load(exchanges)
        if len(exchanges) > len(conversation.memory) // 2:
            conversation.earlier = await memory.session_summary(conversation.conversation_key)
        if conversation.erasures == erasures:  # else it may hold what was erased meanwhile
            break
    conversation.loaded = True


async def _last_exchanges(
    conversation_key: ConversationKey, memory: Memory, max_messages: int
) -> list[Exchange]:
    limit = 2 * max_messages
    while True:
        logged = await memory.recent_messages(conversation_key, limit)
        exchanges = exchanges_of(logged)
        # A television fills a log with words that are left out: then it takes a longer stretch.
        enough = 2 * len(exchanges) >= max_messages or len(logged) < limit
        if enough or limit >= LONGEST_STRETCH:
            return exchanges
        limit *= 4


def exchanges_of(logged: Sequence[LoggedMessage]) -> list[Exchange]:
    """The answered exchanges of a stretch of log.

    Words that never got a reply (a crash, a failed engine, an interruption before its first word)
    and words that were ignored are left
    out: the model must see user and assistant in turn.
    """
    exchanges = []
    for first, second in pairwise(logged):
        answered = first.role == "user" and second.role == "assistant"
        if answered and second.content not in {IGNORED_REPLY, INTERRUPTED}:
            exchanges.append(
                Exchange(
                    ChatMessage("user", first.content), ChatMessage("assistant", second.content)
                )
            )
    return exchanges
