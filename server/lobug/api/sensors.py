"""`POST /context/sensors`: what a device senses."""

from __future__ import annotations

from fastapi import APIRouter

from lobug.api.caller import OwnerDep
from lobug.api.problems import error_responses
from lobug.api.schemas import SensorReply, SensorRequest
from lobug.api.state import ServerDep
from lobug.errors import BodyTooLargeError, InvalidEncodingError, InvalidRequestError

router = APIRouter(tags=["context"])


@router.post(
    "/context/sensors",
    responses=error_responses(InvalidEncodingError, InvalidRequestError, BodyTooLargeError),
)
async def sensors(body: SensorRequest, owner: OwnerDep, server: ServerDep) -> SensorReply:
    """Take a reading; it colours this device's turns for the next 30 s, a tap for 5 s."""
    server.take_sensors(owner, body.reading())
    return SensorReply()
