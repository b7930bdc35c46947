"""The engines that compute in this process: can they be loaded?"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from lobug.cli.checks.finding import Finding, fail, ok

REINSTALL = "Reinstall: delete .venv, then `make run`."

LIBRARIES = ("av", "soxr", "ctranslate2", "faster_whisper", "hibari", "xllamacpp")
"""Native libraries that an installation may have broken: each is imported once."""


def check_libraries(names: Sequence[str] = LIBRARIES) -> list[Finding]:
    """Whether the libraries of the embedded engines can be imported."""
    broken = []
    for name in names:
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:
            broken.append(fail(f"library {name}", f"cannot be loaded: {error}", REINSTALL))
    return broken or [ok("libraries", f"{', '.join(names)} load")]
