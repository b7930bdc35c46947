"""Prompt states on disk: what a chat model has computed of the beginning of all prompts.

A state is llama.cpp's own file of one slot. It is kept in ``<key>.state`` behind one line of JSON
that says whose it is and what its SHA-256 is, because llama.cpp trusts such a file: one that was
cut off ended its process. Everything here blocks for as long as the disk takes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lobug.engines.base import ChatMessage

log = logging.getLogger(__name__)

SUFFIX: Final = ".state"

_FORMAT: Final = "lobug prompt state 1"
_LONGEST_HEADER: Final = 4096
_TEMPORARY: Final = ".new-"

_LLAMA_MAGIC: Final = 0x67677371
"""``ggsq``: llama.cpp's file of one sequence."""
_LLAMA_VERSION: Final = 4
_TOKENS_AHEAD: Final = 3
"""Numbers before the tokens: a mark, the layout's version, and how many tokens follow."""


def state_key(model: str, runtime: str, messages: Sequence[ChatMessage]) -> str:
    """Return the name of the state of ``messages``. Pure.

    Args:
        model: identity of the model's file, for example its SHA-256.
        runtime: identity of what computes it and how: version, context window, cache types.
        messages: the beginning of all prompts.
    """
    named = {
        "model": model,
        "runtime": runtime,
        "messages": [[m.role, m.content] for m in messages],
    }
    text = json.dumps(named, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def held_tokens(data: bytes) -> list[int]:
    """Return the tokens that llama.cpp's file of one slot holds, in the order of their positions.

    The file has one cell of keys and values for each of them and no other. Raises ValueError for a
    file of another kind, or one whose cells are not those of its tokens.
    """
    try:
        magic, version, count = struct.unpack_from("<3I", data)
        if (magic, version) != (_LLAMA_MAGIC, _LLAMA_VERSION):
            raise ValueError("not llama.cpp's file of one slot, version 4")
        packed = struct.unpack_from(f"<{count}i", data, 12)
        cells_at = 12 + 4 * count
        streams, cells = struct.unpack_from("<2I", data, cells_at)
        table = struct.unpack_from(f"<{3 * cells}i", data, cells_at + 8)
    except struct.error as error:
        raise ValueError("the file ends too soon") from error
    number = packed[_TOKENS_AHEAD - 1] if len(packed) >= _TOKENS_AHEAD else 0
    tokens = list(packed[_TOKENS_AHEAD : _TOKENS_AHEAD + number])
    if number <= 0 or len(tokens) != number or any(packed[_TOKENS_AHEAD + number :]):
        raise ValueError("the file holds something other than tokens of text")
    if streams != 1 or list(table[::3]) != list(range(number)):
        raise ValueError("the file's cells are not those of its tokens")
    return tokens


@dataclass(frozen=True, slots=True)
class PromptState:
    """What a slot holds, as llama.cpp writes and reads it."""

    data: bytes
    tokens: int
    """How many tokens it holds."""


class PromptStates:
    """The states of one data folder, bounded in number and in bytes.

    Only the holder of the data folder may write here.
    """

    def __init__(self, folder: Path, *, most: int, most_bytes: int) -> None:
        """``most``: files that are kept, the least recently used are removed first."""
        self._folder = folder
        self._most = most
        self._most_bytes = most_bytes

    def load(self, key: str) -> PromptState | None:
        """Return a state that is whole; None: there is none. A file that is damaged, too large or
        of another key is removed."""
        path = self._path(key)
        try:
            state = self._checked(path, key)
            os.utime(path)  # it is the most recently used now
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            log.warning("a stored prompt state is discarded: %s", error)
            self.discard(key)
            return None
        return state

    def save(self, key: str, state: PromptState) -> None:
        """Keep a state, and remove the least recently used of the others. Raises ValueError when
        it is larger than all states together may be, OSError when it cannot be written."""
        header = {
            "format": _FORMAT,
            "key": key,
            "tokens": state.tokens,
            "bytes": len(state.data),
            "sha256": hashlib.sha256(state.data).hexdigest(),
        }
        line = json.dumps(header).encode() + b"\n"
        size = len(line) + len(state.data)
        if size > self._most_bytes:
            raise ValueError(f"it has {size:,} bytes, more than are allowed")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._make_room(size, key)
        handle, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=self._folder)  # 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(line)
                # Not forced to the disk: what a power cut leaves is found by its checksum.
                file.write(state.data)
            Path(name).replace(self._path(key))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def discard(self, key: str) -> None:
        """Remove a state. Never fails."""
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as error:
            log.warning("a prompt state could not be removed: %s", error.strerror)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{SUFFIX}"

    def _checked(self, path: Path, key: str) -> PromptState:
        """Raises OSError, ValueError."""
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(handle, "rb") as file:
            if os.fstat(handle).st_size > self._most_bytes:
                raise ValueError("it is larger than is allowed")
            header = _header(file.readline(_LONGEST_HEADER))
            data = file.read()
        if header.get("key") != key:
            raise ValueError("it belongs to another model or another prompt")
        if len(data) != header.get("bytes"):
            raise ValueError("it is not whole")
        if hashlib.sha256(data).hexdigest() != header.get("sha256"):
            raise ValueError("its checksum is wrong")
        tokens = len(held_tokens(data))
        if tokens != header.get("tokens"):
            raise ValueError("it holds another number of tokens than it says")
        return PromptState(data, tokens)

    def _make_room(self, size: int, key: str) -> None:
        """Remove what a crash left behind, and the least recently used states until one of ``size``
        bytes fits. The former one of the same key does not count. Raises OSError."""
        found: list[tuple[float, int, Path]] = []
        for path in self._folder.iterdir():
            if path.name.startswith(_TEMPORARY):
                path.unlink(missing_ok=True)
            elif path.suffix == SUFFIX and path != self._path(key):
                with contextlib.suppress(FileNotFoundError):
                    status = path.lstat()
                    found.append((status.st_mtime, status.st_size, path))
        found.sort(reverse=True)
        kept, total = 1, size
        for _, bytes_, path in found:
            kept, total = kept + 1, total + bytes_
            if kept > self._most or total > self._most_bytes:
                path.unlink(missing_ok=True)


def _header(line: bytes) -> dict[str, Any]:
    """Raises ValueError."""
    header = json.loads(line)
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ValueError("it is no prompt state of this version")
    return header
