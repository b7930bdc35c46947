"""Checks of HTTPS: its port, its certificate and the files of its authority."""

from __future__ import annotations

from datetime import UTC, datetime

from lobug.access.addresses import local_url
from lobug.cli.doctor.network import is_lobug
from lobug.cli.http_server import open_https_socket
from lobug.cli.tls import stored_certificate
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.errors import TlsError
from lobug.settings import Settings
from lobug.tls.certificates import fingerprint
from lobug.tls.shown import require_valid, warning

NAME = "https"


def check_https(settings: Settings) -> list[Finding]:
    """Whether HTTPS can listen, and whether its certificate is valid."""
    if not settings.tls.enabled:
        return [ok(NAME, sentence("doctor.https_off"))]
    findings = [_check_certificate(settings, datetime.now(UTC))]
    listener, problem = open_https_socket(settings)
    if listener is not None:
        listener.close()
    # A running server has the port itself, and says in its health what is wrong.
    elif problem is not None and not is_lobug(local_url(settings.host, settings.port)):
        findings.append(fail(NAME, problem, sentence("doctor.https_port_taken_advice")))
    return findings


def _check_certificate(settings: Settings, now: datetime) -> Finding:
    bad = sentence("doctor.https_bad_advice")
    try:
        shown = stored_certificate(settings)
        if shown is None:
            return ok(NAME, sentence("doctor.https_none_yet"))
        own = "" if shown.authority is not None else str(settings.tls.certificate)
        require_valid(shown.trusted, now, own)
    except TlsError as error:
        return fail(NAME, str(error), bad)
    notice = warning(shown, now)
    if notice is not None:
        return warn(NAME, notice, sentence("doctor.https_warning_advice"))
    until = shown.certificate.not_valid_after_utc.date()
    return ok(
        NAME, sentence("doctor.https_good", until=until, fingerprint=fingerprint(shown.trusted))
    )
