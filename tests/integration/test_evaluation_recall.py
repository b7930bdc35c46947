"""The recall cases on Lo-Bug's own memory with its own embedder: no figure may fall below a floor.

The floors lie a little below what ``lobug eval cases`` gave when they were set (MEMORY.md has the
figures); nothing here depends on speed.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

from lobug.evaluation.case_run import report, run_cases
from lobug.evaluation.cases import load_cases, load_worlds
from lobug.evaluation.product import ProductMaker, started_embedder
from lobug.language.en.claims.english import EnglishClaims
from lobug.settings import EmbeddingSettings, Settings

pytestmark = [pytest.mark.models, pytest.mark.timeout(900)]

FLOORS: dict[str, dict[str, float]] = {
    "contradiction": {"recall@10": 0.9, "mrr": 0.8, "floor": 0.9, "evidence_in_prompt": 0.8},
    "correction": {"recall@10": 0.9, "mrr": 0.8, "floor": 0.9, "evidence_in_prompt": 0.9},
    "deletion": {"recall@10": 0.9, "floor": 0.9},
    "distractors": {"recall@10": 0.9, "mrr": 0.75, "floor": 0.75, "evidence_in_prompt": 0.65},
    "hostile": {"recall@10": 0.9, "mrr": 0.85, "floor": 0.6},
    "multi_hop": {"recall@10": 0.85, "all@10": 0.8, "mrr": 0.85, "evidence_in_prompt": 0.6},
    "second_language": {"recall@10": 0.9, "mrr": 0.8, "floor": 0.8, "evidence_in_prompt": 0.8},
    "speech_errors": {"recall@10": 0.9, "mrr": 0.85, "floor": 0.65, "evidence_in_prompt": 0.65},
    "two_people": {"recall@10": 0.9, "mrr": 0.9, "floor": 0.9, "evidence_in_prompt": 0.9},
    "unknown": {"floor_nothing": 0.7},
    "update": {"recall@10": 0.8, "in_order": 0.4, "floor": 0.8, "evidence_in_prompt": 0.7},
    "when": {"recall@10": 0.9, "mrr": 0.85, "floor": 0.9, "evidence_in_prompt": 0.85},
}
"""By category: the least of each figure, two questions or so below what was measured."""


async def test_recall_stays_above_its_floors(monkeypatch: pytest.MonkeyPatch) -> None:
    # A world's turns are told anew for each of its cases; what the rules read in a text depends on
    # the text alone.
    monkeypatch.setattr(EnglishClaims, "read", staticmethod(functools.cache(EnglishClaims.read)))
    settings = Settings(_env_file=None, embeddings=EmbeddingSettings(engine="embedded"))
    async with started_embedder(settings) as embedder:
        make = ProductMaker(settings.memory, embedder)
        found = report(await run_cases(load_cases(), load_worlds(), make))
    assert set(found["by_category"]) == set(FLOORS)
    assert found["forbidden"] == 0, _misses(found, "must not")
    below = {
        f"{category} {name}": (found["by_category"][category][name], least)
        for category, figures in FLOORS.items()
        for name, least in figures.items()
        if found["by_category"][category][name] < least
    }
    assert not below, (below, found["misses"])


def _misses(found: dict[str, Any], word: str) -> list[object]:
    return [miss for miss in found["misses"] if any(word in wrong for wrong in miss["wrong"])]
