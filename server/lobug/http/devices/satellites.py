"""`/wyoming/satellites`, for the owner: where people talk from over Wyoming, and who they are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field

from lobug.errors import SatelliteUnknownError
from lobug.http.dependencies import ServerDep, documented, json_body, require_admin
from lobug.http.devices.admin import OWNER_BODY_ERRORS, OWNER_ERRORS, User
from lobug.http.formats import Answer, Time
from lobug.http.problems import error_responses


class KnownSatellite(Answer):
    """A voice satellite, or another place from which somebody talked."""

    id: str = Field(
        description="Home Assistant's id of the device, else the entity, else the address of the"
        " client: of all pages and phones there."
    )
    entity: str = Field(description="Such as `assist_satellite.kitchen`; may be empty.")
    address: str = Field(description="Of the client that spoke for it last.")
    user: str | None = Field(
        description="Whose words come from it; null: `conversation.users` says, else it is a user"
        " of its own, `wyoming:ID`."
    )
    created_at: Time = Field(description="When somebody talked from there for the first time.")
    last_seen_at: Time = Field(description="When somebody talked from there last, to the hour.")


class KnownSatellites(BaseModel):
    """All satellites."""

    satellites: list[KnownSatellite] = Field(description="Oldest first.")


class AssignRequest(BaseModel):
    """Whose words come from a satellite."""

    model_config = ConfigDict(extra="forbid")

    user: User | None = Field(
        description="The user; null: what `conversation.users` says, else a user of its own."
    )


router = APIRouter(
    prefix="/wyoming/satellites", tags=["devices"], dependencies=[Depends(require_admin)]
)


@router.get("", responses=error_responses(*OWNER_ERRORS))
async def satellites(server: ServerDep) -> KnownSatellites:
    """List the places from which somebody talked over Wyoming."""
    known = server.access.satellites.all()
    return KnownSatellites(
        satellites=[KnownSatellite.of(one, id=one.satellite_id) for one in known]
    )


@router.patch(
    "/{satellite_id}",
    openapi_extra=documented(AssignRequest),
    responses=error_responses(*OWNER_BODY_ERRORS, SatelliteUnknownError),
)
async def assign(
    satellite_id: Annotated[str, Path(max_length=128, description="Id of a satellite.")],
    body: Annotated[AssignRequest, Depends(json_body(AssignRequest))],
    server: ServerDep,
) -> KnownSatellite:
    """Say whose words come from a satellite, from the next turn on. What it was told before stays
    with the user that it had."""
    assigned = await server.access.satellites.assign(satellite_id, body.user)
    return KnownSatellite.of(assigned, id=assigned.satellite_id)
