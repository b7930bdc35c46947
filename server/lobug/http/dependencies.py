"""What routes take as FastAPI dependencies: the server, the caller and its conversation, a slot for
audio work, a JSON body.

Bodies are read as JSON whatever their content type: `curl -d` and small devices send a wrong one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel, ValidationError
from starlette.types import Scope

from lobug.access.callers import Caller
from lobug.conversation.registry import conversation_of
from lobug.engines.base import SpeechGate, SpeechToText, TextToSpeech
from lobug.errors import InvalidEncodingError, InvalidRequestError, OwnerOnlyError
from lobug.http.authentication import STATE_KEY
from lobug.http.uploads import read_at_most
from lobug.memory.model import ConversationKey
from lobug.priority import TurnPriority
from lobug.quota import Claimant
from lobug.server import LobugServer
from lobug.settings import LimitSettings, Settings
from lobug.turn.slots import CallerAudioJobs


async def get_server(request: Request) -> LobugServer:
    """The server of this request's app. A coroutine, because FastAPI runs plain functions in a pool
    of threads, and ``/health`` must not wait for a thread."""
    server: LobugServer = request.app.state.lobug
    return server


ServerDep = Annotated[LobugServer, Depends(get_server)]


class SpeechEngines(Protocol):
    """The engines that hear and speak."""

    @property
    def gate(self) -> SpeechGate:
        """Finds speech in a recording."""

    @property
    def stt(self) -> SpeechToText:
        """Hears."""

    @property
    def tts(self) -> TextToSpeech:
        """Speaks."""


class SpeechServer(Protocol):
    """What hearing and speaking over HTTP needs of a server. A ``LobugServer`` has it; so has what
    hears and speaks and does nothing else (``deploy/ray/``)."""

    @property
    def settings(self) -> Settings:
        """Those in effect."""

    @property
    def engines(self) -> SpeechEngines:
        """Its engines."""

    @property
    def priority(self) -> TurnPriority:
        """Lets background work wait for callers."""


async def get_speech_server(request: Request) -> SpeechServer:
    """The server of this request's app, of which only hearing and speaking is asked."""
    server: SpeechServer = request.app.state.lobug
    return server


SpeechServerDep = Annotated[SpeechServer, Depends(get_speech_server)]


async def private(response: Response) -> None:
    """Forbid caches to keep an answer; for every route of memory."""
    response.headers["Cache-Control"] = "no-store"


def caller_of(scope: Scope) -> Caller:
    """The caller of a request or a WebSocket. Raises KeyError if ``Authentication`` did not run."""
    caller: Caller = scope["state"][STATE_KEY]
    return caller


def conversation_of_caller(caller: Caller, settings: Settings) -> ConversationKey:
    """The user and the conversation to which a caller's words belong."""
    return conversation_of(
        caller.key,
        settings.conversation.users,
        user=caller.user,
        conversation=caller.conversation,
    )


def conversation_of_scope(scope: Scope, settings: Settings) -> ConversationKey:
    """User and conversation of a request or a WebSocket. Raises KeyError as ``caller_of``."""
    return conversation_of_caller(caller_of(scope), settings)


def claimant_of_scope(scope: Scope, settings: Settings) -> Claimant:
    """The claimant whose quotas a request or a WebSocket uses. Raises KeyError as ``caller_of``."""
    caller = caller_of(scope)
    return Claimant(conversation_of_caller(caller, settings).user, caller.privileged)


async def get_caller(request: Request) -> Caller:
    return caller_of(request.scope)


async def get_conversation(
    request: Request,
    server: ServerDep,
    # Only for OpenAPI; ``Authentication`` has read the header.
    device_id: Annotated[
        str | None,
        Header(
            description="Names the device; each device has its own conversation. A token that was"
            " given to a device or to a person says more than this. Without either, another bearer"
            " token counts, else the address (the first firmware sends neither)."
        ),
    ] = None,
) -> ConversationKey:
    return conversation_of_scope(request.scope, server.settings)


async def require_admin(request: Request) -> Caller:
    """The caller, who must be the owner: on this computer, with an owner's token or in an owner's
    browser. Raises OwnerOnlyError."""
    caller = caller_of(request.scope)
    if not caller.owner:
        raise OwnerOnlyError(
            "this is for the owner: at the computer that Lo-Bug runs on, with an owner's token or"
            " in an owner's browser"
        )
    return caller


