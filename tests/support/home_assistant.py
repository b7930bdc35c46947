"""A Home Assistant that follows a script, on real sockets: its HTTP interface and its WebSocket, as
far as Lo-Bug uses them.

async with ScriptedHome() as home:
    home.answers["turn on the light"] = done("Turned on the light")
"""

from __future__ import annotations

import asyncio
import datetime
import json
from pathlib import Path
from typing import Any, Self

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import JSONResponse

TOKEN = "a-long-lived-token"


def answer(kind: str, speech: str, code: str = "", **more: object) -> dict[str, Any]:
    """What Home Assistant answers to a sentence."""
    data: dict[str, object] = {"code": code} if code else {"targets": [], "success": []}
    return {
        "response": {
            "speech": {"plain": {"speech": speech, "extra_data": None}},
            "card": {},
            "language": "en",
            "response_type": kind,
            "data": data,
        },
        "conversation_id": "01HOUSE",
        "continue_conversation": False,
        **more,
    }


def done(speech: str, **more: object) -> dict[str, Any]:
    return answer("action_done", speech, "", **more)


NOT_UNDERSTOOD = answer("error", "Sorry, I couldn't understand that", "no_intent_match")


class ScriptedHome:
    """A Home Assistant. Change its attributes while it runs."""

    def __init__(self, certificate: Path | None = None) -> None:
        """``certificate``: a PEM file with its certificate and key, for HTTPS."""
        self.answers: dict[str, dict[str, Any]] = {}
        """By the sentence in small letters; others are not understood."""
        self.asked: list[dict[str, Any]] = []
        """Bodies of the requests to the conversation."""
        self.tokens: list[str] = []
        """Values of the Authorization header."""
        self.response: Response | None = None
        """Instead of every answer over HTTP."""
        self.fault_of_sentences: Response | None = None
        """Instead of every answer to a sentence."""
        self.gate: asyncio.Event | None = None
        """Answers to sentences wait for it."""
        self.acted: list[str] = []
        """Sentences that were carried out."""
        self.lists: dict[str, Any] = {
            "config/area_registry/list": [],
            "config/floor_registry/list": [],
            "config/entity_registry/list": [],
            "get_states": [],
            "config/entity_registry/get_entries": {},
        }
        self.url = ""
        self._certificate = certificate
        self._server: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen; after ``stop`` at the same address."""
        port = int(self.url.rsplit(":", 1)[1]) if self.url else 0
        certificate = None if self._certificate is None else str(self._certificate)
        config = uvicorn.Config(
            self._app(),
            host="127.0.0.1",
            port=port,
            log_level="critical",
            lifespan="off",
            ssl_certfile=certificate,
            ssl_keyfile=certificate,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._task = asyncio.create_task(self._server._serve())
        while not self._server.started:  # noqa: ASYNC110 - it sets no event
            await asyncio.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Go down."""
        if self._server is not None and self._task is not None:
            self._server.should_exit = self._server.force_exit = True
            await self._task
            self._server = None

    def room(self, name: str, *aliases: str) -> None:
        """Add a room."""
        self.lists["config/area_registry/list"].append({"name": name, "aliases": list(aliases)})

    def thing(
        self,
        entity_id: str,
        name: str,
        *aliases: str,
        exposed: bool | None = None,
        device_class: object = None,
    ) -> None:
        """Add a thing."""
        options = {} if exposed is None else {"conversation": {"should_expose": exposed}}
        self.lists["config/entity_registry/list"].append(
            {"entity_id": entity_id, "options": options, "name": None}
        )
        attributes: dict[str, object] = {"friendly_name": name}
        if device_class is not None:
            attributes["device_class"] = device_class
        self.lists["get_states"].append(
            {"entity_id": entity_id, "state": "off", "attributes": attributes}
        )
        entry = {"entity_id": entity_id, "aliases": list(aliases)}
        self.lists["config/entity_registry/get_entries"][entity_id] = entry

    def _app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/api/")
        async def check(request: Request) -> Response:
            refused = self._refusal(request)
            return refused or JSONResponse({"message": "API running."})

        @app.post("/api/conversation/process")
        async def process(request: Request) -> Response:
            body = await request.json()
            self.asked.append(body)
            refused = self._refusal(request)
            if refused is not None:
                return refused
            if self.fault_of_sentences is not None:
                return self.fault_of_sentences
            if self.gate is not None:
                await self.gate.wait()
            found = self.answers.get(body["text"].lower(), NOT_UNDERSTOOD)
            if found["response"]["response_type"] == "action_done":
                self.acted.append(body["text"])
            return JSONResponse(found)

        @app.websocket("/api/websocket")
        async def socket(socket: WebSocket) -> None:
            await socket.accept()
            await socket.send_json({"type": "auth_required", "ha_version": "2026.10.4"})
            given = await socket.receive_json()
            if given.get("access_token") != TOKEN:
                await socket.send_json({"type": "auth_invalid", "message": "Invalid token"})
                await socket.close()
                return
            await socket.send_json({"type": "auth_ok", "ha_version": "2026.10.4"})
            async for text in socket.iter_text():
                asked = json.loads(text)
                result = self.lists.get(asked["type"])
                about = {"id": asked["id"], "type": "result", "success": result is not None}
                error = {"code": "unknown_command", "message": "Unknown command."}
                await socket.send_json(
                    {**about, **({"error": error} if result is None else {"result": result})}
                )

        return app

    def _refusal(self, request: Request) -> Response | None:
        self.tokens.append(request.headers.get("authorization", ""))
        if self.response is not None:
            return self.response
        if self.tokens[-1] != f"Bearer {TOKEN}":
            return Response("401: Unauthorized", status_code=401)
        return None


