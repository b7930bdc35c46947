"""Settings of webhooks: what automations of the owner are told of."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from lobug.settings.section import Seconds, Section

WebhookType = Literal["heard", "replied", "alert", "device"]

SECRET_PREFIX = "whsec_"  # noqa: S105 - how every such secret begins
SECRET_BYTES = (24, 64)
"""Least and most bytes of a secret, as Standard Webhooks has them."""


def key_of(secret: str) -> bytes:
    """The bytes with which a secret signs. Raises ValueError if it is not ``whsec_`` and base64 of
    24 to 64 bytes."""
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    least, most = SECRET_BYTES
    if not secret.startswith(SECRET_PREFIX) or not least <= len(key) <= most:
        raise ValueError(
            f"must be {SECRET_PREFIX} and base64 of {least} to {most} bytes; `lobug webhooks"
            " secret` makes one"
        )
    return key


def _checked_secret(secret: SecretStr) -> SecretStr:
    if secret.get_secret_value():
        key_of(secret.get_secret_value())
    return secret


def _checked_url(url: str) -> str:
    if urlsplit(url).username is not None:
        raise ValueError("must not hold a user name or a password: requests are signed instead")
    return url


class WebhookSettings(Section):
    """HTTP requests to an automation of the owner's, such as Node-RED (docs/webhooks.md). Without a
    URL nothing is sent and nothing is kept."""

    url: Annotated[str, AfterValidator(_checked_url)] = Field(
        "",
        pattern=r"^$|^https?://[^\s/?#]+[^\s#]*$",
        description="Where events are posted to, such as `http://127.0.0.1:1880/lobug`. Empty:"
        " nothing is sent. It is never followed to another address.",
    )
    secret: Annotated[SecretStr, AfterValidator(_checked_secret)] = Field(
        SecretStr(""),
        description="Signs every request; the receiver has it too. `lobug webhooks secret` makes"
        " one.",
    )
    events: tuple[WebhookType, ...] = Field(
        ("heard", "replied", "alert", "device"),
        description="What is told, as a JSON list: `heard` (somebody said something), `replied`,"
        " `alert` (a timer, alarm or reminder has begun to ring), `device` (one has connected or"
        " gone).",
    )
    include_text: bool = Field(
        False,
        description="Whether events hold words: what was said, what was replied, what an alert is"
        " called. What was sent cannot be forgotten here any more.",
    )
    timeout_s: Seconds = Field(
        5.0, le=60.0, description="How long the receiver may take to answer, seconds."
    )
    concurrency: int = Field(
        2, ge=1, le=16, description="Requests under way at once. With 1 events arrive in order."
    )
    max_waiting: int = Field(
        1_000,
        ge=1,
        le=100_000,
        description="Events that wait for a receiver that does not answer; the oldest is dropped.",
    )
    keep_s: Seconds = Field(
        86_400.0, description="How long an event waits before it is dropped, seconds."
    )
    longest_pause_s: Seconds = Field(
        600.0, description="Longest pause between two attempts, seconds; the first takes one."
    )

    @model_validator(mode="after")
    def _check_signed(self) -> Self:
        if self.url and not self.secret.get_secret_value():
            raise ValueError(
                "webhooks are always signed: `secret` is missing; `lobug webhooks secret` makes one"
            )
        return self
