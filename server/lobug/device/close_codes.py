"""Why the server closes a connection: the WebSocket close codes (RFC 6455, 7.4)."""

from __future__ import annotations

from enum import IntEnum


class CloseCode(IntEnum):
    """A close code and, as ``description``, what a device should know of it."""

    description: str

    def __new__(cls, value: int, description: str = "") -> CloseCode:
        """A code with its description."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.description = description
        return code

    NORMAL = 1000, "The conversation is over."
    GOING_AWAY = 1001, "The server shuts down; connect again later."
    POLICY = 1008, "Too many broken frames or messages."
    TOO_LARGE = 1009, "A message was larger than `streaming.max_message_bytes`."
    INTERNAL = 1011, "The server failed; its log says why."
    HELLO_TIMEOUT = 4001, "No `hello` came within `streaming.hello_timeout_s`."
    HELLO_INVALID = 4002, "The `hello` asks for something that is not served here."
    REPLACED = 4003, "The same device has opened a newer connection."
    TOKEN_REVOKED = 4004, "The device's token was revoked."
    TOO_SLOW = 4005, "The device read nothing for `streaming.send_timeout_s`."
    IDLE = 4006, "Nothing was said for `streaming.idle_timeout_s`."
    SERVER_FULL = 4007, "`streaming.max_connections` devices are connected."
    TOO_MANY_MESSAGES = 4008, "More than `streaming.max_messages_per_s` messages a second."
