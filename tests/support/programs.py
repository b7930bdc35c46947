"""Programs of the project in processes of their own, forked from one that has imported it.

To import the application is seconds of computing, and tests start it about a hundred times. On
Linux the first program of a test process starts a server that imports it and does nothing else;
each program is forked from that. Elsewhere a fork of loaded libraries is not safe, and every
program imports what it needs. Either way it has its own memory, environment, folder, output and
end, and a signal ends it and nothing else.

What differs from ``python FILE``: nothing runs at its exit (``atexit``), its output is UTF-8 and
written line by line, and what its imports saw is the environment of the first program. Where the
start itself is tested it is started anew (``support/lobug_process.py``).
"""

from __future__ import annotations

import gc
import io
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

LONGEST_RUN_S = 120.0
"""Longest run of a program by default, seconds, on a machine that does much else."""

LOADED = ("lobug.app", "lobug.cli.app", "typer.rich_utils")
"""What is imported before a program is forked."""

if sys.platform == "linux":
    _context = multiprocessing.get_context("forkserver")
    _context.set_forkserver_preload(list(LOADED))
else:
    _context = multiprocessing.get_context("spawn")


class Program:
    """A running program, with the members of ``subprocess.Popen`` that tests use."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        output: Path,
        errors: Path | None = None,
        given: Path | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        """Start it.

        Args:
            arguments: the path of its file, or the name of its module, and what follows.
            output: the file to which its output is appended.
            errors: the file for its standard error; None: ``output``.
            given: the file that is its standard input; None: nothing.
            env: all of its environment; None: that of this process.
            cwd: the folder it runs in; None: that of this process.
        """
        self.args = list(arguments)
        self._process = _context.Process(
            target=_run,
            args=(
                self.args,
                given or Path(os.devnull),
                output,
                errors or output,
                dict(os.environ if env is None else env),
                cwd or Path.cwd(),
            ),
            daemon=True,  # ended with this process, if a test leaves it behind
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, the negative number of the signal that ended it, or None: it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, ``timeout`` seconds at most (subprocess.TimeoutExpired)."""
        self._process.join(timeout)
        code = self.returncode
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send it SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send it SIGKILL."""
        self.send_signal(signal.SIGKILL)


def run(
    arguments: Sequence[str],
    *,
    timeout: float = LONGEST_RUN_S,
    given: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and return what it printed.

    After ``timeout`` seconds it is killed (subprocess.TimeoutExpired).
    """
    with tempfile.TemporaryDirectory(prefix="program-") as folder:
        stdin, stdout, stderr = (Path(folder) / name for name in ("stdin", "stdout", "stderr"))
        stdin.write_text(given)
        stdout.touch()
        stderr.touch()
        program = Program(arguments, output=stdout, errors=stderr, given=stdin, env=env, cwd=cwd)
        try:
            code = program.wait(timeout)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
            raise
        return subprocess.CompletedProcess(
            list(arguments), code, stdout.read_text(), stderr.read_text()
        )


def _run(
    arguments: list[str],
    given: Path,
    output: Path,
    errors: Path,
    environment: dict[str, str],
    folder: Path,
) -> None:
    """What the forked process does: take its place, then run the program as the main module."""
    gc.freeze()  # or the first collection would copy all the memory that it shares
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    with given.open() as stdin, output.open("a") as stdout, errors.open("a") as stderr:
        for file, number in ((stdin, 0), (stdout, 1), (stderr, 2)):
            os.dup2(file.fileno(), number)
    sys.stdin = _stream(0, "r")
    sys.stdout = _stream(1, "w")
    sys.stderr = _stream(2, "w")
    sys.argv[:] = arguments
    program = arguments[0]
    try:
        if program.endswith(".py"):
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    finally:
        sys.stdout.flush()


def _stream(number: int, mode: str) -> IO[str]:
    stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # lives as long as the process
    assert isinstance(stream, io.TextIOWrapper)
    if number:
        stream.reconfigure(line_buffering=True)
    return stream
