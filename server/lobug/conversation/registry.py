"""The conversations that the server holds, each with its working memory, sensors and dialogue.

Working memory is the last messages of a conversation as the chat model saw them. The dialogue is
about what Lo-Bug has asked back, and about recited entries.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from lobug.conversation.prompt import Persona, prefix
from lobug.conversation.sensors import SensorContext
from lobug.conversation.tool_prompt import NO_TOOLS, ToolPrompt
from lobug.engines.base import ChatMessage
from lobug.memory.model import ConversationKey, Entry, Hit, LoggedMessage
from lobug.memory.service import Memory
from lobug.settings import Settings

PATIENCE_S = 120.0
"""Seconds for which a question waits for its answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of Lo-Bug's that the next turn may answer."""

    kind: Literal[
        "forget_everything",
        "forget_these",
        "forget_words",
        "forget_what",
        "what_is_right",
        "go_on",
    ]
    until: float
    """When it expires; seconds of the turns' clock."""
    entries: tuple[Entry, ...] = ()
    """The entries to be forgotten, or those of which one is wrong."""
    sentences: tuple[str, ...] = ()
    """What is still to be recited, or the words to be forgotten."""


@dataclass(frozen=True, slots=True)
class SkillQuestion:
    """A question that a skill has asked back and that the next turn may answer."""

    skill: str
    until: float
    """When it expires; seconds of the turns' clock."""
    data: Mapping[str, object]
    """What the skill needs in order to go on."""


@dataclass(frozen=True, slots=True)
class SkillDeed:
    """What a skill did or told last, so that "the list" or "not that" can mean it."""

    at: float
    """Seconds of the turns' clock."""
    data: Mapping[str, object]
    """What the skill needs in order to understand the next words."""


@dataclass(slots=True)
class Dialogue:
    """What one conversation waits for and has just told."""

    question: Question | None = None
    skill_question: SkillQuestion | None = None
    deeds: Mapping[str, SkillDeed] = field(default_factory=dict)
    """What each skill did last, by its name."""
    spoke_last: str | None = None
    """The skill that answered the last turn; None: none did."""
    recited: tuple[Hit, ...] | None = None
    """The entries that the last turn recited; None: the last turn was an ordinary one."""

    def note_deed(self, skill: str, deed: SkillDeed) -> None:
        """Keep what a skill has done last."""
        self.deeds = {**self.deeds, skill: deed}

    def last_deed(
        self, skill: str, now: float, *, within_s: float = PATIENCE_S
    ) -> SkillDeed | None:
        """What a skill did last; None: nothing, or longer ago."""
        deed = self.deeds.get(skill)
        return deed if deed is not None and now - deed.at <= within_s else None

    def take_question(self, now: float) -> Question | None:
        """Take out the open question; None: there is none, or it has expired at ``now``."""
        question, self.question = self.question, None
        return question if question is not None and now <= question.until else None

    def take_skill_question(self, now: float) -> SkillQuestion | None:
        """Take out the open question of a skill; None: there is none, or it has expired."""
        question, self.skill_question = self.skill_question, None
        return question if question is not None and now <= question.until else None

    def restorer(self) -> Callable[[], None]:
        """A function that restores the present state, after a turn that did not count."""
        question, recited = self.question, self.recited
        skill_question, deeds = self.skill_question, self.deeds
        spoke_last = self.spoke_last

        def restore() -> None:
            self.question, self.recited = question, recited
            self.skill_question, self.deeds = skill_question, deeds
            self.spoke_last = spoke_last

        return restore


@dataclass(frozen=True, slots=True)
class Exchange:
    """The user's words, as they were sent to the model, and the reply."""

    user: ChatMessage
    assistant: ChatMessage
    recalled: frozenset[str] = frozenset()
    """References of the memories in the user's message; they need not be sent again while the
    exchange is in working memory."""


