"""`make bench`: how fast Lo-Bug is on this machine, with the engines that the settings choose.

Runs the real application in this process (the embedded chat model is a child process), sends it
requests over a real socket, and prints p50 and p95 of every stage. Comparisons are made side by
side in one run. Nothing here passes or fails by a clock: the figures are for people, with --json
for programs. Then it measures streamed conversation (``streaming_bench``). --streaming measures
only that; --recall measures only the cost of recall as one user's log grows (``recall_curve``).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as lobug does, but numpy comes first here

import httpx
import numpy as np
from rich.console import Console
from rich.table import Table

import recall_curve
import streaming_bench
import streaming_tables
from bench_server import drained, engines_of, family, machine, serving
from lobug.audio.resample import resample
from lobug.audio.wav import encode
from lobug.conversation.prompt import make_persona, prefix
from lobug.engines.base import BACKGROUND_LANE, STT_SAMPLE_RATE, ChatMessage, ChatOptions
from lobug.server import LobugServer
from lobug.settings import Settings

TURNS = 20
"""Measured turns of each route that takes a whole request."""

CLIP_SECONDS = 4.0
CLIP_TEXT = "I am thinking of a walk by the river this afternoon, what do you say?"
TYPED = (
    "What is two plus two?",
    "Tell me something about the moon.",
    "I like red apples.",
    "Which fruit did I mention?",
    "Thank you.",
    "How far away is the sun?",
    "Do you like music?",
    "Good to know.",
)


@dataclass(slots=True)
class Figures:
    """Samples by name; seconds unless the name says otherwise."""

    samples: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        self.samples.setdefault(name, []).append(value)

    def p(self, name: str, percent: float) -> float:
        """A percentile, nearest rank."""
        values = sorted(self.samples[name])
        return values[max(0, math.ceil(percent / 100 * len(values)) - 1)]


async def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--turns",
        type=_positive,
        help=f"measured turns a door ({TURNS}) and of the conversation ({streaming_bench.TURNS})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    streaming = parser.add_argument_group("streamed conversation")
    streaming.add_argument(
        "--streaming", action="store_true", help="measure this, and nothing else"
    )
    streaming.add_argument(
        "--parts",
        type=_parts,
        default=streaming_bench.PARTS,
        help=f"some of its parts, with commas ({','.join(streaming_bench.PARTS)})",
    )
    recall = parser.add_argument_group("recall as the log grows")
    recall.add_argument("--recall", action="store_true", help="measure this, and nothing else")
    recall.add_argument(
        "--sizes",
        type=_sizes,
        default=recall_curve.SIZES,
        help="turns of one user, with commas (1000,10000,50000,100000,200000)",
    )
    recall.add_argument(
        "--vectors",
        choices=("synthetic", "real"),
        default="synthetic",
        help="embed every turn, or make vectors up after the first size (synthetic)",
    )
    recall.add_argument("--questions", type=int, default=recall_curve.QUESTIONS, help="(100)")
    options = parser.parse_args()
    console = Console(stderr=options.json)
    if options.recall:
        await _recall(options, console)
        return
    document: dict[str, Any] = {}
    if not options.streaming:
        figures = await _requests(options.turns or TURNS, console)
        document = {"figures": _summary(figures), "ratios": _ratios(figures)}
        _print(console, figures)
    document["streaming"] = await _streaming(options, console)
    if options.json:
        sys.stdout.write(json.dumps(document) + "\n")


async def _requests(turns: int, console: Console) -> Figures:
    """Measure the routes that take a whole request."""
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="lobug-bench-") as folder:
        settings = Settings(data_dir=Path(folder), port=0)
        started = time.perf_counter()
        async with serving(settings) as (server, url):
            figures.add("start to healthy", time.perf_counter() - started)
            console.print(f"{machine()}\n{engines_of(server)}")
            await _measure(server, url, turns, figures, console)
    return figures


async def _streaming(options: argparse.Namespace, console: Console) -> dict[str, Any] | None:
    """Measure streamed conversation; None when there is no recorded speech."""
    try:
        turns = options.turns or streaming_bench.TURNS
        document = await streaming_bench.measure(options.parts, turns, console)
    except FileNotFoundError as missing:
        if options.streaming:
            raise SystemExit(str(missing)) from missing
        console.print(f"streamed conversation is left out: {missing}")
        return None
    streaming_tables.show(console, document)
    return document


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one turn")
    return number


def _parts(text: str) -> tuple[str, ...]:
    parts = tuple(text.split(","))
    if not set(parts) <= set(streaming_bench.PARTS):
        raise argparse.ArgumentTypeError(f"parts are {', '.join(streaming_bench.PARTS)}")
    return parts


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(sorted({int(size) for size in text.replace("_", "").split(",")}))
    if not sizes or sizes[0] < 1:
        raise argparse.ArgumentTypeError("sizes are numbers of turns, such as 1000,10000")
    return sizes


async def _recall(options: argparse.Namespace, console: Console) -> None:
    document = await recall_curve.measure(
        options.sizes, options.vectors, options.questions, console
    )
    if options.json:
        sys.stdout.write(json.dumps({"recall": document}) + "\n")
    else:
        recall_curve.show(console, document)


async def _measure(
    server: LobugServer, url: str, turns: int, figures: Figures, console: Console
) -> None:
    clip = await _clip(server)
    async with httpx.AsyncClient(base_url=url, timeout=120, trust_env=False) as client:
        console.print("first token, cold and with the prefix cached ...")
        async with server.priority.turn():  # so that no prompt is read ahead meanwhile
            await _first_tokens(server, figures)
        console.print(f"{turns} turns of /chat/audio ...")
        await _audio_turns(client, clip, turns, figures)
        console.print(f"{turns} turns of /chat/text ...")
        await _text_turns(client, turns, figures, "/chat/text")
        await drained(server)
        console.print(f"{turns} turns each, alone and into background extraction, interleaved ...")
        await _turns_against_background(server, client, turns, figures)
        console.print("health and event loop while turns run ...")
        await _under_load(client, clip, figures)
        await drained(server)
        console.print("idle ...")
        await _idle(figures)
    figures.add("resident memory, GB", _resident_gb())


async def _clip(server: LobugServer) -> bytes:
    """Four seconds of the embedded voice, as a device records them."""
    speech = await server.engines.tts.synthesize(CLIP_TEXT)
    audio = resample(speech, server.engines.tts.sample_rate, STT_SAMPLE_RATE)
    whole = np.zeros(int(CLIP_SECONDS * STT_SAMPLE_RATE), np.float32)
    whole[: min(len(audio), len(whole))] = audio[: len(whole)]
    return encode(whole, STT_SAMPLE_RATE)


async def _first_tokens(server: LobugServer, figures: Figures) -> None:
    """The prompt of a second turn, cold and cached, on lanes of their own."""
    chat = server.engines.chat
    persona = make_persona(server.settings.conversation.persona, ignore_and_react=True)
    for n in range(3):
        # A different beginning each time, so that no cache of an earlier round helps.
        first = [
            ChatMessage("system", f"Round {n} of {random.random()}."),  # noqa: S311 - no secret
            *prefix(persona, ""),
            ChatMessage("user", "Hello, my name is Alex."),
        ]
        lane = f"bench-{n}"
        await _first_token(server, first, lane, figures, "first token, cold")
        reply = ChatMessage("assistant", "Hello, Alex! Nice to meet you.")
        second = [*first, reply, ChatMessage("user", "How far away is the moon?")]
        await _first_token(server, second, lane, figures, "first token, second turn (cached)")
        # An extraction in between must leave the prefix where it is.
        extraction = [ChatMessage("system", "Extract facts. " * 150), ChatMessage("user", "I ski.")]
        options = ChatOptions(max_tokens=8, lane=BACKGROUND_LANE)
        async with contextlib.aclosing(chat.stream(extraction, options)) as pieces:
            async for _ in pieces:
                pass
        third = [
            *second,
            ChatMessage("assistant", "Very far."),
            ChatMessage("user", "And how far away is the sun?"),
        ]
        await _first_token(server, third, lane, figures, "first token, after an extraction")


async def _first_token(
    server: LobugServer, messages: Sequence[ChatMessage], lane: str, figures: Figures, name: str
) -> None:
    started = time.perf_counter()
    options = ChatOptions(max_tokens=12, temperature=0.0, lane=lane)
    async with contextlib.aclosing(server.engines.chat.stream(messages, options)) as pieces:
        async for _ in pieces:
            figures.add(name, time.perf_counter() - started)
            break


async def _audio_turns(
    client: httpx.AsyncClient, clip: bytes, turns: int, figures: Figures
) -> None:
    headers = {"Device-Id": "bench-audio"}
    for n in range(turns + 1):
        started = time.perf_counter()
        answer = await client.post(
            "/chat/audio", files={"audio": ("recording.wav", clip, "audio/wav")}, headers=headers
        )
        whole = time.perf_counter() - started
        body = answer.raise_for_status().json()
        if n == 0:
            figures.add("/chat/audio, first turn", whole)
            continue
        figures.add("/chat/audio, whole", whole)
        before = 0.0
        for stage, at in body["timings"].items():
            if stage in ("decode", "gate", "transcript", "recall", "first_token", "reply"):
                figures.add(f"  {stage}", at - before)
                before = at
            elif stage == "stored":
                figures.add("  speech left and storing", at - before)
        figures.add("  reply, words", len(body["response"].split()))


async def _text_turns(client: httpx.AsyncClient, turns: int, figures: Figures, name: str) -> None:
    for n in range(turns + 1):
        took = await _text_turn(client, TYPED[n % len(TYPED)], "bench-text")
        figures.add(name if n else f"{name}, first turn", took)


async def _text_turn(client: httpx.AsyncClient, text: str, device: str) -> float:
    started = time.perf_counter()
    answer = await client.post("/chat/text", json={"text": text}, headers={"Device-Id": device})
    answer.raise_for_status()
    return time.perf_counter() - started


async def _turns_against_background(
    server: LobugServer, client: httpx.AsyncClient, turns: int, figures: Figures
) -> None:
    """Ask the same question alone and while facts are being extracted, alternately."""
    question = "What is two plus two?"
    await _text_turn(client, question, "bench-quiet")
    for _ in range(max(3, turns // 2)):
        await drained(server)
        figures.add("/chat/text, quiet", await _text_turn(client, question, "bench-quiet"))
        # Something to learn; its extraction starts after the idle delay and takes seconds.
        await _text_turn(client, "My sister Julia lives in Oslo and plays chess.", "bench-other")
        await asyncio.sleep(server.settings.memory.idle_delay_s + 0.7)
        busy = server.memory.stats().pending_tasks
        took = await _text_turn(client, question, "bench-quiet")
        figures.add("/chat/text, during extraction" if busy else "(extraction was over)", took)


async def _under_load(client: httpx.AsyncClient, clip: bytes, figures: Figures) -> None:
    """Two devices talk at once; meanwhile health is asked and the event loop is watched."""

    async def stalls() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            figures.add("event-loop stall, ms", (time.perf_counter() - before - 0.005) * 1000)

    async def health() -> None:
        while True:
            started = time.perf_counter()
            (await client.get("/health")).raise_for_status()
            figures.add("/health during turns, ms", (time.perf_counter() - started) * 1000)
            await asyncio.sleep(0.05)

    async def device(name: str) -> None:
        for _ in range(5):
            files = {"audio": ("recording.wav", clip, "audio/wav")}
            answer = await client.post("/chat/audio", files=files, headers={"Device-Id": name})
            answer.raise_for_status()

    watchers = [asyncio.create_task(stalls()), asyncio.create_task(health())]
    await asyncio.gather(device("load-a"), device("load-b"))
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)


async def _idle(figures: Figures) -> None:
    await asyncio.sleep(2)
    processes = family()
    before = sum(sum(p.cpu_times()[:2]) for p in processes)
    started = time.monotonic()
    await asyncio.sleep(10)
    used = sum(sum(p.cpu_times()[:2]) for p in processes) - before
    figures.add("idle CPU, % of one core", 100 * used / (time.monotonic() - started))


def _resident_gb() -> float:
    return sum(p.memory_info().rss for p in family()) / 1e9


def _summary(figures: Figures) -> dict[str, dict[str, float]]:
    return {
        name.strip(): {
            "n": len(values),
            "p50": statistics.median(values),
            "p95": figures.p(name, 95),
            "max": max(values),
        }
        for name, values in figures.samples.items()
    }


RATIOS = (
    ("first token: second turn / cold", "first token, second turn (cached)", "first token, cold"),
    (
        "first token: after an extraction / cached",
        "first token, after an extraction",
        "first token, second turn (cached)",
    ),
    ("turn: into an extraction / quiet", "/chat/text, during extraction", "/chat/text, quiet"),
)
"""Name, numerator, denominator: medians of one run, so the machine's speed cancels out."""


def _ratios(figures: Figures) -> dict[str, float]:
    medians = {name: statistics.median(values) for name, values in figures.samples.items()}
    return {
        name: medians[above] / medians[below]
        for name, above, below in RATIOS
        if above in medians and below in medians
    }


def _print(console: Console, figures: Figures) -> None:
    table = Table(title="Lo-Bug, seconds unless the name says otherwise")
    for column in ("what", "n", "p50", "p95", "max"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, values in figures.samples.items():
        cells = (statistics.median(values), figures.p(name, 95), max(values))
        table.add_row(name, str(len(values)), *(f"{cell:.3f}" for cell in cells))
    console.print(table)
    ratios = Table(title="Ratios of medians")
    ratios.add_column("what")
    ratios.add_column("ratio", justify="right")
    for name, ratio in _ratios(figures).items():
        ratios.add_row(name, f"{ratio:.2f}")
    console.print(ratios)


if __name__ == "__main__":
    asyncio.run(main())
