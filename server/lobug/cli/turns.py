"""``lobug turns``: the stage times of the last turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lobug.cli.connection import server_address, token_header
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_UNREACHABLE, CommandError, ServerOption, print_json, show_table

if TYPE_CHECKING:
    import httpx

Turn = Mapping[str, Any]
"""As ``GET /turns`` gives it."""

TIMEOUT_S = 10.0

_FIELDS = {"id", "finished_at", "door", "device", "outcome", "error", "timings"}

UNANSWERED = {"failed", "cancelled"}
"""Outcomes left out of percentiles: a turn refused at once would make the others look fast."""


def turns(
    server: ServerOption = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Show at most this many turns.")
    ] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the stage times of the last turns: seconds from the end of speech, the newest last.

    The lines `p50` and `p95` are percentiles of the turns shown, without those that failed or were
    cancelled. Asks the running server.
    """
    found = fetch_turns(server_address(server).url, limit)
    if as_json:
        print_json({"turns": found})
        return
    stages = shown_stages(found)
    columns = ("ended", "turn", "door", "device", "outcome", *stages)
    show_table(columns, table_rows(found, stages), sentence("turns.none"))


def fetch_turns(url: str, limit: int) -> Sequence[Turn]:
    """The last turns of the server at ``url``, the newest first. Raises CommandError."""
    import httpx

    try:
        answer = httpx.get(
            f"{url}/turns",
            params={"limit": limit},
            headers=token_header(url),
            timeout=TIMEOUT_S,
            trust_env=False,
        )
    except httpx.TimeoutException as error:
        raise CommandError(sentence("connection.timeout", seconds=TIMEOUT_S)) from error
    except httpx.TransportError as error:
        raise CommandError(
            sentence("connection.no_server", url=url), code=EXIT_UNREACHABLE
        ) from error
    return _read(answer, url)


def _read(answer: httpx.Response, url: str) -> Sequence[Turn]:
    from lobug.simulator.contract import read_error

    if answer.status_code != 200:
        code, message = read_error(answer.content)
        raise CommandError(
            sentence(
                "connection.refused", message=message, code=code or f"HTTP {answer.status_code}"
            )
        )
    try:
        found: Sequence[Turn] = answer.json()["turns"]
        strange = not all(turn.keys() >= _FIELDS for turn in found)
    except (ValueError, KeyError, TypeError, AttributeError):
        strange = True
    if strange:
        raise CommandError(sentence("connection.not_lobug", url=url))
    return found


def shown_stages(found: Sequence[Turn]) -> Sequence[str]:
    """The stages that any of the turns has, in the order in which they are shown. Pure.

    Not ``speech_end``: all times are counted from there.
    """
    from lobug.turn.timeline import STAGES

    present = {stage for turn in found for stage in turn["timings"]}
    return [stage for stage in STAGES if stage in present and stage != "speech_end"]


def table_rows(found: Sequence[Turn], stages: Sequence[str]) -> Iterator[Sequence[str]]:
    """A row for each turn, the newest last, then the percentiles. Pure but for the time zone."""
    for turn in reversed(found):
        timings = turn["timings"]
        outcome = turn["outcome"] + (f" ({turn['error']})" if turn["error"] else "")
        yield (
            _time(turn["finished_at"]),
            turn["id"],
            turn["door"],
            turn["device"],
            outcome,
            *(_seconds(timings.get(stage)) for stage in stages),
        )
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        values = stage_percentiles(found, stages, share)
        if any(value is not None for value in values):
            yield (name, "", "", "", "", *map(_seconds, values))


def stage_percentiles(
    found: Sequence[Turn], stages: Sequence[str], share: float
) -> Sequence[float | None]:
    """The percentile of each stage at ``share`` (0 to 1), nearest rank; None: no counted turn had
    the stage. Pure."""
    from lobug.evaluation.metrics import percentile

    answered = [turn["timings"] for turn in found if turn["outcome"] not in UNANSWERED]
    return [
        percentile([timings[stage] for timings in answered if stage in timings], share)
        for stage in stages
    ]


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _time(at: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%H:%M:%S")
