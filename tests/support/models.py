"""A catalog model that is small enough to be written by a test."""

from __future__ import annotations

import hashlib

from lobug.models.catalog import Job, Model, ModelFile


def tiny_model(content: bytes) -> Model:
    """A chat model whose one file, ``tiny/model.gguf``, holds ``content``."""
    return Model(
        name="tiny",
        job=Job.CHAT,
        files=(ModelFile("model.gguf", len(content), hashlib.sha256(content).hexdigest()),),
        licence="MIT",
        origin="a test",
        languages=("en",),
        description="A test.",
    )