async def require_watcher(request: Request) -> Caller:
    """The caller, who must be the owner or have a token with the scope `metrics`. Raises
    OwnerOnlyError."""
    caller = caller_of(request.scope)
    if not caller.may_watch:
        raise OwnerOnlyError(
            "this is for the owner, or for a token that was made with `--scope metrics`"
        )
    return caller


CallerDep = Annotated[Caller, Depends(get_caller)]
ConversationDep = Annotated[ConversationKey, Depends(get_conversation)]


async def get_audio_jobs(request: Request, server: SpeechServerDep) -> CallerAudioJobs:
    """The slots of this request's app, for its caller."""
    claimant = claimant_of_scope(request.scope, server.settings)
    return CallerAudioJobs(request.app.state.audio_jobs, claimant)


AudioJobsDep = Annotated[CallerAudioJobs, Depends(get_audio_jobs)]


M = TypeVar("M", bound=BaseModel)

SHOWN_FAULTS = 5
"""Most faults of a body that an error lists."""

BYTES_PER_CHARACTER = 12
"""Longest form of a character in JSON: two escaped surrogates."""

BYTES_BESIDE_TEXT = 64 * 1024
"""Allowance for all but the text. Parsing JSON blocks the event loop, 10 to 20 ms a megabyte, so a
body may not be as large as a recording."""


def json_body(model: type[M]) -> Callable[[Request, ServerDep], Awaitable[M]]:
    """A dependency that reads the body as JSON of this model.

    It raises InvalidEncodingError (not JSON, not UTF-8), InvalidRequestError (not of this model) or
    BodyTooLargeError (larger than any JSON with ``limits.max_text_chars`` needs to be). Use
    ``documented`` on the route, for OpenAPI.
    """

    async def read(request: Request, server: ServerDep) -> M:
        body = await read_at_most(request, longest_json(server.settings.limits))
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            raise InvalidRequestError(shown_faults(error)) from None

    return read


def longest_json(limits: LimitSettings) -> int:
    """Most bytes of a body with one text of the greatest length."""
    return BYTES_PER_CHARACTER * limits.max_text_chars + BYTES_BESIDE_TEXT


def shown_faults(error: ValidationError) -> str:
    """The first faults of a body, for its sender, without what it holds. Raises
    InvalidEncodingError: it is not JSON."""
    return "; ".join(fault for _, fault in _faults(error)[:SHOWN_FAULTS])


def openai_json(model: type[M]) -> Callable[[Request, SpeechServerDep], Awaitable[M]]:
    """``json_body`` for OpenAI's protocol: at most ``limits.max_chat_bytes``; an
    InvalidRequestError names the first wrong field as its ``param``."""

    async def read(request: Request, server: SpeechServerDep) -> M:
        body = await read_at_most(request, server.settings.limits.max_chat_bytes)
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            param, fault = _faults(error)[0]
            raise InvalidRequestError(fault, param=param) from None

    return read


def _faults(error: ValidationError) -> list[tuple[str | None, str]]:
    """The place (None: the whole body) and the description of each fault of a body. The input is
    left out, because it may be somebody's words. Raises InvalidEncodingError: it is not JSON."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    if any(fault["type"] == "json_invalid" for fault in faults):
        raise InvalidEncodingError("the body is not valid JSON in UTF-8") from None
    places = [".".join(map(str, fault["loc"])) or None for fault in faults]
    return [
        (place, f"{place or 'body'}: {fault['msg'].removeprefix('Value error, ')}")
        for place, fault in zip(places, faults, strict=True)
    ]


def documented(model: type[BaseModel]) -> dict[str, Any]:
    """The body that ``json_body`` reads, for a route's ``openapi_extra``."""
    schema = model.model_json_schema()
    schema = _inlined(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema with its definitions inlined, because references do not work in the middle of a
    document. None of our schemas is recursive."""
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref", "")
    if reference.startswith("#/$defs/"):
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        found = definitions[reference.removeprefix("#/$defs/")]
        return _inlined({**found, **rest}, definitions)
    return {key: _inlined(value, definitions) for key, value in schema.items()}
