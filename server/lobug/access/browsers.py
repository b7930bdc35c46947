"""Browsers: invitations, the sessions of those that were let in, and their end."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace

from lobug.access import store, tokens
from lobug.access.devices import Attempts
from lobug.access.records import DAY_S, Browser, Invitation, Register
from lobug.access.store import AccessStore, Seen, require_room
from lobug.errors import BrowserUnknownError, InvitationUnknownError
from lobug.settings.access import AccessSettings
from lobug.storage.connection import Connection

MAX_WRONG_GUESSES = 10
"""Wrong codes, from all addresses together, that end an invitation. A guesser is right with a
probability of 1 in 100,000 by then, however many computers guess."""

KEPT_AFTER_END_S = 30 * DAY_S
"""Seconds for which a browser that was revoked, or that has expired, is still listed."""

log = logging.getLogger(__name__)


class Browsers:
    """The browsers that were let in, and the invitations. Changes are durable when they return;
    errors are those of ``Devices``. Codes are never logged."""

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

    def all(self) -> list[Browser]:
        """Return all browsers, those as well that were revoked or have expired in the last 30 days,
        oldest first, with their latest use."""
        now = self._clock()
        known = map(self._with_use, self._store.opened().browsers.values())
        return [browser for browser in known if not self._ended_long_ago(browser, now)]

    def get(self, browser_id: str) -> Browser:
        """Return a browser. Raises BrowserUnknownError."""
        return self._with_use(_browser(self._store.opened(), browser_id))

    def expires_at(self, browser: Browser) -> float:
        """When a browser's session ends unless it is used before, seconds since the epoch."""
        return browser.expires_at(self._settings.browser_days)

    def is_good(self, token: str) -> bool:
        """Whether a token is that of a session that is in force."""
        browser = self._store.opened().browser_by_hash.get(tokens.digest(token))
        return browser is not None and self._clock() < self.expires_at(browser)

    def _ended_long_ago(self, browser: Browser, now: float) -> bool:
        """Whether it was revoked, or has expired, so long ago that it is forgotten."""
        expires_at = self.expires_at(browser)
        ended_at = min(browser.revoked_at or expires_at, expires_at)
        return ended_at + KEPT_AFTER_END_S < now

    def _with_use(self, browser: Browser) -> Browser:
        noted = self._seen.browsers.get(browser.token_hash, browser.last_used_at)
        return replace(browser, last_used_at=noted)

    # ---- invitations

    def invitations(self) -> list[Invitation]:
        """Return the invitations that can be used, oldest first."""
        return _open(self._store.opened(), self._clock())

    async def invite(self, user: str, *, owner: bool = False, name: str = "") -> Invitation:
        """Create an invitation; the oldest beyond ``access.max_waiting_devices`` ends."""
        now = self._clock()

        def work(connection: Connection) -> Invitation:
            register = store.load(connection)
            waiting = _open(register, now)
            kept = waiting[max(0, len(waiting) - self._settings.max_waiting_devices + 1) :]
            for one in register.invitations:
                if one not in kept:
                    store.drop_invitation(connection, one.invitation_id)
            taken = {one.code for one in kept}
            code = tokens.new_code()
            while code in taken:
                code = tokens.new_code()
            lifetime_s = self._settings.code_lifetime_s
            made = Invitation(secrets.token_hex(4), code, user, owner, name, now, now + lifetime_s)
            store.put(connection, made)
            return made

        self._store.opened()
        made = await self._store.change("invite", work)
        log.info("invitation %s was made", made.invitation_id)
        return made

    async def withdraw(self, invitation_id: str) -> Invitation:
        """End an invitation. Raises InvitationUnknownError."""

        def work(connection: Connection) -> Invitation:
            for one in store.load(connection).invitations:
                if one.invitation_id == invitation_id:
                    store.drop_invitation(connection, invitation_id)
                    return one
            raise InvitationUnknownError("there is no such invitation")

        self._store.opened()
        return await self._store.change("withdraw", work)

    # ---- sessions

    async def pair(
        self, code: str, *, name: str = "", address: str | None = None, replaces: str | None = None
    ) -> tuple[Browser, str]:
        """Let the browser in whose person has typed this invitation's code.

        Args:
            code: six digits.
            name: what the browser calls itself; the invitation's name counts before it.
            address: where the request came from; wrong codes are limited by it.
            replaces: the token of the session that the browser has so far, which ends.

        Returns its record, and the token for its cookie, which is not stored. Raises
        InvitationUnknownError, TooManyAttemptsError, AccessFullError.
        """
        self._store.opened()
        self._attempts.require_invitation(address)
        now = self._clock()
        token = tokens.new_token()

        def work(connection: Connection) -> Browser | None:
            register = store.load(connection)
            waiting = _open(register, now)
            found = [one for one in waiting if tokens.same(one.code, code)]
            if not found:
                for one in waiting:
                    _count_wrong_guess(connection, one)
                return None
            invitation = found[0]
            called = invitation.name or name
            browser = _new_browser(invitation.user, called, token, now, owner=invitation.owner)
            self._admit(connection, register, browser, replaces)
            store.drop_invitation(connection, invitation.invitation_id)
            return browser

        browser = await self._store.change("pair_browser", work)
        if browser is None:
            self._attempts.wrong_invitation(address)
            raise InvitationUnknownError(
                "no invitation has this code: it is wrong, was used, has expired, or ended because"
                " of too many wrong codes"
            )
        log.info("browser %s was paired", browser.browser_id)
        return browser, token

    async def sign_in(
        self, user: str, *, name: str = "", replaces: str | None = None
    ) -> tuple[Browser, str]:
        """Let the owner's browser at this computer in, as ``user``. The other arguments and the
        result are those of ``pair``. Raises AccessFullError."""
        now = self._clock()
        token = tokens.new_token()
        browser = _new_browser(user, name, token, now, owner=True)

        def work(connection: Connection) -> None:
            self._admit(connection, store.load(connection), browser, replaces)

        self._store.opened()
        await self._store.change("sign_in", work)
        log.info("browser %s was signed in at this computer", browser.browser_id)
        return browser, token

    async def describe(
        self, browser_id: str, *, name: str | None = None, user: str | None = None
    ) -> Browser:
        """Change a browser's name or user; None: keep it. With another user its open connections
        end. Raises BrowserUnknownError."""

        def work(connection: Connection) -> Browser:
            browser = _browser(store.load(connection), browser_id)
            browser = replace(
                browser,
                name=browser.name if name is None else name,
                user=browser.user if user is None else user,
            )
            store.put(connection, browser)
            return browser

        self._store.opened()
        return self._with_use(await self._store.change("describe_browser", work))

    async def revoke(self, browser_id: str) -> Browser:
        """End a browser's session; its open connections end too. Raises BrowserUnknownError."""

        def work(connection: Connection) -> Browser:
            browser = _browser(store.load(connection), browser_id)
            if browser.revoked_at is None:
                browser = replace(browser, revoked_at=self._clock())
                store.put(connection, browser)
            return browser

        self._store.opened()
        browser = self._with_use(await self._store.change("revoke_browser", work))
        log.info("browser %s was revoked", browser.browser_id)
        return browser

    async def sign_out(self, browser_id: str) -> None:
        """End the session of a browser whose person wants it, and forget the browser."""
        self._store.opened()
        await self._store.change(
            "sign_out", lambda connection: store.drop_browser(connection, browser_id)
        )
        log.info("browser %s was signed out", browser_id)

    def _admit(
        self, connection: Connection, register: Register, browser: Browser, replaces: str | None
    ) -> None:
        """Write a new browser; forget the one that it replaces, and those that ended long ago."""
        replaced = tokens.digest(replaces) if replaces is not None else None
        known = 0
        for one in register.browsers.values():
            if one.token_hash == replaced or self._ended_long_ago(one, browser.created_at):
                store.drop_browser(connection, one.browser_id)
            else:
                known += 1
        require_room(self._settings, known, new=True)
        store.put(connection, browser)


def _new_browser(user: str, name: str, token: str, now: float, *, owner: bool) -> Browser:
    return Browser(secrets.token_hex(4), name, user, owner, tokens.digest(token), now)


def _open(register: Register, now: float) -> list[Invitation]:
    return [one for one in register.invitations if now < one.expires_at]


def _count_wrong_guess(connection: Connection, invitation: Invitation) -> None:
    wrong = invitation.wrong_guesses + 1
    if wrong >= MAX_WRONG_GUESSES:
        store.drop_invitation(connection, invitation.invitation_id)
        log.warning("invitation %s ended: %d wrong codes", invitation.invitation_id, wrong)
    else:
        store.put(connection, replace(invitation, wrong_guesses=wrong))


def _browser(register: Register, browser_id: str) -> Browser:
    browser = register.browsers.get(browser_id)
    if browser is None:
        raise BrowserUnknownError("there is no such browser")
    return browser
