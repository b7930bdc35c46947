"""Pairing of devices: discovery requests, approval, revocation, and limits on attempts."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from pydantic_core import from_json

from lobug.access import store, tokens
from lobug.access.addresses import source_of
from lobug.access.approval import Awaiting, DiscoveryAnswer, answer_to, awaiting, is_activated
from lobug.access.callers import valid_device_id
from lobug.access.records import Device, DeviceDetails, Pairing, Register
from lobug.access.store import AccessStore, Seen, require_room
from lobug.errors import (
    DeviceUnknownError,
    InvalidRequestError,
    PairingCodeError,
    TooManyAttemptsError,
)
from lobug.settings.access import AccessSettings
from lobug.storage.connection import Connection

MAX_BYTES = 64 * 1024
"""Longest description that is read; a device sends about 2 kB."""

MAX_WORD = 48
"""Characters of a name or version; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The useful part of a device's description of itself.

    It is untrusted, so it grants nothing: it is shown to the owner, the firmware's version is sent
    back, and a device that claims to run Lo-Bug's firmware may be offered a newer one.
    """

    version: str | None
    """Of its firmware."""
    description: str
    """For the owner: board and firmware; one line of printable text, may be empty."""
    application: str | None = None
    """Name of its firmware."""
    board: str | None = None
    """Type of its board."""
    signal_dbm: int | None = None
    """Strength of its Wi-Fi."""


def read_introduction(body: bytes) -> Introduction:
    """Read a device's description. Fields that are missing or not valid, or all of them when the
    body is not JSON, are None or empty."""
    try:
        document = from_json(body) if body and len(body) <= MAX_BYTES else None
    except ValueError:
        document = None
    application = _field(document, "application")
    board = _field(document, "board")
    version = _word(_field(application, "version"))
    kind = _word(_field(board, "type"))
    application_name = _word(_field(application, "name"))
    names = (_word(_field(board, "name")) or kind, application_name, version)
    described = ", ".join(name for name in names if name)
    rssi = _field(board, "rssi")
    plain = isinstance(rssi, int) and not isinstance(rssi, bool) and -127 <= rssi < 0
    signal_dbm = rssi if plain and isinstance(rssi, int) else None
    return Introduction(version, described, application_name, kind, signal_dbm)


def stored_introduction(introduction: Introduction) -> str:
    """An introduction as JSON, as ``DeviceDetails`` holds it. Pure."""
    return json.dumps(asdict(introduction), ensure_ascii=False)


def introduction_from(stored: str | None) -> Introduction | None:
    """The introduction in ``DeviceDetails``; None: there is none. Pure."""
    if stored is None:
        return None
    try:
        return Introduction(**json.loads(stored))
    except (ValueError, TypeError):  # a later version's, or damaged
        return None


def _field(document: object, name: str) -> object:
    return document.get(name) if isinstance(document, dict) else None


def _word(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    text = " ".join(value.split())[:MAX_WORD]
    return text if text and text.isprintable() else None


class Attempts:
    """Limits failed attempts and new devices per address, in a moving window of a minute.

    Callers with a good token are never counted, so that an attacker cannot lock out those who share
    an address with it (as behind a container's gateway). Nor are programs on this computer, which
    simulate hundreds of devices; callers behind a proxy on it are.
    """

    def __init__(self, settings: AccessSettings) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._wrong = RateLimitItemPerMinute(settings.attempts_per_minute)
        self._new = RateLimitItemPerMinute(settings.codes_per_minute)

    def wrong_token(self, address: str | None) -> None:
        """Count a token that is not valid. Raises TooManyAttemptsError."""
        self._count(self._wrong, "token", address)

    def wrong_code(self, address: str | None) -> None:
        """Count a code that no device shows. Raises TooManyAttemptsError."""
        self._count(self._wrong, "code", address)

    def require_code(self, address: str | None) -> None:
        """Raise TooManyAttemptsError when too many codes from this address were wrong."""
        self._require("code", address)

    def wrong_invitation(self, address: str | None) -> None:
        """Count a code that no invitation has. Raises TooManyAttemptsError."""
        self._count(self._wrong, "invitation", address)

    def require_invitation(self, address: str | None) -> None:
        """``require_code`` for the codes of invitations. They are counted by themselves: strangers
        try them, and must not keep an owner at the same address from approving devices."""
        self._require("invitation", address)

    def waiting_socket(self, address: str | None) -> None:
        """Count a WebSocket of a device that may not talk yet. Raises TooManyAttemptsError."""
        self._count(self._wrong, "socket", address)

    def new_device(self, address: str | None) -> None:
        """Count a new code, or, without pairing, a new device. Raises TooManyAttemptsError."""
        self._count(self._new, "new", address)

    def _require(self, what: str, address: str | None) -> None:
        if not self._limiter.test(self._wrong, what, source_of(address)):
            raise TooManyAttemptsError("too many wrong codes; wait a minute")

    def _count(self, limit: RateLimitItemPerMinute, what: str, address: str | None) -> None:
        if not self._limiter.hit(limit, what, source_of(address)):
            raise TooManyAttemptsError(
                f"too many attempts from this address; at most {limit.amount} a minute"
            )


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The answer to a device's discovery request."""

    token: str | None = None
    """A new token, in clear text, which is not stored."""
    pairing: Pairing | None = None
    """Holds the code that it has to show first."""


class Devices:
    """The devices that are paired or ask to be. Changes are durable when they return.

    Every method raises AccessUnavailableError while the file cannot be opened; methods that change
    something raise subclasses of StorageError when it cannot be written.
    """

    def __init__(
        self,
        store: AccessStore,
        settings: AccessSettings,
        attempts: Attempts,
        seen: Seen,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._settings = settings
        self._attempts = attempts
        self._seen = seen
        self._clock = clock

    def use(self, settings: AccessSettings) -> None:
        """Decide by these settings from now on."""
        self._settings = settings

    def all(self) -> list[Device]:
        """Return all approved devices, revoked ones too, oldest first, with their latest use."""
        register = self._store.opened()
        return [
            replace(device, last_seen_at=max(seen, device.last_seen_at or seen))
            if (seen := self._seen.devices.get(device.token_hash or "")) is not None
            else device
            for device in register.devices.values()
        ]

    def get(self, device_id: str) -> Device:
        """Return a device that was approved. Raises DeviceUnknownError."""
        return _device(self._store.opened(), _stored_id(device_id))

    def details(self, device_id: str) -> DeviceDetails | None:
        """What a device that was approved last said of itself; None: no such device is known, or
        the file is not open."""
        register = self._store.register
        if register is None or device_id not in register.devices:
            return None
        return register.details.get(device_id, DeviceDetails(device_id))

    async def keep_details(self, details: DeviceDetails) -> None:
        """Store what a device said of itself; nothing if it is not known (any more)."""

        def work(connection: Connection) -> None:
            if details.device_id in store.load(connection).devices:
                store.put(connection, details)

        await self._store.change("keep_details", work)

    def waiting(self) -> list[Pairing]:
        """Return the devices that show a valid code, oldest first."""
        now = self._clock()
        return [pairing for pairing in self._store.opened().pairings if now < pairing.expires_at]

    async def discover(
        self,
        device_id: str,
        client_id: str,
        *,
        description: str,
        address: str | None,
        at_this_computer: bool = False,
    ) -> Discovery:
        """Answer a device that asks where to connect. ``device_id``: in lower case.
        ``at_this_computer``: the limit of new devices does not apply. Raises TooManyAttemptsError,
        AccessFullError."""
        register = self._store.opened()
        known = register.devices.get(device_id)
        if known is not None and known.token_used_at is None and self._seen.uses(known):
            await self._seen.write()  # otherwise it would get another token for the one it uses
            register = self._store.opened()
            known = register.devices.get(device_id)
        answer = answer_to(known, client_id, pairing=self._settings.pairing)
        if answer is DiscoveryAnswer.welcome:
            return Discovery()
        if answer is DiscoveryAnswer.token:
            new = known is None or known.client_id != client_id or known.token_given_at is not None
            if new and not at_this_computer:
                self._attempts.new_device(address)
            return Discovery(token=await self._give_token(device_id, client_id))
        waiting = register.waiting(device_id, client_id, self._clock())
        if waiting is None:
            if not at_this_computer:
                self._attempts.new_device(address)
            waiting = await self._give_code(device_id, client_id, description, address)
        return Discovery(pairing=waiting)

    def is_activated(self, device_id: str, client_id: str) -> bool:
        """Whether the owner has approved this device."""
        return is_activated(self._store.opened().devices.get(device_id), client_id)

    def awaiting(self, device_id: str, client_id: str) -> Awaiting | None:
        """What a device without a good token waits for; None: nothing. ``device_id``: in lower
        case."""
        return awaiting(
            self._store.opened(),
            device_id,
            client_id,
            now=self._clock(),
            pairing=self._settings.pairing,
        )

    async def approve(
        self,
        code: str,
        *,
        name: str | None = None,
        user: str | None = None,
        address: str | None = None,
    ) -> Device:
        """Approve the device that shows ``code``; it then fetches its token by itself. ``name`` and
        ``user`` None: keep them. Raises PairingCodeError, TooManyAttemptsError, AccessFullError."""
        self._store.opened()
        self._attempts.require_code(address)
        now = self._clock()

        def work(connection: Connection) -> Device | None:
            register = store.load(connection)
            found = [p for p in register.pairings if tokens.same(p.code, code)]
            if not found or found[0].expires_at <= now:
                return None
            pairing = found[0]
            before = register.devices.get(pairing.device_id)
            require_room(self._settings, len(register.devices), new=before is None)
            device = Device(
                pairing.device_id,
                pairing.client_id,
                name if name is not None else (before.name if before else ""),
                user if user is not None else (before.user if before else None),
                token_hash=None,
                created_at=now,
            )
            store.put(connection, device)
            store.drop_pairings(connection, device.device_id)
            return device

        device = await self._store.change("approve", work)
        if device is None:
            self._attempts.wrong_code(address)
            raise PairingCodeError(
                "no device is waiting with this code: it is wrong, or it has expired and the device"
                " shows another one now"
            )
        log.info("device %s was approved", device.device_id)
        return device

    async def describe(
        self, device_id: str, *, name: str | None = None, user: str | None = None
    ) -> Device:
        """Change a device's name or user; None: keep it; an empty user: none. Raises
        DeviceUnknownError."""
        key = _stored_id(device_id)

        def work(connection: Connection) -> Device:
            device = _device(store.load(connection), key)
            device = replace(
                device,
                name=device.name if name is None else name,
                user=device.user if user is None else (user or None),
            )
            store.put(connection, device)
            return device

        self._store.opened()
        return await self._store.change("describe", work)

    async def revoke(self, device_id: str) -> Device:
        """Revoke a device; its open connection ends too. Raises DeviceUnknownError."""
        key = _stored_id(device_id)

        def work(connection: Connection) -> Device:
            device = _device(store.load(connection), key)
            if device.revoked_at is None:
                device = replace(device, token_hash=None, revoked_at=self._clock())
                store.put(connection, device)
            store.drop_pairings(connection, key)
            return device

        self._store.opened()
        device = await self._store.change("revoke", work)
        log.info("device %s was revoked", device.device_id)
        return device

    async def _give_token(self, device_id: str, client_id: str) -> str:
        token = tokens.new_token()
        now = self._clock()

        def work(connection: Connection) -> None:
            register = store.load(connection)
            device = register.devices.get(device_id)
            answer = answer_to(device, client_id, pairing=self._settings.pairing)
            if answer is not DiscoveryAnswer.token:
                raise DeviceUnknownError("the device's record has just changed")
            require_room(self._settings, len(register.devices), new=device is None)
            if device is None:
                device = Device(device_id, client_id, "", None, None, now)
            store.put(
                connection,
                replace(
                    device,
                    client_id=client_id,
                    token_hash=tokens.digest(token),
                    token_given_at=now,
                    token_used_at=None,
                ),
            )

        await self._store.change("give_token", work)
        log.info("device %s got a token", device_id)
        return token

    async def _give_code(
        self, device_id: str, client_id: str, description: str, address: str | None
    ) -> Pairing:
        now = self._clock()

        def work(connection: Connection) -> Pairing:
            store.make_room(connection, now, self._settings.max_waiting_devices - 1)
            taken = {pairing.code for pairing in store.load(connection).pairings}
            code = tokens.new_code()
            while code in taken:
                code = tokens.new_code()
            pairing = Pairing(
                device_id,
                client_id,
                code,
                tokens.new_challenge(),
                description,
                address or "",
                now,
                now + self._settings.code_lifetime_s,
            )
            store.put(connection, pairing)
            return pairing

        pairing = await self._store.change("give_code", work)
        log.info("device %s waits for approval (lobug devices list)", device_id)
        return pairing


def _stored_id(device_id: str) -> str:
    try:
        return valid_device_id(device_id)
    except InvalidRequestError:
        raise DeviceUnknownError("no device has such an id") from None


def _device(register: Register, device_id: str) -> Device:
    device = register.devices.get(device_id)
    if device is None:
        raise DeviceUnknownError(f"no device {device_id} is paired")
    return device
