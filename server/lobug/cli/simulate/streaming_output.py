"""Output of a run of streaming devices: lines for people, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Protocol

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lobug.simulator.results import WsSummary, WsTurnResult, percentile

_TIMES: dict[str, Callable[[WsTurnResult], float | None]] = {
    "end of speech to first audio": lambda turn: turn.first_audio_s,
    "end of speech to transcript": lambda turn: turn.transcript_s,
    "end of speech to `tts start`": lambda turn: turn.speaking_s,
    "interruption to silence": lambda turn: turn.interrupted_silence_s,
}


class WsOutput(Protocol):
    """Where results go as they happen."""

    def code(self, device_id: str, code: str) -> None:
        """A device shows its activation code."""

    def result(self, turn: WsTurnResult) -> None:
        """A turn is over."""

    def summary(self, summary: WsSummary) -> None:
        """The run is over."""


class WsJsonLines:
    """One JSON object a line on standard output."""

    def code(self, device_id: str, code: str) -> None:
        """Print it at once: a test approves it."""
        self._print({"event": "activation", "device": device_id, "code": code})

    def result(self, turn: WsTurnResult) -> None:
        """Print it at once."""
        self._print(turn.record())

    def summary(self, summary: WsSummary) -> None:
        """Print the summary, the last line."""
        self._print(summary.record())

    def _print(self, record: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        sys.stdout.flush()


class WsTable:
    """For people: a few lines a turn, then the times."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, soft_wrap=True)

    def code(self, device_id: str, code: str) -> None:
        """Print the code of the device's screen, and the command that approves it."""
        self._console.print(
            f"device {escape(device_id)} shows the code [bold]{escape(code)}[/bold]:"
            f" lobug devices approve {escape(code)}"
        )

    def result(self, turn: WsTurnResult) -> None:
        """Print the words, what was understood, the reply, and the problems."""
        say = self._console.print
        first = "no audio"
        if turn.first_audio_s is not None:
            first = f"first audio after {turn.first_audio_s:.2f} s"
        say(
            f"[bold]{escape(turn.device)} turn {turn.index}[/bold]  {escape(turn.said)}"
            f"  [dim]({turn.speech_s:.1f} s of speech)[/dim]  {first}"
        )
        say(f"  heard   {escape(turn.heard) or '[dim]nothing[/dim]'}")
        if turn.sentences:
            say(f"  reply   {escape(' '.join(turn.sentences))}")
        if turn.interrupted_silence_s is not None:
            say(f"  silent  {1000 * turn.interrupted_silence_s:.0f} ms after the interruption")
        if turn.saved is not None:
            say(f"  saved   {escape(str(turn.saved))}")
        if turn.provoked and turn.closed:
            say(f"  ended   {escape(turn.closed)}")
        for problem in turn.problems:
            say(f"  [red]failed  {escape(problem)}[/red]")

    def summary(self, summary: WsSummary) -> None:
        """Print times, playback figures, and whether all was well."""
        say = self._console.print
        if summary.turns:
            say(_times(summary))
        record = summary.record()
        say(
            f"{summary.devices} {_plural('device', summary.devices)}, {len(summary.turns)}"
            f" {_plural('turn', len(summary.turns))}, {summary.failed_turns} failed;"
            f" {record['packets']} packets of audio played, {record['starvations']} starvations"
            f" ({record['starved_s']} s), {record['overflowed']} overflowed, {record['dropped']}"
            f" dropped, {record['out_of_order']} out of order; {summary.lost_segments} segments"
            f" lost on the way, {summary.reconnections} new connections"
        )
        for reason in summary.unreachable:
            say(f"[red]{escape(reason)}[/red]")
        if summary.until is not None:
            matched = "a reply matched" if summary.matched else "[red]no reply matched[/red]"
            say(f"{matched} {escape(repr(summary.until))}")
        if not summary.turns:
            say("Nothing was said: give WAV files or --say.")


def _times(summary: WsSummary) -> Table:
    table = Table(box=box.SIMPLE)
    for name in ("seconds", "p50", "p95", "longest", "turns"):
        table.add_column(name, justify="left" if name == "seconds" else "right")
    for name, of in _TIMES.items():
        times = list(summary.times(of))
        if times:
            row = (percentile(times, 0.5), percentile(times, 0.95), max(times))
            table.add_row(name, *(f"{value:.2f}" for value in row), str(len(times)))
    return table


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
