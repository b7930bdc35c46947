"""ESP32 code of the firmware's core, made by LLVM, and what can be read in it.

Not the vendor's compiler, whose code is somewhat larger or smaller, but real Xtensa code of the
chip's windowed ABI: sizes, the stack of every function, and who calls whom. Debian has no C++
headers for Xtensa, so the language comes from newlib's and the C library from picolibc's.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

FIRMWARE = Path(__file__).parents[1] / "firmware"
CORE = FIRMWARE / "lib" / "core" / "src"
LLVM = "22"
TOOLS = tuple(
    f"{tool}-{LLVM}" for tool in ("clang++", "llc", "llvm-size", "llvm-nm", "llvm-cxxfilt")
)
RAM = (".data", ".bss", ".tdata", ".tbss", ".noinit")
ELSEWHERE = (".group", ".debug", ".comment", ".note", ".stack_sizes", ".xt", ".symtab", ".strtab")
MACHINE = ("-mtriple=xtensa", "-mcpu=esp32", "--function-sections", "--data-sections")
NEWLIB = Path("/usr/include/newlib/c++")
PICOLIBC = Path("/usr/lib/xtensa-lx106-elf/include")


class ToolError(Exception):
    """A tool is missing or refused its input; the text is its own last words."""


@dataclass(frozen=True)
class Function:
    """One function of the generated code."""

    name: str
    """Mangled; a file-local one has its file before it."""
    stack: int | None
    """Bytes on the stack, with arguments for those it calls; None: it depends on the input."""
    refers_to: frozenset[str]
    """Functions it calls or takes the address of; virtual calls are not among them."""


@dataclass
class Unit:
    """One source file."""

    source: Path
    sections: dict[str, int] = field(default_factory=dict)
    """Name to bytes of every section with something for the chip in it."""
    shared: frozenset[str] = frozenset()
    """Those that the linker keeps once although several units have them: templates."""
    functions: list[Function] = field(default_factory=list)

    @property
    def area(self) -> str:
        """The folder below lobug/."""
        return self.source.parent.name

    @property
    def static_ram(self) -> int:
        """Bytes of RAM that are taken from the start: .data and .bss."""
        return sum(size for name, size in self.sections.items() if name.startswith(RAM))


def compile_all(folder: Path, sources: Sequence[Path]) -> list[Unit]:
    """Code for every source, two at a time. Raises ToolError."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = _flags()
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda source: _unit(folder, flags, source), sources))


def object_sizes(folder: Path, objects: Mapping[str, str]) -> dict[str, int]:
    """Bytes of each class on the chip. `objects` is its full name to the file that defines it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f'#include "{header}"' for header in dict.fromkeys(objects.values())]
    lines += [f"char size_{index}[sizeof({name})];" for index, name in enumerate(objects)]
    source = folder / "object_sizes.cpp"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    # Some of them are private to their file.
    target = _object(folder, [*_flags(), "-fno-access-control"], source)
    table = _run(f"llvm-nm-{LLVM}", "-S", target)
    sizes = {
        int(index): int(size, 16)
        for size, index in re.findall(r"^\S+ (\S+) \w size_(\d+)$", table, re.MULTILINE)
    }
    return {name: sizes[index] for index, name in enumerate(objects)}


def parse_assembly(text: str, unit: str) -> list[Function]:
    """The functions of one assembler file as llc writes it with --stack-size-section."""
    literals = dict(re.findall(r"^\t\.literal (\.L\w+), ([A-Za-z_.$][\w.$]*)", text, re.MULTILINE))
    public = set(re.findall(r"^\t\.(?:globl|global|weak)\t(\S+)", text, re.MULTILINE))
    names = set(re.findall(r"^\t\.type\t(\S+),@function", text, re.MULTILINE))
    starts = dict(re.findall(r"^([\w.$]+):.*\n(\.Lfunc_begin\d+):", text, re.MULTILINE))
    sizes = {
        begin: _uleb(value)
        for begin, value in re.findall(
            r"^\t\.section\t\.stack_sizes.*\n\t\.long\t(\.Lfunc_begin\d+)\n\t\.(.*)$",
            text,
            re.MULTILINE,
        )
    }

    def full(name: str) -> str:
        return f"{unit}:{name}" if name in names and name not in public else name

    found = []
    for name in sorted(names):
        body = re.search(rf"^{re.escape(name)}:.*?^\.Lfunc_end\d+:", text, re.MULTILINE | re.DOTALL)
        if body is None:
            continue
        loaded = re.findall(r"\bl32r\s+a\d+, (\.L\w+)", body[0])
        refers_to = frozenset(full(literals[label]) for label in loaded if label in literals)
        frame = sizes.get(starts.get(name, ""))
        stack = None if frame is None else frame + _arguments(body[0])
        found.append(Function(full(name), stack, refers_to))
    return found


def _arguments(body: str) -> int:
    """The most that is put below the frame for a call's arguments."""
    moves = re.findall(r"\baddi\s+(a\d+), a1, -(\d+)\n\s+movsp\s+a1, \1\b", body)
    return max((int(size) for _, size in moves), default=0)


