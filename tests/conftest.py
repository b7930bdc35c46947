"""What all tests share: the embedded models, and nothing left out silently.

A test marked ``models`` or ``speech`` is skipped, with its reason, where those cannot be had.
Under ``CI=true`` nothing may be left out: every skip, whatever its cause, is a failure there.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest

from lobug.models import verify
from lobug.models.catalog import needed_models
from lobug.settings import Settings

pytest_plugins = ["pytester"]

_Report = TypeVar("_Report", pytest.TestReport, pytest.CollectReport)

SPEECH_FILES = (
    Path("/usr/share/asterisk/sounds/en_US_f_Allison/activated.g722"),
    Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz"),
    Path("/usr/share/pocketsphinx/test/data/cards/001.wav"),
    Path("/usr/share/sounds/alsa/Front_Center.wav"),
)
"""One file of each package that scripts/system-packages.sh installs."""


def _under_ci() -> bool:
    return os.environ.get("CI") == "true"


def _missing_speech() -> str | None:
    if os.environ.get("LOBUG_TEST_WITHOUT_SPEECH"):
        return "recorded speech is left out (scripts/system-packages.sh says how to get it)"
    absent = next((path for path in SPEECH_FILES if not path.exists()), None)
    return f"no recorded speech: {absent} is missing (make test installs it)" if absent else None


def _missing_models() -> str | None:
    settings = Settings(_env_file=None)
    for name in needed_models(settings):
        found = verify.check(settings.models_dir, name)
        if not found.ok:
            return found.message
    return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out what needs speech or models where there are none; see the top for CI."""
    if item.get_closest_marker("speech") and (reason := _missing_speech()):
        pytest.skip(reason)
    if item.get_closest_marker("models") and (reason := _missing_models()):
        pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Under CI a skipped test has failed."""
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Under CI a module that skips itself has failed."""
    return _refuse_skip((yield))


def _refuse_skip(report: _Report) -> _Report:
    if _under_ci() and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"Nothing may be left out under CI. {reason}"
    return report


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The folder of the embedded models; for tests marked ``models``."""
    return Settings(_env_file=None).models_dir
