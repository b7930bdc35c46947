"""The core fits an ESP32: flash, RAM and stack of real Xtensa code, against budget.toml."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.cpp_build import need

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import firmware_budget
from firmware_xtensa import (
    CORE,
    TOOLS,
    Function,
    Unit,
    compile_all,
    object_sizes,
    parse_assembly,
)

BUDGET: dict[str, Any] = tomllib.loads(firmware_budget.BUDGET.read_text(encoding="utf-8"))


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A source of an area `planted` with everything that a budget is about."""
    folder = tmp_path / "planted"
    folder.mkdir()
    source = folder / "planted.cpp"
    source.write_text(
        """\
int counters[25];
char constants[] = "in RAM";
void use(char* text);
struct Handler { virtual int take(int value) = 0; };
__attribute__((noinline)) int leaf(int value) {
  char text[300];
  use(text);
  return text[value];
}
int entry(int value) { char text[100]; use(text); return leaf(value) + text[1]; }
namespace { __attribute__((noinline)) int down(int left) {
  char text[16];
  use(text);
  return left == 0 ? text[0] : down(left - 1) + text[1];
} }
int again(int left) { return down(left); }
// In <atomic>, a header of the system, the compiler does not say it.
#pragma clang diagnostic ignored "-Watomic-alignment"
unsigned long long time;
unsigned char flag;
unsigned long long wide() { return __atomic_load_n(&time, __ATOMIC_SEQ_CST); }
unsigned narrow(unsigned* value) {
  return __atomic_fetch_add(value, 1, __ATOMIC_SEQ_CST) +
         __atomic_exchange_n(&flag, 1, __ATOMIC_SEQ_CST);
}
int dynamic(unsigned size) {
  char* text = static_cast<char*>(__builtin_alloca(size));
  use(text);
  return text[0];
}
""",
        encoding="utf-8",
    )
    return source


@pytest.fixture
def units(planted: Path, tmp_path: Path) -> list[Unit]:
    need(*TOOLS)
    return compile_all(tmp_path / "build", [planted])


def plain_budget(**stack: object) -> dict[str, Any]:
    return {
        "code": {"planted": 100_000, "total": 100_000},
        "ram": {"static": 116},
        "objects": {},
        "stack": {"function": 1024, "chains": {}, "recursive": ["down"], **stack},
    }


@pytest.fixture(scope="module")
def core_units() -> list[Unit]:
    need(*TOOLS)
    return compile_all(firmware_budget.BUILD, sorted(CORE.rglob("*.cpp")))


@pytest.fixture
def compiled(core_units: list[Unit], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds the core compiled: that takes most of its time."""

    def known(build: Path, sources: Sequence[Path]) -> list[Unit]:
        assert build
        assert [unit.source for unit in core_units] == list(sources)
        return core_units

    monkeypatch.setattr(firmware_budget, "compile_all", known)


@pytest.mark.usefixtures("compiled")
def test_the_core_keeps_its_budget(capsys: pytest.CaptureFixture[str]) -> None:
    broken = firmware_budget.main(["--check"])
    printed = capsys.readouterr()
    assert broken == 0, printed.err + printed.out
    for area in BUDGET["code"]:
        assert f"`{area}`" in printed.out


@pytest.mark.usefixtures("compiled")
def test_budgets_are_no_more_than_a_third_over_what_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A budget that nothing comes near to would notice nothing."""
    firmware_budget.main([])
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines()[2:]]
    for _, kind, name, actual, allowed, *_ in rows:
        if kind.strip() in {"code", "object", "stack, chain"}:
            taken, budget = (int(text.replace(",", "")) for text in (actual, allowed))
            assert budget <= max(taken * 4 / 3, taken + 512), name


@pytest.mark.usefixtures("compiled")
def test_the_command_fails_on_a_broken_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = firmware_budget.BUDGET.read_text(encoding="utf-8")
    small = tmp_path / "budget.toml"
    small.write_text(text.replace(f"total = {BUDGET['code']['total']}", "total = 1000"))
    assert firmware_budget.main(["--check", "--budget", str(small)]) == 1
    assert "code of total" in capsys.readouterr().err


