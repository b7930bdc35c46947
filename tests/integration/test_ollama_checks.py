"""The checks of Ollama pass against a server that follows its documentation, and each fails against
one that does not: a check that cannot fail would prove nothing about a real Ollama either.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from lobug.errors import EngineError
from support import ollama_checks as checks
from support.documented_ollama import CHAT, SIZES, THINKING, DocumentedOllama
from support.ollama_checks import CHECKS, Check, OllamaSite, site_at, wanted
from support.scripted_http import serving


def site_of(server: DocumentedOllama) -> OllamaSite:
    return OllamaSite(server.url, CHAT, THINKING, tuple(SIZES))


async def run(check: Check, fault: str = "") -> None:
    async with serving(DocumentedOllama(fault)) as server:
        server.models.add("all-minilm:22m")
        await check(site_of(server))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_a_server_as_documented_passes(check: Check) -> None:
    await run(check)


@pytest.mark.parametrize(
    ("check", "fault", "said"),
    [
        (checks.check_a_missing_model_is_said, "has every model", "DID NOT RAISE"),
        (
            checks.check_a_pull_tells_its_progress_and_the_model_is_noticed,
            "tells no progress",
            "how much there is to fetch",
        ),
        (checks.check_a_pull_tells_its_progress_and_the_model_is_noticed, "goes back", "goes back"),
        (
            checks.check_a_pull_tells_its_progress_and_the_model_is_noticed,
            "ends without success",
            "ends with 'writing manifest'",
        ),
        (
            checks.check_keep_alive_keeps_and_frees_the_model,
            "keeps for its own time",
            "kept for 0:04",
        ),
        (checks.check_keep_alive_keeps_and_frees_the_model, "frees nothing", "the model is freed"),
        (
            checks.check_more_words_than_the_window_holds,
            "reads without end",
            "more than its window",
        ),
        (checks.check_more_words_than_the_window_holds, "fails at what is too long", "status 500"),
        (checks.check_a_reply_is_no_longer_than_asked, "writes without end", "50 pieces"),
        (checks.check_a_reply_is_no_longer_than_asked, "ends without done", "in the middle"),
        (checks.check_a_tool_is_called_by_schema, "ignores the schema", "no JSON"),
        (checks.check_a_tool_is_called_by_name, "calls no tool", "called no tool"),
        (checks.check_a_tool_is_called_by_name, "calls wrongly", "the level is 3"),
        (checks.check_thinking_is_never_spoken, "thinks aloud", "more than the answer"),
        (checks.check_thinking_is_never_spoken, "does not think", "does not think"),
        (
            checks.check_a_model_that_cannot_think_answers_all_the_same,
            "fails where think is given",
            "status 400",
        ),
        (checks.check_embeddings_of_every_size, "mixes the order", "the order of a batch"),
        (checks.check_embeddings_of_every_size, "sends zeros", "zeros"),
        (checks.check_embeddings_of_every_size, "knows one size", "of one size"),
        (checks.check_embeddings_of_every_size, "does not understand", "what is alike"),
        (
            checks.check_a_restart_in_mid_stream,
            "forgets its models",
            "notices that the server is back",
        ),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
async def test_a_fault_is_found(
    check: Check, fault: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "PATIENCE_S", 1.0)
    found = (AssertionError, EngineError, pytest.fail.Exception)
    with pytest.raises(found, match=said):
        await run(check, fault)


def test_every_check_is_seen_to_fail() -> None:
    (mark,) = [m for m in test_a_fault_is_found.pytestmark if m.name == "parametrize"]  # type: ignore[attr-defined]
    assert {check for check, *_ in mark.args[1]} == set(CHECKS)


@pytest.mark.parametrize(
    ("check", "manner"),
    [
        (checks.check_more_words_than_the_window_holds, "refuses what is too long"),
        (checks.check_thinking_is_never_spoken, "always thinks"),
        (checks.check_thinking_is_never_spoken, "thinks in tags"),
        (
            checks.check_a_model_that_cannot_think_answers_all_the_same,
            "refuses every think",
        ),
        (checks.check_embeddings_of_every_size, "shortens what is too long"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
async def test_what_ollama_has_done_in_some_version_is_no_fault(check: Check, manner: str) -> None:
    await run(check, manner)


async def test_a_pull_that_brings_no_model_is_found() -> None:
    async with serving(DocumentedOllama("pulls nothing")) as server:
        with pytest.raises(AssertionError, match="is not listed"):
            await checks.check_a_pull_tells_its_progress_and_the_model_is_noticed(site_of(server))


NOBODY = OllamaSite("http://127.0.0.1:9", CHAT, THINKING, tuple(SIZES))


def test_without_ollama_the_checks_are_skipped_and_with_a_named_one_they_fail() -> None:
    with pytest.raises(pytest.skip.Exception, match="no Ollama answers at"):
        site_at(NOBODY, named=False)
    with pytest.raises(pytest.fail.Exception, match="which OLLAMA_HOST names"):
        site_at(NOBODY, named=True)


async def test_missing_models_are_pulled_first() -> None:
    async with serving(DocumentedOllama()) as server:
        await asyncio.to_thread(site_at, site_of(server), named=True)
        assert [r.body["model"] for r in server.requests_to("/api/pull")] == ["all-minilm:22m"]


@pytest.mark.parametrize(
    ("variable", "host", "named"),
    [
        (None, "http://127.0.0.1:11434", False),
        (" ", "http://127.0.0.1:11434", False),
        ("0.0.0.0", "http://127.0.0.1:11434", True),
        ("gpu.lan:8080", "http://gpu.lan:8080", True),
        ("https://gpu.lan:443", "https://gpu.lan:443", True),
    ],
)
def test_ollamas_own_variable_names_the_server(
    variable: str | None, host: str, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    if variable is not None:
        monkeypatch.setenv("OLLAMA_HOST", variable)
    site, is_named = wanted()
    assert (site.host, is_named) == (host, named)


def test_a_run_of_all_tests_leaves_them_out_and_one_that_names_them_does_not(
    request: pytest.FixtureRequest,
) -> None:
    tests = Path(__file__).parents[1]
    (conftest,) = (
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(tests / "conftest.py")
    )

    def left_out(folder: str, *arguments: str) -> bool:
        config = SimpleNamespace(args=list(arguments))
        return bool(conftest.pytest_ignore_collect(tests / folder, config))

    assert left_out("ollama", "tests")
    assert left_out("ollama", "tests/integration/test_ollama_checks.py")
    assert not left_out("ollama", "tests/ollama")
    assert not left_out("ollama", str(tests / "ollama" / "test_conformance.py"))
    assert not left_out("integration", "tests")
