"""One libFuzzer program for some seconds, and what it found in a form that a log can keep."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path


def fuzz(program: Path, seeds: Path, work: Path, seconds: int) -> str | None:
    """What went wrong, with the input in hex; None when nothing did.

    Starts from `seeds` (a folder, which may be missing) and keeps everything it makes in `work`.
    """
    corpus = work / "corpus"
    if seeds.is_dir():
        shutil.copytree(seeds, corpus)
    corpus.mkdir(parents=True, exist_ok=True)
    finished = subprocess.run(
        [
            str(program),
            f"-max_total_time={seconds}",
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            f"-artifact_prefix={work}/",
            str(corpus),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=seconds + 120,
        check=False,
    )
    if finished.returncode != 0:
        found = [
            f"{path.name}, input in hex: {path.read_bytes().hex()}"
            for path in sorted(work.glob("*-*"))
        ]
        tail = "\n".join(finished.stdout.splitlines()[-60:])
        return f"{program.name} ended with {finished.returncode}\n{tail}\n" + "\n".join(found)
    executed = re.search(r"stat::number_of_executed_units: +(\d+)", finished.stdout)
    if executed is None or int(executed[1]) < 100:
        return f"{program.name} tried hardly anything: {executed and executed[1]} inputs"
    return None
