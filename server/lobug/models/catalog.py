"""The embedded models by name, and where they are on disk: ``<models_dir>/<name>/<file>``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from lobug.errors import ModelMissingError
from lobug.models import entries
from lobug.models.description import Job, Model, ModelFile

_MODELS = (
    entries.QWEN_1_5B,
    entries.QWEN_0_5B,
    entries.WHISPER_BASE,
    entries.WHISPER_TINY_EN,
    entries.HIBARI,
    entries.UNIVERSAL_SENTENCE_ENCODER,
    entries.SILERO_VAD,
)

CATALOG: Mapping[str, Model] = MappingProxyType({model.name: model for model in _MODELS})
"""Every embedded model, by the name that the settings and the command line use."""


def get(name: str, job: Job | None = None) -> Model:
    """Return the model called ``name``; with ``job``, only if it does that job.

    Raises ModelMissingError, which names the models that there are.
    """
    model = CATALOG.get(name)
    if model is None or (job is not None and model.job is not job):
        known = ", ".join(m.name for m in _MODELS if job is None or m.job is job)
        kind = f"{job} model" if job else "model"
        raise ModelMissingError(
            job or "models", f"no {kind} is called {name!r}; there are: {known}"
        )
    return model


def model_dir(models_dir: Path, name: str) -> Path:
    """Return the folder of a model that is pulled. It need not exist yet.

    Raises ModelMissingError when ``name`` is not in the catalog.
    """
    return models_dir / get(name).name


def main_file(models_dir: Path, name: str) -> Path:
    """Return what an engine opens: the GGUF file of a chat model, the folder of any other.

    Raises ModelMissingError when ``name`` is not in the catalog. Says nothing about whether the
    file is there or whole: that is ``verify.check``.
    """
    model = get(name)
    folder = models_dir / model.name
    return folder / model.files[0].path if model.job is Job.CHAT else folder


def file_path(models_dir: Path, model: Model, file: ModelFile) -> Path:
    """Return where ``file`` of ``model`` is, or has to be, on this machine.

    Raises ModelMissingError when the model comes with a package that is not installed.
    """
    if model.distribution is None:
        return models_dir / model.name / file.path
    try:
        # The package is located, not imported: a damaged one must not run to be looked at.
        located = metadata.distribution(model.distribution).locate_file(file.path)
    except metadata.PackageNotFoundError as error:
        raise ModelMissingError(
            model.job, f"the package {model.distribution} is not installed; run `make run`"
        ) from error
    return Path(str(located))
