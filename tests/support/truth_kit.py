"""The truth scenarios on the real product with a chat model that knows nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lobug.evaluation.truth import Scenario, TruthKind, load_scenarios
from lobug.evaluation.truth_judge import PlayedScenario
from lobug.evaluation.truth_run import play
from lobug.settings import Settings
from support.app_server import settings_for
from support.scripted import ScriptedChatModel, ScriptedEmbedder

OWN = load_scenarios()

PASSED: dict[TruthKind, int] = {
    "tell": 107,
    "change": 217,
    "correct": 276,
    "forget": 121,
    "ask": 213,
    "recite": 21,
}
"""How many scenarios of each kind pass without a chat model. Raise a number when more do; it never
goes down."""


def silent_model() -> ScriptedChatModel:
    """A chat model that says the same harmless thing in every turn and extracts nothing."""
    return ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")


@cache
def truth_settings() -> Settings:
    """The default settings; each scenario brings its own data folder."""
    return settings_for(Path("/nowhere"))


AT_ONCE = 6
"""Scenarios that are played at the same time: each mostly waits for its file."""


async def played(scenarios: Sequence[Scenario]) -> list[PlayedScenario]:
    """Play the scenarios with the silent model."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(scenario: Scenario) -> PlayedScenario:
        async with free:
            return await play(scenario, truth_settings(), silent_model(), ScriptedEmbedder())

    return await asyncio.gather(*map(one, scenarios))


async def assert_enough_pass(kind: TruthKind) -> None:
    """Play all scenarios of a kind that do not depend on the model."""
    chosen = [scenario for scenario in OWN if scenario.kind == kind and not scenario.model]
    outcomes = await played(chosen)
    wrong = [
        f"{outcome.id}, step {failure.step}: {failure.wrong} | {failure.said} | {failure.reply}"
        for outcome in outcomes
        for failure in outcome.failures
    ]
    passed = sum(outcome.passed for outcome in outcomes)
    assert passed >= PASSED[kind], "\n".join(wrong)
