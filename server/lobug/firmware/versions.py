"""Versions of firmware: dotted numbers. Pure."""

from __future__ import annotations

import re

VERSION_RULE = "one to four numbers with dots between them, such as 2.1.0"

_VERSION = re.compile(r"[0-9]{1,5}(\.[0-9]{1,5}){0,3}", re.ASCII)
"""At most 23 characters: a device keeps 24."""


def parse_version(text: str | None) -> tuple[int, ...] | None:
    """What a version is compared by; None: it is none. "2.1" is the same as "2.1.0"."""
    if text is None or not _VERSION.fullmatch(text):
        return None
    numbers = [int(number) for number in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        del numbers[-1]
    return tuple(numbers)


def is_newer(offered: str, running: str | None) -> bool:
    """Whether one version is newer than the other. What is no version is neither newer nor older:
    a build of somebody's own is never replaced."""
    new, old = parse_version(offered), parse_version(running)
    return new is not None and old is not None and new > old


def is_same(one: str, other: str | None) -> bool:
    """Whether two versions are the same."""
    return one == other or (parse_version(one) or one) == (parse_version(other) or other)
