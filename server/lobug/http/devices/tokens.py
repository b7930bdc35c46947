"""`/tokens`, for the owner: API tokens of people and scripts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from lobug.errors import AccessFullError, TokenUnknownError
from lobug.http.body import documented, json_body
from lobug.http.caller import require_admin
from lobug.http.devices.admin import OWNER_BODY_ERRORS, OWNER_ERRORS
from lobug.http.devices.schemas import (
    KnownToken,
    KnownTokens,
    NewToken,
    TokenRequest,
)
from lobug.http.problems import error_responses
from lobug.http.state import ServerDep

router = APIRouter(prefix="/tokens", tags=["tokens"], dependencies=[Depends(require_admin)])


@router.get("", responses=error_responses(*OWNER_ERRORS))
async def tokens(server: ServerDep) -> KnownTokens:
    """List the API tokens; of each all but the token itself, which is not kept."""
    known = server.access.tokens.all()
    return KnownTokens.model_validate({"tokens": [KnownToken.fields_of(token) for token in known]})


@router.post(
    "",
    openapi_extra=documented(TokenRequest),
    responses=error_responses(*OWNER_BODY_ERRORS, AccessFullError),
)
async def create(
    body: Annotated[TokenRequest, Depends(json_body(TokenRequest))],
    response: Response,
    server: ServerDep,
) -> NewToken:
    """Make an API token. The answer is the only place where it can be seen."""
    response.headers["Cache-Control"] = "no-store"
    made, token = await server.access.tokens.create(
        body.name,
        user=body.user,
        conversation=body.conversation,
        owner=body.owner,
        scope=body.scope,
    )
    return NewToken.model_validate({**KnownToken.fields_of(made), "token": token})


@router.delete("/{token_id}", responses=error_responses(*OWNER_ERRORS, TokenUnknownError))
async def revoke(
    token_id: Annotated[str, Path(max_length=64, description="Id of a token.")], server: ServerDep
) -> KnownToken:
    """End an API token, at once."""
    ended = await server.access.tokens.revoke(token_id)
    return KnownToken.model_validate(KnownToken.fields_of(ended))
