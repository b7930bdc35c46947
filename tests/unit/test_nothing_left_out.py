"""The rules of tests/conftest.py, on a real inner pytest run."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
INNER = """
import pytest

@pytest.mark.speech
def test_with_speech(): pass

@pytest.mark.models
def test_with_models(): pass

@pytest.mark.skip(reason="some other cause")
def test_skipped(): pass

@pytest.mark.xfail(reason="known", strict=True)
def test_known_failure(): assert False

def test_plain(): pass
"""


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An inner test folder under our conftest, without speech and without models."""
    text = CONFTEST.read_text(encoding="utf-8").replace('pytest_plugins = ["pytester"]', "")
    pytester.makeconftest(text)
    pytester.makepyfile(INNER)
    pytester.makeini("[pytest]\nmarkers =\n  speech: x\n  models: x\n")
    monkeypatch.setenv("LOBUG_TEST_WITHOUT_SPEECH", "1")
    monkeypatch.setenv("LOBUG_MODELS_DIR", str(pytester.path / "empty"))
    monkeypatch.delenv("CI", raising=False)
    return pytester


def test_what_cannot_be_had_is_skipped_with_its_reason(inner: pytest.Pytester) -> None:
    result = inner.runpytest_subprocess("-rs")
    result.assert_outcomes(passed=1, skipped=3, xfailed=1)
    result.stdout.fnmatch_lines(["*recorded speech is left out*"])
    result.stdout.fnmatch_lines(["*lobug models pull*"])


def test_under_ci_every_skip_is_a_failure(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    inner.makepyfile(test_whole_module="import pytest\npytest.importorskip('no_such_module')\n")
    result = inner.runpytest_subprocess("--continue-on-collection-errors")
    outcome = result.parseoutcomes()
    assert outcome.get("skipped", 0) == 0
    assert outcome["passed"] == 1
    assert outcome["xfailed"] == 1
    # The skips happen while a test is set up, the import while the module is read.
    assert outcome.get("failed", 0) + outcome["errors"] == 4
    result.stdout.fnmatch_lines(["*Nothing may be left out under CI*"])
