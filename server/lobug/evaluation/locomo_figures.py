"""The figures of a run over the benchmark's conversations. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lobug.evaluation.locomo import CATEGORIES, Conversation, Place
from lobug.evaluation.metrics import all_at, mean, ndcg_at, percentile, recall_at, reciprocal_rank

DEPTH: Final = 20
"""How many results are asked for: the largest k of the figures."""

METRICS: Final = ("recall@5", "recall@10", "recall@20", "all@10", "mrr", "ndcg@10")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what came of it."""

    category: int
    evidence: frozenset[Place]
    ranked: Sequence[Place | None]
    """What was found, best first; None: a memory that cites no turn, which takes a place too."""
    took_ms: float
    """Of the search, with the question's embedding."""
    tokens: int
    """What the ten best would add to a prompt, estimated."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A conversation with its questions asked."""

    conversation: Conversation
    asked: Sequence[Asked]
    entries: int
    """Memories beside the turns: extracted facts."""
    embedder_failures: int
    """How often the embedder failed: then turns, or all of them, are found by their words only."""


def report(
    runs: Sequence[Examined], *, embedder: str, ignored: Sequence[str] = ()
) -> dict[str, Any]:
    """All figures of a run, as ``--json`` prints them.

    The metrics at the top are means over all questions; ``macro`` are means over conversations.
    A figure of nothing is None.
    """
    asked = [each for run in runs for each in run.asked]
    conversations = [run.conversation for run in runs]
    per_conversation = {
        run.conversation.name: {
            **metrics(run.asked),
            "questions": len(run.asked),
            "turns": run.conversation.turns,
        }
        for run in runs
    }
    times = [each.took_ms for each in asked]
    return {
        **metrics(asked),
        "by_category": {
            name: {
                "category": number,
                **metrics(of_category := [each for each in asked if each.category == number]),
                "questions": len(of_category),
            }
            for number, name in CATEGORIES.items()
        },
        "macro": _macro(list(per_conversation.values())),
        "per_conversation": per_conversation,
        "ms_per_query": _rounded(mean(times), 2),
        "ms_per_query_p50": _rounded(percentile(times, 0.5), 2),
        "ms_per_query_p95": _rounded(percentile(times, 0.95), 2),
        "tokens": _rounded(mean([each.tokens for each in asked]), 1),
        "conversations": len(runs),
        "turns": sum(each.turns for each in conversations),
        "entries": sum(run.entries for run in runs),
        "questions": len(asked),
        "skipped": sum(each.skipped for each in conversations),
        "adversarial": sum(each.adversarial for each in conversations),
        "evidence_mended": sum(each.mended for each in conversations),
        "evidence_dangling": sum(each.dangling for each in conversations),
        "embedder_failures": sum(run.embedder_failures for run in runs),
        "ignored_files": list(ignored),
        "embedder": embedder,
    }


def metrics(asked: Sequence[Asked]) -> dict[str, float | None]:
    """The means of METRICS over questions."""
    rankings = [(_places(each), each.evidence) for each in asked]
    figures = (
        mean([recall_at(ranked, evidence, 5) for ranked, evidence in rankings]),
        mean([recall_at(ranked, evidence, 10) for ranked, evidence in rankings]),
        mean([recall_at(ranked, evidence, 20) for ranked, evidence in rankings]),
        mean([all_at(ranked, evidence, 10) for ranked, evidence in rankings]),
        mean([reciprocal_rank(ranked, evidence) for ranked, evidence in rankings]),
        mean([ndcg_at(ranked, evidence, 10) for ranked, evidence in rankings]),
    )
    return {name: _rounded(figure, 4) for name, figure in zip(METRICS, figures, strict=True)}


def _places(asked: Asked) -> list[Place | tuple[str, int]]:
    """The ranking with a name of its own for each memory that cites no turn: each takes a place."""
    return [("memory", rank) if place is None else place for rank, place in enumerate(asked.ranked)]


def _macro(rows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    return {
        name: _rounded(mean([row[name] for row in rows if row[name] is not None]), 4)
        for name in METRICS
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
