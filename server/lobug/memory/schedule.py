"""Decides which background tasks are due and adds them in the transaction that makes them due.

Messages that fall out of the context are summarized, never lost. Four things trigger a summary,
whichever comes first: the user's messages pile up, a conversation fills the chat model's window,
turns have fallen out of working memory, a session is over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lobug.memory import jobs, log, sessions, timeline
from lobug.memory.model import ConversationKey
from lobug.settings import MemorySettings
from lobug.storage.connection import Connection

Trigger = Literal["idle", "tokens", "turns", "messages"]


@dataclass(frozen=True, slots=True)
class Backlog:
    """Messages that no timeline entry covers yet."""

    messages: int = 0
    """Messages of the conversation."""
    tokens: int = 0
    """Their tokens, estimated."""
    user_messages: int = 0
    """Messages of the user in all conversations."""
    idle_s: float = 0.0
    """Time since the last message of the conversation, seconds."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits from which a backlog is summarized."""

    messages: int
    tokens: int
    turns: int
    """Turns that may fall out of working memory; 0: any number."""
    idle_s: float
    keep: int
    """Newest messages that are not summarized; none are kept when a session is over."""
    working_memory: int
    """Messages that working memory holds."""


def trigger_of(backlog: Backlog, thresholds: Thresholds) -> Trigger | None:
    """The reason to summarize the conversation's messages (for "messages": the user's) now;
    None: there is none yet."""
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
    """How many of the newest messages are not summarized."""
    return 0 if trigger == "idle" else thresholds.keep


def token_threshold(context_tokens: int, share: float, at_most: int) -> int:
    """Length of a conversation in tokens from which it is summarized: a share of the model's
    window, at most ``at_most``."""
    return max(1, min(int(context_tokens * share), at_most))


HOUR_S = 3_600.0

FIRST_RETENTION_S = 3_600.0
"""Time from the first start to the first retention, seconds."""


@dataclass(slots=True)
class Scheduler:
    """Adds tasks according to the settings. Its methods run inside their caller's transaction."""

    settings: MemorySettings
    """Replaced as a whole when they change. Work reads them once."""
    working_memory: int
    """Messages that working memory holds."""
    context_tokens: Callable[[], int]
    """Returns the size of the chat model's window."""

    @property
    def idle_s(self) -> float:
        """A pause of this length ends a session, seconds."""
        return 60.0 * self.settings.session_idle_minutes

    @property
    def retention_every_s(self) -> float:
        """Time from one retention to the next, seconds."""
        return HOUR_S * self.settings.cleanup_interval_hours

    def thresholds(self) -> Thresholds:
        """The thresholds of the settings and the present model."""
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
        """Schedule the end of a session after a message, and end the sessions before it. Returns
        the number of new tasks."""
        begun = jobs.schedule_session_end(
            connection, conversation_key.user, session_id, now, now + self.idle_s
        )
        if not begun:
            return 0
        return jobs.end_former_sessions(
            connection, conversation_key.user, conversation_key.conversation, session_id, now
        )

    def reply_logged(
        self, connection: Connection, conversation_key: ConversationKey, session_id: int, now: float
    ) -> int:
        """Add the tasks that an exchange makes due. Returns their number."""
        if not self.settings.enable_summarization:
            return 0
        # A summary for the whole user covers this conversation too. It is looked up first, since
        # counting the backlog costs more with every message.
        scheduled = jobs.scheduled_summaries(connection, conversation_key.user, session_id)
        if None in scheduled:
            return 0
        noted = 0
        if session_id not in scheduled:
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
                    noted += jobs.add(
                        connection,
                        "summarize",
                        conversation_key.user,
                        now,
                        session_id=session_id,
                        up_to_id=up_to,
                    )
        return noted + self.schedule_summary(connection, conversation_key.user, now)

    def schedule_summary(self, connection: Connection, user: str, now: float) -> int:
        """Add a summary of a user's messages if there are too many. Returns the number of new
        tasks."""
        if not self.settings.enable_summarization:
            return 0
        thresholds = self.thresholds()
        count = log.count_unsummarized(connection, user)
        trigger = trigger_of(Backlog(user_messages=count), thresholds)
        if trigger is None:
            return 0
        up_to = log.last_to_summarize(connection, user, messages_to_keep(trigger, thresholds))
        if up_to is None:
            return 0
        return jobs.add(connection, "summarize", user, now, up_to_id=up_to)

    def schedule_distillation(self, connection: Connection, user: str, now: float) -> int:
        """Add a distillation of a user's timeline if it has grown enough. Returns the number of
        new tasks."""
        if not self.settings.enable_user_memories:
            return 0
        if timeline.count_unincorporated(connection, user) < self.settings.long_term_threshold:
            return 0
        up_to = timeline.last_to_incorporate(connection, user, self.settings.long_term_keep)
        if up_to is None:
            return 0
        return jobs.add(connection, "distill", user, now, up_to_id=up_to)

    def resume(self, connection: Connection, now: float) -> None:
        """Add the due tasks of all users at the start; thresholds may have changed since the
        last one."""
        jobs.schedule_retention(
            connection, now + min(FIRST_RETENTION_S, self.retention_every_s), now
        )
        if not self.settings.enabled:
            return
        # Where nothing is summed up, an ended session keeps its messages unsummarized.
        again = self.settings.enable_summarization
        for session_id, user, last in sessions.never_ended(connection, ended=again):
            jobs.schedule_session_end(
                connection, user, session_id, now, min(last, now) + self.idle_s
            )
        for user in log.users_over(connection, self.settings.short_term_threshold):
            self.schedule_summary(connection, user, now)
        for user in timeline.users_over(connection, self.settings.long_term_threshold):
            self.schedule_distillation(connection, user, now)
