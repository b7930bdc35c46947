"""`POST /v1/chat/completions`: a turn for tools that speak OpenAI's protocol."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Depends, Request, Response
from sse_starlette import ServerSentEvent
from starlette.requests import ClientDisconnect

from lobug.conversation.prompt import estimate_tokens
from lobug.engines.base import ChatMessage
from lobug.errors import (
    AudioEmptyError,
    AudioError,
    AudioTooLongError,
    AudioTruncatedError,
    BodyTimeoutError,
    BodyTooLargeError,
    EmptyTextError,
    InvalidEncodingError,
    InvalidRequestError,
    TextTooLongError,
    UnknownModelError,
    UnsupportedParameterError,
)
from lobug.http.dependencies import ConversationDep, ServerDep, caller_of, documented, openai_json
from lobug.http.formats import EVENT_STREAM
from lobug.http.openai.messages import (
    ChatCompletion,
    ChatRequest,
    Choice,
    FinishReason,
    ReplyMessage,
    Usage,
    turn_request,
    words_of,
)
from lobug.http.openai.models import CHAT_MODEL, require_model
from lobug.http.problems import client_closed, error_responses, failure_body, problem
from lobug.http.stream_response import TURN_HEADER, event_response
from lobug.http.turn_stream import TURN_ERRORS, TurnStream, run_to_end, while_connected
from lobug.settings import Settings
from lobug.turn.events import Done, Failed, ReplyDelta
from lobug.turn.timeline import Timeline

router = APIRouter(prefix="/v1", tags=["openai"])


@router.post(
    "/chat/completions",
    response_model=ChatCompletion,
    openapi_extra=documented(ChatRequest),
    responses={
        200: {"content": {EVENT_STREAM: {"schema": {"type": "string"}}}},
        **error_responses(
            InvalidEncodingError,
            InvalidRequestError,
            UnsupportedParameterError,
            UnknownModelError,
            EmptyTextError,
            TextTooLongError,
            BodyTooLargeError,
            BodyTimeoutError,
            AudioError,
            AudioEmptyError,
            AudioTruncatedError,
            AudioTooLongError,
            *TURN_ERRORS,
        ),
    },
)
async def chat_completions(
    body: Annotated[ChatRequest, Depends(openai_json(ChatRequest))],
    conversation_key: ConversationDep,
    server: ServerDep,
    background: BackgroundTasks,
    request: Request,
    answer: Response,
) -> ChatCompletion | Response:
    """Say something to Lo-Bug, with its memory. The token decides whose memory, never the body."""
    require_model(body.model, CHAT_MODEL)
    asked = turn_request(body, server.settings.limits.max_text_chars)
    timeline = Timeline("openai", server.clock)
    completion = _Completion(timeline.id, body)
    background.add_task(server.after_turn, conversation_key)
    caller = caller_of(request.scope)
    turn = server.turns.run(
        conversation_key,
        asked.utterance,
        voice=False,
        timeline=timeline,
        caller=asked.context,
        privileged=caller.privileged,
    )
    if body.stream:
        stream = TurnStream(turn, caller=caller, access=server.access)
        return await _streamed(request, stream, completion, server.settings)
    try:
        outcome = await while_connected(request, run_to_end(turn))
    except ClientDisconnect:
        return client_closed()
    if isinstance(outcome, Failed):
        return problem(outcome.error)
    answer.headers[TURN_HEADER] = timeline.id
    return completion.whole(outcome.done)


async def _streamed(
    request: Request, turn: TurnStream, completion: _Completion, settings: Settings
) -> Response:
    """The response, once the first words exist. Until then a failure is an ordinary error, after
    which clients try again."""
    try:
        first = await while_connected(request, _first_words(turn))
    except ClientDisconnect:
        await turn.aclose()
        return client_closed()
    except BaseException:
        await turn.aclose()
        raise
    if isinstance(first, Failed):
        await turn.aclose()
        return problem(first.error)
    chunks = _chunks(first, turn, completion)
    return event_response(chunks, completion.turn_id, settings)


async def _first_words(turn: TurnStream) -> ReplyDelta | Done | Failed:
    async for event in turn:
        if isinstance(event, ReplyDelta | Done | Failed):
            return event
    raise AssertionError("a turn's stream ends with Done or Failed")


async def _chunks(
    first: ReplyDelta | Done, turn: TurnStream, completion: _Completion
) -> AsyncGenerator[ServerSentEvent]:
    last = first
    try:
        yield completion.chunk({"role": "assistant", "content": ""})
        if isinstance(first, ReplyDelta):
            yield completion.chunk({"content": first.text})
        async for event in turn:
            if isinstance(event, ReplyDelta):
                yield completion.chunk({"content": event.text})
            elif isinstance(event, Done):
                last = event
            elif isinstance(event, Failed):
                yield _data(failure_body(event.error))
                return
        yield completion.chunk({}, finish=_finish(last))
        if completion.include_usage:
            yield completion.usage_chunk()
        yield ServerSentEvent("[DONE]", sep="\n")
    finally:
        await turn.aclose()


class _Completion:
    """The answer to one request, whole or in chunks."""

    def __init__(self, turn_id: str, request: ChatRequest) -> None:
        self.turn_id = turn_id
        self.include_usage = bool(request.stream_options and request.stream_options.include_usage)
        self._request = request
        self._head = {
            "id": f"chatcmpl-{turn_id}",
            "created": int(time.time()),
            "model": request.model,
        }
        self._said = ""

    def whole(self, done: Done) -> ChatCompletion:
        self._said = done.response
        choice = Choice(message=ReplyMessage(content=done.response), finish_reason=_finish(done))
        return ChatCompletion(**self._head, choices=[choice], usage=self._usage())

    def chunk(self, delta: dict[str, str], finish: FinishReason | None = None) -> ServerSentEvent:
        """The next chunk."""
        self._said += delta.get("content", "")
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._chunk([choice], {"usage": None} if self.include_usage else {})

    def usage_chunk(self) -> ServerSentEvent:
        """The last chunk, with the token counts."""
        return self._chunk([], {"usage": self._usage().model_dump()})

    def _chunk(self, choices: list[Any], more: dict[str, Any]) -> ServerSentEvent:
        head = {**self._head, "object": "chat.completion.chunk"}
        return _data({**head, "choices": choices, **more})

    def _usage(self) -> Usage:
        prompt = estimate_tokens(
            [ChatMessage("user", words_of(message)) for message in self._request.messages]
        )
        reply = estimate_tokens([ChatMessage("assistant", self._said)])
        return Usage(prompt_tokens=prompt, completion_tokens=reply, total_tokens=prompt + reply)


def _finish(last: ReplyDelta | Done) -> FinishReason:
    return "length" if isinstance(last, Done) and last.truncated else "stop"


def _data(value: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(value), sep="\n")