def _uleb(directive: str) -> int:
    """A ULEB128 number as the assembler writes one: `byte 48` or `ascii "\\340\\b"`."""
    kind, _, value = directive.partition("\t")
    if kind == "byte":
        return int(value, 0)
    escapes = {"b": 8, "t": 9, "n": 10, "f": 12, "r": 13, '"': 34, "\\": 92}
    total = 0
    characters = re.findall(r"\\([0-7]{3}|.)|([^\\])", value.strip()[1:-1])
    for position, (escaped, plain) in enumerate(characters):
        byte = ord(plain) if plain else escapes.get(escaped) or int(escaped, 8)
        total |= (byte & 0x7F) << (7 * position)
    return total


def _flags() -> list[str]:
    versions = sorted(NEWLIB.glob("*/arm-none-eabi"))
    if not versions or not PICOLIBC.is_dir():
        raise ToolError("headers are missing: see scripts/firmware-packages.sh")
    compiler = _run(f"clang++-{LLVM}", "-print-resource-dir").strip()
    system = (versions[-1].parent, versions[-1], Path(compiler) / "include", PICOLIBC)
    return [
        "--target=xtensa",
        "-std=c++17",
        "-Os",
        "-funsigned-char",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-asynchronous-unwind-tables",
        "-fno-threadsafe-statics",
        "-nostdinc",
        "-nostdinc++",
        *(f"-isystem{path}" for path in system),
        f"-I{CORE}",
        "-Wall",
        "-Wextra",
        "-Wformat=2",
        "-Werror",
    ]


def _object(folder: Path, flags: Sequence[str], source: Path) -> Path:
    bitcode = folder / f"{source.parent.name}-{source.stem}.bc"
    target = bitcode.with_suffix(".o")
    _run(f"clang++-{LLVM}", *flags, "-emit-llvm", "-c", source, "-o", bitcode)
    _run(f"llc-{LLVM}", *MACHINE, "-filetype=obj", bitcode, "-o", target)
    return target


def _unit(folder: Path, flags: Sequence[str], source: Path) -> Unit:
    target = _object(folder, flags, source)
    assembly = target.with_suffix(".s")
    bitcode = target.with_suffix(".bc")
    _run(f"llc-{LLVM}", *MACHINE, "--stack-size-section", bitcode, "-o", assembly)
    text = assembly.read_text(encoding="utf-8")
    return Unit(
        source,
        _sections(target),
        frozenset(re.findall(r"^\t\.section\t(\S+),\"\w*G\w*\",.*,comdat$", text, re.MULTILINE)),
        parse_assembly(text, target.stem),
    )


def _sections(target: Path) -> dict[str, int]:
    sizes: dict[str, int] = {}
    table = _run(f"llvm-size-{LLVM}", "-A", target)
    for name, size in re.findall(r"^(\.\S+) +(\d+) +\d+$", table, re.MULTILINE):
        if int(size) and not name.startswith(ELSEWHERE):
            sizes[name] = sizes.get(name, 0) + int(size)
    return sizes


def demangled(names: Sequence[str]) -> dict[str, str]:
    """Each mangled name and what it is in C++."""
    plain = _run(f"llvm-cxxfilt-{LLVM}", *(name.rpartition(":")[2] for name in names))
    return dict(zip(names, plain.splitlines(), strict=True))


def _run(*command: str | Path) -> str:
    try:
        finished = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise ToolError(f"{command[0]} is missing: see scripts/firmware-packages.sh") from error
    if finished.returncode != 0:
        lines = (finished.stdout + finished.stderr).splitlines()
        raise ToolError(f"{command[0]}: " + "\n".join(lines[:20]))
    return finished.stdout
