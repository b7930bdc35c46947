"""``lobug serve``: start the server and say what it does."""

from __future__ import annotations

import logging
import re
import shutil
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from lobug.access.addresses import ANY_ADDRESS, local_url
from lobug.cli.sentences import sentence
from lobug.cli.terminal import CommandError, open_console, warn

if TYPE_CHECKING:
    from fastapi import FastAPI
    from rich.console import Console

    from lobug.server import LobugServer
    from lobug.settings import Settings
    from lobug.tls.service import Tls
    from lobug.wyoming.door import WyomingDoor

log = logging.getLogger(__name__)


def serve(
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on, instead of that of the settings; 0.0.0.0 for all.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            metavar="N",
            help="Port to listen on, instead of that of the settings; 0 picks a free one.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Start the server. Ctrl-C stops it."""
    from lobug.cli.effective_settings import load_settings
    from lobug.cli.http_server import collections_paused, open_https_socket, open_socket
    from lobug.data_folder.claim import require_free

    loaded = load_settings(host=host, port=port)
    warn(*loaded.warnings)
    settings = loaded.settings
    with collections_paused(), ExitStack() as sockets:
        listener = sockets.enter_context(open_socket(settings.host, settings.port))
        secure, problem = open_https_socket(settings)
        if secure is not None:
            sockets.enter_context(secure)
        require_free(settings)
        _require_models(settings)
        # After the cheap checks, because importing the application takes a second.
        from lobug.app import create_app
        from lobug.discovery.announcer import lan_addresses
        from lobug.telemetry.logs import configure_logging
        from lobug.tls.service import Tls

        configure_logging(settings.log_level, settings.log_format)
        _remove_stored_reports()
        listens_at = listener.getsockname()[:2]
        tls = Tls(
            settings,
            None if secure is None else secure.getsockname()[1],
            problem=problem,
            http_port=listens_at[1],
            addresses=partial(lan_addresses, listens_at[0]),
        )
        app = create_app(
            loaded.live.given, listens_at=listens_at, tls=tls, command_line=loaded.overrides
        )
        run_app(app, settings, listener, open_console(soft_wrap=True), https=secure)


def _remove_stored_reports() -> None:
    """Remove the usage reports that onnxruntime stored for its maker, and log it."""
    from lobug.vendor_telemetry import remove_stored_reports

    for path in remove_stored_reports():
        log.info("removed what onnxruntime had stored for its maker: %s", path)


def _require_models(settings: Settings) -> None:
    """Raise CommandError when models are missing that nothing can replace."""
    from lobug.cli.doctor.models import lacking_models, replaceable_by_ollama

    wrong = lacking_models(settings)
    if not wrong:
        return
    replaced = {"stt"} if settings.stt.engine != "embedded" else set()
    for check in wrong:
        if check.model.job.value in replaced:
            warn(sentence("serve.spare_model_missing", problem=check.message))
    wrong = [check for check in wrong if check.model.job.value not in replaced]
    if not wrong:
        return
    if {check.model.job.value for check in wrong} == {"chat"} and replaceable_by_ollama(settings):
        warn(*(sentence("serve.chat_model_missing", problem=check.message) for check in wrong))
        return
    raise CommandError(
        *(check.message for check in wrong),
        sentence("serve.models_missing"),
    )


def run_app(
    app: FastAPI,
    settings: Settings,
    listener: socket.socket,
    console: Console,
    *,
    https: socket.socket | None = None,
    address_of: Callable[[str | None], str | None] = lambda address: address,
) -> None:
    """Serve until a signal arrives. Raises the exception that kept the application from starting.

    ``https``: the socket of HTTPS, with the certificate of the application's ``Tls``.
    ``address_of``: see ``Admission``.
    """
    import uvicorn

    from lobug.admission.connections import Admission, raise_descriptor_limit
    from lobug.admission.ledger import capacity_for
    from lobug.admission.protocols import WebSocketConnection, http_protocol
    from lobug.cli.http_server import (
        AnnouncingServer,
        FailureCatcher,
        HttpsPort,
        freeze_loaded,
    )

    limits = settings.limits
    capacity = capacity_for(raise_descriptor_limit(limits.max_open_files), limits)
    admission = Admission(capacity, limits, address_of=address_of)
    catcher = FailureCatcher(app)
    tls: Tls = app.state.tls
    port = None if https is None else HttpsPort(https, lambda: tls.context)
    url = local_url(settings.host, listener.getsockname()[1])

    def announce() -> None:
        freeze_loaded()
        lines = announcement(app.state.lobug, url, settings.host)
        lines[2:2] = [*https_lines(tls), *wyoming_lines(app.state.wyoming)]
        console.print("\n".join(lines))

    async def farewell() -> None:
        await app.state.lobug.say_farewell()

    config = uvicorn.Config(
        catcher,
        lifespan="on",
        log_config=None,
        access_log=settings.log_level == "debug",  # devices call every five seconds
        http=http_protocol(admission),
        ws=WebSocketConnection,
        backlog=capacity.accepts_at_once,
        # One byte more, so that the session itself sees the message and closes with its code.
        ws_max_size=settings.streaming.max_message_bytes + 1,
        ws_per_message_deflate=False,  # audio is compressed already
    )
    console.print(sentence("serve.starting"), style="dim")
    try:
        AnnouncingServer(config, announce, admission, port, farewell).run(sockets=[listener])
    except KeyboardInterrupt:
        return
    except SystemExit as error:
        # Uvicorn leaves with 3 when the application cannot start; the reason was caught before.
        if catcher.failure is None:
            raise CommandError(sentence("serve.failed")) from error
    if catcher.failure is not None:
        raise catcher.failure


def https_lines(tls: Tls) -> list[str]:
    """The lines that say where HTTPS answers, or why it does not. Rich markup."""
    from rich.markup import escape

    lines = []
    if tls.port is not None and tls.addresses.https_url is not None:
        lines.append(sentence("serve.https", url=tls.addresses.https_url))
    elif tls.fault is not None:
        return [f"[red]{escape(sentence('serve.https_off', reason=tls.fault))}[/red]"]
    if tls.shown is not None and tls.shown.authority is not None:
        lines.append(sentence("serve.https_trust", url=tls.addresses.http_url))
        lines.append(f"  {tls.addresses.fingerprint}")
    if tls.fault is not None:
        lines.append(f"[yellow]{escape(tls.fault)}[/yellow]")
    return lines


def wyoming_lines(door: WyomingDoor) -> list[str]:
    """The line that says where the Wyoming door is, or why it is shut; none while it is off. Rich
    markup."""
    from rich.markup import escape

    if door.fault is not None:
        return [f"[red]{escape(sentence('serve.wyoming_off', reason=door.fault))}[/red]"]
    if door.port is None:
        return []
    networks = ", ".join(map(str, door.networks))
    return [escape(sentence("serve.wyoming", port=door.port, networks=networks))]


def announcement(server: LobugServer, url: str, host: str) -> list[str]:
    """The lines printed once the server runs: address, engines, what to try. Rich markup."""
    from rich.markup import escape

    lines = ["", f"[bold green]{sentence('serve.listens', url=url)}[/bold green]"]
    program = program_name(shutil.which("lobug"), Path(sys.argv[0]), Path.cwd())
    lines += _devices_lines(server, url, host, program)
    if server.settings.access.loopback == "token":
        lines.append(sentence("serve.token_on_loopback"))
    lines.append("")
    report = server.health()
    for job, status in report.engines.items():
        state = "" if status.ready else f"  [red]{sentence('serve.not_ready')}[/red]"
        if status.ready and status.degraded:
            state = f"  [yellow]{sentence('serve.degraded')}[/yellow]"
        model = f" {status.model}" if status.model and status.model != status.name else ""
        why = server.choices.get(job, "")
        reason = status.reason if status.reason and (status.degraded or not status.ready) else why
        lines.append(f"  {job:<11}{escape(status.name + model)}{state}")
        if reason:
            lines.append(f"  {'':<11}[dim]{escape(reason)}[/dim]")
    lines.append(f"  {'memory':<11}{escape(_memory_line(server))}")
    option = "" if url == "http://127.0.0.1:8321" else f" --server {url}"
    lines += ["", sentence("serve.try_it")]
    if not server.access.secret:
        lines.append(f'  curl {url}/chat/text -d \'{{"text": "Hello!"}}\'')
    lines += [
        f"  {program} chat{option}",
        f'  {program} simulate --say "What can you do?"{option}',
        "",
        sentence("serve.stop"),
    ]
    return lines


def _devices_lines(server: LobugServer, url: str, host: str, program: str) -> list[str]:
    """How devices find the server, and how a new one is approved. Rich markup."""
    from rich.markup import escape

    from lobug.access.addresses import is_loopback
    from lobug.discovery.announcer import network_address

    access = server.settings.access
    if is_loopback(host) or host == "localhost":
        return [sentence("serve.local_only")]
    lines = [sentence("serve.on_network")]
    address = network_address() if host in ANY_ADDRESS else host
    port = url.rsplit(":", 1)[-1]
    public = re.sub(r"^ws", "http", access.public_url.rstrip("/"))
    place = public or (f"http://{address}:{port}" if address else "")
    if place:
        lines.append(sentence("serve.from_devices", place=place))
    if server.settings.discovery.announce:
        lines.append(sentence("serve.announced"))
    if access.pairing:
        lines.append(sentence("serve.pairing", program=program))
    else:
        lines.append(f"[yellow]{sentence('serve.pairing_off')}[/yellow]")
    if access.trusted_networks:
        networks = ", ".join(map(str, access.trusted_networks))
        lines.append(f"[yellow]{sentence('serve.trusted', networks=networks)}[/yellow]")
    fault = server.access.fault()
    if fault is not None:
        lines.append(f"[red]{escape(sentence('serve.access_fault', reason=fault))}[/red]")
    return lines


def _memory_line(server: LobugServer) -> str:
    fault = server.memory.fault()
    if fault is not None:
        return sentence("serve.no_memory", reason=fault)
    stats = server.memory.stats()
    path = server.memory.place
    if not stats.counted:
        return sentence("serve.memory_uncounted", path=path)
    return sentence("serve.memory", path=path, messages=stats.messages, facts=stats.facts)


def program_name(found: str | None, started: Path, folder: Path) -> str:
    """The command that starts this program again in ``folder``. Pure.

    ``found``: where the shell finds ``lobug``; None: nowhere, as after ``make run``, which puts the
    program in an environment outside the shell's path. ``started``: the path of this program.
    """
    if found is not None or started.name != "lobug":
        return "lobug"
    try:
        return str(started.absolute().relative_to(folder))
    except ValueError:
        return str(started)
