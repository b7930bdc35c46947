"""Openings are said to the real product, and what went wrong is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from typer.testing import CliRunner, Result

from lobug.cli import evaluate_talk
from lobug.cli.app import app
from lobug.engines.base import ChatMessage, ChatOptions
from lobug.evaluation.locomo_run import Progress
from lobug.evaluation.talk import Half, Opening, Played
from lobug.evaluation.talk_run import play_openings, replies_of_examples
from lobug.settings import Settings
from support.scripted import ScriptedChatModel, ScriptedEmbedder
from support.truth_kit import truth_settings

OPENINGS: Mapping[Half, Sequence[Opening]] = {
    "tuned": (
        Opening.model_validate(
            {"say": "Who wrote Faust?", "kind": "question", "answer": ["goethe"]}
        ),
        Opening(say="My kettle hisses.", kind="statement"),
    ),
    "held": (Opening(say="Hm.", kind="noise"),),
}


def script(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
    """Answers as the examples do, and claims to remember what others said."""
    if options.json_schema:
        return "[]"
    earlier = [one.content for one in messages[:-1]]
    if any("kettle" in text for text in earlier):
        return "You told me of your kettle."
    return (
        "It was Goethe." if "Faust" in messages[-1].content else replies_of_examples(SETTINGS)[-1]
    )


SETTINGS = truth_settings()


async def played(repeat: int = 1, progress: Progress = lambda _=1: None) -> list[Played]:
    return await play_openings(
        OPENINGS,
        SETTINGS,
        ScriptedChatModel(script),
        ScriptedEmbedder(),
        repeat=repeat,
        progress=progress,
    )


async def test_each_opening_begins_a_conversation_of_somebody_unknown() -> None:
    steps: list[int] = []
    found = await played(repeat=2, progress=lambda pieces=1: steps.append(pieces))
    assert len(steps) == 6
    assert [(one.half, one.said) for one in found[::2]] == [
        ("tuned", "Who wrote Faust?"),
        ("tuned", "My kettle hisses."),
        ("held", "Hm."),
    ]
    rules = [[fault.rule for fault in one.faults] for one in found]
    assert rules[:2] == [[], []]
    assert all("parroting" in some and "memory" not in some for some in rules[2:])


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["eval", "talk", *arguments])


@pytest.fixture
def _scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chat model that follows a script in the place of that of the settings."""

    async def play(
        openings: Mapping[Half, Sequence[Opening]], _: Settings, repeat: int, step: Progress
    ) -> list[Played]:
        few = {half: some[:2] for half, some in openings.items()}
        model, embedder = ScriptedChatModel(script), ScriptedEmbedder()
        return await play_openings(few, SETTINGS, model, embedder, repeat=repeat, progress=step)

    monkeypatch.setattr(evaluate_talk, "_run", play)


@pytest.mark.usefixtures("_scripted")
def test_json_is_one_object_and_a_half_can_be_chosen() -> None:
    result = run("--json", "--half", "held", "--repeat", "2")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert list(figures["by_half"]) == ["held"]
    assert figures["openings"] == len(figures["results"]) == 4


@pytest.mark.usefixtures("_scripted")
def test_a_table_and_the_faults() -> None:
    shown = run("--failures")
    assert shown.exit_code == 0, shown.output
    for part in ("question", "tuned", "held", "parroting", "What is the capital of Italy? - "):
        assert part in shown.stdout
    assert "--failures shows them" in run().stdout


def test_an_unknown_half_is_a_sentence() -> None:
    result = run("--half", "both")
    assert result.exit_code == 2
    assert "There is no half both. The halves are tuned, held." in " ".join(result.output.split())
