"""`/xiaozhi/v1/`: the WebSocket of streaming devices."""

from __future__ import annotations

import asyncio
import logging
import uuid
from contextlib import suppress

from fastapi import APIRouter, WebSocket

from lobug.access.callers import Caller
from lobug.devices import messages
from lobug.devices.caption_font import caption_font
from lobug.devices.connection import Connection, ConnectionLostError, negotiate
from lobug.devices.frames import CloseCode
from lobug.devices.session import DeviceSession
from lobug.errors import HelloError, MessageError
from lobug.http.dependencies import caller_of, conversation_of_caller
from lobug.server import LobugServer

log = logging.getLogger(__name__)

router = APIRouter()


@router.websocket("/xiaozhi/v1")
@router.websocket("/xiaozhi/v1/")
async def converse(websocket: WebSocket) -> None:
    """Talk with a device, from its hello to the end. docs/protocol.md describes the protocol."""
    server: LobugServer = websocket.app.state.lobug
    await websocket.accept()
    connection = Connection(
        websocket,
        str(uuid.uuid4()),
        server.connections.codecs,
        send_timeout_s=server.settings.streaming.send_timeout_s,
        on_audio_sent=server.telemetry.audio_sent,
    )
    caller = caller_of(websocket.scope)
    if caller.kind == "waiting":
        await _tell_code(websocket, connection, server, caller)
        return
    if server.connections.full and not server.connections.connected(caller.key):
        await connection.close(CloseCode.SERVER_FULL)
        return
    with (
        server.connections.register(caller, connection),
        server.telemetry.connected_device(),
    ):
        try:
            if not server.access.still_valid(caller):
                # Revoked while the connection was being opened, when no callback was set yet.
                await connection.close(CloseCode.TOKEN_REVOKED)
                return
            hello = await _greet(websocket, connection, server)
            if hello is None:
                return
            owner = conversation_of_caller(caller, server.settings)
            if caller.device_id is not None and websocket.client is not None:
                server.device_statuses.note(caller.device_id, address=websocket.client.host)
            if caller.device_id is not None and hello.report is not None:
                server.take_report(caller.device_id, hello.report)
            session = DeviceSession(
                server,
                connection,
                owner,
                device=caller.device_id or "",
                privileged=caller.privileged,
            )
            with server.connections.talking(caller.key, session):
                await session.run()
        except ConnectionLostError:
            log.debug("a device has gone")
        except Exception:
            log.exception("a device's connection failed")
            with suppress(ConnectionLostError):
                await connection.close(CloseCode.INTERNAL)
        finally:
            connection.abandon()


async def _tell_code(
    websocket: WebSocket, connection: Connection, server: LobugServer, caller: Caller
) -> None:
    """Tell a device that waits for its owner's approval what it waits for: no turn, no memory, no
    tools."""
    device_id = caller.device_id or ""
    client_id = websocket.headers.get("client-id", "")
    with server.waiting_devices.register(device_id, client_id, connection):
        try:
            if await _greet(websocket, connection, server, pictures=False) is not None:
                await server.waiting_devices.serve(
                    connection, lambda: server.access.devices.awaiting(device_id, client_id)
                )
        except ConnectionLostError:
            log.debug("a device that waits for approval has gone")
        except Exception:
            log.exception("the connection of a device that waits for approval failed")
            with suppress(ConnectionLostError):
                await connection.close(CloseCode.INTERNAL)
        finally:
            connection.abandon()


async def _greet(
    websocket: WebSocket, connection: Connection, server: LobugServer, *, pictures: bool = True
) -> messages.Hello | None:
    """Exchange hellos and return the device's. None: it was late or wrong, and the connection is
    closed. ``pictures``: send a device pictures of characters if it wants some."""
    try:
        async with asyncio.timeout(server.settings.streaming.hello_timeout_s):
            message = await connection.receive()
    except TimeoutError:
        await connection.close(CloseCode.HELLO_TIMEOUT)
        return None
    try:
        hello = _hello(message)
        connection.agreement = negotiate(hello, websocket.headers.get("protocol-version"))
    except (HelloError, MessageError) as fault:
        await connection.send(messages.alert(connection.session_id, "Lo-Bug", fault.spoken))
        await connection.close(CloseCode.HELLO_INVALID, str(fault))
        return None
    await connection.send(messages.hello(connection.session_id, connection.agreement.downlink))
    if pictures and connection.agreement.glyphs:
        connection.push_glyphs(await asyncio.to_thread(caption_font))
    return hello


def _hello(message: str | bytes) -> messages.Hello:
    hello = messages.parse(message)
    if not isinstance(hello, messages.Hello):
        raise HelloError("the first message is not a hello")
    return hello
