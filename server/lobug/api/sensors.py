"""`POST /context/sensors`: what a device senses."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from lobug.api.body import documented, json_body
from lobug.api.caller import OwnerDep
from lobug.api.problems import error_responses
from lobug.api.schemas import SensorReply, SensorRequest
from lobug.api.state import ServerDep
from lobug.errors import (
    BodyTimeoutError,
    BodyTooLargeError,
    InvalidEncodingError,
    InvalidRequestError,
)

router = APIRouter(tags=["context"])


@router.post(
    "/context/sensors",
    openapi_extra=documented(SensorRequest),
    responses=error_responses(
        InvalidEncodingError, InvalidRequestError, BodyTooLargeError, BodyTimeoutError
    ),
)
async def sensors(
    body: Annotated[SensorRequest, Depends(json_body(SensorRequest))],
    owner: OwnerDep,
    server: ServerDep,
) -> SensorReply:
    """Take a reading; it colours this device's turns for the next 30 s, a tap for 5 s."""
    server.take_sensors(owner, body.reading())
    return SensorReply()
