"""What is told: the bodies of webhooks. docs/webhooks.schema.json shows their JSON schemas.

``text`` of each event's data holds somebody's words. It is kept apart until the event is sent, so
that it can be erased (``content`` of the outbox), and is absent unless the owner wants it.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lobug.turn.timeline import ANSWERERS, DOORS

_ALERTS = uuid.UUID("6f0f3f0e-6c5b-4c53-9b7c-2d8f5a0f8d11")
"""Of the ids of alerts that ring: after a restart the same ring has the same id."""

Text = Annotated[
    str | None,
    Field(description="Only with `webhooks.include_text`; also absent when it was forgotten."),
]
User = Annotated[str, Field(description="Whose it is.")]
DeviceId = Annotated[str | None, Field(description="`Device-Id`, in lower case; null: none.")]
Door = Annotated[str, Field(description=f"By which door: {', '.join(DOORS[:-1])} or {DOORS[-1]}.")]
TurnId = Annotated[str, Field(description="Id of the turn, as in `/turns`.")]
Outcome = Annotated[
    str, Field(description="How the turn ended: respond, react, interrupted or failed.")
]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HeardData(_Part):
    """Somebody said something to Lo-Bug, and the turn is over."""

    user: User
    device: DeviceId
    door: Door
    turn: TurnId
    outcome: Outcome
    text: Text = None


class RepliedData(_Part):
    """Lo-Bug has replied."""

    user: User
    device: DeviceId
    door: Door
    turn: TurnId
    outcome: Outcome
    answered_by: str = Field(
        description=f"What made the reply: {', '.join(ANSWERERS)} or the name of a skill."
    )
    text: Text = None


class AlertData(_Part):
    """A timer, an alarm or a reminder has begun to ring."""

    user: User
    alert: int = Field(description="Its id, as `lobug alerts` shows it.")
    kind: Literal["timer", "alarm", "reminder"]
    due_at: datetime = Field(description="When it fell due, UTC.")
    late: bool = Field(description="True: it fell due while the server was off, and rings not.")
    text: Text = None


class DeviceData(_Part):
    """A device has opened or lost its streaming connection."""

    device: str = Field(description="`Device-Id`, in lower case.")
    name: str = Field(description="What its owner calls it; may be empty.")
    connected: bool


class TrialData(_Part):
    """`lobug webhooks test` was called."""

    message: str


class _Event(_Part):
    id: uuid.UUID = Field(description="The same in every attempt to deliver the event.")
    timestamp: datetime = Field(description="When it happened, UTC.")


class HeardEvent(_Event):
    """The event ``heard``."""

    type: Literal["heard"] = "heard"
    data: HeardData


class RepliedEvent(_Event):
    """The event ``replied``."""

    type: Literal["replied"] = "replied"
    data: RepliedData


class AlertEvent(_Event):
    """The event ``alert``."""

    type: Literal["alert"] = "alert"
    data: AlertData


class DeviceEvent(_Event):
    """The event ``device``."""

    type: Literal["device"] = "device"
    data: DeviceData


class TrialEvent(_Event):
    """The event ``test``."""

    type: Literal["test"] = "test"
    data: TrialData


EVENTS: tuple[type[BaseModel], ...] = (
    HeardEvent, RepliedEvent, AlertEvent, DeviceEvent, TrialEvent,
)  # fmt: skip
"""Every event that there is."""

_KINDS: dict[type[_Part], type[BaseModel]] = {
    HeardData: HeardEvent,
    RepliedData: RepliedEvent,
    AlertData: AlertEvent,
    DeviceData: DeviceEvent,
    TrialData: TrialEvent,
}


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event on its way into the outbox."""

    event_id: str
    user: str | None
    """Whose words and doings they are; None: nobody's."""
    body: str
    """JSON without words."""
    content: str | None
    """The words; None: there are none, or they are not told."""
    created_at: float
    """Seconds since the epoch."""

    def without_words(self) -> QueuedEvent:
        return replace(self, content=None)


def queued(data: _Part, at: float, *, include_text: bool) -> QueuedEvent:
    """An event of now. ``at``: seconds since the epoch."""
    event_id = uuid.uuid4()
    if isinstance(data, AlertData):
        event_id = uuid.uuid5(_ALERTS, f"{data.alert} {data.due_at.isoformat()}")
    text = getattr(data, "text", None)
    event = _KINDS[type(data)](
        id=event_id,
        timestamp=datetime.fromtimestamp(at, UTC),
        data=data.model_copy(update={"text": None} if text is not None else {}),
    )
    body = event.model_dump_json(exclude={"data": {"text"}})
    return QueuedEvent(
        str(event_id),
        getattr(data, "user", None),
        body,
        text if include_text else None,
        at,
    )


def body_of(body: str, content: str | None) -> bytes:
    """The bytes to send, from an event's JSON and its words."""
    document: dict[str, Any] = json.loads(body)
    if content is not None:
        document["data"]["text"] = content
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "replace"
    )
