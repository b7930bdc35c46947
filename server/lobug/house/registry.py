"""The names that Home Assistant has for its rooms and for the things that it exposes to speech.

They are read over its WebSocket, because there a token of any user may list them; the templates of
its HTTP interface are for administrators. What cannot be read is left out: an older Home Assistant
has no floors, and a list may be too long.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from lobug.house.client import HomeError
from lobug.house.trust import UntrustedError, context_of
from lobug.settings.home import HomeSettings

TIMEOUT_S = 30.0
"""Longest time for all lists together, seconds."""
MOST_ENTITIES = 2_000
"""Things whose other names are asked for."""
MOST_TO_READ = 20_000
"""Entries of one list that are looked at."""
EXPOSED_DOMAINS = frozenset(
    "climate cover fan humidifier light lock media_player scene script switch vacuum"
    " water_heater".split()
)
"""Kinds of things that Home Assistant exposes to speech unless somebody says otherwise, in
at least one of its versions. Whether an order is allowed is for Home Assistant to say."""
EXPOSED_CLASSES: Mapping[str, frozenset[str]] = {
    "binary_sensor": frozenset(
        "door garage_door lock motion opening presence window".split(),
    ),
    "sensor": frozenset(
        "aqi carbon_dioxide carbon_monoxide humidity pm10 pm25 temperature"
        " volatile_organic_compounds".split(),
    ),
}
"""The same for sensors, by their device class. Most sensors are of no interest to anybody who
speaks, and there may be thousands."""

log = logging.getLogger(__name__)


class _Direct(connect):
    """A connection that follows no redirect: the token would go with it."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


async def read_names(settings: HomeSettings) -> list[str]:
    """The names as they are, unchecked: of rooms first, then of floors and things, each with the
    other names that somebody gave it. Raises HomeError."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            context = None
            if settings.url.startswith("https:"):
                context = await asyncio.to_thread(context_of, settings)
            return await _names(settings, context)
    except UntrustedError as error:
        raise HomeError("certificate", str(error), sent=False) from error
    except (OSError, TimeoutError, WebSocketException, ValueError, RecursionError) as error:
        why = f"its lists of rooms and things cannot be read ({type(error).__name__})"
        raise HomeError("names", why, sent=False) from error


async def _names(settings: HomeSettings, context: ssl.SSLContext | None) -> list[str]:
    url = "ws" + settings.url.removeprefix("http").rstrip("/") + "/api/websocket"
    names: list[str] = []
    opening = _Direct(
        url,
        ssl=context,
        proxy=None,
        open_timeout=TIMEOUT_S,
        max_size=settings.max_answer_mb * 1024 * 1024,
        compression=None,
    )
    async with opening as socket:
        lists = _Lists(socket)
        await lists.authenticate(settings.token.get_secret_value())
        try:
            for kind in ("area", "floor"):
                names += named(await lists.get(f"config/{kind}_registry/list"))
            registered = await lists.get("config/entity_registry/list")
            states = await lists.get("get_states")
            exposed = exposed_names(states, registered)
            names += exposed.values()
            wanted = list(exposed)[:MOST_ENTITIES]
            entries = await lists.get("config/entity_registry/get_entries", entity_ids=wanted)
            names += aliases(entries)
        except WebSocketException as error:
            if not names:
                raise
            # A list that is too long ends the connection; what came before it stays.
            log.info("Home Assistant's lists could not all be read: %s", type(error).__name__)
    return names


class _Lists:
    """Commands over one connection, one after the other."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0

    async def authenticate(self, token: str) -> None:
        await self._receive()  # "auth_required"
        await self._socket.send(json.dumps({"type": "auth", "access_token": token}))
        answer = await self._receive()
        if answer.get("type") != "auth_ok":
            raise HomeError("refused", "it refuses the token of LOBUG_HOME__TOKEN", sent=False)

    async def get(self, command: str, **arguments: Any) -> Any:
        """The result of a command; None: it is refused or not known."""
        self._number += 1
        asked = {"id": self._number, "type": command, **arguments}
        await self._socket.send(json.dumps(asked))
        while True:
            answer = await self._receive()
            if answer.get("id") == self._number:
                return answer.get("result") if answer.get("success") is True else None

    async def _receive(self) -> Mapping[str, Any]:
        text = await self._socket.recv()
        # Some MB take a second to read.
        found = await asyncio.to_thread(json.loads, text)
        return found if isinstance(found, dict) else {}


def named(entries: object) -> Iterator[str]:
    """The names of rooms or floors and their other names. Pure."""
    for entry in _dictionaries(entries):
        yield from _strings([entry.get("name")])
        yield from _strings(entry.get("aliases"))


def exposed_names(states: object, registered: object) -> dict[str, str]:
    """What the things are called that are exposed to speech, by their ids. Pure."""
    chosen: dict[str, bool] = {}
    for entry in _dictionaries(registered):
        entity_id = entry.get("entity_id")
        if isinstance(entity_id, str):
            exposed = _exposed(entry)
            if exposed is not None:
                chosen[entity_id] = exposed
    found = {}
    for state in _dictionaries(states):
        entity_id, attributes = state.get("entity_id"), state.get("attributes")
        if not isinstance(entity_id, str) or not isinstance(attributes, dict):
            continue
        usual = _usually_exposed(entity_id, attributes.get("device_class"))
        name = attributes.get("friendly_name")
        if chosen.get(entity_id, usual) and isinstance(name, str):
            found[entity_id] = name
    return found


def _usually_exposed(entity_id: str, device_class: object) -> bool:
    """Whether Home Assistant exposes a thing about which nobody decided."""
    domain = entity_id.partition(".")[0]
    return domain in EXPOSED_DOMAINS or (
        isinstance(device_class, str) and device_class in EXPOSED_CLASSES.get(domain, ())
    )


def _exposed(entry: Mapping[str, Any]) -> bool | None:
    """Whether somebody decided that a thing is exposed; None: nobody did."""
    if entry.get("hidden_by") or entry.get("disabled_by") or entry.get("entity_category"):
        return False
    options: Any = entry.get("options")
    for key in ("conversation", "should_expose"):
        options = options.get(key) if isinstance(options, dict) else None
    return options if isinstance(options, bool) else None


def aliases(entries: object) -> Iterator[str]:
    """The other names of things, as they are by their ids. Pure."""
    if isinstance(entries, dict):
        for entry in entries.values():
            if isinstance(entry, dict):
                yield from _strings(entry.get("aliases"))


def _dictionaries(entries: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(entries, list):
        yield from (entry for entry in entries[:MOST_TO_READ] if isinstance(entry, dict))


def _strings(values: object) -> Sequence[str]:
    return [v for v in values if isinstance(v, str)] if isinstance(values, list) else []
