"""Runs recall cases: tells a memory each story, asks the questions, judges the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import merge
from itertools import cycle
from typing import Any

from lobug.evaluation.cases import (
    Case,
    CaseCategory,
    Correct,
    Forget,
    ForgetText,
    Question,
    Say,
    Step,
    Store,
    World,
)
from lobug.evaluation.metrics import all_at, mean, ndcg_at, percentile, recall_at, reciprocal_rank
from lobug.evaluation.product import (
    Found,
    RecallAnswer,
    Subject,
    SubjectMaker,
)
from lobug.memory.model import HOUSEHOLD, MemoryScope

LIMIT = 10
"""How many results are asked for: the largest k of the figures."""

LATER = timedelta(days=1)
"""How long after the last word a question is asked, where it does not say."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its judged answer."""

    case: str
    category: CaseCategory
    question: Question
    ranked: tuple[str, ...]
    """Results, best first: names of the case's steps, or "turn:ID" and "memory:ID" if there is no
    step. A memory and the turn that it was taken from share a name."""
    evidence: frozenset[str]
    """Which of these names should have been found; empty where there is nothing to find."""
    in_order: bool | None
    """Whether no outdated result ranks above the first evidence. None: nothing to order."""
    prompted: tuple[str, ...]
    """What went to the prompt, by name."""
    forbidden: tuple[str, ...]
    """Results or stored words that must not exist; empty when all is right."""
    search_ms: float
    context_ms: float


