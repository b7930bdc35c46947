"""Turns the messages of a request into a turn: its utterance, history and instruction. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.conversation.registry import Exchange
from lobug.engines.base import ChatMessage
from lobug.errors import (
    EmptyTextError,
    InvalidEncodingError,
    InvalidRequestError,
    TextTooLongError,
    UnsupportedParameterError,
)
from lobug.http.openai.schemas import AudioPart, ChatRequest, RequestMessage, TextPart
from lobug.turn.model_turn import CallerContext
from lobug.turn.utterance import SpokenUtterance, TypedUtterance

_NEUTRAL: dict[str, tuple[object, ...]] = {
    "n": (1,),
    "stop": ([],),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "audio": (),
    "web_search_options": (),
}
"""Unsupported fields, with the values beside null that have no effect and are accepted."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """The turn of a request."""

    utterance: TypedUtterance | SpokenUtterance
    context: CallerContext


def turn_request(request: ChatRequest, max_chars: int) -> TurnRequest:
    """The turn that a request asks for.

    The last message holds the user's words. System messages are the instruction. The others become
    exchanges; a message without an answer is left out, as in Lo-Bug's own history.

    Raises UnsupportedParameterError, InvalidRequestError, EmptyTextError, TextTooLongError (last
    words or instruction longer than ``max_chars``), InvalidEncodingError (half a surrogate pair).
    """
    for field, neutral in _NEUTRAL.items():
        value = getattr(request, field)
        if value is not None and not any(_same(value, allowed) for allowed in neutral):
            raise UnsupportedParameterError(
                f"{field} is not supported with this value", param=field
            )
    at = len(request.messages) - 1
    last = request.messages[at]
    if last.role != "user":
        raise InvalidRequestError(
            "the last message must be the user's", param=f"messages.{at}.role"
        )
    instructions = []
    said: list[ChatMessage] = []
    for place, message in enumerate(request.messages[:at]):
        words = _words(message, place)
        if message.role in {"system", "developer"}:
            instructions.append(words)
        elif message.role == "user":
            said.append(ChatMessage("user", words))
        elif message.role == "assistant":
            said.append(ChatMessage("assistant", words))
        else:
            raise UnsupportedParameterError(
                f"messages of a {message.role} are not supported", param=f"messages.{place}.role"
            )
    context = CallerContext(
        history=exchanges(said),
        instruction=_fitting("\n\n".join(filter(None, instructions)), max_chars, "messages"),
        max_tokens=request.max_completion_tokens or request.max_tokens,
        temperature=request.temperature,
    )
    recording = _recording(last, at)
    if recording is not None:
        return TurnRequest(SpokenUtterance(recording), context)
    param = f"messages.{at}.content"
    text = _fitting(_words(last, at), max_chars, param)
    if not text:
        raise EmptyTextError("the last message is empty", param=param)
    return TurnRequest(TypedUtterance(text), context)


def exchanges(said: Sequence[ChatMessage]) -> tuple[Exchange, ...]:
    """The answered exchanges of a history. Several messages of the assistant in a row are one
    reply."""
    found: list[Exchange] = []
    user: ChatMessage | None = None
    for message in said:
        if message.role == "user":
            user = message
        elif not message.content:
            continue
        elif user is not None:
            found.append(Exchange(user, message))
            user = None
        elif found:
            before = found.pop()
            both = f"{before.assistant.content}\n\n{message.content}"
            found.append(Exchange(before.user, ChatMessage("assistant", both)))
    return tuple(found)


def _same(value: object, allowed: object) -> bool:
    return type(value) is type(allowed) and value == allowed


def words_of(message: RequestMessage) -> str:
    """Text of a message; empty for a recording."""
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))


def _words(message: RequestMessage, place: int) -> str:
    """Text of a message. Raises UnsupportedParameterError for other parts than text and audio,
    InvalidEncodingError."""
    parts = message.content if isinstance(message.content, list) else []
    for number, part in enumerate(parts):
        if not isinstance(part, TextPart | AudioPart):
            raise UnsupportedParameterError(
                "only parts of type text and input_audio are supported",
                param=f"messages.{place}.content.{number}.type",
            )
    text = words_of(message)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidEncodingError(
            "text holds half a surrogate pair", param=f"messages.{place}.content"
        ) from None
    return text.strip()


def _fitting(text: str, max_chars: int, param: str) -> str:
    if len(text) > max_chars:
        raise TextTooLongError(
            f"the text has {len(text)} characters, the limit is {max_chars}", param=param
        )
    return text


def _recording(message: RequestMessage, place: int) -> bytes | None:
    """The recording in a message; None: the message is text."""
    parts = message.content if isinstance(message.content, list) else []
    recordings = [part for part in parts if isinstance(part, AudioPart)]
    if not recordings:
        return None
    param = f"messages.{place}.content"
    if len(parts) > 1:
        raise UnsupportedParameterError(
            "a message is either text or one recording, not both", param=param
        )
    try:
        return base64.b64decode(recordings[0].input_audio.data, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequestError("the recording is not base64", param=param) from None
