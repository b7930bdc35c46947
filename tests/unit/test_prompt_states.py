"""Prompt states on disk: their names, checks, bounds and permissions."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.engines.base import ChatMessage
from lobug.engines.prompt_states import PromptState, PromptStates, held_tokens, state_key
from support.scripted_llama import FLOATS, state_file

TOKENS = [1, 5, 70_000, 0, 9]
STATE = PromptState(state_file(TOKENS), len(TOKENS))
KEY, OTHER = "a" * 64, "b" * 64


def states_in(folder: Path, *, most: int = 4, most_bytes: int = 100_000) -> PromptStates:
    return PromptStates(folder / "states", most=most, most_bytes=most_bytes)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "states").iterdir())


def test_a_key_depends_on_everything_that_the_state_depends_on() -> None:
    persona = [ChatMessage("system", "Be kind."), ChatMessage("user", "Hi")]
    cases = [
        ("model", "runtime", persona),
        ("model 2", "runtime", persona),
        ("model", "runtime 2", persona),
        ("model", "runtime", persona[:1]),
        ("model", "runtime", [*persona, ChatMessage("assistant", "Hello.")]),
        ("model", "runtime", [ChatMessage("system", "Be kind."), ChatMessage("assistant", "Hi")]),
        ("model", "runtime", [ChatMessage("system", "Be kind.Hi")]),
    ]
    keys = [state_key(*case) for case in cases]
    assert len(set(keys)) == len(cases)
    assert keys == [state_key(*case) for case in cases]
    assert all(len(key) == 64 and key.isalnum() for key in keys), "it is a file's name"


def test_what_was_kept_is_found_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    assert states.load(KEY) is None
    states.save(KEY, STATE)
    assert states_in(tmp_path).load(KEY) == STATE
    assert states.load(OTHER) is None
    assert names(tmp_path) == [f"{KEY}.state"]
    folder = tmp_path / "states"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / f"{KEY}.state").stat().st_mode) == 0o600
    states.save(KEY, PromptState(state_file([3]), 1))
    assert states.load(KEY) == PromptState(state_file([3]), 1)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "header alone": lambda data: data.split(b"\n")[0],
    "cut off": lambda data: data[:-1],
    "longer": lambda data: data + b"x",
    "a changed byte": lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:],
    "a changed count": lambda data: data.replace(b'"tokens": 5', b'"tokens": 6'),
    "of another key": lambda data: data.replace(KEY.encode(), OTHER.encode()),
    "of another version": lambda data: data.replace(b"state 1", b"state 2"),
    "another file": lambda _: os.urandom(5_000),
    "no object": lambda _: b"[]\n",
    "too large": lambda data: data + bytes(200_000),
}


def test_a_damaged_or_foreign_file_is_discarded(tmp_path: Path) -> None:
    states, path = states_in(tmp_path), tmp_path / "states" / f"{KEY}.state"
    for name, damage in DAMAGE.items():
        states.save(KEY, STATE)
        path.write_bytes(damage(path.read_bytes()))
        assert states.load(KEY) is None, name
        assert not path.exists(), name
    states.save(KEY, PromptState(b"GGUF" * 100, 5))
    assert states.load(KEY) is None, "its checksum is right, and llama.cpp could not read it"
    target = tmp_path / "elsewhere"
    target.write_bytes(b"kept")
    path.symlink_to(target)
    assert states.load(KEY) is None, "a link is not followed"
    assert target.read_bytes() == b"kept"
    assert not path.is_symlink()


def test_the_least_recently_used_are_removed(tmp_path: Path) -> None:
    states = states_in(tmp_path, most=2)
    times = itertools.count(1_000)

    def used(key: str) -> None:
        os.utime(tmp_path / "states" / f"{key}.state", (moment := next(times), moment))

    for key in ("one", "two"):
        states.save(key, STATE)
        used(key)
    assert states.load("one") == STATE  # now the most recently used
    states.save("three", STATE)
    assert names(tmp_path) == ["one.state", "three.state"]
    size = (tmp_path / "states" / "one.state").stat().st_size
    small = states_in(tmp_path, most=9, most_bytes=2 * size + 10)
    small.save("four", STATE)
    assert len(names(tmp_path)) == 2
    assert "four.state" in names(tmp_path)
    with pytest.raises(ValueError, match="more than are allowed"):
        states_in(tmp_path, most_bytes=size - 1).save("five", STATE)
    assert "five.state" not in names(tmp_path)


def test_a_file_is_there_as_a_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = states_in(tmp_path)
    states.save(KEY, STATE)

    def fail(self: Path, target: Path) -> None:
        assert names(tmp_path) != [f"{KEY}.state"], "it was written under another name"
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="No space"):
            states.save(KEY, PromptState(state_file([3]), 1))
    assert names(tmp_path) == [f"{KEY}.state"]
    assert states.load(KEY) == STATE, "the former one is still there"
    (tmp_path / "states" / ".new-crashed").write_bytes(b"half")
    states.save(OTHER, STATE)
    assert names(tmp_path) == [f"{KEY}.state", f"{OTHER}.state"]


def test_a_slots_file_says_which_tokens_it_holds() -> None:
    assert held_tokens(state_file(TOKENS)) == TOKENS
    for cells in (4, 6):  # keys and values of more words than it names, or of fewer
        with pytest.raises(ValueError, match="cells"):
            held_tokens(state_file(TOKENS, cells))
    with pytest.raises(ValueError, match="other than tokens"):
        held_tokens(state_file([]))


@given(st.binary(max_size=200), st.integers(0, len(state_file(TOKENS)) - FLOATS * len(TOKENS) - 1))
def test_any_other_bytes_are_refused(noise: bytes, length: int) -> None:
    """A file that ends before its keys and values is refused, and nothing but ValueError comes of
    any bytes."""
    whole = state_file(TOKENS)
    with pytest.raises(ValueError, match="file"):
        held_tokens(whole[:length])
    with suppress(ValueError):
        assert held_tokens(whole[:length] + noise)
