"""`GET /memory/export` and `POST /memory/import`: a user's whole memory as a file."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from json.scanner import py_make_scanner  # type: ignore[attr-defined]  # not in its stubs
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from lobug.errors import (
    BodyTimeoutError,
    BodyTooLargeError,
    BusyError,
    ImportInvalidError,
    InvalidEncodingError,
    MemoryContentError,
    MemoryKeyError,
    TooManyRequestsError,
    UploadStorageError,
)
from lobug.http.dependencies import CallerDep
from lobug.http.formats import rfc3339
from lobug.http.memory.entries import shown_fields
from lobug.http.memory.requests import EVERYWHERE, MemoryDep, ScopeDep
from lobug.http.problems import error_responses
from lobug.http.uploads import spool
from lobug.memory.model import (
    Imported,
)


class MemoryImported(BaseModel):
    """What an import brought in."""

    __annotations__ = shown_fields(Imported)


router = APIRouter()

PIECE_CHARS = 64 * 1024
"""Size of the pieces of an export, characters, about."""

SMALL_BYTES = 256 * 1024
"""Up to here Python's fast JSON reader may hold all threads: 3 ms."""


class YieldingDecoder(json.JSONDecoder):
    """Reads JSON in Python, at a fifth of the speed of the C reader. The C reader lets no other
    thread run until the last byte: 0.3 s of silence for 32 MB."""

    def __init__(self) -> None:
        super().__init__()
        self.scan_once = py_make_scanner(self)


@router.get(
    "/export",
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "content": {
                "application/json": {"schema": {"type": "object"}},
                "text/markdown": {"schema": {"type": "string"}},
            },
        },
        **error_responses(*EVERYWHERE),
    },
)
async def export(
    caller: CallerDep,
    scope: ScopeDep,
    memory: MemoryDep,
    as_format: Annotated[
        Literal["json", "markdown"],
        Query(
            alias="format",
            description="`json`: complete, can be imported. `markdown`: to be read.",
        ),
    ] = "json",
) -> Response:
    """Download all of the user's memory."""
    day = rfc3339(time.time())[:10]
    if as_format == "markdown":
        text = await memory.export_markdown(scope)
        return Response(
            text, media_type="text/markdown", headers=_download(f"lobug-memory-{day}.md")
        )
    document = await memory.export(scope)
    if not caller.owner:
        document = without_parts(document)
    return StreamingResponse(
        in_pieces(document),
        media_type="application/json",
        headers=_download(f"lobug-memory-{day}.json"),
    )


def without_parts(document: Mapping[str, Any]) -> dict[str, Any]:
    """An export whose retrieval log lacks the summands of the scores."""
    return dict(document) | {
        "recalls": [
            recall | {"hits": [hit | {"parts": {}} for hit in recall["hits"]]}
            for recall in document["recalls"]
        ]
    }


@router.post(
    "/import",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
    responses=error_responses(
        *EVERYWHERE,
        InvalidEncodingError,
        ImportInvalidError,
        MemoryContentError,
        MemoryKeyError,
        BodyTooLargeError,
        BodyTimeoutError,
        TooManyRequestsError,
        BusyError,
        UploadStorageError,
    ),
)
async def import_json(request: Request, scope: ScopeDep, memory: MemoryDep) -> MemoryImported:
    """Bring in an export of Lo-Bug, or a `sessions.json` snapshot, as a JSON body of at most
    `limits.max_body_bytes`. What is there already is skipped; all or nothing."""
    file, _ = await spool(request)
    one_at_a_time: asyncio.Lock = request.app.state.one_import
    async with one_at_a_time:  # a document takes several times its size in memory
        document = await asyncio.to_thread(_read_file, file)
        return MemoryImported(**asdict(await memory.import_json(scope, document)))


def _read_file(file: BinaryIO) -> object:
    file.seek(0)
    return read_json(file.read())


def _download(name: str) -> dict[str, str]:
    return {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }


def in_pieces(document: Mapping[str, Any]) -> Iterator[str]:
    """The JSON of a document, piece by piece; other threads run in between."""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=1)
    gathered: list[str] = []
    size = 0
    for part in encoder.iterencode(document):
        gathered.append(part)
        size += len(part)
        if size >= PIECE_CHARS:
            yield "".join(gathered)
            gathered, size = [], 0
    yield "".join(gathered) + "\n"


def read_json(body: bytes) -> object:
    """The document in a body. Raises InvalidEncodingError, ImportInvalidError."""
    try:
        text = body.decode()
        decoder = json.JSONDecoder() if len(body) <= SMALL_BYTES else YieldingDecoder()
        document: object = decoder.decode(text.removeprefix("\ufeff"))
        # Half a surrogate pair can be written in JSON but not stored.
        _check_text(document)
    except RecursionError:
        raise ImportInvalidError("the document is nested too deeply") from None
    except UnicodeEncodeError:
        raise ImportInvalidError("the document holds half a surrogate pair") from None
    except ValueError:  # among them: not UTF-8, numbers of thousands of digits
        raise InvalidEncodingError("the body is not valid JSON in UTF-8") from None
    return document


def _check_text(value: object) -> None:
    """Raises UnicodeEncodeError, RecursionError, ImportInvalidError."""
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise ImportInvalidError("the document holds a NUL character")
    elif isinstance(value, dict):
        for name, inner in value.items():
            _check_text(name)
            _check_text(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_text(inner)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ImportInvalidError("the document holds a number of more than 64 bits")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ImportInvalidError("the document holds a number that is not finite")
