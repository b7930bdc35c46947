"""`/web/events`: what happens, as server-sent events; `/web/heard`: the last utterances.

Events are notices: a page fetches what it shows. docs/web-api.md has an example of each.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, Field
from sse_starlette import EventSourceResponse, ServerSentEvent

from lobug import __version__
from lobug.access.callers import Caller, Revoked
from lobug.errors import BusyError, InvalidRequestError, TooManyRequestsError
from lobug.http.alerts import KnownAlert
from lobug.http.dependencies import (
    CallerDep,
    ServerDep,
    claimant_of_scope,
    conversation_of_caller,
    private,
)
from lobug.http.formats import Answer, Time
from lobug.http.problems import error_responses
from lobug.http.status import device_names, turn_row
from lobug.http.stream_response import LINE_END, Events
from lobug.live.heard import HeardUtterance
from lobug.live.hub import (
    Audience,
    Changed,
    Notice,
    Rings,
    Subscription,
    Topic,
    TurnEnded,
    WasHeard,
)
from lobug.memory.model import HOUSEHOLD
from lobug.server import LobugServer
from lobug.turn.timeline import DOORS, Outcome


class HelloEvent(BaseModel):
    """``hello``: the first event. After another ``instance`` all is to be fetched again."""

    version: str = Field(description="Version of the server.")
    instance: str = Field(description="Identifies this run of the server.")


class ChangedEvent(BaseModel):
    """``changed``: what was fetched of this topic is out of date."""

    topic: Topic = Field(description="What has changed.")
    user: str | None = Field(
        description="Whose it is; null: the household's, nobody's alone, or it is not known."
    )


class RingingEvent(BaseModel):
    """``ringing``: what rings for the person has changed."""

    alert: KnownAlert | None = Field(
        description="The oldest that rings and was not silenced; null: nothing rings any more."
    )


class HeardRow(Answer):
    """``heard``: an utterance and what became of it."""

    at: Time = Field(description="When it was heard.")
    user: str = Field(description="Whose it is.")
    device: str = Field(
        description="What the owner calls the device, else its `Device-Id`; empty without one."
    )
    door: str = Field(description=f"How it came in: {', '.join(DOORS[:-1])} or {DOORS[-1]}.")
    text: str = Field(
        description="Its words; empty where there were none, or where they have been forgotten."
    )
    outcome: Outcome = Field(description="How its turn ended, as in `/turns`.")
    reason: str | None = Field(
        description="Why it was ignored: no_speech, noise, echo or model; or the stable code of"
        " what failed; else null."
    )


class HeardRows(BaseModel):
    """The last utterances."""

    heard: list[HeardRow] = Field(description="The newest first.")
    kept: int = Field(description="How many are kept; 0: none are.")


MAX_HEARD = 1_000
"""Most utterances in one answer."""

router = APIRouter(prefix="/web", tags=["web"], dependencies=[Depends(private)])


@router.get(
    "/events",
    response_class=EventSourceResponse,
    responses={
        200: {"content": {"text/event-stream": {}}, "description": "Events, until the end."},
        **error_responses(BusyError, TooManyRequestsError),
    },
)
async def events(request: Request, server: ServerDep, caller: CallerDep) -> EventSourceResponse:
    """Tell what happens, as server-sent events: `hello`, `changed`, `turn`, `heard`, `ringing`,
    and `signed_out` as the last if the caller's right has ended.

    A person is told only of what is theirs; the owner also of devices, settings and turns; at this
    computer also of all people. A caller that reads too slowly is cut off.
    """
    audience = audience_of(caller, server)
    claimant = claimant_of_scope(request.scope, server.settings)
    subscription = server.hub.subscribe(audience, claimant)
    return Events(
        _events(server, caller, audience, subscription),
        server.settings,
        done=subscription.close,
    )


@router.get("/heard", responses=error_responses(InvalidRequestError))
async def heard(
    server: ServerDep,
    caller: CallerDep,
    limit: Annotated[
        int, Query(ge=1, le=MAX_HEARD, description="Most utterances in the answer.")
    ] = 50,
) -> HeardRows:
    """The last utterances of the caller (at this computer: of all people), and why one was ignored.

    `telemetry.heard_kept` of all people together are kept, in main memory only.
    """
    audience = audience_of(caller, server)
    user = None if audience.everybody else audience.user
    names = device_names(server)
    rows = [_heard(one, names) for one in server.heard.newest(limit, user)]
    return HeardRows(heard=rows, kept=server.settings.telemetry.heard_kept)


def audience_of(caller: Caller, server: LobugServer) -> Audience:
    """What a caller is told of."""
    user = conversation_of_caller(caller, server.settings).user
    return Audience(
        user,
        owner=caller.owner,
        everybody=caller.at_this_computer,
        household=server.settings.memory.household.get(user, "none") != "none",
    )


async def _events(
    server: LobugServer, caller: Caller, audience: Audience, subscription: Subscription
) -> AsyncGenerator[ServerSentEvent]:
    def on_revoked(revoked: Revoked) -> None:
        if revoked.concerns(caller):
            subscription.close()

    unsubscribe = server.access.when_revoked(on_revoked)
    try:
        yield _event("hello", HelloEvent(version=__version__, instance=server.instance))
        ringing = server.schedule.ringing_for(audience.user)
        if ringing is not None:
            yield _rendered(Rings(audience.user, ringing), {})
        if server.access.still_valid(caller):
            async for notice in subscription:
                yield _rendered(notice, device_names(server))
        if not server.access.still_valid(caller):
            yield ServerSentEvent("{}", event="signed_out", sep=LINE_END)
    finally:
        unsubscribe()
        subscription.close()


def _rendered(notice: Notice, names: Mapping[str, str]) -> ServerSentEvent:
    match notice:
        case Changed(topic, user):
            shown = None if user == HOUSEHOLD else user
            return _event("changed", ChangedEvent(topic=topic, user=shown))
        case TurnEnded(turn):
            return _event("turn", turn_row(turn, names))
        case WasHeard(utterance):
            return _event("heard", _heard(utterance, names))
        case Rings(alert=alert):
            known = None if alert is None else KnownAlert.of(alert)
            return _event("ringing", RingingEvent(alert=known))


def _event(name: str, data: BaseModel) -> ServerSentEvent:
    return ServerSentEvent(data.model_dump_json(), event=name, sep=LINE_END)


def _heard(utterance: HeardUtterance, names: Mapping[str, str]) -> HeardRow:
    device = names.get(utterance.device) or utterance.device
    return HeardRow.of(utterance, device=device)
