"""The sentences of ``sentences.toml``: what checks say to a person."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def _catalogue() -> Mapping[str, Mapping[str, str]]:
    text = (files("lobug.diagnosis") / "sentences.toml").read_text(encoding="utf-8")
    tables: Mapping[str, Mapping[str, str]] = tomllib.loads(text)
    return tables


def sentence(key: str, /, **words: object) -> str:
    """The sentence of a key such as ``doctor.ram``, with ``words`` in place of its braces."""
    table, _, name = key.partition(".")
    return _catalogue()[table][name].format(**words)
