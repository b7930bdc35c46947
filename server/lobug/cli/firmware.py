"""``lobug firmware``: add, list and remove the images that devices are offered."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    SentenceGroup,
    console,
    print_json,
    show_table,
    when,
)

if TYPE_CHECKING:
    from lobug.ota.image import FirmwareImage, FirmwareKind
    from lobug.ota.library import FirmwareLibrary
    from lobug.ota.signing import UpdateKey

KEY_DIGITS = 16
"""Digits of the key of updates that are shown, here and by devices."""

firmware_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Firmware for devices: add, list, remove; the key that signs updates.\n\nA paired"
    " device with Lo-Bug's firmware is offered an image for its board if the image is newer."
    " Devices with other firmware are never offered any. A full image (--full) is what the"
    " page #/flash writes to an empty device over USB. A running server notices a"
    " change at once.",
)

BoardOption = Annotated[
    str,
    typer.Option(
        "--board",
        metavar="BOARD",
        help="Board of the image, as devices name it: m5stack-core2, m5stack-cores3.",
        show_default=False,
    ),
]
VersionOption = Annotated[
    str,
    typer.Option(
        "--version",
        metavar="VERSION",
        help="Version that was built into the image, such as 2.1.0.",
        show_default=False,
    ),
]

FullOption = Annotated[
    bool,
    typer.Option(
        "--full",
        help="It is a full image, for devices that are flashed over USB from the page #/flash: boot"
        " loader, partition table and application, merged for address 0.",
    ),
]


@firmware_app.command()
def add(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The application image, firmware.bin; with --full the merged image.",
            show_default=False,
        ),
    ],
    board: BoardOption,
    version: VersionOption,
    full: FullOption = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Offer it to every device with this board that runs another version, even a"
            " newer one, until it is removed.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Copy an image into the data folder, from which it is offered to devices, or flashed."""
    if full and force:
        raise CommandError(sentence("firmware.full_or_forced"), code=EXIT_USAGE)
    _make_data_folder()
    key = None if full else _update_key().public()
    image = _library().add(file, board, version, kind=_kind(full), forced=force)
    if as_json:
        print_json(_row(image))
        return
    _print(
        sentence(
            "firmware.added_full" if full else "firmware.added",
            board=board,
            version=version,
            bytes=image.size,
            sha256=image.sha256,
        )
    )
    _print(sentence("firmware.where_flashed" if full else "firmware.when_taken"))
    if key is not None:
        _print(sentence("firmware.signed_with", key=key[:KEY_DIGITS]))


@firmware_app.command("list")
def list_images(as_json: JsonOption = False) -> None:
    """Show the images that were added."""
    from lobug.ota.image import FirmwareKind

    library = _library()
    rows = [_row(image) for kind in FirmwareKind for image in library.images(kind=kind)]
    if as_json:
        print_json({"images": rows})
        return
    show_table(
        ("kind", "board", "version", "bytes", "forced", "added", "SHA-256"),
        (
            (
                row["kind"],
                row["board"],
                row["version"],
                row["size"],
                "yes" if row["forced"] else "",
                when(row["added_at"]),
                row["sha256"],
            )
            for row in rows
        ),
        sentence("firmware.none"),
    )


@firmware_app.command()
def remove(
    board: Annotated[
        str, typer.Argument(metavar="BOARD", help="Board of the image.", show_default=False)
    ],
    version: Annotated[
        str, typer.Argument(metavar="VERSION", help="Version of the image.", show_default=False)
    ],
    full: Annotated[
        bool, typer.Option("--full", help="Remove the full image, not the update.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove an image: it is no longer offered. Devices that have installed it keep it."""
    image = _library().remove(board, version, _kind(full))
    if as_json:
        print_json(_row(image))
        return
    _print(sentence("firmware.removed", board=board, version=version))


@firmware_app.command("key")
def show_key(as_json: JsonOption = False) -> None:
    """Show the key that signs updates; it is made when there is none yet.

    A device keeps the key of its first server, and shows its beginning in `show` on its serial
    line. If yours is another one (the server was moved without it, or set up anew), choose *Pair
    again* on the device and let it in again.
    """
    _make_data_folder()
    key = _update_key()
    public = key.public()
    if as_json:
        print_json({"key": public, "file": str(key.path)})
        return
    _print(sentence("firmware.key", key=public[:KEY_DIGITS], file=key.path))
    _print(sentence("firmware.other_key"))


def _make_data_folder() -> None:
    """Make the data folder, readable by its owner alone. If that fails, the library raises."""
    from lobug.cli.effective_settings import load_settings

    with suppress(OSError):
        load_settings().settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)


def _update_key() -> UpdateKey:
    from lobug.cli.effective_settings import load_settings
    from lobug.ota.signing import UpdateKey

    return UpdateKey(load_settings().settings.update_key_path)


def _library() -> FirmwareLibrary:
    from lobug.cli.effective_settings import load_settings
    from lobug.ota.library import FirmwareLibrary

    settings = load_settings().settings
    return FirmwareLibrary(settings.firmware_dir, max_bytes=settings.firmware.max_image_bytes)


def _kind(full: bool) -> FirmwareKind:
    from lobug.ota.image import FirmwareKind

    return FirmwareKind.FULL if full else FirmwareKind.UPDATE


def _row(image: FirmwareImage) -> dict[str, Any]:
    return {
        "kind": image.kind.value,
        "board": image.board,
        "version": image.version,
        "size": image.size,
        "sha256": image.sha256,
        "forced": image.forced,
        "added_at": datetime.fromtimestamp(image.added_at, UTC).isoformat(timespec="seconds"),
    }


def _print(line: str) -> None:
    console().print(line, markup=False, soft_wrap=True)
