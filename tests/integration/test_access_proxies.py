"""A proxy on the server's own computer, however sparing with headers: nobody behind it is the
owner."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import device

PUBLIC = "lobug.example.org"

BEHIND_A_PROXY = [
    {"X-Forwarded-Proto": "https"},
    {"X-Forwarded-Host": PUBLIC},
    {"X-Forwarded-Port": "443"},
    {"X-Forwarded-Server": "door"},
    {"CF-Connecting-IP": "203.0.113.5"},
    {"True-Client-IP": "203.0.113.5"},
    {"X-Client-IP": "203.0.113.5"},
    {"Host": PUBLIC},
    {"Host": f"{PUBLIC.upper()}.:443"},
]


@pytest.mark.parametrize("headers", BEHIND_A_PROXY)
async def test_who_comes_by_a_proxy_needs_a_token(
    tmp_path: Path, headers: Mapping[str, str]
) -> None:
    settings = settings_for(tmp_path, access={"public_url": f"https://{PUBLIC}"})
    async with running(settings, ScriptedEngines()) as (http, _server):
        for path in ("/devices", "/tokens", "/memory", "/turns"):
            answer = await http.get(path, headers=headers)
            assert answer.status_code == 401, (path, answer.text)
        if "Host" not in headers:
            with pytest.raises(InvalidStatus) as refused:
                async with device(str(http.base_url), headers=headers):
                    pass
            assert refused.value.response.status_code == 401
        assert (await http.get("/devices")).status_code == 200


@pytest.mark.parametrize("scheme", ["https", "wss"])
async def test_the_public_name_is_a_proxys_even_if_no_header_says_so(
    tmp_path: Path, scheme: str
) -> None:
    """Devices are told ``wss`` and ``https`` as the same place, so both mean a proxy with TLS."""
    settings = settings_for(tmp_path, access={"public_url": f"{scheme}://{PUBLIC}/"})
    async with running(settings, ScriptedEngines()) as (http, _server):
        assert (await http.get("/devices", headers={"Host": PUBLIC})).status_code == 401


async def test_a_public_name_without_a_proxy_is_this_computers_own(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, access={"public_url": f"http://{PUBLIC}:8000"})
    async with running(settings, ScriptedEngines()) as (http, _server):
        answer = await http.get("/devices", headers={"Host": f"{PUBLIC}:8000"})
        assert answer.status_code == 200


async def test_who_comes_by_a_proxy_is_held_to_the_limits(tmp_path: Path) -> None:
    limits = {"codes_per_minute": 2, "attempts_per_minute": 2}
    async with running(settings_for(tmp_path, access=limits), ScriptedEngines()) as (http, _):

        async def new_device(number: int, **headers: str) -> int:
            named = {"Device-Id": f"d{number}", "Client-Id": "x", **headers}
            return (await http.post("/xiaozhi/ota/", headers=named, json={})).status_code

        async def guess(**headers: str) -> int:
            wrong = {"Authorization": "Bearer lobug_guess", **headers}
            return (await http.get("/memory/entries", headers=wrong)).status_code

        assert [await new_device(n, Via="1.1 door") for n in range(3)] == [200, 200, 429]
        assert [await guess(Via="1.1 door") for _ in range(3)] == [401, 401, 429]
        # This computer itself simulates as many as it likes.
        assert [await new_device(n) for n in range(3, 8)] == [200] * 5
        assert [await guess() for _ in range(5)] == [401] * 5
