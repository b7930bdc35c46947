"""API tokens of people and scripts: creation, revocation, listing."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace

from lobug.access import store, tokens
from lobug.access.records import ApiToken
from lobug.access.rules import TokenScope
from lobug.access.store import AccessStore, Seen, require_room
from lobug.errors import TokenUnknownError
from lobug.settings.access import AccessSettings
from lobug.storage.driver import Connection

log = logging.getLogger(__name__)


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
        scope: TokenScope | None = None,
    ) -> tuple[ApiToken, str]:
        """Create a token. Returns its record, and the token itself, which is not stored. Raises
        AccessFullError."""
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
