"""When messages become memory: what falls out of the context is summed up, never lost. Pure.

Four things bring it about, whichever comes first: the user's messages pile up, a conversation fills
the chat model's window, turns have fallen out of working memory, a session is over.

Which background work there is: noted in the transaction that makes it due."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lobug.memory import log, sessions, timeline
from lobug.memory.jobs import queue
from lobug.memory.model import ConversationKey
from lobug.settings import MemorySettings
from lobug.storage.driver import Connection

Trigger = Literal["idle", "tokens", "turns", "messages"]


@dataclass(frozen=True, slots=True)
class Backlog:
    """What no entry of the timeline sums up yet."""

    messages: int = 0
    """Of the conversation."""
    tokens: int = 0
    """Of those, estimated."""
    user_messages: int = 0
    """Of the user, in all conversations."""
    idle_s: float = 0.0
    """How long nothing has been said in the conversation."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on a backlog is too much."""

    messages: int
    tokens: int
    turns: int
    """That have fallen out of working memory; 0: they may."""
    idle_s: float
    keep: int
    """Messages that stay as they are, the newest; none when a session is over."""
    working_memory: int
    """Messages that working memory holds."""


def trigger_of(backlog: Backlog, thresholds: Thresholds) -> Trigger | None:
    """Why the conversation's messages (the user's, for "messages") are to be summed up now; None:
    there is no need yet."""
    if backlog.messages > 0 and backlog.idle_s >= thresholds.idle_s:
        return "idle"
    if backlog.messages > thresholds.keep:
        if backlog.tokens >= thresholds.tokens:
            return "tokens"
        fallen_out = max(backlog.messages - thresholds.working_memory, 0) // 2
        if 0 < thresholds.turns <= fallen_out:
            return "turns"
    if backlog.user_messages > thresholds.keep and backlog.user_messages >= thresholds.messages:
        return "messages"
    return None


def messages_to_keep(trigger: Trigger, thresholds: Thresholds) -> int:
    """How many of the newest messages stay as they are."""
    return 0 if trigger == "idle" else thresholds.keep


def token_threshold(context_tokens: int, share: float, at_most: int) -> int:
    """Tokens from which on a conversation is too long: a share of the model's window, or the
    absolute number where that is less."""
    return max(1, min(int(context_tokens * share), at_most))


RETENTION_EVERY_S = 86_400.0
"""Old things are erased once a day."""

FIRST_RETENTION_S = 3_600.0
"""And for the first time so long after the first start, seconds."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Notes tasks by the settings. Its calls run inside a transaction of their caller's."""

    settings: MemorySettings
    working_memory: int
    """Messages that working memory holds."""
    context_tokens: Callable[[], int]
    """The chat model's window."""

    @property
    def idle_s(self) -> float:
        """A pause of this length ends a session, seconds."""
        return 60.0 * self.settings.session_idle_minutes

    def thresholds(self) -> Thresholds:
        """From when on there is too much that nothing sums up."""
        settings = self.settings
        return Thresholds(
            messages=settings.short_term_threshold,
            tokens=token_threshold(
                self.context_tokens(),
                settings.consolidation_context_share,
                settings.summary_trigger_tokens,
            ),
            turns=settings.consolidation_turn_threshold,
            idle_s=self.idle_s,
            keep=settings.short_term_keep,
            working_memory=self.working_memory,
        )

    def message_logged(
        self, connection: Connection, conversation_key: ConversationKey, session_id: int, now: float
    ) -> int:
        """Something was said in a session: it ends later, and the one before it has ended.
        Returns how many tasks are due by this."""
        begun = queue.schedule_session_end(
            connection, conversation_key.user, session_id, now, now + self.idle_s
        )
        if not begun:
            return 0
        return queue.end_former_sessions(
            connection, conversation_key.user, conversation_key.conversation, session_id, now
        )

    def reply_logged(
        self, connection: Connection, conversation_key: ConversationKey, session_id: int, now: float
    ) -> int:
        """An exchange is over: note what its messages have made due. Returns how many tasks."""
        # What is noted for the user as a whole takes in this conversation too. Looked at first:
        # counting a backlog that is being worked on anyway would cost more with every message.
        if queue.is_noted(connection, "summarize", conversation_key.user):
            return 0
        noted = 0
        if not queue.is_noted(connection, "summarize", conversation_key.user, session_id):
            messages, tokens = log.unsummarized_in(connection, conversation_key)
            thresholds = self.thresholds()
            trigger = trigger_of(Backlog(messages=messages, tokens=tokens), thresholds)
            if trigger is not None:
                up_to = log.last_to_summarize(
                    connection,
                    conversation_key.user,
                    messages_to_keep(trigger, thresholds),
                    conversation=conversation_key.conversation,
                )
                if up_to is not None:
                    noted += queue.add_for_session(
                        connection,
                        "summarize",
                        conversation_key.user,
                        session_id,
                        now,
                        up_to_id=up_to,
                    )
        return noted + self.schedule_summary(connection, conversation_key.user, now)

    def schedule_summary(self, connection: Connection, user: str, now: float) -> int:
        """Note that a user's messages are to be summed up, where there are too many."""
        thresholds = self.thresholds()
        count = log.count_unsummarized(connection, user)
        trigger = trigger_of(Backlog(user_messages=count), thresholds)
        if trigger is None:
            return 0
        up_to = log.last_to_summarize(connection, user, messages_to_keep(trigger, thresholds))
        if up_to is None:
            return 0
        return queue.add_cascade(connection, "summarize", user, up_to, now)

    def schedule_distillation(self, connection: Connection, user: str, now: float) -> int:
        """Note that layer identity is to take in a user's timeline, where it has grown enough."""
        if timeline.count_unincorporated(connection, user) < self.settings.long_term_threshold:
            return 0
        up_to = timeline.last_to_incorporate(connection, user, self.settings.long_term_keep)
        if up_to is None:
            return 0
        return queue.add_cascade(connection, "distill", user, up_to, now)

    def resume(self, connection: Connection, now: float) -> None:
        """At the start: note for everybody what is due; thresholds may have changed since."""
        queue.schedule_retention(connection, now + FIRST_RETENTION_S, now)
        if not self.settings.enabled:
            return
        for session_id, user, last in sessions.never_ended(connection):
            queue.schedule_session_end(
                connection, user, session_id, now, min(last, now) + self.idle_s
            )
        for user in log.users_over(connection, self.settings.short_term_threshold):
            self.schedule_summary(connection, user, now)
        for user in timeline.users_over(connection, self.settings.long_term_threshold):
            self.schedule_distillation(connection, user, now)
