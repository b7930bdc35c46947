"""``lobug eval locomo``: evidence recall on conversations of the LoCoMo benchmark."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from lobug.cli.evaluate import JsonOption, Step, progress_bar, quiet_memory
from lobug.cli.faults import CommandError, warn

if TYPE_CHECKING:
    from rich.table import Table

    from lobug.engines.base import ChatModel
    from lobug.evaluation.locomo import Conversation
    from lobug.evaluation.locomo_figures import Examined
    from lobug.settings import Settings

COLUMNS = {
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
            help="Let the chat model extract facts first, as in life; takes seconds a turn.",
        ),
    ] = False,
) -> None:
    """Tell the memory long conversations and ask for the turns that hold the answers.

    Reads the LoCoMo benchmark, as published or with each conversation flat in a file of its own.
    Uses the memory and the embedder of the settings, each conversation in a temporary database;
    no language model takes part in a search. Shows how much of each question's evidence is found.
    """
    from lobug.cli.load import load_settings
    from lobug.evaluation import locomo as benchmark
    from lobug.evaluation.locomo_figures import report
    from lobug.evaluation.locomo_run import pieces

    try:
        reading = benchmark.read(path)
    except benchmark.LocomoError as error:
        raise CommandError(str(error)) from error
    if reading.ignored:
        warn(f"Not a conversation, left out: {', '.join(reading.ignored)}.")
    settings = load_settings().settings
    work = pieces(reading.conversations, facts=facts)
    with quiet_memory(), progress_bar("turns and questions", work) as step:
        embedder, runs = asyncio.run(_run(reading.conversations, settings, step, facts=facts))
    figures = report(runs, embedder=embedder, ignored=reading.ignored)
    if figures["embedder_failures"]:
        warn("The embedder failed: turns were found by their words only.")
    if json_:
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    else:
        _show(figures)


async def _run(
    conversations: Sequence[Conversation], settings: Settings, step: Step, *, facts: bool
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
    from lobug.engines.choose import choose_chat
    from lobug.engines.ollama_server import OllamaProbe

    chat, _ = await choose_chat(settings, OllamaProbe(settings.ollama))
    try:
        await chat.start()
        yield chat
    finally:
        await chat.close()


def _show(figures: Mapping[str, Any]) -> None:
    console = Console(highlight=False)
    console.print(_table(figures))
    console.print(
        f"{figures['conversations']} conversations, {figures['turns']} turns,"
        f" {figures['entries']} memories beside them; embedder {figures['embedder']}",
        soft_wrap=True,
    )
    console.print(
        f"{figures['ms_per_query']} ms a question (p50 {figures['ms_per_query_p50']},"
        f" p95 {figures['ms_per_query_p95']}), with its embedding;"
        f" the ten best add {figures['tokens']} tokens to a prompt",
        soft_wrap=True,
    )
    console.print(
        f"Not scored: {figures['adversarial']} questions about what was never said,"
        f" {figures['skipped']} without evidence that names a turn;"
        f" of the references {figures['evidence_mended']} were mended,"
        f" {figures['evidence_dangling']} name no turn",
        soft_wrap=True,
    )


def _table(figures: Mapping[str, Any]) -> Table:
    from rich.table import Table

    table = Table()
    for title in ("", "questions", *COLUMNS.values()):
        table.add_column(title, justify="right" if title else "left")
    for group in ("by_category", "per_conversation"):
        for name, row in figures[group].items():
            table.add_row(name, str(row["questions"]), *_cells(row))
        table.add_section()
    table.add_row("all questions", str(figures["questions"]), *_cells(figures))
    # The lines above are conversations.
    table.add_row("mean of these", str(figures["conversations"]), *_cells(figures["macro"]))
    return table


def _cells(row: Mapping[str, float | None]) -> list[str]:
    values = (row[name] for name in COLUMNS)
    return ["-" if value is None else f"{value:.3f}" for value in values]
