"""Scenarios are played on the real product: what is measured is what happened."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lobug.cli import evaluate_truth
from lobug.cli.app import app
from lobug.engines.base import ChatMessage, ChatOptions
from lobug.errors import EngineUnavailableError
from lobug.evaluation.locomo_run import Progress
from lobug.evaluation.truth import KINDS, Pace, Scenario, load_scenarios, parse_scenarios
from lobug.evaluation.truth_judge import PlayedScenario
from lobug.evaluation.truth_run import opened, play, play_all
from lobug.settings import Settings
from support.scripted import Replies, ScriptedChatModel, ScriptedEmbedder
from support.truth_kit import silent_model, truth_settings


async def outcome_of(
    steps: str, replies: Replies | None = None, *, pace: Pace | None = None
) -> PlayedScenario:
    """Play a scenario with these steps."""
    (scenario,) = parse_scenarios(f'kind = "tell"\n[[scenario]]\nid = "a"\nsteps = [{steps}]\n')
    chat = silent_model() if replies is None else ScriptedChatModel(replies)
    return await play(scenario, truth_settings(), chat, ScriptedEmbedder(), pace=pace)


def wrong(outcome: PlayedScenario) -> list[str]:
    return [failure.wrong for failure in outcome.failures]


async def test_a_reply_of_the_model_is_judged() -> None:
    outcome = await outcome_of(
        '{ say = "Hello.", reply = ["welcome", "Nora"], never = ["back"] }', ["Welcome back."]
    )
    assert wrong(outcome) == ["the reply lacks Nora", "the reply has back"]
    (turn,) = outcome.turns
    assert (turn.who, turn.said, turn.reply.text) == ("ada", "Hello.", "Welcome back.")
    assert turn.reply.used_model
    assert turn.reply.ms > 0


async def test_a_command_needs_no_model() -> None:
    outcome = await outcome_of('{ say = "What do you know about me?", reply = ["you"] }')
    assert [turn.reply.used_model for turn in outcome.turns] == [False]


async def test_a_turn_that_fails_fails_the_scenario() -> None:
    down = EngineUnavailableError("chat", "the script says so")
    outcome = await outcome_of('{ say = "Tell me a story.", never = ["dragon"] }', [down])
    assert wrong(outcome) == [f"the turn failed: {down.code}"]


@pytest.mark.parametrize(
    ("pace", "settle", "read"),
    [("settled", "", True), ("burst", "", False), ("burst", ", { settle = true }", True)],
)
async def test_words_are_read_in_the_background_unless_in_a_burst(
    pace: Pace, settle: str, read: bool
) -> None:
    asked: list[ChatOptions] = []

    def replies(_: Sequence[ChatMessage], options: ChatOptions) -> str:
        asked.append(options)
        return "[]" if options.json_schema else "Okay."

    story = f'{{ say = "Granny always swore by dandelion soup.", never = ["soup"] }}{settle}'
    await outcome_of(story, replies, pace=pace)
    assert any(options.json_schema for options in asked) == read


async def test_what_was_forgotten_is_in_no_file_and_what_was_not_is() -> None:
    told = '{ say = "Remember that I keep bees." }, { say = "Remember that I sing in a Choir." }'
    forgotten = '{ say = "Forget that I sing in a choir." }, { no_bytes = ["choir"] }'
    assert wrong(await outcome_of(f"{told}, {forgotten}")) == []
    outcome = await outcome_of(f'{told}, {{ no_bytes = ["choir"] }}')
    assert wrong(outcome) == ["in the bytes of a file: choir"]


async def test_each_person_has_a_memory_of_their_own() -> None:
    outcome = await outcome_of(
        '{ say = "Remember that I keep bees." }, { say = "Hello.", who = "ben" },'
        ' { who = "ben", nothing_of = ["bees"], disbelieves = ["bees"] },'
        ' { nothing_of = ["bees"], disbelieves = ["bees"] }'
    )
    assert [failure.step for failure in outcome.failures] == [4, 4]


@pytest.mark.parametrize(("reply", "said"), [("Shall I?", 2), ("I did. Why?\n", 2), ("Done.", 1)])
async def test_a_question_is_answered_only_if_it_was_asked(reply: str, said: int) -> None:
    outcome = await outcome_of(
        '{ say = "Hello." , never = ["x{3}"] }, { say = "Yes.", if_asked = true, reply = ["z"] }',
        [reply],
    )
    assert len(outcome.turns) == said
    assert len(outcome.failures) == said - 1


async def test_time_passes_and_a_session_is_summed_up() -> None:
    def replies(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
        return "[]" if options.json_schema else "They spoke of the heron."

    words = '{ say = "A heron stood in our pond." }, { say = "It took a fish." }'
    soon = f'{words}, {{ settle = true }}, {{ never_summary = ["heron"] }}'
    assert wrong(await outcome_of(soon, replies)) == []
    late = f'{words}, {{ after = "30 minutes", settle = true }}, {{ summary = ["heron"] }}'
    outcome = await outcome_of(late, replies)
    assert wrong(outcome) == []
    assert any("heron" in text for text in outcome.summaries)


async def test_the_settings_choose_neither_folder_nor_household(tmp_path: Path) -> None:
    settings = truth_settings().model_copy(
        update={
            "data_dir": tmp_path,
            "memory": truth_settings().memory.model_copy(
                update={"db_path": tmp_path / "mine.db", "enabled": False}
            ),
        }
    )
    async with opened(settings, silent_model(), ScriptedEmbedder()) as it:
        await it.say("ada", "desk", "Remember that I keep bees.")
        await it.settle()
        held = await it.held("ada", files=True)
    assert len(held.active) == 1
    assert b"bees" in held.bytes
    assert not any(os.scandir(tmp_path))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["eval", "truth", *arguments])


@pytest.fixture
def _silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines that follow a script in the place of those of the settings."""

    async def play_silently(
        chosen: Sequence[Scenario], settings: Settings, pace: Pace | None, step: Progress
    ) -> list[PlayedScenario]:
        return await play_all(
            chosen, truth_settings(), silent_model(), ScriptedEmbedder(), pace=pace, progress=step
        )

    monkeypatch.setattr(evaluate_truth, "_run", play_silently)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(
        """
        [[scenario]]
        id = "agreed"
        kind = "tell"
        steps = [{ say = "Hello.", reply = ["okay"] }]
        [[scenario]]
        id = "asked"
        kind = "ask"
        pace = "burst"
        steps = [{ say = "How high is the sun?", reply = ["noon"] }]
        """
    )
    return path


