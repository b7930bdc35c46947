"""``lobug tls``: what HTTPS shows, and its renewal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lobug.cli.sentences import sentence
from lobug.cli.terminal import CommandError, JsonOption, SentenceGroup, console, print_json

if TYPE_CHECKING:
    from lobug.settings import Settings
    from lobug.tls.shown import Shown

tls_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="The certificate of HTTPS: show, renew.\n\ndocs/https.md says how phones, computers and"
    " devices come to trust it.",
)


@tls_app.command()
def show(as_json: JsonOption = False) -> None:
    """Show what HTTPS is reached at, until when its certificate is valid, and its fingerprint."""
    from lobug.cli.effective_settings import load_settings

    settings = load_settings().settings
    if not settings.tls.enabled:
        raise CommandError(sentence("tls.off"))
    shown = stored_certificate(settings)
    if shown is None:
        raise CommandError(sentence("tls.none_yet"))
    _print(settings, shown, as_json=as_json)


@tls_app.command()
def renew(
    authority: Annotated[
        bool,
        typer.Option(
            "--authority",
            help="Make another authority as well. Every phone, computer and device that trusts the"
            " present one has to trust the new one.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make another certificate now. It renews itself in time; this is for repairs.

    A running server uses it at once, for new connections.
    """
    from lobug.cli.effective_settings import load_settings
    from lobug.data_folder.claim import holder_of

    settings = load_settings().settings
    if not settings.tls.enabled:
        raise CommandError(sentence("tls.off"))
    holder = holder_of(settings)
    if holder is not None and holder.kind == "server":
        _renew_in_server(authority=authority)
        shown = stored_certificate(settings)
        if shown is None:
            raise CommandError(sentence("tls.none_yet"))
    else:
        shown = _renew_in_folder(settings, authority=authority)
    _print(settings, shown, as_json=as_json)


def stored_certificate(settings: Settings) -> Shown | None:
    """What HTTPS shows, read from its files; None: Lo-Bug has made no certificate yet. Raises
    TlsError."""
    from lobug.tls.folder import TlsFolder, read_identity
    from lobug.tls.shown import Shown

    if settings.tls.certificate is not None and settings.tls.key is not None:
        return Shown(read_identity(settings.tls.certificate, settings.tls.key)[0].certificate)
    folder = TlsFolder(settings.tls_dir)
    authority = folder.authority()
    server = None if authority is None else folder.server()
    if authority is None or server is None:
        return None
    return Shown(server.certificate, authority.certificate)


def _renew_in_server(*, authority: bool) -> None:
    """Ask the server that holds the data folder. Raises CommandError."""
    from lobug.cli.connection import open_access_client

    with open_access_client(None) as client:
        client.send("POST", "/web/certificate/renew", {"authority": authority})


def _renew_in_folder(settings: Settings, *, authority: bool) -> Shown:
    """Renew where no server runs. Raises TlsError, DataFolderInUseError."""
    from lobug.data_folder.claim import Claim
    from lobug.discovery.announcer import lan_addresses
    from lobug.tls.folder import TlsFolder
    from lobug.tls.shown import open_certificate

    claim = Claim(settings, "command")
    claim.take()
    try:
        return open_certificate(
            settings,
            lan_addresses(settings.host),
            TlsFolder(settings.tls_dir),
            datetime.now(UTC),
            "authority" if authority else "server",
        )
    finally:
        claim.release()


def _print(settings: Settings, shown: Shown, *, as_json: bool) -> None:
    from lobug.discovery.announcer import lan_addresses
    from lobug.tls.certificates import fingerprint, names_of
    from lobug.tls.shown import warning, web_addresses

    addresses = web_addresses(
        settings, lan_addresses(settings.host), settings.port, settings.tls.port, shown
    )
    authority = shown.authority
    document: dict[str, Any] = {
        "url": addresses.https_url,
        "names": names_of(shown.certificate),
        "valid_until": shown.certificate.not_valid_after_utc.isoformat(),
        "fingerprint": fingerprint(shown.trusted),
        "authority": None if authority is None else str(settings.tls_dir / "lobug-ca.crt"),
        "authority_valid_until": (
            None if authority is None else authority.not_valid_after_utc.isoformat()
        ),
        "warning": warning(shown, datetime.now(UTC)),
    }
    if as_json:
        print_json(document)
        return
    until = shown.certificate.not_valid_after_utc.date()
    lines = [
        sentence("tls.address", url=addresses.https_url),
        sentence("tls.names", names=", ".join(document["names"])),
        sentence("tls.valid", until=until),
    ]
    if authority is None:
        lines.append(sentence("tls.own", path=settings.tls.certificate))
    else:
        lines.append(
            sentence(
                "tls.authority",
                path=document["authority"],
                until=authority.not_valid_after_utc.date(),
            )
        )
    lines.append(sentence("tls.fingerprint", fingerprint=document["fingerprint"]))
    if document["warning"]:
        lines.append(sentence("tls.warning", warning=document["warning"]))
    for line in lines:
        console().print(line, markup=False, soft_wrap=True)
