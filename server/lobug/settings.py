"""Every setting, its default, unit and meaning: the one source of docs/configuration.md.

Read from the environment (prefix ``LOBUG_``, sections joined by ``__``, for example
``LOBUG_CHAT__ENGINE=ollama``) and from ``.env`` in the working directory; the environment wins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0.0)]
UserName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"[^:\s]$")]
"""A person. Names with a colon at the end are the program's own (``memory.access.HOUSEHOLD``)."""
HouseholdGrant = Literal["read", "write"]
Caller = Annotated[str, Field(pattern=r"(?i)^(device|address|token):.")]


class Section(BaseModel):
    """A group of settings. Unknown names are refused: a typing error must not be silent."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OllamaSettings(Section):
    """The Ollama server, for chat and embeddings."""

    host: str = Field("http://127.0.0.1:11434", description="Address of the Ollama server.")
    keep_alive: str = Field(
        "30m", description="How long Ollama keeps a model loaded after its last use."
    )
    probe_timeout_s: Seconds = Field(
        2.0, description="At start: how long `auto` waits for Ollama before it goes without."
    )


class ChatSettings(Section):
    """The chat model."""

    engine: Literal["auto", "embedded", "ollama", "openai"] = Field(
        "auto",
        description="`auto` takes Ollama when it answers and has the model, else the embedded one.",
    )
    ollama_model: str = Field("qwen2.5:3b", description="Model name in Ollama.")
    openai_base_url: str = Field(
        "http://127.0.0.1:8000/v1",
        description="Any OpenAI-compatible server: vLLM, llama.cpp, LM Studio.",
    )
    openai_model: str = Field("default", description="Model name on the OpenAI-compatible server.")
    openai_api_key: SecretStr = Field(
        SecretStr(""), description="Key for the OpenAI-compatible server, if it wants one."
    )
    embedded_model: str = Field(
        "qwen2.5-coder-1.5b",
        description="Which embedded chat model: a name of `lobug models list`.",
    )
    embedded_path: Path | None = Field(
        None, description="A GGUF file of your own instead of the embedded model."
    )
    threads: int = Field(
        0, ge=0, le=256, description="Threads of the embedded chat model; 0: all cores, at most 8."
    )
    context_tokens: int = Field(
        4096,
        ge=1024,
        description="Context window of one conversation, tokens (`num_ctx` in Ollama).",
    )
    conversation_slots: int = Field(
        2,
        ge=1,
        le=16,
        description="Conversations whose prompt prefix the embedded model keeps at once; each costs"
        " about 0.12 GB with the default model and window.",
    )
    max_tokens: int = Field(90, ge=8, le=4096, description="Longest spoken reply, tokens.")
    max_sentences: int = Field(
        3, ge=1, le=50, description="Longest spoken reply, sentences; the model is stopped there."
    )
    temperature: float = Field(0.4, ge=0.0, le=2.0, description="Sampling temperature of replies.")
    timeout_s: Seconds = Field(60.0, description="Longest time for one whole reply, seconds.")
    first_token_timeout_s: Seconds = Field(
        45.0, description="Longest wait for the first or the next token, seconds."
    )


class EmbeddingSettings(Section):
    """The embedding model."""

    engine: Literal["auto", "embedded", "ollama", "openai"] = Field(
        "auto",
        description="`auto` takes Ollama when it answers and has `memory.embedding_model`, else the"
        " embedded one.",
    )
    openai_base_url: str = Field(
        "http://127.0.0.1:8000/v1", description="OpenAI-compatible server for embeddings."
    )
    openai_model: str = Field("default", description="Embedding model name on that server.")
    openai_api_key: SecretStr = Field(SecretStr(""), description="Key for that server, if needed.")
    batch_size: int = Field(32, ge=1, le=1024, description="Texts embedded in one call.")
    timeout_s: Seconds = Field(20.0, description="Longest time for one call, seconds.")


class SttSettings(Section):
    """Speech-to-text (faster-whisper) and the gate in front of it."""

    model: str = Field("whisper-base", description="A name of `lobug models list`.")
    path: Path | None = Field(
        None, description="A CTranslate2 Whisper folder of your own instead of that model."
    )
    language: str = Field(
        "en",
        pattern=r"^(auto|[a-z]{2,3})$",
        description="Language spoken to Lo-Bug (ISO 639-1), or `auto` to detect it each time.",
    )
    compute_type: str = Field("int8", description="CTranslate2 compute type.")
    threads: int = Field(0, ge=0, le=256, description="Threads; 0: all cores, at most 4.")
    beam_size: int = Field(1, ge=1, le=10, description="Beam width; 1 is fastest.")
    short_window: bool = Field(
        True,
        description="Give the encoder only as much of its 30 s window as the clip needs; falls back"
        " to the whole window when the result looks wrong.",
    )
    window_margin_frames: int = Field(
        300, ge=0, le=3000, description="Frames (10 ms) that the short window adds to the clip."
    )
    window_min_frames: int = Field(
        1000, ge=100, le=3000, description="Smallest short window, frames (10 ms)."
    )
    gate_threshold: Fraction = Field(
        0.5, description="Voice probability from which the gate takes a frame for speech."
    )
    min_speech_s: float = Field(
        0.15, ge=0.0, description="Less speech than this in a recording is ignored, seconds."
    )
    no_speech_threshold: Fraction = Field(
        0.6,
        description="Whisper's no-speech probability from which, together with"
        " `log_prob_threshold`, a transcript is noise.",
    )
    log_prob_threshold: float = Field(
        -1.0, le=0.0, description="Mean log probability below which a transcript is doubtful."
    )
    min_log_prob: float = Field(
        -1.6, le=0.0, description="Mean log probability below which a transcript is noise."
    )
    max_compression_ratio: float = Field(
        2.4, gt=0.0, description="Compression ratio above which Whisper is repeating itself."
    )
    timeout_s: Seconds = Field(60.0, description="Longest time for one transcription, seconds.")


class TtsSettings(Section):
    """Text-to-speech."""

    engine: Literal["hibari", "none"] = Field(
        "hibari", description="The embedded neural voice (English), or no voice at all."
    )
    speed: float = Field(1.0, ge=0.5, le=2.0, description="Speaking rate; 1 is normal.")
    timeout_s: Seconds = Field(20.0, description="Longest time for one sentence, seconds.")
    reply_sample_rate: int = Field(
        16_000,
        ge=8_000,
        le=48_000,
        description="Rate of the reply WAV of `/chat/audio`, Hz. The first firmware plays any.",
    )
    max_reply_seconds: Seconds = Field(
        40.0,
        description="Longest reply WAV of `/chat/audio`, seconds; the first device has 4 MB.",
    )


class MemorySettings(Section):
    """Long-term memory; the first ten are those of the memory's design, under the same names."""

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
    retrieval_top_k: int = Field(
        5, ge=0, le=100, description="Facts that a search for a turn returns."
    )
    recall_turns: int = Field(
        3, ge=0, le=100, description="Former turns that a search for a turn adds; 0: none."
    )
    retrieval_min_similarity: float = Field(
        0.3, ge=-1.0, le=1.0, description="Cosine similarity below which a fact is not relevant."
    )
    enabled: bool = Field(
        True,
        description="Master switch: off, nothing is extracted, summed up or recalled; the log of"
        " the conversation is kept all the same.",
    )
    max_content_chars: int = Field(
        2_000, ge=100, description="Longest content of one entry that is written, characters."
    )
    identity_chars: int = Field(
        1_000, ge=100, le=20_000, description="What layer identity may hold, characters."
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
        description="Share of the chat model's window from which on a conversation's messages are"
        " summed up.",
    )
    summary_trigger_tokens: int = Field(
        8_000,
        ge=100,
        description="Tokens of a conversation's messages from which on they are summed up, where"
        " that is less than the share of the window.",
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
        description="Failures in a row after which a session's messages are kept as they were said"
        " instead of being summed up.",
    )
    timeline_retention_days: float = Field(
        90.0,
        ge=0.0,
        description="Entries of the timeline that layer identity has taken in are erased after so"
        " many days; 0: never.",
    )
    recall_log_days: float = Field(
        30.0,
        ge=0.0,
        description="What was recalled for a turn is noted for so many days; 0: for good.",
    )
    log_retention_days: float = Field(
        0.0,
        ge=0.0,
        description="Messages are erased after so many days, with all that was not yet taken from"
        " them; 0: never.",
    )
    context_budget_tokens: int = Field(
        4_000, ge=0, description="Most that recalled memories may add to a prompt, tokens."
    )
    max_added_first_token_ms: float = Field(
        1_200.0,
        ge=0.0,
        description="Time that recalled memories may add to a reply's first token, ms: what the"
        " chat model reads in it, as it was measured, goes to the prompt and no more.",
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
        " model's own dimension always wins.",
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
    busy_timeout_s: Seconds = Field(
        5.0, description="How long a write waits for another process's lock, seconds."
    )
    backups_keep: int = Field(
        3, ge=1, description="Backups of the database kept when it is migrated."
    )
    household: dict[UserName, HouseholdGrant] = Field(
        default_factory=dict,
        description="Who may see (`read`) or also change (`write`) the memories of the household,"
        " as JSON: user name to `read` or `write`. Whoever is not named does neither.",
    )
    legacy_user: UserName = Field(
        "owner",
        description="Who gets the content of a database of the first Lo-Bug, which knew one user.",
    )


class ConversationSettings(Section):
    """Working memory and who is who."""

    max_messages: int = Field(
        20, ge=2, description="Messages of working memory, for each conversation."
    )
    trim_block: int = Field(
        10,
        ge=1,
        description="Messages dropped at once when working memory is full: in blocks, so that the"
        " chat model's prompt cache holds in between.",
    )
    max_conversations: int = Field(
        256,
        ge=1,
        description="Conversations kept in memory; the least used is reloaded from the"
        " log when it is needed again.",
    )
    persona: str = Field(
        "", description="Replaces the built-in personality; empty: the built-in one."
    )
    users: dict[Caller, UserName] = Field(
        default_factory=dict,
        description="Who owns which caller, as JSON: caller (`device:ID` or `address:IP`) to user"
        " name. Callers of one user share long-term memory, each with its own conversation. A"
        " caller that is not named is a user of its own.",
    )
    ignore_and_react: bool = Field(
        True,
        description="Let the chat model ignore or silently react to what was not meant for it.",
    )


class SensorSettings(Section):
    """How long what a device senses stays true."""

    expiry_s: Seconds = Field(30.0, description="Sensor context older than this is dropped, s.")
    tap_expiry_s: Seconds = Field(5.0, description="A tap older than this is dropped, seconds.")


class LimitSettings(Section):
    """What a caller may send, and how much at once."""

    max_body_bytes: int = Field(
        32 * 1024 * 1024, ge=1024, description="Largest request body, bytes."
    )
    body_timeout_s: Seconds = Field(
        30.0, description="Longest wait for the next piece of a request body, seconds."
    )
    max_text_chars: int = Field(8_000, ge=1, description="Longest text of `/chat/text`.")
    max_audio_seconds: Seconds = Field(60.0, description="Longest recording, seconds.")
    max_concurrent_turns: int = Field(
        2, ge=1, description="Turns that run at once; further ones wait."
    )
    max_waiting_turns: int = Field(
        16, ge=0, description="Turns that may wait; a further one is refused as busy."
    )


class Settings(BaseSettings):
    """All settings of a Lo-Bug server."""

    model_config = SettingsConfigDict(
        env_prefix="LOBUG_",
        env_nested_delimiter="__",
        env_file=".env",
        env_file_encoding="utf-8",
        # `NAME=` in .env or a compose file means "not set"; an empty path would be the working
        # directory.
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    host: str = Field("127.0.0.1", description="Address to listen on; 0.0.0.0 for all.")
    port: int = Field(8321, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("lobug", appauthor=False),
        description="Where the memory lives.",
    )
    models_dir: Path = Field(
        default_factory=lambda: user_cache_path("lobug", appauthor=False) / "models",
        description="Where the embedded models live, outside `data_dir`.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="How much is logged. What people say is logged at debug only."
    )
    ollama: OllamaSettings = Field(default_factory=OllamaSettings)
    chat: ChatSettings = Field(default_factory=ChatSettings)
    embeddings: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    stt: SttSettings = Field(default_factory=SttSettings)
    tts: TtsSettings = Field(default_factory=TtsSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    sensors: SensorSettings = Field(default_factory=SensorSettings)
    limits: LimitSettings = Field(default_factory=LimitSettings)

    @property
    def database_path(self) -> Path:
        """The database file, absolute where ``data_dir`` is."""
        return self.data_dir / self.memory.db_path
