"""The bodies of `/v1/chat/completions`, and the turn that a request asks for. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lobug.conversation.registry import Exchange
from lobug.engines.base import ChatMessage
from lobug.errors import (
    EmptyTextError,
    InvalidEncodingError,
    InvalidRequestError,
    TextTooLongError,
    UnsupportedParameterError,
)
from lobug.turn.model_turn import CallerContext
from lobug.turn.utterance import SpokenUtterance, TypedUtterance

FinishReason = Literal["stop", "length"]


class TextPart(BaseModel):
    """Words of a message."""

    type: Literal["text"] = Field(description="Which kind of part it is.")
    text: str = Field(description="The words.")


class InputAudio(BaseModel):
    """A recording."""

    data: str = Field(description="Base64 of the file.")
    format: str = Field(description="`wav` or `mp3`; what it is, is seen from the file itself.")


class AudioPart(BaseModel):
    """Spoken words of a message."""

    type: Literal["input_audio"] = Field(description="Which kind of part it is.")
    input_audio: InputAudio = Field(description="The recording.")


class OtherPart(BaseModel):
    """A part of another kind: refused by its name."""

    type: str = Field(description="Which kind of part it is.")


Part = Annotated[TextPart | AudioPart | OtherPart, Field(union_mode="left_to_right")]


class RequestMessage(BaseModel):
    """A message of the conversation as the caller has it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"] = Field(
        description="Who said it; `system` and `developer` are instructions."
    )
    content: str | list[Part] | None = Field(None, description="The words.")


class StreamOptions(BaseModel):
    """How a stream is sent."""

    include_usage: bool = Field(False, description="Whether a last chunk carries `usage`.")


class ChatRequest(BaseModel):
    """A request for the next message. Fields that are not listed here are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(description="`lobug`.")
    messages: list[RequestMessage] = Field(
        min_length=1, description="The conversation; its last message is the user's."
    )
    stream: bool | None = Field(None, description="Whether the reply is sent as it is written.")
    stream_options: StreamOptions | None = Field(None, description="With `stream` only.")
    temperature: float | None = Field(
        None, ge=0.0, le=2.0, allow_inf_nan=False, description="Sampling temperature."
    )
    max_tokens: int | None = Field(
        None, ge=1, description="Longest reply; never more than `chat.max_tokens`."
    )
    max_completion_tokens: int | None = Field(
        None, ge=1, description="The newer name of `max_tokens`."
    )
    n: int | None = Field(None, description="Only 1.")
    stop: Any = Field(None, description="Not supported.")
    tools: Any = Field(None, description="Not supported: Lo-Bug has tools of its own.")
    tool_choice: Any = Field(None, description="Without `tools` only `none` and `auto`.")
    functions: Any = Field(None, description="Not supported.")
    function_call: Any = Field(None, description="Not supported.")
    logprobs: Any = Field(None, description="Not supported.")
    top_logprobs: Any = Field(None, description="Not supported.")
    logit_bias: Any = Field(None, description="Not supported.")
    response_format: Any = Field(None, description='Only `{"type": "text"}`.')
    modalities: Any = Field(None, description='Only `["text"]`.')
    audio: Any = Field(None, description="Not supported; see `/v1/audio/speech`.")
    web_search_options: Any = Field(None, description="Not supported.")


class Usage(BaseModel):
    """Tokens, estimated from the length of the texts: engines do not tell."""

    prompt_tokens: int = Field(description="Of the messages that were sent.")
    completion_tokens: int = Field(description="Of the reply.")
    total_tokens: int = Field(description="Both.")


class ReplyMessage(BaseModel):
    """The reply."""

    role: Literal["assistant"] = Field("assistant", description="Always `assistant`.")
    content: str = Field(description="The words; empty where nothing was meant for Lo-Bug.")
    refusal: None = Field(None, description="Always null.")


class Choice(BaseModel):
    """The one reply."""

    index: Literal[0] = Field(0, description="Always 0.")
    message: ReplyMessage = Field(description="The reply.")
    logprobs: None = Field(None, description="Always null.")
    finish_reason: FinishReason = Field(
        "stop", description="`length`: `max_tokens` cut the reply off; else `stop`."
    )


class ChatCompletion(BaseModel):
    """The answer."""

    id: str = Field(description="`chatcmpl-` and the turn's id.")
    object: Literal["chat.completion"] = Field("chat.completion", description="What it is.")
    created: int = Field(description="Seconds since the epoch.")
    model: str = Field(description="The model, as it was asked for.")
    choices: list[Choice] = Field(description="One.")
    usage: Usage = Field(description="Tokens, estimated.")


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
"""Unsupported fields, with the values other than null that have no effect and are accepted."""


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
