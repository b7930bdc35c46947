"""A real Home Assistant core and a real Lo-Bug server, over sockets and TLS."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from homeassistant.config_entries import SOURCE_USER, SOURCE_ZEROCONF, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from homeassistant.setup import async_setup_component

from real_lobug import RealLobug, real_lobug
from waiting import until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLobug]:
    with real_lobug(tmp_path_factory.mktemp("lobug")) as running:
        yield running


@pytest.fixture
def expected_lingering_timers() -> bool:
    """TLS connections wait for the other end after they were closed."""
    return True


async def set_up(hass: HomeAssistant, server: RealLobug, url: str, token: str) -> Any:
    """Add the server as a person does; the fingerprint is compared as they are told to."""
    assert await async_setup_component(hass, "homeassistant", {})
    flows = hass.config_entries.flow
    flow = await flows.async_init("lobug", context={"source": SOURCE_USER})
    flow = await flows.async_configure(flow["flow_id"], {"url": url})
    assert flow["step_id"] == "token", flow
    shown = flow["description_placeholders"] or {}
    assert shown["url"] == server.https_url
    assert shown["fingerprint"] in server.run("tls", "show")
    made = await flows.async_configure(flow["flow_id"], {"token": token})
    assert made["type"] is FlowResultType.CREATE_ENTRY, made
    await hass.async_block_till_done(wait_background_tasks=False)
    assert made["result"].state is ConfigEntryState.LOADED
    return made["result"]


async def test_words_go_from_the_rest_interface_to_lobug_and_back(
    hass: HomeAssistant, server: RealLobug, hass_client: Any
) -> None:
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "conversation", {})
    token = server.token("home-assistant", "--owner", "--user", "ada")
    entry = await set_up(hass, server, server.url, token)
    client = await hass_client()
    answer = await client.post(
        "/api/conversation/process",
        json={"text": "Hello there", "language": "en", "agent_id": "conversation.lo_bug"},
    )
    assert answer.status == 200
    body = await answer.json()
    assert body["response"]["speech"]["plain"]["speech"] == "I see."
    assert body["response"]["response_type"] == "action_done"
    assert body["conversation_id"]
    # Lo-Bug has heard it, and told so.
    await until(lambda: hass.states.get("event.lo_bug_turn").state != "unknown", hass)  # type: ignore[union-attr]
    heard = hass.states.get("event.lo_bug_heard")
    assert heard is not None
    assert heard.attributes["user"] == "ada"
    assert heard.attributes["door"] == "text"
    assert "Hello there" in (server.folder / "prompts.jsonl").read_text()
    # No device is there, so what is announced waits.
    said = await hass.services.async_call(
        "lobug", "announce", {"message": "Dinner.", "person": "ada"}, blocking=True,
        return_response=True,
    )  # fmt: skip
    assert said == {"status": "waits", "said_on": [], "waits_for": ["ada"]}
    # It is said before the next reply.
    answer = await client.post(
        "/api/conversation/process",
        json={"text": "Hello again", "language": "en", "agent_id": "conversation.lo_bug"},
    )
    words = (await answer.json())["response"]["speech"]["plain"]["speech"]
    assert "Dinner." in words
    # A revoked token is noticed at once, by the end of the event stream.
    listed = server.run("tokens", "list")
    token_id = next(line.split()[0] for line in listed.splitlines() if "home-assistant" in line)
    await until(lambda: entry.runtime_data.coordinator.listening)
    server.run("tokens", "revoke", token_id)
    await until(lambda: hass.config_entries.flow.async_progress_by_handler("lobug"), hass)


async def test_https_addresses_are_trusted_by_their_own_authority(
    hass: HomeAssistant, server: RealLobug
) -> None:
    """And a server that moves is followed to where its own authority vouches for it."""
    entry = await set_up(hass, server, server.https_url, server.token("bob", "--user", "bob"))
    assert entry.data["url"] == server.https_url
    assert entry.data["authority"].startswith("-----BEGIN CERTIFICATE")
    assert not entry.runtime_data.coordinator.data.owner
    gone = {**entry.data, "url": "https://127.0.0.1:1"}
    hass.config_entries.async_update_entry(entry, data=gone)
    await hass.async_block_till_done(wait_background_tasks=False)
    address = ip_address("127.0.0.1")
    told = ZeroconfServiceInfo(
        address, [address], server.port, "lobug-1.local.", "_lobug._tcp.local.",
        "Lo-Bug._lobug._tcp.local.", {"https": "0", "name": "Lo-Bug"},
    )  # fmt: skip
    flow = await hass.config_entries.flow.async_init(
        "lobug", context={"source": SOURCE_ZEROCONF}, data=told
    )
    assert flow["reason"] == "already_configured"
    assert entry.data["url"] == server.https_url


async def test_another_authority_is_not_trusted(
    hass: HomeAssistant, server: RealLobug, tmp_path: Path
) -> None:
    """A server that has taken the address, with an authority of its own, gets no token."""
    entry = await set_up(hass, server, server.url, server.token("eve", "--owner", "--user", "eve"))
    with real_lobug(tmp_path) as stranger:
        hass.config_entries.async_update_entry(
            entry, data={**entry.data, "url": stranger.https_url}
        )
        await hass.async_block_till_done(wait_background_tasks=False)
        assert entry.state is ConfigEntryState.SETUP_RETRY
        assert "401" not in (stranger.folder / "serve.log").read_text()
