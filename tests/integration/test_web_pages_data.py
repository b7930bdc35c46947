"""`/web/people`, `/web/doctor` and `/memory/history` over real sockets."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from lobug.app import create_app
from lobug.diagnosis.findings import Level
from lobug.diagnosis.running import examine, judge_engines
from lobug.engines.base import EngineStatus
from lobug.http.memory import history
from lobug.http.memory.history import HistoryDay, grouped, percentile
from lobug.memory.model import GrowthPoint
from support.app_server import client_of, scripted_assembler, settings_for
from support.memory_app import exchange, memory_of, quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    settings = settings_for(tmp_path, conversation={"users": {"device:aa:01": "ada"}})
    return with_simulated_addresses(
        create_app(settings, assembler=scripted_assembler(quiet_engines()))
    )


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


async def far(http: httpx.AsyncClient, user: str, *, owner: bool = False) -> dict[str, str]:
    made = await http.post("/tokens", json={"name": user, "user": user, "owner": owner})
    return remote_headers(Authorization=f"Bearer {made.json()['token']}")


async def test_everybody_is_listed_with_their_counts_at_this_computer_only(
    app: FastAPI, http: httpx.AsyncClient
) -> None:
    await exchange(memory_of(app), "bob", "I like tea")
    owner, person = await far(http, "ada", owner=True), await far(http, "carol")
    people = {one["user"]: one for one in (await http.get("/web/people")).json()["people"]}
    assert {"ada", "bob", "carol"} <= people.keys()
    assert people["bob"]["messages"] == 2
    assert len(people["ada"]["tokens"]) == len(people["carol"]["tokens"]) == 1
    assert people["carol"]["messages"] is None

    elsewhere = (await http.get("/web/people", headers=owner)).json()["people"]
    assert {one["user"] for one in elsewhere} == {"ada", "carol"}, "bob has no means to talk"
    assert all(one["messages"] is None for one in elsewhere)
    await exchange(memory_of(app), "ada", "I like jam")
    again = (await http.get("/web/people", headers=owner)).json()["people"]
    assert {one["user"]: one["messages"] for one in again} == {"ada": 2, "carol": None}
    refused = await http.get("/web/people", headers=person)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "owner_only")


async def test_doctor_answers_the_owner_of_a_running_server(
    app: FastAPI, http: httpx.AsyncClient
) -> None:
    checks = {one["name"]: one for one in (await http.get("/web/doctor")).json()["checks"]}
    assert checks["database"]["state"] == checks["access"]["state"] == "good"
    assert checks["chat"]["state"] == "good"
    assert all(one["advice"] for one in checks.values() if one["state"] != "good")
    refused = await http.get("/web/doctor", headers=await far(http, "bob"))
    assert refused.json()["error"]["code"] == "owner_only"


def test_a_check_that_breaks_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_: object) -> None:
        raise OSError("no such disk")

    monkeypatch.setattr("lobug.diagnosis.computer.shutil.disk_usage", breaks)
    found = [one for one in examine(settings_for(tmp_path)) if one.name == "data folder"]
    assert [one.level for one in found] == [Level.FAIL]
    assert "no such disk" in found[0].message


def test_engines_are_judged_by_what_they_say_of_themselves() -> None:
    good = EngineStatus("embedded", "qwen", ready=True)
    bad = EngineStatus("embedded", "qwen", ready=False, reason="the file is missing")
    found = list(
        judge_engines(
            {"chat": bad, "tts": bad, "stt": good},
            ["chat: the file is missing", "memory: the disk is full"],
            can_talk=False,
        )
    )
    assert [(one.name, one.level) for one in found] == [
        ("chat", Level.FAIL),
        ("tts", Level.WARN),
        ("stt", Level.OK),
        ("memory", Level.WARN),
    ]
    assert found[3].message == "the disk is full"


async def test_a_memory_grows_by_days_and_its_searches_are_timed(
    app: FastAPI, http: httpx.AsyncClient
) -> None:
    memory = memory_of(app)
    now = time.time()
    await exchange(memory, "ada", "I like tea", said_at=now)
    await exchange(memory, "bob", "I like coffee", said_at=now)
    await http.post("/memory/entries?user=ada", json={"content": "Ada plays the flute"})
    grown = (await http.get("/memory/history?user=ada")).json()
    assert sum(one["messages"] for one in grown["days"]) == 2
    assert sum(one["memories"] for one in grown["days"]) >= 1
    assert grown["recalls"]["count"] == 1
    assert grown["recalls"]["p50_ms"] == grown["recalls"]["times"][0]["took_ms"]
    nobody = (await http.get("/memory/history?user=nobody")).json()
    assert nobody == {
        "days": [],
        "recalls": {"count": 0, "p50_ms": None, "p95_ms": None, "times": []},
    }
    assert (await http.get("/memory/history?by=year")).json()["error"]["code"] == "invalid_request"


async def test_years_of_talk_are_counted_beside_the_event_loop(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def noted(*_: object) -> list[HistoryDay]:
        threads.append(threading.get_ident())
        return []

    monkeypatch.setattr(history, "grouped", noted)
    assert (await http.get("/memory/history")).status_code == 200
    assert len(threads) == 1
    assert threads[0] != threading.get_ident()


def test_days_are_those_of_the_time_zone() -> None:
    late = 1_772_317_800.0  # 2026-02-28 22:30 UTC, a Saturday
    points = [GrowthPoint(late, 1, 2), GrowthPoint(late + 3_600, 4, 8)]
    assert [(one.date, one.memories) for one in grouped(points, "UTC", "day")] == [
        ("2026-02-28", 5)
    ]
    assert [(one.date, one.memories) for one in grouped(points, "Europe/Berlin", "day")] == [
        ("2026-02-28", 1),
        ("2026-03-01", 4),
    ]
    assert [(one.date, one.messages) for one in grouped(points, "Europe/Berlin", "week")] == [
        ("2026-02-23", 10)
    ]


def test_percentiles() -> None:
    assert percentile([], 50) is None
    assert percentile([3.0], 95) == 3.0
    assert percentile([float(one) for one in range(1, 101)], 50) == 50.0
    assert percentile([float(one) for one in range(1, 101)], 95) == 95.0
