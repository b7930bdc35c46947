"""Judges what Lo-Bug said and holds in a truth scenario, and counts it up. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lobug.evaluation.metrics import mean, percentile
from lobug.evaluation.truth import KINDS, Check, Pace, Pattern, Say, TruthKind, TruthSet

AT_ONCE_MS = 50.0
"""An answer from memory, without the chat model, comes within this time."""

_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})


@dataclass(frozen=True, slots=True)
class Reply:
    """What Lo-Bug answered in one turn."""

    text: str
    ms: float
    """Duration of the whole turn."""
    used_model: bool
    """Whether the chat model was asked in the turn."""
    error: str | None = None
    """Code of the error that ended the turn."""


@dataclass(frozen=True, slots=True)
class Held:
    """What memory holds of a person."""

    active: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    exported: str = ""
    """All texts of the person's export."""
    bytes: bytes = b""
    """All files of the data folder, in lower case; empty where nobody asked."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that was not met."""

    step: int
    """Number of the step in the scenario, from 1."""
    wrong: str
    said: str = ""
    """The words that were answered; empty for a check."""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of a scenario, for reading by eye."""

    step: int
    who: str
    said: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class PlayedScenario:
    """A scenario that was played."""

    id: str
    kind: TruthKind
    pace: Pace
    turns: tuple[Turn, ...]
    failures: tuple[Failure, ...]
    summaries: tuple[str, ...] = ()
    """All summaries at the end, of all people."""

    @property
    def passed(self) -> bool:
        return not self.failures


def judge_reply(number: int, step: Say, reply: Reply) -> list[Failure]:
    """The expectations that a reply does not meet."""
    if reply.error is not None:
        return [Failure(number, f"the turn failed: {reply.error}", step.say, reply.text)]
    wrong = [f"the reply lacks {p.source}" for p in step.reply if not _occurs(p, reply.text)]
    wrong += [f"the reply has {p.source}" for p in step.never if _occurs(p, reply.text)]
    return [Failure(number, what, step.say, reply.text) for what in wrong]


def judge_held(number: int, step: Check, held: Held) -> list[Failure]:
    """The expectations that memory does not meet."""
    wrong = [
        *_compared(step.believes, step.disbelieves, held.active, "believed"),
        *_compared(step.past, step.never_past, held.past, "past"),
        *_compared(step.summary, step.never_summary, held.summaries, "summed up"),
    ]
    wrong += [f"exported: {p.source}" for p in step.nothing_of if _occurs(p, held.exported)]
    wrong += [
        f"in the bytes of a file: {word}"
        for word in step.no_bytes
        if any(form in held.bytes for form in _byte_forms(word))
    ]
    return [Failure(number, what) for what in wrong]


def _compared(
    wanted: Sequence[Pattern], unwanted: Sequence[Pattern], texts: Sequence[str], name: str
) -> Iterator[str]:
    for pattern in wanted:
        if not any(_occurs(pattern, text) for text in texts):
            yield f"not {name}: {pattern.source}"
    for pattern in unwanted:
        found = next((text for text in texts if _occurs(pattern, text)), None)
        if found is not None:
            yield f"{name}: {pattern.source} in {found!r}"


def _byte_forms(word: str) -> set[bytes]:
    """How a word may stand in bytes of which only the ASCII letters were put into lower case."""
    return {form.encode().lower() for form in (word, word.lower(), word.upper(), word.title())}


def _occurs(pattern: Pattern, text: str) -> bool:
    return pattern.regex.search(" ".join(text.translate(_STRAIGHT).split())) is not None


def figures(outcomes: Sequence[PlayedScenario]) -> dict[str, Any]:
    """Figures over some outcomes; None where nothing was measured.

    ``share``: of the scenarios that passed. The times are those of the replies for which the chat
    model was not asked, ms; ``within_50_ms`` is the share of them that came in that time.
    """
    replies = [turn.reply for outcome in outcomes for turn in outcome.turns]
    times = [reply.ms for reply in replies if not reply.used_model]
    passed = sum(outcome.passed for outcome in outcomes)
    at_once = mean([time <= AT_ONCE_MS for time in times])
    return {
        "scenarios": len(outcomes),
        "passed": passed,
        "share": _rounded(passed / len(outcomes) if outcomes else None, 4),
        "replies": len(replies),
        "without_model": len(times),
        "within_50_ms": _rounded(at_once, 4),
        "p50_ms": _rounded(percentile(times, 0.50), 1),
        "p95_ms": _rounded(percentile(times, 0.95), 1),
    }


def figures_by_kind(outcomes: Sequence[PlayedScenario]) -> dict[str, Any]:
    """``figures`` over all outcomes, and by kind."""
    by_kind: Mapping[str, Sequence[PlayedScenario]] = {
        kind: [outcome for outcome in outcomes if outcome.kind == kind] for kind in KINDS
    }
    return {
        **figures(outcomes),
        "by_kind": {kind: figures(some) for kind, some in by_kind.items() if some},
    }


def report(
    outcomes: Sequence[PlayedScenario], sets: Mapping[TruthSet, Collection[str]] | None = None
) -> dict[str, Any]:
    """``figures_by_kind`` over all outcomes and for each set, and each scenario with all that was
    said. ``sets``: the ids of the scenarios of each; None: they belong to no set."""
    by_set = {
        which: [outcome for outcome in outcomes if outcome.id in ids]
        for which, ids in (sets or {}).items()
    }
    return {
        **figures_by_kind(outcomes),
        "by_set": {which: figures_by_kind(some) for which, some in by_set.items() if some},
        "results": [{"passed": outcome.passed, **asdict(outcome)} for outcome in outcomes],
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
