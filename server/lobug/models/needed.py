"""Which embedded models a set of settings needs on disk."""

from __future__ import annotations

from lobug.settings import Settings


def needed_models(settings: Settings) -> tuple[str, ...]:
    """Return the names of the models that must be pulled before a start with ``settings``.

    ``chat.engine = auto`` counts as needing the embedded chat model: it is what Lo-Bug falls back
    on when Ollama does not answer. Models installed with the program are not listed.
    """
    names: list[str] = []
    if settings.chat.engine in {"auto", "embedded"} and settings.chat.embedded_path is None:
        names.append(settings.chat.embedded_model)
    if settings.stt.path is None:
        names.append(settings.stt.model)
    return tuple(names)
