"""Discovery at boot: a device asks for its WebSocket, its token, and whether it is approved.

It keeps the answers, as the firmware does: a reply without a token leaves the old token in place.
"""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

DISCOVERY_PATH = "/xiaozhi/ota/"
SOCKET_PATH = "/xiaozhi/v1/"

POLL_S = 3.0
"""Seconds between two questions whether the code was approved; the firmware's pause."""

FIRST_DEVICE_ID = "02:4c:6f:42:75:01"
"""A locally administered MAC address, which no real device has."""

_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a device says it is."""

    device_id: str
    """Its MAC address, on real devices."""
    client_id: str
    """A UUID, made on its first boot."""

    def headers(self) -> dict[str, str]:
        """What it sends with every request of discovery."""
        return {
            "Activation-Version": "1",
            "Device-Id": self.device_id,
            "Client-Id": self.client_id,
            "User-Agent": "lobug-simulator/1",
            "Accept-Language": "en-US",
        }


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to talk, and how."""

    url: str
    token: str = ""
    """Empty: the device has none."""
    version: int = 1
    """Of the binary frames, 1 to 3."""

    def __repr__(self) -> str:
        """Without the token."""
        known = "with a token" if self.token else "without a token"
        return f"Endpoint({self.url}, version {self.version}, {known})"


class DiscoveryError(Exception):
    """The server did not say where its WebSocket is; the text says why."""


def identity_of(first: str | None, index: int) -> Identity:
    """The identity of device ``index`` (from 0): the first device's MAC address plus ``index``, or
    its name with a number. Pure."""
    base = first or FIRST_DEVICE_ID
    name = base if index == 0 else _successor(base, index)
    return Identity(name, str(uuid.uuid5(uuid.NAMESPACE_URL, f"lobug-simulator/{name}")))


def _successor(base: str, index: int) -> str:
    digits = base.replace(":", "")
    if base.count(":") != 5 or len(digits) != 12:
        return f"{base}-{index + 1}"
    try:
        number = (int(digits, 16) + index) % 2**48
    except ValueError:
        return f"{base}-{index + 1}"
    text = f"{number:012x}"
    return ":".join(text[at : at + 2] for at in range(0, 12, 2))


def socket_url(server_url: str) -> str:
    """The WebSocket's address of a server at ``http://host:port``. Pure."""
    return f"ws{server_url.removeprefix('http')}{SOCKET_PATH}"


class DeviceStore:
    """What devices remember over a restart: in a JSON file that only its owner can read, or only
    in memory.

    Raises DiscoveryError for a file that is damaged, OSError for one that cannot be read.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept = _read(path) if path is not None and path.is_file() else {}

    def load(self, identity: Identity) -> Endpoint | None:
        """The endpoint that this device was given before; None: none."""
        return self._kept.get(identity.device_id)

    def save(self, identity: Identity, endpoint: Endpoint) -> None:
        """Keep it. Raises OSError."""
        self._kept[identity.device_id] = endpoint
        if self._path is None:
            return
        kept = {
            device_id: {"url": kept.url, "token": kept.token, "version": kept.version}
            for device_id, kept in self._kept.items()
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_name(f"{self._path.name}.new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1)
        fresh.replace(self._path)


def _read(path: Path) -> dict[str, Endpoint]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {
            device_id: Endpoint(str(row["url"]), str(row["token"]), int(row["version"]))
            for device_id, row in kept.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DiscoveryError(f"{path} is damaged; delete it") from error


async def discover(
    server_url: str,
    identity: Identity,
    store: DeviceStore,
    *,
    show_code: Callable[[str, str], None],
    give_up_s: float,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Endpoint:
    """Ask where to talk, and wait until the owner has approved the device.

    ``show_code`` gets the activation code and the server's message, as the screen would show them.
    ``give_up_s``: how long to wait for the owner. Raises DiscoveryError, OSError for the store.
    """
    left_s = give_up_s
    shown = None
    async with httpx.AsyncClient(
        headers=identity.headers(), timeout=_TIMEOUT_S, trust_env=False
    ) as http:
        while True:
            reply = await _ask(http, server_url, identity)
            known = store.load(identity)
            endpoint = _endpoint(reply, known)
            if endpoint is not None and endpoint != known:
                store.save(identity, endpoint)
            code, message = _activation(reply)
            if code is None:
                if endpoint is None:
                    raise DiscoveryError("the server did not say where its WebSocket is")
                return endpoint
            if code != shown:
                show_code(code, message)
                shown = code
            while not await _activated(http, server_url):
                if left_s <= 0:
                    raise DiscoveryError(
                        f"nobody approved device {identity.device_id} with the code {code}"
                        f" (lobug devices approve {code})"
                    )
                left_s -= POLL_S
                await pause(POLL_S)


async def _ask(http: httpx.AsyncClient, server_url: str, identity: Identity) -> Mapping[str, Any]:
    description = {
        "version": 2,
        "language": "en-US",
        "mac_address": identity.device_id,
        "uuid": identity.client_id,
        "chip_model_name": "simulated",
        "application": {"name": "lobug-simulator", "version": "0.0.1"},
        "board": {"type": "simulated", "name": "lobug-simulator", "mac": identity.device_id},
    }
    try:
        response = await http.post(f"{server_url}{DISCOVERY_PATH}", json=description)
    except httpx.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise DiscoveryError(f"no answer from {server_url}{DISCOVERY_PATH}: {reason}") from error
    if response.status_code != 200:
        raise DiscoveryError(f"{server_url}{DISCOVERY_PATH} answered {response.status_code}")
    try:
        reply = response.json()
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        raise DiscoveryError(f"{server_url}{DISCOVERY_PATH} did not answer with a JSON object")
    return reply


async def _activated(http: httpx.AsyncClient, server_url: str) -> bool:
    """Whether the owner has approved the device."""
    try:
        response = await http.post(f"{server_url}{DISCOVERY_PATH}activate", json={})
    except httpx.HTTPError:
        return False
    return response.status_code == 200


def _endpoint(reply: Mapping[str, Any], known: Endpoint | None) -> Endpoint | None:
    """The known endpoint with the values of the reply; None: there is none yet."""
    socket = reply.get("websocket")
    if not isinstance(socket, Mapping):
        return known
    endpoint = known or Endpoint("")
    if isinstance(socket.get("url"), str):
        endpoint = replace(endpoint, url=socket["url"])
    if isinstance(socket.get("token"), str):
        endpoint = replace(endpoint, token=socket["token"])
    if isinstance(socket.get("version"), int) and socket["version"] in {1, 2, 3}:
        endpoint = replace(endpoint, version=socket["version"])
    return endpoint if endpoint.url else None


def _activation(reply: Mapping[str, Any]) -> tuple[str | None, str]:
    """Code and message to show; no code: nothing has to be approved."""
    activation = reply.get("activation")
    if not isinstance(activation, Mapping) or not isinstance(activation.get("code"), str):
        return None, ""
    message = activation.get("message")
    return activation["code"], message if isinstance(message, str) else ""
