"""scripts/bootstrap.sh with the real venv and pip, on a small project and a loopback index."""

from __future__ import annotations

import ensurepip
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.wheel_index import Index, serve
from support.wheels import VERSION, build_wheel, file_name

ROOT = Path(__file__).parents[2]
FIRST, SECOND, TOOL = "lobug-first", "lobug-second", "lobug-tool"
WHEELS = {
    file_name(name): build_wheel(name, {f"{name.replace('-', '_')}.py": b"HERE = True\n"})
    for name in (FIRST, SECOND, TOOL)
}
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "lobug"
version = "0"
"""
BACKEND = f"""\
import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
sys.path.insert(0, {str(ROOT / "server")!r})
from pathlib import Path
from support.wheels import build_wheel as wheel, file_name

def build_editable(folder, config_settings=None, metadata_directory=None):
    (Path(folder) / file_name("lobug")).write_bytes(wheel("lobug", {{"lobug.pth": b""}}))
    return file_name("lobug")
"""


def locked(*names: str) -> str:
    """A lock. pip is there already in this version, so its hash is not looked at."""
    pins = [f"pip=={ensurepip.version()} \\\n    --hash=sha256:{'0' * 64}\n    # via a test\n"]
    for name in names:
        sha256 = hashlib.sha256(WHEELS[file_name(name)]).hexdigest()
        pins.append(f"{name}=={VERSION} \\\n    --hash=sha256:{sha256}\n")
    return "# a comment\n" + "".join(pins)


class Checkout:
    """A project with our bootstrap script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "bootstrap.sh", folder / "scripts")
        (folder / "pyproject.toml").write_text(PYPROJECT)
        (folder / "backend.py").write_text(BACKEND)
        self.lock(FIRST)

    def lock(self, *names: str) -> None:
        (self.folder / "requirements.txt").write_text(locked(*names))
        (self.folder / "requirements-dev.txt").write_text(locked(*names, TOOL))

    def start(self, kind: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["/bin/sh", "scripts/bootstrap.sh", kind],
            cwd=self.folder,
            env={**os.environ, "PYTHON": sys.executable, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, kind: str, **environment: str) -> str:
        """Run to the end, successfully, and return what was printed."""
        process = self.start(kind, **environment)
        output, _ = process.communicate(timeout=240)
        assert process.returncode == 0, output
        return output

    def stamps(self) -> list[str]:
        return sorted(path.name for path in (self.folder / ".venv").glob(".lobug-*-stamp"))

    def has(self, name: str) -> bool:
        module = name.replace("-", "_")
        command = [str(self.folder / ".venv/bin/python"), "-c", f"import {module}"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with serve(WHEELS) as running:
        for name in [n for n in os.environ if n.startswith(("PIP_", "PYTHON"))]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", running.url)
        yield running


def test_from_nothing_then_at_once_and_offline_then_a_new_lock(
    tmp_path: Path, index: Index
) -> None:
    checkout = Checkout(tmp_path / "with a space")
    checkout.run("run")
    assert checkout.has(FIRST)
    assert checkout.stamps() == [".lobug-run-stamp"]

    assert checkout.run("run", PIP_NO_INDEX="1", PIP_INDEX_URL="") == ""
    assert index.downloads == {file_name(FIRST): 1}

    checkout.lock(FIRST, SECOND)
    checkout.run("run")
    assert checkout.has(SECOND)
    assert index.downloads == {file_name(FIRST): 1, file_name(SECOND): 1}


def test_the_development_environment_serves_to_run_as_well(tmp_path: Path, index: Index) -> None:
    checkout = Checkout(tmp_path / "project")
    checkout.run("dev")
    assert checkout.has(TOOL)
    assert checkout.stamps() == [".lobug-dev-stamp", ".lobug-run-stamp"]
    assert checkout.run("run", PIP_NO_INDEX="1") == ""
    assert checkout.run("dev", PIP_NO_INDEX="1") == ""

    moved = tmp_path / "moved"
    checkout.folder.rename(moved)
    checkout.folder = moved
    assert "Making .venv" in checkout.run("run")  # its scripts name the old place


def test_an_interrupted_installation_does_not_count(tmp_path: Path, index: Index) -> None:
    checkout = Checkout(tmp_path / "project")
    checkout.run("run")
    checkout.lock(FIRST, SECOND)
    index.held = {file_name(SECOND)}
    process = checkout.start("run")
    assert index.holding.wait(120)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert checkout.stamps() == []
    index.held.clear()
    index.release.set()
    checkout.run("run")
    assert checkout.has(SECOND)
    assert checkout.stamps() == [".lobug-run-stamp"]


def test_a_package_with_another_hash_is_refused(tmp_path: Path, index: Index) -> None:
    index.wheels[file_name(FIRST)] = build_wheel(FIRST, {"lobug_first.py": b"EVIL = True\n"})
    checkout = Checkout(tmp_path / "project")
    process = checkout.start("run")
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 1
    assert "HASHES" in output
    assert "run the same command again" in output
    assert checkout.stamps() == []
    assert not checkout.has(FIRST)


def test_a_python_that_does_not_fit_is_refused_in_one_sentence(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "project")
    process = checkout.start("run", PYTHON="/bin/false")
    output, _ = process.communicate()
    assert process.returncode == 1
    assert output == "lobug: PYTHON=/bin/false is not a Python 3.11, 3.12 or 3.13.\n"


def test_without_any_python_it_says_which_to_install(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "project")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("dirname", "rm", "cat", "cksum"):
        found = shutil.which(tool)
        assert found
        (tools / tool).symlink_to(found)
    process = checkout.start("run", PATH=str(tools), PYTHON="")
    output, _ = process.communicate()
    assert process.returncode == 1
    assert "Python 3.11, 3.12 or 3.13 is needed" in output
    assert "brew install" in output
    assert not (checkout.folder / ".venv").exists()
