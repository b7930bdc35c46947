"""All settings with their defaults, units and descriptions; docs/configuration.md comes from them.

Read from the environment (prefix ``LOBUG_``, sections joined by ``__``, for example
``LOBUG_CHAT__ENGINE=ollama``) and from ``.env`` in the working directory; the environment wins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from lobug.settings.access import AccessSettings
from lobug.settings.conversation import ConversationSettings, LimitSettings, SensorSettings
from lobug.settings.database import DatabaseSettings
from lobug.settings.engines import (
    ChatSettings,
    EmbeddingSettings,
    OllamaSettings,
    SttSettings,
    TtsSettings,
)
from lobug.settings.home import HomeSettings
from lobug.settings.memory import MemorySettings
from lobug.settings.server import (
    DiscoverySettings,
    FirmwareSettings,
    TelemetrySettings,
    TlsSettings,
    WyomingSettings,
)
from lobug.settings.skills import SkillSettings
from lobug.settings.streaming import ListeningSettings, StreamingSettings
from lobug.settings.webhooks import WebhookSettings

__all__ = [
    "AccessSettings",
    "ChatSettings",
    "ConversationSettings",
    "DatabaseSettings",
    "DiscoverySettings",
    "EmbeddingSettings",
    "FirmwareSettings",
    "HomeSettings",
    "LimitSettings",
    "ListeningSettings",
    "MemorySettings",
    "OllamaSettings",
    "SensorSettings",
    "Settings",
    "SkillSettings",
    "StreamingSettings",
    "SttSettings",
    "TelemetrySettings",
    "TlsSettings",
    "TtsSettings",
    "WebhookSettings",
    "WyomingSettings",
]


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
        hide_input_in_errors=True,  # it may be a password
    )

    host: str = Field(
        "0.0.0.0",  # noqa: S104 - callers from elsewhere need a token
        description="Address to listen on: 0.0.0.0 for all, 127.0.0.1 for this computer alone.",
    )
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
    log_format: Literal["text", "json"] = Field(
        "text", description="`json` writes each log line as one JSON object, for programs."
    )
    ollama: OllamaSettings = Field(default_factory=OllamaSettings)
    chat: ChatSettings = Field(default_factory=ChatSettings)
    embeddings: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    stt: SttSettings = Field(default_factory=SttSettings)
    tts: TtsSettings = Field(default_factory=TtsSettings)
    database: DatabaseSettings = Field(default_factory=DatabaseSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    skills: SkillSettings = Field(default_factory=SkillSettings)
    home: HomeSettings = Field(default_factory=HomeSettings)
    sensors: SensorSettings = Field(default_factory=SensorSettings)
    listening: ListeningSettings = Field(default_factory=ListeningSettings)
    streaming: StreamingSettings = Field(default_factory=StreamingSettings)
    access: AccessSettings = Field(default_factory=AccessSettings)
    tls: TlsSettings = Field(default_factory=TlsSettings)
    discovery: DiscoverySettings = Field(default_factory=DiscoverySettings)
    wyoming: WyomingSettings = Field(default_factory=WyomingSettings)
    firmware: FirmwareSettings = Field(default_factory=FirmwareSettings)
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings)
    webhooks: WebhookSettings = Field(default_factory=WebhookSettings)
    limits: LimitSettings = Field(default_factory=LimitSettings)

    @model_validator(mode="after")
    def _check_consolidation(self) -> Self:
        memory = self.memory
        if memory.consolidation_model and not self.consolidation_provider:
            raise ValueError(
                "LOBUG_MEMORY__CONSOLIDATION_MODEL needs a server, since the embedded chat engine"
                " holds one model only: set LOBUG_MEMORY__CONSOLIDATION_PROVIDER to `ollama` or"
                " `openai`."
            )
        return self

    @model_validator(mode="after")
    def _check_certificate(self) -> Self:
        if (self.tls.certificate is None) != (self.tls.key is None):
            raise ValueError(
                "LOBUG_TLS__CERTIFICATE and LOBUG_TLS__KEY belong together: set both or neither."
            )
        return self

    @property
    def consolidation_provider(self) -> Literal["ollama", "openai"] | None:
        """The server of a chat model for summaries of its own; None: there is no such model."""
        memory = self.memory
        if memory.consolidation_provider or not memory.consolidation_model:
            return memory.consolidation_provider
        match self.chat.engine:
            case "embedded":
                return None
            case "openai":
                return "openai"
            case "ollama" | "auto":
                return "ollama"

    @property
    def database_path(self) -> Path:
        """The database file, absolute where ``data_dir`` is."""
        return self.data_dir / self.memory.db_path

    @property
    def prompt_states_dir(self) -> Path:
        """The folder of prompt states, absolute where ``data_dir`` is."""
        return self.data_dir / "prompt-states"

    @property
    def tls_dir(self) -> Path:
        """The folder of Lo-Bug's own certificate authority, absolute where ``data_dir`` is."""
        return self.data_dir / "tls"

    @property
    def firmware_dir(self) -> Path:
        """The folder of firmware images, absolute where ``data_dir`` is."""
        return self.data_dir / self.firmware.directory

    @property
    def update_key_path(self) -> Path:
        """The private key that signs updates, absolute where ``data_dir`` is."""
        return self.data_dir / "update-key.pem"