def self_signed(folder: Path, name: str = "homeassistant.local") -> Path:
    """A PEM file with a certificate that no authority signed, for ``name``, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


def mcp_app(token: str = TOKEN) -> FastAPI:
    """Home Assistant's ``/api/mcp``, as 2026.10 has it: stateless, one JSON answer to each POST,
    202 for notifications, no session, nothing but POST. ``app.state.requests`` holds what came."""
    app = FastAPI()
    requests: list[tuple[dict[str, str], dict[str, Any]]] = []
    app.state.requests = requests
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    tools = [
        {"name": name, "title": name, "description": "Turns on a device", "inputSchema": schema}
        for name in ("intent__HassTurnOn", "intent__HassTurnOff", "light__HassLightSet")
    ]

    @app.post("/api/mcp")
    async def answer_one(request: Request) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        if headers.get("authorization") != f"Bearer {token}":
            return Response("401: Unauthorized", status_code=401)
        if "application/json" not in headers.get("accept", ""):
            return Response("Client must accept application/json", status_code=400)
        if headers.get("content-type", "").partition(";")[0] != "application/json":
            return Response("Content-Type must be application/json", status_code=400)
        asked = await request.json()
        requests.append((headers, asked))
        if "id" not in asked:
            return Response(status_code=202)
        about = {"jsonrpc": "2.0", "id": asked["id"]}
        match asked["method"]:
            case "initialize":
                result: dict[str, Any] = {
                    "protocolVersion": asked["params"]["protocolVersion"],
                    "capabilities": {"tools": {"listChanged": False}},
                    "serverInfo": {"name": "home-assistant", "version": "1.28.1"},
                }
            case "tools/list":
                result = {"tools": tools}
            case "tools/call":
                name = asked["params"]["arguments"].get("name", "")
                done_ = {"speech": {}, "response_type": "action_done", "data": {"success": [name]}}
                result = {
                    "content": [{"type": "text", "text": json.dumps(done_)}],
                    "isError": False,
                }
            case _:
                error = {"code": -32601, "message": "Method not found"}
                return JSONResponse({**about, "error": error})
        return JSONResponse({**about, "result": result})

    return app
