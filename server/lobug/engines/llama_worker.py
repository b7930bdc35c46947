"""The child process that holds the embedded chat model; ``llama_process`` starts it.

It imports only xllamacpp and the standard library, so that it starts fast and a native crash takes
nothing else of Lo-Bug down. The first line of standard input is its configuration
(``WorkerConfig``, JSON); it holds the key, so it is passed neither as an argument nor in the
environment. The process ends when its standard input ends: so it notices that its parent is gone,
however the parent died.

Standard output carries one line, ``READY <address>`` or ``FAILED <why>``; llama.cpp's log goes to
standard error.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

READY: Final = "ready"
"""First word of the output line when the model is loaded and the socket answers."""

FAILED: Final = "failed"
"""First word of the output line when the model could not be loaded; the reason follows."""

EXIT_LOAD_FAILED: Final = 3
"""Exit code after ``FAILED``: this llama.cpp cannot load the file."""

_PR_SET_PDEATHSIG: Final = 1
"""Linux ``prctl`` option: the signal sent to this process when its parent's thread dies."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """How the child loads the model and where it answers."""

    model_path: str
    socket_path: str
    """Unix socket; its directory is private (0700) and removed when the child ends by itself."""
    api_key: str
    slots: int
    """How many prompt prefixes are cached at once."""
    context_tokens: int
    """Context window of one slot, tokens."""
    threads: int
    batch_tokens: int
    """Prompt tokens computed between two checks whether the request was cancelled."""
    niceness: int
    """Added to this process's own, so that the parent's event loop takes precedence."""
    parent_pid: int

    def to_line(self) -> str:
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_line(cls, line: str) -> WorkerConfig:
        return cls(**json.loads(line))


def _parameters(config: WorkerConfig) -> Any:
    import xllamacpp  # noqa: PLC0415 - after OMP_WAIT_POLICY is known to be set

    p = xllamacpp.CommonParams()
    p.model.path = config.model_path
    p.hostnames = [config.socket_path]
    p.api_keys = [config.api_key]
    p.n_parallel = config.slots
    p.n_ctx = config.slots * config.context_tokens
    # One pool for all slots: a slot may use what another leaves free, and a prefix takes only as
    # much memory as its tokens.
    p.kv_unified = True
    p.kv_unified_per_slot = config.context_tokens
    # A request that is cancelled while its prompt is read stops between two batches. On two cores
    # 32 tokens take 0.5 s; 512 would take 8 s and read a prompt no faster (60 tokens/s both).
    p.n_batch = config.batch_tokens
    p.n_ubatch = config.batch_tokens
    # A prompt reuses only the beginning that it shares with its slot's cache: later parts were
    # computed in the context of words that this prompt must not use. A request may override this.
    p.n_cache_reuse = 0
    # Weights are repacked for this processor while loading; mapping the file too would keep a
    # second copy resident (2.16 instead of 1.57 GB with the 1.5B model).
    p.load_mode = xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_NONE
    p.cpuparams.n_threads = config.threads
    p.cpuparams_batch.n_threads = config.threads
    # Slots are the only prompt cache.
    p.cache_ram_mib = 0
    p.cache_idle_slots = False
    # A prompt that ends with the assistant's message is history, not a reply to continue.
    p.prefill_assistant = False
    p.warmup = True
    p.n_threads_http = config.slots + 4
    p.verbosity = 1
    p.ui = False
    p.offline = True  # llama.cpp could download models
    # llama.cpp clears slots only where it may save them too; nothing is ever saved.
    p.endpoint_slots = True
    p.slot_save_path = str(Path(config.socket_path).parent) + os.sep
    return p


def _ask_for_sigterm_with_parent() -> None:
    """On Linux: get SIGTERM when the parent dies, even if another process holds the pipe open."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _own_stdout() -> Callable[[str], None]:
    """Redirect what llama.cpp prints to standard error; return a writer for standard output."""
    ours = os.dup(1)
    os.dup2(2, 1)

    def say(line: str) -> None:
        os.write(ours, line.replace("\n", " ").encode() + b"\n")

    return say


def main() -> None:
    """Load the model, serve it on the socket, and leave when standard input ends."""
    config = WorkerConfig.from_line(sys.stdin.readline())
    say = _own_stdout()

    def leave(*_: object) -> None:
        shutil.rmtree(Path(config.socket_path).parent, ignore_errors=True)
        # llama.cpp's own shutdown would wait for running requests, whose reader is gone.
        os._exit(0)

    def watch() -> None:
        while os.read(0, 4096):
            pass
        leave()

    threading.Thread(target=watch, daemon=True).start()
    os.nice(config.niceness)
    try:
        import xllamacpp  # noqa: PLC0415 - inside the try: a wheel may fail to load

        server = xllamacpp.Server(_parameters(config))
    except Exception as error:  # noqa: BLE001 - the parent reports any failure
        say(f"{FAILED} {error}")
        sys.exit(EXIT_LOAD_FAILED)
    # After the start: xllamacpp installs handlers of its own.
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _ask_for_sigterm_with_parent()
    if os.getppid() != config.parent_pid:
        leave()
    say(f"{READY} {server.listening_address}")
    threading.Event().wait()


if __name__ == "__main__":
    main()
