"""`lobug chat` at a real terminal: a pseudo-terminal with the program behind it."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.recording_server import Answer, as_json, good_script, recording_server

PROMPT = b"you> "


@dataclass
class Terminal:
    """A program at a pseudo-terminal."""

    pid: int
    handle: int
    unread: bytes = b""
    ended: bool = False

    def type(self, keys: bytes) -> None:
        os.write(self.handle, keys)

    def read_until(self, expected: bytes, limit_s: float = 60.0) -> bytes:
        """Everything that is shown up to ``expected``."""
        give_up = time.monotonic() + limit_s
        while expected not in self.unread:
            left = give_up - time.monotonic()
            assert left > 0, f"{expected!r} was not shown, only {self.unread!r}"
            if select.select([self.handle], [], [], left)[0]:
                self.unread += os.read(self.handle, 4096)
        shown, found, self.unread = self.unread.partition(expected)
        return shown + found

    def exit_code(self, again: bytes = b"", limit_s: float = 60.0) -> int:
        """How it ended. ``again`` is typed anew every second, as an impatient person would: a
        Ctrl-C in the moment before Python waits for keys is only seen at the next key."""
        give_up = time.monotonic() + limit_s
        retype = time.monotonic() + 1
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.ended = True
                return os.waitstatus_to_exitcode(status)
            assert time.monotonic() < give_up, "it did not end"
            if again and time.monotonic() > retype:
                self.type(again)
                retype = time.monotonic() + 1
            time.sleep(0.02)


@contextmanager
def chat_with(url: str, folder: Path) -> Iterator[Terminal]:
    pid, handle = pty.fork()
    if pid == 0:  # the child
        os.chdir(folder)
        os.environ["TERM"] = "xterm"
        arguments = [sys.executable, "-m", "lobug", "chat", "--server", url]
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
        os.execv(sys.executable, arguments)  # never returns
    terminal = Terminal(pid, handle)
    try:
        yield terminal
    finally:
        os.close(handle)
        if not terminal.ended:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def test_a_conversation_with_history_and_an_end(tmp_path: Path) -> None:
    answers = [as_json({"response": "First [reply]."}), as_json({"response": "Second."})]
    with (
        recording_server(good_script(text=answers)) as door,
        chat_with(door.url, tmp_path) as terminal,
    ):
        terminal.read_until(PROMPT)
        terminal.type(b"/help\r")
        assert b"ends it" in terminal.read_until(PROMPT)
        terminal.type(b"hello bug\r")
        terminal.read_until(b"First [reply].")
        terminal.read_until(PROMPT)
        terminal.type(b"\x1b[A\r")  # up: the same again
        terminal.read_until(b"Second.")
        terminal.read_until(PROMPT)
        terminal.type(b"\x04")  # Ctrl-D
        assert terminal.exit_code() == 0
        said = [raw.partition(b"\r\n\r\n")[2] for raw in door.requests["/chat/text"]]
    assert said == [b'{"text":"hello bug"}'] * 2


def test_ctrl_c_leaves_a_turn_and_then_the_conversation(tmp_path: Path) -> None:
    script = good_script(text=[Answer(hang=True)])
    with recording_server(script) as door, chat_with(door.url, tmp_path) as terminal:
        terminal.read_until(PROMPT)
        terminal.type(b"hello\r")
        terminal.read_until(b"thinking")
        terminal.type(b"\x03")
        terminal.read_until(b"no longer waiting")
        terminal.read_until(PROMPT)
        terminal.type(b"\x03")
        assert terminal.exit_code(again=b"\x03") == 0


@pytest.mark.parametrize("farewell", [b"/quit\r", b"/exit\r"])
def test_words_that_end_it(tmp_path: Path, farewell: bytes) -> None:
    with recording_server() as door, chat_with(door.url, tmp_path) as terminal:
        terminal.read_until(PROMPT)
        terminal.type(farewell)
        assert terminal.exit_code() == 0
