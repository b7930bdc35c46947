"""What the firmware's core takes of an ESP32, against firmware/budget.toml.

    python scripts/firmware_budget.py            the table
    python scripts/firmware_budget.py --check    and exit code 1 when a budget is broken

Flash for each area, RAM of the long-lived objects, stack of each function and of the deepest known
chain of calls from each entry. Virtual calls are not followed: what stands behind a port or a
handler is an entry of its own.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from firmware_xtensa import (
    CORE,
    FIRMWARE,
    Function,
    ToolError,
    Unit,
    compile_all,
    demangled,
    object_sizes,
)

BUDGET = FIRMWARE / "budget.toml"
BUILD = FIRMWARE.parent / "build" / "firmware" / "xtensa"


@dataclass(frozen=True)
class Row:
    """One figure and what it may be. Both in bytes."""

    kind: str
    name: str
    actual: int
    allowed: int | None

    @property
    def broken(self) -> bool:
        """Over its budget, or without one."""
        return self.allowed is None or self.actual > self.allowed


@dataclass
class Report:
    """All figures, and the budgets that are broken."""

    rows: list[Row] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    chains: list[str] = field(default_factory=list)
    """The deepest known calls from each entry, for a person."""

    def broken(self) -> list[str]:
        """A sentence for each broken budget; empty when all is well."""
        return [
            f"{row.kind} of {row.name}: {row.actual} bytes, "
            + ("no budget" if row.allowed is None else f"allowed {row.allowed}")
            for row in self.rows
            if row.broken
        ] + self.faults

    def table(self) -> str:
        lines = ["| what | where | bytes | budget |", "| --- | --- | ---: | ---: |"]
        lines += [
            f"| {row.kind} | `{row.name}` | {row.actual:,} | {row.allowed or 0:,} |"
            + (" **broken**" if row.broken else "")
            for row in self.rows
        ]
        return "\n".join(lines)


class Calls:
    """Who calls whom, and how deep that goes."""

    def __init__(self, functions: Sequence[Function]) -> None:
        # A template may be in several units; they are the same.
        self._functions = {function.name: function for function in functions}
        reached = {name: self._reached_from(name) for name in self._functions}
        self.recursive = {name for name in reached if name in reached[name]}
        """Functions that call themselves, perhaps through others."""
        below = {
            name: {called for called in self._called_by(name) if name not in reached[called]}
            for name in self._functions
        }
        self._depths: dict[str, tuple[int, str]] = {"": (0, "")}
        for name in TopologicalSorter(below).static_order():
            depth, deepest = max((self._depths[called][0], called) for called in {*below[name], ""})
            self._depths[name] = (depth + (self._functions[name].stack or 0), deepest)

    def chain(self, name: str) -> tuple[int, list[str]]:
        """Bytes of the deepest chain from `name` on, and the functions of it."""
        depth = self._depths[name][0]
        names = []
        while name:
            names.append(name)
            name = self._depths[name][1]
        return depth, names

    def _called_by(self, name: str) -> set[str]:
        return self._functions.keys() & self._functions[name].refers_to

    def _reached_from(self, name: str) -> set[str]:
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            new = self._called_by(waiting.pop()) - reached
            reached |= new
            waiting.extend(new)
        return reached


def code_by_area(units: Sequence[Unit]) -> dict[str, int]:
    """Bytes of flash; what several units share counts once, for the first."""
    areas: dict[str, int] = {}
    seen: set[str] = set()
    for unit in units:
        for name, size in unit.sections.items():
            if name in unit.shared:
                if name in seen:
                    continue
                seen.add(name)
            areas[unit.area] = areas.get(unit.area, 0) + size
    return areas


def judge(budget: Mapping[str, Any], units: Sequence[Unit], objects: Mapping[str, int]) -> Report:
    """The figures of `units` and `objects` beside what `budget` allows."""
    report = Report()
    allowed_code = budget["code"]
    areas = code_by_area(units)
    for area in sorted(areas):
        report.rows.append(Row("code", area, areas[area], allowed_code.get(area)))
    report.rows.append(Row("code", "total", sum(areas.values()), allowed_code.get("total")))
    report.faults += [
        f"code of {area}: a budget, but no such area"
        for area in sorted(set(allowed_code) - set(areas) - {"total"})
    ]
    static = sum(unit.static_ram for unit in units)
    report.rows.append(Row("static RAM", "core", static, budget["ram"]["static"]))
    for name, size in objects.items():
        report.rows.append(Row("object", name, size, budget["objects"][name]["bytes"]))
    functions = [each for unit in units for each in unit.functions]
    _judge_stack(budget["stack"], functions, report)
    _judge_atomics(functions, report)
    return report


def _judge_atomics(functions: Sequence[Function], report: Report) -> None:
    """What the chip does not change in one go needs a function that the vendor's library may lack,
    and a lock that the audio thread would wait for."""
    needing = {
        (called, function.name)
        for function in functions
        for called in function.refers_to
        if called.startswith("__atomic_")
    }
    plain = demangled([name for _, name in needing])
    report.faults += sorted(f"{plain[name]} needs {called}" for called, name in needing)


def _judge_stack(budget: Mapping[str, Any], functions: Sequence[Function], report: Report) -> None:
    plain = demangled([function.name for function in functions])
    limit = budget["function"]
    larger = budget.get("larger", {})

    def short(name: str) -> str:
        return plain[name].partition("(anonymous namespace)::")[2] or plain[name]

    measured = {function.name: function for function in functions}
    deepest = sorted(measured.values(), key=lambda each: -(each.stack or 0))
    for function in deepest[:5]:
        name = short(function.name).partition("(")[0]
        report.rows.append(
            Row("stack, one function", name, function.stack or 0, larger.get(name, limit))
        )
    for function in deepest:
        name = short(function.name).partition("(")[0]
        if function.stack is None:
            report.faults.append(f"stack of {name}: its size depends on the input")
        elif function.stack > larger.get(name, limit) and function not in deepest[:5]:
            report.faults.append(f"stack of {name}: {function.stack} bytes, allowed {limit}")
    calls = Calls(functions)
    report.faults += [
        f"{plain[name]} calls itself: no bound to its stack is known"
        for name in sorted(calls.recursive)
        if short(name).partition("(")[0] not in budget.get("recursive", [])
    ]
    for entry, allowed in budget["chains"].items():
        names = [name for name in measured if plain[name].startswith(f"{entry}(")]
        if not names:
            report.faults.append(f"stack from {entry}: a budget, but no such function")
            continue
        depth, chain = max(calls.chain(name) for name in names)
        report.chains.append(
            f"{entry}: "
            + " > ".join(
                f"{short(name).partition('(')[0]} {measured[name].stack}" for name in chain
            )
        )
        report.rows.append(Row("stack, chain", entry, depth, allowed))


def measure(budget: Mapping[str, Any], build: Path, sources: Sequence[Path]) -> Report:
    """Compiles `sources` and judges them. Raises ToolError."""
    if not sources:
        raise ToolError("no source was found")
    objects = {name: entry["header"] for name, entry in budget["objects"].items()}
    return judge(budget, compile_all(build, sources), object_sizes(build, objects))


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0, 1 with --check for a broken budget, 2 when it could not be measured."""
    parser = argparse.ArgumentParser(
        description="What the firmware's core takes of an ESP32: flash, RAM and stack."
    )
    parser.add_argument("--check", action="store_true", help="exit code 1 when a budget is broken")
    parser.add_argument("--budget", type=Path, default=BUDGET)
    parser.add_argument("--build", type=Path, default=BUILD)
    parser.add_argument("--chains", action="store_true", help="also say which calls are deepest")
    options = parser.parse_args(arguments)
    budget = tomllib.loads(options.budget.read_text(encoding="utf-8"))
    try:
        report = measure(budget, options.build, sorted(CORE.rglob("*.cpp")))
    except ToolError as error:
        print(error, file=sys.stderr)
        return 2
    print(report.table())
    if options.chains:
        print(*report.chains, sep="\n")
    for sentence in report.broken():
        print(sentence, file=sys.stderr)
    return int(options.check and bool(report.broken()))


if __name__ == "__main__":
    sys.exit(main())
