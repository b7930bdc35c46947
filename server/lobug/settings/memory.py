"""Settings of the memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from lobug.settings.section import Changeable, HouseholdGrant, Seconds, Section, UserName


class MemorySettings(Section):
    """Long-term memory. Several settings have the names of the first design."""

    db_path: Path = Field(
        Path("lobug_memory.db"), description="Database file; relative to `data_dir`."
    )
    short_term_threshold: int = Field(
        30, ge=2, description="Unsummarized messages from which the short-term cascade runs."
    )
    short_term_keep: int = Field(
        10, ge=0, description="Recent messages that the cascade leaves unsummarized."
    )
    long_term_threshold: int = Field(
        20, ge=2, description="Unincorporated summaries from which the long-term cascade runs."
    )
    long_term_keep: int = Field(
        10, ge=0, description="Recent summaries that the cascade leaves unincorporated."
    )
    retrieval_top_k: Annotated[int, Changeable("Facts recalled for a turn", unit="facts")] = Field(
        5, ge=0, le=100, description="Facts that a search for a turn returns."
    )
    recall_turns: Annotated[int, Changeable("Former turns recalled for a turn", unit="turns")] = (
        Field(3, ge=0, le=100, description="Former turns that a search for a turn adds; 0: none.")
    )
    retrieval_min_similarity: float = Field(
        0.3,
        ge=-1.0,
        le=1.0,
        description="Confidence, by words and by meaning, below which a fact is not relevant.",
    )
    enabled: Annotated[bool, Changeable("Memory")] = Field(
        True,
        description="Master switch. When it is off, nothing is extracted, summed up or recalled;"
        " conversations are still logged.",
    )
    model_may_store: bool = Field(
        False,
        description="Whether the chat model may store by itself what the user tells in a turn; its"
        " words are checked as those of extraction are. For models that use tools well: small ones"
        " are slower with it and no better, since extraction looks at every word anyway.",
    )
    max_content_chars: int = Field(
        2_000, ge=100, description="Longest content of one entry that is written, characters."
    )
    identity_chars: int = Field(
        1_000, ge=100, le=20_000, description="What layer identity may hold, characters."
    )
    enable_user_memories: Annotated[bool, Changeable("Learn about people")] = Field(
        True,
        description="Whether Lo-Bug learns about a user and recalls it. When it is off, nothing is"
        " extracted or distilled, `remember ...` is refused, and a prompt holds only its own"
        " conversation (with the summary of the session), what was stored for that conversation"
        " and the household's memories. What is stored already stays and can be listed, exported"
        " and forgotten.",
    )
    enable_summarization: Annotated[bool, Changeable("Sum conversations up")] = Field(
        True,
        description="Whether conversations are summed up in the timeline. When it is off, sessions"
        " end as before and their messages stay in the log; they are summed up once it is on"
        " again.",
    )
    include_summary_on_truncation: bool = Field(
        True,
        description="Whether a prompt whose history was cut holds the summary of the session.",
    )
    summaries: Literal["extractive", "generative"] = Field(
        "extractive",
        description="`extractive` copies the sentences of the user that tell most, in the third"
        " person; `generative` asks a chat model, if it passes a check at the start, and drops each"
        " sentence that was not said. The embedded model says something false in six summaries of"
        " seven.",
    )
    consolidation_provider: Literal["ollama", "openai"] | None = Field(
        None,
        description="Server of the chat model for summaries and layer identity, which are then"
        " generated; none: that of `chat.engine`.",
    )
    consolidation_model: str | None = Field(
        None,
        min_length=1,
        description="Name of that model on its server; none: the one of chat. Summaries are then"
        " generated. The embedded engine holds one model only, so it takes a"
        " `consolidation_provider` there.",
    )
    session_idle_minutes: float = Field(
        10.0,
        gt=0.0,
        description="A pause of this length ends a session, minutes: it is then summed up whole.",
    )
    consolidation_context_share: float = Field(
        0.5,
        gt=0.0,
        le=1.0,
        description="Share of the chat model's window at which a conversation's messages are summed"
        " up.",
    )
    summary_trigger_tokens: int = Field(
        8_000,
        ge=100,
        description="Tokens of a conversation's messages at which they are summed up, if that is"
        " less than the share of the window.",
    )
    consolidation_turn_threshold: int = Field(
        3,
        ge=0,
        description="Turns that may fall out of working memory before they are summed up; 0: any"
        " number.",
    )
    max_failures_before_degrade: int = Field(
        3,
        ge=1,
        description="Failures in a row after which a session is not summed up any more: the user's"
        " sentences are copied, in a language without rules all messages as they were said.",
    )
    timeline_retention_days: Annotated[float, Changeable("Keep the timeline", unit="days")] = Field(
        90.0,
        ge=0.0,
        description="Entries of the timeline that layer identity has taken in are erased after this"
        " many days; 0: never.",
    )
    recall_log_days: Annotated[float, Changeable("Keep the log of recall", unit="days")] = Field(
        30.0,
        ge=0.0,
        description="How long the log of what was recalled for a turn is kept, days; 0: for good.",
    )
    log_retention_days: Annotated[float, Changeable("Keep messages", unit="days")] = Field(
        0.0,
        ge=0.0,
        description="Messages are erased after this many days, with everything that was not yet"
        " taken from them; 0: never.",
    )
    cleanup_interval_hours: float = Field(
        24.0,
        gt=0.0,
        le=8_760.0,
        description="Time from one erasure of what is too old to the next, hours.",
    )
    context_budget_tokens: int = Field(
        4_000, ge=0, description="Most that recalled memories may add to a prompt, tokens."
    )
    max_added_first_token_ms: float = Field(
        800.0,
        ge=0.0,
        description="Time that recalled memories may add to a reply's first token, ms: no more"
        " memories go to the prompt than the chat model reads in that time, as measured.",
    )
    max_user_memories: int = Field(
        50, ge=0, description="Most memories that go to one prompt, whatever the budget."
    )
    recall_timeout_s: Seconds = Field(
        2.0,
        description="Longest wait for the embedding of a question, seconds; after that facts are"
        " found by their words.",
    )
    embedding_model: str = Field("nomic-embed-text", description="Embedding model in Ollama.")
    embedding_dim: int = Field(
        768,
        ge=1,
        description="Dimension expected of `embedding_model` before it has answered once; the"
        " model's own dimension takes precedence.",
    )
    duplicate_distance_threshold: float = Field(
        0.15,
        ge=0.0,
        le=2.0,
        description="Cosine distance below which a new fact replaces an existing one.",
    )
    max_extraction_attempts: int = Field(
        3, ge=1, description="Failed attempts after which a background task is kept but parked."
    )
    retry_delay_s: Seconds = Field(
        30.0, description="Wait before a failed background task is tried again; doubles each time."
    )
    idle_delay_s: float = Field(
        1.0, ge=0.0, description="Quiet time after a turn before background work starts, seconds."
    )
    erasure_deferral_s: float = Field(
        30.0,
        ge=0.0,
        description="Longest time that erasing (of what was forgotten, and of what is too old) is"
        " put off because somebody is talking, seconds; after that it is done while turns run.",
    )
    embedding_deferral_s: float = Field(
        120.0,
        ge=0.0,
        description="Longest time that new memories wait for their vectors because somebody is"
        " talking, seconds.",
    )
    learning_deferral_s: float = Field(
        600.0,
        ge=0.0,
        description="Longest time that extracting facts and summing up are put off because somebody"
        " is talking, seconds; after that they are done while turns run, which slows those down.",
    )
    busy_timeout_s: Seconds = Field(
        5.0, description="How long a write waits for another process's lock, seconds."
    )
    backups_keep: int = Field(
        3, ge=1, description="Backups of the database kept when it is migrated."
    )
    household: dict[UserName, HouseholdGrant] = Field(
        default_factory=dict,
        description="Who may see (`read`) or also change (`write`) the memories of the household,"
        " as JSON: user name to `read` or `write`. A user who is not named may do neither.",
    )
    legacy_user: UserName = Field(
        "owner",
        description="Who gets the content of a database of the first Lo-Bug, which knew one user.",
    )

    @property
    def generates_summaries(self) -> bool:
        """Whether a chat model is to write summaries and layer identity."""
        return self.summaries == "generative" or bool(
            self.consolidation_model or self.consolidation_provider
        )

    @property
    def lets_model_store(self) -> bool:
        """Whether the chat model may store by itself; not while memory is off."""
        return self.enabled and self.model_may_store
