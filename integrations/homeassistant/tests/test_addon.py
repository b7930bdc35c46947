"""The add-on: its options become settings, its files fit together. It is not built here."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

HOME = Path(__file__).parents[1]
ADDON = HOME / "addon"
ROOT = HOME.parents[1]


def settings_of(options: dict[str, Any]) -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("addon_run", ADDON / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, str] = module.settings_of(options)
    return found


def config() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ADDON / "config.yaml").read_text())
    return found


def test_options_become_settings() -> None:
    found = settings_of(
        {
            "invite": "ada",
            "chat_engine": "ollama",
            "ollama_url": "http://192.168.1.9:11434",
            "log_level": "debug",
            "settings": [{"name": "LOBUG_DISCOVERY__NAME", "value": "Attic"}],
        }
    )
    assert found["LOBUG_CHAT__ENGINE"] == "ollama"
    assert found["LOBUG_OLLAMA__HOST"] == "http://192.168.1.9:11434"
    assert found["LOBUG_LOG_LEVEL"] == "debug"
    assert found["LOBUG_DISCOVERY__NAME"] == "Attic"
    assert found["LOBUG_DATA_DIR"] == "/data/lobug"


def test_nobody_is_the_owner_by_being_on_the_same_computer() -> None:
    assert settings_of(config()["options"])["LOBUG_ACCESS__LOOPBACK"] == "token"


@pytest.mark.parametrize(
    "row",
    [
        {"name": "LOBUG_ACCESS__LOOPBACK", "value": "free"},
        {"name": "LOBUG_DATA_DIR", "value": "/tmp"},
        {"name": "PATH", "value": "/tmp"},
        {"name": "LOBUG_X\n", "value": ""},
        {"name": "LOBUG_X", "value": 5},
        {},
    ],
)
def test_a_wrong_setting_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"no setting|decides"):
        settings_of({"settings": [row]})


def test_every_option_is_described_in_every_language() -> None:
    schema = set(config()["schema"])
    assert set(config()["options"]) <= schema
    for language in ("en", "de", "es"):
        words = yaml.safe_load((ADDON / "translations" / f"{language}.yaml").read_text())
        assert set(words["configuration"]) == schema
        assert set(words["network"]) == set(config()["ports"])


def test_the_image_is_that_of_the_project() -> None:
    base = re.compile(r"^FROM (\S+)", re.MULTILINE)
    own, projects = (
        base.findall(path.read_text()) for path in (ADDON / "Dockerfile", ROOT / "Dockerfile")
    )
    assert own == projects


def test_what_the_image_copies_is_put_together(tmp_path: Path) -> None:
    import subprocess

    subprocess.run(["sh", ADDON / "assemble.sh", tmp_path / "lobug"], check=True, timeout=60)
    copied = re.findall(r"^COPY (.+) \S+$", (ADDON / "Dockerfile").read_text(), re.MULTILINE)
    assert copied
    for name in " ".join(copied).split():
        assert (tmp_path / "lobug" / name).exists(), name
    again = subprocess.run(["sh", ADDON / "assemble.sh", tmp_path / "lobug"], check=False)
    assert again.returncode == 1
