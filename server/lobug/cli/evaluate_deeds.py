"""``lobug eval deeds``: measure whether Lo-Bug does what it is told and claims nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lobug.cli.evaluate import JsonOption, progress_bar, quiet_memory
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_USAGE, CommandError, open_console, plain, print_json_line

if TYPE_CHECKING:
    from lobug.evaluation.deeds import Sentence
    from lobug.evaluation.deeds_judge import Judgement
    from lobug.evaluation.locomo_run import Progress
    from lobug.settings import Settings

TITLES: Mapping[str, str] = {
    "ours": "ours",
    "other": "by other hands",
    "strangers": "by strangers",
}


def deeds(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A TOML file with sentences, in the form of those in"
            " server/lobug/evaluation/data/deeds. Default: all sets there.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
    set_: Annotated[
        str | None,
        typer.Option(
            "--set",
            metavar="SET",
            help="Only this set: ours, other or strangers (of these nothing is ever tuned on).",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only N sentences of each set, spread over it."),
    ] = None,
    typed: Annotated[
        bool, typer.Option("--typed", help="Speak none; otherwise every second one is spoken.")
    ] = False,
    rules: Annotated[
        bool,
        typer.Option(
            "--rules", help="Without the chat model: what the sentences alone understand."
        ),
    ] = False,
    failures: Annotated[
        bool, typer.Option("--failures", help="Show every sentence that did not go right.")
    ] = False,
) -> None:
    """Give Lo-Bug orders, and sentences that are none, and look at what it did.

    Each sentence is said in a house of its own; half of them are spoken by the voice and heard by
    speech-to-text. Judges timers, reminders, lists, notes and the reply. With the embedded models
    this takes about three seconds for each sentence.
    """
    from lobug.cli.effective_settings import load_settings
    from lobug.evaluation.deeds import sample

    sets = {title: sample(sentences, limit) for title, sentences in _sets(file, set_).items()}
    settings = load_settings().settings
    total = sum(map(len, sets.values()))
    with quiet_memory(), progress_bar(sentence("eval.deeds"), total) as step:
        judged = asyncio.run(_run(sets, settings, step, model=not rules, voice=not typed))
    if json_:
        print_json_line({title: _figures(some) for title, some in judged.items()})
        return
    _show(judged, failures=failures)


def _sets(file: Path | None, name: str | None) -> dict[str, Sequence[Sentence]]:
    from lobug.evaluation.deeds import FILES, DeedsError, load_sets, read

    if file is not None and name is not None:
        raise CommandError(sentence("eval.set_of_file"), code=EXIT_USAGE)
    if file is not None:
        try:
            return {"file": read(file)}
        except DeedsError as error:
            raise CommandError(plain(error), code=EXIT_USAGE) from error
    if name is not None and name not in FILES:
        known = ", ".join(FILES)
        raise CommandError(
            sentence("eval.unknown_deeds_set", name=name, known=known), code=EXIT_USAGE
        )
    return {TITLES[which]: some for which, some in load_sets().items() if name in {None, which}}


async def _run(
    sets: Mapping[str, Sequence[Sentence]],
    settings: Settings,
    step: Progress,
    *,
    model: bool,
    voice: bool,
) -> dict[str, list[Judgement]]:
    from lobug.evaluation.deeds_run import play_all, started_engines

    async with started_engines(settings, model=model, voice=voice) as engines:
        return {
            title: await play_all(
                sentences,
                settings,
                engines,
                by_voice=lambda number: voice and number % 2 == 1,
                progress=step,
            )
            for title, sentences in sets.items()
        }


def _figures(judged: Sequence[Judgement]) -> dict[str, object]:
    from lobug.evaluation.deeds_judge import counts

    scopes = dict.fromkeys(judgement.played.sentence.scope for judgement in judged)
    return {
        **{
            scope: counts([one for one in judged if one.played.sentence.scope == scope])
            for scope in scopes
        },
        "results": [
            {
                "id": one.played.sentence.id,
                "verdict": one.verdict,
                "why": one.why,
                "heard": one.played.heard,
                "by_voice": one.played.by_voice,
                "reply": one.played.reply,
                "answered_by": one.played.answered_by,
                "ms": one.played.ms,
            }
            for one in judged
        ],
    }


def _show(judged: Mapping[str, Sequence[Judgement]], *, failures: bool) -> None:
    from rich.table import Table

    from lobug.evaluation.deeds_judge import VERDICTS, counts

    console = open_console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("set", "sentences are", "how"):
        table.add_column(title, no_wrap=True)
    for verdict in ("sentences", *VERDICTS):
        table.add_column(verdict, justify="right")
    for title, some in judged.items():
        for scope in dict.fromkeys(one.played.sentence.scope for one in some):
            for how, spoken in (("typed", False), ("spoken", True)):
                chosen = [
                    one
                    for one in some
                    if one.played.sentence.scope == scope and one.played.by_voice is spoken
                ]
                if chosen:
                    table.add_row(title, scope, how, *map(str, counts(chosen).values()))
    console.print(table)
    console.print(sentence("eval.deeds_legend"))
    for one in (one for some in judged.values() for one in some if one.verdict != "right"):
        if failures:
            line = sentence(
                "eval.deed_failure",
                id=one.played.sentence.id,
                how="spoken" if one.played.by_voice else "typed",
                by=one.played.answered_by,
                verdict=one.verdict,
                text=plain(one.played.heard or one.played.sentence.text),
                reply=plain(one.played.reply),
                why=one.why,
            )
            console.print(line, markup=False, soft_wrap=True)
