"""``Tls``: the certificate of a running server, kept valid."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from cryptography import x509

from lobug.access.addresses import WebAddresses
from lobug.errors import CertificateMissingError, TlsError
from lobug.settings import Settings
from lobug.tls.certificates import names_of
from lobug.tls.folder import TlsFolder
from lobug.tls.shown import (
    Renewal,
    Shown,
    make_context,
    open_certificate,
    warning,
    web_addresses,
)

log = logging.getLogger(__name__)

CHECK_S = 30.0
"""Seconds between two checks of the certificate: a laptop changes its network."""

OFF = "HTTPS is off (tls.enabled)"


class Tls:
    """The certificate of one server: ``start`` first, ``close`` last. Neither raises: what is wrong
    is in ``fault``, and every check tries again.

    Args:
        settings: of the server.
        port: at which HTTPS listens; None: it does not.
        problem: why it does not, one sentence; None: the settings switch it off.
        http_port: of plain HTTP; None: unknown.
        addresses: finds the addresses at which other computers reach this one; may block, and
            raise OSError.
        folder: of Lo-Bug's authority; None: that of the settings.
        now: the time, with a time zone.
        check_s: seconds between two checks.
    """

    def __init__(
        self,
        settings: Settings,
        port: int | None,
        *,
        problem: str | None = None,
        http_port: int | None = None,
        addresses: Callable[[], Sequence[str]] = tuple,
        folder: TlsFolder | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        check_s: float = CHECK_S,
    ) -> None:
        self.port = port
        self.shown: Shown | None = None
        """None: there is no certificate, so every connection to the port is closed."""
        self.context: ssl.SSLContext | None = None
        """For new connections; another object after each renewal. None like ``shown``."""
        self.addresses = WebAddresses()
        self._settings = settings
        self._http_port = http_port
        self._problem = problem
        self._find_addresses = addresses
        self._found_addresses: Sequence[str] = ()
        """Those found last."""
        self._folder = folder or TlsFolder(settings.tls_dir)
        self._now = now
        self._check_s = check_s
        self._publish: Callable[[WebAddresses], None] = lambda _: None
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def fault(self) -> str | None:
        """Why HTTPS, which the settings ask for, does not work as it should; None: it does, or is
        switched off."""
        if self._problem is None and self.shown is not None:
            return warning(self.shown, self._now())
        return self._problem

    @property
    def authority(self) -> x509.Certificate:
        """The certificate of Lo-Bug's authority. Raises CertificateMissingError."""
        if self.shown is None:
            raise CertificateMissingError(self._problem or OFF)
        if self.shown.authority is None:
            raise CertificateMissingError("HTTPS uses a certificate of the owner's own")
        return self.shown.authority

    async def start(self, publish: Callable[[WebAddresses], None] = lambda _: None) -> None:
        """Open the certificate, and check it from now on. ``publish`` is called after each check
        with the addresses of the pages."""
        self._publish = publish
        await self.check()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def check(self) -> None:
        """Renew the certificate if it has to be, and find out where people open the pages."""
        with suppress(TlsError):
            await self._refresh(None)

    async def renew(self, renewal: Renewal) -> Shown:
        """Make another certificate now, and for ``authority`` another authority first. Raises
        TlsError; then what was shown before stays."""
        return await self._refresh(renewal)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._check_s)
            await self.check()

    async def _refresh(self, renewal: Renewal | None) -> Shown:
        async with self._lock:
            addresses = await asyncio.to_thread(self._look_for_addresses)
            try:
                shown, context = await asyncio.to_thread(self._open, addresses, renewal)
            except TlsError as error:
                self._report(str(error))
                raise
            else:
                if shown.authority is None and shown != self.shown:
                    log.info("HTTPS: your own certificate is for %s", names_of(shown.certificate))
                self.shown, self.context, self._problem = shown, context, None
            finally:
                self.addresses = web_addresses(
                    self._settings, addresses, self._http_port, self.port, self.shown
                )
                self._publish(self.addresses)
            return shown

    def _look_for_addresses(self) -> Sequence[str]:
        try:
            self._found_addresses = self._find_addresses()
        except OSError as error:
            log.warning("HTTPS: the addresses of this computer cannot be found out: %s", error)
        return self._found_addresses

    def _open(
        self, addresses: Sequence[str], renewal: Renewal | None
    ) -> tuple[Shown, ssl.SSLContext]:
        if self.port is None:
            raise TlsError(self._problem or OFF)
        shown = open_certificate(self._settings, addresses, self._folder, self._now(), renewal)
        if shown == self.shown and self.context is not None:
            return shown, self.context
        return shown, make_context(self._settings, self._folder)

    def _report(self, problem: str) -> None:
        if self.port is not None and problem != self._problem:
            log.error("HTTPS: %s", problem)
            self._problem = problem
