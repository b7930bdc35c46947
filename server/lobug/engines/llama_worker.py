"""The child process that holds the embedded chat model; ``llama_process`` starts it.

It imports xllamacpp and the standard library only, so that it starts fast and so that nothing of
Lo-Bug is in the process that a native crash takes down. The first line of standard input is its
configuration (``WorkerConfig``, JSON), which holds the key and therefore goes neither through
arguments nor through the environment. The end of standard input ends the process: that is how it
notices that its parent is gone, whatever the parent died of.

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
"""Start of the line that says that the model is loaded and the socket answers."""

FAILED: Final = "failed"
"""Start of the line that says why the model could not be loaded."""

EXIT_LOAD_FAILED: Final = 3
"""Exit code after ``FAILED``: the file is no model that this llama.cpp can load."""

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
    """Prompt prefixes that are kept at once."""
    context_tokens: int
    """Context window of one slot, tokens."""
    threads: int
    batch_tokens: int
    """Prompt tokens computed between two looks at whether the request was cancelled."""
    niceness: int
    """Added to this process's own: the parent's event loop goes first."""
    parent_pid: int

    def to_line(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_line(cls, line: str) -> WorkerConfig:
        """Read what ``to_line`` wrote."""
        return cls(**json.loads(line))


def _parameters(config: WorkerConfig) -> Any:
    import xllamacpp  # noqa: PLC0415 - after OMP_WAIT_POLICY is known to be set

    p = xllamacpp.CommonParams()
    p.model.path = config.model_path
    p.hostnames = [config.socket_path]
    p.api_keys = [config.api_key]
    p.n_parallel = config.slots
    p.n_ctx = config.slots * config.context_tokens
    # One pool for all slots: a slot may use what another leaves free, and a lane's prefix costs
    # only what it holds.
    p.kv_unified = True
    p.kv_unified_per_slot = config.context_tokens
    # A request that is cancelled while its prompt is read stops between two batches. On two cores
    # 32 tokens take 0.5 s; 512 would take 8 s and read a prompt no faster (60 tokens/s both).
    p.n_batch = config.batch_tokens
    p.n_ubatch = config.batch_tokens
    # Of what a slot holds, a prompt uses the beginning that both share, and no more: what follows
    # was computed beside words that the prompt may not have. A request may ask for more.
    p.n_cache_reuse = 0
    # Weights are repacked for this processor when they are loaded; mapping the file as well would
    # keep a second copy resident (2.16 instead of 1.57 GB with the 1.5B model).
    p.load_mode = xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_NONE
    p.cpuparams.n_threads = config.threads
    p.cpuparams_batch.n_threads = config.threads
    # Prompts live in their slots; no second cache in memory.
    p.cache_ram_mib = 0
    p.cache_idle_slots = False
    # A prompt that ends with the assistant's message is history, not a reply to be continued.
    p.prefill_assistant = False
    p.warmup = True
    p.n_threads_http = config.slots + 4
    p.verbosity = 1
    p.ui = False
    p.offline = True  # llama.cpp can fetch models; this one never does
    # Slots can be cleared only where they could be saved as well; nobody asks for that.
    p.endpoint_slots = True
    p.slot_save_path = str(Path(config.socket_path).parent) + os.sep
    return p


def _ask_for_sigterm_with_parent() -> None:
    """On Linux: be told when the parent dies, also when its end of the pipe leaked elsewhere."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _own_stdout() -> Callable[[str], None]:
    """Keep standard output for this module; whatever llama.cpp prints goes to standard error."""
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
        # llama.cpp's own shutdown waits for running requests; nobody is there to read them.
        os._exit(0)

    def watch() -> None:
        while os.read(0, 4096):
            pass
        leave()

    threading.Thread(target=watch, daemon=True).start()
    os.nice(config.niceness)
    try:
        import xllamacpp  # noqa: PLC0415 - inside the try: a wheel that cannot load is a failure too

        server = xllamacpp.Server(_parameters(config))
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent gets it as a sentence
        say(f"{FAILED} {error}")
        sys.exit(EXIT_LOAD_FAILED)
    # Only now: xllamacpp installs handlers of its own while it starts.
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _ask_for_sigterm_with_parent()
    if os.getppid() != config.parent_pid:
        leave()
    say(f"{READY} {server.listening_address}")
    threading.Event().wait()


if __name__ == "__main__":
    main()
