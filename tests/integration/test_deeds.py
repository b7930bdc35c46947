"""Lo-Bug's own half of the deeds corpus on the product, without a chat model."""

from __future__ import annotations

from pathlib import Path

from lobug.engines.absent import absent_engines
from lobug.evaluation.deeds import load_sets
from lobug.evaluation.deeds_judge import Judgement
from lobug.evaluation.deeds_run import WordlessChat, play_all
from support.app_server import settings_for
from support.scripted import ScriptedEmbedder

DONE = 70
"""Orders of the 70 within the skills that sentences alone carry out. Raise it when more are; it
never goes down."""


async def test_what_is_done_is_right_and_nothing_is_claimed(tmp_path: Path) -> None:
    engines = absent_engines()
    engines.chat, engines.embedder = WordlessChat(), ScriptedEmbedder()
    judged = await play_all(load_sets()["ours"], settings_for(tmp_path), engines)
    assert [_shown(one) for one in judged if one.verdict in {"wrong", "false"}] == []
    missed = [_shown(one) for one in judged if one.verdict == "missed"]
    assert 70 - len(missed) >= DONE, missed


def _shown(judgement: Judgement) -> str:
    played = judgement.played
    return f"{played.sentence.id} {played.sentence.text} -> {played.reply} ({judgement.why})"
