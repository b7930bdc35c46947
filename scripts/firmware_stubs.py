"""Looks for everything that firmware/stubs/M5Unified.h declares in the real headers.

A part of firmware_headers.py. A stub is good when the real header has a member of the same name in
the class of the same name, and for functions a declaration with the same types of parameters.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

STUB = Path(__file__).parents[1] / "firmware" / "stubs" / "M5Unified.h"

SAME_TYPE = {
    "size_t": "std::size_t",
    "int_fast16_t": "int",
    "uint_fast8_t": "std::uint8_t",
}
# A class of ours stands for several of the library's, or for one with another name.
REAL_NAMES = {"M5GFX": ("M5GFX", "LGFX_Device", "LGFXBase", "LovyanGFX", "LGFX_Sprite")}


@dataclass
class Class:
    """What a class declares: its members' names, and each function's lists of parameter types."""

    members: set[str] = field(default_factory=set)
    functions: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    bases: set[str] = field(default_factory=set)


def without_comments(text: str) -> str:
    """C++ without comments and without preprocessor lines: all branches of an #if are read."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", " ", text)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", " ", text, flags=re.MULTILINE)


def end_of_block(text: str, opening: int) -> int:
    """Where the brace at `opening` is closed."""
    depth = 0
    for place in range(opening, len(text)):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if depth == 0:
                return place
    return len(text)


def type_of(parameter: str) -> str:
    """The type of a parameter, without its name and default: `const std::int16_t*`."""
    text = parameter.split("=", maxsplit=1)[0]
    text = re.sub(r"\b(std::)?(u?int(8|16|32|64)_t)\b", r"std::\2", text)
    text = re.sub(r"\s*\w*\[[^]]*\]", "*", text)
    text = re.sub(r"\s*([*&])\s*", r"\1 ", text).strip()
    words = text.split()
    if len(words) > 1 and re.fullmatch(r"\w+", words[-1]) and words[-1] not in ("int", "bool"):
        words = words[:-1]
    words = [SAME_TYPE.get(word, word) for word in words if word != "volatile"]
    return " ".join(words).replace("lgfx::", "").replace("m5gfx::", "")


def parameters(text: str) -> tuple[str, ...]:
    """The types of what stands between a function's parentheses."""
    text = text.strip()
    if text in ("", "void"):
        return ()
    depth = 0
    parts = [""]
    for letter in text:
        depth += letter in "(<[{"
        depth -= letter in ")>]}"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(type_of(part) for part in parts)


def without_bodies(body: str) -> str:
    """Only the class' own level: functions' bodies and nested types' insides are left out."""
    result: list[str] = []
    depth = 0
    for letter in body:
        if letter == "{":
            depth += 1
            if depth == 1:
                result.append(";")
        elif letter == "}":
            depth -= 1
        elif depth == 0:
            result.append(letter)
    return "".join(result)


def read_body(body: str, found: Class, *, enumeration: bool) -> None:
    """Add what is declared between a class' braces."""
    if enumeration:
        found.members |= set(re.findall(r"(?:^|,)\s*(\w+)", body))
        return
    # Unions and structs without a name lend their members to what they are in.
    for nameless in re.finditer(r"\b(?:union|struct)\s*\{", body):
        inside = body[nameless.end() : end_of_block(body, nameless.end() - 1)]
        read_body(inside, found, enumeration=False)
    flat = without_bodies(body)
    flat = re.sub(r"\b(public|private|protected)\s*:", ";", flat)
    for statement in flat.split(";"):
        text = " ".join(statement.split())
        function = re.match(r"^(.*?)(~?\w+)\s*\((.*)\)[^()]*$", text)
        if function and function.group(2) not in ("defined", "__attribute__"):
            found.members.add(function.group(2))
            listed = parameters(function.group(3))
            found.functions.setdefault(function.group(2), set()).add(listed)
            continue
        variable = re.sub(r"(=|:(?!:)).*", "", text)
        for name in re.findall(r"(\w+)\s*(?:\[[^]]*\]\s*)*(?:,|$)", variable):
            found.members.add(name)


def read(text: str, classes: dict[str, Class]) -> None:
    """Add the classes, structures and enumerations of a header."""
    text = without_comments(text)
    pattern = re.compile(
        r"\b(class|struct|union|enum(?:\s+class)?)\s+(?:__attribute__\s*\(\(\w+\)\)\s*)?"
        r"(\w+)\s*(?:final\s*)?(:[^;{]*)?\{"
    )
    for match in pattern.finditer(text):
        found = classes.setdefault(match.group(2), Class())
        for base in re.findall(r"[\w:]+", match.group(3) or ""):
            found.bases.add(base.split("::")[-1])
        body = text[match.end() : end_of_block(text, match.end() - 1)]
        read_body(body, found, enumeration=match.group(1).startswith("enum"))


def all_bases(name: str, real: dict[str, Class], seen: set[str]) -> set[str]:
    """The class and everything it inherits from."""
    if name in seen or name not in real:
        return seen
    seen.add(name)
    for base in real[name].bases:
        all_bases(base, real, seen)
    return seen


def compare(stub: dict[str, Class], real: dict[str, Class]) -> tuple[int, list[str]]:
    """How many members were compared, and what is wrong with them."""
    count = 0
    wrong: list[str] = []
    for name, ours in stub.items():
        names = set[str]()
        for one in REAL_NAMES.get(name, (name,)):
            all_bases(one, real, names)
        theirs = [real[one] for one in names]
        if not theirs:
            wrong.append(f"{name}: no such class")
            continue
        for member in sorted(ours.members - {name, "~" + name}):
            if not member or member.startswith("~"):
                continue
            count += 1
            if not any(member in their.members for their in theirs):
                wrong.append(f"{name}::{member}: no such member")
                continue
            for listed in sorted(ours.functions.get(member, set())):
                known = set[tuple[str, ...]]()
                for their in theirs:
                    known |= their.functions.get(member, set())
                if known and listed not in known:
                    wrong.append(f"{name}::{member}{listed}: the library has {sorted(known)}")
    return count, wrong


def compare_folders(folders: Sequence[Path], stub: Path = STUB) -> int:
    """How many members of a stub the libraries in `folders` have not; prints each of them.

    A stub without members counts as one: then nothing was compared.
    """
    ours: dict[str, Class] = {}
    real: dict[str, Class] = {}
    read(stub.read_text(encoding="utf-8"), ours)
    for folder in folders:
        for header in sorted(folder.rglob("*.hpp")) + sorted(folder.rglob("*.h")):
            read(header.read_text(encoding="utf-8", errors="replace"), real)
    count, wrong = compare(ours, real)
    for line in wrong:
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{count} members of {stub.name} compared, {len(wrong)} differ\n")
    return len(wrong) if count else 1
