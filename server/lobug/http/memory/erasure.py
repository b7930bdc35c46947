"""`POST /memory/forget` and `POST /memory/purge`: erase by words, by session, by age, or all."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from lobug.errors import (
    ConfirmationRequiredError,
    EmptyTextError,
    InvalidRequestError,
    MemoryNotFoundError,
)
from lobug.http.dependencies import documented
from lobug.http.formats import rfc3339
from lobug.http.memory.entries import (
    MemoryForgotten,
)
from lobug.http.memory.requests import (
    MAX_ID,
    WITH_BODY,
    Body,
    MemoryDep,
    ScopeDep,
    memory_body,
)
from lobug.http.problems import error_responses
from lobug.memory.model import Forgotten, MemoryScope, Purge
from lobug.memory.service import Memory


class ForgetRequest(Body):
    """What to forget, in words."""

    text: str = Field(description="Whatever says this is erased.")
    dry_run: bool = Field(False, description="Only say what would go.")
    confirm: bool = Field(False, description="Has to be true: it cannot be undone.")


class PurgeRequest(Body):
    """What to erase: exactly one of `session`, `user` and `older_than_days`."""

    session: int | None = Field(None, ge=1, le=MAX_ID, description="Id of a session.")
    user: bool = Field(False, description="Everything of the user, what the agenda keeps included.")
    older_than_days: float | None = Field(
        None,
        gt=0.0,
        le=36_500.0,
        allow_inf_nan=False,
        description="Messages and timeline entries that are older.",
    )
    dry_run: bool = Field(False, description="Only count what would go from memory.")
    confirm: bool = Field(False, description="Has to be true: it cannot be undone.")


router = APIRouter()

DAY_S = 86_400.0
_AGENDA = "and all timers, alarms, reminders, lists and notes of that user"


@router.post(
    "/forget",
    openapi_extra=documented(ForgetRequest),
    responses=error_responses(*WITH_BODY, EmptyTextError, ConfirmationRequiredError),
)
async def forget(
    body: Annotated[ForgetRequest, Depends(memory_body(ForgetRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryForgotten:
    """Erase whatever says this: memories, messages and what was derived from them.

    Ask with `dry_run` what would go; then again with `confirm`.
    """
    if not body.text.strip():
        raise EmptyTextError("text is empty")
    if not body.confirm or body.dry_run:
        found = await memory.forget_text(scope, body.text, dry_run=True)
        if not body.dry_run and _anything(found):
            raise ConfirmationRequiredError(
                f"this would erase {counted(found)}; send confirm: true"
            )
        return MemoryForgotten.of(found, dry_run=True)
    return MemoryForgotten.of(await memory.forget_text(scope, body.text))


@router.post(
    "/purge",
    openapi_extra=documented(PurgeRequest),
    responses=error_responses(*WITH_BODY, ConfirmationRequiredError),
)
async def purge(
    body: Annotated[PurgeRequest, Depends(memory_body(PurgeRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryForgotten:
    """Erase a session, all of a user with timers, alarms, reminders, lists and notes, or what is
    old. Without `confirm` it only says what would go, with `dry_run` it counts that."""
    given = (body.session is not None, body.user, body.older_than_days is not None)
    if sum(given) != 1:
        raise InvalidRequestError("give exactly one of session, user: true and older_than_days")
    what_goes = Purge(session=body.session, user=body.user, older_than_days=body.older_than_days)
    if body.dry_run:
        return MemoryForgotten.of(await memory.purge(scope, what_goes, dry_run=True), dry_run=True)
    if not body.confirm:
        what = await _what_would_go(memory, scope, body)
        raise ConfirmationRequiredError(f"this would erase {what}; send confirm: true")
    return MemoryForgotten.of(await memory.purge(scope, what_goes))


async def _what_would_go(memory: Memory, scope: MemoryScope, body: PurgeRequest) -> str:
    """What a purge would erase, as words for the confirmation. Raises MemoryNotFoundError."""
    if body.session is not None:
        # The newest session before the next id is the wanted one, if it is the user's.
        found = await memory.sessions(scope, limit=1, before_id=body.session + 1)
        if not found or found[0].id != body.session:
            raise MemoryNotFoundError(f"there is no session {body.session}")
        session = found[0]
        return (
            f"session {session.id} of {rfc3339(session.started_at)}: "
            f"{_count(session.messages, 'message')} and what is known only from them"
        )
    if body.older_than_days is not None:
        before = rfc3339(time.time() - body.older_than_days * DAY_S)[: len("2026-03-01")]
        return f"all messages and timeline entries of {scope.user} from before {before}"
    known = await memory.one_user(scope.user)
    if known is None:
        return f"everything about {scope.user}, of whom memory keeps nothing, {_AGENDA}"
    return (
        f"everything about {scope.user}: {_count(known.entries, 'entry', 'entries')},"
        f" {_count(known.messages, 'message')}, {_count(known.sessions, 'session')}, {_AGENDA}"
    )


def _anything(found: Forgotten) -> bool:
    return bool(found.entries or found.messages or found.derived)


def counted(found: Forgotten | MemoryForgotten) -> str:
    """What would be erased, in numbers: the words themselves stay out of errors and logs."""
    return (
        f"{_count(len(found.entries), 'version')} of memories,"
        f" {_count(found.messages, 'message')} and"
        f" {_count(found.derived, 'text')} derived from them"
    )


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
