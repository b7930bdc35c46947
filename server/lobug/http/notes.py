"""`/notes`: a person's notes to self."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, Field

from lobug.errors import (
    BodyTimeoutError,
    BodyTooLargeError,
    InvalidEncodingError,
    InvalidRequestError,
    NoteContentError,
    NoteLimitError,
    NoteNotFoundError,
    TextTooLongError,
)
from lobug.http.dependencies import ServerDep, documented, private
from lobug.http.formats import Answer, Time, epoch_seconds
from lobug.http.lists import EVERYWHERE
from lobug.http.memory.requests import MAX_ID, Body, ScopeDep, memory_body
from lobug.http.problems import error_responses
from lobug.language.en.note_words import is_about


class KnownNote(Answer):
    """A note to self."""

    id: int = Field(description="By which it is deleted.")
    content: str = Field(description="Word for word, on one line.")
    created_at: Time = Field(description="When it was made.")


class KnownNotes(BaseModel):
    """Notes of the caller."""

    notes: list[KnownNote] = Field(description="The newest first.")


class NoteRequest(Body):
    """A note to be kept."""

    content: str = Field(description="At most `skills.max_note_chars` characters.")


router = APIRouter(prefix="/notes", tags=["notes"], dependencies=[Depends(private)])


@router.get("", responses=error_responses(*EVERYWHERE))
async def notes(
    scope: ScopeDep,
    server: ServerDep,
    about: Annotated[
        str | None,
        Query(max_length=200, description="Only notes that have all of these words, in any form."),
    ] = None,
    since: Annotated[
        str | None,
        Query(description="Made at this time or later: RFC 3339, a date or epoch seconds."),
    ] = None,
    until: Annotated[str | None, Query(description="Made before this time.")] = None,
) -> KnownNotes:
    """Show the person's notes, the newest first."""
    found = await server.agenda.notes.of_user(
        scope.user, since=_time("since", since), until=_time("until", until)
    )
    wanted = [note for note in found if about is None or is_about(about, note.content)]
    return KnownNotes(notes=[KnownNote.of(note) for note in wanted])


@router.post(
    "",
    openapi_extra=documented(NoteRequest),
    responses=error_responses(
        *EVERYWHERE,
        InvalidEncodingError,
        BodyTooLargeError,
        BodyTimeoutError,
        TextTooLongError,
        NoteContentError,
        NoteLimitError,
    ),
)
async def add(
    body: Annotated[NoteRequest, Depends(memory_body(NoteRequest))],
    scope: ScopeDep,
    server: ServerDep,
) -> KnownNote:
    """Keep a note."""
    return KnownNote.of(await server.agenda.notes.add(scope.user, body.content))


@router.delete("/{note_id}", responses=error_responses(*EVERYWHERE, NoteNotFoundError))
async def delete(
    note_id: Annotated[int, Path(ge=1, le=MAX_ID, description="Id of a note.")],
    scope: ScopeDep,
    server: ServerDep,
) -> KnownNote:
    """Delete a note; the answer shows what it was."""
    gone = await server.agenda.notes.delete(scope.user, [note_id])
    if not gone:
        raise NoteNotFoundError("there is no note of this id")
    return KnownNote.of(gone[0])


def _time(name: str, text: str | None) -> float | None:
    try:
        return None if text is None else epoch_seconds(text)
    except ValueError as error:
        raise InvalidRequestError(f"{name}: {error}") from None
