"""`make bench ARGS="--streaming"`: how fast Lo-Bug answers, and its own share of that time.

Four parts: a conversation at the speed of talk, beside the sequential server; speculation on and
off; Lo-Bug's own share under load, with the cost of idle devices; half an hour of simulated talk
over a poor network. The module of each part says what exactly it measures. Figures are shown beside
goals for two idle cores; nothing here passes or fails by them.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

import playback_simulation
import recorded_speech
from bench_server import PERCENTILES, engines_of, machine, ratio, serving, spread
from lobug.server import LobugServer
from lobug.settings import Settings
from recorded_speech import Clip, Said
from sequential_server import STEPS, SequentialTurn
from streaming_conversation import Compared, Conversation, SpeculationRun, StreamedTurn, converse

PARTS = ("conversation", "speculation", "load", "talk")

TURNS = 50
SEQUENTIAL_TURNS = 5
IN_ONE_GO, HESITATING = 12, 6
"""Clips that are spoken with speculation and without it."""
PAUSES_S = (0.3, 0.4, 0.5)
LOAD_TURNS = 10
TALKS = 10
"""Half-hours of simulated talk."""

_SPARE = 1.6
"""Clips for each wanted turn: not every clip is answered."""
_KEPT_TURNS = 10_000
_LOAD = Path(__file__).with_name("streaming_load.py")


async def measure(parts: Sequence[str], turns: int, console: Console) -> dict[str, Any]:
    """Measure ``parts`` in turn; with fewer than ``TURNS`` turns they are smaller.

    Raises FileNotFoundError where there is no recorded speech.
    """
    document: dict[str, Any] = {"machine": machine(), "percentiles": PERCENTILES}
    if {"conversation", "speculation"} & set(parts):
        clips = await asyncio.to_thread(recorded_speech.load, _clips_for(turns))
        document.update(await _with_engines(parts, turns, clips, console))
    if "load" in parts:
        wanted = min(turns, LOAD_TURNS)
        document["load"] = [
            await _load(wanted, console, speculate=speculate, idle_s=15.0 if speculate else 1.0)
            for speculate in (True, False)
        ]
    if "talk" in parts:
        talks = TALKS if turns >= TURNS else 1
        minutes = playback_simulation.MINUTES
        console.print(f"{talks} times {minutes:g} minutes of simulated talk, for each lead ...")
        found = await asyncio.to_thread(playback_simulation.compare, seeds=talks)
        document["talk"] = {
            "half_hours": talks,
            "network": asdict(playback_simulation.NETWORK),
            "leads": [asdict(talk) for talk in found],
        }
    return document


def _clips_for(turns: int) -> int:
    return round(_SPARE * turns) + 2 * (IN_ONE_GO + HESITATING + 1)


async def _with_engines(
    parts: Sequence[str], turns: int, clips: Sequence[Clip], console: Console
) -> dict[str, Any]:
    document: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="lobug-bench-") as folder:
        settings = Settings(data_dir=Path(folder), port=0)
        kept = settings.telemetry.model_copy(update={"turns_kept": _KEPT_TURNS})
        async with serving(settings.model_copy(update={"telemetry": kept})) as (server, url):
            console.print(f"{machine()}\n{engines_of(server)}")
            document["engines"] = engines_of(server)
            if "conversation" in parts:
                said = await _said(clips[: round(_SPARE * turns)], server)
                rounds = min(SEQUENTIAL_TURNS, max(1, turns // 5))
                console.print(f"a conversation of {turns} turns, {rounds} also sequentially ...")
                talked = await converse(server, url, said, turns, rounds, console.print)
                document["conversation"] = conversation_figures(talked)
                document["sequential"] = sequential_figures(talked)
            if "speculation" in parts:
                rest = clips[round(_SPARE * turns) :]
                document["speculation"] = await _speculation(server, url, rest, turns, console)
    return document


async def _said(clips: Sequence[Clip], server: LobugServer) -> list[Said]:
    return [await recorded_speech.said(clip, server.engines.gate) for clip in clips]


async def _speculation(
    server: LobugServer, url: str, clips: Sequence[Clip], turns: int, console: Console
) -> dict[str, Any]:
    go, hesitating = min(IN_ONE_GO, turns), min(HESITATING, turns)
    found = [said for said in await _said(clips, server) if said.in_one_go]
    plain, others = found[: go + 1], [said.clip.name for said in found[go + 1 :]]
    rest = [clip for clip in clips if clip.name in others]
    longest = sorted(rest, key=lambda clip: clip.words)[-hesitating:]
    with_pauses = [
        recorded_speech.hesitating(clip, PAUSES_S[n % len(PAUSES_S)])
        for n, clip in enumerate(longest)
    ]
    paused = await _said(with_pauses, server)
    async with SpeculationRun(server, url, plain[0]) as run:
        console.print(f"{go} clips in one go, with speculation and without it ...")
        in_one_go = await run.compare(plain[1:], console.print)
        console.print(f"{hesitating} clips with a pause in the middle, the same ...")
        hesitated = await run.compare(paused, console.print)
    return {
        "in_one_go": compared_figures(in_one_go),
        "hesitating": compared_figures(hesitated),
    }


async def _load(turns: int, console: Console, *, speculate: bool, idle_s: float) -> dict[str, Any]:
    how = "with speculation" if speculate else "with all work after the endpoint"
    console.print(f"100 devices, 20 of them talking, {how} ...")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        _LOAD,
        f"--turns={turns}",
        f"--idle={idle_s:g}",
        "--speculate" if speculate else "--no-speculate",
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await process.communicate()
    if process.returncode:
        raise SystemExit(f"the load run ended with {process.returncode}")
    document: dict[str, Any] = json.loads(printed)
    return document


def conversation_figures(talked: Conversation) -> dict[str, Any]:
    """Figures of the streamed turns. Pure."""
    answered = [turn for turn in talked.turns if turn.first_audio_s is not None]
    return {
        "turns": len(talked.turns),
        "unanswered": sum(t.first_audio_s is None and not t.too_early for t in talked.turns),
        "too_early": sum(turn.too_early for turn in talked.turns),
        "problems": sorted({problem for turn in talked.turns for problem in turn.problems}),
        "first_audio_s": spread(talked.answered),
        "first_audio_after_sound_s": spread(_times(answered, _after_sound)),
        "first_packet_s": spread(_times(answered, lambda turn: turn.first_packet_s)),
        "stages_s": {stage: spread(values) for stage, values in talked.stages.items()},
        "speculation": asdict(talked.speculation),
    }


def sequential_figures(talked: Conversation) -> dict[str, Any]:
    """Figures of the sequential turns, beside the streamed ones. Pure."""
    turns = [theirs for theirs, _ in talked.sequential]
    times = _times(turns, lambda turn: turn.first_audio_s)
    same = _times([ours for _, ours in talked.sequential], lambda turn: turn.first_audio_s)
    read = [turn.prompt_read for turn in turns if turn.prompt_read is not None]
    without = _times(turns, _without_prompt)
    return {
        "turns": len(turns),
        "unanswered": len(turns) - len(times),
        "problems": sorted({problem for turn in turns for problem in turn.problems}),
        "first_audio_s": spread(times),
        "without_the_prompt_s": spread(without),
        "streamed_same_clips_s": spread(same),
        "steps_s": {
            step: spread([turn.steps[step] for turn in turns if step in turn.steps])
            for step in STEPS
        },
        "prompt_tokens_read": spread(read),
        "ratio_p50": ratio(talked.answered, times, 0.5),
        "ratio_p95": ratio(talked.answered, times, 0.95),
        "ratio_p50_without_the_prompt": ratio(talked.answered, without, 0.5),
    }


def compared_figures(compared: Compared) -> dict[str, Any]:
    """Figures of one list of clips. Pure."""
    return {
        "with_s": spread(compared.with_s),
        "without_s": spread(compared.without_s),
        "unanswered": compared.unanswered,
        "too_early": compared.too_early,
        "speculation": asdict(compared.speculation),
    }


def _times(turns: Sequence[Any], of: Callable[[Any], float | None]) -> list[float]:
    return [value for turn in turns if (value := of(turn)) is not None]


def _after_sound(turn: StreamedTurn) -> float | None:
    return turn.first_audio_after_sound_s


def _without_prompt(turn: SequentialTurn) -> float | None:
    if turn.first_audio_s is None or "prompt" not in turn.steps:
        return None
    return turn.first_audio_s - turn.steps["prompt"]


def discarded_share(speculation: Mapping[str, Any]) -> float | None:
    """Share of prepared replies that were discarded, 0 to 1; None when none was prepared. Pure."""
    return speculation["discarded"] / speculation["started"] if speculation["started"] else None
