"""Access control as the rest of the server uses it, and the API tokens of people and scripts."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from lobug.access import rules, store, tokens
from lobug.access.approval import Awaiting, newly_activated
from lobug.access.browsers import Browsers
from lobug.access.callers import Caller, RevocationListeners, Revoked, revoked_between
from lobug.access.devices import Attempts, Devices
from lobug.access.records import ApiToken, Register
from lobug.access.satellites import Satellites
from lobug.access.store import AccessStore, Seen, require_room
from lobug.errors import (
    AccessUnavailableError,
    InvalidRequestError,
    StorageError,
    StorageHeldError,
    TokenInvalidError,
    TokenUnknownError,
    TokenWrongDeviceError,
)
from lobug.settings.access import AccessSettings
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.places import FILES, DatabasePlace

log = logging.getLogger(__name__)

RegisterPart = Literal["devices", "tokens", "browsers"]
"""A part of the register; devices with those that wait."""


class ApiTokens:
    """The API tokens. Changes are durable when they return; errors are those of ``Devices``."""

    def __init__(
        self,
        store: AccessStore,
        settings: AccessSettings,
        seen: Seen,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._settings = settings
        self._seen = seen
        self._clock = clock

    def all(self) -> list[ApiToken]:
        """Return all API tokens, revoked ones too, oldest first, with their latest use."""
        return [
            replace(
                token, last_used_at=self._seen.api_tokens.get(token.token_hash, token.last_used_at)
            )
            for token in self._store.opened().api_tokens.values()
        ]

    async def create(
        self,
        name: str,
        *,
        user: str | None = None,
        conversation: str | None = None,
        owner: bool = False,
        scope: str | None = None,
    ) -> tuple[ApiToken, str]:
        """Create a token. ``scope``: as ``rules.checked_scopes`` returns it. Returns its record,
        and the token itself, which is not stored. Raises AccessFullError."""
        token = tokens.new_token()
        made = ApiToken(
            secrets.token_hex(4),
            name,
            tokens.digest(token),
            user,
            conversation,
            owner,
            self._clock(),
            scope=scope,
        )

        def work(connection: Connection) -> None:
            require_room(self._settings, len(store.load(connection).api_tokens), new=True)
            store.put(connection, made)

        self._store.opened()
        await self._store.change("create_token", work)
        log.info("API token %s was created", made.token_id)
        return made, token

    async def revoke(self, token_id: str) -> ApiToken:
        """Revoke an API token. Raises TokenUnknownError."""

        def work(connection: Connection) -> ApiToken:
            token = store.load(connection).api_tokens.get(token_id)
            if token is None:
                raise TokenUnknownError(f"there is no token {token_id}")
            if token.revoked_at is None:
                token = replace(token, revoked_at=self._clock())
                store.put(connection, token)
            return token

        self._store.opened()
        token = await self._store.change("revoke_token", work)
        log.info("API token %s was revoked", token.token_id)
        return token


FILE = "access.db"
"""In ``data_dir``."""

REFRESH_S = 2.0
"""Seconds between two checks of the file for changes by another program."""


class Access:
    """Devices, browsers, tokens, and the authentication of requests. ``start`` first, ``close``
    last.

    ``authenticate`` does no I/O.
    """

    def __init__(
        self,
        settings: AccessSettings,
        path: Path,
        *,
        clock: Callable[[], float],
        refresh_s: float = REFRESH_S,
        checkpoint: Checkpoint = no_checkpoint,
        place: DatabasePlace = FILES,
    ) -> None:
        self._settings = settings
        self._place = place
        self.now = clock
        """Seconds since the epoch."""
        self._refresh_s = refresh_s
        self._listeners = RevocationListeners()
        self.secret = ""
        """The token with which a program at this computer is the owner; empty: there is none."""
        self._store = AccessStore(
            path, clock=clock, checkpoint=checkpoint, changed=self._on_change, place=place
        )
        self._seen = Seen(self._store, clock)
        self._attempts = Attempts(settings)
        self.devices = Devices(self._store, settings, self._attempts, self._seen, clock)
        self.tokens = ApiTokens(self._store, settings, self._seen, clock)
        self.browsers = Browsers(self._store, settings, self._attempts, self._seen, clock)
        self.satellites = Satellites(self._store, settings, clock)
        self._watcher: asyncio.Task[None] | None = None
        self.connected: Callable[[str], bool] | None = None
        """Whether the device with this key (``device:ID``) is connected; set by its registry."""
        self.approved: Callable[[str, str], None] = lambda _device_id, _client_id: None
        """Called, in the event loop, with ``Device-Id`` and ``Client-Id`` of each device that was
        approved."""
        self.changed: Callable[[RegisterPart], None] = lambda _: None
        """Called, in the event loop, with each part of the register that has changed."""

    def use(self, settings: AccessSettings) -> None:
        """Decide about devices that ask to talk by these settings from now on."""
        self._settings = settings
        self.devices.use(settings)

    # ---- life

    async def start(self, *, watch: bool = True) -> None:
        """Open the file, and check it for changes in the background. A file that cannot be opened
        is reported by ``fault`` and tried again. ``watch`` False: only open it, and raise
        StorageError."""
        if not watch:
            await self._store.open()
            return
        try:
            await self._store.open()
        except StorageHeldError as error:
            log.info("%s", error)
        except StorageError as error:
            log.error("devices and tokens: %s", error)  # noqa: TRY400 - a full disk is no bug
        self._watcher = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Write the latest uses of tokens, and close the file."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
            self._watcher = None
        try:
            if self._store.register is not None:
                await self._seen.write()
        except StorageError as error:
            log.warning("the latest uses of tokens could not be written: %s", error)
        await self._store.close()

    @property
    def is_open(self) -> bool:
        """Whether devices and tokens can be looked up. No I/O."""
        return self._store.register is not None

    async def give_up(self) -> None:
        """Close the database, because another server has it; it is opened again as soon as it can
        be. Raises StorageError."""
        await self._store.close()

    def look_again(self) -> None:
        """Look at once whether the database can be opened, or has changed."""
        self._seen.urgent.set()

    async def refresh(self) -> None:
        """Read changes of others. Raises StorageError."""
        await self._store.refresh()

    async def _watch(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._refresh_s):
                    await self._seen.urgent.wait()
            except TimeoutError:
                pass
            self._seen.urgent.clear()
            worked = self._store.fault is None
            try:
                await self.check()
            except StorageError as error:
                if worked and not isinstance(error, StorageHeldError):
                    log.error("devices and tokens: %s", error)  # noqa: TRY400 - as above
            else:
                if not worked:
                    log.info("the file of devices and tokens works again")

    async def check(self) -> None:
        """Read changes by other programs from the file, and write the latest uses of tokens. Raises
        StorageError."""
        await self._store.refresh()
        await self._seen.write()

    def fault(self) -> StorageError | None:
        """Why devices and tokens cannot be looked up or changed; None: they can."""
        return self._store.fault

    # ---- requests

    def authenticate(self, credentials: rules.Credentials) -> Caller:
        """Return the caller behind a request. Raises what ``rules.identify`` raises, and
        TooManyAttemptsError."""
        fault = self._place.fault
        if isinstance(fault, StorageHeldError) and not rules.is_local_request(
            credentials, self._settings
        ):
            # Who may talk may have changed there, and so may all that is remembered.
            raise StorageHeldError("another server has the database")
        try:
            caller = rules.identify(
                credentials, self._store.register, self._settings, self.secret, now=self.now()
            )
        except (TokenInvalidError, TokenWrongDeviceError) as error:
            if tokens.bearer(credentials.authorization) is None:
                # A session that is over: an open page goes on asking, and nobody guesses 256 bits.
                raise
            if not rules.is_local_request(credentials, self._settings):
                self._attempts.wrong_token(credentials.address)
            log.info("refused a request from %s: %s", credentials.address, error.code)
            raise
        self._seen.note(caller)
        return caller

    def awaiting(self, credentials: rules.Credentials) -> Awaiting | None:
        """The device that has opened a WebSocket without a good token, if it waits for the owner's
        approval or for its token; None: it does not. Raises TooManyAttemptsError."""
        if credentials.device_id is None or credentials.client_id is None:
            return None
        try:
            found = self.devices.awaiting(
                rules.checked_device_id(credentials.device_id),
                rules.checked_client_id(credentials.client_id),
            )
        except (AccessUnavailableError, InvalidRequestError):
            return None
        if found is not None:
            self._attempts.waiting_socket(credentials.address)
        return found

    def still_valid(self, caller: Caller) -> bool:
        """Whether a caller that was authenticated before would be authenticated as the same now."""
        register = self._store.register
        if register is None:
            return caller.token_hash is None
        return rules.still_valid(caller, register)

    def when_revoked(self, listener: Callable[[Revoked], None]) -> Callable[[], None]:
        """Call ``listener``, in the event loop, for every revocation. Returns the function that
        removes it."""
        return self._listeners.add(listener)

    def _on_change(self, before: Register, now: Register) -> None:
        for revoked in revoked_between(before, now):
            self._listeners.notify(revoked)
        for device_id, client_id in newly_activated(before, now):
            self.approved(device_id, client_id)
        if before.devices != now.devices or before.pairings != now.pairings:
            self.changed("devices")
        if before.api_tokens != now.api_tokens:
            self.changed("tokens")
        if before.browsers != now.browsers or before.invitations != now.invitations:
            self.changed("browsers")
