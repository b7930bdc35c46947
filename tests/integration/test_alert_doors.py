"""`/alerts` over a real socket, and `lobug alerts` without a server."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from typer.testing import CliRunner, Result

from lobug.cli.app import app as command
from support.app_server import client_of
from support.memory_app import app_with, door_settings
from support.simulated_address import remote_headers, with_simulated_addresses

FAR = remote_headers("192.168.1.7")
"""A caller from a trusted network."""
HOSTILE = "x\n'; DROP TABLE alerts; -- {0} <script>\u202e" + "y" * 400


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    settings = door_settings(
        tmp_path,
        access={"trusted_networks": ["192.168.1.0/24"]},
        conversation={"time_zone": "Europe/Berlin"},
    )
    return with_simulated_addresses(app_with(settings))


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


def code(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.json()['error']['code']}"


async def labels(http: httpx.AsyncClient) -> list[str]:
    return [one["label"] for one in (await http.get("/alerts")).json()["alerts"]]


async def test_an_alert_is_set_changed_and_cancelled(http: httpx.AsyncClient) -> None:
    made = (
        await http.post("/alerts", json={"kind": "timer", "label": "pasta", "in_s": 600})
    ).json()
    assert (made["kind"], made["label"], made["span_s"]) == ("timer", "pasta", 600.0)
    assert made["state"] == "pending"
    url = f"/alerts/{made['id']}"
    changed = (await http.patch(url, json={"label": "noodles", "in_s": 900})).json()
    assert (changed["label"], changed["span_s"], changed["id"]) == ("noodles", 900.0, made["id"])
    assert (await http.delete(url)).json()["label"] == "noodles"
    assert code(await http.delete(url)) == "404 alert_not_found"
    assert code(await http.patch(url, json={"label": "x"})) == "404 alert_not_found"
    assert await labels(http) == []


async def test_times_without_an_offset_are_lo_bugs_own(http: httpx.AsyncClient) -> None:
    made = (
        await http.post(
            "/alerts",
            json={"kind": "alarm", "at": "2099-07-01T06:40", "rule": "BYDAY=MO;FREQ=WEEKLY"},
        )
    ).json()
    assert made["due_at"] == "2099-07-06T04:40:00Z"  # the first Monday, in summer time
    assert made["rule"] == "FREQ=WEEKLY;BYDAY=MO"
    assert made["zone"] == "Europe/Berlin"
    other = (
        await http.post("/alerts", json={"kind": "alarm", "at": "2099-07-01T06:40+00:00"})
    ).json()
    assert other["due_at"] == "2099-07-01T06:40:00Z"


async def test_how_often_it_rings_is_changed(http: httpx.AsyncClient) -> None:
    alarm = {"kind": "alarm", "label": "work", "at": "2099-07-01T06:40"}
    url = f"/alerts/{(await http.post('/alerts', json=alarm)).json()['id']}"
    weekly = (await http.patch(url, json={"rule": "FREQ=WEEKLY;BYDAY=MO"})).json()
    assert (weekly["rule"], weekly["due_at"]) == ("FREQ=WEEKLY;BYDAY=MO", "2099-07-06T04:40:00Z")
    moved = (await http.patch(url, json={"at": "2099-07-01T07:00", "rule": "FREQ=DAILY"})).json()
    assert (moved["rule"], moved["due_at"]) == ("FREQ=DAILY", "2099-07-01T05:00:00Z")
    renamed = (await http.patch(url, json={"label": "swim"})).json()
    assert (renamed["rule"], renamed["label"]) == ("FREQ=DAILY", "swim")
    assert code(await http.patch(url, json={"rule": "FREQ=SECONDLY"})) == "422 invalid_request"
    once = (await http.patch(url, json={"rule": None})).json()
    assert (once["rule"], once["due_at"], once["label"]) == (None, moved["due_at"], "swim")


async def test_a_rule_that_is_not_known_any_more_is_not_dropped_with_a_new_time(
    app: FastAPI, http: httpx.AsyncClient
) -> None:
    alarm = {"kind": "alarm", "at": "2099-07-01T06:40", "rule": "FREQ=HOURLY"}
    made = (await http.post("/alerts?user=ada", json=alarm)).json()
    agenda = app.state.lobug.agenda
    (alert,) = await agenda.alerts.of_user("ada")
    await agenda.alerts.replace(replace(alert, rule="FREQ=HOURLY;BYDAY=MO"))
    url, later = f"/alerts/{made['id']}?user=ada", "2099-07-01T07:00"
    assert code(await http.patch(url, json={"at": later})) == "422 invalid_request"
    mended = await http.patch(url, json={"at": later, "rule": "FREQ=DAILY"})
    assert mended.json()["rule"] == "FREQ=DAILY"


async def test_what_is_set_by_http_is_spoken_of(http: httpx.AsyncClient) -> None:
    await http.post("/alerts", json={"kind": "timer", "label": "pasta", "in_s": 600})
    answer = await http.post("/chat/text", json={"text": "How long is left on the pasta timer?"})
    assert answer.json()["response"] == "Ten minutes left on the pasta timer."
    said = await http.post("/chat/text", json={"text": "Remind me tomorrow to call my mum"})
    assert "to call your mum" in said.json()["response"]
    assert await labels(http) == ["pasta", "to call my mum"]


async def test_bad_requests_are_refused_and_set_nothing(http: httpx.AsyncClient) -> None:
    bad = [
        {},
        {"kind": "timer"},
        {"kind": "bomb", "in_s": 5},
        {"kind": "timer", "in_s": 0},
        {"kind": "timer", "in_s": -5},
        {"kind": "timer", "in_s": 1e300},
        {"kind": "timer", "in_s": 5, "at": 5},
        {"kind": "alarm", "at": 5},
        {"kind": "alarm", "at": "25 o'clock"},
        {"kind": "alarm", "at": "9999-12-31T23:59"},
        {"kind": "alarm", "at": 1e300},
        {"kind": "alarm", "in_s": 60, "rule": "FREQ=SECONDLY"},
        {"kind": "alarm", "in_s": 60, "rule": "FREQ=DAILY;COUNT=99999999"},
        {"kind": "alarm", "in_s": 60, "rule": "FREQ=DAILY;INTERVAL=0"},
        {"kind": "alarm", "in_s": 60, "rule": "FREQ=DAILY;INTERVAL=99999999999999999999"},
        {"kind": "alarm", "in_s": 60, "rule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
        {"kind": "alarm", "in_s": 60, "rule": "nonsense"},
        {"kind": "alarm", "in_s": 60, "rule": "FREQ=WEEKLY;BYDAY=XX"},
        {"kind": "alarm", "in_s": 60, "rule": "FREQ=HOURLY;BYDAY=MO,TU,WE,TH,FR"},
        {"kind": "alarm", "in_s": 60, "user": "ada"},
    ]
    answers = [code(await http.post("/alerts", json=body)) for body in bad]
    assert answers == ["422 invalid_request"] * len(bad)
    assert await labels(http) == []


async def test_a_person_has_at_most_so_many(http: httpx.AsyncClient) -> None:
    found = [
        (await http.post("/alerts", json={"kind": "timer", "in_s": 60 + n})).status_code
        for n in range(103)
    ]
    assert found == [200] * 100 + [409] * 3


async def test_hostile_words_stay_words(http: httpx.AsyncClient) -> None:
    made = await http.post("/alerts", json={"kind": "reminder", "label": HOSTILE, "in_s": 60})
    assert made.status_code == 200, made.text
    label = made.json()["label"]
    assert label.startswith("x '; DROP TABLE alerts; -- {0} <script>")
    assert label.isprintable()
    assert len(label) <= 200
    steered = await http.post("/alerts", json={"kind": "timer", "label": "\x1b[31m", "in_s": 60})
    assert steered.json()["label"] == "[31m"
    assert len(await labels(http)) == 2


async def test_nobody_sees_or_ends_anothers_alerts(http: httpx.AsyncClient) -> None:
    made = await http.post("/alerts", json={"kind": "timer", "in_s": 60}, headers=FAR)
    assert made.status_code == 200
    url = f"/alerts/{made.json()['id']}"
    assert code(await http.delete(url)) == "404 alert_not_found"
    assert await labels(http) == []
    refused = await http.get("/alerts", params={"user": "owner"}, headers=FAR)
    assert code(refused) == "403 memory_forbidden"
    assert (await http.delete(url, headers=FAR)).status_code == 200


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory, and none of the developer's own settings."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LOBUG_PORT", "1")  # nothing listens there


def lobug(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["alerts", *arguments])


@pytest.mark.usefixtures("elsewhere")
def test_the_command_lists_adds_and_cancels() -> None:
    assert "no timers, alarms or reminders" in lobug("list").output
    assert "timer 1 rings at" in lobug("add", "timer", "pasta", "--in", "1h30m").output
    (one,) = json.loads(lobug("list", "--json").stdout)["alerts"]
    assert (one["label"], one["span_s"]) == ("pasta", 5400.0)
    assert "pasta" in lobug("list").output
    assert lobug("add", "timer").exit_code == 2
    assert lobug("add", "timer", "--in", "soon").exit_code == 2
    assert "cancelled: timer 1: pasta" in lobug("cancel", "1").output
    missing = lobug("cancel", "1")
    assert (missing.exit_code, "alert_not_found" in missing.output) == (1, True)
