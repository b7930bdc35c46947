"""Checks of the computer: Python, memory, disk space, who may talk."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from lobug.access.addresses import is_loopback
from lobug.diagnosis.findings import Finding, Level, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.settings import Settings, WyomingSettings

GB = 1_000_000_000

MEMORY_NEEDED = 4 * GB
"""Bytes: 3.2 GB for Lo-Bug with all embedded engines, the rest for the system."""

DATA_FULL = GB // 10
"""Free bytes below which writing memories may soon fail."""

DATA_LOW = GB
"""Free bytes below which the owner should make room."""


def check_python() -> Finding:
    """The interpreter's version."""
    system = f"{platform.system()} {platform.machine()}"
    version = sentence("doctor.python", version=platform.python_version(), system=system)
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return ok("python", version)
    return warn("python", version, sentence("doctor.python_advice"))


def check_memory(settings: Settings) -> Finding:
    """Whether main memory is large enough for the embedded chat model."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return ok("memory", sentence("doctor.ram_unknown"))
    return judge_memory(total, embedded=settings.chat.engine in {"auto", "embedded"})


def judge_memory(total: int, *, embedded: bool) -> Finding:
    """Judge main memory of ``total`` bytes. Pure."""
    message = sentence("doctor.ram", gb=total / GB)
    if total >= MEMORY_NEEDED or not embedded:
        return ok("memory", message)
    return warn("memory", message, sentence("doctor.ram_advice"))


def check_data_folder(settings: Settings) -> Finding:
    """Whether the data folder can be written, and how much room it has."""
    folder = settings.data_dir
    problem = unwritable(folder)
    if problem:
        advice = sentence("doctor.folder_advice", setting="LOBUG_DATA_DIR")
        return fail("data folder", problem, advice)
    return judge_room("data folder", folder, _free(folder), needed=DATA_FULL, wanted=DATA_LOW)


def judge_room(name: str, folder: Path, free: int, *, needed: int, wanted: int) -> Finding:
    """Judge the free space of a folder. Sizes in bytes. Pure."""
    message = sentence("doctor.room", folder=folder, gb=free / GB)
    if free < needed:
        return fail(name, message, sentence("doctor.room_needed_advice", gb=needed / GB))
    if free < wanted:
        return warn(name, message, sentence("doctor.room_wanted_advice", gb=wanted / GB))
    return ok(name, message)


def unwritable(folder: Path) -> str | None:
    """Why files cannot be written in the folder, or None. The folder need not exist, and is not
    made."""
    place = existing_part(folder)
    if not place.is_dir():
        return sentence("doctor.not_a_folder", path=place)
    if not os.access(place, os.W_OK | os.X_OK):
        return sentence("doctor.not_writable", path=place)
    return None


def existing_part(folder: Path) -> Path:
    """The folder, or its nearest parent that exists."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    return place


def _free(folder: Path) -> int:
    return shutil.disk_usage(existing_part(folder)).free


ACCESS_CHECK = "who may talk"


_HOUSEHOLD = {4: 16, 6: 48}
"""Shortest prefix of a household's network, by IP version."""


def check_openness(settings: Settings) -> list[Finding]:
    """Who may talk; one warning for each way to do so without the owner's approval."""
    if is_loopback(settings.host) or settings.host == "localhost":
        return [ok(ACCESS_CHECK, sentence("doctor.access_local"))]
    access = settings.access
    findings = []
    if not access.pairing:
        findings.append(
            warn(
                ACCESS_CHECK,
                sentence("doctor.access_unpaired"),
                sentence("doctor.access_unpaired_advice"),
            )
        )
    wide = [n for n in access.trusted_networks if n.prefixlen < _HOUSEHOLD[n.version]]
    if wide:
        findings.append(
            warn(
                ACCESS_CHECK,
                sentence("doctor.access_wide", networks=", ".join(map(str, wide))),
                sentence("doctor.access_wide_advice"),
            )
        )
    findings += _check_wyoming_openness(settings.wyoming)
    if any(finding.level is Level.WARN for finding in findings):
        return findings
    trusted = ", ".join(map(str, access.trusted_networks))
    tokens = sentence("doctor.access_tokens")
    if trusted:
        tokens = sentence("doctor.access_tokens_trusted", networks=trusted)
    return [ok(ACCESS_CHECK, tokens), *findings]


def _check_wyoming_openness(wyoming: WyomingSettings) -> list[Finding]:
    """Who needs no token because the Wyoming door is open for them; empty: nobody."""
    networks = [n for n in wyoming.allowed_networks if wyoming.enabled and not n.is_loopback]
    wide = [n for n in networks if n.prefixlen < _HOUSEHOLD[n.version]]
    if wide:
        what = sentence("doctor.access_wyoming_wide", networks=", ".join(map(str, wide)))
        return [warn(ACCESS_CHECK, what, sentence("doctor.access_wyoming_wide_advice"))]
    if networks:
        named = ", ".join(map(str, networks))
        return [ok(ACCESS_CHECK, sentence("doctor.access_wyoming", networks=named))]
    return []
