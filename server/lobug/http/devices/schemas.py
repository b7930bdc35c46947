"""The bodies of `/devices` and `/tokens`. Times are RFC 3339 in UTC."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from lobug.access.records import ApiToken, Device, Pairing
from lobug.access.rules import TokenScope
from lobug.http.memory.schemas import Time
from lobug.language.emotions import Emotion
from lobug.settings.section import UserName


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it must be one line of printable text")
    return text


def _digits(code: object) -> object:
    """People write codes in groups."""
    return "".join(code.split()).replace("-", "") if isinstance(code, str) else code


Name = Annotated[str, Field(max_length=80), AfterValidator(_printable)]
User = Annotated[UserName, AfterValidator(_printable)]
Code = Annotated[str, BeforeValidator(_digits), Field(pattern=r"^[0-9]{6}$")]
ConversationName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:@+\-]{1,128}$")]


class KnownDevice(BaseModel):
    """A device that was approved once."""

    id: str = Field(description="Its `Device-Id`, in small letters.")
    name: str = Field(description="What the owner calls it; may be empty.")
    user: str | None = Field(
        description="Whose words come from it; null: `conversation.users` says, else it is a user"
        " of its own."
    )
    state: Literal["approved", "paired", "revoked"] = Field(
        description="`approved`: it has not used a token yet. `paired`: it has."
        " `revoked`: it may not talk."
    )
    approved_at: Time = Field(description="When it was let in.")
    last_seen_at: Time | None = Field(description="When its token was used last.")
    connected: bool | None = Field(
        description="Whether it has an open connection; null: nobody knows."
    )

    @classmethod
    def of(cls, device: Device, *, connected: bool | None = None) -> KnownDevice:
        """As the routes show it."""
        state: Literal["approved", "paired", "revoked"] = "approved"
        if device.revoked_at is not None:
            state = "revoked"
        elif device.token_hash is not None and device.last_seen_at is not None:
            state = "paired"
        return cls.model_validate(
            {
                "id": device.device_id,
                "name": device.name,
                "user": device.user,
                "state": state,
                "approved_at": device.created_at,
                "last_seen_at": device.last_seen_at,
                "connected": connected,
            }
        )


class WaitingDevice(BaseModel):
    """A device that shows a code."""

    code: str = Field(description="What it shows.")
    id: str = Field(description="Its `Device-Id`, in small letters.")
    description: str = Field(description="What it says of itself: board and firmware.")
    address: str = Field(description="Where it asked from.")
    expires_at: Time = Field(description="Until when the code can be approved.")
    replaces: bool = Field(
        description="Whether a device with this id is paired already: either it was wiped, or"
        " somebody else uses its id."
    )

    @classmethod
    def of(cls, pairing: Pairing, *, replaces: bool) -> WaitingDevice:
        """As the routes show it."""
        return cls.model_validate(
            {
                "code": pairing.code,
                "id": pairing.device_id,
                "description": pairing.description,
                "address": pairing.address,
                "expires_at": pairing.expires_at,
                "replaces": replaces,
            }
        )


class KnownDevices(BaseModel):
    """All devices."""

    devices: list[KnownDevice] = Field(description="Those that were approved once, oldest first.")
    waiting: list[WaitingDevice] = Field(description="Those that show a code, oldest first.")


class ApproveRequest(BaseModel):
    """Which device may talk."""

    model_config = ConfigDict(extra="forbid")

    code: Code = Field(description="What the device shows: six digits.")
    name: Name | None = Field(None, description="What to call it.")
    user: User | None = Field(None, description="Whose words come from it.")


class DescribeRequest(BaseModel):
    """What changes about a device; what is absent or null stays."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = Field(None, description="What to call it; empty: nothing.")
    user: User | Literal[""] | None = Field(
        None, description="Whose words come from it; empty: as the settings say."
    )


class AlertRequest(BaseModel):
    """Something that a device is to show and sound."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=500, description="A sentence.")
    status: str = Field("Lo-Bug", min_length=1, max_length=60, description="A short title.")
    emotion: Emotion = Field(Emotion.NEUTRAL, description="The face that goes with it.")


class Sent(BaseModel):
    """The message has gone to the device."""

    status: Literal["sent"] = Field("sent", description="Always `sent`.")


class KnownToken(BaseModel):
    """An API token, without the token itself."""

    id: str = Field(description="By which it is revoked.")
    name: str = Field(description="What the owner calls it.")
    user: str | None = Field(
        description="Whose words come with it; null: `conversation.users` says, else it is a user"
        " of its own."
    )
    conversation: str | None = Field(
        description="Which conversation of the user they belong to; null: one of its own."
    )
    owner: bool = Field(description="Whether it may approve devices and make tokens.")
    scope: str | None = Field(
        description="The only purpose that it is good for; null: it may talk."
    )
    created_at: Time = Field(description="When it was made.")
    last_used_at: Time | None = Field(description="When it was used last.")
    revoked_at: Time | None = Field(description="When it was revoked; null: it is in force.")

    @classmethod
    def fields_of(cls, token: ApiToken) -> dict[str, object]:
        """As the routes show it."""
        return {
            "id": token.token_id,
            "name": token.name,
            "user": token.user,
            "conversation": token.conversation,
            "owner": token.owner,
            "scope": token.scope,
            "created_at": token.created_at,
            "last_used_at": token.last_used_at,
            "revoked_at": token.revoked_at,
        }


class NewToken(KnownToken):
    """An API token that was just made."""

    token: str = Field(description="The token itself: nobody can see it again.")


class KnownTokens(BaseModel):
    """All API tokens."""

    tokens: list[KnownToken] = Field(description="Revoked ones as well, oldest first.")


class TokenRequest(BaseModel):
    """What a new token is for."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[Name, Field(min_length=1)] = Field(description="What to call it.")
    user: User | None = Field(None, description="Whose words come with it.")
    conversation: ConversationName | None = Field(
        None, description="Which conversation of the user they belong to, `device:ID` for example."
    )
    owner: bool = Field(False, description="Whether it may approve devices and make tokens.")
    scope: TokenScope | None = Field(
        None,
        description="`metrics`: it may read `/metrics` and all of `/health`, and nothing else. Not"
        " together with `user`, `conversation` or `owner`.",
    )

    @model_validator(mode="after")
    def _one_purpose(self) -> TokenRequest:
        if self.scope is not None and (self.user or self.conversation or self.owner):
            raise ValueError("a token with a scope has no user, no conversation and no owner")
        return self
