"""Keys of entries: the rules for them, and a key for an entry that has none. Pure."""

from __future__ import annotations

import re
import unicodedata

from lobug.errors import MemoryKeyError
from lobug.language.en import fact_comparison, words

MAX_KEY_CHARS = 64
KEY = re.compile(r"[a-z][a-z0-9_]*")
RESERVED_PREFIXES = ("system_", "internal_")
"""Reserved for Lo-Bug itself."""

NAMING_WORDS = 5
"""Most content words in a made key."""


def checked(key: str) -> str:
    """The key, if an owner or a tool may use it. Raises MemoryKeyError."""
    if len(key) > MAX_KEY_CHARS:
        raise MemoryKeyError(f"the key has {len(key)} characters, {MAX_KEY_CHARS} are allowed")
    if not KEY.fullmatch(key):
        raise MemoryKeyError(
            "a key is a lower-case letter, then lower-case letters, digits and underscores"
        )
    for prefix in RESERVED_PREFIXES:
        if key.startswith(prefix):
            raise MemoryKeyError(f"keys that begin with {prefix} are reserved")
    return key


def key_for(content: str) -> str:
    """A key made from a content: "The user's sister is named Anna" gives ``sister_named_anna``;
    what a person has only one of has a fixed key, such as ``user_home``."""
    slot = fact_comparison.slot_of(content)
    named = f"user {slot}".split() if slot else words.content_words(content)
    plain = unicodedata.normalize("NFKD", " ".join(named)).encode("ascii", "ignore").decode()
    parts = [part for part in re.split(r"[^a-z0-9]+", plain.lower()) if part]
    if not slot:
        parts = [part for part in parts if part not in ("user", "s")][:NAMING_WORDS]
    key = "_".join(parts)[:MAX_KEY_CHARS].strip("_")
    if not key or not key[0].isalpha() or key.startswith(RESERVED_PREFIXES):
        key = f"memory_{key}"[:MAX_KEY_CHARS].strip("_")
    return key


def numbered(key: str, number: int) -> str:
    """The key for the ``number``-th entry that would have this one."""
    suffix = f"_{number}"
    return key[: MAX_KEY_CHARS - len(suffix)].rstrip("_") + suffix
