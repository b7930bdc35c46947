"""Settings of Home Assistant, which is asked before the chat model."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, model_validator

from lobug.settings.section import Seconds, Section


class HomeSettings(Section):
    """Home Assistant: orders and questions for the house go there first."""

    url: str = Field(
        "",
        pattern=r"^$|^https?://[^\s?#@]+$",
        description="Address of Home Assistant, such as `http://homeassistant.local:8123`. Empty:"
        " there is none, and nothing is asked.",
    )
    token: SecretStr = Field(
        SecretStr(""),
        description="A long-lived access token of Home Assistant: its page of your profile,"
        " Security. A user who is no administrator is enough.",
    )
    certificate: Path | None = Field(
        None,
        description="A PEM file with the certificate of Home Assistant, or of the authority that"
        " signed it, where this computer does not trust it already.",
    )
    fingerprint: str = Field(
        "",
        pattern=r"^$|^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$",
        description="SHA-256 fingerprint of Home Assistant's certificate, in hexadecimal, instead"
        " of `home.certificate`: only this certificate is then trusted, whatever name it has."
        " `lobug doctor` shows the one that it sees.",
    )
    added_ms: int = Field(
        150,
        ge=0,
        le=5_000,
        description="How long a reply of the chat model may wait for Home Assistant, milliseconds:"
        " for questions that may be meant for either. The model prepares its reply meanwhile.",
    )
    order_timeout_s: Seconds = Field(
        8.0,
        description="Longest wait for Home Assistant to carry out what is certainly meant for it,"
        " seconds. An order that takes longer is never given to the chat model or to a tool.",
    )
    max_answer_mb: int = Field(
        8,
        ge=1,
        le=64,
        description="Largest list of names of Home Assistant that is read, MB.",
    )
    refresh_s: Seconds = Field(
        600.0,
        description="How often the names of rooms and devices are read again, seconds.",
    )
    max_names: int = Field(
        1_000, ge=0, description="Names of rooms and devices that are kept; more are left out."
    )
    sentences: list[str] = Field(
        default_factory=list,
        max_length=200,
        description="Whole sentences that always go to Home Assistant, as JSON: those of your own"
        ' automations, such as `["good night house", "movie time"]`.',
    )

    @model_validator(mode="after")
    def _check_token(self) -> Self:
        if self.url and not self.token.get_secret_value():
            raise ValueError("home.url needs home.token, a long-lived access token")
        if self.certificate is not None and self.fingerprint:
            raise ValueError("home.certificate and home.fingerprint exclude each other: set one")
        return self