@dataclass(slots=True)
class _Story:
    """The steps of a case with the ids that memory gave them."""

    names: dict[str, str] = field(default_factory=dict)
    """By reference ("turn:3"): the step's name."""
    owners: dict[str, str] = field(default_factory=dict)
    """By reference: the user to whom it belongs."""
    entries: dict[str, int] = field(default_factory=dict)
    """By step: the entry's id."""
    turns: dict[str, int] = field(default_factory=dict)
    """By step: the message's id."""
    taken_from: dict[str, str] = field(default_factory=dict)
    """By step of a memory: the step of its turn."""
    keys: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By owner and key: the steps of its versions."""
    gone: set[str] = field(default_factory=set)
    """Steps that must not be found any more: corrected or forgotten."""

    def versions(self, step: str) -> list[str]:
        """The steps of all versions of the memory that a step stored."""
        return next((steps for steps in self.keys.values() if step in steps), [step])

    def evidence_name(self, step: str) -> str:
        """A memory counts as the turn that it was taken from."""
        return self.taken_from.get(step, step)

    def name(self, found: Found) -> str:
        """Name of a result in a ranking."""
        step = self.names.get(found.reference)
        return found.reference if step is None else self.evidence_name(step)


def scope_of(case: Case, who: str, device: str) -> MemoryScope:
    """Scope of a person at a device in a case."""
    return MemoryScope(who, f"{who}-{device}", case.household.get(who, "none"))


async def run_case(case: Case, world: World, make: SubjectMaker) -> list[Judged]:
    """Tell the story with its world, in the order of time, then ask each question."""
    async with make(case.household) as subject:
        story = await _tell_story(subject, case, world)
        await subject.embed_pending()
        person = case.who or world.who
        last = max(step.at for step in (*world.turns, *case.steps))
        judged = []
        for question in case.questions:
            access = scope_of(case, question.who or person, question.device)
            at = question.at or last + LATER
            answer = await subject.ask(access, _seconds(at), question.ask, LIMIT)
            kept = await subject.kept(access) if question.never_words else ""
            judged.append(_judge(case, question, access, story, answer, kept))
    return judged


async def run_cases(
    cases: Sequence[Case],
    worlds: Mapping[str, World],
    make: SubjectMaker,
    *,
    progress: Callable[[Case], None] = lambda case: None,
) -> list[Judged]:
    """``run_case`` for all, one after the other. ``progress`` is called after each."""
    judged: list[Judged] = []
    for case in cases:
        judged += await run_case(case, worlds[case.world], make)
        progress(case)
    return judged


def _seconds(at: datetime) -> float:
    return at.astimezone().timestamp()


async def _tell_story(subject: Subject, case: Case, world: World) -> _Story:
    story = _Story()
    replies = cycle(world.replies)
    # Questions do not refer to the turns of a world, so those have no names.
    background: Iterator[tuple[Step, str, str | None]] = (
        (step, world.who, None) for step in world.turns
    )
    own_steps: Iterator[tuple[Step, str, str | None]] = (
        (step, case.who or world.who, step.id) for step in case.steps
    )
    for step, person, name in merge(background, own_steps, key=lambda entry: entry[0].at):
        access = scope_of(case, step.who or person, step.device)
        await _do(subject, step, access, story, name, next(replies))
    return story


async def _do(
    subject: Subject, step: Step, scope: MemoryScope, story: _Story, name: str | None, reply: str
) -> None:
    at = _seconds(step.at)
    match step:
        case Say():
            said = step.say * step.repeat
            turn = await subject.add_turn(scope, at, said, step.reply or reply)
            _note(story, Found("turn", turn, said), name, scope.user)
            if name is not None:
                story.turns[name] = turn
        case Store():
            cites = None if step.cites is None else story.turns[step.cites]
            entry = await subject.store(
                scope, at, step.store, key=step.key, visibility=step.scope, cites=cites
            )
            owner = HOUSEHOLD if step.scope == "household" else scope.user
            _note(story, Found("memory", entry, step.store), name, owner)
            if name is not None:
                story.entries[name] = entry
                story.keys.setdefault((owner, step.key or name), []).append(name)
                if step.cites is not None:
                    story.taken_from[name] = step.cites
        case Correct():
            entry = await subject.correct(scope, at, story.entries[step.correct], step.to)
            _note(story, Found("memory", entry, step.to), name, scope.user)
            story.gone.add(step.correct)
            if name is not None:
                story.entries[name] = entry
                story.versions(step.correct).append(name)
        case Forget():
            await subject.forget(scope, at, story.entries[step.forget])
            for version in story.versions(step.forget):
                story.gone |= {version, story.evidence_name(version)}
            story.keys = {key: s for key, s in story.keys.items() if step.forget not in s}
        case ForgetText():
            await subject.forget_text(scope, at, step.forget_text)


def _note(story: _Story, found: Found, name: str | None, owner: str) -> None:
    story.owners[found.reference] = owner
    if name is not None:
        story.names[found.reference] = name


def _judge(
    case: Case,
    question: Question,
    scope: MemoryScope,
    story: _Story,
    answer: RecallAnswer,
    kept: str,
) -> Judged:
    ranked = tuple(dict.fromkeys(story.name(found) for found in answer.found))
    evidence = frozenset(story.evidence_name(step) for step in question.expect)
    older = {story.evidence_name(step) for step in question.before} - evidence
    return Judged(
        case=case.id,
        category=case.category,
        question=question,
        ranked=ranked,
        evidence=evidence,
        in_order=_in_order(ranked, evidence, older) if older else None,
        prompted=tuple(dict.fromkeys(story.name(found) for found in answer.prompted)),
        forbidden=tuple(_forbidden(question, scope, story, answer, kept)),
        search_ms=answer.search_ms,
        context_ms=answer.context_ms,
    )


def _in_order(ranked: Sequence[str], evidence: frozenset[str], older: set[str]) -> bool:
    """Whether evidence was found, and no outdated result ranks above it."""
    for name in ranked:
        if name in evidence:
            return True
        if name in older:
            return False
    return False


def _forbidden(
    question: Question, scope: MemoryScope, story: _Story, answer: RecallAnswer, kept: str
) -> Iterator[str]:
    """Results that belong to somebody else, were corrected or were forgotten."""
    never = story.gone | set(question.never)
    for found in dict.fromkeys((*answer.found, *answer.prompted)):
        step = story.names.get(found.reference)
        owner = story.owners.get(found.reference, scope.user)
        if step in never or not _may_see(scope, owner):
            yield step or found.reference
        for word in question.never_words:
            if word.casefold() in found.text.casefold():
                yield f"{word!r} in {found.reference}"
    for word in question.never_words:
        if word.casefold() in kept.casefold():
            yield f"{word!r} in what is kept"


def _may_see(scope: MemoryScope, owner: str) -> bool:
    return owner == scope.user or (owner == HOUSEHOLD and scope.household != "none")


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
    """Whether the relevance floor let results through if and only if something fits. None: the
    question does not say whether something fits."""
    if judged.question.nothing:
        return not judged.prompted
    return bool(judged.prompted) if judged.evidence else None


def summary(answers: Sequence[Judged]) -> dict[str, Any]:
    """The figures over some answers; None where nothing was measured.

    ``recall@k``: mean share of a question's evidence among the first k; ``all@k``: share of the
    questions with all evidence there. ``in_order``: share of the ordered questions where nothing
    outdated ranks above the evidence. ``forbidden``: answers with something that must not be
    recalled. ``floor``: share of answers where the relevance floor is right; ``floor_nothing`` of
    those where nothing fits, ``floor_something`` of those where something does.
    ``evidence_in_prompt``: share of the questions with all evidence in the prompt.
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
    """``summary`` over all answers and by category, and the misses of each question."""
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
