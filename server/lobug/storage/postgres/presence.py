"""Which devices are connected to which of several servers on a PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from lobug.errors import StorageError
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.membership import CHANNEL, DEVICES, TELL_PATIENTLY, Membership

log = logging.getLogger(__name__)

AGAIN_S = 2.0
"""Pause before it is tried again to note devices while the database is away, seconds."""

NOTE = f"""
WITH went AS (DELETE FROM {DEVICES} WHERE server = %(me)s AND device = ANY(%(went)s))
INSERT INTO {DEVICES} (device, server)
SELECT device, %(me)s FROM unnest(%(came)s::text[]) d (device)
ON CONFLICT (device) DO UPDATE SET server = excluded.server
"""
"""No device has both come and gone. One statement, for the reason that ``LEAVE`` is one."""
ELSEWHERE = f"SELECT device FROM {DEVICES} WHERE server <> %s"


class Presence:
    """Notes the devices of one server for the others. All calls are made on one event loop."""

    def __init__(
        self,
        membership: Membership,
        in_session: Callable[[Callable[[Raw], None]], Awaitable[None]],
    ) -> None:
        """``in_session`` runs work on a session at the database. Raises StorageError."""
        self._membership = membership
        self._in_session = in_session
        self._here: set[str] = set()
        self._noted: set[str] = set()
        """Those that the database has as this server's, as far as is known."""
        self._again: set[str] = set()
        """Those that have connected since: meanwhile they may have been at another server."""
        self._doubtful: set[str] = set()
        """Those that may have been noted by a write whose answer was lost."""
        self._times_taken = 0
        """``Membership.times_taken`` when they were noted: what was noted before is deleted."""
        self._noting: asyncio.Task[None] | None = None
        self._closed = False

    def note(self, device: str, *, connected: bool) -> None:
        """A device has connected here, or gone. The others learn it soon. Never raises."""
        (self._here.add if connected else self._here.discard)(device)
        if connected:
            self._again.add(device)
        self.look_again()

    def look_again(self) -> None:
        """Note what is not noted yet, soon."""
        if self._noting is None and not self._closed:
            self._noting = asyncio.ensure_future(self._note())

    async def close(self) -> None:
        """Stop. The end of the membership deletes what was noted. Safe to call twice."""
        self._closed = True
        noting = self._noting
        if noting is not None:
            noting.cancel()
            await asyncio.gather(noting, return_exceptions=True)

    async def _note(self) -> None:
        try:
            while True:
                if self._times_taken != self._membership.times_taken:
                    self._times_taken = self._membership.times_taken
                    self._noted.clear()
                again, self._again = self._again, set()
                came = (self._here - self._noted) | (again & self._here)
                went = (self._noted | self._doubtful) - self._here
                if not came and not went:
                    return
                try:
                    await self._in_session(partial(self._write, came, went))
                except StorageError as error:
                    log.debug("the devices of this server could not be noted: %s", error)
                    self._again |= came
                    self._doubtful |= came
                    await asyncio.sleep(AGAIN_S)
                else:
                    self._noted = (self._noted | came) - went
                    self._doubtful.clear()
        finally:
            self._noting = None

    def _write(self, came: set[str], went: set[str], raw: Raw) -> None:
        me = self._membership.holder
        raw.execute(NOTE, {"me": me, "came": sorted(came), "went": sorted(went)})
        raw.execute(TELL_PATIENTLY, (CHANNEL, json.dumps({"kind": "devices", "from": me})))
