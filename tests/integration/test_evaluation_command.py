"""``lobug eval`` as a person and a script run it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from lobug.cli import evaluate
from lobug.cli.app import app
from lobug.evaluation.case_run import report, run_cases
from lobug.evaluation.cases import Case, load_cases, load_worlds
from lobug.evaluation.locomo_run import Progress
from support.evaluation_subjects import LeakingSubject, OracleSubject, subject_maker


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["eval", *arguments])


@pytest.fixture(params=[OracleSubject], ids=["oracle"])
def subject(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[OracleSubject]:
    """A double in the place of the product's memory."""
    kind: type[OracleSubject] = request.param

    async def judged(chosen: list[Case], settings: object, step: Progress) -> object:
        answers = await run_cases(
            chosen, load_worlds(), subject_maker(kind, load_cases()), progress=lambda case: step()
        )
        return report(answers)

    monkeypatch.setattr(evaluate, "_run", judged)
    return kind


@pytest.mark.usefixtures("subject")
def test_json_is_one_object_with_the_figures() -> None:
    result = run("cases", "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures["cases"] == len(load_cases())
    assert figures["recall@10"] == 1.0
    assert set(figures["by_category"]) == {case.category for case in load_cases()}


@pytest.mark.usefixtures("subject")
def test_one_category_as_a_table() -> None:
    result = run("cases", "--category", "when")
    assert result.exit_code == 0, result.output
    assert "when" in result.stdout
    assert "update" not in result.stdout


@pytest.mark.parametrize("subject", [LeakingSubject], indirect=True)
@pytest.mark.usefixtures("subject")
def test_what_must_not_be_recalled_fails_the_command() -> None:
    result = run("cases", "--category", "deletion", "--misses")
    assert result.exit_code == 1
    assert "recalled but must not be" in result.stdout


def test_an_unknown_category_is_named_with_those_that_there_are() -> None:
    result = run("cases", "--category", "gossip")
    assert result.exit_code == 2
    assert "two_people" in result.output
