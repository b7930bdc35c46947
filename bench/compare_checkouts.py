"""Compares how fast two checkouts are: their start, and the beginning of a reply.

    python bench/compare_checkouts.py ../old . --starts 10 --turns 100

Both servers run at the same time and are asked in turn, so that whatever else the computer does
slows both. The figures are medians (of processor time: means), and the median of the ratios of
neighbouring measurements. The language model is scripted and answers at once, which leaves Lo-Bug's
own time and its voice's. With ``--embedded`` the embedded model answers.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

sys.path.append(str(Path(__file__).parents[1] / "scripts"))

from behaviour_ollama import fake_ollama
from behaviour_server import Checkout, Served, served, with_ollama

QUESTIONS = (
    "What is two plus two?",
    "Tell me something about the moon.",
    "Which fruit did I mention yesterday?",
    "How far away is the sun?",
)


T = TypeVar("T")


@dataclass(slots=True)
class Measured:
    """Seconds of one checkout, by what was measured."""

    checkout: Checkout
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def note(self, **seconds: float) -> None:
        """Take in one measurement of each name."""
        for name, value in seconds.items():
            self.seconds.setdefault(name, []).append(value)


def main() -> None:
    """Measure and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--embedded", action="store_true", help="use the embedded models")
    options = parser.parse_args()
    both = [Measured(Checkout(path.resolve())) for path in (options.before, options.after)]
    for measured in both:
        measured.checkout.require_own_code()
    with tempfile.TemporaryDirectory(prefix="compare-") as folder, fake_ollama() as ollama:
        settings = {} if options.embedded else with_ollama(ollama.url)
        for number in range(options.starts):
            for measured in alternating(both, number):
                measure_start(measured, Path(folder, f"start-{number}"), settings)
        with ExitStack() as stack:
            servers = [
                stack.enter_context(served(m.checkout, Path(folder, f"turns-{n}"), **settings))
                for n, m in enumerate(both)
            ]
            pairs = list(zip(both, servers, strict=True))
            for number in range(-len(QUESTIONS), options.turns):  # the first ones warm up
                for measured, server in alternating(pairs, number):
                    seconds = measure_turn(server, QUESTIONS[number % len(QUESTIONS)])
                    if number >= 0:
                        measured.note(**seconds)
    report(*both)


def alternating(items: list[T], number: int) -> list[T]:
    """The items, the other way round every second time."""
    return items[:: 1 if number % 2 else -1]


def measure_start(measured: Measured, data: Path, settings: Mapping[str, str]) -> None:
    """Start a server with an empty memory: seconds of wall clock until ``/health`` answers, and of
    its process's processor time until then."""
    began = time.monotonic()
    with served(measured.checkout, data / str(measured.checkout.root.name), **settings) as server:
        server.health()
        measured.note(
            **{"start to healthy": time.monotonic() - began, "start, CPU": cpu_of(server)}
        )


def measure_turn(server: Served, words: str) -> dict[str, float]:
    """Ask once, as server-sent events with speech: seconds until the reply's first text and first
    audio, and processor time of the server's process for the whole turn."""
    found: dict[str, float] = {}
    cpu, began = cpu_of(server), time.monotonic()
    body = {"text": words, "voice": True}
    headers = {"Accept": "text/event-stream", "Device-Id": "bench"}
    with server.client.stream("POST", "/chat/text", json=body, headers=headers) as answer:
        for name in events(answer.raise_for_status().iter_lines()):
            if name in ("reply_delta", "audio"):
                found.setdefault(name, time.monotonic() - began)
    found["turn, CPU"] = cpu_of(server) - cpu
    return {
        "first token": found["reply_delta"],
        "first audio": found["audio"],
        "turn, CPU": found["turn, CPU"],
    }


def events(lines: Iterator[str]) -> Iterator[str]:
    """The names of a stream's events."""
    for line in lines:
        if line.startswith("event: "):
            yield line.removeprefix("event: ").strip()


def cpu_of(server: Served) -> float:
    """Processor time that a server's process has used, without its children's, seconds. Linux."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(before: Measured, after: Measured) -> None:
    """Print medians, their ratio, and the median of the ratios, as lines of a Markdown table."""
    print("| seconds | n | before | after | ratio | median of ratios |")
    print("|---|---|---|---|---|---|")
    for name, old in before.seconds.items():
        new = after.seconds[name]
        # The kernel counts processor time in steps of 10 ms, so a median of turns says little.
        typical = statistics.mean if name.endswith("CPU") else statistics.median
        figures = typical(old), typical(new)
        ratios = [b / a for a, b in zip(old, new, strict=True) if a]
        print(
            f"| {name} | {len(old)} | {figures[0]:.3f} | {figures[1]:.3f}"
            f" | {figures[1] / figures[0]:.2f} | {statistics.median(ratios):.2f} |"
        )
    print(json.dumps({"before": before.seconds, "after": after.seconds}), file=sys.stderr)


if __name__ == "__main__":
    main()
