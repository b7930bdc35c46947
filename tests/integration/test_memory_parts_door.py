"""What a score consists of is for the owner: no door tells it to anybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from lobug.app import create_app
from support.app_server import client_of, scripted_assembler, settings_for
from support.memory_app import quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses

DOORS = (
    "/memory/search?q=oolong&turns=true",
    "/memory/recalls",
    "/memory/why",
    "/memory/export",
)


def parts_in(answer: object) -> Iterator[dict[str, Any]]:
    """Everything under a key ``parts``, wherever it is."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            if key == "parts":
                yield value
            yield from parts_in(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from parts_in(value)


async def headers_of(http: httpx.AsyncClient, user: str, *, owner: bool) -> dict[str, str]:
    made = await http.post("/tokens", json={"name": user, "user": user, "owner": owner})
    assert made.status_code == 200, made.text
    return remote_headers(Authorization=f"Bearer {made.json()['token']}")


async def test_only_the_owner_learns_what_a_score_consists_of(tmp_path: Path) -> None:
    app = with_simulated_addresses(
        create_app(settings_for(tmp_path), assembler=scripted_assembler(quiet_engines()))
    )
    async with client_of(app) as http:
        for user, owner in (("ada", True), ("bob", False)):
            theirs = await headers_of(http, user, owner=owner)
            told = await http.post(
                "/memory/entries", json={"content": "likes oolong tea"}, headers=theirs
            )
            assert told.status_code in (200, 201), told.text
            for said in ("Oolong is what I drink.", "Which oolong do I drink?"):
                answer = await http.post("/chat/text", json={"text": said}, headers=theirs)
                assert answer.status_code == 200, answer.text
            for _ in range(200):  # until the turn is in the index
                hits = (await http.get(DOORS[0], headers=theirs)).json()["hits"]
                if {hit["kind"] for hit in hits} == {"memory", "turn"}:
                    break
                await asyncio.sleep(0.05)
            for door in DOORS:
                found = list(parts_in((await http.get(door, headers=theirs)).json()))
                assert found, (user, door)
                assert all(map(bool, found)) if owner else not any(found), (user, door, found)
