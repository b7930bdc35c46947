"""Signatures of updates: the server's Ed25519 key, and what it signs.

A device keeps the public key from its pairing on and takes no update over the network that this key
has not signed (docs/protocol.md). The private key is a file of the data folder that only its owner
can read: whoever else could, could replace the firmware of devices that they reach.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from pydantic_core import from_json

from lobug.access.devices import MAX_BYTES
from lobug.errors import LobugError
from lobug.ota.image import FirmwareImage

log = logging.getLogger(__name__)

_UNFINISHED = ".update-key-"
_DOMAIN = "lobug firmware update 1"
_NONCE = re.compile(r"[0-9a-f]{32}", re.ASCII)


class UpdateKeyError(LobugError):
    """The key that signs updates cannot be read or made."""

    code = "update_key"
    status = 503


@dataclass(frozen=True, slots=True)
class Signed:
    """What a device that verifies updates is told. Both in hexadecimal."""

    key: str
    """The public key, 32 bytes."""
    signature: str | None
    """Of the offered image, 64 bytes; None: none is offered."""


def read_nonce(body: bytes) -> str | None:
    """Read ``update_nonce`` of a device's description of itself: 32 hexadecimal digits; None: the
    device verifies no signatures, or it is not valid."""
    try:
        document = from_json(body) if body and len(body) <= MAX_BYTES else None
    except ValueError:
        return None
    nonce = document.get("update_nonce") if isinstance(document, dict) else None
    return nonce if isinstance(nonce, str) and _NONCE.fullmatch(nonce) else None


def message_of(image: FirmwareImage, nonce: str) -> bytes:
    """What is signed: the image, for which board and in which intent, and the device's nonce, so
    that nothing can be replayed. Pure. No field holds a line break."""
    fields = (
        _DOMAIN,
        image.board,
        image.version,
        str(image.size),
        image.sha256,
        "force" if image.forced else "newer",
        nonce,
    )
    return "".join(f"{field}\n" for field in fields).encode()


class UpdateKey:
    """The key on disk; made when it is first needed. Calls block, and nothing is cached."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def public(self) -> str:
        """Return the public key, hexadecimal. Raises UpdateKeyError."""
        return _public(self._key())

    def sign(self, image: FirmwareImage | None, nonce: str) -> Signed:
        """Sign the offer of an image. Raises UpdateKeyError."""
        key = self._key()
        signature = None if image is None else key.sign(message_of(image, nonce)).hex()
        return Signed(_public(key), signature)

    def _key(self) -> Ed25519PrivateKey:
        try:
            try:
                pem = self.path.read_bytes()
            except FileNotFoundError:
                self._make()
                pem = self.path.read_bytes()
        except OSError as error:
            raise UpdateKeyError(
                f"the key of updates, {self.path}, cannot be read or made:"
                f" {error.strerror or error}"
            ) from error
        try:
            key = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise self._damaged() from error
        if not isinstance(key, Ed25519PrivateKey):
            raise self._damaged()
        return key

    def _damaged(self) -> UpdateKeyError:
        return UpdateKeyError(
            f"{self.path} is not an Ed25519 key: restore it from a backup. Without one delete it,"
            " so that a new key is made, and pair each device again."
        )

    def _make(self) -> None:
        """Write a new key, unless another program has just made one. Raises OSError."""
        pem = Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.path.parent)  # 0600
        unfinished = Path(name)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(pem)
                out.flush()
                os.fsync(out.fileno())
            with suppress(FileExistsError):  # the first one counts: devices may know it already
                self.path.hardlink_to(unfinished)
                log.info("a key that signs updates was made: %s", self.path)
        finally:
            unfinished.unlink(missing_ok=True)


def _public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()
