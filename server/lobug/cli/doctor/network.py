"""Checks of the ports on which the server listens."""

from __future__ import annotations

import errno

import httpx

from lobug.access.addresses import local_url
from lobug.cli.http_server import open_socket
from lobug.cli.terminal import CommandError
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.settings import Settings
from lobug.simulator.contract import check_health


def check_port(settings: Settings) -> Finding:
    """Whether the port is free, or a Lo-Bug server already listens there."""
    where = f"{settings.host}:{settings.port}"
    try:
        open_socket(settings.host, settings.port).close()
    except CommandError as error:
        if is_lobug(local_url(settings.host, settings.port)):
            return ok("port", sentence("doctor.port_ours", where=where))
        in_use = isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EADDRINUSE
        if in_use:
            return fail(
                "port",
                sentence("doctor.port_taken", where=where),
                sentence("doctor.port_taken_advice"),
            )
        return fail("port", str(error), sentence("doctor.port_bad_advice"))
    return ok("port", sentence("doctor.port_free", where=where))


def check_wyoming(settings: Settings) -> Finding:
    """Whether the Wyoming door can listen, and for whom."""
    wyoming = settings.wyoming
    if not wyoming.enabled:
        return ok("wyoming", sentence("doctor.wyoming_off"))
    try:
        open_socket(settings.host, wyoming.port).close()
    except CommandError:
        # A running server has the port itself, and says in its health what is wrong.
        if not is_lobug(local_url(settings.host, settings.port)):
            where = f"{settings.host}:{wyoming.port}"
            return fail(
                "wyoming",
                sentence("doctor.port_taken", where=where),
                sentence("doctor.wyoming_port_advice"),
            )
    networks = wyoming.allowed_networks
    if not networks or all(network.is_loopback for network in networks):
        return warn(
            "wyoming",
            sentence("doctor.wyoming_local", port=wyoming.port),
            sentence("doctor.wyoming_local_advice"),
        )
    named = ", ".join(map(str, networks))
    return ok("wyoming", sentence("doctor.wyoming_open", port=wyoming.port, networks=named))


def is_lobug(url: str) -> bool:
    """Whether a Lo-Bug server answers there."""
    try:
        answer = httpx.get(f"{url}/health", timeout=2.0, trust_env=False)
    except httpx.HTTPError:
        return False
    return answer.status_code == 200 and not check_health(answer.content)
