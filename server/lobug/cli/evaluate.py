"""``lobug eval``: measure recall, on Lo-Bug's own cases and on the LoCoMo benchmark."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_FAILED,
    EXIT_USAGE,
    CommandError,
    SentenceGroup,
    open_console,
    print_json_line,
    warn,
)

if TYPE_CHECKING:
    from rich.table import Table

    from lobug.engines.base import ChatModel
    from lobug.evaluation.cases import Case, CaseCategory
    from lobug.evaluation.locomo import Conversation
    from lobug.evaluation.locomo_run import Examined, Progress
    from lobug.settings import Settings

eval_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Measure memory, what Lo-Bug believes and does, and its small talk.",
)

JsonOption = Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object.")]

COLUMNS = {
    "questions": "asked",
    "recall@10": "R@10",
    "all@10": "all@10",
    "mrr": "MRR",
    "in_order": "order",
    "forbidden": "leaks",
    "floor_nothing": "silent",
    "floor_something": "speaks",
    "evidence_in_prompt": "prompt",
    "ms_per_query": "ms",
}


@eval_app.command("cases")
def cases(
    json_: JsonOption = False,
    category: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this category, such as update or two_people."),
    ] = None,
    misses: Annotated[
        bool,
        typer.Option(
            "--misses", help="Show every question with a wrong answer, and what is wrong."
        ),
    ] = False,
) -> None:
    """Tell an empty memory Lo-Bug's own recall cases, and ask what it remembers.

    Uses the memory and the embedder of the settings, in a temporary database. Takes about two
    minutes. Fails if anything is recalled that must not be: another person's words, or what was
    corrected or forgotten.
    """
    from lobug.cli.effective_settings import load_settings
    from lobug.evaluation.cases import load_cases

    chosen = load_cases(_category(category))
    settings = load_settings().settings
    with quiet_memory(), progress_bar(sentence("eval.cases"), len(chosen)) as step:
        figures = asyncio.run(_run(chosen, settings, step))
    if json_:
        print_json_line(figures)
    else:
        _show(figures, misses=misses)
    if figures["forbidden"]:
        raise typer.Exit(EXIT_FAILED)


@contextmanager
def quiet_memory() -> Iterator[None]:
    """Log only errors of memory: without a chat model it warns that it cannot summarise."""
    logger = logging.getLogger("lobug.memory")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Progress]:
    """A progress bar on standard error; none when that is not a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = open_console(stderr=True)
    with Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda pieces=1: progress.advance(task, pieces)


def _category(name: str | None) -> CaseCategory | None:
    from typing import get_args

    from lobug.evaluation.cases import CaseCategory

    known: tuple[CaseCategory, ...] = get_args(CaseCategory)
    if name is None:
        return None
    for category in known:
        if category == name:
            return category
    raise CommandError(
        sentence("eval.unknown_category", name=name, known=", ".join(known)), code=EXIT_USAGE
    )


async def _run(chosen: list[Case], settings: Settings, step: Progress) -> dict[str, Any]:
    from lobug.evaluation.case_run import report, run_cases
    from lobug.evaluation.cases import load_worlds
    from lobug.evaluation.product import ProductMaker, started_embedder

    async with started_embedder(settings) as embedder:
        answers = await run_cases(
            chosen,
            load_worlds(),
            ProductMaker(settings.memory, embedder),
            progress=lambda case: step(),
        )
    return report(answers)


def _show(figures: Mapping[str, Any], *, misses: bool) -> None:
    console = open_console()
    console.print(_table(figures))
    console.print(sentence("eval.legend"))
    if misses:
        for miss in figures["misses"]:
            line = sentence(
                "eval.miss",
                case=miss["case"],
                question=miss["question"],
                wrong="; ".join(miss["wrong"]),
            )
            console.print(line, markup=False, soft_wrap=True)
    elif figures["misses"]:
        console.print(sentence("eval.misses", count=len(figures["misses"])))


def _table(figures: Mapping[str, Any]) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("category")
    for title in COLUMNS.values():
        table.add_column(title, justify="right")
    for category, row in figures["by_category"].items():
        table.add_row(category, *(_cell(row[name]) for name in COLUMNS))
    table.add_section()
    table.add_row("all", *(_cell(figures[name]) for name in COLUMNS))
    return table


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.2f}"