class WorkingMemory:
    """The last messages of one conversation: at most ``max_messages``, the oldest dropped in blocks
    of ``trim_block``. Pure.

    Messages are kept exactly as they were sent, injected context included. Between two drops the
    prompt grows only at its end, so the model's prefix cache holds from turn to turn.
    """

    def __init__(self, max_messages: int, trim_block: int) -> None:
        self._max_exchanges = max(1, max_messages // 2)
        self._block = min(max(1, trim_block // 2), self._max_exchanges)
        self._exchanges: deque[Exchange] = deque(maxlen=self._max_exchanges)

    def __len__(self) -> int:
        """Number of messages held."""
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
        """All exchanges, oldest first; ``load`` restores them."""
        return tuple(self._exchanges)

    def drop_block(self) -> None:
        """Drop the oldest block, or fewer messages if there are fewer."""
        for _ in range(min(self._block, len(self._exchanges))):
            self._exchanges.popleft()

    def visible(self) -> frozenset[str]:
        """References of the memories that the held messages carry."""
        return frozenset().union(*(e.recalled for e in self._exchanges))


IGNORED_REPLY = "[IGNORE]"
"""The reply in the log to words that were not meant for Lo-Bug."""

INTERRUPTED = "[interrupted]"
"""Mark in log and prompt after the words of an interrupted reply that were heard; alone if none
were."""

LONGEST_STRETCH = 2_000
"""Most messages of the log, about, that are searched for the last exchanges."""


@dataclass(slots=True)
class Conversation:
    """The state of one conversation."""

    conversation_key: ConversationKey
    memory: WorkingMemory
    sensors: SensorContext
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by a turn: turns of one conversation run one after the other."""
    turns: int = 0
    """Number of its turns that run or wait; while there are any it is not evicted."""
    drafts: list[Callable[[], None]] = field(default_factory=list)
    """Functions that withdraw those of its turns that do not count yet."""
    loaded: bool = False
    """Whether working memory has been filled from the log."""
    prefix_changed: bool = True
    """Whether the prompt's beginning differs from what the model read last."""
    prefetching: bool = False
    """Whether the model is reading the prompt ahead of the next turn, or is about to."""
    prefetching_tools: bool = False
    """Whether the model is reading the prompt with the offered tools, or is about to."""
    base_memory: str = ""
    """The base memory of the last prompt."""
    task: str = ""
    """Title and working state of the task that it is about, as of the last prompt."""
    earlier: str = ""
    """Summary of the session before the messages of working memory. It changes only when some of
    those are dropped, because the prompt's beginning changes then anyway."""
    erasures: int = 0
    """Number of erasures since the server started. A prompt made before the last one may hold
    erased words."""
    dialogue: Dialogue = field(default_factory=Dialogue)
    """The dialogue about memory."""
    tools: ToolPrompt = NO_TOOLS
    """The device's tools in the prompt. They stay when the device disconnects, so that the prompt
    is in the model's cache when it comes back."""
    offered: ToolPrompt = NO_TOOLS
    """The device's tools as they were listed last; they become ``tools`` once the model has read
    them."""

    @property
    def lane(self) -> str:
        """The model's cache for a prompt that is made now. It changes with each erasure, so that
        the model never reuses what it computed next to erased words."""
        name = self.conversation_key.conversation
        return f"{name}#{self.erasures}" if self.erasures else name

    def prefix(
        self,
        persona: Persona,
        tools: ToolPrompt | None = None,
        *,
        turn: Sequence[ChatMessage] = (),
        remembering: bool = True,
    ) -> list[ChatMessage]:
        """The prompt as of now, up to the user's words or with the messages of a turn. ``tools``
        None: those of the prompt; ``remembering`` False: without base memory and task."""
        return prefix(
            persona,
            self.base_memory if remembering else "",
            self.memory.messages(),
            task=self.task if remembering else "",
            earlier=self.earlier,
            tools=(self.tools if tools is None else tools).messages,
            turn=turn,
        )

    @property
    def tools_unread(self) -> bool:
        """Whether the prompt lacks the tools that were offered last."""
        return self.offered.messages != self.tools.messages

    def include_tools(self) -> None:
        """Put the offered tools into the prompt, whether the model has read them or not."""
        self.prefix_changed = self.prefix_changed or self.tools_unread
        self.tools = self.offered


class Conversations:
    """Keeps the most recently used conversations; the others are reloaded from the log."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._by_name: OrderedDict[str, Conversation] = OrderedDict()
        self._erasures = 0

    def __len__(self) -> int:
        """Number of conversations held."""
        return len(self._by_name)

    def get(self, conversation_key: ConversationKey) -> Conversation:
        """The conversation of a key; created if it is not held."""
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

    def prefixes_changed(self) -> None:
        """The personality has changed, with which all prompts begin."""
        for conversation in self._by_name.values():
            conversation.prefix_changed = True

    def withdraw_drafts(self, user: str) -> None:
        """Withdraw the turns of a user that do not count yet."""
        for conversation in self._by_name.values():
            if conversation.conversation_key.user == user:
                for withdraw in conversation.drafts:
                    withdraw()
                conversation.drafts.clear()

    def forget(self, user: str | None) -> None:
        """Drop the words of a user (None: of all users) after an erasure; their conversations are
        read from the log again. A running turn may still use what it has read."""
        self._erasures += 1
        for conversation in self._by_name.values():
            if user in {None, conversation.conversation_key.user}:
                conversation.memory.load(())
                conversation.loaded = False
                conversation.erasures = self._erasures
                conversation.base_memory = conversation.task = conversation.earlier = ""
                conversation.prefix_changed = True
                conversation.dialogue.question = None
                conversation.dialogue.skill_question = None
                conversation.dialogue.deeds = {}
                conversation.dialogue.spoke_last = None
                conversation.dialogue.recited = None

    def _evict(self) -> None:
        spare = len(self._by_name) - self._settings.conversation.max_conversations
        idle = [name for name, c in self._by_name.items() if not c.turns]
        # The newest one is the caller's own and stays.
        for name in [n for n in idle if n != next(reversed(self._by_name))][: max(0, spare)]:
            del self._by_name[name]


def is_lane_of(lane: str, user: str | None) -> bool:
    """Whether a prompt cached under ``lane`` may hold words of ``user`` (None: of any user). Also
    True for a user whose name begins with ``user`` and a slash. Pure."""
    return user is None or lane.startswith(f"{user}/")


async def load_working_memory(
    conversation: Conversation, memory: Memory, max_messages: int
) -> None:
    """Fill working memory from the conversation log unless it is loaded. Call with the lock
    held."""
    if conversation.loaded:
        return
    while True:
        erasures = conversation.erasures
        conversation.earlier = ""
        exchanges = await _last_exchanges(conversation.conversation_key, memory, max_messages)
        conversation.memory.load(exchanges)
        if len(exchanges) > len(conversation.memory) // 2:
            conversation.earlier = await memory.session_summary(conversation.conversation_key)
        if conversation.erasures == erasures:  # else it may hold words that were erased meanwhile
            break
    conversation.loaded = True


async def _last_exchanges(
    conversation_key: ConversationKey, memory: Memory, max_messages: int
) -> list[Exchange]:
    limit = 2 * max_messages
    while True:
        logged = await memory.recent_messages(conversation_key, limit)
        exchanges = exchanges_of(logged)
        # Words that are left out (a television) may fill the log: then more of it is read.
        enough = 2 * len(exchanges) >= max_messages or len(logged) < limit
        if enough or limit >= LONGEST_STRETCH:
            return exchanges
        limit *= 4


def exchanges_of(logged: Sequence[LoggedMessage]) -> list[Exchange]:
    """The answered exchanges among messages of the log.

    Words without a reply (a crash, a failed engine, an interruption before its first word) and
    ignored words are left out, because the model must see user and assistant in turn.
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


def conversation_of(
    caller: str,
    users: Mapping[str, str],
    *,
    user: str | None = None,
    conversation: str | None = None,
) -> ConversationKey:
    """The user and conversation of a caller.

    Every caller has its own conversation unless its token names one. Only long-term memory is
    shared, and only between callers of the same user.

    Args:
        caller: its key.
        users: names of users by caller's key, from the settings.
        user: the user that the token names; None: the one of ``users``, else the caller itself.
        conversation: the conversation that the token names; None: the caller's own.
    """
    if user is None:
        by_caller = {key.lower(): name for key, name in users.items()}
        user = by_caller.get(caller.lower(), caller)
    return ConversationKey(user=user, conversation=f"{user}/{conversation or caller}")