def broken(budget: dict[str, Any], units: list[Unit]) -> str:
    return "\n".join(firmware_budget.judge(budget, units, {}).broken())


def test_too_much_code_is_refused(units: list[Unit]) -> None:
    budget = plain_budget()
    budget["code"]["planted"] = 50
    assert "code of planted" in broken(budget, units)
    assert "code of total" not in broken(budget, units)


def test_an_area_without_a_budget_is_refused(units: list[Unit]) -> None:
    budget = plain_budget()
    del budget["code"]["planted"]
    budget["code"]["gone"] = 100
    assert "no budget" in broken(budget, units)
    assert "code of gone: a budget, but no such area" in broken(budget, units)


def test_static_ram_is_counted(units: list[Unit]) -> None:
    assert "static RAM" not in broken(plain_budget(), units)
    budget = plain_budget()
    budget["ram"]["static"] = 115
    assert "static RAM of core: 116 bytes" in broken(budget, units)


def test_a_large_frame_is_refused(units: list[Unit]) -> None:
    (leaf,) = [each for each in units[0].functions if "leaf" in each.name]
    assert leaf.stack is not None
    assert 300 <= leaf.stack <= 360
    assert "leaf" not in broken(plain_budget(), units)
    assert "leaf" in broken(plain_budget(function=299), units)
    assert "leaf" not in broken(plain_budget(function=299, larger={"leaf": 360}), units)


def test_a_deep_chain_is_refused(units: list[Unit]) -> None:
    assert "entry" not in broken(plain_budget(chains={"entry": 600}), units)
    # Neither function alone takes that much.
    assert "stack, chain of entry" in broken(plain_budget(chains={"entry": 400}), units)
    assert "no such function" in broken(plain_budget(chains={"away": 400}), units)


def test_recursion_is_refused(units: list[Unit]) -> None:
    assert "calls itself" not in broken(plain_budget(), units)
    assert "down(int) calls itself" in broken(plain_budget(recursive=[]), units)


def test_a_frame_that_depends_on_the_input_is_refused(units: list[Unit]) -> None:
    assert "stack of dynamic: its size depends on the input" in broken(plain_budget(), units)


def test_an_atomic_that_the_chip_has_not_is_refused(units: list[Unit]) -> None:
    report = broken(plain_budget(), units)
    assert "wide() needs __atomic_load_8" in report
    assert "narrow" not in report


def test_a_cycle_of_several_functions_and_what_hangs_below_it() -> None:
    def function(name: str, stack: int, *calls: str) -> Function:
        return Function(name, stack, frozenset(calls))

    calls = firmware_budget.Calls(
        [
            function("top", 1, "first"),
            function("first", 10, "second"),
            function("second", 20, "first", "below", "elsewhere"),
            function("below", 100),
            function("alone", 7),
        ]
    )
    assert calls.recursive == {"first", "second"}
    assert calls.chain("second") == (120, ["second", "below"])
    assert calls.chain("alone") == (7, ["alone"])


def test_stack_sizes_of_more_than_one_byte_are_read() -> None:
    text = """\
\t.type\tbig,@function
big:
.Lfunc_begin0:
\tentry\ta1, 32
\taddi\ta8, a1, -24
\tmovsp\ta1, a8
.Lfunc_end0:
\t.section\t.stack_sizes,"o",@progbits,.text.big
\t.long\t.Lfunc_begin0
\t.ascii\t"\\360\\270\\002"
"""
    assert parse_assembly(text, "unit") == [Function("unit:big", 40048 + 24, frozenset())]


def test_the_size_of_an_object_is_the_chips(tmp_path: Path) -> None:
    need(*TOOLS)
    sizes = object_sizes(tmp_path, {"lobug::Bytes": "lobug/base/span.h"})
    assert sizes == {"lobug::Bytes": 8}