LOCOMO_COLUMNS = {
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@20": "R@20",
    "all@10": "all@10",
    "mrr": "MRR",
    "ndcg@10": "nDCG@10",
}


def locomo(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH", help="A folder with conversations as .json, or one such file."
        ),
    ],
    json_: JsonOption = False,
    facts: Annotated[
        bool,
        typer.Option(
            "--facts",
            help="Let the chat model extract facts first, as in use; that takes seconds for"
            " each turn.",
        ),
    ] = False,
) -> None:
    """Tell the memory long conversations and ask for the turns that hold the answers.

    Reads the LoCoMo benchmark, as published or with one conversation in each file.
    Uses the memory and the embedder of the settings, each conversation in a temporary database;
    no language model takes part in a search. Shows how much of each question's evidence is found.
    """
    from lobug.cli.effective_settings import load_settings
    from lobug.evaluation import locomo as benchmark
    from lobug.evaluation.locomo_run import pieces, report

    try:
        reading = benchmark.read(path)
    except benchmark.LocomoError as error:
        raise CommandError(str(error)) from error
    if reading.ignored:
        warn(sentence("eval.ignored", names=", ".join(reading.ignored)))
    settings = load_settings().settings
    work = pieces(reading.conversations, facts=facts)
    with quiet_memory(), progress_bar(sentence("eval.turns_and_questions"), work) as step:
        embedder, runs = asyncio.run(
            _run_locomo(reading.conversations, settings, step, facts=facts)
        )
    figures = report(runs, embedder=embedder, ignored=reading.ignored)
    if figures["embedder_failures"]:
        warn(sentence("eval.embedder_failed"))
    if json_:
        print_json_line(figures)
    else:
        _show_locomo(figures)


async def _run_locomo(
    conversations: Sequence[Conversation], settings: Settings, step: Progress, *, facts: bool
) -> tuple[str, list[Examined]]:
    from lobug.evaluation.locomo_run import examine
    from lobug.evaluation.product import started_embedder

    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(started_embedder(settings))
        chat = await stack.enter_async_context(_started_chat(settings)) if facts else None
        runs = await examine(conversations, settings.memory, embedder, step, chat=chat)
        return embedder.model_id, runs


@asynccontextmanager
async def _started_chat(settings: Settings) -> AsyncIterator[ChatModel]:
    """The chat model that a server with these settings would use. Raises EngineError."""
    from lobug.engines.ollama import OllamaProbes
    from lobug.engines.selection import choose_chat

    chat, _ = await choose_chat(settings, OllamaProbes(settings.ollama))
    try:
        await chat.start()
        yield chat
    finally:
        await chat.close()


def _show_locomo(figures: Mapping[str, Any]) -> None:
    console = open_console()
    console.print(_locomo_table(figures))
    console.print(
        sentence(
            "eval.told",
            conversations=figures["conversations"],
            turns=figures["turns"],
            entries=figures["entries"],
            embedder=figures["embedder"],
        ),
        soft_wrap=True,
    )
    console.print(
        sentence(
            "eval.times",
            mean=figures["ms_per_query"],
            p50=figures["ms_per_query_p50"],
            p95=figures["ms_per_query_p95"],
            tokens=figures["tokens"],
        ),
        soft_wrap=True,
    )
    console.print(
        sentence(
            "eval.not_scored",
            adversarial=figures["adversarial"],
            skipped=figures["skipped"],
            mended=figures["evidence_mended"],
            dangling=figures["evidence_dangling"],
        ),
        soft_wrap=True,
    )


def _locomo_table(figures: Mapping[str, Any]) -> Table:
    from rich.table import Table

    table = Table()
    for title in ("", "questions", *LOCOMO_COLUMNS.values()):
        table.add_column(title, justify="right" if title else "left")
    for group in ("by_category", "per_conversation"):
        for name, row in figures[group].items():
            table.add_row(name, str(row["questions"]), *_cells(row))
        table.add_section()
    table.add_row(sentence("eval.all_questions"), str(figures["questions"]), *_cells(figures))
    # The lines above are conversations.
    table.add_row(
        sentence("eval.mean_of_these"), str(figures["conversations"]), *_cells(figures["macro"])
    )
    return table


def _cells(row: Mapping[str, float | None]) -> list[str]:
    values = (row[name] for name in LOCOMO_COLUMNS)
    return ["-" if value is None else f"{value:.3f}" for value in values]
