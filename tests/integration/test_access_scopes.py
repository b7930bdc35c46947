"""Tokens that are good for one purpose: watching how the server is doing. Over real sockets."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from lobug.access import store, tokens
from lobug.access.rules import allows
from lobug.access.service import FILE
from lobug.app import create_app
from support.app_server import client_of, scripted_assembler, settings_for
from support.device_client import device
from support.memory_app import quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses

TRUSTED = "10.1.2.3"


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    settings = settings_for(tmp_path, access={"trusted_networks": ["10.1.0.0/16"]})
    return with_simulated_addresses(
        create_app(settings, assembler=scripted_assembler(quiet_engines()))
    )


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


async def token(http: httpx.AsyncClient, **what: object) -> dict[str, str]:
    """Headers of a request from elsewhere with a new token."""
    answer = await http.post("/tokens", json={"name": "x", **what})
    assert answer.status_code == 200, answer.text
    return remote_headers(Authorization=f"Bearer {answer.json()['token']}")


def code(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.json()['error']['code']}"


async def test_metrics_are_for_the_owner_and_for_the_scope(http: httpx.AsyncClient) -> None:
    may = [{}, await token(http, owner=True), await token(http, scope="metrics")]
    for headers in may:
        answer = await http.get("/metrics", headers=headers)
        assert answer.status_code == 200
        assert "lobug_turns_running 0.0" in answer.text
    may_not = [
        await token(http),
        await token(http, user="ada"),
        remote_headers(TRUSTED),
        remote_headers(TRUSTED, **{"Device-Id": "aa:bb"}),
    ]
    for headers in may_not:
        assert code(await http.get("/metrics", headers=headers)) == "403 owner_only"
    assert code(await http.get("/metrics", headers=remote_headers())) == "401 token_required"


async def test_all_of_health_is_for_the_scope_too(http: httpx.AsyncClient) -> None:
    whole = (await http.get("/health", headers=await token(http, scope="metrics"))).json()
    assert {"engines", "memory", "degraded"} <= set(whole)
    trusted = (await http.get("/health", headers=remote_headers(TRUSTED))).json()
    assert set(trusted) == {"status", "ollama", "timestamp", "version"}


async def test_a_scope_is_good_for_nothing_else(app: FastAPI, http: httpx.AsyncClient) -> None:
    watcher = await token(http, scope="metrics")
    here = {"Authorization": watcher["Authorization"]}  # from this computer it is no more
    asked = 0
    for path, methods in app.openapi()["paths"].items():
        place = path.replace("{", "").replace("}", "")
        for method in methods:
            if (method, path) in {("get", "/metrics"), ("get", "/health"), ("get", "/ready")}:
                continue
            if path.startswith("/xiaozhi/ota/"):
                continue  # open to strangers, as whom it is taken
            for headers in (watcher, here):
                answer = await http.request(method, place, headers=headers, json={})
                body = answer.json()["error"]
                assert (answer.status_code, body["code"]) == (403, "token_scope"), (method, path)
            asked += 1
    assert asked > 35
    with pytest.raises(Exception, match="HTTP 403"):
        async with device(str(http.base_url), headers=watcher):
            pass
    asking = {**watcher, "Device-Id": "aa:bb", "Client-Id": "page"}
    found = await http.post("/xiaozhi/ota/", headers=asking, json={})
    assert "activation" in found.json()


def test_a_scope_of_a_newer_version_is_good_for_nothing() -> None:
    assert allows("metrics", "GET", "/metrics")
    assert not allows("metrics", "POST", "/metrics")
    assert not allows("everything", "GET", "/metrics")


async def test_tokens_of_an_older_file_have_no_scope(tmp_path: Path, app: FastAPI) -> None:
    made = tokens.new_token()
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / FILE)) as file:
        store.STEPS[0](file, "")
        file.execute(
            "INSERT INTO api_tokens (token_id, name, token_hash, owner, created_at)"
            " VALUES ('t1', 'laptop', ?, 0, 1.0)",
            (tokens.digest(made),),
        )
        file.execute("PRAGMA user_version = 1")
        file.commit()
    async with client_of(app) as http:
        (row,) = (await http.get("/tokens")).json()["tokens"]
        assert (row["id"], row["scope"]) == ("t1", None)
        mine = remote_headers(Authorization=f"Bearer {made}")
        said = await http.post("/chat/text", json={"text": "Hi"}, headers=mine)
        assert said.status_code == 200
