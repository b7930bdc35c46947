"""`/tokens`, for the owner: API tokens of people and scripts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from lobug.access.rules import MCP_SCOPES, TOKEN_SCOPES, checked_scopes
from lobug.errors import AccessFullError, TokenUnknownError
from lobug.http.dependencies import ServerDep, documented, json_body, require_admin
from lobug.http.devices.admin import (
    OWNER_BODY_ERRORS,
    OWNER_ERRORS,
    Name,
    User,
)
from lobug.http.formats import Answer, Time
from lobug.http.problems import error_responses

ConversationName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:@+\-]{1,128}$")]


class KnownToken(Answer):
    """An API token, without the token itself."""

    id: str = Field(description="By which it is revoked.")
    name: str = Field(description="What the owner calls it.")
    user: str | None = Field(
        description="Whose words come with it; null: `conversation.users` says, else it is a user"
        " of its own."
    )
    conversation: str | None = Field(
        description="Which conversation of the user they belong to; null: one of its own."
    )
    owner: bool = Field(description="Whether it may approve devices and make tokens.")
    scope: str | None = Field(
        description="What alone it is for, separated by spaces; null: it may talk."
    )
    created_at: Time = Field(description="When it was made.")
    last_used_at: Time | None = Field(description="When it was used last.")
    revoked_at: Time | None = Field(description="When it was revoked; null: it is in force.")


class NewToken(KnownToken):
    """An API token that was just made."""

    token: str = Field(description="The token itself: nobody can see it again.")


class KnownTokens(BaseModel):
    """All API tokens."""

    tokens: list[KnownToken] = Field(description="Revoked ones as well, oldest first.")


class TokenRequest(BaseModel):
    """What a new token is for."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[Name, Field(min_length=1)] = Field(description="What to call it.")
    user: User | None = Field(None, description="Whose words come with it.")
    conversation: ConversationName | None = Field(
        None, description="Which conversation of the user they belong to, `device:ID` for example."
    )
    owner: bool = Field(False, description="Whether it may approve devices and make tokens.")
    scope: Annotated[str, AfterValidator(checked_scopes)] | None = Field(
        None,
        max_length=200,
        description="What alone it is for, one or more of these separated by spaces. `metrics`: to"
        " read `/metrics` and all of `/health`. `announce`: to use `POST /announce`."
        f" {', '.join(f'`{scope}`' for scope in MCP_SCOPES)}: to use that part of `/mcp`; only"
        " together with one of these may it have a `user` or a `conversation`. Never together with"
        " `owner`.",
        json_schema_extra={"examples": [*TOKEN_SCOPES, "memory:read devices:speak"]},
    )

    @model_validator(mode="after")
    def _only_these_purposes(self) -> TokenRequest:
        if self.scope is None:
            return self
        if self.owner:
            raise ValueError("a token with a scope is no owner's")
        if (self.user or self.conversation) and not set(self.scope.split()) & set(MCP_SCOPES):
            raise ValueError("a token with this scope has no user and no conversation")
        return self


router = APIRouter(prefix="/tokens", tags=["tokens"], dependencies=[Depends(require_admin)])


@router.get("", responses=error_responses(*OWNER_ERRORS))
async def tokens(server: ServerDep) -> KnownTokens:
    """List the API tokens; of each all but the token itself, which is not kept."""
    known = server.access.tokens.all()
    return KnownTokens(tokens=[KnownToken.of(token, id=token.token_id) for token in known])


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
    return NewToken.of(made, id=made.token_id, token=token)


@router.delete("/{token_id}", responses=error_responses(*OWNER_ERRORS, TokenUnknownError))
async def revoke(
    token_id: Annotated[str, Path(max_length=64, description="Id of a token.")], server: ServerDep
) -> KnownToken:
    """End an API token, at once."""
    ended = await server.access.tokens.revoke(token_id)
    return KnownToken.of(ended, id=ended.token_id)
