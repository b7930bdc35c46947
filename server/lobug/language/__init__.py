"""All that knows a human language.

A language is a folder ``xx/``, named by its ISO 639-1 code, whose module ``language`` has a
``LANGUAGE`` that satisfies ``protocol.Language``. What only English has so far is called from
``en/`` directly; docs/decisions/language-room.md lists it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import cast

from lobug.language.protocol import Language
from lobug.language.text import UnknownLanguage


@lru_cache(maxsize=256)
def language_of(code: str) -> Language:
    """The language of an ISO 639-1 code; one without rules where there is no folder for it."""
    module = files(__name__) / code / "language.py"
    if re.fullmatch(r"[a-z]{2,3}", code) is None or not module.is_file():
        return UnknownLanguage(code)
    return cast("Language", import_module(f"{__name__}.{code}.language").LANGUAGE)
