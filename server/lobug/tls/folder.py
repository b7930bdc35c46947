"""The folder ``tls`` of the data folder: Lo-Bug's authority and the certificate of its server.

Each file is written whole under another name and then renamed, so that a process that is killed
leaves the old file or the new one. Certificate and key are one file, so they always match.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from lobug.errors import TlsError
from lobug.tls.certificates import Identity, is_authority, is_signed_by, pem_of

log = logging.getLogger(__name__)

AUTHORITY = "authority.pem"
"""The authority's private key and certificate. Whoever can read it can impersonate computers to
those who trust the authority."""
SERVER = "server.pem"
"""The server's private key and certificate."""
PUBLIC = "lobug-ca.crt"
"""The authority's certificate alone, which may be given to everybody."""

_UNFINISHED = ".unfinished-"

REPAIR = (
    " Phones and devices trust the authority that was there, so no other one replaces it by itself."
    " Restore the folder from a backup, or make a new authority with `lobug tls renew --authority`,"
    " which each of them has to trust anew."
)

Checkpoint = Callable[[str], None]
"""Called with a name before and after each step of writing, for tests that stop there."""


class TlsFolder:
    """Reads and writes the folder. Only the holder of the data folder may write. Calls block."""

    def __init__(self, folder: Path, *, checkpoint: Checkpoint = lambda _: None) -> None:
        self._folder = folder
        self._checkpoint = checkpoint

    @property
    def public_path(self) -> Path:
        return self._folder / PUBLIC

    @property
    def server_path(self) -> Path:
        return self._folder / SERVER

    def authority(self) -> Identity | None:
        """The authority; None: none was made yet. Raises TlsError when it is damaged or gone."""
        path = self._folder / AUTHORITY
        found = _read(path)
        if found is None:
            # They are written after it, so somebody has removed it.
            if self.public_path.exists() or self.server_path.exists():
                raise TlsError(f"{path} is missing.{REPAIR}")
            return None
        try:
            identity = _parse(found, found)
        except ValueError as error:
            raise TlsError(f"{path} is damaged: {error}.{REPAIR}") from error
        certificate = identity.certificate
        if not isinstance(identity.key, ec.EllipticCurvePrivateKey):
            raise TlsError(f"{path} is damaged: it holds a key of another kind.{REPAIR}")
        if not is_authority(certificate) or not is_signed_by(certificate, certificate):
            raise TlsError(f"{path} is damaged: its certificate is not an authority's.{REPAIR}")
        return identity

    def server(self) -> Identity | None:
        """The server's certificate; None: there is none that can be used. Raises TlsError when it
        cannot be read."""
        found = _read(self.server_path)
        if found is None:
            return None
        try:
            return _parse(found, found)
        except ValueError as error:
            log.warning("%s is damaged (%s); a new one is made", self.server_path, error)
            return None

    def save_authority(self, authority: Identity) -> None:
        """Raises TlsError."""
        self._write(AUTHORITY, authority.pem())

    def save_server(self, server: Identity) -> None:
        """Raises TlsError."""
        self._write(SERVER, server.pem())

    def publish(self, authority: x509.Certificate) -> None:
        """Write the authority's certificate without its key, unless it is there. Raises
        TlsError."""
        pem = pem_of(authority)
        if _read(self.public_path) != pem:
            self._write(PUBLIC, pem)

    def remove_unfinished(self) -> None:
        """Remove what a process that was killed had begun to write."""
        with suppress(OSError):
            for path in self._folder.glob(f"{_UNFINISHED}*"):
                path.unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        try:
            self._checkpoint(f"{name}: folder")
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._checkpoint(f"{name}: open")
            handle, temporary = tempfile.mkstemp(prefix=_UNFINISHED, dir=self._folder)  # 0600
            try:
                with os.fdopen(handle, "wb") as out:
                    half = len(content) // 2
                    out.write(content[:half])
                    out.flush()
                    self._checkpoint(f"{name}: half")
                    out.write(content[half:])
                    out.flush()
                    os.fsync(out.fileno())
                self._checkpoint(f"{name}: rename")
                Path(temporary).replace(self._folder / name)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            self._checkpoint(f"{name}: renamed")
            _sync_folder(self._folder)
            self._checkpoint(f"{name}: written")
        except OSError as error:
            raise TlsError(
                f"{self._folder / name} could not be written: {error.strerror or error}"
            ) from error


def read_identity(certificate: Path, key: Path) -> tuple[Identity, bytes]:
    """Read a certificate and its key, PEM, from files of the owner's. Returns them with the content
    of the certificate's file. Raises TlsError."""
    chain, secret = _read(certificate), _read(key)
    for path, found in ((certificate, chain), (key, secret)):
        if found is None:
            raise TlsError(f"there is no file {path}, which the settings name for HTTPS")
    try:
        identity = _parse(chain or b"", secret or b"", str(certificate), str(key))
    except ValueError as error:
        raise TlsError(str(error)) from error
    return identity, chain or b""


def _read(path: Path) -> bytes | None:
    """The content of a file; None: there is no such file. Raises TlsError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TlsError(f"{path} cannot be read: {error.strerror or error}") from error


def _parse(
    certificate: bytes, key: bytes, certificate_name: str = "it", key_name: str = "it"
) -> Identity:
    """Raises ValueError with a sentence."""
    try:
        parsed = x509.load_pem_x509_certificates(certificate)[0]
        names_checked = parsed.extensions  # parsed lazily, so a damaged one would raise later
        del names_checked
    except ValueError as error:
        raise ValueError(f"{certificate_name} holds no certificate in PEM form") from error
    try:
        loaded = load_pem_private_key(key, None)
    except TypeError as error:
        raise ValueError(f"the key in {key_name} has a password; write it without one") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ValueError(f"{key_name} holds no private key in PEM form") from error
    if loaded.public_key() != parsed.public_key():
        raise ValueError(f"the key in {key_name} does not belong to the certificate")
    return Identity(parsed, loaded)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
