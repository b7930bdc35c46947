"""The figures of a run over the cases, by category. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lobug.evaluation.cases import CaseCategory
from lobug.evaluation.metrics import all_at, mean, ndcg_at, percentile, recall_at, reciprocal_rank
from lobug.evaluation.running import Judged


def misses(judged: Judged) -> list[str]:
    """What is wrong with an answer, in words; empty when all is right."""
    wrong = [f"recalled but must not be: {what}" for what in judged.forbidden]
    absent = sorted(judged.evidence - set(judged.ranked))
    if absent:
        wrong.append(f"not found: {', '.join(absent)}")
    elif judged.in_order is False:
        wrong.append("what is out of date stands above the evidence")
    if judged.question.nothing and judged.prompted:
        wrong.append(f"to the prompt, though nothing fits: {', '.join(judged.prompted)}")
    if judged.evidence and not judged.prompted:
        wrong.append("nothing to the prompt, though something fits")
    return wrong


def floor_is_right(judged: Judged) -> bool | None:
    """Whether the relevance floor let something through where something fits, and nothing where
    nothing does. None: the question does not say which."""
    if judged.question.nothing:
        return not judged.prompted
    return bool(judged.prompted) if judged.evidence else None


def summary(answers: Sequence[Judged]) -> dict[str, Any]:
    """The figures over some answers; None where nothing was measured.

    ``recall@k``: mean share of a question's evidence among the first k; ``all@k``: share of the
    questions with all of it there. ``in_order``: share of those where nothing out of date stands
    above. ``forbidden``: answers with something that must not be recalled. ``floor``: share where
    the relevance floor is right; ``floor_nothing`` where nothing fits, ``floor_something`` where
    something does. ``evidence_in_prompt``: share of the questions with all evidence in the prompt.
    """
    with_evidence = [answer for answer in answers if answer.evidence]
    floors = [(answer, floor_is_right(answer)) for answer in answers]
    ordered = [answer.in_order for answer in answers if answer.in_order is not None]
    times = [answer.search_ms for answer in answers]
    figures: dict[str, float | None] = {}
    for k in (5, 10):
        figures[f"recall@{k}"] = mean([recall_at(a.ranked, a.evidence, k) for a in with_evidence])
        figures[f"all@{k}"] = mean([all_at(a.ranked, a.evidence, k) for a in with_evidence])
    figures["mrr"] = mean([reciprocal_rank(a.ranked, a.evidence) for a in with_evidence])
    figures["ndcg@10"] = mean([ndcg_at(a.ranked, a.evidence, 10) for a in with_evidence])
    figures["in_order"] = mean(ordered)
    figures["floor"] = mean([right for _, right in floors if right is not None])
    figures["floor_nothing"] = mean(
        [bool(right) for answer, right in floors if answer.question.nothing]
    )
    figures["floor_something"] = mean([bool(right) for a, right in floors if a.evidence])
    figures["evidence_in_prompt"] = mean([a.evidence <= set(a.prompted) for a in with_evidence])
    return {
        "cases": len({answer.case for answer in answers}),
        "questions": len(answers),
        **{name: None if value is None else round(value, 4) for name, value in figures.items()},
        "forbidden": sum(bool(answer.forbidden) for answer in answers),
        "ms_per_query": _rounded(mean(times)),
        "ms_per_query_p95": _rounded(percentile(times, 0.95)),
        "ms_per_context": _rounded(mean([answer.context_ms for answer in answers])),
    }


def report(answers: Sequence[Judged]) -> dict[str, Any]:
    """``summary`` over all and by category, and what went wrong, question by question."""
    categories: list[CaseCategory] = list(dict.fromkeys(answer.category for answer in answers))
    return {
        **summary(answers),
        "by_category": {
            category: summary([answer for answer in answers if answer.category == category])
            for category in sorted(categories)
        },
        "misses": [
            {"case": answer.case, "question": answer.question.ask, "wrong": wrong}
            for answer in answers
            if (wrong := misses(answer))
        ],
    }


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 2)
