"""What all tests share: the embedded models, and nothing left out silently.

A test marked ``models`` or ``speech`` is skipped, with its reason, where those cannot be had.
Under ``CI=true`` nothing may be left out: every skip, whatever its cause, is a failure there.

Several test processes (``scripts/test.sh``) share the files among them. All files that need the
chat model go to one process, and so do those that need the models of speech alone: two chat models
at once on two cores take more than twice as long, and each process would load them anew. What takes
longest begins first.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import hypothesis
import pytest
from xdist.scheduler import LoadFileScheduling

from lobug.language.claims import Heard
from lobug.language.claims import Path as Subject
from lobug.language.en.claims.english import EnglishClaims
from lobug.memory.claim_rows import KnownClaim
from lobug.memory.claims import held_claims
from lobug.memory.claims.held_claims import HeldClaims
from lobug.models import verify
from lobug.models.catalog import needed_models
from lobug.settings import Settings

pytest_plugins = ["pytester"]

# How long an example takes says nothing on a machine that does much else.
hypothesis.settings.register_profile("lobug", deadline=None)
hypothesis.settings.load_profile("lobug")

_Report = TypeVar("_Report", pytest.TestReport, pytest.CollectReport)

SPEECH_FILES = (
    Path("/usr/share/asterisk/sounds/en_US_f_Allison/activated.g722"),
    Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz"),
    Path("/usr/share/pocketsphinx/test/data/cards/001.wav"),
    Path("/usr/share/sounds/alsa/Front_Center.wav"),
)
"""One file of each package that scripts/system-packages.sh installs."""


MODELS_SCOPE = "with models"
SPEECH_SCOPE = "with the models of speech"

EMBEDDER_ONLY = frozenset({"test_evaluation_recall.py", "test_bench_recall.py"})
"""Files that are marked ``models`` and load the small embedder alone: they go to any process, so
that no process has half of the whole run before it."""

BUILD_S = 2400
"""Longest time of a test of the firmware, seconds: it may have to wait for a whole build, on a
machine that does much else."""


@functools.cache
def _uses_models(file: str) -> bool:
    """Whether a test file, a path from the project's root, has a test marked ``models``."""
    path = Path(__file__).parents[1] / file
    return path.is_file() and "mark.models" in path.read_text()


@functools.cache
def _uses_speech_alone(file: str) -> bool:
    """Whether the models of a test file are those that ``support.speech_engines`` loads."""
    return "speech_engines" in (Path(__file__).parents[1] / file).read_text()


class ModelsTogether(LoadFileScheduling):  # type: ignore[misc]  # xdist declares no types
    """Shares the test files among the processes, those with the same models as if they were one
    file."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        if not _uses_models(file) or Path(file).name in EMBEDDER_ONLY:
            return file
        return SPEECH_SCOPE if _uses_speech_alone(file) else MODELS_SCOPE


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ModelsTogether | None:
    """How test files are shared among processes, for ``--dist loadfile``."""
    return ModelsTogether(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores, because many tests mostly wait; at most four."""
    return min((os.cpu_count() or 1) + 1, 4)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests of a real Ollama out unless they are named, as `make test-ollama` does."""
    is_ollama = (collection_path.parent.name, collection_path.name) == ("tests", "ollama")
    named = any("ollama" in Path(argument).parts for argument in config.args)
    return True if is_ollama and not named else None


class Shifted(pytest.Directory):
    """A folder whose files are collected in their order, but from another one on in each process.

    pytest rewrites the assertions of each test file, which takes longer than to import it, and
    keeps the result on disk. So no two processes rewrite the same file at the same time, and each
    finds there what the others have rewritten.
    """

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        assert self.parent is not None
        found = list(pytest.Dir.from_parent(self.parent, path=self.path).collect())
        worker = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
        first = len(found) * worker // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        yield from (*found[first:], *found[:first])


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """How a folder's files are found where several processes look for them."""
    shared = "PYTEST_XDIST_WORKER" in os.environ
    return Shifted.from_parent(parent, path=path) if shared else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with models first, then the others in the order of their names: what builds the
    firmware, what starts servers, what computes."""
    root = Path(__file__).parents[1]
    if "PYTEST_XDIST_WORKER" in os.environ:  # all processes must have the same order
        items.sort(key=lambda item: item.path)
    items.sort(key=lambda item: not _uses_models(item.path.relative_to(root).as_posix()))
    for item in items:
        if item.path.parent.name == "firmware" and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(BUILD_S))


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


@pytest.fixture
def rules_read_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what the chat model extracts: the rules for claims leave everything to it, as
    they do with words of another language."""
    monkeypatch.setattr(EnglishClaims, "read", staticmethod(lambda _text: Heard()))
    monkeypatch.setattr(EnglishClaims, "read_fact", staticmethod(lambda _sentence: ()))
    monkeypatch.setattr(EnglishClaims, "read_question", staticmethod(lambda _text: None))
    monkeypatch.setattr(EnglishClaims, "read_topic", staticmethod(lambda _text: None))
    monkeypatch.setattr(EnglishClaims, "unknown", staticmethod(lambda _text, _names=(): ""))


@pytest.fixture(params=["sqlite", "postgres"])
def each_database(request: pytest.FixtureRequest) -> Generator[None, None, None]:
    """Memory is kept in a file, then, in a second run of the same test, in PostgreSQL."""
    if request.param == "sqlite":
        yield
        return
    from support import postgres  # noqa: PLC0415 - most tests need no server

    with postgres.in_use():
        yield


@pytest.fixture
def asked_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[object, ...]]]:
    """Compares what is kept of memory within a transaction with what memory holds then. Yields what
    was asked for again."""
    kept, subjects = HeldClaims._keep, HeldClaims.known_subjects
    again: list[tuple[object, ...]] = []
    wrong: list[object] = []

    def keep(
        self: HeldClaims, asked: tuple[object, ...], read: Callable[[], list[KnownClaim]]
    ) -> list[KnownClaim]:
        if asked in self._kept:
            again.append(asked)
        found = kept(self, asked, read)
        wrong.extend([asked] * (found != read()))
        return found

    def known(self: HeldClaims) -> frozenset[Subject]:
        found = subjects(self)
        wrong.extend(found ^ held_claims.known_subjects(self._connection, self._user))
        return found

    monkeypatch.setattr(HeldClaims, "_keep", keep)
    monkeypatch.setattr(HeldClaims, "known_subjects", known)
    yield again
    assert not wrong
