"""`python bench/fit_recall.py PATH`: fits the weights of recall, and judges them by
cross-validation.

PATH is as for `lobug eval locomo`. The weights in ``lobug.memory.recall.scoring`` were fitted on
conversations, so the figures of `lobug eval locomo` on the same conversations are too good. This
bench leaves one conversation out at a time, fits the weights on the others and asks the questions
of the one left out; that is what to expect of unseen conversations. The set of measures and their
constants were still chosen on all conversations. Candidates and measures are those of the product's
search.

The loss is the cross-entropy between the softmax over a question's candidates and its evidence,
mean over questions, with a little weight decay; it is minimised by Adam.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from lobug.cli.evaluate import progress_bar
from lobug.evaluation.locomo import CATEGORIES, Conversation, LocomoError, Place, Question, read
from lobug.evaluation.locomo_run import (
    ACCESS,
    DEPTH,
    METRICS,
    Asked,
    Progress,
    filled_memory,
    metrics,
    pieces,
)
from lobug.evaluation.product import CachingEmbedder, started_embedder
from lobug.memory.model import Filter
from lobug.memory.recall import scoring
from lobug.settings import Settings

EVERYTHING = 100_000
"""More candidates than a search ever has."""

DECAY = 1e-3
STEPS = 300
RATE = 0.2

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one question."""

    question: Question
    places: Sequence[Place]
    measures: Floats
    """Shape (candidates, weights): what each weight is multiplied with."""

    @property
    def evidence(self) -> Floats:
        """Which candidates are evidence, spread evenly; all 0 where none is."""
        is_evidence = np.array(
            [place in self.question.evidence for place in self.places], np.float64
        )
        return np.asarray(is_evidence / max(is_evidence.sum(), 1.0), np.float64)

    def asked(self, weights: Floats) -> Asked:
        """The ranking that weights give."""
        total = (self.measures @ weights).astype(np.float32)
        sessions = np.array([session for session, _ in self.places], np.int64)
        best = scoring.choose(total, sessions, DEPTH)
        ranked = [self.places[at] for at in best.tolist()]
        return Asked(self.question.category, self.question.evidence, ranked, 0.0, 0)


async def main() -> None:
    """Collect, fit, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="a folder with conversations as .json")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args()
    logging.getLogger("lobug.memory").setLevel(logging.ERROR)
    try:
        conversations = read(options.path).conversations
    except LocomoError as error:
        sys.exit(str(error))
    if len(conversations) < 2:
        sys.exit("Leaving one out takes two conversations at least.")
    settings = Settings()
    with progress_bar("turns and questions", pieces(conversations, facts=False)) as step:
        async with started_embedder(settings) as embedder:
            caching = CachingEmbedder(embedder)
            pools = {
                each.name: await _pools(each, settings, caching, step) for each in conversations
            }
    document = _judge(pools)
    if options.json:
        sys.stdout.write(json.dumps(document) + "\n")
    else:
        _show(document)


async def _pools(
    conversation: Conversation,
    settings: Settings,
    embedder: CachingEmbedder,
    progress: Progress,
) -> list[Pool]:
    now = np.array(astuple(scoring.WEIGHTS))
    found = []
    async with filled_memory(conversation, settings.memory, embedder, progress) as (memory, places):
        for question in conversation.questions:
            hits = await memory.search(
                ACCESS, question.text, Filter(), limit=EVERYTHING, turns=True
            )
            parts = np.array([[hit.parts[name] for name in scoring.NAMES] for hit in hits])
            measures = parts.reshape(len(hits), len(now)) / now
            found.append(Pool(question, [places[hit.id] for hit in hits], measures))
            progress()
    return found


def fit(pools: Sequence[Pool]) -> Floats:
    """The weights that put the evidence first."""
    usable = [(pool.measures, evidence) for pool in pools if (evidence := pool.evidence).any()]
    weights, first, second = (np.zeros(len(scoring.NAMES)) for _ in range(3))
    for step in range(1, STEPS + 1):
        slope = DECAY * weights
        for measures, evidence in usable:
            total = measures @ weights
            share = np.exp(total - total.max())
            slope += measures.T @ (share / share.sum() - evidence) / len(usable)
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        weights = weights - RATE * (first / (1 - 0.9**step)) / (
            np.sqrt(second / (1 - 0.99**step)) + 1e-8
        )
    return weights


def _judge(pools: Mapping[str, Sequence[Pool]]) -> dict[str, Any]:
    left_out: dict[str, dict[str, Any]] = {}
    asked: list[Asked] = []
    for name, own in pools.items():
        weights = fit([pool for other, part in pools.items() if other != name for pool in part])
        answers = [pool.asked(weights) for pool in own]
        asked += answers
        left_out[name] = {**metrics(answers), "questions": len(own), "weights": _named(weights)}
    return {
        "left_out": left_out,
        "mean_of_left_out": {
            metric: round(float(np.mean([row[metric] for row in left_out.values()])), 4)
            for metric in METRICS
        },
        "all_questions": metrics(asked),
        "by_category": {
            name: metrics([each for each in asked if each.category == number])
            for number, name in CATEGORIES.items()
        },
        "fitted_on_all": _named(fit([pool for part in pools.values() for pool in part])),
        "in_use": _named(np.array(astuple(scoring.WEIGHTS))),
    }


def _named(weights: Floats) -> dict[str, float]:
    return dict(zip(scoring.NAMES, np.round(weights, 2).tolist(), strict=True))


def _show(document: Mapping[str, Any]) -> None:
    console = Console(highlight=False)
    figures = Table(title="Fitted on the others, asked of the one left out")
    for column in ("", *METRICS):
        figures.add_column(column, justify="right" if column else "left")
    rows = {
        **document["left_out"],
        "mean of these": document["mean_of_left_out"],
        "all questions": document["all_questions"],
        **document["by_category"],
    }
    for name, row in rows.items():
        values = (row[metric] for metric in METRICS)
        figures.add_row(name, *("-" if value is None else f"{value:.3f}" for value in values))
    console.print(figures)
    weights = Table(title="Weights")
    for column in ("", *scoring.NAMES):
        weights.add_column(column, justify="right" if column else "left")
    fitted = {f"without {name}": row["weights"] for name, row in document["left_out"].items()}
    fitted |= {"on all": document["fitted_on_all"], "in use": document["in_use"]}
    for name, row in fitted.items():
        weights.add_row(name, *(f"{row[weight]:.2f}" for weight in scoring.NAMES))
    console.print(weights)


if __name__ == "__main__":
    asyncio.run(main())
