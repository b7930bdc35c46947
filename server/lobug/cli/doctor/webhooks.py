"""Check of the receiver of webhooks."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from lobug.diagnosis.findings import Finding, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.settings import Settings


def check_webhooks(settings: Settings) -> Finding:
    """Whether something listens where events are posted to. Nothing is sent."""
    webhooks = settings.webhooks
    if not webhooks.url:
        return ok("webhooks", sentence("doctor.webhooks_off"))
    parts = urlsplit(webhooks.url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    where = f"{host}:{port}"
    try:
        socket.create_connection((host, port), timeout=webhooks.timeout_s).close()
    except OSError as error:
        problem = error.strerror or type(error).__name__
        return warn(
            "webhooks",
            sentence("doctor.webhooks_unreachable", where=where, problem=problem),
            sentence("doctor.webhooks_advice"),
        )
    events = ", ".join(webhooks.events)
    if webhooks.include_text:
        return ok("webhooks", sentence("doctor.webhooks_with_text", where=where, events=events))
    return ok("webhooks", sentence("doctor.webhooks_without_text", where=where, events=events))