@pytest.mark.usefixtures("_silent")
def test_json_is_one_object_with_figures_and_all_that_was_said(file: Path) -> None:
    result = run(str(file), "--json", "--burst")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert (figures["scenarios"], figures["passed"], figures["share"]) == (2, 1, 0.5)
    assert figures["by_kind"]["ask"]["passed"] == 0
    agreed, asked = figures["results"]
    assert (agreed["id"], agreed["passed"], agreed["pace"]) == ("agreed", True, "burst")
    assert asked["failures"][0]["wrong"] == "the reply lacks noon"
    assert asked["turns"][0]["reply"]["text"] == "Okay."


@pytest.mark.usefixtures("_silent")
def test_a_table_and_what_went_wrong(file: Path) -> None:
    result = run(str(file), "--failures")
    assert result.exit_code == 0, result.output
    assert "50.0 %" in result.stdout
    assert "asked, step 1: the reply lacks noon - How high is the sun? - Okay." in result.stdout
    assert "1 scenarios failed" not in result.stdout
    assert "--failures" in run(str(file)).stdout


@pytest.mark.usefixtures("_silent")
def test_one_kind_and_a_sample(file: Path) -> None:
    figures = json.loads(run(str(file), "--json", "--only", "ask").stdout)
    assert [result["id"] for result in figures["results"]] == ["asked"]
    figures = json.loads(run("--json", "--set", "ours", "--limit", "9", "--burst").stdout)
    assert figures["scenarios"] == 9
    assert len(figures["by_kind"]) >= 5


@pytest.fixture
def _unplayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every scenario passes without being played: the tests leave the set by other hands unseen."""

    async def play_nothing(
        chosen: Sequence[Scenario], _: Settings, pace: Pace | None, step: Progress
    ) -> list[PlayedScenario]:
        return [PlayedScenario(one.id, one.kind, pace or one.pace, (), ()) for one in chosen]

    monkeypatch.setattr(evaluate_truth, "_run", play_nothing)


@pytest.mark.usefixtures("_unplayed")
def test_sets_are_reported_side_by_side_or_one_is_chosen(file: Path) -> None:
    figures = json.loads(run("--json", "--limit", "6", "--only", "ask").stdout)
    assert {which: list(some["by_kind"]) for which, some in figures["by_set"].items()} == {
        "ours": ["ask"],
        "other": ["ask"],
    }
    assert sum(some["scenarios"] for some in figures["by_set"].values()) == 6
    for which, title, foreign in (
        ("ours", "ours", "by other hands"),
        ("other", "by other hands", "ours"),
    ):
        chosen = ["--set", which, "--limit", "2", "--only", "tell"]
        figures = json.loads(run("--json", *chosen).stdout)
        assert list(figures["by_set"]) == [which]
        assert figures["by_set"][which]["scenarios"] == figures["scenarios"] == 2
        table = run(*chosen).stdout
        assert title in table
        assert foreign not in table
    assert json.loads(run(str(file), "--json").stdout)["by_set"] == {}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "gossip"], "There is no kind gossip."),
        (["--set", "theirs"], "There is no set theirs. The sets are ours, other."),
        (["--set", "other", "--only", "summary"], "no scenario of the kind summary"),
        (["mine.toml", "--set", "ours"], "not both"),
        (["--limit", "0"], "--limit"),
        (["no-such-file.toml"], "cannot be read"),
        (["/"], "cannot be read"),
    ],
)
def test_what_cannot_be_run_is_a_sentence_and_a_code(arguments: list[str], sentence: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_a_kind_that_a_file_lacks_is_named(file: Path) -> None:
    result = run(str(file), "--only", "summary")
    assert result.exit_code == 2
    assert "no scenario of the kind summary" in result.output


def test_the_table_has_a_row_for_every_kind() -> None:
    assert {scenario.kind for scenario in load_scenarios()} == set(KINDS)
