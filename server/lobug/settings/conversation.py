"""Settings of conversations, of what devices sense, and of the limits of requests."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from lobug.settings.section import Caller, Changeable, Fraction, Seconds, Section, UserName
from lobug.settings.time_zones import zone_of


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
    persona: Annotated[str, Changeable("Personality", kind="long_text", longest=4000)] = Field(
        "", description="Replaces the built-in personality; empty: the built-in one."
    )
    users: dict[Caller, UserName] = Field(
        default_factory=dict,
        description="Who owns which caller, as JSON: caller (`device:ID`, `address:IP` or"
        " `wyoming:ID`) to user name. Callers of one user share long-term memory, each with its own"
        " conversation. A caller that is not named is a separate user.",
    )
    time_zone: Annotated[str, Changeable("Time zone", kind="time_zone")] = Field(
        "",
        description="Time zone of the person who talks, a name of the IANA database such as"
        " `Europe/Berlin`; empty: that of the system.",
    )
    ignore_and_react: Annotated[bool, Changeable("Try to ignore television and radio")] = Field(
        True,
        description="Let the chat model judge, by the words alone, what comes from a television or"
        " radio, which it ignores, and what is only laughter, to which it reacts without words. It"
        " may be wrong, and it has not been measured with a television in the room.",
    )

    @field_validator("time_zone")
    @classmethod
    def _known_time_zone(cls, name: str) -> str:
        if name and zone_of(name) is None:
            raise ValueError(f"there is no time zone {name}; write one like Europe/Berlin")
        return name


class SensorSettings(Section):
    """How long a device's sensor readings stay valid."""

    expiry_s: Seconds = Field(
        30.0, description="Sensor readings older than this are dropped, seconds."
    )
    tap_expiry_s: Seconds = Field(5.0, description="A tap older than this is dropped, seconds.")


class LimitSettings(Section):
    """What a caller may send, and how much at once."""

    max_body_bytes: int = Field(
        32 * 1024 * 1024,
        ge=1024,
        description="Largest request body, bytes. Discovery takes 64 KB: it is open to strangers.",
    )
    body_timeout_s: Seconds = Field(
        30.0,
        description="Longest wait for the next piece of a request body, in discovery for all of it,"
        " seconds.",
    )
    headers_timeout_s: Seconds = Field(
        10.0,
        description="Longest wait on a connection for a request with all of its headers, seconds,"
        " from its start or from the last answer.",
    )
    max_unknown_connections: int = Field(
        256,
        ge=2,
        description="Connections at once that have not shown a good token. A further one replaces"
        " the oldest of the address that has the most.",
    )
    max_unknown_per_address: int = Field(
        64,
        ge=1,
        description="The same, from one address (for IPv6, from one 64-bit network). Behind a"
        " container's gateway all devices may share one.",
    )
    max_connections_per_caller: int = Field(
        128, ge=1, description="Connections at once of one token; a further one is refused."
    )
    max_open_files: int = Field(
        4_096,
        ge=256,
        description="Files and connections that Lo-Bug asks the system to let it open at once; the"
        " system's hard limit takes precedence.",
    )
    max_text_chars: int = Field(8_000, ge=1, description="Longest text of `/chat/text`.")
    max_chat_bytes: int = Field(
        1024 * 1024,
        ge=1024,
        description="Largest body of `/v1/chat/completions`, bytes: clients send the whole"
        " conversation with each turn.",
    )
    max_resource_bytes: int = Field(
        2 * 1024 * 1024,
        ge=1024,
        description="Largest resource that `/mcp` hands out, bytes: it is sent as one message.",
    )
    max_audio_seconds: Seconds = Field(60.0, description="Longest recording, seconds.")
    body_deadline_s: Seconds = Field(
        300.0,
        description="Longest time that a whole request body may take, seconds; never less than"
        " `max_audio_seconds` and `body_timeout_s` together.",
    )
    max_uploads: int = Field(
        80,
        ge=1,
        description="Request bodies of more than 64 KB that are held at once, from their first byte"
        " until their answer; a further one is refused as busy.",
    )
    max_uploads_per_person: int = Field(
        12, ge=1, description="The same, for one person; a further one is refused with 429."
    )
    max_upload_bytes: int = Field(
        256 * 1024 * 1024,
        ge=1024,
        description="Bytes of request bodies that are held at once, in memory or, for bodies beyond"
        " 1 MB, in temporary files; never less than `max_body_bytes`.",
    )
    max_upload_bytes_per_person: int = Field(
        64 * 1024 * 1024,
        ge=1024,
        description="The same, for one person; never less than `max_body_bytes`.",
    )
    max_concurrent_turns: int = Field(
        2, ge=1, description="Turns that run at once; further ones wait."
    )
    max_waiting_turns: int = Field(
        64, ge=0, description="Turns that may wait; a further one is refused as busy."
    )
    max_waiting_per_person: int = Field(
        8,
        ge=1,
        description="Turns of one person that may wait; a further one is refused with 429. A"
        " person's devices and the same person's ordinary tokens are counted separately.",
    )
    reserved_part: Fraction = Field(
        0.25,
        description="Part of the waiting places, and of the room for uploads, that only the owner"
        " and the paired devices may take, 0 to 1.",
    )
