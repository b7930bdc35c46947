"""``lobug eval locomo`` on the product's own memory: real SQLite, a scripted embedder."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lobug.cli.app import app
from lobug.engines.base import ChatMessage, ChatOptions, Embedder
from lobug.evaluation import product
from lobug.evaluation.locomo import parse
from lobug.evaluation.locomo_run import (
    METRICS,
    Asked,
    Examined,
    examine,
    pieces,
    report,
)
from lobug.settings import MemorySettings, Settings
from support.benchmark_files import flat, published, turn
from support.scripted import ScriptedChatModel, ScriptedEmbedder

TALK = parse(flat(), "talk")


def no_progress(_pieces: int = 1, /) -> None:
    """Nobody looks."""


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedEmbedder:
    """The embedder that the command gets."""
    embedder = ScriptedEmbedder(dimension=256)

    @asynccontextmanager
    async def started(settings: Settings) -> AsyncIterator[Embedder]:
        yield embedder

    monkeypatch.setattr(product, "started_embedder", started)
    return embedder


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["eval", "locomo", *map(str, arguments)])


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize("document", [flat(), [published()]], ids=["flat", "published"])
def test_json_is_one_object_with_the_figures(tmp_path: Path, document: object) -> None:
    (tmp_path / "talk.json").write_text(json.dumps(document), encoding="utf-8")
    result = run(tmp_path, "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert {*METRICS, "by_category", "ms_per_query", "tokens", "macro"} <= figures.keys()
    assert list(figures["by_category"]) == ["multi-hop", "temporal", "open-domain", "single-hop"]
    assert (figures["conversations"], figures["questions"], figures["skipped"]) == (1, 4, 1)
    # Each question shares words with its evidence and there are six turns: all is found.
    assert figures["recall@10"] == figures["all@10"] == 1.0
    assert figures["mrr"] > 0.5
    assert figures["ms_per_query"] > 0.0
    assert figures["tokens"] > 0.0
    assert figures["embedder_failures"] == 0


@pytest.mark.usefixtures("scripted")
def test_a_table_for_people(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(flat()), encoding="utf-8")
    result = run(file)
    assert result.exit_code == 0, result.output
    for word in ("multi-hop", "talk", "all questions", "1.000", "1 without evidence"):
        assert word in result.stdout


def test_what_is_no_conversation_is_one_sentence(tmp_path: Path) -> None:
    result = run(tmp_path / "absent")
    assert result.exit_code == 1
    assert "There is no file or folder" in " ".join(result.output.split())
    assert "Traceback" not in result.output


async def test_each_turn_that_is_evidence_stands_where_the_search_put_it() -> None:
    (examined,) = await examine(
        TALK, MemorySettings(), ScriptedEmbedder(dimension=256), no_progress
    )
    assert examined.entries == 0
    photo = examined.asked[-1]
    assert photo.ranked[0] == (1, 3)
    assert len(photo.ranked) == len(set(photo.ranked))
    assert set(photo.ranked) <= {
        said.place for session in TALK[0].sessions for said in session.turns
    }


async def test_all_work_is_counted() -> None:
    done = 0

    def count(more: int = 1, /) -> None:
        nonlocal done
        done += more

    await examine(TALK, MemorySettings(), ScriptedEmbedder(dimension=256), count)
    assert done == pieces(TALK, facts=False) == 10


async def test_with_the_embedder_down_turns_are_found_by_words_and_that_is_said() -> None:
    embedder = ScriptedEmbedder(dimension=256)
    embedder.go_down()
    (examined,) = await examine(TALK, MemorySettings(), embedder, no_progress)
    assert examined.asked[-1].ranked[0] == (1, 3)
    assert examined.embedder_failures > 0


async def test_conversations_do_not_see_each_other() -> None:
    other = flat()
    other["session_1"] = [turn("D1:3", "Tove", "A lighthouse in the fog, on a photo.")]
    both = [*TALK, *parse(other, "other")]
    alone = await examine(TALK, MemorySettings(), ScriptedEmbedder(dimension=256), no_progress)
    together = await examine(both, MemorySettings(), ScriptedEmbedder(dimension=256), no_progress)
    assert [asked.ranked for asked in together[0].asked] == [
        asked.ranked for asked in alone[0].asked
    ]


async def test_a_fact_counts_as_the_turn_that_it_cites_and_nothing_is_summed_up() -> None:
    asked_for: list[str] = []

    def model(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
        assert options.json_schema is not None, "only facts are asked for"
        said = messages[-1].content
        asked_for.append(said)
        if "sourdough" in said:
            fact = {"fact": "The user bakes sourdough bread on Sundays", "type": "preference"}
            return json.dumps([fact])
        return "[]"

    chat = ScriptedChatModel(model)
    embedder = ScriptedEmbedder(dimension=256)
    (examined,) = await examine(TALK, MemorySettings(), embedder, no_progress, chat=chat)
    assert examined.entries == 1
    assert any("sourdough" in said for said in asked_for)
    ranked = examined.asked[0].ranked
    # As a fact and as a turn.
    assert ranked.count((2, 1)) == 2
    assert None not in ranked


def _examined(ranked: list[tuple[int, int] | None], category: int = 4) -> Examined:
    asked = Asked(category, frozenset({(1, 1), (1, 2)}), ranked, took_ms=2.0, tokens=30)
    return Examined(TALK[0], [asked], entries=0, embedder_failures=0)


def test_a_memory_that_cites_no_turn_takes_a_place() -> None:
    figures = report([_examined([None, None, (1, 1), (1, 1), (2, 2), (1, 2)])], embedder="none")
    assert figures["mrr"] == round(1 / 3, 4)
    # The same turn twice takes one place: the second is fifth.
    assert figures["recall@5"] == 1.0
    assert figures["by_category"]["multi-hop"]["recall@10"] is None
    assert figures["by_category"]["single-hop"]["questions"] == 1


def test_means_over_questions_and_over_conversations_differ() -> None:
    hit = _examined([(1, 1), (1, 2)])
    miss = _examined([])
    other = Examined(parse(flat(), "other")[0], [*hit.asked] * 3, entries=0, embedder_failures=0)
    figures = report([miss, other], embedder="none")
    assert figures["recall@10"] == 0.75
    assert figures["macro"]["recall@10"] == 0.5
    assert figures["tokens"] == 30.0
