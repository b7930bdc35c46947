"""Bodies of `/v1/chat/completions` and `/v1/audio/speech`, and their reading: errors name the
field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lobug.audio.encode import MEDIA_TYPES
from lobug.errors import InvalidEncodingError, InvalidRequestError
from lobug.http.state import ServerDep
from lobug.http.uploads import read_at_most

FinishReason = Literal["stop", "length"]
SpeechFormat = Literal["mp3", "opus", "ogg", "aac", "flac", "wav", "pcm"]
assert set(MEDIA_TYPES) == set(SpeechFormat.__args__)  # type: ignore[attr-defined]  # noqa: S101


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


class SpeechRequest(BaseModel):
    """Words to be spoken. Fields that are not listed here are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(description="`lobug-tts` or `tts-1`.")
    input: str = Field(description="The words; not blank, at most `limits.max_text_chars`.")
    voice: Any = Field(None, description="Any: there is one voice.")
    response_format: SpeechFormat = Field("mp3", description="Opus is sent in Ogg.")
    speed: float = Field(1.0, ge=0.5, le=2.0, allow_inf_nan=False, description="1 is normal.")
    stream_format: Any = Field(None, description="Only `audio`.")


M = TypeVar("M", bound=BaseModel)


def openai_json(model: type[M]) -> Callable[[Request, ServerDep], Awaitable[M]]:
    """A dependency that reads the body as JSON of this model, at most ``limits.max_chat_bytes``.

    It raises InvalidEncodingError, InvalidRequestError, BodyTooLargeError.
    """

    async def read(request: Request, server: ServerDep) -> M:
        body = await read_at_most(request, server.settings.limits.max_chat_bytes)
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            # The input is left out of message and log: it may be somebody's words.
            fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
            if fault["type"] == "json_invalid":
                raise InvalidEncodingError("the body is not valid JSON in UTF-8") from None
            param = ".".join(map(str, fault["loc"])) or None
            message = f"{param or 'body'}: {fault['msg']}"
            raise InvalidRequestError(message, param=param) from None

    return read
