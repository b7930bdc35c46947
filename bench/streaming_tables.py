"""What ``streaming_bench`` has measured, as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from streaming_bench import discarded_share

Row = tuple[str, Mapping[str, Any], str]
"""What, its spread, its goal."""


def show(console: Console, document: Mapping[str, Any]) -> None:
    """Print everything that was measured."""
    console.print(document["percentiles"])
    if "conversation" in document:
        _conversation(console, document["conversation"])
        _sequential(console, document["sequential"])
    if "speculation" in document:
        _speculation(console, document["speculation"])
    for load in document.get("load", ()):
        _load(console, load)
    if "talk" in document:
        _talk(console, document["talk"])


def _conversation(console: Console, found: Mapping[str, Any]) -> None:
    rows: list[Row] = [
        ("last voiced sample to first audio", found["first_audio_s"], "p50 1.5, p95 2.5"),
        ("... from the last loud 10 ms", found["first_audio_after_sound_s"], ""),
        *((f"... until {stage}", times, "") for stage, times in found["stages_s"].items()),
    ]
    _spreads(console, "Conversation, seconds", rows, digits=3)
    console.print(
        f"{found['turns']} turns, {found['unanswered']} without a spoken answer,"
        f" {found['too_early']} answered before all was said. Prepared at pauses:"
        f" {_speculated(found['speculation'])}."
    )
    _problems(console, found["problems"])


def _sequential(console: Console, found: Mapping[str, Any]) -> None:
    rows: list[Row] = [
        ("last voiced sample to first audio, 0.8 s of silence in it", found["first_audio_s"], ""),
        *((f"... {step} took", times, "") for step, times in found["steps_s"].items()),
        ("tokens of the prompt read", found["prompt_tokens_read"], ""),
        ("the same clips, streamed", found["streamed_same_clips_s"], ""),
    ]
    _spreads(console, "The sequential way, seconds", rows, digits=3)
    table = Table(title="Streamed / sequential")
    for column in ("", "ratio", "goal"):
        table.add_column(column, justify="right" if column == "ratio" else "left")
    table.add_row("of p50", _number(found["ratio_p50"], 3), "0.15")
    table.add_row("of p95", _number(found["ratio_p95"], 3), "0.15")
    without = _number(found["ratio_p50_without_the_prompt"], 3)
    table.add_row("of p50, had its prompt been read before", without, "")
    console.print(table)
    _problems(console, found["problems"])


def _speculation(console: Console, found: Mapping[str, Any]) -> None:
    rows: list[Row] = []
    for name, label in (("in_one_go", "in one go"), ("hesitating", "with a pause in the middle")):
        rows.append((f"{label}, with speculation", found[name]["with_s"], ""))
        rows.append((f"{label}, without", found[name]["without_s"], ""))
    _spreads(console, "Speculation: last voiced sample to first audio, seconds", rows, digits=3)
    for name, label in (("in_one_go", "In one go"), ("hesitating", "With pauses")):
        part = found[name]
        console.print(
            f"{label}: {_speculated(part['speculation'])}; {part['unanswered']} clips not answered"
            f" both ways, {part['too_early']} answers before all was said."
        )


def _load(console: Console, found: Mapping[str, Any]) -> None:
    how = "with speculation" if found["speculate"] else "all work after the endpoint"
    rows: list[Row] = [
        ("own share of a turn", found["own_share_ms"], "p95 20"),
        ("... from when the packet was due", found["own_share_strict_ms"], ""),
        ("event-loop lag", found["loop_lag_ms"], "p99 20"),
    ]
    title = f"{found['talking']} of {found['connected']} devices talk, {how}, ms"
    _spreads(console, title, rows, digits=1)
    devices, memory, idle = found["devices"], found["resident_mb"], found["idle"]
    console.print(
        f"{devices['turns']} turns, {devices['without_audio']} without audio; {devices['packets']}"
        f" packets, {devices['replies_with_faults']} replies with lost or misplaced sound,"
        f" {devices['dropped'] + devices['overflowed']} packets not played,"
        f" {devices['starvations']} times run dry. CPU {found['cpu_percent']:.0f} % of one core;"
        f" memory {memory['begin']:.0f} MB, in the middle {memory['middle']:.0f}, at the end"
        f" {memory['end']:.0f}, at most {memory['most']:.0f}."
    )
    if found["speculate"]:
        console.print(
            f"Idle: CPU {idle['cpu_percent_nobody']:.1f} % of one core with nobody connected,"
            f" {idle['cpu_percent_connected']:.1f} % with {found['connected']} devices;"
            f" {idle['kb_each']:.0f} kB for each."
        )
    _problems(console, [f"{n} times: {what}" for what, n in devices["problems"].items()])
    _problems(console, [f"{n} times: {what}" for what, n in devices["faults"].items()])


def _talk(console: Console, found: Mapping[str, Any]) -> None:
    network, count = found["network"], found["half_hours"]
    table = Table(
        title=f"Playback run dry in 30 minutes of speech (mean of {count}), {network['loss']:.0%}"
        f" loss, {1000 * network['jitter_s']:.0f} ms jitter; goal 0"
    )
    columns = ("lead, s", "replies", "within a reply", "at its beginning", "between pieces",
               "silent, s", "not played")  # fmt: skip
    for column in columns:
        table.add_column(column, justify="right")
    for lead in found["leads"]:
        within = lead["starvations"] - lead["at_beginning"]
        means = (within, lead["at_beginning"], lead["late_pieces"], lead["starved_s"],
                 lead["overflowed"])  # fmt: skip
        table.add_row(
            f"{lead['lead_s']:.2f}",
            f"{lead['replies'] / count:.0f}",
            *(f"{value / count:.1f}" for value in means),
        )
    console.print(table)


def _spreads(console: Console, title: str, rows: Sequence[Row], *, digits: int) -> None:
    table = Table(title=title)
    for column in ("what", "n", "p50", "p95", "p99", "max", "goal"):
        table.add_column(column, justify="left" if column in {"what", "goal"} else "right")
    for name, found, goal in rows:
        cells = [_number(found[key], digits) for key in ("p50", "p95", "p99", "max")]
        table.add_row(name, str(found["n"]), *cells, goal)
    console.print(table)


def _speculated(speculation: Mapping[str, Any]) -> str:
    share = discarded_share(speculation)
    shown = "none" if share is None else f"{share:.0%}"
    return (
        f"{speculation['started']} replies, {speculation['discarded']} thrown away ({shown}),"
        f" {speculation['wasted_s']:.1f} s of work lost"
    )


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _problems(console: Console, problems: Sequence[str]) -> None:
    for problem in problems:
        console.print(f"[yellow]problem[/yellow]: {problem}")
